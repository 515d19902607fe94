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
}

static WORDS: LazyLock<RegexSet> = LazyLock::new(|| {
    let patterns = [
        r"Location::caller|caller_location|set_hook|Backtrace::(force_capture|new)",
        r"env::vars|vars_os|\benviron\b",
        r#""syscall\b|"svc "#,
        r"is_x86_feature_detected|is_aarch64_feature_detected|__cpuid|cpufeatures",
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
        }
    }

    #[must_use]
    pub fn or(self, other: LearnedByCode) -> LearnedByCode {
        LearnedByCode {
            places: self.places || other.places,
            all_variables: self.all_variables || other.all_variables,
            kernel: self.kernel || other.kernel,
            processor: self.processor || other.processor,
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
            let learned = LearnedByCode::of(text.as_bytes());
            let LearnedByCode {
                places,
                all_variables,
                kernel,
                processor,
            } = learned;
            [places, all_variables, kernel, processor]
        };
        assert_eq!(
            of("let line = Location::caller().line();"),
            [true, false, false, false]
        );
        assert_eq!(
            of("for (k, v) in std::env::vars_os() {}"),
            [false, true, false, false]
        );
        assert_eq!(of("extern char **environ;"), [false, true, false, false]);
        assert_eq!(
            of("asm!(\"syscall\", in(\"rax\") n)"),
            [false, false, true, false]
        );
        assert_eq!(
            of("if is_x86_feature_detected!(\"avx2\") {}"),
            [false, false, false, true]
        );
        assert_eq!(
            of("libc::syscall(n); an environment; env::var(\"A\")"),
            [false; 4]
        );
    }
}
