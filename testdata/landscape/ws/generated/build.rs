//! Writes a table of squares for the crate to include.

use std::fmt::Write;
use std::{env, fs, path::Path};

fn main() {
    let mut code = String::from("pub const SQUARES: [u32; 5] = [");
    for number in 0..5u32 {
        write!(code, "{}, ", number * number).unwrap();
    }
    code.push_str("];\npub fn made(n: u32) -> u32 { n + 7 }\n");
    let place = Path::new(&env::var("OUT_DIR").unwrap()).join("squares.rs");
    fs::write(place, code).unwrap();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=GENERATED_BY=the build script");
}
