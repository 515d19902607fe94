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

/// What is wrong with a chart in JSON.
fn problems(source: &str) -> String {
    let read = crate::charts::read("bad.json", source).expect("a chart");
    read.expect_err("problems").to_string()
}

#[test]
fn what_json_charts_leave_open_is_asked_for() {
    let shown = problems(
        r#"{"id": "m", "context": {"list": []}, "states": {"a": {"invoke": {}, "after": {"0.5": "b"},
            "on": {"GO": {"target": "nowhere"}, "UP": {"target": "b", "guard": "isOk"}}}, "b": {}}}"#,
    );
    for message in [
        "the type of `list` is not known",
        "what the guard `isOk` means is not known",
        "there is no state `nowhere` here",
        "`0.5` is no time of the model",
        "`invoke` is not read",
    ] {
        assert!(shown.contains(message), "{message} is missing in\n{shown}");
    }
}

#[test]
fn nothing_that_xstate_means_is_passed_over() {
    let shown = problems(
        r#"{"id": "m", "states": {
            "a": {"type": "strange", "entry": [{"params": {"x": 1}}, {"type": "tell", "params": {"x": 1}}],
                  "on": {"G": {"guard": {"op": "and"}, "in": "b"}, "N": null, "T": {"target": 7}, "": "b"}},
            "b": {"initial": 7, "states": {"c": {}}, "after": [{"delay": 5}], "onError": "a"},
            "d": {"type": "history", "history": "middling"}}}"#,
    );
    for message in [
        "`strange` is no type of a state",
        "an action has no name",
        "what `tell` does with its parameter `x` is not known",
        "a guard has no name",
        "`in` is not read in a transition",
        "this is no transition that is read",
        "this target is not read",
        "an event has no name",
        "where `initial` leads is not read",
        "`after` is an object",
        "`onError` is not read in a state",
        "a history is shallow or deep",
    ] {
        assert!(shown.contains(message), "{message} is missing in\n{shown}");
    }
}

#[test]
fn an_xstate_transition_may_have_several_targets() {
    let machine = animate(
        "two.json",
        r##"{"id": "two", "initial": "off", "states": {
             "off": {"on": {"GO": {"target": ["#two.on.l.l2", "#two.on.r.r2"]}}},
             "on": {"type": "parallel", "states": {
               "l": {"initial": "l1", "states": {"l1": {}, "l2": {"on": {"L": {"actions": "leftTwo"}}}}},
               "r": {"initial": "r1", "states": {"r1": {}, "r2": {"on": {"R": {"actions": "rightTwo"}}}}}}}}}"##,
    );
    machine.shows("GO", "L R delta");
    machine.shows("GO R", "!rightTwo");
}

#[test]
fn guards_and_actions_of_xstate_may_be_objects_with_parameters() {
    let machine = animate(
        "count.json",
        r#"{"id": "count", "context": {"n": 0}, "initial": "a",
            "atropos": {"types": {"n": "int[0..9]"}, "guards": {"below": "n < params.limit"},
                        "actions": {"add": "n := n + params.step"}, "delays": {"pause": 1500}},
            "states": {
              "a": {"initial": {"target": "b", "actions": [{"type": "add", "params": {"step": 3}}]},
                    "states": {"b": {"on": {"UP": [
                      {"guard": {"type": "below", "params": {"limit": 5}}, "actions": [{"type": "add", "params": {"step": 2}}, "up"]},
                      {"target": "c", "actions": "full"}]}},
                      "c": {"after": {"pause": "b", "500": {"actions": "blink"}}}}}}}"#,
    );
    machine.shows("", "UP delta");
    machine.shows("UP", "!up");
    machine.shows("UP !up UP", "!full");
    machine.shows("UP !up UP !full", "!after(5)");
    machine.shows("UP !up UP !full !after(5) !blink", "!after(10)");
}

#[test]
fn wildcards_of_xstate_count_where_nothing_names_the_event() {
    let machine = animate(
        "wild.json",
        r#"{"id": "wild", "initial": "a", "states": {
             "a": {"on": {"*": {"actions": "any"}, "door.*": {"actions": "anyDoor"}, "door.open": {"guard": "never", "actions": "open"}, "door": {"actions": "plain"}}},
             "b": {"on": {"door.shut": "a", "bell": "a"}}},
            "atropos": {"guards": {"never": "false"}}}"#,
    );
    machine.shows("", "door door_shut bell delta");
    machine.shows("door", "!plain");
    machine.shows("door_shut", "!anyDoor");
    machine.shows("bell", "!any");
}

