//! The Rust toolchain that the crate under test is built with.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand};
use serde::{Deserialize, Serialize};

/// The oldest Rust (1.x) that the runtime of ordinary runs compiles with.
const OLDEST: u32 = 85;

/// A command of cargo in a directory, with the toolchain that is meant there. A toolchain file of that directory goes before
/// the toolchain that rustup chose for ours, unless the user named that one.
pub fn cargo(directory: &Path) -> Command {
    let mut command = match is_anothers(directory) {
        true => Command::new("cargo"),
        false => Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into())),
    };
    in_directory(&mut command, directory);
    command
}

/// What cargo says of the workspace around a directory.
pub fn metadata(
    asked: &MetadataCommand,
    directory: &Path,
) -> Result<Metadata, cargo_metadata::Error> {
    let mut command = cargo(directory);
    command.args(asked.cargo_command().get_args());
    let output = command.output()?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(cargo_metadata::Error::CargoMetadata { stderr });
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let json = said.lines().find(|line| line.starts_with('{'));
    MetadataCommand::parse(json.ok_or(cargo_metadata::Error::NoJson)?)
}

/// Has a command run in a directory, with the toolchain that is meant there.
fn in_directory(command: &mut Command, directory: &Path) {
    command.current_dir(directory);
    if is_anothers(directory) {
        command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    }
}

/// Whether a directory has a toolchain file other than the one that rustup went by for us.
fn is_anothers(directory: &Path) -> bool {
    let by_hand = std::env::var("RUSTUP_TOOLCHAIN_SOURCE")
        .is_ok_and(|source| ["cli", "env"].contains(&source.as_str()));
    let here = std::env::current_dir().ok();
    let theirs = toolchain_file(directory);
    !by_hand && theirs.is_some() && theirs != here.and_then(|here| toolchain_file(&here))
}

/// The file that chooses the toolchain in a directory.
fn toolchain_file(directory: &Path) -> Option<PathBuf> {
    let names = ["rust-toolchain", "rust-toolchain.toml"];
    let files = directory
        .ancestors()
        .flat_map(|directory| names.map(|name| directory.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// What rustc says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Toolchain {
    rustc: PathBuf,
    /// Where it is meant.
    directory: PathBuf,
    /// All that `rustc -vV` prints.
    pub description: String,
    /// Its first line: `rustc 1.95.0 (…)`.
    pub version: String,
    /// The target triple of this machine.
    pub host: String,
}

impl Toolchain {
    /// Asks the rustc that cargo would use in a directory.
    pub fn of(directory: &Path) -> Result<Toolchain> {
        let rustc = PathBuf::from(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        let mut command = Command::new(&rustc);
        in_directory(&mut command, directory);
        let output = command
            .arg("-vV")
            .output()
            .with_context(|| format!("can't run {}", rustc.display()))?;
        let description = String::from_utf8_lossy(&output.stdout).into_owned();
        let field = |name: &str| {
            description
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .map(str::to_owned)
        };
        let Some(host) = field("host: ") else {
            bail!("{} does not name its host", rustc.display());
        };
        let version = description.lines().next().unwrap_or_default().to_owned();
        if minor_version(&version).is_some_and(|minor| minor < OLDEST) {
            bail!(
                "the crate under test is built with {version}; Atropos needs Rust 1.{OLDEST} or later there"
            );
        }
        Ok(Toolchain {
            version,
            host,
            rustc,
            directory: directory.to_owned(),
            description,
        })
    }

    /// The directory that it is installed in.
    pub fn sysroot(&self) -> Result<PathBuf> {
        let output = self.rustc().args(["--print", "sysroot"]).output();
        let output = output.with_context(|| format!("can't run {}", self.rustc.display()))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().into())
    }

    /// A call of its rustc.
    pub fn rustc(&self) -> Command {
        let mut command = Command::new(&self.rustc);
        in_directory(&mut command, &self.directory);
        command
    }
}

/// The x of `rustc 1.x.y (…)`.
fn minor_version(version: &str) -> Option<u32> {
    let number = version.strip_prefix("rustc 1.")?;
    number.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_rustc_says() {
        for (said, expected) in [
            ("rustc 1.95.0 (59807616e 2026-04-14)", Some(95)),
            ("rustc 1.101.0-nightly (92b5b8c87 2026-10-29)", Some(101)),
            ("rustc 2.0.0", None),
            ("clang 17", None),
        ] {
            assert_eq!(minor_version(said), expected, "{said}");
        }
    }

    #[test]
    fn the_nearest_toolchain_file_counts() {
        let place = tempfile::tempdir().expect("a directory");
        let inner = place.path().join("ws/member");
        std::fs::create_dir_all(&inner).expect("a directory");
        let before = toolchain_file(&inner);
        let file = place.path().join("ws/rust-toolchain.toml");
        std::fs::write(&file, "").expect("a file");
        assert_eq!(toolchain_file(&inner), Some(file));
        assert_eq!(toolchain_file(place.path()), before);
    }
}
