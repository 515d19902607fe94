//! QMR, BCR and RBR.

use atropos_mutants::Shape;

use crate::check::{check, check_statements, check_value, found_with, options};

#[test]
fn errors_are_swallowed() {
    check_value(
        "QMR",
        "",
        "a(b)?.c",
        &["QMR: a(b)? => a(b).unwrap_or_default()"],
    );
    check_statements(
        "QMR",
        "a.b().await?;",
        &["QMR: a.b().await? => a.b().await.unwrap_or_default()"],
    );
    check_statements(
        "QMR",
        "a?.b()?;",
        &[
            "QMR: a?.b()? => a?.b().unwrap_or_default()",
            "QMR: a? => a.unwrap_or_default()",
        ],
    );
}

#[test]
fn break_and_continue_are_exchanged() {
    check_statements(
        "BCR",
        "loop { if a { break; } continue; }",
        &["BCR: break => continue", "BCR: continue => break"],
    );
    check_statements(
        "BCR",
        "'a: loop { loop { break 'a; } }",
        &["BCR: break 'a => continue 'a"],
    );
    check_statements(
        "BCR",
        "let Some(x) = y else { return }; while z { let A = b else { continue }; }",
        &["BCR: continue => break"],
    );
}

#[test]
fn a_loop_that_is_a_value_is_not_left_without_one() {
    let body = "{ loop { if a { continue; } while b { continue; } return 1; } }";
    check(
        "BCR",
        &format!("fn f() -> u8 {body}"),
        &["BCR: continue => break"],
    );
    check(
        "BCR",
        &format!("fn f() {body}"),
        &["BCR: continue => break", "BCR: continue => break"],
    );
}

#[test]
fn breaks_with_values_and_out_of_blocks_stay() {
    check_statements("BCR", "let x = loop { break 3; };", &[]);
    check_statements("BCR", "'a: { break 'a; }", &[]);
    check_statements("BCR", "loop { 'a: { break 'a; } }", &[]);
    check_statements("BCR", "'a: loop { 'a: { break 'a; } }", &[]);
    check_statements(
        "BCR",
        "loop { let f = || { loop { break; } }; }",
        &["BCR: break => continue"],
    );
}

fn shapes(statements: &str) -> Vec<Shape> {
    let source = format!("fn f() {{ {statements} }}");
    let found = found_with(&source, &options("RBR"));
    found.points.into_iter().map(|point| point.shape).collect()
}

#[test]
fn iterated_ranges_change_their_type_freely() {
    check_statements("RBR", "for i in 0..n { a(i); }", &["RBR: 0..n => 0..=n"]);
    check_statements(
        "RBR",
        "for i in (1..=n).rev() { a(i); }",
        &["RBR: 1..=n => 1..n"],
    );
    check_value(
        "RBR",
        "",
        "(0..n).map(f).sum::<u32>()",
        &["RBR: 0..n => 0..=n"],
    );
    assert_eq!(shapes("for i in 0..n { a(i); }"), [Shape::Iterator]);
    assert_eq!(shapes("let x = (0..n).map(f);"), [Shape::Iterator]);
}

#[test]
fn other_ranges_are_mutated_with_what_hides_their_type() {
    check_value("RBR", "", "&v[a..b]", &["RBR: &v[a..b] => &v[a..=b]"]);
    check_value(
        "RBR",
        "",
        "&mut v[..b]",
        &["RBR: &mut v[..b] => &mut v[..=b]"],
    );
    check_value(
        "RBR",
        "",
        "v[a..=b].to_vec()",
        &["RBR: v[a..=b].to_vec() => v[a..b].to_vec()"],
    );
    check_value(
        "RBR",
        "",
        "(a..b).contains(&x)",
        &["RBR: (a..b).contains(&x) => (a..=b).contains(&x)"],
    );
    check_value(
        "RBR",
        "",
        "v.drain(..n)",
        &["RBR: v.drain(..n) => v.drain(..=n)"],
    );
    check_value("RBR", "", "g(a..b)", &["RBR: g(a..b) => g(a..=b)"]);
    assert_eq!(shapes("let x = &v[a..b];"), [Shape::Expression]);
}

#[test]
fn ranges_without_end_and_ranges_that_are_kept_stay() {
    check_value("RBR", "", "&v[a..]", &[]);
    check_value("RBR", "", "a..b", &[]);
    check_value("RBR", "", "S { range: a..b }", &[]);
    check_statements("RBR", "v[a..b] = w;", &[]);
    check_statements("RBR", "match x { 0..=5 => {} _ => {} }", &[]);
}
