//! The suspension states that the original was seen in, and how they hang together.

use super::moves::Move;
use super::mutant_run::StartResult;
use super::workers::Workers;
use crate::model::Observation;
use crate::mutation::{ModelMutantId, MutantSet, Mutants};
use crate::state_space::{
    Acting, FastMap, FastSet, StateExplorer, StateSpaceLimits, Stop, Suspension, SuspensionNode,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpecStateId(pub usize);

/// A suspension state of the original.
pub struct SpecState {
    /// Its nodes before internal steps.
    pub kernel: Vec<SuspensionNode>,
    pub suspension: Arc<Suspension>,
    pub observations: BTreeSet<Observation>,
    /// Mutants that compute something else without an input.
    pub own: MutantSet,
    /// What can be done here; known where a test has been.
    pub transitions: Option<Vec<Transition>>,
    /// Nodes that the original went through by itself.
    pub explored: usize,
    pub visits: u32,
    /// What became of mutants started here.
    pub(super) starts: BTreeMap<ModelMutantId, StartResult>,
}

/// A move from a spec.
pub struct Transition {
    pub step: Move,
    /// The number of this move, wherever it is taken.
    pub(super) number: usize,
    /// Mutants that compute something else when it is taken, sorted; shared between transitions.
    pub infected: Arc<[ModelMutantId]>,
    /// Those that came to the original's state nevertheless.
    pub(super) harmless: BTreeSet<ModelMutantId>,
    /// Where it leads, if known.
    pub next: Option<SpecStateId>,
}

/// A mutant may go through so many times as many nodes as the original, and some more.
const MUTANT_FACTOR: usize = 4;
const MUTANT_NODES: usize = 1_000;
/// The same for one that is put off if that is not enough, at one spec and at all states together; a node costs as much
/// as there are objects to look at, so that only models of many objects have a limit below the one above.
const LIGHT_FACTOR: usize = 2;
const LIGHT_OBJECTS: usize = 300_000;
const BUDGET_OBJECTS: usize = 200_000;
const LEAST_BUDGET: usize = 200;

impl SpecState {
    /// Mutants without end are stopped by what the original needed here.
    pub fn mutant_limits(&self, limits: StateSpaceLimits) -> StateSpaceLimits {
        let closure = self.explored * MUTANT_FACTOR + MUTANT_NODES;
        StateSpaceLimits {
            closure: closure.min(limits.closure),
        }
    }

    /// What a mutant may cost where others are cheaper to kill, if that is less than it may cost at all; it has gone
    /// through so many nodes without success.
    pub fn light_limits(
        &self,
        limits: StateSpaceLimits,
        objects: usize,
        spent: usize,
    ) -> Option<StateSpaceLimits> {
        let objects = objects.max(1);
        let budget = (BUDGET_OBJECTS / objects).max(LEAST_BUDGET);
        let more = (LIGHT_OBJECTS / objects).min(budget.saturating_sub(spent));
        let closure = self.explored * LIGHT_FACTOR + more;
        (closure < self.mutant_limits(limits).closure).then_some(StateSpaceLimits { closure })
    }

    /// The moves, none where no test has been.
    pub fn transitions(&self) -> &[Transition] {
        self.transitions.as_deref().unwrap_or_default()
    }
}

#[derive(Default)]
pub struct StateGraph {
    pub states: Vec<SpecState>,
    known: FastMap<Vec<SuspensionNode>, SpecStateId>,
    sets: FastSet<Arc<[ModelMutantId]>>,
    numbers: HashMap<Move, usize>,
}

impl StateGraph {
    pub fn state(&self, id: SpecStateId) -> &SpecState {
        &self.states[id.0]
    }

    pub(super) fn state_mut(&mut self, id: SpecStateId) -> &mut SpecState {
        &mut self.states[id.0]
    }

    /// The spec of a kernel, explored now if it is new.
    ///
    /// # Errors
    /// What stops the original there.
    pub fn enter(
        &mut self,
        workers: &mut Workers,
        kernel: Vec<SuspensionNode>,
        limits: StateSpaceLimits,
    ) -> Result<SpecStateId, Stop> {
        if let Some(id) = self.known.get(&kernel) {
            return Ok(*id);
        }
        let closed = close(workers.first(), &kernel, limits)?;
        Ok(self.add(kernel, closed))
    }

    /// Finds out what can be done at a spec.
    ///
    /// # Errors
    /// An error behind one of the inputs.
    pub fn find_transitions(&mut self, workers: &mut Workers, id: SpecStateId) -> Result<(), Stop> {
        if self.state(id).transitions.is_some() {
            return Ok(());
        }
        let explorer = workers.first();
        let moves = moves_from(explorer, self.state(id))?;
        let model = explorer.model.clone();
        self.set_moves(id, moves, &model.mutants);
        Ok(())
    }

    /// What can be done at a spec, as it was found there.
    pub(super) fn set_moves(
        &mut self,
        id: SpecStateId,
        moves: Vec<(Move, MutantSet)>,
        mutants: &Mutants,
    ) {
        let transitions = moves
            .into_iter()
            .map(|(step, infected)| Transition {
                number: self.number(&step),
                step,
                infected: self.shared(&infected, mutants),
                harmless: BTreeSet::new(),
                next: None,
            })
            .collect();
        self.state_mut(id).transitions = Some(transitions);
    }

    fn number(&mut self, step: &Move) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(step.clone()).or_insert(next)
    }

    /// Inputs that differ in an argument mostly meet the same mutants.
    fn shared(&mut self, infected: &MutantSet, mutants: &Mutants) -> Arc<[ModelMutantId]> {
        let open: Arc<[ModelMutantId]> = mutants.to_start(infected).iter().collect();
        match self.sets.get(&open) {
            Some(known) => known.clone(),
            None => {
                self.sets.insert(open.clone());
                open
            }
        }
    }

    /// Where a move leads.
    ///
    /// # Errors
    /// What stops the original there.
    pub fn follow(
        &mut self,
        workers: &mut Workers,
        from: SpecStateId,
        at: usize,
        limits: StateSpaceLimits,
    ) -> Result<SpecStateId, Stop> {
        let spec = self.state(from);
        let transition = &spec.transitions()[at];
        if let Some(next) = transition.next {
            return Ok(next);
        }
        let explorer = workers.first();
        let acting = Acting::original(&explorer.model.mutants);
        let kernel = transition
            .step
            .of_original(explorer, &acting, &spec.suspension)?;
        let next = self.enter(workers, kernel, limits)?;
        self.set_next(from, at, next);
        Ok(next)
    }

    /// Where an observation leads, whether or not a test has been at the spec.
    ///
    /// # Errors
    /// What stops the original there.
    pub fn observe(
        &mut self,
        workers: &mut Workers,
        from: SpecStateId,
        observation: &Observation,
        limits: StateSpaceLimits,
    ) -> Result<SpecStateId, Stop> {
        let kernel = self.state(from).suspension.after_observation(observation);
        self.enter(workers, kernel, limits)
    }

    /// Explores where several observations lead, at once. Those that stop the original stay unknown.
    pub fn observe_ahead(
        &mut self,
        workers: &mut Workers,
        from: SpecStateId,
        observations: &[Observation],
        limits: StateSpaceLimits,
    ) {
        let suspension = &self.state(from).suspension;
        let mut kernels: Vec<Vec<SuspensionNode>> = observations
            .iter()
            .map(|observation| suspension.after_observation(observation))
            .filter(|kernel| !self.known.contains_key(kernel))
            .collect();
        kernels.sort();
        kernels.dedup();
        let found = workers.map(&kernels, |explorer, kernel| close(explorer, kernel, limits));
        for (kernel, closed) in kernels.into_iter().zip(found) {
            if let Ok(closed) = closed {
                self.add(kernel, closed);
            }
        }
    }

    fn set_next(&mut self, from: SpecStateId, at: usize, next: SpecStateId) {
        if let Some(transitions) = &mut self.state_mut(from).transitions {
            transitions[at].next = Some(next);
        }
    }

    /// Explores where several moves lead, at once. Moves that stop the original stay unknown.
    pub fn look_ahead(
        &mut self,
        workers: &mut Workers,
        from: SpecStateId,
        moves: &[usize],
        limits: StateSpaceLimits,
    ) {
        let spec = self.state(from);
        let jobs: Vec<usize> = moves
            .iter()
            .copied()
            .filter(|at| spec.transitions()[*at].next.is_none())
            .collect();
        let known = &self.known;
        let found = workers.map(&jobs, |explorer, at| {
            let acting = Acting::original(&explorer.model.mutants);
            let step = &spec.transitions()[*at].step;
            let kernel = step.of_original(explorer, &acting, &spec.suspension).ok()?;
            let closed = match known.contains_key(&kernel) {
                true => None,
                false => Some(close(explorer, &kernel, limits).ok()?),
            };
            Some((kernel, closed))
        });
        for (at, found) in jobs.into_iter().zip(found) {
            let Some((kernel, closed)) = found else {
                continue;
            };
            let next = match (self.known.get(&kernel), closed) {
                (Some(next), _) => *next,
                (None, Some(closed)) => self.add(kernel, closed),
                (None, None) => continue,
            };
            self.set_next(from, at, next);
        }
    }

    fn add(
        &mut self,
        kernel: Vec<SuspensionNode>,
        Closed {
            suspension,
            own,
            explored,
        }: Closed,
    ) -> SpecStateId {
        let id = SpecStateId(self.states.len());
        self.known.insert(kernel.clone(), id);
        self.states.push(SpecState {
            kernel,
            observations: suspension.observations(),
            own,
            transitions: None,
            explored,
            visits: 0,
            suspension: Arc::new(suspension),
            starts: BTreeMap::new(),
        });
        id
    }
}

/// What the original does from a kernel by itself.
struct Closed {
    suspension: Suspension,
    own: MutantSet,
    explored: usize,
}

/// What can be done at a spec.
///
/// # Errors
/// An error behind one of the inputs.
pub(super) fn moves_from(
    explorer: &mut StateExplorer,
    spec: &SpecState,
) -> Result<Vec<(Move, MutantSet)>, Stop> {
    let acting = Acting::original(&explorer.model.mutants);
    let inputs = explorer.inputs(&acting, &spec.suspension)?;
    Ok(Move::all(&spec.observations, inputs))
}

fn close(
    explorer: &mut StateExplorer,
    kernel: &[SuspensionNode],
    limits: StateSpaceLimits,
) -> Result<Closed, Stop> {
    let acting = Acting::original(&explorer.model.mutants);
    let mut infected = MutantSet::for_all(&explorer.model.mutants);
    let suspension = explorer.close(&acting, kernel, limits, &mut infected)?;
    Ok(Closed {
        suspension,
        own: explorer.model.mutants.to_start(&infected),
        explored: explorer.closed,
    })
}
