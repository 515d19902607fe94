//! One test against the original or a mutant. Whatever the system may do is followed, so a test kills a mutant if one of the
//! mutant's runs fails it.

use super::written_test::{NodeAction, WrittenTest};
use crate::model::{ExecError, Label, Observation};
use crate::mutation::{ModelMutantId, MutantSet};
use crate::state_space::{
    Acting, FastMap, FastSet, StateExplorer, StateSpaceLimits, Stop, Suspension, SuspensionNode,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A mutant may go through so many times as many nodes as the original went through at once, and some more; and so many
/// times as many in the whole test.
const NODE_FACTOR: usize = 4;
const MORE_NODES: usize = 1_000;
const TEST_FACTOR: usize = 20;
const MORE_TEST_NODES: usize = 20_000;

/// The first failure that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFailure {
    /// What was given and seen before.
    pub trace: Vec<String>,
    /// What the test does not allow there.
    pub observation: String,
}

/// The result of the runs of one system on one test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunResult {
    pub failure: Option<TestFailure>,
    pub error: Option<ExecError>,
    /// Some run went through too many states, or took too much work.
    pub limit_reached: bool,
    /// It was ended from outside: only a failure counts.
    pub halted: bool,
    pub passes: bool,
    pub inconclusive: bool,
}

/// Where a run is: the test's node, and what the system may be in, before internal steps.
type Position = (usize, Vec<SuspensionNode>);

/// The original at a position.
struct Visited {
    /// Mutants that compute something else here.
    infected: MutantSet,
    /// The same, here or later.
    downstream: MutantSet,
    next: Vec<(String, Position)>,
}

/// A test, and what the original does on it.
pub struct PreparedTest {
    test: WrittenTest,
    inputs: BTreeMap<String, Label>,
    visited: FastMap<Position, Visited>,
    limits: StateSpaceLimits,
    most_nodes: usize,
    pub original: RunResult,
    /// Mutants are run everywhere, also where the original was seen to do the same.
    pub always_run: bool,
}

impl PreparedTest {
    /// Runs the original.
    ///
    /// # Errors
    /// If the test gives an input that the original does not take there.
    pub fn new(
        explorer: &mut StateExplorer,
        test: WrittenTest,
        limits: StateSpaceLimits,
    ) -> Result<PreparedTest, String> {
        let mut prepared = PreparedTest {
            test,
            inputs: BTreeMap::new(),
            visited: FastMap::default(),
            limits,
            most_nodes: usize::MAX,
            original: RunResult::default(),
            always_run: false,
        };
        let acting = Acting::original(&explorer.model.mutants);
        let start = (0, vec![SuspensionNode::at(explorer.model.initial.clone())]);
        let mut order = Vec::new();
        // How each position was first reached.
        let mut came: Vec<(Option<usize>, String)> = Vec::new();
        let mut open = vec![(None, String::new(), start)];
        let (mut largest, mut all) = (0, 0);
        while let Some((from, label, position)) = open.pop() {
            if prepared.visited.contains_key(&position) {
                continue;
            }
            let mut infected = MutantSet::for_all(&explorer.model.mutants);
            let mut step = Step {
                explorer,
                acting: &acting,
                limits,
                infected: &mut infected,
                closures: None,
            };
            let result = &mut prepared.original;
            let next = prepared
                .test
                .follow(&mut step, &position, &mut prepared.inputs, result)?;
            largest = largest.max(explorer.closed);
            all += explorer.closed;
            came.push((from, label));
            if let Some(failure) = &mut prepared.original.failure
                && failure.trace.is_empty()
            {
                failure.trace = trace_to(&came);
            }
            let here = Some(order.len());
            let reached = next.iter().cloned();
            open.extend(reached.map(|(label, position)| (here, label, position)));
            let visited = Visited {
                downstream: infected.clone(),
                infected,
                next,
            };
            prepared.visited.insert(position.clone(), visited);
            order.push(position);
        }
        prepared.find_downstream(&order);
        prepared.limits.closure = limits.closure.min(largest * NODE_FACTOR + MORE_NODES);
        prepared.most_nodes = all * TEST_FACTOR + MORE_TEST_NODES;
        Ok(prepared)
    }

    /// What the original does at a position, if it was brought to its end everywhere.
    fn known(&self, position: &Position) -> Option<&Visited> {
        let complete =
            !self.always_run && self.original.error.is_none() && !self.original.limit_reached;
        complete.then(|| self.visited.get(position)).flatten()
    }

