//! Which move next. All strategies are deterministic for a seed.

use super::frontier;
use super::options::StrategyKind;
use super::state_graph::{SpecState, SpecStateId, StateGraph, Transition};
use super::status::GenerationResults;
use super::success_rates::SuccessRates;
use super::workers::Workers;
use crate::mutation::{ModelMutantId, MutantSet};
use crate::random::SplitMix64;
use crate::state_space::{StateSpaceLimits, Suspension};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a strategy may look at.
pub struct StrategyInput<'s> {
    pub results: &'s GenerationResults,
    /// Mutants reached so far.
    pub found: &'s MutantSet,
    pub running: &'s BTreeSet<ModelMutantId>,
    /// The running mutants with where they are.
    pub beside: &'s [(ModelMutantId, Arc<Suspension>)],
    /// Not to be had in this test.
    pub gone: &'s BTreeSet<ModelMutantId>,
    /// Choices left in this test.
    pub left: usize,
    pub limits: StateSpaceLimits,
}

/// The number at a spec of a list, which grows to there.
fn entry(list: &mut Vec<u32>, at: usize) -> &mut u32 {
    if at >= list.len() {
        list.resize(at + 1, 0);
    }
    &mut list[at]
}

pub struct MoveStrategy {
    kind: StrategyKind,
    /// Of the model.
    objects: usize,
    pub(super) random: SplitMix64,
    /// How often a move was taken, by its number.
    counts: Vec<u32>,
    /// How often a mutant was started, by its number.
    tries: Vec<u32>,
    /// Moves that a mutant ran beside the original without being killed, by its number.
    lived: Vec<u32>,
    /// Nodes that a mutant went through and the original did not, by its number.
    spent: Vec<u32>,
    /// Mutants that came to other states than the original.
    parted: MutantSet,
    /// Kills by starting a mutant, by how often it was started before.
    pub(super) kills: SuccessRates,
    /// The number of the test that is made.
    test: usize,
    /// Mutants that were put off because they cost too much, with the test from which on they are wanted again.
    put_off: BTreeMap<ModelMutantId, usize>,
    /// How often a mutant went through more states than it may, by its number.
    limits_reached: Vec<u32>,
}

/// A mutant that went through more states than it may so often is not started again: each time costs as much as a
/// thousand others.
const LIMITS_REACHED: u32 = 3;
/// S2 looks at this many moves at most.
const SUBSET: usize = 16;

impl MoveStrategy {
    pub fn new(kind: StrategyKind, seed: u64, objects: usize) -> MoveStrategy {
        MoveStrategy {
            kind,
            objects,
            random: SplitMix64::new(seed),
            counts: Vec::new(),
            tries: Vec::new(),
            lived: Vec::new(),
            spent: Vec::new(),
            parted: MutantSet::default(),
            kills: SuccessRates::new(),
            test: 0,
            put_off: BTreeMap::new(),
            limits_reached: Vec::new(),
        }
    }

    /// The number of a move, or `None` if no move could bring anything.
    pub fn choose(
        &mut self,
        workers: &mut Workers,
        graph: &mut StateGraph,
        spec: SpecStateId,
        situation: &StrategyInput,
    ) -> Option<usize> {
        match self.kind {
            StrategyKind::S1 => Some(self.weighted(graph, spec)),
            StrategyKind::S2 => Some(self.most_new(workers, graph, spec, situation)),
            StrategyKind::Frontier => frontier::choose(self, workers, graph, spec, situation),
        }
    }

    /// Told after every move, chosen or not.
    pub fn taken(&mut self, graph: &StateGraph, spec: SpecStateId, at: usize) {
        *entry(&mut self.counts, graph.state(spec).transitions()[at].number) += 1;
    }

    /// Told when a mutant is started.
    pub fn tried(&mut self, mutant: ModelMutantId) {
        let tries = entry(&mut self.tries, mutant.0 as usize);
        self.kills.attempted(*tries);
        *tries += 1;
    }

    /// Told when a mutant has come to another state than the original.
    pub fn parted(&mut self, mutant: ModelMutantId) {
        self.parted.insert(mutant);
        *entry(&mut self.lived, mutant.0 as usize) += 1;
    }

