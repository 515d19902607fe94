//! What is left alone because no test is meant to notice it.

use crate::check::{check, check_statements, check_value};

#[test]
fn logging_and_output_get_no_mutants() {
    check_statements(
        "all",
        "println!(\"{}\", a + 1); log::debug!(\"{}\", a < b); tracing::info!(x = 1, \"y\"); eprint!(\"{}\", !a);",
        &[],
    );
}

#[test]
fn checks_and_messages_get_no_mutants() {
    check_statements(
        "all",
        "assert!(a < b, \"c\"); assert_eq!(a + 1, 2); debug_assert!(a && b);",
        &[],
    );
    check_value("all,-FBR", "", "a.expect(\"b\").context(\"c\")", &[]);
    check_value("all,-FBR", "", "format!(\"{}\", a + 1)", &[]);
    check_value("all,-FBR", "", "write!(f, \"{}\", a + 1)", &[]);
}

#[test]
fn nothing_that_only_decides_whether_to_log() {
    check_statements(
        "all,-FBR",
        "if a < b { warn!(\"c\"); } else if d.e() { info!(\"f\"); }",
        &[],
    );
    check_statements(
        "COI",
        "if a.b() { warn!(\"c\"); d(); }",
        &["COI: a.b() => !a.b()"],
    );
}

#[test]
fn debug_and_hash_get_no_mutants() {
    check(
        "all",
        "impl fmt::Debug for S { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { if a < b { c() } d(1) } }",
        &[],
    );
    check(
        "all",
        "impl Hash for S { fn hash<H: Hasher>(&self, state: &mut H) { self.a.hash(state); } }",
        &[],
    );
    check(
        "all",
        "impl GlobalAlloc for S { unsafe fn alloc(&self, l: Layout) -> *mut u8 { a(1) } }",
        &[],
    );
}

#[test]
fn no_refusal_of_text_is_swallowed() {
    check(
        "QMR",
        "fn f(f: &mut Formatter) -> fmt::Result { f.write_str(a)?; write!(f, b)?; Ok(()) }",
        &[],
    );
    check(
        "QMR",
        "fn f(f: &mut Formatter) -> io::Result<()> { f.write_all(a)?; Ok(()) }",
        &["QMR: f.write_all(a)? => f.write_all(a).unwrap_or_default()"],
    );
}

#[test]
fn capacity_hints_get_no_mutants() {
    check_value("CRP,AOR", "", "Vec::with_capacity(n + 1)", &[]);
    check_statements("all,-FBR", "v.reserve(n * 2);", &[]);
    check(
        "all",
        "impl Iterator for S { fn size_hint(&self) -> (usize, Option<usize>) { (a, Some(b + 1)) } }",
        &[],
    );
}

#[test]
fn an_exact_size_is_no_hint() {
    check(
        "AOR",
        "impl ExactSizeIterator for S {}
         impl Iterator for S { fn size_hint(&self) -> (usize, Option<usize>) { (a, Some(a + b)) } }",
        &["AOR: a + b => a - b", "AOR: a + b => a * b"],
    );
}

#[test]
fn nothing_under_conditions_about_the_build() {
    check_statements(
        "all,-FBR",
        "if cfg!(debug_assertions) { check(a < b); }",
        &[],
    );
    check_statements("all,-FBR", "if !cfg!(windows) && a { b(); c(); }", &[]);
    check_statements("all,-FBR", "if log::log_enabled!(Debug) { b(1); }", &[]);
}

#[test]
fn nothing_that_would_be_a_lie_to_the_compiler() {
    check_statements(
        "all,-FBR",
        "unsafe { std::hint::assert_unchecked(a < b) }; unsafe { unreachable_unchecked() };",
        &[],
    );
}

#[test]
fn a_guard_that_panics_is_no_junk() {
    check(
        "ROR,FBR",
        "fn f(n: u32) { if n > 5 { panic!(\"{n} is too much\"); } }",
        &[
            "FBR: if n > 5 { panic!(\"{n} is too much\"); } => ()",
            "ROR: n > 5 => n >= 5",
            "ROR: n > 5 => n != 5",
            "ROR: n > 5 => false",
        ],
    );
}

#[test]
fn a_body_that_is_the_default_is_not_replaced_by_it() {
    check(
        "FBR",
        "struct S; impl Default for S { fn default() -> S { S } } fn f() -> S { S::default() }",
        &[],
    );
}
