//! Our strategy: every move is worth the kills that are to be expected of it, by what the run has learned so far: an
//! unkilled mutant that a move meets counts by how often mutants were killed that had been started in vain as often.
//! Where no mutant waits that was never started, the test goes back to where more is to be had for each move of the way,
//! or tries out which moves kill the running mutants.
//!
//! What makes it cheaper than S2: a mutant that was started again and again and came to the original's state every time
//! is left alone, and one that goes through many more states than the original is put off: it mostly has no end. Most of
//! the time of a run goes into such mutants.

use super::atlas::{Atlas, PlaceId, Way};
use super::crew::Crew;
use super::experience::of;
use super::meeting::{Advance, Meeting, advance};
use super::strategy::{Situation, Strategy};
use crate::explore::{Acting, Limits, QuickMap};
use crate::mutation::MutantId;
use std::collections::VecDeque;

/// Started so often in vain, a mutant is nothing to go for any more, and one that never parted is left alone.
pub(super) const PATIENCE: u32 = 30;
/// A mutant that ran beside the original for so many full lives in vain has shorter ones, by this factor.
pub(super) const LIVES: u32 = 3;
pub(super) const SHORTER: u32 = 4;
/// A mutant that costs too much is tried again so many tests later, or when nothing else is left.
pub(super) const REST: usize = 4;
/// Of moves that promise equally little, those lead to something new more likely that were never taken from their place,
/// the more so the less often they were taken anywhere.
const UNSEEN: f64 = 0.01;
const NOVEL: f64 = 0.1;
/// Pairs of move and running mutant that are tried out per choice.
const PAIRS: usize = 32;
/// Moves that running mutants are tried out on.
const TRIED: usize = 8;
/// Moves that are looked at per choice.
const LOOKED: usize = 16;
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
    let scores = Worth::new(strategy, situation).of_all(atlas, place);
    let looked = worth_a_look(strategy, atlas, place, &scores);
    atlas.look_ahead(crew, place, &looked, situation.limits);
    let mut worth = Worth::new(strategy, situation);
    let mut scores = worth.of_all(atlas, place);
    // Without a mutant that was never started, it may be better elsewhere, or something may kill those that run.
    if most(&scores) < worth.chances[0] {
        let better = worth.way_to_better(atlas, place, most(&scores));
        if better.is_some() {
            return better;
        }
        if most(&scores) <= 0.0 && situation.beside.is_empty() {
            strategy.wake_all();
            return None;
        }
        try_out(crew, atlas, place, situation, &mut scores);
    }
    let best = most(&scores);
    let equals: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] >= best).collect();
    Some(equals[strategy.random.below(equals.len())])
}

/// Adds what moves do to the running mutants: kills, and where the test can only wait, what loses sight of a mutant (it
/// can't show that) is worth less.
fn try_out(
    crew: &mut Crew,
    atlas: &Atlas,
    place: PlaceId,
    situation: &Situation,
    scores: &mut [f64],
) {
    let here = atlas.place(place);
    let known = |at: &usize| here.ways()[*at].next.is_some();
    let mut moves: Vec<usize> = (0..scores.len()).filter(known).collect();
    moves.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    moves.truncate(TRIED);
    let mutants = (PAIRS / moves.len().max(1)).clamp(1, situation.beside.len().max(1));
    let mut jobs = Vec::new();
    for at in &moves {
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
            Advance::Killed(_) => scores[*at] += 1.0,
            Advance::Lost => scores[*at] /= 2.0,
            _ => {}
        }
    }
}

/// The moves to look at: of those that lead nobody knows where, the best so far and as many others.
fn worth_a_look(
    strategy: &mut Strategy,
    atlas: &Atlas,
    place: PlaceId,
    scores: &[f64],
) -> Vec<usize> {
    let ways = atlas.place(place).ways();
    let unknown = |at: &usize| ways[*at].next.is_none();
    let mut all: Vec<usize> = (0..ways.len()).filter(unknown).collect();
    if all.len() > LOOKED {
        all.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        for at in LOOKED / 2..LOOKED {
            let other = at + strategy.random.below(all.len() - at);
            all.swap(at, other);
        }
        all.truncate(LOOKED);
        all.sort_unstable();
    }
    all
}

fn most(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(0.0, f64::max)
}

