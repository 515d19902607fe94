//! Nothing is lost: runs that are killed, interrupted, made twice at once, or made again.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use crate::runs::tree::{Run, Tree};

/// Every mutant costs a process and a fraction of a second.
const SLOWLY: &[&str] = &["--way", "each", "--no-doc", "--explore", "off", "-j", "2"];

fn journal(tree: &Tree) -> String {
    fs::read_to_string(tree.output().join("journal.jsonl")).unwrap_or_default()
}

/// Starts a run and waits until a few verdicts are on disk but not all.
fn start_and_wait_for_verdicts(tree: &Tree) -> Child {
    let before = journal(tree);
    let mut child = tree.start(SLOWLY);
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let text = journal(tree);
        let unfinished = text != before && !text.ends_with("{\"complete\":true}\n");
        if unfinished && text.matches("\"kill\"").count() > 3 {
            return child;
        }
        let ended = child.try_wait().unwrap();
        assert!(
            ended.is_none() && Instant::now() < deadline,
            "{ended:?}, {text}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// The pairs of test and mutant that a journal tells of.
fn pairs(journal: &str) -> Vec<(String, u64)> {
    let entries = journal.lines().filter_map(|line| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        Some((
            value["test"].as_str()?.to_owned(),
            value["mutant"].as_u64()?,
        ))
    });
    entries.collect()
}

#[track_caller]
fn went_on(run: &Run, undisturbed: &Run) {
    run.says("going on where an earlier run of the same build ended");
    assert!(run.outcomes().complete);
    assert_eq!(run.verdicts(), undisturbed.verdicts());
}

#[test]
fn a_run_that_was_killed_or_interrupted_is_gone_on_with() {
    let tree = Tree::of("slow_tests");
    let undisturbed = tree.run(SLOWLY).has_code(2);
    assert!(
        !undisturbed.stderr.contains("going on"),
        "{}",
        undisturbed.stderr
    );
    undisturbed.check(
        "src/lib.rs",
        &[
            ("price: replace * with +", "killed (panicked)"),
            ("price: replace > with >=", "survived"),
            ("is_large: replace body with false", "survived"),
        ],
    );

    let mut killed = start_and_wait_for_verdicts(&tree);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(tree.stray_processes(), [""; 0], "after kill -9");
    let left = journal(&tree);
    went_on(&tree.run(SLOWLY).has_code(2), &undisturbed);
    let whole = journal(&tree);
    let lines = left.rfind('\n').unwrap_or(0);
    assert!(
        whole.starts_with(&left[..lines]),
        "what was decided is kept"
    );
    let decided = pairs(&whole);
    let distinct: BTreeSet<_> = decided.iter().collect();
    assert_eq!(distinct.len(), decided.len(), "nothing is decided twice");

    let interrupted = start_and_wait_for_verdicts(&tree);
    let id = interrupted.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let run = tree.finish(interrupted).has_code(130);
    let page = tree.read("target/atropos/report.html");
    assert!(page.contains("<p class=\"warning\">The run was interrupted after "));
    run.says("error: exit code 130: interrupted; the next run goes on from here");
    let outcomes = run.outcomes();
    assert!(!outcomes.complete);
    assert!(
        outcomes.totals.untested > 0 && outcomes.totals.killed > 0,
        "{:?}",
        outcomes.totals
    );
    let final_verdicts = undisturbed.verdicts();
    for (name, verdict) in run
        .verdicts()
        .iter()
        .filter(|(_, said)| *said != "untested")
    {
        assert_eq!(*verdict, final_verdicts[name], "{name}");
    }
    assert_eq!(tree.stray_processes(), [""; 0], "after Ctrl-C");
    went_on(&tree.run(SLOWLY).has_code(2), &undisturbed);
}

/// Starts a run and waits until it compiles.
fn start_and_wait_for_compilers(tree: &Tree) -> Child {
    let child = tree.start(SLOWLY);
    let is_compiling = || {
        let entries = fs::read_dir(tree.output()).into_iter().flatten().flatten();
        entries
            .into_iter()
            .any(|entry| entry.path().join("cargo.log").is_file())
    };
    let deadline = Instant::now() + Duration::from_secs(120);
    while !is_compiling() {
        assert!(Instant::now() < deadline, "it does not compile");
        thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_build_that_was_ended_is_no_obstacle() {
    let tree = Tree::of("failing_tests");
    let mut killed = start_and_wait_for_compilers(&tree);
    killed.kill().unwrap();
    killed.wait().unwrap();
    // The compilers that it leaves behind end by themselves.
    assert_eq!(tree.stray_processes(), [""; 0], "after kill -9");
    assert!(tree.run(SLOWLY).has_code(0).outcomes().complete);
    fs::remove_dir_all(tree.output()).unwrap();

    let interrupted = start_and_wait_for_compilers(&tree);
    let id = interrupted.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    let run = tree.finish(interrupted).has_code(130);
    assert!(run.outcomes.is_none(), "nothing is known yet");
    assert_eq!(
        tree.stray_processes(),
        [""; 0],
        "after a termination signal"
    );
    assert!(tree.run(&[]).has_code(0).outcomes().complete);
}

#[test]
fn two_runs_at_once_take_turns_and_a_run_that_ended_is_made_anew() {
    let tree = Tree::of("slow_tests");
    let (one, other) = (tree.start(&[]), tree.start(&[]));
    let (one, other) = (tree.finish(one).has_code(2), tree.finish(other).has_code(2));
    assert_eq!(one.verdicts(), other.verdicts());
    assert!(other.outcomes().complete);
    let waited = [&one, &other].map(|run| run.stderr.contains("waiting for another run"));
    assert_eq!(waited.iter().filter(|waited| **waited).count(), 1);
    assert!(!other.stderr.contains("going on"), "{}", other.stderr);

    // A file that a test reads changes verdicts, though nothing is built anew.
    one.check(
        "src/lib.rs",
        &[("is_large: replace body with false", "survived")],
    );
    let build = tree.build_times();
    tree.write("limit.txt", "strict\n");
    let strict = tree.run(&[]).has_code(2);
    strict.check(
        "src/lib.rs",
        &[("is_large: replace body with false", "killed (panicked)")],
    );
    assert_eq!(tree.build_times(), build, "nothing was to be built");
    assert_eq!(tree.stray_processes(), [""; 0]);
}
