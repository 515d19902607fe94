//! Compilers that are killed, and builds that come to nothing: never taken for a verdict, never kept.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::runs::tree::Tree;

pub const MANIFEST: &str =
    "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

const SUM: &str = "pub fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\n\n\
    #[test]\nfn sums() {\n    assert_eq!(sum(2, 3), 5);\n    assert_eq!(sum(9, 1), 10);\n}\n";

const SHARED: &str = "use std::sync::Mutex;\nuse std::thread;\n\n\
    pub fn add(total: &Mutex<u32>, more: u32) {\n    *total.lock().unwrap() += more;\n}\n\n\
    #[test]\nfn threads_add() {\n    let total = Mutex::new(0);\n    thread::scope(|scope| {\n        \
    scope.spawn(|| add(&total, 2));\n        scope.spawn(|| add(&total, 3));\n    });\n    \
    assert_eq!(*total.lock().unwrap(), 5);\n}\n";

/// A compiler that kills itself for calls with these words in them, as long as its mark is there.
struct Deadly {
    rustc: PathBuf,
    mark: PathBuf,
}

impl Deadly {
    fn on(tree: &Tree, words: &str, name: &str) -> Deadly {
        let rustc = tree.scratch().join(name);
        let mark = tree.scratch().join("mark");
        let script = format!(
            "#!/bin/sh\nif [ -e '{}' ]; then case \"$*\" in *{words}*) kill -9 $$;; esac; fi\nexec rustc \"$@\"\n",
            mark.display()
        );
        fs::write(&rustc, script).expect("a file");
        fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).expect("permissions");
        fs::write(&mark, "").expect("a file");
        Deadly { rustc, mark }
    }

    fn variable(&self) -> (&'static str, &str) {
        ("RUSTC", self.rustc.to_str().expect("text"))
    }

    fn is_mended(&self) {
        fs::remove_file(&self.mark).expect("the mark is there");
    }
}

#[test]
fn a_compiler_that_is_killed_fails_the_run_and_the_next_run_has_all_mutants() {
    let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SUM)]);
    for (words, name) in [("--emit=metadata", "rustc"), ("--emit=dep-info", "rustc")] {
        let deadly = Deadly::on(&tree, words, name);
        let killed = tree.run_with(&[], &[deadly.variable()]).has_code(5);
        killed.says("error: rustc ended without a diagnostic (signal: 9)");
        assert!(killed.outcomes.is_none(), "{}", killed.stdout);
        deadly.is_mended();
    }
    let deadly = Deadly::on(&tree, "never", "another-compiler");
    let run = tree.run_with(&[], &[deadly.variable()]).has_code(0);
    assert!(run.outcomes().totals.killed > 0);
    assert_eq!(run.outcomes().totals.not_built, 0);
}

#[test]
fn a_compiler_that_is_killed_in_the_build_for_exploration_changes_no_verdict() {
    let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SHARED)]);
    let deadly = Deadly::on(&tree, "atropos_explore_harness-atropos.rlib", "rustc");
    let killed = tree.run_with(&[], &[deadly.variable()]).has_code(5);
    killed.says("error: rustc ended without a diagnostic (signal: 9)");
    deadly.is_mended();
    let again = tree.run_with(&[], &[deadly.variable()]);
    let fresh = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SHARED)]).run(&[]);
    assert_eq!(again.code, fresh.code, "{}", again.stderr);
    assert_eq!(again.verdicts(), fresh.verdicts());
}

/// A compiler that runs a command of the shell in the tree before it compiles the tests, once.
fn compiler_that_edits(tree: &Tree, command: &str) -> PathBuf {
    let script = format!(
        "case \"$*\" in *--emit=dep-info*--test*) (cd '{}' && {command});; esac",
        tree.path().display()
    );
    compiler(tree, &script)
}

#[test]
fn source_that_changes_during_the_build_is_not_reported_as_tested() {
    for (command, change) in [
        ("echo '// more' >> src/lib.rs", "src/lib.rs"),
        ("rm -f src/lib.rs", "src/lib.rs is gone"),
        ("mkdir -p tests; echo > tests/new.rs", "tests/new.rs is new"),
    ] {
        let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SUM)]);
        let rustc = compiler_that_edits(&tree, command);
        let run = tree.run_with(&[], &[("RUSTC", rustc.to_str().expect("text"))]);
        let run = run.has_code(1);
        run.says(&format!(
            "error: the source changed while the run went on ({change})"
        ));
        assert!(run.outcomes.is_none(), "{}", run.stdout);
    }
}

#[test]
fn source_that_changes_while_mutants_run_fails_the_run() {
    let test = "#[test]\nfn sums() {\n    assert_eq!(small::sum(2, 3), 5);\n    \
        if let Ok(file) = std::env::var(\"EDITED\") {\n        std::fs::write(file, \"pub fn sum() {}\").unwrap();\n    }\n}\n";
    let sum = SUM.split("#[test]").next().expect("code");
    let files = [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", sum),
        ("tests/sums.rs", test),
    ];
    let tree = Tree::with(&files);
    let edited = tree.path().join("src/lib.rs");
    let run = tree.run_with(&[], &[("EDITED", edited.to_str().expect("text"))]);
    let run = run.has_code(1);
    run.says("error: exit code 1: the source changed while the run went on (src/lib.rs)");
}

/// A compiler that is the real one but for what these lines of a shell script do before.
fn compiler(tree: &Tree, script: &str) -> PathBuf {
    let rustc = tree.scratch().join("rustc");
    let script = format!("#!/bin/sh\n{script}\nexec rustc \"$@\"\n");
    fs::write(&rustc, script).expect("a file");
    fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).expect("permissions");
    rustc
}

