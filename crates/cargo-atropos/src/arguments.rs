//! The command line. [`Options`] is what a run needs to know, from the command line and then, for
//! what it leaves open, from the config file (see `config.rs`).

use std::ffi::OsString;
use std::path::PathBuf;

use atropos_mutants::OperatorSelection;
use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use globset::{Glob, GlobBuilder};
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::accepted::{ACCEPT_EXAMPLES, AcceptArguments};
use crate::archive::ARCHIVE_EXAMPLES;
pub use crate::build_arguments::{BUILD_HEADING, BuildOptions};
use crate::did_you_mean::nearest;
use crate::gate::{GATE_HEADING, GateOptions};
use crate::merge::{MERGE_EXAMPLES, MergeArguments};
use crate::model::ModelCommand;
use crate::report_arguments::{REPORT_EXAMPLES, REPORT_HEADING, ReportArguments, ReportOptions};
use crate::review::{REVIEW_EXAMPLES, ReviewArguments};
pub use crate::schedule_arguments::{
    ExplorationOptions, ExploreArguments, ReplayArguments, SCHEDULE_HEADING, ScheduleConditions,
    ScheduleOptions,
};
use crate::write::{WRITE_EXAMPLES, WriteArguments};

/// How many times the original's own time a mutant may take, unless the user says otherwise.
pub const DEFAULT_TIMEOUT_MULTIPLIER: f64 = 5.0;

const EXAMPLES: &str = "\
Examples:
  cargo atropos                         test the package in the current directory
  cargo atropos list                    show the mutants without running anything
  cargo atropos -f src/parser.rs        only the mutants of one file
  cargo atropos -F 'fn deposit'         only mutants whose name matches
  cargo atropos --since main            only what changed since the branch left main
  cargo atropos --in-diff pr.diff       only the lines that a diff adds or changes
  cargo atropos --workspace --shard 0/4 the first of four parts, for parallel CI jobs
  cargo atropos --iterate               again, but only what the last run did not catch
  cargo atropos show 17                 one mutant of the last run: its diff and what became of it
  cargo atropos write                   assertions that catch survivors, proven, as a diff
  cargo atropos --min-score 80          fail only if less than 80 % of the mutants are caught
  cargo atropos accept 17 --reason '…'   a survivor that no test needs to notice
  cargo atropos --report html,sarif     also what code scanning reads
  cargo atropos --message-format json   survivors as an editor reads rustc's warnings
  cargo atropos merge shard-*/          the outcomes of all shards as one
  cargo atropos report                  the page of the last run once more
  cargo atropos explore                 run each test under every schedule of its threads
  cargo atropos -- --skip slow_test     leave out tests by name

Exit codes:
  0  every mutant was caught, or as many as --min-score, --max-survivors and --fail-on want
  1  wrong usage or input (also a filter that matches nothing), or an internal error
  2  some mutants survived, or more than is allowed
  3  none survived, but some were caught only by a limit on time or steps, or could not be decided
  4  the tests fail or do not build without any mutant
  5  mutants that should have been tested were not: none was built, or a compiler was killed
  130  interrupted; what was found so far is saved

