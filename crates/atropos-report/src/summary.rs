//! What a run prints at its end: the survivors with their source lines, and the figures. Made for
//! someone who sees it for the first time.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::by_file;
use crate::mutant::MutantInfo;
use crate::number_text::{count, duration, percent};
use crate::outcomes::{MutantRecord, Outcomes, Timings, Totals};
use crate::ranked::{is_ranked, ranked};
use crate::snippet::snippet;
use crate::style::{self, styled};
use crate::verdict::Verdict;
use atropos_protocol::FailureKind;

/// How many survivors are shown unless all are asked for.
const SHOWN: usize = 50;

/// How the summary is to look.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'l> {
    /// Columns of the terminal.
    pub width: usize,
    /// Show every survivor, however many there are.
    pub all: bool,
    /// Show only so many, if they are ranked.
    pub top: Option<usize>,
    /// Where the rest can be found.
    pub outcomes_path: &'l str,
    /// The files that were written for people and other programs, each with the word for it.
    pub reports: &'l [(&'l str, String)],
}

/// The text of a file, by its path in the report.
pub type Sources<'s> = &'s dyn Fn(&str) -> Option<String>;

/// The whole summary, with colours.
pub fn summary(outcomes: &Outcomes, sources: Sources, layout: Layout) -> String {
    let mut text = String::new();
    if is_ranked(outcomes) {
        text.push_str(&ranked(outcomes, sources, layout, SHOWN));
    } else {
        text.push_str(&missed(outcomes, sources, layout));
    }
    text.push_str(&unreached(outcomes, layout));
    text.push_str(&figures(outcomes));
    for (word, path) in layout.reports {
        writeln!(text, "{:<6} {path}", format!("{word}:")).expect("a string takes everything");
    }
    text
}

/// Survived and uninfected mutants, each with its line.
fn missed(outcomes: &Outcomes, sources: Sources, layout: Layout) -> String {
    let mut records: Vec<&MutantRecord> = outcomes
        .mutants
        .iter()
        .filter(|record| {
            matches!(
                record.verdict,
                Some(Verdict::Survived | Verdict::Uninfected)
            )
        })
        .collect();
    if records.is_empty() {
        return String::new();
    }
    records.sort_by(|left, right| position(&left.info).cmp(&position(&right.info)));
    let shown = if layout.all {
        records.len()
    } else {
        records.len().min(SHOWN)
    };
    let mut text = styled(style::HEADING, "Changes that no test noticed:") + "\n\n";
    let mut texts = BTreeMap::new();
    for place in records[..shown].chunk_by(|left, right| same_place(left, right)) {
        for record in place {
            let info = &record.info;
            let styled_place = styled(style::PLACE, info.place());
            writeln!(text, "{styled_place}: {}", info.deed()).expect("a string takes everything");
        }
        let info = &place[0].info;
        let source = texts
            .entry(info.file.as_str())
            .or_insert_with(|| sources(&info.file));
        let drawn = source
            .as_deref()
            .and_then(|source| snippet(info, source, &label(place), layout.width));
        text.push_str(&drawn.unwrap_or_default());
        text.push('\n');
    }
    if shown < records.len() {
        writeln!(
            text,
            "and {} more; see {}, or use -v to show all\n",
            records.len() - shown,
            layout.outcomes_path
        )
        .expect("a string takes everything");
    }
    let first = records[0].info.id.0;
    writeln!(
        text,
        "(`cargo atropos show {first}` tells more about mutant {first}.)\n"
    )
    .expect("a string takes everything");
    text
}

pub(crate) fn position(info: &MutantInfo) -> (&str, u32, u32, u32) {
    (&info.file, info.line, info.column, info.id.0)
}

/// Whether two mutants can share one picture.
pub(crate) fn same_place(left: &MutantRecord, right: &MutantRecord) -> bool {
    let place = |record: &MutantRecord| (record.info.line, record.info.column, record.info.span);
    left.info.file == right.info.file
        && place(left) == place(right)
        && left.verdict == right.verdict
}

/// `mutants 4, 5`, which `cargo atropos show` takes.
pub(crate) fn label(place: &[&MutantRecord]) -> String {
    let ids: Vec<String> = place
        .iter()
        .map(|record| record.info.id.0.to_string())
        .collect();
    let noun = if ids.len() == 1 { "mutant" } else { "mutants" };
    let why = match place[0].verdict {
        Some(Verdict::Uninfected) => " (never made a difference)",
        _ => "",
    };
    format!("{noun} {}{why}", ids.join(", "))
}

