//! Behaviours (effects, entries, exits) and constraints: text in a language that UML leaves open.
//!
//! A statement is an assignment (`x := 1`, `x = 1;`, `x++`), an event for another object (`send Go to door`, `door.Go()`), one
//! of `raise`, `cancel` and `do` as in PlantUML's labels, or an output (`Lamp(1)`).

use super::Reader;
use super::document::Element;
use crate::charts::chart::{ChartAction, ChartText, Machine};
use crate::charts::plantuml::action as plantuml_action;
use crate::charts::scxml::ecmascript;

/// What the behaviour does.
pub fn actions<'a>(
    behaviour: Element<'a>,
    machine: &Machine,
    reader: &mut Reader<'a, '_>,
) -> Vec<ChartAction> {
    if behaviour.child("node").is_some() || behaviour.child("edge").is_some() {
        reader.advise(
            behaviour,
            "an activity's nodes are not read",
            "use a `uml:OpaqueBehavior` with statements in its body",
        );
        return Vec::new();
    }
    let body = behaviour
        .value("body")
        .filter(|body| !body.text.trim().is_empty());
    let Some(text) = body.or_else(|| behaviour.name()) else {
        return Vec::new();
    };
    let pieces = text.text.split([';', '\n']).scan(0, |at, piece| {
        let start = *at;
        *at += piece.len() + 1;
        Some((start, piece))
    });
    let mut found = Vec::new();
    for (at, piece) in pieces.collect::<Vec<_>>() {
        let lead = piece.len() - piece.trim_start().len();
        let words = piece.trim();
        if words.is_empty() || words.starts_with("//") {
            continue;
        }
        let start = text.span.start + at + lead;
        let piece = ChartText::new(own(words), start..start + words.len());
        found.extend(action(&piece, machine, reader));
    }
    found
}

/// Without what says that a name belongs to the object itself.
fn own(text: &str) -> String {
    let mut text = text.to_owned();
    for itself in ["this->", "this.", "self."] {
        text = text.replace(itself, "");
    }
    text.replace("::", ".")
}

fn action(text: &ChartText, machine: &Machine, reader: &mut Reader) -> Option<ChartAction> {
    let words = text.text.as_str();
    let is_reference = |name: &str| machine.references.iter().any(|r| r.name.text == name);
    let part = |inner: &str| ChartText::new(inner.trim(), text.span.clone());
    if let Some(rest) = words.strip_prefix("send ")
        && let Some((event, to)) = rest.rsplit_once(" to ")
    {
        return Some(ChartAction::Send {
            event: part(event.trim().trim_end_matches("()")),
            to: part(to),
        });
    }
    if let Some((to, call)) = words.replace("->", ".").split_once('.')
        && is_reference(to.trim())
        && let Some(event) = call.trim().strip_suffix("()")
    {
        return Some(ChartAction::Send {
            event: part(event),
            to: part(to),
        });
    }
    let is_own = ["do ", "raise ", "cancel "]
        .iter()
        .any(|word| words.starts_with(word));
    if !is_own && let Some((place, value)) = ecmascript::assignment(words) {
        return Some(ChartAction::Assign {
            place: part(&place),
            value: expression(part(&value), reader),
        });
    }
    plantuml_action(text, reader.collector)
}

/// A condition or value; operators of C, Java and JavaScript become those of OOAS.
pub fn expression(mut text: ChartText, reader: &mut Reader) -> ChartText {
    text.text = own(&text.text);
    let foreign = ["==", "!=", "&&", "||", "!", "%"];
    if foreign.iter().any(|operator| text.text.contains(operator)) {
        ecmascript::expression(&mut text, reader.collector);
    }
    text
}

/// The condition of a transition.
pub fn guard<'a>(transition: Element<'a>, reader: &mut Reader<'a, '_>) -> Option<ChartText> {
    let inline = transition.child("guard");
    let constraint = match transition.attribute("guard") {
        Some(_) => reader.ids.referred(transition, "guard"),
        None => inline
            .and_then(|_| reader.ids.referred(transition, "guard"))
            .filter(|constraint| constraint.child("specification").is_some())
            .or(inline),
    }?;
    let specification = constraint.child("specification");
    let text = specification.and_then(|s| s.value("body").or_else(|| s.value("value")));
    let Some(mut text) = text.or_else(|| constraint.name()) else {
        reader.advise(
            constraint,
            "this guard says nothing",
            "write its condition into the body of a `uml:OpaqueExpression`",
        );
        return None;
    };
    let inner = text.text.trim();
    let inner = inner
        .strip_prefix('[')
        .and_then(|t| t.strip_suffix(']'))
        .unwrap_or(inner);
    text.text = inner.to_owned();
    Some(expression(text, reader))
}