    /// How many moves a mutant may run beside the original.
    pub fn longest_life(&self, mutant: ModelMutantId, max_age: u32) -> u32 {
        let lived = self.lived.get(mutant.0 as usize).copied().unwrap_or(0);
        match self.kind == StrategyKind::Frontier && lived >= max_age * frontier::LIVES {
            true => max_age.div_ceil(frontier::SHORTER),
            false => max_age,
        }
    }

    /// Told when a test begins.
    pub fn begins(&mut self, test: usize) {
        self.test = test;
    }

    /// Whether a mutant that is reached is to be started; one that is not is left alone for the rest of the test.
    pub fn wants(&self, mutant: ModelMutantId) -> bool {
        let has_hope = || self.tries(mutant) < frontier::MOST_TRIES || self.parted.contains(mutant);
        let is_ours = self.kind == StrategyKind::Frontier;
        !self.is_exhausted(mutant) && (!is_ours || !self.rests(mutant) && has_hope())
    }

    /// Whether a mutant is put off in this test.
    pub(super) fn rests(&self, mutant: ModelMutantId) -> bool {
        let until = self.put_off.get(&mutant);
        until.is_some_and(|until| self.test < *until)
    }

    /// What a mutant may cost on the transition to a spec, and whether it is given more later if that is not enough.
    pub fn allowance(
        &self,
        mutant: ModelMutantId,
        spec: &SpecState,
        limits: StateSpaceLimits,
    ) -> (StateSpaceLimits, bool) {
        let first = self.kind == StrategyKind::Frontier && !self.put_off.contains_key(&mutant);
        let spent = self.spent.get(mutant.0 as usize).copied().unwrap_or(0);
        let light = first.then(|| spec.light_limits(limits, self.objects, spent as usize));
        match light.flatten() {
            Some(light) => (light, true),
            None => (spec.mutant_limits(limits), false),
        }
    }

    /// Told how many nodes a mutant went through on the transition to a spec.
    pub fn spends(&mut self, mutant: ModelMutantId, spec: &SpecState, nodes: usize) {
        let more = nodes.saturating_sub(spec.explored) as u32;
        *entry(&mut self.spent, mutant.0 as usize) += more;
    }

    /// Told when a mutant went through more states than it may.
    pub fn reached_limit(&mut self, mutant: ModelMutantId) {
        *entry(&mut self.limits_reached, mutant.0 as usize) += 1;
    }

    pub fn has_reached_limit(&self, mutant: ModelMutantId) -> bool {
        self.limit_count(mutant) > 0
    }

    fn limit_count(&self, mutant: ModelMutantId) -> u32 {
        let count = self.limits_reached.get(mutant.0 as usize);
        count.copied().unwrap_or(0)
    }

    /// Whether a mutant had its chances.
    pub(super) fn is_exhausted(&self, mutant: ModelMutantId) -> bool {
        self.limit_count(mutant) >= LIMITS_REACHED
    }

    /// Told when a mutant that is to be given more later needs it.
    pub fn puts_off(&mut self, mutant: ModelMutantId) {
        self.put_off.insert(mutant, self.test + frontier::REST);
    }

    /// All that was put off is wanted from the next test on.
    pub(super) fn wake_all(&mut self) {
        for until in self.put_off.values_mut() {
            *until = (*until).min(self.test + 1);
        }
    }

    /// Told when a mutant is killed that was started.
    pub fn killed(&mut self, mutant: ModelMutantId) {
        self.kills.succeeded(self.tries(mutant).saturating_sub(1));
    }

    pub(super) fn tries(&self, mutant: ModelMutantId) -> u32 {
        self.tries.get(mutant.0 as usize).copied().unwrap_or(0)
    }

    /// How often a move was taken, anywhere.
    pub fn count(&self, transition: &Transition) -> u32 {
        self.counts.get(transition.number).copied().unwrap_or(0)
    }

    /// S1: random, with the square of how often a move was taken against it.
    pub(super) fn weighted(&mut self, graph: &StateGraph, spec: SpecStateId) -> usize {
        let weights: Vec<u64> = graph
            .state(spec)
            .transitions()
            .iter()
            .map(|transition| {
                let count = u64::from(self.count(transition)) + 1;
                (1_000_000 / (count * count)).max(1)
            })
            .collect();
        self.random.weighted(&weights)
    }

