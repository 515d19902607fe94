//! A file as people know it: its lines with their numbers, and under each line its mutants.
//!
//! A line is a `<li>`, whose number the browser draws, so that a file of many lines costs little more
//! than its text. Mutants that stand in the list of survivors are not written a second time: there is
//! only a reference, which the script fills in when it is opened.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::by_file::FileView;
use crate::html::escape::{escaped, push};
use crate::html::mutant::{badge, badness, body, class, data, operator, word};
use crate::lines::Lines;
use crate::mutant::MutantInfo;
use crate::number_text::{count, percent};
use crate::outcomes::{MutantRecord, Outcomes};
use crate::verdict::Verdict;

/// Lines with more mutants are not coloured within: nobody could tell the colours apart.
const MOST_MARKS: usize = 200;

/// A file with its mutants at their lines.
pub(super) struct FileOnPage<'v> {
    /// Its place among the files.
    pub index: usize,
    pub view: &'v FileView<'v>,
    pub by_line: BTreeMap<u32, Vec<&'v MutantRecord>>,
    /// Those for which the text has no line.
    elsewhere: Vec<&'v MutantRecord>,
}

impl<'v> FileOnPage<'v> {
    pub fn new(index: usize, view: &'v FileView<'v>) -> FileOnPage<'v> {
        let text = view.text.as_deref();
        let known = text.map_or(0, |text| Lines::of(text).count());
        let mut by_line: BTreeMap<u32, Vec<&MutantRecord>> = BTreeMap::new();
        let mut elsewhere = Vec::new();
        for record in &view.records {
            let line = record.info.line;
            match view.text_of(record).is_some() && (1..=known).contains(&line) {
                true => by_line.entry(line).or_default().push(*record),
                false => elsewhere.push(*record),
            }
        }
        FileOnPage {
            index,
            view,
            by_line,
            elsewhere,
        }
    }

    /// Where a line with mutants can be found on the page; else its file.
    pub fn link(&self, line: u32) -> String {
        let index = self.index;
        match self.by_line.contains_key(&line) {
            true => format!("f{index}l{line}"),
            false => format!("f{index}"),
        }
    }
}

/// A file, closed until somebody wants to see it.
pub(super) fn file(page: &mut String, placed: &FileOnPage, outcomes: &Outcomes) {
    let FileOnPage {
        index,
        view,
        by_line,
        elsewhere,
    } = placed;
    let name = escaped(view.file);
    let mutants = count(view.totals.mutants, "mutant");
    let score = outcomes.score_of(&view.totals);
    let score = score.map(percent).unwrap_or_default();
    write!(
        page,
        "<details class=\"file\" id=\"f{index}\"><summary><code>{name}</code> \
         <small>{mutants}{}</small> <span class=\"score\">{score}</span></summary>",
        missed(view)
    )
    .expect("a string takes everything");
    let lines = view.text.as_deref().map(Lines::of);
    let known = lines.as_ref().map_or(0, Lines::count);
    if let (Some(lines), false) = (&lines, by_line.is_empty()) {
        page.push_str("<ol class=\"source\">");
        let last = match lines.line(known) {
            Some("") => known - 1,
            _ => known,
        };
        for number in 1..=last.max(1) {
            let text = lines.line(number).unwrap_or_default();
            match by_line.get(&number) {
                None => {
                    page.push_str("<li>");
                    push(page, text);
                    page.push('\n');
                }
                Some(records) => line(
                    page,
                    &format!("f{index}l{number}"),
                    lines,
                    records,
                    outcomes,
                ),
            }
        }
        page.push_str("</ol>");
    }
    if !elsewhere.is_empty() {
        let why = match view.text {
            None => "The file’s text is not known; these are its mutants:",
            Some(_) => "The text is not the one that these mutants were made for:",
        };
        write!(page, "<div class=\"elsewhere\"><p>{why}</p>").expect("a string takes everything");
        for record in elsewhere {
            entry(page, record, outcomes, None);
        }
        page.push_str("</div>");
    }
    page.push_str("</details>\n");
}

fn missed(view: &FileView) -> String {
    let mut text = String::new();
    for verdict in [Verdict::Survived, Verdict::Uninfected, Verdict::Unreached] {
        let number = view.totals.of(verdict);
        if number > 0 {
            write!(text, ", {number} {}", verdict.word()).expect("a string takes everything");
        }
    }
    text
}

