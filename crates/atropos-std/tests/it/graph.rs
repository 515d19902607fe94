//! A program with dependencies that bring their own locks and channels, built by cargo.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build::{FACADE, facade, run, scratch};

/// Cargo does not notice that a facade has changed, so each has a target directory of its own.
fn facade_hash() -> u64 {
    let mut files: Vec<PathBuf> = fs::read_dir(facade())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(file).unwrap().hash(&mut hasher);
    }
    hasher.finish()
}

pub fn dependencies_are_explored_unmodified() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graph/Cargo.toml");
    let target = scratch().join(format!("graph-{:016x}", facade_hash()));
    let cargo = || {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // Nothing of the build that runs this test.
        for (key, _) in
            std::env::vars_os().filter(|(key, _)| key.to_string_lossy().starts_with("CARGO_PKG"))
        {
            command.env_remove(key);
        }
        command.env("CARGO_TARGET_DIR", &target);
        command
    };
    let mut fetch = cargo();
    fetch
        .args(["fetch", "--quiet", "--manifest-path"])
        .arg(&manifest);
    if !fetch.status().is_ok_and(|status| status.success()) {
        println!("not run: the dependencies can't be fetched");
        return;
    }
    let mut build = cargo();
    build
        .args(["build", "--quiet", "--release", "--manifest-path"])
        .arg(&manifest);
    build
        .env("RUSTC_WRAPPER", std::env::current_exe().unwrap())
        .env(FACADE, facade());
    run(build);
    let output = run(Command::new(target.join("release/graph")));
    let expected = [
        "arc_swap: 0 1, 1 1; all schedules",
        "crossbeam_channel: [1, 2], [2, 1]; 1,000 random schedules, seed 1",
        "dashmap: 2; all schedules",
        "flume: [1, 2], [2, 1]; all schedules",
        "once_cell: 1, 2; all schedules",
        "parking_lot: 2; all schedules",
        "parking_lot in two orders: deadlock, ok; 1,000 random schedules, seed 1",
        "rayon: 3; 1,000 random schedules, seed 1",
    ];
    assert_eq!(output.lines().collect::<Vec<_>>(), expected);
}
