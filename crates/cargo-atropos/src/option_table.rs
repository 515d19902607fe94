//! Every option of a run, in one table: its name, its key in the config file, how `outcomes.json`
//! records it, and whether verdicts depend on it.
//!
//! A new option is one row here and one field in `arguments.rs`. Without the row a test fails;
//! without all columns of the row it does not compile.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use globset::Glob;
use regex::Regex;
use serde::Serialize;
use serde_json::Value as Json;

use crate::arguments::{
    Colors, MessageFormat, Options, Shard, WayChoice, parse_glob, parse_jobs, parse_multiplier,
    parse_operators, parse_order, parse_regex,
};
use crate::build_arguments::parse_cargo_argument;
use crate::config::ConfigValue;
use crate::gate::{FailOn, parse_percentage};
use crate::report_arguments::{AnnotationChoice, ReportChoice};
use crate::schedule_arguments::{
    MemoryChoice, RacesChoice, RandomChoice, TestBudget, TimeChoice, parse_budget,
    parse_strategy_or_off, parse_technique,
};

/// One option of a run.
pub struct OptionRow {
    /// The long name on the command line, the key of the config file, and the name in the record.
    pub name: &'static str,
    /// None for options that only the command line takes.
    pub key: Option<ConfigKey>,
    /// Its value, if it differs from the default.
    pub recorded: fn(&Options) -> Option<Json>,
    /// Given on the command line, these set the key of the config file aside. A list that names itself is replaced by the
    /// command line; others are added to.
    pub excludes: &'static [&'static str],
    pub verdicts: Verdicts,
    pub record: RecordedInOutcomes,
}

/// What the config file does with an option.
pub struct ConfigKey {
    /// Reads a value of the file.
    pub read: fn(&mut Options, &ConfigValue) -> Result<(), String>,
    /// Takes what was read, where the command line has left it open.
    pub fill: fn(&mut Options, &mut Options),
}

/// Whether verdicts may differ with the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdicts {
    /// That of a test on a mutant, of a program that is built already: a run does not go on with the journal of another
    /// value.
    Differ,
    /// Another value builds other programs or runs other tests, which the journal tells apart by itself. Runs with another
    /// value can't be merged.
    OfOtherTests,
    /// Never.
    Same,
}

/// Whether `outcomes.json` names the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedInOutcomes {
    Kept,
    /// It only says how things are printed.
    No,
}

/// A row: name, field, how the config file's value is read, and the other columns.
macro_rules! option {
    ($name:literal, $($field:ident).+, command_line, $excludes:expr, $verdicts:ident, $record:ident) => {
        OptionRow {
            name: $name,
            key: None,
            recorded: |options| options.$($field).+.recorded(),
            excludes: &$excludes,
            verdicts: Verdicts::$verdicts,
            record: RecordedInOutcomes::$record,
        }
    };
    ($name:literal, $($field:ident).+, $read:expr, $excludes:expr, $verdicts:ident, $record:ident) => {
        OptionRow {
            key: Some(ConfigKey {
                read: |options, value| {
                    options.$($field).+ = $read(value)?;
                    Ok(())
                },
                fill: |options, from_file| {
                    options.$($field).+.fill(std::mem::take(&mut from_file.$($field).+));
                },
            }),
            ..option!($name, $($field).+, command_line, $excludes, $verdicts, $record)
        }
    };
}

