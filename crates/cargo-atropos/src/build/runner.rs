//! How cargo is told that this program runs test binaries and doctests.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, Result, bail};

use super::toolchain::Toolchain;
use super::user_cache::user_cache;

/// The variable for the runner of the host's programs. It goes before every configuration file; what `--config` says would
/// be merged with what stands there.
pub fn variable(toolchain: &Toolchain) -> String {
    let host = toolchain.host.to_uppercase().replace('-', "_");
    format!("CARGO_TARGET_{host}_RUNNER")
}

/// Whether a variable is one of these.
pub fn is_variable(name: &str) -> bool {
    name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER")
}

/// This program under a name without spaces, at which cargo would split it.
pub fn program() -> Result<PathBuf> {
    let this = env::current_exe().context("can't find this program's own file")?;
    if !has_spaces(&this) {
        return Ok(this);
    }
    let mut places = user_cache().into_iter().chain([env::temp_dir()]);
    let Some(place) = places.find(|place| !has_spaces(place)) else {
        bail!(
            "the path of this program, {}, has spaces in it, and so have the places for a link to it",
            this.display()
        );
    };
    let mut hasher = DefaultHasher::new();
    this.hash(&mut hasher);
    let link = place.join(format!("cargo-atropos-{:016x}", hasher.finish()));
    if !fs::read_link(&link).is_ok_and(|target| target == this) {
        let making = link.with_extension(process::id().to_string());
        symlink(&this, &making)
            .and_then(|()| fs::rename(&making, &link))
            .with_context(|| format!("can't write {}", link.display()))?;
    }
    Ok(link)
}

fn has_spaces(path: &Path) -> bool {
    path.to_string_lossy().contains(char::is_whitespace)
}
