//! State charts: in SCXML, PlantUML, Mermaid, UML's XMI, or JSON of XState or GraphWalker, translated to OOAS text.
//!
//! source → (`scxml`, `plantuml`, `xmi`, `json`) → `chart` → `names` → `pseudostates` → `validate` → `translate` → OOAS text. Nothing in a chart is silently ignored: what has no
//! translation is a problem with a place and advice.

pub mod chart;
mod json;
pub mod mutants;
mod names;
pub mod plantuml;
pub mod problem;
mod pseudostates;
pub mod scxml;
pub mod translate;
mod validate;
mod xmi;

pub use chart::Chart;
pub use problem::Problems;
#[cfg(test)]
pub use translate::translate;
pub use translate::{Origin, Translation, translate_variants, translate_with_origins};

/// Room in a queue of events where the chart does not say.
pub(crate) const DEFAULT_QUEUE: u32 = 4;

/// Which notation a file is in: seen from its content, and from its name where that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Scxml,
    PlantUml,
    Mermaid,
    /// XState or GraphWalker.
    Json,
    /// UML 2.
    Xmi,
}

fn format(file: &str, source: &str) -> Option<Format> {
    let start = source.trim_start_matches('\u{feff}').trim_start();
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    match () {
        () if is_mermaid(source) => Some(Format::Mermaid),
        () if start.starts_with("@startuml") => Some(Format::PlantUml),
        () if !start.starts_with(['<', '{']) && begins_diagram(source) => Some(Format::PlantUml),
        () if start.starts_with('<') && xmi::is_model(source) => Some(Format::Xmi),
        () if start.starts_with('<') => Some(Format::Scxml),
        () if start.starts_with('{') && (json::is_chart(source) || extension == "json") => {
            Some(Format::Json)
        }
        () if extension == "scxml" => Some(Format::Scxml),
        () if matches!(extension, "puml" | "plantuml") => Some(Format::PlantUml),
        () if matches!(extension, "mmd" | "mermaid") => Some(Format::Mermaid),
        () => None,
    }
}

/// Whether a diagram of PlantUML begins somewhere, perhaps behind comments.
fn begins_diagram(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim_start);
    lines.any(|line| line.starts_with("@startuml"))
}

/// Whether the first line that says something is Mermaid's.
pub(crate) fn is_mermaid(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim).peekable();
    if lines.peek() == Some(&"---") {
        lines.next();
        lines.find(|line| *line == "---");
    }
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("%%"));
    first.is_some_and(|line| matches!(line, "stateDiagram" | "stateDiagram-v2"))
}

/// Whether a file holds a chart.
pub fn is_chart(file: &str, source: &str) -> bool {
    format(file, source).is_some()
}

/// How a variable is declared in this chart.
pub fn how_to_declare(file: &str, source: &str) -> &'static str {
    match format(file, source) {
        Some(Format::Scxml) => {
            "declare it: `<data id=\"x\" at:type=\"int[0..9]\" expr=\"0\"/>`, or as a parameter of the event"
        }
        Some(Format::Xmi) => {
            "declare it: an attribute of the class, or of the signal that is received"
        }
        Some(Format::Json) => "declare it: XState's `context`, or an action of GraphWalker's model",
        _ => "declare it: `'! var x : int[0..9] = 0`, or as a parameter of the event",
    }
}

/// Reads a chart; `None` for other files.
pub fn read(file: &str, source: &str) -> Option<Result<Chart, Problems>> {
    let format = format(file, source)?;
    let too_large = match format {
        Format::Json => None,
        Format::Xmi | Format::Scxml => too_deep(file, source).or_else(|| too_large(file, source)),
        Format::PlantUml | Format::Mermaid => too_large(file, source),
    };
    if let Some(problems) = too_large {
        return Some(Err(problems));
    }
    Some(match format {
        Format::Scxml => scxml::read(file, source),
        Format::PlantUml | Format::Mermaid => plantuml::read(file, source),
        Format::Json => json::read(file, source),
        Format::Xmi => xmi::read(file, source),
    })
}

