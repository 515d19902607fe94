//! The facades beside std and core of every toolchain that rustup has installed, not only of the one in use.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build::{TOOLCHAIN, run, rustc};

/// `1.95.0`, `1.97.0-nightly` …, with the commit.
fn version(rustc: &Path) -> String {
    let mut command = Command::new(rustc);
    command.arg("--version");
    run(command)
}

/// The minor number of a version; none if it can't be read.
fn minor(version: &str) -> Option<u32> {
    version.split('.').nth(1)?.parse().ok()
}

/// The compilers that are installed, by the names of their toolchains; none without rustup.
fn installed() -> Vec<(String, PathBuf)> {
    let rustup = |arguments: &[&str]| {
        let output = Command::new("rustup").args(arguments).output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let list = rustup(&["toolchain", "list"]).unwrap_or_default();
    let names = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names
        .filter_map(|name| {
            let path = rustup(&["which", "--toolchain", name, "rustc"])?;
            Some((name.to_owned(), PathBuf::from(path.trim())))
        })
        .collect()
}

pub fn each_installed_toolchain_has_the_same_items_and_traits() {
    let own = version(&rustc());
    let mut seen = BTreeSet::from([own.clone()]);
    for (name, rustc) in installed() {
        let version = version(&rustc);
        // What is older than the toolchain in use need not have all that the facades have: the tool tells that it can't explore.
        if minor(&version) < minor(&own) || !seen.insert(version) {
            continue;
        }
        for test in [
            "types_have_the_traits_of_std_s",
            "every_public_item_of_std_is_there",
        ] {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.arg(test).env("RUSTC", &rustc).env(TOOLCHAIN, &name);
            run(command);
        }
    }
}
