//! The figures of a run: the score, and how many mutants have which verdict.

use std::fmt::Write;

use super::add;
use super::mutant::{class, number_of, verdicts, word};
use crate::number_text::{count, percent};
use crate::outcomes::{Outcomes, Totals};
use crate::verdict::Verdict;
use atropos_protocol::FailureKind;

pub(super) fn totals(page: &mut String, outcomes: &Outcomes) {
    let totals = &outcomes.totals;
    add(page, "<section id=\"totals\"><h2>Totals</h2>");
    if !outcomes.complete {
        let tested = totals.mutants - totals.untested.min(totals.mutants);
        write!(
            page,
            "<p class=\"warning\">The run was interrupted after {tested} of {}; the next one goes on from there.</p>",
            count(totals.mutants, "mutant")
        )
        .expect("a string takes everything");
    }
    match outcomes.score_of(totals) {
        None if !outcomes.complete => {}
        None => add(page, "<p>No mutant counts in the score.</p>"),
        Some(score) => {
            let of_reached = match (totals.unreached, totals.score_of_reached()) {
                (1.., Some(score)) => format!("; {} in code that tests run", percent(score)),
                _ => String::new(),
            };
            write!(
                page,
                "<p class=\"figure\"><b>{}</b> {} of {} killed{of_reached}</p>",
                percent(score),
                totals.killed,
                totals.killed + totals.missed(),
            )
            .expect("a string takes everything");
        }
    }
    let reused = outcomes.mutants.iter().filter(|it| it.reused).count();
    if reused > 0 {
        let text = format!(
            "<p>{} reused from earlier runs</p>",
            count(reused, "verdict")
        );
        add(page, &text);
    }
    bar(page, totals);
    add(page, "<ul class=\"tiles\">");
    for verdict in verdicts() {
        let number = number_of(totals, verdict);
        if number == 0 && !matches!(verdict, Some(Verdict::Killed(_) | Verdict::Survived)) {
            continue;
        }
        let explanation = match verdict {
            Some(Verdict::Killed(_)) if number > 0 => ways(totals),
            Some(verdict) => verdict.explanation().to_owned(),
            None => "the run was interrupted before it came to them".to_owned(),
        };
        let (class, word) = (class(verdict), word(verdict));
        write!(
            page,
            "<li><a class=\"tile {class}\" href=\"#mutants\" data-v=\"{class}\"><b>{number}</b> \
             <span>{word}</span><small>{explanation}</small></a>"
        )
        .expect("a string takes everything");
    }
    add(page, "</ul></section>\n");
}

/// How the killed were killed.
fn ways(totals: &Totals) -> String {
    let ways = FailureKind::GENERAL.iter().filter_map(|how| {
        let number = totals.killed_how.get(how)?;
        Some(format!("{number} {how}"))
    });
    format!(
        "a test noticed the change: {}",
        ways.collect::<Vec<_>>().join(", ")
    )
}

/// The parts of the mutants that count, as a bar.
fn bar(page: &mut String, totals: &Totals) {
    let whole = totals.killed + totals.missed();
    if whole == 0 {
        return;
    }
    let scored = verdicts().filter(|verdict| verdict.is_some_and(Verdict::is_scored));
    let parts: Vec<(Option<Verdict>, usize)> = scored
        .map(|verdict| (verdict, number_of(totals, verdict)))
        .filter(|(_, number)| *number > 0)
        .collect();
    let words: Vec<String> = parts
        .iter()
        .map(|(verdict, number)| format!("{number} {}", word(*verdict)))
        .collect();
    write!(
        page,
        "<div class=\"bar\" role=\"img\" aria-label=\"{}\">",
        words.join(", ")
    )
    .expect("a string takes everything");
    for (verdict, number) in parts {
        let width = number as f64 * 100.0 / whole as f64;
        let class = class(verdict);
        write!(
            page,
            "<span class=\"{class}\" style=\"width:{width:.2}%\"></span>"
        )
        .expect("a string takes everything");
    }
    add(page, "</div>");
}
