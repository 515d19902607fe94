//! Every construct of the language, by what one iteration of a do-od block does. Both engines must say the same.

use crate::tests::support::{class, first_outcomes};

fn check(types: &str, sections: &str, expected: &[&str]) {
    assert_eq!(
        first_outcomes(&class(types, sections)),
        expected,
        "{sections}"
    );
}

#[test]
fn sequence_passes_the_state_on() {
    check(
        "",
        "var a, b: int[0..9] do a := 1; b := a + 1 od",
        &["a=1 b=2"],
    );
}

#[test]
fn a_guard_that_fails_later_undoes_what_came_before() {
    check(
        "",
        "var a: int[0..9] do a := 1; requires a = 2: skip end od",
        &[],
    );
}

#[test]
fn choice_is_the_union_leftmost_first() {
    check(
        "",
        "var a: int[0..9] do a := 1 [] a := 2 [] requires false: a := 3 end od",
        &["a=1", "a=2"],
    );
}

#[test]
fn the_right_side_of_a_priority_runs_only_where_the_left_is_disabled() {
    check("", "var a: int[0..9] do a := 1 // a := 2 od", &["a=1"]);
    check(
        "",
        "var a: int[0..9] do requires a = 1: a := 1 end // a := 2 od",
        &["a=2"],
    );
    check(
        "",
        "var a: int[0..9] do a := 1; requires a = 2: skip end // a := 2 // a := 3 od",
        &["a=2"],
    );
}

#[test]
fn a_priority_is_decided_before_what_follows_it() {
    check(
        "",
        "var a: int[0..9] do (requires true: requires true: a := 1 end end // a := 2); requires a = 2: skip end od",
        &[],
    );
}

#[test]
fn both_alternatives_inside_the_left_of_a_priority_are_taken() {
    check(
        "",
        "var a: int[0..9] do (requires a = 0: a := 1 end [] requires a = 5: a := 5 end [] requires a < 3: a := 2 end) // a := 3 od",
        &["a=1", "a=2"],
    );
}

#[test]
fn projection_tries_every_value_in_type_order() {
    check(
        "",
        "var a: int[0..9] do var x: int[2..4]: a := x od",
        &["a=2", "a=3", "a=4"],
    );
    check(
        "",
        "var a: int[0..9] do var x: int[0..9]; y: bool & x > 7 and y: a := x od",
        &["a=8", "a=9"],
    );
    check(
        "T = {A, B, D};",
        "var t: T do var x: T & x <> T.B: t := x od",
        &["", "t=D"],
    );
}

