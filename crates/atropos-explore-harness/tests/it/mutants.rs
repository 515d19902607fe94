//! Mutants under exploration, in forked workers.

use std::fs;

use atropos_protocol::exploration::{MutantResult, Request, RequestedAction};
use atropos_protocol::{FailureKind, landlock, sys};
use atropos_values::{MutantId, NumberedPoint};

use crate::driver::{ask, ask_at, mutant, original, request};

/// A request about the mutants of a test, each at a point of its own.
fn about(test: &str) -> Request {
    Request {
        points: MutantId::up_to(3)
            .map(|mutant| NumberedPoint::new(mutant, 1))
            .collect(),
        mutants: MutantId::up_to(3).collect(),
        strategy: "random:300".to_owned(),
        ..request(RequestedAction::Mutants, test)
    }
}

pub fn a_mutant_is_killed_by_a_schedule() {
    let responses = ask(&about("has_many_schedules"));
    assert!(original(&responses).found.is_none());
    let (result, explored) = mutant(&responses, 1);
    assert_eq!(result, MutantResult::Killed);
    let found = explored.found.as_ref().unwrap();
    assert_eq!(found.kind, FailureKind::Panicked);
    assert!(found.replayed, "{found:?}");
}

pub fn a_mutant_that_takes_its_worker_down_is_killed_and_its_schedule_known() {
    let wanted = about("aborts_under_its_mutant");
    let responses = ask(&wanted);
    let (result, explored) = mutant(&responses, 2);
    assert_eq!(result, MutantResult::Killed);
    let found = explored.found.as_ref().unwrap();
    assert_eq!(found.kind, FailureKind::Crashed);
    assert!(found.schedule.starts_with("s1:"), "{found:?}");
}

pub fn a_mutant_that_no_test_reaches_is_unreached() {
    let responses = ask(&about("has_many_schedules"));
    let (result, _) = mutant(&responses, 3);
    assert_eq!(result, MutantResult::Unreached);
}

/// The supervisor of the driver stands before that; here there is none.
pub fn a_mutant_can_write_nowhere_where_there_is_a_list() {
    if landlock::version() < 2 || cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let place = std::env::temp_dir().join(format!("atropos-explored-harm-{}", sys::pid()));
    let (own, outside) = (place.join("own"), place.join("outside"));
    fs::create_dir_all(&own).unwrap();
    // SAFETY: tests run one after another in one thread.
    unsafe { std::env::set_var("HARM", &outside) };
    let ask = || {
        ask_at(
            &own.join("request"),
            &about("goes_past_the_library").to_text(),
        )
    };
    let (result, _) = mutant(&ask(), 3);
    assert_eq!(result, MutantResult::Survived);
    assert!(outside.exists(), "without a list it is made");
    fs::remove_dir(&outside).unwrap();
    landlock::write_list(&own.join(landlock::WRITABLE), [].into_iter()).unwrap();
    let (result, _) = mutant(&ask(), 3);
    assert_eq!(result, MutantResult::Survived);
    assert!(!outside.exists());
    fs::remove_dir_all(place).unwrap();
}
