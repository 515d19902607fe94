//! Which files of the source tree a build has read, or may have read.
//!
//! What rustc, build scripts and doctests read is told by dep-info files, by what build scripts print, and by the names in the
//! code. Where something may read files without a word (a procedural macro, a native library), every file counts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::outside_code::LearnedByCode;
use super::surroundings;
use crate::build::shadow_tree::without_parents;
use crate::prepare::Prepared;

/// Files that every build of a package depends on, besides Rust code.
const OF_CARGO: [&str; 4] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// What a build may read of the tree.
#[derive(Default)]
pub struct BuildUses {
    /// Nobody can say what it reads.
    pub anything: bool,
    /// Files, and directories with all below them.
    named: BTreeSet<PathBuf>,
    /// Files of the shadow tree, which stand for files of the same path in the tree, by their names.
    shadows: HashMap<OsString, Vec<PathBuf>>,
    /// The words that may be names of files, of all code in the tree.
    words: HashSet<Vec<u8>>,
}

impl BuildUses {
    /// rustc has read a file of the tree.
    pub fn add_file(&mut self, path: &Path) {
        self.named.insert(without_parents(path));
    }

    /// rustc has read a file of a shadow tree.
    pub fn add_shadow(&mut self, path: &Path) {
        let path = without_parents(path);
        if let Some(name) = path.file_name() {
            self.shadows.entry(name.to_owned()).or_default().push(path);
        }
    }

    /// Adds what the code of a crate may read while others are compiled.
    pub fn add_code(&mut self, learned: LearnedByCode) {
        self.anything |= learned.asks_unseen || learned.makes_code && learned.reads_files;
    }

    /// Adds what build scripts say.
    pub fn add_build_scripts(&mut self, prepared: &Prepared, profiles: &[PathBuf]) {
        for output in build_script_outputs(prepared, profiles) {
            self.anything |= output.links || output.package.is_some() && !output.says_what;
            self.named
                .extend(output.files.iter().map(|path| without_parents(path)));
        }
    }

    /// Adds the words of a file of code.
    pub fn add_words(&mut self, text: &[u8]) {
        for word in text.split(|byte| !is_of_name(byte)) {
            for word in [word, without_full_stops(word)] {
                if !word.is_empty() && !self.words.contains(word) {
                    self.words.insert(word.to_owned());
                }
            }
        }
    }

    /// Whether a build may depend on a file of the tree, by its whole path and the one from the root.
    pub fn may_read(&self, path: &Path, root: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        let Ok(relative) = path.strip_prefix(root) else {
            return true;
        };
        let is_known = |part: &OsStr| {
            let part = part.as_encoded_bytes();
            self.words.contains(part) || !part.iter().all(is_of_name)
        };
        self.anything
            || path.extension() == Some(OsStr::new("rs"))
            || OF_CARGO.iter().any(|known| name == *known)
            || path.ancestors().any(|above| self.named.contains(above))
            || self.is_shadowed(name, relative)
            || relative.iter().any(is_known)
            || path.file_stem().is_some_and(is_known)
    }

    fn is_shadowed(&self, name: &OsStr, relative: &Path) -> bool {
        let shadows = self.shadows.get(name);
        shadows.is_some_and(|shadows| shadows.iter().any(|shadow| shadow.ends_with(relative)))
    }
}

/// Names with other characters are not looked for in code.
fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-".contains(byte) || !byte.is_ascii()
}

/// Without those at the end of a sentence.
fn without_full_stops(word: &[u8]) -> &[u8] {
    let end = word.iter().rposition(|&byte| byte != b'.');
    &word[..end.map_or(0, |last| last + 1)]
}

/// What a build script has printed of what it goes by.
pub struct BuildScriptOutput {
    /// Where its package lies, if it is in no registry.
    pub package: Option<PathBuf>,
    /// Whether it says by what it goes; without that it goes by all files of its package.
    pub says_what: bool,
    /// Whether something is linked that is not Rust.
    links: bool,
    pub variables: Vec<String>,
    /// Those of other packages only if their paths are absolute: relative ones are within their packages.
    pub files: Vec<PathBuf>,
}

/// What the build scripts of a build have printed.
pub fn build_script_outputs(prepared: &Prepared, profiles: &[PathBuf]) -> Vec<BuildScriptOutput> {
    let packages = local_build_scripts(prepared, profiles);
    let directories = profiles.iter().flat_map(|it| entries(&it.join("build")));
    let outputs = directories.filter_map(|entry| {
        let text = fs::read_to_string(entry.join("output")).ok()?;
        let package = packages.get(&package_name(&entry)).cloned();
        Some(BuildScriptOutput::of(&text, package))
    });
    outputs.collect()
}

