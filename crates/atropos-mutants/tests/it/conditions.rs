//! ROR, COR, COI and COD.

use crate::check::{check, check_statements, check_value};

#[test]
fn ror_makes_the_sufficient_set() {
    let check = |value: &str, expected: &[&str]| check_value("ROR", "a: u8", value, expected);
    check(
        "a < b",
        &[
            "ROR: a < b => a <= b",
            "ROR: a < b => a != b",
            "ROR: a < b => false",
        ],
    );
    check(
        "a > b",
        &[
            "ROR: a > b => a >= b",
            "ROR: a > b => a != b",
            "ROR: a > b => false",
        ],
    );
    check(
        "a <= b",
        &[
            "ROR: a <= b => a < b",
            "ROR: a <= b => a == b",
            "ROR: a <= b => true",
        ],
    );
    check(
        "a >= b",
        &[
            "ROR: a >= b => a > b",
            "ROR: a >= b => a == b",
            "ROR: a >= b => true",
        ],
    );
    check(
        "a == b",
        &[
            "ROR: a == b => a <= b",
            "ROR: a == b => a >= b",
            "ROR: a == b => false",
        ],
    );
    check(
        "a != b",
        &[
            "ROR: a != b => a < b",
            "ROR: a != b => a > b",
            "ROR: a != b => true",
        ],
    );
}

#[test]
fn coi_negates_comparisons_where_ror_is_not_selected() {
    let check = |value: &str, expected: &str| check_value("COI", "a: u8", value, &[expected]);
    check("a < b", "COI: a < b => a >= b");
    check("a <= b", "COI: a <= b => a > b");
    check("a > b", "COI: a > b => a <= b");
    check("a >= b", "COI: a >= b => a < b");
    check("a == b", "COI: a == b => a != b");
    check("a != b", "COI: a != b => a == b");
    check_value(
        "COI,ROR",
        "a: &[u8]",
        "a == b",
        &["ROR: a == b => true", "ROR: a == b => false"],
    );
}

#[test]
fn equality_of_what_may_have_no_order_becomes_true_and_false() {
    check_value(
        "ROR",
        "",
        "a == b",
        &["ROR: a == b => true", "ROR: a == b => false"],
    );
    check_value(
        "ROR",
        "",
        "a != b",
        &["ROR: a != b => true", "ROR: a != b => false"],
    );
    check_value(
        "ROR",
        "",
        "a.len() == b",
        &[
            "ROR: a.len() == b => a.len() <= b",
            "ROR: a.len() == b => a.len() >= b",
            "ROR: a.len() == b => false",
        ],
    );
}

#[test]
fn a_cast_before_a_comparison_gets_parentheses_where_generics_would_open() {
    check_value(
        "ROR",
        "",
        "a as u8 >= b",
        &[
            "ROR: a as u8 >= b => a as u8 > b",
            "ROR: a as u8 >= b => a as u8 == b",
            "ROR: a as u8 >= b => true",
        ],
    );
    check_value(
        "ROR",
        "",
        "a as u8 != b",
        &[
            "ROR: a as u8 != b => (a as u8) < b",
            "ROR: a as u8 != b => a as u8 > b",
            "ROR: a as u8 != b => true",
        ],
    );
}

#[test]
fn cor_exchanges_and_leaves_out() {
    check_value(
        "COR",
        "",
        "a && b",
        &[
            "COR: a && b => (a || b)",
            "COR: a && b => a",
            "COR: a && b => b",
        ],
    );
    check_value(
        "COR",
        "",
        "a || b && c",
        &[
            "COR: a || b && c => a && (b && c)",
            "COR: a || b && c => a",
            "COR: a || b && c => b && c",
            "COR: b && c => (b || c)",
            "COR: b && c => b",
            "COR: b && c => c",
        ],
    );
}

