//! The text of each form, as rustc gets to see it.

use atropos_mutants::mutant::{FileMutants, MutantId};
use atropos_mutants::{FindOptions, OperatorSelection};
use atropos_weave::{FileForms, Form, WeaveOptions, find_points, weave_file};

use crate::support::assert_same_lines;

/// The mutants that some operators make of a source, numbered.
fn mutants(operators: &str, source: &str) -> FileMutants {
    let options = FindOptions {
        selection: OperatorSelection::parse(&[operators]).unwrap(),
        ..FindOptions::default()
    };
    let mut mutants = find_points(source, &options).unwrap();
    let all = mutants
        .points
        .iter_mut()
        .flat_map(|point| &mut point.mutants);
    for (mutant, id) in all.zip(1..) {
        mutant.id = MutantId(id);
    }
    mutants
}

/// Weaves with every point in one form, without step counters.
fn woven(operators: &str, form: Form, source: &str) -> String {
    let mutants = mutants(operators, source);
    let mut forms = FileForms::new();
    for point in 0..mutants.points.len() {
        forms.set_form(point, form);
    }
    let weave = weave_file(source, &mutants, &forms, &WeaveOptions::default());
    assert_same_lines(source, &weave.text);
    syn::parse_file(&weave.text).unwrap();
    short(&weave.text)
}

/// Leaves out what is the same everywhere.
fn short(text: &str) -> String {
    text.replace("::atropos_runtime::", "rt::")
        .replace(
            "{ use rt::probe::PeekAny as _; use rt::probe::PeekPrim as _; match",
            "{ match",
        )
        .replace("(&rt::probe::Peek(", "peek((")
        .replace(")).peek()", "))")
        .replace("__atropos_", "")
}

/// The body of a function before and after.
#[track_caller]
fn check(operators: &str, form: Form, body: &str, expected: &str) {
    let source = format!("fn f() {{ {body} }}");
    let text = woven(operators, form, &source);
    assert_eq!(text, format!("fn f() {{ {expected} }}"), "{body}");
}

#[track_caller]
fn check_item(operators: &str, form: Form, source: &str, expected: &str) {
    assert_eq!(woven(operators, form, source), expected);
}

#[test]
fn arithmetic_evaluates_operands_once() {
    check(
        "AOR",
        Form::Values,
        "g(a + b.c)",
        "g((match (a, b.c) { (l, r) => if rt::cold(1) { l + r } else { match rt::arith(1, b'+', b\"-*\", peek((&l)), peek((&r))) { 0 | 3.. => l + r, 1 => l - r, _ => l * r } } }))",
    );
    check(
        "AOR",
        Form::Operands,
        "g(a + b.c)",
        "g((match (a, b.c) { (l, r) => match rt::at(1) { 0 | 3.. => l + r, 1 => l - r, _ => l * r } }))",
    );
    check(
        "AOR",
        Form::Plain,
        "g(a + b.c)",
        "g((match rt::at(1) { 0 | 3.. => (a + b.c), 1 => (a - b.c), _ => (a * b.c) }))",
    );
    check(
        "AOD",
        Form::Values,
        "g(a - b)",
        "g((match (a, b) { (l, r) => if rt::cold(1) { l - r } else { match rt::arith(1, b'-', b\"LR\", peek((&l)), peek((&r))) { 0 | 3.. => l - r, 1 => { let _ = { *&r }; l }, _ => { let _ = { *&l }; r } } } }))",
    );
}

#[test]
fn what_leaves_out_a_call_is_decided_before_it() {
    check(
        "AOD",
        Form::Values,
        "let x = a - h();",
        "let x = (match rt::on(1) { false => ((match (a, h()) { (l, r) => if rt::cold(2) { l - r } else { match rt::arith(2, b'-', b\"R\", peek((&l)), peek((&r))) { 0 | 2.. => l - r, _ => { let _ = { *&l }; r } } } })), _ => (a) });",
    );
    check(
        "ROR",
        Form::Values,
        "if h() < 3 { }",
        "if (match rt::on(1) { false => ((match (&(h()), &(3)) { (l, r) => if rt::cold(2) { *l < *r } else { match rt::relate(2, b'<', b\"l!\", peek((l)), peek((r))) { 0 | 3.. => *l < *r, 1 => *l <= *r, _ => *l != *r } } })), _ => (false) }) { }",
    );
}

