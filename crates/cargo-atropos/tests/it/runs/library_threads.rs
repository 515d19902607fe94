//! Tests whose threads are a library's: whether their schedules matter depends on whose code these run.

use crate::runs::tree::{Run, Tree};

/// The tests that were explored, by name.
fn explored(run: &Run) -> Vec<&str> {
    let outcomes = run.outcomes();
    let explorations = outcomes.explorations.iter();
    let mut names: Vec<&str> = explorations
        .map(|one| outcomes.tests[one.test].name.as_str())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn schedules_of_threads_that_run_no_code_of_the_package_are_explored_on_request_only() {
    let tree = Tree::of("library_threads");
    let run = tree.run(&["--no-doc"]).has_code(0);
    assert_eq!(explored(&run), ["tests::a_square_is_a_product"]);
    run.check(
        "src/lib.rs",
        &[
            ("mean: replace / with *", "killed (panicked)"),
            ("square: replace * with +", "killed (panicked)"),
        ],
    );
    let run = tree.run(&["--no-doc", "--explore", "random:5"]).has_code(0);
    assert_eq!(explored(&run).len(), 2);
    let run = tree.run(&["--no-doc", "--", "a_mean"]).has_code(2);
    run.says(
        "note: the schedules of tests::a_mean_lies_between (lib) are not explored: \
         its threads run no code of the package",
    );
    assert!(explored(&run).is_empty());
}
