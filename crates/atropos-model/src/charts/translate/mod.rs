//! From a chart to OOAS text that a person can read.
//!
//! One class per machine. A compound state becomes a variable whose enumeration lists its children (and `Inactive`); a parallel state is the
//! variables of its regions together; a history is a variable that remembers. Inputs are `ctr` actions, sends without a receiver `obs` actions.
//! Where UML leaves the order of regions open, the text has both orders (`[]`); inner transitions come before outer ones (`//`). An input is
//! enabled only where some transition waits for it.
//!
//! Deviations from SCXML: a `<send>` without a target that the machine does not wait for is an observation; sending a delayed event again
//! under the same id restarts its timer.

mod action;
mod class;
mod clock;
mod code;
mod layout;
mod movement;
mod network;
mod reaction;
mod scope;
mod writer;

pub use scope::{Origin, Translation, gate, mark};
pub use writer::in_predicates;

use super::chart::{Chart, ChartAction, Machine, Notation, StateKind};
use super::mutants::Variants;
use class::ClassRole;
use layout::ChartLayout;
use scope::{ChartScope, unmark};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use writer::{ClassWriter, FixedNames};

/// The chart as an OOAS model.
#[cfg(test)]
pub fn translate(chart: &Chart) -> String {
    translate_with_origins(chart).text
}

/// The chart as an OOAS model, and which bytes of it the user wrote where in the chart.
pub fn translate_with_origins(chart: &Chart) -> Translation {
    translate_variants(chart, &vec![Variants::default(); chart.machines.len()])
}

/// A chart that holds mutants as an OOAS model; `variants` are those of each machine.
pub fn translate_variants(chart: &Chart, variants: &[Variants]) -> Translation {
    unmark(&translate_marked(chart, variants))
}

fn translate_marked(chart: &Chart, variants: &[Variants]) -> String {
    let mut global = reserved(chart);
    let event_types: BTreeMap<String, String> = chart
        .machines
        .iter()
        .map(|machine| {
            let class = &machine.name.text;
            (class.clone(), global.fresh(&format!("t_{class}_event")))
        })
        .collect();
    let fixed = fixed_names(&mut global);
    let mut prepared = Vec::new();
    for (machine, variants) in chart.machines.iter().zip(variants) {
        let mut class = global.clone();
        let received = received(chart, machine);
        let layout = ChartLayout::of(machine, variants, &received, &mut global, &mut class);
        let words = words(machine, &event_types, &fixed, &mut global, &mut class);
        prepared.push((machine, layout, words, class, variants));
    }
    let mut out = header(chart);
    let layouts: Vec<&ChartLayout> = prepared.iter().map(|(_, layout, ..)| layout).collect();
    out.push_str(&constants(&layouts));
    out.push_str("types\n");
    out.push_str(&type_definitions(chart, &fixed, &prepared));
    let members: Vec<(&Machine, FixedNames, bool)> = prepared
        .iter()
        .map(|(machine, layout, words, ..)| (*machine, words.clone(), !layout.timers.is_empty()))
        .collect();
    let timed = members.iter().any(|(_, _, timed)| *timed);
    let mut classes = Vec::new();
    for (machine, layout, words, class, variants) in prepared {
        let role = match chart.instances.is_empty() {
            true => ClassRole::Alone,
            false => ClassRole::Member { timed },
        };
        let events = event_types.clone();
        let writer = ClassWriter::new(chart, machine, variants, layout, words, events, class);
        let remark = format!("  # The state machine {}.\n", machine.name.text);
        classes.push(format!("{remark}{}", writer.class(role)));
    }
    let mut order: Vec<String> = chart.machines.iter().map(|m| m.name.text.clone()).collect();
    if !chart.instances.is_empty() {
        let name = global.fresh(&chart.name);
        classes.push(network::class(chart, &name, &members));
        order.push(name);
    }
    let _ = write!(
        out,
        "{}\nsystem\n  {}\n",
        classes.join(";\n"),
        order.join(" [] ")
    );
    out
}

/// Every word of the user's, and the language's own.
fn reserved(chart: &Chart) -> ChartScope {
    let mut scope = ChartScope::default();
    for text in &chart.types {
        scope.reserve(&text.text);
    }
    for machine in &chart.machines {
        scope.reserve(&machine.name.text);
        for data in &machine.data {
            scope.reserve(&data.name.text);
        }
        for reference in &machine.references {
            scope.reserve(&reference.name.text);
        }
        for signature in machine.inputs.iter().chain(&machine.outputs) {
            scope.reserve(&signature.name.text);
            for (name, _) in &signature.parameters {
                scope.reserve(&name.text);
            }
        }
        for (_, transition) in machine.transitions() {
            if let super::chart::Trigger::Event(event) = &transition.trigger {
                scope.reserve(&event.text);
                // The method that reacts to it is always called so.
                scope.reserve(&format!("on_{}", event.text));
            }
        }
        for action in machine.actions() {
            if let ChartAction::Observe { name, .. } = action {
                scope.reserve(&name.text);
            }
        }
    }
    for instance in &chart.instances {
        scope.reserve(&instance.name.text);
    }
    scope
}

