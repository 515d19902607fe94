//! Survivors that a team accepts with a reason, and entries that are no longer needed.

use crate::runs::tree::{Run, Tree};

const MANIFEST: &str =
    "[package]\nname = \"team\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

const SOURCE: &str = "\
pub fn sum(a: u32, b: u32) -> u32 {
    a + b
}

pub fn product(a: u32, b: u32) -> u32 {
    a * b
}

#[test]
fn sums() {
    assert_eq!(sum(2, 3), 5);
    assert!(product(2, 3) > 0);
}
";

fn contains(run: Run, words: &str) {
    assert!(run.stderr.contains(words), "{}", run.stderr);
}

#[test]
fn an_accepted_survivor_does_not_count_until_a_test_kills_it_or_it_is_gone() {
    let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE)]);
    let run = || tree.run(&["--operators=AOR"]);
    let first = run().has_code(2);
    let survived = first.outcomes().totals.survived;
    assert!(survived > 0);

    // A mutant that a test kills, one that is not there, and no reason are refused.
    let refused = tree.run(&["accept", "src/lib.rs:2", "--reason", "x"]);
    contains(refused.has_code(1), "so there is nothing to accept");
    let refused = tree.run(&["accept", "src/lib.rs:3", "--reason", "x"]);
    contains(refused.has_code(1), "no mutant on line 3 of src/lib.rs");
    let refused = tree.run(&["accept", "src/lib.rs:6", "--reason", " "]);
    contains(refused.has_code(1), "a reason is needed");

    let reason = "the \"product\" is a hint";
    let accepted = tree.run(&["accept", "src/lib.rs:6", "--reason", reason]);
    let accepted = accepted.has_code(0);
    assert_eq!(accepted.stdout.matches("accepted: ").count(), survived);
    let again = tree.run(&["accept", "src/lib.rs:6", "--reason", "once more"]);
    contains(again.has_code(0), "is accepted already");

    let second = run().has_code(0);
    let outcomes = second.outcomes();
    assert_eq!(
        (outcomes.totals.accepted, outcomes.totals.missed()),
        (survived, 0)
    );
    assert_eq!(outcomes.totals.score(), Some(1.0));
    let with_reason =
        |mutant: &&atropos_report::outcomes::MutantRecord| mutant.note.as_deref() == Some(reason);
    assert_eq!(
        outcomes.mutants.iter().filter(with_reason).count(),
        survived
    );
    tree.run(&["accept", "--expired"]).has_code(0);

    // Lines above it move; then a test kills it; then it is gone.
    tree.edit("src/lib.rs", "pub fn sum", "\n\npub fn sum");
    run().has_code(0);
    tree.edit("src/lib.rs", "product(2, 3) > 0", "product(2, 3) == 6");
    contains(
        run().has_code(0),
        "is accepted in atropos-accepted.toml, but a test kills it now",
    );
    let expired = tree.run(&["accept", "--expired"]).has_code(2);
    assert_eq!(
        expired.stdout.matches("is killed by a test").count(),
        survived
    );
    tree.edit("src/lib.rs", "a * b", "a.pow(b)");
    let expired = tree.run(&["accept", "--expired"]).has_code(2);
    assert_eq!(
        expired.stdout.matches("matches no mutant any more").count(),
        survived
    );

    tree.write("atropos-accepted.toml", "[[accepted]]\nkey = 1\n");
    contains(
        run().has_code(1),
        "error: atropos-accepted.toml can't be used",
    );
}
