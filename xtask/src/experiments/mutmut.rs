//! Figures 10 to 12 of the MuTMuT paper: what each technique explores of the mutants of eight programs, under
//! exhaustive, stateful and bounded exploration, and whether all kill the same mutants; where the transitions lie; and
//! what the tool does unless it is told otherwise.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use atropos_report::outcomes::{ExplorationSize, MutantRecord, Outcomes, TestExploration};
use atropos_report::verdict::Verdict;
use clap::Args;

use super::bars::{BarKind, Bars};
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
pub struct MutmutOptions {
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

    /// Only the runs by default and on values, not all techniques and strategies
    #[arg(long)]
    brief: bool,

    /// How often to make the runs whose times are compared; the shortest time counts
    #[arg(long, default_value_t = 1)]
    repeat: u32,
}

/// No technique is named: `state-set` with all short cuts, exhaustive where the budget allows it.
const BY_DEFAULT: &[&str] = &[];
/// What is computed, not how threads meet.
const ON_VALUES: &[&str] = &["--operators=-concurrency"];
/// The paper's mutants are Javalanche's: numbers replaced, jumps negated (COI negates comparisons where ROR, which makes
/// others of them, is not selected), arithmetic operators replaced.
const JAVALANCHE: &str = "CRP,COI,COD,AOR,ASR";
/// In one program it has five more, made by hand: `notify` removed, `notifyAll` made `notify`, `synchronized` removed.
const BY_HAND: (&str, &str) = ("buffer", "RTXC,RNA,RSK");
/// Every test explores every mutant that it reaches.
const EVERY_TEST: &[&str] = &["--kill-matrix"];
/// A mutant that was killed is left out by the tests after that; one job, so that they always come in the same order.
const UNTIL_KILLED: &[&str] = &["--jobs=1"];

/// All runs of a program.
struct Runs {
    /// By strategy and technique.
    by_technique: Vec<Vec<Measured>>,
    all: Compared,
    on_values: Compared,
    /// Under the paper's conditions, by strategy: its operators, and a mutant that a test has killed is left out by the
    /// others.
    as_in_paper: Vec<Compared>,
}

/// The same mutants explored as in the paper and as the tool does it.
struct Compared {
    basic: Measured,
    state_set: Measured,
    default: Measured,
    /// The most seconds that a run of `basic` took.
    slowest_basic: f64,
}

/// What one run of a program gave.
struct Measured {
    /// Of the original.
    original: ExplorationSize,
    mutants: ExplorationSize,
    survivors: ExplorationSize,
    /// No exploration, of the original or a mutant, was ended by its budget.
    complete: bool,
    killed: BTreeSet<String>,
    outcomes: Outcomes,
}

impl Measured {
    /// Becomes the other run if that was quicker.
    fn or_quicker(&mut self, other: Measured) {
        if other.mutants.seconds < self.mutants.seconds {
            *self = other;
        }
    }
}

pub fn run(options: &MutmutOptions) -> Result<()> {
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
        let bench = Bench {
            atropos: &atropos,
            tree: &tree,
            program: program.0,
            options,
        };
        measured.push(bench.all_runs()?);
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("{}: done after {seconds:.0} s", program.0);
    }
    figure_10(&chosen, &measured);
    for (number, (strategy, _)) in STRATEGIES.iter().enumerate() {
        if !options.brief {
            figures_11_and_12(&chosen, &measured, number, strategy);
        }
    }
    where_transitions_lie(&chosen, &measured);
    let exhaustive = "all mutants, exhaustive";
    by_default(&chosen, &measured, exhaustive, |of| of.5, &|runs| &runs.all);
    let on_values = "mutants of values, exhaustive";
    by_default(&chosen, &measured, on_values, |of| of.5, &|runs| {
        &runs.on_values
    });
    // The paper's exhaustive search remembers states.
    let papers: [fn(&Program) -> u32; 3] = [|of| of.5, |of| of.5, |of| of.6];
    for ((number, (name, _)), paper) in STRATEGIES.iter().enumerate().zip(papers) {
        let which = format!("the paper's operators, until a mutant is killed, {name}");
        by_default(&chosen, &measured, &which, paper, &|runs| {
            &runs.as_in_paper[number]
        });
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

/// One program, and how to run it.
struct Bench<'a> {
    atropos: &'a Path,
    tree: &'a Path,
    program: &'a str,
    options: &'a MutmutOptions,
}

