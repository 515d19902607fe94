//! Dependencies that the user's cargo has compiled: used as they are, and never changed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::runs::tree::Tree;

/// A package with one dependency from a registry, which has a build script, and one that lies beside the workspace.
fn tree() -> Tree {
    Tree::with(&[
        (
            "Cargo.toml",
            "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
             [dependencies]\nleaf = \"1.2.3\"\nbeside = { path = \"beside\" }\n\n\
             [workspace]\nexclude = [\"beside\", \"vendored\"]\n\n\
             [profile.other]\ninherits = \"dev\"\n",
        ),
        (
            "src/lib.rs",
            "pub fn sum(a: u32, b: u32) -> u32 {\n    a + b + leaf::nothing() + beside::nothing()\n}\n\n\
             #[test]\nfn sums() {\n    assert_eq!(sum(2, 3), 5);\n    assert_eq!(sum(9, 1), 10);\n}\n",
        ),
        (
            ".cargo/config.toml",
            "[source.crates-io]\nreplace-with = \"vendored\"\n\n[source.vendored]\ndirectory = \"vendored\"\n",
        ),
        ("vendored/leaf/.cargo-checksum.json", "{\"files\":{}}"),
        (
            "vendored/leaf/Cargo.toml",
            "[package]\nname = \"leaf\"\nversion = \"1.2.3\"\nedition = \"2021\"\n",
        ),
        (
            "vendored/leaf/build.rs",
            "fn main() {\n    let out = std::env::var(\"OUT_DIR\").unwrap();\n    \
             std::fs::write(out + \"/made.rs\", \"0\").unwrap();\n}\n",
        ),
        (
            "vendored/leaf/src/lib.rs",
            "pub fn nothing() -> u32 {\n    include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"))\n}\n",
        ),
        (
            "beside/Cargo.toml",
            "[package]\nname = \"beside\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        ("beside/src/lib.rs", "pub fn nothing() -> u32 {\n    0\n}\n"),
    ])
}

/// What the user's own cargo is called with.
fn build_as_user(tree: &Tree, arguments: &[&str], variables: &[(&str, &str)]) {
    // The surroundings are those of a run, for which cargo must find the same flags.
    let ours = tree.command(&[]);
    let mut cargo = Command::new(env!("CARGO"));
    for (name, value) in ours.get_envs() {
        match value {
            Some(value) => cargo.env(name, value),
            None => cargo.env_remove(name),
        };
    }
    let status = cargo
        .args(["test", "--no-run", "--offline"])
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(tree.path())
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("cargo runs").success());
}

/// All files of a target directory but those of runs: when they were written, and what they hold.
fn files(directory: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("target/atropos") {
                waiting.push(path);
            } else if path.is_file() {
                let time = entry.metadata().and_then(|data| data.modified());
                let bytes = fs::read(&path).expect("a file");
                found.insert(path, (time.expect("a time"), bytes));
            }
        }
    }
    found
}

/// The packages that the last build compiled.
fn compiled(output: &Path) -> Vec<String> {
    let weaves = fs::read_dir(output).expect("a run").flatten();
    let log = weaves
        .map(|entry| entry.path())
        .find(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("weave-"))
        })
        .expect("a build")
        .join("cargo.log");
    let log = fs::read_to_string(log).expect("cargo's log");
    let mut names: Vec<String> = log
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Compiling "))
        .filter_map(|line| line.split(' ').next().map(str::to_owned))
        .collect();
    names.sort();
    names
}

#[test]
fn what_the_users_cargo_has_compiled_is_used_and_not_changed() {
    let tree = tree();
    build_as_user(&tree, &[], &[]);
    let target = tree.path().join("target");
    let before = files(&target);
    tree.run(&[]).has_code(2);
    assert_eq!(compiled(&tree.output()), ["app"]);
    assert!(files(&target) == before, "the user's files changed");

    // A dependency is compiled again over what was linked: that must not reach the user's file.
    tree.edit("beside/src/lib.rs", "    0", "    1 - 1");
    tree.run(&[]).has_code(2);
    assert_eq!(compiled(&tree.output()), ["app", "beside"]);
    assert!(files(&target) == before, "the user's files changed");

    // What the user compiled after us is taken again.
    tree.edit("beside/src/lib.rs", "    1 - 1", "    2 - 2");
    build_as_user(&tree, &[], &[]);
    tree.run(&[]).has_code(2);
    assert_eq!(compiled(&tree.output()), ["app"]);
}

#[test]
fn dependencies_are_found_wherever_the_users_cargo_builds() {
    let by_variable = tree();
    let elsewhere = by_variable.scratch().join("elsewhere");
    let variables = [("CARGO_TARGET_DIR", elsewhere.to_str().expect("text"))];
    build_as_user(&by_variable, &[], &variables);
    let mut command = by_variable.command(&["-o", "out"]);
    command.envs(variables);
    let child = by_variable.start_command(command);
    by_variable.finish(child).has_code(2);
    assert_eq!(compiled(&by_variable.path().join("out")), ["app"]);

    let by_config = tree();
    let config = by_config.read(".cargo/config.toml");
    let config = format!("{config}\n[build]\ntarget-dir = \"made\"\nbuild-dir = \"between\"\n");
    by_config.write(".cargo/config.toml", &config);
    build_as_user(&by_config, &[], &[]);
    let between = by_config.path().join("between");
    let before = files(&between);
    let output = by_config.path().join("made/atropos");
    by_config.run(&[]).has_code(2);
    assert_eq!(compiled(&output), ["app"]);
    assert!(files(&between) == before, "the user's files changed");

    let by_profile = tree();
    build_as_user(&by_profile, &["--profile=other"], &[]);
    by_profile.run(&["--profile=other"]).has_code(2);
    assert_eq!(compiled(&by_profile.output()), ["app"]);
}

#[test]
fn what_is_missing_or_in_use_is_compiled() {
    let tree = tree();
    build_as_user(&tree, &[], &[]);
    let debug = tree.path().join("target/debug");
    let libraries = fs::read_dir(debug.join("deps")).expect("a directory");
    for entry in libraries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        // One library is gone, and the fingerprint of the other is empty, as cargo leaves it when it is killed.
        if name.to_string_lossy().starts_with("libleaf") {
            fs::remove_file(path).expect("a file");
        }
    }
    for entry in fs::read_dir(debug.join(".fingerprint"))
        .expect("a directory")
        .flatten()
    {
        if entry.file_name().to_string_lossy().starts_with("beside-") {
            fs::write(entry.path().join("lib-beside"), "").expect("a file");
        }
    }
    tree.run(&[]).has_code(2);
    assert_eq!(compiled(&tree.output()), ["app", "beside", "leaf"]);

    let tree = self::tree();
    build_as_user(&tree, &[], &[]);
    let lock = File::open(tree.path().join("target/debug/.cargo-lock")).expect("cargo's lock");
    lock.lock().expect("a lock");
    tree.run(&[]).has_code(2);
    assert_eq!(compiled(&tree.output()), ["app", "beside", "leaf"]);
}
