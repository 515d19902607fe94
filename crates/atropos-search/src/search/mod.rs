//! Search over states by re-execution: Figure 4 of the MuTMuT paper, with its choices made
//! explicit. What to explore next ([`SearchOrder`]), what counts as seen before ([`StateMatching`]), what is cut
//! off (a preemption bound) and where to begin ([`SearchStart`]) are independent of each other.
//!
//! Full enumeration, stateful search, preemption bounding with happens-before caching and the
//! mutant explorations of `mutmut` are all this search with other settings.

use std::collections::VecDeque;

mod node;
mod round;

pub use node::SearchSize;
pub(crate) use node::{HashedTransition, NodeFacts, SearchStart};
pub use round::{NotFound, Round, RoundResult, WaitingTransition};

use atropos_values::MutantId;

use crate::choice::{Choice, Thread};
use crate::graph::{Graph, NodeId, ROOT};
use crate::hash::{Set, Table, mix};
use crate::op::Op;
use crate::schedule::Schedule;
use crate::strategy::{Coverage, Divergence, DivergenceKind, SearchProgress, Strategy};
use crate::system::{ExecutionEnd, Guide, Pending, SchedulingPoint};
use crate::trace::TraceHash;
use node::{Counted, Edge, Node};

/// Which of the transitions not yet explored comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchOrder {
    DepthFirst,
    BreadthFirst,
}

/// When two states count as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateMatching {
    /// Never: every path is explored.
    Nothing,
    /// If the steps that led to them differ only in the order of commuting ones.
    HappensBefore,
    /// If the system gives them one fingerprint; where it gives none, as `HappensBefore`.
    Fingerprint,
}

/// The settings of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchSettings {
    pub order: SearchOrder,
    pub matching: StateMatching,
    /// How many preemptions a path may have: changes of thread where the running one could go on.
    pub bound: Option<u32>,
}

/// A search over states by re-execution.
#[derive(Clone, Debug)]
pub struct Search {
    settings: SearchSettings,
    frontier: Frontier,
    visited: Visited,
    graph: Option<Graph>,
    /// The mutant whose execution makes a path another than the original's.
    mutant: Option<MutantId>,
    execution: Execution,
    status: Status,
}

/// The nodes of the search tree that are still needed, and the transitions that wait to be explored.
#[derive(Clone, Debug, Default)]
struct Frontier {
    nodes: Vec<Node>,
    /// The transitions of all nodes; each node has a range of them.
    choices: Vec<Choice>,
    worklist: VecDeque<u32>,
    starts: Vec<SearchStart>,
    /// Groups of starts that are not begun; each group is explored to its end before the next.
    later: VecDeque<Vec<u32>>,
    /// Transitions in the last round.
    round: usize,
    /// Nodes that were in use when memory was last cleared of others.
    in_use: usize,
}

/// The states that were visited.
#[derive(Clone, Debug, Default)]
struct Visited {
    /// The keys of the states visited, with the fewest preemptions on the way to each. Paths with more preemptions to
    /// such a state are covered; only without recording.
    states: Table<u64, u32>,
    /// What an execution of a [`Round`] adds to `states`, if there is one.
    trial: Option<Table<u64, u32>>,
    /// States that are not worth exploring from.
    dead_ends: Set<u64>,
    counted: Counted,
}

/// The execution under way, or the last one.
#[derive(Clone, Debug, Default)]
struct Execution {
    path: Vec<Choice>,
    at: usize,
    edge: Option<Edge>,
    /// The mutants reached by the transition being executed.
    reached: Vec<MutantId>,
    /// Whether it reached the mutant that is explored.
    infected: bool,
    /// Whether the execution has reached it so far.
    has_acted: bool,
    /// The execution came to a state visited before.
    ended_in_known: bool,
    trace: TraceHash,
}

/// How far the search has come.
#[derive(Clone, Debug, Default)]
struct Status {
    begun: bool,
    finished: bool,
    cut_by_bound: bool,
    progress: SearchProgress,
    divergence: Option<Divergence>,
}

impl Search {
    /// A search from the initial state.
    pub fn new(settings: SearchSettings) -> Search {
        Search {
            settings,
            frontier: Frontier::default(),
            visited: Visited::default(),
            graph: None,
            mutant: None,
            execution: Execution::default(),
            status: Status::default(),
        }
    }

    /// Every schedule, one by one: the reference for everything else.
    pub fn enumeration() -> Search {
        Search::new(SearchSettings {
            order: SearchOrder::DepthFirst,
            matching: StateMatching::Nothing,
            bound: None,
        })
    }

