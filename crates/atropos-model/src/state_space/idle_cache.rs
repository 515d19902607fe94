//! What is remembered about objects that could do nothing by themselves. Most objects of a large model can't, most of
//! the time, and the next state differs in few of them: what was found holds wherever all that the object's block may
//! touch is the same. Answers never depend on what is remembered.

use super::reducer::Reducer;
use crate::model::{ObjectId, State};
use crate::mutation::ModelMutantId;
use std::sync::Arc;

/// Findings kept about one object.
const REMEMBERED: usize = 4;
/// An object whose block touches more objects than this is looked at each time.
const MOST_TOUCHED: usize = 64;

/// What the original came to without an input, where no step is enabled.
pub(super) struct IdleObject {
    /// What the block touches, as it was.
    touched: Box<[Arc<[u8]>]>,
    /// Whether the object may take inputs.
    pub may_take: bool,
    /// Mutants that would have computed something else; none if nobody would.
    pub infected: Option<Arc<[ModelMutantId]>>,
}

/// One worker's memory, per object, the latest first.
pub(super) struct IdleCache {
    known: Vec<Vec<IdleObject>>,
}

impl IdleCache {
    pub fn new(reducer: &Reducer) -> IdleCache {
        let none = std::iter::repeat_with(Vec::new);
        IdleCache {
            known: none.take(reducer.model.objects.len()).collect(),
        }
    }

    pub fn recall(
        &mut self,
        reducer: &Reducer,
        object: ObjectId,
        state: &State,
    ) -> Option<&IdleObject> {
        let known = &mut self.known[object.index()];
        let touched = reducer.touched(object);
        let holds = |idle_object: &IdleObject| {
            let mut both = touched.iter().zip(&idle_object.touched);
            both.all(|(object, then)| {
                let now = state.shared_object(*object);
                Arc::ptr_eq(now, then) || now == then
            })
        };
        let at = known.iter().position(holds)?;
        known[..=at].rotate_right(1);
        known.first()
    }

    pub fn remember(
        &mut self,
        reducer: &Reducer,
        object: ObjectId,
        state: &State,
        may_take: bool,
        infected: Option<Arc<[ModelMutantId]>>,
    ) {
        let touched = reducer.touched(object);
        if touched.len() > MOST_TOUCHED {
            return;
        }
        let now = |object: &ObjectId| state.shared_object(*object).clone();
        let known = &mut self.known[object.index()];
        known.truncate(REMEMBERED - 1);
        known.insert(
            0,
            IdleObject {
                touched: touched.iter().map(now).collect(),
                may_take,
                infected,
            },
        );
    }
}

/// Objects that can do nothing by themselves in the state that was looked at last, whoever acts there: the next state differs
/// in few objects, and only what may touch these has to be looked at again.
#[derive(Default)]
pub(super) struct IdleMarks {
    acting: Vec<ModelMutantId>,
    state: Option<State>,
    /// By position in the order of ranks.
    idle: Vec<bool>,
}

impl IdleMarks {
    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.state = None;
    }

    /// From now on it is about this state.
    pub fn move_to(&mut self, reducer: &Reducer, acting: &[ModelMutantId], state: &State) {
        match &self.state {
            Some(before) if self.acting == acting => {
                let idle = &mut self.idle;
                before.differences(state, |changed, _| {
                    for position in reducer.touchers(changed) {
                        idle[*position as usize] = false;
                    }
                });
            }
            _ => {
                self.idle.clear();
                self.idle.resize(reducer.model.objects.len(), false);
                acting.clone_into(&mut self.acting);
            }
        }
        self.state = Some(state.clone());
    }

    pub fn is_idle(&self, position: u32) -> bool {
        self.idle[position as usize]
    }

    pub fn set(&mut self, position: u32) {
        self.idle[position as usize] = true;
    }
}
