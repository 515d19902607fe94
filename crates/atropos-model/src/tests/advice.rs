//! Every kind of error with the advice that comes with it. That there is advice at all, the compiler sees to: a finding
//! without it is no `Diagnostic`.

use crate::check::check;
use crate::tests::support::class;

/// A whole model, what is found in it, and how the advice begins.
struct Case(String, &'static str, &'static str);

fn inside(sections: &str, message: &'static str, advice: &'static str) -> Case {
    Case(class("", sections), message, advice)
}

fn whole(text: &str, message: &'static str, advice: &'static str) -> Case {
    Case(text.into(), message, advice)
}

fn check_all(cases: Vec<Case>) {
    for Case(text, message, advice) in cases {
        let (_, diagnostics) = check(&text);
        let found = diagnostics.sorted();
        let shown = diagnostics.render("m.ooas", &text, false);
        let one = found.iter().find(|d| d.message.contains(message));
        let one = one.unwrap_or_else(|| panic!("no `{message}` in\n{text}\nbut\n{shown}"));
        assert!(
            one.advice.contains(advice),
            "`{message}` comes with `{}`",
            one.advice
        );
        assert!(shown.contains("Help: "), "{shown}");
        assert!(shown.contains("here"), "no caret in\n{shown}");
    }
}

#[test]
fn what_the_lexer_refuses() {
    check_all(vec![
        whole("types € = 1", "has no meaning here", "names are ASCII"),
        whole(
            "types /* C",
            "this comment never ends",
            "close it with `*/`",
        ),
        inside(
            "var b: bool do requires b == b && !b: skip end od",
            "`==` is no operator here",
            "write `=`",
        ),
        inside(
            "var n: int[0..9] do n := n % 2 od",
            "`%` is no",
            "write `mod`",
        ),
        whole("types \"x", "this text never ends", "close it with `\"`"),
        inside(
            "var a: int[0..99999999999999999999]",
            "can't be represented",
            "",
        ),
    ]);
}

#[test]
fn what_the_parser_refuses() {
    check_all(vec![inside(
        "var b: bool do if b then b := false end od",
        "expected a statement, found `if`",
        "statements are chosen by guards",
    )]);
    let deep = format!("var b: bool do b := {}true od", "(".repeat(5000));
    check_all(vec![
        whole(
            "C = autocons system |[ ]| system C",
            "expected `types`",
            "a model is",
        ),
        whole(
            "consts a = 1 b = 2 types C = system |[ ]| system C",
            "expected `;` or `types`",
            "constants are separated",
        ),
        whole(
            "types A = bool B = bool system C",
            "expected `;` or `system`",
            "types and classes are separated",
        ),
        whole(
            "types C = autocons system |[ ]| system C C",
            "expected the end of the file",
            "classes stand before it",
        ),
        whole("types C = autocons system ( ]| system C", "expected", ""),
        whole(
            "types C = autocons system |[ do skip od system C",
            "expected `]|`",
            "every `|[` is closed",
        ),
        inside("var a: 7", "expected a type", "for example `bool`"),
        inside(
            "var a: int[true..3]",
            "expected a number or a constant",
            "bounds are whole numbers",
        ),
        inside("var a: int[0 3]", "expected `..`", "a range is written"),
        inside("var a: list[2] bool", "expected `of`", "a list's type"),
        inside("var a: map[2] bool bool", "expected `to`", "a map's type"),
        inside("var a bool", "expected `:`", "a colon stands"),
        inside(
            "var a: bool b: bool",
            "expected `;`",
            "variables are separated",
        ),
        inside(
            "methods m = skip end n = skip end",
            "expected `;`",
            "methods and actions end",
        ),
        inside("var if: bool", "found the keyword `if`", "`if_` could"),
        inside("var 3: bool", "expected", "a name is a letter"),
        inside(
            "foo",
            "expected `var`, `methods`",
            "sections come in this order",
        ),
        inside(
            "do skip od do skip od",
            "one do-od block",
            "put the alternatives",
        ),
        inside("do skip", "expected `od`", "the block is `do … od`"),
        inside("do ; od", "expected a statement", "write `skip`"),
        inside(
            "var a: bool do a := od",
            "expected an expression",
            "for example",
        ),
        inside(
            "var a: bool do a = true od",
            "expected `:=` or `(`",
            "`=` compares",
        ),
        inside(
            "var a: bool do a od",
            "expected `:=` or `(`",
            "a statement is",
        ),
        inside(
            "var a: bool do a := (true od",
            "expected `)`",
            "a bracket before is still open",
        ),
        inside(
            "var a: bool do a := if true then true end od",
            "expected `else`",
            "a choice between values",
        ),
        inside("do requires true: skip od", "`end`", ""),
        inside(
            "methods ctr a = requires true: skip end; obs b = requires true: skip end",
            "an action stands among the methods",
            "write `actions` before",
        ),
        inside(
            "actions ctr a = skip end",
            "must be a guarded command",
            "requires true",
        ),
        inside(
            "var c: C = new(C, 3)",
            "the object's name in double quotes",
            "for example `new(Lamp",
        ),
        Case(
            class("T = {A = N};", ""),
            "numbered by a literal",
            "write the number itself",
        ),
        inside(&deep, "nested too deeply", "name a part of it"),
    ]);
}

