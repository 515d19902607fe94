//! One mutant on the page: its verdict, its change as a diff, and what is known of it.

use std::fmt::Write;

use crate::change::{Change, change, context, shared};
use crate::communication::CommunicationRecord;
use crate::html::escape::{escaped, long_text, prose, push};
use crate::impact::{DisturbedFunction, Impact};
use crate::number_text::{count, duration};
use crate::outcomes::{FailingOriginal, Kill, MutantRecord, Outcomes, REUSED, TestRecord, Totals};
use crate::verdict::Verdict;
use atropos_mutants::MutantId;
use atropos_protocol::FailureKind;

/// Of tests that reach a mutant, so many are named.
const SHOWN: usize = 3;
/// And of longer lists so many entries, one of them without being asked.
const MOST_ENTRIES: usize = 12;

/// Testing a mutant takes so little time, in seconds, that nobody wants to know, unless it takes longer than this.
const NOTICED: f64 = 0.05;

/// The class of what has this verdict, which is also its name in filters.
pub(super) fn class(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::NotBuilt) => "not-built",
        Some(verdict) => verdict.word(),
        None => "untested",
    }
}

/// The word for it on the page.
pub(super) fn word(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("untested", Verdict::word)
}

/// All verdicts that some mutant may have, in the order of reports.
pub(super) fn verdicts() -> impl Iterator<Item = Option<Verdict>> {
    let killed = Some(Verdict::Killed(FailureKind::Failed));
    let others = Verdict::UNKILLED.into_iter().map(Some);
    [killed].into_iter().chain(others).chain([None])
}

pub(super) fn number_of(totals: &Totals, verdict: Option<Verdict>) -> usize {
    verdict.map_or(totals.untested, |verdict| totals.of(verdict))
}

/// Larger is worse: a line has the colour of its worst mutant.
pub(super) fn badness(verdict: Option<Verdict>) -> u8 {
    match verdict {
        Some(Verdict::Survived) => 5,
        Some(Verdict::Unreached) => 4,
        Some(Verdict::Uninfected) => 3,
        Some(Verdict::Undecided) | None => 2,
        Some(Verdict::Killed(_)) => 1,
        Some(Verdict::Unviable | Verdict::NotBuilt | Verdict::Skipped | Verdict::Accepted) => 0,
    }
}

/// `<span class="v killed">killed</span>`, with how as what the pointer shows.
pub(super) fn badge(verdict: Option<Verdict>) -> String {
    let (class, word) = (class(verdict), word(verdict));
    match verdict {
        Some(Verdict::Killed(how)) => {
            format!("<span class=\"v killed\">killed</span> <small>{how}</small>")
        }
        _ => format!("<span class=\"v {class}\">{word}</span>"),
    }
}

/// What every mutant's element says of it to the script: `data-v="survived" data-o="AOR" data-f="Account::deposit"`.
pub(super) fn data(record: &MutantRecord) -> String {
    let class = class(record.verdict);
    let code = record.info.operator.code();
    let function = escaped(&record.info.function);
    format!("data-v=\"{class}\" data-o=\"{code}\" data-f=\"{function}\"")
}

/// The operator's code; the script adds what it stands for.
pub(super) fn operator(record: &MutantRecord) -> String {
    format!("<abbr>{}</abbr>", record.info.operator.code())
}

/// Everything below the line that names the mutant.
pub(super) fn body(
    page: &mut String,
    record: &MutantRecord,
    outcomes: &Outcomes,
    text: Option<&str>,
) {
    page.push_str("<div class=\"body\">");
    let number = record.info.id;
    let is_missed = record.verdict.is_some_and(Verdict::is_missed);
    // Of others it would only make the page larger: they stand at their lines.
    let around = text
        .filter(|_| is_missed)
        .map(|text| context(&record.info, text));
    let (before, after) = around.unwrap_or_default();
    diff(page, &change(&record.info, text), &before, &after);
    if record.info.key.contains('+') {
        page.push_str("<p class=\"faint\">This is the first of two changes that act together.</p>");
    }
    page.push_str("<dl>");
    if let Some(impact) = &record.impact {
        fact(page, "why", &escaped(&impact.reason()));
        if let Some(suggestion) = &impact.suggestion {
            let mut write = prose(&suggestion.words);
            if !suggestion.code.trim().is_empty() {
                write += &format!("<pre>{}</pre>", escaped(suggestion.code.trim_end()));
            }
            fact(page, "write", &write);
        }
        disturbed(page, impact);
    }
    if let Some(note) = &record.note {
        fact(page, "because", &long_text(note));
    }
    for kill in &record.killed_by {
        killed_by(page, kill, number, &outcomes.tests);
    }
    let explored = record.explored_by.iter().map(|explored| {
        let test = test_name(&outcomes.tests, explored.test);
        let schedules = count(explored.schedules as usize, "schedule");
        let coverage = escaped(&explored.coverage);
        format!("{test}: {coverage} ({schedules} run)")
    });
    list(page, "explored", explored);
    if !record.reached_by.is_empty() {
        fact(
            page,
            "reached by",
            &reached_by(&record.reached_by, &outcomes.tests),
        );
    }
    if is_missed {
        let key = escaped(&record.info.key);
        let accept = format!("<code class=\"copy\">cargo atropos accept {key} --reason ''</code>");
        fact(page, "accept", &accept);
    }
    if record.reused {
        fact(page, "found by", REUSED);
    }
    if record.seconds >= NOTICED {
        fact(page, "time", &duration(record.seconds));
    }
    page.push_str("</dl></div>");
}

