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

pub use sampled::SampledOriginal;

use std::collections::BTreeSet;

use crate::exhaustive::Exhaustive;
use crate::hash::Set;
use crate::search::{Search, Settings, Size};
use crate::strategy::{Divergence, Finding, Strategy, explore_with};
use crate::system::{Guide, Mutable, System};
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

/// How executions are explored, the same for the original and its mutants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// A search over states (or, without matching, over paths).
    Search(Settings),
    /// Partial-order reduction.
    Exhaustive,
}

/// Whether to go on after a failing execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    FirstFailure,
    Done,
}

/// What the original's exploration left behind.
#[derive(Clone, Debug)]
pub struct Original {
    method: Method,
    memory: Memory,
    reached: BTreeSet<u32>,
    /// The first failing execution of the original.
    pub finding: Option<Finding>,
    pub size: Size,
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
pub enum Verdict {
    /// This execution fails.
    Killed(Finding),
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
    pub mutant: u32,
    pub verdict: Verdict,
    pub size: Size,
    /// Set if the system is not deterministic under control.
    pub divergence: Option<Divergence>,
}

/// How many scheduling points of the original are remembered under partial-order reduction.
const REMEMBERED: usize = 1 << 20;

impl Original {
    /// Explores the original in full and remembers what the techniques need.
    pub fn explore(system: &mut dyn Mutable, method: Method) -> Original {
        system.activate(0);
        match method {
            Method::Search(settings) => Original::by_search(system, settings),
            Method::Exhaustive => Original::by_reduction(system),
        }
    }

    fn by_search(system: &mut dyn Mutable, settings: Settings) -> Original {
        let mut search = Search::new(settings).recording();
        let report = explore_with(&mut Plain(system), &mut search, &mut |_, _| {
            std::ops::ControlFlow::Continue(())
        });
        let reached = search.graph().map(starts::reached).unwrap_or_default();
        Original {
            method: Method::Search(settings),
            size: search.size(),
            memory: Memory::Search(Box::new(search)),
            reached,
            finding: report.finding,
            divergence: report.divergence,
        }
    }

    fn by_reduction(system: &mut dyn Mutable) -> Original {
        let mut recording = Recording::new(REMEMBERED);
        let mut strategy = Exhaustive::new();
        let mut finding = None;
        let mut size = Size::default();
        while strategy.begin() {
            let mut recorder = Recorder::new(&mut strategy, &mut recording);
            let end = system.run(&mut recorder);
            size.transitions += recorder.fresh;
            recorder.end(end);
            strategy.end(end);
            if end.is_failure() && finding.is_none() {
                finding = Some(Finding {
                    end,
                    schedule: strategy.schedule(),
                });
            }
        }
        size.states = size.transitions + 1;
        Original {
            method: Method::Exhaustive,
            reached: recording.reached(),
            memory: Memory::Exhaustive(recording),
            finding,
            size,
            divergence: strategy.divergence(),
        }
    }

    /// The mutants that the test reaches.
    pub fn reached(&self) -> &BTreeSet<u32> {
        &self.reached
    }

    /// Explores one mutant by way of a technique.
    pub fn explore_mutant(
        &self,
        system: &mut dyn Mutable,
        mutant: u32,
        technique: Technique,
        until: Until,
    ) -> MutantRun {
        let is_reached = self.reached.contains(&mutant);
        if technique != Technique::Naive && !is_reached {
            return MutantRun {
                mutant,
                verdict: Verdict::Unreached,
                size: Size::default(),
                divergence: None,
            };
        }
        system.activate(mutant);
        let (finding, size, divergence) = match &self.memory {
            Memory::Search(original) => {
                search_mutant(original, self.method, system, mutant, technique, until)
            }
            Memory::Exhaustive(recording) => {
                reduce_mutant(recording, system, mutant, technique, until)
            }
        };
        system.activate(0);
        let verdict = match finding {
            _ if is_reached && self.finding.is_some() => Verdict::Undecided,
            Some(finding) if self.finding.is_none() => Verdict::Killed(finding),
            _ if is_reached => Verdict::Survived,
            _ => Verdict::Unreached,
        };
        MutantRun {
            mutant,
            verdict,
            size,
            divergence,
        }
    }
}

type Explored = (Option<Finding>, Size, Option<Divergence>);

fn search_mutant(
    original: &Search,
    method: Method,
    system: &mut dyn Mutable,
    mutant: u32,
    technique: Technique,
    until: Until,
) -> Explored {
    let Method::Search(settings) = method else {
        unreachable!("a search remembers a search")
    };
    let graph = original.graph().expect("the original was recorded");
    let search = Search::new(settings).of_mutant(mutant);
    let mut search = match technique {
        Technique::Naive | Technique::Basic => search,
        Technique::OneState => search.starting_at(starts::one_state(graph, mutant)),
        Technique::StateSet => search.starting_at(starts::state_set(graph, settings.order, mutant)),
        Technique::AllStates => {
            let starts = starts::state_set(graph, settings.order, mutant);
            let barren: Set<u64> = starts::barren(graph, mutant);
            search.starting_at(starts).without(barren)
        }
    };
    let report = explore_with(&mut Plain(system), &mut search, &mut |end, _| {
        stop(until, end)
    });
    (report.finding, search.size(), report.divergence)
}

fn reduce_mutant(
    recording: &Recording,
    system: &mut dyn Mutable,
    mutant: u32,
    technique: Technique,
    until: Until,
) -> Explored {
    let mut strategy = Exhaustive::new();
    let mut recorded = Recorded::new(recording, system, mutant, technique);
    let report = explore_with(&mut recorded, &mut strategy, &mut |end, _| stop(until, end));
    let transitions = recorded.fresh;
    let states = transitions + u64::from(transitions > 0);
    (
        report.finding,
        Size {
            states,
            transitions,
        },
        report.divergence,
    )
}

fn stop(until: Until, end: crate::system::End) -> std::ops::ControlFlow<()> {
    match until == Until::FirstFailure && end.is_failure() {
        true => std::ops::ControlFlow::Break(()),
        false => std::ops::ControlFlow::Continue(()),
    }
}

/// A system whose mutant stays as it is.
struct Plain<'a>(&'a mut dyn Mutable);

impl System for Plain<'_> {
    fn run(&mut self, guide: &mut dyn Guide) -> crate::system::End {
        self.0.run(guide)
    }
}

/// Explores the original, then every mutant given: Figure 6 for one test.
pub fn kill_matrix(
    system: &mut dyn Mutable,
    method: Method,
    technique: Technique,
    mutants: &[u32],
    until: Until,
) -> (Original, Vec<MutantRun>) {
    let original = Original::explore(system, method);
    let runs = mutants
        .iter()
        .map(|&mutant| original.explore_mutant(system, mutant, technique, until))
        .collect();
    (original, runs)
}
