//! `cargo xtask book`: the book of `docs/` as HTML, built with mdBook, after its links were checked.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::{links, root};

/// The mdBook that the book is built with.
const VERSION: &str = "0.5.4";

/// Checks the links, installs mdBook below `target` if it is not there, and builds the book.
pub fn build() -> Result<()> {
    let root = root();
    let broken = links::broken(&root)?;
    if !broken.is_empty() {
        bail!("broken links:\n{}", broken.join("\n"));
    }
    let mdbook = installed(&root)?;
    let status = Command::new(&mdbook)
        .current_dir(&root)
        .args(["build", "docs"])
        .env("MDBOOK_LOG", "warn")
        .status()
        .with_context(|| format!("can't run {}", mdbook.display()))?;
    ensure!(status.success(), "mdbook failed");
    println!("the book is in target/book/index.html");
    Ok(())
}

/// The program, installed first if need be. Unoptimised, without server and search, two cores build it in 52 s (75 s
/// with both), and it builds this book in less than a second.
fn installed(root: &Path) -> Result<PathBuf> {
    let place = root.join("target/tools").join(format!("mdbook-{VERSION}"));
    let program = place.join("bin/mdbook");
    if program.exists() {
        return Ok(program);
    }
    println!("installing mdBook {VERSION} below target/tools, once");
    let status = Command::new(env!("CARGO"))
        .args([
            "install",
            "mdbook",
            "--version",
            VERSION,
            "--locked",
            "--quiet",
        ])
        .args(["--no-default-features", "--debug", "--root"])
        .arg(&place)
        .arg("--target-dir")
        .arg(root.join("target/tools/build"))
        .status()
        .context("can't run cargo")?;
    ensure!(status.success(), "mdBook could not be installed");
    Ok(program)
}
