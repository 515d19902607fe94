//! Panics that belong to a test: those of threads that nobody joins, and that it has whatever the schedule, such as those
//! of a pool of threads whose test lets a job panic. No harness takes note of them, so they are no failures.
//!
//! What is expected is asked of the original under a few schedules, in a process of its own: nothing that this one remembers
//! of its executions changes, and every process that asks gets the same answer.

use std::collections::BTreeSet;
use std::os::fd::AsRawFd as _;

use atropos_protocol::sys;
use atropos_search::{
    ExecutionEnd, Mutable as _, Replay, Schedule, Strategy as _, StrategySpec, Strictness,
};
use atropos_values::MutantId;

use crate::lines::LineReader;
use crate::responses;
use crate::subject::Subject;
use crate::workers::fork_worker;

/// Schedules to ask, besides the simplest: a panic that only some have is hardly in all of them.
const SCHEDULES: u64 = 7;
const SEED: u64 = 1;

/// Where threads that nobody joins panic under all of a few schedules.
pub fn places(subject: &mut Subject<'_>) -> BTreeSet<String> {
    asked(subject).unwrap_or_default()
}

fn asked(subject: &mut Subject<'_>) -> Option<BTreeSet<String>> {
    let (pipe, end) = std::io::pipe().ok()?;
    let Some(pid) = fork_worker().ok()? else {
        drop(pipe);
        responses::redirect(end.as_raw_fd());
        subject.activate(MutantId::ORIGINAL);
        for place in found(subject) {
            responses::pass_on(&format!("{place}\n"));
        }
        sys::exit_now(0)
    };
    drop(end);
    let mut lines = LineReader::of(pipe);
    let mut places = BTreeSet::new();
    while let Some(said) = lines.read() {
        places.extend(said.iter().map(|line| line.trim_end().to_owned()));
    }
    let _ = sys::wait(pid, true);
    Some(places)
}

fn found(subject: &mut Subject<'_>) -> BTreeSet<String> {
    let mut simplest = Replay::new(&Schedule::default(), Strictness::Lenient);
    simplest.begin();
    let mut places = subject.unjoined_panics(&mut simplest);
    let mut drawn = StrategySpec::Random(SCHEDULES).strategy(SEED);
    while !places.is_empty() && drawn.begin() {
        let others = subject.unjoined_panics(&mut *drawn);
        places.retain(|place| others.contains(place));
        drawn.end(ExecutionEnd::Passed(0));
    }
    places
}
