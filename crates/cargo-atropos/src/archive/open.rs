//! Reads archives. Whatever is wrong with one is told in a sentence, before anything is run or left behind.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _};
use std::path::{Component, Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tar::{Archive, Entry};
use zstd::Decoder;

use super::contents::{ArchiveHeader, CONTENTS, Contents, END, End, FORMAT, HEADER, TREE};
use crate::build;
use crate::interrupt::Interrupt;

type Source = Decoder<'static, BufReader<File>>;

/// Why an archive can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("can't read the archive `{name}`: {error}")]
    Unreadable { name: String, error: io::Error },
    #[error("`{name}` is no archive of `cargo atropos archive`")]
    NoArchive { name: String },
    #[error("the archive `{name}` is cut short or damaged; copy it again, or make it again")]
    Damaged { name: String },
    #[error(
        "the archive `{name}` was made by cargo-atropos {theirs} in format {format}; this is {ours}, which reads format {FORMAT}"
    )]
    OtherFormat {
        name: String,
        theirs: String,
        ours: &'static str,
        format: u64,
    },
    #[error(
        "the archive `{name}` was made by cargo-atropos {theirs}, and this is {ours}; run it with the program that made it"
    )]
    OtherTool {
        name: String,
        theirs: String,
        ours: String,
    },
    #[error("can't unpack the archive into {place}: {error}")]
    Unwritable { place: String, error: io::Error },
    #[error("interrupted")]
    Interrupted,
}

/// An archive whose first entries were read.
pub struct OpenArchive {
    path: PathBuf,
    pub header: ArchiveHeader,
    pub contents: Contents,
}

impl OpenArchive {
    pub fn open(path: &Path) -> Result<OpenArchive, OpenError> {
        let name = path.display().to_string();
        let unreadable = |error| OpenError::Unreadable {
            name: name.clone(),
            error,
        };
        let mut file = File::open(path).map_err(unreadable)?;
        let mut magic = [0; 4];
        let is_zstd = file.read_exact(&mut magic).is_ok() && magic == 0xFD2F_B528_u32.to_le_bytes();
        if !is_zstd {
            return Err(OpenError::NoArchive { name });
        }
        let damaged = || OpenError::Damaged { name: name.clone() };
        let mut archive = archive(path).map_err(unreadable)?;
        let mut entries = archive.entries().map_err(|_| damaged())?;
        let mut next = || entries.next().and_then(Result::ok).ok_or_else(damaged);
        let header: Value = match json(next()?, HEADER) {
            Ok(header) => header,
            Err(JsonError::OtherEntry) => return Err(OpenError::NoArchive { name }),
            Err(JsonError::Damaged) => return Err(damaged()),
        };
        let header = readable(header, &name)?;
        let contents = json(next()?, CONTENTS).map_err(|_| damaged())?;
        Ok(OpenArchive {
            path: path.to_owned(),
            header,
            contents,
        })
    }

