//! The page: one file that needs no other, with everything that a run found.
//!
//! All of it is plain HTML, so that it can be read, searched and printed without the script; that only
//! adds filters, sorting and links into what is folded away. Each mutant is written once, whatever
//! refers to it, and no part takes more than linear time, so that runs with tens of thousands of mutants
//! make a page that a browser opens at once.

mod escape;
mod mutant;
mod source;
mod survivors;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use atropos_mutants::Operator;

use self::escape::escaped;
use self::mutant::{class, word};
use self::survivors::Places;
use crate::by_file::{FileView, by_file};
use crate::outcomes::{Outcomes, Timings, Totals};
use crate::summary::Sources;
use crate::verdict::{How, Verdict};
use crate::words::{count, duration, percent};

/// The name of the file within the output directory.
pub const FILE_NAME: &str = "report.html";

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page can do nothing but show itself, whatever stands in the texts.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The whole page.
pub fn html(outcomes: &Outcomes, sources: Sources) -> String {
    let views = by_file(outcomes, sources);
    let places: Places = views
        .iter()
        .enumerate()
        .map(|(index, view)| (view.file, (index, view)))
        .collect();
    let mut page = String::new();
    head(&mut page, outcomes);
    page.push_str("<main>\n");
    findings(&mut page, outcomes);
    totals(&mut page, outcomes);
    files(&mut page, &views);
    survivors::survivors(&mut page, outcomes, &places);
    finder(&mut page, outcomes);
    page.push_str("<section id=\"sources\"><h2>The source with its mutants</h2>\n");
    for (index, view) in views.iter().enumerate() {
        source::file(&mut page, index, view, outcomes);
    }
    page.push_str("</section>\n");
    operators(&mut page, outcomes);
    tests(&mut page, outcomes);
    times(&mut page, &outcomes.timings);
    page.push_str("</main>\n");
    foot(&mut page, outcomes);
    page
}

fn add(page: &mut String, text: &str) {
    page.push_str(text);
}

/// `Mutants of bank, ledger`
fn title(outcomes: &Outcomes) -> String {
    let packages: BTreeSet<&str> = outcomes
        .mutants
        .iter()
        .map(|record| record.info.package.as_str())
        .collect();
    let names: Vec<&str> = packages.iter().copied().take(5).collect();
    match (names.is_empty(), packages.len() - names.len()) {
        (true, _) => "Mutants".to_owned(),
        (false, 0) => format!("Mutants of {}", names.join(", ")),
        (false, more) => format!("Mutants of {} and {more} more", names.join(", ")),
    }
}

fn head(page: &mut String, outcomes: &Outcomes) {
    let title = escaped(&title(outcomes));
    let score = outcomes.totals.score().map(percent);
    let in_title = score.map(|score| format!("{score} · ")).unwrap_or_default();
    write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{in_title}{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#survivors\">to the survivors</a>\n\
         <header><h1>{title}</h1>"
    )
    .expect("a string takes everything");
    let links = [
        ("findings", "Failing tests", !outcomes.findings.is_empty()),
        ("totals", "Totals", true),
        ("files", "Files", true),
        ("survivors", "Survivors", true),
        ("unreached", "Not run", outcomes.totals.unreached > 0),
        ("mutants", "All mutants", true),
        ("sources", "Source", true),
        ("operators", "Operators", true),
        ("tests", "Tests", true),
        ("time", "Time", true),
    ];
    add(page, "<nav aria-label=\"Parts of this page\">");
    for (id, name, _) in links.iter().filter(|(_, _, is_there)| *is_there) {
        let js = if *id == "mutants" {
            " class=\"js\""
        } else {
            ""
        };
        write!(page, "<a href=\"#{id}\"{js}>{name}</a> ").expect("a string takes everything");
    }
    add(page, "</nav></header>\n");
}

/// Tests that fail without any mutant come first.
fn findings(page: &mut String, outcomes: &Outcomes) {
    if outcomes.findings.is_empty() {
        return;
    }
    add(
        page,
        "<section id=\"findings\"><h2>Tests that fail under some schedule, without any mutant</h2>",
    );
    for finding in &outcomes.findings {
        mutant::finding(page, finding, outcomes);
    }
    add(page, "</section>\n");
}

