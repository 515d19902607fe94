//! The subcommands of `cargo atropos model`.

mod check_tests;
mod explore;
mod generate;
mod merge;
mod progress;
mod system_tests;

use crate::animation::Animation;
use crate::charts;
use crate::execution::Interpreted;
use crate::language::format_text;
use crate::loading::{Loaded, ModelSource};
use crate::model::Model;
use crate::mutation::InitialStatus;
use crate::state_space::{HaltCause, Stop, free_memory};
use anyhow::{Context as _, bail};
pub use check_tests::CheckTestsArgs;
use clap::{Args, Subcommand};
pub use explore::ExploreArgs;
pub use generate::{GenerateArgs, SuiteOptions};
pub use merge::MergeArgs;
use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
pub use system_tests::{MonitorArgs, TestArgs};

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// Check a model and show everything that is wrong with it.
    Check {
        /// The model: OOAS, or a chart in SCXML, PlantUML, Mermaid, UML (XMI), XState or GraphWalker
        file: PathBuf,
    },
    /// Format a model's text.
    Fmt {
        /// The model, in OOAS
        file: PathBuf,
        /// Print the formatted text instead of writing it back.
        #[arg(long)]
        stdout: bool,
        /// Only tell whether the file is formatted.
        #[arg(long)]
        check: bool,
    },
    /// Translate a state chart to OOAS.
    Translate {
        /// The chart: SCXML, PlantUML, Mermaid, UML (XMI), XState or GraphWalker
        file: PathBuf,
        /// Where the text goes; standard output if not given.
        #[arg(short, long)]
        out: Option<PathBuf>,
    },
    /// Walk through a model: inputs typed or from a script on standard input.
    Run {
        /// The model: OOAS, or a chart in SCXML, PlantUML, Mermaid, UML (XMI), XState or GraphWalker
        file: PathBuf,
        /// For `random`
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// List a model's mutants.
    Mutants(ListArgs),
    /// Explore a small model's mutants to the end: which ones no test can kill.
    Explore(ExploreArgs),
    /// Generate tests that kill the model's mutants.
    Generate(GenerateArgs),
    /// Join the suites of `generate --shard` into one that kills what any of them kills.
    Merge(MergeArgs),
    /// Run generated tests against the model and its mutants, and compare with what the report claims.
    CheckTests(CheckTestsArgs),
    /// Run generated tests against a real system, by an adapter in any language.
    Test(TestArgs),
    /// Check a recorded run of a real system against a model.
    Monitor(MonitorArgs),
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
    /// A few small objects with every kind of statement, to check the tool itself with.
    Random,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// The model: OOAS, or a chart in SCXML, PlantUML, Mermaid, UML (XMI), XState or GraphWalker
    pub file: PathBuf,
    #[command(flatten)]
    pub higher_order: HigherOrder,
    /// Also those that are not worth killing, and why.
    #[arg(long)]
    pub all: bool,
}

/// Mutants that act at once.
#[derive(Clone, Debug, Default, Args)]
pub struct HigherOrder {
    /// Besides single mutants, sets of up to so many that act at once.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub order: u8,
    /// How many sets of each size; as many as there are single mutants if not given.
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
}

impl ModelCommand {
    /// Whether it may take long and ends in order when it is interrupted.
    pub fn heeds_interruption(&self) -> bool {
        matches!(
            self,
            ModelCommand::Generate(_) | ModelCommand::Rust(_) | ModelCommand::Explore(_)
        )
    }
}

/// Runs a subcommand; `false` if the model is not as it should be. When `interrupted` becomes true, generation and
/// exploration end with what they have found.
///
/// # Errors
/// Files that can't be read or written.
pub fn run(command: &ModelCommand, interrupted: &Arc<AtomicBool>) -> anyhow::Result<bool> {
    let out = &mut std::io::stdout().lock();
    run_to(command, interrupted, out).map_err(|error| {
        // Errors about files say which file; one that says nothing is about our own output.
        let bare = error
            .chain()
            .next()
            .is_some_and(|e| e.is::<std::io::Error>());
        match bare {
            true => error.context("can't write to standard output"),
            false => error,
        }
    })
}

