//! The mutants of a run file by file, as most reports show them, and the survivors in their order.

use std::collections::{BTreeMap, HashMap};

use crate::outcomes::{MutantRecord, Outcomes, Totals};
use crate::summary::{Sources, position};
use crate::verdict::Verdict;

/// A source file with its mutants.
pub(crate) struct FileView<'o> {
    pub file: &'o str,
    /// What it held; none if nobody knows.
    pub text: Option<String>,
    /// In the order of their places.
    pub records: Vec<&'o MutantRecord>,
    pub totals: Totals,
}

/// Every file that has mutants, by its name.
pub(crate) fn by_file<'o>(outcomes: &'o Outcomes, sources: Sources) -> Vec<FileView<'o>> {
    let mut files: BTreeMap<&str, Vec<&MutantRecord>> = BTreeMap::new();
    for record in &outcomes.mutants {
        files.entry(&record.info.file).or_default().push(record);
    }
    let view = |(file, mut records): (&'o str, Vec<&'o MutantRecord>)| {
        records.sort_by(|left, right| position(&left.info).cmp(&position(&right.info)));
        FileView {
            file,
            text: sources(file),
            totals: Totals::count(records.iter().map(|record| record.verdict)),
            records,
        }
    };
    files.into_iter().map(view).collect()
}

impl FileView<'_> {
    /// The text, if it is the one that a mutant was made for.
    pub fn text_of(&self, record: &MutantRecord) -> Option<&str> {
        let text = self.text.as_deref()?;
        let span = record.info.span;
        (text.get(span.start..span.end)? == record.info.original).then_some(text)
    }
}

/// The mutants with a verdict, the most disturbing first, or by their places if they have no ranks.
pub(crate) fn in_order(outcomes: &Outcomes, verdict: Verdict) -> Vec<&MutantRecord> {
    let mut records: Vec<&MutantRecord> = outcomes
        .mutants
        .iter()
        .filter(|record| record.verdict == Some(verdict))
        .collect();
    let order = |record: &MutantRecord| record.rank.unwrap_or(usize::MAX);
    records.sort_by(|left, right| {
        let ranks = order(left).cmp(&order(right));
        ranks.then_with(|| position(&left.info).cmp(&position(&right.info)))
    });
    records
}

/// The functions in the order of their first mutants, each with its mutants in order.
pub(crate) fn by_function<'o>(records: &[&'o MutantRecord]) -> Vec<Vec<&'o MutantRecord>> {
    let mut functions: Vec<Vec<&MutantRecord>> = Vec::new();
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    for record in records {
        let key = (record.info.file.as_str(), record.info.function.as_str());
        let place = *places.entry(key).or_insert(functions.len());
        match functions.get_mut(place) {
            Some(function) => function.push(record),
            None => functions.push(vec![record]),
        }
    }
    functions
}

/// Functions that no test runs: what they need is a test, whatever their mutants change.
pub(crate) struct UnreachedFunction<'o> {
    pub file: &'o str,
    /// Of its first mutant.
    pub line: u32,
    /// Empty for code outside functions.
    pub function: &'o str,
    pub mutants: usize,
}

/// Where no test comes, by file and line.
pub(crate) fn unreached(outcomes: &Outcomes) -> Vec<UnreachedFunction<'_>> {
    let records = in_order(outcomes, Verdict::Unreached);
    let mut functions: Vec<UnreachedFunction> = by_function(&records)
        .into_iter()
        .map(|records| UnreachedFunction {
            file: &records[0].info.file,
            line: records.iter().map(|r| r.info.line).min().unwrap_or(1),
            function: &records[0].info.function,
            mutants: records.len(),
        })
        .collect();
    functions.sort_by_key(|one| (one.file, one.line, one.function));
    functions
}
