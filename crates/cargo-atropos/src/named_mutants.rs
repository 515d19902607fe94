//! The mutants of the last run that a word on the command line means: a number, a key, `FILE:LINE` or `FILE:LINE:COLUMN`.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{MutantRecord, Outcomes};

/// A place in the source, as reports write it.
struct Place<'w> {
    /// The whole path, or its end.
    file: &'w str,
    line: u32,
    column: Option<u32>,
}

impl<'w> Place<'w> {
    fn parse(word: &'w str) -> Option<Place<'w>> {
        let last_number = |word: &'w str| {
            let (rest, number) = word.rsplit_once(':')?;
            Some((rest, number.parse::<u32>().ok()?))
        };
        let (rest, last) = last_number(word)?;
        let (file, line, column) = match last_number(rest) {
            Some((file, line)) => (file, line, Some(last)),
            None => (rest, last, None),
        };
        let file = file.strip_prefix("./").unwrap_or(file);
        Some(Place { file, line, column })
    }

    fn is_of(&self, info: &MutantInfo) -> bool {
        Path::new(&info.file).ends_with(self.file)
            && info.line == self.line
            && self.column.is_none_or(|column| info.column == column)
    }
}

/// At least one mutant, in the order of their numbers.
pub fn named_mutants<'o>(outcomes: &'o Outcomes, word: &str) -> Result<Vec<&'o MutantRecord>> {
    let place = Place::parse(word);
    let is_meant = |record: &&MutantRecord| {
        let info = &record.info;
        match &place {
            Some(place) => place.is_of(info),
            None => info.key == word || info.id.0.to_string() == word,
        }
    };
    let mut records: Vec<&MutantRecord> = outcomes.mutants.iter().filter(is_meant).collect();
    if let Some(place) = &place {
        let files: BTreeSet<&str> = records.iter().map(|it| it.info.file.as_str()).collect();
        match files.contains(place.file) {
            true => records.retain(|record| record.info.file == place.file),
            false if files.len() > 1 => {
                let files: Vec<&str> = files.into_iter().collect();
                bail!("{word} may be of {}", files.join(" or "))
            }
            false => {}
        }
    }
    if !records.is_empty() {
        return Ok(records);
    }
    let last = outcomes.mutants.iter().map(|record| record.info.id.0).max();
    match (place, last) {
        (_, None) => bail!("the last run has no mutant {word}; it had none at all"),
        (Some(Place { file, line, column }), _) => {
            let column = column.map_or_else(String::new, |column| format!(", column {column},"));
            bail!("the last run has no mutant on line {line}{column} of {file}")
        }
        (None, Some(last)) => bail!(
            "the last run has no mutant {word}; its mutants are 1 to {last}, and a key or FILE:LINE is understood, too"
        ),
    }
}
