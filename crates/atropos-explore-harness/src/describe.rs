//! Findings for the driver: a failing schedule made short, run once more, and told in words.

use atropos_protocol::FailureKind;
use atropos_protocol::exploration::{Explored, FoundFailure, Request};
use atropos_search::{ExecutionEnd, Replay, Schedule, Strategy, Strictness, System as _};
use atropos_threads::races::CodePlace;
use atropos_threads::{FailingRun, Finding, NotedSystem as _, Notes, find_places};

use crate::explore_original::text;
use crate::subject::Subject;
use crate::{request, switch, timestamp_counter};

/// Executions to spend on making a failing schedule simpler: of the original, where each finding counts …
pub const THOROUGHLY: usize = 2000;
/// … and of mutants, of which there are many.
pub const BRIEFLY: usize = 200;

/// What the notes say, as far as it is the same for every exploration.
pub fn notes(notes: &Notes) -> Explored {
    Explored {
        threads: notes.most_threads as u64,
        steps: notes.most_points,
        remarks: notes.remarks.iter().map(text).collect(),
        uncontrolled: notes.uncontrolled.as_ref().map(text),
        fair: notes.was_fair,
        late: notes.has_late_end,
        random_data: notes.asked_for_random_data,
        reached: notes.stated.reached.clone(),
        wanted: notes.stated.wanted.clone(),
        ..Explored::default()
    }
}

/// Shrinks a failing schedule and runs it once more to see what happens.
pub fn found(
    subject: &mut Subject<'_>,
    failure: Finding,
    end: ExecutionEnd,
    schedule: Schedule,
    executions: usize,
) -> FoundFailure {
    let failure = FailingRun::tell(subject, failure, end, schedule, executions);
    FoundFailure {
        kind: failure.finding.failure_kind(),
        title: failure.finding.title(),
        text: failure.finding.to_string(),
        location: location(&failure.finding),
        schedule: failure.schedule.to_string(),
        trace: failure.trace.told(true).shortened(),
        replayed: failure.replayed,
    }
}

/// Why a test is not explored that does this.
pub fn not_under_control(what: &str) -> String {
    text(Finding::Uncontrolled {
        what: what.to_owned(),
        site: None,
    })
}

/// What two looks at the clock are apart on a real machine if something happens between them, in nanoseconds.
const REAL_LOOK: u64 = 10_000;

/// As [`found`], for the original, unless the failure is not the schedule's: then why it can't be explored. If its test passes under that schedule where the clock goes faster, a test measures how
/// long something took, and expects that it took any time at all.
pub fn found_in_original(
    subject: &mut Subject<'_>,
    failure: Finding,
    end: ExecutionEnd,
    schedule: Schedule,
    executions: usize,
) -> Result<FoundFailure, String> {
    if timestamp_counter::is_asked_for(subject, &schedule) {
        return Err(not_under_control(timestamp_counter::WHY));
    }
    let look = subject.test().set_look(REAL_LOOK);
    let mut replay = Replay::new(&schedule, Strictness::Lenient);
    replay.begin();
    let end_later = subject.run(&mut replay);
    subject.test().set_look(look);
    subject.take_notes();
    match end_later {
        ExecutionEnd::Passed(_) => Err(not_under_control(
            "how it ends depends on how much time the clock shows",
        )),
        _ => {
            subject.test().tell_callers(true);
            let found = found(subject, failure, end, schedule, executions);
            subject.test().tell_callers(false);
            Ok(found)
        }
    }
}

fn location(failure: &Finding) -> String {
    match failure {
        Finding::Panic { site, .. } => site.clone().unwrap_or_default(),
        Finding::DataRace(race) => line_of(&race.sides[1].place),
        Finding::MemoryError(error) => line_of(&error.culprit.place),
        Finding::Leak(leak) => line_of(&leak.first.allocated.1),
        _ => String::new(),
    }
}

/// The line of a place's innermost frame, if it is known.
fn line_of(place: &CodePlace) -> String {
    let line = place
        .frames
        .first()
        .and_then(|frame| frame.split_once(" at "));
    line.map_or_else(String::new, |(_, line)| line.to_owned())
}

/// Runs the request's schedule and tells what happened, also if the test passes.
pub fn replay(subject: &mut Subject<'_>, request: &Request) -> Result<Explored, String> {
    let schedule: Schedule = request.schedule.parse().map_err(text)?;
    switch::activate(request.mutant);
    if request.allowance.is_none() {
        subject.limit_to_schedule(&schedule);
    }
    let mut replay = Replay::new(&schedule, Strictness::Exact);
    replay.begin();
    subject.test().tell_callers(true);
    let (end, trace) = subject.run_recorded(&mut replay);
    subject.test().tell_callers(false);
    replay.end(end);
    let taken = subject.take_notes();
    let mut explored = notes(&taken);
    explored.executions = 1;
    explored.coverage = "one schedule".to_owned();
    explored.divergence = replay.divergence().map(text);
    let failure = taken.failure.filter(|_| end.is_failure());
    let mut failure = failure.map(|failure| failure.with_tasks(&trace));
    if let Some(failure) = &mut failure {
        // What the test prints was shown once.
        request::silence();
        find_places(subject, failure, &schedule);
    }
    explored.found = Some(FoundFailure {
        kind: failure
            .as_ref()
            .map_or(FailureKind::Failed, Finding::failure_kind),
        title: failure.as_ref().map_or_else(String::new, Finding::title),
        text: failure.as_ref().map_or_else(String::new, text),
        location: failure.as_ref().map_or_else(String::new, location),
        schedule: schedule.to_string(),
        trace: trace.told(false),
        replayed: end.is_failure(),
    });
    Ok(explored)
}

/// The most memory that this process has had, in KiB.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
    number.unwrap_or(0)
}
