//! Syntax of the editions from 2015 to 2024.

use atropos_mutants::{Edition, FindOptions, find_mutants};

use crate::check::{check, check_value, lines, options};

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

/// The mutants of old code, at their places in the text as it is.
fn old(edition: Edition, source: &str) -> Vec<String> {
    let options = FindOptions {
        edition,
        ..options("CRP")
    };
    let found = find_mutants(source, &options).unwrap_or_else(|error| panic!("{error}\n{source}"));
    lines(source, &found)
}

#[test]
fn old_syntax_is_understood_where_it_is_allowed() {
    let one = ["CRP: 1 => 2", "CRP: 1 => 0"];
    let with_objects = "fn f(x: Box<Fn(u8) -> u8 + Send>, y: &'static FnMut(u8), z: &mut Fn()) -> Option<&Fn(u8)> {
        g(x as Box<Fn(u8) -> u8>, 1) }";
    assert_eq!(old(Edition::Rust2018, with_objects), one);
    let with_bounds = "fn f<F: Fn(u8), G>(x: &Fn(u8), y: Box<dyn Fn()>) where G: for<'a> FnOnce(&'a u8) + Fn() { g(1) }";
    assert_eq!(old(Edition::Rust2018, with_bounds), one);
    let with_names = "trait T { fn a(&self, u8, &str) -> u8; fn b(self: Box<Self>, x: u8, HashMap<u8, std::string::String>);
        fn c(x: &u8) { g(1) } fn d(u8) where Self: Sized; }";
    assert_eq!(old(Edition::Rust2015, with_names), one);
    let with_async =
        "fn f(x: &dyn Trait) { let async = 2u8; let dyn = async; await(dyn, 1); mod try {} }";
    assert_eq!(
        old(Edition::Rust2015, with_async),
        [
            "CRP: 2u8 => 3u8",
            "CRP: 2u8 => 1u8",
            "CRP: 2u8 => 0u8",
            "CRP: 1 => 2",
            "CRP: 1 => 0"
        ]
    );
}

#[test]
fn old_syntax_is_an_error_in_new_editions() {
    let find = |edition| {
        let options = FindOptions {
            edition,
            ..FindOptions::default()
        };
        find_mutants("fn f(x: &Fn(u8)) {}", &options)
    };
    assert!(find(Edition::Rust2018).is_ok());
    assert!(find(Edition::Rust2021).is_err());
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
