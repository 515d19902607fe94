//! XState's and GraphWalker's JSON.

use super::animate;

const VENDING: &str = include_str!("../../../../../examples/models/vending.xstate.json");
const LOGIN: &str = include_str!("../../../../../examples/models/login.graphwalker.json");

#[test]
fn an_xstate_machine_counts_waits_and_serves() {
    let machine = animate("vending.xstate.json", VENDING);
    machine.shows("", "!showWelcome");
    let paid = "!showWelcome COIN COIN !lampOn";
    machine.shows("!showWelcome COIN COIN", "!lampOn");
    machine.shows(&format!("{paid} COIN"), "!refuseCoin");
    machine.shows(&format!("{paid} PRESS"), "!lampOff");
    machine.shows(&format!("{paid} PRESS !lampOff"), "!serveCoffee");
    machine.shows("!showWelcome COIN !after(30)", "!keepCoins");
}

#[test]
fn regions_of_an_xstate_machine_move_in_the_order_in_which_they_are_written() {
    let machine = animate(
        "two.json",
        r#"{"id": "two", "type": "parallel", "states": {
             "z": {"initial": "off", "states": {"off": {"on": {"GO": "on"}}, "on": {"entry": "zOn"}}},
             "a": {"initial": "off", "states": {"off": {"on": {"GO": "on"}}, "on": {"entry": "aOn"}}}}}"#,
    );
    machine.shows("GO", "!zOn");
    machine.shows("GO !zOn", "!aOn");
}

#[test]
fn a_graphwalker_model_verifies_its_vertices() {
    let machine = animate("login.json", LOGIN);
    machine.shows("", "!at_LoginPage");
    let page = "!at_LoginPage wrong_login !at_LoginPage wrong_login !at_LoginPage";
    machine.shows(&format!("{page} wrong_login"), "!at_Locked");
    machine.shows("!at_LoginPage valid_login !at_Home logout", "!at_LoginPage");
}

#[test]
fn what_json_charts_leave_open_is_asked_for() {
    let problems = crate::charts::read(
        "bad.json",
        r#"{"id": "m", "context": {"list": []}, "states": {"a": {"invoke": {}, "after": {"500": "b"},
            "on": {"GO": {"target": "nowhere"}, "UP": {"target": "b", "guard": "isOk"}}}, "b": {}}}"#,
    );
    let shown = problems
        .expect("a chart")
        .expect_err("problems")
        .to_string();
    for message in [
        "the type of `list` is not known",
        "what the guard `isOk` means is not known",
        "there is no state `nowhere` here",
        "`500` is no time of the model",
        "`invoke` is not read",
    ] {
        assert!(shown.contains(message), "{message} is missing in\n{shown}");
    }
}
