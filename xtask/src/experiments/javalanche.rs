//! Tables 4, 5 and 6 and Figure 7 of the Javalanche paper, on crates from the registry.
//!
//! Every mutant that makes a difference is run under (up to 20 of) the tests that it infects, in a
//! build that observes, killed or not. Two ways to relate impact to detection:
//!
//! * *up to the failure*: impact is what all runs of a mutant disturbed, those that a test ended by
//!   failing up to there. This is the paper's way.
//! * *other tests*: impact is taken only from the runs of tests that pass; detected is a mutant
//!   that some other test notices. A mutant that all its tests notice has no such run and is left
//!   out. So impact can't be an effect of the failure: it is what a user would see of a survivor if
//!   the tests that notice it were missing.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use atropos_report::outcomes::Outcomes;
use clap::Args;

use super::matrix::{Disturbance, Matrix, Row};
use super::plot::{Plot, Series};
use super::statistics::{chi_squared, p_value};
use crate::subject;

const SUBJECTS: &[&str] = &[
    "fixedbitset@0.5.7",
    "strsim@0.11.1",
    "shlex@1.3.0",
    "heck@0.5.0",
    "roman@0.1.6",
    "slab@0.4.12",
    "either@1.19.0",
];

const COLORS: &[&str] = &[
    "#c33", "#36c", "#393", "#c93", "#939", "#399", "#633", "#669", "#000", "#9c3", "#f6c",
];

#[derive(Args)]
pub struct JavalancheOptions {
    /// Crates as name@version
    #[arg(default_values_t = SUBJECTS.iter().map(|subject| subject.to_string()))]
    subjects: Vec<String>,
    /// Take the results of earlier runs where there are any
    #[arg(long)]
    reuse: bool,
    /// The cargo-atropos program; built for speed if not given
    #[arg(long)]
    atropos: Option<PathBuf>,
}

/// A subject with all that was measured.
struct Subject {
    name: String,
    outcomes: Outcomes,
    matrix: Matrix,
    /// What its tests cost without Atropos, in seconds of a processor.
    plain: f64,
    /// And while a user's run learns from them.
    observed: f64,
}

/// A mutant as the statistics see it.
#[derive(Clone, Copy)]
struct Case {
    disturbance: Disturbance,
    is_detected: bool,
}

pub fn run(options: &JavalancheOptions) -> Result<()> {
    let mut subjects = Vec::new();
    for name in &options.subjects {
        let subject = measure(options, name).with_context(|| format!("Atropos on {name}"))?;
        subjects.push(subject);
    }
    table_four(&subjects);
    table_five(&subjects);
    println!("\n### Impact up to the failure\n");
    let up_to_failure = cases(&subjects, |row| row.disturbance(|_| true));
    table_six(&up_to_failure);
    println!("\n### Impact under other tests\n");
    let other_tests = cases(&subjects, |row| row.disturbance(|run| !run.killed));
    table_six(&other_tests);
    table_of_kinds(&other_tests);
    let place = subject::repository().join("experiments/javalanche.svg");
    fs::write(&place, figure_seven(&other_tests))?;
    println!("\nFigure 7 is in experiments/javalanche.svg.");
    Ok(())
}

/// Where a crate is tried.
fn place_of(name: &str) -> PathBuf {
    let name = name.replace('@', "-");
    subject::work_directory().join("javalanche").join(name)
}

/// What a run on a crate with every impact measured comes to.
pub fn outcomes(name: &str, reuse: bool, program: Option<&Path>) -> Result<Outcomes> {
    let place = place_of(name);
    let output = place.join("target/atropos");
    let is_there = output.join("impact-matrix.json").is_file();
    if !(reuse && is_there) {
        let program = self::program(program)?;
        let tree = subject::copy_of(name, &place)?;
        let arguments = ["--no-doc", "--impact-matrix", "--explore", "off"];
        subject::run_atropos(&program, &tree, &arguments, &[])?;
    }
    Ok(Outcomes::read(&output)?)
}

/// A run as users have it, with survivors alone in the build that observes.
fn as_for_users(options: &JavalancheOptions, name: &str) -> Result<Outcomes> {
    let place = place_of(&format!("for-users/{name}"));
    if options.reuse
        && let Ok(outcomes) = Outcomes::read(&place.join("target/atropos"))
    {
        return Ok(outcomes);
    }
    let program = program(options.atropos.as_deref())?;
    let tree = subject::copy_of(name, &place)?;
    let arguments = ["--no-doc", "--explore", "off"];
    Ok(subject::run_atropos(&program, &tree, &arguments, &[])?.0)
}

fn program(given: Option<&Path>) -> Result<PathBuf> {
    match given {
        Some(program) => Ok(program.canonicalize()?),
        None => subject::atropos(),
    }
}

