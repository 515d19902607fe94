//! ECMAScript in conditions and values, as far as it means the same in OOAS: comparisons, `&&`, `||`, `!`, arithmetic on whole
//! numbers, `true` and `false`, `In('…')`. What is beyond that is a problem with its place.

use crate::charts::chart::{Action, Machine, Text};
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

fn actions(list: &mut [Action], collector: &mut Collector) {
    for action in list {
        match action {
            Action::Assign { value, .. } => expression(value, collector),
            Action::Observe { arguments, .. } => {
                arguments.iter_mut().for_each(|a| expression(a, collector));
            }
            Action::If(branches) => {
                for (condition, inner) in branches {
                    if let Some(condition) = condition {
                        expression(condition, collector);
                    }
                    actions(inner, collector);
                }
            }
            Action::Raise(_)
            | Action::Send { .. }
            | Action::Delay { .. }
            | Action::Cancel(_)
            | Action::Statement(_) => {}
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
const UNKNOWN: [&str; 12] = [
    "++",
    "--",
    "+=",
    "-=",
    "=>",
    "?",
    "{",
    "[",
    "_event",
    "null",
    "undefined",
    "typeof",
];

/// Several transitions share a text, which is then rewritten once: what is rewritten stays as it is.
fn expression(text: &mut Text, collector: &mut Collector) {
    if let Some(unknown) = UNKNOWN.iter().find(|unknown| text.text.contains(*unknown)) {
        collector.advise(
            text.span.clone(),
            format!("`{unknown}` is not in the part of ECMAScript that is read"),
            "read are comparisons, `&&`, `||`, `!`, `+ - * / %`, numbers, `true`, `false` and `In('…')`; declare what events carry with `<at:input>`",
        );
        return;
    }
    let mut rest = text.text.as_str();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> String {
        let mut text = Text::new(text, 0..text.len());
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
