//! One self-contained HTML page: the table, the model's text with its mutants, the tests and the plot.

use super::chart::{self, ChartView};
use super::report::{GenerationReport, MutantReport};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = "body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}\
td.n{text-align:right;font-variant-numeric:tabular-nums}pre{background:#f6f6f6;padding:1rem;overflow:auto;line-height:1.45}\
mark{background:none;color:inherit;border-bottom:2px solid;cursor:help}mark.killed{border-color:#2c8a3e}mark.given{border-color:#c33;background:#fdd}\
mark.unreached{border-color:#999;background:#eee}mark.other{border-color:#c80}\
.s-killed{color:#2c8a3e}.s-given,.s-skipped{color:#c33}.s-unreached{color:#777}\
body>svg{max-width:45rem}\
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre{background:#222}td,th{border-color:#444}mark.given{background:#522}mark.unreached{background:#333}}";

/// `drawn` are the tests that have a drawing beside them; of a chart there is a view.
pub fn page(
    report: &GenerationReport,
    text: &str,
    plot: &str,
    drawn: &[&str],
    view: Option<&ChartView>,
) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (report.model) ": tests that kill mutants" }
                style { (PreEscaped(STYLE)) @if view.is_some() { (PreEscaped(chart::STYLE)) } }
            }
            body {
                h1 { (report.model) }
                p {
                    "Objects: " (report.objects) "; statements: " (report.statements) "; attributes: " (report.attributes)
                    "; bytes of state: " (report.state_bytes) ". Strategy " (report.strategy) ", seed " (report.seed)
                    ", " (format!("{:.1}", report.seconds)) " s."
                }
                @for note in [&report.stopped, &report.failure].into_iter().flatten() {
                    p { strong { (note) } }
                }
                (table(report))
                @if let Some(view) = view { (chart::section(view, report)) }
                (tests(report, drawn))
                h2 { "States visited" }
                (PreEscaped(plot))
                (source(report, text))
                (mutants(report, view))
                @if view.is_some() { (chart::script()) }
            }
        }
    };
    page.into_string() + "\n"
}

fn table(report: &GenerationReport) -> Markup {
    let t = &report.table;
    html! {
        h2 { "Mutants" }
        table {
            tr {
                th { "total" } th { "found" } th { "execution errors (of these time-outs)" } th { "killed" }
                th { "skipped" } th { "given up" } th { "% of total" } th { "% of found" }
            }
            tr {
                td.n { (t.total) }
                td.n { (t.found) }
                td.n { (t.errors) " (" (t.timeouts) ")" }
                td.n { (t.killed) }
                td.n { (t.skipped) }
                td.n { (t.given_up) }
                td.n { (format!("{:.1}", report.percent_of_total)) }
                td.n { (format!("{:.1}", report.percent_of_found)) }
            }
        }
        p {
            (t.generated) " were generated; not counted are those that do the same as another (" (t.duplicates)
            "), compute the same as the original (" (t.equivalent) ") or stand in code that no object executes (" (t.dead)
            "). Percentages leave out execution errors."
        }
        table {
            tr { th { "killed in step" } th { "0–4" } th { "5–9" } th { "10–14" } th { "15–19" } th { "20" } }
            tr { td { "mutants" } @for count in t.steps { td.n { (count) } } }
        }
    }
}

fn tests(report: &GenerationReport, drawn: &[&str]) -> Markup {
    html! {
        h2 { "Tests" }
        table {
            tr {
                th { "test" } th { "choices" } th { "moves" } th { "kills first" } th { "kills" }
                th { "in the reduced suite" }
            }
            @for (at, test) in report.tests.iter().enumerate() {
                tr {
                    td {
                        (test.file)
                        @let svg = drawn.contains(&test.file.as_str()).then_some("svg");
                        @for extension in ["aut", "dot"].into_iter().chain(svg) {
                            " " a href=(format!("{}.{extension}", test.file)) { "." (extension) }
                        }
                    }
                    td.n { (test.choices) }
                    td.n { (test.moves) }
                    td.n { (test.first_kills) }
                    td.n { (test.kills) }
                    td { @if report.reduced_suite.contains(&at) { "yes" } }
                }
            }
        }
    }
}

fn class(mutant: &MutantReport) -> &'static str {
    match mutant.status {
        "killed" => "killed",
        "given up" | "skipped" => "given",
        "unreached" => "unreached",
        _ => "other",
    }
}

/// The text, with every place underlined that mutants change: by the worst that became of one of them.
fn source(report: &GenerationReport, text: &str) -> Markup {
    let mut starts: Vec<&MutantReport> = report.mutants.iter().collect();
    starts.sort_by_key(|mutant| (mutant.start, std::cmp::Reverse(mutant.end)));
    let mut pieces: Vec<Markup> = Vec::new();
    let mut at = 0usize;
    let mut next = 0;
    while next < starts.len() {
        let (start, end) = (starts[next].start as usize, starts[next].end as usize);
        let mut group = Vec::new();
        while next < starts.len() && (starts[next].start as usize) < end.max(start + 1) {
            group.push(starts[next]);
            next += 1;
        }
        if start < at || end > text.len() {
            continue;
        }
        pieces.push(html! { (text[at..start]) (marked(&group, &text[start..end])) });
        at = end;
    }
    html! {
        h2 { "Model" }
        pre { @for piece in pieces { (piece) } (text[at..]) }
    }
}

/// The worst that became of a mutant in a group.
pub fn worst(group: &[&MutantReport]) -> &'static str {
    let order = ["given", "unreached", "other", "killed"];
    let classes = group.iter().map(|mutant| class(mutant));
    let worst = classes.min_by_key(|c| order.iter().position(|o| o == c));
    worst.unwrap_or("other")
}

/// A piece of text that a group of mutants changes.
fn marked(group: &[&MutantReport], text: &str) -> Markup {
    let notes: Vec<String> = group
        .iter()
        .map(|m| {
            format!(
                "{} {} → {}: {} {}",
                m.id, m.original, m.replacement, m.status, m.detail
            )
        })
        .collect();
    html! { mark class=(worst(group)) title=(notes.join("\n")) { (text) } }
}

fn mutants(report: &GenerationReport, view: Option<&ChartView>) -> Markup {
    let element = |at: usize| view.and_then(|view| view.elements.get(at)?.as_deref());
    let file = |test: &usize| report.tests.get(*test).map(|test| test.file.clone());
    let tests = |m: &MutantReport| -> Vec<String> { m.killed_by.iter().filter_map(file).collect() };
    html! {
        h2 { "All mutants" }
        table {
            tr {
                th { "id" } th { "operator" } th { "place" } th { "original" } th { "replacement" } th { "status" } th {}
                th { "killed by" }
            }
            @for (at, m) in report.mutants.iter().enumerate() {
                tr data-m=[element(at)] {
                    td.n { (m.id) }
                    td { (m.operator) }
                    td { (m.line) ":" (m.column) }
                    td { code { (m.original) } }
                    td { code { (m.replacement) } }
                    td class=(format!("s-{}", m.status.split(' ').next().unwrap_or_default())) { (m.status) }
                    td { (m.detail) }
                    td { (tests(m).join(", ")) }
                }
            }
        }
    }
}
