//! What is remembered about objects that could do nothing by themselves. Most objects of a large model can't, most of
//! the time, and the next state differs in few of them: what was found holds wherever all that the object's block may
//! touch is the same. Answers never depend on what is remembered.

use super::reducer::Reducer;
use crate::model::{ObjectId, State};
use crate::mutation::MutantId;
use std::sync::Arc;

/// Findings kept about one object.
const REMEMBERED: usize = 4;
/// An object whose block touches more objects than this is looked at each time.
const MOST_TOUCHED: usize = 64;

/// What the original came to without an input, where no step is enabled.
pub(super) struct Finding {
    /// What the block touches, as it was.
    touched: Box<[Arc<[u8]>]>,
    /// Whether the object may take inputs.
    pub may_take: bool,
    /// Mutants that would have computed something else; none if nobody would.
    pub met: Option<Arc<[MutantId]>>,
}

/// One worker's memory, per object, the latest first.
pub(super) struct Quiet {
    findings: Vec<Vec<Finding>>,
}

impl Quiet {
    pub fn new(reducer: &Reducer) -> Quiet {
        let none = std::iter::repeat_with(Vec::new);
        Quiet {
            findings: none.take(reducer.model.objects.len()).collect(),
        }
    }

    pub fn recall(
        &mut self,
        reducer: &Reducer,
        object: ObjectId,
        state: &State,
    ) -> Option<&Finding> {
        let findings = &mut self.findings[object.index()];
        let touched = reducer.touched(object);
        let holds = |finding: &Finding| {
            let mut both = touched.iter().zip(&finding.touched);
            both.all(|(object, then)| {
                let now = state.shared_object(*object);
                Arc::ptr_eq(now, then) || now == then
            })
        };
        let at = findings.iter().position(holds)?;
        findings[..=at].rotate_right(1);
        findings.first()
    }

    pub fn remember(
        &mut self,
        reducer: &Reducer,
        object: ObjectId,
        state: &State,
        may_take: bool,
        met: Option<Arc<[MutantId]>>,
    ) {
        let touched = reducer.touched(object);
        if touched.len() > MOST_TOUCHED {
            return;
        }
        let now = |object: &ObjectId| state.shared_object(*object).clone();
        let findings = &mut self.findings[object.index()];
        findings.truncate(REMEMBERED - 1);
        findings.insert(
            0,
            Finding {
                touched: touched.iter().map(now).collect(),
                may_take,
                met,
            },
        );
    }
}
