//! Tests and mutants that take their process down: the schedule that did it is known from the choice log, and tried and told by
//! other processes. As choice logs do, all of them number threads in the order in which they are started.

use std::collections::VecDeque;
use std::io::PipeReader;
use std::os::fd::AsRawFd as _;
use std::time::Instant;

use atropos_protocol::FailureKind;
use atropos_protocol::exploration::{Explored, FoundFailure, MutantResult, Request, Response};
use atropos_protocol::sys::{self, ChildEnd};
use atropos_protocol::thread_trace::{ThreadTrace, TraceStep};
use atropos_search::{
    Mutable as _, Names, Replay, Schedule, Strategy as _, Strictness, System as _,
};
use atropos_threads::NotedSystem as _;
use atropos_values::MutantId;

use crate::choice_log::{ChoiceLog, FollowingGuide};
use crate::lines::LineReader;
use crate::recheck::{self, Recheck};
use crate::responses;
use crate::subject::Subject;
use crate::workers::fork_worker;

/// A way to explore a test as it is.
type Exploring<'s> = fn(&mut Subject<'s>, &Request) -> Result<Explored, String>;

/// Explores a test in a process of its own, and tells the result of it, also if the test takes that process down.
pub fn explore_original<'s>(
    subject: &mut Subject<'s>,
    request: &Request,
    explore: Exploring<'s>,
) -> Result<(), String> {
    let log = ChoiceLog::make()?;
    let begun = Instant::now();
    let Some(pid) = fork_worker()? else {
        subject.log_choices(log);
        match explore(subject, request) {
            Ok(mut explored) => {
                explored.claim_no_more_than_seen();
                responses::say(&Response::Original(explored));
                sys::exit_now(SERVED)
            }
            Err(error) => {
                responses::say(&Response::Error(error));
                sys::exit_now(REFUSED)
            }
        }
    };
    let ended = match sys::wait(pid, true) {
        Ok(Some((_, ChildEnd::Exited(SERVED)))) => return Ok(()),
        Ok(Some((_, ChildEnd::Exited(REFUSED)))) => sys::exit_now(1),
        Ok(Some((_, ended))) => ended,
        _ => return Err("the process that explores is lost".to_owned()),
    };
    let mut explored = crashed(subject, MutantId::ORIGINAL, ended, log);
    explored.nanoseconds = begun.elapsed().as_nanos() as u64;
    responses::say(&Response::Original(explored));
    Ok(())
}

/// What is told of an exploration whose process ended like this, with its choices in the log.
pub fn crashed(
    subject: &mut Subject<'_>,
    mutant: MutantId,
    ended: ChildEnd,
    log: &'static ChoiceLog,
) -> Explored {
    let executions = log.executions();
    let schedule = log.schedule();
    let mut found = crash(ended);
    let repetition = schedule.map(|schedule| {
        let repetition = end_of(subject, mutant, &schedule, Strictness::Exact, log);
        (schedule, repetition)
    });
    if let Some((schedule, Some(repetition))) = repetition
        && is_like(repetition.ended, ended)
    {
        found.schedule = schedule.to_string();
        found.replayed = true;
        found.trace = trace_before(subject, mutant, &schedule, &found.title).unwrap_or_default();
        if !repetition.said.is_empty() {
            found.text = format!("{}; its last words:\n{}", found.title, repetition.said);
        }
    }
    Explored {
        coverage: "a schedule that ends the process".to_owned(),
        executions,
        found: Some(found),
        ..Explored::default()
    }
}

/// What became of a mutant whose process ended like this.
pub fn answer(
    subject: &mut Subject<'_>,
    mutant: MutantId,
    ended: ChildEnd,
    log: &'static ChoiceLog,
    begun: Instant,
) -> Response {
    let mut result = MutantResult::Killed;
    let mut explored = crashed(subject, mutant, ended, log);
    explored.executions = 1;
    let schedule = explored.found.as_ref().filter(|found| found.replayed);
    let schedule = schedule.and_then(|found| found.schedule.parse().ok());
    let rechecked = match schedule {
        // Where only a part of the original's schedules is known, this may be one under which it fails, too.
        Some(schedule) => original(subject, &schedule, log),
        // Perhaps a mutant that was run before it in the same process has left something behind.
        None => Recheck::not_repeated(),
    };
    rechecked.judge(&mut result, &mut explored);
    explored.nanoseconds = begun.elapsed().as_nanos() as u64;
    Response::Mutant {
        mutant,
        result,
        explored,
    }
}

/// Whether two processes ended alike: of which signal one dies that uses memory wrongly is a matter of chance.
fn is_like(one: ChildEnd, other: ChildEnd) -> bool {
    match (one, other) {
        (ChildEnd::Signaled(_), ChildEnd::Signaled(_)) => true,
        (one, other) => one == other,
    }
}

