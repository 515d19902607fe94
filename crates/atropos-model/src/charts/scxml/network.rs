//! The elements of our own namespace: types, signatures, references and instances.

use super::element::{ElementOwner, XmlElement};
use crate::charts::chart::{Chart, ChartText, Instance, Machine, Reference, Signature};
use crate::charts::problem::Collector;

/// What the whole file shares: `at:types`, `at:instances`.
pub fn shared(element: XmlElement, chart: &mut Chart, collector: &mut Collector) {
    element.check_attributes(&[], &[], collector);
    if element.name() == "types" {
        if let Some(mut text) = element.text() {
            let length = text.text.trim_end().trim_end_matches(';').len();
            text.text.truncate(length);
            if !text.text.trim().is_empty() {
                chart.types.push(text);
            }
        }
        for child in element.children() {
            child.reject("at:types", &[], collector);
        }
        return;
    }
    element.check_no_text(collector);
    for child in element.children() {
        if child.owner() == ElementOwner::Own && child.name() == "instance" {
            chart.instances.extend(instance(child, collector));
        } else {
            child.reject("at:instances", &["instance"], collector);
        }
    }
}

fn instance(element: XmlElement, collector: &mut Collector) -> Option<Instance> {
    element.check_attributes(&["name", "class"], &[], collector);
    element.check_no_text(collector);
    let mut bindings = Vec::new();
    let mut values = Vec::new();
    for child in element.children() {
        match (child.owner(), child.name()) {
            (ElementOwner::Own, "bind") => {
                child.check_attributes(&["ref", "to"], &[], collector);
                let pair = child.required("ref", collector);
                bindings.extend(pair.zip(child.required("to", collector)));
            }
            (ElementOwner::Own, "set") => {
                child.check_attributes(&["data", "expr"], &[], collector);
                let pair = child.required("data", collector);
                values.extend(pair.zip(child.required("expr", collector)));
            }
            _ => child.reject("at:instance", &["bind", "set"], collector),
        }
    }
    Some(Instance {
        name: element.required("name", collector)?,
        class: element.required("class", collector)?,
        bindings,
        values,
    })
}

/// What belongs to one machine: `at:input`, `at:output`, `at:ref`. Gives whether the element was one of them.
pub fn member(element: XmlElement, machine: &mut Machine, collector: &mut Collector) -> bool {
    match element.name() {
        "input" => machine.inputs.extend(signature(element, collector)),
        "output" => machine.outputs.extend(signature(element, collector)),
        "ref" => {
            element.check_attributes(&["name", "class"], &[], collector);
            let pair = element.required("name", collector);
            let pair = pair.zip(element.required("class", collector));
            let reference = pair.map(|(name, class)| Reference { name, class });
            machine.references.extend(reference);
        }
        _ => return false,
    }
    true
}

fn signature(element: XmlElement, collector: &mut Collector) -> Option<Signature> {
    element.check_attributes(&["event", "params"], &[], collector);
    let name = element.required("event", collector)?;
    let parameters = match element.attribute("params") {
        Some(text) => parameters(&text, collector),
        None => Vec::new(),
    };
    Some(Signature { name, parameters })
}

/// `x: int[0..3], y: t_Speed`: names and types, with their places.
pub fn parameters(text: &ChartText, collector: &mut Collector) -> Vec<(ChartText, ChartText)> {
    let mut found = Vec::new();
    for (start, piece) in split_outside_brackets(&text.text) {
        let at = text.span.start + start;
        let Some((name, kind)) = piece.split_once(':') else {
            collector.advise(
                at..at + piece.len(),
                format!("the parameter `{}` has no type", piece.trim()),
                "write `name: type`",
            );
            continue;
        };
        let piece = |part: &str, from: usize| {
            let lead = part.len() - part.trim_start().len();
            let start = at + from + lead;
            ChartText::new(part.trim(), start..start + part.trim().len())
        };
        found.push((piece(name, 0), piece(kind, name.len() + 1)));
    }
    found
}

/// The pieces between commas or semicolons that stand in no brackets, with their places.
pub fn split_outside_brackets(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' | ';' if depth == 0 => {
                pieces.push((start, &text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push((start, &text[start..]));
    pieces.retain(|(_, piece)| !piece.trim().is_empty());
    pieces
}