/// What moves are worth at one choice.
struct Worth<'w> {
    strategy: &'w Strategy,
    situation: &'w Situation<'w>,
    /// Kills to be expected of starting a mutant, by how often it was started.
    chances: Vec<f64>,
    /// By the address of the list: ways share them.
    sets: QuickMap<*const MutantId, f64>,
    own: QuickMap<PlaceId, f64>,
    /// By a mutant's number, where it was asked for.
    mutants: Vec<Option<f64>>,
}

impl<'w> Worth<'w> {
    fn new(strategy: &'w Strategy, situation: &'w Situation<'w>) -> Worth<'w> {
        Worth {
            strategy,
            situation,
            chances: strategy.kills.chances(),
            sets: QuickMap::default(),
            own: QuickMap::default(),
            mutants: vec![None; situation.results.statuses.len() + 1],
        }
    }

    fn of_mutant(&mut self, mutant: MutantId) -> f64 {
        let number = mutant.0 as usize;
        if let Some(known) = self.mutants[number] {
            return known;
        }
        let found = self.chance(mutant);
        self.mutants[number] = Some(found);
        found
    }

    fn chance(&self, mutant: MutantId) -> f64 {
        let situation = self.situation;
        let waits = situation.results.is_open(mutant)
            && !self.strategy.rests(mutant)
            && !situation.gone.contains(&mutant)
            && !situation.running.contains(&mutant);
        let tries = self.strategy.tries(mutant);
        match waits && tries < PATIENCE {
            true => of(&self.chances, tries),
            false => 0.0,
        }
    }

    fn of_set(&mut self, set: &[MutantId]) -> f64 {
        if let Some(known) = self.sets.get(&set.as_ptr()) {
            return *known;
        }
        let sum = set.iter().map(|mutant| self.of_mutant(*mutant)).sum();
        self.sets.insert(set.as_ptr(), sum);
        sum
    }

    /// Of the mutants met at a place without an input, as far as they were not looked at.
    fn of_arriving(&mut self, atlas: &Atlas, id: PlaceId) -> f64 {
        if let Some(known) = self.own.get(&id) {
            return *known;
        }
        let place = atlas.place(id);
        let unmet = place.own.iter().filter(|m| !place.meetings.contains_key(m));
        let sum = unmet.map(|mutant| self.of_mutant(mutant)).sum();
        self.own.insert(id, sum);
        sum
    }

    fn of_way(&mut self, atlas: &Atlas, way: &Way) -> f64 {
        let met = match way.harmless.is_empty() {
            true => self.of_set(&way.met),
            false => {
                let met = way.met.iter().filter(|id| !way.harmless.contains(id));
                met.map(|id| self.of_mutant(*id)).sum()
            }
        };
        let arriving = way.next.map_or(0.0, |next| self.of_arriving(atlas, next));
        let unseen = way.next.is_none_or(|next| atlas.place(next).visits == 0);
        let taken = f64::from(self.strategy.count(way)) + 1.0;
        let novel = if unseen {
            UNSEEN + NOVEL / (taken * taken)
        } else {
            0.0
        };
        met + arriving + novel
    }

    fn of_all(&mut self, atlas: &Atlas, id: PlaceId) -> Vec<f64> {
        let place = atlas.place(id);
        let parted: Vec<MutantId> = place
            .meetings
            .iter()
            .filter(|(_, meeting)| matches!(meeting, Meeting::Parts(_)))
            .map(|(mutant, _)| *mutant)
            .collect();
        let parted: f64 = parted.iter().map(|mutant| self.of_mutant(*mutant)).sum();
        let ways = place.ways().iter();
        ways.map(|way| self.of_way(atlas, way) + parted).collect()
    }

    /// The first move of a known way to where a move is worth more than here, by the number of moves it takes.
    fn way_to_better(&mut self, atlas: &Atlas, place: PlaceId, here: f64) -> Option<usize> {
        let mut first_move: QuickMap<PlaceId, usize> = QuickMap::default();
        let mut queue: VecDeque<(PlaceId, usize)> = VecDeque::new();
        let enqueue = |first_move: &mut QuickMap<PlaceId, usize>,
                       queue: &mut VecDeque<(PlaceId, usize)>,
                       from: PlaceId,
                       first: Option<usize>,
                       distance: usize| {
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
            if distance >= self.situation.left {
                break;
            }
            let there = most(&self.of_all(atlas, id)) / (distance + 1) as f64;
            let first = first_move[&id];
            if there > best.0 {
                best = (there, Some(first));
            }
            enqueue(&mut first_move, &mut queue, id, Some(first), distance + 1);
        }
        best.1
    }
}
