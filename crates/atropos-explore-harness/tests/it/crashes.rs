//! Tests that take their process down under some schedules.

use atropos_protocol::FailureKind;
use atropos_protocol::exploration::RequestedAction;

use crate::driver::{ask, original, request};

pub fn a_crash_has_its_schedule_its_trace_and_its_last_words() {
    for (test, kind, words) in [
        ("aborts_rarely", FailureKind::Crashed, "about to abort"),
        ("exits_rarely", FailureKind::Exited, "with code 0"),
        ("panics_while_it_panics", FailureKind::Crashed, "once more"),
    ] {
        let responses = ask(&request(RequestedAction::Explore, test));
        let found = original(&responses).found.as_ref().unwrap();
        assert_eq!(found.kind, kind, "{test}");
        assert!(found.replayed, "{test}: {found:?}");
        assert!(found.schedule.starts_with("s1:"), "{test}: {found:?}");
        assert!(
            found.trace.to_string().contains("goes on, and the test"),
            "{test}: {found:?}"
        );
        assert!(found.text.contains(words), "{test}: {found:?}");
    }
}

pub fn a_crash_is_found_in_the_same_schedule_by_any_number_of_processes() {
    for strategy in ["random:20000", "exhaustive"] {
        let mut wanted = request(RequestedAction::Explore, "aborts_rarely");
        wanted.strategy = strategy.to_owned();
        let found = [1, 3].map(|workers| {
            wanted.workers = workers;
            let responses = ask(&wanted);
            let explored = original(&responses);
            let found = explored.found.as_ref().unwrap();
            (explored.executions, found.schedule.clone())
        });
        assert_eq!(found[0], found[1], "{strategy}");
    }
}
