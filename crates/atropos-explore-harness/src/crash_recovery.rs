//! Mutants that take their process down: what is known of the schedule that did it is tried and told by other processes. As
//! diaries do, all of them number threads in the order in which they are started.

use std::os::fd::AsRawFd as _;
use std::time::Instant;

use atropos_protocol::FailureKind;
use atropos_protocol::exploration::{Explored, Found, MutantResult, Response};
use atropos_protocol::sys::{self, Ended};
use atropos_search::{
    Mutable as _, Names, Replay, Schedule, Strategy as _, Strictness, System as _,
};
use atropos_threads::Noted as _;

use crate::choice_log::{Diary, Following};
use crate::lines::Lines;
use crate::recheck::{self, Recheck};
use crate::subject::Subject;
use crate::workers::fork_worker;
use crate::{describe, responses};

/// What became of a mutant whose process ended like this, with its choices in the diary.
pub fn answer(
    subject: &mut Subject<'_>,
    mutant: u32,
    ended: Ended,
    diary: &'static Diary,
    begun: Instant,
) -> Response {
    let mut result = MutantResult::Killed;
    let mut explored = Explored {
        coverage: "a schedule that ends the process".to_owned(),
        executions: 1,
        ..Explored::default()
    };
    let mut found = crash(ended);
    let repeated = diary.schedule().filter(|schedule| {
        let again = end_of(subject, mutant, schedule, Strictness::Exact, diary);
        again.is_some_and(|again| is_like(again, ended))
    });
    let rechecked = match repeated {
        Some(schedule) => {
            found.schedule = schedule.to_string();
            found.replayed = true;
            found.trace =
                trace_before(subject, mutant, &schedule, &found.title).unwrap_or_default();
            // Where only a part of the original's schedules is known, this may be one under which it fails, too.
            original(subject, &schedule, diary)
        }
        // Perhaps a mutant that was run before it in the same process has left something behind.
        None => Recheck::not_repeated(),
    };
    explored.found = Some(found);
    rechecked.judge(&mut result, &mut explored);
    explored.nanoseconds = begun.elapsed().as_nanos() as u64;
    Response::Mutant {
        mutant,
        result,
        explored,
    }
}

/// Whether two processes ended alike: of which signal one dies that uses memory wrongly is a matter of chance.
fn is_like(one: Ended, other: Ended) -> bool {
    match (one, other) {
        (Ended::Signaled(_), Ended::Signaled(_)) => true,
        (one, other) => one == other,
    }
}

/// A process that ended so, in words.
fn crash(ended: Ended) -> Found {
    let (kind, how) = match ended {
        Ended::Exited(code) => (
            FailureKind::Exited,
            format!("the test ended its process with code {code}"),
        ),
        Ended::Signaled(signal) => (
            FailureKind::Crashed,
            format!("the test died of signal {signal}"),
        ),
    };
    Found {
        kind,
        title: how.clone(),
        text: how,
        location: String::new(),
        schedule: String::new(),
        trace: String::new(),
        replayed: false,
    }
}

/// What the original does where its threads take turns like this: in a process of its own first, which it may take down.
fn original(subject: &mut Subject<'_>, schedule: &Schedule, diary: &'static Diary) -> Recheck {
    match end_of(subject, 0, schedule, Strictness::Lenient, diary) {
        Some(Ended::Exited(PASSED)) => Recheck::Passes,
        Some(Ended::Exited(FAILED)) => {
            let names = subject.test().set_names(Names::new());
            let rechecked = recheck::original(subject, [schedule.clone()]);
            subject.test().set_names(names);
            rechecked
        }
        Some(ended) => {
            let mut own = crash(ended);
            if let Some(schedule) = diary.schedule() {
                own.schedule = schedule.to_string();
                own.trace = trace_before(subject, 0, &schedule, &own.title).unwrap_or_default();
                own.replayed = true;
            }
            Recheck::Fails(own)
        }
        None => Recheck::Unknown("no process could be started for the original".to_owned()),
    }
}

/// How processes of ours end; no test is likely to end its process with these.
const PASSED: i32 = 90;
const FAILED: i32 = 91;

/// How a process ends that runs a schedule and writes its choices into the diary.
fn end_of(
    subject: &mut Subject<'_>,
    mutant: u32,
    schedule: &Schedule,
    strictness: Strictness,
    diary: &'static Diary,
) -> Option<Ended> {
    let Some(pid) = fork_worker().ok()? else {
        subject.activate(mutant);
        subject.test().set_names(Names::new());
        subject.keep_diary(diary);
        let mut replay = Replay::new(schedule, strictness);
        replay.begin();
        let end = subject.run(&mut replay);
        sys::exit_now(if end.is_failure() { FAILED } else { PASSED })
    };
    let ended = sys::wait(pid, true).ok()?;
    ended.map(|(_, ended)| ended)
}

/// The steps up to the one that takes the process down, in words.
fn trace_before(
    subject: &mut Subject<'_>,
    mutant: u32,
    schedule: &Schedule,
    how: &str,
) -> Option<String> {
    let mut steps = schedule.choices.iter();
    let last = steps.rposition(|choice| choice.as_thread().is_some())?;
    let (pipe, end) = std::io::pipe().ok()?;
    let Some(pid) = fork_worker().ok()? else {
        drop(pipe);
        responses::redirect(end.as_raw_fd());
        subject.activate(mutant);
        subject.test().set_names(Names::new());
        let mut following = Following(schedule.choices[..last].iter());
        let (_, trace) = subject.run_recorded(&mut following);
        responses::pass_on(&trace.to_string());
        sys::exit_now(0)
    };
    drop(end);
    let mut lines = Lines::of(pipe);
    let mut trace = String::new();
    while let Some(said) = lines.read() {
        trace.extend(said);
    }
    let _ = sys::wait(pid, true);
    let thread = schedule.choices[last].as_thread()?.0;
    let mut trace = describe::shortened(trace);
    trace.push_str(&format!("thread {thread} goes on, and {how}\n"));
    Some(trace)
}
