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

/// What the threads of a program are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Threads {
    /// The system's; mutants are forked.
    Real,
    /// Coroutines whose schedules are explored.
    Explored,
}

impl Threads {
    fn crates(self) -> &'static [EmbeddedCrate] {
        match self {
            Threads::Real => FORKED,
            Threads::Explored => EXPLORED,
        }
    }
}

/// The compiled runtime.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuntimeLibrary {
    pub threads: Threads,
    pub directory: PathBuf,
}

impl RuntimeLibrary {
    /// Compiles the runtime for a toolchain below `cache`, or finds it compiled.
    pub fn provide(
        cache: &Path,
        toolchain: &Toolchain,
        threads: Threads,
    ) -> Result<RuntimeLibrary> {
        let mut hasher = DefaultHasher::new();
        toolchain.description.hash(&mut hasher);
        for embedded in threads.crates() {
            embedded.files.hash(&mut hasher);
        }
        let name = match threads {
            Threads::Real => "runtime",
            Threads::Explored => "explored",
        };
        let directory = cache.join(format!("{name}-{:016x}", hasher.finish()));
        let library = RuntimeLibrary { threads, directory };
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
        for embedded in self.threads.crates() {
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
                // A name and a hash of their own, lest they be taken for the real ones.
                .args(["-Cmetadata=atropos", "-Cextra-filename=-atropos"])
                // Only for what the crates named below use themselves: here std is the real one.
                .arg(format!("-Ldependency={}", making.display()))
                .arg("--out-dir")
                .arg(&making)
                .arg(sources.join("lib.rs"))
                .env_remove("RUSTFLAGS");
            for used in embedded.uses {
                command.arg(format!(
                    "--extern={used}={}",
                    making.join(format!("lib{used}-atropos.rlib")).display()
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

    /// The flag that passes a crate of the runtime under a name.
    fn extern_flag(&self, name: &str, of: &str) -> String {
        let file = self.directory.join(format!("lib{of}-atropos.rlib"));
        format!("--extern={name}={}", file.display())
    }

    fn search_flag(&self) -> String {
        format!("-Ldependency={}", self.directory.display())
    }

    /// The flags that give a unit the runtime, and our harness in place of libtest.
    pub fn flags(&self, harness: bool) -> Vec<String> {
        let (runtime, test) = match self.threads {
            Threads::Real => ("atropos_runtime", "test"),
            Threads::Explored => ("atropos_explored", "atropos_explored"),
        };
        let mut flags = vec![
            self.search_flag(),
            self.extern_flag("atropos_runtime", runtime),
        ];
        if harness {
            flags.push(self.extern_flag("test", test));
        }
        flags
    }

    /// The flags that every crate of a program needs, also those that are not woven: what stands in for std.
    pub fn flags_for_all(&self) -> Vec<String> {
        match self.threads {
            Threads::Real => Vec::new(),
            Threads::Explored => vec![
                self.search_flag(),
                self.extern_flag("std", "std"),
                self.extern_flag("core", "core"),
            ],
        }
    }
}
