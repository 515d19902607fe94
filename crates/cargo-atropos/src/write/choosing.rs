//! Chooses the assertions that kill the most survivors: a greedy cover.

use std::collections::{BTreeMap, BTreeSet};

use atropos_mutants::mutant::MutantId;
use atropos_weave::candidates::CandidatePlace;

use super::assertion_forms::{AssertionForm, NamesInTest, forms};
use super::capturing::{DifferencesByPlace, FileCandidate, Originals, TextsOfFiles};
use super::running::AddedTest;

/// One way to assert one candidate, and what that should kill.
#[derive(Clone, Debug)]
pub struct AssertionChoice {
    /// The candidate's number.
    pub place: u32,
    pub form: AssertionForm,
    /// With the tests in which it does.
    pub kills: BTreeMap<MutantId, BTreeSet<AddedTest>>,
    /// It is taken only for what nothing else kills.
    pub is_last_resort: bool,
    /// What a reader has to put up with.
    pub cost: usize,
}

/// What names a choice in all rounds.
pub type ChoiceKey = (u32, String);

impl AssertionChoice {
    pub fn key(&self) -> ChoiceKey {
        (self.place, self.form.of(""))
    }
}

/// Everything that could be asserted and would kill something.
pub fn choices(
    candidates: &[FileCandidate],
    texts: &TextsOfFiles,
    originals: &Originals,
    differences: &DifferencesByPlace,
) -> Vec<AssertionChoice> {
    let mut found = Vec::new();
    for (place, differences) in differences {
        let Some(value) = originals.values.get(place) else {
            continue;
        };
        let of = &candidates[*place as usize - 1];
        let names = NamesInTest {
            text: texts.get(&of.file).map_or("", String::as_str),
            crate_name: of.crate_name.as_deref(),
        };
        for form in forms(&value.type_name, &value.text, &names) {
            let mut kills: BTreeMap<MutantId, BTreeSet<AddedTest>> = BTreeMap::new();
            for difference in differences {
                if form.aspect(&value.text) != form.aspect(&difference.text) {
                    let tests = kills.entry(difference.mutant).or_default();
                    tests.insert(difference.test.clone());
                }
            }
            if !kills.is_empty() {
                let cost = 2 * form.cost() + cost_of(of);
                let is_last_resort = matches!(form, AssertionForm::DebugText(_));
                found.push(AssertionChoice {
                    place: *place,
                    form,
                    kills,
                    is_last_resort,
                    cost,
                });
            }
        }
    }
    found
}

fn cost_of(candidate: &FileCandidate) -> usize {
    let place = match candidate.candidate.place {
        CandidatePlace::Variable | CandidatePlace::Dropped(_) => 0,
        CandidatePlace::State => 1,
        // The call is made a second time.
        CandidatePlace::Within(_) => 3,
    };
    place + candidate.candidate.expression.len() / 40
}

/// The few that kill all that can be killed, without those that are known not to work.
pub fn cover(
    choices: &[AssertionChoice],
    rejected: &BTreeSet<ChoiceKey>,
    already: &BTreeSet<MutantId>,
) -> Vec<AssertionChoice> {
    let mut chosen: Vec<AssertionChoice> = Vec::new();
    let mut covered = already.clone();
    for takes_all in [false, true] {
        loop {
            let open = choices
                .iter()
                .filter(|choice| takes_all || !choice.is_last_resort)
                .filter(|choice| !rejected.contains(&choice.key()));
            let best = open
                .map(|choice| {
                    let killed = choice.kills.keys();
                    let new = killed.filter(|mutant| !covered.contains(mutant));
                    (new.count(), choice)
                })
                .filter(|(new, _)| *new > 0)
                .min_by_key(|(new, choice)| (usize::MAX - new, choice.cost, choice.place));
            let Some((_, choice)) = best else { break };
            covered.extend(choice.kills.keys());
            chosen.push(choice.clone());
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(place: u32, kills: &[u32], cost: usize) -> AssertionChoice {
        let kills = kills.iter().map(|id| (MutantId(*id), BTreeSet::new()));
        AssertionChoice {
            place,
            form: AssertionForm::True,
            kills: kills.collect(),
            is_last_resort: cost > 8,
            cost,
        }
    }

    #[test]
    fn a_few_assertions_kill_all_that_can_be_killed() {
        let choices = [
            choice(1, &[1], 0),
            choice(2, &[1, 2, 3], 5),
            choice(3, &[3, 4], 2),
            choice(4, &[4], 1),
            choice(5, &[1, 2, 3, 4, 5], 9),
        ];
        let places = |rejected: &BTreeSet<(u32, String)>, already: &[u32]| {
            let already = already.iter().map(|id| MutantId(*id)).collect();
            let chosen = cover(&choices, rejected, &already);
            let mut places: Vec<u32> = chosen.iter().map(|choice| choice.place).collect();
            places.sort_unstable();
            places
        };
        assert_eq!(places(&BTreeSet::new(), &[]), [2, 4, 5]);
        assert_eq!(places(&BTreeSet::new(), &[5]), [2, 4]);
        let rejected = BTreeSet::from([choices[1].key()]);
        assert_eq!(places(&rejected, &[2, 5]), [1, 3]);
        assert_eq!(places(&rejected, &[1, 2, 3, 4, 5]), [0; 0]);
    }
}
