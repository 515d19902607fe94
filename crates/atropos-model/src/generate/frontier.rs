//! Our strategy: every move is worth the unkilled mutants that it meets, a mutant less each time that it was started in
//! vain, and the running mutants that it kills. Where nothing is worth much, the way back to a place where more waits; and
//! only where there is none, a look at where a few moves lead.
//!
//! What makes it cheaper than S2, which always looks: the mutants that inputs meet are known without it.

use super::atlas::{Atlas, PlaceId, Way};
use super::crew::Crew;
use super::meeting::{Advance, Meeting, advance};
use super::strategy::{Situation, Strategy};
use crate::explore::{Acting, Limits, QuickMap};
use crate::mutation::MutantId;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// What a mutant is worth that was never started.
const FRESH: u64 = 3_600;
/// Started so often, a mutant is worth nothing any more.
const TRIES: u32 = 30;
/// What a move is worth that kills one of the running mutants.
const KILL: u64 = 3 * FRESH;
/// What a move is worth that was never taken from its place.
const UNSEEN: u64 = 40;
/// What a move is worth that was never taken anywhere.
const NOVEL: u64 = 400;
/// Pairs of move and running mutant that are tried out per choice.
const PAIRS: usize = 32;
/// Moves that are looked at per choice.
const LOOKED: usize = 8;
/// A move that is worth so much is taken without looking where others lead.
const WORTHWHILE: u64 = FRESH / 4;
/// Nodes that a trial may go through: so many times as many as the original, and some more.
const TRIAL_FACTOR: usize = 3;
const TRIAL_NODES: usize = 50;
/// Places looked at for the way to a better one.
const HORIZON: usize = 300;

pub(super) fn choose(
    strategy: &mut Strategy,
    crew: &mut Crew,
    atlas: &mut Atlas,
    place: PlaceId,
    situation: &Situation,
) -> Option<usize> {
    if situation.beside.is_empty() && situation.results.all_decided() {
        return None;
    }
    let mut worth = Worth::new(strategy, situation);
    let mut scores = worth.of_all(atlas, place);
    let mut best = most(&scores);
    if best < FRESH
        && let Some(at) = worth.way_to_better(atlas, place, best)
    {
        return Some(at);
    }
    // While mutants are to be had that were hardly tried, looking further costs more than it brings.
    if best < WORTHWHILE {
        let looked = worth_a_look(strategy, &scores);
        atlas.look_ahead(crew, place, &looked, situation.limits);
        scores = Worth::new(strategy, situation).of_all(atlas, place);
        best = most(&scores);
        // Mutants still running may be killed by anything; without them there is nothing to gain here.
        if best == 0 && situation.beside.is_empty() {
            return None;
        }
        if best < FRESH {
            try_out(crew, atlas, place, situation, &looked, &mut scores);
            best = most(&scores);
        }
    }
    let equals: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] == best).collect();
    Some(equals[strategy.random.below(equals.len())])
}

/// Adds what moves do to the running mutants: kills are worth most, and where the test can only wait, what loses sight
/// of a mutant (it can't show that) is worth less.
fn try_out(
    crew: &mut Crew,
    atlas: &Atlas,
    place: PlaceId,
    situation: &Situation,
    looked: &[usize],
    scores: &mut [u64],
) {
    let mutants = (PAIRS / looked.len().max(1)).clamp(1, situation.beside.len().max(1));
    let here = atlas.place(place);
    let mut jobs = Vec::new();
    for at in looked {
        let Some(next) = here.ways()[*at].next else {
            continue;
        };
        let tried = situation.beside.iter().take(mutants);
        jobs.extend(tried.map(|mutant| (*at, next, mutant)));
    }
    let advances = crew.map(&jobs, |explorer, (at, next, (id, suspension))| {
        let acting = Acting::mutant(&explorer.model.mutants, *id);
        let next = atlas.place(*next);
        // One that goes much further than the original is not worth a trial.
        let limits = Limits {
            closure: next.explored * TRIAL_FACTOR + TRIAL_NODES,
        };
        let step = &here.ways()[*at].step;
        advance(explorer, &acting, suspension, step, next, limits)
    });
    for ((at, ..), advance) in jobs.iter().zip(advances) {
        match advance {
            Advance::Killed(_) => scores[*at] += KILL,
            Advance::Lost => scores[*at] /= 2,
            _ => {}
        }
    }
}

/// The moves to try out: all where they are few, else the best so far and some others.
fn worth_a_look(strategy: &mut Strategy, scores: &[u64]) -> Vec<usize> {
    let moves = scores.len();
    let mut all: Vec<usize> = (0..moves).collect();
    if moves > LOOKED {
        all.sort_by_key(|at| Reverse(scores[*at]));
        for at in LOOKED / 2..LOOKED {
            let other = at + strategy.random.below(moves - at);
            all.swap(at, other);
        }
        all.truncate(LOOKED);
        all.sort_unstable();
    }
    all
}

