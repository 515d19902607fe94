//! The few settings of cargo's own configuration that we must know because our calls of cargo replace them.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The compiler wrapper that the user has for all crates (sccache, for example): of the environment, or of the nearest
/// configuration file that names one.
pub fn rustc_wrapper(directory: &Path) -> Option<OsString> {
    for variable in ["RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"] {
        if let Some(value) = env::var_os(variable) {
            return (!value.is_empty()).then_some(value);
        }
    }
    folders(directory).find_map(|folder| wrapper_in(&folder))
}

/// The texts of all configuration files that cargo reads in a directory.
pub fn texts(directory: &Path) -> impl Iterator<Item = String> {
    folders(directory).filter_map(|folder| text_in(&folder))
}

/// The folders that may hold configuration, the nearest first.
fn folders(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let folders = directory
        .ancestors()
        .map(|directory| directory.join(".cargo"));
    folders.chain(home)
}

fn text_in(folder: &Path) -> Option<String> {
    let files = ["config", "config.toml"].map(|name| folder.join(name));
    files.iter().find_map(|file| fs::read_to_string(file).ok())
}

/// The wrapper that the configuration in a folder names.
fn wrapper_in(folder: &Path) -> Option<OsString> {
    let config: toml::Table = text_in(folder)?.parse().ok()?;
    let wrapper = config.get("build")?.get("rustc-wrapper")?.as_str()?;
    // A path is meant from the directory that the folder is in, a mere name from the search path.
    Some(match wrapper.contains('/') {
        true => folder.parent()?.join(wrapper).into(),
        false => wrapper.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_is_found_in_the_configuration_of_a_folder() {
        let place = tempfile::tempdir().expect("a directory");
        let folder = place.path().join(".cargo");
        fs::create_dir(&folder).expect("a directory");
        let check = |text: &str, expected: Option<OsString>| {
            fs::write(folder.join("config.toml"), text).expect("a file");
            assert_eq!(wrapper_in(&folder), expected, "{text}");
        };
        check(
            "[build]\nrustc-wrapper = \"sccache\"",
            Some("sccache".into()),
        );
        let beside = place.path().join("tools/wrap");
        check(
            "[build]\nrustc-wrapper = \"tools/wrap\"",
            Some(beside.into()),
        );
        check("[build]\njobs = 1", None);
        check("no configuration", None);
    }
}
