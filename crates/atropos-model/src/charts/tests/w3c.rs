//! What W3C's algorithm and its tests ask of events, data models and names.

use super::animate;

fn machine(attributes: &str, inner: &str) -> super::Animation {
    animate(
        "w3c.scxml",
        &format!(
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" {attributes}>{inner}</scxml>"
        ),
    )
}

#[test]
fn a_chart_needs_no_name_and_may_have_the_null_data_model() {
    let machine = machine(
        "datamodel=\"null\" initial=\"a\"",
        r#"<state id="a"><transition event="go" target="b"/></state><state id="b"><onentry><send event="InB"/></onentry></state>"#,
    );
    machine.shows("go", "!InB");
}

#[test]
fn a_descriptor_stands_for_all_events_that_begin_with_it() {
    let machine = machine(
        "",
        r#"<state id="a">
             <onentry><raise event="error.send.late"/></onentry>
             <transition event="error.send" target="b"/>
             <transition event="*" target="c"/>
           </state>
           <state id="b"><onentry><send event="Prefix"/></onentry></state>
           <state id="c"><onentry><send event="Any"/></onentry></state>"#,
    );
    machine.shows("", "!Prefix");
}

#[test]
fn a_prefix_ends_at_a_dot() {
    let machine = machine(
        "",
        r#"<state id="a">
             <onentry><raise event="errors.one"/></onentry>
             <transition event="error.*" target="b"/>
             <transition event="*" target="c"/>
           </state>
           <state id="b"><onentry><send event="Wrong"/></onentry></state>
           <state id="c"><onentry><send event="Any"/></onentry></state>"#,
    );
    machine.shows("", "!Any");
}

#[test]
fn ecmascript_is_read_as_far_as_it_means_the_same() {
    let machine = machine(
        "datamodel=\"ecmascript\"",
        r#"<datamodel><data id="n" expr="1"/><data id="on" expr="false"/></datamodel>
           <state id="a">
             <transition event="up" cond="n !== 3 &amp;&amp; !on"><log expr="n"/><assign location="n" expr="n + 1"/></transition>
             <transition event="ask" cond="n == 3 || In('b')" target="b"/>
           </state>
           <state id="b"><onentry><if cond="n % 2 === 1"><send event="Odd"/><else/><send event="Even"/></if></onentry></state>"#,
    );
    machine.shows("", "up delta");
    machine.shows("up up", "ask delta");
    machine.shows("up up ask", "!Odd");
}

#[test]
fn what_editors_write_for_themselves_is_skipped() {
    let machine = machine(
        "xmlns:qt=\"http://www.qt.io/2015/02/scxml-ext\"",
        r#"<qt:editorinfo initialGeometry="1;2"/><state id="a" qt:colour="red"><qt:editorinfo/><transition event="go"><send event="Went"/></transition></state>"#,
    );
    machine.shows("go", "!Went");
}

#[test]
fn charts_that_nobody_draws_are_refused_in_a_sentence() {
    let nested = format!(
        "{}{}",
        "<state id=\"s\">".repeat(20_000),
        "</state>".repeat(20_000)
    );
    let flat = "<state id=\"s\"/>\n".repeat(60_000);
    let braces = format!(
        "@startuml\n{}{}@enduml\n",
        "state s {\n".repeat(20_000),
        "}\n".repeat(20_000)
    );
    for (file, text, message) in [
        (
            "a.scxml",
            format!("<scxml>{nested}</scxml>"),
            "nested more than",
        ),
        (
            "b.scxml",
            format!("<scxml>{flat}</scxml>"),
            "more than 2000 states",
        ),
        ("c.puml", braces, "nested more than"),
    ] {
        let problems = crate::charts::read(file, &text)
            .expect("a chart")
            .expect_err("too large");
        assert!(problems.to_string().contains(message), "{file}");
    }
}
