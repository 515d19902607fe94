//! States, hierarchy, history, triggers, data.

use super::{scxml, scxml_source};

#[test]
fn inner_transitions_come_before_outer_ones() {
    let machine = scxml(
        r#"<state id="Outer" initial="In1">
             <transition event="go" target="Away"/>
             <state id="In1"><transition event="go" target="In2"/></state>
             <state id="In2"><onentry><send event="Second"/></onentry></state>
           </state>
           <state id="Away"><onentry><send event="Gone"/></onentry></state>"#,
    );
    machine.shows("go", "!Second");
    machine.shows("go !Second go", "!Gone");
}

#[test]
fn a_false_inner_guard_lets_the_outer_transition_act() {
    let machine = scxml(
        r#"<datamodel><data id="x" at:type="int[0..3]" expr="0"/></datamodel>
           <state id="Outer">
             <transition event="go"><send event="OuterActs"/></transition>
             <state id="In1">
               <transition event="go" cond="x > 0"><send event="InnerActs"/></transition>
               <transition event="up"><assign location="x" expr="x + 1"/></transition>
             </state>
           </state>"#,
    );
    machine.shows("go", "!OuterActs");
    machine.shows("up go", "!InnerActs");
}

#[test]
fn states_are_left_from_the_inside_and_entered_from_the_outside() {
    let machine = scxml(
        r#"<state id="A"><onexit><send event="LeaveA"/></onexit>
             <state id="A1"><onexit><send event="LeaveA1"/></onexit>
               <transition event="go" target="B1"><send event="Between"/></transition>
             </state>
           </state>
           <state id="B"><onentry><send event="EnterB"/></onentry>
             <state id="B1"><onentry><send event="EnterB1"/></onentry></state>
           </state>"#,
    );
    machine.shows("go !LeaveA1 !LeaveA !Between !EnterB !EnterB1", "delta");
}

#[test]
fn a_transition_to_itself_leaves_and_enters_and_one_without_target_does_neither() {
    let machine = scxml(
        r#"<state id="A"><onentry><send event="In_"/></onentry><onexit><send event="Out_"/></onexit>
             <transition event="again" target="A"/>
             <transition event="stay"><send event="Stayed"/></transition>
           </state>"#,
    );
    machine.shows("", "!In_");
    machine.shows("!In_ again !Out_ !In_ stay !Stayed", "again stay delta");
}

#[test]
fn a_local_transition_keeps_its_source_active() {
    let inside = r#"<state id="A"><onexit><send event="LeftA"/></onexit>
             <transition event="go" type="KIND" target="A2"/>
             <state id="A1"/>
             <state id="A2"><onentry><send event="InA2"/></onentry></state>
           </state>"#;
    scxml(&inside.replace("KIND", "internal")).shows("go", "!InA2");
    scxml(&inside.replace("KIND", "external")).shows("go", "!LeftA");
}

const REMEMBERS: &str = r#"<state id="Work" initial="W1">
      <history id="Back" type="KIND"><transition target="W1"/></history>
      <transition event="pause" target="Rest"/>
      <state id="W1"><onentry><send event="InW1"/></onentry><transition event="next" target="W2"/></state>
      <state id="W2" initial="W2a">
        <state id="W2a"><onentry><send event="InW2a"/></onentry><transition event="next" target="W2b"/></state>
        <state id="W2b"><onentry><send event="InW2b"/></onentry></state>
      </state>
    </state>
    <state id="Rest"><transition event="resume" target="Back"/></state>"#;

#[test]
fn a_shallow_history_remembers_the_child_and_starts_it_anew() {
    let machine = scxml(&REMEMBERS.replace("KIND", "shallow"));
    machine.shows("!InW1 next !InW2a next !InW2b pause resume", "!InW2a");
    machine.shows("!InW1 pause resume", "!InW1");
}

#[test]
fn a_deep_history_remembers_all_the_way_down() {
    let machine = scxml(&REMEMBERS.replace("KIND", "deep"));
    machine.shows("!InW1 next !InW2a next !InW2b pause resume", "!InW2b");
}

#[test]
fn a_history_without_a_past_starts_where_it_says() {
    let machine = scxml(&format!(
        r#"<state id="First"><transition event="first" target="Back"/></state>{}"#,
        REMEMBERS
            .replace("KIND", "deep")
            .replace("<transition target=\"W1\"/>", "<transition target=\"W2\"/>")
    ));
    machine.shows("first", "!InW2a");
}

