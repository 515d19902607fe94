//! The subcommands of `cargo atropos model`.

use crate::animate::Animation;
use crate::charts;
use crate::explore::{Interpreted, Limits, Reduction, Stop};
use crate::generate::{
    Atlas, Crew, EngineKind, Finished, Generated, KillMatrix, Options, Path as TestPath, Progress,
    StrategyKind, generate_with, reduce,
};
use crate::language::format_text;
use crate::loading::{Loaded, Source};
use crate::model::Model;
use crate::results::{Report, TestCase, prepare, write_report, write_test};
use crate::rust_tests::{adapter_file, tests_file};
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// Check a model and show everything that is wrong with it.
    Check { file: PathBuf },
    /// Format a model's text.
    Fmt {
        file: PathBuf,
        /// Print the formatted text instead of writing it back.
        #[arg(long)]
        stdout: bool,
        /// Only tell whether the file is formatted.
        #[arg(long)]
        check: bool,
    },
    /// Translate a state chart (SCXML or PlantUML) to OOAS.
    Translate {
        file: PathBuf,
        /// Where the text goes; standard output if not given.
        #[arg(short, long)]
        out: Option<PathBuf>,
    },
    /// Walk through a model: inputs typed or from a script on standard input.
    Run {
        file: PathBuf,
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// Generate tests that kill the model's mutants.
    Generate(GenerateArgs),
    /// Generate tests and write them as a Rust integration test.
    Rust(GenerateArgs),
    /// Write a synthetic model of the size of one of the MoMuT paper's.
    Synthesize {
        #[arg(value_enum)]
        kind: SyntheticKind,
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Objects of a `station`, 50 at least.
        #[arg(long, default_value_t = 500)]
        objects: usize,
        /// Where the text goes; standard output if not given.
        #[arg(short, long)]
        out: Option<PathBuf>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum SyntheticKind {
    M2,
    M3,
    M4,
    M5,
    M6,
    M7,
    /// A railway station with as many objects as you say.
    Station,
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    pub file: PathBuf,
    /// Where the files go: `model-tests` for reports, `tests` for Rust tests if not given.
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// How many tests.
    #[arg(long, default_value_t = 3)]
    pub tests: usize,
    /// Choices per test.
    #[arg(long, default_value_t = 150)]
    pub depth: usize,
    #[arg(long, value_enum, default_value = "frontier")]
    pub strategy: StrategyKind,
    /// Worker threads; all cores if not given. The result does not depend on it.
    #[arg(long)]
    pub workers: Option<usize>,
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Mutants that run beside the original at once.
    #[arg(long, default_value_t = 1000)]
    pub max_live: usize,
    /// Stop after so many seconds with what was found.
    #[arg(long)]
    pub time: Option<u64>,
    #[arg(long, value_enum, default_value = "jit")]
    pub engine: EngineKind,
    /// Explore all orders of internal steps.
    #[arg(long)]
    pub full: bool,
    /// States without a visible step after which internal steps are taken for endless.
    #[arg(long, default_value_t = 100_000)]
    pub max_internal: usize,
}

/// Runs a subcommand; `false` if the model is not as it should be.
///
/// # Errors
/// Files that can't be read or written.
pub fn run(command: &ModelCommand) -> anyhow::Result<bool> {
    match command {
        ModelCommand::Check { file } => check_file(file),
        ModelCommand::Fmt {
            file,
            stdout,
            check,
        } => format_file(file, *stdout, *check),
        ModelCommand::Translate { file, out } => translate_file(file, out.as_deref()),
        ModelCommand::Run { file, seed } => animate(file, *seed),
        ModelCommand::Generate(args) => generate_tests(args),
        ModelCommand::Rust(args) => rust_tests(args),
        ModelCommand::Synthesize {
            kind,
            seed,
            objects,
            out,
        } => synthesize(*kind, *seed, *objects, out.as_deref()),
    }
}

fn deliver(text: &str, out: Option<&Path>) -> anyhow::Result<bool> {
    match out {
        None => print!("{text}"),
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("can't write {}", path.display()))?
        }
    }
    Ok(true)
}

