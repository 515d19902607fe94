//! Mermaid's state diagrams, and PlantUML as people publish it.

use super::{animate, plantuml};

#[test]
fn mermaid_is_seen_by_its_first_line_whatever_the_file_is_called() {
    let machine = animate(
        "notes.txt",
        "---\ntitle: Car\n---\n%% a car\nstateDiagram-v2\n  direction LR\n  classDef busy fill:#f00\n  [*] --> Still\n  Still --> Moving : start engine / engine on\n  Moving:::busy --> Still : stop / EngineOff\n  note right of Still : parked\n  state Moving {\n    [*] --> Slow\n    Slow --> Fast : faster\n  }\n",
    );
    machine.shows("", "start_engine delta");
    machine.shows("start_engine", "!engine_on");
    machine.shows("start_engine !engine_on faster stop", "!EngineOff");
}

#[test]
fn mermaid_has_choices_and_concurrent_regions() {
    let machine = animate(
        "machine.mmd",
        "stateDiagram-v2\n[*] --> Active\nstate Active {\n[*] --> NumOff\nNumOff --> NumOn : num / NumLit\n--\n[*] --> CapsOff\nCapsOff --> CapsOn : caps / CapsLit\n}\n",
    );
    machine.shows("num !NumLit caps", "!CapsLit");
}

#[test]
fn plantuml_names_may_be_quoted_long_and_of_any_language() {
    let machine = plantuml(
        "state \"Waiting for a card\" as Wait #lightblue\nstate Größe <<important>>\nWait : shows the logo\n[*] --> Wait\nWait --> Größe : card in / Größe gemessen\nGröße --> \"Out of order\" : kick\n\"Out of order\" --> Wait : repair / Ready\n",
    );
    machine.shows("card_in", "!Grosse_gemessen");
    machine.shows("card_in !Grosse_gemessen kick repair", "!Ready");
}
