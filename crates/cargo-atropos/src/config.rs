//! The config file, `.cargo/atropos.toml` in the workspace's root: the options of a run under their
//! long names. The command line wins. Every mistake is reported, with its line and key.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, bail};
use atropos_report::lines::Lines;
use toml::de::{DeTable, DeValue};

use crate::arguments::{Options, TreeOptions};
use crate::did_you_mean::nearest;
use crate::option_table::{ConfigKey, OPTIONS, OptionRow};

/// Where the file lies, from the workspace's root.
const PLACE: &str = ".cargo/atropos.toml";

/// What users of cargo-mutants may write, and our word for it.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("examine_globs", "file"),
    ("exclude_globs", "exclude-file"),
    ("examine_re", "re"),
    ("additional_cargo_args", "cargo-arg"),
    ("additional_cargo_test_args", "cargo-arg"),
];

/// Completes the options of the command line by those of the workspace's config file, if any.
pub fn complete(options: &mut Options, workspace_root: &Path) -> Result<()> {
    let TreeOptions {
        config, no_config, ..
    } = &options.tree;
    if *no_config {
        return Ok(());
    }
    let (path, name) = match config {
        Some(path) => (path.clone(), path.display().to_string()),
        None => (workspace_root.join(PLACE), PLACE.to_owned()),
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && config.is_none() => return Ok(()),
        Err(error) => {
            return Err(error).with_context(|| format!("can't read the config file `{name}`"));
        }
    };
    match read(&text, workspace_root) {
        Ok(from_file) => {
            fill(options, from_file);
            Ok(())
        }
        Err(problems) => {
            let lines = Lines::of(&text);
            let said: Vec<String> = problems
                .iter()
                .map(|problem| {
                    let (line, _) = lines.position(problem.span.start);
                    format!("{name}:{line}: {}", problem.sentence)
                })
                .collect();
            bail!("{}", said.join("\n"))
        }
    }
}

/// Completes the options by a text that this program has written itself.
pub fn complete_from_text(options: &mut Options, text: &str) -> Result<()> {
    match read(text, Path::new("/")) {
        Ok(from_text) => {
            fill(options, from_text);
            Ok(())
        }
        Err(problems) => {
            let said = problems.into_iter().map(|problem| problem.sentence);
            bail!("{}", said.collect::<Vec<String>>().join("\n"))
        }
    }
}

/// Something wrong in the file.
#[derive(Debug)]
struct Problem {
    span: Range<usize>,
    sentence: String,
}

/// Reads a whole file, or says everything that is wrong with it.
fn read(text: &str, workspace_root: &Path) -> Result<Options, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(errors.iter().map(not_toml).collect());
    }
    let mut options = Options::default();
    let mut problems = Vec::new();
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        let value = ConfigValue {
            key: name,
            value: value.get_ref(),
            workspace_root,
        };
        let read = match keys().find(|(key, _)| *key == name) {
            Some((_, key)) => (key.read)(&mut options, &value),
            None => Err(unknown_key(name)),
        };
        if let Err(sentence) = read {
            problems.push(Problem {
                span: key.span(),
                sentence,
            });
        }
    }
    if problems.is_empty() {
        Ok(options)
    } else {
        problems.sort_by_key(|problem| problem.span.start);
        Err(problems)
    }
}

/// Everything that is wrong with a config file's text.
#[cfg(test)]
pub fn mistakes_in(text: &str) -> Vec<String> {
    let problems = read(text, Path::new("")).err().unwrap_or_default();
    problems
        .into_iter()
        .map(|problem| problem.sentence)
        .collect()
}

/// What must stand under a key, in words; none if it is no key. The reader itself says it, of a value that fits nothing.
#[cfg(test)]
pub fn value_of(key: &str) -> Option<String> {
    let problems = read(&format!("{key} = {{}}"), Path::new("")).expect_err("a table is no value");
    let (_, wanted) = problems[0].sentence.split_once(" must be ")?;
    let (wanted, _) = wanted.split_once(", but is of the type ")?;
    Some(wanted.to_owned())
}

fn not_toml(error: &toml::de::Error) -> Problem {
    Problem {
        span: error.span().unwrap_or(0..0),
        sentence: format!("not valid TOML: {}", error.message()),
    }
}

