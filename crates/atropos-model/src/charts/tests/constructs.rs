//! Which construct is read in which format: each cell of the book's table is a chart that is read, or refused.

use super::xmi::{arrow, effect, pseudostate, region, source as xmi, state};
use super::{animate_model, scxml_source};
use crate::charts;

enum Cell {
    /// A chart with the construct, which becomes a model.
    Yes(String),
    /// A chart with the construct, which is refused in a sentence.
    No(String),
    /// The format has no notation for it.
    Absent,
}

use Cell::{Absent, No, Yes};

const FORMATS: [&str; 6] = [
    "SCXML",
    "PlantUML",
    "Mermaid",
    "XMI",
    "XState",
    "GraphWalker",
];

fn s(inside: &str) -> Cell {
    Yes(scxml_source(inside))
}

/// The same in PlantUML and Mermaid.
fn p(inside: &str) -> [Cell; 2] {
    [
        Yes(format!("@startuml M\n{inside}\n@enduml")),
        Yes(format!("stateDiagram-v2\n{inside}\n")),
    ]
}

fn u(parts: &[String]) -> Cell {
    Yes(xmi("", &region(parts)))
}

fn x(rest: &str) -> Cell {
    Yes(format!(r#"{{"id": "m", "initial": "a", {rest}}}"#))
}

fn g(edges: &str) -> Cell {
    Yes(format!(
        r#"{{"models": [{{"name": "m", "actions": ["n = 0;"], "startElementId": "a",
            "vertices": [{{"id": "a", "name": "A"}}, {{"id": "b", "name": "B"}}], "edges": [{edges}]}}]}}"#
    ))
}

fn row(name: &'static str, scxml: Cell, diagrams: [Cell; 2], rest: [Cell; 3]) -> Row {
    let [plantuml, mermaid] = diagrams;
    let [uml, xstate, graphwalker] = rest;
    (name, [scxml, plantuml, mermaid, uml, xstate, graphwalker])
}

