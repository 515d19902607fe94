//! Expands states and closes sets of nodes under internal steps.

use super::acting::Acting;
use super::expansion::{Expansion, Judgement, Lists, Step, Taker};
use super::expansion_cache::ExpansionCache;
use super::fast_hash::FastMap;
use super::guard_cache::GuardCache;
use super::halt::{Halt, HaltCause};
use super::idle_cache::{IdleCache, IdleMarks};
use super::inputs;
use super::livelock::InternalSteps;
use super::reducer::Reducer;
use super::suspension::{Suspension, SuspensionNode, VisibleNode};
use crate::execution::{Engine, Inputs};
use crate::model::{ExecError, Label, Model, ObjectId, State};
use crate::mutation::MutantSet;
use std::sync::Arc;

/// Whether all orders of internal steps are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// All.
    Full,
    /// One order where the others lead to the same.
    PartialOrder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSpaceLimits {
    /// Nodes of one closure; more is taken for endless.
    pub closure: usize,
}

impl Default for StateSpaceLimits {
    fn default() -> StateSpaceLimits {
        StateSpaceLimits { closure: 100_000 }
    }
}

/// Iterations between two looks at the memory.
const MEMORY_EVERY: u64 = 256;

/// Why there is no suspension state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An execution error; the labels of the iteration that it ended.
    Error(Vec<Label>, ExecError),
    /// Internal steps lead to more states than the limit allows.
    TooManyStates,
    /// It was ended from outside: nothing is known.
    Halted(HaltCause),
}

/// What leaves orders out, with one worker's memory.
struct Reducing {
    reducer: Arc<Reducer>,
    guards: GuardCache,
    idle: IdleCache,
    /// Of mutants; of the original all that it reaches is noted in every state. Without them every object is looked at.
    marks: Option<IdleMarks>,
}

/// Who runs from where.
#[derive(Clone, Copy)]
struct Run<'r> {
    acting: &'r Acting,
    state: &'r State,
    /// What the original did there, where a mutant runs.
    known: Option<&'r Expansion>,
}

/// The nodes that internal steps reach, numbered in the order in which they were found.
#[derive(Default)]
struct Closure {
    seen: FastMap<SuspensionNode, u32>,
    open: Vec<(u32, SuspensionNode)>,
    internal: InternalSteps,
}

impl Closure {
    fn reach(&mut self, from: Option<u32>, node: SuspensionNode) {
        let next = self.seen.len() as u32;
        let to = match self.seen.get(&node) {
            Some(known) => {
                self.internal.revisited = true;
                *known
            }
            None => {
                self.seen.insert(node.clone(), next);
                self.open.push((next, node));
                next
            }
        };
        if let Some(from) = from {
            self.internal.add(from, to);
        }
    }

    /// What is visible of the nodes: those that only go on by themselves are left out, unless they do so for ever.
    fn suspension(&self, mut nodes: Vec<(u32, VisibleNode)>) -> Suspension {
        if self.internal.revisited {
            let mut ends = vec![true; nodes.len()];
            for (number, node) in &nodes {
                let shows = node.offers.iter().any(|(label, _)| !label.controllable);
                ends[*number as usize] = !node.internal || shows;
            }
            let livelocks = self.internal.livelocks(&ends);
            for (number, node) in &mut nodes {
                node.livelock = livelocks[*number as usize];
            }
        }
        let mut nodes: Vec<VisibleNode> = nodes
            .into_iter()
            .map(|(_, node)| node)
            .filter(|node| node.rests() || !node.offers.is_empty() || !node.takers.is_empty())
            .collect();
        nodes.sort_by(|a, b| a.node.cmp(&b.node));
        Suspension { nodes }
    }
}

/// One worker's view of a model.
pub struct StateExplorer {
    pub model: Arc<Model>,
    pub(super) engine: Box<dyn Engine>,
    cache: Arc<ExpansionCache>,
    original: Acting,
    /// None: all orders are explored.
    reducing: Option<Reducing>,
    /// Per object its position in the order of ranks.
    order: Vec<u32>,
    /// Inputs may be actions of other objects than the one whose block runs.
    pub(super) foreign_inputs: bool,
    /// Scratch: mutants reached by one object.
    infected: MutantSet,
    lists: Lists,
    halt: Halt,
    /// It came while this explorer was at work.
    halted: Option<HaltCause>,
    /// Nodes of the last closure, also of one that was not brought to its end.
    pub closed: usize,
    /// Objects looked at by execution.
    pub expanded: u64,
}

