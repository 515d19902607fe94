//! Figures 10 to 12 of the MuTMuT paper: what each technique explores of the mutants of eight programs, under
//! exhaustive, stateful and bounded exploration, and whether all kill the same mutants.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use atropos_report::outcomes::{ExplorationSize, Outcomes};
use clap::Args;

use super::bars::{Bars, Sort};
use crate::subject;

/// The paper's figures: program, tests, mutants, killed, reached, and the share of time that `state-set` saves over
/// `basic`, exhaustive and with at most two preemptions, in percent.
const PAPER: [(&str, u32, u32, u32, u32, u32, u32); 8] = [
    ("account", 13, 4, 4, 4, 43, 28),
    ("airline", 9, 31, 18, 31, 44, 35),
    ("allocation", 9, 36, 8, 29, 28, 24),
    ("bubble_sort", 6, 32, 28, 32, 63, 55),
    ("buffer", 4, 15, 13, 15, 70, 62),
    ("linked_list", 16, 23, 14, 18, 43, 43),
    ("no_rollback", 4, 66, 51, 66, 77, 72),
    ("tree_bag", 9, 19, 17, 19, 26, 22),
];

const TECHNIQUES: [&str; 5] = ["naive", "basic", "one-state", "state-set", "all-states"];
const BASIC: usize = 1;
const STATE_SET: usize = 3;

/// How schedules are explored: our name, and the options that ask for it.
const STRATEGIES: [(&str, &[&str]); 3] = [
    ("exhaustive", &["--explore=exhaustive"]),
    ("stateful", &["--explore=stateful", "--memory=sc"]),
    ("chess:2", &["--explore=chess:2"]),
];

#[derive(Args)]
pub struct Options {
    /// Only these programs
    programs: Vec<String>,

    /// Where to write the plot
    #[arg(long, default_value = "experiments/mutmut.svg")]
    svg: String,

    /// A `cargo-atropos` that is built already
    #[arg(long)]
    atropos: Option<PathBuf>,

    /// What may be spent on one test, as for `cargo atropos --budget`
    #[arg(long, default_value = "200000,60s")]
    budget: String,
}

/// What one run of a program gave.
struct Measured {
    mutants: ExplorationSize,
    complete: bool,
    killed: BTreeSet<String>,
    outcomes: Outcomes,
}

pub fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let atropos = match &options.atropos {
        Some(path) => path
            .canonicalize()
            .with_context(|| format!("no {}", path.display()))?,
        None => subject::atropos()?,
    };
    let examples = subject::repository().join("examples/threads");
    let tree = subject::copy_of(
        &examples.display().to_string(),
        &subject::work_directory().join("mutmut"),
    )?;
    let chosen: Vec<_> = PAPER
        .iter()
        .filter(|program| {
            options.programs.is_empty() || options.programs.iter().any(|name| name == program.0)
        })
        .collect();
    let mut measured = Vec::new();
    for program in &chosen {
        let of_program: Vec<Vec<Measured>> = STRATEGIES
            .iter()
            .map(|(strategy, arguments)| {
                let runs: Result<Vec<Measured>> = TECHNIQUES
                    .iter()
                    .map(|technique| {
                        measure(
                            &atropos,
                            &tree,
                            program.0,
                            technique,
                            arguments,
                            &options.budget,
                        )
                    })
                    .collect();
                eprintln!(
                    "{}: {strategy} done after {:.0} s",
                    program.0,
                    start.elapsed().as_secs_f64()
                );
                runs
            })
            .collect::<Result<_>>()?;
        measured.push(of_program);
    }
    figure_10(&chosen, &measured);
    for (number, (strategy, _)) in STRATEGIES.iter().enumerate() {
        figures_11_and_12(&chosen, &measured, number, strategy);
    }
    let differences = differences(&chosen, &measured);
    println!(
        "\n{}",
        match differences.is_empty() {
            true => "Every technique under every strategy kills the same mutants.".to_owned(),
            false => format!("Differences:\n{}", differences.join("\n")),
        }
    );
    println!("\nAll of it took {:.0} s.", start.elapsed().as_secs_f64());
    let path = subject::repository().join(&options.svg);
    fs::create_dir_all(path.parent().context("a file lies in a directory")?)?;
    fs::write(&path, plot(&chosen, &measured).to_svg())?;
    println!("\nplot: {}", options.svg);
    match differences.is_empty() {
        true => Ok(()),
        false => bail!("the techniques do not kill the same mutants"),
    }
}

