//! What is wrong with a chart: all problems at once, each with its source line, a caret and advice.

use super::chart::ChartSpan;
use crate::language::{self, Diagnostic, Diagnostics};
use std::fmt;

/// All problems of one file. Its `Display` shows them as a person wants to read them.
#[derive(Clone, Debug)]
pub struct Problems {
    /// The file's name, as the user gave it.
    pub file: String,
    /// The file's text.
    pub source: String,
    /// The problems themselves.
    pub diagnostics: Diagnostics,
}

impl std::error::Error for Problems {}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostics.render(&self.file, &self.source, false))
    }
}

/// Gathers problems while a file is read, so that the reader can go on.
#[derive(Debug, Default)]
pub struct Collector {
    diagnostics: Diagnostics,
}

impl Collector {
    /// Notes a problem and what to do about it.
    pub fn advise(
        &mut self,
        span: ChartSpan,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) {
        let diagnostic = Diagnostic::error(place(span), message).advice(advice);
        self.diagnostics.push(diagnostic);
    }

    /// Nothing was noted so far.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The value if nothing is wrong, else all that is.
    pub fn finish<T>(self, file: &str, source: &str, value: Option<T>) -> Result<T, Problems> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            _ => Err(Problems {
                file: file.to_owned(),
                source: source.to_owned(),
                diagnostics: self.diagnostics,
            }),
        }
    }
}

/// A chart's place as the language's diagnostics want it.
pub fn place(span: ChartSpan) -> language::SourceSpan {
    let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    language::SourceSpan {
        start: byte(span.start),
        end: byte(span.end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_come_together_with_line_column_source_and_advice() {
        let mut collector = Collector::default();
        collector.advise(4..7, "no such state `Cde`", "did you mean `Cdf`?");
        collector.advise(0..2, "something else", "leave it out");
        let problems = collector
            .finish("door.puml", "ab\n Cde x", Some(()))
            .expect_err("two problems");
        let shown = problems.to_string();
        for part in [
            "door.puml:2:2",
            " Cde x",
            "did you mean `Cdf`?",
            "something else",
            "leave it out",
        ] {
            assert!(shown.contains(part), "{part} is missing in\n{shown}");
        }
    }
}
