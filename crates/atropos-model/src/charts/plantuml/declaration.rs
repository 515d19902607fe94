//! `state …` lines, and what may stand behind the name of a state: its kind, colours, a description.

use super::line::{Line, Pseudostate, is_word, trimmed};
use crate::charts::chart::{ChartText, Depth, StateKind};
use crate::charts::problem::Collector;

/// A state's name, and what stands behind it.
pub struct Named {
    pub name: ChartText,
    /// What stands between `<<` and `>>`.
    pub kind: Option<ChartText>,
    /// What stands behind the colon.
    pub text: Option<ChartText>,
}

/// `state X`, `state X {`, `state "Long name" as X <<kind>> #colour : text`.
pub fn declaration(text: &ChartText, collector: &mut Collector) -> Vec<Line> {
    let rest = trimmed(&text.text["state".len()..], text.span.start + "state".len());
    let (body, opens) = match rest.text.strip_suffix('{') {
        Some(body) => (trimmed(body, rest.span.start), true),
        None => (rest, false),
    };
    let body = match body.text.strip_suffix('}') {
        // A block with nothing in it.
        Some(inner) if !opens && inner.trim_end().ends_with('{') => {
            let inner = inner.trim_end();
            trimmed(&inner[..inner.len() - 1], body.span.start)
        }
        _ => body,
    };
    let Some(named) = named(&body, collector) else {
        return Vec::new();
    };
    let pseudostate = named.kind.as_ref().and_then(|kind| pseudostate(&kind.text));
    if opens && let (Some(kind), Some(_)) = (&named.kind, &pseudostate) {
        collector.advise(
            kind.span.clone(),
            format!("`<<{}>>` has no states inside", kind.text),
            "leave the `{` out",
        );
        return Vec::new();
    }
    let mut lines = vec![match pseudostate {
        Some(pseudostate) => Line::Pseudostate(named.name.clone(), pseudostate),
        None if opens => Line::Open(named.name.clone()),
        // Any other kind is only for the eye.
        None => Line::Declare(named.name.clone()),
    }];
    if let Some(text) = named.text {
        let state = named.name;
        lines.push(Line::Behaviour { state, text });
    }
    lines
}

/// What a kind makes of a state; nothing if it is only for the eye.
pub fn pseudostate(kind: &str) -> Option<Pseudostate> {
    Some(Pseudostate::Kind(
        match kind.to_ascii_lowercase().as_str() {
            "start" => return Some(Pseudostate::Start),
            "end" => StateKind::Final,
            // The points on a state's border are left at once.
            "choice" | "entrypoint" | "exitpoint" | "inputpin" | "outputpin" | "expansioninput"
            | "expansionoutput" => StateKind::Choice,
            "junction" => StateKind::Junction,
            "fork" => StateKind::Fork,
            "join" => StateKind::Join,
            "history" => StateKind::History(Depth::Shallow),
            "history*" => StateKind::History(Depth::Deep),
            _ => return None,
        },
    ))
}

/// Takes apart what says which state is meant.
pub fn named(body: &ChartText, collector: &mut Collector) -> Option<Named> {
    let (first, mut at) = name(&body.text, 0);
    let mut chosen = first.clone();
    let behind = body.text[at..].trim_start();
    if let Some(rest) = behind.strip_prefix("as")
        && rest.starts_with(char::is_whitespace)
    {
        let start = body.text.len() - rest.trim_start().len();
        let (second, end) = name(&body.text, start);
        at = end;
        // `"Long name" as X`, and `X as "Long name"`.
        if body.text.starts_with('"') {
            chosen = second;
        }
    }
    let place = body.span.start + chosen.start..body.span.start + chosen.end;
    let written = &body.text[chosen.clone()];
    let quoted = body.text[..chosen.start].ends_with('"');
    if written.is_empty() || !(quoted || is_word(written)) {
        return not_a_name(body, collector);
    }
    let mut named = Named {
        name: ChartText::new(written, place),
        kind: None,
        text: None,
    };
    loop {
        at = body.text.len() - body.text[at..].trim_start().len();
        let rest = &body.text[at..];
        let closed = |open: &str, close: &str| {
            let inner = rest.strip_prefix(open)?;
            inner.find(close).map(|end| open.len() + end)
        };
        let kind = closed("<<", ">>").or_else(|| closed("[[", "]]"));
        if rest.is_empty() {
            return Some(named);
        } else if let Some(end) = kind {
            let kind = trimmed(&rest[2..end], body.span.start + at + 2);
            named.kind = named.kind.or(Some(kind));
            at += end + 2;
        } else if rest.starts_with('#') {
            at += colour(rest);
        } else if let Some(text) = rest.strip_prefix(':') {
            let text = trimmed(text, body.span.start + at + 1);
            named.text = (!text.text.is_empty()).then_some(text);
            return Some(named);
        } else {
            return not_a_name(body, collector);
        }
    }
}

fn not_a_name(body: &ChartText, collector: &mut Collector) -> Option<Named> {
    collector.advise(
        body.span.clone(),
        format!("`{}` is no state's name", body.text),
        "write `state X` or `state \"Long name\" as X`",
    );
    None
}

/// The name that begins at `start`, without its quotes, and where what stands behind it begins.
fn name(text: &str, start: usize) -> (std::ops::Range<usize>, usize) {
    if let Some(inner) = text[start..].strip_prefix('"') {
        let length = inner.find('"').unwrap_or(inner.len());
        let end = start + 1 + length;
        return (start + 1..end, text.len().min(end + 1));
    }
    let rest = &text[start..];
    let ends = |&(at, c): &(usize, char)| {
        c.is_whitespace()
            || matches!(c, ':' | '#')
            || rest[at..].starts_with("<<")
            || rest[at..].starts_with("[[")
    };
    let length = rest
        .char_indices()
        .find(ends)
        .map_or(rest.len(), |(at, _)| at);
    (start..start + length, start + length)
}

/// The bytes of a colour: `#red`, `##[dashed]blue`, `#line.dashed`, `#pink;line:red;line.bold`.
fn colour(text: &str) -> usize {
    let length = text.find(char::is_whitespace).unwrap_or(text.len());
    let token = &text[..length];
    let is_style = |before: &str| {
        let last = before.rsplit(['#', ';']).next().unwrap_or("");
        matches!(last, "line" | "text" | "back")
    };
    let mut colons = token.match_indices(':').map(|(at, _)| at);
    // A colon that belongs to no style begins the description.
    colons.find(|&at| !is_style(&token[..at])).unwrap_or(length)
}