    /// Every state, depth or breadth first, each explored once.
    pub fn stateful(order: SearchOrder) -> Search {
        Search::new(SearchSettings {
            order,
            matching: StateMatching::Fingerprint,
            bound: None,
        })
    }

    /// Every schedule with at most `bound` preemptions, up to the order of steps that commute.
    pub fn chess(bound: u32) -> Search {
        let matching = StateMatching::HappensBefore;
        Search::new(SearchSettings {
            order: SearchOrder::DepthFirst,
            matching,
            bound: Some(bound),
        })
    }

    /// Also writes down the graph of states.
    pub(crate) fn recording(mut self) -> Search {
        self.graph = Some(Graph::default());
        self
    }

    pub(crate) fn graph(&self) -> Option<&Graph> {
        self.graph.as_ref()
    }

    /// The search explores this mutant.
    pub(crate) fn of_mutant(mut self, mutant: MutantId) -> Search {
        self.mutant = Some(mutant);
        self.visited.counted.sets = Some(Default::default());
        self
    }

    /// The search begins at these states, group by group.
    pub(crate) fn starting_at(mut self, groups: Vec<Vec<SearchStart>>) -> Search {
        self.status.begun = true;
        for group in groups {
            let from = self.frontier.starts.len() as u32;
            self.frontier.starts.extend(group);
            self.frontier
                .later
                .push_back((from..self.frontier.starts.len() as u32).collect());
        }
        self
    }

    /// The search does not go on from these states.
    pub(crate) fn without(mut self, dead_ends: Set<u64>) -> Search {
        self.visited.dead_ends = dead_ends;
        self
    }

    /// How much was explored so far.
    pub fn size(&self) -> SearchSize {
        self.visited.counted.size
    }

    /// The transitions of it on paths where the mutant had not acted yet.
    pub(crate) fn before(&self) -> u64 {
        self.visited.counted.before
    }

    /// Those of them that only lead to a start.
    pub(crate) fn ways(&self) -> u64 {
        self.visited.counted.ways
    }

    pub fn settings(&self) -> SearchSettings {
        self.settings
    }

    /// Whether the bound cut anything off: if not, everything was explored.
    pub fn was_cut_by_bound(&self) -> bool {
        self.status.cut_by_bound
    }

    /// Under a recording or for a mutant, every state counts with its number of preemptions, so that
    /// what can be reached from it is a function of the state.
    fn is_exact(&self) -> bool {
        self.graph.is_some() || self.mutant.is_some()
    }

    /// What a path to a state must not exceed for another to be covered by it.
    fn cost(&self, spot: &NodeFacts) -> u32 {
        match self.settings.bound {
            Some(_) if !self.is_exact() => spot.preemptions,
            _ => 0,
        }
    }

    fn part(&mut self, choice: Choice, cause: DivergenceKind) {
        let at = self.execution.at;
        self.status
            .divergence
            .get_or_insert(Divergence { at, choice, cause });
    }

    // Between executions.

    /// The node whose transition comes next; drops what is done.
    fn pick(&mut self) -> Option<u32> {
        loop {
            let next = match self.settings.order {
                SearchOrder::DepthFirst => self.frontier.worklist.back().copied(),
                SearchOrder::BreadthFirst => self.frontier.worklist.front().copied(),
            };
            let Some(node) = next else {
                if !self.begin_group() {
                    return None;
                }
                continue;
            };
            if self.frontier.nodes[node as usize].taken < self.frontier.nodes[node as usize].count {
                return Some(node);
            }
            match self.settings.order {
                SearchOrder::DepthFirst => self.frontier.worklist.pop_back(),
                SearchOrder::BreadthFirst => self.frontier.worklist.pop_front(),
            };
            self.forget(node);
        }
    }

    /// In a depth-first search, what is done is on top: its memory can be used again.
    fn forget(&mut self, node: u32) {
        let is_top = node as usize + 1 == self.frontier.nodes.len();
        if self.settings.order == SearchOrder::DepthFirst && is_top {
            let node = self.frontier.nodes.pop().expect("the node is there");
            self.frontier.choices.truncate(node.first as usize);
        }
    }

