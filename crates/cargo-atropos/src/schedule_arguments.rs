//! The part of the command line that is about thread schedules: `explore`, `replay`, and the options that they
//! share with a run.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use atropos_protocol::exploration::Races;
use atropos_search::{StrategySpec, Technique};
use atropos_values::MutantId;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::arguments::{BuildOptions, Options, OutputOptions, Shard, TreeOptions, parse_jobs};

pub const SCHEDULE_HEADING: &str = "Which schedules";

const EXPLORE_EXAMPLES: &str = "\
Examples:
  cargo atropos explore                       every test, under all schedules or as many as fit
  cargo atropos explore transfer              tests with `transfer` in their name
  cargo atropos explore --strategy chess:2    all schedules with at most two preemptions
  cargo atropos explore --strategy random:100000 --seed 7
  cargo atropos explore --budget 10m          more time for each test
  cargo atropos explore --time adversarial    timers may fire at any moment
  cargo atropos explore --save                keep failing schedules for later runs
  cargo atropos explore --since main          tests that reach changed code come first
  cargo atropos explore --shard 0/4 -o part-0 a quarter of the schedules of long tests
  cargo atropos explore --merge part-*        what all parts found

Strategies:
  exhaustive      one schedule of each class of equivalent ones
  stateful        every state once (needs --memory sc); stateful:breadth from near to far
  chess:K         at most K preemptions
  random:N        N schedules at random
  pct:N,D         N schedules, random priorities with D-1 changes
  pos:N           N schedules, a random priority for each operation
  surw:N          N schedules, all orders of the operations on one object equally likely
  mixed:N         N schedules, drawn in each of these ways in turn
  Without --strategy: exhaustive and mixed in turns, within the budget; then the largest K that fits; then mixed.

Exit codes:
  0  nothing was found
  1  wrong usage or input, or an internal error
  2  some test fails under some schedule
  4  the tests do not build
  5  nothing was found, but a test that was named could not be explored";

const REPLAY_EXAMPLES: &str = "\
The schedules of `explore` and of mutants killed under exploration are kept with the programs that they were found
in. A replay runs such a program, not your sources as they are now; to see whether a failure is mended, explore again.
With --schedule, a test of which nothing was kept is built first, from your sources as they are.

Examples:
  cargo atropos replay                        the failing schedule that was found last
  cargo atropos replay transfer               the one of a test
  cargo atropos replay --mutant 17            the one that killed mutant 17
  cargo atropos replay transfer --schedule s1:0*3,2,1
                                              under this schedule
  cargo atropos replay --page threads.html    with a picture of the threads
  cargo atropos replay --chrome-trace threads.json
                                              for https://ui.perfetto.dev
  cargo atropos replay --with gdb --with --args
                                              under a debugger

Exit codes:
  0  the test passes under this schedule
  2  the test fails, as it did before";

/// What a run is told about tests that start threads.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = SCHEDULE_HEADING)]
pub struct ExplorationOptions {
    /// How to explore the schedules of tests that start threads, or `off`: run those tests as they
    /// are [default: exhaustive, then bounded, then random; `explore --help` lists the strategies]
    #[arg(long, value_name = "STRATEGY", value_parser = parse_strategy_or_off)]
    pub explore: Option<String>,

    #[command(flatten)]
    pub schedule: ScheduleOptions,
}

/// What turns exploration off.
const OFF: &str = "off";

impl ExplorationOptions {
    pub fn is_off(&self) -> bool {
        self.explore.as_deref() == Some(OFF)
    }

    /// The user says how to explore.
    pub fn is_asked_for(&self) -> bool {
        let is_named = self.explore.is_some() || self.schedule.technique.is_some();
        is_named && !self.is_off()
    }
}

/// How schedules are chosen, strategy apart.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = SCHEDULE_HEADING)]
pub struct ScheduleOptions {
    /// How much to spend on one test: a time, a number of schedules, or both (30s or 5000 or
    /// 5000,2m) [default: 10000,60s]
    ///
    /// The number is for the default strategy; one that is named goes on to its end, or until the
    /// time is up.
    #[arg(long, value_name = "BUDGET", value_parser = parse_budget)]
    pub budget: Option<TestBudget>,

    /// What the exploration of a mutant reuses from the original's: naive, basic, one-state,
    /// state-set or all-states [default: state-set, with all short cuts]
    ///
    /// One that is named is done to the letter, to compare them: every mutant by itself, started
    /// wherever it is executed. By default it is started only where it makes a difference, mutants
    /// that act alike are explored together, and schedules with few preemptions come first.
    #[arg(long, value_name = "TECHNIQUE", value_parser = parse_technique)]
    pub technique: Option<String>,

    #[command(flatten)]
    pub circumstances: ScheduleConditions,

