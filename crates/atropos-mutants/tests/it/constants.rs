//! CRP, BLR and SLR.

use crate::check::{check, check_statements, check_value};

fn check_crp(parameters: &str, value: &str, expected: &[&str]) {
    check_value("CRP,AOD,ROR,RBR,SDL", parameters, value, expected);
}

#[test]
fn numbers_become_one_more_one_less_and_zero() {
    check_crp("", "g(5)", &["CRP: 5 => 6", "CRP: 5 => 4", "CRP: 5 => 0"]);
    check_crp("", "g(1)", &["CRP: 1 => 2", "CRP: 1 => 0"]);
    check_crp("", "g(0)", &["CRP: 0 => 1"]);
    check_crp(
        "",
        "g(-5)",
        &[
            "AOD: -5 => 5",
            "CRP: -5 => -4",
            "CRP: -5 => -6",
            "CRP: -5 => 0",
        ],
    );
    check_crp(
        "",
        "g(-1)",
        &["AOD: -1 => 1", "CRP: -1 => 0", "CRP: -1 => -2"],
    );
}

#[test]
fn notation_and_suffix_are_kept() {
    check_crp(
        "",
        "g(0x1f_u8)",
        &[
            "CRP: 0x1f_u8 => 0x20u8",
            "CRP: 0x1f_u8 => 0x1eu8",
            "CRP: 0x1f_u8 => 0x0u8",
        ],
    );
    check_crp(
        "",
        "g(0b10)",
        &["CRP: 0b10 => 0b11", "CRP: 0b10 => 0b1", "CRP: 0b10 => 0b0"],
    );
    check_crp(
        "",
        "g(1_000i64)",
        &[
            "CRP: 1_000i64 => 1001i64",
            "CRP: 1_000i64 => 999i64",
            "CRP: 1_000i64 => 0i64",
        ],
    );
}

#[test]
fn another_notation_of_the_same_number_is_no_change() {
    check_crp("", "g(0_usize)", &["CRP: 0_usize => 1usize"]);
    check_crp("", "g(0x00u8)", &["CRP: 0x00u8 => 0x1u8"]);
}

#[test]
fn negative_numbers_are_made_of_signed_ones_only() {
    check_crp("", "g(0i32)", &["CRP: 0i32 => 1i32", "CRP: 0i32 => -1i32"]);
    check_crp("", "g(0u32)", &["CRP: 0u32 => 1u32"]);
    check_crp(
        "x: i32",
        "[x, x + 0]",
        &["AOD: x + 0 => x", "CRP: 0 => 1", "CRP: 0 => -1"],
    );
    check(
        "CRP",
        "fn f() -> i64 { 0 }",
        &["CRP: 0 => 1", "CRP: 0 => -1"],
    );
    check(
        "CRP",
        "fn f() -> Option<i64> { Some(0) }",
        &["CRP: 0 => 1", "CRP: 0 => -1"],
    );
    check("CRP", "fn f() -> u64 { 0 }", &["CRP: 0 => 1"]);
    check_statements("CRP", "let x: i8 = 0;", &["CRP: 0 => 1", "CRP: 0 => -1"]);
    check(
        "CRP",
        "struct S { a: i8, b: u8 } fn f() -> S { S { a: 0, b: 0 } }",
        &["CRP: 0 => 1", "CRP: 0 => -1", "CRP: 0 => 1"],
    );
    check(
        "CRP",
        "fn g(a: i8) {} fn f() { g(0) }",
        &["CRP: 0 => 1", "CRP: 0 => -1"],
    );
    // A method is called on the number, not on what is behind the minus.
    check(
        "CRP",
        "fn f() -> i32 { 0i32.max(1) }",
        &[
            "CRP: 0i32 => 1i32",
            "CRP: 0i32 => (-1i32)",
            "CRP: 1 => 2",
            "CRP: 1 => 0",
        ],
    );
}

#[test]
fn numbers_stay_within_their_types() {
    check_crp(
        "",
        "g(255u8)",
        &["CRP: 255u8 => 254u8", "CRP: 255u8 => 0u8"],
    );
    check_crp(
        "",
        "g(255u16)",
        &[
            "CRP: 255u16 => 256u16",
            "CRP: 255u16 => 254u16",
            "CRP: 255u16 => 0u16",
        ],
    );
    check_crp("", "g(255)", &["CRP: 255 => 254", "CRP: 255 => 0"]);
    check_crp(
        "",
        "g(-128i8)",
        &["CRP: -128i8 => -127i8", "CRP: -128i8 => 0i8"],
    );
    check_crp("", "g(0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffffu128)", &[]);
}