    /// Puts the next group of starts to work.
    fn begin_group(&mut self) -> bool {
        let Some(group) = self.frontier.later.pop_front() else {
            return false;
        };
        let weight = 1.0 / group.len() as f64;
        for number in group {
            let start = &self.frontier.starts[number as usize];
            if start.unless_met && self.visited.states.contains_key(&start.spot.key) {
                continue;
            }
            self.visited.counted.count_way(&start.passed);
            self.visited.states.insert(start.spot.key, 0);
            let first = self.frontier.choices.len() as u32;
            self.frontier.choices.extend_from_slice(&start.choices);
            let count = start.choices.len() as u32;
            let (spot, choice) = (start.spot, Choice::data(0));
            self.frontier
                .worklist
                .push_back(self.frontier.nodes.len() as u32);
            self.frontier.nodes.push(Node {
                parent: None,
                start: number,
                choice,
                spot,
                first,
                count,
                taken: 0,
                weight,
                graph: ROOT,
            });
        }
        true
    }

    /// Fills `path` with the choices that lead to the node.
    fn find_path(&mut self, node: u32) {
        self.execution.path.clear();
        let mut at = node as usize;
        while let Some(parent) = self.frontier.nodes[at].parent {
            self.execution.path.push(self.frontier.nodes[at].choice);
            at = parent as usize;
        }
        if let Some(start) = self
            .frontier
            .starts
            .get(self.frontier.nodes[at].start as usize)
        {
            self.execution.path.extend(start.path.iter().rev());
        }
        self.execution.path.reverse();
    }

    /// The next transition of a node.
    fn take(&mut self, node: u32) -> Choice {
        let taken = &mut self.frontier.nodes[node as usize];
        let choice = self.frontier.choices[(taken.first + taken.taken) as usize];
        taken.taken += 1;
        choice
    }

    // During an execution.

    fn replay(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        let choice = self.execution.path[self.execution.at];
        let ready = choice
            .as_thread()
            .and_then(|thread| point.find(thread))
            .filter(|pending| pending.ready);
        let Some(pending) = ready.copied() else {
            let cause = if choice.as_thread().is_some() {
                DivergenceKind::NotReady
            } else {
                DivergenceKind::Question
            };
            self.part(choice, cause);
            return None;
        };
        self.execution.at += 1;
        self.execution.infected = false;
        self.execution.trace.begin(pending.thread, pending.op);
        Some(pending.thread)
    }

    /// A state at the end of a new transition, or the initial one.
    fn arrive(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        let from = self.execution.edge.and_then(|edge| edge.from);
        let happened = self.execution.trace.hash();
        let spot = self.spot_at(point, happened);
        let transition = self
            .execution
            .edge
            .filter(|edge| edge.from.is_some())
            .map(|edge| self.transition_key(edge));
        let cost = self.cost(&spot);
        let is_covered = |fewest: Option<&u32>| fewest.is_some_and(|&fewest| fewest <= cost);
        let is_known = is_covered(self.visited.states.get(&spot.key))
            || is_covered(
                self.visited
                    .trial
                    .as_ref()
                    .and_then(|trial| trial.get(&spot.key)),
            );
        let passed = HashedTransition {
            transition,
            state: (!is_known).then_some(spot.key),
        };
        self.visited.counted.count(passed, self.execution.has_acted);
        if is_known {
            self.record(spot, from);
            self.execution.ended_in_known = true;
            return None;
        }
        let known = self
            .visited
            .trial
            .as_mut()
            .unwrap_or(&mut self.visited.states);
        known.insert(spot.key, cost);
        let node = self.new_node(spot);
        if !point.is_over() && !self.visited.dead_ends.contains(&spot.key) {
            self.list_transitions(node, point);
        }
        self.frontier.worklist.push_back(node);
        if self.frontier.nodes[node as usize].count == 0 || !self.goes_on_from(node) {
            return None;
        }
        let choice = self.take(node);
        self.follow(node, choice);
        let thread = choice.as_thread()?;
        let op = point.find(thread).map_or(Op::local(), |pending| pending.op);
        self.execution.trace.begin(thread, op);
        Some(thread)
    }

    /// Only if the new state's own transition comes next can an execution go on. In a breadth-first round others wait.
    fn goes_on_from(&mut self, node: u32) -> bool {
        match self.settings.order {
            SearchOrder::BreadthFirst if self.visited.trial.is_some() => false,
            _ => self.pick() == Some(node),
        }
    }

    fn follow(&mut self, node: u32, choice: Choice) {
        self.execution.path.push(choice);
        self.execution.at += 1;
        self.execution.edge = Some(Edge {
            from: Some(node),
            choice,
        });
        self.execution.reached.clear();
        self.execution.infected = false;
    }

