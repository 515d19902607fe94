//! Our strategy: every move is worth the kills that are to be expected of it, by what the run has learned so far: an
//! unkilled mutant that a move meets counts by how often mutants were killed that had been started without success as often.
//! Where no mutant waits that was never started, the test goes back to where more is to be had for each move of the transition,
//! or tries out which moves kill the running mutants.
//!
//! What makes it cheaper than S2: a mutant that was started again and again and came to the original's state every time
//! is left alone, and one that goes through many more states than the original is put off: it mostly has no end. Most of
//! the time of a run goes into such mutants.

use super::mutant_run::{StartResult, StepResult, advance};
use super::state_graph::{SpecStateId, StateGraph, Transition};
use super::strategy::{MoveStrategy, StrategyInput};
use super::success_rates::of;
use super::workers::Workers;
use crate::mutation::ModelMutantId;
use crate::state_space::{Acting, FastMap, StateSpaceLimits};
use std::collections::VecDeque;

/// Started so often without success, a mutant is nothing to go for any more, and one that never parted is left alone.
pub(super) const MOST_TRIES: u32 = 30;
/// A mutant that ran beside the original for so many full lives without success has shorter ones, by this factor.
pub(super) const LIVES: u32 = 3;
pub(super) const SHORTER: u32 = 4;
/// A mutant that costs too much is tried again so many tests later, or when nothing else is left.
pub(super) const REST: usize = 4;
/// Of moves that promise equally little, those lead to something new more likely that were never taken from their spec,
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
/// Places looked at for the transition to a better one.
const HORIZON: usize = 300;

pub(super) fn choose(
    strategy: &mut MoveStrategy,
    workers: &mut Workers,
    graph: &mut StateGraph,
    spec: SpecStateId,
    situation: &StrategyInput,
) -> Option<usize> {
    if situation.beside.is_empty() && situation.results.all_decided() {
        return None;
    }
    let scores = MoveScores::new(strategy, situation).of_all(graph, spec);
    let looked = worth_a_look(strategy, graph, spec, &scores);
    graph.look_ahead(workers, spec, &looked, situation.limits);
    let mut worth = MoveScores::new(strategy, situation);
    let mut scores = worth.of_all(graph, spec);
    // Without a mutant that was never started, it may be better elsewhere, or something may kill those that run.
    if most(&scores) < worth.chances[0] {
        let better = worth.way_to_better(graph, spec, most(&scores));
        if better.is_some() {
            return better;
        }
        if most(&scores) <= 0.0 && situation.beside.is_empty() {
            strategy.wake_all();
            return None;
        }
        try_out(workers, graph, spec, situation, &mut scores);
    }
    let best = most(&scores);
    let equals: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] >= best).collect();
    Some(equals[strategy.random.below(equals.len())])
}

/// Adds what moves do to the running mutants: kills, and where the test can only wait, what loses sight of a mutant (it
/// can't show that) is worth less.
fn try_out(
    workers: &mut Workers,
    graph: &StateGraph,
    spec: SpecStateId,
    situation: &StrategyInput,
    scores: &mut [f64],
) {
    let here = graph.state(spec);
    let known = |at: &usize| here.transitions()[*at].next.is_some();
    let mut moves: Vec<usize> = (0..scores.len()).filter(known).collect();
    moves.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    moves.truncate(TRIED);
    let mutants = (PAIRS / moves.len().max(1)).clamp(1, situation.beside.len().max(1));
    let mut jobs = Vec::new();
    for at in &moves {
        let Some(next) = here.transitions()[*at].next else {
            continue;
        };
        let tried = situation.beside.iter().take(mutants);
        jobs.extend(tried.map(|mutant| (*at, next, mutant)));
    }
    let advances = workers.map(&jobs, |explorer, (at, next, (id, suspension))| {
        let acting = Acting::mutant(&explorer.model.mutants, *id);
        let next = graph.state(*next);
        // One that goes much further than the original is not worth a trial.
        let limits = StateSpaceLimits {
            closure: next.explored * TRIAL_FACTOR + TRIAL_NODES,
        };
        let step = &here.transitions()[*at].step;
        advance(explorer, &acting, suspension, step, next, limits)
    });
    for ((at, ..), advance) in jobs.iter().zip(advances) {
        match advance {
            StepResult::Killed(_) => scores[*at] += 1.0,
            StepResult::Lost => scores[*at] /= 2.0,
            _ => {}
        }
    }
}

/// The moves to look at: of those that lead nobody knows where, the best so far and as many others.
fn worth_a_look(
    strategy: &mut MoveStrategy,
    graph: &StateGraph,
    spec: SpecStateId,
    scores: &[f64],
) -> Vec<usize> {
    let transitions = graph.state(spec).transitions();
    let unknown = |at: &usize| transitions[*at].next.is_none();
    let mut all: Vec<usize> = (0..transitions.len()).filter(unknown).collect();
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
struct MoveScores<'w> {
    strategy: &'w MoveStrategy,
    situation: &'w StrategyInput<'w>,
    /// Kills to be expected of starting a mutant, by how often it was started.
    chances: Vec<f64>,
    /// By the address of the list: transitions share them.
    sets: FastMap<*const ModelMutantId, f64>,
    own: FastMap<SpecStateId, f64>,
    /// By a mutant's number, where it was asked for.
    mutants: Vec<Option<f64>>,
}

