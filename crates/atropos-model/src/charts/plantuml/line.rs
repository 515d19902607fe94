//! Lines of a PlantUML state diagram: each is one statement, or a complaint.

use crate::charts::chart::{Span, Text};
use crate::charts::names;
use crate::charts::problem::Collector;
use std::collections::HashMap;

/// One end of an arrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// `[*]`: the start if the arrow leaves it, the end if the arrow goes there.
    Point(Span),
    /// `[H]`, `[H*]`, `X[H]`, `X[H*]`.
    History {
        /// The state whose past is meant; the surrounding one if none is named.
        of: Option<Text>,
        /// `H*`.
        deep: bool,
        /// Where it is written.
        span: Span,
    },
    /// A state.
    State(Text),
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// `@startuml Name`.
    Begin(Option<Text>),
    /// `@enduml`.
    Finish,
    /// `state X {`.
    Open(Text),
    /// `state X`.
    Declare(Text),
    /// `state X <<choice>>`.
    Choice(Text),
    /// `}`.
    Close(Span),
    /// `--` or `||`.
    Separator(Span),
    /// `A --> B : label`.
    Arrow {
        /// Where it comes from.
        from: End,
        /// Where it goes.
        to: End,
        /// What stands behind the colon.
        label: Option<Text>,
        /// The arrow itself.
        span: Span,
    },
    /// `X : text`.
    Behaviour {
        /// The state.
        state: Text,
        /// What stands behind the colon.
        text: Text,
    },
    /// `'! text`: a declaration that PlantUML itself takes for a comment.
    Directive(Text),
}

/// The statements of a file.
pub fn lines(source: &str, collector: &mut Collector) -> Vec<Line> {
    let source = without_comments(source, collector);
    let source = without_styles(&source);
    let mut found = Vec::new();
    let mut start = 0;
    // What is only for the picture, over several lines.
    let mut inside: Option<(Text, &Block)> = None;
    for raw in source.split_inclusive('\n') {
        let text = trimmed(raw, start);
        start += raw.len();
        match &inside {
            Some((_, block)) if block.ends.contains(&text.text.as_str()) => inside = None,
            Some(_) => {}
            None => match BLOCKS.iter().find(|block| (block.opens)(&text.text)) {
                Some(block) => inside = Some((text, block)),
                None if says_nothing(&text.text) => {}
                None => found.extend(line(text, collector)),
            },
        }
    }
    if let Some((text, block)) = inside {
        let advice = format!("end it with `{}` on a line of its own", block.ends[0]);
        collector.advise(text.span, format!("`{}` is not ended", text.text), advice);
    }
    found
}

/// Blanks in place of block comments, so that everything else stays where it is.
fn without_comments(source: &str, collector: &mut Collector) -> String {
    let mut kept = String::with_capacity(source.len());
    let mut opened = None;
    for line in source.split_inclusive('\n') {
        let mut rest = line;
        if opened.is_none() && line.trim_start().starts_with('\'') {
            kept.push_str(line);
            continue;
        }
        while let Some(at) = rest.find(if opened.is_none() { "/'" } else { "'/" }) {
            let (before, behind) = rest.split_at(at);
            match opened.take() {
                None => {
                    kept.push_str(before);
                    opened = Some(kept.len());
                }
                Some(_) => blank(&mut kept, before),
            }
            blank(&mut kept, &behind[..2]);
            rest = &behind[2..];
        }
        match opened {
            None => kept.push_str(rest),
            Some(_) => blank(&mut kept, rest),
        }
    }
    if let Some(at) = opened {
        collector.advise(at..at + 2, "this comment is not ended", "end it with `'/`");
    }
    kept
}

