//! Mutants that misbehave, tests of every kind, and the ways to run them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixListener;
use std::path::Path;

use atropos_protocol::FailureKind;

use crate::runs::tree::{Run, Tree};

/// A verdict, and who killed the mutant how.
type Fate<'r> = (String, Vec<(&'r str, FailureKind)>);

/// Every mutant's fate, by its name.
fn matrix(run: &Run) -> BTreeMap<String, Fate<'_>> {
    let verdicts = run.verdicts();
    let all = run.outcomes().mutants.iter();
    all.map(|mutant| {
        let name = mutant.info.name();
        let how = mutant.killed_by.iter().map(|kill| kill.how);
        let killers = run.killers(mutant).into_iter().zip(how).collect();
        (name.clone(), (verdicts[&name].clone(), killers))
    })
    .collect()
}

#[track_caller]
fn misbehaving_mutants_get_the_right_verdict(run: &Run) {
    run.check(
        "src/harm.rs",
        &[
            ("loop_for_ever: negate really", "killed (step limit)"),
            ("recurse: replace depth - 1 with depth", "killed (crashed)"),
            ("eat_memory: negate really", "killed (memory limit)"),
            ("fill_the_disk: negate really", "killed (file limit)"),
            ("reserve: negate really", "survived"),
            ("start_processes: negate really", "killed (spawn limit)"),
            ("leave: negate really", "killed (exited)"),
            ("abort: negate really", "killed (crashed)"),
            ("write_to_nowhere: negate really", "killed (crashed)"),
            ("panic_twice: negate really", "killed (crashed)"),
            ("panic_in_drop: negate really", "killed (panicked)"),
            ("delete: negate really", "killed (panicked)"),
            ("delete_what_others_need: negate really", "undecided"),
            ("signal_to_all: negate really", "undecided"),
            (
                "write_down_how_it_failed: negate really",
                "killed (panicked)",
            ),
            ("close_descriptors: negate really", "survived"),
            ("talk: negate really", "survived"),
            ("leave_a_child: negate really", "survived"),
            ("leave_a_file: negate really", "survived"),
            ("leave_a_thread: negate really", "survived"),
            ("wander: negate really", "survived"),
            // The test looks at the clock, so once is not enough.
            ("come_late: negate really", "survived"),
            // So it is where the machine may lack something.
            ("lack_space: negate really", "survived"),
        ],
    );
}

#[track_caller]
fn files_of_the_user_stay(tree: &Tree, run: &Run) {
    assert!(tree.path().join("Cargo.toml").exists());
    let mutant = run.mutant("src/harm.rs", "delete_what_others_need", "negate really");
    let note = mutant.note.as_deref().unwrap_or_default();
    let why = "under harm::tests::files_of_others_stay it was stopped before it changed what";
    assert!(note.contains(why), "{note}");
    assert!(note.ends_with(": `unlink Cargo.toml`"), "{note}");
    let mutant = run.mutant("src/harm.rs", "signal_to_all", "negate really");
    let note = mutant.note.as_deref().unwrap_or_default();
    let why = "sent a signal to a process that is not the test's own: `kill -1`";
    assert!(note.ends_with(why), "{note}");
    let failures = tree.path().join("proptest-regressions/harm.txt");
    assert_eq!(fs::read_to_string(failures).unwrap(), "# none yet\n");
}

#[track_caller]
fn tests_of_every_kind_kill(run: &Run) {
    run.check(
        "src/manners.rs",
        &[
            ("rounded: replace n + 5 with n", "killed (panicked)"),
            ("rounded: replace 5 with 6", "survived"),
            ("join: delete text.push_str(between);", "killed (panicked)"),
            ("weight: replace * with +", "killed (panicked)"),
            ("refuse: replace 5u32 with 6u32", "killed (panicked)"),
            ("read: replace + with -", "killed (failed)"),
            ("evens: replace > with !=", "uninfected"),
            ("neglected: replace n + 1 with n", "unreached"),
        ],
    );
}

