//! AOR, AOD, AOI, ASR and the bitwise operators.

use crate::check::{check, check_statements, check_value, found_with, options};

#[test]
fn aor_makes_the_inverse_and_one_of_another_rank() {
    let check = |value: &str, expected: &[&str]| check_value("AOR", "", value, expected);
    check("a + b", &["AOR: a + b => a - b", "AOR: a + b => a * b"]);
    check("a - b", &["AOR: a - b => a + b", "AOR: a - b => a * b"]);
    check("a * b", &["AOR: a * b => a / b", "AOR: a * b => (a + b)"]);
    check("a / b", &["AOR: a / b => a * b", "AOR: a / b => a % b"]);
    check("a % b", &["AOR: a % b => a / b", "AOR: a % b => a * b"]);
}

#[test]
fn a_replaced_operator_keeps_its_operands() {
    check_value(
        "AOR",
        "",
        "a - b + c",
        &[
            "AOR: a - b + c => a - b - c",
            "AOR: a - b + c => (a - b) * c",
            "AOR: a - b => a + b",
            "AOR: a - b => a * b",
        ],
    );
    check_value(
        "LOR",
        "",
        "a & b | c",
        &[
            "LOR: a & b | c => a & b & c",
            "LOR: a & b | c => a & b ^ c",
            "LOR: a & b => (a | b)",
            "LOR: a & b => (a ^ b)",
        ],
    );
    check_value(
        "AOR",
        "",
        "a * -b",
        &["AOR: a * -b => a / -b", "AOR: a * -b => (a + -b)"],
    );
}

#[test]
fn aod_leaves_out_either_operand_or_a_minus() {
    check_value(
        "AOD",
        "",
        "f(a) / b",
        &["AOD: f(a) / b => f(a)", "AOD: f(a) / b => b"],
    );
    check_value("AOD", "", "-a", &["AOD: -a => a"]);
}

#[test]
fn a_cast_that_is_left_gets_parentheses() {
    check_value(
        "AOD",
        "",
        "a as u8 * b << c",
        &["AOD: a as u8 * b => (a as u8)", "AOD: a as u8 * b => b"],
    );
}

#[test]
fn aod_leaves_out_only_the_literal_beside_a_literal() {
    check_value("AOD", "", "a + 1", &["AOD: a + 1 => a"]);
    check_value("AOD", "", "1 - a", &["AOD: 1 - a => a"]);
    check_value("AOD", "", "c - b'0'", &["AOD: c - b'0' => c"]);
}

#[test]
fn aor_does_not_make_what_aod_makes() {
    check_value(
        "AOR,AOD",
        "",
        "a + 1",
        &["AOR: a + 1 => a - 1", "AOD: a + 1 => a"],
    );
    check_value(
        "AOR",
        "",
        "a + 1",
        &["AOR: a + 1 => a - 1", "AOR: a + 1 => a * 1"],
    );
}

#[test]
fn strings_are_added_but_not_subtracted() {
    check_value("AOR,AOD", "", "s + \"x\"", &["AOD: s + \"x\" => s"]);
    check_value("AOR,AOD", "s: String", "s + t", &["AOD: s + t => s"]);
    check_value(
        "AOR,AOD",
        "",
        "s + &format!(\"x\")",
        &["AOD: s + &format!(\"x\") => s"],
    );
}

#[test]
fn aoi_needs_a_type_with_a_sign() {
    let check = |parameters: &str, value: &str, expected: &[&str]| {
        check_value("AOI", parameters, value, expected);
    };
    check("x: i32", "g(x)", &["AOI: x => -x"]);
    check("x: f64", "g(x)", &["AOI: x => -x"]);
    check("x: u32", "g(x)", &[]);
    check("x: Account", "g(x)", &[]);
    check("x: &i32", "g(*x)", &["AOI: *x => -*x"]);
    check("x: [i8; 4]", "g(x[0])", &["AOI: x[0] => -x[0]"]);
    check("", "g(x)", &[]);
}

#[test]
fn aoi_follows_lets_fields_and_loops() {
    check(
        "AOI",
        "fn f() { let x = g() as i64; h(x); let x = 0; h(x) }",
        &["AOI: x => -x"],
    );
    check(
        "AOI",
        "struct S { a: i8, b: u8 } impl S { fn f(&self) { g(self.a, self.b) } }",
        &["AOI: self.a => -self.a"],
    );
    check(
        "AOI",
        "struct S<T> { a: Vec<i8>, b: Vec<T> } impl<T> S<T> { fn f(&self) { g(self.a[0], self.b[0]) } }",
        &["AOI: self.a[0] => -self.a[0]"],
    );
    check(
        "AOI",
        "fn f(n: i32) { for i in 0..n { g(i) } }",
        &["AOI: n => -n", "AOI: i => -i"],
    );
}

#[test]
fn aoi_does_not_make_what_another_operator_makes() {
    let check = |value: &str, expected: &[&str]| {
        check_value("AOI", "x: i32, y: i32", value, expected);
    };
    check("x + y", &["AOI: x => -x"]);
    check("x - y", &["AOI: x => -x"]);
    check("x * y", &["AOI: x => -x"]);
    check("x / y", &["AOI: x => -x"]);
    check("x < y", &["AOI: x => -x"]);
    check("x & y", &[]);
    check("-x", &[]);
    check("x.abs()", &[]);
    check("&x", &[]);
}