The options can also stand in .cargo/atropos.toml, under the same names:
  workspace = true
  exclude-re = [\"impl Debug\"]";

const LIST_EXAMPLES: &str = "\
Examples:
  cargo atropos list                    one line for each mutant
  cargo atropos list --diff -f src/a.rs each with its change as a diff
  cargo atropos list --json             for other programs";

const SHOW_EXAMPLES: &str = "\
Examples:
  cargo atropos show 17                 mutant 17 of the last run
  cargo atropos show src/lib.rs:41      every mutant of that line
  cargo atropos show 17 --json          for other programs";

const OPERATORS_EXAMPLES: &str = "\
Examples:
  cargo atropos operators               the whole catalogue
  cargo atropos operators AOR           one operator, with an example";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  cargo atropos completions bash > ~/.local/share/bash-completion/completions/cargo-atropos
  cargo atropos completions fish > ~/.config/fish/completions/cargo-atropos.fish
  cargo atropos man > ~/.local/share/man/man1/cargo-atropos.1";

const MODEL_EXAMPLES: &str = "\
Examples:
  cargo atropos model check car_alarm.ooas                 all that is wrong with a model
  cargo atropos model translate car_alarm.scxml            a state chart as OOAS text
  cargo atropos model run car_alarm.ooas                   walk through it by hand
  cargo atropos model generate car_alarm.ooas -o tests-of  test cases, a report and a page
  cargo atropos model explore car_alarm.ooas               which mutants no test can kill
  cargo atropos model rust car_alarm.ooas                  the same as a Rust integration test

Exit codes:
  0  all went well
  1  wrong usage, or a file that can't be read or written (what was found before is on disk)
  2  the model is wrong: errors in its text (`fmt --check`: not formatted), or it fails while it
     runs, or has too many states";

/// `cargo atropos`
#[derive(Debug, Parser)]
#[command(
    name = "cargo atropos",
    bin_name = "cargo atropos",
    version,
    about = "Mutation testing that understands threads",
    long_about = "Changes your code in many small ways, one at a time (the mutants), and tells you \
                  which changes no test notices. All mutants are compiled into one build; your \
                  source files are not touched.",
    after_help = "`cargo atropos --help` explains more and gives examples.",
    after_long_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub options: Options,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Test the mutants (what happens without any command)
    #[command(after_long_help = EXAMPLES)]
    Run(Box<Options>),
    /// Pack everything that a run needs into one file, to run it elsewhere in parts
    #[command(after_long_help = ARCHIVE_EXAMPLES)]
    Archive(Box<Options>),
    /// List the mutants that a run with the same options would test
    #[command(after_long_help = LIST_EXAMPLES)]
    List(Box<ListArguments>),
    /// Run each test under every schedule of its threads
    Explore(Box<ExploreArguments>),
    /// Run a failing schedule that was found once more, and show what happens
    Replay(Box<ReplayArguments>),
    /// Show one mutant of the last run: its change, its verdict, who reached and who killed it
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show(ShowArguments),
    /// Accept a survivor with a reason: it is no longer counted
    #[command(after_long_help = ACCEPT_EXAMPLES)]
    Accept(AcceptArguments),
    /// Walk through the survivors of the last run in the terminal
    #[command(after_long_help = REVIEW_EXAMPLES)]
    Review(ReviewArguments),
    /// Write assertions that kill survivors of the last run, each proven
    #[command(after_long_help = WRITE_EXAMPLES)]
    Write(WriteArguments),
    /// Make a report of the last run again, in any format, without running anything
    #[command(after_long_help = REPORT_EXAMPLES)]
    Report(ReportArguments),
    /// Join the outcomes of several runs, as the shards of one, into one
    #[command(after_long_help = MERGE_EXAMPLES)]
    Merge(Box<MergeArguments>),
    /// The catalogue of operators: the rules that make mutants
    #[command(after_long_help = OPERATORS_EXAMPLES)]
    Operators(OperatorsArguments),
    /// Print a script that completes commands and options in a shell
    Completions(CompletionsArguments),
    /// Print the manual page, for man
    Man,
    /// From a model of a controller (OOAS or a state chart), tests that kill the model's mutants
    #[cfg_attr(feature = "model", command(subcommand))]
    #[command(after_long_help = MODEL_EXAMPLES)]
    Model(Box<ModelCommand>),
}

/// Everything that a run can be told.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    #[command(flatten)]
    pub tree: TreeOptions,
    #[command(flatten)]
    pub select: SelectOptions,
    #[command(flatten)]
    pub build: BuildOptions,
    #[command(flatten)]
    pub execute: ExecuteOptions,
    #[command(flatten)]
    pub exploration: ExplorationOptions,
    #[command(flatten)]
    pub gate: GateOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub reports: ReportOptions,
}

pub const TREE_HEADING: &str = "Which packages";
pub const SELECT_HEADING: &str = "Which mutants";
pub const EXECUTE_HEADING: &str = "How to test";
pub const OUTPUT_HEADING: &str = "Output";

#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = TREE_HEADING)]
pub struct TreeOptions {
    /// Work on the package or workspace in this directory instead of the current one
    #[arg(short, long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Work on the package or workspace of this Cargo.toml (as for cargo)
    #[arg(long, value_name = "PATH", conflicts_with = "dir")]
    pub manifest_path: Option<PathBuf>,

    /// Mutate only this package (may be repeated; `*` matches any text)
    #[arg(short, long, value_name = "NAME")]
    pub package: Vec<String>,

    /// Mutate every package of the workspace
    #[arg(long, conflicts_with = "package")]
    pub workspace: bool,

