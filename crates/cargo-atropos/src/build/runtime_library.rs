//! The runtime that woven programs link: its sources travel inside this tool and are compiled
//! once per toolchain, with plain rustc, because an rlib only fits the rustc that made it. The
//! result is kept for all trees of the user; the first time, it is compiled while cargo builds the
//! dependencies.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use atropos_report::stable_hash::StableHash;
use serde::{Deserialize, Serialize};

use super::compiler::CompilerEnded;
use super::instructions::Speed;
use super::process_group::ProcessGroup;
use super::toolchain::Toolchain;
use super::user_cache;
use crate::interrupt::Interrupt;
use crate::log;

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
pub enum ThreadControl {
    /// The system's; mutants are forked.
    Real,
    /// Coroutines whose schedules are explored.
    Explored,
}

impl ThreadControl {
    fn crates(self) -> &'static [EmbeddedCrate] {
        match self {
            ThreadControl::Real => FORKED,
            ThreadControl::Explored => EXPLORED,
        }
    }
}

/// rustc rejects the sources of the runtime: it is too old, or too new.
#[derive(Debug, thiserror::Error)]
#[error("the runtime does not compile with this toolchain:\n{said}")]
pub struct RuntimeRejected {
    said: String,
}

/// The compiled runtime.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuntimeLibrary {
    pub threads: ThreadControl,
    pub directory: PathBuf,
    /// The target that it is compiled for.
    pub host: String,
    /// Of the programs that link it.
    speed: Speed,
    /// Accesses to plain memory are watched.
    pub watches_memory: bool,
}

/// The file of the harness that stands in for libtest.
const HARNESS: &str = "libtest-atropos.rlib";

/// Makes LLVM call the runtime at every access to memory that may be shared, and in place of atomic instructions: its pass for
/// ThreadSanitizer, without ThreadSanitizer. `forceattrs` is named because builds without optimisation would not run it; where
/// it runs early by itself, LLVM also leaves out what it otherwise does to memory that nobody asked for.
const WATCH_MEMORY: [&str; 4] = [
    "-Cpasses=forceattrs,tsan-module,tsan",
    "-Cllvm-args=-force-attribute=sanitize_thread",
    "-Cllvm-args=-tsan-instrument-func-entry-exit=false",
    "-Cllvm-args=-tsan-distinguish-volatile",
];

/// Names the sources of both runtimes: programs that have them understand a driver that has the same.
pub fn embedded_runtime() -> String {
    let mut hash = StableHash::default();
    for threads in [ThreadControl::Real, ThreadControl::Explored] {
        for (name, text) in threads.crates().iter().flat_map(|one| one.files) {
            hash = hash.text(name).text(text);
        }
    }
    format!("{:016x}", hash.finish())
}

impl RuntimeLibrary {
    /// The runtime for a toolchain, below `cache`. It may have to be compiled yet.
    pub fn within(
        cache: &Path,
        toolchain: &Toolchain,
        threads: ThreadControl,
        speed: Speed,
    ) -> RuntimeLibrary {
        let mut hasher = DefaultHasher::new();
        toolchain.description.hash(&mut hasher);
        for embedded in threads.crates() {
            embedded.files.hash(&mut hasher);
        }
        let name = match threads {
            ThreadControl::Real => "runtime",
            ThreadControl::Explored => "explored",
        };
        let inlined = match speed {
            Speed::AsAsked => "",
            Speed::Optimised => "-inlined",
        };
        RuntimeLibrary {
            directory: cache.join(format!("{name}-{:016x}{inlined}", hasher.finish())),
            threads,
            host: toolchain.host.clone(),
            speed,
            watches_memory: false,
        }
    }

    /// The same, for programs whose accesses to plain memory are watched.
    pub fn watching_memory(self, watches_memory: bool) -> RuntimeLibrary {
        RuntimeLibrary {
            watches_memory,
            ..self
        }
    }

    pub fn is_there(&self) -> bool {
        self.directory.is_dir()
    }

    /// Whether it is there; if so, it is kept for longer.
    pub fn is_ready_for_use(&self) -> bool {
        user_cache::note_use(&self.lock_path());
        self.is_there()
    }

    fn lock_path(&self) -> PathBuf {
        self.directory.with_extension("lock")
    }

