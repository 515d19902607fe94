//! SDL, ERR and SFD.

use crate::check::{check, check_statements, check_value};

#[test]
fn sdl_deletes_statements() {
    check_statements(
        "SDL",
        "a(); self.b = 1; c += 1; d.e()?; f.await; write!(x); let g = 1;",
        &[
            "SDL: a(); =>",
            "SDL: self.b = 1; =>",
            "SDL: c += 1; =>",
            "SDL: d.e()?; =>",
            "SDL: f.await; =>",
            "SDL: write!(x); =>",
        ],
    );
}

#[test]
fn a_macro_that_may_leave_a_guard_is_deleted_from_a_copy_of_its_block() {
    check_statements("SDL", "hold!(x); a; ", &["SDL: hold!(x); a; => a;"]);
    check_statements("SDL", "a; hold!(x);", &["SDL: hold!(x); =>"]);
}

#[test]
fn a_deletion_is_told_without_attributes() {
    let source = "fn f() { #[cfg(a[0])] #[b] g(); }";
    let found = crate::check::found_with(source, &crate::check::options("SDL"));
    let mutant = &found.points[0].mutants[0];
    assert_eq!(mutant.summary, "delete g();");
    assert_eq!(mutant.column, 28);
    assert_eq!(mutant.span.text(source), "#[cfg(a[0])] #[b] g();");
}

#[test]
fn sdl_deletes_blocks_that_are_statements() {
    check_statements(
        "SDL",
        "if a() { b(); c(); } for x in y { d(); e(); } loop { if z() { break; } } g()",
        &[
            "SDL: if a() { b(); c(); } =>",
            "SDL: b(); =>",
            "SDL: c(); =>",
            "SDL: for x in y { d(); e(); } =>",
            "SDL: d(); =>",
            "SDL: e(); =>",
            "SDL: loop { if z() { break; } } =>",
            "SDL: if z() { break; } =>",
        ],
    );
}

#[test]
fn sdl_leaves_a_block_around_one_deleted_statement() {
    check_statements(
        "SDL",
        "if a() { b(); } for x in y { c(); } d()",
        &["SDL: b(); =>", "SDL: c(); =>"],
    );
}

#[test]
fn sdl_leaves_an_if_or_while_whose_condition_becomes_false() {
    check_statements(
        "SDL,ROR",
        "if a < b { c(); d(); } e()",
        &[
            "ROR: a < b => a <= b",
            "ROR: a < b => a != b",
            "ROR: a < b => false",
            "SDL: c(); =>",
            "SDL: d(); =>",
        ],
    );
    check_statements(
        "SDL",
        "if a < b { c(); d(); } e()",
        &[
            "SDL: if a < b { c(); d(); } =>",
            "SDL: c(); =>",
            "SDL: d(); =>",
        ],
    );
}

#[test]
fn values_of_blocks_are_no_statements() {
    check_statements("SDL", "a()", &[]);
    check("SDL", "fn f() -> u32 { if a() { b() } else { c() } }", &[]);
    check(
        "SDL",
        "fn f() -> u32 { match a { _ => { b(); c() } } }",
        &["SDL: b(); =>"],
    );
    // These can only be `()`.
    check_statements(
        "SDL",
        "for x in y { a(); b(); }",
        &[
            "SDL: for x in y { a(); b(); } =>",
            "SDL: a(); =>",
            "SDL: b(); =>",
        ],
    );
    check_statements(
        "SDL",
        "g(); if let A = b { c(); d(); }",
        &[
            "SDL: g(); =>",
            "SDL: if let A = b { c(); d(); } =>",
            "SDL: c(); =>",
            "SDL: d(); =>",
        ],
    );
}

#[test]
fn lets_items_and_jumps_are_not_deleted() {
    check_statements(
        "SDL",
        "let a = 1; fn b() {} use c::d; loop { break; }",
        &["SDL: loop { break; } =>"],
    );
}

#[test]
fn the_only_statement_of_a_body_is_deleted_with_the_body() {
    check(
        "FBR,SDL",
        "fn f(&mut self) { self.a = 1; }",
        &["FBR: self.a = 1; => ()"],
    );
    check(
        "SDL",
        "fn f(&mut self) { self.a = 1; }",
        &["SDL: self.a = 1; =>"],
    );
}

