//! Mutants under exploration: what the original's exploration learned, used again for each mutant.
//! After Gligoric, Jagannath and Marinov, "MuTMuT: Efficient Exploration for Mutation Testing of
//! Multithreaded Code" (ICST 2010), sections III-B and III-C.
//!
//! [`Original::explore`] is lines 4 to 7 of the paper's Figure 6, [`Original::explore_mutant`] its
//! `specialExplore`, [`kill_matrix`] the whole of it for one test.
//!
//! Where this deviates:
//! - The paper records for `state-set` the first reaching state on each path *of the search tree*.
//!   If a state lies behind a reaching transition in the tree but can also be reached without one, a
//!   kill from that state would be lost. Here "path" means path of the state graph, which finds such
//!   states too (and the same states where there are none).
//! - The condition in the text for `all-states` has its last test the wrong way round: what is meant,
//!   and done here, is that a known state from which the mutant can't be reached is not expanded.
//! - The paper's searches are stateful or stateless; here partial-order reduction works as well. A
//!   reversal can lead back above the place where the mutant was first reached, so what is reused
//!   there are executions, not states: see `recording`.
//! - If the original itself fails under some schedule, its finding comes first and the mutants that
//!   it reaches are undecided.

mod recording;
mod sampled;
mod starts;

pub use sampled::{SampledOriginal, SampledRun};

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use atropos_values::MutantId;

use crate::exhaustive::Exhaustive;
use crate::hash::Set;
use crate::search::{Search, SearchSettings, SearchSize};
use crate::strategy::{
    Coverage, Divergence, FailingExecution, SearchReport, Strategy, explore_with,
};
use crate::system::{ExecutionEnd, Guide, Mutable, System};
use recording::{Recorded, Recorder, Recording};

/// What the exploration of a mutant reuses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Technique {
    /// Nothing: every mutant is explored in full.
    Naive,
    /// Mutants that the original's exploration does not reach are left out.
    Basic,
    /// The search goes on where the original's first reached the mutant.
    OneState,
    /// The search starts at the states where a path first reaches the mutant, and stays below them.
    StateSet,
    /// Besides, it does not enter states from which the original can't reach the mutant.
    AllStates,
}

impl Technique {
    pub const ALL: [Technique; 5] = [
        Technique::Naive,
        Technique::Basic,
        Technique::OneState,
        Technique::StateSet,
        Technique::AllStates,
    ];

    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Technique::Naive => "naive",
            Technique::Basic => "basic",
            Technique::OneState => "one-state",
            Technique::StateSet => "state-set",
            Technique::AllStates => "all-states",
        }
    }
}

/// The text names no technique.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownTechnique(pub String);

impl fmt::Display for UnknownTechnique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Technique::ALL.map(Technique::name).join(", ");
        write!(f, "`{}` is no technique; expected one of {known}", self.0)
    }
}

impl std::error::Error for UnknownTechnique {}

impl FromStr for Technique {
    type Err = UnknownTechnique;

    fn from_str(text: &str) -> Result<Technique, UnknownTechnique> {
        let named = |technique: &Technique| technique.name() == text;
        let found = Technique::ALL.into_iter().find(named);
        found.ok_or_else(|| UnknownTechnique(text.to_string()))
    }
}

/// How executions are explored, the same for the original and its mutants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchMethod {
    /// A search over states (or, without matching, over paths).
    Search(SearchSettings),
    /// Partial-order reduction.
    Exhaustive,
}

/// Whether to go on after a failing execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopCondition {
    FirstFailure,
    Done,
}

/// What the original's exploration left behind.
#[derive(Clone, Debug)]
pub struct Original {
    method: SearchMethod,
    memory: Memory,
    reached: BTreeSet<MutantId>,
    /// The first failing execution of the original.
    pub finding: Option<FailingExecution>,
    pub size: SearchSize,
    /// Executions that ran to their end.
    pub executions: u64,
    /// Whether the exploration came to its end.
    pub is_complete: bool,
    /// Set if the system is not deterministic under control.
    pub divergence: Option<Divergence>,
}

#[derive(Clone, Debug)]
enum Memory {
    Search(Box<Search>),
    Exhaustive(Recording),
}

/// What became of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchResult {
    /// This execution fails.
    Killed(FailingExecution),
    /// No execution fails.
    Survived,
    /// The test does not reach it.
    Unreached,
    /// The test reaches it, but fails under some schedule without it: that says nothing about the mutant.
    Undecided,
}

/// The exploration of one mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutantRun {
    pub mutant: MutantId,
    pub result: SearchResult,
    pub size: SearchSize,
    /// The transitions of it on paths where the mutant had not acted yet: what a technique can save at most.
    pub before: u64,
    /// Those among the latter that only lead to where the mutant was started. The paper's Figure 5 counts them; its tool
    /// does not execute them, but restores states.
    pub ways: u64,
    /// Executions that ran to their end.
    pub executions: u64,
    /// Whether the exploration came to its end, or to a failure that it was to stop at.
    pub is_complete: bool,
    /// Set if the system is not deterministic under control.
    pub divergence: Option<Divergence>,
}

