//! A subset of PlantUML's state diagrams in, chart out.
//!
//! Read are `[*]`, `state X { … }`, `state X <<choice>>` (also junction, fork, join, history, entry and exit points) with `[else]`, `--` regions, `X[H]` and `X[H*]`, `X : entry / …`, `X : exit / …`, `X : event [guard] / …` (nothing is left),
//! `A --> B : event [guard] / action; action` and `after 20`. Data, types, signatures and instances stand in comments that start with `'!`,
//! so that PlantUML still draws the picture. A transition without a trigger from a state with states inside waits for that state's end.

mod declaration;
mod diagram;
mod directive;
mod label;
mod line;

pub(super) use label::action;

use super::chart::{Chart, ChartText, Notation};
use super::problem::{Collector, Problems};
use line::Line;

/// Reads a PlantUML file; each `@startuml Name` … `@enduml` is one machine.
pub fn read(file: &str, source: &str) -> Result<Chart, Problems> {
    let mut collector = Collector::default();
    let mut chart = Chart {
        name: String::new(),
        notation: Notation::Uml,
        types: Vec::new(),
        machines: Vec::new(),
        unit: 1,
        instances: Vec::new(),
    };
    let lines = line::lines(source, &mut collector);
    let is_mermaid = super::is_mermaid(source);
    let mut open: Option<(ChartText, Vec<Line>)> = None;
    for line in lines {
        match (line, &mut open) {
            (Line::Begin(name), None) => {
                open = Some((name.unwrap_or_else(|| file_name(file)), Vec::new()));
            }
            (Line::Begin(name), Some(_)) => {
                let span = name.map_or(0..0, |name| name.span);
                collector.advise(
                    span,
                    "a diagram starts inside another",
                    "end the first with `@enduml`",
                );
            }
            (Line::Finish, Some(_)) => {
                if let Some((name, lines)) = open.take() {
                    diagram::machine(name, &lines, &mut chart, &mut collector);
                }
            }
            (line, Some((_, lines))) => lines.push(line),
            (_, None) => {
                collector.advise(
                    0..1,
                    "lines outside a diagram are not read",
                    "start with `@startuml Name`, end with `@enduml`",
                );
            }
        }
    }
    if let Some((name, lines)) = open {
        if !is_mermaid {
            collector.advise(
                name.span.clone(),
                "this diagram is not ended",
                "end it with `@enduml`",
            );
        }
        diagram::machine(name, &lines, &mut chart, &mut collector);
    }
    match chart.machines.first() {
        None => collector.advise(
            0..1,
            "there is no diagram in this file",
            "start with `@startuml Name`",
        ),
        Some(machine) => {
            chart.name = match chart.instances.is_empty() {
                true => machine.name.text.clone(),
                false => "Network".to_owned(),
            };
            super::complete(&mut chart, &mut collector);
        }
    }
    collector.finish(file, source, Some(chart))
}

/// A name for a diagram that has none: its file's.
fn file_name(file: &str) -> ChartText {
    let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = stem.split('.').next().unwrap_or("Chart");
    ChartText::new(stem, 0..1)
}

/// A time such as `20` or `20s`.
fn time(text: &ChartText, collector: &mut Collector) -> Option<u32> {
    super::scxml::time(text, collector)
}
