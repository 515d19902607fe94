//! Outcomes to all who read them: `outcomes.json` and the reports on disk, the summary on the terminal, annotations.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use atropos_report::cargo_messages::cargo_messages;
use atropos_report::outcomes::{self, Outcomes};
use atropos_report::summary::{Sources, SummaryLayout, summary};

use crate::arguments::{MessageFormat, Options};
use crate::terminal::Terminal;

/// What is published, and where.
pub struct Publication<'p> {
    pub outcomes: &'p Outcomes,
    pub sources: Sources<'p>,
    pub options: &'p Options,
    pub workspace_root: &'p Path,
    /// Where `outcomes.json` and the reports go.
    pub directory: &'p Path,
    pub terminal: Terminal,
}

/// Where something can't be written, what was found is told all the same, and then the error.
pub fn publish(publication: &Publication) -> Result<()> {
    let Publication {
        outcomes,
        sources,
        options,
        workspace_root,
        directory,
        terminal,
    } = *publication;
    let unwritten = || format!("can't write outcomes.json to {}", directory.display());
    std::fs::create_dir_all(directory).with_context(unwritten)?;
    let written = outcomes.write(directory).with_context(unwritten);
    let formats = options.reports.formats()?;
    let reported = super::write(&formats, outcomes, sources, workspace_root, directory);
    let output = &options.output;
    let is_for_programs = output.json || output.message_format == Some(MessageFormat::Json);
    let text = if output.json {
        serde_json::to_string_pretty(outcomes)? + "\n"
    } else if is_for_programs {
        cargo_messages(outcomes, sources)
    } else {
        let layout = SummaryLayout {
            width: terminal.width(),
            height: terminal.height(),
            all: output.all || output.verbose,
            top: output.top,
            outcomes_path: &directory.join(outcomes::FILE_NAME).display().to_string(),
            reports: reported.as_deref().unwrap_or_default(),
        };
        summary(outcomes, sources, layout)
    };
    // A reader that has gone changes nothing about the verdicts.
    let _ = terminal.stdout().write_all(text.as_bytes());
    let reports = &options.reports;
    let annotated = match is_for_programs {
        true => super::annotate(reports, outcomes, workspace_root, &mut terminal.stderr()),
        false => super::annotate(reports, outcomes, workspace_root, &mut terminal.stdout()),
    };
    written?;
    reported?;
    annotated
}
