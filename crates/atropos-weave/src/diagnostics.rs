//! What rustc says, as `--error-format=json` writes it, down to the parts that rollback reads.

use std::collections::BTreeMap;

use atropos_mutants::mutant::Span;
use serde::Deserialize;

/// A lint that refuses programs unless it is capped. A mutant that it finds would not compile by
/// itself; and in the original's code it finds a literal that got another type than it should.
const OVERFLOWING_LITERALS: &str = "overflowing_literals";

/// An error with all that hangs on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct RustcDiagnostic {
    pub message: String,
    #[serde(default)]
    pub code: Option<ErrorCode>,
    pub level: String,
    #[serde(default)]
    pub spans: Vec<DiagnosticSpan>,
    #[serde(default)]
    pub children: Vec<RustcDiagnostic>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ErrorCode {
    pub code: String,
}

/// A labelled place. Offsets are bytes of the file as it is on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct DiagnosticSpan {
    pub file_name: String,
    pub byte_start: usize,
    pub byte_end: usize,
    #[serde(default)]
    pub is_primary: bool,
    #[serde(default)]
    pub label: Option<String>,
    /// The lines that the span covers.
    #[serde(default)]
    pub text: Vec<SpanLine>,
    /// Where the macro was called whose text the span lies in.
    #[serde(default)]
    pub expansion: Option<Box<MacroExpansion>>,
}

impl DiagnosticSpan {
    /// rustc names the start of the crate where it knows no place.
    fn is_nowhere(&self) -> bool {
        self.byte_end == 0 && self.text.is_empty()
    }
}

/// A line of which a span covers a part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct SpanLine {
    pub text: String,
    /// 1-based, in characters.
    pub highlight_start: usize,
    /// Behind the last one.
    pub highlight_end: usize,
}

impl SpanLine {
    /// The part that the span covers.
    fn highlighted(&self) -> &str {
        let offset = |column: usize| {
            let mut offsets = self.text.char_indices().map(|(offset, _)| offset);
            offsets
                .nth(column.saturating_sub(1))
                .unwrap_or(self.text.len())
        };
        let start = offset(self.highlight_start);
        &self.text[start..offset(self.highlight_end).max(start)]
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct MacroExpansion {
    pub span: DiagnosticSpan,
}

impl RustcDiagnostic {
    /// The places in the given files that it names, those that it is about first. `name` turns the name of a file as rustc
    /// writes it into one of the files'.
    pub(crate) fn places_in<T>(
        &self,
        files: &BTreeMap<String, T>,
        name: &impl Fn(&str) -> Option<String>,
    ) -> Vec<(String, Span)> {
        let mut spans: Vec<&DiagnosticSpan> = self.spans.iter().collect();
        spans.sort_by_key(|span| !span.is_primary);
        let mut places = Vec::new();
        for span in spans {
            let mut next = Some(span);
            while let Some(span) = next {
                if let Some(file) = name(&span.file_name).filter(|file| files.contains_key(file)) {
                    places.push((file, Span::new(span.byte_start, span.byte_end)));
                }
                next = span.expansion.as_ref().map(|expansion| &expansion.span);
            }
        }
        places
    }

    /// The error's code, such as `E0308`; empty if it has none.
    pub fn code(&self) -> &str {
        self.code.as_ref().map_or("", |code| code.code.as_str())
    }

    /// Code and first line of the message.
    pub fn headline(&self) -> String {
        let line = self.message.lines().next().unwrap_or_default();
        match self.code() {
            "" => line.to_owned(),
            code => format!("{code}: {line}"),
        }
    }

    /// Whether the message, a label or a note holds a text.
    pub(crate) fn mentions(&self, text: &str) -> bool {
        let labels = self.spans.iter().filter_map(|span| span.label.as_deref());
        self.message.contains(text)
            || labels.into_iter().any(|label| label.contains(text))
            || self.children.iter().any(|child| child.mentions(text))
    }

    /// Whether the error speaks of a variable: in its message, in a label, or because a labelled
    /// place holds its name.
    pub(crate) fn names(&self, variable: &str) -> bool {
        let is_named = |text: &str| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| word == variable)
        };
        let in_label = |span: &DiagnosticSpan| {
            span.label.as_deref().is_some_and(is_named)
                || span.text.iter().any(|line| is_named(line.highlighted()))
        };
        is_named(&self.message)
            || self.spans.iter().any(in_label)
            || self.children.iter().any(|child| child.names(variable))
    }

