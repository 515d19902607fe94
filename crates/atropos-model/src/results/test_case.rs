//! An abstract test: a graph. Inputs lead on; at every place each predicted output has a branch; the end is `pass`,
//! a predicted output off the path `inconc`, anything else `fail`. Where outputs may come in several orders and meet
//! again, all orders are followed.

use crate::generation::{Move, Path, SpecStateId, StateGraph, Workers};
use crate::model::{Model, Observation};
use crate::state_space::Limits;
use std::collections::BTreeMap;

/// How many outputs off the path are followed before the test gives up.
const DETOUR: usize = 6;
/// How many nodes off the path a test may have: a station's first outputs come in more orders than anybody can count.
const DETOURS: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edge {
    Step(Move),
    Pass,
    Inconclusive,
    /// Any other observation.
    Fail,
}

impl Edge {
    pub fn text(&self, model: &Model) -> String {
        match self {
            Edge::Step(step) => step.text(model),
            Edge::Pass => "pass".into(),
            Edge::Inconclusive => "inconc".into(),
            Edge::Fail => "fail".into(),
        }
    }
}

/// Node 0 is the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCase {
    pub nodes: usize,
    pub edges: Vec<(usize, Edge, usize)>,
}

impl TestCase {
    /// The test of a generated path.
    pub fn build(
        graph: &mut StateGraph,
        workers: &mut Workers,
        path: &Path,
        limits: Limits,
    ) -> TestCase {
        let mut builder = Builder {
            graph,
            workers,
            limits,
            detours: 0,
            test: TestCase {
                nodes: path.states.len(),
                edges: Vec::new(),
            },
        };
        let verdict = builder.node();
        for at in 0..path.states.len() {
            builder.place(path, at, verdict);
        }
        let last = path.states.len() - 1;
        builder.test.edges.push((last, Edge::Pass, verdict));
        builder.test
    }
}

struct Builder<'g> {
    graph: &'g mut StateGraph,
    workers: &'g mut Workers,
    limits: Limits,
    /// Nodes off the path.
    detours: usize,
    test: TestCase,
}

impl Builder<'_> {
    fn node(&mut self) -> usize {
        self.test.nodes += 1;
        self.test.nodes - 1
    }

    /// The edges that leave the `at`-th place of the path.
    fn place(&mut self, path: &Path, at: usize, verdict: usize) {
        let step = if at + 1 < path.states.len() {
            path.moves.get(at)
        } else {
            None
        };
        let Some(step) = step else { return };
        self.test.edges.push((at, Edge::Step(step.clone()), at + 1));
        let observed = match step {
            Move::Input(_) => None,
            Move::Observe(observation) => Some(observation),
        };
        let observations: Vec<Observation> = self
            .graph
            .state(path.states[at])
            .observations
            .iter()
            .cloned()
            .collect();
        // Where the test goes on by waiting, quiet nodes of the path are the ends of detours.
        let ends = ends(path, at);
        for observation in observations {
            // An input is given where nothing comes: quiescence is what it waits for.
            let silent = observed.is_none() && observation == Observation::Delta;
            if observed != Some(&observation) && !silent {
                self.detour(path.states[at], at, observation, &ends, DETOUR, verdict);
            }
        }
        self.test.edges.push((at, Edge::Fail, verdict));
    }

    fn detour(
        &mut self,
        place: SpecStateId,
        from: usize,
        observation: Observation,
        ends: &BTreeMap<SpecStateId, usize>,
        left: usize,
        verdict: usize,
    ) {
        let room = self.detours < DETOURS;
        let next = room.then(|| {
            self.graph
                .observe(self.workers, place, &observation, self.limits)
                .ok()
        });
        let next = next.flatten();
        let step = Move::Observe(observation);
        if let Some(end) = next.and_then(|next| ends.get(&next)) {
            self.test.edges.push((from, Edge::Step(step), *end));
            return;
        }
        let node = self.node();
        self.detours += 1;
        self.test.edges.push((from, Edge::Step(step), node));
        let onward: Vec<Observation> = match next {
            Some(next) if left > 0 && !ends.is_empty() => {
                let place = self.graph.state(next);
                place
                    .observations
                    .iter()
                    .filter(|o| **o != Observation::Delta)
                    .cloned()
                    .collect()
            }
            _ => Vec::new(),
        };
        let quiet = next.is_none_or(|next| {
            self.graph
                .state(next)
                .observations
                .contains(&Observation::Delta)
        });
        match next {
            Some(next) if !onward.is_empty() && !quiet => {
                for observation in onward {
                    self.detour(next, node, observation, ends, left - 1, verdict);
                }
                self.test.edges.push((node, Edge::Fail, verdict));
            }
            _ => self.test.edges.push((node, Edge::Inconclusive, verdict)),
        }
    }
}

/// The states that the path reaches from here by waiting alone, with their positions; none before an input.
fn ends(path: &Path, at: usize) -> BTreeMap<SpecStateId, usize> {
    let mut ends = BTreeMap::new();
    for later in at..path.moves.len() {
        if matches!(path.moves[later], Move::Input(_)) || later + 1 >= path.states.len() {
            break;
        }
        ends.entry(path.states[later + 1]).or_insert(later + 1);
    }
    ends
}
