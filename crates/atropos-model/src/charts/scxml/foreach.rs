//! `<foreach>`: OOAS has no loops, so the content is repeated as often as the list is long at most.

use super::action::actions;
use super::element::XmlElement;
use crate::charts::chart::{ChartAction, ChartText, Data, Machine};
use crate::charts::problem::Collector;

/// Longer lists would make texts that nobody can read.
const MOST: usize = 64;

/// The element's actions; variables that it declares go to the machine.
pub fn foreach(
    element: XmlElement,
    machine: &mut Machine,
    collector: &mut Collector,
) -> Option<ChartAction> {
    element.check_attributes(&["array", "item", "index"], &[], collector);
    let array = element.required("array", collector)?;
    let item = element.required("item", collector)?;
    let index = element.attribute("index");
    let kind = machine
        .data
        .iter()
        .find(|data| data.name.text == array.text.trim());
    let Some((length, kind)) = kind.and_then(|data| list_type(&data.kind)) else {
        collector.advise(
            array.span,
            format!("how long the list `{}` can be is not known", array.text),
            "declare it in the machine's first `<datamodel>`: `<data id=\"list\" at:type=\"list[4] of int[0..9]\" expr=\"[]\"/>`",
        );
        return None;
    };
    if length > MOST {
        collector.advise(
            array.span,
            format!("this list can have {length} elements; `<foreach>` is read for up to {MOST}"),
            "use a quantifier or a fold over the list in `<at:do>`",
        );
        return None;
    }
    let places = ChartText::new(format!("int[0..{length}]"), array.span.clone());
    declare(&item, kind, machine);
    if let Some(index) = &index {
        declare(index, places, machine);
    }
    let body = actions(element, machine, collector);
    if let Some(changed) = body.iter().find_map(|action| changes(action, &array.text)) {
        collector.advise(
            changed,
            format!(
                "`{}` is changed while `<foreach>` goes through it",
                array.text
            ),
            "change a copy of the list",
        );
    }
    let list = array.text.trim();
    let text = |text: String| ChartText::new(text, array.span.clone());
    let mut all = None;
    for place in (0..length).rev() {
        let assign = |place: &ChartText, value: String| ChartAction::Assign {
            place: place.clone(),
            value: text(value),
        };
        let mut once = vec![assign(&item, format!("{list}[{place}]"))];
        once.extend(index.iter().map(|index| assign(index, place.to_string())));
        once.extend(body.iter().cloned());
        once.extend(all.take());
        let is_there = text(format!("len {list} > {place}"));
        all = Some(ChartAction::If(vec![(Some(is_there), once)]));
    }
    all
}

/// Length and element type of `list[n] of t`.
fn list_type(kind: &ChartText) -> Option<(usize, ChartText)> {
    let rest = kind
        .text
        .trim()
        .strip_prefix("list")?
        .trim_start()
        .strip_prefix('[')?;
    let (length, rest) = rest.split_once(']')?;
    let inner = rest.trim_start().strip_prefix("of ")?;
    Some((
        length.trim().parse().ok()?,
        ChartText::new(inner.trim(), kind.span.clone()),
    ))
}

fn declare(name: &ChartText, kind: ChartText, machine: &mut Machine) {
    if machine.data.iter().all(|data| data.name.text != name.text) {
        machine.data.push(Data {
            name: name.clone(),
            kind,
            value: None,
        });
    }
}

/// Where an action assigns to the list.
fn changes(action: &ChartAction, list: &str) -> Option<crate::charts::chart::ChartSpan> {
    match action {
        ChartAction::Assign { place, .. } => {
            let name = place.text.split('[').next().unwrap_or("").trim();
            (name == list.trim()).then(|| place.span.clone())
        }
        ChartAction::If(branches) => {
            let mut inner = branches.iter().flat_map(|(_, inner)| inner);
            inner.find_map(|action| changes(action, list))
        }
        _ => None,
    }
}
