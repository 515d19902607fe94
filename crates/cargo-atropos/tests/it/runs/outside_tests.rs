//! Code that runs before `main`, at the end of the program, when thread-local values go, and in processes that tests leave
//! behind counts as it does under `cargo test`.

use crate::runs::tree::Tree;

const MANIFEST: &str = "[package]\nname = \"outside\"\nedition = \"2024\"\n[workspace]\n";

#[test]
fn code_before_main_and_at_the_end_is_reached_and_its_mutants_are_killed() {
    let tree = Tree::with(&[
        ("Cargo.toml", MANIFEST),
        (
            "src/lib.rs",
            r#"use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

pub static LIMIT: AtomicU32 = AtomicU32::new(0);
pub static UNUSED: AtomicU32 = AtomicU32::new(0);
static CALLS: AtomicU32 = AtomicU32::new(0);

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    LIMIT.store(limit(40), Relaxed);
    UNUSED.store(unused(40), Relaxed);
    unsafe { atexit(at_exit) };
}

fn limit(base: u32) -> u32 {
    base + 2
}

fn unused(base: u32) -> u32 {
    base + 3
}

pub fn call() {
    CALLS.store(7, Relaxed);
}

extern "C" fn at_exit() {
    if !is_sound(CALLS.load(Relaxed)) {
        unsafe { _exit(9) };
    }
}

fn is_sound(calls: u32) -> bool {
    calls == 7 || calls == 0
}

unsafe extern "C" {
    fn atexit(handler: extern "C" fn()) -> i32;
    fn _exit(code: i32) -> !;
}

pub struct Local(pub u32);

impl Drop for Local {
    fn drop(&mut self) {
        if is_broken(self.0) {
            std::process::abort();
        }
    }
}

fn is_broken(value: u32) -> bool {
    value == 5
}

thread_local! {
    static LOCAL: Local = const { Local(4) };
}

pub fn look() -> bool {
    LOCAL.with(|local| local.0 > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_known() {
        assert_eq!(LIMIT.load(Relaxed), 42);
    }

    #[test]
    fn calls_are_counted() {
        call();
        assert!(CALLS.load(Relaxed) > 0);
    }

    #[test]
    fn thread_local_values_are_there() {
        assert!(look());
    }
}
"#,
        ),
    ]);
    let run = tree.run(&["--no-doc"]).has_code(2);
    let mut verdicts = Vec::new();
    for mutant in &run.outcomes().mutants {
        let verdict = mutant.verdict.map(|verdict| verdict.to_string());
        let killed = mutant.verdict.is_some_and(|verdict| verdict.is_killed());
        let word = if killed {
            "killed".to_owned()
        } else {
            verdict.unwrap_or_default()
        };
        verdicts.push((
            mutant.info.function.clone(),
            mutant.info.edit_and_operator(),
            word,
        ));
    }
    let all_are = |function: &str, edit: &str, word: &str| {
        let mut found = verdicts.iter();
        let found: Vec<_> = found
            .by_ref()
            .filter(|(of, by, _)| of == function && by.contains(edit))
            .collect();
        assert!(!found.is_empty(), "{function}: {verdicts:#?}");
        for one in found {
            assert_eq!(one.2, word, "{one:?}");
        }
    };
    all_are("limit", "", "killed");
    all_are("unused", "", "survived");
    // Only the handler at the end looks at what was written.
    all_are("call", "replace 7", "killed");
    all_are("is_sound", "replace body with false", "killed");
    all_are("is_sound", "replace body with true", "survived");
    all_are("is_broken", "replace body with true", "killed");
    all_are("is_broken", "replace body with false", "survived");
    // What follows a failure without any mutant is not reached.
    let unreached = verdicts.iter().filter(|(.., word)| word == "unreached");
    for one in unreached {
        assert_eq!(one.0, "at_exit", "{one:?}");
    }
}

#[test]
fn programs_that_tests_start_are_reached_however_they_are_started() {
    let main = r#"fn main() {
    let way = std::env::args().nth(1).unwrap();
    if way == "late" {
        std::thread::sleep(std::time::Duration::from_millis(100));
        std::process::exit(spawned::late(3) as i32);
    }
    println!("{}", spawned::cleared(4));
}
"#;
    let tree = Tree::with(&[
        (
            "Cargo.toml",
            "[package]\nname = \"spawned\"\nedition = \"2024\"\n[workspace]\n",
        ),
        (
            "src/lib.rs",
            "pub fn cleared(x: u32) -> u32 { x + 1 }\n\npub fn late(x: u32) -> u32 { x + 2 }\n",
        ),
        ("src/main.rs", main),
        (
            "tests/programs.rs",
            r##"use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_spawned");

#[test]
fn a_program_without_an_environment_is_looked_at() {
    let output = Command::new(PROGRAM).arg("cleared").env_clear().output().unwrap();
    assert_eq!(output.stdout, b"5\n");
    let output = Command::new("env").env_clear().output().unwrap();
    assert_eq!(output.stdout, b"");
}

#[test]
fn a_program_is_left_behind() {
    let script = r#""$0" late >/dev/null 2>&1 &"#;
    let status = Command::new("sh").args(["-c", script, PROGRAM]).status().unwrap();
    assert!(status.success());
}
"##,
        ),
    ]);
    let run = tree.run(&["--no-doc"]).has_code(2);
    run.check(
        "src/lib.rs",
        &[
            ("cleared: replace body with 0", "killed (panicked)"),
            ("cleared: replace + with -", "killed (panicked)"),
            ("late: replace body with 0", "survived"),
            ("late: replace + with -", "survived"),
        ],
    );
}
