//! Mutants that take their process down: what is known of the schedule that did it is tried and told by other processes.

use std::os::fd::AsRawFd as _;
use std::time::Instant;

use atropos_explore::{Mutable as _, Replay, Schedule, Strategy as _, Strictness, System as _};
use atropos_protocol::exploration::{Answer, Explored, Fate, Found, Sort};
use atropos_protocol::sys::{self, Ended};
use atropos_threads::Noted as _;

use crate::answers;
use crate::diary::Following;
use crate::lines::Lines;
use crate::subject::Subject;
use crate::workers::fork_worker;

/// What became of a mutant whose process ended like this under this schedule.
pub fn answer(
    subject: &mut Subject<'_>,
    mutant: u32,
    ended: Ended,
    schedule: Option<Schedule>,
    begun: Instant,
) -> Answer {
    let how = match ended {
        Ended::Exited(code) => format!("the test ended its process with code {code}"),
        Ended::Signaled(signal) => format!("the test died of signal {signal}"),
    };
    let mut found = Found {
        sort: Sort::Crash,
        title: how.clone(),
        text: how.clone(),
        location: String::new(),
        schedule: String::new(),
        trace: String::new(),
        replayed: false,
    };
    let mut fate = Fate::Killed;
    if let Some(schedule) = schedule {
        found.schedule = schedule.to_string();
        found.replayed = end_of(subject, mutant, &schedule, Strictness::Exact) == Some(ended);
        found.trace = trace_before(subject, mutant, &schedule, &how).unwrap_or_default();
        // Where only a part of the original's schedules is known, this may be one under which it fails, too.
        let original = end_of(subject, 0, &schedule, Strictness::Lenient);
        if original.is_some_and(|original| original != Ended::Exited(PASSED)) {
            fate = Fate::Undecided;
        }
    }
    Answer::Mutant {
        mutant,
        fate,
        explored: Explored {
            found: Some(found),
            coverage: "a schedule that ends the process".to_owned(),
            executions: 1,
            nanoseconds: begun.elapsed().as_nanos() as u64,
            ..Explored::default()
        },
    }
}

const PASSED: i32 = 0;
const FAILED: i32 = 101;

/// How a process ends that runs a schedule.
fn end_of(
    subject: &mut Subject<'_>,
    mutant: u32,
    schedule: &Schedule,
    strictness: Strictness,
) -> Option<Ended> {
    let Some(pid) = fork_worker().ok()? else {
        subject.activate(mutant);
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
        answers::redirect(end.as_raw_fd());
        subject.activate(mutant);
        let mut following = Following(schedule.choices[..last].iter());
        let (_, trace) = subject.run_recorded(&mut following);
        answers::pass_on(&trace.to_string());
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
    trace.push_str(&format!("thread {thread} goes on, and {how}\n"));
    Some(trace)
}
