//! An abstract test: a graph. A node either gives one input, without looking, or observes: each observation that the model
//! predicts has a branch, quiescence included, and anything else is `fail`. The last node of the path observes too, and
//! then comes `pass`. A predicted observation off the path leads back to the path where the model knows a way, and to
//! `inconc` where it knows none.

use crate::generation::{Move, Path, SpecStateId, StateGraph, Workers};
use crate::model::{Model, Observation};
use crate::state_space::StateSpaceLimits;
use std::collections::{HashMap, HashSet, VecDeque};

/// How many observations off the path are followed, one behind the other.
const DETOUR: usize = 6;
/// How many nodes off the path a test may have: a station's first outputs come in more orders than anybody can count.
const DETOURS: usize = 500;
/// How many moves a way back to the path may have, and how many states are looked at for it.
const WAY_BACK: usize = 12;
const LOOKED_AT: usize = 200;
/// How many moves that generation did not look at are looked at for ways back, in a whole test.
const LOOKS: usize = 5_000;
/// In larger models only what generation has looked at is used for ways back.
const MOST_OBJECTS: usize = 100;

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
    /// By the node they leave.
    pub edges: Vec<(usize, Edge, usize)>,
}

impl TestCase {
    /// The test of a generated path.
    pub fn build(
        graph: &mut StateGraph,
        workers: &mut Workers,
        path: &Path,
        limits: StateSpaceLimits,
    ) -> TestCase {
        let mut positions: HashMap<SpecStateId, Vec<usize>> = HashMap::new();
        for (at, state) in path.states.iter().enumerate() {
            positions.entry(*state).or_default().push(at);
        }
        let mut builder = Builder {
            looks: match workers.first().model.objects.len() <= MOST_OBJECTS {
                true => LOOKS,
                false => 0,
            },
            graph,
            workers,
            limits,
            positions,
            detours: 0,
            known: HashMap::new(),
            inconclusive: None,
            verdict: 0,
            test: TestCase {
                nodes: path.states.len(),
                edges: Vec::new(),
            },
        };
        builder.verdict = builder.node();
        builder.path(path);
        let mut test = builder.test;
        test.edges.sort_by_key(|(from, ..)| *from);
        test
    }
}

struct Builder<'g> {
    graph: &'g mut StateGraph,
    workers: &'g mut Workers,
    limits: StateSpaceLimits,
    /// So many moves that generation did not look at may be looked at now.
    looks: usize,
    /// Where the path is at a state; sorted.
    positions: HashMap<SpecStateId, Vec<usize>>,
    /// Nodes off the path.
    detours: usize,
    /// Finished nodes off the path. All lead to the path behind the node that is built now.
    known: HashMap<SpecStateId, usize>,
    inconclusive: Option<usize>,
    verdict: usize,
    test: TestCase,
}