/// Unreached mutants by function: what they need is a test, whatever they change.
fn unreached(outcomes: &Outcomes, layout: Layout) -> String {
    let functions = by_file::unreached(outcomes);
    if functions.is_empty() {
        return String::new();
    }
    let shown = if layout.all {
        functions.len()
    } else {
        functions.len().min(SHOWN)
    };
    let mut text = styled(style::HEADING, "Code that no test runs:") + "\n\n";
    for one in &functions[..shown] {
        let place = styled(style::PLACE, format!("{}:{}", one.file, one.line));
        let function = match one.function {
            "" => String::new(),
            function => format!("fn {function}, "),
        };
        writeln!(text, "{place}: {function}{}", count(one.mutants, "mutant"))
            .expect("a string takes everything");
    }
    if shown < functions.len() {
        writeln!(
            text,
            "and {} more",
            count(functions.len() - shown, "function")
        )
        .expect("a string takes everything");
    }
    text.push('\n');
    text
}

/// The numbers of each verdict, the score and the times.
fn figures(outcomes: &Outcomes) -> String {
    let totals = &outcomes.totals;
    let mut text = String::new();
    let tested = totals.mutants - totals.untested;
    let heading = if outcomes.complete {
        format!("{}:", count(totals.mutants, "mutant"))
    } else {
        format!(
            "Interrupted after {tested} of {}:",
            count(totals.mutants, "mutant")
        )
    };
    writeln!(text, "{}", styled(style::HEADING, heading)).expect("a string takes everything");
    let killed = Verdict::Killed(FailureKind::Failed);
    for verdict in [killed].into_iter().chain(Verdict::UNKILLED) {
        let number = totals.of(verdict);
        if number == 0 && verdict != killed && verdict != Verdict::Survived {
            continue;
        }
        let explanation = match verdict {
            Verdict::Killed(_) if number > 0 => ways(totals),
            verdict => verdict.explanation().to_owned(),
        };
        let style = if number == 0 {
            style::FAINT
        } else {
            style::of_verdict(verdict)
        };
        let word = styled(style, format!("{:<10}", verdict.word()));
        let explanation = styled(style::FAINT, explanation);
        writeln!(text, "  {word} {number:>6}   {explanation}").expect("a string takes everything");
    }
    if outcomes.complete && totals.untested > 0 {
        let word = styled(style::WARNING, format!("{:<10}", "undecided"));
        let number = totals.untested;
        let explanation = styled(
            style::FAINT,
            "it can't be told what the tests would say; `show ID` says why",
        );
        writeln!(text, "  {word} {number:>6}   {explanation}").expect("a string takes everything");
    }
    text.push('\n');
    text.push_str(&score(outcomes));
    text.push_str(&times(&outcomes.timings));
    text
}

/// `a test noticed the change (120 panicked, 3 step limit)`
fn ways(totals: &Totals) -> String {
    let ways: Vec<String> = FailureKind::GENERAL
        .iter()
        .filter_map(|how| Some(format!("{} {how}", totals.killed_how.get(how)?)))
        .collect();
    let explanation = Verdict::Killed(FailureKind::Failed).explanation();
    format!("{explanation} ({})", ways.join(", "))
}

fn score(outcomes: &Outcomes) -> String {
    let totals = &outcomes.totals;
    let whole = totals.killed + totals.missed();
    let Some(score) = outcomes.score_of(totals) else {
        return match (outcomes.complete, totals.skipped) {
            (true, 1..) => format!(
                "No score: {} of {whole} killed now, and {} were skipped because an earlier run has killed them\n",
                totals.killed, totals.skipped
            ),
            _ => String::new(),
        };
    };
    let selected = outcomes
        .selected_of
        .map(|found| format!(" of the selected mutants, out of {found}"));
    let mut line = format!(
        "Score: {}{} ({} of {whole} killed)",
        styled(style::HEADING, percent(score)),
        selected.unwrap_or_default(),
        totals.killed
    );
    if let (1.., Some(of_reached)) = (totals.unreached, totals.score_of_reached()) {
        let of_reached = percent(of_reached);
        write!(line, "; {of_reached} in code that tests run").expect("a string takes everything");
    }
    line + "\n"
}

fn times(timings: &Timings) -> String {
    let stages = [
        ("check", timings.check),
        ("build", timings.build),
        ("tests alone", timings.baseline),
        ("mutants", timings.run),
        ("impact", timings.impact),
    ];
    let stages: Vec<String> = stages
        .iter()
        .filter(|(_, seconds)| *seconds > 0.0)
        .map(|(stage, seconds)| format!("{stage} {}", duration(*seconds)))
        .collect();
    let mut line = format!("Time:  {}", duration(timings.total));
    if !stages.is_empty() {
        write!(line, " ({})", stages.join(", ")).expect("a string takes everything");
    }
    line + "\n"
}