    /// Waits until nobody else compiles it. Whoever holds the lock may. None if the user wants to
    /// end before.
    pub fn lock_unless(&self, interrupt: &Interrupt) -> Result<Option<File>> {
        let file = self.lock_file()?;
        while file.try_lock().is_err() {
            if interrupt.is_requested() {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(Some(file))
    }

    fn lock_file(&self) -> Result<File> {
        if let Some(cache) = self.directory.parent() {
            fs::create_dir_all(cache)
                .with_context(|| format!("can't write to {}", cache.display()))?;
        }
        let path = self.lock_path();
        File::create(&path).with_context(|| format!("can't write {}", path.display()))
    }

    /// For wrappers: waits while the driver compiles the runtime. A driver that was killed has
    /// lost its lock, so nobody waits for ever.
    pub fn wait_until_there(&self) -> Result<()> {
        if !self.is_there() {
            self.lock_file()?.lock()?;
        }
        if !self.is_there() {
            bail!("the runtime of woven programs is not there");
        }
        Ok(())
    }

    /// Compiles it under its lock, unless somebody else has. It is made in a directory beside that
    /// is renamed, so that a half-made one is never used.
    pub fn compile(&self, _turn: File, toolchain: &Toolchain, interrupt: &Interrupt) -> Result<()> {
        if self.is_there() {
            return Ok(());
        }
        let start = Instant::now();
        let making = self.directory.with_extension("making");
        if making.exists() {
            fs::remove_dir_all(&making)?;
        }
        for embedded in self.threads.crates() {
            embedded.compile(&making, toolchain, self.speed, interrupt)?;
        }
        fs::rename(&making, &self.directory)?;
        let seconds = start.elapsed().as_secs_f64();
        log::line(&format!("runtime: compiled in {seconds:.2} s"));
        if let Some(cache) = self.directory.parent() {
            user_cache::remove_unused(cache);
        }
        Ok(())
    }

    /// Puts links to its crates into a directory. Not to the harness: only test binaries need it, which are told where it is, and
    /// rustdoc would find two crates named `test` when it merges doctests.
    pub fn link_into(&self, directory: &Path) -> Result<()> {
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            if entry.file_name() == HARNESS {
                continue;
            }
            let link = directory.join(entry.file_name());
            if link.extension() != Some("rlib".as_ref())
                || fs::read_link(&link).is_ok_and(|to| to == entry.path())
            {
                continue;
            }
            // Other wrappers may do the same, so the link is there from one moment to the next.
            let making = link.with_extension(format!("{}-making", process::id()));
            symlink(entry.path(), &making)
                .and_then(|()| fs::rename(&making, &link))
                .with_context(|| format!("can't link {}", link.display()))?;
        }
        Ok(())
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
            ThreadControl::Real => ("atropos_runtime", "test"),
            ThreadControl::Explored => ("atropos_explore_harness", "atropos_explore_harness"),
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
            ThreadControl::Real => Vec::new(),
            ThreadControl::Explored => {
                let mut flags = vec![
                    self.search_flag(),
                    self.extern_flag("std", "std"),
                    self.extern_flag("core", "core"),
                ];
                if self.watches_memory {
                    flags.extend(WATCH_MEMORY.map(str::to_owned));
                }
                flags
            }
        }
    }
}

impl EmbeddedCrate {
    /// Compiles the crate beside those that it uses.
    fn compile(
        &self,
        directory: &Path,
        toolchain: &Toolchain,
        speed: Speed,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let sources = directory.join("src").join(self.name);
        for (name, text) in self.files {
            let path = sources.join(name);
            fs::create_dir_all(path.parent().expect("a file below a directory"))?;
            fs::write(path, text)?;
        }
        let said = directory.join(format!("{}.log", self.name));
        let mut command = toolchain.rustc();
        command
            .args(["--edition=2024", "--crate-type=rlib", "-Copt-level=3"])
            .args(["-Cembed-bitcode=no", "-Cdebuginfo=0", "--cap-lints=allow"])
            .arg(format!("--crate-name={}", self.name))
            // A name and a hash of their own, lest they be taken for the real ones.
            .args(["-Cmetadata=atropos", "-Cextra-filename=-atropos"])
            .arg(format!(
                "--remap-path-prefix={}=/atropos",
                directory.display()
            ))
            // Only for what the crates named below use themselves: here std is the real one.
            .arg(format!("-Ldependency={}", directory.display()))
            .arg("--out-dir")
            .arg(directory)
            .arg(sources.join("lib.rs"))
            .env_remove("RUSTFLAGS")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&said)?);
        if speed == Speed::Optimised {
            command.args(["--cfg", "feature=\"inline\""]);
        }
        for used in self.uses {
            let library = directory.join(format!("lib{used}-atropos.rlib"));
            command.arg(format!("--extern={used}={}", library.display()));
        }
        let child = ProcessGroup::spawn(command).context("can't run rustc")?;
        let status = child.wait(interrupt)?;
        if status.success() {
            return Ok(());
        }
        let said = fs::read_to_string(said).unwrap_or_default();
        let is_rejected = said.lines().any(|line| line.starts_with("error["));
        match is_rejected {
            true => Err(RuntimeRejected { said }.into()),
            false => Err(anyhow::Error::from(CompilerEnded::by(status)).context(said)),
        }
    }
}
