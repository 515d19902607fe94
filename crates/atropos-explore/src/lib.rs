//! Search over choices: which thread runs next, which alternative a step takes, which action a
//! model performs. See [`system`] for the order of calls.

mod choice;
mod exhaustive;
mod graph;
mod hash;
mod names;
mod op;
mod random;
mod schedule;
mod search;
mod split;
mod strategy;
pub mod system;
mod trace;

pub use choice::{Choice, Thread};
pub use exhaustive::Exhaustive;
pub use hash::{Fingerprint, mix, spread};
pub use names::Names;
pub use op::{Access, Kind, Object, Op};
pub use random::Random;
pub use schedule::{Schedule, ScheduleError};
pub use search::{Matching, Order, Search, Settings, Size};
pub use split::{Given, WorkItem, first_failure, split};
pub use strategy::{
    Coverage, Divergence, Finding, Parting, Progress, Report, Sampling, Strategy, explore, explore_with,
};
pub use system::{End, Guide, Mutable, Pending, Phase, Point, System};
