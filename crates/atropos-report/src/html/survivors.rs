//! What no test noticed: the survivors in their order and by function, as in the terminal, then what
//! never made a difference, then the functions that no test runs.

use std::collections::HashMap;
use std::fmt::Write;

use crate::by_file::{by_function, in_order, unreached};
use crate::html::escape::escaped;
use crate::html::mutant::{badge, body, data, operator};
use crate::html::source::FileOnPage;
use crate::impact::NEVER_INFECTED;
use crate::number_text::count;
use crate::outcomes::{MutantRecord, Outcomes};
use crate::verdict::Verdict;

/// So many are shown at once; the others can be opened.
const SHOWN: usize = 50;
/// And so many are open from the start.
const OPEN: usize = 3;

/// Where files stand in the page, by their names.
pub(super) type FilesByName<'v> = HashMap<&'v str, &'v FileOnPage<'v>>;

pub(super) fn survivors(page: &mut String, outcomes: &Outcomes, files: &FilesByName) {
    let survived = in_order(outcomes, Verdict::Survived);
    page.push_str("<section id=\"survivors\"><h2>Changes that no test noticed</h2>");
    match survived.first() {
        None => page.push_str("<p>None.</p>"),
        Some(first) => {
            let order = match first.rank {
                Some(_) => "The most disturbing first.",
                None => "In the order of the source.",
            };
            write!(
                page,
                "<p>{order} Each is a change that somebody could make today, and no test would tell; \
                 <code>cargo atropos show NUMBER</code> tells more of one. \
                 <span class=\"js\">Keys: <kbd>n</kbd> next, <kbd>p</kbd> previous, <kbd>/</kbd> search.</span> \
                 <span class=\"js\"><button type=\"button\" data-open=\"survivors\">open all</button> \
                 <button type=\"button\" data-close=\"survivors\">close all</button></span></p>"
            )
            .expect("a string takes everything");
        }
    }
    functions(page, &survived, outcomes, files, OPEN);
    page.push_str("</section>\n");
    let uninfected = in_order(outcomes, Verdict::Uninfected);
    if !uninfected.is_empty() {
        let number = count(uninfected.len(), "change");
        write!(
            page,
            "<section id=\"uninfected\"><h2>Changes that never made a difference</h2>\
             <details><summary>{number}: {NEVER_INFECTED}</summary>"
        )
        .expect("a string takes everything");
        functions(page, &uninfected, outcomes, files, 0);
        page.push_str("</details></section>\n");
    }
    not_run(page, outcomes, files);
}

/// The mutants of each function under its name, the later ones folded away.
fn functions(
    page: &mut String,
    records: &[&MutantRecord],
    outcomes: &Outcomes,
    files: &FilesByName,
    mut open: usize,
) {
    let mut shown = 0;
    let mut is_folded = false;
    for function in by_function(records) {
        if shown >= SHOWN && !is_folded {
            is_folded = true;
            let more = records.len() - shown;
            write!(
                page,
                "<details class=\"more\"><summary>and {more} more</summary>"
            )
            .expect("a string takes everything");
        }
        shown += function.len();
        page.push_str("<div class=\"function\">");
        let info = &function[0].info;
        let name = match info.function.as_str() {
            "" => "outside functions".to_owned(),
            name => format!("fn {}", escaped(name)),
        };
        let file = escaped(&info.file);
        let number = count(function.len(), function[0].verdict.map_or("mutant", noun));
        write!(
            page,
            "<h3><code>{name}</code> <small>{file}: {number}</small></h3>"
        )
        .expect("a string takes everything");
        for record in function {
            entry(page, record, outcomes, files, open > 0);
            open = open.saturating_sub(1);
        }
        page.push_str("</div>");
    }
    if is_folded {
        page.push_str("</details>");
    }
}

fn noun(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Survived => "survivor",
        _ => "mutant",
    }
}

fn entry(
    page: &mut String,
    record: &MutantRecord,
    outcomes: &Outcomes,
    files: &FilesByName,
    is_open: bool,
) {
    let info = &record.info;
    let number = info.id.0;
    let open = if is_open { " open" } else { "" };
    let rank = record
        .rank
        .map(|rank| format!("<b class=\"rank\">{rank}</b> "));
    let why = record.impact.as_ref().map(|impact| {
        let why = escaped(&impact.reason());
        format!("<span class=\"why\">{why}</span>")
    });
    write!(
        page,
        "<details class=\"m\" id=\"m{number}\" {}{open}><summary>{}{} \
         <span class=\"place\">{}:{}:{}</span> {} <small>{} · {number}</small>{}</summary>",
        data(record),
        rank.unwrap_or_default(),
        badge(record.verdict),
        escaped(&info.file),
        info.line,
        info.column,
        escaped(&info.summary),
        operator(record),
        why.unwrap_or_default(),
    )
    .expect("a string takes everything");
    let placed = files.get(info.file.as_str());
    let text = placed.and_then(|placed| placed.view.text_of(record));
    body(page, record, outcomes, text);
    if let Some(placed) = placed {
        let (line, link) = (info.line, placed.link(info.line));
        write!(
            page,
            "<p class=\"to\"><a href=\"#{link}\">line {line} in its file</a></p>"
        )
        .expect("a string takes everything");
    }
    page.push_str("</details>");
}

/// Functions without any test.
fn not_run(page: &mut String, outcomes: &Outcomes, files: &FilesByName) {
    let functions = unreached(outcomes);
    if functions.is_empty() {
        return;
    }
    page.push_str("<section id=\"unreached\"><h2>Code that no test runs</h2><ul class=\"plain\">");
    for (index, one) in functions.iter().enumerate() {
        if index == SHOWN {
            let more = count(functions.len() - SHOWN, "function");
            write!(page, "</ul><details class=\"more\"><summary>and {more} more</summary><ul class=\"plain\">")
                .expect("a string takes everything");
        }
        let place = format!("{}:{}", escaped(one.file), one.line);
        let place = match files.get(one.file) {
            Some(placed) => format!("<a href=\"#{}\">{place}</a>", placed.link(one.line)),
            None => place,
        };
        let function = match one.function {
            "" => String::new(),
            function => format!("<code>fn {}</code>, ", escaped(function)),
        };
        let mutants = count(one.mutants, "mutant");
        write!(page, "<li>{place} {function}{mutants}").expect("a string takes everything");
    }
    page.push_str("</ul>");
    if functions.len() > SHOWN {
        page.push_str("</details>");
    }
    page.push_str("</section>\n");
}
