//! The config file, `.cargo/atropos.toml` in the workspace's root: the options of a run under their
//! long names. The command line wins. Every mistake is reported, with its line and key.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::{fs, io};

use anyhow::{Context, Result, bail};
use atropos_report::lines::Lines;
use clap::ValueEnum;
use toml::de::{DeTable, DeValue};

use crate::arguments::{
    Colors, Options, Shard, TreeOptions, WayChoice, parse_glob, parse_jobs, parse_multiplier,
    parse_operators, parse_order, parse_regex,
};
use crate::did_you_mean::nearest;
use crate::report_arguments::{AnnotationChoice, ReportChoice};
use crate::schedule_arguments::{
    MemoryChoice, TimeChoice, parse_budget, parse_strategy_or_off, parse_technique,
};

/// Where the file lies, from the workspace's root.
const PLACE: &str = ".cargo/atropos.toml";

/// Every key, in the order of the help.
const KEYS: [&str; 40] = [
    "package",
    "workspace",
    "exclude",
    "file",
    "exclude-file",
    "re",
    "exclude-re",
    "in-diff",
    "since",
    "shard",
    "iterate",
    "order",
    "operators",
    "features",
    "all-features",
    "no-default-features",
    "profile",
    "cargo-arg",
    "jobs",
    "timeout-multiplier",
    "no-doc",
    "kill-matrix",
    "way",
    "impact",
    "no-impact",
    "test-args",
    "explore",
    "budget",
    "technique",
    "time",
    "memory",
    "spurious",
    "seed",
    "output",
    "json",
    "top",
    "colors",
    "verbose",
    "report",
    "annotations",
];

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
        if !KEYS.contains(&name) {
            problems.push(Problem {
                span: key.span(),
                sentence: unknown_key(name),
            });
            continue;
        }
        let value = Value {
            key: name,
            value: value.get_ref(),
        };
        if let Err(sentence) = set(&mut options, &value, workspace_root) {
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
        .or_else(|| nearest(key, KEYS))
    {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`cargo atropos --help` lists the options".to_owned(),
    };
    format!("unknown key `{key}`; {hint}")
}

/// Reads one value into its option.
fn set(options: &mut Options, value: &Value, workspace_root: &Path) -> Result<(), String> {
    let Options {
        tree,
        select,
        build,
        execute,
        exploration,
        output,
        reports,
    } = options;
    match value.key {
        "package" => tree.package = value.list(any_text)?,
        "workspace" => tree.workspace = value.flag()?,
        "exclude" => tree.exclude = value.list(any_text)?,
        "file" => select.file = value.list(parse_glob)?,
        "exclude-file" => select.exclude_file = value.list(parse_glob)?,
        "re" => select.re = value.list(parse_regex)?,
        "exclude-re" => select.exclude_re = value.list(parse_regex)?,
        "in-diff" => select.in_diff = Some(workspace_root.join(value.text(any_text)?)),
        "since" => select.since = Some(value.text(any_text)?),
        "shard" => select.shard = Some(value.text(Shard::from_str)?),
        "iterate" => select.iterate = value.flag()?,
        "order" => select.order = Some(value.number(parse_order)?),
        "operators" => select.operators = value.list(parse_operators)?,
        "features" => build.features = value.list(any_text)?,
        "all-features" => build.all_features = value.flag()?,
        "no-default-features" => build.no_default_features = value.flag()?,
        "profile" => build.profile = Some(value.text(any_text)?),
        "cargo-arg" => build.cargo_arg = value.list(any_text)?,
        "jobs" => execute.jobs = Some(value.number(parse_jobs)?),
        "timeout-multiplier" => {
            execute.timeout_multiplier = Some(value.number(parse_multiplier)?);
        }
        "no-doc" => execute.no_doc = value.flag()?,
        "way" => {
            execute.way = Some(value.text(|word| WayChoice::from_str(word, false))?);
        }
        "kill-matrix" => execute.kill_matrix = value.flag()?,
        "impact" => execute.impact = value.flag()?,
        "no-impact" => execute.no_impact = value.flag()?,
        "test-args" => execute.test_args = value.list(any_text)?,
        "explore" => exploration.explore = Some(value.text(parse_strategy_or_off)?),
        "budget" => exploration.schedule.budget = Some(value.text(parse_budget)?),
        "technique" => exploration.schedule.technique = Some(value.text(parse_technique)?),
        "time" => {
            exploration.schedule.circumstances.time =
                Some(value.text(|word| TimeChoice::from_str(word, false))?);
        }
        "memory" => {
            let memory = value.text(|word| MemoryChoice::from_str(word, false))?;
            exploration.schedule.circumstances.memory = Some(memory);
        }
        "spurious" => exploration.schedule.circumstances.spurious = value.flag()?,
        "seed" => {
            let parse = |text: &str| text.parse().map_err(|_| "not a whole number".to_owned());
            exploration.schedule.seed = Some(value.number(parse)?);
        }
        "output" => output.output = Some(workspace_root.join(value.text(any_text)?)),
        "json" => output.json = value.flag()?,
        "top" => output.top = Some(value.number(parse_jobs)?),
        "colors" => {
            output.colors = Some(value.text(|word| Colors::from_str(word, false))?);
        }
        "verbose" => output.verbose = value.flag()?,
        "report" => reports.report = value.list(|word| ReportChoice::from_str(word, false))?,
        "annotations" => {
            let choice = value.text(|word| AnnotationChoice::from_str(word, false))?;
            reports.annotations = Some(choice);
        }
        key => unreachable!("`{key}` is among the keys"),
    }
    Ok(())
}