/// What moves are worth at one choice.
struct Worth<'w> {
    strategy: &'w Strategy,
    situation: &'w Situation<'w>,
    /// By the address of the list: ways share them.
    sets: QuickMap<*const MutantId, u64>,
    own: QuickMap<PlaceId, u64>,
}

fn most(scores: &[u64]) -> u64 {
    scores.iter().copied().max().unwrap_or(0)
}

impl<'w> Worth<'w> {
    fn new(strategy: &'w Strategy, situation: &'w Situation<'w>) -> Worth<'w> {
        Worth {
            strategy,
            situation,
            sets: QuickMap::default(),
            own: QuickMap::default(),
        }
    }

    fn of_mutant(&self, mutant: MutantId) -> u64 {
        let situation = self.situation;
        let waits = situation.results.is_open(mutant)
            && !situation.gone.contains(&mutant)
            && !situation.running.contains(&mutant);
        let tries = self.strategy.tries(mutant);
        match waits && tries < TRIES {
            true => FRESH / u64::from((tries + 1) * (tries + 1)),
            false => 0,
        }
    }

    fn of_set(&mut self, set: &[MutantId]) -> u64 {
        if let Some(known) = self.sets.get(&set.as_ptr()) {
            return *known;
        }
        let sum = set.iter().map(|mutant| self.of_mutant(*mutant)).sum();
        self.sets.insert(set.as_ptr(), sum);
        sum
    }

    /// Of the mutants met at a place without an input, as far as they were not looked at.
    fn of_arriving(&mut self, atlas: &Atlas, id: PlaceId) -> u64 {
        if let Some(known) = self.own.get(&id) {
            return *known;
        }
        let place = atlas.place(id);
        let unmet = place.own.iter().filter(|m| !place.meetings.contains_key(m));
        let sum = unmet.map(|mutant| self.of_mutant(mutant)).sum();
        self.own.insert(id, sum);
        sum
    }

    fn of_way(&mut self, atlas: &Atlas, way: &Way) -> u64 {
        let arriving = way.next.map_or(0, |next| self.of_arriving(atlas, next));
        let unseen = way.next.is_none_or(|next| atlas.place(next).visits == 0);
        let taken = u64::from(self.strategy.count(&way.step)) + 1;
        let novel = NOVEL / (taken * taken);
        let new = if unseen { UNSEEN + novel } else { 0 };
        self.of_set(&way.met) + arriving + new
    }

    fn of_all(&mut self, atlas: &Atlas, id: PlaceId) -> Vec<u64> {
        let place = atlas.place(id);
        let parted: Vec<MutantId> = place
            .meetings
            .iter()
            .filter(|(_, meeting)| matches!(meeting, Meeting::Parts(_)))
            .map(|(mutant, _)| *mutant)
            .collect();
        let parted: u64 = parted.iter().map(|mutant| self.of_mutant(*mutant)).sum();
        let ways = place.ways().iter();
        ways.map(|way| self.of_way(atlas, way) + parted).collect()
    }

    /// The first move of a known way to where a move is worth more than here, by the number of moves it takes.
    fn way_to_better(&mut self, atlas: &Atlas, place: PlaceId, here: u64) -> Option<usize> {
        let mut first_move: QuickMap<PlaceId, usize> = QuickMap::default();
        let mut queue: VecDeque<(PlaceId, u64)> = VecDeque::new();
        let enqueue = |first_move: &mut QuickMap<PlaceId, usize>,
                       queue: &mut VecDeque<(PlaceId, u64)>,
                       from: PlaceId,
                       first: Option<usize>,
                       distance: u64| {
            for (at, way) in atlas.place(from).ways().iter().enumerate() {
                let Some(next) = way.next.filter(|next| *next != place) else {
                    continue;
                };
                if first_move.len() < HORIZON && !first_move.contains_key(&next) {
                    first_move.insert(next, first.unwrap_or(at));
                    queue.push_back((next, distance));
                }
            }
        };
        enqueue(&mut first_move, &mut queue, place, None, 1);
        let mut best = (here, None);
        while let Some((id, distance)) = queue.pop_front() {
            if distance >= self.situation.left as u64 {
                break;
            }
            let most = self.of_all(atlas, id).into_iter().max().unwrap_or(0);
            let first = first_move[&id];
            if most / (distance + 1) > best.0 {
                best = (most / (distance + 1), Some(first));
            }
            enqueue(&mut first_move, &mut queue, id, Some(first), distance + 1);
        }
        best.1
    }
}