    /// Adds to every position what comes after it, until nothing changes.
    fn find_downstream(&mut self, order: &[Position]) {
        let number: FastMap<&Position, usize> = order.iter().zip(0..).collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (at, position) in order.iter().enumerate() {
            for (_, next) in &self.visited[position].next {
                before[number[next]].push(at);
            }
        }
        let mut downstream: Vec<MutantSet> = order
            .iter()
            .map(|position| self.visited[position].infected.clone())
            .collect();
        let mut open: Vec<usize> = (0..order.len()).collect();
        while let Some(at) = open.pop() {
            for earlier in &before[at] {
                let mut all = downstream[*earlier].clone();
                all.union(&downstream[at]);
                if all != downstream[*earlier] {
                    downstream[*earlier] = all;
                    open.push(*earlier);
                }
            }
        }
        for (position, downstream) in order.iter().zip(downstream) {
            if let Some(visited) = self.visited.get_mut(position) {
                visited.downstream = downstream;
            }
        }
    }
}

/// How the last position was reached.
fn trace_to(came: &[(Option<usize>, String)]) -> Vec<String> {
    let mut trace = Vec::new();
    let mut at = came.len().checked_sub(1);
    while let Some((Some(from), label)) = at.map(|at| &came[at]) {
        trace.push(label.clone());
        at = Some(*from);
    }
    trace.reverse();
    trace
}

/// What one mutant's internal steps led to, for its runs on further tests: they mostly begin alike.
#[derive(Default)]
pub struct ClosuresOfMutant {
    known: FastMap<Vec<SuspensionNode>, KnownClosure>,
}

struct KnownClosure {
    result: Result<Arc<Suspension>, Stop>,
    nodes: usize,
    limits: StateSpaceLimits,
}

impl KnownClosure {
    /// Whether it is the same within other limits.
    fn holds(&self, limits: StateSpaceLimits) -> bool {
        match self.result {
            Err(Stop::Halted(_)) => false,
            Err(Stop::TooManyStates) => limits.closure <= self.limits.closure,
            Ok(_) | Err(Stop::Error(..)) => limits.closure >= self.limits.closure,
        }
    }
}

/// Runs a mutant on a test, from the start. What is known of its closures is the same for all tests.
pub fn run_mutant(
    explorer: &mut StateExplorer,
    prepared: &PreparedTest,
    mutant: ModelMutantId,
    closures: &mut ClosuresOfMutant,
) -> RunResult {
    if prepared.original.halted {
        return RunResult {
            halted: true,
            ..RunResult::default()
        };
    }
    let acting = Acting::mutant(&explorer.model.mutants, mutant);
    let start = (0, vec![SuspensionNode::at(explorer.model.initial.clone())]);
    let mut result = RunResult::default();
    let mut seen: FastSet<Position> = FastSet::default();
    let mut trace: Vec<String> = Vec::new();
    let mut open = vec![(0, String::new(), start)];
    let mut inputs = prepared.inputs.clone();
    let mut nodes = 0;
    while let Some((depth, label, position)) = open.pop() {
        trace.truncate(depth);
        trace.extend((depth > 0 || !label.is_empty()).then_some(label));
        if result.failure.is_some() || result.halted || !seen.insert(position.clone()) {
            continue;
        }
        let depth = trace.len();
        let visited = prepared.known(&position);
        // Where it does what the original does from here on, or here, nothing has to be run.
        if visited.is_some_and(|visited| !acting.parts_from(&visited.downstream)) {
            continue;
        }
        if let Some(visited) = visited.filter(|visited| !acting.parts_from(&visited.infected)) {
            let next = visited.next.iter().rev();
            open.extend(next.map(|(label, position)| (depth, label.clone(), position.clone())));
            continue;
        }
        let mut step = Step {
            explorer,
            acting: &acting,
            limits: prepared.limits,
            infected: &mut MutantSet::default(),
            closures: (!prepared.always_run).then_some(&mut *closures),
        };
        let next = prepared
            .test
            .follow(&mut step, &position, &mut inputs, &mut result);
        if let Some(failure) = &mut result.failure {
            failure.trace.clone_from(&trace);
        }
        nodes += explorer.closed;
        result.limit_reached |= nodes > prepared.most_nodes;
        if nodes > prepared.most_nodes {
            break;
        }
        let next = next.unwrap_or_default().into_iter().rev();
        open.extend(next.map(|(label, position)| (depth, label, position)));
    }
    result
}

/// Who takes a step, and within which limits.
struct Step<'s> {
    explorer: &'s mut StateExplorer,
    acting: &'s Acting,
    limits: StateSpaceLimits,
    infected: &'s mut MutantSet,
    /// Of a mutant, which is not asked what it infects.
    closures: Option<&'s mut ClosuresOfMutant>,
}