    /// Where random choices start [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// What a schedule has to choose: it means nothing under others.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[command(next_help_heading = SCHEDULE_HEADING)]
pub struct ScheduleConditions {
    /// When timers fire: in order when nothing else can run, or at any moment
    #[arg(long, value_name = "WHEN", value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeChoice>,

    /// What atomics promise: just their orderings, or one order that all threads see
    #[arg(long, value_name = "MODEL", value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryChoice>,

    /// Let waits end and weak compare-exchanges fail for no reason
    #[arg(long)]
    #[serde(skip_serializing_if = "is_off")]
    pub spurious: bool,

    /// What a test gets that asks for random bytes, makes a hash map, or has a `select!`: other data
    /// in each schedule drawn at random, or the same in all [default: vary]
    ///
    /// Searches (`exhaustive`, `chess:K` …) have one set of data in all schedules, and say so.
    #[arg(long, value_name = "HOW", value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomChoice>,

    /// Whether data races and memory errors are failures [default: off, but on for `explore` and
    /// `replay` where there is unsafe code or a dependency]
    ///
    /// Looks at every access to plain memory. A mutant that brings such an error about is killed
    /// by it, or survives, as you choose.
    #[arg(long, value_name = "WHETHER", value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub races: Option<RacesChoice>,

    /// Count memory that is never given back as a failure, too; switches `--races` on
    ///
    /// Memory that a static leads to is no leak.
    #[arg(long)]
    #[serde(skip_serializing_if = "is_off")]
    pub leaks: bool,
}

fn is_off(flag: &bool) -> bool {
    !flag
}

impl ScheduleConditions {
    /// These without what is so by default, which need not be written down.
    pub fn unusual(&self) -> ScheduleConditions {
        ScheduleConditions {
            time: self.time.filter(|time| time.is_adversarial()),
            memory: self.memory.filter(|memory| memory.is_sequential()),
            spurious: self.spurious,
            random: self.random.filter(|random| random.is_fixed()),
            races: self.watches_memory().then_some(RacesChoice::On),
            leaks: self.leaks,
        }
    }

    /// Whether accesses to plain memory are watched.
    pub fn watches_memory(&self) -> bool {
        self.races() != Races::Off
    }

    pub fn is_sequential(&self) -> bool {
        self.memory.is_some_and(MemoryChoice::is_sequential)
    }

    /// Whether data races and memory errors are failures, of whom.
    pub fn races(&self) -> Races {
        match self.races {
            None if self.leaks => Races::On,
            None | Some(RacesChoice::Off) => Races::Off,
            Some(RacesChoice::On) => Races::On,
            Some(RacesChoice::Survive) => Races::Survive,
        }
    }
}

/// What may be spent on a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestBudget {
    pub time: Option<Duration>,
    pub schedules: Option<u64>,
}

