//! Kills where only a part of the original's schedules is known: does the original pass where its threads take turns as
//! they do in the killing schedule? If it does not, its test fails by itself, and that is what is to be told.

use atropos_protocol::exploration::{Explored, FoundFailure, MutantResult};
use atropos_search::{ExecutionEnd, Replay, Schedule, Strategy as _, Strictness, System as _};
use atropos_threads::NotedSystem as _;

use crate::describe;
use crate::subject::Subject;

/// What the original does under schedules that kill a mutant.
pub enum Recheck {
    Passes,
    Fails(FoundFailure),
    /// Nothing can be said of the mutant, nor of the original; why.
    Unknown(String),
}

/// What is said of a failure that its own schedule does not cause again: something has a part in it that is not under
/// control.
pub const NOT_REPEATED: &str = "it failed under a schedule that ended otherwise when run again";

impl Recheck {
    pub fn not_repeated() -> Recheck {
        Recheck::Unknown(NOT_REPEATED.to_owned())
    }

    /// What is to be told of a mutant that was killed under these schedules.
    pub fn judge(self, result: &mut MutantResult, explored: &mut Explored) {
        match self {
            Recheck::Passes => return,
            Recheck::Fails(own) => explored.found = Some(own),
            Recheck::Unknown(why) => {
                explored.found = None;
                explored.coverage = why;
            }
        }
        *result = MutantResult::Undecided;
    }
}

/// Runs the original, which must be active, under each of the schedules as far as they can be followed.
pub fn original(
    subject: &mut Subject<'_>,
    schedules: impl IntoIterator<Item = Schedule>,
) -> Recheck {
    let mut unknown = None;
    for schedule in schedules {
        let mut replay = Replay::new(&schedule, Strictness::Lenient);
        replay.begin();
        let end = subject.run(&mut replay);
        replay.end(end);
        let notes = subject.take_notes();
        match (notes.uncontrolled, notes.failure) {
            _ if !end.is_failure() && !notes.has_late_end => {}
            // It takes more than a multiple of what is known of it, as a loop does that waits for a thread whose turn the
            // schedule never gives.
            _ if matches!(end, ExecutionEnd::Limit(_)) || notes.has_late_end => {
                unknown = Some("where it fails, the original goes past its limits, too".to_owned());
            }
            (None, Some(failure)) => {
                let schedule = replay.schedule();
                let briefly = describe::BRIEFLY;
                let found = describe::found_in_original(subject, failure, end, schedule, briefly);
                subject.take_notes();
                match found {
                    Ok(found) if found.replayed => return Recheck::Fails(found),
                    Ok(_) => unknown = Some(NOT_REPEATED.to_owned()),
                    Err(why) => {
                        unknown = Some(format!("where it fails, so does the original; {why}"));
                    }
                }
            }
            (Some(what), _) => {
                unknown = Some(format!("where it fails, so does the original; {what}"));
            }
            (None, None) => unknown = Some("where it fails, so does the original".to_owned()),
        }
    }
    unknown.map_or(Recheck::Passes, Recheck::Unknown)
}
