//! The way in: a test function, a strategy, and what came of it.

mod test;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use atropos_explore::{
    Coverage, Divergence, End, Progress, Replay, Schedule, Strategy, Strictness, explore_with,
    shrink,
};

use crate::finding::FindingKind;
use crate::options::Options;
use crate::trace::Trace;
pub use test::{Last, ThreadedTest, say};

/// What came of an exploration.
#[derive(Debug)]
pub struct Report {
    /// The first failing execution.
    pub failure: Option<Failure>,
    /// Remarks on executions that passed, each sort once.
    pub remarks: Vec<FindingKind>,
    pub coverage: Coverage,
    pub progress: Progress,
    /// Set if the program is not deterministic under control; the rest is then not to be trusted.
    pub divergence: Option<Divergence>,
    /// Bytes of statics put back before each execution; 0 if statics were kept.
    pub statics: usize,
}

/// A failing execution.
#[derive(Debug)]
pub struct Failure {
    /// What went wrong.
    pub finding: FindingKind,
    /// The schedule that leads there, with few preemptions.
    pub schedule: Schedule,
    /// What happened on the way.
    pub trace: Trace,
    /// Whether the schedule led to the same end when it was run again.
    pub replayed: bool,
}

/// Executions to spend on making a failing schedule simpler.
const SHRINKING: usize = 2000;

/// Runs a test under a strategy until it fails, does something that can't be controlled, or the strategy has nothing left. `watch` is called after every
/// execution and may stop the exploration.
pub fn explore(
    test: &(dyn Fn() + Sync),
    options: &Options,
    strategy: &mut dyn Strategy,
    watch: &mut dyn FnMut(&dyn Strategy) -> ControlFlow<()>,
) -> Report {
    let mut system = ThreadedTest::new(test, options);
    let mut remarks: Vec<FindingKind> = Vec::new();
    let mut failed = None;
    let mut uncontrolled = false;
    let report = {
        let last = system.last();
        explore_with(&mut system, strategy, &mut |end, strategy| {
            for finding in last.take().findings {
                uncontrolled |= matches!(finding.kind, FindingKind::Uncontrolled { .. });
                let known = |known: &FindingKind| {
                    std::mem::discriminant(known) == std::mem::discriminant(&finding.kind)
                };
                if finding.kind.is_failure() && end.is_failure() {
                    failed.get_or_insert(finding.kind);
                } else if !remarks.iter().any(known) {
                    remarks.push(finding.kind);
                }
            }
            // What depends on the world outside is not for us to explore.
            if end.is_failure() || uncontrolled {
                ControlFlow::Break(())
            } else {
                watch(strategy)
            }
        })
    };
    let failure = match (report.finding, failed) {
        (Some(found), Some(finding)) => {
            Some(describe(&mut system, finding, found.end, found.schedule))
        }
        _ => None,
    };
    Report {
        failure,
        remarks,
        coverage: report.coverage,
        progress: report.progress,
        divergence: report.divergence,
        statics: system.statics_size(),
    }
}

/// Shrinks a failing schedule and runs it once more to see what happens.
fn describe(
    system: &mut ThreadedTest<'_>,
    finding: FindingKind,
    end: End,
    schedule: Schedule,
) -> Failure {
    let shrunk = shrink(system, &schedule, SHRINKING).map(|shrunk| shrunk.schedule);
    let schedule = shrunk.unwrap_or(schedule);
    let (again, kinds, trace) = run_recorded(system, &schedule);
    let replayed = std::mem::discriminant(&again) == std::mem::discriminant(&end);
    let finding = kinds
        .into_iter()
        .find(|kind| kind.is_failure())
        .filter(|_| replayed)
        .unwrap_or(finding);
    Failure {
        finding,
        schedule,
        trace,
        replayed,
    }
}

fn run_recorded(
    system: &mut ThreadedTest<'_>,
    schedule: &Schedule,
) -> (End, Vec<FindingKind>, Trace) {
    let mut replay = Replay::new(schedule, Strictness::Exact);
    replay.begin();
    system.record(true);
    let end = atropos_explore::System::run(system, &mut replay);
    replay.end(end);
    system.record(false);
    let kinds = system
        .last()
        .take()
        .findings
        .into_iter()
        .map(|finding| finding.kind)
        .collect();
    (end, kinds, system.take_trace())
}

/// Runs one schedule of a test, and says how it ended, what was found and what happened.
pub fn replay(
    test: &(dyn Fn() + Sync),
    options: &Options,
    schedule: &Schedule,
) -> (End, Vec<FindingKind>, Trace) {
    run_recorded(&mut ThreadedTest::new(test, options), schedule)
}

/// Runs a test under a strategy to its end, failures too, and counts how executions ended: what the test
/// [`say`]s, or what went wrong.
pub fn survey(
    test: &(dyn Fn() + Sync),
    options: &Options,
    strategy: &mut dyn Strategy,
) -> (BTreeMap<String, u64>, atropos_explore::Report) {
    let mut system = ThreadedTest::new(test, options);
    let last = system.last();
    let mut ends = BTreeMap::new();
    let report = explore_with(&mut system, strategy, &mut |end, _| {
        let Last { findings, said, .. } = last.take();
        let failure = findings.iter().find(|finding| finding.kind.is_failure());
        let text = match (end, failure) {
            (End::Stopped, _) => return ControlFlow::Continue(()),
            (_, Some(failure)) => failure.kind.title(),
            _ => said,
        };
        *ends.entry(text).or_insert(0) += 1;
        ControlFlow::Continue(())
    });
    (ends, report)
}
