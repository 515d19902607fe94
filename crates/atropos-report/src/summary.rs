//! What a run prints at its end: the score, the places to look at, and what else there is. Made for someone who sees it
//! for the first time. By default it fits on one screen; everything is shown on request.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use atropos_protocol::FailureKind;

use crate::gaps::{Gap, OmittedGaps, by_line, gaps};
use crate::impact::NEVER_INFECTED;
use crate::lines::Lines;
use crate::mutant::MutantInfo;
use crate::number_text::{count, duration, percent, shortened, wrapped};
use crate::outcomes::{MutantRecord, Outcomes, Timings, Totals};
use crate::style::{self, styled};
use crate::verdict::Verdict;

/// How many places are shown unless all are asked for.
const PLACES: usize = 10;
/// Lines of a screen that nobody knows, and the least that is used of any.
const SCREEN: usize = 40;
const LEAST_SCREEN: usize = 20;
/// Of one place, so many source lines, and lines of code to write, unless all are asked for.
const SHORT: usize = 2;
/// Lines of words that say what to write.
const MOST_WORDS: usize = 3;
/// No text is wider than people like to read.
const WIDTH: usize = 100;
/// What is said of a place stands behind so many blanks.
const INDENT: usize = 4;

/// How the summary is to look.
#[derive(Clone, Copy, Debug)]
pub struct SummaryLayout<'l> {
    /// Columns of the terminal.
    pub width: usize,
    /// Its lines, if that is known.
    pub height: Option<usize>,
    /// Show every place, however many there are, and all figures.
    pub all: bool,
    /// Show so many places.
    pub top: Option<usize>,
    /// Where the rest can be found.
    pub outcomes_path: &'l str,
    /// The files that were written for people and other programs, each with the word for it.
    pub reports: &'l [(&'l str, String)],
}

/// The text of a file, by its path in the report.
pub type Sources<'s> = &'s dyn Fn(&str) -> Option<String>;

/// The whole summary, with colours.
pub fn summary(outcomes: &Outcomes, sources: Sources, layout: SummaryLayout) -> String {
    let mut text = Text {
        sources,
        layout,
        texts: BTreeMap::new(),
        told: BTreeSet::new(),
        lines: Vec::new(),
    };
    text.lines.extend(score(outcomes, text.width()));
    if layout.all {
        text.lines.extend(figures(outcomes));
    }
    text.lines.push(String::new());
    let gaps = gaps(outcomes);
    let shown = text.places(outcomes, &gaps);
    text.rest(&gaps[shown..]);
    text.lines.extend(
        layout
            .reports
            .iter()
            .map(|(word, path)| format!("{:<6} {path}", format!("{word}:"))),
    );
    text.lines.join("\n").trim_end().to_owned() + "\n"
}

pub(crate) fn position(info: &MutantInfo) -> (&str, u32, u32, u32) {
    (&info.file, info.line, info.column, info.id.0)
}

struct Text<'s> {
    sources: Sources<'s>,
    layout: SummaryLayout<'s>,
    texts: BTreeMap<String, Option<String>>,
    /// What was said of places that disturb nothing, without its numbers.
    told: BTreeSet<String>,
    lines: Vec<String>,
}

