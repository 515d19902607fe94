//! Compiled code as engine.

use super::compile::CompiledModel;
use super::context::{FAILED, Filter, JitContext, RUNNING};
use crate::execution::interpreter::Iteration;
use crate::execution::{
    EnabledInput, Engine, Inputs, Iterations, MOST_OUTCOMES, MOST_TRACES, MOST_WORK,
};
use crate::model::{CodeId, ErrorKind, ExecError, Label, ObjectId, State};
use crate::mutation::{MutantSet, MutationMode};
use std::collections::BTreeMap;
use std::sync::Arc;

pub struct Jitted {
    compiled: Arc<CompiledModel>,
    context: Box<JitContext>,
}

impl Jitted {
    pub fn new(compiled: Arc<CompiledModel>) -> Jitted {
        let context = JitContext::new(compiled.model.clone(), compiled.offsets.clone());
        Jitted { compiled, context }
    }

    fn block(&self, object: ObjectId) -> Option<CodeId> {
        self.compiled.model.class_of(object).block
    }

    fn prepare(&mut self, state: &State, mode: &MutationMode, filter: Filter) {
        let context = &mut *self.context;
        context.load(state);
        context.mode = mode.table.as_ptr();
        context.filter = filter;
        context.cut = false;
        context.work = MOST_WORK;
        context.scheduler.reset();
    }

    /// Takes every trace of a block and tells what became of it: nothing where a guard was false.
    ///
    /// # Errors
    /// If there are too many, or they take too long.
    fn traces(
        &mut self,
        block: CodeId,
        object: ObjectId,
        mut ended: impl FnMut(&mut JitContext, Option<Result<State, ExecError>>),
    ) -> Result<(), ExecError> {
        let too_many = self.at_block(block, ErrorKind::TooManyOutcomes);
        let too_much = self.at_block(block, ErrorKind::TooMuchWork);
        let context = &mut *self.context;
        let mut outcomes = 0;
        for _ in 0..MOST_TRACES {
            context.begin();
            self.compiled.run(context, block, object);
            let result = match context.status {
                RUNNING => Some(Ok(context.changed_state())),
                FAILED => {
                    context.scheduler.failed();
                    context.error.map(Err)
                }
                _ => None,
            };
            let limit = context.error.filter(|error| error.kind.is_limit());
            outcomes += usize::from(result.is_some());
            ended(context, result);
            context.undo();
            if let Some(limit) = limit {
                return Err(limit);
            }
            if outcomes > MOST_OUTCOMES {
                return Err(too_many);
            }
            if context.work < 0 {
                return Err(too_much);
            }
            if !context.scheduler.next() {
                return Ok(());
            }
        }
        Err(too_many)
    }

    fn at_block(&self, block: CodeId, kind: ErrorKind) -> ExecError {
        ExecError::new(kind, self.compiled.model.code(block).span)
    }
}

impl Engine for Jitted {
    fn run(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &MutationMode,
        inputs: Inputs,
        infected: &mut MutantSet,
    ) -> Iterations {
        let Some(block) = self.block(object) else {
            return Iterations::default();
        };
        let filter = match inputs {
            Inputs::All => Filter::All,
            Inputs::None => Filter::None,
            Inputs::Only(label) => Filter::Only(label.clone()),
        };
        self.prepare(state, mode, filter);
        std::mem::swap(&mut self.context.infected, infected);
        let mut outcomes = Vec::new();
        let all = self.traces(block, object, |context, result| {
            let Some(result) = result else { return };
            let labels = std::mem::take(&mut context.labels);
            if labels
                .first()
                .is_some_and(|first| context.filter.excludes(first))
            {
                context.cut = true;
            } else {
                outcomes.push(Iteration { labels, result });
            }
        });
        std::mem::swap(&mut self.context.infected, infected);
        if let Err(limit) = all {
            outcomes = vec![Iteration {
                labels: Vec::new(),
                result: Err(limit),
            }];
        }
        Iterations {
            outcomes,
            cut: self.context.cut,
        }
    }

    /// One run for all inputs: what a trace records after its input is that input's own.
    fn offers(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &MutationMode,
        infected: &mut MutantSet,
    ) -> Result<Vec<EnabledInput>, (Vec<Label>, ExecError)> {
        let Some(block) = self.block(object) else {
            return Ok(Vec::new());
        };
        self.prepare(state, mode, Filter::All);
        let own = std::mem::take(&mut self.context.infected);
        self.context.apart = Some(MutantSet::default());
        let mut inputs: BTreeMap<Label, (MutantSet, bool)> = BTreeMap::new();
        let mut error = None;
        let all = self.traces(block, object, |context, result| {
            let recorded = std::mem::take(&mut context.infected);
            let first = context.labels.first().filter(|first| first.controllable);
            let alone = first.filter(|_| context.is_apart);
            match alone {
                None => {
                    if let Some(apart) = &mut context.apart {
                        apart.union(&recorded);
                    }
                }
                Some(first) => inputs.entry(first.clone()).or_default().0.union(&recorded),
            }
            if let (Some(first), Some(result)) = (first, result) {
                inputs.entry(first.clone()).or_default().1 |= result.is_ok();
                if let (Err(found), None) = (result, &error) {
                    error = Some((context.labels.clone(), found));
                }
            }
        });
        for (label, recorded) in std::mem::take(&mut self.context.aside) {
            inputs.entry(label).or_default().0.union(&recorded);
        }
        let common = self.context.apart.take().unwrap_or_default();
        self.context.infected = own;
        infected.union(&common);
        inputs
            .values()
            .for_each(|(of_input, _)| infected.union(of_input));
        all.map_err(|limit| (Vec::new(), limit))?;
        if let Some(error) = error {
            return Err(error);
        }
        Ok(inputs
            .into_iter()
            .filter(|(_, (_, enabled))| *enabled)
            .map(|(label, (mut infected, _))| {
                infected.union(&common);
                EnabledInput { label, infected }
            })
            .collect())
    }
}
