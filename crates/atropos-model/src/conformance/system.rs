//! A model, the original or a mutant, against the original as specification: the system whose executions are explored.
//! A state is what the specification and the implementation may be in after the same trace; a step takes one of the
//! moves that the tester or the implementation has there. An execution fails where the implementation shows what the
//! specification can't, fails, or goes on without end. Internal steps are inside a step, reduced as in generation.
//!
//! The moves are alternatives within a step (`Guide::data`), not actions of their own, because a mutant may have others
//! than the original: it is reached before they are listed, as the techniques need.
//!
//! Only inputs that the specification surely takes are given. So the original conforms to itself, also where it may
//! refuse an input.

use atropos_values::MutantId;

use crate::generation::Move;
use crate::model::{Label, Model, Observation};
use crate::mutation::{ModelMutantId, MutantSet};
use crate::state_space::{
    Acting, StateExplorer, StateSpaceLimits, Stop, Suspension, SuspensionNode,
};
use atropos_search::{ExecutionEnd, Guide, Schedule, spread};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Numbers of positions; the two that end an execution come first.
type Number = u32;
const OVER: Number = 0;
const FAILED: Number = 1;

/// After a trace: the specification's nodes, and the implementation's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Position {
    place: usize,
    kernel: Arc<[SuspensionNode]>,
}

/// A suspension state of the specification.
struct SpecState {
    suspension: Suspension,
    observations: BTreeSet<Observation>,
    /// Those it surely takes, with the mutants that each meets.
    inputs: BTreeMap<Label, MutantSet>,
    /// Mutants that compute something else without an input.
    own: MutantSet,
}

/// What can happen at a position.
struct Successors {
    reached: MutantSet,
    list: Vec<Successor>,
}

struct Successor {
    /// None: the implementation fails by itself, or goes on without end.
    step: Option<Move>,
    reached: MutantSet,
    to: Number,
}

/// The system. States are numbers of positions.
pub struct Conformance {
    memory: RefCell<Memory>,
    states: Rc<Cell<usize>>,
}

struct Memory {
    explorer: StateExplorer,
    limits: StateSpaceLimits,
    original: Acting,
    acting: Acting,
    /// Who acts; 0 is the original.
    mutant: u32,
    places: Vec<Result<Rc<SpecState>, Stop>>,
    place_of: HashMap<Arc<[SuspensionNode]>, usize>,
    positions: Vec<Position>,
    number_of: HashMap<Position, Number>,
    of_original: HashMap<Number, Rc<Successors>>,
    of_mutant: HashMap<Number, Rc<Successors>>,
    /// Positions of whoever acts.
    seen: HashSet<Number>,
    /// What stopped whoever acts, first of all.
    stopped: Option<Stop>,
}

impl Conformance {
    pub fn new(explorer: StateExplorer, limits: StateSpaceLimits) -> Conformance {
        let original = Acting::original(&explorer.model.mutants);
        Conformance {
            states: Rc::default(),
            memory: RefCell::new(Memory {
                acting: original.clone(),
                original,
                explorer,
                limits,
                mutant: 0,
                places: Vec::new(),
                place_of: HashMap::new(),
                positions: Vec::new(),
                number_of: HashMap::new(),
                of_original: HashMap::new(),
                of_mutant: HashMap::new(),
                seen: HashSet::new(),
                stopped: None,
            }),
        }
    }

    /// What stopped whoever acts: an error, no end, or somebody outside.
    pub fn stopped(&self) -> Option<Stop> {
        self.memory.borrow().stopped.clone()
    }

    /// Whether somebody outside ended the work. What was found since is worth nothing.
    pub fn is_halted(&self) -> bool {
        self.memory.borrow().explorer.halted().is_some()
    }

    /// How many different states were visited so far by whoever acts.
    pub fn states(&self) -> Rc<Cell<usize>> {
        self.states.clone()
    }

    pub fn model(&self) -> Arc<Model> {
        self.memory.borrow().explorer.model.clone()
    }