#[test]
fn output_checks_and_hints_are_not_deleted() {
    check_statements(
        "SDL",
        "println!(\"a\"); log::info!(\"a\"); assert!(a); debug_assert_eq!(a, b); panic!(); dbg!(a);
         v.reserve(3); v.shrink_to_fit(); drop(guard); mem::forget(a); std::hint::spin_loop(); exit(1); g()",
        &[],
    );
    check_statements("SDL", "ensure!(a > b); g()", &["SDL: ensure!(a > b); =>"]);
}

#[test]
fn drop_is_not_made_to_leak() {
    check(
        "statement,body,ERR,MAD,ROR",
        "impl Drop for G { fn drop(&mut self) { if a.b() { return; } self.lock.unlock(); if x < y { c(); } } }",
        &[
            "ROR: x < y => x <= y",
            "ROR: x < y => x != y",
            "ROR: x < y => false",
        ],
    );
}

#[test]
fn what_else_is_done_on_drop_may_be_left_out() {
    let drop = |owner: &str, body: &str| {
        format!("impl Drop for {owner} {{ fn drop(&mut self) {{ {body} }} }}")
    };
    let operators = "statement,body";
    check(
        operators,
        &drop(
            "Account",
            "self.count.fetch_sub(1, Relaxed); self.log.push(self.id);",
        ),
        &[
            "FBR: self.count.fetch_sub(1, Relaxed); self.log.push(self.id); => ()",
            "SDL: self.count.fetch_sub(1, Relaxed); =>",
            "SDL: self.log.push(self.id); =>",
        ],
    );
    for (owner, body) in [
        ("ReadGuard", "self.readers.fetch_sub(1, Relaxed);"),
        (
            "Node",
            "self.count.sub(1); unsafe { dealloc(self.at, self.layout) }",
        ),
        ("Node", "unsafe { std::ptr::drop_in_place(self.at) }"),
    ] {
        check(operators, &drop(owner, body), &[]);
    }
}

#[test]
fn early_returns_are_removed() {
    check(
        "ERR",
        "fn f() -> u8 { if a() { return 1; } 2 }",
        &["ERR: return 1; =>"],
    );
    check(
        "ERR",
        "fn f() -> u8 { if a() { return 1 } 2 }",
        &["ERR: return 1 => ()"],
    );
    check(
        "ERR",
        "fn f() { if a() { return; } b(); }",
        &["ERR: return; =>"],
    );
    check(
        "ERR",
        "fn f() -> u8 { match a { A => return 1, _ => {} } 2 }",
        &["ERR: return 1 => ()"],
    );
    check(
        "ERR",
        "fn f() -> u8 { for x in y { if x.z() { return 3; } } 2 }",
        &["ERR: return 3; =>"],
    );
}

#[test]
fn returns_that_are_not_early_stay() {
    check("ERR", "fn f() -> u8 { return 1; }", &[]);
    check("ERR", "fn f() -> u8 { return 1 }", &[]);
    check("ERR", "fn f() { a(); return; }", &[]);
    check("ERR", "fn f() { a(); if b() { return; } }", &[]);
    check(
        "ERR",
        "fn f() { a(); match b { A => return, B => c() } }",
        &[],
    );
    check(
        "ERR",
        "fn f() -> u8 { let Some(x) = y else { return 1; }; x }",
        &[],
    );
    check(
        "ERR",
        "fn f() -> u8 { let x = match y { A => return 1, B => 2 }; x }",
        &[],
    );
    check(
        "ERR",
        "fn f() -> u8 { if a() { return 1; } else { return 2; } }",
        &[],
    );
}

#[test]
fn a_return_under_a_condition_that_becomes_false_stays() {
    check(
        "ERR,ROR",
        "fn f() -> u8 { if a < b { return 1; } 2 }",
        &[
            "ROR: a < b => a <= b",
            "ROR: a < b => a != b",
            "ROR: a < b => false",
        ],
    );
    check(
        "ERR",
        "fn f() -> u8 { if a < b { return 1; } 2 }",
        &["ERR: return 1; =>"],
    );
}

#[test]
fn fields_are_left_to_the_base() {
    check_value(
        "SFD",
        "",
        "S { a: 1, b, ..Default::default() }",
        &[
            "SFD: S { a: 1, b, ..Default::default() } => S { b, ..Default::default() }",
            "SFD: S { a: 1, b, ..Default::default() } => S { a: 1, ..Default::default() }",
        ],
    );
    check_value("SFD", "", "S { a: 1, b }", &[]);
    check_value("SFD", "", "S { ..base }", &[]);
}
