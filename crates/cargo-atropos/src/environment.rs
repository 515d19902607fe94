//! Every `ATROPOS_*` environment variable of a run, in one table.
//!
//! Users set none of these. The driver sets them for the processes that it starts, to say what they are to do; `test_binary`
//! removes them from what tests see.

use atropos_protocol::exploration::{ENV_ANSWERS, ENV_ORDER};
use atropos_protocol::{ENV_BOARD, ENV_CAPTURES, ENV_MUTANT, ENV_OBSERVATIONS, ENV_ZYGOTE};

/// This program is the compiler wrapper. Holds the directory of the build instructions.
pub const WRAP: &str = "ATROPOS_WRAP";

/// The user's own compiler wrapper, in whose place we stand. Dependencies are compiled through it.
pub const USER_WRAPPER: &str = "ATROPOS_USER_WRAPPER";

/// Names the set of planned packages. Units of other packages are compiled again when it changes.
pub const PLANNED: &str = "ATROPOS_PLANNED";

/// This program is the runner of test binaries. Holds the directory for its records.
pub const RECORD: &str = "ATROPOS_RECORD";

/// This program is the runner of doctests. Holds the directory that they are copied to.
pub const KEEP_DOCTESTS: &str = "ATROPOS_KEEP_DOCTESTS";

/// This program is rustdoc, and has doctests merged. Holds the rustdoc to call.
pub const MERGE_DOCTESTS: &str = "ATROPOS_MERGE_DOCTESTS";

/// The log for compiler wrappers: when the run began (in milliseconds), a colon, the file.
pub const LOG: &str = "ATROPOS_LOG";

/// All of them.
const ALL: &[&str] = &[
    WRAP,
    USER_WRAPPER,
    PLANNED,
    RECORD,
    KEEP_DOCTESTS,
    MERGE_DOCTESTS,
    LOG,
    ENV_BOARD,
    ENV_CAPTURES,
    ENV_MUTANT,
    ENV_OBSERVATIONS,
    ENV_ORDER,
    ENV_ANSWERS,
    ENV_ZYGOTE,
];

/// Whether a variable is one that Atropos sets for processes of its own.
pub fn is_ours(name: &str) -> bool {
    ALL.contains(&name)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Variables that users set, for tests that were generated from models. Tests must see them.
    const OF_USERS: &[&str] = &["ATROPOS_ALLOW_INCONCLUSIVE"];

    /// Variables that only this repository's own tests and experiments set.
    fn is_of_tests(path: &Path) -> bool {
        path.components()
            .any(|part| part.as_os_str() == "tests" || part.as_os_str() == "examples")
    }

    fn sources(directory: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() && !is_of_tests(&path) {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(fs::read_to_string(path).unwrap());
            }
        }
    }

    #[test]
    fn every_variable_of_the_sources_is_in_the_table() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut texts = Vec::new();
        sources(crates, &mut texts);
        let quoted = texts
            .iter()
            .flat_map(|text| text.split("\"ATROPOS_").skip(1));
        let is_name = |name: &&str| {
            let mut letters = name.bytes();
            !name.is_empty() && letters.all(|letter| letter.is_ascii_uppercase() || letter == b'_')
        };
        let names = quoted.filter_map(|rest| rest.split('"').next());
        let names = names.filter(is_name);
        let unknown: Vec<String> = names
            .map(|name| format!("ATROPOS_{name}"))
            .filter(|name| !is_ours(name) && !name.starts_with("ATROPOS_TEST_"))
            .filter(|name| !OF_USERS.contains(&name.as_str()))
            .collect();
        assert_eq!(unknown, [""; 0], "not in `environment::ALL`");
    }
}
