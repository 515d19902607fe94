//! Mutants of a chart: each is an edit of one of its elements, shown in the chart's own text.
//!
//! `find` lists them. `weave` puts all of them into one chart whose translation holds, for every mutant, a switch (*gate*) that
//! is off in the original; the rest of the tool then works on one model. The slow way beside it, for tests: `apply` makes
//! one edit in the chart itself, which is translated alone. Mutants of the user's own expressions are made later, on the
//! translated text, where types are known; here are only those that change the chart's shape.

#[cfg(test)]
mod apply;
mod element;
mod find;
mod weave;

#[cfg(test)]
pub use apply::apply;
pub use element::{ElementId, ElementMap};
pub use find::{arrows, find};
pub use weave::{Variants, weave};

use super::chart::{ChartSpan, ChartText, StateId};
use crate::mutation::ModelOperator;

/// The number of a mutant's switch: its place in the list that [`find()`] gives.
pub type Gate = usize;

/// A mutant of a chart's shape.
#[derive(Clone, Debug)]
pub struct ChartMutant {
    /// Which machine of the chart.
    pub machine: usize,
    pub edit: Edit,
    pub operator: ModelOperator,
    /// The element, in the chart's text.
    pub span: ChartSpan,
    /// What stands there instead, as far as the notation can say it.
    pub replacement: String,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// An arrow is never taken.
    Disable(Arrow),
    /// An arrow leads to another state.
    Target(Arrow, StateId),
    /// An arrow waits for another event.
    Trigger(Arrow, ChartText),
    /// An arrow asks for nothing.
    DropGuard(Arrow),
    /// The transitions of a state after so much time come after another time.
    Time {
        state: StateId,
        time: u32,
        other: u32,
    },
    /// An action is left out.
    Remove(ActionPlace),
    /// Another observation is shown.
    Observe(ActionPlace, ChartText),
    /// A delayed event comes after another time.
    Delay(ActionPlace, u32),
    /// A compound state starts elsewhere.
    Initial(StateId, StateId),
    /// A history remembers deeply instead of shallowly, or the other way round.
    HistoryDepth(StateId),
}

/// One arrow as it is drawn: the transitions of a state that are written as one element (an element may name several
/// events).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    pub source: StateId,
    /// Places in the source's list of transitions.
    pub transitions: Vec<usize>,
}

/// Where a list of actions hangs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    Entry(StateId),
    Exit(StateId),
    Initial(StateId),
    Arrow(Arrow),
}

/// An action: its owner's list, then in turn a place in a list and, for an `if`, the branch that is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionPlace {
    pub owner: Owner,
    /// (place of an `if`, branch) on the way down.
    pub branches: Vec<(usize, usize)>,
    /// Place in the innermost list.
    pub at: usize,
}
