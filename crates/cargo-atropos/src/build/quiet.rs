//! Keeps tests from writing down in the user's tree how they failed: they fail for mutants.
//!
//! Only what changes no verdict is said to the libraries that do so. A file of failures that is there already is read by
//! its tests before anything else, which no variable asks for alone; so where there is one, nothing is said, and the runtime
//! refuses to open it to be written.

use std::fs;
use std::path::Path;

/// The variables for tests of packages in these directories.
pub fn variables<'p>(
    packages: impl IntoIterator<Item = &'p Path>,
) -> Vec<(&'static str, &'static str)> {
    let mut variables = vec![("INSTA_UPDATE", "no")];
    if !packages.into_iter().any(keeps_failures) {
        variables.push(("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1"));
    }
    variables.retain(|(name, _)| std::env::var_os(name).is_none());
    variables
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
        let names = || -> Vec<&str> {
            let variables = variables([place.path()]);
            variables.into_iter().map(|(name, _)| name).collect()
        };
        fs::create_dir_all(place.path().join("tests/all")).expect("a directory");
        let both = ["INSTA_UPDATE", "PROPTEST_DISABLE_FAILURE_PERSISTENCE"];
        assert_eq!(names(), both);
        let file = place.path().join("tests/all/it.proptest-regressions");
        fs::write(file, "").expect("a file");
        assert_eq!(names(), both[..1]);
    }
}
