//! The way in: a test function, a strategy, and the result of it.

mod controlled_test;
mod noted_test;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use atropos_search::{
    Coverage, Divergence, ExecutionEnd, Schedule, SearchProgress, Strategy, System as _,
    explore_with,
};

use crate::finding::Finding;
use crate::options::ControlOptions;
use crate::trace::ExecutionTrace;
pub use controlled_test::{LastExecution, ThreadedTest, say};
use noted_test::NotedTest;
pub use noted_test::{FailingRun, NotedSystem, Notes, find_places};

/// The result of an exploration.
#[derive(Debug)]
pub struct ControlReport {
    /// The first failing execution.
    pub failure: Option<FailingRun>,
    /// Remarks on executions that passed, each sort once.
    pub remarks: Vec<Finding>,
    pub coverage: Coverage,
    pub progress: SearchProgress,
    /// Set if the program is not deterministic under control; the rest is then not to be trusted.
    pub divergence: Option<Divergence>,
    /// Bytes of statics put back before each execution; 0 if statics were kept.
    pub statics: usize,
}

/// Executions to spend on making a failing schedule simpler.
const SHRINKING: usize = 2000;

/// Runs a test under a strategy until it fails, does something that can't be controlled, or the strategy has nothing left. `watch` is called after every
/// execution and may stop the exploration.
pub fn explore(
    test: &(dyn Fn() + Sync),
    options: &ControlOptions,
    strategy: &mut dyn Strategy,
    watch: &mut dyn FnMut(&dyn Strategy) -> ControlFlow<()>,
) -> ControlReport {
    let mut system = NotedTest::new(test, options);
    let mut failing = None;
    while strategy.begin() {
        let end = system.run(strategy);
        strategy.end(end);
        if end.is_failure() {
            failing = Some((end, strategy.schedule()));
        }
        // What depends on the world outside is not for us to explore.
        let is_over = failing.is_some() || system.notes.uncontrolled.is_some();
        if is_over || strategy.divergence().is_some() || watch(strategy).is_break() {
            break;
        }
    }
    let notes = system.take_notes();
    let failure = match (failing, notes.failure) {
        (Some((end, schedule)), Some(finding)) => {
            let failure = FailingRun::tell(&mut system, finding, end, schedule, SHRINKING);
            Some(failure)
        }
        _ => None,
    };
    ControlReport {
        failure,
        remarks: notes
            .uncontrolled
            .into_iter()
            .chain(notes.remarks)
            .collect(),
        coverage: strategy.coverage(),
        progress: strategy.progress(),
        divergence: strategy.divergence(),
        statics: system.test.statics_size(),
    }
}

/// Runs one schedule of a test, and says how it ended, what was found and what happened.
pub fn replay(
    test: &(dyn Fn() + Sync),
    options: &ControlOptions,
    schedule: &Schedule,
) -> (ExecutionEnd, Notes, ExecutionTrace) {
    let mut test = NotedTest::new(test, options);
    let (end, trace) = noted_test::replay(&mut test, schedule);
    (end, test.take_notes(), trace)
}

/// Runs a test under a strategy to its end, failures too, and counts how executions ended: what the test
/// [`say`]s, or what went wrong.
pub fn survey(
    test: &(dyn Fn() + Sync),
    options: &ControlOptions,
    strategy: &mut dyn Strategy,
) -> (BTreeMap<String, u64>, atropos_search::SearchReport) {
    let mut system = ThreadedTest::new(test, options);
    let last = system.last();
    let mut ends = BTreeMap::new();
    let report = explore_with(&mut system, strategy, &mut |end, _| {
        let LastExecution { findings, said, .. } = last.take();
        let failure = findings.iter().find(|finding| finding.is_failure());
        let text = match (end, failure) {
            (ExecutionEnd::Stopped, _) => return ControlFlow::Continue(()),
            (_, Some(failure)) => failure.title(),
            _ => said,
        };
        *ends.entry(text).or_insert(0) += 1;
        ControlFlow::Continue(())
    });
    (ends, report)
}
