//! UML models in XMI: classes with state machines, events, and the objects of instance diagrams.

use super::{Animation, animate};

const PARKING: &str = include_str!("../../../../../examples/models/parking.uml");

/// A model with one class, whose machine has these regions' contents.
fn machine(events: &str, inside: &str) -> Animation {
    animate("machine.uml", &source(events, inside))
}

pub(super) fn source(events: &str, inside: &str) -> String {
    format!(
        r#"<xmi:XMI xmlns:xmi="http://www.omg.org/spec/XMI/20131001" xmlns:uml="http://www.eclipse.org/uml2/5.0.0/UML">
<uml:Model xmi:id="m" name="M">{events}
<packagedElement xmi:type="uml:Class" xmi:id="c" name="My machine"><ownedBehavior xmi:type="uml:StateMachine" xmi:id="b" name="B">
{inside}
</ownedBehavior></packagedElement></uml:Model></xmi:XMI>"#
    )
}

fn problems(events: &str, inside: &str) -> String {
    let read = crate::charts::read("bad.uml", &source(events, inside));
    read.expect("a model").expect_err("problems").to_string()
}

pub(super) fn state(id: &str, inside: &str) -> String {
    format!(r#"<subvertex xmi:type="uml:State" xmi:id="{id}" name="{id}">{inside}</subvertex>"#)
}

pub(super) fn pseudostate(id: &str, kind: &str) -> String {
    format!(r#"<subvertex xmi:type="uml:Pseudostate" xmi:id="{id}" kind="{kind}"/>"#)
}

/// A transition; without an event it waits for nothing.
pub(super) fn arrow(from: &str, to: &str, event: &str, inside: &str) -> String {
    let trigger = match event {
        "" => String::new(),
        _ => format!(r#"<trigger xmi:type="uml:Trigger" name="{event}"/>"#),
    };
    format!(r#"<transition source="{from}" target="{to}">{trigger}{inside}</transition>"#)
}

pub(super) fn effect(body: &str) -> String {
    format!(r#"<effect xmi:type="uml:OpaqueBehavior"><body>{body}</body></effect>"#)
}

pub(super) fn region(parts: &[String]) -> String {
    format!(
        r#"<region xmi:type="uml:Region">{}</region>"#,
        parts.concat()
    )
}

#[test]
fn the_car_park_lets_one_car_in_and_asks_the_next_to_wait() {
    let park = animate("parking.uml", PARKING);
    let offers = park.after("");
    let tickets = ["ctr Ticket(false)", "ctr Ticket(true)"];
    assert!(
        tickets.iter().all(|ticket| offers.contains(*ticket)),
        "{offers:?}"
    );
    park.shows("Ticket(false)", "!TicketRefused");
    park.shows("Ticket(true) !BarrierUp", "!Light(Green)");
    let open = "Ticket(true) !BarrierUp !Light(Green)";
    park.shows(open, "CarPassed !after(10)");
    let shut = "!Light(Red) !BarrierDown";
    park.shows(
        &format!("{open} CarPassed {shut} Ticket(true)"),
        "!PleaseWait",
    );
    // A car that never came takes no place.
    park.shows(
        &format!("{open} !after(10) {shut} Ticket(true)"),
        "!BarrierUp",
    );
}

#[test]
fn entries_exits_and_effects_are_shown_in_umls_order() {
    let entry = r#"<entry xmi:type="uml:OpaqueBehavior" name="Hello"/>"#;
    let exit = r#"<exit xmi:type="uml:FunctionBehavior" body="Bye"/>"#;
    let machine = machine(
        "",
        &region(&[
            pseudostate("i", "initial"),
            state("A", exit),
            state("B", entry),
            arrow("i", "A", "", ""),
            arrow("A", "B", "go", &effect("On the way")),
        ]),
    );
    machine.shows("go", "!Bye");
    machine.shows("go !Bye", "!On_the_way");
    machine.shows("go !Bye !On_the_way", "!Hello");
}

#[test]
fn a_fork_enters_regions_and_a_join_waits_for_both() {
    let half = |name: &str| {
        region(&[
            state(&format!("{name}1"), ""),
            state(&format!("{name}2"), ""),
            arrow(
                &format!("{name}1"),
                &format!("{name}2"),
                &name.to_lowercase(),
                "",
            ),
        ])
    };
    let both = format!("{}{}", half("L"), half("R"));
    let machine = machine(
        "",
        &region(&[
            pseudostate("i", "initial"),
            state("Idle", ""),
            pseudostate("f", "fork"),
            state("Both", &both),
            pseudostate("j", "join"),
            state("End", ""),
            arrow("i", "Idle", "", ""),
            arrow("Idle", "f", "go", ""),
            arrow("f", "L1", "", &effect("Left")),
            arrow("f", "R1", "", ""),
            arrow("L2", "j", "", ""),
            arrow("R2", "j", "", ""),
            arrow("j", "End", "", &effect("Joined")),
        ]),
    );
    machine.shows("go !Left", "l r delta");
    machine.shows("go !Left l", "r delta");
    machine.shows("go !Left l r", "!Joined");
    machine.shows("go !Left r l", "!Joined");
    machine.shows("go !Left r l !Joined", "delta");
}

#[test]
fn entry_points_start_inside_and_exit_points_lead_out() {
    let point = |id: &str, kind: &str| {
        format!(r#"<connectionPoint xmi:type="uml:Pseudostate" xmi:id="{id}" kind="{kind}"/>"#)
    };
    let inside = format!(
        r#"<entry xmi:type="uml:OpaqueBehavior" body="Hello"/>{}{}{}"#,
        region(&[
            pseudostate("ii", "initial"),
            state("I1", ""),
            state("I2", ""),
            arrow("ii", "I1", "", ""),
            arrow("in", "I2", "", &effect("Short way")),
            arrow("I2", "out", "leave", &effect("Leaving")),
        ]),
        point("in", "entryPoint"),
        point("out", "exitPoint"),
    );
    let machine = machine(
        "",
        &region(&[
            pseudostate("i", "initial"),
            state("A", ""),
            state("Box", &inside),
            state("B", r#"<entry xmi:type="uml:OpaqueBehavior" body="InB"/>"#),
            arrow("i", "A", "", ""),
            arrow("A", "in", "go", ""),
            arrow("out", "B", "", &effect("Left")),
        ]),
    );
    machine.shows("go", "!Hello");
    machine.shows("go !Hello", "!Short_way");
    machine.shows("go !Hello !Short_way leave !Leaving !Left", "!InB");
}

#[test]
fn histories_and_internal_transitions_are_read() {
    let inside = region(&[
        pseudostate("ii", "initial"),
        pseudostate("h", "shallowHistory"),
        state("I1", ""),
        state(
            "I2",
            r#"<entry xmi:type="uml:OpaqueBehavior" body="InTwo"/>"#,
        ),
        arrow("ii", "I1", "", ""),
        arrow("I1", "I2", "next", ""),
    ]);
    let machine = machine(
        "",
        &region(&[
            pseudostate("i", "initial"),
            state("Work", &inside),
            state("Rest", ""),
            arrow("i", "Work", "", ""),
            arrow("Work", "Rest", "pause", ""),
            arrow("Rest", "h", "resume", ""),
            r#"<transition kind="internal" source="Rest" target="Rest"><trigger name="poke"/><effect xmi:type="uml:OpaqueBehavior" body="Ouch"/></transition>"#.to_owned(),
        ]),
    );
    machine.shows("next !InTwo pause resume", "!InTwo");
    machine.shows("pause poke", "!Ouch");
    machine.shows("pause poke !Ouch", "poke resume delta");
}

#[test]
fn what_is_not_read_is_named_with_its_place() {
    let events = r#"<packagedElement xmi:type="uml:ChangeEvent" xmi:id="ce"/>
<packagedElement xmi:type="uml:TimeEvent" xmi:id="te"><when><expr xmi:type="uml:LiteralString" value="12h"/></when></packagedElement>"#;
    let shown = problems(
        events,
        &region(&[
            pseudostate("i", "initial"),
            pseudostate("t", "terminate"),
            state(
                "A",
                "\n<doActivity xmi:type=\"uml:Activity\" name=\"Work\"/><deferrableTrigger xmi:type=\"uml:Trigger\"/>",
            ),
            arrow("i", "A", "", ""),
            r#"<transition source="A" target="A"><trigger event="ce"/></transition>"#.to_owned(),
            r#"<transition source="A" target="A"><trigger event="te"/></transition>"#.to_owned(),
            r#"<transition source="A" target="A"><trigger/></transition>"#.to_owned(),
            arrow(
                "A",
                "A",
                "go",
                r#"<effect xmi:type="uml:Activity"><node xmi:type="uml:InitialNode"/></effect>"#,
            ),
        ]),
    );
    for message in [
        "the pseudostate `terminate` is not read",
        "activities (`doActivity`) are not read",
        "deferred events are not read",
        "events of the type `ChangeEvent` are not read",
        "times of the clock are not read",
        "this trigger has no event",
        "an activity's nodes are not read",
        "bad.uml:6:",
    ] {
        assert!(shown.contains(message), "{message} is missing in\n{shown}");
    }
    let nothing = r#"<uml:Model xmlns:xmi="http://www.omg.org/spec/XMI/20131001" xmlns:uml="http://www.eclipse.org/uml2/5.0.0/UML"/>"#;
    let read = crate::charts::read("empty.uml", nothing).expect("a model");
    let shown = read.expect_err("nothing in it").to_string();
    assert!(
        shown.contains("there is no state machine in this model"),
        "{shown}"
    );
}

#[test]
fn models_that_are_too_large_are_refused_in_a_sentence() {
    let deep = format!(
        "{}{}",
        r#"<region><subvertex xmi:type="uml:State" name="s">"#.repeat(20_000),
        "</subvertex></region>".repeat(20_000)
    );
    assert!(problems("", &deep).contains("nested more than"));
    let flat = region(&[r#"<subvertex xmi:type="uml:State" name="s"/>"#.repeat(60_000)]);
    assert!(problems("", &flat).contains("more than 2000 states"));
}
