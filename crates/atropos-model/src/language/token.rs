//! What the lexer hands to the parser: tokens with byte ranges, and the comments beside them.

use serde::{Deserialize, Serialize};

/// A byte range of the source text.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct SourceSpan {
    pub start: u32,
    pub end: u32,
}

impl SourceSpan {
    pub fn new(start: usize, end: usize) -> SourceSpan {
        SourceSpan {
            start: start as u32,
            end: end as u32,
        }
    }

    /// The smallest range that holds both.
    pub fn to(self, other: SourceSpan) -> SourceSpan {
        SourceSpan {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The words that can't be names.
pub const KEYWORDS: &[&str] = &[
    "abort", "abs", "actions", "and", "as", "autocons", "begin", "bool", "consts", "ctr", "div",
    "do", "dom", "else", "end", "exists", "false", "float", "forall", "hd", "if", "in", "int",
    "len", "list", "map", "methods", "mod", "new", "nil", "not", "obs", "od", "of", "or", "ran",
    "requires", "result", "self", "skip", "system", "then", "tl", "to", "true", "types", "var",
    "with",
];

/// One token. Brackets stay single characters: whether `[` `]` is the choice operator, an empty list or the end of
/// a class depends on where the parser stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Name(String),
    Keyword(&'static str),
    Int(i64),
    /// Thousandths: `1.25` is 1250.
    Fixed(i64),
    Text(String),
    Symbol(&'static str),
    End,
}

impl Token {
    /// How the token is named in messages.
    pub fn describe(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Keyword(word) => format!("`{word}`"),
            Token::Int(value) => format!("`{value}`"),
            Token::Fixed(_) => "a decimal number".into(),
            Token::Text(_) => "a text".into(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the file".into(),
        }
    }
}

/// A comment with its delimiters, kept for the printer.
#[derive(Clone, Debug, PartialEq)]
pub struct Comment {
    pub span: SourceSpan,
    pub text: String,
    /// Nothing but blanks before it on its line.
    pub own_line: bool,
}

/// The tokens of a text; `tokens` ends with [`Token::End`].
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    pub tokens: Vec<(Token, SourceSpan)>,
    pub comments: Vec<Comment>,
}
