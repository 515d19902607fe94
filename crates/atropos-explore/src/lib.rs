//! Search over choices: which thread runs next, which alternative a step takes, which action a
//! model performs. See [`system`] for the order of calls.

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
pub use gradual::{Budget, Gradual};
pub use hash::{Fingerprint, mix, spread};
pub use model::{Model, Walk};
pub use mutmut::{Method, MutantRun, Original, Technique, Until, Verdict, kill_matrix};
pub use names::Names;
pub use op::{Access, Kind, Object, Op};
pub use random::Random;
pub use replay::{Replay, Strictness, check_determinism, replay};
pub use sampling::{Draw, Pct, Pos, Uniform};
pub use schedule::{Schedule, ScheduleError};
pub use search::{Matching, Order, Search, Settings, Size};
pub use shrink::{Shrunk, shrink};
pub use split::{Given, WorkItem, first_failure, split};
pub use strategy::{
    Coverage, Divergence, Finding, Parting, Progress, Report, Sampling, Strategy, explore, explore_with,
};
pub use system::{End, Guide, Mutable, Pending, Phase, Point, System};
