//! Does a mutant conform to its original, whatever the tester does? Here that is explored to the end, on the framework
//! that threads are explored with (`atropos-search`), so MuTMuT's techniques reuse the original's exploration for
//! every mutant. For models whose suspension states can be counted; generation with short-lived mutants serves the rest.

mod system;

pub use system::Conformance;

#[cfg(test)]
use crate::model::Model;
use crate::mutation::ModelMutantId;
use crate::state_space::{StateExplorer, StateSpaceLimits, Stop};
use atropos_search::{
    FailingExecution, Original, SearchMethod, SearchOrder, SearchResult, SearchSettings,
    SearchSize, StateMatching, StopCondition, Technique, Walk,
};
use std::ops::ControlFlow;
#[cfg(test)]
use std::sync::Arc;
use std::time::{Duration, Instant};

use atropos_values::MutantId;

/// The original, explored to the end.
pub struct ExploredModel {
    walk: Walk<Conformance>,
    original: Original,
    most: usize,
}

/// What stood in the way of exploring the original.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    #[error("the model was stopped by itself, {after}: {stop:?}")]
    Stopped { stop: Stop, after: String },
    #[error("the model has more than {0} states (--max-states allows more)")]
    TooLarge(usize),
}

/// What one technique found.
#[derive(Clone, Debug)]
pub struct Comparison {
    pub technique: Technique,
    pub verdicts: Vec<(ModelMutantId, Conforms)>,
    /// Of all mutants together.
    pub size: SearchSize,
    pub time: Duration,
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conforms {
    /// Nothing that a tester can do tells it from the original.
    Always,
    /// In no state of the original does it compute anything else.
    Unreached,
    /// Some test kills it, or it fails or goes on without end there.
    No,
    /// It has too many states, or goes on without end.
    TooLarge,
    /// Its exploration was ended from outside.
    Stopped,
}

/// The exploration of one mutant.
#[derive(Clone, Copy, Debug)]
pub struct MutantConformance {
    pub conforms: Conforms,
    pub size: SearchSize,
    /// It has too many states; a failure may have been found before.
    #[cfg(test)]
    pub was_cut: bool,
}

impl ExploredModel {
    /// Explores the original.
    ///
    /// # Errors
    /// If it fails by itself, or has more than `most` states.
    pub fn new(
        explorer: StateExplorer,
        order: SearchOrder,
        limits: StateSpaceLimits,
        most: usize,
    ) -> Result<ExploredModel, Obstacle> {
        let mut walk = Walk::new(Conformance::new(explorer, limits));
        let states = walk.model().states();
        let method = SearchMethod::Search(SearchSettings {
            order,
            matching: StateMatching::Fingerprint,
            bound: None,
        });
        let original =
            Original::explore_while(&mut walk, method, &mut |_| within(states.get(), most));
        if let Some(stop) = walk.model().stopped() {
            let finding = original.finding.as_ref();
            let after = finding.map_or_else(
                || format!("at state {}", states.get()),
                |finding| walk.model().way_text(finding),
            );
            return Err(Obstacle::Stopped { stop, after });
        }
        if !original.is_complete {
            return Err(Obstacle::TooLarge(most));
        }
        Ok(ExploredModel {
            walk,
            original,
            most,
        })
    }

    #[cfg(test)]
    pub fn model(&self) -> Arc<Model> {
        self.walk.model().model()
    }

    /// Of the original.
    pub fn size(&self) -> SearchSize {
        self.original.size
    }

    /// Explores mutants, each to its first failure, or to its end, and tells how many are decided.
    pub fn compare(
        &mut self,
        mutants: &[ModelMutantId],
        technique: Technique,
        until: StopCondition,
        decided: &mut dyn FnMut(usize),
    ) -> Comparison {
        let begun = Instant::now();
        let mut size = SearchSize::default();
        let mut verdicts = Vec::new();
        for mutant in mutants {
            let comparison = self.mutant(*mutant, technique, until);
            verdicts.push((*mutant, comparison.conforms));
            decided(verdicts.len());
            size.states += comparison.size.states;
            size.transitions += comparison.size.transitions;
        }
        Comparison {
            technique,
            verdicts,
            size,
            time: begun.elapsed(),
        }
    }

    /// Explores one mutant.
    pub fn mutant(
        &mut self,
        mutant: ModelMutantId,
        technique: Technique,
        until: StopCondition,
    ) -> MutantConformance {
        let states = self.walk.model().states();
        let most = self.most;
        let mut cut = false;
        let run = self.original.explore_mutant_while(
            &mut self.walk,
            MutantId(mutant.0),
            technique,
            &mut |end| {
                let flow = within(states.get(), most);
                cut |= flow.is_break();
                match until == StopCondition::FirstFailure && end.is_failure() {
                    true => ControlFlow::Break(()),
                    false => flow,
                }
            },
        );
        let conforms = match run.result {
            _ if self.walk.model().is_halted() => Conforms::Stopped,
            SearchResult::Killed(_) => Conforms::No,
            _ if cut || run.divergence.is_some() => Conforms::TooLarge,
            SearchResult::Survived => Conforms::Always,
            SearchResult::Unreached => Conforms::Unreached,
            SearchResult::Undecided => Conforms::TooLarge,
        };
        MutantConformance {
            conforms,
            size: run.size,
            #[cfg(test)]
            was_cut: cut,
        }
    }
}

fn within(states: usize, most: usize) -> ControlFlow<()> {
    match states <= most {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
}

impl Conformance {
    /// The moves of a schedule, in words.
    fn way_text(&self, finding: &FailingExecution) -> String {
        let moves = self.moves_of(&finding.schedule);
        match moves.is_empty() {
            true => "at the start".to_string(),
            false => format!("after {}", moves.join(", ")),
        }
    }
}