/// A process that ended so, in words.
fn crash(ended: ChildEnd) -> FoundFailure {
    let (kind, how) = match ended {
        ChildEnd::Exited(code) => (
            FailureKind::Exited,
            format!("the test ended its process with code {code}"),
        ),
        ChildEnd::Signaled(signal) => (
            FailureKind::Crashed,
            format!("the test died of signal {signal}{}", meaning(signal)),
        ),
    };
    FoundFailure {
        kind,
        title: how.clone(),
        text: how,
        location: String::new(),
        schedule: String::new(),
        trace: ThreadTrace::default(),
        replayed: false,
    }
}

/// What a signal means that tests die of.
fn meaning(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL, an instruction that does not exist)",
        6 => " (SIGABRT, it aborted)",
        7 => " (SIGBUS, a wrong address)",
        8 => " (SIGFPE, wrong arithmetic)",
        11 => " (SIGSEGV, a wrong address or a stack that is too small)",
        _ => "",
    }
}

/// What the original does where its threads take turns like this: in a process of its own first, which it may take down.
fn original(subject: &mut Subject<'_>, schedule: &Schedule, log: &'static ChoiceLog) -> Recheck {
    let repetition = end_of(
        subject,
        MutantId::ORIGINAL,
        schedule,
        Strictness::Lenient,
        log,
    );
    match repetition.map(|repetition| repetition.ended) {
        Some(ChildEnd::Exited(PASSED)) => Recheck::Passes,
        Some(ChildEnd::Exited(FAILED)) => {
            let names = subject.test().set_names(Names::new());
            let rechecked = recheck::original(subject, [schedule.clone()]);
            subject.test().set_names(names);
            rechecked
        }
        Some(ended) => {
            let mut own = crash(ended);
            if let Some(schedule) = log.schedule() {
                own.schedule = schedule.to_string();
                own.trace = trace_before(subject, MutantId::ORIGINAL, &schedule, &own.title)
                    .unwrap_or_default();
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
/// All was said that is to be said.
const SERVED: i32 = 92;
/// The error was said.
const REFUSED: i32 = 93;

/// Lines that are told of what a process printed before its end.
const LAST_LINES: usize = 12;

/// How a process ended, and what it said last.
struct RepeatedRun {
    ended: ChildEnd,
    said: String,
}

/// How a process ends that runs a schedule and writes its choices into the log.
fn end_of(
    subject: &mut Subject<'_>,
    mutant: MutantId,
    schedule: &Schedule,
    strictness: Strictness,
    log: &'static ChoiceLog,
) -> Option<RepeatedRun> {
    let (pipe, end) = std::io::pipe().ok()?;
    let Some(pid) = fork_worker().ok()? else {
        drop(pipe);
        let _ = sys::duplicate_onto(end.as_raw_fd(), 2);
        drop(end);
        subject.activate(mutant);
        subject.test().set_names(Names::new());
        subject.test().print_panics(true);
        subject.log_choices(log);
        let mut replay = Replay::new(schedule, strictness);
        replay.begin();
        let end = subject.run(&mut replay);
        sys::exit_now(if end.is_failure() { FAILED } else { PASSED })
    };
    drop(end);
    let said = last_lines(pipe);
    let (_, ended) = sys::wait(pid, true).ok()??;
    Some(RepeatedRun { ended, said })
}

/// The last lines of what a process writes, until its end.
fn last_lines(pipe: PipeReader) -> String {
    let mut pipe = LineReader::of(pipe);
    let mut last = VecDeque::new();
    while let Some(lines) = pipe.read() {
        last.extend(lines);
        let surplus = last.len().saturating_sub(LAST_LINES);
        last.drain(..surplus);
    }
    last.into_iter().collect::<String>().trim_end().to_owned()
}

/// The steps up to the one that takes the process down, in words.
fn trace_before(
    subject: &mut Subject<'_>,
    mutant: MutantId,
    schedule: &Schedule,
    how: &str,
) -> Option<ThreadTrace> {
    let mut steps = schedule.choices.iter();
    let last = steps.rposition(|choice| choice.as_thread().is_some())?;
    let (pipe, end) = std::io::pipe().ok()?;
    let Some(pid) = fork_worker().ok()? else {
        drop(pipe);
        responses::redirect(end.as_raw_fd());
        subject.activate(mutant);
        subject.test().set_names(Names::new());
        let mut following = FollowingGuide(schedule.choices[..last].iter());
        let (_, trace) = subject.run_recorded(&mut following);
        responses::pass_on(&trace.told(true).shortened().to_text());
        sys::exit_now(0)
    };
    drop(end);
    let mut lines = LineReader::of(pipe);
    let mut text = String::new();
    while let Some(said) = lines.read() {
        text.extend(said);
    }
    let _ = sys::wait(pid, true);
    let mut trace = ThreadTrace::parse(&text)?;
    trace.steps.push(TraceStep {
        thread: schedule.choices[last].as_thread()?.0,
        act: format!("goes on, and {how}"),
        ..TraceStep::default()
    });
    Some(trace)
}
