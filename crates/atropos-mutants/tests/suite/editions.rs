//! Syntax of the editions from 2015 to 2024.

use crate::check::{check, check_value};

#[test]
fn edition_2015_has_try_macros_and_no_dyn() {
    check(
        "QMR",
        "fn f() -> Result<u8, E> { let a = try!(g()); Ok(a) }",
        &["QMR: try!(g()) => (g()).unwrap_or_default()"],
    );
    check_value(
        "QMR",
        "",
        "r#try!(g())",
        &["QMR: r#try!(g()) => (g()).unwrap_or_default()"],
    );
    check(
        "CRP",
        "extern crate a; fn f(x: Box<Trait>) { ::a::g(1) }",
        &["CRP: 1 => 2", "CRP: 1 => 0"],
    );
}

#[test]
fn edition_2018_has_async() {
    check(
        "QMR,CRP",
        "async fn f() { let a = async move { g(1).await? }; }",
        &[
            "QMR: g(1).await? => g(1).await.unwrap_or_default()",
            "CRP: 1 => 2",
            "CRP: 1 => 0",
        ],
    );
}

#[test]
fn edition_2021_has_disjoint_captures_and_let_else() {
    check(
        "CRP",
        "fn f() { let Some(x) = y else { g(1); return }; }",
        &["CRP: 1 => 2", "CRP: 1 => 0"],
    );
    check(
        "CRP",
        "fn f() { let c = c\"x\"; g(&raw const y[1]); }",
        &["CRP: 1 => 2", "CRP: 1 => 0"],
    );
}

#[test]
fn edition_2024_has_let_chains_and_async_closures() {
    check(
        "ROR",
        "fn f() { while let Some(x) = y && x.a == 3 && let A = b {} }",
        &[
            "ROR: x.a == 3 => x.a <= 3",
            "ROR: x.a == 3 => x.a >= 3",
            "ROR: x.a == 3 => false",
        ],
    );
    check(
        "CRP",
        "fn f() { let a = async |x: u8| { g(1).await }; }",
        &["CRP: 1 => 2", "CRP: 1 => 0"],
    );
    check(
        "CRP",
        "unsafe extern \"C\" { safe fn g(x: u8); } fn f() -> impl Sized + use<> { g(1) }",
        &["CRP: 1 => 2", "CRP: 1 => 0"],
    );
}