    fn transition_key(&self, edge: Edge) -> u64 {
        let from = edge
            .from
            .map_or(0, |from| self.frontier.nodes[from as usize].spot.key);
        mix(from, edge.choice.bits())
    }

    fn spot_at(&self, point: &SchedulingPoint<'_>, happened: u64) -> NodeFacts {
        let (last, preemptions) = self.after_edge();
        let going_on = last.and_then(|last| point.find(last));
        let last_could_go_on =
            going_on.is_some_and(|pending| pending.ready && !pending.op.is_yielding());
        let mut key = match self.settings.matching {
            StateMatching::Nothing => self.path_key(),
            StateMatching::HappensBefore => happened,
            StateMatching::Fingerprint => point.fingerprint.unwrap_or(happened),
        };
        if self.settings.bound.is_some() {
            let last = last
                .filter(|_| last_could_go_on)
                .map_or(0, |last| u64::from(last.0) + 1);
            key = mix(key, last);
            if self.is_exact() {
                key = mix(key, u64::from(preemptions));
            }
        }
        NodeFacts {
            key,
            is_state: true,
            last,
            last_could_go_on,
            preemptions,
        }
    }

    /// The thread that ran, and the preemptions on the path, after the edge under way.
    fn after_edge(&self) -> (Option<Thread>, u32) {
        let Some(Edge {
            from: Some(from),
            choice,
        }) = self.execution.edge
        else {
            return (None, 0);
        };
        let before = &self.frontier.nodes[from as usize].spot;
        match choice.as_thread() {
            Some(thread) => (Some(thread), before.preemptions + before.cost(thread)),
            None => (before.last, before.preemptions),
        }
    }

    /// The key of a path by its choices alone.
    fn path_key(&self) -> u64 {
        let Some(edge) = self.execution.edge else {
            return 0;
        };
        let key = self.transition_key(edge);
        match self.mutant.filter(|_| self.execution.infected) {
            Some(mutant) => mix(key, u64::from(mutant.0) << 32),
            None => key,
        }
    }

    fn new_node(&mut self, spot: NodeFacts) -> u32 {
        let parent = self.execution.edge.and_then(|edge| edge.from);
        let choice = self
            .execution
            .edge
            .map_or(Choice::data(0), |edge| edge.choice);
        let graph = self.record(spot, parent);
        let start = u32::MAX;
        let first = self.frontier.choices.len() as u32;
        let weight = parent.map_or(1.0, |parent| {
            self.frontier.nodes[parent as usize].weight_of_each()
        });
        self.frontier.nodes.push(Node {
            parent,
            start,
            choice,
            spot,
            first,
            count: 0,
            taken: 0,
            weight,
            graph,
        });
        self.frontier.nodes.len() as u32 - 1
    }

    /// Writes the transition under way into the graph; returns the number of the state it leads to.
    fn record(&mut self, spot: NodeFacts, from: Option<u32>) -> NodeId {
        let Some(graph) = &mut self.graph else {
            return ROOT;
        };
        let from = from.map(|from| self.frontier.nodes[from as usize].graph);
        let choice = self
            .execution
            .edge
            .map_or(Choice::data(0), |edge| edge.choice);
        graph.add(from, choice, spot, &self.execution.reached)
    }

    fn list_transitions(&mut self, node: u32, point: &SchedulingPoint<'_>) {
        let spot = self.frontier.nodes[node as usize].spot;
        let allowed = |pending: &&Pending| match self.settings.bound {
            Some(bound) => spot.preemptions + spot.cost(pending.thread) <= bound,
            None => true,
        };
        let before = self.frontier.choices.len();
        self.frontier.choices.extend(
            point
                .ready()
                .filter(allowed)
                .map(|pending| Choice::thread(pending.thread)),
        );
        if point.ready().any(|pending| pending.op.is_yielding()) {
            // Who has something to do comes first, then who yielded the longest ago: else threads that wait for another by
            // trying again and again would do so for ever in the first schedule.
            let path = &self.execution.path[..self.execution.at];
            let rank = |choice: &Choice| {
                let yields = choice.as_thread().and_then(|thread| point.find(thread));
                let yields = yields.filter(|pending| pending.op.is_yielding());
                yields.map(|_| path.iter().rposition(|earlier| earlier == choice))
            };
            self.frontier.choices[before..].sort_by_cached_key(rank);
        }
        let count = self.frontier.choices.len() - before;
        self.status.cut_by_bound |= count < point.ready().count();
        self.frontier.nodes[node as usize].count = count as u32;
    }

