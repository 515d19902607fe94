//! What W3C's algorithm and its tests ask of events, data models and names.

use super::animate;
use std::collections::BTreeSet;

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
    let arrows: String = (0..60_000)
        .map(|at| format!("A{at} --> A{} : go\n", at + 1))
        .collect();
    let numbers = || (0..60_000).map(|at| at.to_string());
    let keys: Vec<String> = numbers().map(|at| format!("\"s{at}\": {{}}")).collect();
    let keys = keys.join(",");
    let vertices: Vec<String> = numbers()
        .map(|at| format!("{{\"id\": \"v{at}\"}}"))
        .collect();
    let vertices = vertices.join(",");
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
        (
            "d.puml",
            format!("@startuml\n{arrows}@enduml\n"),
            "more than 2000 states",
        ),
        (
            "e.mmd",
            format!("stateDiagram-v2\n{arrows}"),
            "more than 2000 states",
        ),
        (
            "f.json",
            format!("{{\"id\": \"m\", \"states\": {{{keys}}}}}"),
            "more than 2000 states",
        ),
        (
            "g.json",
            format!("{{\"models\": [{{\"vertices\": [{vertices}]}}]}}"),
            "more than 2000 states",
        ),
    ] {
        let problems = crate::charts::read(file, &text)
            .expect("a chart")
            .expect_err("too large");
        assert!(problems.to_string().contains(message), "{file}");
    }
}

/// Each file is one behaviour that W3C's tests ask for too, under their number. It shows `Pass` and nothing else, perhaps after
/// times that its comment names.
#[test]
fn what_w3cs_tests_ask_for_holds() {
    let directory =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/charts/tests/w3c_files");
    let entries = std::fs::read_dir(directory).expect("the files are there");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    names.sort();
    let book = include_str!("../../../../../docs/src/models/scxml.md");
    let (_, table) = book.split_once("## W3C's tests").expect("a section");
    let listed: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| line.rsplit('|').nth(1))
        .flat_map(|cell| cell.split(',').map(str::trim))
        .filter(|number| number.starts_with(|letter: char| letter.is_ascii_digit()))
        .collect();
    let mut found = BTreeSet::new();
    let mut wrong = Vec::new();
    for path in names {
        let name = path
            .file_name()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        let number = name.split('_').next().expect("a number");
        found.insert(number.to_owned());
        let text = std::fs::read_to_string(&path).expect("a text");
        let comment = text.split("-->").next().unwrap_or("");
        let trace = comment
            .split("trace:")
            .nth(1)
            .unwrap_or("")
            .trim()
            .to_owned();
        let shown = std::panic::catch_unwind(|| animate(&name, &text).after(&trace));
        if shown.as_ref().ok() != Some(&super::Offers::from(["obs Pass".to_owned()])) {
            wrong.push((name, shown.ok()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, listed, "the book's list");
}

/// W3C's tests 152, 525 and 528 ask for more.
#[test]
fn lists_that_are_none_or_change_are_refused() {
    for (inside, message) in [
        (
            r#"<datamodel><data id="n" expr="1"/></datamodel><state id="s"><onentry><foreach array="n" item="i"><log expr="i"/></foreach></onentry></state>"#,
            "`n`",
        ),
        (
            r#"<datamodel><data id="n" expr="[1, 2]"/></datamodel><state id="s"><onentry><foreach array="n" item="i"><assign location="n" expr="[1]"/></foreach></onentry></state>"#,
            "`n`",
        ),
        (
            r#"<state id="s"><state id="t"><transition target="u"/></state><final id="u"><donedata><param name="x" expr="foo.bar"/></donedata></final></state>"#,
            "needs an OOAS type",
        ),
    ] {
        let source = format!(
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"ecmascript\">{inside}</scxml>"
        );
        let read = crate::charts::read("w3c.scxml", &source).expect("a chart");
        let shown = read.expect_err("problems").to_string();
        assert!(shown.contains(message), "{shown}");
    }
}

#[test]
fn states_need_no_names() {
    let machine = machine(
        "",
        r#"<state><transition event="go" target="unnamed_1"/></state><state id="unnamed_1"><onentry><send event="There"/></onentry></state>"#,
    );
    machine.shows("go", "!There");
}

#[test]
fn an_event_that_the_machine_sends_to_itself_comes_before_the_next_input() {
    let machine = machine(
        "",
        r#"<state id="a"><transition event="go" target="b"><send event="next"/><send event="Shown"/></transition></state>
           <state id="b"><transition event="next" target="c"/><transition event="go" target="a"/></state>
           <state id="c"><onentry><send event="InC"/></onentry></state>"#,
    );
    machine.shows("", "go delta");
    machine.shows("go !Shown", "!InC");
}

#[test]
fn values_of_events_are_read_where_it_is_known_what_they_are() {
    let machine = machine(
        "datamodel=\"ecmascript\" xmlns:at=\"urn:atropos:ooas\"",
        r#"<at:input event="set" params="level: int[0..3]"/>
           <state id="a"><transition event="set" cond="_event.data.level &gt; 1" target="b"><send event="High"/></transition></state><state id="b"/>"#,
    );
    machine.shows("", "set(2) set(3) delta");
    machine.shows("set(2)", "!High");
}
