//! A library that is also used by a proc macro and a build script of its workspace.

use crate::runs::tree::Tree;

#[test]
fn what_runs_at_build_time_gets_the_library_without_mutants() {
    let tree = Tree::of("build_time_users");
    let run = tree.run(&["--workspace"]).has_code(0);
    run.check(
        "core/src/lib.rs",
        &[
            ("answer_of: replace + with -", "killed (panicked)"),
            ("type_name: replace 1 with 0", "killed (panicked)"),
            // rustc does not say where it rejects this; no other mutant is lost for it.
            (
                "<&'a Signed<T> as Neg>::neg: replace body with Default::default()",
                "unviable",
            ),
        ],
    );
    run.check(
        "user/src/lib.rs",
        &[
            ("both: replace + with -", "killed (panicked)"),
            ("doubled: replace * with +", "killed (failed)"),
        ],
    );
    let library = run.verdicts_in("core/src/lib.rs");
    assert!(library["unviable"] <= 2, "{library:?}");
    assert_eq!(run.verdicts_in("user/src/lib.rs").get("unviable"), None);
}
