//! `--races`: data races and memory errors are found, nothing is reported that is right, and mutants die of them.

use serde_json::Value;

use crate::runs::tree::{Run, Tree, verdict};

#[test]
fn explore_finds_races_and_memory_errors_and_says_where() {
    let tree = Tree::of("plain_memory");
    let explored = tree
        .run(&["explore", "--races", "on", "--json", "-C--offline"])
        .has_code(2);
    let report: Value = serde_json::from_str(&explored.stdout).unwrap();
    let tests = report["tests"].as_array().unwrap();
    let test = |name: &str| tests.iter().find(|test| test["name"] == name).unwrap();
    for (name, result, words) in [
        (
            "two_threads_add_without_a_lock",
            "data race",
            ["in add at src/lib.rs:16:", "at tests/errors.rs:"],
        ),
        (
            "two_threads_use_a_static",
            "data race",
            ["8 bytes of a static", "at tests/errors.rs:23:"],
        ),
        (
            "a_flag_does_not_publish",
            "data race",
            ["in get at src/lib.rs:21:", "thread 1 writes"],
        ),
        (
            "an_atomic_is_read_as_if_it_were_none",
            "data race",
            ["writes atomically", "reads in"],
        ),
        (
            "a_block_is_used_after_it_was_freed",
            "use after free",
            ["thread 0 allocated in", "thread 1 freed in"],
        ),
        (
            "a_block_is_freed_twice",
            "double free",
            ["gives memory back", "and thread 0 freed in"],
        ),
        (
            "what_is_freed_is_no_block",
            "invalid free",
            ["gives memory back", "of a block of 32 bytes"],
        ),
        (
            "an_access_goes_beyond_its_block",
            "out of bounds",
            ["reads 4 bytes", "byte 20 of a block of 20 bytes"],
        ),
    ] {
        let test = test(name);
        assert_eq!(test["result"], result, "{name}: {test}");
        assert_eq!(test["found"]["replayed"], true, "{name}");
        let text = test["found"]["text"].as_str().unwrap();
        for words in words {
            assert!(text.contains(words), "{name}: {text}");
        }
    }
    let of_correct = |test: &&Value| test["target"] == "test correct";
    let correct: Vec<&Value> = tests.iter().filter(of_correct).collect();
    assert!(correct.len() > 12, "{}", explored.stdout);
    for test in correct {
        assert_eq!(test["result"], "passed", "{test}");
    }
    let again = tree
        .run(&["replay", "two_threads_use_a_static"])
        .has_code(2);
    for words in [
        "data race on 8 bytes",
        "thread 0 \"two_threads_use_a_static\" writes in two_",
    ] {
        assert!(again.stdout.contains(words), "{}", again.stdout);
    }
}

/// How the mutants fared that weaken the orderings of `Published`.
fn weakened(run: &Run) -> Vec<String> {
    let mutants = run.outcomes().mutants.iter();
    let weakened = mutants.filter(|mutant| mutant.info.replacement.contains("Relaxed"));
    weakened.map(verdict).collect()
}

#[test]
fn a_mutant_dies_of_a_data_race_unless_races_survive() {
    let tree = Tree::of("plain_memory");
    let select = [
        "--file",
        "src/lib.rs",
        "--operators",
        "RVK",
        "--no-impact",
        "-C--offline",
    ];
    let run = |races: &str, code| {
        let test = ["--", "what_is_published_is_complete"];
        tree.run(&[&select[..], &["--races", races], &test].concat())
            .has_code(code)
    };
    let on = run("on", 0);
    assert_eq!(weakened(&on), ["killed (data race)"; 2], "{}", on.stdout);
    assert_eq!(tree.replay_kills(&on), 2);
    let survive = run("survive", 2);
    assert_eq!(weakened(&survive), ["survived"; 2], "{}", survive.stdout);
}
