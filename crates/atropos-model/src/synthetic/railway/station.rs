//! The station: makes all objects, wires them, brings them up, and offers the inputs.

use super::layout::{TrackElement, TrackLayout};
use crate::synthetic::class::ClassText;

/// Inputs of each sort of object: the operator's and the field's.
const SECTION: &[&str] = &["occupy", "vacate", "bar", "unbar", "reset"];
const RELAY: &[&str] = &["drop", "energise", "disturb", "repair"];
const SWITCH: &[&str] = &["reach", "trail", "restore", "throw"];
const SIGNAL: &[&str] = &["fail", "mend", "halt", "resume"];
const ROUTE: &[&str] = &[
    "request", "confirm", "cancel", "free", "block", "unblock", "ask",
];

/// The station's class.
pub fn class(layout: &TrackLayout) -> ClassText {
    let mut class = ClassText::new(
        "Station",
        "The station: makes, wires and brings up all other objects, and offers the inputs.",
    );
    class.autocons = true;
    let objects = objects(layout);
    for (name, kind, _) in &objects {
        class
            .attributes
            .push(format!("{name} : {kind} = new({kind}, \"{name}\")"));
    }
    class = class.with_attributes("phase : int[0..4] = 0\nnight : bool = false");
    for (sort, kind) in [
        ("section", "TrackSection"),
        ("relay", "TrackRelay"),
        ("switch", "Switch"),
        ("signal", "MainSignal"),
    ] {
        class.attributes.push(format!(
            "all_{} : list[{}] of {kind} = []",
            plural(sort),
            count(layout, sort)
        ));
    }
    let mut inputs = Vec::new();
    for (name, _, events) in &objects {
        for event in *events {
            let input = format!("{name}_{event}");
            class.actions.push(format!(
                "ctr {input} =\n  requires {name}.may_{event}(): {name}.{event}() end"
            ));
            inputs.push(format!("{input}()"));
        }
    }
    let (own, calls) = own_inputs();
    class = class.with_actions(own);
    inputs.extend(calls.iter().map(|call| (*call).to_owned()));
    let mut wiring = elements_wiring(layout, &mut class);
    wiring.extend(route_wiring(layout, &mut class));
    class.actions.push(format!(
        "wire_up =\n  requires phase = 0:\n    {};\n    phase := 1\n  end",
        wiring.join(";\n    ")
    ));
    class = class
        .with_methods(
            "ready: bool =
  result := (forall s: t_section: (all_sections[s].is_ready()))
    and (forall r: t_relay: (all_relays[r].is_ready()))
    and (forall w: t_switch: (all_switches[w].is_ready()))
    and (forall g: t_signal: (all_signals[g].is_ready()))
end",
        )
        .with_actions(
            "self_test =
  requires phase = 1 and ready():
    phase := 2;
    SelfTestPassed()
  end

console =
  requires phase = 2:
    phase := 3;
    ConsoleOn()
  end

announce =
  requires phase = 3:
    phase := 4;
    StationReady()
  end

obs SelfTestPassed = requires true: skip end

obs ConsoleOn = requires true: skip end

obs StationReady = requires true: skip end

obs NightOn = requires true: skip end

obs NightOff = requires true: skip end

obs AllClear = requires true: skip end

obs NotClear = requires true: skip end",
        );
    class.ranks = vec![
        vec!["wire_up()".to_owned()],
        vec![
            "self_test()".to_owned(),
            "console()".to_owned(),
            "announce()".to_owned(),
        ],
        vec![format!(
            "requires phase = 4:\n        {}\n      end",
            inputs.join(" []\n        ")
        )],
    ];
    class
}

