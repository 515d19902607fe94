//! Compiled code as engine.

use super::compile::Compiled;
use super::context::{Context, FAILED, RUNNING};
use crate::explore::Engine;
use crate::interpret::Outcome;
use crate::model::{ObjectId, State};
use crate::mutation::{Mode, MutantSet};
use std::sync::Arc;

pub struct Jitted {
    compiled: Arc<Compiled>,
    context: Box<Context>,
}

impl Jitted {
    pub fn new(compiled: Arc<Compiled>) -> Jitted {
        let context = Context::new(compiled.model.clone(), compiled.offsets.clone());
        Jitted { compiled, context }
    }
}

impl Engine for Jitted {
    fn iterations(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &Mode,
        infected: &mut MutantSet,
    ) -> Vec<Outcome> {
        let Some(block) = self.compiled.model.class_of(object).block else {
            return Vec::new();
        };
        let context = &mut *self.context;
        context.load(state);
        context.mode = mode.table.as_ptr();
        std::mem::swap(&mut context.infected, infected);
        context.scheduler.reset();
        let mut outcomes = Vec::new();
        loop {
            context.begin();
            self.compiled.run(context, block, object);
            match context.status {
                RUNNING => outcomes.push(Outcome {
                    labels: std::mem::take(&mut context.labels),
                    result: Ok(context.changed_state()),
                }),
                FAILED => {
                    context.scheduler.failed();
                    if let Some(error) = context.error {
                        outcomes.push(Outcome {
                            labels: std::mem::take(&mut context.labels),
                            result: Err(error),
                        });
                    }
                }
                _ => {}
            }
            context.undo();
            if !context.scheduler.next() {
                break;
            }
        }
        std::mem::swap(&mut context.infected, infected);
        outcomes
    }
}
