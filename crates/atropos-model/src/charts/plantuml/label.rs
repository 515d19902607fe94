//! What stands behind a colon: `event [guard] / action; action`.

use super::line::trimmed;
use crate::charts::chart::{ChartAction, ChartText};
use crate::charts::names;
use crate::charts::problem::Collector;

/// The parts of a label.
#[derive(Clone, Debug, Default)]
pub struct TransitionLabel {
    /// `event`, `event(x)` or `after 20`; `None` if nothing is waited for.
    pub trigger: Option<ChartText>,
    /// The condition in square brackets.
    pub guard: Option<ChartText>,
    /// What is done.
    pub actions: Vec<ChartAction>,
    /// There was a `/`.
    pub acts: bool,
}

/// Takes a label apart.
pub fn label(text: &ChartText, collector: &mut Collector) -> TransitionLabel {
    // PlantUML's line break inside a label is two characters.
    let flat = text.text.replace("\\n", "  ");
    let (head, tail) = match outside_brackets(&flat, '/') {
        Some(at) => (&flat[..at], Some((at + 1, &flat[at + 1..]))),
        None => (flat.as_str(), None),
    };
    let mut label = TransitionLabel {
        acts: tail.is_some(),
        ..TransitionLabel::default()
    };
    let trigger_end = match head.find('[') {
        Some(open) => {
            match head.rfind(']') {
                Some(close) if close > open => {
                    let inner = trimmed(&head[open + 1..close], text.span.start + open + 1);
                    label.guard = Some(inner);
                    let after = trimmed(&head[close + 1..], text.span.start + close + 1);
                    if !after.text.is_empty() {
                        collector.advise(
                            after.span,
                            format!("`{}` stands between the guard and the actions", after.text),
                            "write `event [guard] / action`",
                        );
                    }
                }
                _ => collector.advise(
                    text.span.start + open..text.span.start + open + 1,
                    "this guard is not closed",
                    "close it with `]`",
                ),
            }
            open
        }
        None => head.len(),
    };
    let trigger = trimmed(&head[..trigger_end], text.span.start);
    label.trigger = (!trigger.text.is_empty()).then_some(trigger);
    if let Some((at, tail)) = tail {
        label.actions = actions(tail, text.span.start + at, collector);
    }
    label
}

/// The first such character that stands in no brackets.
pub fn outside_brackets(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            _ if c == wanted && depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Actions between semicolons.
pub fn actions(text: &str, start: usize, collector: &mut Collector) -> Vec<ChartAction> {
    let mut found = Vec::new();
    let mut from = 0;
    loop {
        let rest = &text[from..];
        let length = outside_brackets(rest, ';').unwrap_or(rest.len());
        let piece = trimmed(&rest[..length], start + from);
        if !piece.text.is_empty() {
            found.extend(action(&piece, collector));
        }
        from += length + 1;
        if from > text.len() {
            return found;
        }
    }
}

/// One action.
pub fn action(text: &ChartText, collector: &mut Collector) -> Option<ChartAction> {
    let start = text.span.start;
    let words: Vec<ChartText> = text
        .text
        .split_whitespace()
        .map(|word| {
            let at = start + (word.as_ptr() as usize - text.text.as_ptr() as usize);
            ChartText::new(word, at..at + word.len())
        })
        .collect();
    let plain: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    match plain.as_slice() {
        ["raise", _] => return Some(ChartAction::Raise(words[1].clone())),
        ["send", _, "to", _] => {
            return Some(ChartAction::Send {
                event: words[1].clone(),
                to: words[3].clone(),
            });
        }
        ["raise", _, "after", _] => {
            let time = super::time(&words[3], collector)?;
            return Some(ChartAction::Delay {
                event: words[1].clone(),
                id: words[1].clone(),
                time,
            });
        }
        ["cancel", _] => return Some(ChartAction::Cancel(words[1].clone())),
        ["do", ..] => {
            let statement = trimmed(&text.text["do".len()..], start + "do".len());
            return Some(ChartAction::Statement(statement));
        }
        _ => {}
    }
    if let Some(at) = text.text.find(":=") {
        return Some(ChartAction::Assign {
            place: trimmed(&text.text[..at], start),
            value: trimmed(&text.text[at + 2..], start + at + 2),
        });
    }
    observation(text, collector)
}

/// `Name` or `Name(values)`.
fn observation(text: &ChartText, collector: &mut Collector) -> Option<ChartAction> {
    let (name, arguments) = match (text.text.find('('), text.text.ends_with(')')) {
        (Some(open), true) => (&text.text[..open], Some(open + 1)),
        _ => (text.text.as_str(), None),
    };
    let words = |c: char| c.is_alphanumeric() || c == '_' || c == ' ' || c == '-';
    if arguments.is_none() && !names::is_name(name) && name.chars().all(words) && !name.is_empty() {
        return Some(ChartAction::Observe {
            name: text.clone(),
            arguments: Vec::new(),
        });
    }
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        collector.advise(
            text.span.clone(),
            format!("`{}` is no action that is read", text.text),
            "write `Observation(values)`, `x := value`, `raise event`, `raise event after 20`, `cancel event`, `send event to other` or `do statement`",
        );
        return None;
    }
    let mut values = Vec::new();
    if let Some(from) = arguments {
        let inner = &text.text[from..text.text.len() - 1];
        for (at, piece) in crate::charts::scxml::split_outside_brackets(inner) {
            values.push(trimmed(piece, text.span.start + from + at));
        }
    }
    Some(ChartAction::Observe {
        name: ChartText::new(name, text.span.start..text.span.start + name.len()),
        arguments: values,
    })
}
