//! Search over states by re-execution: Figure 4 of the MuTMuT paper, with its choices made
//! explicit. What to explore next ([`Order`]), what counts as seen before ([`Matching`]), what is cut
//! off (a preemption bound) and where to begin ([`Start`]) are independent of each other.
//!
//! Full enumeration, stateful search, preemption bounding with happens-before caching and the
//! mutant explorations of `mutmut` are all this search with other settings.

use std::collections::VecDeque;

mod node;
mod round;

pub use node::Size;
pub(crate) use node::{Passed, Spot, Start};
pub use round::{Found, NotFound, Round, Waiting};

use crate::choice::{Choice, Thread};
use crate::graph::{Graph, NodeId, ROOT};
use crate::hash::{Set, Table, mix};
use crate::op::Op;
use crate::schedule::Schedule;
use crate::strategy::{Coverage, Divergence, Parting, Progress, Strategy};
use crate::system::{End, Guide, Pending, Point};
use crate::trace::Trace;
use node::{Counted, Edge, Node};

/// Which of the transitions not yet explored comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    DepthFirst,
    BreadthFirst,
}

/// When two states count as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matching {
    /// Never: every path is explored.
    Nothing,
    /// If the steps that led to them differ only in the order of commuting ones.
    HappensBefore,
    /// If the system gives them one fingerprint; where it gives none, as `HappensBefore`.
    Fingerprint,
}

/// The settings of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    pub order: Order,
    pub matching: Matching,
    /// How many preemptions a path may have: changes of thread where the running one could go on.
    pub bound: Option<u32>,
}

/// A search over states by re-execution.
#[derive(Clone, Debug)]
pub struct Search {
    settings: Settings,
    nodes: Vec<Node>,
    choices: Vec<Choice>,
    worklist: VecDeque<u32>,
    starts: Vec<Start>,
    /// Groups of starts that are not begun; each group is explored to its end before the next.
    later: VecDeque<Vec<u32>>,
    /// The keys of the states met, with the fewest preemptions on the way to each.
    met: Table<u64, u32>,
    /// Paths with more preemptions to a state met before are covered; only without recording.
    counted: Counted,
    graph: Option<Graph>,
    /// The mutant whose execution makes a path another than the original's.
    mutant: Option<u32>,
    /// States that are not worth exploring from.
    barren: Set<u64>,
    /// What an execution of a [`Round`] adds to `met`, if there is one.
    trial: Option<Table<u64, u32>>,
    /// Transitions in the last round.
    round: usize,
    /// Nodes that were in use when memory was last cleared of others.
    in_use: usize,

    path: Vec<Choice>,
    at: usize,
    edge: Option<Edge>,
    /// The mutants reached by the transition being executed.
    reached: Vec<u32>,
    /// Whether it reached the mutant that is explored.
    infected: bool,
    /// Whether the execution has reached it so far.
    has_acted: bool,
    /// The execution came to a state met before.
    ended_in_known: bool,
    begun: bool,
    finished: bool,
    trace: Trace,
    cut_by_bound: bool,
    progress: Progress,
    divergence: Option<Divergence>,
}

impl Search {
    /// A search from the initial state.
    pub fn new(settings: Settings) -> Search {
        Search {
            settings,
            nodes: Vec::new(),
            choices: Vec::new(),
            worklist: VecDeque::new(),
            starts: Vec::new(),
            later: VecDeque::new(),
            met: Table::default(),
            counted: Counted::default(),
            graph: None,
            mutant: None,
            barren: Set::default(),
            trial: None,
            round: 0,
            in_use: 0,
            path: Vec::new(),
            at: 0,
            edge: None,
            reached: Vec::new(),
            infected: false,
            has_acted: false,
            ended_in_known: false,
            begun: false,
            finished: false,
            trace: Trace::default(),
            cut_by_bound: false,
            progress: Progress::default(),
            divergence: None,
        }
    }

    /// Every schedule, one by one: the reference for everything else.
    pub fn enumeration() -> Search {
        Search::new(Settings {
            order: Order::DepthFirst,
            matching: Matching::Nothing,
            bound: None,
        })
    }

    /// Every state, depth or breadth first, each explored once.
    pub fn stateful(order: Order) -> Search {
        Search::new(Settings {
            order,
            matching: Matching::Fingerprint,
            bound: None,
        })
    }