fn fact(page: &mut String, label: &str, html: &str) {
    write!(page, "<dt>{label}<dd>{html}").expect("a string takes everything");
}

/// The lines that go and those that come; within a single line, what differs stands out.
pub(super) fn diff(page: &mut String, change: &Change, before: &[&str], after: &[&str]) {
    page.push_str("<pre class=\"diff\">");
    let indent = change.indent;
    unchanged(page, before, indent);
    match (&change.removed[..], &change.added[..]) {
        ([], []) => page.push_str("only blanks change"),
        ([old], [new]) if are_alike(old, new) => {
            let (before, after) = shared(old, new);
            emphasised(page, "del", old, before, after);
            emphasised(page, "ins", new, before, after);
        }
        (removed, added) => {
            for line in removed {
                emphasised(page, "del", line, line.len(), 0);
            }
            for line in added {
                emphasised(page, "ins", line, line.len(), 0);
            }
        }
    }
    unchanged(page, after, indent);
    page.push_str("</pre>");
}

/// Lines around a change, indented as it is.
fn unchanged(page: &mut String, lines: &[&str], indent: usize) {
    for line in lines {
        page.push_str("<span>");
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        push(page, &line[blanks.min(indent)..]);
        page.push_str("</span>");
    }
}

/// Whether two lines share enough for what differs to stand out.
fn are_alike(old: &str, new: &str) -> bool {
    let (before, after) = shared(old, new);
    (before + after) * 3 >= old.len().min(new.len())
}

fn emphasised(page: &mut String, tag: &str, line: &str, before: usize, after: usize) {
    let end = line.len() - after;
    write!(page, "<{tag}>").expect("a string takes everything");
    push(page, &line[..before]);
    if before < end {
        page.push_str("<b>");
        push(page, &line[before..end]);
        page.push_str("</b>");
    }
    push(page, &line[end..]);
    write!(page, "</{tag}>").expect("a string takes everything");
}

fn killed_by(page: &mut String, kill: &Kill, mutant: MutantId, tests: &[TestRecord]) {
    let mut text = format!("{}: {}", test_name(tests, kill.test), kill.how);
    if let Some(location) = &kill.location {
        text += &format!(" at <code>{}</code>", escaped(location));
    }
    if let Some(message) = &kill.message {
        text += &format!("<pre>{}</pre>", long_text(message));
    }
    fact(page, "killed by", &text);
    if let Some(schedule) = &kill.schedule {
        let again = format!(
            "<code class=\"copy\">cargo atropos replay --mutant {mutant}</code> runs it again"
        );
        threads(page, schedule, kill.trace.as_deref(), &again);
    } else if let Some(trace) = &kill.trace {
        trace_of(page, trace);
    }
}

fn threads(page: &mut String, schedule: &str, trace: Option<&str>, again: &str) {
    let schedule = long_text(schedule);
    fact(
        page,
        "schedule",
        &format!("<code class=\"wide\">{schedule}</code> {again}"),
    );
    if let Some(trace) = trace {
        trace_of(page, trace);
    }
}

fn trace_of(page: &mut String, trace: &str) {
    let trace = format!(
        "<pre class=\"trace\" tabindex=\"0\">{}</pre>",
        long_text(trace.trim_end())
    );
    fact(page, "threads", &trace);
}

