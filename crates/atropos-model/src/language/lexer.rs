//! Text to tokens. Every bad character is reported and skipped, so that the parser sees the rest.

use super::diagnostic::{Diagnostic, Diagnostics};
use super::token::{Comment, KEYWORDS, SourceSpan, Token, Tokens};

/// Longest first, so that `:>:` wins over `:`.
const SYMBOLS: &[&str] = &[
    ":>:", ":<:", ":=", "=>", "<>", "<=", ">=", "//", "..", "->", "[", "]", "(", ")", "{", "}",
    "|", ",", ";", ":", "=", "<", ">", "+", "-", "*", "&", ".",
];

/// What other languages write, and what it is here. It is told and read as meant, so that nothing else seems wrong.
const FOREIGN: &[(&str, Token, &str)] = &[
    ("==", Token::Symbol("="), "="),
    ("!=", Token::Symbol("<>"), "<>"),
    ("&&", Token::Keyword("and"), "and"),
    ("||", Token::Keyword("or"), "or"),
    ("!", Token::Keyword("not"), "not"),
    ("%", Token::Keyword("mod"), "mod"),
    ("^", Token::Symbol("+"), "+"),
];

/// Fractional digits of a fixed-point number.
pub const FIXED_DIGITS: usize = 3;
/// What `1.0` is stored as.
pub const FIXED_ONE: i64 = 1000;

/// Splits `text` into tokens and comments.
pub fn lex(text: &str, diagnostics: &mut Diagnostics) -> Tokens {
    let mut lexer = Lexer {
        text,
        at: 0,
        out: Tokens::default(),
        diagnostics,
    };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    out: Tokens,
    diagnostics: &'a mut Diagnostics,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn run(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            let start = self.at;
            if first.is_whitespace() {
                self.at += first.len_utf8();
            } else if first == '#' || self.rest().starts_with("/*") {
                self.comment();
            } else if first.is_ascii_alphabetic() || first == '_' {
                self.word();
            } else if first.is_ascii_digit() {
                self.number();
            } else if first == '"' {
                self.quoted();
            } else if let Some((foreign, token, meant)) = FOREIGN
                .iter()
                .find(|(foreign, ..)| self.rest().starts_with(foreign))
            {
                self.at += foreign.len();
                let span = SourceSpan::new(start, self.at);
                self.diagnostics.push(
                    Diagnostic::error(span, format!("`{foreign}` is no operator here"))
                        .advice(format!("write `{meant}`")),
                );
                self.push(token.clone(), start);
            } else if let Some(symbol) = SYMBOLS
                .iter()
                .find(|symbol| self.rest().starts_with(**symbol))
            {
                self.at += symbol.len();
                self.push(Token::Symbol(symbol), start);
            } else {
                self.at += first.len_utf8();
                let span = SourceSpan::new(start, self.at);
                self.diagnostics.push(
                    Diagnostic::error(span, format!("the character `{first}` has no meaning here"))
                        .advice(
                            "names are ASCII letters, digits and `_`; texts stand in double quotes",
                        ),
                );
            }
        }
        let end = self.text.len();
        self.out
            .tokens
            .push((Token::End, SourceSpan::new(end, end)));
    }

    fn push(&mut self, token: Token, start: usize) {
        self.out
            .tokens
            .push((token, SourceSpan::new(start, self.at)));
    }

    fn comment(&mut self) {
        let start = self.at;
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let own_line = self.text[line_start..start].trim().is_empty();
        let length = if self.rest().starts_with('#') {
            self.rest().find('\n').unwrap_or(self.rest().len())
        } else {
            match self.rest().find("*/") {
                Some(at) => at + 2,
                None => {
                    let span = SourceSpan::new(start, start + 2);
                    self.diagnostics.push(
                        Diagnostic::error(span, "this comment never ends")
                            .advice("close it with `*/`"),
                    );
                    self.rest().len()
                }
            }
        };
        self.at += length;
        let text = self.text[start..self.at].trim_end().to_string();
        self.out.comments.push(Comment {
            span: SourceSpan::new(start, self.at),
            text,
            own_line,
        });
    }

    fn word(&mut self) {
        let start = self.at;
        let length = self
            .rest()
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest().len());
        self.at += length;
        let word = &self.text[start..self.at];
        let token = match KEYWORDS.iter().find(|keyword| **keyword == word) {
            Some(keyword) => Token::Keyword(keyword),
            None => Token::Name(word.to_string()),
        };
        self.push(token, start);
    }

    fn number(&mut self) {
        let start = self.at;
        self.digits();
        let fraction = self.rest().starts_with('.')
            && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit());
        if fraction {
            self.at += 1;
            self.digits();
        }
        let text = &self.text[start..self.at];
        let token = if fraction {
            fixed(text)
        } else {
            text.parse().ok().map(Token::Int)
        };
        let span = SourceSpan::new(start, self.at);
        match token {
            Some(token) => self.push(token, start),
            None => {
                let advice = if fraction {
                    format!(
                        "fixed-point numbers have at most {FIXED_DIGITS} digits after the point"
                    )
                } else {
                    format!("the largest number is {}", i64::MAX)
                };
                self.diagnostics.push(
                    Diagnostic::error(span, "this number can't be represented").advice(advice),
                );
                self.push(Token::Int(0), start);
            }
        }
    }

    fn digits(&mut self) {
        let length = self
            .rest()
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.rest().len());
        self.at += length;
    }

    fn quoted(&mut self) {
        let start = self.at;
        let end = self.rest()[1..].find(['"', '\n']);
        match end {
            Some(length) if self.rest()[1 + length..].starts_with('"') => {
                let text = self.rest()[1..1 + length].to_string();
                self.at += length + 2;
                self.push(Token::Text(text), start);
            }
            _ => {
                self.at += 1 + end.unwrap_or(self.rest().len() - 1);
                let span = SourceSpan::new(start, self.at);
                self.diagnostics.push(
                    Diagnostic::error(span, "this text never ends")
                        .advice("close it with `\"` on its line"),
                );
            }
        }
    }
}

fn fixed(text: &str) -> Option<Token> {
    let (whole, fraction) = text.split_once('.')?;
    if fraction.len() > FIXED_DIGITS {
        return None;
    }
    let padded = format!("{fraction:0<FIXED_DIGITS$}");
    let whole: i64 = whole.parse().ok()?;
    let value = whole
        .checked_mul(FIXED_ONE)?
        .checked_add(padded.parse().ok()?)?;
    Some(Token::Fixed(value))
}
