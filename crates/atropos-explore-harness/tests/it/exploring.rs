//! Explorations of a test as it is.

use atropos_protocol::FailureKind;
use atropos_protocol::exploration::{Explored, Request, RequestedAction, SAVED_SCHEDULE_IS_STALE};

use crate::driver::{ask, original, request};

pub fn a_small_test_is_explored_under_all_schedules() {
    let responses = ask(&request(
        RequestedAction::Explore,
        "passes_under_every_schedule",
    ));
    let explored = original(&responses);
    assert!(explored.complete, "{explored:?}");
    assert_eq!(explored.coverage, "all schedules");
    assert_eq!((explored.threads, explored.executions), (2, 2));
}

pub fn a_failing_schedule_is_found_and_replayed() {
    let responses = ask(&request(RequestedAction::Explore, "loses_an_update"));
    let found = original(&responses).found.as_ref().unwrap();
    assert_eq!(found.kind, FailureKind::Panicked);
    assert!(
        found.replayed && found.text.contains("left: 1"),
        "{found:?}"
    );
    let mut again = request(RequestedAction::Replay, "loses_an_update");
    again.schedule.clone_from(&found.schedule);
    let responses = ask(&again);
    let repeated = original(&responses).found.as_ref().unwrap();
    assert_eq!(repeated.text, found.text);
}

pub fn random_data_varies_unless_it_is_fixed_and_what_was_covered_says_so() {
    let mut wanted = request(RequestedAction::Explore, "depends_on_the_order_of_a_map");
    let schedule = |workers: usize| {
        let mut wanted = wanted.clone();
        wanted.workers = workers;
        let responses = ask(&wanted);
        let found = original(&responses).found.as_ref().unwrap();
        assert!(found.replayed && found.schedule.starts_with("s1:="));
        found.schedule.clone()
    };
    assert_eq!(schedule(1), schedule(3));
    let covered = |wanted: &Request| {
        let responses = ask(wanted);
        let explored = original(&responses);
        assert!(explored.found.is_none() && explored.random_data);
        explored.coverage.clone()
    };
    wanted.fixed_random_data = true;
    assert_eq!(covered(&wanted), "all schedules, random data fixed");
    wanted.strategy = "random:9".to_owned();
    let drawn = "9 random schedules, seed 1, random data fixed";
    assert_eq!(covered(&wanted), drawn);
    wanted.fixed_random_data = false;
    wanted.strategy = "exhaustive".to_owned();
    assert_eq!(covered(&wanted), "all schedules, random data fixed");
}

pub fn a_test_whose_executions_are_too_long_to_search_gets_random_schedules() {
    let explored = |name: &str, workers: usize| {
        let mut wanted = request(RequestedAction::Explore, name);
        wanted.step_limit = 5;
        wanted.executions = 50;
        wanted.workers = workers;
        original(&ask(&wanted)).clone()
    };
    let long = explored("has_many_schedules", 1);
    assert_eq!(long.uncontrolled, None);
    assert!(!long.complete && long.steps > 5, "{long:?}");
    assert_eq!(long.coverage, "74 random schedules (mixed), seed 1");
    let found = explored("loses_an_update", 1).found;
    assert!(found.as_ref().is_some_and(|found| found.replayed));
    assert_eq!(found, explored("loses_an_update", 3).found);
}

pub fn a_budget_of_time_that_ended_the_exploration_is_named() {
    let mut wanted = request(RequestedAction::Explore, "has_many_schedules");
    wanted.time_limit = 0;
    let responses = ask(&wanted);
    let explored = original(&responses);
    let named = "cut short by the budget of 0 s";
    assert!(explored.coverage.ends_with(named), "{}", explored.coverage);
}

pub fn a_saved_schedule_is_run_alone_and_those_like_it_where_it_cant_be_followed() {
    let responses = ask(&request(RequestedAction::Explore, "loses_an_update"));
    let schedule = original(&responses)
        .found
        .as_ref()
        .unwrap()
        .schedule
        .clone();
    let mut saved = request(RequestedAction::Saved, "loses_an_update");
    saved.schedule = schedule;
    let again = ask(&saved);
    let again = original(&again);
    assert!(again.found.as_ref().unwrap().replayed);
    assert_eq!(
        (again.executions, again.coverage.as_str()),
        (1, "the saved schedule")
    );
    saved.test = request(RequestedAction::Saved, "passes_under_every_schedule").test;
    saved.schedule = "s1:7".to_owned();
    let stale = ask(&saved);
    let stale = original(&stale);
    assert_eq!(stale.found, None);
    assert_eq!(stale.remarks, [SAVED_SCHEDULE_IS_STALE]);
}

/// What must not depend on how many processes there were.
fn result(explored: &Explored) -> (u64, String, bool) {
    (
        explored.executions,
        explored.coverage.clone(),
        explored.complete,
    )
}

pub fn the_number_of_processes_does_not_change_the_result() {
    for strategy in [
        "random:1200",
        "pos:600",
        "pct:600,3",
        "chess:4",
        "exhaustive",
    ] {
        let mut wanted = request(RequestedAction::Explore, "has_many_schedules");
        wanted.strategy = strategy.to_owned();
        let results = [1, 3].map(|workers| {
            wanted.workers = workers;
            result(original(&ask(&wanted)))
        });
        assert_eq!(results[0], results[1], "{strategy}");
        assert!(results[0].0 > 500, "{strategy}: {:?}", results[0]);
    }
}