impl Builder<'_> {
    fn node(&mut self) -> usize {
        self.test.nodes += 1;
        self.test.nodes - 1
    }

    fn edge(&mut self, from: usize, edge: Edge, to: usize) {
        self.test.edges.push((from, edge, to));
    }

    /// From the last node to the first, so that what leads back to the path leads forward.
    fn path(&mut self, path: &Path) {
        let last = path.states.len() - 1;
        let pass = self.node();
        self.edge(pass, Edge::Pass, self.verdict);
        for observation in self.observations(path.states[last]) {
            self.edge(last, Edge::Step(Move::Observe(observation)), pass);
        }
        self.edge(last, Edge::Fail, self.verdict);
        for at in (0..last).rev() {
            let step = &path.moves[at];
            self.edge(at, Edge::Step(step.clone()), at + 1);
            if let Move::Observe(expected) = step {
                self.others(path.states[at], at, expected, at, DETOUR);
            }
        }
    }

    fn observations(&self, state: SpecStateId) -> Vec<Observation> {
        let state = self.graph.state(state);
        state.observations.iter().cloned().collect()
    }

    /// The branches of a node that observes, but for the expected one. They come back behind the `at`-th node.
    fn others(
        &mut self,
        state: SpecStateId,
        node: usize,
        expected: &Observation,
        at: usize,
        left: usize,
    ) {
        let mut others = self.observations(state);
        others.retain(|observation| observation != expected);
        self.look_ahead(state, &others);
        for observation in others {
            let to = self.branch(state, &observation, at, left);
            self.edge(node, Edge::Step(Move::Observe(observation)), to);
        }
        self.edge(node, Edge::Fail, self.verdict);
    }

    /// Explores where several observations lead, by all workers at once.
    fn look_ahead(&mut self, state: SpecStateId, observations: &[Observation]) {
        if self.detours < DETOURS {
            let limits = self.limits;
            self.graph
                .observe_ahead(self.workers, state, observations, limits);
        }
    }

    /// Where an observation off the path leads.
    fn branch(
        &mut self,
        state: SpecStateId,
        observation: &Observation,
        at: usize,
        left: usize,
    ) -> usize {
        if self.detours >= DETOURS {
            return self.inconclusive();
        }
        let next = self
            .graph
            .observe(self.workers, state, observation, self.limits);
        match next {
            Ok(next) => self.continuation(next, at, left),
            Err(_) => self.inconclusive(),
        }
    }

    fn later(&self, state: SpecStateId, at: usize) -> Option<usize> {
        let positions = self.positions.get(&state)?;
        let after = positions.partition_point(|position| *position <= at);
        positions.get(after).copied()
    }

    /// The node from which the test goes on at a state that is not the expected one.
    fn continuation(&mut self, state: SpecStateId, at: usize, left: usize) -> usize {
        if let Some(position) = self.later(state, at) {
            return position;
        }
        if let Some(known) = self.known.get(&state) {
            return *known;
        }
        if left == 0 || self.detours >= DETOURS {
            return self.inconclusive();
        }
        let Some(way) = self.way_back(state, at) else {
            return self.only_observing(state, at, left);
        };
        let mut next = way.last().and_then(|(_, _, to)| self.later(*to, at));
        for (from, step, _) in way.into_iter().rev() {
            let Some(to) = next else { break };
            let node = self.node();
            self.detours += 1;
            if let Move::Observe(expected) = &step {
                self.others(from, node, expected, at, left - 1);
            }
            self.edge(node, Edge::Step(step), to);
            self.known.entry(from).or_insert(node);
            next = Some(node);
        }
        match next {
            Some(node) => node,
            None => self.inconclusive(),
        }
    }

    /// Without a known way: where the model must show something, that may lead to the path.
    fn only_observing(&mut self, state: SpecStateId, at: usize, left: usize) -> usize {
        let observations = self.observations(state);
        if observations.contains(&Observation::Delta) {
            return self.inconclusive();
        }
        let node = self.node();
        self.detours += 1;
        self.look_ahead(state, &observations);
        for observation in observations {
            let to = self.branch(state, &observation, at, left - 1);
            self.edge(node, Edge::Step(Move::Observe(observation)), to);
        }
        self.edge(node, Edge::Fail, self.verdict);
        self.known.entry(state).or_insert(node);
        node
    }

    fn inconclusive(&mut self) -> usize {
        if let Some(node) = self.inconclusive {
            return node;
        }
        let node = self.node();
        self.edge(node, Edge::Inconclusive, self.verdict);
        self.inconclusive = Some(node);
        node
    }

    /// The shortest way from a state to the path behind its `at`-th node.
    fn way_back(
        &mut self,
        state: SpecStateId,
        at: usize,
    ) -> Option<Vec<(SpecStateId, Move, SpecStateId)>> {
        let mut came: HashMap<SpecStateId, (SpecStateId, Move)> = HashMap::new();
        let mut seen: HashSet<SpecStateId> = [state].into();
        let mut queue: VecDeque<(SpecStateId, usize)> = [(state, 0)].into();
        while let Some((from, moves)) = queue.pop_front() {
            if moves >= WAY_BACK || seen.len() >= LOOKED_AT {
                return None;
            }
            for (step, to) in self.moves(from) {
                if !seen.insert(to) {
                    continue;
                }
                came.insert(to, (from, step));
                if self.later(to, at).is_some() {
                    let mut way = Vec::new();
                    let mut end = to;
                    while let Some((from, step)) = came.remove(&end) {
                        way.push((from, step, end));
                        end = from;
                    }
                    way.reverse();
                    return Some(way);
                }
                queue.push_back((to, moves + 1));
            }
        }
        None
    }

    /// The moves from a state, with where they lead.
    fn moves(&mut self, state: SpecStateId) -> Vec<(Move, SpecStateId)> {
        if self.looks > 0 {
            if self.graph.find_transitions(self.workers, state).is_err() {
                return Vec::new();
            }
            let transitions = self.graph.state(state).transitions().iter().enumerate();
            let unknown = transitions.filter(|(_, transition)| transition.next.is_none());
            let unknown: Vec<usize> = unknown.map(|(at, _)| at).take(self.looks).collect();
            self.looks -= unknown.len();
            self.graph
                .look_ahead(self.workers, state, &unknown, self.limits);
        }
        let transitions = self.graph.state(state).transitions().iter();
        transitions
            .filter_map(|transition| Some((transition.step.clone(), transition.next?)))
            .collect()
    }
}