/// All options, in the order of the help.
#[rustfmt::skip]
pub static OPTIONS: &[OptionRow] = &[
    option!("dir", tree.dir, command_line, [], Same, Kept),
    option!("manifest-path", tree.manifest_path, command_line, [], Same, Kept),
    option!("package", tree.package, texts, ["workspace", "package"], Same, Kept),
    option!("workspace", tree.workspace, flag, ["package"], Same, Kept),
    option!("exclude", tree.exclude, texts, [], Same, Kept),
    option!("test-package", tree.test_package, texts, ["test-package"], OfOtherTests, Kept),
    option!("config", tree.config, command_line, [], Same, Kept),
    option!("no-config", tree.no_config, command_line, [], Same, Kept),
    option!("file", select.file, |value: &ConfigValue| value.list(parse_glob), [], Same, Kept),
    option!("exclude-file", select.exclude_file, |value: &ConfigValue| value.list(parse_glob), [], Same, Kept),
    option!("re", select.re, |value: &ConfigValue| value.list(parse_regex), [], Same, Kept),
    option!("exclude-re", select.exclude_re, |value: &ConfigValue| value.list(parse_regex), [], Same, Kept),
    option!("in-diff", select.in_diff, path, ["since"], Same, Kept),
    option!("since", select.since, text, ["in-diff"], Same, Kept),
    option!("shard", select.shard, |value: &ConfigValue| value.text(Shard::from_str).map(Some), [], Same, Kept),
    option!("iterate", select.iterate, flag, [], Same, Kept),
    option!("order", select.order, |value: &ConfigValue| value.number(parse_order).map(Some), [], Same, Kept),
    option!("operators", select.operators, |value: &ConfigValue| value.list(parse_operators), [], Same, Kept),
    option!("features", build.features, texts, [], OfOtherTests, Kept),
    option!("all-features", build.all_features, flag, [], OfOtherTests, Kept),
    option!("no-default-features", build.no_default_features, flag, [], OfOtherTests, Kept),
    option!("profile", build.profile, text, [], OfOtherTests, Kept),
    option!("offline", build.offline, flag, [], Same, Kept),
    option!("locked", build.locked, flag, [], Same, Kept),
    option!("frozen", build.frozen, flag, [], Same, Kept),
    option!("lib", build.lib, flag, [], OfOtherTests, Kept),
    option!("bin", build.bin, texts, [], OfOtherTests, Kept),
    option!("test", build.test, texts, [], OfOtherTests, Kept),
    option!("example", build.example, texts, [], OfOtherTests, Kept),
    option!("cargo-arg", build.cargo_arg, |value: &ConfigValue| value.list(parse_cargo_argument), [], OfOtherTests, Kept),
    option!("archive", execute.archive, command_line, [], Same, No),
    option!("jobs", execute.jobs, |value: &ConfigValue| value.number(parse_jobs).map(Some), [], Same, Kept),
    option!("timeout-multiplier", execute.timeout_multiplier, |value: &ConfigValue| value.number(parse_multiplier).map(Some), [], Differ, Kept),
    option!("no-doc", execute.no_doc, flag, [], OfOtherTests, Kept),
    option!("ignore-default-filter", execute.ignore_default_filter, flag, [], OfOtherTests, Kept),
    option!("kill-matrix", execute.kill_matrix, flag, [], Same, Kept),
    option!("no-reuse", execute.no_reuse, flag, [], Same, Kept),
    option!("way", execute.way, word::<WayChoice>, [], Differ, Kept),
    option!("impact", execute.impact, flag, ["no-impact"], Same, Kept),
    option!("no-impact", execute.no_impact, flag, ["impact"], Same, Kept),
    option!("no-sandbox", execute.no_sandbox, flag, ["require-sandbox"], Differ, Kept),
    option!("require-sandbox", execute.require_sandbox, flag, ["no-sandbox"], Same, Kept),
    option!("impact-matrix", execute.impact_matrix, command_line, [], Same, Kept),
    option!("test-args", execute.test_args, texts, [], OfOtherTests, Kept),
    option!("explore", exploration.explore, |value: &ConfigValue| value.text(parse_strategy_or_off).map(Some), [], Differ, Kept),
    option!("budget", exploration.schedule.budget, |value: &ConfigValue| value.text(parse_budget).map(Some), [], Differ, Kept),
    option!("technique", exploration.schedule.technique, |value: &ConfigValue| value.text(parse_technique).map(Some), [], Differ, Kept),
    option!("time", exploration.schedule.circumstances.time, word::<TimeChoice>, [], Differ, Kept),
    option!("memory", exploration.schedule.circumstances.memory, word::<MemoryChoice>, [], Differ, Kept),
    option!("spurious", exploration.schedule.circumstances.spurious, flag, [], Differ, Kept),
    option!("random", exploration.schedule.circumstances.random, word::<RandomChoice>, [], Differ, Kept),
    option!("leaks", exploration.schedule.circumstances.leaks, flag, [], Differ, Kept),
    option!("races", exploration.schedule.circumstances.races, word::<RacesChoice>, [], Differ, Kept),
    option!("seed", exploration.schedule.seed, |value: &ConfigValue| value.number(whole_number).map(Some), [], Differ, Kept),
    option!("min-score", gate.min_score, |value: &ConfigValue| value.number(parse_percentage).map(Some), [], Same, Kept),
    option!("max-survivors", gate.max_survivors, |value: &ConfigValue| value.number(whole_number).map(Some), [], Same, Kept),
    option!("fail-on", gate.fail_on, words::<FailOn>, ["fail-on"], Same, Kept),
    option!("output", output.output, path, [], Same, Kept),
    option!("json", output.json, flag, ["message-format"], Same, No),
    option!("message-format", output.message_format, word::<MessageFormat>, ["json"], Same, No),
    option!("all", output.all, flag, ["top"], Same, No),
    option!("top", output.top, |value: &ConfigValue| value.number(parse_jobs).map(Some), ["all"], Same, Kept),
    option!("colors", output.colors, word::<Colors>, [], Same, No),
    option!("verbose", output.verbose, flag, [], Same, No),
    option!("report", reports.report, words::<ReportChoice>, ["report"], Same, Kept),
    option!("annotations", reports.annotations, word::<AnnotationChoice>, [], Same, Kept),
];