#[test]
fn asr_makes_the_inverse_and_plain_assignment() {
    let check = |statement: &str, expected: &[&str]| check_statements("ASR", statement, expected);
    check(
        "a += b;",
        &["ASR: a += b => a -= b", "ASR: a += b => a = b"],
    );
    check(
        "a.x[i] -= 2;",
        &[
            "ASR: a.x[i] -= 2 => a.x[i] += 2",
            "ASR: a.x[i] -= 2 => a.x[i] = 2",
        ],
    );
    check(
        "*a *= b;",
        &["ASR: *a *= b => *a /= b", "ASR: *a *= b => *a = b"],
    );
    check(
        "a /= b;",
        &["ASR: a /= b => a *= b", "ASR: a /= b => a = b"],
    );
    check(
        "a %= b;",
        &["ASR: a %= b => a /= b", "ASR: a %= b => a = b"],
    );
    check(
        "a &= b;",
        &["ASR: a &= b => a |= b", "ASR: a &= b => a = b"],
    );
    check(
        "a |= b;",
        &["ASR: a |= b => a &= b", "ASR: a |= b => a = b"],
    );
    check(
        "a ^= b;",
        &["ASR: a ^= b => a |= b", "ASR: a ^= b => a = b"],
    );
    check(
        "a <<= b;",
        &["ASR: a <<= b => a >>= b", "ASR: a <<= b => a = b"],
    );
    check(
        "a >>= b;",
        &["ASR: a >>= b => a <<= b", "ASR: a >>= b => a = b"],
    );
    check("a = b;", &[]);
    check("s += \"text\";", &[]);
}

#[test]
fn an_assignment_knows_whether_its_place_is_simple() {
    use atropos_mutants::Shape;
    let simple = |place: &str| {
        let source = format!("fn f() {{ {place} += 1; }}");
        let found = crate::check::found_with(&source, &crate::check::options("ASR"));
        match found.points[0].shape {
            Shape::Assignment { simple_place, .. } => simple_place,
            ref other => panic!("{other:?}"),
        }
    };
    assert!(simple("a"));
    assert!(simple("self.a.b"));
    assert!(simple("*a"));
    assert!(simple("(*a.b).c"));
    assert!(!simple("a[i]"));
    assert!(!simple("*f()"));
}

#[test]
fn shifts_go_the_other_way() {
    check_value("SOR", "", "a << b", &["SOR: a << b => a >> b"]);
    check_value("SOR", "", "a >> b", &["SOR: a >> b => a << b"]);
    // Behind a type, `<<` would open generics.
    check_value(
        "SOR",
        "",
        "a as u8 >> b",
        &["SOR: a as u8 >> b => (a as u8) << b"],
    );
}

#[test]
fn lor_makes_the_two_others() {
    check_value(
        "LOR",
        "",
        "a & b",
        &["LOR: a & b => (a | b)", "LOR: a & b => (a ^ b)"],
    );
    check_value(
        "LOR",
        "",
        "a | b",
        &["LOR: a | b => a & b", "LOR: a | b => a ^ b"],
    );
    check_value(
        "LOR",
        "",
        "a ^ b",
        &["LOR: a ^ b => a & b", "LOR: a ^ b => (a | b)"],
    );
}

#[test]
fn flags_are_disjoint() {
    check_value(
        "LOR",
        "",
        "Flags::A | Flags::B",
        &["LOR: Flags::A | Flags::B => Flags::A & Flags::B"],
    );
}

#[test]
fn loi_complements_operands_of_bitwise_operators() {
    check_value("LOI", "", "a & b", &["LOI: a => !a", "LOI: b => !b"]);
    check_value("LOI", "", "a ^ b", &["LOI: a => !a"]);
    check_value("LOI", "", "a.x() << 2", &["LOI: a.x() => !a.x()"]);
    check_value("LOI", "", "a | 1", &["LOI: a => !a"]);
    check_value("LOI", "a: bool, b: bool", "a & b", &[]);
    check_value("LOI", "", "a + b", &[]);
    check_value("LOI", "", "&a & &b", &[]);
}

#[test]
fn lod_leaves_out_a_complement_of_bits() {
    check_value("LOD,COD", "", "a & !b", &["LOD: !b => b"]);
    check_value("LOD,COD", "x: u32", "!x", &["LOD: !x => x"]);
    check_value("LOD,COD", "x: bool", "x & !x", &["COD: !x => x"]);
}

#[test]
fn a_block_that_is_left_gets_parentheses() {
    check_value(
        "AOD",
        "",
        "a * { b } - 1",
        &[
            "AOD: a * { b } - 1 => a * { b }",
            "AOD: a * { b } => a",
            "AOD: a * { b } => ({ b })",
        ],
    );
}

#[test]
fn what_is_left_stays_apart_from_the_word_before() {
    let source = "fn f(a: i8, b: i8) -> i8 { if a > b { return-a; } return(a)*b }";
    let found = found_with(source, &options("AOD"));
    let whole = |mutant: &atropos_mutants::Mutant| {
        let mut text = source.to_string();
        text.replace_range(mutant.span.start..mutant.span.end, &mutant.replacement);
        text
    };
    for mutant in found.points.iter().flat_map(|point| &point.mutants) {
        let text = whole(mutant);
        assert!(
            !text.contains("returna") && !text.contains("returnb"),
            "{text}"
        );
    }
    assert_eq!(found.points.len(), 2);
}
