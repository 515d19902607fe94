//! `cargo atropos list`: the mutants that a run would test, without building anything.

use std::io::Write;

use anyhow::Result;
use atropos_report::edit::unified_diff;
use atropos_report::mutant::MutantInfo;
use atropos_report::style::{self, styled};
use serde::Serialize;

use crate::arguments::ListArguments;
use crate::exit_code::ExitCode;
use crate::prepare::prepare;

/// A mutant in the JSON list.
#[derive(Serialize)]
struct Entry<'m> {
    #[serde(flatten)]
    info: &'m MutantInfo,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

pub fn list(arguments: ListArguments) -> Result<ExitCode> {
    let prepared = prepare(arguments.options)?;
    let diff_of = |info: &MutantInfo| {
        let text = &prepared.texts[&info.file];
        arguments.diff.then(|| unified_diff(info, text)).flatten()
    };
    let mutants = prepared.plan.mutants.iter();
    let mutants = mutants.filter(|info| prepared.takes(info.id));
    let mut stdout = prepared.terminal.stdout();
    if prepared.options.output.json {
        let entry = |info| Entry {
            info,
            name: info.name(),
            diff: diff_of(info).map(|diff| anstream::adapter::strip_str(&diff).to_string()),
        };
        let entries: Vec<Entry> = mutants.map(entry).collect();
        serde_json::to_writer_pretty(&mut stdout, &entries)?;
        writeln!(stdout)?;
    } else {
        for info in mutants {
            writeln!(
                stdout,
                "{}: {}",
                styled(style::PLACE, info.place()),
                info.edit_and_operator()
            )?;
            if let Some(diff) = diff_of(info) {
                writeln!(stdout, "{diff}")?;
            }
        }
    }
    stdout.flush()?;
    Ok(ExitCode::Success)
}