impl Text<'_> {
    fn width(&self) -> usize {
        self.layout.width.clamp(40, WIDTH)
    }

    /// The places that fit; gives how many these are.
    fn places(&mut self, outcomes: &Outcomes, gaps: &[Gap]) -> usize {
        if gaps.is_empty() {
            return 0;
        }
        let most = match (self.layout.top, self.layout.all) {
            (Some(top), _) => top,
            (None, true) => usize::MAX,
            (None, false) => PLACES,
        };
        // The lines behind the places: what else there is (two), the reports, the reason of the exit code, the prompt.
        let behind = self.layout.reports.len() + 5;
        let screen = self.layout.height.unwrap_or(SCREEN).max(LEAST_SCREEN) - behind;
        let heading = self.lines.len();
        let mut shown = 0;
        for (index, gap) in gaps.iter().take(most).enumerate() {
            let block = self.block(index + 1, gap);
            let fits = self.lines.len() + 1 + block.len() <= screen;
            if index > 0 && !fits && !self.layout.all && self.layout.top.is_none() {
                break;
            }
            self.lines.extend(block);
            shown += 1;
        }
        let is_ranked = outcomes.mutants.iter().any(|record| record.rank.is_some());
        let order = match is_ranked {
            true => ", the most disturbing first",
            false => "",
        };
        let number = match shown == gaps.len() {
            true => String::new(),
            false => format!(" ({shown} of {})", gaps.len()),
        };
        let text = format!("What no test notices{order}{number}:");
        self.lines.insert(heading, styled(style::HEADING, text));
        shown
    }

    /// What is not shown, and how to see it.
    fn rest(&mut self, gaps: &[Gap]) {
        let words = OmittedGaps::of(gaps).words();
        if words.is_empty() {
            return;
        }
        let page = self.layout.reports.iter().find(|(word, _)| *word == "Page");
        let elsewhere = page.map_or(self.layout.outcomes_path, |(_, path)| path);
        let line = format!("and {words}: `--all` shows them, and so does {elsewhere}");
        self.lines.extend(wrapped(&line, self.width()));
    }

    /// One place: the function, its lines with all changes there, why, and what to write.
    fn block(&mut self, number: usize, gap: &Gap) -> Vec<String> {
        let number = format!("{number:>2}.");
        match gap {
            Gap::Survived(records) => {
                let mut block = vec![heading(&number, records, "")];
                block.extend(self.changes(records));
                block.extend(self.reason(records));
                block
            }
            Gap::Unreached(function) => {
                let place = styled(style::PLACE, format!("{}:{}", function.file, function.line));
                let name = match function.function {
                    "" => String::new(),
                    name => format!(" fn {name}"),
                };
                let mutants = count(function.mutants, "mutant");
                vec![format!(
                    "{number} {place}{name}: no test runs it ({mutants})"
                )]
            }
            Gap::Uninfected(records) => {
                let mut block = vec![heading(&number, records, ": never made a difference")];
                block.extend(self.changes(records));
                block.extend(self.labelled("why:", NEVER_INFECTED));
                block
            }
        }
    }

    /// The source lines of a place, each with its changes under it.
    fn changes(&mut self, records: &[&MutantRecord]) -> Vec<String> {
        let lines = by_line(records);
        let most = if self.layout.all { usize::MAX } else { SHORT };
        let mut block = Vec::new();
        for line in lines.iter().take(most) {
            block.extend(self.line(line));
        }
        if lines.len() > most {
            let mutants: usize = lines[most..].iter().map(Vec::len).sum();
            let (lines, mutants) = (lines.len() - most, count(mutants, "change"));
            block.push(format!(
                "{:INDENT$}and {mutants} on {}",
                "",
                count(lines, "more line")
            ));
        }
        block
    }

    fn line(&mut self, records: &[&MutantRecord]) -> Vec<String> {
        let info = &records[0].info;
        let number = info.line.to_string();
        let width = self.width().saturating_sub(INDENT + number.len() + 3);
        let bar = styled(style::FAINT, "|");
        let mut lines = Vec::new();
        if let Some(source) = self.source(info) {
            let source = shortened(&source, width);
            let number = styled(style::FAINT, &number);
            lines.push(format!("{:INDENT$}{number} {bar} {source}", ""));
        }
        let changes: Vec<String> = records
            .iter()
            .map(|record| {
                let summary = shortened(&record.info.summary, width.saturating_sub(10));
                format!("{summary} [{}]", record.info.id.0)
            })
            .collect();
        let changes = match self.layout.all {
            true => wrapped(&changes.join("; "), width),
            false => vec![in_one_line(&changes, width)],
        };
        let blank = " ".repeat(number.len());
        lines.extend(changes.iter().map(|change| {
            let change = styled(style::CARET, change);
            format!("{:INDENT$}{blank} {bar} {change}", "")
        }));
        lines
    }

    /// The text of a mutant's line, if the file is the one that the mutant was made for.
    fn source(&mut self, info: &MutantInfo) -> Option<String> {
        let sources = self.sources;
        let entry = self.texts.entry(info.file.clone());
        let text = entry.or_insert_with(|| sources(&info.file)).as_deref()?;
        let span = info.span;
        if text.get(span.start..span.end)? != info.original {
            return None;
        }
        Lines::of(text).line(info.line).map(str::to_owned)
    }

    /// Why the place stands where it stands, and what to write: once, of the change that disturbs most.
    fn reason(&mut self, records: &[&MutantRecord]) -> Vec<String> {
        let Some(impact) = records.iter().find_map(|record| record.impact.as_ref()) else {
            return Vec::new();
        };
        let mut block = self.labelled("why:", &impact.reason());
        let Some(suggestion) = &impact.suggestion else {
            return block;
        };
        if impact.score == 0 && self.is_told(&suggestion.words) {
            return block;
        }
        let code: Vec<&str> = suggestion.code.lines().collect();
        let indent = INDENT + 7;
        let fits = |line: &str| line.chars().count() + indent <= self.width();
        if self.layout.all {
            block.extend(self.labelled("write:", &suggestion.words));
            block.extend(code.iter().map(|line| format!("{:indent$}{line}", "")));
        } else if (1..=SHORT).contains(&code.len()) && code.iter().all(|line| fits(line)) {
            let labels = ["write:", ""].into_iter();
            let lines = labels.zip(code);
            block.extend(lines.map(|(label, line)| format!("{:INDENT$}{label:<6} {line}", "")));
        } else {
            let mut lines = self.labelled("write:", &suggestion.words);
            if lines.len() > MOST_WORDS {
                lines.truncate(MOST_WORDS);
                // Lines end at least this far from the edge.
                lines[MOST_WORDS - 1] += " …";
            }
            block.extend(lines);
        }
        block
    }

    fn labelled(&self, label: &str, text: &str) -> Vec<String> {
        let lines = wrapped(text, self.width().saturating_sub(INDENT + 9));
        let labels = [label].into_iter().chain(std::iter::repeat(""));
        lines
            .iter()
            .zip(labels)
            .map(|(line, label)| format!("{:INDENT$}{label:<6} {line}", ""))
            .collect()
    }

    /// Whether this was said before, but for the lines that it names.
    fn is_told(&mut self, words: &str) -> bool {
        let without_numbers = words.chars().filter(|letter| !letter.is_ascii_digit());
        !self.told.insert(without_numbers.collect())
    }
}