#[test]
fn projection_over_a_class_tries_its_objects() {
    let text = "types N = system |[ var n: int[0..3] methods set(x: int[0..3]) = n := x end; get: int[0..3] = result := n end ]|;
      C = autocons system |[ var one: N = new(N, \"one\"); two: N = new(N); a: N
      do var x: N: a := x od ]| system C [] N";
    assert_eq!(first_outcomes(text), ["a=one", "a=C.two"]);
}

#[test]
fn labels_carry_arguments_and_one_iteration_may_emit_several() {
    check(
        "T = {A, B};",
        "var a: int[0..9] methods m(t: T) = o(t, a) end
         actions ctr c(t: T) = requires t = T.B: m(t); a := 1 end; obs o(t: T, n: int[0..9]) = requires true: skip end
         do var t: T: c(t) od",
        &["ctr c(B) obs o(B, 0) a=1"],
    );
}

#[test]
fn methods_may_have_locals_and_a_result() {
    check(
        "",
        "var a: int[0..99] methods f(x: int[0..9], y: int[0..9]): int[0..99] = var z: int[0..99] = x * 10 begin result := z + y end
         do a := f(4, 2) od",
        &["a=42"],
    );
}

#[test]
fn actions_may_have_locals() {
    check(
        "",
        "var a: int[0..9] actions i(x: int[0..9]) = var y: int[0..9] = x + 1; z: int[0..9] begin requires y > 1: z := y; a := z end
         do i(0) [] i(1) od",
        &["a=2"],
    );
}

#[test]
fn a_method_that_changes_something_may_be_assigned_from() {
    check(
        "",
        "var a, b: int[0..9] methods next: int[0..9] = a := a + 1; result := a end do b := next() od",
        &["a=1 b=1"],
    );
}

#[test]
fn a_method_that_chooses_makes_several_outcomes() {
    check(
        "",
        "var b: int[0..9] methods any: int[0..9] = result := 1 [] result := 2 end do b := any() od",
        &["b=1", "b=2"],
    );
}

#[test]
fn a_disabled_function_disables_what_uses_it() {
    check(
        "",
        "var a: int[0..9] methods f(x: int[0..9]): int[0..9] = requires x > 0: result := x end end
         do a := f(0) + 1 [] a := f(1) + 1 od",
        &["a=2"],
    );
}

#[test]
fn folds_go_right_and_left() {
    let methods = "methods add(x: int[0..9], acc: int[0..999]): int[0..999] = result := acc * 10 + x end;
                   note(x: int[0..9]) = o(x) end;
                   weigh(x: int[0..9], w: int[0..9], acc: int[0..999]): int[0..999] = result := acc + x * w end
                   actions obs o(x: int[0..9]) = requires true: skip end";
    let vars = "var l: list[4] of int[0..9] = [1, 2, 3]; a: int[0..999]";
    check(
        "",
        &format!("{vars} {methods} do a := add(0) :<: (l) od"),
        &["a=123"],
    );
    check(
        "",
        &format!("{vars} {methods} do a := add(0) :>: (l) od"),
        &["a=321"],
    );
    check(
        "",
        &format!(
            "{vars} {methods} do requires add(0) :<: (l) = 123: a := weigh(2, 0) :<: (l) end od"
        ),
        &["a=12"],
    );
    check(
        "",
        &format!("{vars} {methods} do note() :<: (l) od"),
        &["obs o(1) obs o(2) obs o(3)"],
    );
    check(
        "",
        &format!("{vars} {methods} do note() :>: (l) od"),
        &["obs o(3) obs o(2) obs o(1)"],
    );
    check(
        "",
        &format!("{vars} {methods} do a := add(7) :<: (tl tl tl l) od"),
        &["a=7"],
    );
}

#[test]
fn a_folded_method_may_choose_at_every_element() {
    check(
        "",
        "var l: list[4] of int[0..9] = [1, 2]; a: int[0..99]
         methods pick(x: int[0..9]) = a := a * 10 + x [] skip end do pick() :<: (l) od",
        &["a=12", "a=1", "a=2", ""],
    );
}

#[test]
fn assignments_at_once_read_before_they_write() {
    check(
        "",
        "var a: int[0..9] = 1; b: int[0..9] = 2 do a, b := b, a od",
        &["a=2 b=1"],
    );
}

#[test]
fn an_assignment_with_a_condition_is_enabled_where_it_holds_afterwards() {
    check(
        "",
        "var a: int[0..9] do a := 3 with a > 2 [] a := 1 with a > 2 od",
        &["a=3"],
    );
}

#[test]
fn lists_have_a_bound_and_operators() {
    let vars = "var l: list[4] of int[0..9] = [1, 2, 3]; a: int[0..9]; b: bool";
    check("", &format!("{vars} do a := hd l od"), &["a=1"]);
    check(
        "",
        &format!("{vars} do a := len l; l := tl l od"),
        &["l=[2, 3] a=3"],
    );
    check(
        "",
        &format!("{vars} do a := l[2]; l[0] := 9 od"),
        &["l=[9, 2, 3] a=3"],
    );
    check(
        "",
        &format!("{vars} do b := 2 in l and 5 not in l od"),
        &["b=true"],
    );
    check(
        "",
        &format!("{vars} do l := l + [7] od"),
        &["l=[1, 2, 3, 7]"],
    );
    check(
        "",
        &format!("{vars} do l := [x * 2 | var x: int[0..4] & x in l] od"),
        &["l=[2, 4, 6]"],
    );
    check("", &format!("{vars} do b := l = [1, 2, 3] od"), &["b=true"]);
    check("", &format!("{vars} do l := [] od"), &["l=[]"]);
}

#[test]
fn lists_and_tuples_may_be_nested() {
    check(
        "P = (int[0..9], bool); L = list[2] of list[2] of int[0..9];",
        "var p: P = P(1, true); l: L = [[1], [2, 3]]; a: int[0..9] do a := l[1][1]; l[0][0] := 7; p[0] := a od",
        &["p=(3, true) l=[[7], [2, 3]] a=3"],
    );
    check(
        "P = (int[0..9], bool);",
        "var p: P; b: bool do p := (4, false); b := p[1] or p[0] = 4 od",
        &["p=(4, false) b=true"],
    );
}

#[test]
fn maps_have_a_bound_and_operators() {
    let vars = "var m: map[3] int[0..9] to bool = {4 -> true, 2 -> false}; a: int[0..9]; b: bool; k: list[3] of int[0..9]; v: list[3] of bool";
    check(
        "",
        &format!("{vars} do b := m[4]; k := dom m; v := ran m od"),
        &["b=true k=[2, 4] v=[false, true]"],
    );
    check(
        "",
        &format!("{vars} do m[2] := true; m[3] := false; a := len m od"),
        &["m={2 -> true, 3 -> false, 4 -> true} a=3"],
    );
    check(
        "",
        &format!("{vars} do m := m + {{4 -> false}}; b := 2 in m od"),
        &["m={2 -> false, 4 -> false} b=true"],
    );
    check(
        "",
        &format!("{vars} do m[1] := true; m[3] := true od"),
        &["!TooLong 3"],
    );
}

#[test]
fn fixed_point_numbers_compute_exactly() {
    check(
        "",
        "var f: float[0..10]; b: bool do f := 1.5 * 2.5 + 1; b := f > 4.7 od",
        &["f=4.750 b=true"],
    );
    check(
        "",
        "var f: float[0..10]; a: int[0..9] do f := 7.0 div 2.0; a := f as int[0..9] od",
        &["f=3.500 a=3"],
    );
}

#[test]
fn values_convert_to_types_that_hold_them() {
    check(
        "T = {A = 3, B = 7};",
        "var t: T; a: int[0..9] do a := T.B as int[0..9]; t := 7 as T od",
        &["t=B a=7"],
    );
    check(
        "T = {A = 3, B = 7};",
        "var t: T do t := 4 as T od",
        &["!BadConversion 4 as T"],
    );
}

#[test]
fn quantifiers_and_conditionals_are_expressions() {
    check(
        "",
        "var b: bool do b := forall x: int[0..3], y: int[0..3]: (x + y < 7) od",
        &["b=true"],
    );
    check(
        "",
        "var b: bool do b := exists x: int[0..3]: (x * x = 4) od",
        &["b=true"],
    );
    check(
        "",
        "var a: int[0..9] do a := if a = 0 then 5 else 6 end od",
        &["a=5"],
    );
}

#[test]
fn operators_compute_what_the_reference_says() {
    check(
        "",
        "var a: int[-9..99] do a := 7 div 2 + 7 mod 4 * 10 - abs (-1) od",
        &["a=32"],
    );
    check("", "var a: int[-9..99] do a := -7 div 2 od", &["a=-3"]);
    check("", "var b: bool do b := false => false od", &["b=true"]);
    check(
        "",
        "var b: bool do b := not (true => false) and (1 <= 1 and 2 >= 2 or 1 > 2) od",
        &["b=true"],
    );
}

#[test]
fn logic_looks_at_the_right_side_only_where_it_must() {
    check(
        "",
        "var l: list[2] of bool; b: bool do b := len l > 0 and l[0] od",
        &[""],
    );
    check(
        "",
        "var l: list[2] of bool; b: bool do b := len l = 0 or l[0] od",
        &["b=true"],
    );
    check(
        "",
        "var l: list[2] of bool; b: bool do b := len l > 0 => l[0] od",
        &["b=true"],
    );
}

#[test]
fn errors_are_outcomes_with_a_place() {
    check(
        "",
        "var a: int[0..9] = 9 do a := a + 1 od",
        &["!OutOfRange a + 1"],
    );
    check(
        "",
        "var l: list[1] of bool = [true] do l := l + [true] od",
        &["!TooLong l + [true]"],
    );
    check(
        "",
        "var l: list[3] of bool; b: bool; i: int[0..9] do b := l[i] od",
        &["!IndexOutside i"],
    );
    check(
        "",
        "var l: list[3] of bool; b: bool do b := hd l od",
        &["!EmptyList hd l"],
    );
    check(
        "",
        "var l: list[3] of bool do l := tl l od",
        &["!EmptyList tl l"],
    );
    check(
        "",
        "var a: int[0..9] do a := 1 div a od",
        &["!DivisionByZero 1 div a"],
    );
    check(
        "",
        "var m: map[2] bool to bool; b: bool do b := m[true] od",
        &["!MissingKey true"],
    );
    check("", "do abort od", &["!Abort abort"]);
    check(
        "",
        "var a: int[0..9223372036854775807] = 9223372036854775807; b: bool do b := a + a > 0 od",
        &["!Overflow a + a"],
    );
}

#[test]
fn a_method_called_on_nil_is_an_error() {
    let text = "types N = system |[ methods m = skip end ]|; C = autocons system |[ var n: N do n.m() od ]| system C";
    assert_eq!(first_outcomes(text), ["!NilCalled n"]);
}

#[test]
fn an_error_counts_as_enabled_for_a_priority() {
    check(
        "",
        "var a: int[0..9] do (requires a = 0: a := a - 1 end) // a := 2 od",
        &["!OutOfRange a - 1"],
    );
}

#[test]
fn constants_bound_types_and_stand_in_expressions() {
    let text = "consts N = 3; M = N + 1 types T = int[0..M]; C = autocons system |[ var a: T; l: list[N] of bool
      do var x: int[-N..M] & x = N: a := x + 1 od ]| system C";
    assert_eq!(first_outcomes(text), ["a=4"]);
}

