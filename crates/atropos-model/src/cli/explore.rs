//! `model explore`: every mutant against the original, to the end.

use super::progress::ProgressLine;
use super::{HigherOrder, load_with, most_memory, one_line, what_stopped};
use crate::conformance::{Comparison, Conforms, ExploredModel, Obstacle};
use crate::generation::{EngineKind, GenerationOptions, Workers};
use crate::loading::{Loaded, ModelSource};
use crate::model::Model;
use crate::mutation::ModelMutantId;
use crate::state_space::{Halt, Reduction, StateSpaceLimits};
use atropos_search::{SearchOrder, StopCondition, Technique};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct ExploreArgs {
    /// The model: OOAS, or a chart in SCXML, PlantUML, Mermaid, UML (XMI), XState or GraphWalker
    pub file: PathBuf,
    /// What of the original's exploration is used again for mutants: naive, basic, one-state, state-set, all-states, or
    /// `all` to compare them
    #[arg(long, default_value = "all-states")]
    pub technique: String,
    #[command(flatten)]
    pub higher_order: HigherOrder,
    /// Go on after a mutant's first failure, so that techniques can be compared by how much they explore.
    #[arg(long)]
    pub to_the_end: bool,
    /// Explore all orders of internal steps.
    #[arg(long)]
    pub full: bool,
    /// States after which a model, or a mutant, is too large for this.
    #[arg(long, default_value_t = 20_000)]
    pub max_states: usize,
    /// How many states internal steps may lead to between two visible ones.
    #[arg(long, default_value_t = 10_000)]
    pub max_internal: usize,
    /// Stop after so many seconds with what was found.
    #[arg(long)]
    pub time: Option<u64>,
    /// Stop when so many MiB of memory are in use; nearly all that is free if not given.
    #[arg(long, value_name = "MIB")]
    pub max_memory: Option<u64>,
}

pub(super) fn explore(
    args: &ExploreArgs,
    interrupted: &Arc<AtomicBool>,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let techniques = match args.technique.as_str() {
        "all" => Technique::ALL.to_vec(),
        name => vec![name.parse()?],
    };
    let Some(Loaded { model, source }) = load_with(&args.file, &args.higher_order, 0)? else {
        return Ok(false);
    };
    let limits = StateSpaceLimits {
        closure: args.max_internal,
    };
    let options = GenerationOptions {
        workers: 1,
        engine: EngineKind::Jit,
        reduction: match args.full {
            true => Reduction::Full,
            false => Reduction::PartialOrder,
        },
        limits,
        ..GenerationOptions::default()
    };
    let mut explorer = Workers::new(&model, &options)?.into_first();
    let end = |seconds| Instant::now().checked_add(Duration::from_secs(seconds));
    explorer.set_halt(Halt {
        interrupted: interrupted.clone(),
        deadline: args.time.and_then(end),
        memory: args.max_memory.or_else(most_memory),
    });
    let mut explored =
        match ExploredModel::new(explorer, SearchOrder::BreadthFirst, limits, args.max_states) {
            Ok(explored) => explored,
            Err(Obstacle::Stopped { stop, after }) => {
                writeln!(out, "{}", what_stopped(&model, &source, &stop, &after))?;
                return Ok(false);
            }
            Err(obstacle) => {
                writeln!(out, "{obstacle}")?;
                return Ok(false);
            }
        };
    let size = explored.size();
    let mutants: Vec<ModelMutantId> = model.mutants.open().map(|mutant| mutant.id).collect();
    writeln!(
        out,
        "{}: {} states and {} transitions between what a tester can know; {} mutants",
        args.file.display(),
        size.states,
        size.transitions,
        mutants.len()
    )?;
    let until = match args.to_the_end {
        true => StopCondition::Done,
        false => StopCondition::FirstFailure,
    };
    let last = compare(&mut explored, &mutants, &techniques, until, out)?;
    list_unkilled(&last, &model, &source, out)?;
    Ok(true)
}

/// A row for each technique; the verdicts of the last.
fn compare(
    explored: &mut ExploredModel,
    mutants: &[ModelMutantId],
    techniques: &[Technique],
    until: StopCondition,
    out: &mut dyn Write,
) -> std::io::Result<Vec<(ModelMutantId, Conforms)>> {
    writeln!(
        out,
        "| technique | killed | conform | not reached | undecided | states | transitions | seconds |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    let mut verdicts = Vec::new();
    for technique in techniques {
        let mut line = ProgressLine::new();
        let comparison = explored.compare(mutants, *technique, until, &mut |decided| {
            line.show(|| format!("{}: {decided}/{} mutants", technique.name(), mutants.len()));
        });
        line.end();
        row(&comparison, out)?;
        out.flush()?;
        verdicts = comparison.verdicts;
    }
    Ok(verdicts)
}

/// The mutants that are not killed, and why.
fn list_unkilled(
    verdicts: &[(ModelMutantId, Conforms)],
    model: &Model,
    source: &ModelSource,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    for (mutant, conforms) in verdicts {
        let what = match conforms {
            Conforms::No => continue,
            Conforms::Always => "no test can tell it from the original",
            Conforms::Unreached => "the original never comes to where it would differ",
            Conforms::TooLarge => "has too many states (--max-states allows more)",
            Conforms::Stopped => "was not explored to its end",
        };
        let parts = model.mutants.parts(*mutant);
        let places: Vec<String> = parts
            .iter()
            .map(|part| {
                let part = model.mutants.get(*part);
                let original = one_line(&part.original);
                format!(
                    "{}: {original} → {}",
                    source.mutant_place(part.span),
                    one_line(&part.replacement)
                )
            })
            .collect();
        writeln!(
            out,
            "mutant {} at {}: {what}",
            mutant.0,
            places.join(" and ")
        )?;
    }
    Ok(())
}

fn row(comparison: &Comparison, out: &mut dyn Write) -> std::io::Result<()> {
    let count = |of: Conforms| {
        let verdicts = comparison.verdicts.iter();
        verdicts.filter(|(_, conforms)| *conforms == of).count()
    };
    writeln!(
        out,
        "| {} | {} | {} | {} | {} | {} | {} | {:.2} |",
        comparison.technique.name(),
        count(Conforms::No),
        count(Conforms::Always),
        count(Conforms::Unreached),
        count(Conforms::TooLarge) + count(Conforms::Stopped),
        comparison.size.states,
        comparison.size.transitions,
        comparison.time.as_secs_f64()
    )
}
