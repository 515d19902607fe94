//! Lines of a PlantUML state diagram: each is one statement, or a complaint.

use super::declaration::{declaration, named, pseudostate};
use crate::charts::chart::{ChartSpan, ChartText, StateKind};
use crate::charts::problem::Collector;

/// One end of an arrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `[*]`: the start if the arrow leaves it, the end if the arrow goes there.
    Point(ChartSpan),
    /// `[H]`, `[H*]`, `X[H]`, `X[H*]`.
    History {
        /// The state whose past is meant; the surrounding one if none is named.
        of: Option<ChartText>,
        /// `H*`.
        deep: bool,
        /// Where it is written.
        span: ChartSpan,
    },
    /// A state.
    State(ChartText),
}

/// What a stereotype makes of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pseudostate {
    /// Where the surrounding state starts.
    Start,
    /// Any other.
    Kind(StateKind),
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// `@startuml Name`.
    Begin(Option<ChartText>),
    /// `@enduml`.
    Finish,
    /// `state X {`.
    Open(ChartText),
    /// `state X`.
    Declare(ChartText),
    /// `state X <<choice>>` and the other pseudostates.
    Pseudostate(ChartText, Pseudostate),
    /// `}`.
    Close(ChartSpan),
    /// `--` or `||`.
    Separator(ChartSpan),
    /// `A --> B : label`.
    Arrow {
        /// Where it comes from.
        from: LineEnd,
        /// Where it goes.
        to: LineEnd,
        /// What stands behind the colon.
        label: Option<ChartText>,
        /// The arrow itself.
        span: ChartSpan,
    },
    /// `X : text`.
    Behaviour {
        /// The state.
        state: ChartText,
        /// What stands behind the colon.
        text: ChartText,
    },
    /// `'! text`: a declaration that PlantUML itself takes for a comment.
    Directive(ChartText),
}

/// The statements of a file.
pub fn lines(source: &str, collector: &mut Collector) -> Vec<Line> {
    let source = without_comments(source, collector);
    let source = without_styles(&source);
    let mut found = Vec::new();
    let mut start = 0;
    // What is only for the picture, over several lines.
    let mut inside: Option<(ChartText, &Block)> = None;
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
        opens: |text| text.starts_with("note ") && !text.contains(':') && !text.contains("\" as "),
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
pub fn trimmed(text: &str, start: usize) -> ChartText {
    let lead = text.len() - text.trim_start().len();
    let inner = text.trim();
    ChartText::new(inner, start + lead..start + lead + inner.len())
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
    ];
    let mermaid = text.starts_with("%%");
    let comment = mermaid || text.starts_with('\'') && !text.starts_with("'!");
    let look = LOOKS.iter().find(|look| text.starts_with(**look));
    text.is_empty() || comment || look.is_some_and(|look| !is_statement(look, &text[look.len()..]))
}

/// Whether a word that says how the picture looks is the name of a state here.
fn is_statement(look: &str, rest: &str) -> bool {
    let rest = rest.trim_start();
    let has_text = matches!(look, "title " | "caption " | "header " | "footer ");
    let arrow = rest.starts_with('-') && arrow_length(rest).is_some();
    !has_text && (rest.starts_with(':') || rest.starts_with("<-") || arrow)
}

fn line(text: ChartText, collector: &mut Collector) -> Vec<Line> {
    let ChartText { text: words, span } = &text;
    if let Some(rest) = words.strip_prefix("'!") {
        return vec![Line::Directive(trimmed(rest, span.start + 2))];
    }
    if let Some(rest) = words.strip_prefix("@startuml") {
        let name = trimmed(rest, span.start + "@startuml".len());
        return vec![Line::Begin((!name.text.is_empty()).then_some(name))];
    }
    if words.starts_with('!') {
        collector.advise(
            span.clone(),
            format!("`{words}` is for PlantUML's preprocessor, which is not run"),
            "give it the preprocessed text: `plantuml -preproc`",
        );
        return Vec::new();
    }
    match words.as_str() {
        "stateDiagram-v2" | "stateDiagram" => return vec![Line::Begin(None)],
        "@enduml" => return vec![Line::Finish],
        "}" => return vec![Line::Close(span.clone())],
        "||" => return vec![Line::Separator(span.clone())],
        _ if words.len() >= 2 && words.chars().all(|c| c == '-') => {
            return vec![Line::Separator(span.clone())];
        }
        _ => {}
    }
    if words.starts_with("state ") || words.starts_with("state\t") {
        return declaration(&text, collector);
    }
    let (head, label) = split_label(&text);
    if is_hidden(&head.text) {
        // It only moves the picture's parts.
        return Vec::new();
    }
    if head.text.contains("<-") {
        return left_arrow(&head, label, collector);
    }
    let dashes = head.text.match_indices('-').map(|(at, _)| at);
    let found = dashes
        .clone()
        .find(|&at| arrow_length(&head.text[at..]).is_some());
    let is_quoted = head.text.matches('"').count() == 2 && is_word(&head.text);
    if let Some(at) = found.or_else(|| dashes.clone().next())
        && !(is_quoted || found.is_none() && is_word(&head.text))
    {
        return arrow(&head, at, label, collector);
    }
    match label {
        Some(label) if is_word(&head.text) => vec![Line::Behaviour {
            state: unquoted(head),
            text: label,
        }],
        _ => {
            collector.advise(
                text.span.clone(),
                format!("`{}` is not read", text.text),
                "supported are `state X {`, `--`, `A --> B : event [guard] / action`, `X : entry / action`, `[*]`, `X[H]`, and `'!` declarations",
            );
            Vec::new()
        }
    }
}