/// A line with mutants: its text with their places marked, how many there are, and below all of them.
fn line(
    page: &mut String,
    id: &str,
    lines: &Lines,
    records: &[&MutantRecord],
    outcomes: &Outcomes,
) {
    let worst = records.iter().max_by_key(|record| badness(record.verdict));
    let class = class(worst.and_then(|record| record.verdict));
    write!(page, "<li id=\"{id}\" class=\"{class}\">").expect("a string takes everything");
    let number = records[0].info.line;
    marked(page, lines, number, records);
    page.push_str("<details class=\"here\"><summary>");
    page.push_str(&tally(records));
    page.push_str("</summary>");
    for record in records {
        entry(page, record, outcomes, Some(lines.text()));
    }
    page.push_str("</details>");
}

/// `2 survived, 3 killed`, the worst first.
fn tally(records: &[&MutantRecord]) -> String {
    let mut counts: BTreeMap<(u8, &str, &str), usize> = BTreeMap::new();
    for record in records {
        let verdict = record.verdict;
        let key = (u8::MAX - badness(verdict), class(verdict), word(verdict));
        *counts.entry(key).or_default() += 1;
    }
    let one = |((_, class, word), number): (&(u8, &str, &str), &usize)| {
        format!("<span class=\"v {class}\">{number} {word}</span>")
    };
    counts.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// A mutant under its line. One that is among the survivors is only referred to.
fn entry(page: &mut String, record: &MutantRecord, outcomes: &Outcomes, text: Option<&str>) {
    let info = &record.info;
    let number = info.id.0;
    let summary = format!(
        "{} {} <small>{} · {number}</small>",
        badge(record.verdict),
        escaped(&info.summary),
        operator(record)
    );
    if is_listed(record) {
        let rank = match record.rank {
            Some(rank) => format!("number {rank} of the survivors"),
            None => "the list of survivors".to_owned(),
        };
        write!(
            page,
            "<details class=\"m\" data-ref=\"m{number}\"><summary>{summary}</summary>\
             <p>See <a href=\"#m{number}\">{rank}</a>.</p></details>"
        )
        .expect("a string takes everything");
        return;
    }
    write!(
        page,
        "<details class=\"m\" id=\"m{number}\" {}><summary>{summary}</summary>",
        data(record)
    )
    .expect("a string takes everything");
    body(page, record, outcomes, text);
    page.push_str("</details>");
}

/// Whether a mutant stands in the list of those that no test noticed.
pub(super) fn is_listed(record: &MutantRecord) -> bool {
    matches!(
        record.verdict,
        Some(Verdict::Survived | Verdict::Uninfected)
    )
}

/// A line with the places of its mutants marked, each by the narrowest mutant that is there.
fn marked(page: &mut String, lines: &Lines, number: u32, records: &[&MutantRecord]) {
    let text = lines.line(number).unwrap_or_default();
    if records.len() > MOST_MARKS {
        push(page, text);
        return;
    }
    let letters: Vec<char> = text.chars().collect();
    let mut spots: Vec<(usize, usize, &MutantRecord)> = records
        .iter()
        .filter_map(|record| {
            let (start, end) = spot(&record.info, lines, letters.len())?;
            Some((start, end, *record))
        })
        .collect();
    spots.sort_by_key(|(start, end, record)| (usize::MAX - (end - start), badness(record.verdict)));
    let mut colours: Vec<Option<&str>> = vec![None; letters.len()];
    for (start, end, record) in spots {
        colours[start..end].fill(Some(class(record.verdict)));
    }
    let mut from = 0;
    for piece in colours.chunk_by(|left, right| left == right) {
        let part: String = letters[from..from + piece.len()].iter().collect();
        from += piece.len();
        match piece[0] {
            None => push(page, &part),
            Some(class) => {
                write!(page, "<mark class=\"{class}\">").expect("a string takes everything");
                push(page, &part);
                page.push_str("</mark>");
            }
        }
    }
}

/// The characters of its line that a mutant is about.
fn spot(info: &MutantInfo, lines: &Lines, length: usize) -> Option<(usize, usize)> {
    let offset = lines.offset(info.line, info.column)?;
    let width = match offset == info.span.start && !info.original.is_empty() {
        true => info.original.lines().next()?.trim_end().chars().count(),
        false => token_length(&lines.text()[offset..]),
    };
    let start = info.column as usize - 1;
    let end = (start + width).min(length);
    (start < end).then_some((start, end))
}

/// How many characters the token at the start of the text has: an operator or a word.
fn token_length(text: &str) -> usize {
    let is_sign = |letter: char| "+-*/%&|^<>=!.?".contains(letter);
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let run = |belongs: &dyn Fn(char) -> bool| text.chars().take_while(|&c| belongs(c)).count();
    run(&is_sign).max(run(&is_word)).max(1)
}
