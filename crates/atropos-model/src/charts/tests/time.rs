//! Timers: `after`, delayed events, cancelling.

use super::scxml;

#[test]
fn time_leaps_to_the_next_timer_and_leaving_a_state_stops_its_own() {
    let machine = scxml(
        r#"<state id="Outer">
             <transition at:after="50" target="Late"/>
             <state id="A"><transition at:after="20s" target="B"/><transition event="go" target="C"/></state>
             <state id="B"><onentry><send event="InB"/></onentry></state>
             <state id="C"/>
           </state>
           <state id="Late"><onentry><send event="IsLate"/></onentry></state>"#,
    );
    machine.shows("", "!after(20) go");
    machine.shows("!after(20)", "!InB");
    machine.shows("!after(20) !InB", "!after(30)");
    machine.shows("go", "!after(50)");
    machine.shows("go !after(50) !IsLate", "delta");
}

#[test]
fn the_unit_of_time_is_as_small_as_the_times_ask_for() {
    let machine = scxml(
        r#"<state id="A"><transition at:after="1.5s" target="B"/></state>
           <state id="B"><onentry><send event="InB"/><send event="late" delay="20ms"/></onentry><transition event="late"><send event="Late"/></transition></state>"#,
    );
    machine.shows("", "!after(150)");
    machine.shows("!after(150) !InB", "!after(2)");
    let read = |after: &str| {
        let inside = format!(r#"<state id="A"><transition at:after="{after}"/></state>"#);
        crate::charts::read("a.scxml", &super::scxml_source(&inside)).expect("a chart")
    };
    let unit = |after: &str| read(after).expect("no problems").unit;
    assert_eq!(
        ["20", "2.0s", "0.5s", "1230ms", ".001s"].map(unit),
        [1000, 1000, 100, 10, 1]
    );
    for wrong in [
        "", "0", "0.0001s", "0.5ms", "s", "1.2.3s", "-1s", "1h", "5000000s",
    ] {
        let shown = read(wrong).expect_err("no time").to_string();
        assert!(shown.contains("is no time of the model"), "{wrong}");
    }
}

#[test]
fn a_timer_whose_guard_is_false_runs_out_for_nothing() {
    let machine = scxml(
        r#"<state id="A"><transition at:after="5" cond="false" target="B"/><transition event="go" target="B"/></state>
           <state id="B"/>"#,
    );
    machine.shows("!after(5)", "go delta");
}

#[test]
fn two_timers_that_run_out_together_act_in_any_order() {
    let machine = scxml(
        r#"<parallel id="P" at:order="any">
             <state id="L"><transition at:after="5"><send event="Left"/></transition></state>
             <state id="R"><transition at:after="5"><send event="Right"/></transition></state>
           </parallel>"#,
    );
    machine.shows("!after(5)", "!Left !Right");
    machine.shows("!after(5) !Left !Right", "delta");
}

#[test]
fn a_delayed_event_comes_back_unless_it_is_cancelled() {
    let machine = scxml(
        r#"<state id="A">
             <transition event="start"><send event="ring" delay="10s" id="bell"/></transition>
             <transition event="stop"><cancel sendid="bell"/></transition>
             <transition event="ring"><send event="Ding"/></transition>
           </state>"#,
    );
    machine.shows("", "start stop delta");
    machine.shows("start", "!after(10) start stop");
    machine.shows("start !after(10)", "!Ding");
    machine.shows("start stop", "start stop delta");
}
