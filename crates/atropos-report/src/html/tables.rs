//! The tables of the page: files, operators, tests, and what each stage took.

use std::collections::BTreeMap;
use std::fmt::Write;

use atropos_mutants::Operator;

use super::add;
use super::escape::escaped;
use crate::by_file::FileView;
use crate::number_text::{count, duration, percent};
use crate::outcomes::{Outcomes, Timings, Totals};

pub(super) fn files(page: &mut String, views: &[FileView], outcomes: &Outcomes) {
    add(page, "<section id=\"files\"><h2>Files</h2>");
    if views.is_empty() {
        add(page, "<p>There are no mutants.</p></section>\n");
        return;
    }
    table_head(page, "Files", &["file"]);
    for (index, view) in views.iter().enumerate() {
        write!(
            page,
            "<tr><th scope=\"row\"><a href=\"#f{index}\">{}</a>",
            escaped(view.file)
        )
        .expect("a string takes everything");
        cells(page, &view.totals, outcomes);
    }
    add(page, "</tbody></table></div></section>\n");
}

/// A table that has these columns and then one for each figure of [`cells`].
fn table_head(page: &mut String, name: &str, columns: &[&str]) {
    write!(
        page,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">\
         <table class=\"sortable\"><thead><tr>"
    )
    .expect("a string takes everything");
    for column in columns {
        write!(page, "<th scope=\"col\" class=\"text\">{column}")
            .expect("a string takes everything");
    }
    for figure in ["mutants", "killed", "survived", "uninfected", "unreached"] {
        write!(page, "<th scope=\"col\">{figure}").expect("a string takes everything");
    }
    add(
        page,
        "<th scope=\"col\" title=\"unviable, not built, skipped or undecided\">not counted\
         <th scope=\"col\">score</thead><tbody>",
    );
}

fn cells(page: &mut String, totals: &Totals, outcomes: &Outcomes) {
    let uncounted = totals.mutants - totals.killed - totals.missed();
    let figures = [
        (totals.mutants, ""),
        (totals.killed, "killed"),
        (totals.survived, "survived"),
        (totals.uninfected, "uninfected"),
        (totals.unreached, "unreached"),
        (uncounted, ""),
    ];
    for (number, class) in figures {
        match (number, class) {
            (0, _) => add(page, "<td class=\"none\">0"),
            (number, "") => add(page, &format!("<td>{number}")),
            (number, class) => add(
                page,
                &format!("<td><span class=\"n {class}\">{number}</span>"),
            ),
        }
    }
    let score = outcomes.score_of(totals);
    let key = score.map_or(-1.0, |score| score * 100.0);
    let shown = score.map_or("–".to_owned(), percent);
    write!(page, "<td data-key=\"{key:.3}\">{shown}").expect("a string takes everything");
}

pub(super) fn by_operator(outcomes: &Outcomes) -> BTreeMap<Operator, Totals> {
    let mut operators: BTreeMap<Operator, Totals> = BTreeMap::new();
    for record in &outcomes.mutants {
        let totals = operators.entry(record.info.operator).or_default();
        totals.add(record.verdict);
    }
    operators
}

/// What each rule made, and what became of it.
pub(super) fn operators(page: &mut String, outcomes: &Outcomes) {
    let operators = by_operator(outcomes);
    write!(
        page,
        "<section id=\"operators\"><h2>Operators</h2><details><summary>{}</summary>",
        count(operators.len(), "operator")
    )
    .expect("a string takes everything");
    table_head(page, "Operators", &["operator", "what it does"]);
    for (operator, totals) in operators {
        write!(
            page,
            "<tr><th scope=\"row\">{}<td class=\"text\">{}",
            operator.code(),
            escaped(operator.sentence())
        )
        .expect("a string takes everything");
        cells(page, &totals, outcomes);
    }
    add(page, "</tbody></table></div></details></section>\n");
}

pub(super) fn tests(page: &mut String, outcomes: &Outcomes) {
    add(page, "<section id=\"tests\"><h2>Tests</h2>");
    let mut reached = vec![0usize; outcomes.tests.len()];
    let mut killed = reached.clone();
    for record in &outcomes.mutants {
        let tests = record.reached_by.iter();
        for test in tests.filter(|test| **test < outcomes.tests.len()) {
            reached[*test] += 1;
        }
        let tests = record.killed_by.iter().map(|kill| kill.test);
        for test in tests.filter(|test| *test < outcomes.tests.len()) {
            killed[test] += 1;
        }
    }
    let which = match outcomes.options.contains_key("kill-matrix") {
        true => "all that it kills",
        false => "those that it was the first to kill",
    };
    write!(
        page,
        "<details><summary>{}</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Tests\"><table class=\"sortable\"><thead><tr><th scope=\"col\">test<th scope=\"col\" class=\"text\">held by\
         <th scope=\"col\" title=\"mutants whose place it executes\">reaches\
         <th scope=\"col\" title=\"{which}\">kills<th scope=\"col\">time</thead><tbody>",
        count(outcomes.tests.len(), "test")
    )
    .expect("a string takes everything");
    for (index, test) in outcomes.tests.iter().enumerate() {
        write!(
            page,
            "<tr><th scope=\"row\">{}<td class=\"text\">{} {}<td>{}<td>{}<td data-key=\"{:.6}\">{}",
            escaped(&test.name),
            escaped(&test.package),
            escaped(&test.target),
            reached[index],
            killed[index],
            test.seconds,
            duration(test.seconds),
        )
        .expect("a string takes everything");
    }
    add(page, "</tbody></table></div></details></section>\n");
}

pub(super) fn times(page: &mut String, timings: &Timings) {
    let stages = [
        ("find mutants", timings.find),
        ("check", timings.check),
        ("build", timings.build),
        ("tests alone", timings.baseline),
        ("mutants", timings.run),
        ("impact", timings.impact),
    ];
    add(
        page,
        "<section id=\"time\"><h2>Time</h2><table class=\"times\"><tbody>",
    );
    let longest = stages
        .iter()
        .map(|(_, seconds)| *seconds)
        .fold(0.0, f64::max);
    for (stage, seconds) in stages {
        let width = if longest > 0.0 {
            seconds * 100.0 / longest
        } else {
            0.0
        };
        write!(
            page,
            "<tr><th scope=\"row\">{stage}<td>{}<td class=\"gauge\"><span style=\"width:{width:.1}%\"></span>",
            duration(seconds)
        )
        .expect("a string takes everything");
    }
    writeln!(
        page,
        "<tr><th scope=\"row\">in all<td>{}<td></tbody></table></section>",
        duration(timings.total)
    )
    .expect("a string takes everything");
}
