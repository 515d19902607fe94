//! The text of a file and where its tokens lie in it: byte ranges, lines and columns, and pieces
//! of it brought onto one line.

use proc_macro2::{TokenStream, TokenTree};

use crate::extent::Extent;
use crate::find::Edition;
use crate::mutant::Span;
use crate::old_syntax::{insertions, with_insertions};

pub(crate) struct Source<'a> {
    pub text: &'a str,
    /// How many bytes (byte order mark, shebang) precede the text that syn was given.
    skipped: usize,
    /// Where that text has more than ours, and how much, in its own offsets.
    inserted: Vec<(usize, usize)>,
    line_starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str) -> Source<'a> {
        let line_starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(index, _)| index + 1))
            .collect();
        Source {
            text,
            skipped: length_before_code(text),
            inserted: Vec::new(),
            line_starts,
        }
    }

    /// The text without what precedes the code.
    pub fn code(&self) -> &'a str {
        &self.text[self.skipped..]
    }

    /// The code as syn shall parse it, with old syntax made new.
    pub fn modern_code(&mut self, edition: Edition) -> String {
        let insertions = insertions(self.code(), edition);
        let mut grown = 0;
        self.inserted = insertions
            .iter()
            .map(|(offset, text)| {
                let start = offset + grown;
                grown += text.len();
                (start, text.len())
            })
            .collect();
        with_insertions(self.code(), &insertions)
    }

    /// From an offset in what syn parsed to one in our text.
    fn original(&self, offset: usize) -> usize {
        let behind: usize = self
            .inserted
            .iter()
            .take_while(|(start, _)| *start < offset)
            .map(|(start, length)| (offset - start).min(*length))
            .sum();
        offset - behind + self.skipped
    }

    pub fn code_start(&self) -> usize {
        self.skipped
    }

    /// Where a syntax tree node lies.
    pub fn span(&self, node: &impl Extent) -> Span {
        let start = self.token(node.first()).start;
        Span::new(start, self.token(node.last()).end)
    }

    pub fn token(&self, span: proc_macro2::Span) -> Span {
        let range = span.byte_range();
        Span::new(self.original(range.start), self.original(range.end))
    }

    pub fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start..span.end]
    }

    /// A node's text on one line, without comments.
    pub fn flat(&self, node: &impl Extent) -> String {
        one_line(self.slice(self.span(node)))
    }

    /// A node's text without any white space between tokens that do not need it: two types are
    /// held to be equal if these are.
    pub fn compact(&self, node: &impl Extent) -> String {
        let flat = self.flat(node);
        let mut compact = String::with_capacity(flat.len());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut chars = flat.chars().peekable();
        while let Some(c) = chars.next() {
            let between_words = compact.chars().last().is_some_and(is_word)
                && chars.peek().copied().is_some_and(is_word);
            if !c.is_whitespace() || between_words {
                compact.push(c);
            }
        }
        compact
    }

    /// 1-based line and column, in characters.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line - 1];
        let column = self.text[start..offset].chars().count() + 1;
        (line as u32, column as u32)
    }

    /// The first offset behind `end` where text may be inserted: behind the newline if a line
    /// comment ends there, else `end` itself.
    pub fn behind_comment(&self, start: usize, end: usize) -> usize {
        if !self.text[start..end].starts_with("//") {
            return end;
        }
        match self.text[end..].find('\n') {
            Some(newline) => end + newline + 1,
            None => self.text.len(),
        }
    }
}

/// The length of a byte order mark and a shebang line, without the newline that ends it.
fn length_before_code(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let rest = &text[mark..];
    let is_shebang = rest
        .strip_prefix("#!")
        .is_some_and(|behind| !behind.trim_start().starts_with('['));
    if is_shebang {
        mark + rest.find('\n').unwrap_or(rest.len())
    } else {
        mark
    }
}

