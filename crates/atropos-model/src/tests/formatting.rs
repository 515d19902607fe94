//! `model fmt`.

use crate::language::format_text;
use crate::tests::figure_two::FIGURE;
use crate::tests::support::example;

fn formatted(text: &str) -> String {
    format_text(text).unwrap_or_else(|findings| panic!("{}", findings.render("test", text, false)))
}

#[test]
fn formatting_what_was_formatted_changes_nothing() {
    for text in [FIGURE.to_string(), example("car_alarm.ooas")] {
        let once = formatted(&text);
        assert_eq!(formatted(&once), once);
    }
}

#[test]
fn formatting_keeps_every_comment() {
    let text = "# head\ntypes # after types\n T = bool; /* between */\n C = autocons system |[ var a: bool # trailing\n = true\n do # before\n a := /* inside */ false # end\n od ]|\nsystem # last\n C # tail\n";
    let once = formatted(text);
    for comment in [
        "# head",
        "# after types",
        "/* between */",
        "# trailing",
        "# before",
        "/* inside */",
        "# end",
        "# last",
        "# tail",
    ] {
        assert!(once.contains(comment), "{comment} is lost in\n{once}");
    }
    assert_eq!(formatted(&once), once);
}

#[test]
fn formatting_keeps_the_meaning_of_the_car_alarm() {
    let text = example("car_alarm.ooas");
    let (before, after) = (
        crate::tests::support::load(&text),
        crate::tests::support::load(&formatted(&text)),
    );
    assert_eq!(before.mutants.list.len(), after.mutants.list.len());
    assert_eq!(before.initial, after.initial);
}

#[test]
fn figure_two_in_the_one_style() {
    insta::assert_snapshot!(formatted(FIGURE));
}
