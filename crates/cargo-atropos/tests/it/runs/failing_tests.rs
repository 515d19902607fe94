//! What is said when the tests are no judges: they fail, do not compile, are not there, or waver.

use std::io::Write as _;
use std::net::TcpListener;
use std::thread;

use crate::runs::tree::Tree;

#[test]
fn tests_that_cant_judge_are_named() {
    let tree = Tree::of("failing_tests");
    let good = tree.run(&[]).has_code(0);
    assert!(good.outcomes().complete);

    let failing = tree.run_with(&[], &[("FAIL", "1")]).has_code(4);
    failing.says("---- lib tests::sums ----");
    failing.says("about to sum");
    failing.says("  left: 5");
    failing.says(
        "error: exit code 4: tests fail without any mutant, so they can't judge mutants: lib tests::sums;",
    );
    assert_eq!(failing.stdout, "");
    failing.says("note: the reports in target/atropos are still those of an earlier run");

    let failing = tree.run_with(&[], &[("FAIL_PROGRAM", "1")]).has_code(4);
    failing.says("---- test program (whole program) ----");
    failing.says("the program is told to fail");
    tree.run_with(&["--", "--skip", "program"], &[("FAIL_PROGRAM", "1")])
        .has_code(0);

    let wavering = tree.run_with(&[], &[("WAVER", "1")]).has_code(3);
    let by_chance = "lib tests::wavers passes and fails by chance; it decides nothing here";
    wavering.says(&format!("warning: {by_chance}"));
    assert_eq!(wavering.outcomes().warnings, [by_chance]);
    wavering.check(
        "src/lib.rs",
        &[
            ("sum: replace + with -", "killed (panicked)"),
            ("product: replace * with +", "undecided"),
        ],
    );
    let undecided = wavering.mutant("src/lib.rs", "product", "replace * with +");
    let why = "undecided: it makes a difference only under lib tests::wavers, which passes and fails by chance";
    assert_eq!(undecided.note.as_deref(), Some(why));
    assert!(
        wavering
            .outcomes()
            .tests
            .iter()
            .all(|test| test.name != "tests::wavers")
    );

    let skipping = tree
        .run_with(&["--", "--skip", "sums"], &[("FAIL", "1")])
        .has_code(2);
    skipping.check("src/lib.rs", &[("sum: replace + with -", "unreached")]);

    tree.edit("src/lib.rs", "    a * b\n", "    a * \"b\"\n");
    let broken = tree.run(&[]).has_code(4);
    broken.says("error[E0277]: cannot multiply `u32` by `&str`");
    broken.says(" --> src/lib.rs:8:7");
    broken.says("error: exit code 4: the tests do not build without any mutant");
    assert!(
        !broken.stderr.contains("atropos_runtime"),
        "{}",
        broken.stderr
    );

    // Tests that need a feature which is off: rustc says so, and we say how to turn it on.
    tree.edit("src/lib.rs", "a * \"b\"", "a * b");
    let gated = "\n#[cfg(feature = \"extra\")]\npub fn extra() {}\n";
    tree.write("src/lib.rs", &(tree.read("src/lib.rs") + gated));
    tree.edit(
        "Cargo.toml",
        "[workspace]\n",
        "[workspace]\n\n[features]\nextra = []\n",
    );
    tree.write(
        "tests/extra.rs",
        "#[test]\nfn extra() {\n    failing_tests::extra();\n}\n",
    );
    let gated = tree.run(&[]).has_code(4);
    gated.says("note: they use what features leave out: `--all-features`");
    tree.run(&["--all-features"]).has_code(0);

    let (code, _) = tree
        .read("src/lib.rs")
        .split_once("#[cfg(test)]")
        .map(own)
        .unwrap();
    tree.write("src/lib.rs", &code);
    tree.edit(
        "Cargo.toml",
        "[[test]]\nname = \"program\"\nharness = false\n",
        "",
    );
    std::fs::remove_dir_all(tree.path().join("tests")).unwrap();
    let untested = tree.run(&[]).has_code(2);
    untested.says("warning: no tests were found, so no mutant can be killed");
    assert_eq!(
        untested
            .verdicts_in("src/lib.rs")
            .into_keys()
            .collect::<Vec<_>>(),
        ["unreached"]
    );
    assert_eq!(tree.stray_processes(), [""; 0]);
}

fn own((left, right): (&str, &str)) -> (String, String) {
    (left.to_owned(), right.to_owned())
}

/// A service that answers well once, as one that breaks down while mutants run.
fn breaks_down() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let mut stream = stream;
            let _ = stream.write_all(if number == 0 { b"well" } else { b"not" });
        }
    });
    port
}

#[test]
fn a_program_that_fails_without_a_mutant_by_now_kills_none() {
    let tree = Tree::with(&[
        (
            "Cargo.toml",
            "[package]\nname = \"asking\"\nedition = \"2024\"\n[[test]]\nname = \"asks\"\nharness = false\n[workspace]\n",
        ),
        (
            "src/lib.rs",
            "pub fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
        ),
        (
            "tests/asks.rs",
            r#"use std::io::Read as _;

fn main() {
    let port: u16 = std::env::var("SERVICE").unwrap().parse().unwrap();
    let mut answer = String::new();
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.read_to_string(&mut answer).unwrap();
    assert!(asking::sum(2, 2) == 4 && answer == "well");
}
"#,
        ),
    ]);
    let port = breaks_down().to_string();
    let run = tree.run_with(&["--re", "with -"], &[("SERVICE", &port)]);
    let run = run.has_code(3);
    run.check("src/lib.rs", &[("sum: replace + with -", "undecided")]);
}