fn flag(value: &ConfigValue) -> Result<bool, String> {
    value.flag()
}

fn any_text(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

fn text(value: &ConfigValue) -> Result<Option<String>, String> {
    value.text(any_text).map(Some)
}

fn texts(value: &ConfigValue) -> Result<Vec<String>, String> {
    value.list(any_text)
}

fn path(value: &ConfigValue) -> Result<Option<PathBuf>, String> {
    value.path().map(Some)
}

fn word<T: ValueEnum>(value: &ConfigValue) -> Result<Option<T>, String> {
    value.text(|word| T::from_str(word, false)).map(Some)
}

fn words<T: ValueEnum>(value: &ConfigValue) -> Result<Vec<T>, String> {
    value.list(|word| T::from_str(word, false))
}

fn whole_number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "not a whole number".to_owned())
}

/// The field of an option: given or not, and how the config file completes it.
trait Field {
    fn recorded(&self) -> Option<Json>;
    fn fill(&mut self, from_file: Self);
}

impl Field for bool {
    fn recorded(&self) -> Option<Json> {
        self.then_some(Json::Bool(true))
    }

    fn fill(&mut self, from_file: bool) {
        *self |= from_file;
    }
}

impl<T: Recorded> Field for Option<T> {
    fn recorded(&self) -> Option<Json> {
        self.as_ref().map(Recorded::json)
    }

    fn fill(&mut self, from_file: Option<T>) {
        if self.is_none() {
            *self = from_file;
        }
    }
}

impl<T: Recorded> Field for Vec<T> {
    fn recorded(&self) -> Option<Json> {
        (!self.is_empty()).then(|| self.iter().map(Recorded::json).collect())
    }

    /// What the command line says is added to the file's.
    fn fill(&mut self, mut from_file: Vec<T>) {
        from_file.append(self);
        *self = from_file;
    }
}

/// A value as `outcomes.json` records it.
trait Recorded {
    fn json(&self) -> Json;
}

macro_rules! recorded_as_serialised {
    ($($type:ty),*) => {$(
        impl Recorded for $type {
            fn json(&self) -> Json {
                serialised(self)
            }
        }
    )*};
}

recorded_as_serialised!(
    String,
    u8,
    usize,
    u64,
    f64,
    WayChoice,
    Colors,
    MessageFormat,
    TimeChoice,
    MemoryChoice,
    RacesChoice,
    RandomChoice,
    ReportChoice,
    AnnotationChoice,
    FailOn
);

fn serialised(value: &impl Serialize) -> Json {
    serde_json::to_value(value).expect("numbers and texts are JSON")
}

