//! `model generate` and `model rust`.

use super::progress::ProgressLine;
use super::{HigherOrder, count, deliver, load_quietly, load_with, most_memory, what_stopped};
use crate::generation::{
    EngineKind, Finished, Generated, GenerationOptions, GenerationProgress, Path as TestPath,
    StateGraph, StrategyKind, Workers, generate_with,
};
use crate::loading::{Loaded, ModelSource};
use crate::model::Model;
use crate::results::rust_tests::{adapter_file, tests_file};
use crate::results::{
    GenerationReport, JsonSuite, TestCase, aut, check_suite, confirm, draw_tests, prepare,
    write_report, write_test,
};
use crate::state_space::{Reduction, StateSpaceLimits};
use crate::testing::{KillMatrix, reduce};
use anyhow::Context as _;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// The model: OOAS, or a chart in SCXML, PlantUML, Mermaid, UML (XMI), XState or GraphWalker
    pub file: PathBuf,
    /// Where the files go: `model-tests` for reports, `tests` for Rust tests if not given.
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// How many tests.
    #[arg(long, default_value = "3")]
    pub tests: NonZeroUsize,
    /// Choices per test.
    #[arg(long, default_value = "150")]
    pub depth: NonZeroUsize,
    #[arg(long, value_enum, default_value = "frontier")]
    pub strategy: StrategyKind,
    /// Worker threads; all cores if not given. The result does not depend on it.
    #[arg(long)]
    pub workers: Option<NonZeroUsize>,
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Only the k-th of n parts of the tests, k from 0, by a seed of its own; `model merge` joins them.
    #[arg(long, value_name = "K/N", value_parser = parse_shard)]
    pub shard: Option<(usize, usize)>,
    /// Mutants that run beside the original at once.
    #[arg(long, default_value = "1000")]
    pub max_live: NonZeroUsize,
    /// Stop after so many seconds with what was found.
    #[arg(long)]
    pub time: Option<u64>,
    /// Stop when so many MiB of memory are in use; nearly all that is free if not given.
    #[arg(long, value_name = "MIB")]
    pub max_memory: Option<u64>,
    #[command(flatten)]
    pub higher_order: HigherOrder,
    #[arg(long, value_enum, default_value = "jit")]
    pub engine: EngineKind,
    /// Explore all orders of internal steps.
    #[arg(long)]
    pub full: bool,
    /// How many states internal steps may lead to between two visible ones.
    #[arg(long, default_value_t = 100_000)]
    pub max_internal: usize,
}

fn parse_shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/');
    let shard = parts.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    let shard = shard.filter(|(index, count): &(usize, usize)| index < count);
    shard.ok_or_else(|| "a shard is k/n with k from 0 to n-1, for example 0/4".to_owned())
}

/// How many tests a shard generates, and the seed of its choices. Mutants are those of the whole.
fn share(args: &GenerateArgs) -> anyhow::Result<(usize, u64)> {
    let tests = args.tests.get();
    match args.shard {
        None => Ok((tests, args.seed)),
        Some((_, count)) if count > tests => anyhow::bail!(
            "{} have fewer tests than that: --tests is {tests}",
            super::count(count, "shard", "shards")
        ),
        Some((index, count)) => {
            // Seeds of neighbouring shards and of neighbouring --seed must not meet.
            const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
            let seed = args.seed.wrapping_add(STEP.wrapping_mul(index as u64));
            Ok((tests / count + usize::from(index < tests % count), seed))
        }
    }
}

/// Which mutants a suite was made for, so that they can be made again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteOptions {
    pub order: u8,
    pub sample: Option<usize>,
    pub seed: u64,
    /// States without a visible step that were gone through.
    pub max_internal: usize,
}

impl SuiteOptions {
    fn new(args: &GenerateArgs) -> SuiteOptions {
        SuiteOptions {
            order: args.higher_order.order,
            sample: args.higher_order.sample,
            seed: args.seed,
            max_internal: args.max_internal,
        }
    }
}

/// The model of a suite, with its mutants.
pub(super) fn load_suite(file: &Path, suite: &SuiteOptions) -> anyhow::Result<Option<Loaded>> {
    let higher_order = HigherOrder {
        order: suite.order,
        sample: suite.sample,
    };
    // Whoever generated the suite was warned then; of a chart's translation nobody need be.
    load_quietly(file, &higher_order, suite.seed)
}