#[test]
fn names_and_classes_that_can_not_be() {
    check_all(vec![
        inside(
            "var a: Nothing",
            "there is no type or class",
            "define it under `types`",
        ),
        inside(
            "var a: C1",
            "there is no type or class",
            "perhaps `C` is meant",
        ),
        whole(
            "types A = B; B = A; C = autocons system |[ ]| system C",
            "defined by itself",
            "a type is made of types",
        ),
        whole(
            "consts n = 1 types C = autocons system |[ var a: n ]| system C",
            "a constant, not a type",
            "`int[0..NAME]`",
        ),
        whole(
            "consts n = 1; n = 2 types C = autocons system |[ ]| system C",
            "already defined",
            "share one set of names",
        ),
        whole(
            "consts n = true types C = autocons system |[ var a: int[0..n] ]| system C",
            "not a whole-number constant",
            "bounds of types",
        ),
        inside(
            "var a: int[0..n]",
            "there is no constant `n`",
            "bounds of types",
        ),
        inside("var a: int[3..1]", "is empty", "the smaller bound"),
        inside("var a: list[-1] of bool", "no length", "lengths are"),
        whole(
            "consts n = 1 div 0 types C = autocons system |[ ]| system C",
            "division by zero",
            "",
        ),
        whole(
            "consts n = self types C = autocons system |[ ]| system C",
            "`self` has no meaning",
            "a constant is made of",
        ),
        Case(
            class("T = {A, A};", ""),
            "listed twice",
            "a name of its own",
        ),
        Case(
            class("T = {A, B = 0};", ""),
            "has already",
            "number this one differently",
        ),
        Case(
            class("T = {A}; U = {A};", "var t: bool do t := A = A od"),
            "several enumerations",
            "say which: `T.A`",
        ),
        Case(
            class("T = {Red};", "var t: T do t := T.Rad od"),
            "has no value `Rad`",
            "perhaps `Red` is meant",
        ),
        Case(
            class("T = {Red};", "var t: T do t := T.Blue od"),
            "has no value `Blue`",
            "it has Red",
        ),
        Case(
            class("T = bool;", "var t: T do t := T.x od"),
            "only an enumeration's values",
            "`Type.Value` needs",
        ),
        Case(
            class("T = bool;", "var t: T do t := T od"),
            "is a type, not a value",
            "`T.Value`",
        ),
        inside(
            "do x := 1 od",
            "there is no `x` here",
            "declare it under `var`",
        ),
        inside(
            "var b: bool methods m: bool = result := true end do b := m od",
            "there is no `m` here",
            "write `m()`",
        ),
        inside(
            "do result := 1 od",
            "`result` exists only",
            "declare what the method",
        ),
        inside("var a: bool; a: bool", "exists already", "rename this one"),
        inside(
            "methods m(a: bool, a: bool) = skip end",
            "listed twice",
            "name of its own",
        ),
        inside(
            "methods m = skip end; m = skip end",
            "exists already in this class",
            "share one set",
        ),
        inside(
            "methods m(a: bool) = var a: bool begin skip end",
            "exists already here",
            "rename one",
        ),
        whole(
            "types C = autocons system (D) |[ ]| system C",
            "there is no class `D`",
            "a class is",
        ),
        whole(
            "types C = autocons system |[ ]| system C [] C",
            "is listed twice",
            "one place in the order",
        ),
        whole(
            "types C = autocons system |[ ]| system C // Valve",
            "there is no class `Valve`",
            "a class is",
        ),
        whole(
            "types A = system (B) |[ ]|; B = autocons system (A) |[ ]| system B",
            "its own superclass",
            "out of the circle",
        ),
        whole(
            "types C = system |[ ]| system C",
            "the model has no objects",
            "autocons",
        ),
        inside("var c: C = new(C)", "does not end", "begin with `nil`"),
        whole(
            "types N = system |[ ]|; C = autocons system |[ var a: N = new(N, \"x\"); b: N = new(N, \"x\") ]| system C",
            "two objects have the name",
            "give one of them another",
        ),
        whole(
            "types N = system |[ ]|; C = autocons system |[ var a: N = new(N, \"x y\") ]| system C",
            "printable ASCII",
            "names stand in the labels",
        ),
        whole(
            "types C = autocons system |[ var a: C = new(Lamp) ]| system C",
            "there is no class `Lamp`",
            "a class is",
        ),
    ]);
}