/// Whether an arrow's looks say that it is not shown.
fn is_hidden(text: &str) -> bool {
    let mut looks = text
        .split('[')
        .skip(1)
        .filter_map(|part| part.split_once(']'));
    looks.any(|(looks, _)| looks.split(',').any(|look| look.trim() == "hidden"))
}

pub fn is_word(text: &str) -> bool {
    let quoted = text.len() > 2 && text.starts_with('"') && text.ends_with('"');
    quoted
        || !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// What stands before and behind the first colon that is in no quotes and no brackets.
fn split_label(text: &ChartText) -> (ChartText, Option<ChartText>) {
    let (mut quoted, mut depth) = (false, 0usize);
    let colon = text.text.char_indices().find(|&(_, c)| {
        match c {
            '"' => quoted = !quoted,
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ':' && !quoted && depth == 0
    });
    match colon {
        Some((at, _)) => {
            let label = trimmed(&text.text[at + 1..], text.span.start + at + 1);
            let head = trimmed(&text.text[..at], text.span.start);
            (head, (!label.text.is_empty()).then_some(label))
        }
        None => (text.clone(), None),
    }
}

/// `"A name"` without its quotes.
fn unquoted(text: ChartText) -> ChartText {
    let inner = text
        .text
        .strip_prefix('"')
        .and_then(|t| t.strip_suffix('"'));
    match inner {
        Some(inner) => ChartText::new(inner, text.span.start + 1..text.span.end - 1),
        None => text,
    }
}

/// `A --> B`, also `A -> B`, `A -down-> B`, `A -[#red]-> B`.
fn arrow(
    head: &ChartText,
    at: usize,
    label: Option<ChartText>,
    collector: &mut Collector,
) -> Vec<Line> {
    let Some(length) = arrow_length(&head.text[at..]) else {
        collector.advise(
            head.span.clone(),
            format!("`{}` is no arrow that is read", head.text),
            "write `A --> B`",
        );
        return Vec::new();
    };
    let from = trimmed(&head.text[..at], head.span.start);
    let to = trimmed(&head.text[at + length..], head.span.start + at + length);
    let span = head.span.start + at..head.span.start + at + length;
    between(from, to, label, span, collector)
}

/// An arrow, after lines that say what kinds its ends are of.
fn between(
    from: ChartText,
    to: ChartText,
    label: Option<ChartText>,
    span: ChartSpan,
    collector: &mut Collector,
) -> Vec<Line> {
    let mut lines = Vec::new();
    let ends = [from, to].map(|text| end(text, &mut lines, collector));
    if let [Some(from), Some(to)] = ends {
        lines.push(Line::Arrow {
            from,
            to,
            label,
            span,
        });
    }
    lines
}

/// `A <-- B`: an arrow from the right end to the left.
fn left_arrow(head: &ChartText, label: Option<ChartText>, collector: &mut Collector) -> Vec<Line> {
    // Turned round it is an arrow to the right.
    let shaft = head.text.find("<-").and_then(|at| {
        let dashes = head.text[at + 1..]
            .find([' ', '"'])
            .map(|length| at + 1 + length);
        let dashes = dashes.or_else(|| head.text.rfind('-').map(|last| last + 1))?;
        let shaft = format!("{}>", &head.text[at + 1..dashes]);
        (arrow_length(&shaft) == Some(shaft.len())).then_some((at, dashes))
    });
    let Some((at, dashes)) = shaft else {
        collector.advise(
            head.span.clone(),
            format!("`{}` is no arrow that is read", head.text),
            "write `A --> B`, or `A <-- B`",
        );
        return Vec::new();
    };
    let to = trimmed(&head.text[..at], head.span.start);
    let from = trimmed(&head.text[dashes..], head.span.start + dashes);
    let span = head.span.start + at..head.span.start + dashes;
    between(from, to, label, span, collector)
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

/// An arrow's end; a line for its kind, if it says one, goes before the arrow.
fn end(text: ChartText, lines: &mut Vec<Line>, collector: &mut Collector) -> Option<LineEnd> {
    if text.text == "[*]" {
        return Some(LineEnd::Point(text.span));
    }
    for (suffix, deep) in [("[H*]", true), ("[H]", false)] {
        if let Some(name) = text.text.strip_suffix(suffix) {
            let of = (!name.is_empty()).then(|| trimmed(name, text.span.start));
            return Some(LineEnd::History {
                of,
                deep,
                span: text.span,
            });
        }
    }
    if is_word(&text.text) {
        return Some(LineEnd::State(unquoted(text)));
    }
    if text.text.contains("<<") || text.text.contains(" #") {
        let named = named(&text, collector)?;
        let kind = named.kind.and_then(|kind| pseudostate(&kind.text));
        lines.extend(kind.map(|kind| Line::Pseudostate(named.name.clone(), kind)));
        return Some(LineEnd::State(named.name));
    }
    collector.advise(
        text.span,
        format!("`{}` is no end of an arrow that is read", text.text),
        "write a state's name, `[*]`, `[H]` or `X[H]`",
    );
    None
}
