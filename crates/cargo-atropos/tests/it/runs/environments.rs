//! What users have around cargo: wrappers of the compiler, runners of tests, other targets. Where `cargo test` works, a run works, or says in
//! one sentence why not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::runs::broken_builds::MANIFEST;
use crate::runs::tree::Tree;

const SUM: &str = "/// ```\n/// assert_eq!(small::sum(1, 1), 2);\n/// ```\n\
    pub fn sum(a: u32, b: u32) -> u32 {\n    a + b\n}\n\n\
    #[test]\nfn sums() {\n    assert_eq!(sum(2, 3), 5);\n    assert_eq!(sum(9, 1), 10);\n}\n";

fn tree() -> Tree {
    Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SUM)])
}

fn configured(config: &str) -> Tree {
    Tree::with(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", SUM),
        (".cargo/config.toml", config),
    ])
}

/// What cargo calls this machine.
fn host() -> String {
    let output = std::process::Command::new("rustc").arg("-vV").output();
    let text = String::from_utf8(output.expect("rustc runs").stdout).expect("text");
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}

#[test]
fn a_wrapper_that_knows_compilers_by_their_names_is_called_on_the_compiler() {
    let tree = tree();
    let wrapper = tree.scratch().join("cache");
    let script = "#!/bin/sh\ncase \"$(basename \"$1\")\" in rustc) ;; *) echo \"no compiler: $1\" >&2; exit 2;; esac\n\
        [ -n \"$CARGO\" ] || exit 3\nexec \"$@\"\n";
    fs::write(&wrapper, script).expect("a file");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("permissions");
    let wrapper = wrapper.to_str().expect("text");
    tree.run_with(&[], &[("RUSTC_WRAPPER", wrapper)])
        .has_code(0);
    let config = format!("[build]\nrustc-wrapper = {wrapper:?}\n");
    configured(&config).run(&[]).has_code(0);
}

#[test]
fn a_runner_of_the_user_and_a_quiet_cargo_do_not_stand_in_the_way() {
    for runner in ["\"env RUN=1\"", "[\"env\", \"RUN=1\"]"] {
        let config = format!(
            "[target.{}]\nrunner = {runner}\n[term]\nquiet = true\n",
            host()
        );
        let run = configured(&config).run(&[]).has_code(0);
        let tests: Vec<&str> = run
            .outcomes()
            .tests
            .iter()
            .map(|test| test.target.as_str())
            .collect();
        assert_eq!(tests, ["lib", "doc"], "{runner}");
    }
}

#[test]
fn programs_that_cant_hold_mutants_are_refused_in_one_sentence() {
    let refused = |variable: (&str, &str), sentence: &str| {
        let run = tree().run_with(&[], &[variable]).has_code(1);
        run.says(sentence);
    };
    refused(
        ("RUSTFLAGS", "-C target-feature=+crt-static"),
        "error: the tests are linked statically (`target-feature=+crt-static`)",
    );
    refused(
        ("CARGO_BUILD_TARGET", "x86_64-unknown-linux-musl"),
        "error: the tests are built for `x86_64-unknown-linux-musl`",
    );
}

#[test]
fn a_wrapper_for_the_workspace_and_a_test_that_leaves_its_session_change_nothing() {
    let leaves = format!(
        "{SUM}\n#[test]\nfn leaves() {{\n    unsafe extern \"C\" {{\n        fn setsid() -> i32;\n    }}\n    \
         unsafe {{ setsid() }};\n    assert_eq!(sum(4, 4), 8);\n}}\n"
    );
    let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &leaves)]);
    for way in ["fork", "batch", "each"] {
        tree.run_with(&["--way", way], &[("RUSTC_WORKSPACE_WRAPPER", "env")])
            .has_code(0);
    }
    assert_eq!(tree.stray_processes(), Vec::<String>::new());
}

#[test]
fn tools_that_are_too_old_are_refused_in_one_sentence() {
    let tree = tree();
    let program = |name: &str, script: &str| {
        let path = tree.scratch().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        path.to_str().expect("text").to_owned()
    };
    let old_rustc =
        "echo 'rustc 1.63.0 (4b91a6ea7 2022-08-08)'; echo 'host: x86_64-unknown-linux-gnu'";
    let rustc = program("rustc", old_rustc);
    let run = tree.run_with(&[], &[("RUSTC", &rustc)]).has_code(1);
    run.says("error: the crate under test is built with rustc 1.63.0");
    for (script, sentence) in [
        (
            "echo \"error: unknown option '$2'\" >&2; exit 1",
            "error: cargo can't read the workspace",
        ),
        (
            "echo cargo 0.0.1",
            "error: cargo's answer about the workspace can't be understood",
        ),
    ] {
        let cargo = program("cargo", script);
        let run = tree.run_with(&[], &[("CARGO", &cargo)]).has_code(1);
        run.says(sentence);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    }
}
