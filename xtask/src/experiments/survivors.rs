//! Precision and recall of impact on survivors that people have judged, from
//! `experiments/survivors.toml`. The impact is what a run of `cargo xtask experiments javalanche`
//! found, or a new run if there is none.
//!
//! As in the study of Javalanche's authors: precision is the part of the mutants with impact that
//! are not equivalent; recall is the part of those not equivalent that have impact.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use atropos_report::outcomes::Outcomes;
use atropos_report::verdict::Verdict;
use clap::Args;
use serde::Deserialize;

use super::javalanche;
use crate::subject;

#[derive(Args)]
pub struct SurvivorsOptions {
    /// Run Atropos on all crates again
    #[arg(long)]
    fresh: bool,
    /// The cargo-atropos program; built for speed if not given
    #[arg(long)]
    atropos: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Data {
    survivor: Vec<ReviewedSurvivor>,
}

/// A survivor, and what a person says of it.
#[derive(Clone, Deserialize)]
struct ReviewedSurvivor {
    #[serde(rename = "crate")]
    subject: String,
    /// As the report names it.
    mutant: String,
    /// Whether no test could ever notice it.
    equivalent: bool,
    reason: String,
}

/// What was measured of it.
#[derive(Clone)]
struct Survivor {
    invariants: usize,
    returns: usize,
    executions: usize,
    equivalent: bool,
}

impl Survivor {
    fn score(&self) -> usize {
        self.invariants + self.returns + self.executions
    }
}

/// Whether a survivor has an impact of some kind.
type Has = fn(&Survivor) -> bool;

const KINDS: [(&str, Has); 5] = [
    ("invariants", |mutant| mutant.invariants > 0),
    ("returns", |mutant| mutant.returns > 0),
    ("executions", |mutant| mutant.executions > 0),
    ("executions and returns", |mutant| {
        mutant.executions + mutant.returns > 0
    }),
    ("any (score > 0)", |mutant| mutant.score() > 0),
];

pub fn run(options: &SurvivorsOptions) -> Result<()> {
    let path = subject::repository().join("experiments/survivors.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let judged = read(&text)?;
    let subjects: BTreeSet<&str> = judged
        .iter()
        .map(|judged| judged.subject.as_str())
        .collect();
    let mut survivors = Vec::new();
    for subject in &subjects {
        let outcomes = javalanche::outcomes(subject, !options.fresh, options.atropos.as_deref())
            .with_context(|| format!("Atropos on {subject}"))?;
        for judged in judged.iter().filter(|judged| judged.subject == *subject) {
            match measured(judged, &outcomes) {
                Some(survivor) => survivors.push(survivor),
                None => println!("{}: {} survives no more\n", judged.subject, judged.mutant),
            }
        }
    }
    let equivalent = survivors
        .iter()
        .filter(|survivor| survivor.equivalent)
        .count();
    println!(
        "{} survivors of {} crates, {equivalent} of them equivalent\n",
        survivors.len(),
        subjects.len()
    );
    println!("| impact on | mutants with it | precision % | recall % | equivalent without it % |");
    println!("|---|---|---|---|---|");
    for (name, has) in KINDS {
        let Quality {
            with,
            precision,
            recall,
            equivalent_without,
        } = quality(&survivors, has);
        println!("| {name} | {with} | {precision:.0} | {recall:.0} | {equivalent_without:.0} |");
    }
    println!("\n| first by score | not equivalent % |");
    println!("|---|---|");
    for count in [5, 10, 20, survivors.len()] {
        println!(
            "| {count} | {:.0} |",
            not_equivalent(&first(&survivors, count))
        );
    }
    Ok(())
}

/// What a run says of a judged mutant; none if it did not survive there.
fn measured(judged: &ReviewedSurvivor, outcomes: &Outcomes) -> Option<Survivor> {
    let mut records = outcomes.mutants.iter();
    let record = records.find(|record| record.info.name() == judged.mutant)?;
    let survives = matches!(
        record.verdict,
        Some(Verdict::Survived | Verdict::Uninfected)
    );
    let impact = record.impact.clone().unwrap_or_default();
    survives.then_some(Survivor {
        invariants: impact.invariants.len(),
        returns: impact.returns.len(),
        executions: impact.executions.len(),
        equivalent: judged.equivalent,
    })
}

fn read(text: &str) -> Result<Vec<ReviewedSurvivor>> {
    let Data { survivor } = toml::from_str(text)?;
    let unexplained = survivor
        .iter()
        .find(|survivor| survivor.reason.trim().is_empty());
    if let Some(survivor) = unexplained {
        bail!("{} is judged without a reason", survivor.mutant);
    }
    Ok(survivor)
}

struct Quality {
    with: usize,
    precision: f64,
    recall: f64,
    equivalent_without: f64,
}

fn quality(survivors: &[Survivor], has: Has) -> Quality {
    let (with, without): (Vec<&Survivor>, Vec<&Survivor>) =
        survivors.iter().partition(|survivor| has(survivor));
    let real = |some: &[&Survivor]| some.iter().filter(|survivor| !survivor.equivalent).count();
    let all = real(&with) + real(&without);
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    Quality {
        with: with.len(),
        precision: percent(real(&with), with.len()),
        recall: percent(real(&with), all),
        equivalent_without: percent(without.len() - real(&without), without.len()),
    }
}

/// The most disturbing ones.
fn first(survivors: &[Survivor], count: usize) -> Vec<Survivor> {
    let mut ordered = survivors.to_vec();
    ordered.sort_by_key(|survivor| std::cmp::Reverse(survivor.score()));
    ordered.truncate(count);
    ordered
}

fn not_equivalent(survivors: &[Survivor]) -> f64 {
    let real = survivors.iter().filter(|survivor| !survivor.equivalent);
    100.0 * real.count() as f64 / survivors.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_judged_survivors_are_forty_from_four_crates_each_with_a_reason() {
        let path = subject::repository().join("experiments/survivors.toml");
        let survivors = read(&fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(survivors.len(), 40);
        let subjects: BTreeSet<&str> = survivors
            .iter()
            .map(|judged| judged.subject.as_str())
            .collect();
        assert_eq!(subjects.len(), 4);
    }

    #[test]
    fn precision_and_recall_are_what_their_names_say() {
        let survivor = |invariants, equivalent| Survivor {
            invariants,
            returns: 0,
            executions: 0,
            equivalent,
        };
        let survivors = [
            survivor(3, false),
            survivor(1, false),
            survivor(2, true),
            survivor(0, false),
            survivor(0, true),
        ];
        let quality = quality(&survivors, KINDS[0].1);
        assert_eq!(quality.with, 3);
        assert!((quality.precision - 66.7).abs() < 0.1);
        assert!((quality.recall - 66.7).abs() < 0.1);
        assert!((quality.equivalent_without - 50.0).abs() < 0.1);
        assert_eq!(not_equivalent(&first(&survivors, 1)), 100.0);
        assert_eq!(not_equivalent(&first(&survivors, 2)), 50.0);
    }

    #[test]
    fn a_judgement_without_a_reason_is_refused() {
        let text =
            "[[survivor]]\ncrate = \"a\"\nmutant = \"m\"\nequivalent = true\nreason = \" \"\n";
        assert!(read(text).is_err());
    }
}
