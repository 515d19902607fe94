//! Random charts: every one translates to a good model that walks without errors and never shows a state entered twice or left unentered.

use super::{Node, animate};
use crate::random::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A random chart: nested, parallel, with histories, timers, guards; every state announces its entry and exit.
pub fn chart(seed: u64) -> String {
    let mut random = SplitMix64::new(seed);
    let mut drawing = Drawing {
        names: Vec::new(),
        histories: Vec::new(),
        bodies: BTreeMap::new(),
    };
    let mut tops = Vec::new();
    for _ in 0..2 + random.remainder(2) {
        tops.push(drawing.state(2, &mut random));
    }
    let mut out = String::from(
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" xmlns:at=\"urn:atropos:ooas\" name=\"Any\"><datamodel><data id=\"x\" at:type=\"int[0..2]\" expr=\"0\"/></datamodel>",
    );
    for top in tops {
        drawing.write(&top, &mut random, &mut out);
    }
    out.push_str("</scxml>");
    out
}

struct Drawing {
    names: Vec<String>,
    histories: Vec<String>,
    /// (element, children) of each state.
    bodies: BTreeMap<String, (&'static str, Vec<String>)>,
}

impl Drawing {
    fn state(&mut self, depth: usize, random: &mut SplitMix64) -> String {
        let name = format!("S{}", self.names.len());
        self.names.push(name.clone());
        let children = match depth {
            0 => 0,
            _ => [0, 2, 3][random.remainder(3)],
        };
        let element = if children > 0 && random.remainder(3) == 0 {
            "parallel"
        } else {
            "state"
        };
        let inner: Vec<String> = (0..children)
            .map(|_| self.state(depth - 1, random))
            .collect();
        if !inner.is_empty() && random.remainder(2) == 0 {
            self.histories.push(name.clone());
        }
        self.bodies.insert(name.clone(), (element, inner));
        name
    }

    fn write(&self, name: &str, random: &mut SplitMix64, out: &mut String) {
        let (element, children) = &self.bodies[name];
        let _ = write!(
            out,
            "<{element} id=\"{name}\"><onentry><send event=\"In{name}\"/></onentry><onexit><send event=\"Out{name}\"/></onexit>"
        );
        if self.histories.iter().any(|history| history == name) {
            let kind = random.pick(&["shallow", "deep"]);
            let _ = write!(out, "<history id=\"H{name}\" type=\"{kind}\"/>");
        }
        for _ in 0..1 + random.remainder(2) {
            let trigger = match random.remainder(5) {
                0 => format!("at:after=\"{}\"", 1 + random.remainder(3)),
                number => format!("event=\"e{}\"", number % 3),
            };
            let guard = random.pick(&["", "", " cond=\"x = 0\"", " cond=\"x &lt; 2\""]);
            let target = match (random.remainder(6), self.histories.is_empty()) {
                (0, _) => String::new(),
                (1, false) => format!(" target=\"H{}\"", random.pick(&self.histories)),
                _ => format!(" target=\"{}\"", random.pick(&self.names)),
            };
            let _ = write!(
                out,
                "<transition {trigger}{guard}{target}><assign location=\"x\" expr=\"(x + 1) mod 3\"/></transition>"
            );
        }
        for child in children {
            self.write(child, random, out);
        }
        let _ = write!(out, "</{element}>");
    }
}

#[test]
fn random_charts_walk_without_errors_and_enter_and_leave_their_states_in_turn() {
    let mut moved = 0;
    for seed in 0..60 {
        let source = chart(seed);
        let machine = animate("any.scxml", &source);
        let mut random = SplitMix64::new(seed);
        let mut node: Node = (machine.model.initial.clone(), Vec::new());
        let mut active: BTreeSet<String> = BTreeSet::new();
        for _ in 0..60 {
            let mut steps = machine.steps(&node);
            if steps.is_empty() {
                break;
            }
            let (label, next) = steps.swap_remove(random.remainder(steps.len()));
            node = next;
            let Some(label) = label else { continue };
            assert_ne!(label, super::FAILS, "{source}");
            if let Some(name) = label.strip_prefix("obs In") {
                assert!(
                    active.insert(name.to_owned()),
                    "{name} is entered twice\n{source}"
                );
                moved += 1;
            } else if let Some(name) = label.strip_prefix("obs Out") {
                assert!(
                    active.remove(name),
                    "{name} is left but was not active\n{source}"
                );
            } else if label.starts_with("ctr") || label.starts_with("obs after") {
                assert_is_configuration(&source, &active);
            }
        }
    }
    assert!(moved > 500, "the charts hardly move: {moved}");
}

/// Between two steps, exactly one child of each active compound state is active, all of a parallel one, none of an inactive one.
fn assert_is_configuration(source: &str, active: &BTreeSet<String>) {
    let chart = crate::charts::scxml::read("any.scxml", source).expect("a good chart");
    let machine = &chart.machines[0];
    use crate::charts::chart::{StateId, StateKind};
    for id in machine.ids() {
        let on = |id: StateId| id == StateId::ROOT || active.contains(&machine.state(id).name.text);
        let all = machine.active_children(id).count();
        let now = machine
            .active_children(id)
            .filter(|&child| on(child))
            .count();
        let expected = match (on(id), &machine.state(id).kind) {
            (false, _) => 0,
            (true, StateKind::Compound) => 1,
            (true, _) => all,
        };
        assert_eq!(
            now,
            expected,
            "in {}: {active:?}\n{source}",
            machine.state(id).name.text
        );
    }
}
