//! Parallel states: all regions move, in document order or in any, on guards looked at beforehand.

use super::{plantuml, scxml};

#[test]
fn all_regions_that_wait_for_an_event_move_in_any_order_if_the_chart_says_so() {
    let machine = scxml(
        r#"<parallel id="P" at:order="any">
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
    machine.shows("go", "!Left");
    machine.shows("go !Left", "!Right");
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
    machine.shows("inside go", "!Left");
    machine.shows("inside go !Left", "!One");
    machine.shows("inside go !Left !One !Two", "go delta");
}

#[test]
fn four_regions_are_entered_in_all_orders_if_the_chart_says_so() {
    let regions: String = ["A", "B", "C", "D"]
        .map(|name| {
            format!("<state id=\"{name}\"><onentry><send event=\"In{name}\"/></onentry></state>")
        })
        .concat();
    let machine = scxml(&format!(
        "<state id=\"Start\"><transition event=\"go\" target=\"P\"/></state><parallel id=\"P\" at:order=\"any\">{regions}</parallel>"
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
    machine.shows("go", "!InL2");
    machine.shows("go !InL2 !InR2", "delta");
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
    machine.shows("!InR1 left !InL2 off on", "!InL2");
    machine.shows("!InR1 left !InL2 off on !InL2", "!InR1");
}

#[test]
fn w3c_regions_are_left_last_first_then_act_then_are_entered() {
    let machine = scxml(
        r#"<parallel id="P">
             <state id="L">
               <state id="L1"><onexit><send event="OutL"/></onexit><transition event="go" target="L2"><send event="ActL"/></transition></state>
               <state id="L2"><onentry><send event="InL"/></onentry></state>
             </state>
             <state id="R">
               <state id="R1"><onexit><send event="OutR"/></onexit><transition event="go" target="R2"><send event="ActR"/></transition></state>
               <state id="R2"><onentry><send event="InR"/></onentry></state>
             </state>
           </parallel>"#,
    );
    let order = ["OutR", "OutL", "ActL", "ActR", "InL", "InR"];
    let mut trace = String::from("go");
    for output in order {
        machine.shows(&trace, &format!("!{output}"));
        trace += &format!(" !{output}");
    }
}

#[test]
fn w3c_a_transition_without_target_is_kept_when_a_sibling_region_leaves() {
    let machine = scxml(
        r#"<parallel id="P">
             <state id="L"><transition event="go"><send event="Noted"/></transition></state>
             <state id="R"><transition event="go" target="Out"><send event="Leaving"/></transition></state>
             <state id="S"><state id="S1"><transition event="go" target="S2"><send event="Dropped"/></transition></state><state id="S2"/></state>
           </parallel>
           <state id="Out"><onentry><send event="IsOut"/></onentry></state>"#,
    );
    machine.shows("go", "!Noted");
    machine.shows("go !Noted", "!Leaving");
    machine.shows("go !Noted !Leaving", "!IsOut");
    machine.shows("go !Noted !Leaving !IsOut", "delta");
}

#[test]
fn twenty_parallel_regions_are_no_burden() {
    let regions: String = (0..20)
        .map(|at| {
            format!(
                "<state id=\"R{at}\"><state id=\"A{at}\"><transition event=\"go\" target=\"B{at}\"><send event=\"Out{at}\"/></transition></state><state id=\"B{at}\"/></state>"
            )
        })
        .collect();
    let machine = scxml(&format!("<parallel id=\"P\">{regions}</parallel>"));
    machine.shows("go", "!Out0");
    machine.shows("go !Out0 !Out1 !Out2", "!Out3");
}
