//! The tables in the form in which EXPERIMENTS.md keeps them.

use super::document::Section;
use super::paper;
use super::run::{Figures, STRATEGIES};
use std::fmt::Write as _;

pub fn sections(all: &[&Figures]) -> Vec<Section> {
    vec![
        Section::new("models", properties(all)),
        Section::new("mutants", mutants(all)),
        Section::new("steps", steps(all)),
        Section::new("comparison", comparison(all)),
    ]
}

/// Table 3: the models.
fn properties(all: &[&Figures]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "| model | objects | statements | attributes | state KiB | controllables | mutants | first steps |"
    );
    let _ = writeln!(out, "|---|---|---|---|---|---|---|---|");
    for figures in all.iter().filter(|f| f.strategy == STRATEGIES[0]) {
        let report = &figures.report;
        let theirs = paper::of(&figures.model).map(|p| {
            let (objects, statements) = (p.objects.to_string(), p.statements.to_string());
            let (mutants, steps) = (p.mutants.to_string(), p.initial_steps.to_string());
            let state = format!("{:.1}", p.state_kib);
            [
                objects,
                statements,
                p.attributes.to_string(),
                state,
                p.controllables.to_string(),
                mutants,
                steps,
            ]
        });
        let ours = [
            report.objects.to_string(),
            report.statements.to_string(),
            report.declarations.to_string(),
            format!("{:.1}", report.state_bytes as f64 / 1024.0),
            report.controllables.to_string(),
            report.table.total.to_string(),
            report.initial_steps.to_string(),
        ];
        let cells = ours.iter().enumerate().map(|(at, ours)| {
            let theirs = theirs.as_ref().map_or("–", |theirs| &theirs[at]);
            format!("{ours} ({theirs})")
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(out, "| {} | {} |", figures.model, cells.join(" | "));
    }
    out
}

/// Table 4: what became of the mutants.
fn mutants(all: &[&Figures]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "| model | strategy | total | found (paper) | execution errors (time-outs; paper) | killed (paper) | skipped | given up | % of total (paper) | % of found (paper) |"
    );
    let _ = writeln!(out, "|---|---|---|---|---|---|---|---|---|---|");
    for figures in all {
        let (report, table) = (&figures.report, &figures.report.table);
        let run = paper_run(figures);
        let count = |value: Option<usize>| value.map_or("–".into(), |v| v.to_string());
        let theirs = |value: Option<f64>| value.map_or("–".into(), |v| format!("{v:.1}"));
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} ({}) | {} ({}; {}) | {} ({}) | {} | {} | {:.1} ({}) | {:.1} ({}) |",
            figures.model,
            figures.strategy,
            table.total,
            table.found,
            count(run.map(|run| run.found)),
            table.errors,
            table.timeouts,
            count(run.map(|run| run.errors)),
            table.killed,
            count(run.map(|run| run.killed)),
            table.skipped,
            table.given_up,
            report.percent_of_total,
            theirs(run.map(|run| run.of_total)),
            report.percent_of_found,
            theirs(run.map(|run| run.of_found)),
        );
    }
    out
}

/// Table 5: time, and steps to the kill.
fn steps(all: &[&Figures]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "| model | strategy | time: s (paper: h:m:s) | killed in step 0–4 | 5–9 | 10–14 | 15–19 | 20 | paper | states | peak memory: MiB |"
    );
    let _ = writeln!(out, "|---|---|---|---|---|---|---|---|---|---|---|");
    for figures in all {
        let report = &figures.report;
        let run = paper_run(figures);
        let list = |steps: &[usize; 5], with: &str| {
            let steps: Vec<String> = steps.iter().map(usize::to_string).collect();
            steps.join(with)
        };
        let stopped = if report.stopped.is_some() { "*" } else { "" };
        let _ = writeln!(
            out,
            "| {} | {} | {:.1}{stopped} ({}) | {} | {} | {} | {:.0} |",
            figures.model,
            figures.strategy,
            report.seconds,
            run.map_or("–", |run| run.time),
            list(&report.table.steps, " | "),
            run.map_or("–".into(), |run| list(&run.steps, ", ")),
            report.states,
            report.peak_bytes as f64 / 1_048_576.0,
        );
    }
    out
}

fn paper_run(figures: &Figures) -> Option<&'static paper::Run> {
    let at = STRATEGIES.iter().position(|s| *s == figures.strategy)?;
    let paper = paper::of(&figures.model)?;
    paper.runs.get(at)?.as_ref()
}

/// Ours against the paper's two: kills per test, and how soon as many are killed as theirs kill in the end.
fn comparison(all: &[&Figures]) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "| model | strategy | killed | tests | killed per test | choices | last kill after: choices, CPU s | ours kills as many after: choices, CPU s | kills per CPU s until then: ours | theirs |"
    );
    let _ = writeln!(out, "|---|---|---|---|---|---|---|---|---|---|");
    for figures in all {
        let report = &figures.report;
        let ours = all
            .iter()
            .find(|f| f.model == figures.model && f.strategy == STRATEGIES[2]);
        let choices: usize = report.tests.iter().map(|test| test.choices).sum();
        let last = report.when(report.table.killed);
        let (at, theirs) = last.map_or((0, 0.0), |m| (m.choices, m.cpu_seconds));
        let when = ours.and_then(|ours| ours.report.when(report.table.killed));
        let rate = |seconds: f64| report.table.killed as f64 / seconds.max(0.001);
        let (reached, our_rate) = when.map_or(("never".into(), "–".into()), |moment| {
            (
                format!("{}, {:.2}", moment.choices, moment.cpu_seconds),
                format!("{:.0}", rate(moment.cpu_seconds)),
            )
        });
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {:.0} | {choices} | {at}, {theirs:.2} | {reached} | {our_rate} | {:.0} |",
            figures.model,
            figures.strategy,
            report.table.killed,
            report.tests.len(),
            report.killed_per_test(),
            rate(theirs),
        );
    }
    out
}
