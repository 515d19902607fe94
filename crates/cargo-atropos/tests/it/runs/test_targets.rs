//! Runs with the tests of some targets only.

use crate::runs::tree::{Run, Tree};

const MANIFEST: &str =
    "[package]\nname = \"targets\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
const LIB: &str = "\
/// ```
/// assert_eq!(targets::twice(2), 4);
/// ```
pub fn twice(n: u32) -> u32 {
    n * 2
}

#[test]
fn inside() {
    assert!(twice(1) > 0);
}
";
const TEST: &str = "#[test]\nfn outside() {\n    assert_eq!(targets::twice(3), 6);\n}\n";

fn tests(run: &Run) -> Vec<&str> {
    let tests = run.outcomes().tests.iter();
    tests.map(|test| test.name.as_str()).collect()
}

#[test]
fn only_the_targets_that_are_named_are_tested() {
    let tree = Tree::with(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("tests/outside.rs", TEST),
    ]);
    let run =
        |arguments: &[&str]| tree.run(&[&["--operators=AOR", "--offline"], arguments].concat());
    let all = run(&[]);
    assert_eq!(tests(&all).len(), 3, "{:?}", tests(&all));
    let lib = run(&["--lib"]).has_code(2);
    assert_eq!(tests(&lib), ["inside"]);
    let outside = run(&["--test", "outside"]).has_code(0);
    assert_eq!(tests(&outside), ["outside"]);
    let both = run(&["--lib", "--test", "outside"]).has_code(0);
    let mut names = tests(&both);
    names.sort_unstable();
    assert_eq!(names, ["inside", "outside"]);
    run(&["--test", "nothing"]).has_code(4);
}

#[test]
fn editors_read_survivors_as_messages_of_cargo() {
    let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", LIB)]);
    let arguments = ["--operators=AOR", "--lib", "--message-format", "json"];
    let run = tree.run(&arguments).has_code(2);
    let messages = cargo_metadata::Message::parse_stream(run.stdout.as_bytes());
    let messages: Vec<_> = messages.collect::<Result<_, _>>().unwrap();
    let survived = run.outcomes().totals.survived;
    assert!(survived > 0);
    assert_eq!(messages.len(), survived + 1);
    let again = tree.run(&["report", "--format", "cargo"]).has_code(0);
    assert_eq!(again.stdout, run.stdout);
}
