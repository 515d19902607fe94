//! ECMAScript in conditions and values, as far as it means the same in OOAS: comparisons, `&&`, `||`, `!`, arithmetic on whole
//! numbers, `true` and `false`, `In('…')`. What is beyond that is a problem with its place.

use crate::charts::chart::{ChartAction, ChartText, Machine};
use crate::charts::problem::Collector;

/// Whole numbers without a declared type have this one.
const NUMBER: &str = "int[-32768..32767]";

/// Rewrites all conditions and values of a machine.
pub fn rewrite(machine: &mut Machine, collector: &mut Collector) {
    for data in &mut machine.data {
        if let Some(value) = &mut data.value {
            expression(value, collector);
        }
    }
    for state in &mut machine.states {
        actions(&mut state.entry, collector);
        actions(&mut state.exit, collector);
        if let Some(start) = &mut state.initial {
            actions(&mut start.actions, collector);
        }
        for transition in &mut state.transitions {
            if let Some(guard) = &mut transition.guard {
                expression(guard, collector);
            }
            actions(&mut transition.actions, collector);
        }
    }
}

fn actions(list: &mut [ChartAction], collector: &mut Collector) {
    for action in list {
        match action {
            ChartAction::Assign { value, .. } => expression(value, collector),
            ChartAction::Observe { arguments, .. } => {
                arguments.iter_mut().for_each(|a| expression(a, collector));
            }
            ChartAction::If(branches) => {
                for (condition, inner) in branches {
                    if let Some(condition) = condition {
                        expression(condition, collector);
                    }
                    actions(inner, collector);
                }
            }
            ChartAction::Raise(_)
            | ChartAction::SendSelf(_)
            | ChartAction::Send { .. }
            | ChartAction::Delay { .. }
            | ChartAction::Cancel(_)
            | ChartAction::Statement(_) => {}
        }
    }
}

/// The type of a variable without a declared one, by its first value.
pub fn guessed_type(value: &str) -> Option<&'static str> {
    match value.trim() {
        "true" | "false" => Some("bool"),
        number if number.parse::<i16>().is_ok() => Some(NUMBER),
        _ => None,
    }
}

/// The type of a list literal: as long as it is written.
pub fn guessed_list(value: &str) -> Option<String> {
    let inner = value.trim().strip_prefix('[')?.strip_suffix(']')?;
    let items: Vec<&str> = inner.split(',').map(str::trim).collect();
    let kind = guessed_type(items[0])?;
    let alike = items.iter().all(|item| guessed_type(item) == Some(kind));
    alike.then(|| format!("list[{}] of {kind}", items.len()))
}

const OPERATORS: [(&str, &str); 11] = [
    ("===", "="),
    ("!==", "<>"),
    ("==", "="),
    ("!=", "<>"),
    ("<=", "<="),
    (">=", ">="),
    ("&&", " and "),
    ("||", " or "),
    ("!", "not "),
    ("%", " mod "),
    ("/", " div "),
];
/// What would mean something else, or nothing, in OOAS.
const UNKNOWN: [&str; 11] = [
    "++",
    "--",
    "+=",
    "-=",
    "=>",
    "?",
    "{",
    "_event",
    "null",
    "undefined",
    "typeof",
];

/// `x = 1`, `x := 1`, `x++`, `x += 2` and so on: the variable and its new value.
pub fn assignment(text: &str) -> Option<(String, String)> {
    for sign in ["+", "-"] {
        if let Some(name) = text.strip_suffix(&format!("{sign}{sign}")) {
            let name = place(name)?;
            return Some((name.to_owned(), format!("{name} {sign} 1")));
        }
        if let Some((name, value)) = text.split_once(&format!("{sign}=")) {
            let (name, value) = (place(name)?, value.trim());
            return Some((name.to_owned(), format!("{name} {sign} ({value})")));
        }
    }
    let (name, value) = text.split_once(":=").or_else(|| text.split_once('='))?;
    Some((place(name)?.to_owned(), value.trim().to_owned()))
}

/// A variable, or a part of one.
fn place(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | ' ');
    (!text.is_empty() && text.chars().all(is_part)).then_some(text)
}

/// Several transitions share a text, which is then rewritten once: what is rewritten stays as it is.
pub fn expression(text: &mut ChartText, collector: &mut Collector) {
    if let Some(unknown) = UNKNOWN.iter().find(|unknown| text.text.contains(*unknown)) {
        collector.advise(
            text.span.clone(),
            format!("`{unknown}` is not in the part of ECMAScript that is read"),
            "read are comparisons, `&&`, `||`, `!`, `+ - * / %`, numbers, `true`, `false` and `In('…')`; declare what events carry with `<at:input>`",
        );
        return;
    }
    let measured = lengths(&text.text);
    let mut rest = measured.as_str();
    let mut out = String::new();
    while let Some(letter) = rest.chars().next() {
        let quoted = matches!(letter, '\'' | '"')
            .then(|| rest[1..].find(letter).map(|at| at + 2))
            .flatten();
        let (taken, written) = match OPERATORS.iter().find(|(from, _)| rest.starts_with(from)) {
            _ if quoted.is_some() => {
                let length = quoted.unwrap_or(1);
                (length, &rest[..length])
            }
            Some((from, to)) => (from.len(), *to),
            None => (letter.len_utf8(), &rest[..letter.len_utf8()]),
        };
        out.push_str(written);
        rest = &rest[taken..];
    }
    text.text = out;
}

/// `list.length` as `len list`.
fn lengths(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(at) = text.find(".length") {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let start = text[..at].rfind(|c| !is_part(c)).map_or(0, |before| {
            before + text[before..].chars().next().map_or(1, char::len_utf8)
        });
        let name = text[start..at].to_owned();
        text.replace_range(start..at + ".length".len(), &format!("len {name}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> String {
        let mut text = ChartText::new(text, 0..text.len());
        expression(&mut text, &mut Collector::default());
        text.text
    }

    #[test]
    fn operators_are_written_as_ooas_has_them() {
        assert_eq!(rewritten("a === 1 && !b"), "a = 1  and  not b");
        assert_eq!(rewritten("a != 2 || In('s_1')"), "a <> 2  or  In('s_1')");
        assert_eq!(rewritten("(a + 1) % 4"), "(a + 1)  mod  4");
    }

    #[test]
    fn types_are_guessed_from_first_values() {
        assert_eq!(guessed_type("true"), Some("bool"));
        assert_eq!(guessed_type(" 12 "), Some(NUMBER));
        assert_eq!(guessed_type("'text'"), None);
    }
}
