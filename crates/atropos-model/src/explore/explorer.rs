//! Expands states and closes sets of nodes under internal steps.

use super::acting::Acting;
use super::cache::Cache;
use super::engine::Engine;
use super::expansion::{Expansion, Step};
use super::reducer::Reducer;
use super::suspension::{Node, Suspension, VisibleNode};
use crate::model::{ExecError, Label, Model, ObjectId, State};
use crate::mutation::MutantSet;
use std::collections::HashSet;
use std::sync::Arc;

/// Whether all orders of internal steps are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// All.
    Full,
    /// One order where the others lead to the same.
    PartialOrder,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes of one closure; more is taken for endless.
    pub closure: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { closure: 1_000_000 }
    }
}

/// Why there is no suspension state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An execution error; the labels of the iteration that it ended.
    Error(Vec<Label>, ExecError),
    /// Internal steps go on and on, or lead to too many states.
    Diverges,
}

/// One worker's view of a model.
pub struct Explorer {
    pub model: Arc<Model>,
    engine: Box<dyn Engine>,
    cache: Arc<Cache>,
    original: Acting,
    /// None: all orders are explored.
    reducer: Option<Arc<Reducer>>,
    /// Per object its position in the order of ranks.
    order: Vec<u32>,
    /// Scratch: mutants met by one object.
    met: MutantSet,
    /// Objects looked at by execution.
    pub expanded: u64,
}

impl Explorer {
    pub fn new(
        model: Arc<Model>,
        engine: Box<dyn Engine>,
        cache: Arc<Cache>,
        reducer: Option<Arc<Reducer>>,
    ) -> Explorer {
        let original = Acting::original(&model.mutants);
        let mut order = vec![u32::MAX; model.objects.len()];
        for (position, object) in model.ranks.iter().flatten().enumerate() {
            order[object.index()] = position as u32;
        }
        Explorer {
            order,
            met: MutantSet::for_all(&model.mutants),
            model,
            engine,
            cache,
            original,
            reducer,
            expanded: 0,
        }
    }

    /// The enabled iterations of `state`.
    fn expansion(&mut self, acting: &Acting, state: &State, full: bool) -> Arc<Expansion> {
        let of_original = match self.cache.get(state, full) {
            Some(known) => known,
            None => {
                let original = self.original.clone();
                let expansion = Arc::new(self.compute(&original, state, full, None));
                self.cache.put(state, full, &expansion);
                expansion
            }
        };
        if acting.is_original() || !acting.parts_from(&of_original.infected) {
            return of_original;
        }
        Arc::new(self.compute(acting, state, full, Some(&of_original)))
    }

    /// Looks at the objects one by one. What the original did with objects where it met none of the acting mutants
    /// is taken from `known`.
    fn compute(
        &mut self,
        acting: &Acting,
        state: &State,
        full: bool,
        known: Option<&Expansion>,
    ) -> Expansion {
        let mut expansion = Expansion {
            infected: MutantSet::for_all(&self.model.mutants),
            ..Expansion::default()
        };
        let model = self.model.clone();
        let mut relied = MutantSet::default();
        for rank in &model.ranks {
            for object in rank {
                let before = expansion.looked.len();
                self.look(acting, state, *object, &mut expansion, known);
                let steps = &expansion.looked[before..];
                let internal = !steps.is_empty() && steps.iter().all(|step| step.labels.is_empty());
                if full || !internal || expansion.error.is_some() {
                    continue;
                }
                let Some(reducer) = &self.reducer else {
                    continue;
                };
                if reducer.is_enough(*object, state, &acting.mode, &mut relied) {
                    expansion.infected.union(&relied);
                    expansion.chosen = before..expansion.looked.len();
                    expansion.reduced = true;
                    return expansion;
                }
            }
            if !expansion.looked.is_empty() || expansion.error.is_some() {
                break;
            }
        }
        expansion.chosen = 0..expansion.looked.len();
        expansion
    }

    fn look(
        &mut self,
        acting: &Acting,
        state: &State,
        object: ObjectId,
        expansion: &mut Expansion,
        known: Option<&Expansion>,
    ) {
        let position = expansion.objects;
        expansion.objects += 1;
        if let Some(known) = known.filter(|known| position < known.objects)
            && !acting.is_among(known.met_at(position))
        {
            let first = known
                .looked
                .partition_point(|step| self.order[step.object.index()] < position);
            let same = known.looked[first..]
                .iter()
                .take_while(|step| step.object == object);
            expansion.looked.extend(same.cloned());
            if let Some(error) = known.error.as_ref().filter(|(of, ..)| *of == object) {
                expansion.error.get_or_insert(error.clone());
            }
            return;
        }
        self.expanded += 1;
        self.met.clear();
        for outcome in self
            .engine
            .iterations(state, object, &acting.mode, &mut self.met)
        {
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
        if !self.met.is_empty() {
            expansion.infected.union(&self.met);
            expansion
                .infected_at
                .push((position, self.met.iter().collect()));
        }
    }

    /// Closes `kernel` under internal steps. `infected` gathers the mutants that the original met.
    ///
    /// # Errors
    /// An execution error, or more nodes than `limits` allow.
    pub fn close(
        &mut self,
        acting: &Acting,
        kernel: &[Node],
        limits: Limits,
        infected: &mut MutantSet,
    ) -> Result<Suspension, Stop> {
        let mut seen: HashSet<Node> = kernel.iter().cloned().collect();
        let mut open: Vec<Node> = kernel.to_vec();
        let mut nodes = Vec::new();
        while let Some(node) = open.pop() {
            let pending = node.pending.clone();
            let visible = if let Some((first, rest)) = pending.split_first() {
                let target = Node {
                    state: node.state.clone(),
                    pending: rest.into(),
                };
                VisibleNode {
                    node,
                    offers: vec![(first.clone(), target)],
                    internal: false,
                }
            } else {
                self.open_node(acting, node, &mut seen, &mut open, infected)?
            };
            if !visible.offers.is_empty() || !visible.internal {
                nodes.push(visible);
            }
            if seen.len() > limits.closure {
                return Err(Stop::Diverges);
            }
        }
        if nodes.is_empty() {
            return Err(Stop::Diverges);
        }
        nodes.sort_by(|a, b| a.node.cmp(&b.node));
        Ok(Suspension { nodes })
    }

    fn open_node(
        &mut self,
        acting: &Acting,
        node: Node,
        seen: &mut HashSet<Node>,
        open: &mut Vec<Node>,
        infected: &mut MutantSet,
    ) -> Result<VisibleNode, Stop> {
        let full = self.reducer.is_none();
        let mut expansion = self.expansion(acting, &node.state, full);
        infected.union(&expansion.infected);
        if expansion.reduced
            && expansion
                .steps()
                .iter()
                .any(|step| seen.contains(&Node::at(step.target.clone())))
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
                        Node {
                            state: step.target.clone(),
                            pending,
                        },
                    ));
                }
                None => {
                    internal = true;
                    let target = Node::at(step.target.clone());
                    if seen.insert(target.clone()) {
                        open.push(target);
                    }
                }
            }
        }
        offers.sort();
        offers.dedup();
        Ok(VisibleNode {
            node,
            offers,
            internal,
        })
    }
}