impl Bench<'_> {
    fn all_runs(&self) -> Result<Runs> {
        let by_technique = match self.options.brief {
            true => Vec::new(),
            false => STRATEGIES
                .iter()
                .map(|(_, strategy)| {
                    let runs = TECHNIQUES.iter();
                    runs.map(|technique| {
                        self.measure(&[EVERY_TEST, &["--technique", technique], strategy])
                    })
                    .collect()
                })
                .collect::<Result<_>>()?,
        };
        Ok(Runs {
            by_technique,
            all: self.compare(STRATEGIES[0].1, BY_DEFAULT, &[EVERY_TEST])?,
            on_values: self.compare(STRATEGIES[0].1, BY_DEFAULT, &[EVERY_TEST, ON_VALUES])?,
            as_in_paper: STRATEGIES
                .iter()
                .map(|(_, strategy)| {
                    let operators = self.operators_of_paper();
                    let mutants = ["--operators", operators.as_str()];
                    self.compare(strategy, strategy, &[UNTIL_KILLED, &mutants])
                })
                .collect::<Result<_>>()?,
        })
    }

    fn operators_of_paper(&self) -> String {
        match self.program == BY_HAND.0 {
            true => format!("{JAVALANCHE},{}", BY_HAND.1),
            false => JAVALANCHE.to_owned(),
        }
    }

    /// `named` is how techniques that are named explore, `default` how it is done if none is. Repeated runs take turns, so that
    /// what else the machine does at a time falls to all of them.
    fn compare(&self, named: &[&str], default: &[&str], more: &[&[&str]]) -> Result<Compared> {
        let run = |technique: &[&str], strategy| {
            let mut arguments = vec![technique, strategy];
            arguments.extend(more);
            self.measure(&arguments)
        };
        let once = || -> Result<Compared> {
            Ok(Compared {
                basic: run(&["--technique", TECHNIQUES[BASIC]], named)?,
                state_set: run(&["--technique", TECHNIQUES[STATE_SET]], named)?,
                default: run(&[], default)?,
                slowest_basic: 0.0,
            })
        };
        let mut best = once()?;
        best.slowest_basic = best.basic.mutants.seconds;
        for _ in 1..self.options.repeat {
            let again = once()?;
            best.slowest_basic = best.slowest_basic.max(again.basic.mutants.seconds);
            best.basic.or_quicker(again.basic);
            best.state_set.or_quicker(again.state_set);
            best.default.or_quicker(again.default);
        }
        Ok(best)
    }

    fn measure(&self, more: &[&[&str]]) -> Result<Measured> {
        let budget = self.options.budget.as_str();
        let mut arguments = vec!["-p", self.program, "--budget", budget];
        arguments.extend(["--no-doc", "--no-impact"]);
        arguments.extend(more.iter().copied().flatten());
        let (outcomes, _) = subject::run_atropos(self.atropos, self.tree, &arguments, &[])?;
        let all = |part: fn(&TestExploration) -> &ExplorationSize| {
            outcomes
                .explorations
                .iter()
                .map(part)
                .fold(ExplorationSize::default(), sum)
        };
        let is_whole = |coverage: &str| coverage.starts_with("all ");
        let of_originals = outcomes.explorations.iter().map(|one| &one.coverage);
        let of_mutants = outcomes.mutants.iter().flat_map(|one| &one.explored_by);
        let complete = of_originals
            .chain(of_mutants.map(|one| &one.coverage))
            .all(|coverage| is_whole(coverage));
        let killed = outcomes
            .mutants
            .iter()
            .filter(|mutant| mutant.killed_by.iter().any(|kill| kill.schedule.is_some()))
            .map(|mutant| mutant.info.key.clone())
            .collect();
        Ok(Measured {
            original: all(|exploration| &exploration.original),
            mutants: all(|exploration| &exploration.mutants),
            survivors: all(|exploration| &exploration.survivors),
            complete,
            killed,
            outcomes,
        })
    }
}

