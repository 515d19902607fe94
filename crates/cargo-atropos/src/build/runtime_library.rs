//! The runtime that woven programs link: its sources travel inside this tool and are compiled
//! once per toolchain, with plain rustc, because an rlib only fits the rustc that made it.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::toolchain::Toolchain;

/// The sources of one crate of the runtime, in a directory of their own.
struct EmbeddedCrate {
    /// Its name for rustc.
    name: &'static str,
    /// Names of the crates (of this list) that it uses.
    uses: &'static [&'static str],
    files: &'static [(&'static str, &'static str)],
}

include!(concat!(env!("OUT_DIR"), "/embedded_crates.rs"));

/// The compiled runtime.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuntimeLibrary {
    pub directory: PathBuf,
}

impl RuntimeLibrary {
    /// Compiles the runtime for a toolchain below `cache`, or finds it compiled.
    pub fn provide(cache: &Path, toolchain: &Toolchain) -> Result<RuntimeLibrary> {
        let mut hasher = DefaultHasher::new();
        toolchain.description.hash(&mut hasher);
        for embedded in EMBEDDED_CRATES {
            embedded.files.hash(&mut hasher);
        }
        let directory = cache.join(format!("runtime-{:016x}", hasher.finish()));
        let library = RuntimeLibrary { directory };
        if !library.directory.is_dir() {
            library.compile(&toolchain.rustc)?;
        }
        Ok(library)
    }

    /// Compiles into a directory beside and renames it, so that a half-made one is never used.
    fn compile(&self, rustc: &Path) -> Result<()> {
        let making = self
            .directory
            .with_extension(format!("making-{}", std::process::id()));
        fs::create_dir_all(&making)?;
        for embedded in EMBEDDED_CRATES {
            let sources = making.join("src").join(embedded.name);
            for (name, text) in embedded.files {
                let path = sources.join(name);
                fs::create_dir_all(path.parent().expect("a file below a directory"))?;
                fs::write(path, text)?;
            }
            let mut command = Command::new(rustc);
            command
                .args(["--edition=2024", "--crate-type=rlib", "-Copt-level=3"])
                .args(["-Cembed-bitcode=no", "-Cdebuginfo=0", "--cap-lints=allow"])
                .arg(format!("--crate-name={}", embedded.name))
                .arg("-L")
                .arg(&making)
                .arg("--out-dir")
                .arg(&making)
                .arg(sources.join("lib.rs"))
                .env_remove("RUSTFLAGS");
            for used in embedded.uses {
                command.arg(format!(
                    "--extern={used}={}",
                    making.join(format!("lib{used}.rlib")).display()
                ));
            }
            let output = command.output().context("can't run rustc")?;
            if !output.status.success() {
                bail!(
                    "the runtime does not compile with this toolchain:\n{}",
                    String::from_utf8_lossy(&output.stderr)
                );
            }
        }
        match fs::rename(&making, &self.directory) {
            Err(_) if self.directory.is_dir() => {
                // Another run was faster; its result is as good.
                fs::remove_dir_all(&making)?;
                Ok(())
            }
            result => Ok(result?),
        }
    }

    /// The flags that give a unit the runtime, and our harness in place of libtest.
    pub fn flags(&self, harness: bool) -> Vec<String> {
        let library = |name: &str| {
            let file = self.directory.join(format!("lib{name}.rlib"));
            format!("--extern={name}={}", file.display())
        };
        let mut flags = vec![
            format!("-Ldependency={}", self.directory.display()),
            library("atropos_runtime"),
        ];
        if harness {
            flags.push(library("test"));
        }
        flags
    }
}