    /// The moves of an execution by whoever acts now.
    pub fn moves_of(&self, schedule: &Schedule) -> Vec<String> {
        let model = self.model();
        let memory = &mut *self.memory.borrow_mut();
        let mut at = memory.start();
        let mut moves = Vec::new();
        let mut alternatives = schedule.choices.iter().filter_map(|c| c.as_data());
        while !is_end(at) {
            let successors = memory.successors(at);
            // A step with one way to go on asks nothing.
            let chosen = match successors.list.len() {
                0 | 1 => Some(0),
                _ => alternatives.next(),
            };
            let Some(successor) = chosen.and_then(|chosen| successors.list.get(chosen as usize))
            else {
                break;
            };
            if moves.len() > schedule.choices.len() {
                break;
            }
            moves.extend(successor.step.as_ref().map(|step| step.text(&model)));
            at = successor.to;
        }
        moves
    }
}

fn is_end(number: Number) -> bool {
    number == OVER || number == FAILED
}

impl Memory {
    fn start(&mut self) -> Number {
        let kernel: Arc<[SuspensionNode]> =
            [SuspensionNode::at(self.explorer.model.initial.clone())].into();
        let place = self.place(kernel.clone());
        self.number(Position { place, kernel })
    }

    fn number(&mut self, position: Position) -> Number {
        if let Some(known) = self.number_of.get(&position) {
            return *known;
        }
        let number = self.positions.len() as Number + FAILED + 1;
        self.positions.push(position.clone());
        self.number_of.insert(position, number);
        number
    }

    /// The specification after a trace.
    fn place(&mut self, kernel: Arc<[SuspensionNode]>) -> usize {
        if let Some(known) = self.place_of.get(&kernel) {
            return *known;
        }
        let place = self.look(&kernel).map(Rc::new);
        self.places.push(place);
        self.place_of.insert(kernel, self.places.len() - 1);
        self.places.len() - 1
    }

    fn look(&mut self, kernel: &[SuspensionNode]) -> Result<SpecState, Stop> {
        let mut own = MutantSet::for_all(&self.explorer.model.mutants);
        let suspension = self
            .explorer
            .close(&self.original, kernel, self.limits, &mut own)?;
        let inputs = self.explorer.inputs(&self.original, &suspension)?;
        let sure = inputs.into_iter().filter(|(_, input)| input.is_sure);
        Ok(SpecState {
            observations: suspension.observations(),
            inputs: sure.map(|(label, input)| (label, input.infected)).collect(),
            suspension,
            own,
        })
    }

    /// What can happen, by whoever acts. Where the original was and the mutant would do the same, that is known.
    fn successors(&mut self, number: Number) -> Rc<Successors> {
        let known = self.of_mutant.get(&number).or_else(|| {
            let mutant = ModelMutantId(self.mutant);
            self.of_original.get(&number).filter(|successors| {
                self.mutant == 0
                    || !(successors.reached.contains(mutant)
                        || successors.list.iter().any(|t| t.reached.contains(mutant)))
            })
        });
        if let Some(known) = known {
            return known.clone();
        }
        let successors = Rc::new(self.compute(number));
        let whose = match self.mutant {
            0 => &mut self.of_original,
            _ => &mut self.of_mutant,
        };
        whose.insert(number, successors.clone());
        successors
    }

