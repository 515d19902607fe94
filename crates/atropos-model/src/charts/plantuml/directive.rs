//! Declarations that PlantUML takes for comments: `'! type …`, `'! var …`, `'! ref …`, `'! input …`, `'! output …`, `'! queue …`, `'! instance …`.

use super::line::trimmed;
use crate::charts::chart::{Chart, ChartText, Data, Instance, Machine, Reference, Signature};
use crate::charts::names;
use crate::charts::problem::Collector;
use crate::charts::scxml::{parameters, split_outside_brackets};

const KNOWN: &[&str] = &["type", "var", "ref", "input", "output", "queue", "instance"];

/// Reads one declaration.
pub fn directive(
    text: &ChartText,
    chart: &mut Chart,
    machine: &mut Machine,
    collector: &mut Collector,
) {
    let length = text
        .text
        .find(char::is_whitespace)
        .unwrap_or(text.text.len());
    let rest = trimmed(&text.text[length..], text.span.start + length);
    match &text.text[..length] {
        "type" => {
            let definition = ChartText::new(rest.text.trim_end_matches(';'), rest.span);
            chart.types.push(definition);
        }
        "var" => machine.data.extend(variable(&rest, collector)),
        "ref" => {
            if let Some((name, class)) = pair(&rest, ":", "ref peer : Door", collector) {
                machine.references.push(Reference { name, class });
            }
        }
        "input" => machine.inputs.extend(signature(&rest, collector)),
        "output" => machine.outputs.extend(signature(&rest, collector)),
        "queue" => match rest.text.parse() {
            Ok(length) if length > 0 => machine.queue = length,
            _ => collector.advise(
                rest.span,
                "a queue has room for a number of events from 1 on",
                "write for example `'! queue 4`",
            ),
        },
        "instance" => chart.instances.extend(instance(&rest, collector)),
        other => collector.advise(
            text.span.clone(),
            format!("`{other}` declares nothing that is read"),
            names::meant(other, KNOWN.iter().copied(), ""),
        ),
    }
}

/// The trimmed sides of a separator, or a complaint with an example.
fn pair(
    text: &ChartText,
    by: &str,
    example: &str,
    collector: &mut Collector,
) -> Option<(ChartText, ChartText)> {
    let Some(at) = text.text.find(by) else {
        collector.advise(
            text.span.clone(),
            format!("`{}` lacks a `{by}`", text.text),
            format!("write for example `'! {example}`"),
        );
        return None;
    };
    Some((
        trimmed(&text.text[..at], text.span.start),
        trimmed(&text.text[at + by.len()..], text.span.start + at + by.len()),
    ))
}

fn variable(text: &ChartText, collector: &mut Collector) -> Option<Data> {
    let example = "var count : int[0..9] = 0";
    let (name, rest) = pair(text, ":", example, collector)?;
    let (kind, value) = pair(&rest, "=", example, collector)?;
    Some(Data {
        name,
        kind,
        value: Some(value),
    })
}

/// `Name` or `Name(x: type, …)`.
fn signature(text: &ChartText, collector: &mut Collector) -> Option<Signature> {
    let Some(open) = text.text.find('(') else {
        return Some(Signature {
            name: text.clone(),
            parameters: Vec::new(),
        });
    };
    let Some(inner) = text.text[open + 1..].strip_suffix(')') else {
        collector.advise(
            text.span.clone(),
            "the parameters are not closed",
            "close them with `)`",
        );
        return None;
    };
    let inner_span = text.span.start + open + 1..text.span.end - 1;
    Some(Signature {
        name: trimmed(&text.text[..open], text.span.start),
        parameters: parameters(&ChartText::new(inner, inner_span), collector),
    })
}

/// `left : Door (peer = right, count := 3)`.
fn instance(text: &ChartText, collector: &mut Collector) -> Option<Instance> {
    let (name, rest) = pair(text, ":", "instance left : Door (peer = right)", collector)?;
    let open = rest.text.find('(').unwrap_or(rest.text.len());
    let class = trimmed(&rest.text[..open], rest.span.start);
    let mut bindings = Vec::new();
    let mut values = Vec::new();
    if let Some(inner) = rest.text[open..].strip_prefix('(') {
        let inner = inner.strip_suffix(')').unwrap_or(inner);
        for (at, piece) in split_outside_brackets(inner) {
            let piece = trimmed(piece, rest.span.start + open + 1 + at);
            if piece.text.contains(":=") {
                values.extend(pair(&piece, ":=", "", collector));
            } else {
                bindings.extend(pair(
                    &piece,
                    "=",
                    "instance left : Door (peer = right)",
                    collector,
                ));
            }
        }
    }
    Some(Instance {
        name,
        class,
        bindings,
        values,
    })
}