fn sum(one: ExplorationSize, other: &ExplorationSize) -> ExplorationSize {
    ExplorationSize {
        schedules: one.schedules + other.schedules,
        states: one.states + other.states,
        transitions: one.transitions + other.transitions,
        before: one.before + other.before,
        ways: one.ways + other.ways,
        seconds: one.seconds + other.seconds,
        memory: one.memory.max(other.memory),
    }
}

fn figure_10(programs: &[&Program], measured: &[Runs]) {
    println!(
        "| program | tests | mutants, reached, killed | the same by the paper's operators | the paper's |"
    );
    println!("|---|---|---|---|---|");
    for (program, of_program) in programs.iter().zip(measured) {
        let all = &of_program.all.state_set.outcomes;
        println!(
            "| {} | {} | {} | {} | {}, {}, {} |",
            program.0,
            all.tests.len(),
            made_reached_killed(all),
            made_reached_killed(&of_program.as_in_paper[0].state_set.outcomes),
            program.2,
            program.4,
            program.3,
        );
    }
}

fn made_reached_killed(outcomes: &Outcomes) -> String {
    let is_reached = |mutant: &&MutantRecord| {
        !mutant.reached_by.is_empty() && mutant.verdict != Some(Verdict::Unviable)
    };
    format!(
        "{}, {}, {}",
        outcomes.totals.mutants - outcomes.totals.unviable,
        outcomes.mutants.iter().filter(is_reached).count(),
        outcomes.totals.killed,
    )
}

fn figures_11_and_12(programs: &[&Program], measured: &[Runs], strategy: usize, name: &str) {
    println!("\n{name}: transitions, and the rest for basic → state-set\n");
    let techniques = TECHNIQUES.join(" | ");
    println!(
        "| program | {techniques} | of state-set's, ways | saved | states | time: s | memory: MiB | paper saved (time) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (program, of_program) in programs.iter().zip(measured) {
        let runs = &of_program.by_technique[strategy];
        let transitions: Vec<String> = runs.iter().map(counted).collect();
        let (basic, state_set) = (&runs[BASIC].mutants, &runs[STATE_SET].mutants);
        let paper = match name {
            "chess:2" => program.6,
            _ => program.5,
        };
        println!(
            "| {} | {} | {} | {:.0} % | {} → {} | {:.2} → {:.2} | {} → {} | {paper} % |",
            program.0,
            transitions.join(" | "),
            state_set.ways,
            saved(explored(&runs[BASIC]), explored(&runs[STATE_SET])) * 100.0,
            basic.states,
            state_set.states,
            basic.seconds,
            state_set.seconds,
            basic.memory / 1024,
            state_set.memory / 1024,
        );
    }
}

/// How many transitions, and whether these are all.
fn counted(run: &Measured) -> String {
    let part = if run.complete { "" } else { " (part)" };
    format!("{}{part}", run.mutants.transitions)
}

fn saved(before: f64, after: f64) -> f64 {
    match before > 0.0 {
        true => 1.0 - after / before,
        false => 0.0,
    }
}

