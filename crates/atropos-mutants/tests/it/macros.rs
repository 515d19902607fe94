//! Macros whose arguments are code, and those that are left alone.

use crate::check::{check, check_value};

#[test]
fn vec_holds_expressions() {
    check_value(
        "CRP,AOR",
        "",
        "vec![a + b, 1]",
        &[
            "AOR: a + b => a - b",
            "AOR: a + b => a * b",
            "CRP: 1 => 2",
            "CRP: 1 => 0",
        ],
    );
    check_value(
        "CRP",
        "",
        "vec![0u8; 16]",
        &[
            "CRP: 0u8 => 1u8",
            "CRP: 16 => 17",
            "CRP: 16 => 15",
            "CRP: 16 => 0",
        ],
    );
    check_value(
        "CRP",
        "",
        "std::vec![7,]",
        &["CRP: 7 => 8", "CRP: 7 => 6", "CRP: 7 => 0"],
    );
}

#[test]
fn matches_holds_an_expression_and_a_guard() {
    check_value(
        "match,AOR,ROR",
        "",
        "matches!(a + b, Some(x) if x < 3)",
        &[
            "AOR: a + b => a - b",
            "AOR: a + b => a * b",
            "MGR: x < 3 => true",
            "MGR: x < 3 => false",
            "ROR: x < 3 => x <= 3",
            "ROR: x < 3 => x != 3",
        ],
    );
    check_value("CRP", "", "matches!(a, 1 | 2,)", &[]);
}

#[test]
fn unknown_macros_and_macro_rules_are_left_alone() {
    check(
        "all",
        "macro_rules! m { ($a:expr) => { $a + 1 }; } m! { fn f() { 1 + 1; } } proptest! { fn p(x in 0..3) { g(x + 1); } }",
        &[],
    );
    check_value("all,-FBR", "", "quote! { 1 + 1 }", &[]);
    check_value("all,-FBR", "", "select! { x = a() => x + 1 }", &[]);
}

#[test]
fn cfg_if_holds_items() {
    let source = "cfg_if::cfg_if! {
        if #[cfg(unix)] { mod unix; fn f() -> u8 { 3 } }
        else if #[cfg(test)] { fn g() -> u8 { 4 } }
        else { mod other; fn h() -> bool { true } }
    }";
    check(
        "constant",
        source,
        &[
            "CRP: 3 => 4",
            "CRP: 3 => 2",
            "CRP: 3 => 0",
            "BLR: true => false",
        ],
    );
    let found = crate::check::found_with(source, &crate::check::options("constant"));
    let modules: Vec<(String, Vec<String>)> = found
        .modules
        .iter()
        .map(|module| (module.path.join("::"), module.cfg.clone()))
        .collect();
    assert_eq!(
        modules,
        [
            ("unix".to_string(), vec!["unix".to_string()]),
            (
                "other".to_string(),
                vec!["not(unix)".to_string(), "not(test)".to_string()]
            ),
        ]
    );
    assert_eq!(found.points[0].cfg, ["unix"]);
    assert_eq!(found.steps.len(), 3);
}