/// Blanks in place of what Mermaid says about looks behind a name: `A:::style`.
fn without_styles(source: &str) -> String {
    let mut kept = String::with_capacity(source.len());
    let mut rest = source;
    // Front matter: between two lines of dashes at the very start.
    if let Some(behind) = rest.strip_prefix("---\n")
        && let Some(end) = behind.find("\n---")
    {
        let length = "---\n".len() + end + "\n---".len();
        blank(&mut kept, &rest[..length]);
        rest = &rest[length..];
    }
    while let Some(at) = rest.find(":::") {
        let behind = &rest[at + 3..];
        let word = behind.find(|c: char| !c.is_alphanumeric() && c != '_');
        let length = 3 + word.unwrap_or(behind.len());
        kept.push_str(&rest[..at]);
        blank(&mut kept, &rest[at..at + length]);
        rest = &rest[at + length..];
    }
    kept.push_str(rest);
    kept
}

/// As many bytes of nothing.
fn blank(kept: &mut String, text: &str) {
    kept.extend(
        text.bytes()
            .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
    );
}

/// Several lines that say nothing about behaviour.
struct Block {
    opens: fn(&str) -> bool,
    ends: &'static [&'static str],
}

const BLOCKS: [Block; 7] = [
    Block {
        opens: |text| text.starts_with("note ") && !text.contains(':') && !text.contains(" as "),
        ends: &["end note", "endnote"],
    },
    Block {
        opens: |text| text == "legend" || text.starts_with("legend "),
        ends: &["endlegend", "end legend"],
    },
    Block {
        opens: |text| text == "title",
        ends: &["end title", "endtitle"],
    },
    Block {
        opens: |text| text == "header",
        ends: &["endheader", "end header"],
    },
    Block {
        opens: |text| text == "footer",
        ends: &["endfooter", "end footer"],
    },
    Block {
        opens: |text| text.starts_with("skinparam ") && text.ends_with('{'),
        ends: &["}"],
    },
    Block {
        opens: |text| text == "<style>",
        ends: &["</style>"],
    },
];

/// Text without the blanks around it, at its place.
pub fn trimmed(text: &str, start: usize) -> Text {
    let lead = text.len() - text.trim_start().len();
    let inner = text.trim();
    Text::new(inner, start + lead..start + lead + inner.len())
}

/// Lines that only say how the picture looks, and comments.
fn says_nothing(text: &str) -> bool {
    const LOOKS: &[&str] = &[
        "title ",
        "hide ",
        "show ",
        "skinparam ",
        "scale ",
        "left to right",
        "top to bottom",
        "note ",
        "caption ",
        "header ",
        "footer ",
        "!theme ",
        "!pragma ",
        "mainframe ",
        "direction ",
        "classDef ",
        "class ",
        "style ",
        "accTitle",
        "accDescr",
        "!include",
        "!define",
    ];
    let mermaid = text.starts_with("%%");
    let comment = mermaid || text.starts_with('\'') && !text.starts_with("'!");
    text.is_empty() || comment || LOOKS.iter().any(|look| text.starts_with(look))
}

