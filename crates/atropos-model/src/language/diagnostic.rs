//! What is wrong with a model's text: collected, never thrown, and shown with the source line, a caret and advice.

use super::token::SourceSpan;
use ariadne::{CharSet, Config, IndexType, Label, Report, ReportKind, Source};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The model can't be used.
    Error,
    /// The model can be used; something in it is probably not meant.
    Warning,
}

/// One finding at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub span: SourceSpan,
    pub message: String,
    pub advice: String,
    /// A second place that explains the first.
    pub other: Option<(SourceSpan, String)>,
}

/// A finding that is nothing yet: nobody is told what is wrong without being told what to do.
#[must_use]
pub struct WithoutAdvice {
    severity: Severity,
    span: SourceSpan,
    message: String,
}

impl WithoutAdvice {
    pub fn advice(self, advice: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: self.severity,
            span: self.span,
            message: self.message,
            advice: advice.into(),
            other: None,
        }
    }
}

impl Diagnostic {
    pub fn error(span: SourceSpan, message: impl Into<String>) -> WithoutAdvice {
        WithoutAdvice {
            severity: Severity::Error,
            span,
            message: message.into(),
        }
    }

    pub fn warning(span: SourceSpan, message: impl Into<String>) -> WithoutAdvice {
        WithoutAdvice {
            severity: Severity::Warning,
            ..Diagnostic::error(span, message)
        }
    }

    pub fn other(mut self, span: SourceSpan, message: impl Into<String>) -> Diagnostic {
        self.other = Some((span, message.into()));
        self
    }
}

/// All findings about one text.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        // One place, one message: recovery may meet the same hole twice.
        if !self
            .list
            .iter()
            .any(|known| known.span == diagnostic.span && known.message == diagnostic.message)
        {
            self.list.push(diagnostic);
        }
    }

    pub fn error(
        &mut self,
        span: SourceSpan,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.push(Diagnostic::error(span, message).advice(advice));
    }

    pub fn has_errors(&self) -> bool {
        self.list
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// In the order of the text.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut sorted: Vec<&Diagnostic> = self.list.iter().collect();
        sorted.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
        sorted
    }

    /// The findings as text for a terminal, one block each.
    pub fn render(&self, file: &str, text: &str, color: bool) -> String {
        let mut out = Vec::new();
        for diagnostic in self.sorted() {
            render_one(diagnostic, file, text, color, &mut out);
        }
        String::from_utf8_lossy(&out)
            .lines()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect()
    }
}

fn render_one(diagnostic: &Diagnostic, file: &str, text: &str, color: bool, out: &mut Vec<u8>) {
    let kind = match diagnostic.severity {
        Severity::Error => ReportKind::Error,
        Severity::Warning => ReportKind::Warning,
    };
    let config = Config::default()
        .with_color(color)
        .with_char_set(CharSet::Unicode)
        .with_index_type(IndexType::Byte);
    let place = (file, widened(diagnostic.span, text));
    let mut report = Report::build(kind, place.clone())
        .with_config(config)
        .with_message(&diagnostic.message)
        .with_label(Label::new(place).with_message("here"))
        .with_help(&diagnostic.advice);
    if let Some((span, message)) = &diagnostic.other {
        report = report.with_label(Label::new((file, widened(*span, text))).with_message(message));
    }
    // Writing into a Vec can't fail.
    let _ = report.finish().write((file, Source::from(text)), out);
}

/// A caret needs at least one whole character; at the end of the text the last one serves.
fn widened(span: SourceSpan, text: &str) -> std::ops::Range<usize> {
    let mut start = (span.start as usize).min(text.len());
    let mut end = (span.end as usize).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    if start == end && end < text.len() {
        end += text[end..].chars().next().map_or(1, char::len_utf8);
    } else if start == end && start > 0 {
        start -= text[..start].chars().next_back().map_or(1, char::len_utf8);
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_within_a_character_is_shown_at_the_whole_of_it() {
        let text = "a\u{e9}b";
        let at = |start, end| widened(SourceSpan::new(start, end), text);
        assert_eq!(at(0, 2), 0..3);
        assert_eq!(at(2, 2), 1..3);
        assert_eq!(at(4, 4), 3..4);
        assert_eq!(at(9, 9), 3..4);
    }
}