/// All verdicts that some mutant may have, in the order of reports.
fn verdicts() -> impl Iterator<Item = Option<Verdict>> {
    let killed = Some(Verdict::Killed(How::Failed));
    let others = Verdict::UNKILLED.into_iter().map(Some);
    [killed].into_iter().chain(others).chain([None])
}

fn number_of(totals: &Totals, verdict: Option<Verdict>) -> usize {
    verdict.map_or(totals.untested, |verdict| totals.of(verdict))
}

fn totals(page: &mut String, outcomes: &Outcomes) {
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
    match totals.score() {
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
            None if outcomes.complete => "it can’t be told what the tests would say".to_owned(),
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
    let ways = How::ALL.iter().filter_map(|how| {
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

fn files(page: &mut String, views: &[FileView]) {
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
        cells(page, &view.totals);
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

fn cells(page: &mut String, totals: &Totals) {
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
    let score = totals.score();
    let key = score.map_or(-1.0, |score| score * 100.0);
    let shown = score.map_or("–".to_owned(), percent);
    write!(page, "<td data-key=\"{key:.3}\">{shown}").expect("a string takes everything");
}

/// Empty without the script, which fills the list.
fn finder(page: &mut String, outcomes: &Outcomes) {
    add(
        page,
        "<section id=\"mutants\" class=\"js\"><h2>All mutants</h2><form id=\"filter\" role=\"search\">\
         <label>Search <input type=\"search\" id=\"words\" placeholder=\"words of the place, the change, a test …\" \
         autocomplete=\"off\" spellcheck=\"false\"></label> <label>Operator <select id=\"operator\">\
         <option value=\"\">all</option>",
    );
    for (operator, totals) in by_operator(outcomes) {
        let (code, sentence) = (operator.code(), escaped(operator.sentence()));
        let number = totals.mutants;
        write!(
            page,
            "<option value=\"{code}\">{code} ({number}): {sentence}</option>"
        )
        .expect("a string takes everything");
    }
    add(page, "</select></label> <fieldset><legend>Verdict</legend>");
    for verdict in verdicts() {
        let number = number_of(&outcomes.totals, verdict);
        if number > 0 {
            let (class, word) = (class(verdict), word(verdict));
            write!(
                page,
                "<label class=\"chip {class}\"><input type=\"checkbox\" name=\"v\" value=\"{class}\" checked> \
                 {word} <small>{number}</small></label> "
            )
            .expect("a string takes everything");
        }
    }
    add(
        page,
        "</fieldset></form><p id=\"found\" role=\"status\"></p><ul id=\"list\" class=\"plain\"></ul>\
         <p><button type=\"button\" id=\"more\">show more</button></p></section>\n",
    );
}

fn by_operator(outcomes: &Outcomes) -> BTreeMap<Operator, Totals> {
    let mut operators: BTreeMap<Operator, Totals> = BTreeMap::new();
    for record in &outcomes.mutants {
        let totals = operators.entry(record.info.operator).or_default();
        totals.add(record.verdict);
    }
    operators
}

/// What each rule made, and what became of it.
fn operators(page: &mut String, outcomes: &Outcomes) {
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
        cells(page, &totals);
    }
    add(page, "</tbody></table></div></details></section>\n");
}

fn tests(page: &mut String, outcomes: &Outcomes) {
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

fn times(page: &mut String, timings: &Timings) {
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
    write!(
        page,
        "<tr><th scope=\"row\">in all<td>{}<td></tbody></table></section>\n",
        duration(timings.total)
    )
    .expect("a string takes everything");
}

fn foot(page: &mut String, outcomes: &Outcomes) {
    let tool = &outcomes.tool;
    write!(
        page,
        "<footer><p>{} {}; {}; {}</p>",
        escaped(&tool.name),
        escaped(&tool.version),
        escaped(&tool.toolchain),
        escaped(&tool.target)
    )
    .expect("a string takes everything");
    if !outcomes.options.is_empty() {
        let options: Vec<String> = outcomes
            .options
            .iter()
            .map(|(name, value)| {
                format!(
                    "<code>{} = {}</code>",
                    escaped(name),
                    escaped(&value.to_string())
                )
            })
            .collect();
        write!(page, "<p>Options: {}</p>", options.join(", ")).expect("a string takes everything");
    }
    write!(
        page,
        "</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
    .expect("a string takes everything");
}
