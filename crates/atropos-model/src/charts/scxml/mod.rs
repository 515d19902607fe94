//! SCXML in, chart out: W3C's elements, with guards and values in OOAS, and a namespace of ours (`urn:atropos:ooas`, usually `at:`).
//!
//! Ours are: `at:types` (OOAS type definitions), `at:input`/`at:output` (`event`, `params`), `at:ref` (`name`, `class`), `at:instances` with
//! `at:instance` (`name`, `class`), `at:bind` (`ref`, `to`) and `at:set` (`data`, `expr`), `at:do` (a statement), `at:network` (a root around
//! several `<scxml>`), and the attributes `at:after` on `<transition>`, `at:type` on `<data>`, `at:queue` on `<scxml>`.

mod action;
pub(super) mod ecmascript;
mod element;
mod event_data;
pub(super) mod events;
mod foreach;
mod network;
mod state;

pub(super) use action::time;
pub use element::{OWN, W3C};
pub(super) use network::{parameters, split_outside_brackets};
pub(super) use state::blank;

use super::chart::{Chart, Notation};
use super::problem::{Collector, Problems};
use element::{ElementOwner, XmlElement};

/// Reads an SCXML file.
pub fn read(file: &str, source: &str) -> Result<Chart, Problems> {
    let mut collector = Collector::default();
    let chart = match roxmltree::Document::parse(source) {
        Ok(document) => {
            let root = XmlElement {
                // The document outlives the elements: both live until the end of this arm.
                node: document.root_element(),
            };
            let mut chart = read_root(root, &mut collector);
            if let Some(chart) = &mut chart {
                super::complete(chart, &mut collector);
            }
            chart
        }
        Err(error) => {
            not_well_formed(source, &error, &mut collector);
            None
        }
    };
    collector.finish(file, source, chart)
}

/// Complains where an XML document breaks.
pub fn not_well_formed(source: &str, error: &roxmltree::Error, collector: &mut Collector) {
    let position = error.pos();
    let start = offset(source, position.row as usize, position.col as usize);
    let advice = match error {
        roxmltree::Error::UnknownNamespace(..) => {
            "the prefix of what SCXML does not have is declared once: `<scxml xmlns:at=\"urn:atropos:ooas\" …>`"
        }
        _ => {
            "`<` and `&` inside attributes are written `&lt;` and `&amp;`; every element is closed"
        }
    };
    collector.advise(
        start..start + 1,
        format!("this is not well-formed XML: {error}"),
        advice,
    );
}

fn read_root(root: XmlElement, collector: &mut Collector) -> Option<Chart> {
    let mut chart = Chart {
        name: String::new(),
        notation: Notation::Scxml,
        types: Vec::new(),
        machines: Vec::new(),
        unit: 1,
        instances: Vec::new(),
    };
    match (root.owner(), root.name()) {
        (ElementOwner::W3c, "scxml") => {
            let machine = state::machine(root, &mut chart, collector)?;
            chart.name = match chart.instances.is_empty() {
                true => machine.name.text.clone(),
                false => format!("{}Network", machine.name.text),
            };
            chart.machines.push(machine);
        }
        (ElementOwner::Own, "network") => {
            root.check_attributes(&["name"], &[], collector);
            root.check_no_text(collector);
            chart.name = root.required("name", collector)?.text;
            for child in root.children() {
                match (child.owner(), child.name()) {
                    (ElementOwner::W3c, "scxml") => {
                        let machine = state::machine(child, &mut chart, collector);
                        chart.machines.extend(machine);
                    }
                    (ElementOwner::Own, "types" | "instances") => {
                        network::shared(child, &mut chart, collector);
                    }
                    _ => child.reject("at:network", &["scxml", "types", "instances"], collector),
                }
            }
        }
        _ => {
            collector.advise(
                root.head(),
                format!("`<{}>` is not the root of a chart", root.name()),
                format!("start with `<scxml xmlns=\"{W3C}\" xmlns:at=\"{OWN}\" name=\"…\">`"),
            );
            return None;
        }
    }
    Some(chart)
}

/// The byte of a line and column, both from 1.
fn offset(source: &str, line: usize, column: usize) -> usize {
    let start: usize = source
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let within = source[start..]
        .char_indices()
        .nth(column.saturating_sub(1))
        .map_or(0, |(at, _)| at);
    start + within
}