#[test]
fn floats_move_by_one_as_far_as_they_can() {
    check_crp(
        "",
        "g(1.5)",
        &["CRP: 1.5 => 2.5", "CRP: 1.5 => 0.5", "CRP: 1.5 => 0.0"],
    );
    check_crp(
        "",
        "g(1.0f32)",
        &["CRP: 1.0f32 => 2.0f32", "CRP: 1.0f32 => 0.0f32"],
    );
    check_crp(
        "",
        "g(0.7)",
        &["CRP: 0.7 => 1.7", "CRP: 0.7 => -0.3", "CRP: 0.7 => 0.0"],
    );
    check_crp("", "g(1e300)", &["CRP: 1e300 => 0.0"]);
    check_crp("", "x / 1.0", &["AOD: x / 1.0 => x", "CRP: 1.0 => 2.0"]);
}

#[test]
fn what_another_operator_makes_is_not_made_again() {
    check_crp("", "x + 1", &["AOD: x + 1 => x", "CRP: 1 => 2"]);
    check_crp(
        "",
        "x * 2",
        &["AOD: x * 2 => x", "CRP: 2 => 3", "CRP: 2 => 0"],
    );
    check_crp("", "x / 2", &["AOD: x / 2 => x", "CRP: 2 => 3"]);
    check_crp(
        "",
        "x % 2",
        &["AOD: x % 2 => x", "CRP: 2 => 3", "CRP: 2 => 1"],
    );
    let ror = [
        "ROR: x < 3 => x <= 3",
        "ROR: x < 3 => x != 3",
        "ROR: x < 3 => false",
    ];
    check_crp(
        "",
        "x < 3",
        &[&ror[..], &["CRP: 3 => 2", "CRP: 3 => 0"]].concat(),
    );
    let ror = [
        "ROR: 3 < x => 3 <= x",
        "ROR: 3 < x => 3 != x",
        "ROR: 3 < x => false",
    ];
    check_crp(
        "",
        "3 < x",
        &[&ror[..], &["CRP: 3 => 4", "CRP: 3 => 0"]].concat(),
    );
    check_statements("CRP,SDL", "x += 1;", &["SDL: x += 1; =>", "CRP: 1 => 2"]);
    check_crp(
        "",
        "v.get(1..3)",
        &[
            "RBR: v.get(1..3) => v.get(1..=3)",
            "CRP: 1 => 2",
            "CRP: 1 => 0",
            "CRP: 3 => 2",
            "CRP: 3 => 0",
        ],
    );
}

#[test]
fn what_no_other_operator_makes_is_made() {
    check_value("CRP", "", "x + 1", &["CRP: 1 => 2", "CRP: 1 => 0"]);
    check_value(
        "CRP",
        "",
        "x < 3",
        &["CRP: 3 => 4", "CRP: 3 => 2", "CRP: 3 => 0"],
    );
}

#[test]
fn bools_are_exchanged() {
    check_value(
        "BLR",
        "",
        "g(true, false)",
        &["BLR: true => false", "BLR: false => true"],
    );
}

#[test]
fn strings_are_emptied_and_filled() {
    check_value("SLR", "", "g(\"abc\")", &["SLR: \"abc\" => \"\""]);
    check_value("SLR", "", "g(\"\")", &["SLR: \"\" => \"xyzzy\""]);
    check_value("SLR", "", "r#\"a\"#", &["SLR: r#\"a\"# => \"\""]);
    check_value("SLR", "", "[b\"abc\", c\"abc\"]", &[]);
    check_value("SLR", "", "a.expect(\"abc\")", &[]);
}

#[test]
fn patterns_and_const_contexts_are_no_values() {
    check(
        "constant",
        "const A: u8 = 3; static B: &str = \"b\"; enum E { A = 3 }",
        &[],
    );
    check(
        "constant",
        "fn f(x: [u8; 3]) { match x { [1, 2, 3] => g::<4>(), _ => {} } }",
        &[],
    );
    check(
        "CRP",
        "const fn f() -> u8 { 3 }",
        &["CRP: 3 => 4", "CRP: 3 => 2", "CRP: 3 => 0"],
    );
    check("constant", "fn f() { let _ = const { 3 }; }", &[]);
    check_value("constant", "", "[0u8; 16]", &["CRP: 0u8 => 1u8"]);
    check(
        "constant",
        "impl S { const A: u8 = 3; } trait T { const B: u8 = 3; }",
        &[],
    );
    check("constant", "#[a(3)] fn f(#[b(4)] x: u8) {}", &[]);
}

#[test]
fn a_long_table_is_data() {
    check_value(
        "CRP",
        "",
        "[1, 1, 1, 1, 1, 1, 1, 1, 1]",
        &["CRP: 1 => 2", "CRP: 1 => 0"],
    );
}
