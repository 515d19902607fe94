//! Writes woven text and notes what each part of it stands for.

use atropos_mutants::mutant::Span;

use crate::source_map::{Area, TextOwner, Verbatim};

/// A text under construction.
pub(crate) struct Writer<'s> {
    source: &'s str,
    pub text: String,
    pub areas: Vec<Area>,
    pub verbatim: Vec<Verbatim>,
}

/// An area that has begun but not ended.
#[must_use]
pub(crate) struct OpenArea {
    index: usize,
}

impl<'s> Writer<'s> {
    pub fn new(source: &'s str) -> Writer<'s> {
        Writer {
            source,
            text: String::with_capacity(source.len() * 3),
            areas: Vec::new(),
            verbatim: Vec::new(),
        }
    }

    /// Writes new text.
    pub fn put(&mut self, text: &str) {
        debug_assert!(
            !text.contains('\n'),
            "woven text has a line of its own: {text}"
        );
        self.text.push_str(text);
    }

    /// Writes a part of the source as it is.
    pub fn copy(&mut self, span: Span) {
        if span.start < span.end {
            self.verbatim.push(Verbatim {
                source: span.start,
                woven: self.text.len(),
                length: span.end - span.start,
            });
            self.text.push_str(span.text(self.source));
        }
    }

    /// Writes only the newlines of a part of the source.
    pub fn newlines(&mut self, span: Span) {
        let text = span.text(self.source);
        let count = text.matches('\n').count();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        self.text.push_str(&newline.repeat(count));
    }

    pub fn open(&mut self, owner: TextOwner) -> OpenArea {
        let start = self.text.len();
        self.areas.push(Area {
            woven: Span::new(start, start),
            owner,
        });
        OpenArea {
            index: self.areas.len() - 1,
        }
    }

    pub fn close(&mut self, area: OpenArea) {
        self.areas[area.index].woven.end = self.text.len();
    }

    /// Writes new text that stands for one thing.
    pub fn put_owned(&mut self, owner: TextOwner, text: &str) {
        let area = self.open(owner);
        self.put(text);
        self.close(area);
    }
}