fn measure(options: &JavalancheOptions, name: &str) -> Result<Subject> {
    let outcomes = outcomes(name, options.reuse, options.atropos.as_deref())?;
    let place = place_of(name);
    Ok(Subject {
        name: name.to_owned(),
        outcomes,
        matrix: Matrix::read(&place.join("target/atropos"))?,
        plain: subject::plain_tests(&place)?.as_secs_f64(),
        observed: as_for_users(options, name)?.timings.observed,
    })
}

fn percent(part: usize, whole: usize) -> String {
    match whole {
        0 => "–".to_owned(),
        _ => format!("{:.1}", 100.0 * part as f64 / whole as f64),
    }
}

fn table_four(subjects: &[Subject]) {
    println!("| crate | tests | mutants | covered % | score % | score of covered % |");
    println!("|---|---|---|---|---|---|");
    for Subject { name, outcomes, .. } in subjects {
        let totals = &outcomes.totals;
        let viable = totals.killed + totals.missed();
        let covered = viable - totals.unreached;
        println!(
            "| {name} | {} | {viable} | {} | {} | {} |",
            outcomes.tests.len(),
            percent(covered, viable),
            percent(totals.killed, viable),
            percent(totals.killed, covered)
        );
    }
}

fn table_five(subjects: &[Subject]) {
    println!(
        "\n| crate | build s | tests s | mutants s | observing build s | learn s | check s | invariants (dropped) | tests plain, processor ms | observed | times |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for Subject {
        name,
        outcomes,
        matrix,
        plain,
        observed,
    } in subjects
    {
        let timings = &outcomes.timings;
        let alone: f64 = outcomes.tests.iter().map(|test| test.seconds).sum();
        let times = &matrix.times;
        println!(
            "| {name} | {:.1} | {alone:.2} | {:.1} | {:.1} | {:.1} | {:.1} | {} ({}) | {:.1} | {:.1} | {:.1} |",
            timings.check + timings.build,
            timings.run,
            times.build,
            times.learn,
            times.check,
            matrix.invariants,
            matrix.dropped,
            plain * 1e3,
            observed * 1e3,
            observed / plain
        );
    }
}

/// The cases of each subject, and of all together.
fn cases(
    subjects: &[Subject],
    disturbance: impl Fn(&Row) -> Option<Disturbance>,
) -> Vec<(String, Vec<Case>)> {
    let mut all = Vec::new();
    for subject in subjects {
        let rows = subject.matrix.mutants.iter();
        let cases = rows.filter_map(|row| {
            Some(Case {
                disturbance: disturbance(row)?,
                is_detected: row.is_detected(),
            })
        });
        all.push((subject.name.clone(), cases.collect()));
    }
    let together: Vec<Case> = all
        .iter()
        .flat_map(|(_, cases): &(_, Vec<Case>)| cases)
        .copied()
        .collect();
    all.push(("all".to_owned(), together));
    all
}

fn detected(cases: &[Case]) -> usize {
    cases.iter().filter(|case| case.is_detected).count()
}

/// Those that break invariants, most of all first.
fn violating(cases: &[Case]) -> Vec<Case> {
    let mut violating: Vec<Case> = cases
        .iter()
        .filter(|case| case.disturbance.invariants > 0)
        .copied()
        .collect();
    violating.sort_by_key(|case| {
        let Disturbance { invariants, .. } = case.disturbance;
        (
            std::cmp::Reverse(invariants),
            std::cmp::Reverse(case.disturbance.score()),
        )
    });
    violating
}

/// The first part of a list, at least one.
fn top(cases: &[Case], percent: usize) -> &[Case] {
    let count = (cases.len() * percent).div_ceil(100);
    &cases[..count.min(cases.len())]
}

fn probability(p: Option<f64>) -> String {
    match p {
        None => "–".to_owned(),
        Some(p) if p < 0.0001 => "< 0.0001".to_owned(),
        Some(p) => format!("{p:.4}"),
    }
}