    fn compute(&mut self, number: Number) -> Successors {
        let Position { place, kernel } = self.positions[(number - FAILED - 1) as usize].clone();
        let mut successors = Successors {
            reached: MutantSet::default(),
            list: Vec::new(),
        };
        let acting = self.acting.clone();
        let closed = self.explorer.close(
            &acting,
            &kernel,
            self.limits,
            &mut MutantSet::for_all(&self.explorer.model.mutants),
        );
        let (place, suspension) = match (self.places[place].clone(), closed) {
            (Ok(place), Ok(suspension)) => (place, suspension),
            (Err(stop), _) | (_, Err(stop)) => {
                let to = self.stop(stop);
                successors.list.push(Successor {
                    to,
                    ..failing(None)
                });
                return successors;
            }
        };
        successors.reached = self.explorer.model.mutants.to_start(&place.own);
        let observations = suspension.observations();
        for observation in observations.iter().cloned() {
            let telling = observation != Observation::Delta || place.observations.len() > 1;
            let predicted = place.observations.contains(&observation);
            let step = Move::Observe(observation);
            match (predicted, telling) {
                (false, _) => successors.list.push(failing(Some(step))),
                (true, false) => {}
                (true, true) => {
                    let successor = self.successor(&acting, step, &place, &suspension);
                    successors.list.push(successor);
                }
            }
        }
        for (label, infected) in &place.inputs {
            let step = Move::Input(label.clone());
            let mut successor = self.successor(&acting, step, &place, &suspension);
            successor.reached = self.explorer.model.mutants.to_start(infected);
            successors.list.push(successor);
        }
        successors
    }

    /// Where what can't go on comes to. Of what was ended from outside nothing is known.
    fn stop(&mut self, stop: Stop) -> Number {
        let to = match stop {
            Stop::Halted(_) => OVER,
            _ => FAILED,
        };
        match &self.stopped {
            Some(Stop::Halted(_)) => {}
            Some(_) if to == FAILED => {}
            _ => self.stopped = Some(stop),
        }
        to
    }

    fn successor(
        &mut self,
        acting: &Acting,
        step: Move,
        place: &SpecState,
        suspension: &Suspension,
    ) -> Successor {
        let specified = step.of_original(&mut self.explorer, &self.original, &place.suspension);
        let implemented = step.of_mutant(&mut self.explorer, acting, suspension);
        let to = match (specified, implemented) {
            (Ok(specified), Ok(implemented)) => {
                let place = self.place(specified.into());
                self.number(Position {
                    place,
                    kernel: implemented.into(),
                })
            }
            (Err(stop), _) | (_, Err(stop)) => self.stop(stop),
        };
        Successor {
            step: Some(step),
            reached: MutantSet::default(),
            to,
        }
    }
}

fn failing(step: Option<Move>) -> Successor {
    Successor {
        step,
        reached: MutantSet::default(),
        to: FAILED,
    }
}

fn tell(reached: &MutantSet, guide: &mut dyn Guide) {
    reached
        .iter()
        .for_each(|mutant| guide.reach(MutantId(mutant.0)));
}

impl atropos_search::TransitionSystem for Conformance {
    type State = Number;

    fn initial(&self) -> Number {
        self.memory.borrow_mut().start()
    }

    fn actions(&self, number: &Number, actions: &mut Vec<u32>) {
        if !is_end(*number) {
            actions.push(0);
        }
    }

    fn step(&self, number: &Number, _: u32, guide: &mut dyn Guide) -> Number {
        let memory = &mut *self.memory.borrow_mut();
        let successors = memory.successors(*number);
        memory.seen.insert(*number);
        self.states.set(memory.seen.len());
        tell(&successors.reached, guide);
        if successors.list.is_empty() {
            return OVER;
        }
        let chosen = guide.data(successors.list.len() as u32);
        let successor = &successors.list[chosen as usize];
        tell(&successor.reached, guide);
        successor.to
    }

    fn fingerprint(&self, number: &Number) -> u64 {
        spread(u64::from(*number))
    }

    fn judge(&self, number: &Number) -> Option<ExecutionEnd> {
        match *number {
            OVER => Some(ExecutionEnd::Passed(0)),
            FAILED => Some(ExecutionEnd::Failed(0)),
            _ => None,
        }
    }

    fn activate(&mut self, mutant: MutantId) {
        let memory = self.memory.get_mut();
        memory.mutant = mutant.0;
        memory.of_mutant.clear();
        memory.seen.clear();
        memory.stopped = None;
        self.states.set(0);
        memory.acting = match mutant.0 {
            0 => memory.original.clone(),
            number => Acting::mutant(&memory.explorer.model.mutants, ModelMutantId(number)),
        };
    }
}
