//! The part of the command line that is about reports: which of them a run writes, and `report`, which
//! makes one again.

use std::path::PathBuf;
use std::sync::LazyLock;

use anyhow::{Result, bail};
use atropos_report::{gitlab, html, junit, sarif, stryker};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize, Serializer};

use crate::arguments::Colors;

pub const REPORT_HEADING: &str = "Reports";

pub const REPORT_EXAMPLES: &str = "\
Nothing is run: a report is made of what the last run has kept. If sources have changed since,
mutants would be marked at wrong places, so there is none.

Examples:
  cargo atropos report                            the page, target/atropos/report.html
  cargo atropos report --format sarif             for code scanning, target/atropos/report.sarif
  cargo atropos report --format stryker -o m.json for viewers of Stryker's reports
  cargo atropos report --format junit -o m.xml    for CI systems
  cargo atropos report --format cargo             survivors as cargo's own messages, for editors
  cargo atropos report --format markdown          a short summary, on standard output
  cargo atropos report --format html -o -         the page on standard output

Exit codes:
  0  the report was made
  1  wrong usage, there is no run to report, or sources have changed since";

/// What a run writes beside `outcomes.json`.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = REPORT_HEADING)]
pub struct ReportOptions {
    /// The reports to write beside outcomes.json: some of html, stryker, sarif, junit, gitlab, or
    /// all, or none [default: html]
    ///
    /// html is a page with everything (report.html), stryker is JSON in the format of Stryker's
    /// reports (report.stryker.json), sarif is for code scanning (report.sarif), junit is XML for CI
    /// systems (report.junit.xml), gitlab is for GitLab's code quality (report.gitlab.json).
    #[arg(
        long,
        value_name = "FORMATS",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub report: Vec<ReportChoice>,

    /// Annotate the places of survivors, and add to the job's summary [default: auto]
    #[arg(long, value_name = "WHERE", value_enum)]
    pub annotations: Option<AnnotationChoice>,
}

/// A report that a run can write, or a word for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportChoice {
    Format(Format),
    All,
    None,
}

impl ValueEnum for ReportChoice {
    /// Every format that is a file, and the words for all of them and none.
    fn value_variants<'a>() -> &'a [ReportChoice] {
        static CHOICES: LazyLock<Vec<ReportChoice>> = LazyLock::new(|| {
            let formats = Format::files().map(|(format, _)| ReportChoice::Format(format));
            formats
                .chain([ReportChoice::All, ReportChoice::None])
                .collect()
        });
        &CHOICES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            ReportChoice::Format(format) => format.to_possible_value(),
            ReportChoice::All => Some(PossibleValue::new("all")),
            ReportChoice::None => Some(PossibleValue::new("none")),
        }
    }
}

impl Serialize for ReportChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.to_possible_value().expect("no choice is hidden");
        serializer.serialize_str(value.get_name())
    }
}

/// Where survivors are annotated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnnotationChoice {
    /// In GitHub Actions, where GITHUB_ACTIONS is set
    #[default]
    Auto,
    /// Nowhere
    None,
    /// As GitHub Actions reads them, in any case
    Github,
}

/// Every format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Format {
    /// A page with everything
    Html,
    /// JSON in the format of Stryker's reports
    Stryker,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit's XML, as most CI systems read it
    Junit,
    /// A code quality report, as GitLab reads it
    Gitlab,
    /// What a run prints, with everything
    Text,
    /// What outcomes.json holds
    Json,
    /// cargo's own messages, one JSON value per line, for editors and other readers of rustc's warnings
    Cargo,
    /// Lines that GitHub Actions shows at the survivors' places
    Annotations,
    /// A short summary, as GitHub Actions shows it beside a job
    Markdown,
}

/// What becomes of a report that nobody names a file for.
pub enum ReportOutput {
    /// A file of this name in the output directory, and the word for it in the summary.
    File {
        name: &'static str,
        word: &'static str,
    },
    StandardOutput,
}