/// What all front ends leave to do: names that OOAS allows, UML's pseudostates, and a look for what is wrong.
fn complete(chart: &mut Chart, collector: &mut problem::Collector) {
    names::settle(chart);
    settle_unit(chart);
    for machine in &mut chart.machines {
        pseudostates::resolve(machine, collector);
    }
    validate::check(chart, collector);
}

/// Times are counted in seconds where all are whole seconds, else in tenths, hundredths or thousandths of one.
fn settle_unit(chart: &mut Chart) {
    let mut fits = |unit: u32| {
        let mut whole = true;
        for machine in &mut chart.machines {
            machine.each_time(&mut |time| whole &= *time % unit == 0);
        }
        whole
    };
    let unit = [1000, 100, 10]
        .into_iter()
        .find(|&unit| fits(unit))
        .unwrap_or(1);
    for machine in &mut chart.machines {
        machine.each_time(&mut |time| *time /= unit);
    }
    chart.unit = unit;
}

/// Charts beyond these are not what anybody draws, and would take hours to translate.
const MOST_NESTED: usize = 100;
const MOST_STATES: usize = 2_000;
/// A state takes up to two elements, and actions inside some more.
const MOST_ELEMENTS_NESTED: usize = 3 * MOST_NESTED;

/// A complaint about XML elements that are nested too deep, before anything that recurses reads them.
fn too_deep(file: &str, source: &str) -> Option<Problems> {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(found) = source[at..].find('<') {
        let start = at + found;
        let rest = &source[start..];
        let skipped = [
            ("<!--", "-->"),
            ("<![CDATA[", "]]>"),
            ("<?", "?>"),
            ("<!", ">"),
        ];
        let skipped = skipped.iter().find(|(open, _)| rest.starts_with(open));
        let end = match skipped {
            Some((_, close)) => rest.find(close).map(|end| end + close.len()),
            None => tag_length(rest),
        };
        let length = end?;
        let tag = &rest[..length];
        match () {
            () if skipped.is_some() || tag.ends_with("/>") => {}
            () if tag.starts_with("</") => depth = depth.saturating_sub(1),
            () => depth += 1,
        }
        if depth > MOST_ELEMENTS_NESTED {
            let mut collector = problem::Collector::default();
            collector.advise(
                start..start + length,
                format!("elements are nested more than {MOST_ELEMENTS_NESTED} deep, states more than {MOST_NESTED}"),
                "charts are read up to that depth; make inner states charts of their own",
            );
            return collector.finish::<()>(file, source, None).err();
        }
        at = start + length;
    }
    None
}

/// The bytes of a tag, from `<` to the first `>` that stands in no quotes.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at + 1),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// A complaint about a chart that is too large, before anything reads it.
fn too_large(file: &str, source: &str) -> Option<Problems> {
    let mut collector = problem::Collector::default();
    let (mut depth, mut states) = (0usize, 0usize);
    let mut at = 0;
    for piece in source.split_inclusive(['<', '{', '}', '\n']) {
        let start = at;
        at += piece.len();
        let line = piece.trim_start();
        states += usize::from(line.starts_with("state ") || line.starts_with("state\t"));
        let opens = piece.ends_with('{')
            || line.starts_with("state ") && !piece.contains("/>") && piece.contains('>')
            || line.starts_with("parallel ") && piece.contains('>');
        let closes =
            piece.ends_with('}') || line.starts_with("/state>") || line.starts_with("/parallel>");
        depth += usize::from(opens);
        depth = depth.saturating_sub(usize::from(closes));
        if depth > MOST_NESTED || states > MOST_STATES {
            let (message, advice) = match depth > MOST_NESTED {
                true => (
                    format!("states are nested more than {MOST_NESTED} deep"),
                    "charts are read up to that depth; make inner states charts of their own",
                ),
                false => (
                    format!("this chart has more than {MOST_STATES} states"),
                    "charts are read up to that size; a variable may stand for many alike states",
                ),
            };
            collector.advise(start..start + 1, message, advice);
            return collector.finish::<()>(file, source, None).err();
        }
    }
    None
}

#[cfg(test)]
mod tests;