impl StateExplorer {
    pub fn new(
        model: Arc<Model>,
        engine: Box<dyn Engine>,
        cache: Arc<ExpansionCache>,
        reducer: Option<Arc<Reducer>>,
    ) -> StateExplorer {
        let original = Acting::original(&model.mutants);
        let mut order = vec![u32::MAX; model.objects.len()];
        for (position, object) in model.ranks.iter().flatten().enumerate() {
            order[object.index()] = position as u32;
        }
        StateExplorer {
            order,
            foreign_inputs: inputs::foreign(&model),
            infected: MutantSet::for_all(&model.mutants),
            lists: Lists::default(),
            halt: Halt::default(),
            halted: None,
            model,
            engine,
            cache,
            original,
            reducing: reducer.map(|reducer| Reducing {
                guards: GuardCache::new(&reducer),
                idle: IdleCache::new(&reducer),
                marks: Some(IdleMarks::default()),
                reducer,
            }),
            closed: 0,
            expanded: 0,
        }
    }

    fn marks(&mut self) -> Option<&mut IdleMarks> {
        self.reducing.as_mut()?.marks.as_mut()
    }

    /// The slow way, to compare with: every object is looked at in every state.
    #[cfg(test)]
    pub fn without_marks(mut self) -> StateExplorer {
        if let Some(reducing) = &mut self.reducing {
            reducing.marks = None;
        }
        self
    }

    /// From now on work ends as soon as this comes.
    pub fn set_halt(&mut self, halt: Halt) {
        self.halt = halt;
        self.halted = None;
        if let Some(marks) = self.marks() {
            marks.clear();
        }
    }

    /// What ended the work, if something did.
    pub fn halted(&self) -> Option<HaltCause> {
        self.halted
    }

    /// Looked at before every iteration that is run, because one alone may take a second.
    pub(super) fn is_halted(&mut self) -> bool {
        if self.halted.is_none() {
            self.halted = match self.expanded % MEMORY_EVERY {
                0 => self.halt.cause(),
                _ => self.halt.quick_cause(),
            };
        }
        self.halted.is_some()
    }

    /// # Errors
    /// If the end came: what was computed since is worth nothing.
    pub(super) fn unless_halted(&self) -> Result<(), Stop> {
        self.halted.map_or(Ok(()), |cause| Err(Stop::Halted(cause)))
    }

    /// The enabled iterations of `state`.
    fn expansion(&mut self, acting: &Acting, state: &State, full: bool) -> Arc<Expansion> {
        let of_original = match self.cache.get(state, full) {
            Some(known) => known,
            None => {
                let original = self.original.clone();
                let run = Run {
                    acting: &original,
                    state,
                    known: None,
                };
                let expansion = Arc::new(self.compute(run, full));
                if self.halted.is_none() {
                    self.cache.put(state, full, &expansion);
                }
                expansion
            }
        };
        if acting.is_original() || !acting.parts_from(&of_original.infected) {
            return of_original;
        }
        let run = Run {
            acting,
            state,
            known: Some(&of_original),
        };
        Arc::new(self.compute(run, full))
    }

    /// Looks at the objects one by one. What the original did with objects where it reached none of the acting mutants
    /// is taken from `known`.
    fn compute(&mut self, run: Run, full: bool) -> Expansion {
        let mut expansion = Expansion {
            infected: MutantSet::for_all(&self.model.mutants),
            ..Expansion::default()
        };
        let model = self.model.clone();
        let marked = !run.acting.is_original();
        if let Some(Reducing { reducer, marks, .. }) = self.reducing.as_mut().filter(|_| marked)
            && let Some(marks) = marks
        {
            marks.move_to(reducer, run.acting.ids(), run.state);
        }
        for (rank, objects) in model.ranks.iter().enumerate() {
            let first_taker = expansion.takers.len();
            for object in objects {
                if marked && self.is_marked_idle(&mut expansion) {
                    continue;
                }
                let before = expansion.looked.len();
                self.look(run, *object, &mut expansion);
                let steps = &expansion.looked[before..];
                let internal = !steps.is_empty() && steps.iter().all(|step| step.labels.is_empty());
                if full || !internal || expansion.error.is_some() || self.reducing.is_none() {
                    continue;
                }
                let last = expansion.takers.len().wrapping_sub(1);
                let may_take = expansion.takers.last().is_some_and(|t| t.object == *object);
                if may_take && self.takes(run, &mut expansion, last) {
                    continue;
                }
                if self.is_enough(run, *object, &mut expansion) {
                    expansion.chosen = before..expansion.looked.len();
                    expansion.takers.clear();
                    expansion.reduced = true;
                    return expansion;
                }
            }
            if !expansion.looked.is_empty() || expansion.error.is_some() {
                break;
            }
            // Lower ranks wait for inputs too.
            let below = model.ranks[rank + 1..].iter().any(|rank| !rank.is_empty());
            let mut takers = first_taker..expansion.takers.len();
            if below && takers.any(|at| self.takes(run, &mut expansion, at)) {
                break;
            }
        }
        expansion.chosen = 0..expansion.looked.len();
        // A node that goes on by itself is only of interest if it takes inputs.
        if expansion.looked.iter().any(|step| step.labels.is_empty()) {
            for at in 0..expansion.takers.len() {
                self.takes(run, &mut expansion, at);
            }
        }
        expansion
    }