    /// Every schedule with at most `bound` preemptions, up to the order of steps that commute.
    pub fn chess(bound: u32) -> Search {
        let matching = Matching::HappensBefore;
        Search::new(Settings {
            order: Order::DepthFirst,
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
    pub(crate) fn of_mutant(mut self, mutant: u32) -> Search {
        self.mutant = Some(mutant);
        self.counted.sets = Some(Default::default());
        self
    }

    /// The search begins at these states, group by group.
    pub(crate) fn starting_at(mut self, groups: Vec<Vec<Start>>) -> Search {
        self.begun = true;
        for group in groups {
            let from = self.starts.len() as u32;
            self.starts.extend(group);
            self.later
                .push_back((from..self.starts.len() as u32).collect());
        }
        self
    }

    /// The search does not go on from these states.
    pub(crate) fn without(mut self, barren: Set<u64>) -> Search {
        self.barren = barren;
        self
    }

    /// How much was explored so far.
    pub fn size(&self) -> Size {
        self.counted.size
    }

    /// The transitions of it on paths where the mutant had not acted yet.
    pub(crate) fn before(&self) -> u64 {
        self.counted.before
    }

    /// Those of them that only lead to a start.
    pub(crate) fn ways(&self) -> u64 {
        self.counted.ways
    }

    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Whether the bound cut anything off: if not, everything was explored.
    pub fn was_cut_by_bound(&self) -> bool {
        self.cut_by_bound
    }

    /// Under a recording or for a mutant, every state counts with its number of preemptions, so that
    /// what can be reached from it is a function of the state.
    fn is_exact(&self) -> bool {
        self.graph.is_some() || self.mutant.is_some()
    }

    /// What a path to a state must not exceed for another to be covered by it.
    fn cost(&self, spot: &Spot) -> u32 {
        match self.settings.bound {
            Some(_) if !self.is_exact() => spot.preemptions,
            _ => 0,
        }
    }

    fn part(&mut self, choice: Choice, cause: Parting) {
        let at = self.at;
        self.divergence
            .get_or_insert(Divergence { at, choice, cause });
    }

    // Between executions.

    /// The node whose transition comes next; drops what is done.
    fn pick(&mut self) -> Option<u32> {
        loop {
            let next = match self.settings.order {
                Order::DepthFirst => self.worklist.back().copied(),
                Order::BreadthFirst => self.worklist.front().copied(),
            };
            let Some(node) = next else {
                if !self.begin_group() {
                    return None;
                }
                continue;
            };
            if self.nodes[node as usize].taken < self.nodes[node as usize].count {
                return Some(node);
            }
            match self.settings.order {
                Order::DepthFirst => self.worklist.pop_back(),
                Order::BreadthFirst => self.worklist.pop_front(),
            };
            self.forget(node);
        }
    }

    /// In a depth-first search, what is done is on top: its memory can be used again.
    fn forget(&mut self, node: u32) {
        let is_top = node as usize + 1 == self.nodes.len();
        if self.settings.order == Order::DepthFirst && is_top {
            let node = self.nodes.pop().expect("the node is there");
            self.choices.truncate(node.first as usize);
        }
    }

    /// Puts the next group of starts to work.
    fn begin_group(&mut self) -> bool {
        let Some(group) = self.later.pop_front() else {
            return false;
        };
        let weight = 1.0 / group.len() as f64;
        for number in group {
            let start = &self.starts[number as usize];
            if start.unless_met && self.met.contains_key(&start.spot.key) {
                continue;
            }
            self.counted.count_way(&start.passed);
            self.met.insert(start.spot.key, 0);
            let first = self.choices.len() as u32;
            self.choices.extend_from_slice(&start.choices);
            let count = start.choices.len() as u32;
            let (spot, choice) = (start.spot, Choice::data(0));
            self.worklist.push_back(self.nodes.len() as u32);
            self.nodes.push(Node {
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
        self.path.clear();
        let mut at = node as usize;
        while let Some(parent) = self.nodes[at].parent {
            self.path.push(self.nodes[at].choice);
            at = parent as usize;
        }
        if let Some(start) = self.starts.get(self.nodes[at].start as usize) {
            self.path.extend(start.path.iter().rev());
        }
        self.path.reverse();
    }

    /// The next transition of a node.
    fn take(&mut self, node: u32) -> Choice {
        let taken = &mut self.nodes[node as usize];
        let choice = self.choices[(taken.first + taken.taken) as usize];
        taken.taken += 1;
        choice
    }

    // During an execution.

    fn replay(&mut self, point: &Point<'_>) -> Option<Thread> {
        let choice = self.path[self.at];
        let ready = choice
            .as_thread()
            .and_then(|thread| point.find(thread))
            .filter(|pending| pending.ready);
        let Some(pending) = ready.copied() else {
            let cause = if choice.as_thread().is_some() {
                Parting::NotReady
            } else {
                Parting::Question
            };
            self.part(choice, cause);
            return None;
        };
        self.at += 1;
        self.infected = false;
        self.trace.begin(pending.thread, pending.op);
        Some(pending.thread)
    }

    /// A state at the end of a new transition, or the initial one.
    fn arrive(&mut self, point: &Point<'_>) -> Option<Thread> {
        let from = self.edge.and_then(|edge| edge.from);
        let happened = self.trace.hash();
        let spot = self.spot_at(point, happened);
        let transition = self
            .edge
            .filter(|edge| edge.from.is_some())
            .map(|edge| self.transition_key(edge));
        let cost = self.cost(&spot);
        let is_covered = |fewest: Option<&u32>| fewest.is_some_and(|&fewest| fewest <= cost);
        let met = is_covered(self.met.get(&spot.key))
            || is_covered(self.trial.as_ref().and_then(|trial| trial.get(&spot.key)));
        let passed = Passed {
            transition,
            state: (!met).then_some(spot.key),
        };
        self.counted.count(passed, self.has_acted);
        if met {
            self.record(spot, from);
            self.ended_in_known = true;
            return None;
        }
        let known = self.trial.as_mut().unwrap_or(&mut self.met);
        known.insert(spot.key, cost);
        let node = self.new_node(spot);
        if !point.is_over() && !self.barren.contains(&spot.key) {
            self.list_transitions(node, point);
        }
        self.worklist.push_back(node);
        if self.nodes[node as usize].count == 0 || !self.goes_on_from(node) {
            return None;
        }
        let choice = self.take(node);
        self.follow(node, choice);
        let thread = choice.as_thread()?;
        let op = point.find(thread).map_or(Op::local(), |pending| pending.op);
        self.trace.begin(thread, op);
        Some(thread)
    }

    /// Only if the new state's own transition comes next can an execution go on. In a breadth-first round others wait.
    fn goes_on_from(&mut self, node: u32) -> bool {
        match self.settings.order {
            Order::BreadthFirst if self.trial.is_some() => false,
            _ => self.pick() == Some(node),
        }
    }

    fn follow(&mut self, node: u32, choice: Choice) {
        self.path.push(choice);
        self.at += 1;
        self.edge = Some(Edge {
            from: Some(node),
            choice,
        });
        self.reached.clear();
        self.infected = false;
    }

    fn transition_key(&self, edge: Edge) -> u64 {
        let from = edge
            .from
            .map_or(0, |from| self.nodes[from as usize].spot.key);
        mix(from, edge.choice.bits())
    }

    fn spot_at(&self, point: &Point<'_>, happened: u64) -> Spot {
        let (last, preemptions) = self.after_edge();
        let going_on = last.and_then(|last| point.find(last));
        let last_could_go_on =
            going_on.is_some_and(|pending| pending.ready && !pending.op.is_yielding());
        let mut key = match self.settings.matching {
            Matching::Nothing => self.path_key(),
            Matching::HappensBefore => happened,
            Matching::Fingerprint => point.fingerprint.unwrap_or(happened),
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
        Spot {
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
        }) = self.edge
        else {
            return (None, 0);
        };
        let before = &self.nodes[from as usize].spot;
        match choice.as_thread() {
            Some(thread) => (Some(thread), before.preemptions + before.cost(thread)),
            None => (before.last, before.preemptions),
        }
    }

    /// The key of a path by its choices alone.
    fn path_key(&self) -> u64 {
        let Some(edge) = self.edge else { return 0 };
        let key = self.transition_key(edge);
        match self.mutant.filter(|_| self.infected) {
            Some(mutant) => mix(key, u64::from(mutant) << 32),
            None => key,
        }
    }

    fn new_node(&mut self, spot: Spot) -> u32 {
        let parent = self.edge.and_then(|edge| edge.from);
        let choice = self.edge.map_or(Choice::data(0), |edge| edge.choice);
        let graph = self.record(spot, parent);
        let start = u32::MAX;
        let first = self.choices.len() as u32;
        let weight = parent.map_or(1.0, |parent| self.nodes[parent as usize].weight_of_each());
        self.nodes.push(Node {
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
        self.nodes.len() as u32 - 1
    }

    /// Writes the transition under way into the graph; returns the number of the state it leads to.
    fn record(&mut self, spot: Spot, from: Option<u32>) -> NodeId {
        let Some(graph) = &mut self.graph else {
            return ROOT;
        };
        let from = from.map(|from| self.nodes[from as usize].graph);
        let choice = self.edge.map_or(Choice::data(0), |edge| edge.choice);
        graph.add(from, choice, spot, &self.reached)
    }

    fn list_transitions(&mut self, node: u32, point: &Point<'_>) {
        let spot = self.nodes[node as usize].spot;
        let allowed = |pending: &&Pending| match self.settings.bound {
            Some(bound) => spot.preemptions + spot.cost(pending.thread) <= bound,
            None => true,
        };
        let before = self.choices.len();
        self.choices.extend(
            point
                .ready()
                .filter(allowed)
                .map(|pending| Choice::thread(pending.thread)),
        );
        if point.ready().any(|pending| pending.op.is_yielding()) {
            // Who has something to do comes first, then who yielded the longest ago: else threads that wait for another by
            // trying again and again would do so for ever in the first schedule.
            let path = &self.path[..self.at];
            let rank = |choice: &Choice| {
                let yields = choice.as_thread().and_then(|thread| point.find(thread));
                let yields = yields.filter(|pending| pending.op.is_yielding());
                yields.map(|_| path.iter().rposition(|earlier| earlier == choice))
            };
            self.choices[before..].sort_by_cached_key(rank);
        }
        let count = self.choices.len() - before;
        self.cut_by_bound |= count < point.ready().count();
        self.nodes[node as usize].count = count as u32;
    }

    /// The share of the tree that the execution which just ended was the last to need: nothing waits behind its end.
    fn share_of_last(&self) -> f64 {
        let from = self.edge.and_then(|edge| edge.from);
        let last = self.nodes.last();
        let waits = last.is_some_and(|node| node.parent == from && node.count > node.taken);
        match from {
            _ if waits && !self.ended_in_known => 0.0,
            Some(from) => self.nodes[from as usize].weight_of_each(),
            None => 1.0,
        }
    }

    /// The next execution repeats the path to the node and takes this transition there.
    fn set_out(&mut self, node: u32, choice: Choice) {
        self.at = 0;
        self.trace.restart();
        self.reached.clear();
        self.infected = false;
        self.has_acted = false;
        self.ended_in_known = false;
        self.find_path(node);
        self.path.push(choice);
        self.edge = Some(Edge {
            from: Some(node),
            choice,
        });
    }
}

impl Guide for Search {
    fn choose(&mut self, point: &Point<'_>) -> Option<Thread> {
        if self.divergence.is_some() {
            return None;
        }
        self.trace.hash();
        if self.at == self.path.len() {
            return self.arrive(point);
        }
        if point.is_over() {
            self.part(self.path[self.at], Parting::End);
            return None;
        }
        self.replay(point)
    }

    fn data(&mut self, options: u32) -> u32 {
        if options <= 1 || self.divergence.is_some() {
            return 0;
        }
        if self.at < self.path.len() {
            let choice = self.path[self.at];
            let Some(value) = choice.as_data().filter(|&value| value < options) else {
                self.part(choice, Parting::Question);
                return 0;
            };
            self.at += 1;
            self.infected = false;
            self.trace.data(value);
            return value;
        }
        let (last, preemptions) = self.after_edge();
        let key = self.path_key();
        let spot = Spot {
            key,
            is_state: false,
            last,
            last_could_go_on: false,
            preemptions,
        };
        let node = self.new_node(spot);
        self.choices.extend((0..options).map(Choice::data));
        self.nodes[node as usize].count = options;
        self.worklist.push_back(node);
        let choice = self.take(node);
        self.follow(node, choice);
        self.trace.data(0);
        0
    }

    fn refine(&mut self, op: Op) {
        self.trace.refine(op);
    }

    fn wake(&mut self, thread: Thread) {
        self.trace.wake(thread);
    }

    fn reach(&mut self, mutant: u32) {
        if self.mutant == Some(mutant) {
            self.infected = true;
            self.has_acted = true;
            self.trace.infect(mutant);
        }
        if self.graph.is_some() && self.at == self.path.len() && !self.reached.contains(&mutant) {
            self.reached.push(mutant);
        }
    }

    fn wants_fingerprint(&self) -> bool {
        self.settings.matching == Matching::Fingerprint
    }

    fn is_fresh(&self) -> bool {
        self.at == self.path.len()
    }
}

impl Strategy for Search {
    fn begin(&mut self) -> bool {
        if self.finished || self.divergence.is_some() {
            return false;
        }
        if !self.begun {
            self.begun = true;
            return true;
        }
        let Some(node) = self.pick() else {
            self.finished = true;
            return false;
        };
        let choice = self.take(node);
        self.set_out(node, choice);
        true
    }

    fn end(&mut self, end: End) {
        match end {
            End::Stopped => self.progress.abandoned += 1,
            _ if self.ended_in_known => self.progress.abandoned += 1,
            _ => self.progress.executions += 1,
        }
        self.progress.share += self.share_of_last();
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            choices: self.path.clone(),
        }
    }

    fn coverage(&self) -> Coverage {
        match (self.finished, self.settings.bound) {
            (false, _) => Coverage::Part {
                schedules: self.progress.executions,
            },
            (true, Some(bound)) if self.cut_by_bound => Coverage::Preemptions(bound),
            (true, _) => Coverage::All,
        }
    }

    fn progress(&self) -> Progress {
        let share = if self.finished {
            1.0
        } else {
            self.progress.share.min(1.0)
        };
        Progress {
            share,
            ..self.progress
        }
    }

    fn divergence(&self) -> Option<Divergence> {
        self.divergence
    }
}
