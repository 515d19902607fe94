//! Writes a table of squares for the crate to include, and tries out what the compiler can do.

use std::fmt::Write;
use std::process::{Command, Stdio};
use std::{env, fs, path::Path};

fn main() {
    let mut code = String::from("pub const SQUARES: [u32; 5] = [");
    for number in 0..5u32 {
        write!(code, "{}, ", number * number).unwrap();
    }
    code.push_str("];\npub fn made(n: u32) -> u32 { n + 7 }\n");
    let place = Path::new(&env::var("OUT_DIR").unwrap()).join("squares.rs");
    fs::write(place, code).unwrap();
    println!("cargo::rustc-check-cfg=cfg(unstable)");
    if compiles("#![feature(no_such_feature)]") {
        println!("cargo::rustc-cfg=unstable");
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=GENERATED_BY=the build script");
}

/// Whether the compiler takes a program, called as cargo calls it, wrappers included.
fn compiles(text: &str) -> bool {
    let directory = env::var("OUT_DIR").unwrap();
    let probe = Path::new(&directory).join("probe.rs");
    fs::write(&probe, text).unwrap();
    let wrappers = ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"].map(|name| env::var(name).ok());
    let rustc = env::var("RUSTC").unwrap();
    let mut words = wrappers.into_iter().flatten().chain([rustc]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args(["--crate-name=generated", "--crate-type=lib", "--emit=metadata"]);
    command.arg("--out-dir").arg(&directory).arg(probe).stderr(Stdio::null());
    command.status().unwrap().success()
}