fn run_to(
    command: &ModelCommand,
    interrupted: &Arc<AtomicBool>,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    match command {
        ModelCommand::Check { file } => check_file(file, out),
        ModelCommand::Fmt {
            file,
            stdout,
            check,
        } => format_file(file, *stdout, *check, out),
        ModelCommand::Translate { file, out: to } => translate_file(file, to.as_deref(), out),
        ModelCommand::Run { file, seed } => animate(file, *seed, out),
        ModelCommand::Mutants(args) => list_mutants(args, out),
        ModelCommand::Explore(args) => explore::explore(args, interrupted, out),
        ModelCommand::Generate(args) => generate::generate_tests(args, interrupted, out),
        ModelCommand::Merge(args) => merge::merge(args, out),
        ModelCommand::CheckTests(args) => check_tests::check_tests(args, out),
        ModelCommand::Test(args) => system_tests::run_tests(args, out),
        ModelCommand::Monitor(args) => system_tests::monitor(args, out),
        ModelCommand::Rust(args) => generate::rust_tests(args, interrupted, out),
        ModelCommand::Synthesize {
            kind,
            seed,
            objects,
            out: to,
        } => deliver(&synthesize(*kind, *seed, *objects)?, to.as_deref(), out),
    }
}

/// Writes a text to a file, or shows it.
fn deliver(text: &str, to: Option<&Path>, out: &mut dyn Write) -> anyhow::Result<bool> {
    match to {
        None => out.write_all(text.as_bytes()).and_then(|()| out.flush())?,
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("can't write {}", path.display()))?
        }
    }
    Ok(true)
}

fn synthesize(kind: SyntheticKind, seed: u64, objects: usize) -> anyhow::Result<String> {
    use crate::synthetic::PaperModel;
    let kind = match kind {
        SyntheticKind::M2 => PaperModel::M2,
        SyntheticKind::M3 => PaperModel::M3,
        SyntheticKind::M4 => PaperModel::M4,
        SyntheticKind::M5 => PaperModel::M5,
        SyntheticKind::M6 => PaperModel::M6,
        SyntheticKind::M7 => PaperModel::M7,
        SyntheticKind::Random => return Ok(crate::synthetic::random_model(seed)),
        SyntheticKind::Station if objects < 50 => bail!("a station has at least 50 objects"),
        SyntheticKind::Station => return Ok(crate::synthetic::station(objects, seed)),
    };
    Ok(crate::synthetic::generate(kind, seed))
}

fn translate_file(file: &Path, to: Option<&Path>, out: &mut dyn Write) -> anyhow::Result<bool> {
    match source(file)? {
        None => Ok(false),
        Some(source) if !source.is_chart() => bail!(
            "{} is no chart that is read: neither SCXML, PlantUML, Mermaid, UML in XMI, XState nor GraphWalker",
            file.display()
        ),
        Some(source) => deliver(source.translation(), to, out),
    }
}

/// The text of a model; what is wrong with a chart goes to standard error.
fn source(file: &Path) -> anyhow::Result<Option<ModelSource>> {
    ModelSource::read(file, color(), &mut tell)
}

/// With standard error gone there is nobody to tell.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// The checked model; findings go to standard error.
fn load(file: &Path) -> anyhow::Result<Option<Loaded>> {
    let source = source(file)?;
    Ok(source.and_then(|source| source.check(color(), &mut tell)))
}

/// The same with the mutants that act together.
fn load_with(file: &Path, higher_order: &HigherOrder, seed: u64) -> anyhow::Result<Option<Loaded>> {
    Ok(combined(load(file)?, higher_order, seed))
}

/// The same, which tells nothing but what stands in the way.
fn load_quietly(
    file: &Path,
    higher_order: &HigherOrder,
    seed: u64,
) -> anyhow::Result<Option<Loaded>> {
    let mut findings = String::new();
    let source = ModelSource::read(file, color(), &mut |text| findings.push_str(text))?;
    let loaded =
        source.and_then(|source| source.check(color(), &mut |text| findings.push_str(text)));
    if loaded.is_none() {
        tell(&findings);
    }
    Ok(combined(loaded, higher_order, seed))
}

fn combined(mut loaded: Option<Loaded>, higher_order: &HigherOrder, seed: u64) -> Option<Loaded> {
    if let Some(Loaded { model, .. }) = &mut loaded {
        let sample = higher_order.sample.unwrap_or(model.mutants.open().count());
        let model = Arc::make_mut(model);
        model
            .mutants
            .combine(higher_order.order.into(), sample, seed);
    }
    loaded
}

