//! The crate that cargo compiles at the moment, as its log in the output directory says: what a user waits for.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of cargo's log within the directory of a build.
const LOG: &str = "cargo.log";

/// Follows the logs of the builds below a directory.
#[derive(Clone, Debug)]
pub struct CompiledCrate {
    directory: PathBuf,
}

impl CompiledCrate {
    pub fn below(directory: &Path) -> CompiledCrate {
        let directory = directory.to_owned();
        CompiledCrate { directory }
    }

    /// `serde v1.0.219`, if a build that was begun after `since` has said so.
    pub fn name(&self, since: SystemTime) -> Option<String> {
        let builds = fs::read_dir(&self.directory).ok()?.flatten();
        let logs = builds.filter_map(|build| {
            let log = build.path().join(LOG);
            let time = fs::metadata(&log).ok()?.modified().ok()?;
            (time >= since).then_some((time, log))
        });
        let (_, newest) = logs.max()?;
        last_compiled(&fs::read_to_string(newest).ok()?)
    }
}

/// The last crate that a log of cargo names.
fn last_compiled(log: &str) -> Option<String> {
    let mut lines = log.lines().rev();
    let named = lines.find_map(|line| line.trim_start().strip_prefix("Compiling "))?;
    // Behind the version of a crate of the workspace stands its path.
    let mut words = named.split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    Some(format!("{name} {version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_build_names_the_crate() {
        let output = tempfile::tempdir().expect("a directory");
        let begun = SystemTime::UNIX_EPOCH;
        let compiled = CompiledCrate::below(output.path());
        assert_eq!(compiled.name(begun), None);
        let build = output.path().join("weave-1");
        fs::create_dir(&build).expect("a directory");
        let log = "   Compiling serde v1.0.219\n   Compiling bank v0.1.0 (/a/bank)\nwarning: x\n";
        fs::write(build.join(LOG), log).expect("a file");
        assert_eq!(compiled.name(begun).as_deref(), Some("bank v0.1.0"));
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        assert_eq!(compiled.name(later), None);
    }
}
