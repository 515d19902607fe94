//! Runs every test twice without a mutant: the first runs teach invariants, the second ones take
//! away what does not always hold, and both together tell what a test does each time. A test that
//! starts threads is run a few times more, with threads held up now and then: what another schedule
//! breaks is taken away, too.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use anyhow::Result;
use atropos_invariants::{Learned, PointState};
use atropos_protocol::{Effect, Limits};

use super::calls::Calls;
use super::observer::{ObservedTest, Observer};
use super::trace::ObservedTrace;
use super::workers::{WorkerSetting, in_parallel};
use crate::execute::{UsedByOriginal, limits};

/// So many times more is a test run that starts threads.
const SCHEDULES: u64 = 3;

/// What is known of the original.
#[derive(Default)]
pub struct ObservedOriginal {
    pub learned: Learned,
    /// What was seen of each function, in all tests.
    pub states: BTreeMap<u32, PointState>,
    pub calls: Calls,
    pub tests: BTreeMap<usize, OriginalTest>,
    /// Invariants that the second runs broke.
    pub dropped: usize,
    /// The processor's time of all first runs: other work on the machine does not count.
    pub seconds: f64,
}

/// What is known of one test without a mutant.
pub struct OriginalTest {
    pub trace: ObservedTrace,
    pub unsteady: BTreeSet<u32>,
    /// For mutants under this test.
    pub limits: Limits,
    pub seconds: f64,
}

/// What one worker saw.
#[derive(Default)]
struct WorkerFindings {
    first: BTreeMap<u32, PointState>,
    second: BTreeMap<u32, PointState>,
    calls: BTreeSet<(u32, u32)>,
    tests: BTreeMap<usize, OriginalTest>,
    seconds: f64,
}

/// Learns from all tests.
pub fn learn(team: &WorkerSetting<'_>, tests: &[ObservedTest]) -> Result<ObservedOriginal> {
    let seen = in_parallel(team, tests, |observer, test, seen: &mut WorkerFindings| {
        seen.test(team, observer, test);
    })?;
    Ok(settled(seen))
}

/// What the first runs teach, less what later ones break.
fn settled(workers: Vec<WorkerFindings>) -> ObservedOriginal {
    let mut all = WorkerFindings::default();
    for seen in workers {
        merge_all(&mut all.first, &seen.first);
        merge_all(&mut all.second, &seen.second);
        all.calls.extend(seen.calls);
        all.tests.extend(seen.tests);
        all.seconds += seen.seconds;
    }
    let mut learned = Learned::default();
    for (function, state) in &all.first {
        learned.learn(*function, state);
    }
    let dropped = all
        .second
        .iter()
        .map(|(function, state)| learned.drop_broken(*function, state))
        .sum();
    merge_all(&mut all.first, &all.second);
    ObservedOriginal {
        learned,
        states: all.first,
        calls: Calls::of(&all.calls),
        tests: all.tests,
        dropped,
        seconds: all.seconds,
    }
}

impl WorkerFindings {
    fn test(&mut self, team: &WorkerSetting<'_>, observer: &mut Observer<'_>, test: &ObservedTest) {
        let start = Instant::now();
        let Some(baseline) = observer.baseline(test).filter(|run| run.passed()) else {
            return;
        };
        let trace = observer.trace();
        add_states(&mut self.first, observer, &trace);
        self.calls.extend(observer.calls());
        let seconds = start.elapsed().as_secs_f64();
        self.seconds += baseline.cpu.as_secs_f64();
        let Some(again) = observer.baseline(test).filter(|run| run.passed()) else {
            return;
        };
        let second = observer.trace();
        add_states(&mut self.second, observer, &second);
        let mut unsteady = trace.unsteady(&second);
        if baseline.effects.contains(Effect::Threads) {
            for seed in 1..=SCHEDULES {
                // One that fails like that is for explorations to find.
                if !observer
                    .shuffled(test, seed)
                    .is_some_and(|run| run.passed())
                {
                    break;
                }
                let other = observer.trace();
                add_states(&mut self.second, observer, &other);
                unsteady.extend(trace.unsteady(&other));
            }
        }
        let used = UsedByOriginal {
            wall: baseline.wall.max(again.wall),
            ..UsedByOriginal::in_run(&baseline)
        };
        self.tests.insert(
            test.id,
            OriginalTest {
                unsteady,
                trace,
                limits: Limits {
                    // Nobody has tried here whether the original keeps to one.
                    file_size: 0,
                    ..limits(&used, team.timeout_multiplier)
                },
                seconds,
            },
        );
    }
}

fn add_states(
    states: &mut BTreeMap<u32, PointState>,
    observer: &Observer<'_>,
    trace: &ObservedTrace,
) {
    for function in trace.functions() {
        if let Some(state) = observer.state(function) {
            merge(states, function, &state);
        }
    }
}

fn merge_all(states: &mut BTreeMap<u32, PointState>, others: &BTreeMap<u32, PointState>) {
    for (function, state) in others {
        merge(states, *function, state);
    }
}

fn merge(states: &mut BTreeMap<u32, PointState>, function: u32, state: &PointState) {
    states
        .entry(function)
        .or_insert(PointState::EMPTY)
        .merge(state);
}

#[cfg(test)]
mod tests {
    use atropos_invariants::ObservedValue;

    use super::*;

    const FUNCTION: u32 = 7;

    /// What a run saw of a function that is called with these numbers, often enough to learn from.
    fn run(numbers: [i64; 2]) -> BTreeMap<u32, PointState> {
        let mut state = PointState::EMPTY;
        for number in numbers.into_iter().cycle().take(100) {
            state.enter(0, ObservedValue::Number(number), None);
        }
        BTreeMap::from([(FUNCTION, state)])
    }

    fn worker(first: [i64; 2], second: [i64; 2]) -> WorkerFindings {
        WorkerFindings {
            first: run(first),
            second: run(second),
            ..WorkerFindings::default()
        }
    }

    fn violations(original: &ObservedOriginal, numbers: [i64; 2]) -> usize {
        let state = &run(numbers)[&FUNCTION];
        original.learned.violations(FUNCTION, state).len()
    }

    #[test]
    fn what_another_schedule_breaks_is_no_invariant() {
        let steady = settled(vec![worker([3, 4], [3, 4])]);
        assert_eq!(steady.dropped, 0);
        let broken = violations(&steady, [-3, 4]);
        assert!(broken > 0, "3 or 4, never negative");

        // Another worker saw the same function below zero, under another schedule.
        let varying = settled(vec![worker([3, 4], [3, 4]), worker([3, 4], [-3, 4])]);
        assert_eq!(varying.dropped, broken);
        assert_eq!(violations(&varying, [-3, 4]), 0);
    }
}
