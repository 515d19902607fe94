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
