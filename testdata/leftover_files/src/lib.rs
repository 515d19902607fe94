//! Tests that leave footprints if they fail: files at fixed places, which their next run finds.

pub fn twice(n: u32) -> u32 {
    n * 2
}

/// No test looks at what it gives.
pub fn ignored(n: u32) -> u32 {
    n.min(100)
}

/// A line for each number.
pub fn lines(numbers: &[u32]) -> String {
    numbers.iter().map(|n| format!("{}\n", twice(*n))).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_new_file_is_removed_at_the_end() {
        let path = Path::new("new.txt");
        assert!(!path.exists(), "somebody has left it behind");
        fs::write(path, lines(&[1])).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "2\n");
        ignored(1);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_socket_is_removed_at_the_end() {
        let path = Path::new("new.sock");
        let _listener = UnixListener::bind(path).unwrap();
        assert_eq!(twice(1), 2);
        ignored(2);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_of_the_package_is_written_anew() {
        let path = Path::new("doubled.txt");
        assert_eq!(fs::read_to_string(path).unwrap(), "2\n4\n");
        fs::write(path, lines(&[1, 2])).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "2\n4\n");
        ignored(3);
    }

    #[test]
    fn a_directory_is_made_anew() {
        let path = Path::new("made");
        fs::create_dir(path).unwrap();
        fs::write(path.join("one"), "1").unwrap();
        fs::rename(path.join("one"), path.join(twice(1).to_string())).unwrap();
        assert!(path.join("2").exists());
        ignored(4);
        fs::remove_dir_all(path).unwrap();
    }
}