impl fmt::Display for TestBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.schedules, self.time) {
            (Some(schedules), Some(time)) => write!(f, "{schedules},{}ms", time.as_millis()),
            (Some(schedules), None) => write!(f, "{schedules}"),
            (None, time) => write!(f, "{}ms", time.unwrap_or_default().as_millis()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeChoice {
    /// The clock moves on when nothing else can run
    Virtual,
    /// Timers may fire at any moment
    Adversarial,
}

impl TimeChoice {
    pub fn is_adversarial(self) -> bool {
        self == TimeChoice::Adversarial
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RandomChoice {
    /// Other data in each schedule that is drawn at random
    Vary,
    /// The same in all schedules
    Fixed,
}

impl RandomChoice {
    pub fn is_fixed(self) -> bool {
        self == RandomChoice::Fixed
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryChoice {
    /// A load may read an older store where its ordering allows it
    Weak,
    /// Sequentially consistent
    Sc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RacesChoice {
    /// Plain memory is not looked at
    Off,
    /// They are failures, of tests and of mutants
    On,
    /// They are failures of tests; a mutant that is noticed by nothing else survives
    Survive,
}

impl MemoryChoice {
    pub fn is_sequential(self) -> bool {
        self == MemoryChoice::Sc
    }
}

/// `cargo atropos explore`
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXPLORE_EXAMPLES)]
pub struct ExploreArguments {
    /// Only tests with one of these texts in their names
    #[arg(value_name = "TEST")]
    pub tests: Vec<String>,

    /// How to go through the schedules; the long help lists the strategies
    #[arg(long, value_name = "STRATEGY", value_parser = parse_strategy)]
    pub strategy: Option<String>,

    /// Keep failing schedules in atropos-schedules.toml in the workspace's root, which you commit: later runs try them first
    #[arg(long)]
    pub save: bool,

    /// Tests that reach what changed since this git revision come first
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,

    /// Of tests with many schedules, only the k-th of n parts, k from 0; writes exploration.json for `--merge`
    #[arg(long, value_name = "K/N", conflicts_with = "save")]
    pub shard: Option<Shard>,

    /// Join shards (output directories, or their exploration.json) into one report, without exploring anything
    #[arg(long, value_name = "PART", num_args = 1.., conflicts_with_all = ["shard", "save"])]
    pub merge: Vec<PathBuf>,

    #[command(flatten)]
    pub schedule: ScheduleOptions,

    #[command(flatten)]
    pub tree: TreeOptions,

    #[command(flatten)]
    pub build: BuildOptions,

    /// How many tests may be explored at once [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    pub jobs: Option<usize>,

    #[command(flatten)]
    pub output: OutputOptions,

    /// Arguments for the test binaries
    #[arg(last = true, value_name = "TEST ARGS")]
    pub test_args: Vec<String>,
}

impl ExploreArguments {
    /// The options of a run that has these in common.
    pub fn options(&self) -> Options {
        let mut options = Options {
            tree: self.tree.clone(),
            build: self.build.clone(),
            output: self.output.clone(),
            ..Options::default()
        };
        options.execute.jobs = self.jobs;
        options.execute.test_args.clone_from(&self.test_args);
        options.exploration.schedule.clone_from(&self.schedule);
        options
    }
}

/// `cargo atropos replay`
#[derive(Args, Clone, Debug)]
#[command(after_long_help = REPLAY_EXAMPLES)]
pub struct ReplayArguments {
    /// The test, or a part of its name
    pub test: Option<String>,

    /// A schedule to run instead of the one that was kept; the tests are built if none was
    #[arg(long, value_name = "SCHEDULE", value_parser = parse_schedule)]
    pub schedule: Option<String>,

    /// The schedule that killed this mutant
    #[arg(long, value_name = "ID")]
    pub mutant: Option<MutantId>,

    /// A word to put before the program, such as a debugger's name (may be repeated)
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub with: Vec<String>,

    /// Draw what the threads do on a page in this file
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,

    /// Write the trace to this file, for Perfetto or chrome://tracing
    #[arg(long, value_name = "FILE")]
    pub chrome_trace: Option<PathBuf>,

    #[command(flatten)]
    pub circumstances: ScheduleConditions,

    #[command(flatten)]
    pub tree: TreeOptions,

    #[command(flatten)]
    pub build: BuildOptions,

    #[command(flatten)]
    pub output: OutputOptions,
}

impl ReplayArguments {
    /// The options of a run that has these in common.
    pub fn options(&self) -> Options {
        let mut options = Options {
            tree: self.tree.clone(),
            build: self.build.clone(),
            output: self.output.clone(),
            ..Options::default()
        };
        let schedule = &mut options.exploration.schedule;
        schedule.circumstances.clone_from(&self.circumstances);
        options
    }
}

pub fn parse_strategy(text: &str) -> Result<String, String> {
    match text.parse::<StrategySpec>() {
        Ok(StrategySpec::Replay(_)) => Err("`cargo atropos replay` runs one schedule".to_owned()),
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

pub fn parse_strategy_or_off(text: &str) -> Result<String, String> {
    match text {
        OFF => Ok(text.to_owned()),
        text => parse_strategy(text),
    }
}

pub fn parse_technique(text: &str) -> Result<String, String> {
    match text.parse::<Technique>() {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn parse_schedule(text: &str) -> Result<String, String> {
    match text.parse::<atropos_search::Schedule>() {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

pub fn parse_budget(text: &str) -> Result<TestBudget, String> {
    let explanation = "a budget is a time, a number of schedules, or both: 30s, 5000, or 5000,2m";
    let mut budget = TestBudget {
        time: None,
        schedules: None,
    };
    for part in text.split(',').map(str::trim) {
        let digits = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        let (number, unit) = part.split_at(digits);
        let number: u64 = number.parse().map_err(|_| explanation)?;
        let milliseconds = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            "" if number > 0 => {
                budget.schedules = Some(number);
                continue;
            }
            _ => return Err(explanation.into()),
        };
        budget.time = Some(Duration::from_millis(number.saturating_mul(milliseconds)));
    }
    Ok(budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_time_a_number_or_both() {
        let budget = |time: Option<u64>, schedules| TestBudget {
            time: time.map(Duration::from_millis),
            schedules,
        };
        assert_eq!(parse_budget("30s"), Ok(budget(Some(30_000), None)));
        assert_eq!(parse_budget("5000"), Ok(budget(None, Some(5000))));
        assert_eq!(parse_budget("50, 2m"), Ok(budget(Some(120_000), Some(50))));
        for text in ["", "s", "0", "5 parsecs", "-1"] {
            assert!(parse_budget(text).is_err(), "{text}");
        }
    }

    #[test]
    fn strategies_are_checked_before_anything_is_built() {
        assert_eq!(parse_strategy("chess:2"), Ok("chess:2".to_owned()));
        assert!(parse_strategy("chess").is_err());
        assert!(parse_strategy("replay:s1:0").is_err());
        assert!(parse_technique("state-set").is_ok());
        assert!(parse_technique("magic").unwrap_err().contains("one-state"));
    }
}
