//! A source line with the changed place underlined, as rustc draws it.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::lines::Lines;
use crate::mutant::MutantInfo;
use crate::style::{self, styled};

/// Draws the line of `info` in `text`, with `label` behind the underline, in at most `width`
/// columns. Nothing if the text is not the one that the mutant was made for.
pub fn snippet(info: &MutantInfo, text: &str, label: &str, width: usize) -> Option<String> {
    if text.get(info.span.start..info.span.end)? != info.original {
        return None;
    }
    let lines = Lines::of(text);
    let line = lines.line(info.line)?;
    let offset = lines.offset(info.line, info.column)?;
    let column = info.column as usize - 1;
    let underlined = if offset == info.span.start && !info.original.is_empty() {
        info.original
            .lines()
            .next()
            .unwrap_or_default()
            .trim_end()
            .chars()
            .count()
    } else {
        token_length(&text[offset..])
    };
    let gutter = info.line.to_string();
    let window = Window::around(
        line,
        column,
        underlined,
        width.saturating_sub(gutter.len() + 3),
    );
    let mut drawn = String::new();
    let bar = styled(style::FAINT, "|");
    let number = styled(style::FAINT, &gutter);
    writeln!(drawn, "{number} {bar} {}", window.text).expect("a string takes everything");
    writeln!(
        drawn,
        "{:gutter$} {bar} {:before$}{} {}",
        "",
        "",
        styled(style::CARET, "^".repeat(window.underline)),
        styled(style::CARET, label),
        gutter = gutter.len(),
        before = window.before,
    )
    .expect("a string takes everything");
    Some(drawn)
}

/// The part of a line that fits, in columns of the terminal.
struct Window {
    text: String,
    /// How many columns precede the underline.
    before: usize,
    underline: usize,
}

impl Window {
    /// Cuts a line that is too long on the side that is farther from the underlined characters.
    fn around(line: &str, column: usize, length: usize, width: usize) -> Window {
        let letters: Vec<char> = line.chars().collect();
        let width = width.max(20);
        let cut_front = if columns(&letters) > width && column > width / 2 {
            (column - width / 3).min(letters.len())
        } else {
            0
        };
        let front = if cut_front > 0 { "…" } else { "" };
        let mut text = format!("{front}{}", expanded(&letters[cut_front..]));
        if text.width() > width {
            text = text.chars().take(width - 1).chain(['…']).collect();
        }
        let end = (column + length).min(letters.len()).max(column);
        let before = front.width() + columns(&letters[cut_front..column.min(letters.len())]);
        let underline = columns(&letters[column.min(letters.len())..end]).max(1);
        Window {
            before,
            underline: underline.min(text.width().saturating_sub(before).max(1)),
            text,
        }
    }
}

/// Tabs are drawn as four spaces, so that the underline stands where it should.
fn expanded(letters: &[char]) -> String {
    letters.iter().collect::<String>().replace('\t', "    ")
}

fn columns(letters: &[char]) -> usize {
    let width = |letter: &char| {
        if *letter == '\t' {
            4
        } else {
            letter.width().unwrap_or(0)
        }
    };
    letters.iter().map(width).sum()
}

/// How many characters the token at the start of the text has: an operator or a word.
pub(crate) fn token_length(text: &str) -> usize {
    let is_sign = |letter: char| "+-*/%&|^<>=!.?".contains(letter);
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let run = |belongs: &dyn Fn(char) -> bool| text.chars().take_while(|&c| belongs(c)).count();
    run(&is_sign).max(run(&is_word)).max(1)
}
