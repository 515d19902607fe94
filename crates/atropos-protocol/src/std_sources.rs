//! Tells the standard library's own source files by their paths, as panics and backtraces name them.

/// Whether a path is one of the standard library's files. Where the toolchain has the library's sources (`rust-src`),
/// rustc names them there instead of by the place where the library was built.
pub fn is_of_std(file: &str) -> bool {
    file.starts_with("/rustc/") || file.contains("/lib/rustlib/src/rust/library/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn std_is_known_with_and_without_its_sources() {
        assert!(is_of_std("/rustc/59807616/library/std/src/io/pipe.rs"));
        let installed = "/opt/rust/lib/rustlib/src/rust/library/std/src/io/mod.rs";
        assert!(is_of_std(installed));
        assert!(!is_of_std("/opt/a/rust/library/src/lib.rs"));
        assert!(!is_of_std("src/lib.rs"));
    }
}
