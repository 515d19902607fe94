//! What the user and `cfg` exclude.

use crate::check::{check, found_with, options};

#[test]
fn skip_attributes_are_honoured_everywhere() {
    for skip in [
        "#[mutants::skip]",
        "#[atropos::skip]",
        "#[cfg_attr(test, mutants::skip)]",
    ] {
        check("all", &format!("{skip} fn f() -> u8 {{ 1 + 2 }}"), &[]);
        check(
            "all",
            &format!("{skip} impl S {{ fn f() -> u8 {{ 1 + 2 }} }}"),
            &[],
        );
        check(
            "all",
            &format!("{skip} mod m {{ fn f() -> u8 {{ 1 + 2 }} }}"),
            &[],
        );
        check(
            "all",
            &format!("{skip} trait T {{ fn f() -> u8 {{ 1 + 2 }} }}"),
            &[],
        );
        check(
            "CRP",
            &format!("fn f() {{ {skip} a(1); b(2); }}"),
            &["CRP: 2 => 3", "CRP: 2 => 1", "CRP: 2 => 0"],
        );
        check(
            "CRP",
            &format!("fn f() {{ {skip} let a = 1; {skip} {{ b(2); }} }}"),
            &[],
        );
        check(
            "CRP",
            &format!("fn f() {{ match a {{ {skip} A => 1, B => 0 }} }}"),
            &["CRP: 0 => 1"],
        );
    }
    check("all", "#![mutants::skip] fn f() -> u8 { 1 + 2 }", &[]);
    check("all", "fn f() -> u8 { #![mutants::skip] 1 + 2 }", &[]);
    check(
        "all",
        "mod m { #![atropos::skip] fn f() -> u8 { 1 + 2 } }",
        &[],
    );
}

#[test]
fn checks_of_the_program_are_left_alone_but_not_its_debug_version() {
    let cfg = "#[cfg(debug_assertions)]";
    check("AOR", &format!("{cfg} fn check() -> u8 {{ 1 + 2 }}"), &[]);
    check("AOR", &format!("fn f() {{ {cfg} check(1 + 2); }}"), &[]);
    for source in [
        "impl Hasher for S { fn f() -> u8 { a + b } }",
        "mod m { fn f() -> u8 { a + b } }",
        "trait T { fn f() -> u8 { a + b } }",
    ] {
        let expected = ["AOR: a + b => a - b", "AOR: a + b => a * b"];
        check("AOR", &format!("{cfg} {source}"), &expected);
    }
}

#[test]
fn test_code_is_not_mutated_but_gets_steps() {
    for source in [
        "#[test] fn f() { a(1 + 2); }",
        "#[tokio::test] async fn f() { a(1 + 2); }",
        "#[rstest] #[case(1)] fn f(#[case] x: u8) { a(1 + 2); }",
        "#[bench] fn f(b: &mut Bencher) { a(1 + 2); }",
        "#[cfg(test)] mod tests { fn f() { a(1 + 2); } }",
        "#[cfg(all(test, unix))] fn f() { a(1 + 2); }",
        "#![cfg(test)] fn f() { a(1 + 2); }",
        "#[mutants::skip] fn f() { a(1 + 2); }",
    ] {
        let found = found_with(source, &options("all"));
        assert!(found.points.is_empty(), "{source}");
        assert_eq!(found.steps.len(), 1, "{source}");
    }
}

#[test]
fn a_whole_file_may_be_test_code() {
    let mut options = options("all");
    options.test_only = true;
    let found = found_with("mod m; fn f() { loop { a(1 + 2); } }", &options);
    assert!(found.points.is_empty());
    assert_eq!(found.steps.len(), 2);
    assert!(found.modules[0].test_only);
}

#[test]
fn code_that_is_also_built_without_tests_is_mutated() {
    check(
        "CRP",
        "#[cfg(not(test))] fn f() -> u8 { 1 }",
        &["CRP: 1 => 2", "CRP: 1 => 0"],
    );
    check(
        "CRP",
        "#[cfg(any(test, feature = \"x\"))] fn f() -> u8 { 1 }",
        &["CRP: 1 => 2", "CRP: 1 => 0"],
    );
}

#[test]
fn cfg_around_a_point_is_told() {
    let source =
        "#![cfg(a)] #[cfg(feature = \"b\")] mod m { #[cfg(not(c))] fn f() { #[cfg(d)] g(1); } }";
    let found = found_with(source, &options("CRP"));
    assert_eq!(found.points[0].cfg, ["a", "feature = \"b\"", "not(c)", "d"]);
    assert_eq!(found.points[0].function, "m::f");
}

#[test]
fn no_expression_starts_with_an_attribute() {
    check(
        "all,-FBR",
        "fn f() { #[cfg(x)] a += 1; }",
        &["SDL: #[cfg(x)] a += 1; =>", "CRP: 1 => 2"],
    );
    check(
        "CRP",
        "fn f() { g([#[cfg(x)] 1, 2]); }",
        &["CRP: 2 => 3", "CRP: 2 => 1", "CRP: 2 => 0"],
    );
}

#[test]
fn patterns_that_exclude_mutants_are_kept_with_the_code_that_they_are_about() {
    let source = "fn a(x: u8) -> u8 { x + 1 }\n\
        #[mutants::exclude_re(\"replace \\\\+\")]\nimpl S {\n  fn f(x: u8) -> u8 { x + 2 }\n  \
        #[cfg_attr(test, atropos::exclude_re(\"with -\"))] fn g(x: u8) -> u8 { x - 3 }\n}\n\
        fn b(x: u8) -> u8 { x + 4 }\n";
    let found = found_with(source, &options("AOR"));
    let exclusions: Vec<(&str, &str)> = found
        .exclusions
        .iter()
        .map(|exclusion| (exclusion.pattern.as_str(), exclusion.span.text(source)))
        .collect();
    let [(inner, code), (outer, all)] = exclusions[..] else {
        panic!("{exclusions:?}");
    };
    assert_eq!((inner, code), ("with -", "x - 3"));
    assert_eq!(outer, "replace \\+");
    assert!(all.starts_with("x + 2") && all.ends_with("x - 3"), "{all}");
}
