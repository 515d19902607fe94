//! Mutants under exploration, in forked workers.

use atropos_protocol::FailureKind;
use atropos_protocol::exploration::{Action, MutantResult, Request};

use crate::driver::{ask, mutant, original, request};

/// A request about the mutants of a test, each at a point of its own.
fn about(test: &str) -> Request {
    Request {
        points: vec![(1, 1), (2, 1), (3, 1)],
        mutants: vec![1, 2, 3],
        strategy: "random:300".to_owned(),
        ..request(Action::Mutants, test)
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
