//! Crates of all kinds in one workspace: what is woven, what is left alone, and whose tests kill
//! whose mutants.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::runs::tree::{Run, Tree};

/// The run of the whole workspace, made once.
fn whole() -> &'static Run {
    static RUN: OnceLock<Run> = OnceLock::new();
    RUN.get_or_init(|| {
        let tree = Tree::inside("crate_kinds", "ws");
        let before = sources(&tree);
        let run = tree.run(&["--workspace"]).has_code(5);
        assert_eq!(sources(&tree), before, "the user's tree was written to");
        assert_eq!(tree.stray_processes(), [""; 0]);
        run
    })
}

/// All that is in the tree besides what runs and cargo write.
fn sources(tree: &Tree) -> Vec<(String, String)> {
    fn collect(directory: &std::path::Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() && name != "target" && name != "scratch" {
                collect(&path, found);
            } else if path.is_file() && name != "Cargo.lock" {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.display().to_string(), text));
            }
        }
    }
    let mut found = Vec::new();
    collect(&tree.path(), &mut found);
    found.sort();
    found
}

#[test]
fn every_edition_is_woven() {
    let run = whole();
    run.check(
        "old/src/lib.rs",
        &[
            ("raised: replace + with -", "killed (panicked)"),
            ("room: replace body with 0", "killed (panicked)"),
        ],
    );
    run.check(
        "old/src/inner.rs",
        &[
            ("halved: replace / with *", "killed (panicked)"),
            ("two: replace body with 1", "killed (panicked)"),
        ],
    );
    run.check(
        "middle/src/lib.rs",
        &[
            ("total: replace += with -=", "killed (panicked)"),
            ("r#try: replace + with -", "killed (panicked)"),
        ],
    );
    run.check(
        "middle/src/inner.rs",
        &[
            ("distance: replace a < b with false", "killed (panicked)"),
            ("distance: replace < with <=", "uninfected"),
        ],
    );
    run.check(
        "old/src/exotic.rs",
        &[
            (
                "<Plus as Change>::change: replace + with -",
                "killed (panicked)",
            ),
            ("r#async: replace body with 0", "killed (panicked)"),
        ],
    );
}

#[test]
fn language_is_woven_and_constants_and_macros_are_not() {
    let run = whole();
    run.check(
        "language/src/lib.rs",
        &[
            ("largest: replace > with !=", "killed (panicked)"),
            ("largest: replace > with >=", "survived"),
            ("sum_of: replace + with -", "unviable"),
            ("later: replace + with -", "killed (panicked)"),
            ("later: replace * with +", "killed (panicked)"),
            ("in_chain: replace l < r with false", "killed (panicked)"),
            ("through_macro: replace * with +", "killed (panicked)"),
            ("counted: replace += with -=", "killed (panicked)"),
            ("adder: replace + with -", "killed (panicked)"),
            ("kind: delete match arm 0", "killed (panicked)"),
            ("Wallet::spend: replace || with &&", "killed (panicked)"),
            ("Wallet::spend: replace -= with +=", "killed (panicked)"),
            ("documented: replace << with >>", "killed (failed)"),
            ("documented_too: replace body with 1", "survived"),
        ],
    );
    let all = run.outcomes().mutants.iter();
    let there = all.filter(|mutant| mutant.info.file == "language/src/lib.rs");
    for mutant in there {
        let line = mutant.info.line;
        let name = mutant.info.name();
        assert!(
            !matches!(mutant.info.function.as_str(), "cube" | "finish"),
            "{name}"
        );
        assert!(!(30..=32).contains(&line), "a constant: {name}");
        assert!(!(51..=55).contains(&line), "a macro: {name}");
    }
}

#[test]
fn const_functions_are_woven_unless_a_constant_needs_them() {
    let run = whole();
    run.check(
        "constants/src/lib.rs",
        &[
            ("doubled: replace * with +", "killed (panicked)"),
            ("doubled: replace body with 0", "killed (panicked)"),
            ("Level::raised: replace > with >=", "uninfected"),
            ("Level::raised: replace + with -", "killed (panicked)"),
            ("hidden: replace + with -", "unviable"),
        ],
    );
    let mutants = run.outcomes().mutants.iter();
    let there = mutants.filter(|mutant| mutant.info.file == "constants/src/lib.rs");
    let functions: BTreeSet<&str> = there.map(|mutant| mutant.info.function.as_str()).collect();
    let expected = ["Level::raised", "doubled", "hidden"];
    assert_eq!(functions, BTreeSet::from(expected));
}