    /// Leave this package alone (may be repeated; `*` matches any text)
    #[arg(long, value_name = "NAME")]
    pub exclude: Vec<String>,

    /// Run the tests of this package instead of the mutated packages' own (may be repeated; `*` matches any text)
    #[arg(long, value_name = "NAME")]
    pub test_package: Vec<String>,

    /// Read this config file instead of .cargo/atropos.toml in the workspace's root
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,

    /// Read no config file
    #[arg(long)]
    pub no_config: bool,
}

#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = SELECT_HEADING)]
pub struct SelectOptions {
    /// Only mutants in files that match this glob (may be repeated)
    ///
    /// A glob with a `/` is matched against the path from the workspace's root and the path from
    /// the package's root; one without against the file's name and the names of the directories
    /// around it.
    #[arg(short, long, value_name = "GLOB", value_parser = parse_glob)]
    pub file: Vec<Glob>,

    /// No mutants in files that match this glob (may be repeated)
    #[arg(short, long, value_name = "GLOB", value_parser = parse_glob)]
    pub exclude_file: Vec<Glob>,

    /// Only mutants whose name, as `list` prints it, matches this regex (may be repeated)
    #[arg(short = 'F', long, value_name = "REGEX", value_parser = parse_regex)]
    pub re: Vec<Regex>,

    /// No mutants whose name matches this regex (may be repeated)
    #[arg(short = 'E', long, value_name = "REGEX", value_parser = parse_regex)]
    pub exclude_re: Vec<Regex>,

    /// Only mutants on lines that this unified diff adds or changes (`-` reads it from the input)
    #[arg(long, value_name = "FILE", conflicts_with = "since")]
    pub in_diff: Option<PathBuf>,

    /// Only mutants on lines added or changed since this git revision, new files included
    ///
    /// As on a pull request: what the other side has gained since the branch left it does not count.
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,

    /// Only the k-th of n parts of the mutants, k from 0
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,

    /// Skip the mutants that the last run has caught
    #[arg(long)]
    pub iterate: bool,

    /// With 2, also a sample of mutants that make two changes by one concurrency operator at once
    #[arg(long, value_name = "N", value_parser = parse_order)]
    pub order: Option<u8>,

    /// Which operators make mutants: codes or categories; `+` adds to and `-` takes from the usual
    ///
    /// `AOR,ROR` means just these two; `-SDL` all usual ones but SDL; `+extended` all usual ones
    /// and those of the category `extended`; `all` means all. `cargo atropos operators` lists them.
    #[arg(long, value_name = "LIST", value_parser = parse_operators, allow_hyphen_values = true)]
    pub operators: Vec<String>,
}

#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = EXECUTE_HEADING)]
pub struct ExecuteOptions {
    /// Run what `cargo atropos archive` has packed, on a machine without cargo, rustc and sources
    #[arg(long, value_name = "FILE")]
    pub archive: Option<PathBuf>,

    /// How many processes may test at once [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    pub jobs: Option<usize>,

    /// How many times the original's own time or steps a mutant may take [default: 5]
    #[arg(long, value_name = "FACTOR", value_parser = parse_multiplier)]
    pub timeout_multiplier: Option<f64>,

    /// Leave documentation tests out
    #[arg(long)]
    pub no_doc: bool,

    /// Also run the tests that the default filter of .config/nextest.toml leaves out (as for nextest)
    #[arg(long)]
    pub ignore_default_filter: bool,

    /// Run every test that reaches a mutant, also after one has killed it
    #[arg(long)]
    pub kill_matrix: bool,

    /// Run all mutants, also those about which an earlier run has found what still holds
    #[arg(long)]
    pub no_reuse: bool,

    /// How to run mutants: whichever is cheapest for each test, or always this way if the test
    /// allows it
    #[arg(long, value_name = "WAY", value_enum)]
    pub way: Option<WayChoice>,

    /// Rank survivors by what they disturb under all their tests, even if that takes long
    #[arg(long, conflicts_with = "no_impact")]
    pub impact: bool,

    /// Don't look for what survivors disturb: no ranking, no suggestions
    #[arg(long)]
    pub no_impact: bool,

    /// Run mutants without the sandbox that keeps them from harming the machine
    #[arg(long, conflicts_with = "require_sandbox")]
    pub no_sandbox: bool,