fn unknown_key(key: &str) -> String {
    let other_name = OTHER_NAMES.iter().find(|(other, _)| *other == key);
    let hint = match other_name
        .map(|(_, ours)| *ours)
        .or_else(|| nearest(key, keys().map(|(name, _)| name)))
    {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`cargo atropos --help` lists the options".to_owned(),
    };
    format!("unknown key `{key}`; {hint}")
}

/// The keys of the file, in the order of the help.
fn keys() -> impl Iterator<Item = (&'static str, &'static ConfigKey)> {
    OPTIONS
        .iter()
        .filter_map(|row| Some((row.name, row.key.as_ref()?)))
}

/// A value and the key it stands under.
pub struct ConfigValue<'v> {
    key: &'v str,
    value: &'v DeValue<'v>,
    workspace_root: &'v Path,
}

impl ConfigValue<'_> {
    pub fn flag(&self) -> Result<bool, String> {
        self.value
            .as_bool()
            .ok_or_else(|| self.not_a("true or false"))
    }

    pub fn text<T, E: fmt::Display>(
        &self,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<T, String> {
        let text = self.value.as_str().ok_or_else(|| self.not_a("a string"))?;
        self.parsed(text, parse)
    }

    pub fn number<T>(&self, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
        match self.value {
            DeValue::Integer(number) if number.radix() == 10 => self.parsed(number.as_str(), parse),
            DeValue::Float(number) => self.parsed(number.as_str(), parse),
            _ => Err(self.not_a("a number")),
        }
    }

    /// A list of strings; one string alone is a list too.
    pub fn list<T>(&self, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
        if let Some(text) = self.value.as_str() {
            return Ok(vec![self.parsed(text, parse)?]);
        }
        let not_a_list = || self.not_a("a list of strings");
        let items = self.value.as_array().ok_or_else(not_a_list)?;
        items
            .iter()
            .map(|item| self.parsed(item.get_ref().as_str().ok_or_else(not_a_list)?, &parse))
            .collect()
    }

    /// A path, from the workspace's root.
    pub fn path(&self) -> Result<PathBuf, String> {
        let path = self.text(|text| Ok::<_, String>(text.to_owned()))?;
        Ok(self.workspace_root.join(path))
    }

    fn parsed<T, E: fmt::Display>(
        &self,
        text: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<T, String> {
        parse(text).map_err(|error| format!("bad value `{text}` for `{}`: {error}", self.key))
    }

    fn not_a(&self, wanted: &str) -> String {
        let found = self.value.type_str();
        format!(
            "`{}` must be {wanted}, but is of the type {found}",
            self.key
        )
    }
}

/// Takes from the file what the command line leaves open. Options that exclude each other count as
/// one: `-p x` on the command line sets `workspace = true` in the file aside.
fn fill(options: &mut Options, mut from_file: Options) {
    let is_given = |row: &OptionRow| (row.recorded)(options).is_some();
    let given: Vec<&str> = OPTIONS
        .iter()
        .filter(|row| is_given(row))
        .map(|row| row.name)
        .collect();
    for row in OPTIONS {
        let is_open = !row.excludes.iter().any(|other| given.contains(other));
        if let (true, Some(key)) = (is_open, &row.key) {
            (key.fill)(options, &mut from_file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<String> {
        let lines = Lines::of(text);
        read(text, Path::new("/w"))
            .expect_err(text)
            .iter()
            .map(|problem| {
                let (line, _) = lines.position(problem.span.start);
                format!("{line}: {}", problem.sentence)
            })
            .collect()
    }

    #[test]
    fn every_key_can_be_set() {
        let text = r#"
            package = ["a", "b"]
            workspace = true
            exclude = "c"
            test-package = "d"
            file = ["src/*.rs"]
            exclude-file = ["src/x.rs"]
            re = ["fn a"]
            exclude-re = ["fn b"]
            in-diff = "a.diff"
            since = "main"
            shard = "1/2"
            iterate = true
            order = 2
            operators = ["AOR", "-ROR"]
            features = ["f"]
            all-features = true
            no-default-features = true
            profile = "release"
            offline = true
            locked = true
            frozen = true
            lib = true
            bin = "b"
            test = ["t"]
            example = ["e"]
            cargo-arg = ["--ignore-rust-version"]
            jobs = 3
            timeout-multiplier = 2.5
            no-doc = true
            ignore-default-filter = true
            kill-matrix = true
            no-reuse = true
            way = "fork"
            impact = true
            no-impact = true
            no-sandbox = true
            require-sandbox = true
            test-args = ["--skip", "slow"]
            explore = "chess:2"
            budget = "30s"
            technique = "basic"
            time = "adversarial"
            memory = "sc"
            spurious = true
            random = "fixed"
            races = "on"
            leaks = true
            seed = 7
            min-score = 80.5
            max-survivors = 3
            fail-on = ["survived", "limit"]
            output = "out"
            json = true
            message-format = "json"
            all = true
            top = 5
            colors = "never"
            verbose = true
            report = ["html", "sarif"]
            annotations = "none"
        "#;
        assert_eq!(text.lines().count() - 2, keys().count());
        let mut options = Options::default();
        fill(&mut options, read(text, Path::new("/w")).unwrap());
        for row in OPTIONS.iter().filter(|row| row.key.is_some()) {
            assert!((row.recorded)(&options).is_some(), "{}", row.name);
        }
        let expected = r#"{
            "package": ["a", "b"], "workspace": true, "exclude": ["c"], "test-package": ["d"],
            "file": ["src/*.rs"], "exclude-file": ["src/x.rs"], "re": ["fn a"], "exclude-re": ["fn b"],
            "in-diff": "/w/a.diff", "since": "main", "shard": "1/2", "iterate": true, "order": 2,
            "operators": ["AOR", "-ROR"],
            "features": ["f"], "all-features": true, "no-default-features": true, "profile": "release",
            "offline": true, "locked": true, "frozen": true,
            "lib": true, "bin": ["b"], "test": ["t"], "example": ["e"], "cargo-arg": ["--ignore-rust-version"],
            "jobs": 3, "timeout-multiplier": 2.5, "no-doc": true, "ignore-default-filter": true, "kill-matrix": true, "no-reuse": true, "way": "fork",
            "impact": true, "no-impact": true, "no-sandbox": true, "require-sandbox": true, "test-args": ["--skip", "slow"],
            "explore": "chess:2", "budget": "30000ms", "technique": "basic", "time": "adversarial",
            "memory": "sc", "spurious": true, "random": "fixed", "races": "on", "leaks": true, "seed": 7,
            "min-score": 80.5, "max-survivors": 3, "fail-on": ["survived", "limit"],
            "output": "/w/out", "top": 5, "report": ["html", "sarif"], "annotations": "none"
        }"#;
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(serde_json::to_value(options.to_json()).unwrap(), expected);
    }

    #[test]
    fn the_command_line_wins() {
        let mut options = Options::default();
        options.tree.package = vec!["mine".into()];
        options.execute.jobs = Some(7);
        let text = "workspace = true\njobs = 2\nre = ['fn a']";
        fill(&mut options, read(text, Path::new("/w")).unwrap());
        assert_eq!(options.tree.package, ["mine"]);
        assert!(!options.tree.workspace);
        assert_eq!(options.execute.jobs, Some(7));
        assert_eq!(options.select.re.len(), 1);
    }

    #[test]
    fn every_mistake_is_named_with_its_line_and_key() {
        let text = "jobs = 0\n\nexlude = 'x'\nre = ['a', '(']\nworkspace = 'yes'\nshard = '2/2'\n\
                    examine_globs = []\ntimeout-multiplier = true\nfile = [1]\nzzz = 1\n\
                    operators = ['AOX']\ncolors = 'pink'\n";
        let expected = [
            "1: bad value `0` for `jobs`: a number from 1 on is needed",
            "3: unknown key `exlude`; did you mean `exclude`?",
            "4: bad value `(` for `re`: unclosed group",
            "5: `workspace` must be true or false, but is of the type string",
            "6: bad value `2/2` for `shard`: a shard is k/n with k from 0 to n-1, for example 0/4",
            "7: unknown key `examine_globs`; did you mean `file`?",
            "8: `timeout-multiplier` must be a number, but is of the type boolean",
            "9: `file` must be a list of strings, but is of the type array",
            "10: unknown key `zzz`; `cargo atropos --help` lists the options",
            "11: bad value `AOX` for `operators`: no operator or category is called `AOX`; did you \
             mean `AOD`, `AOI` or `AOR`?",
            "12: bad value `pink` for `colors`: invalid variant: pink",
        ];
        assert_eq!(sentences(text), expected);
    }

    #[test]
    fn what_is_not_toml_is_named_with_its_line() {
        let said = sentences("jobs = 1\nworkspace true\n");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("2: not valid TOML: "), "{said:?}");
    }
}