/// Brings a piece of Rust onto one line: comments give way to a space, newlines within string
/// literals to escapes. Text that is no sequence of tokens is returned as it is.
pub fn one_line(text: &str) -> String {
    let has_comment = text.contains("//") || text.contains("/*");
    if !has_comment && !text.contains('\n') {
        return text.to_string();
    }
    let Ok(tokens) = text.parse::<TokenStream>() else {
        return text.to_string();
    };
    let mut line = OneLine {
        text,
        line: String::new(),
        end: 0,
    };
    line.tokens(tokens);
    line.line
}

struct OneLine<'a> {
    text: &'a str,
    line: String,
    /// Up to where the text has been taken over.
    end: usize,
}

impl OneLine<'_> {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                // Doc comments arrive as attributes whose tokens all lie in the comment.
                TokenTree::Group(group) if self.is_comment(group.span().byte_range()) => {}
                TokenTree::Group(group) => {
                    self.piece(group.span_open().byte_range());
                    self.tokens(group.stream());
                    self.piece(group.span_close().byte_range());
                }
                other => self.piece(other.span().byte_range()),
            }
        }
    }

    fn is_comment(&self, range: std::ops::Range<usize>) -> bool {
        let piece = &self.text[range];
        piece.starts_with("//") || piece.starts_with("/*")
    }

    fn piece(&mut self, range: std::ops::Range<usize>) {
        if self.is_comment(range.clone()) {
            return;
        }
        let piece = &self.text[range.clone()];
        let gap = &self.text[self.end..range.start];
        if gap.contains('\n') || gap.contains('/') {
            if !self.line.is_empty() {
                self.line.push(' ');
            }
        } else {
            self.line.push_str(gap);
        }
        if piece.contains('\n') {
            self.line.push_str(&escaped_literal(piece));
        } else {
            self.line.push_str(piece);
        }
        self.end = range.end;
    }
}

/// A string literal with newlines in it, rewritten with escapes.
fn escaped_literal(literal: &str) -> String {
    match syn::parse_str::<syn::Lit>(literal) {
        Ok(syn::Lit::Str(string)) => format!("{:?}{}", string.value(), string.suffix()),
        Ok(syn::Lit::ByteStr(bytes)) => format!("b\"{}\"", bytes.value().escape_ascii()),
        Ok(syn::Lit::CStr(string)) => {
            format!("c\"{}\"", string.value().as_bytes().escape_ascii())
        }
        _ => literal.to_string(),
    }
}

/// At most `limit` characters of a text, so that summaries stay on a line.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_string();
    }
    let mut short: String = text.chars().take(limit - 1).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_comments_dropped() {
        let check = |text: &str, expected: &str| assert_eq!(one_line(text), expected);
        check("a  +  b", "a  +  b");
        check("a // sum\n    + b", "a + b");
        check("a /* x */ + b", "a + b");
        check("{\n  /// doc\n  fn f() {}\n}", "{ fn f() {} }");
        check("f(\"a\nb\", r#\"c\n\"d\"#)", "f(\"a\\nb\", \"c\\n\\\"d\")");
        check("f(\"http://x\")", "f(\"http://x\")");
        check("b\"\n\"", "b\"\\n\"");
        check("\"a \\\n    b\"", "\"a b\"");
    }

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("ä = b\nc");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position("ä".len()), (1, 2));
        assert_eq!(source.position("ä = b\n".len()), (2, 1));
    }

    #[test]
    fn a_byte_order_mark_and_a_shebang_are_no_code() {
        assert_eq!(Source::new("\u{feff}fn f() {}").code(), "fn f() {}");
        assert_eq!(Source::new("#!/bin/x\nfn f() {}").code(), "\nfn f() {}");
        assert_eq!(Source::new("#![a]\nfn f() {}").code_start(), 0);
        assert_eq!(Source::new("#! [a]\nfn f() {}").code_start(), 0);
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "ab…");
    }
}
