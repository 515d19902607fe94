//! The page: one file that needs no other, with everything that a run found.
//!
//! All of it is plain HTML, so that it can be read, searched and printed without the script; that only
//! adds filters, sorting and links into what is folded away. Each mutant is written once, whatever
//! refers to it, and no part takes more than linear time, so that runs with tens of thousands of mutants
//! make a page that a browser opens at once.

pub(crate) mod escape;
mod finder;
mod mutant;
mod source;
mod survivors;
mod tables;
mod totals;

use std::collections::BTreeSet;
use std::fmt::Write;

use self::escape::escaped;
use self::source::FileOnPage;
use self::survivors::FilesByName;
use crate::by_file::by_file;
use crate::number_text::percent;
use crate::outcomes::Outcomes;
use crate::summary::Sources;

/// The name of the file within the output directory.
pub const FILE_NAME: &str = "report.html";

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page can do nothing but show itself, whatever stands in the texts.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The whole page.
pub fn html(outcomes: &Outcomes, sources: Sources) -> String {
    let views = by_file(outcomes, sources);
    let placed: Vec<FileOnPage> = views
        .iter()
        .enumerate()
        .map(|(index, view)| FileOnPage::new(index, view))
        .collect();
    let places: FilesByName = placed.iter().map(|one| (one.view.file, one)).collect();
    let mut page = String::new();
    head(&mut page, outcomes);
    page.push_str("<main>\n");
    findings(&mut page, outcomes);
    warnings(&mut page, &outcomes.warnings);
    totals::totals(&mut page, outcomes);
    tables::files(&mut page, &views, outcomes);
    survivors::survivors(&mut page, outcomes, &places);
    finder::finder(&mut page, outcomes);
    page.push_str("<section id=\"sources\"><h2>The source with its mutants</h2>\n");
    for one in &placed {
        source::file(&mut page, one, outcomes);
    }
    page.push_str("</section>\n");
    tables::operators(&mut page, outcomes);
    tables::tests(&mut page, outcomes);
    tables::times(&mut page, &outcomes.timings);
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
    let score = outcomes.score_of(&outcomes.totals).map(percent);
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
        ("warnings", "Warnings", !outcomes.warnings.is_empty()),
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

/// What a reader of the figures has to know.
fn warnings(page: &mut String, warnings: &[String]) {
    if warnings.is_empty() {
        return;
    }
    add(page, "<section id=\"warnings\"><h2>Warnings</h2><ul>");
    for warning in warnings {
        write!(page, "<li>{}</li>", escaped(warning)).expect("a string takes everything");
    }
    add(page, "</ul></section>\n");
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
