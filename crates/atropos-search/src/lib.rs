//! Search over choices: which thread runs next, which alternative a step takes, which action a model
//! performs. One framework for threads (re-executed from the start for every schedule) and models
//! (explicit states), without dependencies, so that it can be compiled into a test binary.
//!
//! # The parts
//! - A [`System`] runs and asks a [`Guide`] at every [`SchedulingPoint`]; [`system`] gives the order of calls and
//!   the duty of determinism. [`Op`] says what a thread is about to touch, [`Names`] gives out numbers
//!   for threads and objects that don't depend on the interleaving. A [`TransitionSystem`] becomes a system by
//!   [`Walk`].
//! - A [`Strategy`] is a guide with a plan; [`explore`] drives it. [`Exhaustive`] takes one schedule per
//!   class of equivalent ones; [`Search`] goes through states (stateful, preemption bound, full
//!   enumeration); [`Uniform`], [`Pct`], [`Pos`] and [`Surw`] draw at random, [`Mixed`] by each of them in turn; [`Replay`] repeats; [`Gradual`] is the
//!   default. [`STRATEGIES`] lists them by name. [`Coverage`] says in words what was covered.
//! - A [`Schedule`] is one line of text; [`shrink()`] makes it readable, [`check_determinism`] tells where
//!   two runs of it part.
//! - For several processes, [`split()`] divides an exhaustive search into [`WorkItem`]s, and a [`Search`] goes in [`Round`]s.
//! - [`Original`] remembers an exploration of the original program, [`Technique`] says how much of that a
//!   mutant's exploration reuses; [`SampledOriginal`] does the like for random schedules.
//!
//! # What a system of coroutine threads has to do
//! - Announce every operation that others can notice before performing it, with all objects it may
//!   touch; a step reaches from there to the next announcement.
//! - Call [`Guide::wake`] for every thread that a step starts or unblocks (spawn, notify, unpark).
//! - Mark operations that may be not ready as [`Op::blocking`]; announce joins as [`OpKind::Await`] on an
//!   object that the end of the thread [`OpKind::Signal`]s.
//! - A load that may read several stores asks [`Guide::data`]; so do spurious failures, and a
//!   notification that may wake one of several. A wait that may end by itself (timeout, spurious
//!   wake-up) is ready with an operation on the condition, marked [`Op::revocable`].
//! - A spin loop announces [`Op::yielding`] operations; under exhaustive strategies it is best announced
//!   as a [`Op::blocking`] read of what it reads, ready when somebody has written there since. A limit on
//!   steps ends the rest: [`ExecutionPhase::CutShort`], [`ExecutionEnd::Limit`].
//! - Timers of a clock that moves when nothing else can happen are [`Op::when_idle`].

mod choice;
mod exhaustive;
mod gradual;
mod graph;
mod hash;
mod model;
mod mutmut;
mod names;
mod op;
mod random;
mod registry;
mod replay;
mod sampling;
mod schedule;
mod search;
mod shrink;
mod split;
mod strategy;
pub mod system;
mod trace;

pub use choice::{Choice, Thread};
pub use exhaustive::Exhaustive;
pub use gradual::{Gradual, GradualStage, StageBudget};
pub use hash::{Fingerprint, mix, spread};
pub use model::{TransitionSystem, Walk};
pub use mutmut::{
    FewExecutions, MutantRun, Original, SampledOriginal, SampledRun, SearchMethod, SearchResult,
    StopCondition, Technique, UnknownTechnique, Watch, kill_matrix,
};
pub use names::Names;
pub use op::{Access, Op, OpKind, SharedObject};
pub use random::XorShift;
pub use registry::{Division, STRATEGIES, StrategyEntry, StrategySpec, UnknownStrategy};
pub use replay::{Replay, Strictness, check_determinism, replay};
pub use sampling::{Mixed, Pct, Pos, SampleSpec, Surw, Uniform};
pub use schedule::{Schedule, ScheduleError};
pub use search::{
    NotFound, Round, RoundResult, Search, SearchOrder, SearchSettings, SearchSize, StateMatching,
    WaitingTransition,
};
pub use shrink::{Shrunk, shrink};
pub use split::{SplitDecision, WorkItem, split};
pub use strategy::{
    Coverage, Divergence, DivergenceKind, FailingExecution, Sampling, SearchProgress, SearchReport,
    Strategy, explore, explore_with,
};
pub use system::{
    ExecutionEnd, ExecutionPhase, Guide, Limit, Mutable, Pending, SchedulingPoint, System,
};
