//! Findings about bad models: all at once, at the right place, with advice.

use crate::check::check;
use crate::tests::support::class;

fn findings(text: &str) -> Vec<String> {
    let (model, diagnostics) = check(text);
    assert!(model.is_none() || !diagnostics.has_errors());
    diagnostics
        .sorted()
        .iter()
        .map(|d| format!("`{}` {}", &text[d.span.range()], d.message))
        .collect()
}

fn check_one(text: &str, place: &str, message: &str) {
    let found = findings(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0], format!("`{place}` {message}"));
}

#[test]
fn findings_are_shown_with_line_caret_and_advice() {
    let text = "types
  t_Level = int[0..5];
  Tank = autocons system
  |[
    var
      level: t_Level = 0;
      pump: Pumpe
    methods
      fill(by: t_Level) = levl := level + by end
    actions
      ctr start = skip end;
      obs full(l: t_Level) = requires l = true: skip end
    do
      fill(9) [] full(level, level) [] start
    od
  ]|
system
  Tank // Valve
";
    let (model, diagnostics) = check(text);
    assert!(model.is_none());
    insta::assert_snapshot!(diagnostics.render("tank.ooas", text, false));
}

#[test]
fn several_syntax_errors_are_reported_in_one_run() {
    let text = class(
        "",
        "var a: int[0..; b: bool methods m = a = 1 end; n = b := true end do m( od",
    );
    let found = findings(&text);
    assert!(found.len() >= 3, "{found:#?}");
}

#[test]
fn initial_values_are_checked_also_where_something_else_is_wrong() {
    let text = class("", "var a: bool = 3; b: int[0..5] = 9 do c := 1 od");
    assert_eq!(findings(&text).len(), 3, "{:#?}", findings(&text));
}

#[test]
fn values_that_never_fit_are_found_before_running() {
    check_one(
        &class("", "var a: int[0..5] do a := 7 od"),
        "7",
        "int[7..7] never fits into int[0..5]",
    );
    check_one(
        &class("", "var l: list[2] of bool do l := [true, true, true] od"),
        "[true, true, true]",
        "3 items don't fit into a list of 2",
    );
    check_one(
        &class("", "var l: list[2] of bool; b: bool do b := l[2] od"),
        "2",
        "the list has items 0 to 1, this index is never inside",
    );
}

#[test]
fn types_must_go_together() {
    check_one(
        &class("", "var a: int[0..5] do a := true od"),
        "true",
        "expected int[0..5], found bool",
    );
    check_one(
        &class(
            "T = {A}; U = {B};",
            "var t: T do requires t = U.B: skip end od",
        ),
        "t = U.B",
        "the two sides don't go together: T and U",
    );
    check_one(
        &class("", "do requires 1: skip end od"),
        "1",
        "expected bool, found int[1..1]",
    );
}

#[test]
fn attributes_of_other_objects_are_out_of_reach() {
    let text = "types N = system |[ var n: bool ]|; C = autocons system |[ var x: N = new(N); b: bool do b := x.n od ]| system C";
    check_one(text, "n", "`n` can't be reached from here");
}

#[test]
fn objects_are_created_only_by_attributes() {
    let text =
        "types N = system |[ ]|; C = autocons system |[ var x: N do x := new(N) od ]| system C";
    check_one(
        text,
        "new(N)",
        "objects are created only where attributes are initialised",
    );
}

#[test]
fn recursion_is_refused() {
    check_one(
        &class("", "methods a = b() end; b = a() end do a() od"),
        "a()",
        "`a` calls itself",
    );
}

#[test]
fn expressions_call_functions_only() {
    check_one(
        &class(
            "",
            "var a: bool methods m: bool = a := true; result := a end do requires m(): skip end od",
        ),
        "m()",
        "`m` changes something or chooses",
    );
}

#[test]
fn a_class_with_a_block_needs_a_rank() {
    let text = "types N = system |[ do skip od ]|; C = autocons system |[ var n: N = new(N) do skip od ]| system C";
    check_one(
        text,
        "N",
        "`N` has a do-od block but no place in the system line",
    );
}

#[test]
fn endless_creation_is_refused() {
    let found = findings("types C = autocons system |[ var c: C = new(C) ]| system C");
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("does not end"), "{found:?}");
}

#[test]
fn a_type_can_not_be_tried_value_by_value_if_it_is_a_list() {
    check_one(
        &class("", "do var x: list[2] of bool: skip od"),
        "list[2] of bool",
        "list[2] of bool can't be tried value by value",
    );
}

#[test]
fn deep_nesting_is_reported_and_does_not_crash() {
    let text = class(
        "",
        &format!(
            "var b: bool do b := {}true{} od",
            "(".repeat(5000),
            ")".repeat(5000)
        ),
    );
    assert!(
        findings(&text)
            .iter()
            .any(|finding| finding.contains("nested too deeply"))
    );
}

#[test]
fn rubbish_gives_findings_not_panics() {
    for text in [
        "",
        "types",
        "system",
        "types C = ",
        "]|",
        "types C = autocons system |[ do",
        "\u{1F600} types",
        "types T = {",
        "\"",
        "/*",
        "types a = int[5..1]; system b",
        "consts x = 1 div 0 types C = autocons system |[]| system C",
    ] {
        assert!(!findings(text).is_empty(), "{text}");
    }
}

#[test]
fn what_is_probably_not_meant_is_warned_of() {
    let text = "types C = autocons system |[ var a: int[0..9]
      actions obs Shown = requires true: skip end; ctr Lost = requires true: skip end
      do requires a = 0: a := 1; a := 2 [] Shown() end // Shown() [] a := 3 od ]| system C";
    let (model, diagnostics) = crate::check::check(text);
    assert!(model.is_some());
    let shown = diagnostics.render("tank.ooas", text, false);
    for message in [
        "the action `Lost` is never called",
        "`;` binds tighter than `[]`",
        "`[]` binds tighter than `//`",
    ] {
        assert!(shown.contains(message), "{message} is missing in\n{shown}");
    }
    let plain = text.replace("a := 1; a := 2 []", "(a := 1; a := 2) []");
    let plain = plain.replace("Shown() [] a := 3 od", "(Shown() [] a := 3 [] Lost()) od");
    let (_, diagnostics) = crate::check::check(&plain);
    assert_eq!(diagnostics.render("tank.ooas", &plain, false), "");
}