fn line(text: Text, collector: &mut Collector) -> Option<Line> {
    let Text { text: words, span } = &text;
    if let Some(rest) = words.strip_prefix("'!") {
        return Some(Line::Directive(trimmed(rest, span.start + 2)));
    }
    if let Some(rest) = words.strip_prefix("@startuml") {
        let name = trimmed(rest, span.start + "@startuml".len());
        return Some(Line::Begin((!name.text.is_empty()).then_some(name)));
    }
    if matches!(words.as_str(), "stateDiagram-v2" | "stateDiagram") {
        return Some(Line::Begin(None));
    }
    match words.as_str() {
        "@enduml" => return Some(Line::Finish),
        "}" => return Some(Line::Close(span.clone())),
        "||" => return Some(Line::Separator(span.clone())),
        _ if words.len() >= 2 && words.chars().all(|c| c == '-') => {
            return Some(Line::Separator(span.clone()));
        }
        _ => {}
    }
    if words.starts_with("state ") || words.starts_with("state\t") {
        return declaration(&text, collector);
    }
    let (head, label) = split_label(&text);
    if head.text.contains("<<") && head.text.contains('-') {
        collector.advise(
            head.span,
            "a kind of state is not read at an arrow",
            "declare it on a line of its own: `state X <<choice>>`",
        );
        return None;
    }
    if head.text.contains('<') && head.text.contains('-') {
        collector.advise(
            head.span,
            "arrows that point to the left are not read",
            "turn the arrow round: `A --> B`",
        );
        return None;
    }
    if let Some(at) = head.text.find('-') {
        return arrow(&head, at, label, collector);
    }
    match label {
        Some(label) if is_word(&head.text) => Some(Line::Behaviour {
            state: head,
            text: label,
        }),
        _ => {
            collector.advise(
                text.span.clone(),
                format!("`{}` is not read", text.text),
                "supported are `state X {`, `--`, `A --> B : event [guard] / action`, `X : entry / action`, `[*]`, `X[H]`, and `'!` declarations",
            );
            None
        }
    }
}

