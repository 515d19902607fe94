//! As another program's test, with the same file: `cargo test` runs one after the other.

use std::path::Path;
use std::{fs, thread, time::Duration};

#[test]
fn nobody_else_is_there() {
    let path = Path::new("shared.txt");
    assert!(!path.exists(), "somebody is there");
    fs::write(path, leftover_files::lines(&[3])).unwrap();
    thread::sleep(Duration::from_millis(20));
    assert_eq!(fs::read_to_string(path).unwrap(), "6\n");
    leftover_files::ignored(5);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_file_is_there_for_a_while() {
    let path = Path::new("brief.txt");
    fs::write(path, leftover_files::lines(&[4])).unwrap();
    thread::sleep(Duration::from_millis(20));
    assert_eq!(fs::read_to_string(path).unwrap(), "8\n");
    leftover_files::ignored(6);
    fs::remove_file(path).unwrap();
}
