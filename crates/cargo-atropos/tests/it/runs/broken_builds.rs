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

#[test]
fn nothing_tested_is_no_success() {
    let gated = "#[cfg(feature = \"more\")]\npub fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\n";
    let manifest = format!("{MANIFEST}\n[features]\nmore = []\n");
    let tree = Tree::with(&[("Cargo.toml", &manifest), ("src/lib.rs", gated)]);
    let run = tree.run(&[]).has_code(5);
    run.says("error: exit code 5: no mutant of the selected code was built, so nothing was tested");
}