#[test]
fn a_subclass_inherits_attributes_methods_actions_and_block() {
    let text = "types B = system |[ var a: int[0..9] methods up = a := a + 1 end do up() od ]|;
      C = autocons system (B) |[ var b: bool ]| system C";
    assert_eq!(first_outcomes(text), ["a=1"]);
    let own = "types B = system |[ var a: int[0..9] methods up = a := a + 1 end do up() od ]|;
      C = autocons system (B) |[ var b: bool methods up = a := 5 end do up(); b := true od ]| system C";
    assert_eq!(first_outcomes(own), ["a=5 b=true"]);
}

#[test]
fn casts_down_a_class_are_checked() {
    let text = |class: &str| {
        format!(
            "types B = system |[ ]|; D = system (B) |[ methods m: int[0..9] = result := 4 end ]|;
             C = autocons system |[ var x: B = new({class}, \"x\"); a: int[0..9] do a := (x as D).m() od ]| system C"
        )
    };
    assert_eq!(first_outcomes(&text("D")), ["a=4"]);
    assert_eq!(first_outcomes(&text("B")), ["!BadConversion x as D"]);
}

#[test]
fn objects_talk_by_methods() {
    let text = "types N = system |[ var n: int[0..9]; next: N methods link(x: N) = next := x end; set(v: int[0..9]) = n := v; pass(v) end;
        pass(v: int[0..9]) = requires next <> nil: next.last(v + 1) end // skip end; last(v: int[0..9]) = n := v end;
        get: int[0..9] = result := n end ]|;
      C = autocons system |[ var one: N = new(N); two: N = new(N); a: int[0..9]
      do one.link(two); one.set(3); a := two.get() od ]| system C";
    assert_eq!(first_outcomes(text), ["a=4"]);
}

#[test]
fn self_is_an_object_too() {
    let text = "types C = autocons system |[ var me: C; b: bool do me := self; b := me = self and me <> nil od ]| system C";
    assert_eq!(first_outcomes(text), ["me=C b=true"]);
}
