//! MAD and MGR.

use crate::check::{check_statements, check_value};

#[test]
fn an_arm_is_deleted_if_a_later_one_catches_everything() {
    check_value(
        "MAD",
        "",
        "match a { 0 => b(), 1 | 2 => c(), _ => d() }",
        &["MAD: 0 => b(), =>", "MAD: 1 | 2 => c(), =>"],
    );
    check_value(
        "MAD",
        "",
        "match a { Some(0) => b(), other => d(other) }",
        &["MAD: Some(0) => b(), =>"],
    );
    check_value(
        "MAD",
        "",
        "match a { (0, 1) => b(), (x, y) => d(x, y) }",
        &["MAD: (0, 1) => b(), =>"],
    );
}

#[test]
fn an_arm_stays_if_nothing_catches_what_it_leaves() {
    check_value("MAD", "", "match a { Some(x) => b(x), None => d() }", &[]);
    check_value(
        "MAD",
        "",
        "match a { A => b(), _ if c => d(), B => e() }",
        &[],
    );
    check_value("MAD", "", "match a { A => b(), CONSTANT => e() }", &[]);
    check_value("MAD", "", "match a { A => b(), #[cfg(x)] _ => e() }", &[]);
}

#[test]
fn arms_that_change_nothing_or_only_panic_stay() {
    check_value(
        "MAD",
        "",
        "match a { 0 => b(), 1 => c(), _ => b() }",
        &["MAD: 1 => c(), =>"],
    );
    check_value(
        "MAD",
        "",
        "match a { 0 => unreachable!(\"x\"), 1 => panic!(), _ => b() }",
        &[],
    );
}

#[test]
fn a_guarded_arm_gets_a_false_guard_instead() {
    check_value(
        "match",
        "",
        "match a { x if x.y() => b(), _ => c() }",
        &["MGR: x.y() => true", "MGR: x.y() => false"],
    );
}

#[test]
fn the_guard_s_own_operators_make_what_is_new() {
    check_value(
        "match,condition",
        "",
        "match a { x if x > 5 => b(), _ => c() }",
        &[
            "MGR: x > 5 => true",
            "MGR: x > 5 => false",
            "ROR: x > 5 => x >= 5",
            "ROR: x > 5 => x != 5",
        ],
    );
    check_value(
        "condition",
        "",
        "match a { x if x.y() => b(), _ => c() }",
        &["COI: x.y() => !x.y()"],
    );
}

#[test]
fn arms_lie_with_their_comma_in_the_point() {
    check_statements(
        "MAD",
        "match a { 0 => { b(); } _ => {} }",
        &["MAD: 0 => { b(); } =>"],
    );
}
