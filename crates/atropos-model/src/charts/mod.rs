//! State charts: drawn in SCXML or PlantUML, translated to OOAS text.
//!
//! source → (`scxml`, `plantuml`) → `chart` → `validate` → `translate` → OOAS text. Nothing in a chart is silently ignored: what has no
//! translation is a problem with a place and advice.

pub mod chart;
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

/// Whether a file's name says that it holds a chart.
pub fn is_chart(file: &str) -> bool {
    notation(file).is_some()
}

/// Whether it is in SCXML.
pub fn is_scxml(file: &str) -> bool {
    notation(file) == Some(chart::Notation::Scxml)
}

/// Reads a chart; the file's name says which notation it is in (`.scxml`, `.puml`, `.plantuml`). `None` for other files.
pub fn read(file: &str, source: &str) -> Option<Result<Chart, Problems>> {
    Some(match notation(file)? {
        chart::Notation::Scxml => scxml::read(file, source),
        chart::Notation::PlantUml => plantuml::read(file, source),
    })
}

fn notation(file: &str) -> Option<chart::Notation> {
    match file.rsplit_once('.')?.1 {
        "scxml" => Some(chart::Notation::Scxml),
        "puml" | "plantuml" => Some(chart::Notation::PlantUml),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
