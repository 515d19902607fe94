//! Our strategy: first the move that kills most of the mutants running now, then the shortest known way to where an
//! unkilled mutant waits to be started by a move, or to a move that nobody took yet.

use super::atlas::{Atlas, PlaceId};
use super::crew::Crew;
use super::meeting::{Advance, Meeting, advance};
use super::strategy::{Situation, Strategy};
use crate::explore::Acting;
use crate::mutation::MutantId;
use std::collections::{HashMap, VecDeque};

/// Pairs of move and running mutant that are tried out per choice.
const PAIRS: usize = 256;
/// How often a mutant is started by the same move from the same place: what follows may be another path.
const TRIES: u32 = 3;
/// Places looked at for the way to a goal.
const HORIZON: usize = 20_000;

pub(super) fn choose(
    strategy: &mut Strategy,
    crew: &mut Crew,
    atlas: &mut Atlas,
    place: PlaceId,
    situation: &Situation,
) -> Option<usize> {
    if let Some(at) = best_for_running(crew, atlas, place, situation) {
        return Some(at);
    }
    if let Some(at) = way_to_goal(strategy, atlas, place, situation) {
        return Some(at);
    }
    // Mutants still running may be killed by anything; without them there is nothing to gain here.
    if situation.beside.is_empty() {
        None
    } else {
        Some(strategy.weighted(atlas, place))
    }
}

/// The move that kills most of the running mutants at once; if none kills, but some lose sight of more mutants than
/// others (they can't show what the move waits for), the one that loses the fewest.
fn best_for_running(
    crew: &mut Crew,
    atlas: &mut Atlas,
    place: PlaceId,
    situation: &Situation,
) -> Option<usize> {
    if situation.beside.is_empty() {
        return None;
    }
    let moves = atlas.place(place).moves.len();
    let looked: Vec<usize> = (0..moves.min(PAIRS)).collect();
    let mutants = (PAIRS / looked.len().max(1)).max(1);
    atlas.look_ahead(crew, place, &looked, situation.limits);
    let here = atlas.place(place);
    let mut jobs: Vec<(usize, PlaceId, usize)> = Vec::new();
    for at in looked {
        let Some(next) = here.next[at] else { continue };
        jobs.extend((0..situation.beside.len().min(mutants)).map(|mutant| (at, next, mutant)));
    }
    let advances = crew.map(&jobs, |explorer, (at, next, mutant)| {
        let (id, suspension) = &situation.beside[*mutant];
        let acting = Acting::mutant(&explorer.model.mutants, *id);
        advance(
            explorer,
            &acting,
            suspension,
            &here.moves[*at],
            atlas.place(*next),
            situation.limits,
        )
    });
    let mut kills = vec![0usize; moves];
    let mut losses = vec![0usize; moves];
    for ((at, ..), advance) in jobs.iter().zip(advances) {
        kills[*at] += usize::from(matches!(advance, Advance::Killed(_)));
        losses[*at] += usize::from(matches!(advance, Advance::Lost));
    }
    let score = |at: &usize| {
        (
            kills[*at],
            std::cmp::Reverse(losses[*at]),
            std::cmp::Reverse(*at),
        )
    };
    let best = (0..moves).max_by_key(score)?;
    let waits = here
        .moves
        .iter()
        .all(|step| matches!(step, super::moves::Move::Observe(_)));
    let tells = waits && losses.iter().any(|lost| *lost != losses[best]);
    (kills[best] > 0 || tells).then_some(best)
}

/// The first move of the shortest known way to a goal; at equal distance the goal with most to gain.
fn way_to_goal(
    strategy: &Strategy,
    atlas: &Atlas,
    place: PlaceId,
    situation: &Situation,
) -> Option<usize> {
    let mut first_move: HashMap<PlaceId, Option<usize>> = HashMap::from([(place, None)]);
    let mut queue: VecDeque<(PlaceId, usize)> = VecDeque::from([(place, 0)]);
    let mut best: Option<(usize, usize)> = None;
    let mut goal_distance = None;
    while let Some((id, distance)) = queue.pop_front() {
        if goal_distance.is_some_and(|goal| distance > goal) || distance >= situation.left {
            break;
        }
        let here = atlas.place(id);
        for at in 0..here.moves.len() {
            let gain = gain(strategy, atlas, id, at, situation);
            let first = first_move[&id].unwrap_or(at);
            if gain > 0 {
                goal_distance = Some(distance);
                if best.is_none_or(|(most, _)| gain > most) {
                    best = Some((gain, first));
                }
            } else if let Some(next) = here.next[at]
                && !first_move.contains_key(&next)
                && first_move.len() < HORIZON
            {
                first_move.insert(next, Some(first));
                queue.push_back((next, distance + 1));
            }
        }
    }
    best.map(|(_, first)| first)
}

/// Unkilled mutants that this move would start, or one for a move that nobody took.
fn gain(
    strategy: &Strategy,
    atlas: &Atlas,
    id: PlaceId,
    at: usize,
    situation: &Situation,
) -> usize {
    let here = atlas.place(id);
    let waits = |(mutant, meeting): (&MutantId, &Meeting)| {
        let Meeting::Parts { moves, .. } = meeting else {
            return false;
        };
        moves.contains(&at)
            && situation.results.is_open(*mutant)
            && !situation.gone.contains(mutant)
            && !situation.running.contains(mutant)
            && strategy
                .tried
                .get(&(id, at, *mutant))
                .is_none_or(|tries| *tries < TRIES)
    };
    let waiting = here
        .meetings
        .iter()
        .filter(|(mutant, meeting)| waits((mutant, meeting)))
        .count();
    if waiting > 0 {
        return waiting + 1;
    }
    // A place that was only looked at from afar counts as not taken.
    let unseen = here.next[at].is_none_or(|next| atlas.place(next).visits == 0);
    usize::from(unseen)
}
