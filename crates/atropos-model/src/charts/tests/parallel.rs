//! Parallel states: all regions move, in any order, on guards looked at beforehand.

use super::{plantuml, scxml};

#[test]
fn all_regions_that_wait_for_an_event_move_in_any_order() {
    let machine = scxml(
        r#"<parallel id="P">
             <state id="L"><state id="L1"><transition event="go" target="L2"><send event="Left"/></transition></state><state id="L2"/></state>
             <state id="R"><state id="R1"><transition event="go" target="R2"><send event="Right"/></transition></state><state id="R2"/></state>
           </parallel>"#,
    );
    machine.shows("go", "!Left !Right");
    machine.shows("go !Left", "!Right");
    machine.shows("go !Right !Left", "delta");
}

#[test]
fn guards_are_looked_at_before_any_region_moves() {
    let machine = scxml(
        r#"<datamodel><data id="x" at:type="int[0..3]" expr="0"/></datamodel>
           <parallel id="P">
             <state id="L"><transition event="go" cond="x = 0"><assign location="x" expr="1"/><send event="Left"/></transition></state>
             <state id="R"><transition event="go" cond="x = 0"><assign location="x" expr="2"/><send event="Right"/></transition></state>
           </parallel>"#,
    );
    machine.shows("go !Left", "!Right");
    machine.shows("go !Right", "!Left");
    machine.shows("go !Left !Right", "delta");
}

#[test]
fn a_region_whose_guard_is_false_stays_where_it_is() {
    let machine = scxml(
        r#"<parallel id="P">
             <state id="L"><transition event="go" cond="false"><send event="Left"/></transition></state>
             <state id="R"><transition event="go"><send event="Right"/></transition></state>
           </parallel>"#,
    );
    machine.shows("go", "!Right");
    machine.shows("go !Right", "go delta");
}

const ONE_LEAVES: &str = r#"<parallel id="P">
      <state id="L"><transition event="go" target="Out"><send event="Leaving"/></transition></state>
      <state id="R"><state id="R1"><transition event="go" target="R2"><send event="Moving"/></transition></state><state id="R2"/></state>
    </parallel>
    <state id="Out"/>"#;

#[test]
fn in_scxml_the_earlier_region_wins_when_one_leaves_the_parallel_state() {
    let machine = scxml(ONE_LEAVES);
    machine.shows("go", "!Leaving");
    machine.shows("go !Leaving", "delta");
}

#[test]
fn in_plantuml_either_may_win_when_one_leaves_the_parallel_state() {
    let machine = plantuml(
        "[*] --> P\nstate P {\n[*] --> L1\nL1 --> Out : go / Leaving\n--\n[*] --> R1\nR1 --> R2 : go / Moving\n}\nstate Out\n",
    );
    machine.shows("go", "!Leaving !Moving");
    machine.shows("go !Leaving", "delta");
    machine.shows("go !Moving", "go delta");
}

#[test]
fn nested_parallel_states_choose_together() {
    let machine = scxml(
        r#"<parallel id="P">
             <state id="L"><transition event="go"><send event="Left"/></transition></state>
             <state id="R"><state id="R0">
               <transition event="other" target="R9"/>
               <transition event="inside" target="Q"/>
             </state>
             <parallel id="Q">
               <state id="Q1"><transition event="go"><send event="One"/></transition></state>
               <state id="Q2"><transition event="go"><send event="Two"/></transition></state>
             </parallel>
             <state id="R9"/>
             </state>
           </parallel>"#,
    );
    machine.shows("go", "!Left");
    machine.shows("inside go", "!Left !One !Two");
    machine.shows("inside go !One", "!Two");
    machine.shows("inside go !Left !Two !One", "go delta");
}

#[test]
fn four_regions_are_entered_in_all_orders() {
    let regions: String = ["A", "B", "C", "D"]
        .map(|name| {
            format!("<state id=\"{name}\"><onentry><send event=\"In{name}\"/></onentry></state>")
        })
        .concat();
    let machine = scxml(&format!(
        "<state id=\"Start\"><transition event=\"go\" target=\"P\"/></state><parallel id=\"P\">{regions}</parallel>"
    ));
    machine.shows("go", "!InA !InB !InC !InD");
    machine.shows("go !InC", "!InA !InB !InD");
    machine.shows("go !InC !InA", "!InB !InD");
    machine.shows("go !InC !InA !InD !InB", "delta");
}

#[test]
fn a_transition_can_enter_chosen_states_of_several_regions() {
    let machine = scxml(
        r#"<state id="Start"><transition event="go" target="L2 R2"/></state>
           <parallel id="P">
             <state id="L"><state id="L1"/><state id="L2"><onentry><send event="InL2"/></onentry></state></state>
             <state id="R"><state id="R1"/><state id="R2"><onentry><send event="InR2"/></onentry></state></state>
           </parallel>"#,
    );
    machine.shows("go", "!InL2 !InR2");
    machine.shows("go !InR2 !InL2", "delta");
}

#[test]
fn a_guard_can_ask_where_another_region_is() {
    let machine = scxml(
        r#"<parallel id="P">
             <state id="L"><state id="L1"><transition event="move" target="L2"/></state><state id="L2"/></state>
             <state id="R"><transition event="ask" cond="In('L2')"><send event="Moved"/></transition></state>
           </parallel>"#,
    );
    machine.shows("", "move delta");
    machine.shows("move", "ask delta");
    machine.shows("move ask", "!Moved");
}

#[test]
fn a_parallel_state_ends_when_all_its_regions_have() {
    let machine = scxml(
        r#"<parallel id="P"><transition event="done.state.P" target="Over"/>
             <state id="L"><state id="L1"><transition event="left" target="L9"/></state><final id="L9"/></state>
             <state id="R"><state id="R1"><transition event="right" target="R9"/></state><final id="R9"/></state>
           </parallel>
           <state id="Over"><onentry><send event="IsOver"/></onentry></state>"#,
    );
    machine.shows("left", "right delta");
    machine.shows("left right", "!IsOver");
    machine.shows("right left", "!IsOver");
}

#[test]
fn deep_history_brings_back_every_region() {
    let machine = scxml(
        r#"<state id="On" initial="P"><history id="H" type="deep"/>
             <transition event="off" target="Off"/>
             <parallel id="P">
               <state id="L"><state id="L1"><transition event="left" target="L2"/></state><state id="L2"><onentry><send event="InL2"/></onentry></state></state>
               <state id="R"><state id="R1"><onentry><send event="InR1"/></onentry></state></state>
             </parallel>
           </state>
           <state id="Off"><transition event="on" target="H"/></state>"#,
    );
    machine.shows("!InR1 left !InL2 off on", "!InL2 !InR1");
}
