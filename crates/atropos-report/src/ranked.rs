//! The survivors in the order of their ranks: by function, each with why it stands where it stands
//! and what to write. Those that never made a difference come last.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::by_file::by_function;
use crate::impact::{NEVER_INFECTED, Suggestion};
use crate::number_text::{count, wrapped};
use crate::outcomes::{MutantRecord, Outcomes};
use crate::snippet::snippet;
use crate::style::{self, styled};
use crate::summary::{Layout, Sources, label, position, same_place};
use crate::verdict::Verdict;

/// What is said of a mutant stands behind so many blanks, and is no wider than people like to read.
const INDENT: usize = 9;
const WIDTH: usize = 100;

/// Whether the run has an order to show.
pub(crate) fn is_ranked(outcomes: &Outcomes) -> bool {
    outcomes.mutants.iter().any(|record| record.rank.is_some())
}

/// All ranked mutants, or the first of them.
pub(crate) fn ranked(
    outcomes: &Outcomes,
    sources: Sources,
    layout: Layout,
    shown: usize,
) -> String {
    let mut records: Vec<&MutantRecord> = outcomes
        .mutants
        .iter()
        .filter(|record| record.rank.is_some())
        .collect();
    records.sort_by_key(|record| record.rank);
    let all = records.len();
    let shown = match (layout.top, layout.all) {
        (Some(top), _) => top,
        (None, true) => all,
        (None, false) => shown,
    };
    records.truncate(shown);
    let is_survived = |record: &&MutantRecord| record.verdict == Some(Verdict::Survived);
    let (survived, uninfected): (Vec<_>, Vec<_>) = records.iter().copied().partition(is_survived);
    let mut page = Page {
        sources,
        layout,
        texts: BTreeMap::new(),
        told: BTreeSet::new(),
        text: String::new(),
    };
    if !survived.is_empty() {
        page.heading("Changes that no test noticed, the most disturbing first:");
        for function in by_function(&survived) {
            page.function(&function);
        }
    }
    if !uninfected.is_empty() {
        let heading = format!("Changes that never made a difference ({NEVER_INFECTED}):");
        page.heading(&heading);
        let mut uninfected = uninfected;
        uninfected.sort_by(|left, right| position(&left.info).cmp(&position(&right.info)));
        for place in uninfected.chunk_by(|left, right| same_place(left, right)) {
            page.place(place);
        }
    }
    if shown < all {
        page.line(&format!(
            "and {} more; see {}, or use -v to show all\n",
            all - shown,
            layout.outcomes_path
        ));
    }
    if let Some(first) = records.first() {
        let first = first.info.id.0;
        page.line(&format!(
            "(`cargo atropos show {first}` tells more about mutant {first}.)\n"
        ));
    }
    page.text
}

struct Page<'s> {
    sources: Sources<'s>,
    layout: Layout<'s>,
    texts: BTreeMap<String, Option<String>>,
    /// What was said of mutants that disturb nothing, without its numbers.
    told: BTreeSet<String>,
    text: String,
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string takes everything");
    }

    fn heading(&mut self, heading: &str) {
        self.line(&(styled(style::HEADING, heading) + "\n"));
    }

    /// The mutants of one function. Those of one place that disturb as much share a picture.
    fn function(&mut self, records: &[&MutantRecord]) {
        if records.len() > 1 && !records[0].info.function.is_empty() {
            let number = count(records.len(), "survivor");
            self.line(&format!("fn {}: {number}", records[0].info.function));
        }
        let alike = |left: &&MutantRecord, right: &&MutantRecord| {
            same_place(left, right) && left.impact == right.impact
        };
        for place in records.chunk_by(alike) {
            self.place(place);
        }
    }

    fn place(&mut self, place: &[&MutantRecord]) {
        for record in place {
            let info = &record.info;
            let rank = record
                .rank
                .map(|rank| format!("{rank}. "))
                .unwrap_or_default();
            let styled_place = styled(style::PLACE, info.place());
            self.line(&format!("{rank}{styled_place}: {}", info.deed()));
        }
        let info = &place[0].info;
        let sources = self.sources;
        let source = self
            .texts
            .entry(info.file.clone())
            .or_insert_with(|| sources(&info.file));
        let drawn = source
            .as_deref()
            .and_then(|source| snippet(info, source, &label(place), self.layout.width));
        self.text.push_str(&drawn.unwrap_or_default());
        if let Some(impact) = &place[0].impact {
            self.line(&format!("  why:   {}", impact.reason()));
            if let Some(Suggestion { words, code }) = &impact.suggestion
                && !(impact.score == 0 && self.is_told(words))
            {
                let width = self.layout.width.clamp(40, WIDTH) - INDENT;
                for (index, line) in wrapped(words, width).iter().enumerate() {
                    let label = if index == 0 { "  write: " } else { "" };
                    self.line(&format!("{label:INDENT$}{line}"));
                }
                for line in code.lines() {
                    self.line(&format!("{:INDENT$}    {line}", ""));
                }
            }
        }
        self.text.push('\n');
    }

    /// Whether this was said before, but for the lines that it names.
    fn is_told(&mut self, words: &str) -> bool {
        let without_numbers = words.chars().filter(|letter| !letter.is_ascii_digit());
        !self.told.insert(without_numbers.collect())
    }
}
