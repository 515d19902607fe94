//! Executable content: the elements inside `<onentry>`, `<onexit>` and `<transition>`.

use super::element::{ElementOwner, XmlElement};
use super::foreach::foreach;
use crate::charts::chart::{ChartAction, ChartText, Machine};
use crate::charts::problem::Collector;

const KNOWN: &[&str] = &[
    "raise", "send", "cancel", "assign", "if", "foreach", "at:do",
];

/// The actions inside `parent`, in order.
pub fn actions(
    parent: XmlElement,
    machine: &mut Machine,
    collector: &mut Collector,
) -> Vec<ChartAction> {
    parent.check_no_text(collector);
    parent
        .children()
        .filter_map(|child| action(parent, child, machine, collector))
        .collect()
}

fn action(
    parent: XmlElement,
    element: XmlElement,
    machine: &mut Machine,
    collector: &mut Collector,
) -> Option<ChartAction> {
    match (element.owner(), element.name()) {
        (ElementOwner::W3c, "raise") => {
            element.check_attributes(&["event"], &[], collector);
            Some(ChartAction::Raise(element.required("event", collector)?))
        }
        (ElementOwner::W3c, "send") => send(element, collector),
        (ElementOwner::W3c, "cancel") => {
            element.check_attributes(&["sendid"], &[], collector);
            Some(ChartAction::Cancel(element.required("sendid", collector)?))
        }
        (ElementOwner::W3c, "assign") => {
            element.check_attributes(&["location", "expr"], &[], collector);
            let place = element.required("location", collector)?;
            let value = element.required("expr", collector)?;
            Some(ChartAction::Assign { place, value })
        }
        (ElementOwner::W3c, "if") => branches(element, machine, collector),
        (ElementOwner::W3c, "foreach") => foreach(element, machine, collector),
        // It tells something to who runs the chart, and changes nothing.
        (ElementOwner::W3c, "log") => None,
        (ElementOwner::Foreign, _) => None,
        (ElementOwner::Own, "do") => {
            element.check_attributes(&[], &[], collector);
            let text = element.text().filter(|text| !text.text.trim().is_empty());
            if text.is_none() {
                collector.advise(
                    element.head(),
                    "`<at:do>` holds no statement",
                    "write an OOAS statement inside it",
                );
            }
            Some(ChartAction::Statement(text?))
        }
        _ => {
            element.reject(parent.name(), KNOWN, collector);
            None
        }
    }
}

fn send(element: XmlElement, collector: &mut Collector) -> Option<ChartAction> {
    element.check_attributes(&["event", "target", "delay", "id", "type"], &[], collector);
    let event = element.required("event", collector)?;
    let mut arguments = Vec::new();
    element.check_no_text(collector);
    for child in element.children() {
        if child.owner() == ElementOwner::W3c && child.name() == "param" {
            child.check_attributes(&["name", "expr"], &[], collector);
            arguments.extend(child.required("expr", collector));
        } else {
            child.reject("send", &["param"], collector);
        }
    }
    const PROCESSORS: [&str; 2] = ["scxml", "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"];
    if let Some(kind) = element.attribute("type")
        && !PROCESSORS.contains(&kind.text.trim_end_matches('/'))
    {
        collector.advise(
            kind.span,
            format!("events of the type `{}` are not sent", kind.text),
            "leave the type out: events go to state machines",
        );
    }
    let target = element.attribute("target");
    let delay = element.attribute("delay");
    // Without a delay an event takes its place in the queue at once; the name of such a send means nothing.
    let delay = delay.filter(|delay| milliseconds(&delay.text) != Some(0));
    if let Some(delay) = delay {
        if let Some(target) = &target {
            collector.advise(
                target.span.clone(),
                "a delayed event can only come back to the machine that sends it",
                "leave `target` out, and send on when the event arrives",
            );
        }
        no_arguments(&arguments, "a delayed event", collector);
        let id = element.attribute("id").unwrap_or_else(|| event.clone());
        let time = time(&delay, collector)?;
        return Some(ChartAction::Delay { event, id, time });
    }
    match target {
        None => Some(ChartAction::Observe {
            name: event,
            arguments,
        }),
        Some(target) => {
            no_arguments(&arguments, "an event for another object", collector);
            if target.text == "#_internal" {
                return Some(ChartAction::Raise(event));
            }
            let name = target.text.trim_start_matches("#_").trim_start_matches('#');
            let to = ChartText::new(name, target.span);
            Some(ChartAction::Send { event, to })
        }
    }
}

fn no_arguments(arguments: &[ChartText], what: &str, collector: &mut Collector) {
    if let Some(first) = arguments.first() {
        collector.advise(
            first.span.clone(),
            format!("{what} carries no values"),
            "use one event per value, or a method of the other object in `<at:do>`",
        );
    }
}

/// A time such as `20s`, `20`, `1.5s` or `300ms`, in milliseconds.
pub fn time(text: &ChartText, collector: &mut Collector) -> Option<u32> {
    let time = milliseconds(&text.text).filter(|time| *time > 0);
    if time.is_none() {
        collector.advise(
            text.span.clone(),
            format!("`{}` is no time of the model", text.text.trim()),
            "write seconds or milliseconds from 1 ms on, for example `20s`, `1.5s` or `300ms`",
        );
    }
    time
}

/// Whole milliseconds, as far as they have 49 days.
fn milliseconds(written: &str) -> Option<u32> {
    let written = written.trim();
    let digits = written
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(written.len());
    let places: usize = match written[digits..].trim() {
        "" | "s" => 3,
        "ms" => 0,
        _ => return None,
    };
    let (whole, part) = written[..digits]
        .split_once('.')
        .unwrap_or((&written[..digits], ""));
    let part = part.trim_end_matches('0');
    if part.len() > places || whole.is_empty() && part.is_empty() {
        return None;
    }
    format!("{whole}{part:0<places$}").parse().ok()
}

fn branches(
    element: XmlElement,
    machine: &mut Machine,
    collector: &mut Collector,
) -> Option<ChartAction> {
    element.check_attributes(&["cond"], &[], collector);
    element.check_no_text(collector);
    let first = element.required("cond", collector);
    let mut branches: Vec<(Option<ChartText>, Vec<ChartAction>)> = vec![(first, Vec::new())];
    let mut has_else = false;
    for child in element.children() {
        let kind = (child.owner(), child.name());
        if has_else && matches!(kind, (ElementOwner::W3c, "else" | "elseif")) {
            collector.advise(
                child.head(),
                "nothing comes after `<else/>`",
                "put `<elseif>` before `<else/>`",
            );
        }
        match kind {
            (ElementOwner::W3c, "elseif") => {
                child.check_attributes(&["cond"], &[], collector);
                branches.push((child.required("cond", collector), Vec::new()));
            }
            (ElementOwner::W3c, "else") => {
                child.check_attributes(&[], &[], collector);
                has_else = true;
                branches.push((None, Vec::new()));
            }
            _ => {
                let action = action(element, child, machine, collector);
                if let Some((_, actions)) = branches.last_mut() {
                    actions.extend(action);
                }
            }
        }
    }
    Some(ChartAction::If(branches))
}