    /// Fail if the kernel has no sandbox for mutants
    #[arg(long)]
    pub require_sandbox: bool,

    /// Measure all mutants under all their tests and write impact-matrix.json, for experiments
    #[arg(long, hide = true)]
    pub impact_matrix: bool,

    /// Arguments for the test binaries
    #[arg(last = true, value_name = "TEST ARGS")]
    pub test_args: Vec<String>,
}

#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = OUTPUT_HEADING)]
pub struct OutputOptions {
    /// Where to keep outcomes.json, reports, the log and the build [default: target/atropos]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Print JSON instead of text for people
    #[arg(long)]
    pub json: bool,

    /// What to print: a text for people, or survivors as cargo's own JSON messages, which editors show
    /// in place
    #[arg(long, value_name = "FORMAT", value_enum, conflicts_with = "json")]
    pub message_format: Option<MessageFormat>,

    /// Show everything that was found, not only what fits on one screen
    #[arg(long)]
    pub all: bool,

    /// Show so many places to look at [default: 10, or what fits on one screen]
    #[arg(long, value_name = "N", conflicts_with = "all")]
    pub top: Option<usize>,

    /// Colour the output
    #[arg(long, value_name = "WHEN", value_enum)]
    pub colors: Option<Colors>,

    /// Say more; show everything that was found
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Args, Clone, Debug)]
pub struct ListArguments {
    /// Print each mutant's change as a unified diff
    #[arg(long)]
    pub diff: bool,

    #[command(flatten)]
    pub options: Options,
}

#[derive(Args, Clone, Debug)]
pub struct ShowArguments {
    /// The mutant's number or key, as the report of the run gives it, or FILE:LINE or FILE:LINE:COLUMN for all that are there
    pub mutant: String,

    /// Look at the last run of the package or workspace in this directory
    #[arg(short, long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    #[command(flatten)]
    pub output: OutputOptions,
}

#[derive(Args, Clone, Debug)]
pub struct OperatorsArguments {
    /// Only these codes or categories
    #[arg(value_name = "CODE OR CATEGORY")]
    pub which: Vec<String>,

    /// The mistakes in concurrent programs that people make, and the operators that stand for each
    #[arg(long)]
    pub patterns: bool,

    /// Print JSON instead of text for people
    #[arg(long)]
    pub json: bool,

    /// Colour the output
    #[arg(long, value_name = "WHEN", value_enum)]
    pub colors: Option<Colors>,
}

#[derive(Args, Clone, Debug)]
#[command(after_long_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// How mutants are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WayChoice {
    /// Whichever is cheapest for the test
    #[default]
    Auto,
    /// Forked where the test first meets the mutant
    Fork,
    /// In one process that runs the test again for each mutant
    Batch,
    /// In a process of its own from the test's start: slow and simple
    Each,
}

/// What a run prints on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageFormat {
    /// The summary
    #[default]
    Human,
    /// One message per survivor, as `cargo check --message-format json` prints warnings
    Json,
}

/// When to colour the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Colors {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

/// One of `count` parts of the mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub index: usize,
    pub count: usize,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let explanation = "a shard is k/n with k from 0 to n-1, for example 0/4";
        let (index, count) = text.split_once('/').ok_or(explanation)?;
        let shard = Shard {
            index: index.parse().map_err(|_| explanation)?,
            count: count.parse().map_err(|_| explanation)?,
        };
        if shard.index < shard.count {
            Ok(shard)
        } else {
            Err(explanation.into())
        }
    }
}

impl Arguments {
    /// Whether the command line itself asks for colours.
    pub fn colors(&self) -> Option<Colors> {
        match &self.command {
            None => self.options.output.colors,
            Some(Command::Run(options) | Command::Archive(options)) => options.output.colors,
            Some(Command::List(list)) => list.options.output.colors,
            Some(Command::Explore(explore)) => explore.output.colors,
            Some(Command::Replay(replay)) => replay.output.colors,
            Some(Command::Show(show)) => show.output.colors,
            Some(Command::Accept(accept)) => accept.output.colors,
            Some(Command::Review(review)) => review.output.colors,
            Some(Command::Write(write)) => write.output.colors,
            Some(Command::Report(report)) => report.colors,
            Some(Command::Merge(merge)) => merge.colors,
            Some(Command::Operators(operators)) => operators.colors,
            // What they print has no colours of ours.
            Some(Command::Model(_) | Command::Completions(_) | Command::Man) => None,
        }
    }
}

