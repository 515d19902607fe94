//! From a tree and its builds to one file.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use atropos_report::stable_hash::StableHash;
use tar::{Builder, EntryType};
use zstd::Encoder;

use super::contents::{ArchiveHeader, CONTENTS, Contents, END, End, FORMAT, HEADER, TREE};
use crate::build;
use crate::build::test_binary::TestBinary;
use crate::interrupt::Interrupt;
use crate::results;

/// Where the libraries of the toolchain are copied that programs load, within the output directory.
pub const LIBRARIES: &str = "libraries-of-toolchain";

/// How hard it is compressed: a higher level takes much longer for little.
const LEVEL: i32 = 3;

/// What cargo writes into every target directory.
const TAG_OF_CACHES: &str = "CACHEDIR.TAG";

/// Writes the archive, so that there is a whole one or none.
pub fn write(path: &Path, contents: &Contents, interrupt: &Interrupt) -> Result<ArchiveHeader> {
    let unwritten = || format!("can't write the archive {}", path.display());
    let directory = path.parent().unwrap_or(Path::new("."));
    let making = tempfile::Builder::new()
        .prefix(".making-")
        .tempfile_in(directory)
        .with_context(unwritten)?;
    let header = pack(making.as_file(), contents, interrupt).with_context(unwritten)?;
    let readable = fs::Permissions::from_mode(0o644);
    making
        .as_file()
        .set_permissions(readable)
        .and_then(|()| making.as_file().sync_all())
        .with_context(unwritten)?;
    making
        .persist(path)
        .map_err(|error| error.error)
        .with_context(unwritten)?;
    Ok(header)
}

fn pack(file: &File, contents: &Contents, interrupt: &Interrupt) -> Result<ArchiveHeader> {
    let json = serde_json::to_vec(contents)?;
    let text = String::from_utf8_lossy(&json);
    let header = ArchiveHeader {
        format: FORMAT,
        tool: results::tool(&contents.programs.build.toolchain),
        id: format!("{:016x}", StableHash::default().text(&text).finish()),
        runtime: build::embedded_runtime(),
    };
    let mut encoder = Encoder::new(BufWriter::new(file), LEVEL)?;
    encoder.include_checksum(true)?;
    let mut tar = Builder::new(encoder);
    tar.follow_symlinks(false);
    append(&mut tar, HEADER, &serde_json::to_vec(&header)?)?;
    append(&mut tar, CONTENTS, &json)?;
    drop(json);
    let mut entries = 2;
    for path in files(contents)? {
        if interrupt.is_requested() {
            bail!("interrupted");
        }
        let name = Path::new(TREE).join(path.strip_prefix("/").unwrap_or(&path));
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.is_dir() {
            tar.append_dir(&name, &path)?;
        } else if metadata.is_file() || metadata.is_symlink() {
            tar.append_path_with_name(&path, &name)
                .with_context(|| format!("can't read {}", path.display()))?;
        } else {
            continue;
        }
        entries += 1;
    }
    append(&mut tar, END, &serde_json::to_vec(&End { entries })?)?;
    tar.into_inner()?.finish()?.flush()?;
    Ok(header)
}

fn append<W: io::Write>(tar: &mut Builder<W>, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, name, bytes)
}

/// All files that are packed, a directory before what is in it.
fn files(contents: &Contents) -> Result<BTreeSet<PathBuf>> {
    let programs = &contents.programs;
    let mut packed = PackedFiles::default();
    let built = built_in(contents);
    for source in &contents.sources {
        packed.tree(source, &|path| is_source(path, &built))?;
    }
    let woven = [Some(&programs.build), programs.explored.as_ref()];
    for build in woven.into_iter().flatten() {
        packed.tree(&build.directory, &|path| !path.ends_with("checks"))?;
    }
    for binary in binaries(contents) {
        packed.beside(&binary.invocation.directory.join(&binary.invocation.program))?;
    }
    for doctest in &programs.doctests.programs {
        packed.add(&doctest.invocation.program)?;
    }
    packed.scripts(contents)?;
    let output = programs.build.directory.parent();
    let libraries = output.map(|output| output.join(LIBRARIES));
    if let Some(libraries) = libraries.filter(|path| path.is_dir()) {
        packed.tree(&libraries, &|_| true)?;
    }
    Ok(packed.paths)
}