    /// S2: explores a bounded set of moves and takes the one that meets the most new mutants.
    fn most_new(
        &mut self,
        workers: &mut Workers,
        graph: &mut StateGraph,
        spec: SpecStateId,
        situation: &StrategyInput,
    ) -> usize {
        let mut subset: Vec<usize> = (0..graph.state(spec).transitions().len()).collect();
        while subset.len() > SUBSET {
            let out = self.random.below(subset.len());
            subset.swap_remove(out);
        }
        subset.sort_unstable();
        graph.look_ahead(workers, spec, &subset, situation.limits);
        let here = graph.state(spec);
        let new = |at: &usize| {
            let transition = &here.transitions()[*at];
            let mut infected: BTreeSet<ModelMutantId> =
                transition.infected.iter().copied().collect();
            if let Some(next) = transition.next {
                infected.extend(graph.state(next).own.iter());
            }
            infected
                .iter()
                .filter(|id| !situation.found.contains(**id))
                .count()
        };
        let best = subset
            .iter()
            .map(|at| (new(at), std::cmp::Reverse(*at)))
            .max();
        match best {
            Some((count, std::cmp::Reverse(at))) if count > 0 => at,
            _ => self.weighted(graph, spec),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_that_costs_too_much_rests_for_some_tests() {
        let mutant = ModelMutantId(1);
        let mut ours = MoveStrategy::new(StrategyKind::Frontier, 0, 1);
        ours.puts_off(mutant);
        for test in 0..frontier::REST {
            ours.begins(test);
            assert!(!ours.wants(mutant), "test {test}");
        }
        ours.begins(frontier::REST);
        assert!(ours.wants(mutant));
    }

    #[test]
    fn what_rests_is_woken_when_nothing_else_is_left() {
        let mutant = ModelMutantId(1);
        let mut ours = MoveStrategy::new(StrategyKind::Frontier, 0, 1);
        ours.puts_off(mutant);
        ours.wake_all();
        assert!(!ours.wants(mutant), "not in the same test");
        ours.begins(1);
        assert!(ours.wants(mutant));
    }

    fn state() -> SpecState {
        SpecState {
            kernel: Vec::new(),
            suspension: Arc::new(Suspension { nodes: Vec::new() }),
            observations: BTreeSet::new(),
            own: MutantSet::default(),
            transitions: None,
            explored: 10,
            visits: 0,
            starts: BTreeMap::new(),
        }
    }

    #[test]
    fn a_mutant_that_cost_much_in_vain_may_cost_less_and_less() {
        let (spec, mutant, limits) = (state(), ModelMutantId(1), StateSpaceLimits::default());
        let mut ours = MoveStrategy::new(StrategyKind::Frontier, 0, 125);
        assert!(!ours.allowance(mutant, &spec, limits).1);
        let mut before = usize::MAX;
        for _ in 0..4 {
            ours.spends(mutant, &spec, 410);
            let (allowed, may_rest) = ours.allowance(mutant, &spec, limits);
            assert!(allowed.closure < before);
            before = allowed.closure;
            assert!(may_rest || allowed == spec.mutant_limits(limits));
        }
        assert_eq!(
            before, 20,
            "twice the original's transition, and nothing more"
        );
        ours.spends(ModelMutantId(2), &spec, 10);
        assert!(
            !ours.allowance(ModelMutantId(2), &spec, limits).1,
            "as cheap as the original"
        );
    }

    #[test]
    fn only_ours_puts_off_and_only_once_and_where_there_are_many_objects() {
        let spec = state();
        let mutant = ModelMutantId(1);
        let limits = StateSpaceLimits::default();
        let may_rest = |strategy: &MoveStrategy| strategy.allowance(mutant, &spec, limits).1;
        let mut ours = MoveStrategy::new(StrategyKind::Frontier, 0, 3_000);
        assert!(may_rest(&ours));
        ours.puts_off(mutant);
        assert!(!may_rest(&ours));
        assert!(!may_rest(&MoveStrategy::new(StrategyKind::Frontier, 0, 30)));
        assert!(!may_rest(&MoveStrategy::new(StrategyKind::S2, 0, 3_000)));
    }
}