/// As many changes as fit, and how many there are besides.
fn in_one_line(changes: &[String], width: usize) -> String {
    let shown = |number: usize| {
        let more = match changes.len() - number {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        changes[..number].join("; ") + &more
    };
    let fits = |number: &usize| shown(*number).chars().count() <= width;
    let most = (1..=changes.len()).rev().find(fits);
    shortened(&shown(most.unwrap_or(1)), width)
}

/// ` 1. src/account.rs:41 fn Account::withdraw`
fn heading(number: &str, records: &[&MutantRecord], what: &str) -> String {
    let info = &records[0].info;
    let first = records.iter().map(|record| record.info.line).min();
    let place = format!("{}:{}", info.file, first.unwrap_or(info.line));
    let function = match info.function.as_str() {
        "" => String::new(),
        name => format!(" fn {name}"),
    };
    format!("{number} {}{function}{what}", styled(style::PLACE, place))
}

/// The score with the numbers of each verdict, in one line or two.
fn score(outcomes: &Outcomes, width: usize) -> Vec<String> {
    let totals = &outcomes.totals;
    let whole = totals.killed + totals.missed();
    let mutants = count(totals.mutants, "mutant");
    let mut line = match outcomes.score_of(totals) {
        Some(score) => {
            let selected = outcomes
                .selected_of
                .map(|found| format!(" of the selected mutants, out of {found}"));
            format!(
                "Score: {}{} ({} of {whole} killed)",
                styled(style::HEADING, percent(score)),
                selected.unwrap_or_default(),
                totals.killed
            )
        }
        None if !outcomes.complete => {
            let tested = totals.mutants - totals.untested;
            format!("Interrupted after {tested} of {mutants}")
        }
        None if totals.skipped > 0 => format!(
            "No score: {} of {whole} killed now, and {} were skipped because an earlier run has killed them",
            totals.killed, totals.skipped
        ),
        None => format!("No score: none of {mutants} counts"),
    };
    if let (1.., Some(of_reached), true) = (
        totals.unreached,
        totals.score_of_reached(),
        outcomes.score_of(totals).is_some(),
    ) {
        let of_reached = percent(of_reached);
        write!(line, "; {of_reached} in code that tests run").expect("a string takes everything");
    }
    let others = Verdict::UNKILLED
        .into_iter()
        .filter(|verdict| totals.of(*verdict) > 0)
        .map(|verdict| format!("{} {}", totals.of(verdict), verdict.word()));
    let others: Vec<String> = others.collect();
    let by_memory: Vec<String> = totals
        .killed_by_memory()
        .map(|(how, number)| format!("{number} {how}"))
        .collect();
    let killed = match by_memory.is_empty() {
        true => format!("{} killed", totals.killed),
        false => format!("{} killed ({})", totals.killed, by_memory.join(", ")),
    };
    let reused = outcomes.mutants.iter().filter(|mutant| mutant.reused);
    let reused = match reused.count() {
        0 => String::new(),
        number => format!("; {number} reused from earlier runs"),
    };
    let numbers = [vec![killed], others].concat().join(", ") + &reused;
    let numbers = format!(
        "{mutants} in {}: {numbers}",
        duration(outcomes.timings.total)
    );
    let mut lines = vec![line];
    if let (Some(without), Some(_)) = (totals.score_without_memory(), outcomes.score_of(totals)) {
        let without = percent(without);
        lines.push(format!(
            "Score not counting data races and memory errors: {without}"
        ));
    }
    lines.extend(wrapped(&numbers, width));
    lines
}

/// What each verdict means, how mutants were killed, and where the time went.
fn figures(outcomes: &Outcomes) -> Vec<String> {
    let totals = &outcomes.totals;
    let mut lines = vec![String::new()];
    let killed = Verdict::Killed(FailureKind::Failed);
    for verdict in [killed].into_iter().chain(Verdict::UNKILLED) {
        let number = totals.of(verdict);
        if number == 0 {
            continue;
        }
        let explanation = match verdict {
            Verdict::Killed(_) => ways(totals),
            verdict => verdict.explanation().to_owned(),
        };
        let word = styled(
            style::of_verdict(verdict),
            format!("{:<10}", verdict.word()),
        );
        let explanation = styled(style::FAINT, explanation);
        lines.push(format!("  {word} {number:>6}   {explanation}"));
    }
    lines.push(String::new());
    lines.push(times(&outcomes.timings));
    lines
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
    line
}