/// Name, class and inputs of every object but the station.
fn objects(layout: &TrackLayout) -> Vec<(String, &'static str, &'static [&'static str])> {
    let numbers = layout.numbers;
    let mut objects: Vec<(String, &'static str, &'static [&'static str])> = Vec::new();
    let elements = (0..numbers.sections)
        .map(|number| (TrackElement::Section(number), SECTION))
        .chain((0..numbers.relays).map(|number| (TrackElement::Relay(number), RELAY)))
        .chain((0..numbers.switches).map(|number| (TrackElement::Switch(number), SWITCH)))
        .chain((0..numbers.signals).map(|number| (TrackElement::Signal(number), SIGNAL)));
    for (element, events) in elements {
        objects.push((element.name(), element.class(), events));
    }
    for route in 0..numbers.routes {
        objects.push((format!("route_{route}"), "Route", ROUTE));
    }
    for (route, elements) in layout.routes.iter().enumerate() {
        for &element in elements {
            objects.push((pair_name(route, element), pair_class(element), &[]));
        }
    }
    objects
}

fn pair_name(route: usize, element: TrackElement) -> String {
    format!("route_{route}_{}", element.name())
}

fn pair_class(element: TrackElement) -> &'static str {
    match element {
        TrackElement::Section(_) => "RouteSection",
        TrackElement::Relay(_) => "RouteRelay",
        TrackElement::Switch(_) => "RouteSwitch",
        TrackElement::Signal(_) => "RouteSignal",
    }
}

fn count(layout: &TrackLayout, sort: &str) -> usize {
    let numbers = layout.numbers;
    match sort {
        "section" => numbers.sections,
        "relay" => numbers.relays,
        "switch" => numbers.switches,
        _ => numbers.signals,
    }
}

fn plural(sort: &str) -> String {
    match sort {
        "switch" => "switches".to_owned(),
        _ => format!("{sort}s"),
    }
}

/// Inputs for the whole station.
fn own_inputs() -> (&'static str, &'static [&'static str]) {
    (
        "ctr NightBegins =
  requires not night: night := true; NightOn() end

ctr DayBegins =
  requires night: night := false; NightOff() end

ctr AskClear =
  requires forall s: t_section: (all_sections[s].is_clear()): AllClear() end

ctr AskOccupied =
  requires exists s: t_section: (all_sections[s].is_occupied()): NotClear() end",
        &[
            "NightBegins()",
            "DayBegins()",
            "AskClear()",
            "AskOccupied()",
        ],
    )
}

/// Relays to sections, and the order in which elements come up.
fn elements_wiring(layout: &TrackLayout, class: &mut ClassText) -> Vec<String> {
    let mut calls = Vec::new();
    for (sort, make) in [
        (
            "section",
            TrackElement::Section as fn(usize) -> TrackElement,
        ),
        ("relay", TrackElement::Relay),
        ("switch", TrackElement::Switch),
        ("signal", TrackElement::Signal),
    ] {
        let names: Vec<String> = (0..count(layout, sort))
            .map(|number| make(number).name())
            .collect();
        calls.push(format!("all_{} := [{}]", plural(sort), names.join(", ")));
    }
    let mut parts = Vec::new();
    for relay in 0..layout.numbers.relays {
        let section = layout.section_of_relay(relay);
        parts.push(format!("relay_{relay}.wire(section_{section})"));
        parts.push(format!("section_{section}.add_relay(relay_{relay})"));
    }
    for (number, track) in layout.tracks.iter().enumerate() {
        for neighbours in track.windows(2) {
            let (one, next) = (neighbours[0], neighbours[1]);
            parts.push(format!(
                "{}.before_{}({})",
                one.name(),
                next.sort(),
                next.name()
            ));
        }
        if let Some(first) = track.first() {
            parts.push(format!("{}.begin_up()", first.name()));
        }
        class.methods.push(format!(
            "wire_track_{number} =\n  {}\nend",
            parts.join(";\n  ")
        ));
        calls.push(format!("wire_track_{number}()"));
        parts.clear();
    }
    calls
}

/// Pairs to their routes and elements, a method per route.
fn route_wiring(layout: &TrackLayout, class: &mut ClassText) -> Vec<String> {
    let mut calls = Vec::new();
    for (route, elements) in layout.routes.iter().enumerate() {
        let mut parts = Vec::new();
        for (place, &element) in elements.iter().enumerate() {
            let pair = pair_name(route, element);
            let sort = element.sort();
            parts.push(format!("{pair}.wire(route_{route}, {})", element.name()));
            parts.push(format!("route_{route}.add_{sort}({pair})"));
            parts.push(format!("{}.add_user({pair})", element.name()));
            parts.push(format!("{pair}.set_order({place})"));
            parts.push(format!(
                "{pair}.set_overlap({})",
                place + 2 > elements.len()
            ));
            match element {
                TrackElement::Switch(number) => {
                    let position = if (number + route) % 2 == 0 {
                        "Plus"
                    } else {
                        "Minus"
                    };
                    parts.push(format!("{pair}.set_required(t_Position.{position})"));
                }
                TrackElement::Signal(_) => parts.push(format!("{pair}.set_start({})", place == 0)),
                _ => parts.push(format!("{pair}.set_flank({})", place % 5 == 4)),
            }
        }
        class.methods.push(format!(
            "wire_route_{route} =\n  {}\nend",
            parts.join(";\n  ")
        ));
        calls.push(format!("wire_route_{route}()"));
    }
    calls
}