impl WrittenTest {
    /// What can come next, with what is given or seen; what ends a run is noted in the result.
    fn follow(
        &self,
        step: &mut Step,
        (node, kernel): &Position,
        inputs: &mut BTreeMap<String, Label>,
        result: &mut RunResult,
    ) -> Result<Vec<(String, Position)>, String> {
        step.explorer.closed = 0;
        match &self.nodes[node] {
            NodeAction::Pass => result.passes = true,
            NodeAction::Inconclusive => result.inconclusive = true,
            NodeAction::Stimulate { input, to } => {
                let Some(suspension) = result.of(step.close(kernel)) else {
                    return Ok(Vec::new());
                };
                let label = match inputs.get(input) {
                    Some(label) => label.clone(),
                    None => {
                        let label = step.find_input(&suspension, input)?;
                        inputs.entry(input.clone()).or_insert(label).clone()
                    }
                };
                let taken = step.explorer.take(step.acting, &suspension, &label);
                if let Some(taken) = result.of(taken) {
                    step.infected.union(&taken.infected);
                    let next = (*to, taken.completed());
                    return Ok(vec![(format!("gave {input}"), next)]);
                }
            }
            NodeAction::Observe(branches) => {
                let Some(suspension) = result.of(step.close(kernel)) else {
                    return Ok(Vec::new());
                };
                return Ok(step.observe(&suspension, branches, result));
            }
        }
        Ok(Vec::new())
    }
}

impl Step<'_> {
    fn close(&mut self, kernel: &[SuspensionNode]) -> Result<Arc<Suspension>, Stop> {
        let known = self.closures.as_ref().and_then(|c| c.known.get(kernel));
        if let Some(known) = known.filter(|known| known.holds(self.limits)) {
            self.explorer.closed = known.nodes;
            return known.result.clone();
        }
        let closed = self
            .explorer
            .close(self.acting, kernel, self.limits, self.infected);
        let result = closed.map(Arc::new);
        if let Some(closures) = &mut self.closures {
            let known = KnownClosure {
                result: result.clone(),
                nodes: self.explorer.closed,
                limits: self.limits,
            };
            closures.known.insert(kernel.to_vec(), known);
        }
        result
    }

    fn find_input(&mut self, suspension: &Suspension, input: &str) -> Result<Label, String> {
        let model = self.explorer.model.clone();
        let offered = self.explorer.inputs(self.acting, suspension);
        let offered = offered.map_err(|_| format!("the model fails where {input} is given"))?;
        offered
            .into_keys()
            .find(|label| file_label(&model.label_name(label)) == input)
            .ok_or_else(|| format!("the model does not take {input} where the test gives it"))
    }

    fn observe(
        &self,
        suspension: &Suspension,
        branches: &BTreeMap<String, usize>,
        result: &mut RunResult,
    ) -> Vec<(String, Position)> {
        let model = &self.explorer.model;
        let mut next = Vec::new();
        for observation in suspension.observations() {
            let text = match &observation {
                Observation::Output(label) => file_label(&model.label_name(label)),
                Observation::Delta => "delta".into(),
            };
            match branches.get(&text) {
                Some(to) => {
                    let kernel = suspension.after_observation(&observation);
                    next.push((format!("saw {text}"), (*to, kernel)));
                }
                None => {
                    result.failure.get_or_insert(TestFailure {
                        trace: Vec::new(),
                        observation: text,
                    });
                }
            }
        }
        next
    }
}

impl RunResult {
    /// Notes what ended a run.
    fn of<T>(&mut self, step: Result<T, Stop>) -> Option<T> {
        match step {
            Ok(done) => return Some(done),
            Err(Stop::Halted(_)) => self.halted = true,
            Err(Stop::TooManyStates) => self.limit_reached = true,
            Err(Stop::Error(_, error)) if error.kind.is_limit() => self.limit_reached = true,
            Err(Stop::Error(_, error)) => {
                self.error.get_or_insert(error);
            }
        }
        None
    }
}

/// A label as test files write it: ASCII, without quotes; anything else by its number, as in `\u{e4}`.
pub fn file_label(label: &str) -> String {
    let mut text = String::new();
    for letter in label.chars() {
        match letter {
            '"' | '\\' => text.extend(letter.escape_unicode()),
            ' '..='~' => text.push(letter),
            _ => text.extend(letter.escape_unicode()),
        }
    }
    text
}