#[test]
fn comparisons_only_look() {
    check(
        "ROR",
        Form::Values,
        "g(a == *b)",
        "g((match (&(a), &(*b)) { (l, r) => if rt::cold(1) { *l == *r } else { match rt::relate(1, b'=', b\"TF\", peek((l)), peek((r))) { 0 | 3.. => *l == *r, 1 => true, _ => false } } }))",
    );
    check(
        "ROR",
        Form::Plain,
        "g(a == *b)",
        "g((match rt::at(1) { 0 | 3.. => (a == *b), 1 => (true), _ => (false) }))",
    );
}

#[test]
fn the_left_side_of_and_drops_its_temporaries_first() {
    check(
        "COR",
        Form::Values,
        "g(a && b)",
        "g((match (a) && true { l => if rt::logic(1, b'&', b\"|LR\", l) { (b) } else { l } }))",
    );
    check(
        "COR",
        Form::Plain,
        "g(a || b)",
        "g((match rt::at(1) { 0 | 4.. => (a || b), 1 => (a && b), 2 => (a), _ => (b) }))",
    );
}

#[test]
fn assignments_are_made_behind_their_right_side() {
    check(
        "ASR",
        Form::Values,
        "a.b += c;",
        "(match (c) { r => if rt::cold(1) { a.b += r } else { match rt::arith(1, b'+', b\"-=\", peek((&a.b)), peek((&r))) { 0 | 3.. => a.b += r, 1 => a.b -= r, _ => a.b = r } } });",
    );
    check(
        "ASR",
        Form::Operands,
        "*a -= c;",
        "(match (c) { r => match rt::at(1) { 0 | 3.. => *a -= r, 1 => *a += r, _ => *a = r } });",
    );
    check(
        "ASR",
        Form::Values,
        "a[i] += 1;",
        "(match (1) { r => match &mut (a[i]) { p => if rt::cold(1) { *p += r } else { match rt::arith(1, b'+', b\"-=\", peek((&*p)), peek((&r))) { 0 | 3.. => *p += r, 1 => *p -= r, _ => *p = r } } } });",
    );
    check(
        "ASR",
        Form::Values,
        "a[h()] += k();",
        "(match rt::at(1) { 0 | 3.. => (a[h()] += k()), 1 => (a[h()] -= k()), _ => (a[h()] = k()) });",
    );
}

#[test]
fn conditions_are_turned_by_the_runtime() {
    check(
        "COI",
        Form::Values,
        "if a { }",
        "if rt::cond(1, b\"!\", a) { }",
    );
    check(
        "COI",
        Form::Plain,
        "while a.b() { }",
        "while (match rt::on(1) { false => (a.b()), _ => (!a.b()) }) { }",
    );
    check(
        "COD",
        Form::Values,
        "g(!a)",
        "g((match rt::on(1) { false => (!a), _ => (a) }))",
    );
}

#[test]
fn numbers_give_the_left_side_of_their_operator_a_name() {
    check(
        "CRP",
        Form::Values,
        "g(h() / 7)",
        "g((match (h()) { l => l / (if rt::cold(1) { 7 } else \
         { match rt::constant(1, b'/', false, b\"ab\", &[7, 8, 6], peek((&l))) { 0 | 3.. => 7, 1 => 8, _ => 6 } }) }))",
    );
    check(
        "CRP",
        Form::Values,
        "g(a >= 7)",
        "g((match (&(a)) { l => *l >= (if rt::cold(1) { 7 } else \
         { match rt::constant(1, b'g', true, b\"abc\", &[7, 8, 6, 0], peek((l))) { 0 | 4.. => 7, 1 => 8, 2 => 6, _ => 0 } }) }))",
    );
    let plain = "(match rt::at(1) { 0 | 4.. => (7), 1 => (8), 2 => (6), _ => (0) })";
    check("CRP", Form::Values, "g(a + 7)", &format!("g(a + {plain})"));
    check("CRP", Form::Plain, "g(a >= 7)", &format!("g(a >= {plain})"));
}

#[test]
fn literals_keep_their_signs_casts_and_borrows() {
    check(
        "CRP",
        Form::Plain,
        "g(7)",
        "g((match rt::at(1) { 0 | 4.. => (7), 1 => (8), 2 => (6), _ => (0) }))",
    );
    check(
        "CRP",
        Form::Plain,
        "g(-7)",
        "g((match rt::at(1) { 0 | 4.. => (-7), 1 => (-6), 2 => (-8), _ => (0) }))",
    );
    check(
        "CRP",
        Form::Plain,
        "g(7 as u64)",
        "g((match rt::at(1) { 0 | 4.. => (7 as u64), 1 => (8 as u64), 2 => (6 as u64), _ => (0 as u64) }))",
    );
    check(
        "CRP",
        Form::Plain,
        "g(&7)",
        "g((match rt::at(1) { 0 | 4.. => (&7), 1 => (&8), 2 => (&6), _ => (&0) }))",
    );
}