/// A test that fails without any mutant.
pub(super) fn finding(page: &mut String, finding: &FailingOriginal, outcomes: &Outcomes) {
    let test = test_name(&outcomes.tests, finding.test);
    let title = escaped(&finding.title);
    write!(
        page,
        "<article class=\"finding\"><h3>{test}: {title}</h3><pre>{}</pre><dl>",
        long_text(finding.message.trim_end())
    )
    .expect("a string takes everything");
    let name = outcomes
        .tests
        .get(finding.test)
        .map(|test| escaped(&test.name));
    let again = name.map(|name| {
        format!("<code class=\"copy\">cargo atropos replay {name}</code> runs it again")
    });
    match &finding.schedule {
        Some(schedule) => threads(
            page,
            schedule,
            Some(&finding.trace),
            &again.unwrap_or_default(),
        ),
        None => trace_of(page, &finding.trace),
    }
    if !finding.undecided.is_empty() {
        let links: Vec<String> = finding
            .undecided
            .iter()
            .map(|id| format!("<a href=\"#m{0}\">{0}</a>", id.0))
            .collect();
        fact(
            page,
            "so",
            &format!("it decides nothing about mutants {}", links.join(", ")),
        );
    }
    page.push_str("</dl></article>");
}

/// The parts of a survivor's score.
fn disturbed(page: &mut String, impact: &Impact) {
    if impact.score == 0 && impact.communications.is_empty() {
        return;
    }
    let place = |disturbed: &DisturbedFunction| {
        let function = escaped(&disturbed.function);
        match disturbed.distance {
            Some(0) => format!("<code>{function}</code>, its own function"),
            Some(1) => format!("<code>{function}</code>, 1 call away"),
            Some(calls) => format!("<code>{function}</code>, {calls} calls away"),
            None => format!("<code>{function}</code>"),
        }
    };
    let broken = impact.invariants.iter().map(|broken| {
        let seen = broken
            .seen
            .as_ref()
            .map(|seen| format!(", seen: {}", escaped(seen)));
        let invariant = escaped(&broken.invariant);
        format!(
            "<code>{invariant}</code>{} in {}",
            seen.unwrap_or_default(),
            place(&broken.at)
        )
    });
    list(page, "breaks", broken);
    list(page, "returns otherwise", impact.returns.iter().map(place));
    list(page, "runs otherwise", impact.executions.iter().map(place));
    let new = |new: &CommunicationRecord| {
        let never = match new.certain {
            true => "never in the original",
            false => "in no explored schedule of the original",
        };
        format!("{never}: {}", prose(&new.words()))
    };
    list(page, "threads", impact.communications.iter().map(new));
}

/// A list without its end, if it is very long. A long one is folded behind its first entry.
fn list(page: &mut String, label: &str, entries: impl ExactSizeIterator<Item = String>) {
    let all = entries.len();
    let mut entries = entries.take(MOST_ENTRIES);
    let Some(first) = entries.next() else {
        return;
    };
    let rest: Vec<String> = entries.collect();
    if rest.is_empty() {
        return fact(page, label, &first);
    }
    let more = all - 1 - rest.len();
    let mut html = format!(
        "{first}<details><summary>and {} more</summary><ul>",
        all - 1
    );
    for entry in rest {
        write!(html, "<li>{entry}").expect("a string takes everything");
    }
    if more > 0 {
        write!(html, "<li class=\"faint\">and {more} more").expect("a string takes everything");
    }
    html.push_str("</ul></details>");
    fact(page, label, &html);
}

fn reached_by(tests: &[usize], records: &[TestRecord]) -> String {
    let name = |test: &usize| records.get(*test).map(|test| escaped(&test.name));
    let names: Vec<String> = tests.iter().take(SHOWN).filter_map(name).collect();
    let more = match tests.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{}: <code>{}</code>{more}",
        count(tests.len(), "test"),
        names.join(", ")
    )
}

/// A test's name with its target, as code.
pub(super) fn test_name(tests: &[TestRecord], test: usize) -> String {
    match tests.get(test) {
        Some(test) => format!(
            "<code>{}</code> <small>({})</small>",
            escaped(&test.name),
            escaped(&test.target)
        ),
        None => format!("test {test}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_within_a_line_stands_out() {
        let mut page = String::new();
        let change = Change {
            removed: vec!["a < b".into()],
            added: vec!["a <= b".into()],
            indent: 4,
        };
        diff(&mut page, &change, &["  let a;", "    &"], &[]);
        assert_eq!(
            page,
            "<pre class=\"diff\"><span>let a;</span><span>&amp;</span><del>a &lt; b</del><ins>a &lt;<b>=</b> b</ins></pre>"
        );
    }
}