/// Names that all classes of the model share.
struct Fixed {
    time: String,
    receive: String,
    wire: String,
    after: String,
    next_timeout: String,
    advance: String,
    idle: String,
}

fn fixed_names(global: &mut ChartScope) -> Fixed {
    Fixed {
        time: global.fresh("t_Time"),
        receive: global.fresh("receive"),
        wire: global.fresh("wire"),
        after: global.fresh("after"),
        next_timeout: global.fresh("next_timeout"),
        advance: global.fresh("advance"),
        idle: global.fresh("idle"),
    }
}

fn words(
    machine: &Machine,
    event_types: &BTreeMap<String, String>,
    fixed: &Fixed,
    global: &mut ChartScope,
    class: &mut ChartScope,
) -> FixedNames {
    FixedNames {
        timers: class.fresh("timers"),
        time: fixed.time.clone(),
        timer_index: global.fresh(&format!("t_{}_timer", machine.name.text)),
        queue: class.fresh("queue"),
        inbox: class.fresh("inbox"),
        event: event_types[&machine.name.text].clone(),
        receive: fixed.receive.clone(),
        wire: fixed.wire.clone(),
        wired: class.fresh("wired"),
        after: fixed.after.clone(),
        next_timeout: fixed.next_timeout.clone(),
        advance: fixed.advance.clone(),
        idle: fixed.idle.clone(),
    }
}

/// Events that some object sends to objects of this class.
fn received(chart: &Chart, machine: &Machine) -> BTreeSet<String> {
    let mut events = BTreeSet::new();
    for sender in &chart.machines {
        for action in sender.actions() {
            let ChartAction::Send { event, to } = action else {
                continue;
            };
            let to_us = sender.references.iter().any(|reference| {
                reference.name.text == to.text && reference.class.text == machine.name.text
            });
            if to_us {
                events.insert(event.text.clone());
            }
        }
    }
    events
}

fn header(chart: &Chart) -> String {
    let notation = match chart.notation {
        Notation::Scxml => "SCXML",
        Notation::Uml => "UML",
    };
    format!(
        "# {}: an action system translated from a state chart ({notation}).\n# Change the chart and translate again rather than change this text.\n{}\n",
        chart.name,
        unit(chart.unit)
    )
}

/// A remark on the unit of time, where it is no second.
fn unit(milliseconds: u32) -> String {
    match milliseconds {
        1000 => String::new(),
        _ => format!("# A unit of time is {milliseconds} ms.\n"),
    }
}

/// The timers' places in their lists.
fn constants(layouts: &[&ChartLayout]) -> String {
    let lines: Vec<String> = layouts
        .iter()
        .flat_map(|layout| layout.timers.iter().enumerate())
        .map(|(place, timer)| format!("  {} = {place}", timer.constant))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "consts\n  # Places in the lists of timers.\n{}\n",
        lines.join(";\n")
    )
}

fn type_definitions(
    chart: &Chart,
    fixed: &Fixed,
    prepared: &[(&Machine, ChartLayout, FixedNames, ChartScope, &Variants)],
) -> String {
    let mut out = String::new();
    for text in &chart.types {
        let definitions = mark(text);
        let definitions = definitions.trim_end();
        let _ = writeln!(out, "  {definitions};");
    }
    let longest = prepared
        .iter()
        .flat_map(|(_, layout, _, _, variants)| {
            let mutated = variants.times.values().flatten().map(|(_, time)| *time);
            layout
                .timers
                .iter()
                .map(layout::Timer::longest)
                .chain(mutated)
        })
        .max();
    if let Some(longest) = longest {
        let _ = writeln!(
            out,
            "  # What is left of a timer.\n  {} = int[-1..{longest}];",
            fixed.time
        );
    }
    for (machine, layout, words, ..) in prepared {
        for (&id, region) in &layout.regions {
            let mut values: Vec<&str> = machine
                .active_children(id)
                .map(|child| machine.state(child).name.text.as_str())
                .collect();
            values.insert(0, &region.inactive);
            let what = match machine.state(id).kind {
                StateKind::Compound if machine.state(id).parent.is_some() => "state",
                _ => "machine",
            };
            let _ = writeln!(
                out,
                "  # The states of the {what} {}.\n  {} = {{{}}};",
                machine.state(id).name.text,
                region.kind,
                values.join(", ")
            );
        }
        if !layout.timers.is_empty() {
            let last = layout.timers.len() - 1;
            let _ = writeln!(out, "  {} = int[0..{last}];", words.timer_index);
        }
        if !layout.queued.is_empty() {
            let events: Vec<&str> = layout.queued.iter().map(String::as_str).collect();
            let _ = writeln!(
                out,
                "  # Events that wait in a queue of {}.\n  {} = {{{}}};",
                machine.name.text,
                words.event,
                events.join(", ")
            );
        }
    }
    out
}