#[test]
fn statements_arms_and_jumps_are_left_out_or_exchanged() {
    check("SDL", Form::Plain, "g(a);", "if !rt::on(1) { g(a); }");
    let choice = "match a { 1 => b, 2 if c => d, _ => e }";
    check(
        "MAD",
        Form::Operands,
        choice,
        "match a { 1 if !rt::on(1)  => b, 2 if c => d, _ => e }",
    );
    check(
        "MAD",
        Form::Plain,
        choice,
        "{ match rt::on(1) { false => (match a { 1 => b, 2 if c => d, _ => e }), \
         _ => (match a {  2 if c => d, _ => e }) } }",
    );
    check(
        "BCR",
        Form::Plain,
        "loop { break; }",
        "loop { (match rt::on(1) { false => (break), _ => (continue) }); }",
    );
}

#[test]
fn bodies_return_before_they_do_anything() {
    check_item(
        "FBR",
        Form::Plain,
        "fn f() -> bool { g() }",
        "fn f() -> bool {match rt::at(1) { 1 => return ({  true  }), 2 => return ({  false  }), _ => {} } g() }",
    );
    check_item(
        "FBR",
        Form::Plain,
        "fn f(v: &V) -> impl Iterator<Item = u8> { v.iter().cloned() }",
        "fn f(v: &V) -> impl Iterator<Item = u8> {if rt::on(1) { return rt::MaybeEmpty(None); } rt::MaybeEmpty(Some(v.iter().cloned())) }",
    );
}

#[test]
fn a_range_that_is_iterated_gets_its_last_item_from_elsewhere() {
    check(
        "RBR",
        Form::Operands,
        "for i in a..b { }",
        "for i in (match (a, b) { (l, r) => (l..r).chain((rt::on(1) && l <= r).then_some(r)) }) { }",
    );
    check(
        "RBR",
        Form::Operands,
        "for i in 0..=9 { }",
        "for i in (match (0, 9) { (l, r) => (l..r).chain((!rt::on(1) && l <= r).then_some(r)) }) { }",
    );
    check(
        "RBR",
        Form::Plain,
        "g(&v[a..b])",
        "g((match rt::on(1) { false => (&v[a..b]), _ => (&v[a..=b]) }))",
    );
}

#[test]
fn an_expression_that_leaves_temporaries_moves_with_what_drops_them() {
    check(
        "AOD",
        Form::Plain,
        "g(-a.b().c());",
        "(match rt::on(1) { false => (g(-a.b().c())), _ => (g(a.b().c())) });",
    );
    check(
        "AOD",
        Form::Plain,
        "let x = 1; g(-a.b().c())",
        "match rt::at(1) { 1 => return ({ let x = 1; g(a.b().c()) }), _ => {} }let x = 1; g(-a.b().c())",
    );
}

#[test]
fn places_that_are_borrowed_are_not_copied() {
    let source = "fn f(x: i32, y: i32) { g(x == 1); }";
    check_item(
        "SVR",
        Form::ByCopy,
        source,
        "fn f(x: i32, y: i32) { g((match rt::on(1) { false => *&(x), _ => (y) }) == 1); }",
    );
    check_item(
        "SVR",
        Form::ByRef,
        source,
        "fn f(x: i32, y: i32) { g((*match rt::on(1) { false => &(x), _ => &(y) }) == 1); }",
    );
}

#[test]
fn texts_of_several_lines_are_copied_onto_one() {
    check(
        "AOR",
        Form::Values,
        "g(a // first\n + \"x\ny\".len())",
        "g((match rt::at(1) { 0 | 3.. => (a // first\n + \"x\ny\".len()), 1 => (a - \"x\\ny\".len()), _ => (a * \"x\\ny\".len()) }))",
    );
    check(
        "ROR",
        Form::Values,
        "g(a\n == // second\n b)",
        "g((match (&(a), \n\n&(b)) { (l, r) => if rt::cold(1) { *l == *r } else { match rt::relate(1, b'=', b\"TF\", peek((l)), peek((r))) { 0 | 3.. => *l == *r, 1 => true, _ => false } } }))",
    );
}
