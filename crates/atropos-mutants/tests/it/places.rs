//! Step places, modules, the place for a first item, names of functions, positions, errors.

use atropos_mutants::{FindOptions, find_mutants};

use crate::check::{found_with, options};

/// The source with `§` wherever a step is placed.
fn steps(source: &str) -> String {
    let found = found_with(source, &FindOptions::default());
    let mut marked = source.to_string();
    for step in found.steps.iter().rev() {
        marked.insert(step.offset, '§');
    }
    marked
}

#[test]
fn functions_loops_and_closures_with_blocks_get_steps() {
    let check = |expected: &str| assert_eq!(steps(&expected.replace('§', "")), expected);
    check("fn f() {§ for x in y {§ a(); } while z {§} loop {§ b(); } }");
    check("fn f() {§ let a = |x| {§ x }; let b = |x| x; }");
    check("impl S { fn f() {§} } trait T { fn g() {§} fn h(); }");
    check("async fn f() {§ let a = async { b() }; }");
    check(
        "fn f() {§ #![allow(x)]\n }"
            .replace("{§ #![allow(x)]", "{ #![allow(x)]§")
            .as_str(),
    );
    check("#[test] fn f() {§ loop {§} }");
    check("const fn f() {§ while a {§ b += 1; } }");
}

#[test]
fn const_contexts_get_no_mutants() {
    let check = |expected: &str| assert_eq!(steps(&expected.replace('§', "")), expected);
    // Without mutants it stays as it is.
    check("const fn f() {}");
    check("#[test] const fn f() { loop {} }");
    check("const A: u8 = { let mut x = 0; while x < 3 { x += 1; } x };");
    check("fn f() {§ const { loop {} }; let a: [u8; { loop {} }] = b; [0; { loop {} }]; }");
    check("#[unsafe(naked)] extern \"C\" fn f() { naked_asm!(\"\") }");
    // Closures and items in constants run like others.
    check("static A: Lazy<u8> = Lazy::new(|| {§ loop {§} });");
    check("const _: () = { fn f() {§} };");
}

#[test]
fn a_closure_in_a_static_is_mutated() {
    crate::check::check(
        "CRP",
        "static A: Lazy<u8> = Lazy::new(|| { g(1) }); static B: u8 = 1;",
        &["CRP: 1 => 2", "CRP: 1 => 0"],
    );
}

#[test]
fn a_step_never_lands_in_a_comment() {
    let source = "fn f() {\n    //! inner\n    g();\n}";
    let found = found_with(source, &FindOptions::default());
    assert_eq!(&source[found.steps[0].offset..], "    g();\n}");
}

fn first_item(source: &str) -> &str {
    &source[found_with(source, &FindOptions::default()).first_item..]
}

#[test]
fn a_first_item_goes_behind_all_that_must_come_first() {
    assert_eq!(first_item("fn f() {}"), "fn f() {}");
    assert_eq!(first_item("//! doc\n#![a]\n#![b] fn f() {}"), " fn f() {}");
    assert_eq!(first_item("#![a]\n//! doc\nfn f() {}"), "fn f() {}");
    assert_eq!(first_item("#!/bin/sh\nfn f() {}"), "\nfn f() {}");
    assert_eq!(first_item("\u{feff}/*! doc */ fn f() {}"), " fn f() {}");
    assert_eq!(first_item("// plain\nfn f() {}"), "// plain\nfn f() {}");
    assert_eq!(first_item("//! only"), "");
}

#[test]
fn modules_in_other_files_are_listed() {
    let source = "mod a; #[cfg(unix)] #[path = \"x/y.rs\"] pub mod b; #[path = \"i\"] mod c { #[cfg(test)] mod d; }
        #[cfg_attr(windows, path = \"w.rs\")] mod e; #[mutants::skip] mod g; mod r#try; #[cfg(test)] mod h { mod i; }";
    let found = found_with(source, &FindOptions::default());
    let lines: Vec<String> = found
        .modules
        .iter()
        .map(|module| {
            format!(
                "{} {:?} {:?} {:?} {}",
                module.path.join("::"),
                module.path_attribute,
                module.outer_path_attributes,
                module.cfg,
                module.test_only
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            "a None [] [] false",
            "b Some(\"x/y.rs\") [] [\"unix\"] false",
            "c::d None [Some(\"i\")] [\"test\"] true",
            "e Some(\"w.rs\") [] [\"windows\"] false",
            "e None [] [\"not(windows)\"] false",
            "g None [] [] true",
            "try None [] [] false",
            "h::i None [None] [\"test\"] true",
        ]
    );
}

#[test]
fn functions_are_named_as_people_name_them() {
    let source = "fn a() { g(1); fn b() { g(1); } || { g(1) }; }
        impl Account { fn c() { g(1) } } impl<T> Drop for Lock<'_, T> { fn drop(&mut self) { g(1) } }
        trait Shape { fn d() { g(1) } } mod m { fn e() { g(1) } }
        impl fmt::Display for x::Y { fn f() { g(1) } } static S: L = L::new(|| g(1));";
    let found = found_with(source, &options("CRP"));
    let mut names: Vec<&str> = found
        .points
        .iter()
        .map(|point| point.function.as_str())
        .collect();
    names.dedup();
    assert_eq!(
        names,
        [
            "a",
            "a::b",
            "a",
            "Account::c",
            "<Lock<'_, T> as Drop>::drop",
            "Shape::d",
            "m::e",
            "<x::Y as fmt::Display>::f",
            "S",
        ]
    );
}

#[test]
fn positions_are_those_of_the_operator() {
    let source = "fn f() {\n    let ä = a\n        + b;\n}";
    let found = found_with(source, &options("AOR"));
    let point = &found.points[0];
    assert_eq!((point.line, point.column), (2, 13));
    assert_eq!((point.mutants[0].line, point.mutants[0].column), (3, 9));
}

#[test]
fn broken_text_is_an_error_with_its_place() {
    let error = |text: &str| {
        let error = find_mutants(text, &FindOptions::default()).expect_err(text);
        (error.line, error.column)
    };
    assert_eq!(error("fn f() {\n    let = 3;\n}"), (2, 9));
    assert_eq!(error("fn f() {\n"), (1, 8));
    assert_eq!(error("fn f() -> "), (1, 9));
}

#[test]
fn deeply_nested_code_is_no_problem() {
    let depth = 1500;
    let source = format!(
        "fn f() -> u8 {{ {}1{} }}",
        "(".repeat(depth),
        ")".repeat(depth)
    );
    assert!(!found_with(&source, &options("CRP")).points.is_empty());
    let source = format!("fn f() -> u8 {{ 1{} }}", " + 1".repeat(depth));
    assert_eq!(found_with(&source, &options("SOR,AOR")).points.len(), depth);
}

#[test]
fn windows_line_ends_and_marks_keep_their_places() {
    let source = "\u{feff}fn f() {\r\n    // ü\r\n    g(a + b);\r\n}\r\n";
    let found = found_with(source, &options("AOR"));
    assert_eq!(found.points[0].span.text(source), "a + b");
    assert_eq!((found.points[0].line, found.points[0].column), (3, 7));
}