/// Every test binary of every build.
pub fn binaries(contents: &Contents) -> impl Iterator<Item = &TestBinary> {
    let programs = &contents.programs;
    let explored = programs.explored.iter().flat_map(|build| &build.binaries);
    let observed = programs.observed.iter().flat_map(|build| &build.binaries);
    programs
        .build
        .binaries
        .iter()
        .chain(explored)
        .chain(observed)
}

/// The directories that builds write into.
fn built_in(contents: &Contents) -> Vec<PathBuf> {
    let build = &contents.programs.build;
    let output = build.directory.parent().map(Path::to_owned);
    let target = contents.plan.target_directory.clone().into();
    output.into_iter().chain([target]).collect()
}

/// Whether a path of the tree is the user's, and not made by cargo or git.
fn is_source(path: &Path, built: &[PathBuf]) -> bool {
    !(built.iter().any(|built| built == path)
        || path.ends_with(".git")
        || path.join(TAG_OF_CACHES).is_file())
}

#[derive(Default)]
struct PackedFiles {
    paths: BTreeSet<PathBuf>,
}

impl PackedFiles {
    /// Adds a path with the directories that lead to it.
    fn add(&mut self, path: &Path) -> io::Result<()> {
        fs::symlink_metadata(path)?;
        let mut next = Some(path);
        while let Some(path) = next.filter(|path| path.parent().is_some()) {
            if !self.paths.insert(path.to_owned()) {
                break;
            }
            next = path.parent();
        }
        Ok(())
    }

    /// Adds a directory and all below it that is `wanted`.
    fn tree(&mut self, directory: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<()> {
        let unread = || format!("can't read {}", directory.display());
        self.add(directory).with_context(unread)?;
        for entry in fs::read_dir(directory).with_context(unread)? {
            let entry = entry?;
            let path = entry.path();
            if !wanted(&path) {
                continue;
            }
            match entry.file_type()?.is_dir() {
                true => self.tree(&path, wanted)?,
                false => self.add(&path)?,
            }
        }
        Ok(())
    }

    /// Adds a test binary, and the programs and libraries that cargo has laid where tests look for them.
    fn beside(&mut self, program: &Path) -> Result<()> {
        self.add(program)
            .with_context(|| format!("can't read {}", program.display()))?;
        let Some(profile) = program.parent().and_then(Path::parent) else {
            return Ok(());
        };
        for directory in [profile.to_owned(), profile.join("examples")] {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                if entry.metadata().is_ok_and(|it| is_program(&it)) {
                    self.add(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// Adds what the build scripts of the packages made, which tests may read.
    fn scripts(&mut self, contents: &Contents) -> Result<()> {
        let profiles: BTreeSet<PathBuf> = binaries(contents)
            .filter_map(|binary| {
                let program = binary.invocation.directory.join(&binary.invocation.program);
                Some(program.parent()?.parent()?.to_owned())
            })
            .collect();
        for profile in profiles {
            for entry in fs::read_dir(profile.join("build"))
                .into_iter()
                .flatten()
                .flatten()
            {
                let (name, out) = (entry.file_name(), entry.path().join("out"));
                let name = name.to_string_lossy();
                let package = name.rsplit_once('-').map_or(&*name, |(package, _)| package);
                let mut packages = contents.plan.packages.iter();
                if out.is_dir() && packages.any(|one| one.name == package) {
                    self.tree(&out, &|_| true)?;
                }
            }
        }
        Ok(())
    }
}

/// Programs and shared libraries can be executed; what else cargo leaves there can't.
fn is_program(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}