#[test]
fn a_const_function_that_another_crate_needs_costs_mutants_and_not_the_run() {
    let tree = Tree::of("const_functions");
    let run = tree.run(&[]).has_code(0);
    run.check(
        "src/lib.rs",
        &[
            ("area: replace * with +", "unviable"),
            ("edge: replace + with -", "killed (panicked)"),
        ],
    );
}

#[test]
fn crates_without_std_and_strict_crates_are_woven() {
    let run = whole();
    run.check(
        "bare/src/lib.rs",
        &[
            (
                "clamp: replace value > limit with false",
                "killed (panicked)",
            ),
            ("clamp: replace > with >=", "uninfected"),
            ("spread: replace - with +", "killed (panicked)"),
        ],
    );
    run.check(
        "bare-untested/src/lib.rs",
        &[
            ("doubled: replace * with +", "killed (panicked)"),
            ("doubled: replace value * 2 with value", "unviable"),
        ],
    );
    run.check(
        "strict/src/lib.rs",
        &[
            ("more: replace + with -", "killed (panicked)"),
            ("is_neat: replace && with ||", "killed (panicked)"),
            ("is_neat: replace < with <=", "killed (panicked)"),
            ("is_neat: replace < with !=", "survived"),
        ],
    );
}

#[test]
fn files_lines_and_panics_are_where_the_source_has_them() {
    // The tests of this crate assert it; if they failed, the run would have ended with code 4.
    whole().check(
        "places/src/lib.rs",
        &[
            ("here: replace add + 1 with add", "survived"),
            ("careful: replace 4 with 5", "killed (panicked)"),
            ("careful: replace - with +", "killed (panicked)"),
            ("called: replace n < 0 with false", "killed (panicked)"),
        ],
    );
}

#[test]
fn a_module_that_a_test_includes_by_its_path_is_woven_there_too() {
    let run = whole();
    run.check(
        "places/src/shared.rs",
        &[
            (
                "<Height as Add>::add: replace + with -",
                "killed (panicked)",
            ),
            ("raised: replace + with -", "unviable"),
        ],
    );
    assert!(!run.stderr.contains("no mutants in crate `by_path`"));
}

#[test]
fn generated_and_included_code_works() {
    let run = whole();
    run.check(
        "generated/src/lib.rs",
        &[
            ("square: replace + with *", "killed (panicked)"),
            (
                "lines_of: replace line.len() > 3 with false",
                "killed (panicked)",
            ),
            ("lines_of: replace body with 1", "killed (panicked)"),
        ],
    );
    run.says(
        "note: left alone: the proc macro of `derive-answer`, the build script of `generated`",
    );
    for left_alone in [
        "derive-answer/src/lib.rs",
        "generated/build.rs",
        "generated/tests/beside.rs",
    ] {
        assert!(run.verdicts_in(left_alone).is_empty(), "{left_alone}");
    }
    // What its build script compiled to see whether it compiles is nobody's crate.
    assert!(!run.stderr.contains("no mutants in crate `generated`"));
    let tests = &run.outcomes().tests;
    assert!(
        tests.iter().any(|test| test.package == "derive-answer"),
        "its tests still run"
    );
}

#[test]
fn a_test_that_runs_the_program_kills_mutants_in_it() {
    let run = whole();
    run.check(
        "tool/src/main.rs",
        &[
            ("main: replace 1 with 0", "killed (panicked)"),
            ("decorated: replace + with -", "killed (panicked)"),
            ("decorated: replace * with +", "killed (panicked)"),
            ("code: replace body with 0", "killed (panicked)"),
            ("backwards: replace - with +", "killed (panicked)"),
        ],
    );
    let mutant = run.mutant("tool/src/main.rs", "decorated", "replace + with -");
    assert_eq!(run.killers(mutant), ["the_program_decorates"]);
    let mutant = run.mutant("tool/src/main.rs", "code", "replace body with 0");
    assert_eq!(
        run.killers(mutant),
        ["the_program_fails_with_the_right_code"]
    );
}

#[test]
fn tests_of_one_package_kill_mutants_of_another() {
    let run = whole();
    run.check(
        "shapes/src/lib.rs",
        &[
            ("area: replace * with +", "killed (panicked)"),
            ("volume: replace * with +", "killed (panicked)"),
            ("perimeter: replace + with -", "killed (panicked)"),
        ],
    );
    let mutant = run.mutant("shapes/src/lib.rs", "perimeter", "replace + with -");
    assert_eq!(run.killers(mutant), ["threads_can_be_used"]);
}

#[test]
fn code_that_is_left_out_is_not_built() {
    let run = whole();
    run.check(
        "features/src/lib.rs",
        &[
            ("calm: replace + with -", "killed (panicked)"),
            ("quiet: replace + with -", "killed (panicked)"),
            ("elsewhere: replace + with -", "not built"),
            ("within: replace * with +", "not built"),
            ("within: replace + with -", "killed (panicked)"),
        ],
    );
    for file in ["features/src/loud.rs", "tool/src/extra.rs"] {
        let verdicts = run.verdicts_in(file);
        assert_eq!(verdicts.keys().collect::<Vec<_>>(), ["not built"], "{file}");
    }
}