/// Where a run that covered everything kills other mutants than the first.
fn differences(programs: &[&Program], measured: &[Runs]) -> Vec<String> {
    let mut found = Vec::new();
    for (program, of_program) in programs.iter().zip(measured) {
        let reference = of_program
            .by_technique
            .first()
            .map_or(&of_program.all.basic, |exhaustive| &exhaustive[0]);
        if of_program.all.default.complete && of_program.all.default.killed != reference.killed {
            found.push(format!("{} by default: other mutants", program.0));
        }
        for (strategy, runs) in STRATEGIES.iter().zip(&of_program.by_technique) {
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

/// What a technique could save at all: the transitions of `basic` before the mutant acts, and after that in mutants that
/// die and in those that don't, in percent of all.
fn where_transitions_lie(programs: &[&Program], measured: &[Runs]) {
    println!("\nwhere the transitions of basic lie, exhaustive\n");
    println!(
        "| program | original | basic | before the mutant acts | after, in killed | after, in survivors | mutants of values: share of all | before the mutant acts |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (program, runs) in programs.iter().zip(measured) {
        let (all, values) = (&runs.all.basic, &runs.on_values.basic);
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let whole = all.mutants.transitions;
        let in_survivors = all.survivors.transitions - all.survivors.before;
        let in_killed = whole - all.mutants.before - in_survivors;
        println!(
            "| {} | {} | {whole} | {:.0} % | {:.0} % | {:.0} % | {:.0} % | {:.0} % |",
            program.0,
            all.original.transitions,
            percent(all.mutants.before, whole),
            percent(in_killed, whole),
            percent(in_survivors, whole),
            percent(values.mutants.transitions, whole),
            percent(values.mutants.before, values.mutants.transitions),
        );
    }
}

/// The techniques of the paper beside what the tool does by default.
fn by_default(
    programs: &[&Program],
    measured: &[Runs],
    which: &str,
    paper: fn(&Program) -> u32,
    compared: &dyn Fn(&Runs) -> &Compared,
) {
    println!("\n{which}: basic, state-set, and what the tool does by default\n");
    println!(
        "| program | basic | state-set (ways) | by default | state-set saves: transitions, time | by default | paper saved (time) | time: s | basic's spread | killed |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut enough: [Vec<&str>; 4] = Default::default();
    for (program, runs) in programs.iter().zip(measured) {
        let Compared {
            basic,
            state_set,
            default,
            slowest_basic,
        } = compared(runs);
        let savings = [state_set, default]
            .map(|run| [explored, seconds].map(|of| 100.0 * saved(of(basic), of(run))));
        let [state_sets, defaults] =
            savings.map(|[transitions, time]| format!("{transitions:.0} %, {time:.0} %"));
        println!(
            "| {} | {} | {} ({}) | {} | {state_sets} | {defaults} | {} % | {:.3} → {:.3} → {:.3} | {:.0} % | {}, {}, {} |",
            program.0,
            counted(basic),
            counted(state_set),
            state_set.mutants.ways,
            counted(default),
            paper(program),
            basic.mutants.seconds,
            state_set.mutants.seconds,
            default.mutants.seconds,
            100.0 * (slowest_basic / basic.mutants.seconds.max(1e-9) - 1.0),
            basic.killed.len(),
            state_set.killed.len(),
            default.killed.len(),
        );
        for (saving, enough) in savings.iter().flatten().zip(&mut enough) {
            if *saving >= f64::from(paper(program)) {
                enough.push(program.0);
            }
        }
    }
    println!("\nThe paper's share or more, of {}:\n", programs.len());
    let whose = [
        "state-set, in transitions",
        "state-set, in time",
        "by default, in transitions",
        "by default, in time",
    ];
    for (whose, enough) in whose.iter().zip(enough) {
        println!("- {whose}: {} ({})", enough.len(), enough.join(", "));
    }
}

/// The transitions that were explored. Ways that only lead to where a mutant starts are repeated, as all searches here
/// repeat the way to where they go on; the paper's tool restores states instead, so it has none of them either.
fn explored(run: &Measured) -> f64 {
    (run.mutants.transitions - run.mutants.ways) as f64
}

fn seconds(run: &Measured) -> f64 {
    run.mutants.seconds
}

fn plot(programs: &[&Program], measured: &[Runs]) -> Bars {
    let share = |compared: fn(&Runs) -> &Compared, run: fn(&Compared) -> &Measured| -> Vec<f64> {
        let of_programs = measured.iter().map(compared);
        of_programs
            .map(|compared| saved(explored(&compared.basic), explored(run(compared))))
            .collect()
    };
    let paper = programs
        .iter()
        .map(|program| f64::from(program.5) / 100.0)
        .collect();
    let sort = |name: &str, color: &'static str, values| BarKind {
        name: name.into(),
        color,
        values,
    };
    let all: fn(&Runs) -> &Compared = |runs| &runs.all;
    let papers: fn(&Runs) -> &Compared = |runs| &runs.as_in_paper[0];
    Bars {
        title: "Transitions saved over basic, exhaustive".into(),
        groups: programs
            .iter()
            .map(|program| program.0.to_owned())
            .collect(),
        sorts: vec![
            sort("paper (time)", "#b2babb", paper),
            sort(
                "Javalanche's: state-set",
                "#2e86c1",
                share(papers, |one| &one.state_set),
            ),
            sort(
                "Javalanche's: by default",
                "#1a5276",
                share(papers, |one| &one.default),
            ),
            sort(
                "all: state-set",
                "#f5b7b1",
                share(all, |one| &one.state_set),
            ),
            sort("all: by default", "#b03a2e", share(all, |one| &one.default)),
        ],
    }
}
