//! A package whose tests use packages that use it, and are not mutated themselves.

use crate::runs::tree::Tree;

#[test]
fn a_package_can_be_tested_through_others_that_use_it_and_are_not_mutated() {
    let tree = Tree::inside("dependency_cycles", "ws");
    let run = tree.run(&["-p", "counted"]).has_code(0);
    run.check(
        "counted/src/lib.rs",
        &[
            ("next: replace + with -", "killed (panicked)"),
            ("before: replace - with +", "killed (panicked)"),
        ],
    );
}