#[test]
fn raised_events_are_handled_before_the_next_input_and_in_order() {
    let machine = scxml(
        r#"<state id="A"><transition event="go" target="B"><raise event="one"/><raise event="two"/></transition></state>
           <state id="B">
             <transition event="one"><send event="SawOne"/></transition>
             <transition event="two" target="C"><send event="SawTwo"/></transition>
             <transition event="other" target="A"/>
           </state>
           <state id="C"/>"#,
    );
    machine.shows("go", "!SawOne");
    machine.shows("go !SawOne", "!SawTwo");
    machine.shows("go !SawOne !SawTwo", "delta");
}

#[test]
fn a_raised_event_that_nobody_waits_for_is_dropped() {
    let machine = scxml(
        r#"<state id="A"><transition event="go" target="B"><raise event="one"/></transition></state>
           <state id="B"><transition event="back" target="A"/></state>
           <state id="C"><transition event="one" target="A"/></state>"#,
    );
    machine.shows("go", "back delta");
}

#[test]
fn transitions_without_a_trigger_follow_at_once_where_their_guard_holds() {
    let machine = scxml(
        r#"<datamodel><data id="n" at:type="int[0..5]" expr="0"/></datamodel>
           <state id="Count">
             <transition event="up"><assign location="n" expr="n + 1"/></transition>
             <transition cond="n &gt;= 2" target="Full"/>
           </state>
           <state id="Full"><onentry><send event="IsFull"/></onentry></state>"#,
    );
    machine.shows("up", "up delta");
    machine.shows("up up", "!IsFull");
}

#[test]
fn a_final_state_completes_its_parent() {
    let machine = scxml(
        r#"<state id="Job"><transition event="done.state.Job" target="Idle"/>
             <state id="Running"><transition event="finish" target="End"/></state>
             <final id="End"><onentry><send event="Ended"/></onentry></final>
           </state>
           <state id="Idle"><onentry><send event="IsIdle"/></onentry></state>"#,
    );
    machine.shows("finish", "!Ended");
    machine.shows("finish !Ended", "!IsIdle");
}

#[test]
fn the_first_enabled_transition_in_document_order_is_taken() {
    let machine = scxml(
        r#"<state id="A">
             <transition event="go"><send event="First"/></transition>
             <transition event="go"><send event="Second"/></transition>
           </state>"#,
    );
    machine.shows("go", "!First");
}

#[test]
fn branches_take_the_first_condition_that_holds() {
    let machine = scxml(
        r#"<datamodel><data id="n" at:type="int[0..9]" expr="0"/></datamodel>
           <state id="A">
             <transition event="up"><assign location="n" expr="n + 1"/></transition>
             <transition event="ask">
               <if cond="n = 0"><send event="None"/>
               <elseif cond="n &lt; 2"/><send event="Some"/>
               <else/><send event="Many"/></if>
             </transition>
           </state>"#,
    );
    machine.shows("ask", "!None");
    machine.shows("up ask", "!Some");
    machine.shows("up up ask", "!Many");
}

#[test]
fn inputs_and_observations_carry_declared_values() {
    let machine = scxml(
        r#"<at:types>t_Speed = int[0..2]</at:types>
           <at:input event="drive" params="speed: t_Speed"/>
           <at:output event="Drives" params="speed: t_Speed"/>
           <state id="A">
             <transition event="drive" cond="speed &gt; 0"><send event="Drives"><param expr="speed"/></send></transition>
           </state>"#,
    );
    machine.shows("", "drive(1) drive(2) delta");
    machine.shows("drive(2)", "!Drives(2)");
}

#[test]
fn statements_of_the_model_language_can_stand_in_a_chart() {
    let machine = scxml(
        r#"<datamodel><data id="xs" at:type="list[3] of int[0..9]" expr="[]"/></datamodel>
           <at:output event="Head" params="x: int[0..9]"/>
           <state id="A">
             <transition event="add"><at:do>xs := xs + [len xs]; skip</at:do></transition>
             <transition event="take" cond="len xs &gt; 0"><send event="Head"><param expr="hd xs"/></send><at:do>xs := tl xs</at:do></transition>
           </state>"#,
    );
    machine.shows("add add take !Head(0) take !Head(1)", "add delta");
}

#[test]
fn a_complaint_about_the_translated_text_is_traced_back_to_the_chart() {
    let source = scxml_source(
        r#"<state id="A"><transition event="go" cond="missing = 1" target="A"/></state>"#,
    );
    let chart = crate::charts::scxml::read("t.scxml", &source).expect("well-formed");
    let crate::charts::Translation { text, origins, .. } =
        crate::charts::translate_with_origins(&chart);
    let (model, diagnostics) = crate::check::check(&text);
    assert!(model.is_none());
    let complaint = diagnostics.sorted()[0].span.range();
    let origin = origins
        .iter()
        .find(|origin| {
            origin.translated.start <= complaint.start && complaint.end <= origin.translated.end
        })
        .expect("the complaint is about the user's own text");
    assert_eq!(&source[origin.chart.clone()], "missing = 1");
}