impl<'w> MoveScores<'w> {
    fn new(strategy: &'w MoveStrategy, situation: &'w StrategyInput<'w>) -> MoveScores<'w> {
        MoveScores {
            strategy,
            situation,
            chances: strategy.kills.chances(),
            sets: FastMap::default(),
            own: FastMap::default(),
            mutants: vec![None; situation.results.statuses.len() + 1],
        }
    }

    fn of_mutant(&mut self, mutant: ModelMutantId) -> f64 {
        let number = mutant.0 as usize;
        if let Some(known) = self.mutants[number] {
            return known;
        }
        let found = self.chance(mutant);
        self.mutants[number] = Some(found);
        found
    }

    fn chance(&self, mutant: ModelMutantId) -> f64 {
        let situation = self.situation;
        let waits = situation.results.is_open(mutant)
            && !self.strategy.rests(mutant)
            && !self.strategy.is_exhausted(mutant)
            && !situation.gone.contains(&mutant)
            && !situation.running.contains(&mutant);
        let tries = self.strategy.tries(mutant);
        match waits && tries < MOST_TRIES {
            true => of(&self.chances, tries),
            false => 0.0,
        }
    }

    fn of_set(&mut self, set: &[ModelMutantId]) -> f64 {
        if let Some(known) = self.sets.get(&set.as_ptr()) {
            return *known;
        }
        let sum = set.iter().map(|mutant| self.of_mutant(*mutant)).sum();
        self.sets.insert(set.as_ptr(), sum);
        sum
    }

    /// Of the mutants reached at a spec without an input, as far as they were not looked at.
    fn of_arriving(&mut self, graph: &StateGraph, id: SpecStateId) -> f64 {
        if let Some(known) = self.own.get(&id) {
            return *known;
        }
        let spec = graph.state(id);
        let unmet = spec.own.iter().filter(|m| !spec.starts.contains_key(m));
        let sum = unmet.map(|mutant| self.of_mutant(mutant)).sum();
        self.own.insert(id, sum);
        sum
    }

    fn of_transition(&mut self, graph: &StateGraph, transition: &Transition) -> f64 {
        let infected = match transition.harmless.is_empty() {
            true => self.of_set(&transition.infected),
            false => {
                let infected = transition
                    .infected
                    .iter()
                    .filter(|id| !transition.harmless.contains(id));
                infected.map(|id| self.of_mutant(*id)).sum()
            }
        };
        let arriving = transition
            .next
            .map_or(0.0, |next| self.of_arriving(graph, next));
        let unseen = transition
            .next
            .is_none_or(|next| graph.state(next).visits == 0);
        let taken = f64::from(self.strategy.count(transition)) + 1.0;
        let novel = if unseen {
            UNSEEN + NOVEL / (taken * taken)
        } else {
            0.0
        };
        infected + arriving + novel
    }

    fn of_all(&mut self, graph: &StateGraph, id: SpecStateId) -> Vec<f64> {
        let spec = graph.state(id);
        let parted: Vec<ModelMutantId> = spec
            .starts
            .iter()
            .filter(|(_, start)| matches!(start, StartResult::Parts(_)))
            .map(|(mutant, _)| *mutant)
            .collect();
        let parted: f64 = parted.iter().map(|mutant| self.of_mutant(*mutant)).sum();
        let transitions = spec.transitions().iter();
        transitions
            .map(|transition| self.of_transition(graph, transition) + parted)
            .collect()
    }

    /// The first move of a known transition to where a move is worth more than here, by the number of moves it takes.
    fn way_to_better(&mut self, graph: &StateGraph, spec: SpecStateId, here: f64) -> Option<usize> {
        let mut first_move: FastMap<SpecStateId, usize> = FastMap::default();
        let mut queue: VecDeque<(SpecStateId, usize)> = VecDeque::new();
        let enqueue = |first_move: &mut FastMap<SpecStateId, usize>,
                       queue: &mut VecDeque<(SpecStateId, usize)>,
                       from: SpecStateId,
                       first: Option<usize>,
                       distance: usize| {
            for (at, transition) in graph.state(from).transitions().iter().enumerate() {
                let Some(next) = transition.next.filter(|next| *next != spec) else {
                    continue;
                };
                if first_move.len() < HORIZON && !first_move.contains_key(&next) {
                    first_move.insert(next, first.unwrap_or(at));
                    queue.push_back((next, distance));
                }
            }
        };
        enqueue(&mut first_move, &mut queue, spec, None, 1);
        let mut best = (here, None);
        while let Some((id, distance)) = queue.pop_front() {
            if distance >= self.situation.left {
                break;
            }
            let there = most(&self.of_all(graph, id)) / (distance + 1) as f64;
            let first = first_move[&id];
            if there > best.0 {
                best = (there, Some(first));
            }
            enqueue(&mut first_move, &mut queue, id, Some(first), distance + 1);
        }
        best.1
    }
}
