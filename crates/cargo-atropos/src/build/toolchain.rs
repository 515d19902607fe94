//! The Rust toolchain that the crate under test is built with.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// What rustc says of itself.
#[derive(Clone, Debug)]
pub struct Toolchain {
    pub rustc: PathBuf,
    /// All that `rustc -vV` prints.
    pub description: String,
    /// Its first line: `rustc 1.95.0 (…)`.
    pub version: String,
    /// The target triple of this machine.
    pub host: String,
}

impl Toolchain {
    /// Asks the rustc that cargo would use here.
    pub fn ask() -> Result<Toolchain> {
        let rustc = PathBuf::from(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        let output = Command::new(&rustc)
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
        Ok(Toolchain {
            version: description.lines().next().unwrap_or_default().to_owned(),
            host,
            rustc,
            description,
        })
    }
}
