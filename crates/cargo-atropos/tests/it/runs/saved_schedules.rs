//! Schedules that were saved with `explore --save`: they are run first, under their own conditions, also by runs of mutants,
//! and they are looked for again where the code has changed.

use std::fs;

use serde_json::Value;

use crate::runs::tree::{Tree, verdict};

const MANIFEST: &str =
    "[package]\nname = \"saved\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n";

const LIB: &str = "\
use std::sync::Mutex;

pub fn push(order: &Mutex<Vec<u32>>, thread: u32) {
    order.lock().unwrap().push(thread);
}
";

/// The first fails under one schedule of some thousands, the second where a timer may fire at any moment.
const TESTS: &str = "\
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

fn order(first: u32) -> Vec<u32> {
    let order = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for thread in [1, 2] {
            let order = &order;
            scope.spawn(move || {
                if thread == first {
                    (0..5).for_each(|_| saved::push(order, thread));
                } else {
                    (0..5).for_each(|_| saved::push(order, thread));
                }
            });
        }
    });
    order.into_inner().unwrap()
}

#[test]
fn some_late_orders_fail() {
    let order = order(1);
    assert!(order[..3] != [2, 2, 1] || order[6..] != [2, 1, 2, 1]);
}

#[test]
fn the_sleeper_comes_last() {
    let order = Mutex::new(Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_secs(1));
            saved::push(&order, 1);
        });
        saved::push(&order, 2);
    });
    assert_eq!(order.into_inner().unwrap(), [2, 1]);
}
";

const FILE: &str = "atropos-schedules.toml";

fn tree() -> Tree {
    Tree::with(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("tests/orders.rs", TESTS),
    ])
}

/// The result of the only test that `explore` is to find, and in which schedule it was found.
fn explore(tree: &Tree, name: &str, more: &[&str]) -> (String, u64) {
    let arguments = [&["explore", name, "--json", "-C--offline"], more].concat();
    let explored = tree.run(&arguments);
    let report: Value = serde_json::from_str(&explored.stdout).unwrap();
    let test = &report["tests"][0];
    let schedules = test["schedules"].as_u64().unwrap();
    (test["result"].as_str().unwrap().to_owned(), schedules)
}

#[test]
fn a_saved_schedule_is_run_first_and_found_again_when_the_code_has_changed() {
    let tree = tree();
    let name = "some_late_orders_fail";
    let (result, before) = explore(&tree, name, &["--save"]);
    assert_eq!(result, "panic");
    assert!(before > 10, "{before}");
    let saved = tree.read(FILE);
    assert!(
        saved.contains(name) && saved.contains("schedule = \"s1:"),
        "{saved}"
    );
    assert_eq!(explore(&tree, name, &[]), ("panic".to_owned(), 1));
    // The lock is taken once more in each push: the schedule ends before the threads do.
    tree.edit(
        "src/lib.rs",
        "    order.lock()",
        "    let _ = order.lock().unwrap().len();\n    order.lock()",
    );
    let (result, again) = explore(&tree, name, &["--save"]);
    assert_eq!(result, "panic");
    assert!(again > 1 && again <= 201, "{again} of {before}");
    assert_ne!(tree.read(FILE), saved);
    assert_eq!(explore(&tree, name, &[]), ("panic".to_owned(), 1));
    // Nothing is found any more: the entry is reported, and removed.
    tree.edit(
        "tests/orders.rs",
        "assert!(order[..3]",
        "assert!(order.len() == 10 || order[..3]",
    );
    tree.edit(
        "src/lib.rs",
        "    let _ = order.lock().unwrap().len();\n",
        "",
    );
    tree.edit("tests/orders.rs", "let order = Mutex::new(Vec::new());\n    thread::scope(|scope| {\n        for", "let order = Mutex::new(Vec::new());\n    thread::spawn(|| ()).join().unwrap();\n    thread::scope(|scope| {\n        for");
    let arguments = ["explore", name, "--save", "--budget=300", "-C--offline"];
    tree.run(&arguments).has_code(0).says(&format!(
        "warning: {FILE}: the schedule of `{name}` does not apply any more, and none like it fails; it was removed"
    ));
    assert!(!tree.read(FILE).contains(name));
}

#[test]
fn mutants_wait_for_saved_schedules_which_have_conditions_of_their_own() {
    let tree = tree();
    let (result, _) = explore(&tree, "some_late_orders_fail", &["--save"]);
    assert_eq!(result, "panic");
    let sleeper = "the_sleeper_comes_last";
    assert_eq!(explore(&tree, sleeper, &[]).0, "passed");
    let adversarial = ["--time", "adversarial", "--save"];
    assert_eq!(explore(&tree, sleeper, &adversarial).0, "panic");
    let saved = tree.read(FILE);
    assert_eq!(
        saved
            .matches("conditions = { time = \"adversarial\" }")
            .count(),
        1
    );
    assert_eq!(explore(&tree, sleeper, &[]), ("panic".to_owned(), 1));
    tree.run(&["replay", sleeper]).has_code(2);

    let run = tree.run(&["-f", "src/lib.rs", "-C--offline"]).has_code(4);
    let why = "tests fail without any mutant: some_late_orders_fail (test orders), the_sleeper_comes_last (test orders)";
    assert!(run.stderr.contains(why), "{}", run.stderr);
    // They decide nothing about a mutant that only acts where threads are controlled.
    let unlocked = run.mutant(
        "src/lib.rs",
        "push",
        "take away the exclusion of order.lock()",
    );
    assert_eq!(verdict(unlocked), "undecided");
    // Without them, the run knows nothing of these failures.
    fs::remove_file(tree.path().join(FILE)).unwrap();
    tree.run(&[
        "-f",
        "src/lib.rs",
        "-F",
        "push",
        "--explore=random:20",
        "-C--offline",
    ])
    .has_code(0);
}
