//! Which share of the mutants that it met a suite kills if it may have as many tests as it takes, and how much faster two
//! workers are than one.

use super::document::Section;
use super::paper::{self, Paper};
use super::run::{Figures, STRATEGIES};
use super::{Run, Tool};
use anyhow::Result;
use std::fmt::Write as _;

/// The larger share of the paper's two strategies.
fn best(paper: &Paper) -> f64 {
    let shares = paper.runs.iter().flatten().map(|run| run.of_found);
    shares.fold(0.0, f64::max)
}

/// More and more tests by our strategy, until their share is the paper's, or no test kills more.
pub fn shares(tool: &Tool, models: &[String], most: usize) -> Result<Section> {
    let mut out = String::from(
        "| model | % of found in the paper | tests | % of found | found | killed | time: s |\n|---|---|---|---|---|---|---|\n",
    );
    for name in models {
        let wanted = paper::of(name).map_or(100.0, best);
        let mut tests = 3;
        let figures = loop {
            let figures = tool.generate(&run(tool, name, tests, 0)?)?;
            let report = &figures.report;
            eprintln!(
                "{name}, {tests} tests: {:.1} % of found",
                report.percent_of_found
            );
            let enough = report.percent_of_found >= wanted || report.stopped.is_some();
            if enough || tests >= most {
                break figures;
            }
            tests = (tests * 2).min(most);
        };
        let report = &figures.report;
        let stopped = if report.stopped.is_some() { "*" } else { "" };
        let _ = writeln!(
            out,
            "| {name} | {wanted:.1} | {}{stopped} | {:.1} | {} | {} | {:.1} |",
            report.tests.len(),
            report.percent_of_found,
            report.table.found,
            report.table.killed,
            report.seconds,
        );
    }
    Ok(Section::new("shares", out))
}

/// Three tests by one worker and by two.
pub fn workers(tool: &Tool, models: &[String]) -> Result<Section> {
    let mut out = String::from(
        "| model | one worker: s | of these with work for one only | two workers: s | ratio | whole run, one worker: s | two workers: s | ratio |\n|---|---|---|---|---|---|---|---|\n",
    );
    for name in models {
        let one = tool.generate(&run(tool, name, 3, 1)?)?;
        let two = tool.generate(&run(tool, name, 3, 2)?)?;
        let whole = |figures: &Figures| figures.whole.as_secs_f64();
        let _ = writeln!(
            out,
            "| {name} | {:.1} | {:.1} | {:.1} | {:.2} | {:.1} | {:.1} | {:.2} |",
            one.report.seconds,
            one.report.single_seconds,
            two.report.seconds,
            one.report.seconds / two.report.seconds,
            whole(&one),
            whole(&two),
            whole(&one) / whole(&two),
        );
    }
    Ok(Section::new("workers", out))
}

/// A run of our strategy; 0 workers stand for one per core.
fn run(tool: &Tool, name: &str, tests: usize, workers: usize) -> Result<Run> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Run {
        name: name.to_owned(),
        model: tool.model(name)?,
        strategy: STRATEGIES[2],
        seed: 0,
        tests,
        workers: match workers {
            0 => cores,
            some => some,
        },
    })
}
