//! Reads files by paths from the package's directory, as `cargo test` allows.

use std::path::Path;

mod support;

#[test]
fn the_table_was_generated() {
    assert_eq!(generated::square(3), 9);
    assert_eq!(generated::part::included(4), 8);
}

#[test]
fn the_text_was_included() {
    assert_eq!(generated::greeting("you"), "Good morning, youthe build script");
    assert_eq!(include_str!("beside.txt").lines().count(), 3);
}

#[test]
fn files_are_found_from_the_package_directory() {
    let text = std::fs::read_to_string("tests/beside.txt").unwrap();
    assert_eq!(generated::lines_of(&text), support::long_lines());
    let same = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/beside.txt");
    assert_eq!(std::fs::read_to_string(same).unwrap(), text);
    assert!(std::env::current_dir().unwrap().join("build.rs").is_file());
    assert_eq!(std::env::var("CARGO_PKG_NAME").unwrap(), "generated");
}

/// insta asks cargo for it in every process unless a variable tells it.
#[test]
fn the_workspace_is_told() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // `cargo test` alone does not.
    let is_told = std::env::var_os("SCRATCH").is_some();
    let expected = is_told.then(|| here.parent().unwrap().into());
    assert_eq!(std::env::var_os("INSTA_WORKSPACE_ROOT"), expected);
}
