//! Charts are tested by what their translations do: each is checked, run by the reference interpreter, and asked what it shows after a trace.

mod car_alarm;
mod constructs;
mod errors;
mod examples;
mod json;
mod mermaid;
mod mutants;
mod network;
mod parallel;
mod plantuml;
mod random;
mod states;
mod time;
mod w3c;
mod xmi;

use crate::check;
use crate::execution::interpreter::iterations;
use crate::model::{Label, Model, State};
use crate::mutation::{MutantSet, MutationMode};
use std::collections::{BTreeSet, VecDeque};

/// A state, or a place inside an iteration: labels still to come.
type Node = (State, Vec<Label>);

/// In place of a label: the step ends in an execution error. Only mutants should.
const FAILS: &str = "fails";

/// A translated chart (or any model) under the interpreter.
struct Animation {
    model: Model,
    mode: MutationMode,
}

/// What may follow a trace: labels, and `delta` where nothing may come.
type Offers = BTreeSet<String>;

fn animate(file: &str, source: &str) -> Animation {
    let chart = match super::read(file, source).expect("a chart's file name") {
        Ok(chart) => chart,
        Err(problems) => panic!("{problems}"),
    };
    animate_model(&super::translate(&chart))
}

fn animate_model(text: &str) -> Animation {
    let model = check::load(text).unwrap_or_else(|diagnostics| {
        panic!("{}\n{text}", diagnostics.render("translated", text, false))
    });
    let mode = MutationMode::original(&model.mutants);
    Animation { model, mode }
}

/// SCXML without the ceremony.
fn scxml(inside: &str) -> Animation {
    animate("test.scxml", &scxml_source(inside))
}

fn scxml_source(inside: &str) -> String {
    format!(
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" xmlns:at=\"urn:atropos:ooas\" name=\"Machine\">\n{inside}\n</scxml>"
    )
}

/// PlantUML without the ceremony.
fn plantuml(inside: &str) -> Animation {
    animate(
        "test.puml",
        &format!("@startuml Machine\n{inside}\n@enduml"),
    )
}

impl Animation {
    fn start(&self) -> BTreeSet<Node> {
        self.close(BTreeSet::from([(self.model.initial.clone(), Vec::new())]))
    }

    /// One step of a node: `None` is internal.
    fn steps(&self, (state, pending): &Node) -> Vec<(Option<String>, Node)> {
        if let Some((first, rest)) = pending.split_first() {
            let label = self.model.label_text(first);
            return vec![(Some(label), (state.clone(), rest.to_vec()))];
        }
        for rank in &self.model.ranks {
            let mut found = Vec::new();
            for &object in rank {
                let mut infected = MutantSet::default();
                for outcome in iterations(&self.model, state, object, &self.mode, &mut infected) {
                    let Ok(next) = outcome.result else {
                        found.push((Some(FAILS.to_owned()), (state.clone(), Vec::new())));
                        continue;
                    };
                    found.push(match outcome.labels.split_first() {
                        None => (None, (next, Vec::new())),
                        Some((first, rest)) => {
                            (Some(self.model.label_text(first)), (next, rest.to_vec()))
                        }
                    });
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    fn close(&self, nodes: BTreeSet<Node>) -> BTreeSet<Node> {
        let mut closed = nodes.clone();
        let mut waiting: Vec<Node> = nodes.into_iter().collect();
        while let Some(node) = waiting.pop() {
            for (label, next) in self.steps(&node) {
                if label.is_none() && closed.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
        closed
    }

    fn offers(&self, nodes: &BTreeSet<Node>) -> Offers {
        let mut offers = Offers::new();
        for node in nodes {
            let steps = self.steps(node);
            let input =
                |label: &Option<String>| label.as_ref().is_some_and(|l| l.starts_with("ctr"));
            if steps.iter().all(|(label, _)| input(label)) {
                offers.insert("delta".to_owned());
            }
            offers.extend(steps.into_iter().filter_map(|(label, _)| label));
        }
        offers
    }

    fn follow(&self, nodes: &BTreeSet<Node>, wanted: &str) -> BTreeSet<Node> {
        let mut next = BTreeSet::new();
        for node in nodes {
            let steps = self.steps(node);
            if wanted == "delta" {
                if self
                    .offers(&BTreeSet::from([node.clone()]))
                    .contains("delta")
                {
                    next.insert(node.clone());
                }
                continue;
            }
            for (label, target) in steps {
                if label.as_deref() == Some(wanted) {
                    next.insert(target);
                }
            }
        }
        self.close(next)
    }

    /// What may follow a trace. Words are inputs, words with a `!` before them observations.
    fn after(&self, trace: &str) -> Offers {
        let mut nodes = self.start();
        for word in trace.split_whitespace() {
            let label = match word.strip_prefix('!') {
                Some(observation) => format!("obs {observation}"),
                None => format!("ctr {word}"),
            };
            nodes = self.follow(&nodes, &label);
            assert!(!nodes.is_empty(), "`{word}` of `{trace}` cannot happen");
        }
        self.offers(&nodes)
    }

    /// Whether exactly these may follow a trace (written as in `after`, `delta` for silence).
    fn shows(&self, trace: &str, expected: &str) {
        let expected: Offers = expected
            .split_whitespace()
            .map(|word| match word.strip_prefix('!') {
                Some(observation) => format!("obs {observation}"),
                None if word == "delta" => "delta".to_owned(),
                None => format!("ctr {word}"),
            })
            .collect();
        assert_eq!(self.after(trace), expected, "after `{trace}`");
    }
}

/// The first trace after which the two models differ, if there is one, and how many pairs of suspension states were compared.
fn compare(left: &Animation, right: &Animation) -> Result<usize, String> {
    compare_some(left, right, usize::MAX)
}

/// The same, but no more than so many pairs.
fn compare_some(left: &Animation, right: &Animation, most: usize) -> Result<usize, String> {
    let mut seen = BTreeSet::new();
    let mut waiting = VecDeque::from([(left.start(), right.start(), String::new())]);
    while let Some((one, other, trace)) = waiting.pop_front() {
        if seen.len() == most {
            break;
        }
        if !seen.insert((one.clone(), other.clone())) {
            continue;
        }
        let (offers, others) = (left.offers(&one), right.offers(&other));
        if offers != others {
            return Err(format!("after `{trace}`: {offers:?} against {others:?}"));
        }
        for label in offers {
            let next = (left.follow(&one, &label), right.follow(&other, &label));
            waiting.push_back((next.0, next.1, format!("{trace} {label}")));
        }
    }
    Ok(seen.len())
}