    /// Whether the steps of the object that was looked at last are enough.
    fn is_enough(&mut self, run: Run, object: ObjectId, expansion: &mut Expansion) -> bool {
        let (acting, state) = (run.acting, run.state);
        let position = expansion.objects - 1;
        let judgement = run.known.and_then(|known| known.judgement_at(position));
        if let Some(judgement) = judgement.filter(|judgement| !acting.is_among(&judgement.relied)) {
            return judgement.enough;
        }
        let Some(reducing) = &mut self.reducing else {
            return false;
        };
        self.infected.clear();
        let guards = &mut reducing.guards;
        let enough =
            reducing
                .reducer
                .is_enough(object, state, &acting.mode, guards, &mut self.infected);
        if enough {
            expansion.infected.union(&self.infected);
        }
        if acting.is_original() {
            let relied = self.lists.shared(&self.infected);
            expansion.judgements.push(Judgement {
                position,
                enough,
                relied,
            });
        }
        enough
    }

    /// Whether an object that may take inputs takes one; found out once.
    fn takes(&mut self, run: Run, expansion: &mut Expansion, at: usize) -> bool {
        let taker = expansion.takers[at];
        if let Some(takes) = taker.takes {
            return takes;
        }
        if self.is_halted() {
            return false;
        }
        self.infected.clear();
        let all = self.engine.run(
            run.state,
            taker.object,
            &run.acting.mode,
            Inputs::All,
            &mut self.infected,
        );
        self.expanded += 1;
        let takes = all
            .outcomes
            .iter()
            .any(|outcome| outcome.labels.first().is_some_and(|l| l.controllable));
        expansion.takers[at].takes = Some(takes);
        let limit = all.outcomes.iter().find_map(|outcome| outcome.limit());
        if let Some(limit) = limit {
            let error = (taker.object, Vec::new(), limit);
            expansion.error.get_or_insert(error);
        }
        let infected = std::mem::take(&mut self.infected);
        expansion.meet(taker.position, &infected, &mut self.lists);
        self.infected = infected;
        takes
    }

    /// Whether the next object is known to do nothing, as in the state before; then it counts as looked at.
    fn is_marked_idle(&self, expansion: &mut Expansion) -> bool {
        let marks = self.reducing.as_ref().and_then(|r| r.marks.as_ref());
        let idle = marks.is_some_and(|marks| marks.is_idle(expansion.objects));
        expansion.objects += u32::from(idle);
        idle
    }

    /// Looks at the next object, and marks it if it does nothing.
    fn look(&mut self, run: Run, object: ObjectId, expansion: &mut Expansion) {
        let position = expansion.objects;
        let before = (expansion.looked.len(), expansion.takers.len());
        self.look_at(run, object, expansion);
        let nothing = before == (expansion.looked.len(), expansion.takers.len())
            && expansion.error.is_none()
            && self.halted.is_none();
        if nothing
            && !run.acting.is_original()
            && let Some(marks) = self.marks()
        {
            marks.set(position);
        }
    }

    fn look_at(&mut self, run: Run, object: ObjectId, expansion: &mut Expansion) {
        let position = expansion.objects;
        expansion.objects += 1;
        if let Some(known) = run.known.filter(|known| position < known.objects)
            && !run.acting.is_among(known.met_at(position))
        {
            let first = known
                .looked
                .partition_point(|step| self.order[step.object.index()] < position);
            let same = known.looked[first..]
                .iter()
                .take_while(|step| step.object == object);
            expansion.looked.extend(same.cloned());
            expansion.takers.extend(known.taker_at(position));
            if let Some(error) = known.error.as_ref().filter(|(of, ..)| *of == object) {
                expansion.error.get_or_insert(error.clone());
            }
            return;
        }
        if !self.is_known_idle(run, object, expansion, position) {
            self.execute(run, object, expansion, position);
        }
    }

    /// Whether the original is known to have no step of this object here, and whoever acts does the same; then what the
    /// original reached is noted.
    fn is_known_idle(
        &mut self,
        run: Run,
        object: ObjectId,
        expansion: &mut Expansion,
        position: u32,
    ) -> bool {
        let Some(Reducing { reducer, idle, .. }) = &mut self.reducing else {
            return false;
        };
        let Some(finding) = idle.recall(reducer, object, run.state) else {
            return false;
        };
        let original = run.acting.is_original();
        let met = finding.infected.as_deref().unwrap_or_default();
        if !original && run.acting.is_among(met) {
            return false;
        }
        expansion
            .takers
            .extend(finding.may_take.then(|| Taker::unasked(object, position)));
        if let Some(infected) = finding.infected.as_ref().filter(|_| original) {
            expansion.meet_next(position, infected.clone());
        }
        true
    }

