//! The options of the last run, from what `outcomes.json` records of them: what is written now is about the same mutants,
//! tests and features.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use atropos_report::outcomes::Outcomes;
use serde_json::Value;

use crate::arguments::{Command, Options, parse};

/// What a later command decides for itself, or what would choose other mutants now than it did then.
const NOT_TAKEN: &[&str] = &[
    "dir",
    "manifest-path",
    "config",
    "no-config",
    "in-diff",
    "since",
    "iterate",
    "reuse",
    "no-reuse",
    "output",
    "report",
    "annotations",
    "min-score",
    "max-survivors",
    "fail-on",
    "top",
    "order",
];

/// Of the package or workspace in this directory.
pub fn options_of(outcomes: &Outcomes, directory: Option<&Path>) -> Result<Options> {
    let mut words: Vec<String> = vec!["cargo-atropos".into(), "run".into()];
    let mut test_arguments = Vec::new();
    for (name, value) in &outcomes.options {
        if NOT_TAKEN.contains(&name.as_str()) {
            continue;
        }
        let values = match value {
            Value::Array(values) => values.clone(),
            value => vec![value.clone()],
        };
        for value in values {
            let text = match value {
                Value::Bool(true) => {
                    words.push(format!("--{name}"));
                    continue;
                }
                Value::String(text) => text,
                Value::Number(number) => number.to_string(),
                _ => bail!("`outcomes.json` has no readable value for the option `{name}`"),
            };
            match name.as_str() {
                "test-args" => test_arguments.push(text),
                _ => words.push(format!("--{name}={text}")),
            }
        }
    }
    // What the config file said then is recorded.
    words.push("--no-config".into());
    if let Some(directory) = directory {
        words.push(format!("--dir={}", directory.display()));
    }
    let chooses = |name: &str| outcomes.options.contains_key(name);
    if !["package", "workspace"].iter().any(|name| chooses(name)) {
        // They were chosen by the directory that the run was started in.
        let packages = outcomes
            .mutants
            .iter()
            .map(|record| record.info.package.as_str());
        let packages: BTreeSet<&str> = packages.collect();
        words.extend(packages.iter().map(|name| format!("--package={name}")));
    }
    if !test_arguments.is_empty() {
        words.push("--".into());
        words.extend(test_arguments);
    }
    let arguments = parse(words.into_iter().map(OsString::from));
    let arguments = arguments.context("the options of the last run are not understood")?;
    match arguments.command {
        Some(Command::Run(options)) => Ok(*options),
        _ => bail!("the options of the last run are not understood"),
    }
}
