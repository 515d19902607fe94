//! Requests that are answered, and those that can't be.

use atropos_protocol::exploration::{Request, RequestedAction, Response};

use crate::driver::{ask, ask_in_words, error, request};

pub fn tests_are_listed_in_their_order() {
    let responses = ask(&Request::default());
    let names: Vec<&str> = responses
        .iter()
        .filter_map(|response| match response {
            Response::Test(test) => Some(test.name.as_str()),
            _ => None,
        })
        .collect();
    let expected: Vec<&str> = crate::SUBJECTS.iter().map(|test| test.name()).collect();
    assert_eq!(names, expected);
    assert!(matches!(responses.last(), Some(Response::Done)));
}

pub fn a_request_that_makes_no_sense_is_answered_with_an_error() {
    let responses = ask_in_words("seed\tseven\n");
    assert!(error(&responses).contains("seven"), "{responses:?}");
}

pub fn a_test_that_does_not_exist_is_an_error() {
    let mut wanted = request(RequestedAction::Explore, "loses_an_update");
    wanted.test = 99;
    let responses = ask(&wanted);
    assert_eq!(error(&responses), "there is no test number 99");
}

pub fn an_unknown_strategy_is_an_error_that_names_the_known_ones() {
    let mut wanted = request(RequestedAction::Explore, "loses_an_update");
    wanted.strategy = "hope".to_owned();
    let responses = ask(&wanted);
    let error = error(&responses);
    assert!(error.starts_with("`hope` is no strategy"), "{error}");
    assert!(error.contains("chess:K"), "{error}");
}
