//! Doctests of one package in one program, also before the edition of 2024, from which on rustdoc merges them by itself.
//!
//! To compile and link a program for each takes far longer than all else about them. Rustdoc merges those of older editions on
//! request, but a stable one takes the request only where it is told to act as an unstable one. Cargo is therefore told that this
//! program is rustdoc ([`call`]); what is merged is told that by nothing that code can ask for. Where a doctest might notice all
//! the same, or one does not compile or fails, they are compiled one by one, as `cargo test` does.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use atropos_mutants::Edition;

use super::cargo_config;
use super::toolchain::Toolchain;
use crate::environment;
use crate::plan::PlannedPackage;

/// The variable that makes a stable rustdoc take unstable options.
pub const UNSTABLE: &str = "RUSTC_BOOTSTRAP";
/// The variable that names rustdoc to cargo.
pub const RUSTDOC: &str = "RUSTDOC";

/// With fewer doctests merging saves nothing: it takes two calls of rustc.
const LEAST: usize = 3;

/// By these a doctest, or what it calls, can tell where it stands, what else is in its program, or that unstable features are
/// to be had; or it ends the program before the others have run.
const TELLING: &[&str] = &[
    "line!",
    "column!",
    "file!",
    "module_path!",
    "type_name",
    "type_name_of_val",
    "Location",
    "PanicInfo",
    "PanicHookInfo",
    "set_hook",
    "take_hook",
    "Backtrace",
    "current_exe",
    "env::args",
    "env::args_os",
    "insta",
    "expect_test",
    "ctor",
    "linkme",
    "inventory",
    "distributed_slice",
    "link_section",
    "no_mangle",
    "export_name",
    "global_allocator",
    "#![feature(",
    "RUSTC_BOOTSTRAP",
];

/// The rustdoc to call for a package whose doctests can be merged and would not be.
pub fn rustdoc_for(toolchain: &Toolchain, package: &PlannedPackage) -> Option<PathBuf> {
    let mut targets = package.targets.iter().filter(|target| target.doctest);
    let library = targets.next()?;
    let is_older = matches!(library.edition, Edition::Rust2018 | Edition::Rust2021);
    if targets.next().is_some() || !is_older || is_named_by_user(package.manifest_dir.as_std_path())
    {
        return None;
    }
    let texts = texts_of(
        library.root_file.parent()?.as_std_path(),
        package.manifest_dir.as_std_path(),
    )?;
    let doctests: usize = texts.iter().map(|text| fences(text)).sum::<usize>() / 2;
    if doctests < LEAST || texts.iter().any(|text| is_telling(text)) {
        return None;
    }
    let rustdoc = toolchain.sysroot().ok()?.join("bin/rustdoc");
    rustdoc.is_file().then_some(rustdoc)
}

/// Whether the user has a rustdoc of their own, or wants unstable features anyway.
fn is_named_by_user(directory: &Path) -> bool {
    let variables = [RUSTDOC, "CARGO_BUILD_RUSTDOC", UNSTABLE];
    let names_rustdoc = |text: String| {
        let config: Option<toml::Table> = text.parse().ok();
        config.is_some_and(|config| {
            let named = config.get("build").and_then(|build| build.get("rustdoc"));
            named.is_some()
        })
    };
    variables
        .iter()
        .any(|name| std::env::var_os(name).is_some())
        || cargo_config::texts(directory).any(names_rustdoc)
}

/// The sources of a library and the documents beside its manifest; none if documentation may come from elsewhere.
fn texts_of(sources: &Path, manifest_directory: &Path) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    read_all(sources, "rs", true, &mut texts);
    let is_from_elsewhere = |text: &String| {
        text.contains("include_str!(\"../../") || text.contains("env!(\"OUT_DIR\")")
    };
    if texts.iter().any(is_from_elsewhere) {
        return None;
    }
    read_all(sources, "md", true, &mut texts);
    if sources != manifest_directory {
        read_all(manifest_directory, "md", false, &mut texts);
    }
    Some(texts)
}

fn read_all(directory: &Path, extension: &str, is_deep: bool, texts: &mut Vec<String>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == extension) {
            texts.extend(fs::read_to_string(path));
        } else if is_deep && path.is_dir() {
            read_all(&path, extension, true, texts);
        }
    }
}

/// The lines that begin or end a block of code in documentation.
fn fences(text: &str) -> usize {
    let lines = text.lines().map(|line| {
        let line = line.trim_start();
        let comment = ["///", "//!", "*"];
        let inner = comment.iter().find_map(|start| line.strip_prefix(start));
        inner.unwrap_or(line).trim_start()
    });
    lines
        .filter(|line| line.starts_with("```") || line.starts_with("~~~"))
        .count()
}

fn is_telling(text: &str) -> bool {
    TELLING.iter().any(|word| has_word(text, word))
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let begins = word.starts_with(is_part);
    let ends = word.ends_with(is_part);
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        !(begins && before.is_some_and(is_part) || ends && after.is_some_and(is_part))
    })
}

/// Acts as rustdoc, which is called as cargo asks, but told to merge. Never returns.
pub fn call(rustdoc: &Path, arguments: impl Iterator<Item = std::ffi::OsString>) -> ! {
    let arguments: Vec<_> = arguments.collect();
    let mut command = Command::new(rustdoc);
    let are_tested = arguments.iter().any(|argument| argument == "--test");
    command.args(arguments);
    if are_tested {
        command
            .args(["-Zunstable-options", "--merge-doctests=yes"])
            .env(UNSTABLE, "1");
    }
    let error = command.exec();
    eprintln!("atropos: can't run {}: {error}", rustdoc.display());
    process::exit(1)
}

/// Whether this process works on merged doctests.
pub fn is_under_way() -> bool {
    std::env::var_os(environment::MERGE_DOCTESTS).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_only_whole() {
        for (text, expected) in [
            ("/// assert_eq!(line!(), 3);", true),
            ("in_line!()", false),
            ("std::env::args()", true),
            ("fn a_constructor(vector: Vec<u8>, args: u8) {}", false),
            ("#[ctor::ctor]", true),
            ("#![cfg_attr(docsrs, feature(doc_cfg))]", false),
            ("/// #![feature(test)]", true),
            ("std::any::type_name::<T>()", true),
            ("allocation", false),
            ("panic::Location::caller()", true),
        ] {
            assert_eq!(is_telling(text), expected, "{text}");
        }
    }

    #[test]
    fn blocks_of_code_are_counted_in_all_sorts_of_comments() {
        let text =
            "//! ```\n//! a\n//! ```\n    /// ~~~\n/// ~~~\n/**\n * ```\n ``` */\nlet a = \"```\";";
        assert_eq!(fences(text), 6);
    }

    #[test]
    fn documentation_from_elsewhere_is_not_merged() {
        let place = tempfile::tempdir().expect("a directory");
        let sources = place.path().join("src");
        fs::create_dir(&sources).expect("a directory");
        let write = |name: &str, text: &str| {
            fs::write(place.path().join(name), text).expect("a file");
        };
        write("README.md", "```\n```");
        write("src/lib.rs", "#![doc = include_str!(\"../README.md\")]");
        let texts = texts_of(&sources, place.path()).expect("they are all there");
        assert_eq!(texts.len(), 2);
        write("src/more.rs", "#![doc = include_str!(\"../../README.md\")]");
        assert!(texts_of(&sources, place.path()).is_none());
    }
}
