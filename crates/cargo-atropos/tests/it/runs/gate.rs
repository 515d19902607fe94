//! A gate that can be trusted: no tree whose tests fail passes, and the last line says why the code is not 0.

use crate::runs::tree::{Run, Tree};

const MANIFEST: &str =
    "[package]\nname = \"gated\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

/// Two mutants by `AOR` of each of two functions, one of which is tested.
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

fn last_line(run: &Run) -> &str {
    run.stderr.lines().next_back().unwrap_or_default()
}

fn tree(source: &str) -> Tree {
    Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", source)])
}

#[test]
fn scores_and_numbers_of_survivors_are_compared_with_what_is_wanted() {
    let tree = tree(SOURCE);
    let run = |arguments: &[&str]| tree.run(&[&["--operators=AOR"], arguments].concat());
    let usual = run(&[]).has_code(2);
    let totals = &usual.outcomes().totals;
    let (mutants, survived) = (totals.mutants, totals.survived);
    assert!(survived > 0 && survived < mutants);
    assert_eq!(
        last_line(&usual),
        format!("error: exit code 2: of {mutants} mutants: {survived} survived")
    );
    run(&["--min-score", "30"]).has_code(0);
    let low = run(&["--min-score", "90"]).has_code(2);
    assert!(last_line(&low).ends_with(" %, and at least 90 % is wanted"));
    run(&["--max-survivors", &survived.to_string()]).has_code(0);
    let many = run(&["--max-survivors", "0"]).has_code(2);
    let words = "were not killed, and at most 0 are allowed";
    assert!(last_line(&many).ends_with(words));
    run(&["--fail-on", "unreached,limit"]).has_code(0);
    tree.write("atropos.toml", "fail-on = [\"unreached\"]\n");
    run(&["--config", "atropos.toml"]).has_code(0);
    run(&["--config", "atropos.toml", "--fail-on", "survived"]).has_code(2);

    // What a filter leaves has a score of its own, and it is said that it is one.
    let part = run(&["-F", "fn sum"]).has_code(0);
    assert!(
        part.stdout
            .contains(&format!("of the selected mutants, out of {mutants} (")),
        "{}",
        part.stdout
    );
    // The next one is told of the mutants that the last one has killed, and has no score.
    run(&[]).has_code(2);
    let again = run(&["--iterate"]).has_code(2);
    assert!(again.stdout.contains("No score: 0 of "), "{}", again.stdout);
    assert!(!again.stdout.contains("Score:"), "{}", again.stdout);
    let refused = run(&["--iterate", "--min-score", "50"]).has_code(1);
    assert!(last_line(&refused).contains("there is no score"));
}

#[test]
fn a_tree_whose_tests_fail_never_passes() {
    // A file that does not parse has no mutants, and the tests don't build.
    let broken = tree("pub fn sum(a: u32 -> u32 {\n");
    let run = broken.run(&[]).has_code(4);
    let words = "error: exit code 4: the tests do not build without any mutant";
    assert_eq!(last_line(&run), words);

    // A doctest that fails, although unit tests kill every mutant.
    let doctest = "/// ```\n/// assert_eq!(gated::sum(1, 1), 3);\n/// ```\n";
    let source = format!("{doctest}{}", SOURCE.replace("(2, 3) > 0", "(2, 3) == 6"));
    let doctest = tree(&source);
    let run = doctest.run(&["--operators=AOR"]).has_code(4);
    assert_eq!(run.outcomes().totals.missed(), 0);
    let words = "error: exit code 4: tests fail without any mutant: ";
    assert!(last_line(&run).starts_with(words), "{}", run.stderr);
    doctest.run(&["--operators=AOR", "--no-doc"]).has_code(0);

    // No line changed, so there is no mutant to test; but the tests fail.
    let failing = tree(&SOURCE.replace("(2, 3), 5", "(2, 3), 6"));
    failing.write("empty.diff", "");
    let run = failing.run(&["--in-diff", "empty.diff"]).has_code(4);
    assert!(last_line(&run).contains("tests fail without any mutant"));
    failing.edit("src/lib.rs", "(2, 3), 6", "(2, 3), 5");
    failing.run(&["--in-diff", "empty.diff"]).has_code(0);
}
