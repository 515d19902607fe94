//! The arguments of a test binary: libtest's, as far as they choose tests.
//!
//! Arguments that only change libtest's output or scheduling are taken and left unused.

use crate::description::TestDescAndFn;

/// Which ignored tests to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ignored {
    #[default]
    Leave,
    Only,
    Include,
}

/// What the command line asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HarnessArguments {
    pub filters: Vec<String>,
    pub skip: Vec<String>,
    pub exact: bool,
    pub list: bool,
    pub quiet: bool,
    pub ignored: Ignored,
    /// `--format terse` makes a list without its summary.
    pub terse: bool,
}

impl HarnessArguments {
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<HarnessArguments, String> {
        let mut parsed = HarnessArguments::default();
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (argument.as_str(), None),
            };
            let mut value = |name: &str| {
                value
                    .clone()
                    .or_else(|| arguments.next())
                    .ok_or_else(|| format!("{name} needs a value"))
            };
            match name {
                "--skip" => parsed.skip.push(value(name)?),
                "--exact" => parsed.exact = true,
                "--list" => parsed.list = true,
                "--ignored" => parsed.ignored = Ignored::Only,
                "--include-ignored" => parsed.ignored = Ignored::Include,
                "-q" | "--quiet" => parsed.quiet = true,
                "--format" => parsed.terse = value(name)? == "terse",
                "--test-threads" | "--color" | "--logfile" | "--shuffle-seed" | "-Z" => {
                    value(name)?;
                }
                "--test"
                | "--bench"
                | "--nocapture"
                | "--no-capture"
                | "--show-output"
                | "--report-time"
                | "--ensure-time"
                | "--shuffle"
                | "--exclude-should-panic"
                | "--force-run-in-process" => {}
                "--" => {}
                _ if name.starts_with('-') => return Err(format!("unknown option {argument}")),
                _ => parsed.filters.push(argument),
            }
        }
        Ok(parsed)
    }

    /// Filters, `--skip` and `--ignored` leave this test in.
    pub fn select(&self, test: &TestDescAndFn) -> bool {
        self.chooses(test.name(), test.desc.ignore)
    }

    /// As [`Self::select`], for what is a test by another harness.
    pub fn chooses(&self, name: &str, ignored: bool) -> bool {
        let wanted = |pattern: &String| self.matches(pattern, name);
        (self.filters.is_empty() || self.filters.iter().any(wanted))
            && !self.skips(name)
            && (self.ignored != Ignored::Only || ignored)
    }

    /// Whether `--skip` leaves out what has this name.
    pub fn skips(&self, name: &str) -> bool {
        self.skip.iter().any(|pattern| self.matches(pattern, name))
    }

    fn matches(&self, pattern: &str, name: &str) -> bool {
        match self.exact {
            true => name == pattern,
            false => name.contains(pattern),
        }
    }

    /// The test is to be shown as ignored instead of being run.
    pub fn ignores(&self, test: &TestDescAndFn) -> bool {
        test.desc.ignore && self.ignored == Ignored::Leave
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::*;

    fn parse(text: &str) -> Result<HarnessArguments, String> {
        HarnessArguments::parse(text.split_whitespace().map(str::to_owned))
    }

    fn test(name: &'static str, ignore: bool) -> TestDescAndFn {
        TestDescAndFn {
            desc: TestDesc {
                name: StaticTestName(name),
                ignore,
                ignore_message: None,
                source_file: "",
                start_line: 0,
                start_col: 0,
                end_line: 0,
                end_col: 0,
                should_panic: ShouldPanic::No,
                compile_fail: false,
                no_run: false,
                test_type: TestType::UnitTest,
            },
            testfn: StaticTestFn(|| Ok(())),
        }
    }

    fn selected(text: &str) -> Vec<&'static str> {
        let arguments = parse(text).unwrap();
        [
            test("a::one", false),
            test("a::one_more", true),
            test("b::two", false),
        ]
        .iter()
        .filter(|test| arguments.select(test))
        .map(|test| test.name())
        .collect()
    }

    #[test]
    fn filters_choose_by_part_of_the_name_or_exactly() {
        assert_eq!(selected(""), ["a::one", "a::one_more", "b::two"]);
        assert_eq!(selected("one two"), ["a::one", "a::one_more", "b::two"]);
        assert_eq!(selected("one --exact"), [""; 0]);
        assert_eq!(selected("a::one --exact"), ["a::one"]);
        assert_eq!(selected("--skip more"), ["a::one", "b::two"]);
        assert_eq!(selected("--skip=a::"), ["b::two"]);
        assert_eq!(selected("--ignored"), ["a::one_more"]);
    }

    #[test]
    fn ignored_tests_run_only_when_asked_for() {
        let ignored = test("x", true);
        assert!(parse("").unwrap().ignores(&ignored));
        assert!(!parse("--ignored").unwrap().ignores(&ignored));
        assert!(!parse("--include-ignored").unwrap().ignores(&ignored));
        assert!(!parse("").unwrap().ignores(&test("x", false)));
    }

    #[test]
    fn options_of_libtest_that_choose_nothing_are_taken() {
        let text = "--nocapture --test-threads 4 --test-threads=1 -q --color always filter";
        assert_eq!(parse(text).unwrap().filters, ["filter"]);
        assert!(parse("--dance").is_err());
        assert!(parse("--skip").is_err());
    }
}
