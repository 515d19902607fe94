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
    element.check_attributes(&["event", "target", "delay", "id"], &[], collector);
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
    let target = element.attribute("target");
    if let Some(delay) = element.attribute("delay") {
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
    if let Some(id) = element.attribute("id") {
        collector.advise(
            id.span,
            "only a delayed `<send>` has an id",
            "add `delay=\"…\"`, or remove the id",
        );
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

/// A time such as `20s`, `20` or `3000ms`, in seconds: the unit of the model's time.
pub fn time(text: &ChartText, collector: &mut Collector) -> Option<u32> {
    let written = text.text.trim();
    let digits = written
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(written.len());
    let number: Option<u32> = written[..digits].parse().ok();
    let seconds = match (number, written[digits..].trim()) {
        (Some(number), "" | "s") => Some(number),
        (Some(number), "ms") if number % 1000 == 0 => Some(number / 1000),
        _ => None,
    };
    if seconds.is_none_or(|seconds| seconds == 0) {
        collector.advise(
            text.span.clone(),
            format!("`{written}` is no time of the model"),
            "write whole seconds from 1 on, for example `20s`",
        );
        return None;
    }
    seconds
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
