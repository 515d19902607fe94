//! Whether plain memory is worth watching: where there is no `unsafe`, nothing can race and nothing is instrumented.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::prepare::Prepared;
use crate::schedule_arguments::{RacesChoice, ScheduleConditions};

/// Decides what the user has left open, for a command whose matter are schedules.
pub fn settle_races(prepared: &mut Prepared) -> Result<()> {
    let root = prepared.plan.workspace_root.clone();
    let circumstances = &mut prepared.options.exploration.schedule.circumstances;
    check(circumstances)?;
    let is_sequential = circumstances.is_sequential();
    let wants_leaks = circumstances.leaks;
    circumstances.races.get_or_insert_with(|| {
        match wants_leaks || !is_sequential && has_unsafe_code(root.as_std_path()) {
            true => RacesChoice::On,
            false => RacesChoice::Off,
        }
    });
    Ok(())
}

/// Refuses what can't be had.
pub fn check(circumstances: &ScheduleConditions) -> Result<()> {
    if circumstances.watches_memory() && circumstances.is_sequential() {
        bail!(
            "data races are found by the orderings that `--memory sc` ignores; leave out `--memory sc`, or give `--races off`"
        );
    }
    if circumstances.leaks && !circumstances.watches_memory() {
        bail!("leaks are looked for where memory is watched; leave out `--races off` or `--leaks`");
    }
    Ok(())
}

/// Whether a workspace has code that may break the rules of memory: `unsafe` of its own, or any dependency from elsewhere.
fn has_unsafe_code(root: &Path) -> bool {
    let lock = fs::read_to_string(root.join("Cargo.lock"));
    // Without a lock file nothing is known of dependencies.
    let has_dependencies = lock.map_or(true, |lock| lock.contains("\nsource = "));
    has_dependencies || names_unsafe(root)
}

/// Whether a Rust file below a directory has the word.
fn names_unsafe(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        let name = entry.file_name();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => !is_hidden && name != "target" && names_unsafe(&path),
            Ok(_) if path.extension().is_some_and(|extension| extension == "rs") => {
                fs::read_to_string(&path).is_ok_and(|text| text.contains("unsafe"))
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(lock: &str, source: &str) -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir(tree.path().join("src")).unwrap();
        fs::write(tree.path().join("Cargo.lock"), lock).unwrap();
        fs::write(tree.path().join("src/lib.rs"), source).unwrap();
        tree
    }

    #[test]
    fn only_unsafe_code_and_dependencies_make_memory_worth_watching() {
        let alone = "[[package]]\nname = \"alone\"\n";
        let with_others = "[[package]]\nname = \"other\"\nsource = \"registry\"\n";
        assert!(!has_unsafe_code(tree(alone, "pub fn safe() {}").path()));
        assert!(has_unsafe_code(tree(alone, "unsafe fn not() {}").path()));
        assert!(has_unsafe_code(tree(with_others, "").path()));
    }
}