fn options(
    args: &GenerateArgs,
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<GenerationOptions> {
    let default = GenerationOptions::default();
    let (tests, seed) = share(args)?;
    Ok(GenerationOptions {
        tests,
        depth: args.depth.get(),
        strategy: args.strategy,
        workers: args.workers.map_or(default.workers, NonZeroUsize::get),
        seed,
        max_live: args.max_live.get(),
        time: args.time.map(Duration::from_secs),
        max_memory: args.max_memory.or_else(most_memory),
        interrupted: interrupted.clone(),
        engine: args.engine,
        reduction: if args.full {
            Reduction::Full
        } else {
            Reduction::PartialOrder
        },
        limits: StateSpaceLimits {
            closure: args.max_internal,
        },
        ..default
    })
}

/// Generates with progress on the terminal.
fn generated(
    model: &Arc<Model>,
    options: &GenerationOptions,
    finished: &mut Finished,
) -> anyhow::Result<Generated> {
    let mut line = ProgressLine::new();
    let mut progress = |progress: GenerationProgress| line.show(|| how_far(&progress));
    let generated = generate_with(model, options, &mut progress, finished);
    line.end();
    if options.interrupted.load(Ordering::Relaxed) {
        super::tell("interrupted: writing what was found; interrupt again to end at once\n");
    }
    generated
}

fn model_name(file: &Path) -> String {
    file.file_stem().map_or_else(
        || "model".into(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

pub(super) fn generate_tests(
    args: &GenerateArgs,
    interrupted: &Arc<AtomicBool>,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let Some(loaded) = load_with(&args.file, &args.higher_order, args.seed)? else {
        return Ok(false);
    };
    let options = options(args, interrupted)?;
    let directory = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("model-tests"));
    prepare(&directory)?;
    let mut written = 0;
    let mut unwritten = None;
    let mut suite = JsonSuite::new(&model_name(&args.file));
    let mut write = |_, path: &TestPath, graph: &mut StateGraph, workers: &mut Workers| {
        match write_test(&directory, &mut suite, path, graph, workers, options.limits) {
            Ok(()) => written += 1,
            Err(error) => unwritten = Some(error),
        }
        match &unwritten {
            None => Ok(()),
            Some(error) => Err(format!("{error:#}")),
        }
    };
    let mut generated = generated(&loaded.model, &options, &mut write)?;
    let failure = failure_text(&generated, &loaded.source);
    let mut workers = generated.workers();
    let name = model_name(&args.file);
    let matrix = match &unwritten {
        None => check_suite(&directory, &mut generated, &mut workers, options.limits)?,
        Some(_) => KillMatrix::default(),
    };
    let report = write_report(
        &directory,
        (&name, &loaded.source),
        &generated,
        &matrix,
        &options,
        failure,
        SuiteOptions::new(args),
    );
    if let Some(error) = unwritten {
        let rest = match report {
            Ok(_) => "report.json",
            Err(_) => "no report",
        };
        let kept = super::count(written, "test", "tests");
        let there = format!("{kept} and {rest} are in {}", directory.display());
        return Err(error.context(there));
    }
    let report = report?;
    draw_tests(&directory, &report, &generated, &loaded.source)?;
    print_summary(&report, &directory, out)?;
    Ok(report.failure.is_none())
}

pub(super) fn rust_tests(
    args: &GenerateArgs,
    interrupted: &Arc<AtomicBool>,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let Some(Loaded { model, source }) = load_with(&args.file, &args.higher_order, args.seed)?
    else {
        return Ok(false);
    };
    let options = options(args, interrupted)?;
    let mut generated = generated(&model, &options, &mut |_, _, _, _| Ok(()))?;
    if let Some(failure) = failure_text(&generated, &source) {
        writeln!(out, "{failure}")?;
        return Ok(false);
    }
    let mut workers = generated.workers();
    let mut tests: Vec<TestCase> = Vec::new();
    for path in generated.paths.clone() {
        let graph = &mut generated.graph;
        tests.push(TestCase::build(graph, &mut workers, &path, options.limits));
    }
    let texts: Vec<String> = tests.iter().map(|test| aut(test, &model)).collect();
    let matrix = confirm(&texts, &mut generated, &mut workers, options.limits)?;
    let kept = reduce(&matrix);
    let tests: Vec<TestCase> = kept.into_iter().map(|at| tests[at].clone()).collect();
    let name = model_name(&args.file);
    let directory = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("tests"))
        .join(format!("{name}_model"));
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("can't create {}", directory.display()))?;
    deliver(
        &tests_file(&model, &name, &tests),
        Some(&directory.join("main.rs")),
        out,
    )?;
    let adapter = directory.join("adapter.rs");
    if !adapter.exists() {
        deliver(&adapter_file(&model), Some(&adapter), out)?;
    }
    writeln!(
        out,
        "{} in {}; connect them in {}",
        count(tests.len(), "test", "tests"),
        directory.display(),
        adapter.display()
    )?;
    Ok(true)
}

fn how_far(progress: &GenerationProgress) -> String {
    format!(
        "test {}/{}, choice {}/{}: {} killed of {} found of {}, {} running",
        progress.test + 1,
        progress.tests,
        progress.choices,
        progress.depth,
        progress.killed,
        progress.found,
        progress.total,
        progress.live
    )
}

/// What the original does wrong by itself, with the way there.
fn failure_text(generated: &Generated, source: &ModelSource) -> Option<String> {
    let (path, stop) = generated.failure.as_ref()?;
    let model = &generated.model;
    let steps: Vec<String> = path.moves.iter().map(|step| step.text(model)).collect();
    let after = if steps.is_empty() {
        "at the start".to_string()
    } else {
        format!("after {}", steps.join(", "))
    };
    Some(what_stopped(model, source, stop, &after))
}

fn print_summary(
    report: &GenerationReport,
    directory: &Path,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let t = &report.table;
    if let Some(failure) = &report.failure {
        writeln!(out, "{failure}")?;
    }
    if let Some(stopped) = &report.stopped {
        writeln!(out, "stopped early: {stopped}")?;
    }
    let combined = match t.together {
        0 => String::new(),
        sets => format!(" ({sets} of them several at once)"),
    };
    writeln!(
        out,
        "{}: {} in {:.1} s; of {} mutants{combined} {} found, {} killed, {} execution errors ({} time-outs), {} given up, {} skipped",
        report.model,
        super::count(report.tests.len(), "test", "tests"),
        report.seconds,
        t.total,
        t.found,
        t.killed,
        t.errors,
        t.timeouts,
        t.given_up,
        t.skipped
    )?;
    if report.unconfirmed > 0 || t.unchecked > 0 {
        writeln!(
            out,
            "not counted as killed: {} that no written test shows, {} whose tests were not run for want of time",
            report.unconfirmed, t.unchecked
        )?;
    }
    writeln!(
        out,
        "killed {:.1} % of all, {:.1} % of found; left out as duplicate: {}, equivalent: {}, dead: {}",
        report.percent_of_total, report.percent_of_found, t.duplicates, t.equivalent, t.dead
    )?;
    writeln!(out, "see {}", directory.join("index.html").display())?;
    out.flush()
}
