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

#[test]
fn a_choice_sees_the_parameters_of_its_event() {
    let machine = plantuml(
        "'! input pay(n: int[0..2])\nstate c <<choice>>\nstate d <<choice>>\n[*] --> A\nA --> c : pay(n)\nc --> B : [n = 2] / Change(1)\nc --> d : [else]\nd --> B : [n = 1] / Thanks\nd --> A : [else] / Nothing\n'! output Change(n: int[0..2])",
    );
    machine.shows("pay(2)", "!Change(1)");
    machine.shows("pay(1)", "!Thanks");
    machine.shows("pay(0)", "!Nothing");
}

#[test]
fn a_junction_is_looked_at_before_anything_moves_and_a_choice_after() {
    let chart = |kind: &str| {
        plantuml(&format!(
            "'! var n : int[0..2] = 0\nstate j <<{kind}>>\n[*] --> A\nA --> j : go / n := 1\nj --> B : [n = 0] / Before\nj --> B : [else] / After"
        ))
    };
    chart("junction").shows("go", "!Before");
    chart("choice").shows("go", "!After");
}

#[test]
fn branches_between_a_fork_and_its_join_run_beside_each_other() {
    let machine = plantuml(
        "state f <<fork>>\nstate j <<join>>\n[*] --> Idle\nIdle --> f : start / Started\nf --> Mill\nf --> Weigh\nMill --> Milled : mill\nMilled --> j\nWeigh --> j : weigh\nj --> Pack : / Packed\nPack --> [*] : ship",
    );
    machine.shows("start", "!Started");
    machine.shows("start !Started", "mill weigh delta");
    machine.shows("start !Started mill", "weigh delta");
    machine.shows("start !Started weigh mill", "!Packed");
    machine.shows("start !Started weigh mill !Packed", "ship delta");
}

#[test]
fn a_fork_enters_the_regions_of_a_state_and_a_join_leaves_them() {
    let machine = plantuml(
        "state f <<fork>>\nstate j <<join>>\n[*] --> f\nstate Both {\n[*] --> L1\nL1 --> L2 : never\nL2 --> L3 : left\n--\n[*] --> R1\nR1 --> R2 : right\n}\nf --> L2\nf --> R1\nL3 --> j\nR2 --> j\nj --> Out\nOut : entry / IsOut",
    );
    machine.shows("", "left right delta");
    machine.shows("left", "right delta");
    machine.shows("right left", "!IsOut");
    machine.shows("left right", "!IsOut");
}

#[test]
fn forks_whose_branches_run_together_are_complained_about() {
    let read = |text: &str| {
        let source = format!("@startuml M\n{text}\n@enduml");
        let read = crate::charts::read("bad.puml", &source).expect("a chart");
        read.expect_err("problems").to_string()
    };
    let shown = read("state f <<fork>>\n[*] --> f\nf --> A\nf --> B\nA --> C\nB --> C");
    assert!(
        shown.contains("branches of the fork `f` meet at `C`, which is no join"),
        "{shown}"
    );
    let shown = read(
        "state f <<fork>>\nstate j <<join>>\n[*] --> f\nf --> A\nf --> B\nA --> j\nB --> j\nj --> D\nD --> A : again",
    );
    assert!(
        shown.contains("`A` stands behind the fork `f`, but is entered from elsewhere too"),
        "{shown}"
    );
    let shown = read(
        "state j <<junction>>\nstate k <<junction>>\n[*] --> A\nA --> j : go\nj --> k\nk --> j",
    );
    assert!(
        shown.contains("leads back to itself without a state in between"),
        "{shown}"
    );
}

#[test]
fn stereotypes_of_starts_ends_and_histories_are_read() {
    let machine = plantuml(
        "state s <<start>>\ns --> Work\nstate Work {\nstate h <<history>>\nstate e <<end>>\n[*] --> W1\nW1 --> W2 : next\nW2 : entry / InW2\nW2 --> e : finish\n}\nWork --> Rest : pause\nRest --> h : resume\nWork --> Done\nDone : entry / AllDone",
    );
    machine.shows("next !InW2 pause resume", "!InW2");
    machine.shows("pause resume next !InW2 finish", "!AllDone");
}

#[test]
fn arrows_point_left_and_several_events_share_an_arrow() {
    let machine = plantuml(
        "[*] --> A\nB <-- A : go, start now / Went\nA <-[#red,dashed]- B : back\nB -up-> A : up!",
    );
    machine.shows("", "go start_now delta");
    machine.shows("start_now !Went", "back up_ delta");
}

