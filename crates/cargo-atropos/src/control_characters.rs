//! Control characters from source text, file names and messages are shown, not sent: a terminal would obey them.
//!
//! Line ends and tabs stay, and so do sequences that only set colours and styles, which are our own.

use std::io::{self, Write};

/// Passes text on with its control characters escaped.
pub struct EscapingWriter<W>(pub W);

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(&shown(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Text as a terminal may get it.
pub fn shown(bytes: &[u8]) -> Vec<u8> {
    const ESCAPE: u8 = 0x1b;
    let mut shown = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            ESCAPE if style_length(rest).is_some() => style_length(rest).unwrap_or(1),
            b'\n' | b'\t' => 1,
            // The second set of control characters, from U+0080 to U+009F.
            0xc2 if matches!(rest.get(1), Some(0x80..=0x9f)) => {
                shown.extend(format!("\\u{{{:x}}}", rest[1]).bytes());
                at += 2;
                continue;
            }
            0..=0x1f | 0x7f => {
                shown.extend(char::from(byte).escape_default().map(|letter| letter as u8));
                at += 1;
                continue;
            }
            _ => 1,
        };
        shown.extend_from_slice(&rest[..length]);
        at += length;
    }
    shown
}

/// How long a sequence is that sets colours and styles, if the text begins with one.
fn style_length(text: &[u8]) -> Option<usize> {
    let inside = text.strip_prefix(b"\x1b[")?;
    let end = inside
        .iter()
        .position(|byte| !byte.is_ascii_digit() && *byte != b';')?;
    (inside[end] == b'm').then_some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = String::from_utf8(shown(text.as_bytes())).unwrap();
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        check("plain ä text\twith\nlines", "plain ä text\twith\nlines");
        check("a\x1b[2Jb", "a\\u{1b}[2Jb");
        check("title\x1b]0;gone\x07", "title\\u{1b}]0;gone\\u{7}");
        check("over\rwritten\x08", "over\\rwritten\\u{8}");
        check("second \u{9b}2J set", "second \\u{9b}2J set");
        check("cut off \x1b[3", "cut off \\u{1b}[3");
    }

    #[test]
    fn colours_stay() {
        check(
            "\x1b[1m\x1b[38;5;9mred\x1b[0m",
            "\x1b[1m\x1b[38;5;9mred\x1b[0m",
        );
    }
}