/// Asked after every execution, with how it ended, whether to go on.
pub type Watch<'a> = dyn FnMut(ExecutionEnd) -> ControlFlow<()> + 'a;

/// How many scheduling points of the original are remembered under partial-order reduction.
const REMEMBERED: usize = 1 << 20;

impl Original {
    /// Explores the original in full and remembers what the techniques need.
    pub fn explore(system: &mut dyn Mutable, method: SearchMethod) -> Original {
        Original::explore_while(system, method, &mut |_| ControlFlow::Continue(()))
    }

    /// The same, but only as long as `watch` says.
    pub fn explore_while(
        system: &mut dyn Mutable,
        method: SearchMethod,
        watch: &mut Watch<'_>,
    ) -> Original {
        system.activate(MutantId::ORIGINAL);
        match method {
            SearchMethod::Search(settings) => Original::by_search(system, settings, watch),
            SearchMethod::Exhaustive => Original::by_reduction(system, watch),
        }
    }

    fn by_search(
        system: &mut dyn Mutable,
        settings: SearchSettings,
        watch: &mut Watch<'_>,
    ) -> Original {
        let mut search = Search::new(settings).recording();
        let mut is_complete = true;
        let report = explore_with(&mut Plain(system), &mut search, &mut |end, _| {
            let flow = watch(end);
            is_complete &= flow.is_continue();
            flow
        });
        let reached = search.graph().map(starts::reached).unwrap_or_default();
        Original {
            method: SearchMethod::Search(settings),
            size: search.size(),
            memory: Memory::Search(Box::new(search)),
            reached,
            finding: report.finding,
            executions: report.progress.executions,
            is_complete: is_complete && report.divergence.is_none(),
            divergence: report.divergence,
        }
    }

    fn by_reduction(system: &mut dyn Mutable, watch: &mut Watch<'_>) -> Original {
        let mut recording = Recording::new(REMEMBERED);
        let mut strategy = Exhaustive::new();
        let mut finding = None;
        let mut size = SearchSize::default();
        let mut is_complete = true;
        while strategy.begin() {
            let mut recorder = Recorder::new(&mut strategy, &mut recording);
            let end = system.run(&mut recorder);
            size.transitions += recorder.fresh;
            recorder.end(end);
            strategy.end(end);
            if end.is_failure() && finding.is_none() {
                finding = Some(FailingExecution {
                    end,
                    schedule: strategy.schedule(),
                });
            }
            if watch(end).is_break() {
                is_complete = false;
                break;
            }
        }
        size.states = size.transitions + 1;
        Original {
            method: SearchMethod::Exhaustive,
            reached: recording.reached(),
            memory: Memory::Exhaustive(recording),
            finding,
            size,
            executions: strategy.progress().executions,
            is_complete: is_complete && !strategy.gave_up() && strategy.divergence().is_none(),
            divergence: strategy.divergence(),
        }
    }

    /// What the exploration covered.
    pub fn coverage(&self) -> Coverage {
        let bound = match &self.memory {
            Memory::Search(search) if search.was_cut_by_bound() => search.settings().bound,
            Memory::Search(_) | Memory::Exhaustive(_) => None,
        };
        match (self.is_complete, bound) {
            (true, None) => Coverage::All,
            (true, Some(bound)) => Coverage::Preemptions(bound),
            (false, _) => Coverage::Part {
                schedules: self.executions,
            },
        }
    }

    /// The mutants that the test reaches.
    pub fn reached(&self) -> &BTreeSet<MutantId> {
        &self.reached
    }

    /// Whether just the same transitions reach the two, so that they start from the same states. If they also act alike
    /// wherever one of them is seen to act, the exploration of one is the other's.
    pub fn is_reached_alike(&self, one: MutantId, other: MutantId) -> bool {
        match &self.memory {
            Memory::Search(search) => search
                .graph()
                .is_some_and(|graph| starts::is_reached_alike(graph, one, other)),
            Memory::Exhaustive(recording) => recording.is_reached_alike(one, other),
        }
    }

    /// Explores one mutant by way of a technique.
    pub fn explore_mutant(
        &self,
        system: &mut dyn Mutable,
        mutant: MutantId,
        technique: Technique,
        until: StopCondition,
    ) -> MutantRun {
        self.explore_mutant_while(system, mutant, technique, &mut |end| stop(until, end))
    }