fn any_text(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

/// A value and the key it stands under.
struct Value<'v> {
    key: &'v str,
    value: &'v DeValue<'v>,
}

impl Value<'_> {
    fn flag(&self) -> Result<bool, String> {
        self.value
            .as_bool()
            .ok_or_else(|| self.not_a("true or false"))
    }

    fn text<T, E: fmt::Display>(&self, parse: impl Fn(&str) -> Result<T, E>) -> Result<T, String> {
        let text = self.value.as_str().ok_or_else(|| self.not_a("a string"))?;
        self.parsed(text, parse)
    }

    fn number<T>(&self, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
        match self.value {
            DeValue::Integer(number) if number.radix() == 10 => self.parsed(number.as_str(), parse),
            DeValue::Float(number) => self.parsed(number.as_str(), parse),
            _ => Err(self.not_a("a number")),
        }
    }

    /// A list of strings; one string alone is a list too.
    fn list<T>(&self, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
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
fn fill(options: &mut Options, from_file: Options) {
    let Options {
        tree,
        select,
        build,
        execute,
        exploration,
        output,
        reports,
    } = options;
    if tree.package.is_empty() && !tree.workspace {
        tree.package = from_file.tree.package;
        tree.workspace = from_file.tree.workspace;
    }
    fill_list(&mut tree.exclude, from_file.tree.exclude);
    fill_list(&mut select.file, from_file.select.file);
    fill_list(&mut select.exclude_file, from_file.select.exclude_file);
    fill_list(&mut select.re, from_file.select.re);
    fill_list(&mut select.exclude_re, from_file.select.exclude_re);
    if select.in_diff.is_none() && select.since.is_none() {
        select.in_diff = from_file.select.in_diff;
        select.since = from_file.select.since;
    }
    select.shard = select.shard.or(from_file.select.shard);
    select.iterate |= from_file.select.iterate;
    select.order = select.order.or(from_file.select.order);
    fill_list(&mut select.operators, from_file.select.operators);
    fill_list(&mut build.features, from_file.build.features);
    build.all_features |= from_file.build.all_features;
    build.no_default_features |= from_file.build.no_default_features;
    fill_one(&mut build.profile, from_file.build.profile);
    fill_list(&mut build.cargo_arg, from_file.build.cargo_arg);
    fill_one(&mut execute.jobs, from_file.execute.jobs);
    fill_one(
        &mut execute.timeout_multiplier,
        from_file.execute.timeout_multiplier,
    );
    execute.no_doc |= from_file.execute.no_doc;
    fill_one(&mut execute.way, from_file.execute.way);
    execute.kill_matrix |= from_file.execute.kill_matrix;
    // What the command line says goes before.
    if !execute.impact && !execute.no_impact {
        execute.impact = from_file.execute.impact;
        execute.no_impact = from_file.execute.no_impact;
    }
    fill_list(&mut execute.test_args, from_file.execute.test_args);
    fill_one(&mut exploration.explore, from_file.exploration.explore);
    let (schedule, from_schedule) = (&mut exploration.schedule, from_file.exploration.schedule);
    fill_one(&mut schedule.budget, from_schedule.budget);
    fill_one(&mut schedule.technique, from_schedule.technique);
    fill_one(
        &mut schedule.circumstances.time,
        from_schedule.circumstances.time,
    );
    fill_one(
        &mut schedule.circumstances.memory,
        from_schedule.circumstances.memory,
    );
    schedule.circumstances.spurious |= from_schedule.circumstances.spurious;
    fill_one(&mut schedule.seed, from_schedule.seed);
    fill_one(&mut output.output, from_file.output.output);
    output.json |= from_file.output.json;
    fill_one(&mut output.top, from_file.output.top);
    fill_one(&mut output.colors, from_file.output.colors);
    output.verbose |= from_file.output.verbose;
    fill_list(&mut reports.report, from_file.reports.report);
    fill_one(&mut reports.annotations, from_file.reports.annotations);
}

fn fill_list<T>(list: &mut Vec<T>, from_file: Vec<T>) {
    if list.is_empty() {
        *list = from_file;
    }
}

fn fill_one<T>(one: &mut Option<T>, from_file: Option<T>) {
    if one.is_none() {
        *one = from_file;
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::arguments::Arguments;

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
    fn every_option_of_a_run_is_a_key() {
        let elsewhere = [
            "dir",
            "config",
            "no-config",
            "help",
            "version",
            "impact-matrix",
        ];
        let command = Arguments::command();
        let mut options: Vec<&str> = command
            .get_arguments()
            .map(|argument| argument.get_long().unwrap_or("test-args"))
            .filter(|name| !elsewhere.contains(name))
            .collect();
        let mut keys = KEYS.to_vec();
        options.sort_unstable();
        keys.sort_unstable();
        assert_eq!(options, keys);
    }

    #[test]
    fn every_key_can_be_set() {
        let text = r#"
            package = ["a", "b"]
            workspace = true
            exclude = "c"
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
            cargo-arg = ["--offline"]
            jobs = 3
            timeout-multiplier = 2.5
            no-doc = true
            kill-matrix = true
            way = "fork"
            impact = true
            no-impact = true
            test-args = ["--skip", "slow"]
            explore = "chess:2"
            budget = "30s"
            technique = "basic"
            time = "adversarial"
            memory = "sc"
            spurious = true
            seed = 7
            output = "out"
            json = true
            top = 5
            colors = "never"
            verbose = true
            report = ["html", "sarif"]
            annotations = "none"
        "#;
        assert_eq!(text.lines().count() - 2, KEYS.len());
        let mut options = Options::default();
        fill(&mut options, read(text, Path::new("/w")).unwrap());
        let Options {
            tree,
            select,
            build,
            execute,
            exploration,
            output,
            reports,
        } = options;
        assert_eq!(tree.package, ["a", "b"]);
        assert!(tree.workspace);
        assert_eq!(tree.exclude, ["c"]);
        assert_eq!(select.file[0].glob(), "src/*.rs");
        assert_eq!(select.exclude_file[0].glob(), "src/x.rs");
        assert_eq!(select.re[0].as_str(), "fn a");
        assert_eq!(select.exclude_re[0].as_str(), "fn b");
        assert_eq!(select.in_diff.unwrap(), Path::new("/w/a.diff"));
        assert_eq!(select.since.unwrap(), "main");
        assert_eq!(select.shard, Some(Shard { index: 1, count: 2 }));
        assert!(select.iterate);
        assert_eq!(select.order, Some(2));
        assert_eq!(select.operators, ["AOR", "-ROR"]);
        assert_eq!(build.features, ["f"]);
        assert!(build.all_features && build.no_default_features);
        assert_eq!(build.profile.unwrap(), "release");
        assert_eq!(build.cargo_arg, ["--offline"]);
        assert_eq!(execute.jobs, Some(3));
        assert_eq!(execute.timeout_multiplier, Some(2.5));
        assert!(execute.no_doc && execute.kill_matrix);
        assert!(execute.impact && execute.no_impact);
        assert_eq!(output.top, Some(5));
        assert_eq!(execute.way, Some(WayChoice::Fork));
        assert_eq!(execute.test_args, ["--skip", "slow"]);
        assert_eq!(exploration.explore.as_deref(), Some("chess:2"));
        let schedule = exploration.schedule;
        assert_eq!(schedule.budget, parse_budget("30s").ok());
        assert_eq!(schedule.technique.as_deref(), Some("basic"));
        assert_eq!(schedule.circumstances.time, Some(TimeChoice::Adversarial));
        assert_eq!(schedule.circumstances.memory, Some(MemoryChoice::Sc));
        assert!(schedule.circumstances.spurious);
        assert_eq!(schedule.seed, Some(7));
        assert_eq!(output.output.unwrap(), Path::new("/w/out"));
        assert!(output.json && output.verbose);
        assert_eq!(output.colors, Some(Colors::Never));
        assert_eq!(reports.report, [ReportChoice::Html, ReportChoice::Sarif]);
        assert_eq!(reports.annotations, Some(AnnotationChoice::None));
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