#[test]
fn doctests_and_programs_without_libtest_count_as_tests() {
    let run = whole();
    run.check(
        "documented/src/lib.rs",
        &[
            ("area: replace * with +", "killed (failed)"),
            ("refuse: replace / with *", "killed (failed)"),
            ("shown: replace + with -", "unreached"),
            ("both: replace + with -", "killed (panicked)"),
        ],
    );
    let mutant = run.mutant("documented/src/lib.rs", "area", "replace * with +");
    assert_eq!(
        run.killers(mutant),
        ["documented/src/lib.rs - area (line 5)"]
    );
    run.check(
        "plain-main/src/lib.rs",
        &[
            ("product: replace * with +", "killed (failed)"),
            ("unseen: replace * with +", "unreached"),
            ("patient: replace -= with +=", "killed (step limit)"),
        ],
    );
}

#[test]
fn a_crate_that_cant_be_woven_costs_only_its_own_mutants() {
    let run = whole();
    run.says("warning: no mutants in package `outside`: the crate's root lies outside");
    let lines = run.stderr.lines().filter(|line| line.contains("`outside`"));
    assert_eq!(lines.count(), 2, "{}", run.stderr);
    run.says("error: exit code 5: the mutants of package `outside` were not tested");
    let verdicts = run.verdicts_in("../beside/lib.rs");
    assert_eq!(verdicts.keys().collect::<Vec<_>>(), ["not built"]);
    let mutant = run.mutant("../beside/lib.rs", "sum", "replace + with -");
    let note = mutant.note.as_deref().unwrap_or_default();
    assert!(note.contains("the crate's root lies outside"), "{note:?}");
    assert!(
        run.outcomes()
            .tests
            .iter()
            .any(|test| test.package == "outside")
    );
}

#[test]
fn what_was_compiled_as_it_is_is_woven_once_it_is_asked_for() {
    let tree = Tree::inside("crate_kinds", "ws");
    let without = tree.run(&["-p", "old"]).has_code(2);
    assert!(without.verdicts_in("shapes/src/lib.rs").is_empty());
    let both = tree.run(&["-p", "old", "-p", "shapes"]).has_code(2);
    both.check(
        "shapes/src/lib.rs",
        &[("volume: replace * with +", "killed (panicked)")],
    );
    let again = tree.run(&["-p", "old"]).has_code(2);
    assert_eq!(again.verdicts(), without.verdicts());
}

#[test]
fn packages_features_and_doctests_can_be_chosen() {
    let tree = Tree::inside("crate_kinds", "ws");
    let packages = [
        "-p",
        "features",
        "-p",
        "documented",
        "-p",
        "shapes",
        "-p",
        "tool",
    ];
    let features = ["--features", "features/loud,tool/extra", "--no-doc"];
    let run = tree
        .run(&[&packages[..], &features[..]].concat())
        .has_code(2);
    run.check(
        "features/src/lib.rs",
        &[
            ("calm: replace + with -", "killed (panicked)"),
            ("quiet: replace + with -", "not built"),
            ("within: replace * with +", "killed (panicked)"),
        ],
    );
    run.check(
        "features/src/loud.rs",
        &[("loud: replace + with -", "killed (panicked)")],
    );
    run.check(
        "tool/src/extra.rs",
        &[("extra: replace + with -", "killed (panicked)")],
    );
    run.check(
        "documented/src/lib.rs",
        &[
            ("area: replace * with +", "unreached"),
            ("both: replace + with -", "killed (panicked)"),
        ],
    );
    // The test that would reach it is in a package that was not asked for.
    run.check(
        "shapes/src/lib.rs",
        &[("volume: replace * with +", "unreached")],
    );
    assert!(run.outcomes().tests.iter().all(|test| test.target != "doc"));
    let packages: std::collections::BTreeSet<_> = run
        .outcomes()
        .mutants
        .iter()
        .map(|mutant| mutant.info.package.as_str())
        .collect();
    assert_eq!(
        packages.into_iter().collect::<Vec<_>>(),
        ["documented", "features", "shapes", "tool"]
    );

    let skipping = tree
        .run(&["-p", "documented", "--", "--skip", "area"])
        .has_code(2);
    skipping.check(
        "documented/src/lib.rs",
        &[
            ("area: replace * with +", "unreached"),
            ("refuse: replace / with *", "killed (failed)"),
        ],
    );
}
