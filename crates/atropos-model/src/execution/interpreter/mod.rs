//! The reference interpreter: slow and plain. A statement is a relation, computed as the list of its outcomes from a
//! state, leftmost alternative first. Compiled code must give the same list.

mod calls;
mod evaluate;
mod execute;
mod store;

use crate::execution::{Inputs, Iterations, MOST_OUTCOMES, MOST_WORK};
use crate::language::SourceSpan;
use crate::model::{ErrorKind, ExecError, Label, Model, ObjectId, State, Value};
use crate::mutation::{MutantSet, MutationMode};
use std::cell::{Cell, RefCell};

/// One enabled iteration of an object's do-od block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    pub labels: Vec<Label>,
    /// The state after it, or the error that it ends in.
    pub result: Result<State, ExecError>,
}

impl Iteration {
    /// The limit that the iteration went beyond; then there is no other outcome.
    pub fn limit(&self) -> Option<ExecError> {
        self.result
            .as_ref()
            .err()
            .copied()
            .filter(|error| error.kind.is_limit())
    }
}

/// All outcomes of one iteration of `object`'s do-od block in `state`, leftmost first. Mutants that would compute
/// something else are added to `infected` where `mode` records.
#[cfg(test)]
pub fn iterations(
    model: &Model,
    state: &State,
    object: ObjectId,
    mode: &MutationMode,
    infected: &mut MutantSet,
) -> Vec<Iteration> {
    run(model, state, object, mode, Inputs::All, infected).outcomes
}

/// The same with some inputs left out.
pub fn run(
    model: &Model,
    state: &State,
    object: ObjectId,
    mode: &MutationMode,
    inputs: Inputs,
    infected: &mut MutantSet,
) -> Iterations {
    let Some(block) = model.class_of(object).block else {
        return Iterations::default();
    };
    let interpreter = Interpreter {
        model,
        mode,
        inputs,
        cut: Cell::new(false),
        work: Cell::new(MOST_WORK),
        exhausted: Cell::new(None),
        infected: RefCell::new(std::mem::take(infected)),
    };
    let frame = interpreter.frame(block, object);
    let run = Run {
        state: state.clone(),
        labels: Vec::new(),
        frame,
        priorities: 0,
    };
    let mut outcomes: Vec<Iteration> = interpreter
        .execute(&model.code(block).body, run)
        .into_iter()
        .map(|outcome| match outcome {
            Ok(run) => Iteration {
                labels: run.labels,
                result: Ok(run.state),
            },
            Err((labels, error)) => Iteration {
                labels,
                result: Err(error),
            },
        })
        .collect();
    let too_many = ExecError::new(ErrorKind::TooManyOutcomes, model.code(block).span);
    let too_many = (outcomes.len() > MOST_OUTCOMES).then_some(too_many);
    if let Some(error) = interpreter.exhausted.get().or(too_many) {
        outcomes = vec![Iteration {
            labels: Vec::new(),
            result: Err(error),
        }];
    }
    let before = outcomes.len();
    outcomes.retain(|outcome| !outcome.labels.first().is_some_and(|l| inputs.exclude(l)));
    let cut = interpreter.cut.get() || outcomes.len() < before;
    *infected = interpreter.infected.into_inner();
    Iterations { outcomes, cut }
}

struct Interpreter<'m> {
    model: &'m Model,
    mode: &'m MutationMode,
    inputs: Inputs<'m>,
    cut: Cell<bool>,
    /// How much may still be computed.
    work: Cell<i64>,
    /// Where there was nothing left.
    exhausted: Cell<Option<ExecError>>,
    infected: RefCell<MutantSet>,
}

/// The variables of one activation.
#[derive(Clone)]
struct Frame {
    code: crate::model::CodeId,
    object: ObjectId,
    locals: Vec<Value>,
}

/// A point in an execution.
#[derive(Clone)]
struct Run {
    state: State,
    labels: Vec<Label>,
    frame: Frame,
    /// How many `//` it is inside of, left of their last part.
    priorities: u32,
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug)]
enum Stop {
    /// A function's guard is false: what contains the expression is disabled.
    Disabled,
    Error(ExecError),
}

/// The rest of the execution, or the labels and the error where it ended.
type Outcomes = Vec<Result<Run, (Vec<Label>, ExecError)>>;

impl Interpreter<'_> {
    fn frame(&self, code: crate::model::CodeId, object: ObjectId) -> Frame {
        let locals = self
            .model
            .code(code)
            .locals
            .iter()
            .map(|local| self.model.types.default_value(local.ty));
        Frame {
            code,
            object,
            locals: locals.collect(),
        }
    }

    /// One step of a loop, or a call.
    fn spend(&self, span: SourceSpan) -> Result<(), Stop> {
        self.work.set(self.work.get() - 1);
        if self.work.get() >= 0 {
            return Ok(());
        }
        let error = ExecError::new(ErrorKind::TooMuchWork, span);
        self.exhausted.set(self.exhausted.get().or(Some(error)));
        Err(Stop::Error(error))
    }

    /// What takes as long as so many steps.
    fn charge(&self, steps: usize) {
        self.work.set(self.work.get() - steps as i64);
    }

    fn mode_at(&self, point: crate::model::ModelPointId) -> u8 {
        self.mode.table[point.0 as usize]
    }
}