fn check_file(file: &Path, out: &mut dyn Write) -> anyhow::Result<bool> {
    let Some(Loaded { model, .. }) = load(file)? else {
        return Ok(false);
    };
    let table = crate::generation::GenerationResults::new(&model.mutants).table(&model.mutants);
    writeln!(
        out,
        "{}: {}, {}, {}, {}, {} of state, {} ({} duplicate, {} equivalent, {} dead)",
        file.display(),
        count(model.objects.len(), "object", "objects"),
        count(model.classes.len(), "class", "classes"),
        count(model.statements, "statement", "statements"),
        count(model.attribute_count(), "attribute", "attributes"),
        count(model.state_size(), "byte", "bytes"),
        count(table.total, "mutant", "mutants"),
        table.duplicates,
        table.equivalent,
        table.dead
    )?;
    Ok(true)
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn list_mutants(args: &ListArgs, out: &mut dyn Write) -> anyhow::Result<bool> {
    let Some(Loaded { model, source }) = load_with(&args.file, &args.higher_order, 0)? else {
        return Ok(false);
    };
    for mutant in &model.mutants.list {
        let why = match mutant.status {
            InitialStatus::Open => String::new(),
            _ if !args.all => continue,
            InitialStatus::Duplicate(of) => format!(" (the same as mutant {})", of.0),
            InitialStatus::Equivalent => " (the same as the original)".into(),
            InitialStatus::Dead => " (in code that no object executes)".into(),
        };
        let parts = model.mutants.parts(mutant.id);
        let texts = parts.iter().map(|part| {
            let part = model.mutants.get(*part);
            format!(
                "{} {} {} → {}",
                source.mutant_place(part.span),
                part.operator.code(),
                one_line(&part.original),
                one_line(&part.replacement)
            )
        });
        let texts: Vec<String> = texts.collect();
        writeln!(out, "{}: {}{why}", mutant.id.0, texts.join(" and "))?;
    }
    Ok(true)
}

/// Some is left for others, and for what is computed at the end.
fn most_memory() -> Option<u64> {
    free_memory().map(|free| free / 4 * 3)
}

/// What the original does wrong by itself, and when.
fn what_stopped(model: &Model, source: &ModelSource, stop: &Stop, after: &str) -> String {
    match stop {
        Stop::TooManyStates => {
            let steps = "internal steps lead to more states than are allowed";
            format!("{steps} (--max-internal allows more), {after}")
        }
        Stop::Halted(HaltCause::Memory(most)) => format!(
            "more than {most} MiB of memory are needed (--max-memory allows more), {after}; types with fewer values \
             make fewer states"
        ),
        Stop::Halted(HaltCause::Time) => {
            format!("the time is up (--time allows more), {after}")
        }
        Stop::Halted(HaltCause::Interrupted) => format!("it was interrupted, {after}"),
        Stop::Error(labels, error) => {
            let labels: Vec<String> = labels.iter().map(|label| model.label_text(label)).collect();
            let during = if labels.is_empty() {
                String::new()
            } else {
                format!(" during {}", labels.join(", "))
            };
            let verb = match error.kind.is_limit() {
                true => "is too large",
                false => "fails",
            };
            format!(
                "the model {verb}{during}: {} at {}, {after}{}",
                error.kind.sentence(),
                source.place(error.span),
                error.kind.advice()
            )
        }
    }
}

fn one_line(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    const MOST_WORDS: usize = 12;
    if words.len() > MOST_WORDS {
        words.truncate(MOST_WORDS);
        words.push("…");
    }
    words.join(" ")
}

fn format_file(
    file: &Path,
    stdout: bool,
    check_only: bool,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))?;
    if charts::is_chart(&file.display().to_string(), &text) {
        bail!(
            "{} is a state chart: only models in OOAS are formatted",
            file.display()
        );
    }
    let formatted = match format_text(&text) {
        Ok(formatted) => formatted,
        Err(diagnostics) => {
            tell(&diagnostics.render(&file.display().to_string(), &text, color()));
            return Ok(false);
        }
    };
    if check_only {
        if formatted != text {
            writeln!(out, "{} is not formatted", file.display())?;
        }
        return Ok(formatted == text);
    }
    if stdout {
        return deliver(&formatted, None, out);
    }
    if formatted != text {
        deliver(&formatted, Some(file), out)?;
    }
    Ok(true)
}

fn animate(file: &Path, seed: u64, out: &mut dyn Write) -> anyhow::Result<bool> {
    let Some(Loaded { model, .. }) = load(file)? else {
        return Ok(false);
    };
    let engine = Box::new(Interpreted {
        model: model.clone(),
    });
    let terminal = std::io::stdin().is_terminal();
    let mut animation = Animation::new(model, engine, seed, out);
    Ok(animation.run(&mut std::io::stdin().lock(), terminal)?)
}
