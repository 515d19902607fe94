//! What is special about PlantUML: its notation, and UML's open choices.

use super::{compare, plantuml, scxml};

#[test]
fn any_enabled_transition_may_be_taken() {
    let machine = plantuml("[*] --> A\nA --> B : go / First\nA --> B : go / Second");
    machine.shows("go", "!First !Second");
}

#[test]
fn a_triggerless_transition_from_a_state_with_states_inside_waits_for_its_end() {
    let machine = plantuml(
        "[*] --> Job\nstate Job {\n[*] --> Run\nRun --> [*] : finish\n}\nJob --> Idle\nIdle : entry / IsIdle",
    );
    machine.shows("", "finish delta");
    machine.shows("finish", "!IsIdle");
}

#[test]
fn histories_are_written_behind_their_state() {
    let machine = plantuml(
        "[*] --> Work\nstate Work {\n[*] --> W1\nW1 --> W2 : next\nW2 : entry / InW2\n}\nWork --> Rest : pause\nRest --> Work[H] : resume",
    );
    machine.shows("next !InW2 pause resume", "!InW2");
    machine.shows("pause resume", "next pause delta");
}

#[test]
fn data_guards_and_parameters_are_declared_in_comments() {
    let machine = plantuml(
        "'! type t_Step = int[1..2]\n'! var n : int[0..9] = 0\n'! input add(step: t_Step)\n'! output Sum(n: int[0..9])\n[*] --> A\nA : add(step) [n + step < 4] / n := n + step; Sum(n)\nA --> B : stop [n = 3] / Full",
    );
    machine.shows("add(2) !Sum(2) add(1) !Sum(3)", "stop delta");
    machine.shows("add(2) !Sum(2) add(1) !Sum(3) stop", "!Full");
}

#[test]
fn states_declared_inside_a_block_stay_there_wherever_they_are_named_first() {
    let machine = plantuml(
        "[*] --> Outer\nInner --> Away : leave\nstate Outer {\n[*] --> Inner\nstate Inner\n}\nOuter --> Away : quit",
    );
    machine.shows("", "leave quit delta");
}

#[test]
fn the_same_chart_in_both_notations_behaves_the_same() {
    let drawn = plantuml(
        "[*] --> Off\nOff --> On : power / raise warm after 3\nstate On {\n[*] --> Cold\nCold --> Hot : warm / IsHot\n--\n[*] --> Dark\nDark --> Lit : light / Shines\n}\nOn --> Off : power / cancel warm",
    );
    let written = scxml(
        r#"<state id="Off"><transition event="power" target="On"><send event="warm" delay="3s"/></transition></state>
           <parallel id="On"><transition event="power" target="Off"><cancel sendid="warm"/></transition>
             <state id="Heat"><state id="Cold"><transition event="warm" target="Hot"><send event="IsHot"/></transition></state><state id="Hot"/></state>
             <state id="Light"><state id="Dark"><transition event="light" target="Lit"><send event="Shines"/></transition></state><state id="Lit"/></state>
           </parallel>"#,
    );
    let compared = compare(&drawn, &written);
    assert!(
        compared.as_ref().is_ok_and(|&pairs| pairs > 8),
        "{compared:?}"
    );
}

#[test]
fn what_is_only_for_the_picture_is_passed_over() {
    let machine = plantuml(
        "/' one '/ [*] --> A /' two\nA --> B : wrong\n'/\n' a line with /' in it\nlegend left\nA --> C\nendlegend\nskinparam state {\nBackgroundColor Red\n}\nnote left of A\nA --> D : no\nend note\ntitle\nTwo words\nend title\nA --> B : go / Done",
    );
    machine.shows("", "go delta");
    machine.shows("go", "!Done");
}

#[test]
fn a_choice_is_left_at_once_by_what_holds_then() {
    let machine = plantuml(
        "'! var n : int[0..2] = 1\nstate c <<choice>>\n[*] --> A\nA --> c : pick / n := n - 1\nc --> B : [n > 0] / More\nc --> A : [n = 0] / Last\nc --> D : [else]\nB --> A : go",
    );
    machine.shows("pick", "!Last");
    let machine = plantuml(
        "'! var n : int[0..2] = 2\nstate c <<choice>>\n[*] --> A\nA --> c : pick\nc --> B : [n < 1]\nc --> D : [else] / Other\nB : entry / Wrong",
    );
    machine.shows("pick", "!Other");
}