impl Options {
    pub fn jobs(&self) -> usize {
        self.execute.jobs.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        })
    }

    /// The operators that make mutants.
    pub fn operators(&self) -> OperatorSelection {
        OperatorSelection::parse(&self.select.operators).expect("each list was read before")
    }

    pub fn timeout_multiplier(&self) -> f64 {
        self.execute
            .timeout_multiplier
            .unwrap_or(DEFAULT_TIMEOUT_MULTIPLIER)
    }
}

/// Reads a command line that starts with the program's name. Cargo puts the subcommand's own name
/// behind it, a direct call does not.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == "atropos") {
        arguments.remove(1);
    }
    let mut command = command();
    let mut matches = command
        .try_get_matches_from_mut(&arguments)
        .or_else(|error| match behind_options(&error, &mut arguments) {
            true => command.try_get_matches_from_mut(&arguments),
            false => Err(error),
        })
        .map_err(with_command_suggestion)?;
    Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Whether the command line was refused because its command stands behind options, as in
/// `cargo atropos -d DIR list`; the command then stands in front of them. There are no arguments
/// without a name but commands, so a stray word that is one can't be meant otherwise.
fn behind_options(error: &clap::Error, arguments: &mut Vec<OsString>) -> bool {
    let Some(ContextValue::String(stray)) = error.get(ContextKind::InvalidArg) else {
        return false;
    };
    let place = arguments.iter().position(|word| word == stray.as_str());
    match place {
        Some(place) if place > 1 && COMMANDS.contains(&stray.as_str()) => {
            let command = arguments.remove(place);
            arguments.insert(1, command);
            true
        }
        _ => false,
    }
}

const COMMANDS: [&str; 16] = [
    "run",
    "archive",
    "merge",
    "list",
    "explore",
    "replay",
    "show",
    "accept",
    "review",
    "write",
    "report",
    "operators",
    "completions",
    "man",
    "model",
    "help",
];

/// A misspelt command looks like a stray argument to clap, because there need not be a command.
fn with_command_suggestion(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && let Some(name) = nearest(word, COMMANDS)
    {
        let name = ContextValue::Strings(vec![name.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, name);
    }
    error
}

/// `list` takes all options of `run`, so that one can be turned into the other by one word, but its
/// help shows only those that matter to it.
pub fn command() -> clap::Command {
    Arguments::command()
        .mut_subcommand("list", |list| {
            list.mut_args(|argument| {
                let heading = argument.get_help_heading();
                let idle = [
                    BUILD_HEADING,
                    EXECUTE_HEADING,
                    SCHEDULE_HEADING,
                    GATE_HEADING,
                    REPORT_HEADING,
                ]
                .iter()
                .any(|idle| heading == Some(idle));
                argument.hide(idle)
            })
        })
        .mut_subcommand("archive", |archive| {
            archive
                .mut_arg("output", |output| {
                    let help = "Write the archive to this file [default: run.tar.zst]";
                    output.value_name("FILE").help(help)
                })
                .mut_args(|argument| {
                    let idle = ["archive", "shard"].contains(&argument.get_id().as_str());
                    argument.hide(idle)
                })
        })
}

pub fn parse_regex(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| match error {
        // The library draws a picture over several lines; its last line is the sentence.
        regex::Error::Syntax(picture) => picture
            .lines()
            .last()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned(),
        error => error.to_string(),
    })
}

pub fn parse_glob(text: &str) -> Result<Glob, String> {
    let path = text.strip_prefix("./").unwrap_or(text);
    GlobBuilder::new(path.trim_end_matches('/'))
        .literal_separator(true)
        .build()
        .map_err(|error| error.kind().to_string())
}

/// Only checks: what signs mean depends on all lists together.
pub fn parse_operators(text: &str) -> Result<String, String> {
    match OperatorSelection::parse(&[text]) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

pub fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a number from 1 on is needed".into()),
        Ok(jobs) => Ok(jobs),
    }
}

pub fn parse_order(text: &str) -> Result<u8, String> {
    match text {
        "1" => Ok(1),
        "2" => Ok(2),
        _ => Err("1 or 2 is needed".into()),
    }
}

pub fn parse_multiplier(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor >= 1.0 => Ok(factor),
        _ => Err("a number from 1 on is needed, for example 2.5".into()),
    }
}