fn synthesize(
    kind: SyntheticKind,
    seed: u64,
    objects: usize,
    out: Option<&Path>,
) -> anyhow::Result<bool> {
    use crate::synthetic::Kind;
    let kind = match kind {
        SyntheticKind::M2 => Kind::M2,
        SyntheticKind::M3 => Kind::M3,
        SyntheticKind::M4 => Kind::M4,
        SyntheticKind::M5 => Kind::M5,
        SyntheticKind::M6 => Kind::M6,
        SyntheticKind::M7 => Kind::M7,
        SyntheticKind::Station if objects < 50 => bail!("a station has at least 50 objects"),
        SyntheticKind::Station => {
            return deliver(&crate::synthetic::station(objects, seed), out);
        }
    };
    deliver(&crate::synthetic::generate(kind, seed), out)
}

fn translate_file(file: &Path, out: Option<&Path>) -> anyhow::Result<bool> {
    if !charts::is_chart(&file.display().to_string()) {
        bail!(
            "{} is no chart: its name must end in .scxml, .puml or .plantuml",
            file.display()
        );
    }
    match source(file)? {
        None => Ok(false),
        Some(source) => deliver(&source.text, out),
    }
}

/// The text of a model; what is wrong with a chart goes to standard error.
fn source(file: &Path) -> anyhow::Result<Option<Source>> {
    Source::read(file, color(), &mut |text| eprint!("{text}"))
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))
}

fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// The checked model; findings go to standard error.
fn load(file: &Path) -> anyhow::Result<Option<Loaded>> {
    let source = source(file)?;
    Ok(source.and_then(|source| source.check(color(), &mut |text| eprint!("{text}"))))
}

fn check_file(file: &Path) -> anyhow::Result<bool> {
    let Some(Loaded { model, .. }) = load(file)? else {
        return Ok(false);
    };
    let table = crate::generate::Results::new(&model.mutants).table(&model.mutants);
    println!(
        "{}: {} objects of {} classes, {} statements, {} attributes, {} bytes of state, {} mutants ({} duplicate, {} equivalent, {} dead)",
        file.display(),
        model.objects.len(),
        model.classes.len(),
        model.statements,
        model.attribute_count(),
        model.state_size(),
        table.total,
        table.duplicates,
        table.equivalent,
        table.dead
    );
    Ok(true)
}

fn format_file(file: &Path, stdout: bool, check_only: bool) -> anyhow::Result<bool> {
    let text = read(file)?;
    let formatted = match format_text(&text) {
        Ok(formatted) => formatted,
        Err(diagnostics) => {
            eprint!(
                "{}",
                diagnostics.render(&file.display().to_string(), &text, color())
            );
            return Ok(false);
        }
    };
    if check_only {
        if formatted != text {
            println!("{} is not formatted", file.display());
        }
        return Ok(formatted == text);
    }
    if stdout {
        print!("{formatted}");
    } else if formatted != text {
        std::fs::write(file, formatted)
            .with_context(|| format!("can't write {}", file.display()))?;
    }
    Ok(true)
}

fn options(args: &GenerateArgs) -> Options {
    let default = Options::default();
    Options {
        tests: args.tests,
        depth: args.depth,
        strategy: args.strategy,
        workers: args.workers.unwrap_or(default.workers),
        seed: args.seed,
        max_live: args.max_live,
        time: args.time.map(Duration::from_secs),
        engine: args.engine,
        reduction: if args.full {
            Reduction::Full
        } else {
            Reduction::PartialOrder
        },
        limits: Limits {
            closure: args.max_internal,
        },
        ..default
    }
}

fn animate(file: &Path, seed: u64) -> anyhow::Result<bool> {
    let Some(Loaded { model, .. }) = load(file)? else {
        return Ok(false);
    };
    let engine = Box::new(Interpreted {
        model: model.clone(),
    });
    let terminal = std::io::stdin().is_terminal();
    let mut out = std::io::stdout().lock();
    let mut animation = Animation::new(model, engine, seed, &mut out);
    Ok(animation.run(&mut std::io::stdin().lock(), terminal)?)
}

/// Generates with progress on the terminal.
fn generated(
    args: &GenerateArgs,
    model: &Arc<Model>,
    options: &Options,
    finished: &mut Finished,
) -> anyhow::Result<Generated> {
    let mut shown = Instant::now();
    let terminal = std::io::stderr().is_terminal();
    // In a log a line now and then is enough.
    let pause = Duration::from_millis(if terminal { 200 } else { 20_000 });
    let mut progress = |progress: Progress| {
        if shown.elapsed() > pause {
            shown = Instant::now();
            show(&progress, terminal);
        }
    };
    if args.tests == 0 {
        bail!("--tests must be at least 1");
    }
    let generated = generate_with(model, options, &mut progress, finished);
    if terminal {
        eprint!("\r\x1b[K");
    }
    generated
}