impl Recorded for PathBuf {
    fn json(&self) -> Json {
        self.display().to_string().into()
    }
}

impl Recorded for Glob {
    fn json(&self) -> Json {
        self.glob().into()
    }
}

impl Recorded for Regex {
    fn json(&self) -> Json {
        self.as_str().into()
    }
}

impl Recorded for Shard {
    fn json(&self) -> Json {
        format!("{}/{}", self.index, self.count).into()
    }
}

impl Recorded for TestBudget {
    fn json(&self) -> Json {
        self.to_string().into()
    }
}

/// Whether runs that differ in the option, by its name, may come to other verdicts on the same mutant.
pub fn decides(name: &str) -> bool {
    let row = OPTIONS.iter().find(|row| row.name == name);
    // What an option of another version does is not known.
    row.is_none_or(|row| row.verdicts != Verdicts::Same)
}

impl Options {
    /// The options of a run as `outcomes.json` records them: those that differ from the default, wherever they came
    /// from.
    pub fn to_json(&self) -> BTreeMap<String, Json> {
        let rows = OPTIONS
            .iter()
            .filter(|row| row.record == RecordedInOutcomes::Kept);
        rows.filter_map(|row| Some((row.name.to_owned(), (row.recorded)(self)?)))
            .collect()
    }

    /// All options that verdicts depend on, as a text.
    pub fn verdict_key(&self) -> String {
        let rows = OPTIONS
            .iter()
            .filter(|row| row.verdicts == Verdicts::Differ);
        let given = rows.filter_map(|row| Some(format!("{}={}", row.name, (row.recorded)(self)?)));
        given.collect::<Vec<String>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::arguments::{Arguments, parse};

    #[test]
    fn every_option_of_a_run_has_a_row_and_every_row_an_option() {
        let command = Arguments::command();
        let mut options: Vec<&str> = command
            .get_arguments()
            .map(|argument| argument.get_long().unwrap_or("test-args"))
            .filter(|name| !["help", "version"].contains(name))
            .collect();
        let mut rows: Vec<&str> = OPTIONS.iter().map(|row| row.name).collect();
        options.sort_unstable();
        rows.sort_unstable();
        assert_eq!(options, rows);
    }

    #[test]
    fn what_shards_have_in_common_are_options() {
        for name in atropos_report::merge::SELECTING {
            assert!(OPTIONS.iter().any(|row| row.name == name), "{name}");
        }
    }

    #[test]
    fn what_an_option_excludes_is_an_option() {
        for row in OPTIONS {
            for other in row.excludes {
                assert!(OPTIONS.iter().any(|row| row.name == *other), "{other}");
            }
        }
    }

    #[test]
    fn only_what_differs_from_the_default_is_recorded() {
        let line =
            "cargo-atropos -p a -f src/*.rs -F x --shard 1/2 --operators=-SDL -j 3 --no-doc -- -q";
        let arguments = parse(line.split(' ').map(Into::into)).unwrap();
        let expected = serde_json::json!({
            "package": ["a"],
            "file": ["src/*.rs"],
            "re": ["x"],
            "shard": "1/2",
            "operators": ["-SDL"],
            "jobs": 3,
            "no-doc": true,
            "test-args": ["-q"],
        });
        let recorded = serde_json::to_value(arguments.options.to_json()).unwrap();
        assert_eq!(recorded, expected);
        assert!(Options::default().to_json().is_empty());
    }

    #[test]
    fn verdicts_of_other_limits_or_another_exploration_have_another_key() {
        let key = |line: &str| {
            let words = ["cargo-atropos"].into_iter().chain(line.split_whitespace());
            parse(words.map(Into::into)).unwrap().options.verdict_key()
        };
        let lines = [
            "",
            "--explore off",
            "--budget 50",
            "--memory sc",
            "--seed 2",
            "--technique basic",
            "--time adversarial",
            "--spurious",
            "--timeout-multiplier 2",
        ];
        for (index, line) in lines.iter().enumerate() {
            for other in &lines[..index] {
                assert_ne!(key(line), key(other));
            }
        }
        assert_eq!(key("-j 1"), key(""));
    }
}
