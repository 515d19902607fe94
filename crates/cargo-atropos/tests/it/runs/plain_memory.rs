//! `--races`: data races and memory errors are found, nothing is reported that is right, and mutants die of them.

use serde_json::Value;

use crate::runs::tree::{Run, Tree, verdict};

#[test]
fn explore_finds_races_memory_errors_and_crashes_and_says_where() {
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
        (
            "a_place_on_a_stack_is_used_when_its_function_has_returned",
            "use after return",
            [
                "thread 0 reads 8 bytes",
                "on the stack of thread 1: the function",
            ],
        ),
        (
            "a_place_on_the_stack_of_a_thread_that_has_ended_is_used",
            "use after return",
            [
                "reads 8 bytes in",
                "on the stack of thread 1, which has ended",
            ],
        ),
        (
            "what_is_freed_lies_on_the_stack",
            "invalid free",
            ["gives memory back", "on the stack of thread 0"],
        ),
        (
            "a_lock_is_replaced_while_another_thread_takes_it",
            "data race",
            ["of a static", "at tests/errors.rs:"],
        ),
        (
            "a_channel_drops_what_races",
            "data race",
            ["in add at src/lib.rs:16:", "tests/errors.rs:"],
        ),
        (
            "two_readers_write",
            "data race",
            ["in add at src/lib.rs:16:", "at tests/errors.rs:"],
        ),
        (
            "the_only_owner_left_takes_what_others_wrote",
            "data race",
            ["reads in get at", "writes in add at"],
        ),
        (
            "dropping_an_arc_orders_only_what_the_last_owner_does",
            "data race",
            ["in add at src/lib.rs:16:", "at tests/errors.rs:"],
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
    for (name, result, words) in [
        ("aborts", "crash", "SIGABRT"),
        ("exits", "exit", "ended its process with code 3"),
        ("exits_well", "exit", "ended its process with code 0"),
        ("reads_at_null", "crash", "SIGSEGV"),
        ("reads_where_nothing_is", "crash", "SIGSEGV"),
        (
            "breaks_a_precondition",
            "crash",
            "slice::get_unchecked requires that the index",
        ),
        ("panics_while_it_panics", "crash", "the second one"),
        ("panics_across_c", "crash", "nobody may unwind from here"),
        ("overflows_its_stack", "crash", "a stack that is too small"),
    ] {
        let test = test(name);
        assert_eq!(test["result"], result, "{name}: {test}");
        assert_eq!(test["schedules"], 1, "{name}: the same in every run");
        assert_eq!(test["found"]["replayed"], true, "{name}");
        let text = test["found"]["text"].as_str().unwrap();
        assert!(text.contains(words), "{name}: {text}");
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

#[test]
fn leaks_are_failures_on_request() {
    let tree = Tree::of("plain_memory");
    let explore = |leaks: &[&str], code| {
        let usual = ["explore", "--json", "-C--offline"];
        let tests = ["--test", "leaks"];
        let explored = tree
            .run(&[&usual[..], &tests, leaks].concat())
            .has_code(code);
        let report: Value = serde_json::from_str(&explored.stdout).unwrap();
        report["tests"].as_array().unwrap().clone()
    };
    for test in explore(&[], 0) {
        assert_eq!(test["result"], "passed", "{test}");
    }
    for test in explore(&["--leaks"], 2) {
        let name = test["name"].as_str().unwrap();
        let words = match name {
            "a_message_is_overwritten" => "bytes that thread",
            "two_owners_own_each_other" => "leak: 2 blocks of",
            _ => {
                assert_eq!(test["result"], "passed", "{test}");
                continue;
            }
        };
        assert_eq!(test["result"], "leak", "{name}: {test}");
        assert_eq!(test["found"]["replayed"], true, "{name}");
        let text = test["found"]["text"].as_str().unwrap();
        assert!(
            text.contains(words) && text.contains("tests/leaks.rs:"),
            "{name}: {text}"
        );
    }
    let of_correct = tree.run(&["explore", "--leaks", "-C--offline", "--test", "correct"]);
    of_correct.has_code(0);
    let refused = tree.run(&["explore", "--leaks", "--races", "off", "-C--offline"]);
    assert!(
        refused
            .has_code(1)
            .stderr
            .contains("leave out `--races off` or `--leaks`")
    );
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
