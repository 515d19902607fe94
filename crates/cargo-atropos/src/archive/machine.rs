//! Whether the programs of an archive can run on this machine: its processor, its loader, its libraries.
//!
//! The loader that a program names is asked itself (`--list`), so what it says is what would happen. No program is run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::build::test_binary::Invocation;

/// What a program's file says of where it runs.
#[derive(Debug, PartialEq, Eq)]
pub struct ProgramNeeds {
    /// The ELF number of the processor.
    processor: u16,
    /// The program that loads it; none if it needs none.
    pub loader: Option<PathBuf>,
}

/// The size of an ELF header, and of an entry of its table of segments.
const HEADER: usize = 64;
const SEGMENT: usize = 56;
/// The kind of segment that names the loader.
const INTERPRETER: u32 = 3;

impl ProgramNeeds {
    /// Reads a 64-bit little-endian ELF file; none if it is something else.
    pub fn of(program: &Path) -> io::Result<Option<ProgramNeeds>> {
        let mut file = File::open(program)?;
        let mut header = [0; HEADER];
        let is_elf = file.read_exact(&mut header).is_ok() && header.starts_with(b"\x7fELF\x02\x01");
        if !is_elf {
            return Ok(None);
        }
        let short = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let long = |bytes: &[u8], at: usize| {
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
        };
        let mut needs = ProgramNeeds {
            processor: short(&header, 18),
            loader: None,
        };
        file.seek(SeekFrom::Start(long(&header, 32)))?;
        for _ in 0..short(&header, 56) {
            let mut segment = [0; SEGMENT];
            file.read_exact(&mut segment)?;
            let kind = u32::from_le_bytes([segment[0], segment[1], segment[2], segment[3]]);
            if kind == INTERPRETER {
                let mut name = Vec::new();
                file.seek(SeekFrom::Start(long(&segment, 8)))?;
                file.take(long(&segment, 32).min(4096))
                    .read_to_end(&mut name)?;
                name.retain(|&byte| byte != 0);
                needs.loader = Some(String::from_utf8_lossy(&name).into_owned().into());
                break;
            }
        }
        Ok(Some(needs))
    }
}

/// What a loader says of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Loading {
    /// Libraries by their names, with the files that they are found in.
    pub found: BTreeMap<String, PathBuf>,
    /// What is missing, in its words.
    pub missing: BTreeSet<String>,
}

/// Asks a program's loader what it would load.
pub fn loading(loader: &Path, invocation: &Invocation) -> Result<Loading> {
    let program = invocation.directory.join(&invocation.program);
    let said = Command::new(loader)
        .arg("--list")
        .arg(&program)
        .env_clear()
        .envs(&invocation.environment)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("can't run {}", loader.display()))?;
    let mut loading = Loading::default();
    for line in String::from_utf8_lossy(&said.stdout).lines() {
        if let Some((name, place)) = line.trim().split_once(" => ") {
            match place.split_once(" (") {
                Some((path, _)) => {
                    loading.found.insert(name.to_owned(), path.into());
                }
                None => {
                    loading.missing.insert(name.to_owned());
                }
            }
        }
    }
    for line in String::from_utf8_lossy(&said.stderr).lines() {
        // `PROGRAM: /lib/libc.so.6: version `GLIBC_2.38' not found (required by PROGRAM)`
        if let Some(version) = line.split_once("version `").map(|(_, rest)| rest) {
            let version = version.split('\'').next().unwrap_or_default();
            loading.missing.insert(version.to_owned());
        } else if let Some((_, name)) = line.split_once("error while loading shared libraries: ") {
            let name = name.split(':').next().unwrap_or_default();
            loading.missing.insert(name.to_owned());
        }
    }
    Ok(loading)
}

/// Refuses a machine on which one of the programs can't be started.
pub fn check<'a>(programs: impl IntoIterator<Item = &'a Invocation>) -> Result<()> {
    let mut missing = BTreeSet::new();
    let own = ProgramNeeds::of(&std::env::current_exe()?)?;
    for invocation in programs {
        let program = invocation.directory.join(&invocation.program);
        let Some(needs) = ProgramNeeds::of(&program)? else {
            continue;
        };
        if own
            .as_ref()
            .is_some_and(|own| own.processor != needs.processor)
        {
            bail!("the archive's programs are for another processor than this machine has");
        }
        let Some(loader) = needs.loader else {
            continue;
        };
        if !loader.exists() {
            bail!(
                "the archive's programs need another C library than this machine has: there is no {}",
                loader.display()
            );
        }
        missing.extend(loading(&loader, invocation)?.missing);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = missing.into_iter().collect();
    bail!(
        "the archive's programs need what this machine has not: {}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(program: &Path) -> Invocation {
        Invocation {
            program: program.to_owned(),
            arguments: Vec::new(),
            directory: "/".into(),
            environment: BTreeMap::new(),
        }
    }

    #[test]
    fn this_program_can_run_here_and_its_loader_tells_its_libraries() {
        let this = std::env::current_exe().expect("it runs");
        let needs = ProgramNeeds::of(&this)
            .expect("it can be read")
            .expect("it is ELF");
        let loader = needs.loader.expect("it is loaded");
        let loading = loading(&loader, &call(&this)).expect("the loader runs");
        assert!(loading.missing.is_empty(), "{loading:?}");
        assert!(loading.found.keys().any(|name| name.starts_with("libc.")));
        check([&call(&this)]).expect("it runs here");
    }

    #[test]
    fn a_program_of_another_processor_or_libc_is_refused() {
        let place = tempfile::tempdir().expect("a directory");
        let this = std::fs::read(std::env::current_exe().expect("it runs")).expect("a file");
        let refused = |name: &str, bytes: &[u8]| {
            let path = place.path().join(name);
            std::fs::write(&path, bytes).expect("a file");
            check([&call(&path)]).expect_err(name).to_string()
        };
        let mut other = this.clone();
        other[18] ^= 0xFF;
        assert!(refused("other", &other).contains("another processor"));
        let mut other = this.clone();
        let at = other
            .windows(4)
            .position(|window| window == b"/ld-")
            .expect("its loader");
        other[at + 1..at + 4].copy_from_slice(b"no-");
        assert!(refused("libc", &other).contains("another C library"));
        let mut other = this;
        let name = b"libgcc_s.so.1\0";
        let at = other
            .windows(name.len())
            .position(|window| window == name)
            .expect("its library");
        other[at..at + 6].copy_from_slice(b"libnot");
        assert!(refused("library", &other).contains("libnot_s.so.1"));
    }

    #[test]
    fn what_is_no_program_is_passed_over() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("script");
        std::fs::write(&path, "#!/bin/sh\n").expect("a file");
        assert_eq!(ProgramNeeds::of(&path).expect("it can be read"), None);
    }
}