#[test]
fn coi_negates_what_decides() {
    check_statements("COI", "if a.b() { c(); }", &["COI: a.b() => !a.b()"]);
    check_statements("COI", "while a { c(); }", &["COI: a => !a"]);
    check_statements(
        "COI",
        "if *a { c(); } else if b[0] { d(); }",
        &["COI: *a => !*a", "COI: b[0] => !b[0]"],
    );
    check_statements(
        "COI",
        "if matches!(a, B) { c(); }",
        &["COI: matches!(a, B) => !matches!(a, B)"],
    );
    check_statements(
        "COI",
        "if unsafe { a() } { c(); }",
        &["COI: unsafe { a() } => !(unsafe { a() })"],
    );
    check_statements("COI", "let x = a.b(); c(x);", &[]);
}

#[test]
fn coi_negates_predicates_of_iterators() {
    check_value(
        "COI",
        "",
        "v.iter().filter(|x| x.ok())",
        &["COI: x.ok() => !x.ok()"],
    );
    check_value("COI", "", "v.iter().map(|x| x.ok())", &[]);
    check_value(
        "COI",
        "",
        "o.is_some_and(|x| x.ok())",
        &["COI: x.ok() => !x.ok()"],
    );
}

#[test]
fn coi_is_not_made_where_other_operators_imply_it() {
    check_statements("COI", "if a.x() && b.y() { c(); }", &[]);
    check_statements("COI", "if !a { c(); }", &[]);
    check_statements("COI", "if true { c(); }", &[]);
}

#[test]
fn conditions_with_let_are_mutated_at_their_bool_leaves() {
    check_statements("COI", "if let Some(x) = a.b() { c(); }", &[]);
    check_statements(
        "condition",
        "if let Some(x) = a && x.ok() && n < 3 && let Some(y) = b { c(); }",
        &[
            "COI: x.ok() => !x.ok()",
            "ROR: n < 3 => n <= 3",
            "ROR: n < 3 => n != 3",
            "ROR: n < 3 => false",
        ],
    );
    check_statements("condition", "while let Some(x) = a.next() { c(); }", &[]);
}

#[test]
fn cod_leaves_out_a_negation() {
    check_statements("COD,COI", "if !a { b(); }", &["COD: !a => a"]);
    check_value("COD", "", "!a.b(c)", &["COD: !a.b(c) => a.b(c)"]);
    check_value(
        "COD,ROR",
        "",
        "!(a == b)",
        &[
            "COD: !(a == b) => (a == b)",
            "ROR: a == b => true",
            "ROR: a == b => false",
        ],
    );
}

#[test]
fn no_equal_edits_are_made_at_one_place() {
    // FBR's true and false for the body are ROR's for the comparison.
    check(
        "FBR,ROR",
        "fn f() -> bool { a == b }",
        &["FBR: a == b => true", "FBR: a == b => false"],
    );
    check(
        "BLR,COI",
        "fn f() { while true { g(); } }",
        &["BLR: true => false"],
    );
}

#[test]
fn what_is_the_same_for_every_unsigned_number_is_not_made() {
    let check = |value: &str, expected: &[&str]| check_value("ROR", "a: u8, v: V", value, expected);
    check("a == 0", &["ROR: a == 0 => a >= 0", "ROR: a == 0 => false"]);
    check("a != 0", &["ROR: a != 0 => a < 0", "ROR: a != 0 => true"]);
    check("a > 0", &["ROR: a > 0 => a >= 0", "ROR: a > 0 => false"]);
    check("0 < a", &["ROR: 0 < a => 0 <= a", "ROR: 0 < a => false"]);
    check(
        "v.len() == 0",
        &[
            "ROR: v.len() == 0 => v.len() >= 0",
            "ROR: v.len() == 0 => false",
        ],
    );
    check_value(
        "ROR",
        "a: i8",
        "a > 0",
        &[
            "ROR: a > 0 => a >= 0",
            "ROR: a > 0 => a != 0",
            "ROR: a > 0 => false",
        ],
    );
}
