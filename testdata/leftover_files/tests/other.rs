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

/// It never opens the file that the other program's test makes.
#[test]
fn a_file_is_not_there() {
    let path = Path::new("brief.txt");
    for _ in 0..20 {
        assert!(!path.exists(), "somebody has made it");
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(leftover_files::twice(5), 10);
    leftover_files::ignored(7);
    assert!(fs::canonicalize(path).is_err());
}
