//! ABS, UOI, SVR and AAR, which are off by default.

use crate::check::{check, check_value};

#[test]
fn extended_operators_are_off_by_default() {
    let found = crate::check::found_with(
        "fn f(x: i32, y: i32) { g(x); }",
        &atropos_mutants::FindOptions::default(),
    );
    let codes: Vec<&str> = found
        .points
        .iter()
        .flat_map(|p| &p.mutants)
        .map(|m| m.operator.code())
        .collect();
    assert_eq!(codes, ["FBR", "AOI"]);
}

#[test]
fn abs_needs_a_sign() {
    check_value(
        "ABS",
        "x: i32",
        "g(x)",
        &["ABS: x => x.abs()", "ABS: x => -x.abs()"],
    );
    check_value(
        "ABS",
        "x: &f64",
        "g(*x)",
        &["ABS: *x => (*x).abs()", "ABS: *x => -(*x).abs()"],
    );
    check_value("ABS", "x: u32", "g(x)", &[]);
}

#[test]
fn uoi_adds_and_subtracts_one() {
    check_value(
        "UOI",
        "x: u32",
        "g(x)",
        &["UOI: x => (x + 1)", "UOI: x => (x - 1)"],
    );
    check_value(
        "UOI",
        "x: f32",
        "x * y",
        &["UOI: x => (x + 1.0)", "UOI: x => (x - 1.0)"],
    );
    check_value("UOI", "x: &str", "g(x)", &[]);
}

#[test]
fn svr_takes_variables_of_the_same_type() {
    check_value("SVR", "x: u32, y: u32, z: u8", "g(x)", &["SVR: x => y"]);
    check_value(
        "SVR",
        "x: &str, y: &str, z: String",
        "g(x, z)",
        &["SVR: x => y"],
    );
    check(
        "SVR",
        "struct S { a: u8, b: u8, c: u16 } impl S { fn f(&self) { g(self.a, self.c); } }",
        &["SVR: self.a => self.b"],
    );
    check(
        "SVR",
        "fn f(x: u32) { { let y: u32 = 1; } let z: u32 = x; g(z); }",
        &["SVR: z => x"],
    );
    check("SVR", "fn f(x: u32, y: u32) { let y = h(); g(x); }", &[]);
    check("SVR", "fn f(x: u32, y: u32) { x = 1; g(&x); x.h(); }", &[]);
}

#[test]
fn aar_takes_other_arrays_and_other_positions() {
    check_value(
        "AAR,SVR",
        "a: &[u8], b: &[u8], i: usize, j: usize",
        "a[i] + 1",
        &["AAR: a[i] => b[i]", "AAR: a[i] => a[j]"],
    );
}