fn model_name(file: &Path) -> String {
    file.file_stem().map_or_else(
        || "model".into(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

fn generate_tests(args: &GenerateArgs) -> anyhow::Result<bool> {
    let Some(loaded) = load(&args.file)? else {
        return Ok(false);
    };
    let options = options(args);
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("model-tests"));
    prepare(&out)?;
    let mut write = |number, path: &TestPath, atlas: &mut Atlas, crew: &mut Crew| {
        write_test(&out, number, path, atlas, crew, options.limits)
    };
    let generated = generated(args, &loaded.model, &options, &mut write)?;
    let failure = failure_text(&generated, &loaded.source);
    let mut crew = Crew::new(&loaded.model, &options)?;
    let name = model_name(&args.file);
    let report = write_report(&out, &name, &generated, &mut crew, &options, failure)?;
    print_summary(&report, &out);
    Ok(report.failure.is_none())
}

fn rust_tests(args: &GenerateArgs) -> anyhow::Result<bool> {
    let Some(Loaded { model, source }) = load(&args.file)? else {
        return Ok(false);
    };
    let options = options(args);
    let mut generated = generated(args, &model, &options, &mut |_, _, _, _| Ok(()))?;
    if let Some(failure) = failure_text(&generated, &source) {
        println!("{failure}");
        return Ok(false);
    }
    let mut crew = Crew::new(&model, &options)?;
    let matrix = KillMatrix::compute(&mut crew, &generated, options.limits);
    let kept: Vec<_> = reduce(&matrix)
        .into_iter()
        .map(|at| generated.paths[at].clone())
        .collect();
    let tests: Vec<TestCase> = kept
        .iter()
        .map(|path| TestCase::build(&mut generated.atlas, &mut crew, path, options.limits))
        .collect();
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
    )?;
    let adapter = directory.join("adapter.rs");
    if !adapter.exists() {
        deliver(&adapter_file(&model), Some(&adapter))?;
    }
    println!(
        "{} tests in {}; connect them in {}",
        tests.len(),
        directory.display(),
        adapter.display()
    );
    Ok(true)
}

fn show(progress: &Progress, terminal: bool) {
    let (before, after) = if terminal {
        ("\r\x1b[K", "")
    } else {
        ("", "\n")
    };
    eprint!(
        "{before}test {}/{}, choice {}/{}: {} killed of {} found of {}, {} running{after}",
        progress.test + 1,
        progress.tests,
        progress.choices,
        progress.depth,
        progress.killed,
        progress.found,
        progress.total,
        progress.live
    );
    let _ = std::io::stderr().flush();
}

/// What the original does wrong by itself, with the way there.
fn failure_text(generated: &Generated, source: &Source) -> Option<String> {
    let (path, stop) = generated.failure.as_ref()?;
    let model = &generated.model;
    let steps: Vec<String> = path.moves.iter().map(|step| step.text(model)).collect();
    let what = match stop {
        Stop::Diverges => {
            let steps = "the model goes on with internal steps without end, or has too many states";
            format!("{steps} (--max-internal allows more)")
        }
        Stop::Error(labels, error) => {
            let labels: Vec<String> = labels.iter().map(|label| model.label_text(label)).collect();
            let during = if labels.is_empty() {
                String::new()
            } else {
                format!(" during {}", labels.join(", "))
            };
            format!(
                "the model fails{during}: {} at {}",
                error.kind.sentence(),
                source.place(error.span)
            )
        }
    };
    let after = if steps.is_empty() {
        "at the start".to_string()
    } else {
        format!("after {}", steps.join(", "))
    };
    Some(format!("{what}, {after}"))
}

fn print_summary(report: &Report, out: &Path) {
    let t = &report.table;
    if let Some(failure) = &report.failure {
        println!("{failure}");
    }
    if let Some(stopped) = &report.stopped {
        println!("stopped early: {stopped}");
    }
    println!(
        "{}: {} tests in {:.1} s; of {} mutants {} found, {} killed, {} execution errors ({} time-outs), {} given up, {} skipped",
        report.model,
        report.tests.len(),
        report.seconds,
        t.total,
        t.found,
        t.killed,
        t.errors,
        t.timeouts,
        t.given_up,
        t.skipped
    );
    println!(
        "killed {:.1} % of all, {:.1} % of found; {} duplicates, {} equivalent and {} dead mutants left out",
        report.percent_of_total, report.percent_of_found, t.duplicates, t.equivalent, t.dead
    );
    println!("see {}", out.join("index.html").display());
}