impl BuildScriptOutput {
    fn of(text: &str, package: Option<PathBuf>) -> BuildScriptOutput {
        let mut output = BuildScriptOutput {
            package,
            says_what: false,
            links: false,
            variables: Vec::new(),
            files: Vec::new(),
        };
        for line in text.lines() {
            let word = line.trim_start_matches("cargo:").trim_start_matches(':');
            output.says_what |= word.starts_with("rerun-if-");
            output.links |= word.starts_with("rustc-link-");
            if let Some(name) = word.strip_prefix("rerun-if-env-changed=") {
                output.variables.push(name.to_owned());
            } else if let Some(path) = word.strip_prefix("rerun-if-changed=") {
                let package = output.package.as_ref();
                let path = package.map_or_else(|| path.into(), |at| at.join(path));
                output.files.extend(path.is_absolute().then_some(path));
            }
        }
        output
    }
}

pub fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The build scripts that are in no registry: the names of their packages, and where they run.
fn local_build_scripts(prepared: &Prepared, profiles: &[PathBuf]) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let directories = profiles.iter().flat_map(|it| entries(&it.join("build")));
    for directory in directories {
        let name = package_name(&directory);
        for file in entries(&directory) {
            let file_name = file.file_name().unwrap_or_default().to_string_lossy();
            if !file_name.starts_with("build_script_") || !file_name.ends_with(".d") {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap_or_default();
            let sources = text.lines().filter_map(|line| line.strip_suffix(':'));
            let sources =
                sources.map(|path| prepared.workspace_root.join(path.replace("\\ ", " ")));
            for source in sources.filter(|path| !surroundings::is_fixed(path)) {
                let manifests = source.ancestors().skip(1);
                let mut manifests = manifests.filter(|it| it.join("Cargo.toml").is_file());
                if let Some(package) = manifests.next() {
                    found.insert(name.clone(), package.to_owned());
                }
            }
        }
    }
    found
}

/// The package that cargo has made a directory for: its name without the hash behind it.
fn package_name(directory: &Path) -> String {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-')
        .map_or_else(String::new, |(name, _)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nobody_names_is_not_read() {
        let root = Path::new("/w");
        let mut uses = BuildUses::default();
        uses.add_words(b"// See CONTRIBUTING.md. include_str!(\"../data/\"), concat!(\"READ\", \"ME.md\"), guide");
        uses.add_file(Path::new("/w/src/../NOTES.md"));
        uses.add_shadow(Path::new("/w/target/shadow/inner/HELP.md"));
        uses.named.insert("/w/templates".into());
        for (file, is_read) in [
            ("README.md", false),
            ("CHANGELOG.md", false),
            ("docs/page.md", false),
            ("log", false),
            // By a comment, a directory in code, the name without its ending.
            ("CONTRIBUTING.md", true),
            ("data/new/1.txt", true),
            ("docs/guide.md", true),
            ("read me.md", true),
            // By rustc, in the tree and in the shadow tree; by a build script.
            ("NOTES.md", true),
            ("inner/HELP.md", true),
            ("HELP.md", true),
            ("templates/a/b.html", true),
            // By cargo.
            ("src/other.rs", true),
            ("other/Cargo.toml", true),
            ("rust-toolchain", true),
        ] {
            let is_found = uses.may_read(&root.join(file), root);
            assert_eq!(is_found, is_read, "{file}");
        }
        assert!(uses.may_read(Path::new("/elsewhere/README.md"), root));
        uses.anything = true;
        assert!(uses.may_read(Path::new("/w/README.md"), root));
    }

    #[test]
    fn what_build_scripts_go_by_is_read_from_what_they_print() {
        let of = |text: &str| BuildScriptOutput::of(text, Some("/w".into()));
        let output = of(
            "cargo:rerun-if-changed=a\ncargo::rerun-if-changed=/b\ncargo::rerun-if-env-changed=C\n",
        );
        assert_eq!(output.files, [Path::new("/w/a"), Path::new("/b")]);
        assert_eq!(output.variables, ["C"]);
        assert!(output.says_what && !output.links);
        let output = of("cargo:rustc-link-lib=z\nhello\n");
        assert!(!output.says_what && output.links);
        let output = BuildScriptOutput::of("cargo:rerun-if-changed=a", None);
        assert!(output.files.is_empty() && output.says_what);
    }
}