    /// The same, but only as long as `watch` says.
    pub fn explore_mutant_while(
        &self,
        system: &mut dyn Mutable,
        mutant: MutantId,
        technique: Technique,
        watch: &mut Watch<'_>,
    ) -> MutantRun {
        let is_reached = self.reached.contains(&mutant);
        if technique != Technique::Naive && !is_reached {
            return MutantRun {
                mutant,
                result: SearchResult::Unreached,
                size: SearchSize::default(),
                before: 0,
                ways: 0,
                executions: 0,
                is_complete: self.is_complete,
                divergence: None,
            };
        }
        system.activate(mutant);
        let mut is_complete = true;
        let mut watch = |end: ExecutionEnd| {
            let flow = watch(end);
            is_complete &= flow.is_continue() || end.is_failure();
            flow
        };
        let explored = match &self.memory {
            Memory::Search(original) => {
                let method = self.method;
                search_mutant(original, method, system, mutant, technique, &mut watch)
            }
            Memory::Exhaustive(recording) => {
                reduce_mutant(recording, system, mutant, technique, &mut watch)
            }
        };
        system.activate(MutantId::ORIGINAL);
        let report = explored.report;
        let result = match report.finding {
            _ if is_reached && self.finding.is_some() => SearchResult::Undecided,
            Some(finding) if self.finding.is_none() => SearchResult::Killed(finding),
            _ if is_reached => SearchResult::Survived,
            _ => SearchResult::Unreached,
        };
        MutantRun {
            mutant,
            result,
            size: explored.size,
            before: explored.before,
            ways: explored.ways,
            executions: report.progress.executions,
            is_complete: is_complete && explored.went_through && report.divergence.is_none(),
            divergence: report.divergence,
        }
    }

    /// Runs one mutant under schedules with at most so many preemptions, as long as `watch` says: a quick look before
    /// it is explored. What the original's exploration knows is not run again.
    pub fn look_at_mutant(
        &self,
        system: &mut dyn Mutable,
        mutant: MutantId,
        preemptions: u32,
        watch: &mut Watch<'_>,
    ) -> FewExecutions {
        system.activate(mutant);
        let mut search = Search::chess(preemptions);
        let (report, size) = match &self.memory {
            Memory::Search(_) => {
                let report =
                    explore_with(&mut Plain(system), &mut search, &mut |end, _| watch(end));
                (report, search.size())
            }
            Memory::Exhaustive(recording) => {
                let mut recorded = Recorded::new(recording, system, mutant, Technique::StateSet);
                let report = explore_with(&mut recorded, &mut search, &mut |end, _| watch(end));
                (report, size_of(recorded.fresh))
            }
        };
        system.activate(MutantId::ORIGINAL);
        FewExecutions {
            finding: report.finding,
            executions: report.progress.executions,
            size,
        }
    }
}

/// What a few executions of a mutant showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FewExecutions {
    pub finding: Option<FailingExecution>,
    /// Executions that ran to their end.
    pub executions: u64,
    pub size: SearchSize,
}

/// The size of a part of a tree.
fn size_of(transitions: u64) -> SearchSize {
    SearchSize {
        states: transitions + u64::from(transitions > 0),
        transitions,
    }
}

/// What exploring a mutant took.
struct Explored {
    report: SearchReport,
    size: SearchSize,
    before: u64,
    ways: u64,
    /// The strategy did not give up.
    went_through: bool,
}

fn search_mutant(
    original: &Search,
    method: SearchMethod,
    system: &mut dyn Mutable,
    mutant: MutantId,
    technique: Technique,
    watch: &mut Watch<'_>,
) -> Explored {
    let SearchMethod::Search(settings) = method else {
        unreachable!("a search remembers a search")
    };
    let graph = original.graph().expect("the original was recorded");
    let search = Search::new(settings).of_mutant(mutant);
    let mut search = match technique {
        Technique::Naive | Technique::Basic => search,
        Technique::OneState => search.starting_at(starts::one_state(graph, mutant)),
        Technique::StateSet => search.starting_at(starts::state_set(graph, mutant)),
        Technique::AllStates => {
            let starts = starts::state_set(graph, mutant);
            let dead_ends: Set<u64> = starts::dead_ends(graph, mutant);
            search.starting_at(starts).without(dead_ends)
        }
    };
    let report = explore_with(&mut Plain(system), &mut search, &mut |end, _| watch(end));
    Explored {
        report,
        size: search.size(),
        before: search.before(),
        ways: search.ways(),
        went_through: true,
    }
}

fn reduce_mutant(
    recording: &Recording,
    system: &mut dyn Mutable,
    mutant: MutantId,
    technique: Technique,
    watch: &mut Watch<'_>,
) -> Explored {
    let mut strategy = Exhaustive::new();
    let mut recorded = Recorded::new(recording, system, mutant, technique);
    let report = explore_with(&mut recorded, &mut strategy, &mut |end, _| watch(end));
    Explored {
        report,
        size: size_of(recorded.fresh),
        before: recorded.before_acting,
        // What is remembered is not even counted.
        ways: 0,
        went_through: !strategy.gave_up(),
    }
}

fn stop(until: StopCondition, end: ExecutionEnd) -> ControlFlow<()> {
    match until == StopCondition::FirstFailure && end.is_failure() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

/// A system whose mutant stays as it is.
struct Plain<'a>(&'a mut dyn Mutable);

impl System for Plain<'_> {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        self.0.run(guide)
    }
}

/// Explores the original, then every mutant given: Figure 6 for one test.
pub fn kill_matrix(
    system: &mut dyn Mutable,
    method: SearchMethod,
    technique: Technique,
    mutants: &[MutantId],
    until: StopCondition,
) -> (Original, Vec<MutantRun>) {
    let original = Original::explore(system, method);
    let runs = mutants
        .iter()
        .map(|&mutant| original.explore_mutant(system, mutant, technique, until))
        .collect();
    (original, runs)
}