type Row = (&'static str, [Cell; 6]);

/// States, and how they are entered and left.
fn of_states() -> Vec<Row> {
    let inner = region(&[
        pseudostate("j", "initial"),
        state("B", ""),
        arrow("j", "B", "", ""),
    ]);
    let start = [pseudostate("i", "initial"), arrow("i", "A", "", "")];
    let with = |parts: &[String]| u(&[&start[..], parts].concat());
    let entry = r#"<entry xmi:type="uml:OpaqueBehavior" body="Hello"/>"#;
    let history = |kind: &str| {
        let inside = region(&[pseudostate("h", kind), state("B", ""), state("C", "")]);
        with(&[
            state("A", &inside),
            state("D", ""),
            arrow("A", "D", "out", ""),
            arrow("D", "h", "back", ""),
        ])
    };
    let scxml_history = |kind: &str| {
        s(&format!(
            r#"<state id="A"><history id="H" type="{kind}"/><state id="B"/><transition event="out" target="D"/></state><state id="D"><transition event="back" target="H"/></state>"#
        ))
    };
    let drawn_history = |sign: &str| {
        p(&format!(
            "[*] --> A\nstate A {{\n[*] --> B\nB --> C : go\n}}\nA --> D : out\nD --> A[{sign}] : back"
        ))
    };
    let xstate_history = |kind: &str| {
        x(&format!(
            r#""states": {{"a": {{"initial": "b", "states": {{"b": {{}}, "h": {{"type": "history", "history": "{kind}"}}}}, "on": {{"OUT": "d"}}}}, "d": {{"on": {{"BACK": "a.h"}}}}}}"#
        ))
    };
    vec![
        row(
            "composite states",
            s(r#"<state id="A"><state id="B"/></state>"#),
            p("[*] --> A\nstate A {\n[*] --> B\n}"),
            [
                with(&[state("A", &inner)]),
                x(r#""states": {"a": {"initial": "b", "states": {"b": {}}}}"#),
                Absent,
            ],
        ),
        row(
            "concurrent regions",
            s(r#"<parallel id="A"><state id="B"/><state id="C"/></parallel>"#),
            p("[*] --> A\nstate A {\n[*] --> B\n--\n[*] --> C\n}"),
            [
                with(&[state("A", &format!("{inner}{}", region(&[state("C", "")])))]),
                x(r#""states": {"a": {"type": "parallel", "states": {"b": {}, "c": {}}}}"#),
                Absent,
            ],
        ),
        row(
            "entry and exit actions",
            s(r#"<state id="A"><onentry><send event="Hello"/></onentry></state>"#),
            p("[*] --> A\nA : entry / Hello"),
            [
                with(&[state("A", entry)]),
                x(r#""states": {"a": {"entry": "hello", "exit": ["bye"]}}"#),
                Absent,
            ],
        ),
        row(
            "end of a state",
            s(
                r#"<state id="A"><final id="B"/><transition event="done.state.A" target="C"/></state><state id="C"/>"#,
            ),
            p("[*] --> A\nstate A {\n[*] --> B\nB --> [*] : end it\n}\nA --> C"),
            [
                with(&[
                    state(
                        "A",
                        &region(&[
                            pseudostate("j", "initial"),
                            r#"<subvertex xmi:type="uml:FinalState" xmi:id="F"/>"#.into(),
                            arrow("j", "F", "", ""),
                        ]),
                    ),
                    state("C", ""),
                    arrow("A", "C", "", ""),
                ]),
                x(
                    r#""states": {"a": {"initial": "b", "states": {"b": {"type": "final"}}, "onDone": "c"}, "c": {}}"#,
                ),
                Absent,
            ],
        ),
        row(
            "shallow history",
            scxml_history("shallow"),
            drawn_history("H"),
            [history("shallowHistory"), xstate_history("shallow"), Absent],
        ),
        row(
            "deep history",
            scxml_history("deep"),
            drawn_history("H*"),
            [history("deepHistory"), xstate_history("deep"), Absent],
        ),
        row(
            "activities of states",
            No(scxml_source(r#"<state id="A"><invoke type="x"/></state>"#)),
            p("[*] --> A\nA : do / work").map(refused),
            [
                refused(with(&[state(
                    "A",
                    r#"<doActivity xmi:type="uml:Activity" name="Work"/>"#,
                )])),
                refused(x(r#""states": {"a": {"invoke": {"src": "work"}}}"#)),
                Absent,
            ],
        ),
    ]
}

fn refused(cell: Cell) -> Cell {
    match cell {
        Yes(source) => No(source),
        other => other,
    }
}

/// Transitions, and what they pass.
fn of_transitions() -> Vec<Row> {
    let uml = |parts: &[String]| {
        let start = [
            pseudostate("i", "initial"),
            state("A", ""),
            state("B", ""),
            arrow("i", "A", "", ""),
        ];
        u(&[&start[..], parts].concat())
    };
    let guard = |text: &str| {
        format!(r#"<guard><specification xmi:type="uml:OpaqueExpression" body="{text}"/></guard>"#)
    };
    let passed = |kind: &str| {
        uml(&[
            pseudostate("c", kind),
            arrow("A", "c", "go", ""),
            arrow("c", "B", "", &guard("true")),
            arrow("c", "A", "", &guard("else")),
        ])
    };
    let drawn = |kind: &str| {
        p(&format!(
            "state c <<{kind}>>\n[*] --> A\nA --> c : go\nc --> B : [true]\nc --> A : [else]"
        ))
    };
    vec![
        row(
            "guards and actions",
            s(r#"<state id="A"><transition event="go" cond="true" target="A"><send event="Went"/></transition></state>"#),
            p("[*] --> A\nA --> A : go [true] / Went"),
            [
                uml(&[arrow("A", "B", "go", &format!("{}{}", guard("true"), effect("Went")))]),
                x(r#""states": {"a": {"on": {"GO": {"guard": "ok", "actions": "went"}}}}, "atropos": {"guards": {"ok": "true"}}"#),
                g(r#"{"id": "e", "name": "go", "guard": "n < 3", "actions": ["n++;"], "sourceVertexId": "a", "targetVertexId": "b"}"#),
            ],
        ),
        row(
            "several events",
            s(r#"<state id="A"><transition event="go run" target="A"/></state>"#),
            p("[*] --> A\nA --> A : go, run"),
            [uml(&[arrow("A", "B", "go", r#"<trigger name="run"/>"#)]), Absent, Absent],
        ),
        row(
            "times",
            s(r#"<state id="A"><transition at:after="3s" target="A"/></state>"#),
            p("[*] --> A\nA --> A : after 3"),
            [
                Yes(xmi(
                    r#"<packagedElement xmi:type="uml:TimeEvent" xmi:id="t" isRelative="true"><when><expr xmi:type="uml:LiteralString" value="3s"/></when></packagedElement>"#,
                    &region(&[pseudostate("i", "initial"), state("A", ""), arrow("i", "A", "", ""), arrow("A", "A", "", r#"<trigger event="t"/>"#)]),
                )),
                x(r#""states": {"a": {"after": {"3000": "a"}}}"#),
                Absent,
            ],
        ),
        row(
            "nothing is left",
            s(r#"<state id="A"><transition event="go"><send event="Went"/></transition></state>"#),
            p("[*] --> A\nA : go / Went"),
            [
                uml(&[r#"<transition kind="internal" source="A" target="A"><trigger name="go"/></transition>"#.into()]),
                x(r#""states": {"a": {"on": {"GO": {"actions": "went"}}}}"#),
                Absent,
            ],
        ),
        row("choice", Absent, drawn("choice"), [passed("choice"), Absent, Absent]),
        row("junction", Absent, drawn("junction"), [passed("junction"), Absent, Absent]),
        row("entry and exit points", Absent, drawn("exitPoint"), [passed("exitPoint"), Absent, Absent]),
        row(
            "fork and join",
            Absent,
            p("state f <<fork>>\nstate j <<join>>\n[*] --> f\nf --> A\nf --> B\nA --> j\nB --> j\nj --> C"),
            [
                uml(&[
                    state("C", ""),
                    state("D", ""),
                    pseudostate("f", "fork"),
                    pseudostate("j", "join"),
                    arrow("A", "f", "go", ""),
                    arrow("f", "B", "", ""),
                    arrow("f", "C", "", ""),
                    arrow("B", "j", "", ""),
                    arrow("C", "j", "", ""),
                    arrow("j", "D", "", ""),
                ]),
                Absent,
                Absent,
            ],
        ),
    ]
}

/// Variables, parameters, objects.
fn of_data() -> Vec<Row> {
    let go = r#"<state id="A"><transition event="go" cond="x &gt; 1" target="A"/></state>"#;
    let signal = r#"<packagedElement xmi:type="uml:Signal" xmi:id="s" name="go"><ownedAttribute name="x"><type href="Types.uml#Integer"/></ownedAttribute></packagedElement><packagedElement xmi:type="uml:SignalEvent" xmi:id="e" signal="s"/>"#;
    let guarded = r#"<trigger event="e"/><guard><specification xmi:type="uml:OpaqueExpression" body="x &gt; 1"/></guard>"#;
    let park = include_str!("../../../../../examples/models/parking.uml");
    let crossing = include_str!("../../../../../examples/models/crossing.scxml");
    vec![
        row(
            "variables",
            s(&format!(
                r#"<datamodel><data id="x" expr="0"/></datamodel>{go}"#
            )),
            p("'! var x : int[0..3] = 0\n[*] --> A\nA --> A : go [x > 1]"),
            [
                Yes(park.into()),
                x(
                    r#""context": {"x": 0}, "states": {"a": {"on": {"GO": {"guard": "ok"}}}}, "atropos": {"guards": {"ok": "x > 1"}}"#,
                ),
                g(
                    r#"{"id": "e", "name": "go", "guard": "n > 1", "sourceVertexId": "a", "targetVertexId": "b"}"#,
                ),
            ],
        ),
        row(
            "parameters of events",
            s(&format!(
                r#"<at:input event="go" params="x: int[0..3]"/>{go}"#
            )),
            p("'! input go(x: int[0..3])\n[*] --> A\nA --> A : go(x) [x > 1]"),
            [
                Yes(xmi(
                    signal,
                    &region(&[
                        pseudostate("i", "initial"),
                        state("A", ""),
                        arrow("i", "A", "", ""),
                        arrow("A", "A", "", guarded),
                    ]),
                )
                .replace("Types.uml#Integer", "Types.uml#Boolean")
                .replace("x &gt; 1", "x")),
                Absent,
                Absent,
            ],
        ),
        row(
            "lists and loops",
            s(
                r#"<datamodel><data id="l" at:type="list[2] of bool" expr="[]"/></datamodel><state id="A"><onentry><foreach array="l" item="i"><send event="One"/></foreach></onentry></state>"#,
            ),
            [Absent, Absent],
            [Absent, Absent, Absent],
        ),
        row(
            "networks of objects",
            Yes(crossing.into()),
            network(),
            [Yes(park.into()), Absent, Absent],
        ),
    ]
}

fn network() -> [Cell; 2] {
    let one = "@startuml A\n'! ref other : A\n'! instance a : A (other = b)\n'! instance b : A (other = a)\n[*] --> S\nS --> S : go / send ping to other\nS --> S : ping\n@enduml";
    [Yes(one.into()), Absent]
}

#[test]
fn the_books_table_of_constructs_and_formats_holds() {
    let mut table = format!(
        "| construct | {} |\n|---|---|---|---|---|---|---|\n",
        FORMATS.join(" | ")
    );
    let mut wrong = Vec::new();
    for (name, cells) in of_states()
        .into_iter()
        .chain(of_transitions())
        .chain(of_data())
    {
        let mut words = Vec::new();
        for (format, cell) in FORMATS.iter().zip(cells) {
            let what = format!("{name} in {format}");
            let read = |source: &str| charts::read("chart", source).expect("a chart");
            words.push(match &cell {
                Absent => "",
                Yes(source) => {
                    match read(source) {
                        Ok(chart) => drop(animate_model(&charts::translate(&chart))),
                        Err(problems) => wrong.push(format!("{what}:\n{problems}")),
                    }
                    "yes"
                }
                No(source) => {
                    if read(source).is_ok() {
                        wrong.push(format!("{what} is not refused"));
                    }
                    "refused"
                }
            });
        }
        table.push_str(&format!("| {name} | {} |\n", words.join(" | ")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let book = include_str!("../../../../../docs/src/models/charts.md");
    assert!(
        book.contains(&table),
        "the book should have this table:\n{table}"
    );
}