impl Format {
    pub fn output(self) -> ReportOutput {
        let file = |name, word| ReportOutput::File { name, word };
        match self {
            Format::Html => file(html::FILE_NAME, "Page"),
            Format::Stryker => file(stryker::FILE_NAME, "JSON"),
            Format::Sarif => file(sarif::FILE_NAME, "SARIF"),
            Format::Junit => file(junit::FILE_NAME, "JUnit"),
            Format::Gitlab => file(gitlab::FILE_NAME, "GitLab"),
            Format::Text
            | Format::Json
            | Format::Cargo
            | Format::Annotations
            | Format::Markdown => ReportOutput::StandardOutput,
        }
    }

    /// Its name in the output directory; none if it is for standard output.
    pub fn file_name(self) -> Option<&'static str> {
        match self.output() {
            ReportOutput::File { name, .. } => Some(name),
            ReportOutput::StandardOutput => None,
        }
    }

    /// The formats that are files of their own in the output directory, each with its name there.
    pub fn files() -> impl Iterator<Item = (Format, &'static str)> {
        let all = Format::value_variants().iter();
        all.filter_map(|format| Some((*format, format.file_name()?)))
    }
}

impl ReportOptions {
    /// The formats to write, each once.
    pub fn formats(&self) -> Result<Vec<Format>> {
        let mut formats = Vec::new();
        if self.report.contains(&ReportChoice::None) && self.report.len() > 1 {
            bail!("`--report none` means no report, so it can't stand beside others");
        }
        for choice in &self.report {
            match choice {
                ReportChoice::Format(format) => formats.push(*format),
                ReportChoice::All => formats.extend(Format::files().map(|(format, _)| format)),
                ReportChoice::None => {}
            }
        }
        if self.report.is_empty() {
            formats.push(Format::Html);
        }
        formats.sort_unstable();
        formats.dedup();
        Ok(formats)
    }

    /// Whether to annotate, given whether this is GitHub Actions.
    pub fn is_annotated(&self, in_github_actions: bool) -> bool {
        match self.annotations.unwrap_or_default() {
            AnnotationChoice::Auto => in_github_actions,
            AnnotationChoice::None => false,
            AnnotationChoice::Github => true,
        }
    }
}

#[derive(Args, Clone, Debug)]
pub struct ReportArguments {
    /// What to make
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "html")]
    pub format: Format,

    /// Where to write it, `-` for standard output [default: beside outcomes.json; text, json, cargo,
    /// annotations and markdown to standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Of the last run of the package or workspace in this directory
    #[arg(short, long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Where that run has kept outcomes.json, as its --output said [default: target/atropos]
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,

    /// Colour the output
    #[arg(long, value_name = "WHEN", value_enum)]
    pub colors: Option<Colors>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formats(choices: &[ReportChoice]) -> Option<Vec<Format>> {
        let options = ReportOptions {
            report: choices.to_vec(),
            annotations: None,
        };
        options.formats().ok()
    }

    #[test]
    fn a_run_writes_the_page_unless_told_otherwise() {
        use ReportChoice::{All, None};
        let html = ReportChoice::Format(Format::Html);
        let sarif = ReportChoice::Format(Format::Sarif);
        assert_eq!(formats(&[]), Some(vec![Format::Html]));
        assert_eq!(formats(&[sarif]), Some(vec![Format::Sarif]));
        assert_eq!(
            formats(&[sarif, html, sarif]),
            Some(vec![Format::Html, Format::Sarif])
        );
        assert_eq!(formats(&[All, sarif]).map(|all| all.len()), Some(5));
        assert_eq!(formats(&[None]), Some(vec![]));
        assert_eq!(formats(&[None, sarif]), Option::None);
    }

    #[test]
    fn annotations_are_for_github_actions() {
        let annotated = |annotations, in_actions| {
            let report = Vec::new();
            let options = ReportOptions {
                report,
                annotations,
            };
            options.is_annotated(in_actions)
        };
        assert!(annotated(None, true) && !annotated(None, false));
        assert!(!annotated(Some(AnnotationChoice::None), true));
        assert!(annotated(Some(AnnotationChoice::Github), false));
    }
}
