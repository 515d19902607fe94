//! State charts: in SCXML, PlantUML, Mermaid, or JSON of XState or GraphWalker, translated to OOAS text.
//!
//! source → (`scxml`, `plantuml`) → `chart` → `validate` → `translate` → OOAS text. Nothing in a chart is silently ignored: what has no
//! translation is a problem with a place and advice.

pub mod chart;
mod json;
mod names;
pub mod plantuml;
pub mod problem;
pub mod scxml;
pub mod translate;
mod validate;

pub use chart::Chart;
pub use problem::Problems;
#[cfg(test)]
pub use translate::translate;
pub use translate::{Origin, translate_with_origins};

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
}

fn format(file: &str, source: &str) -> Option<Format> {
    let start = source.trim_start_matches('\u{feff}').trim_start();
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    match () {
        () if is_mermaid(source) => Some(Format::Mermaid),
        () if start.starts_with("@startuml") => Some(Format::PlantUml),
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

/// Whether it is in SCXML.
pub fn is_scxml(file: &str, source: &str) -> bool {
    format(file, source) == Some(Format::Scxml)
}

/// Reads a chart; `None` for other files.
pub fn read(file: &str, source: &str) -> Option<Result<Chart, Problems>> {
    let format = format(file, source)?;
    let problems = (format != Format::Json).then(|| too_large(file, source));
    if let Some(problems) = problems.flatten() {
        return Some(Err(problems));
    }
    Some(match format {
        Format::Scxml => scxml::read(file, source),
        Format::PlantUml | Format::Mermaid => plantuml::read(file, source),
        Format::Json => json::read(file, source),
    })
}

/// Charts beyond these are not what anybody draws, and would take hours to translate.
const MOST_NESTED: usize = 100;
const MOST_STATES: usize = 2_000;

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
