//! What a model can do: iterations of objects, suspension states (what the tester knows after a trace), ioco.

mod acting;
mod expansion_cache;

mod expansion;
mod explorer;
mod fast_hash;
mod footprint;
mod guard_cache;
mod guard_prediction;
mod halt;
mod idle_cache;
mod inputs;
mod livelock;
mod points_to;
mod reducer;
mod suspension;

pub use acting::Acting;
pub use expansion_cache::ExpansionCache;
pub use explorer::{Reduction, StateExplorer, StateSpaceLimits, Stop};
pub use fast_hash::{FastMap, FastSet};
pub use halt::{Halt, HaltCause, free_memory};
pub use inputs::Input;
pub use reducer::Reducer;
pub use suspension::{Suspension, SuspensionNode};