type Program = (&'static str, u32, u32, u32, u32, u32, u32);

fn measure(
    atropos: &Path,
    tree: &Path,
    program: &str,
    technique: &str,
    strategy: &[&str],
    budget: &str,
) -> Result<Measured> {
    let mut arguments = vec!["-p", program, "--technique", technique, "--budget", budget];
    arguments.extend(["--kill-matrix", "--no-doc"]);
    arguments.extend(strategy);
    let (outcomes, _) = subject::run_atropos(atropos, tree, &arguments, &[])?;
    let mut mutants = ExplorationSize::default();
    for exploration in &outcomes.explorations {
        mutants.schedules += exploration.mutants.schedules;
        mutants.states += exploration.mutants.states;
        mutants.transitions += exploration.mutants.transitions;
        mutants.seconds += exploration.mutants.seconds;
        mutants.memory = mutants.memory.max(exploration.mutants.memory);
    }
    let is_whole = |coverage: &str| coverage.starts_with("all schedules");
    let killed = outcomes
        .mutants
        .iter()
        .filter(|mutant| mutant.killed_by.iter().any(|kill| kill.schedule.is_some()))
        .map(|mutant| mutant.info.key.clone())
        .collect();
    Ok(Measured {
        mutants,
        complete: outcomes
            .explorations
            .iter()
            .all(|exploration| is_whole(&exploration.coverage)),
        killed,
        outcomes,
    })
}

fn figure_10(programs: &[&Program], measured: &[Vec<Vec<Measured>>]) {
    println!(
        "| program | tests | mutants | reached | killed | the paper's mutants, reached, killed |"
    );
    println!("|---|---|---|---|---|---|");
    for (program, of_program) in programs.iter().zip(measured) {
        let outcomes = &of_program[0][STATE_SET].outcomes;
        let reached = outcomes
            .mutants
            .iter()
            .filter(|mutant| !mutant.reached_by.is_empty());
        println!(
            "| {} | {} | {} | {} | {} | {}, {}, {} |",
            program.0,
            outcomes.tests.len(),
            outcomes.totals.mutants - outcomes.totals.unviable,
            reached.count(),
            outcomes.totals.killed,
            program.2,
            program.4,
            program.3,
        );
    }
}

fn figures_11_and_12(
    programs: &[&Program],
    measured: &[Vec<Vec<Measured>>],
    strategy: usize,
    name: &str,
) {
    println!("\n{name}: transitions, and the rest for basic → state-set\n");
    let techniques = TECHNIQUES.join(" | ");
    println!(
        "| program | {techniques} | saved | states | time: s | memory: MiB | paper saved (time) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for (program, of_program) in programs.iter().zip(measured) {
        let runs = &of_program[strategy];
        let transitions: Vec<String> = runs
            .iter()
            .map(|run| {
                let part = if run.complete { "" } else { " (part)" };
                format!("{}{part}", run.mutants.transitions)
            })
            .collect();
        let (basic, state_set) = (&runs[BASIC].mutants, &runs[STATE_SET].mutants);
        let paper = match name {
            "chess:2" => program.6,
            _ => program.5,
        };
        println!(
            "| {} | {} | {:.0} % | {} → {} | {:.2} → {:.2} | {} → {} | {paper} % |",
            program.0,
            transitions.join(" | "),
            saved(basic.transitions as f64, state_set.transitions as f64) * 100.0,
            basic.states,
            state_set.states,
            basic.seconds,
            state_set.seconds,
            basic.memory / 1024,
            state_set.memory / 1024,
        );
    }
}

fn saved(before: f64, after: f64) -> f64 {
    match before > 0.0 {
        true => 1.0 - after / before,
        false => 0.0,
    }
}

/// Where a run that covered everything kills other mutants than the first.
fn differences(programs: &[&Program], measured: &[Vec<Vec<Measured>>]) -> Vec<String> {
    let mut found = Vec::new();
    for (program, of_program) in programs.iter().zip(measured) {
        let reference = &of_program[0][0];
        for (strategy, runs) in STRATEGIES.iter().zip(of_program) {
            for (technique, run) in TECHNIQUES.iter().zip(runs) {
                // A bound on preemptions may hide a kill, and what was not finished may, too.
                let is_whole = run.complete && reference.complete && strategy.0 != "chess:2";
                let more = run.killed.difference(&reference.killed).count();
                let fewer = reference.killed.difference(&run.killed).count();
                if more > 0 || (fewer > 0 && is_whole) {
                    found.push(format!(
                        "{} {} {technique}: {more} more, {fewer} fewer than naive",
                        program.0, strategy.0
                    ));
                }
            }
        }
    }
    found
}

fn plot(programs: &[&Program], measured: &[Vec<Vec<Measured>>]) -> Bars {
    let share = |strategy: usize| -> Vec<f64> {
        let of_strategy = measured.iter().map(|of_program| &of_program[strategy]);
        of_strategy
            .map(|runs| {
                let (basic, state_set) = (&runs[BASIC].mutants, &runs[STATE_SET].mutants);
                saved(basic.transitions as f64, state_set.transitions as f64)
            })
            .collect()
    };
    let paper = |share: fn(&Program) -> u32| -> Vec<f64> {
        programs
            .iter()
            .map(|program| f64::from(share(program)) / 100.0)
            .collect()
    };
    let sort = |name: &str, color: &'static str, values| Sort {
        name: name.into(),
        color,
        values,
    };
    Bars {
        title: "What state-set saves over basic".into(),
        groups: programs
            .iter()
            .map(|program| program.0.to_owned())
            .collect(),
        sorts: vec![
            sort("exhaustive", "#1a5276", share(0)),
            sort("stateful", "#2e86c1", share(1)),
            sort("paper, exhaustive", "#aed6f1", paper(|program| program.5)),
            sort("chess:2", "#b03a2e", share(2)),
            sort("paper, CHESS(2)", "#f5b7b1", paper(|program| program.6)),
        ],
    }
}
