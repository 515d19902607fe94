//! The schedule of a test that the user saved: it is run before all others. If the test has changed so that it can't be
//! followed any more, schedules like it are tried.

use std::time::Instant;

use atropos_protocol::exploration::{Explored, Request, SAVED_SCHEDULE_IS_STALE};
use atropos_search::{
    Choice, ExecutionEnd, Replay, Schedule, Strategy as _, Strictness, System as _, XorShift,
};
use atropos_threads::NotedSystem as _;

use crate::describe;
use crate::explore_original::text;
use crate::subject::Subject;

/// Schedules like a saved one that are tried.
const NEARBY: u64 = 200;
/// What is covered then.
const COVERAGE: &str = "the saved schedule";

/// Runs the schedule that the request names. If it can't be followed any more and none like it fails, a remark says so.
pub fn run(subject: &mut Subject<'_>, request: &Request) -> Result<Explored, String> {
    let start = Instant::now();
    let schedule: Schedule = request.schedule.parse().map_err(text)?;
    let explored = search(subject, request, &schedule);
    Ok(Explored {
        nanoseconds: start.elapsed().as_nanos() as u64,
        ..explored
    })
}

fn search(subject: &mut Subject<'_>, request: &Request, schedule: &Schedule) -> Explored {
    let (run, failed) = attempt(subject, schedule, Strictness::Exact, 1);
    if let Some(explored) = failed {
        return explored;
    }
    if run.divergence().is_none() {
        return passed(1);
    }
    let mut random = XorShift::new(request.seed);
    for number in 1..=NEARBY {
        let candidate = match number {
            1 => schedule.clone(),
            _ => changed(schedule, &mut random),
        };
        let (_, failed) = attempt(subject, &candidate, Strictness::Lenient, 1 + number);
        if let Some(explored) = failed {
            return explored;
        }
    }
    Explored {
        remarks: vec![SAVED_SCHEDULE_IS_STALE.to_owned()],
        ..passed(1 + NEARBY)
    }
}

fn passed(executions: u64) -> Explored {
    Explored {
        coverage: COVERAGE.to_owned(),
        executions,
        ..Explored::default()
    }
}

/// Runs a schedule; also what to tell if the test fails under it.
fn attempt(
    subject: &mut Subject<'_>,
    schedule: &Schedule,
    strictness: Strictness,
    executions: u64,
) -> (Replay, Option<Explored>) {
    let mut replay = Replay::new(schedule, strictness);
    replay.begin();
    let end = subject.run(&mut replay);
    replay.end(end);
    let notes = subject.take_notes();
    let is_failure = end.is_failure() && !matches!(end, ExecutionEnd::Limit(_));
    let Some(failure) = notes.failure.clone().filter(|_| is_failure) else {
        return (replay, None);
    };
    if notes.uncontrolled.is_some() {
        return (replay, None);
    }
    let mut explored = describe::notes(&notes);
    explored.executions = executions;
    explored.coverage = COVERAGE.to_owned();
    let thoroughly = describe::THOROUGHLY;
    let schedule = replay.schedule();
    let found = describe::found_in_original(subject, failure, end, schedule, thoroughly);
    let explored = found.ok().map(|found| Explored {
        found: Some(found),
        ..explored
    });
    (replay, explored)
}

/// The schedule up to some place, or without a few of its choices.
fn changed(schedule: &Schedule, random: &mut XorShift) -> Schedule {
    let choices = &schedule.choices;
    let length = choices.len().max(1) as u64;
    let (from, few) = (random.below(length) as usize, 1 + random.below(8) as usize);
    let rest: &[Choice] = match random.one_in(2) {
        true => &[],
        false => choices.get(from + few..).unwrap_or(&[]),
    };
    let beginning = &choices[..from.min(choices.len())];
    Schedule {
        choices: [beginning, rest].concat(),
    }
}
