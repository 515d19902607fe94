//! The mutants of the last run that a word on the command line means: a number, a key, or `FILE:LINE`.

use anyhow::{Result, bail};
use atropos_report::outcomes::{MutantRecord, Outcomes};

/// At least one mutant, in the order of their numbers.
pub fn named_mutants<'o>(outcomes: &'o Outcomes, word: &str) -> Result<Vec<&'o MutantRecord>> {
    let place = word.rsplit_once(':');
    let place = place.and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    let is_meant = |record: &&MutantRecord| {
        let info = &record.info;
        match place {
            Some((file, line)) => info.file == file && info.line == line,
            None => info.key == word || info.id.0.to_string() == word,
        }
    };
    let records: Vec<&MutantRecord> = outcomes.mutants.iter().filter(is_meant).collect();
    if !records.is_empty() {
        return Ok(records);
    }
    let last = outcomes.mutants.iter().map(|record| record.info.id.0).max();
    match (place, last) {
        (_, None) => bail!("the last run has no mutant {word}; it had none at all"),
        (Some((file, line)), _) => bail!("the last run has no mutant on line {line} of {file}"),
        (None, Some(last)) => bail!(
            "the last run has no mutant {word}; its mutants are 1 to {last}, and a key or FILE:LINE is understood, too"
        ),
    }
}