    fn execute(&mut self, run: Run, object: ObjectId, expansion: &mut Expansion, position: u32) {
        if self.is_halted() {
            return;
        }
        self.expanded += 1;
        self.infected.clear();
        let mode = &run.acting.mode;
        let iterations = self
            .engine
            .run(run.state, object, mode, Inputs::None, &mut self.infected);
        if iterations.cut {
            expansion.takers.push(Taker::unasked(object, position));
        }
        let infected = (!self.infected.is_empty()).then(|| self.lists.shared(&self.infected));
        if let Some(Reducing { reducer, idle, .. }) = &mut self.reducing
            && run.acting.is_original()
            && iterations.outcomes.is_empty()
        {
            idle.remember(reducer, object, run.state, iterations.cut, infected.clone());
        }
        if let Some(infected) = infected {
            expansion.meet_next(position, infected);
        }
        for outcome in iterations.outcomes {
            match outcome.result {
                Ok(target) => expansion.looked.push(Step {
                    object,
                    labels: outcome.labels,
                    target,
                }),
                Err(error) => {
                    expansion
                        .error
                        .get_or_insert((object, outcome.labels, error));
                }
            }
        }
    }

    /// Closes `kernel` under internal steps. `infected` gathers the mutants that the original reached.
    ///
    /// # Errors
    /// An execution error, or more nodes than `limits` allow.
    pub fn close(
        &mut self,
        acting: &Acting,
        kernel: &[SuspensionNode],
        limits: StateSpaceLimits,
        infected: &mut MutantSet,
    ) -> Result<Suspension, Stop> {
        let mut closure = Closure::default();
        kernel
            .iter()
            .for_each(|node| closure.reach(None, node.clone()));
        let mut nodes: Vec<(u32, VisibleNode)> = Vec::new();
        let mut offered = 0;
        while let Some((number, node)) = closure.open.pop() {
            let pending = node.pending.clone();
            let visible = if let Some((first, rest)) = pending.split_first() {
                let target = SuspensionNode {
                    state: node.state.clone(),
                    pending: rest.into(),
                };
                VisibleNode {
                    node,
                    offers: vec![(first.clone(), target)],
                    takers: Vec::new(),
                    internal: false,
                    livelock: None,
                }
            } else {
                self.open_node(acting, (number, node), &mut closure, infected)?
            };
            self.unless_halted()?;
            offered += visible.offers.len();
            nodes.push((number, visible));
            self.closed = closure.seen.len();
            if closure.seen.len() + offered > limits.closure {
                return Err(Stop::TooManyStates);
            }
        }
        Ok(closure.suspension(nodes))
    }

    fn open_node(
        &mut self,
        acting: &Acting,
        (number, node): (u32, SuspensionNode),
        closure: &mut Closure,
        infected: &mut MutantSet,
    ) -> Result<VisibleNode, Stop> {
        let full = self.reducing.is_none();
        let mut expansion = self.expansion(acting, &node.state, full);
        infected.union(&expansion.infected);
        if expansion.reduced
            && expansion.steps().iter().any(|step| {
                closure
                    .seen
                    .contains_key(&SuspensionNode::at(step.target.clone()))
            })
        {
            // Cycle proviso: a step that leads back must not hide the others for ever.
            expansion = self.expansion(acting, &node.state, true);
            infected.union(&expansion.infected);
        }
        if let Some((_, labels, error)) = &expansion.error {
            return Err(Stop::Error(labels.clone(), *error));
        }
        let mut offers = Vec::new();
        let mut internal = false;
        for step in expansion.steps() {
            let mut labels = step.labels.iter();
            match labels.next() {
                Some(first) => {
                    let pending: Arc<[Label]> = labels.cloned().collect();
                    offers.push((
                        first.clone(),
                        SuspensionNode {
                            state: step.target.clone(),
                            pending,
                        },
                    ));
                }
                None => {
                    internal = true;
                    closure.reach(Some(number), SuspensionNode::at(step.target.clone()));
                }
            }
        }
        offers.sort();
        offers.dedup();
        let takers = expansion.takers.iter();
        let takers = takers.filter(|taker| taker.takes != Some(false));
        Ok(VisibleNode {
            node,
            offers,
            takers: takers.map(|taker| taker.object).collect(),
            internal,
            livelock: None,
        })
    }
}
