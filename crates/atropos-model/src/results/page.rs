//! One self-contained HTML page: the table, the model's text with its mutants, the tests and the plot.

use super::report::{MutantReport, Report};
use std::fmt::Write as _;

const STYLE: &str = "body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}\
td.n{text-align:right;font-variant-numeric:tabular-nums}pre{background:#f6f6f6;padding:1rem;overflow:auto;line-height:1.45}\
mark{background:none;color:inherit;border-bottom:2px solid;cursor:help}mark.killed{border-color:#2c8a3e}mark.given{border-color:#c33;background:#fdd}\
mark.unreached{border-color:#999;background:#eee}mark.other{border-color:#c80}\
.s-killed{color:#2c8a3e}.s-given,.s-skipped{color:#c33}.s-unreached{color:#777}\
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre{background:#222}td,th{border-color:#444}mark.given{background:#522}mark.unreached{background:#333}}";

/// `drawn` are the tests that have a drawing beside them.
pub fn page(report: &Report, text: &str, plot: &str, drawn: &[&str]) -> String {
    let mut out = String::new();
    let name = escape(&report.model);
    let _ = write!(
        out,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{name}: tests that kill mutants</title><style>{STYLE}</style><h1>{name}</h1>"
    );
    let _ = write!(
        out,
        "<p>Objects: {}; statements: {}; attributes: {}; bytes of state: {}. Strategy {}, seed {}, {:.1} s.</p>",
        report.objects,
        report.statements,
        report.attributes,
        report.state_bytes,
        escape(&report.strategy),
        report.seed,
        report.seconds
    );
    for note in [&report.stopped, &report.failure].into_iter().flatten() {
        let _ = write!(out, "<p><strong>{}</strong></p>", escape(note));
    }
    table(&mut out, report);
    tests(&mut out, report, drawn);
    let _ = write!(out, "<h2>States visited</h2>{plot}");
    source(&mut out, report, text);
    mutants(&mut out, report);
    out.push_str("</html>\n");
    out
}

fn table(out: &mut String, report: &Report) {
    let t = &report.table;
    out.push_str("<h2>Mutants</h2><table><tr><th>total<th>found<th>execution errors (of these time-outs)<th>killed<th>skipped<th>given up<th>% of total<th>% of found</tr>");
    let _ = write!(
        out,
        "<tr><td class=n>{}<td class=n>{}<td class=n>{} ({})<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{:.1}<td class=n>{:.1}</tr></table>",
        t.total,
        t.found,
        t.errors,
        t.timeouts,
        t.killed,
        t.skipped,
        t.given_up,
        report.percent_of_total,
        report.percent_of_found
    );
    let _ = write!(
        out,
        "<p>{} were generated; not counted are those that do the same as another ({}), compute the same as the original ({}) or stand in code that no object executes ({}). Percentages leave out execution errors.</p>",
        t.generated, t.duplicates, t.equivalent, t.dead
    );
    out.push_str(
        "<table><tr><th>killed in step<th>0–4<th>5–9<th>10–14<th>15–19<th>20</tr><tr><td>mutants",
    );
    for count in t.steps {
        let _ = write!(out, "<td class=n>{count}");
    }
    out.push_str("</tr></table>");
}

fn tests(out: &mut String, report: &Report, drawn: &[&str]) {
    out.push_str("<h2>Tests</h2><table><tr><th>test<th>choices<th>moves<th>kills first<th>kills<th>in the reduced suite</tr>");
    for (at, test) in report.tests.iter().enumerate() {
        let kept = if report.reduced_suite.contains(&at) {
            "yes"
        } else {
            ""
        };
        let _ = write!(out, "<tr><td>{}", test.file);
        let svg = drawn.contains(&test.file.as_str()).then_some("svg");
        for ext in ["aut", "dot"].into_iter().chain(svg) {
            let _ = write!(out, " <a href=\"{}.{ext}\">.{ext}</a>", test.file);
        }
        let _ = write!(
            out,
            "<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td>{kept}</tr>",
            test.choices, test.moves, test.first_kills, test.kills
        );
    }
    out.push_str("</table>");
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
fn source(out: &mut String, report: &Report, text: &str) {
    out.push_str("<h2>Model</h2><pre>");
    let mut starts: Vec<&MutantReport> = report.mutants.iter().collect();
    starts.sort_by_key(|mutant| (mutant.start, std::cmp::Reverse(mutant.end)));
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
        out.push_str(&escape(&text[at..start]));
        let order = ["given", "unreached", "other", "killed"];
        let worst = group
            .iter()
            .map(|mutant| class(mutant))
            .min_by_key(|c| order.iter().position(|o| o == c));
        let notes: Vec<String> = group
            .iter()
            .map(|m| {
                format!(
                    "{} {} → {}: {} {}",
                    m.id, m.original, m.replacement, m.status, m.detail
                )
            })
            .collect();
        let _ = write!(
            out,
            "<mark class=\"{}\" title=\"{}\">{}</mark>",
            worst.unwrap_or("other"),
            escape(&notes.join("\n")),
            escape(&text[start..end])
        );
        at = end;
    }
    out.push_str(&escape(&text[at..]));
    out.push_str("</pre>");
}

fn mutants(out: &mut String, report: &Report) {
    out.push_str("<h2>All mutants</h2><table><tr><th>id<th>operator<th>place<th>original<th>replacement<th>status<th><th>killed by</tr>");
    for m in &report.mutants {
        let file = |test: &usize| report.tests.get(*test).map(|test| test.file.clone());
        let tests: Vec<String> = m.killed_by.iter().filter_map(file).collect();
        let word = m.status.split(' ').next().unwrap_or_default();
        let _ = write!(
            out,
            "<tr><td class=n>{}<td>{}<td>{}:{}<td><code>{}</code><td><code>{}</code><td class=\"s-{word}\">{}<td>{}<td>{}</tr>",
            m.id,
            m.operator,
            m.line,
            m.column,
            escape(&m.original),
            escape(&m.replacement),
            m.status,
            escape(&m.detail),
            tests.join(", ")
        );
    }
    out.push_str("</table>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
