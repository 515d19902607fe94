//! The tables in the form in which EXPERIMENTS.md keeps them.

use super::document::Section;
use super::paper;
use super::run::{Figures, STRATEGIES};
use std::fmt::Write as _;

pub fn sections(all: &[&Figures]) -> Vec<Section> {
    vec![
        Section::new("models", properties(all)),
        Section::new("results", results(all)),
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

/// Tables 4 and 5: what became of the mutants, after which time, and in which step of their own they were killed.
fn results(all: &[&Figures]) -> String {
    let mut out = String::from(
        "| model | strategy | total | found (paper) | execution errors (time-outs; paper) | killed (paper) | % of total (paper) | % of found (paper) | time: s (paper: h:m:s) | killed in step 0–4, 5–9, 10–14, 15–19, 20 (paper) | states | peak memory: MiB |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for figures in all {
        let (report, table) = (&figures.report, &figures.report.table);
        let run = paper_run(figures);
        let count = |value: Option<usize>| value.map_or("–".into(), |v| v.to_string());
        let theirs = |value: Option<f64>| value.map_or("–".into(), |v| format!("{v:.1}"));
        let list = |steps: &[usize; 5]| steps.map(|step| step.to_string()).join(", ");
        let stopped = if report.stopped.is_some() { "*" } else { "" };
        let cells = [
            figures.model.clone(),
            figures.strategy.to_string(),
            table.total.to_string(),
            format!("{} ({})", table.found, count(run.map(|run| run.found))),
            format!(
                "{} ({}; {})",
                table.errors,
                table.timeouts,
                count(run.map(|run| run.errors))
            ),
            format!("{} ({})", table.killed, count(run.map(|run| run.killed))),
            format!(
                "{:.1} ({})",
                report.percent_of_total,
                theirs(run.map(|run| run.of_total))
            ),
            format!(
                "{:.1} ({})",
                report.percent_of_found,
                theirs(run.map(|run| run.of_found))
            ),
            format!(
                "{:.1}{stopped} ({})",
                report.seconds,
                run.map_or("–", |run| run.time)
            ),
            format!(
                "{} ({})",
                list(&table.steps),
                run.map_or("–".into(), |run| list(&run.steps))
            ),
            report.states.to_string(),
            format!("{:.0}", report.peak_bytes as f64 / 1_048_576.0),
        ];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

fn paper_run(figures: &Figures) -> Option<&'static paper::Run> {
    let at = STRATEGIES.iter().position(|s| *s == figures.strategy)?;
    let paper = paper::of(&figures.model)?;
    paper.runs.get(at)?.as_ref()
}