    fn is_error(&self) -> bool {
        let is_error = self.level.starts_with("error") || self.code() == OVERFLOWING_LITERALS;
        is_error && !self.is_summary()
    }

    /// "aborting due to 3 previous errors" stands for nothing of its own.
    fn is_summary(&self) -> bool {
        self.spans.is_empty() && self.message.starts_with("aborting due to")
    }
}

/// A line of cargo's output around a line of rustc's.
#[derive(Deserialize)]
struct CargoMessage {
    reason: String,
    message: Option<RustcDiagnostic>,
}

/// The errors among rustc's (or cargo's) lines. Whatever is neither JSON nor an error is skipped.
/// Literals that overflow count as errors, also if lints are capped at warnings (they should be for
/// checks: `--cap-lints=warn`).
pub fn parse_errors(output: &str) -> Vec<RustcDiagnostic> {
    output
        .lines()
        .filter_map(parse_line)
        .filter(RustcDiagnostic::is_error)
        .map(|mut error| {
            error.spans.retain(|span| !span.is_nowhere());
            error
        })
        .collect()
}

fn parse_line(line: &str) -> Option<RustcDiagnostic> {
    let line = line.trim();
    if !line.starts_with('{') {
        return None;
    }
    if let Ok(diagnostic) = serde_json::from_str(line) {
        return Some(diagnostic);
    }
    let message: CargoMessage = serde_json::from_str(line).ok()?;
    message
        .message
        .filter(|_| message.reason == "compiler-message")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: &str = r#"{"$message_type":"diagnostic","message":"mismatched types\nmore","code":{"code":"E0308","explanation":"long"},"level":"error","spans":[{"file_name":"src/lib.rs","byte_start":12,"byte_end":15,"line_start":1,"line_end":1,"column_start":13,"column_end":16,"is_primary":true,"text":[],"label":"expected `i32`","suggested_replacement":null,"suggestion_applicability":null,"expansion":null}],"children":[],"rendered":"x"}"#;

    #[test]
    fn errors_are_read_from_rustc_and_from_cargo() {
        let wrapped =
            format!(r#"{{"reason":"compiler-message","package_id":"p","message":{ERROR}}}"#);
        for text in [ERROR, &wrapped] {
            let errors = parse_errors(text);
            assert_eq!(errors.len(), 1);
            assert_eq!(errors[0].headline(), "E0308: mismatched types");
            assert_eq!(errors[0].spans[0].byte_end, 15);
            assert!(errors[0].spans[0].is_primary);
        }
    }

    #[test]
    fn warnings_summaries_artifacts_and_plain_text_are_skipped() {
        let warning = ERROR.replace(r#""level":"error""#, r#""level":"warning""#);
        let text = format!(
            "{warning}\nplain text\n{}\n{}\n{}",
            r#"{"message":"aborting due to 2 previous errors","code":null,"level":"error","spans":[],"children":[]}"#,
            r#"{"$message_type":"artifact","artifact":"/tmp/x","emit":"metadata"}"#,
            r#"{"reason":"compiler-artifact","package_id":"p"}"#,
        );
        assert_eq!(parse_errors(&text), []);
    }

    #[test]
    fn a_literal_that_overflows_is_an_error_even_if_it_is_called_a_warning() {
        let text = r#"{"message":"literal out of range for `u8`","code":{"code":"overflowing_literals"},"level":"warning","spans":[],"children":[]}"#;
        assert_eq!(parse_errors(text).len(), 1);
    }
}