#[track_caller]
fn all_killers_are_named(run: &Run) {
    let check = |function: &str, summary: &str, expected: &[&str]| {
        let mutant = run.mutant("src/manners.rs", function, summary);
        assert_eq!(run.killers(mutant), expected, "{summary} in {function}");
    };
    let sequential = [
        "tests::sequential_one",
        "tests::sequential_three",
        "tests::sequential_two",
    ];
    check("rounded", "replace body with 0", &sequential);
    check("rounded", "replace 5 with 4", &["tests::sequential_two"]);
    check(
        "join",
        "delete text.push_str(between);",
        &["tests::sequential_three"],
    );
    check("weight", "replace * with +", &["tests::threaded"]);
    let both = ["tests::little_does_not_panic", "tests::too_much_panics"];
    check("refuse", "replace body with 1", &both);
    check(
        "refuse",
        "replace 5u32 with 6u32",
        &["tests::little_does_not_panic"],
    );
    let mutant = run.mutant("src/manners.rs", "refuse", "replace body with 1");
    let how: Vec<FailureKind> = mutant.killed_by.iter().map(|kill| kill.how).collect();
    assert_eq!(how, [FailureKind::Panicked, FailureKind::Failed]);
    check(
        "read",
        "replace + with -",
        &["tests::a_result_can_be_returned"],
    );
}

/// Tells mutants whether they ask for the first time.
fn count_times(tree: &Tree, place: &Path) {
    let listener = UnixListener::bind(place).unwrap();
    fs::write(tree.scratch().join("counter"), place.to_str().unwrap()).unwrap();
    std::thread::spawn(move || {
        let mut known = BTreeSet::new();
        for mut stream in listener.incoming().flatten() {
            let mut name = String::new();
            let _ = stream.read_to_string(&mut name);
            let answer: &[u8] = if known.insert(name) {
                b"first"
            } else {
                b"again"
            };
            let _ = stream.write_all(answer);
        }
    });
}

#[test]
fn all_ways_agree_on_mutants_that_behave_and_that_do_not() {
    let tree = Tree::of("misbehaving_mutants");
    let sockets = tempfile::tempdir().unwrap();
    count_times(&tree, &sockets.path().join("counter"));
    let each = tree.run(&["--way", "each", "--kill-matrix"]).has_code(2);
    let strangers = fs::read_to_string(tree.scratch().join("strangers"));
    assert_eq!(strangers.unwrap(), "once\n");
    misbehaving_mutants_get_the_right_verdict(&each);
    tests_of_every_kind_kill(&each);
    all_killers_are_named(&each);
    // What a program makes that a mutant starts is removed again.
    assert!(!tree.path().join("stray.txt").exists());
    let build = tree.build_times();
    for way in ["fork", "batch"] {
        let other = tree.run(&["--way", way, "--kill-matrix"]).has_code(2);
        let (reference, other) = (matrix(&each), matrix(&other));
        assert_eq!(reference.len(), other.len());
        for (name, fate) in reference {
            assert_eq!(other[&name], fate, "{name}, {way} against each");
        }
        assert_eq!(tree.stray_processes(), [""; 0], "after {way}");
    }
    let usual = tree.run(&["--verbose"]).has_code(2);
    misbehaving_mutants_get_the_right_verdict(&usual);
    files_of_the_user_stay(&tree, &usual);
    tests_of_every_kind_kill(&usual);
    let one_killer = |run: &Run| {
        run.outcomes()
            .mutants
            .iter()
            .all(|m| m.killed_by.len() <= 1)
    };
    assert!(one_killer(&usual) && !one_killer(&each));
    usual.says("25. src/manners.rs:4 fn rounded");
    usual.says("    4 | (n + 5) / 10 * 10");
    usual.says("49. src/manners.rs:43 fn neglected: no test runs it");
    usual.says("Score: ");
    assert_eq!(tree.stray_processes(), [""; 0]);
    assert_eq!(
        tree.build_times(),
        build,
        "a run of the same mutants builds nothing"
    );
}