    /// Writes all files below a directory. If that does not succeed, the directory is removed.
    pub fn unpack(&self, into: &Path, interrupt: &Interrupt) -> Result<(), OpenError> {
        let unpacked = self.unpack_all(into, Path::new(""), interrupt);
        if unpacked.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_dir_all(into);
        }
        unpacked
    }

    /// Writes all files to the paths that they had.
    pub fn unpack_in_place(&self, interrupt: &Interrupt) -> Result<(), OpenError> {
        self.unpack_all(Path::new("/"), Path::new(TREE), interrupt)
    }

    /// Writes the files below a directory, under their names without a prefix.
    fn unpack_all(
        &self,
        into: &Path,
        without: &Path,
        interrupt: &Interrupt,
    ) -> Result<(), OpenError> {
        let name = self.path.display().to_string();
        let damaged = |_: io::Error| OpenError::Damaged { name: name.clone() };
        let unwritable = |error| OpenError::Unwritable {
            place: into.display().to_string(),
            error,
        };
        fs::create_dir_all(into).map_err(unwritable)?;
        let mut archive = archive(&self.path).map_err(damaged)?;
        archive.set_preserve_permissions(true);
        archive.set_preserve_mtime(true);
        let mut count = 0;
        let mut is_whole = false;
        for entry in archive.entries().map_err(damaged)? {
            let mut entry = entry.map_err(damaged)?;
            let path = entry.path().map_err(damaged)?.into_owned();
            if path == Path::new(END) {
                let end: Option<End> = json(entry, END).ok();
                is_whole = end.is_some_and(|end| end.entries == count);
                break;
            }
            if interrupt.is_requested() {
                return Err(OpenError::Interrupted);
            }
            count += 1;
            if count > 2 {
                let target = inside(&path, without)
                    .map(|path| into.join(path))
                    .ok_or_else(|| OpenError::Damaged { name: name.clone() })?;
                let above = target.parent().unwrap_or(into);
                let written = fs::create_dir_all(above).and_then(|()| entry.unpack(&target));
                written.map_err(|error| match cause(&error) {
                    Some(error) => unwritable(error),
                    None => OpenError::Damaged { name: name.clone() },
                })?;
            }
        }
        // What is behind the last entry tells whether what came before is as it was written.
        io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(damaged)?;
        match is_whole {
            true => Ok(()),
            false => Err(OpenError::Damaged { name }),
        }
    }
}

/// The path without a prefix, if it leads nowhere else.
fn inside<'p>(path: &'p Path, without: &Path) -> Option<&'p Path> {
    let inner = path.strip_prefix(without).ok()?;
    let is_normal = |part: Component| matches!(part, Component::Normal(_));
    inner.components().all(is_normal).then_some(inner)
}

/// What the system says against writing a file; none if the archive is to blame.
fn cause(error: &io::Error) -> Option<io::Error> {
    if let Some(code) = error.raw_os_error() {
        return Some(io::Error::from_raw_os_error(code));
    }
    let source: &dyn std::error::Error = error.get_ref()?;
    let mut source = Some(source);
    while let Some(error) = source {
        let code = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::raw_os_error);
        if let Some(code) = code {
            return Some(io::Error::from_raw_os_error(code));
        }
        source = error.source();
    }
    None
}

fn archive(path: &Path) -> io::Result<Archive<Source>> {
    Ok(Archive::new(Decoder::new(File::open(path)?)?))
}

enum JsonError {
    OtherEntry,
    Damaged,
}

fn json<T: DeserializeOwned>(mut entry: Entry<'_, Source>, name: &str) -> Result<T, JsonError> {
    let path = entry.path().map_err(|_| JsonError::Damaged)?;
    if *path != *Path::new(name) {
        return Err(JsonError::OtherEntry);
    }
    let mut bytes = Vec::new();
    entry
        .read_to_end(&mut bytes)
        .map_err(|_| JsonError::Damaged)?;
    serde_json::from_slice(&bytes).map_err(|_| JsonError::Damaged)
}

/// Whether this program can go on with an archive.
fn readable(header: Value, name: &str) -> Result<ArchiveHeader, OpenError> {
    let name = name.to_owned();
    let version = |header: &Value| {
        let version = header["tool"]["version"].as_str();
        version.unwrap_or("of an unknown version").to_owned()
    };
    let ours = env!("CARGO_PKG_VERSION");
    let format = header["format"].as_u64().unwrap_or_default();
    if format != u64::from(FORMAT) {
        let theirs = version(&header);
        return Err(OpenError::OtherFormat {
            name,
            theirs,
            ours,
            format,
        });
    }
    let theirs = version(&header);
    let Ok(header) = serde_json::from_value::<ArchiveHeader>(header) else {
        return Err(OpenError::Damaged { name });
    };
    let runtime = build::embedded_runtime();
    if theirs != ours || header.runtime != runtime {
        let build = |runtime: &str| runtime.chars().take(8).collect::<String>();
        return Err(OpenError::OtherTool {
            name,
            theirs: format!("{theirs} (build {})", build(&header.runtime)),
            ours: format!("{ours} (build {})", build(&runtime)),
        });
    }
    Ok(header)
}
