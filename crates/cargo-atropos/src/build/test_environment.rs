//! Keeps tests from writing down in the user's tree how they failed, since they fail for mutants, and from asking cargo
//! what is known.
//!
//! Only what changes no verdict is said to the libraries that do so. insta has cargo tell it where the workspace is, once in
//! every process, which takes far longer than most tests do; a mutant may be a process. A file of failures that is there already is read by
//! its tests before anything else, which no variable asks for alone; so where there is one, nothing is said, and the runtime
//! refuses to open it to be written.

use std::fs;
use std::path::Path;

use crate::plan::Plan;

/// The variables for the tests of a plan.
pub fn variables(plan: &Plan) -> Vec<(String, String)> {
    let packages = plan.packages.iter();
    let mut directories = packages.map(|package| package.manifest_dir.as_std_path());
    let mut variables = vec![("INSTA_UPDATE", "no".to_owned())];
    // insta's own tests are about it.
    if plan.packages.iter().all(|package| package.name != "insta") {
        variables.push(("INSTA_WORKSPACE_ROOT", plan.workspace_root.to_string()));
    }
    if !directories.any(keeps_failures) {
        variables.push(("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1".to_owned()));
    }
    variables.retain(|(name, _)| std::env::var_os(name).is_none());
    let named = variables.into_iter();
    named
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Whether proptest has written down failures somewhere in a package.
fn keeps_failures(directory: &Path) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.contains("proptest-regressions") {
            return true;
        }
        let is_source = !name.starts_with('.') && name != "target";
        is_source && entry.file_type().is_ok_and(|it| it.is_dir()) && keeps_failures(&entry.path())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_that_are_written_down_are_still_read() {
        let place = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(place.path().join("tests/all")).expect("a directory");
        assert!(!keeps_failures(place.path()));
        let file = place.path().join("tests/all/it.proptest-regressions");
        fs::write(file, "").expect("a file");
        assert!(keeps_failures(place.path()));
    }
}
