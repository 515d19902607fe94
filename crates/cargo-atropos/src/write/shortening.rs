//! Makes the calls of a new test few: of a sequence of calls that tells survivors apart, every part is tried, and the one with
//! the fewest calls that still does takes its place.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use atropos_mutants::mutant::MutantId;
use atropos_protocol::CapturedValue;
use atropos_weave::inputs::{CallSequence, SearchedCall};

use super::choosing::AssertionChoice;
use super::running::{AddedTest, RunSetting, TestRunner, in_parallel};
use super::searching::{
    FileSearch, PANIC, SearchInputs, differs, is_believed, search_of, test_named, tests_by_name,
};
use crate::log;

/// The shortest calls found, by the number of the value that they give.
pub(super) type ShorterCalls = BTreeMap<u32, SearchedCall>;

/// A sequence that is to be made shorter.
struct LongSequence<'s> {
    search: &'s FileSearch,
    /// The number of its value in the search that found it.
    place: u32,
    sequence: CallSequence,
    /// The number of its first part's value.
    first: u32,
    mutants: BTreeSet<MutantId>,
}

/// A part that shows as much as the whole.
struct ShortestPart {
    call: SearchedCall,
    value: CapturedValue,
    mutants: Vec<(MutantId, String)>,
}

impl SearchInputs<'_> {
    /// Shortens the sequences of assertions that hold. Gives the ways to assert what the shorter ones give, and the others as
    /// they were.
    pub(super) fn shorten(
        &self,
        searches: &[FileSearch],
        held: &[AssertionChoice],
    ) -> Result<(Vec<AssertionChoice>, ShorterCalls)> {
        let mut choices = held.to_vec();
        let mut shorter = ShorterCalls::new();
        let long = long_sequences(searches, held);
        if long.is_empty() || self.interrupt.is_requested() {
            return Ok((choices, shorter));
        }
        let mut plan = self.empty_plan();
        for (number, one) in (1..).zip(&long) {
            let file = &one.search.file;
            let end = self.texts.get(file).map_or(0, String::len);
            let additions = plan.files.entry(file.clone()).or_default();
            additions.push(one.sequence.search(number, one.first, end));
        }
        let built = self.built(plan)?;
        let shortest = self.with_setting(&built, "shortening", |setting| {
            shortest_parts(setting, &long)
        })?;
        for (index, part) in shortest {
            let Some(part) = part else { continue };
            let LongSequence { search, place, .. } = &long[index];
            let new = self.choices_at(search, *place, &part.value, &part.call, &part.mutants);
            if !new.is_empty() {
                choices.retain(|choice| choice.place != *place);
                choices.extend(new);
                shorter.insert(*place, part.call);
            }
        }
        choices.sort_by_key(|choice| choice.place);
        log::line(&format!(
            "shortening: {} of {} sequences",
            shorter.len(),
            long.len()
        ));
        Ok((choices, shorter))
    }
}

fn long_sequences<'s>(
    searches: &'s [FileSearch],
    held: &[AssertionChoice],
) -> Vec<LongSequence<'s>> {
    let mut first = 1;
    let mut long = Vec::new();
    for choice in held {
        let place = choice.place;
        let Some(search) = search_of(searches, place) else {
            continue;
        };
        let sequence = search.code.sequence(place - search.first);
        let Some(sequence) = sequence.filter(|sequence| sequence.parts() > 1) else {
            continue;
        };
        let parts = sequence.parts();
        long.push(LongSequence {
            search,
            place,
            sequence,
            first,
            mutants: choice.kills.keys().copied().collect(),
        });
        first += parts;
    }
    long
}

fn shortest_parts(
    setting: &RunSetting<'_>,
    long: &[LongSequence<'_>],
) -> Result<Vec<(usize, Option<ShortestPart>)>> {
    let tests = tests_by_name(setting)?;
    let numbers: Vec<usize> = (0..long.len()).collect();
    in_parallel(setting, &numbers, |runner: &mut TestRunner<'_>, number| {
        let name = format!("__atropos_search_{}::search", number + 1);
        shortest_part(runner, test_named(&tests, &name)?, &long[*number])
    })
}

fn shortest_part(
    runner: &mut TestRunner<'_>,
    test: &AddedTest,
    long: &LongSequence<'_>,
) -> Option<ShortestPart> {
    let original = runner.sandboxed_original(test)?;
    let whole = long.first + long.sequence.parts() - 1;
    let mut of_mutants: BTreeMap<MutantId, BTreeMap<u32, String>> = BTreeMap::new();
    for mutant in &long.mutants {
        let run = runner.mutant(test, *mutant, &original.limits);
        let Some(run) = run.filter(|run| is_believed(run.result)) else {
            continue;
        };
        let differing = run
            .values
            .into_iter()
            .filter(|value| differs(value, &original))
            .map(|value| (value.place, value.text));
        let differing: BTreeMap<u32, String> = differing.collect();
        if differing.contains_key(&whole) {
            of_mutants.insert(*mutant, differing);
        }
    }
    let mut parts: Vec<u32> = (0..long.sequence.parts()).collect();
    parts.sort_by_key(|part| (part.count_ones(), *part));
    let shows_all = |part: &u32| {
        let place = long.first + part;
        let steady = original.values.get(&place);
        let is_value = steady.is_some_and(|value| value.type_name != PANIC);
        is_value && of_mutants.values().all(|found| found.contains_key(&place))
    };
    let part = parts
        .into_iter()
        .find(|part| !of_mutants.is_empty() && shows_all(part))?;
    let place = long.first + part;
    Some(ShortestPart {
        call: long.sequence.part(part).call(),
        value: original.values.get(&place)?.clone(),
        mutants: of_mutants
            .into_iter()
            .filter_map(|(mutant, mut found)| Some((mutant, found.remove(&place)?)))
            .collect(),
    })
}