#[test]
fn names_that_become_the_same_in_ascii_stay_different() {
    let machine = plantuml(
        "[*] --> Bereit\nBereit --> Bereit : prüfen / geprüft\nBereit --> Bereit : pruefen / geprueft\nBereit --> Läuft : 启动\nLäuft --> Lauft : go!\nLauft --> Bereit : go?",
    );
    machine.shows("", "prufen pruefen u542Fu52A8 delta");
    machine.shows("u542Fu52A8", "go_ delta");
    machine.shows("u542Fu52A8 go_", "go__2 delta");
}

#[test]
fn hidden_arrows_only_move_the_pictures_parts() {
    let machine = plantuml(
        "[*] --> A\nA -[hidden]-> B\nB -[#red,hidden]down-> A\nA <-[hidden]- B\nA -[hidden]- B\nA --> B : go / Went",
    );
    machine.shows("", "go delta");
    machine.shows("go !Went", "delta");
}

#[test]
fn states_may_be_declared_with_colours_and_descriptions() {
    let machine = plantuml(
        "state A #line.dashed : waits\nstate \"Long: name\" as B #pink;line:red;line.bold : entry / InB\nstate C: entry / InC\nstate D ##[dotted]blue {}\nstate E as \"Two: words\" <<busy>> #red:entry / InE\n[*] --> A\nA --> B : b\nB --> C : c\nC --> D : d\nD --> E #blue : e\n",
    );
    machine.shows("b", "!InB");
    machine.shows("b !InB c", "!InC");
    machine.shows("b !InB c !InC d e", "!InE");
}

#[test]
fn a_description_stays_in_the_block_where_its_state_is_declared() {
    let machine = plantuml(
        "[*] --> Outer\nInner --> Away : leave\nstate Outer {\n[*] --> Inner\nstate \"The inner\" as Inner : exit / Left\n}\nOuter --> Away : quit",
    );
    machine.shows("quit", "!Left");
}

#[test]
fn what_a_start_is_called_is_passed_over_and_what_it_does_is_done() {
    let machine = plantuml(
        "[*] --> A : power on / Beep\nA --> B : go\nstate B {\n[*] --> C : first\nC : entry / InC\n}",
    );
    machine.shows("", "!Beep");
    machine.shows("!Beep go", "!InC");
}

#[test]
fn points_and_pins_on_the_border_of_a_state_are_left_at_once() {
    for (into, out) in [
        ("entryPoint", "exitPoint"),
        ("inputPin", "outputPin"),
        ("expansionInput", "expansionOutput"),
        ("EntryPoint", "exitpoint"),
    ] {
        let machine = plantuml(&format!(
            "state Work {{\nstate in1 <<{into}>>\nstate in2 <<{into}>>\n[*] --> Default\nin1 --> Slow\nin2 -> Fast : / Hurry\nSlow --> Fast : speed\nFast -> out1 <<{out}>> : stop\nWork : exit / Left\n}}\n[*] --> in1\nout1 --> Rest : / Stopped\nRest --> in2 : again\nRest --> Work : normal\nDefault : entry / IsDefault",
        ));
        machine.shows("", "speed delta");
        machine.shows("speed stop", "!Left");
        machine.shows("speed stop !Left", "!Stopped");
        machine.shows("speed stop !Left !Stopped again", "!Hurry");
        machine.shows("speed stop !Left !Stopped normal", "!IsDefault");
    }
}

#[test]
fn descriptions_may_have_slashes_in_words() {
    let machine =
        plantuml("[*] --> A\nA : see https://example.org/a/b\nA : entry/ InA\nA : go /Went");
    machine.shows("", "!InA");
    machine.shows("!InA go", "!Went");
}

#[test]
fn words_of_the_pictures_looks_may_be_names_of_states() {
    let machine = plantuml(
        "[*] --> show\nshow --> hide : off\nhide : entry / Hidden\nhide --> scale : weigh\nscale --> show : on",
    );
    machine.shows("off", "!Hidden");
    machine.shows("off !Hidden weigh on", "off delta");
}

#[test]
fn floating_notes_are_passed_over() {
    let machine = plantuml(
        "[*] --> A\nnote as N1\nA --> C : wrong\nend note\nnote \"short\" as N2\nnote on link\nno\nend note\nA --> B : go / Went",
    );
    machine.shows("", "go delta");
}

#[test]
fn the_preprocessor_is_not_run_and_says_so() {
    let source = "@startuml M\n!include other.puml\n[*] --> A\n@enduml";
    let read = crate::charts::read("bad.puml", source).expect("a chart");
    let shown = read.expect_err("problems").to_string();
    assert!(shown.contains("which is not run"), "{shown}");
}

#[test]
fn a_diagram_is_seen_behind_comments_whatever_the_file_is_called() {
    for file in ["door.txt", "door.ooas", "door"] {
        let machine = super::animate(
            file,
            "' drawn by hand\n/' two\nlines '/\n\n  @startuml\n[*] --> A\nA --> A : go / Went\n@enduml\n",
        );
        machine.shows("go", "!Went");
    }
}