    /// The share of the tree that the execution which just ended was the last to need: nothing waits behind its end.
    fn share_of_last(&self) -> f64 {
        let from = self.execution.edge.and_then(|edge| edge.from);
        let last = self.frontier.nodes.last();
        let waits = last.is_some_and(|node| node.parent == from && node.count > node.taken);
        match from {
            _ if waits && !self.execution.ended_in_known => 0.0,
            Some(from) => self.frontier.nodes[from as usize].weight_of_each(),
            None => 1.0,
        }
    }

    /// The next execution repeats the path to the node and takes this transition there.
    fn set_out(&mut self, node: u32, choice: Choice) {
        self.execution.at = 0;
        self.execution.trace.restart();
        self.execution.reached.clear();
        self.execution.infected = false;
        self.execution.has_acted = false;
        self.execution.ended_in_known = false;
        self.find_path(node);
        self.execution.path.push(choice);
        self.execution.edge = Some(Edge {
            from: Some(node),
            choice,
        });
    }
}

impl Guide for Search {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if self.status.divergence.is_some() {
            return None;
        }
        self.execution.trace.hash();
        if self.execution.at == self.execution.path.len() {
            return self.arrive(point);
        }
        if point.is_over() {
            self.part(self.execution.path[self.execution.at], DivergenceKind::End);
            return None;
        }
        self.replay(point)
    }

    fn data(&mut self, options: u32) -> u32 {
        if options <= 1 || self.status.divergence.is_some() {
            return 0;
        }
        if self.execution.at < self.execution.path.len() {
            let choice = self.execution.path[self.execution.at];
            let Some(value) = choice.as_data().filter(|&value| value < options) else {
                self.part(choice, DivergenceKind::Question);
                return 0;
            };
            self.execution.at += 1;
            self.execution.infected = false;
            self.execution.trace.data(value);
            return value;
        }
        let (last, preemptions) = self.after_edge();
        let key = self.path_key();
        let spot = NodeFacts {
            key,
            is_state: false,
            last,
            last_could_go_on: false,
            preemptions,
        };
        let node = self.new_node(spot);
        self.frontier.choices.extend((0..options).map(Choice::data));
        self.frontier.nodes[node as usize].count = options;
        self.frontier.worklist.push_back(node);
        let choice = self.take(node);
        self.follow(node, choice);
        self.execution.trace.data(0);
        0
    }

    fn refine(&mut self, op: Op) {
        self.execution.trace.refine(op);
    }

    fn wake(&mut self, thread: Thread) {
        self.execution.trace.wake(thread);
    }

    fn reach(&mut self, mutant: MutantId) {
        if self.mutant == Some(mutant) {
            self.execution.infected = true;
            self.execution.has_acted = true;
            self.execution.trace.infect(mutant);
        }
        if self.graph.is_some()
            && self.execution.at == self.execution.path.len()
            && !self.execution.reached.contains(&mutant)
        {
            self.execution.reached.push(mutant);
        }
    }

    fn wants_fingerprint(&self) -> bool {
        self.settings.matching == StateMatching::Fingerprint
    }

    fn is_fresh(&self) -> bool {
        self.execution.at == self.execution.path.len()
    }
}

impl Strategy for Search {
    fn begin(&mut self) -> bool {
        if self.status.finished || self.status.divergence.is_some() {
            return false;
        }
        if !self.status.begun {
            self.status.begun = true;
            return true;
        }
        let Some(node) = self.pick() else {
            self.status.finished = true;
            return false;
        };
        let choice = self.take(node);
        self.set_out(node, choice);
        true
    }

    fn end(&mut self, end: ExecutionEnd) {
        match end {
            ExecutionEnd::Stopped => self.status.progress.abandoned += 1,
            _ if self.execution.ended_in_known => self.status.progress.abandoned += 1,
            _ => self.status.progress.executions += 1,
        }
        self.status.progress.share += self.share_of_last();
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            choices: self.execution.path.clone(),
        }
    }

    fn coverage(&self) -> Coverage {
        match (self.status.finished, self.settings.bound) {
            (false, _) => Coverage::Part {
                schedules: self.status.progress.executions,
            },
            (true, Some(bound)) if self.status.cut_by_bound => Coverage::Preemptions(bound),
            (true, _) => Coverage::All,
        }
    }

    fn progress(&self) -> SearchProgress {
        let share = if self.status.finished {
            1.0
        } else {
            self.status.progress.share.min(1.0)
        };
        SearchProgress {
            share,
            ..self.status.progress
        }
    }

    fn divergence(&self) -> Option<Divergence> {
        self.status.divergence
    }
}