#[test]
fn actions_whose_names_are_alike_in_ascii_stay_different() {
    let machine = animate(
        "names.json",
        r#"{"id": "m", "initial": "a", "states": {"a": {"on": {"GO": {"actions": ["show!", "show?"]}}}}}"#,
    );
    machine.shows("GO", "!show_");
    machine.shows("GO !show_", "!show__2");
}

#[test]
fn charts_that_are_nested_too_deep_are_refused_in_a_sentence() {
    let nested = format!(
        "{{\"id\": \"m\", {}\"x\": {{}}{}}}",
        "\"states\": {\"s\": {".repeat(100),
        "}}".repeat(100)
    );
    for file in ["deep.json", "deep.txt"] {
        let read = crate::charts::read(file, &nested).expect("a chart");
        let shown = read.expect_err("too deep").to_string();
        assert!(
            shown.contains("this JSON is nested more than 120 deep"),
            "{shown}"
        );
    }
    let shown = problems(r#"{"id": "m", "states": {"a": {}, "a": {}}}"#);
    assert!(shown.contains("the name `a` stands twice"), "{shown}");
}

#[test]
fn a_graphwalker_model_may_start_with_an_edge() {
    let source = |start: &str| {
        format!(
            r#"{{"models": [{{"name": "M", {start} "actions": ["n = 1;"],
                "vertices": [{{"id": "v1", "name": "One", "actions": ["n++;"]}}, {{"id": "v2", "name": "Two"}}],
                "edges": [{{"id": "e0", "name": "launch", "targetVertexId": "v1", "guard": "n == 1", "actions": ["n = 5;"]}},
                          {{"id": "e1", "name": "go", "sourceVertexId": "v1", "targetVertexId": "v2", "guard": "n == 6"}}]}}]}}"#
        )
    };
    for start in ["", r#""startElementId": "e0","#] {
        let machine = animate("edge.json", &source(start));
        machine.shows("", "launch delta");
        machine.shows("launch", "!at_One");
        machine.shows("launch !at_One go", "!at_Two");
    }
    let shown = problems(&source(r#""startElementId": "v2","#));
    assert!(
        shown.contains("the edge `e0` leaves no vertex and is not the start"),
        "{shown}"
    );
    let shown = problems(&source(r#""startElementId": "v9","#));
    assert!(shown.contains("there is no element `v9`"), "{shown}");
}

#[test]
fn graphwalker_models_meet_in_shared_states() {
    let machine = animate(
        "shared.json",
        r#"{"models": [
            {"name": "A", "startElementId": "v1", "vertices": [{"id": "v1", "name": "Start"}, {"id": "v2", "name": "Menu", "sharedState": "menu"}],
             "edges": [{"id": "e1", "name": "enter", "sourceVertexId": "v1", "targetVertexId": "v2"}, {"id": "e2", "name": "leave", "sourceVertexId": "v2", "targetVertexId": "v1"}]},
            {"name": "B", "vertices": [{"id": "v1", "name": "Menu", "sharedState": "menu"}, {"id": "v2", "name": "Shop"}],
             "edges": [{"id": "e1", "name": "buy", "sourceVertexId": "v1", "targetVertexId": "v2"}, {"id": "e2", "name": "back", "sourceVertexId": "v2", "targetVertexId": "v1"}]}]}"#,
    );
    machine.shows("!at_Start enter !at_Menu", "leave buy delta");
    machine.shows(
        "!at_Start enter !at_Menu buy !at_Shop back !at_Menu leave",
        "!at_Start",
    );
}

#[test]
fn nothing_that_graphwalker_means_is_passed_over() {
    let shown = problems(
        r#"{"models": [{"name": "M", "vertices": [{"id": "v1", "name": "One"}, {"id": "v1", "name": "Two"}],
            "edges": [{"id": "e1", "sourceVertexId": "v1", "targetVertexId": "v1", "guard": {"script": "n"}, "actions": "n++;"},
                      {"id": "e2", "name": "go", "sourceVertexId": "v1", "targetVertexId": "v1"}]}]}"#,
    );
    for message in [
        "there are two vertices `v1`",
        "`guard` is no text",
        "`actions` is no list",
        "this edge has no name, but others",
        "no model says where it starts",
    ] {
        assert!(shown.contains(message), "{message} is missing in\n{shown}");
    }
}