fn is_word(text: &str) -> bool {
    let quoted = text.len() > 2 && text.starts_with('"') && text.ends_with('"');
    quoted
        || !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

/// What stands before and behind the first colon.
fn split_label(text: &Text) -> (Text, Option<Text>) {
    match text.text.find(':') {
        Some(at) => {
            let label = trimmed(&text.text[at + 1..], text.span.start + at + 1);
            let head = trimmed(&text.text[..at], text.span.start);
            (head, (!label.text.is_empty()).then_some(label))
        }
        None => (text.clone(), None),
    }
}

fn is_name(name: &Text, collector: &mut Collector) -> bool {
    let is_word = is_word(&name.text);
    if !is_word {
        collector.advise(
            name.span.clone(),
            format!("`{}` is no state's name", name.text),
            "write `state X` or `state \"Long name\" as X`",
        );
    }
    is_word
}

/// `state X`, `state X {`, `state "Long name" as X {`.
fn declaration(text: &Text, collector: &mut Collector) -> Option<Line> {
    let rest = trimmed(&text.text["state".len()..], text.span.start + "state".len());
    let (body, opens) = match rest.text.strip_suffix('{') {
        Some(body) => (trimmed(body, rest.span.start), true),
        None => (rest, false),
    };
    let (body, stereotype) = stereotype(body);
    match stereotype.as_ref().map(|kind| kind.text.as_str()) {
        Some("choice" | "entryPoint" | "exitPoint" | "junction") if !opens => {
            let name = alias(body);
            return is_name(&name, collector).then_some(Line::Choice(name));
        }
        Some("fork" | "join" | "history" | "history*" | "start" | "end") => {}
        // Any other is only for the eye.
        _ => return named(body, opens, collector),
    }
    if let Some(kind) = stereotype {
        collector.advise(
            kind.span,
            format!("`<<{}>>` is not read", kind.text),
            "use plain states: a fork is a state with `--` regions, a history is `X[H]`, start and end are `[*]`",
        );
    }
    None
}

/// What stands before `<<kind>>` (or Mermaid's `[[kind]]`), and the kind.
fn stereotype(body: Text) -> (Text, Option<Text>) {
    for (open, close) in [("<<", ">>"), ("[[", "]]")] {
        if let Some(at) = body.text.find(open)
            && let Some(end) = body.text.find(close)
            && end > at
        {
            let kind = trimmed(&body.text[at + 2..end], body.span.start + at + 2);
            return (trimmed(&body.text[..at], body.span.start), Some(kind));
        }
    }
    (body, None)
}

/// A state that is declared, perhaps with a description behind a colon.
fn named(body: Text, opens: bool, collector: &mut Collector) -> Option<Line> {
    if let Some(at) = body.text.find(" : ") {
        let behaviour = trimmed(&body.text[at + 3..], body.span.start + at + 3);
        return Some(Line::Behaviour {
            state: trimmed(&body.text[..at], body.span.start),
            text: behaviour,
        });
    }
    let name = alias(body);
    if !is_name(&name, collector) {
        return None;
    }
    Some(if opens {
        Line::Open(name)
    } else {
        Line::Declare(name)
    })
}

/// `X` of `X`, `"Long name" as X` and `X as "Long name"`.
fn alias(body: Text) -> Text {
    // A colour behind the name is only for the eye.
    let body = match body.text.find(" #") {
        Some(at) => trimmed(&body.text[..at], body.span.start),
        None => body,
    };
    match (body.text.starts_with('"'), body.text.rfind(" as ")) {
        (true, Some(at)) => trimmed(&body.text[at + 4..], body.span.start + at + 4),
        (false, Some(at)) => trimmed(&body.text[..at], body.span.start),
        _ => body,
    }
}

/// Names as OOAS wants them: what is no letter, digit or `_` becomes `_`, and names that become the same are told apart.
pub fn rename_states(lines: &mut [Line]) {
    let mut known: HashMap<String, String> = HashMap::new();
    let mut rename = |name: &mut Text| {
        let plain = name.text.trim_matches('"').to_string();
        if names::is_name(&plain) {
            known.insert(plain.clone(), plain.clone());
        }
        if let Some(renamed) = known.get(&plain) {
            name.text.clone_from(renamed);
            return;
        }
        let mut renamed = names::identifier(&plain);
        while known.values().any(|taken| *taken == renamed) {
            renamed.push('_');
        }
        known.insert(plain, renamed.clone());
        name.text = renamed;
    };
    for line in lines {
        match line {
            Line::Open(name) | Line::Declare(name) | Line::Choice(name) => rename(name),
            Line::Behaviour { state, .. } => rename(state),
            Line::Arrow { from, to, .. } => {
                for end in [from, to] {
                    if let End::State(name) | End::History { of: Some(name), .. } = end {
                        rename(name);
                    }
                }
            }
            Line::Begin(_)
            | Line::Finish
            | Line::Close(_)
            | Line::Separator(_)
            | Line::Directive(_) => {}
        }
    }
}

/// `A --> B`, also `A -> B`, `A -down-> B`, `A -[#red]-> B`.
fn arrow(head: &Text, at: usize, label: Option<Text>, collector: &mut Collector) -> Option<Line> {
    let Some(length) = arrow_length(&head.text[at..]) else {
        collector.advise(
            head.span.clone(),
            format!("`{}` is no arrow that is read", head.text),
            "write `A --> B`",
        );
        return None;
    };
    let from = trimmed(&head.text[..at], head.span.start);
    let to = trimmed(&head.text[at + length..], head.span.start + at + length);
    let span = head.span.start + at..head.span.start + at + length;
    Some(Line::Arrow {
        from: end(from, collector)?,
        to: end(to, collector)?,
        label,
        span,
    })
}

fn arrow_length(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            '>' if depth == 0 => return Some(at + 1),
            _ if depth > 0 || c == '-' || c.is_ascii_lowercase() => {}
            _ => return None,
        }
    }
    None
}

fn end(text: Text, collector: &mut Collector) -> Option<End> {
    if text.text == "[*]" {
        return Some(End::Point(text.span));
    }
    for (suffix, deep) in [("[H*]", true), ("[H]", false)] {
        if let Some(name) = text.text.strip_suffix(suffix) {
            let of = (!name.is_empty()).then(|| trimmed(name, text.span.start));
            return Some(End::History {
                of,
                deep,
                span: text.span,
            });
        }
    }
    if is_word(&text.text) {
        return Some(End::State(text));
    }
    collector.advise(
        text.span,
        format!("`{}` is no end of an arrow that is read", text.text),
        "write a state's name, `[*]`, `[H]` or `X[H]`",
    );
    None
}