#[test]
fn types_and_calls_that_do_not_go_together() {
    check_all(vec![
        inside(
            "var a: bool do a := 1 od",
            "expected bool",
            "compare the number",
        ),
        inside(
            "var a: int[0..5] do a := true od",
            "expected int[0..5]",
            "write a value of type int[0..5]",
        ),
        inside("var a: int[0..5] do a := 7 od", "never fits", "widen"),
        inside(
            "var a: bool do a := not 1 od",
            "has no meaning for",
            "`not` negates",
        ),
        inside(
            "var a: bool do a := len true = 1 od",
            "has no meaning for",
            "`len` counts",
        ),
        inside(
            "var a: bool do a := hd true od",
            "has no meaning for",
            "take a list apart",
        ),
        inside(
            "var a: bool do a := dom true = [] od",
            "has no meaning for",
            "a map's keys",
        ),
        inside(
            "var a: bool do a := -true = 1 od",
            "has no meaning for",
            "are for numbers",
        ),
        inside(
            "var a: bool do a := (1 = true) od",
            "don't go together",
            "both must be of one type",
        ),
        inside(
            "var a: int[0..5] do a := 1 div 0 od",
            "division by zero",
            "guard it",
        ),
        inside(
            "var a: bool do a := 1 in 2 od",
            "asks a list or a map",
            "compare with `=`",
        ),
        inside(
            "var l: list[2] of bool do l[5] := true od",
            "never inside",
            "the first item has index 0",
        ),
        inside(
            "var l: list[2] of bool do l[true] := true od",
            "a list's index",
            "the first item has index 0",
        ),
        inside(
            "var l: list[2] of bool do l := [true, true, true] od",
            "don't fit into a list",
            "greater length",
        ),
        inside(
            "var m: map[1] bool to bool do m := {true -> true, false -> true} od",
            "don't fit into a map",
            "greater length",
        ),
        inside(
            "var t: (bool, bool) do t[9] := true od",
            "a tuple's item",
            "which one must be known",
        ),
        inside(
            "var t: (bool, bool); b: bool do b := t[9] od",
            "a tuple's item",
            "which one must be known",
        ),
        inside(
            "var a: bool do a[0] := true od",
            "has no items",
            "only lists, maps and tuples",
        ),
        inside(
            "var a: bool do a := a[0] od",
            "has no items",
            "only lists, maps and tuples",
        ),
        inside(
            "var a: bool do a := (1 as bool) od",
            "can't become",
            "`as` goes between",
        ),
        inside(
            "var a, b: bool do a, b := true od",
            "2 targets, but 1 value",
            "each target",
        ),
        inside(
            "var a: bool do a, a := true, false od",
            "assigned twice",
            "take one out",
        ),
        whole(
            "consts n = 1 types C = autocons system |[ do n := 2 od ]| system C",
            "can't be assigned",
            "constants",
        ),
        inside("do 1 := 2 od", "", ""),
        inside(
            "do m() od",
            "has no method or action `m`",
            "define it under",
        ),
        inside(
            "methods fill = skip end do fil() od",
            "has no method or action `fil`",
            "perhaps `fill`",
        ),
        inside(
            "methods m(a: bool) = skip end do m() od",
            "takes 1 argument",
            "of type bool",
        ),
        inside(
            "methods m = skip end do m(1) od",
            "takes 0 arguments",
            "without arguments",
        ),
        inside(
            "var a: bool methods m = skip end do a := m() od",
            "has no value",
            "assign `result`",
        ),
        inside(
            "var a: bool do a.m() od",
            "only objects have methods",
            "call a method as",
        ),
        inside(
            "methods m: bool = result := true end var a: bool = m()",
            "",
            "",
        ),
        inside(
            "methods m(a: bool) = skip end do m() :>: (true) od",
            "a fold goes over a list",
            "for every item",
        ),
        inside(
            "methods a = a() end do a() od",
            "calls itself",
            "no recursion",
        ),
        inside(
            "do var x: list[2] of bool: skip od",
            "value by value",
            "use bool",
        ),
        inside(
            "do var x: int[0..9999999]: skip od",
            "more than a million values",
            "equivalence classes",
        ),
    ]);
}

#[test]
fn operators_of_other_languages_are_read_as_they_are_meant() {
    let text = class(
        "T = int[0..3];",
        "var a: T; b: bool; l: list[3] of T
         actions ctr x = requires a != 1 && !b || a == 2: a, l := a % 2, l ^ [1] end do x() od",
    );
    let (_, diagnostics) = check(&text);
    let found = diagnostics.sorted();
    let messages: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
    let told = ["!=", "&&", "!", "||", "==", "%", "^"];
    let expected = told.map(|told| format!("`{told}` is no operator here"));
    assert_eq!(messages, expected, "and nothing else");
}
