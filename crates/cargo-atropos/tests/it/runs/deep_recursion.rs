//! Code that goes deep, in a program whose frames are larger for all the mutants in them.

use crate::runs::tree::Tree;

#[test]
fn stacks_that_are_large_enough_without_mutants_do_not_overflow_for_them() {
    let tree = Tree::of("deep_recursion");
    let run = tree.run(&["-F", "replace 1 with 2"]).has_code(0);
    let mutants: Vec<_> = run.verdicts_in("src/lib.rs").into_iter().collect();
    assert_eq!(mutants, [("killed (panicked)".into(), 2)]);
}