#[test]
fn a_toolchain_that_is_too_old_is_named() {
    let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SUM)]);
    let script = "case \"$*\" in -vV) rustc -vV | sed 's/1\\.[0-9]*\\./1.70./'; exit;; esac";
    let rustc = compiler(&tree, script);
    let variables = [("RUSTC", rustc.to_str().expect("text"))];
    let run = tree.run_with(&[], &variables).has_code(1);
    run.says("error: the crate under test is built with rustc 1.70.");
}

#[test]
fn a_toolchain_that_threads_cant_be_explored_with_is_named_and_the_rest_is_done() {
    let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SHARED)]);
    // What else it says makes it a toolchain of its own, for which nothing is compiled yet.
    let script = "case \"$*\" in -vV) rustc -vV; echo 'threads: none'; exit;; \
        *--crate-name=atropos_search*) echo 'error[E0658]: unstable' >&2; exit 1;; esac";
    let rustc = compiler(&tree, script);
    let run = tree.run_with(&[], &[("RUSTC", rustc.to_str().expect("text"))]);
    assert!([2, 3].contains(&run.code), "{}", run.stderr);
    run.says("warning: tests that start threads can't be explored");
    assert!(run.outcomes().totals.killed > 0);
}

#[test]
fn nothing_tested_is_no_success() {
    let gated = "#[cfg(feature = \"more\")]\npub fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\n";
    let manifest = format!("{MANIFEST}\n[features]\nmore = []\n");
    let tree = Tree::with(&[("Cargo.toml", &manifest), ("src/lib.rs", gated)]);
    let run = tree.run(&[]).has_code(5);
    run.says("error: exit code 5: no mutant of the selected code was built, so nothing was tested");
}

#[test]
fn a_doctest_that_does_not_compile_fails_the_run() {
    let documented = |test: &str, edition: &str| {
        let right = "/// ```\n/// assert_eq!(small::sum(1, 1), 2);\n/// ```\n";
        // So many that they are merged.
        let text = format!("{right}{test}{right}{right}{SUM}");
        let manifest = MANIFEST.replace("2024", edition);
        Tree::with(&[("Cargo.toml", &manifest), ("src/lib.rs", &text)])
    };
    let wrong = "/// ```\n/// let sum: u8 = \"none\";\n/// ```\n";
    let too_good = "/// ```compile_fail\n/// let sum = small::sum(1, 2);\n/// ```\n";
    let failing = "/// ```\n/// assert_eq!(small::sum(1, 1), 3);\n/// ```\n";
    // It passes only in a program of many doctests.
    let alone = "/// ```\n/// assert!(line!() > 3);\n/// ```\n";
    for (test, edition, package) in [
        (wrong, "2021", ""),
        (wrong, "2024", ""),
        (too_good, "2021", ""),
        (failing, "2021", "doc "),
        (alone, "2021", "doc "),
    ] {
        let run = documented(test, edition).run(&[]).has_code(4);
        run.says(&format!(
            "error: exit code 4: tests fail without any mutant: {package}src/lib.rs - sum (line 4)"
        ));
        assert_eq!(
            run.verdicts_in("src/lib.rs").keys().collect::<Vec<_>>(),
            ["killed (panicked)"]
        );
    }
    documented("", "2021").run(&[]).has_code(0);
}

#[test]
fn merged_doctests_say_what_they_say_alone() {
    let source = "\
/// ```
/// assert_eq!(small::sum(1, 2), 3);
/// ```
pub fn sum(a: u32, b: u32) -> u32 {
    a + b
}
/// ```
/// assert_eq!(small::product(2, 3), 6);
/// std::process::exit(0);
/// ```
/// ```should_panic
/// assert_eq!(small::product(2, 3), 5);
/// ```
pub fn product(a: u32, b: u32) -> u32 {
    a * b
}
/// ```
/// assert!(small::smaller(3, 3));
/// # assert!(std::env::vars_os().all(|(name, _)| !name.to_string_lossy().ends_with(\"BOOTSTRAP\")));
/// ```
/// ```no_run
/// small::smaller(1, 2);
/// ```
pub fn smaller(a: u32, b: u32) -> bool {
    a <= b
}
";
    let tree = |edition: &str, source: &str| {
        let manifest = MANIFEST.replace("2024", edition);
        Tree::with(&[("Cargo.toml", &manifest), ("src/lib.rs", source)])
    };
    let programs = |tree: &Tree| {
        let weaves = std::fs::read_dir(tree.output()).expect("the output is there");
        let weaves = weaves
            .flatten()
            .map(|entry| entry.path().join("doctests-0"));
        let kept = weaves.flat_map(std::fs::read_dir).flatten().flatten();
        kept.filter(|entry| entry.path().join("doctest").is_file())
            .count()
    };
    let killers = |tree: &Tree| {
        let run = tree.run(&[]).has_code(2);
        let outcomes = run.outcomes();
        let mutants = outcomes.mutants.iter();
        mutants
            .map(|mutant| {
                (
                    mutant.info.key.clone(),
                    format!("{:?} {:?}", mutant.verdict, run.killers(mutant)),
                )
            })
            .collect::<Vec<_>>()
    };
    // A word by which a doctest could tell where it stands.
    let alone = tree("2021", &format!("{source}// line!()\n"));
    let said = killers(&alone);
    assert!(
        said.iter().any(|(_, verdict)| verdict.contains("line 17")),
        "{said:?}"
    );
    assert_eq!(programs(&alone), 4);
    for edition in ["2018", "2024"] {
        let merged = tree(edition, source);
        assert_eq!(killers(&merged), said, "{edition}");
        assert_eq!(programs(&merged), 1, "{edition}");
    }
}
