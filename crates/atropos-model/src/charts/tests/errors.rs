//! Bad charts: everything that is wrong comes at once, with its place and advice.

use super::scxml_source;
use crate::charts::{plantuml, scxml};

/// Every problem's line, column and words, and the advice.
fn complaints(file: &str, source: &str) -> String {
    let result = match file.ends_with("puml") {
        true => plantuml::read(file, source),
        false => scxml::read(file, source),
    };
    result.expect_err("a bad chart").to_string()
}

fn expect(file: &str, source: &str, parts: &[&str]) {
    let shown = complaints(file, source);
    for part in parts {
        assert!(shown.contains(part), "`{part}` is missing in\n{shown}");
    }
}

#[test]
fn all_problems_of_an_scxml_file_are_shown_at_once() {
    let source = scxml_source(
        r#"<state id="Armed">
  <transition event="Open" target="Alarn"/>
  <onentry><log expr="1"/><send event="On"><param expr="3"/></send></onentry>
  <invoke type="x"/>
</state>
<state id="Alarm" colour="red"/>
<state id="Alarm"/>
<state id="a-b"><transition event="x.*" target="Armed"/><transition event="e" at:after="0s"/></state>"#,
    );
    expect(
        "bad.scxml",
        &source,
        &[
            "bad.scxml:3:36",
            "there is no state `Alarn`",
            "did you mean `Alarm`?",
            "`On` is shown with 1 values but declared with 0",
            "`<invoke>` is not supported inside `<state>`",
            "`colour` means nothing on `<state>`",
            "there are two states called `Alarm`",
            "waits for an event or for time, not for both",
        ],
    );
}

#[test]
fn a_chart_without_a_name_is_read_for_its_other_problems() {
    expect(
        "bad.scxml",
        r#"<scxml xmlns="http://www.w3.org/2005/07/scxml"><state id="A"><transition event="go" target="B"/></state></scxml>"#,
        &["there is no state `B`"],
    );
}

#[test]
fn xml_that_is_not_well_formed_is_shown_where_it_breaks() {
    expect(
        "bad.scxml",
        "<scxml name=\"A\">\n  <state id=\"S\">\n</scxml>",
        &[
            "bad.scxml:3:",
            "not well-formed XML",
            "every element is closed",
        ],
    );
}

#[test]
fn a_prefix_that_nobody_declared_is_told_with_the_declaration() {
    expect(
        "bad.scxml",
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" name=\"A\">\n<datamodel><data id=\"x\" at:type=\"bool\"/></datamodel></scxml>",
        &["bad.scxml:2:", "xmlns:at=\"urn:atropos:ooas\""],
    );
}

#[test]
fn loose_text_is_not_ignored() {
    let source = scxml_source("<state id=\"A\">hello <x:y xmlns:x=\"urn:x\"/></state>");
    expect(
        "bad.scxml",
        &source,
        &["text inside `<state>` means nothing"],
    );
}

#[test]
fn events_that_lead_nowhere_are_complained_about() {
    let source = scxml_source(
        r#"<at:output event="go"/><state id="A"><transition event="go" cond="In(Z)" target="A"><raise event="gone"/><cancel sendid="t"/><send event="go"/></transition>
<transition target="A"/><transition event="done.state.A" target="A"/></state>"#,
    );
    expect(
        "bad.scxml",
        &source,
        &[
            "no transition of this machine waits for `gone`",
            "no delayed `<send>` is called `t`",
            "`go` is shown to the tester, but this machine waits for it too",
            "would be taken for ever",
            "`A` never comes to its end",
            "`In(Z)` asks for a state that does not exist",
        ],
    );
}

#[test]
fn words_of_the_model_language_are_no_names() {
    let source = scxml_source(
        r#"<at:input event="go" params="with: bool"/><state id="A"><transition event="go" target="end"/></state><state id="end"/>"#,
    );
    expect(
        "bad.scxml",
        &source,
        &[
            "`with` cannot be the name of a parameter",
            "write for example `with_`",
        ],
    );
}

#[test]
fn networks_are_checked_for_classes_references_and_bindings() {
    let source = r#"<at:network xmlns="http://www.w3.org/2005/07/scxml" xmlns:at="urn:atropos:ooas" name="N">
<scxml name="A"><at:ref name="b" class="B"/><at:ref name="c" class="C"/>
<state id="S"><transition event="e"><send event="f" target="b"/><send event="g" target="d"/></transition></state></scxml>
<scxml name="B"><state id="S"><transition event="e" target="S"/></state></scxml>
<at:instances><at:instance name="x" class="A"><at:bind ref="b" to="x"/><at:set data="n" expr="1"/></at:instance></at:instances>
</at:network>"#;
    expect(
        "bad.scxml",
        source,
        &[
            "there is no class `C`",
            "no transition of `B` waits for `f`",
            "`d` refers to no other object",
            "`x` is a `A`, but `b` refers to a `B`",
            "`x` is not told whom `c` refers to",
            "`A` has no variable `n`",
        ],
    );
}

#[test]
fn all_problems_of_a_plantuml_file_are_shown_at_once() {
    expect(
        "bad.puml",
        "@startuml M\n[*] --> A : after 5\nA <x- B\nA --> F <<fork>>\nnext/last : x\nA : read/write\nA --> B : go [x / act\nA --> C : one = two\nA : just a remark\nA : do / work\nstate X <<join>> {\n}\nstate E {\nfoo bar\n'! vr x : bool = true\nA --> B : after soon\nA --> B : go / x + 1\n@enduml",
        &[
            "a start waits for nothing",
            "`A <x- B` is no arrow that is read",
            "the fork `F` leads nowhere",
            "`read/write` may be a description",
            "this guard is not closed",
            "`one = two` is no trigger",
            "activities (`do /`) are not read",
            "`<<join>>` has no states inside",
            "the state `E` is not closed",
            "bad.puml:14:1",
            "`foo bar` is not read",
            "did you mean `var`?",
            "is no time of the model",
            "`x + 1` is no action that is read",
        ],
    );
}

#[test]
fn blocks_without_an_end_and_choices_without_a_choice_are_complained_about() {
    expect(
        "open.puml",
        "@startuml X\n[*] --> A\nnote left of A\nA --> B\n@enduml\n",
        &[
            "open.puml:3:1",
            "`note left of A` is not ended",
            "end it with `end note`",
        ],
    );
    expect(
        "open.puml",
        "@startuml X\n[*] --> A /' for ever\n@enduml\n",
        &["open.puml:2:11", "this comment is not ended"],
    );
    expect(
        "choice.puml",
        "@startuml X\nstate c <<choice>>\nstate d <<choice>>\nstate e <<fork>>\n[*] --> A\nA --> c : go\nc --> A : back\nA --> B : up [else]\n@enduml\n",
        &[
            "the choice `c` waits for nothing",
            "the choice `d` leads nowhere",
            "the fork `e` leads nowhere",
        ],
    );
    expect(
        "else.puml",
        "@startuml X\n[*] --> A\nA --> B : up [else]\n@enduml\n",
        &["there is nothing else"],
    );
}