fn table_six(subjects: &[(String, Vec<Case>)]) {
    println!(
        "| crate | NVMs | VMs | NVMs detected % | VMs detected % | χ² | p | top 5 % | top 10 % | top 25 % | H2 | H3 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, cases) in subjects {
        let violating = violating(cases);
        let others = cases.len() - violating.len();
        let found = detected(&violating);
        let found_others = detected(cases) - found;
        let chi = chi_squared(
            found,
            violating.len() - found,
            found_others,
            others - found_others,
        );
        let p = chi.map(p_value);
        let part = |percent_of: usize| {
            let top = top(&violating, percent_of);
            percent(detected(top), top.len())
        };
        let rate = |found: usize, of: usize| found as f64 / of.max(1) as f64;
        let is_higher = rate(found, violating.len()) > rate(found_others, others);
        let h2 = match p {
            Some(p) if p < 0.05 && is_higher => "holds",
            Some(p) if p < 0.05 => "the reverse",
            _ => "open",
        };
        let quarter = top(&violating, 25);
        let quarter_rate = rate(detected(quarter), quarter.len());
        let h3 = match quarter_rate.total_cmp(&rate(found, violating.len())) {
            _ if violating.len() < 8 => "open",
            std::cmp::Ordering::Greater => "holds",
            std::cmp::Ordering::Equal => "no difference",
            std::cmp::Ordering::Less => "does not hold",
        };
        println!(
            "| {name} | {others} | {} | {} | {} | {} | {} | {} | {} | {} | {h2} | {h3} |",
            violating.len(),
            percent(found_others, others),
            percent(found, violating.len()),
            chi.map_or("–".to_owned(), |chi| format!("{chi:.1}")),
            probability(p),
            part(5),
            part(10),
            part(25)
        );
    }
}

/// Which part of the impact tells most, over all subjects.
fn table_of_kinds(subjects: &[(String, Vec<Case>)]) {
    let Some((_, cases)) = subjects.last() else {
        return;
    };
    println!(
        "\n| impact | mutants with | detected % | mutants without | detected % | p | top 25 % detected % |"
    );
    println!("|---|---|---|---|---|---|---|");
    type Part = fn(Disturbance) -> usize;
    let parts: [(&str, Part); 5] = [
        ("invariants", |d| d.invariants),
        ("returns", |d| d.returns),
        ("executions", |d| d.executions),
        ("executions and returns", |d| d.executions + d.returns),
        ("score", Disturbance::score),
    ];
    for (name, part) in parts {
        let (mut with, without): (Vec<Case>, Vec<Case>) = cases
            .iter()
            .copied()
            .partition(|case| part(case.disturbance) > 0);
        with.sort_by_key(|case| std::cmp::Reverse(part(case.disturbance)));
        let (found, missed) = (detected(&with), detected(&without));
        let p = chi_squared(found, with.len() - found, missed, without.len() - missed).map(p_value);
        let first = top(&with, 25);
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} |",
            with.len(),
            percent(found, with.len()),
            without.len(),
            percent(missed, without.len()),
            probability(p),
            percent(detected(first), first.len())
        );
    }
}

/// Detection rates of the top x % by broken invariants.
fn figure_seven(subjects: &[(String, Vec<Case>)]) -> String {
    let mut series = Vec::new();
    for ((name, cases), color) in subjects.iter().zip(COLORS.iter().cycle()) {
        let violating = violating(cases);
        if violating.len() < 8 {
            continue;
        }
        let points = (1..=20).map(|twentieth| {
            let percent = twentieth * 5;
            let first = top(&violating, percent);
            let rate = 100.0 * detected(first) as f64 / first.len() as f64;
            (percent as f64, rate)
        });
        series.push(Series {
            name: name.clone(),
            color: if name == "all" { "#000" } else { color },
            points: points.collect(),
        });
    }
    let plot = Plot {
        title: "Mutants with the highest impact on invariants, and how many of them are detected"
            .into(),
        x_label: "top x % of the mutants that break invariants under tests that pass".into(),
        y_label: "detected by another test, %".into(),
        series,
    };
    plot.to_svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(invariants: usize, is_detected: bool) -> Case {
        Case {
            disturbance: Disturbance {
                invariants,
                ..Disturbance::default()
            },
            is_detected,
        }
    }

    #[test]
    fn the_top_is_what_breaks_most() {
        let cases = [
            case(1, false),
            case(9, true),
            case(0, true),
            case(4, true),
            case(2, false),
        ];
        let violating = violating(&cases);
        let order: Vec<usize> = violating
            .iter()
            .map(|case| case.disturbance.invariants)
            .collect();
        assert_eq!(order, [9, 4, 2, 1]);
        assert_eq!(top(&violating, 5).len(), 1);
        assert_eq!(top(&violating, 50).len(), 2);
        assert_eq!(detected(top(&violating, 50)), 2);
        assert!(top(&[], 25).is_empty());
    }

    #[test]
    fn the_figure_has_a_line_for_each_subject_with_enough_mutants() {
        let many: Vec<Case> = (1..20).map(|number| case(number, number > 5)).collect();
        let subjects = [
            ("a".to_owned(), many),
            ("b".to_owned(), vec![case(1, true)]),
        ];
        let svg = figure_seven(&subjects);
        assert!(svg.contains(">a<") && !svg.contains(">b<"));
    }
}
