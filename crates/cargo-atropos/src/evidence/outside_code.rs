//! What the code of dependencies can learn that evidence does not hold: in which line a call stands, all variables of the
//! environment, which instructions the processor has, or what the kernel says to who calls it directly.
//!
//! Decided by the words of their sources, wherever they stand. Too many are found that way, never too few: that costs time.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder};

/// What some code may learn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LearnedByCode {
    /// In which lines panics and calls stand.
    pub places: bool,
    pub all_variables: bool,
    /// Programs may call the kernel without libc, so that nobody knows what they read.
    pub kernel: bool,
    pub processor: bool,
    /// It may read files, or look at them.
    pub reads_files: bool,
    /// It makes code from code.
    pub makes_code: bool,
    /// It may ask for files by calls of the C library that the runtime does not see.
    pub asks_unseen: bool,
}

static WORDS: LazyLock<RegexSet> = LazyLock::new(|| {
    let patterns = [
        r"Location::caller|caller_location|set_hook|Backtrace::(force_capture|new)",
        r"env::vars|vars_os|\benviron\b",
        r#""syscall\b|"svc "#,
        r"is_x86_feature_detected|is_aarch64_feature_detected|__cpuid|cpufeatures",
        r"\bread_dir\b|\bread_to_string\b|File::open|\bfs::read|OpenOptions|WalkDir|\bis_file\(|\bis_dir\(|\bexists\(",
        r"\bproc_macro|TokenStream|\bquote!",
        r"\b(l?stat(64)?|fstatat(64)?|n?ftw(64)?|fts_open|glob64|scandir(64)?|wordexp|statv?fs(64)?|l?getxattr)\(",
    ];
    let set = RegexSetBuilder::new(patterns).unicode(false).build();
    set.expect("valid patterns")
});

impl LearnedByCode {
    pub fn of(text: &[u8]) -> LearnedByCode {
        let found = WORDS.matches(text);
        LearnedByCode {
            places: found.matched(0),
            all_variables: found.matched(1),
            kernel: found.matched(2),
            processor: found.matched(3),
            reads_files: found.matched(4),
            makes_code: found.matched(5),
            asks_unseen: found.matched(6),
        }
    }

    #[must_use]
    pub fn or(self, other: LearnedByCode) -> LearnedByCode {
        LearnedByCode {
            places: self.places || other.places,
            all_variables: self.all_variables || other.all_variables,
            kernel: self.kernel || other.kernel,
            processor: self.processor || other.processor,
            reads_files: self.reads_files || other.reads_files,
            makes_code: self.makes_code || other.makes_code,
            asks_unseen: self.asks_unseen || other.asks_unseen,
        }
    }
}

/// Which instructions this processor has, as the kernel tells.
pub fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = |line: &&str| line.starts_with("flags") || line.starts_with("Features");
    text.lines().find(flags).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_code_may_learn_is_told_by_its_words() {
        let of = |text: &str| {
            let LearnedByCode {
                places,
                all_variables,
                kernel,
                processor,
                reads_files,
                makes_code,
                asks_unseen,
            } = LearnedByCode::of(text.as_bytes());
            [
                (places, "places"),
                (all_variables, "variables"),
                (kernel, "kernel"),
                (processor, "processor"),
                (reads_files, "reads"),
                (makes_code, "makes"),
                (asks_unseen, "unseen"),
            ]
            .into_iter()
            .filter_map(|(is_found, word)| is_found.then_some(word))
            .collect::<Vec<_>>()
            .join(" ")
        };
        for (text, found) in [
            ("let line = Location::caller().line();", "places"),
            ("for (k, v) in std::env::vars_os() {}", "variables"),
            ("extern char **environ;", "variables"),
            ("asm!(\"syscall\", in(\"rax\") n)", "kernel"),
            ("if is_x86_feature_detected!(\"avx2\") {}", "processor"),
            (
                "let text = fs::read_to_string(path); quote! { #text }",
                "reads makes",
            ),
            ("libc::stat(path, &mut answer)", "unseen"),
            ("libc::syscall(n); an environment; env::var(\"A\")", ""),
            ("self.status(); file.read(buffer); a quote", ""),
        ] {
            assert_eq!(of(text), found, "{text}");
        }
    }
}
