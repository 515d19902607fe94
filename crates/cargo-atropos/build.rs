//! Embeds the sources of the runtime crates, so that the tool can compile them for the
//! toolchain of the crate under test.
//!
//! `runtime/` has a link to the sources of each. Cargo follows the links when it makes a package, so that the package holds the
//! sources and builds wherever it is unpacked.

mod runtime_crates;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use runtime_crates::{Crates, EXPLORED, FORKED};

fn main() {
    println!("cargo::rerun-if-changed=runtime_crates.rs");
    let mut code = embed("FORKED", FORKED);
    code.push_str(&embed("EXPLORED", EXPLORED));
    let out = Path::new(&env::var("OUT_DIR").unwrap()).join("embedded_crates.rs");
    // A copy of the target directory may share the file by a hard link, and is to keep its own.
    let _ = fs::remove_file(&out);
    fs::write(out, code).unwrap();
}

fn embed(list: &str, list_of: Crates) -> String {
    let runtime = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("runtime");
    let mut code = format!("const {list}: &[EmbeddedCrate] = &[\n");
    for (folder, name, uses) in list_of {
        let sources = runtime.join(folder);
        let sources = sources
            .canonicalize()
            .unwrap_or_else(|error| panic!("{error}: `ln -s ../../{folder}/src runtime/{folder}`"));
        println!("cargo::rerun-if-changed={}", sources.display());
        writeln!(
            code,
            "EmbeddedCrate {{ name: {name:?}, uses: &{uses:?}, files: &["
        )
        .unwrap();
        let mut files = Vec::new();
        collect(&sources, &mut files);
        files.sort();
        for file in files {
            let relative = file.strip_prefix(&sources).unwrap();
            writeln!(code, "({relative:?}, include_str!({file:?})),").unwrap();
        }
        code.push_str("] },\n");
    }
    code.push_str("];\n");
    code
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
