//! What a model can do: iterations of objects, suspension states (what the tester knows after a trace), ioco.

mod acting;
mod cache;
mod engine;
mod expansion;
mod explorer;
mod footprint;
mod forecast;
mod halt;
mod inputs;
mod points_to;
mod quick;
mod quiet;
mod reducer;
mod sleepers;
mod suspension;

pub use acting::Acting;
pub use cache::Cache;
pub use engine::{
    BYTES_PER_STEP, Engine, Inputs, Interpreted, Iterations, MOST_OUTCOMES, MOST_TRACES, MOST_WORK,
    Offer,
};
pub use expansion::{Expansion, Step, Taker};
pub use explorer::{Explorer, Limits, Reduction, Stop};
pub use halt::{Cause, Halt, free_memory};
pub use inputs::{Input, Taken};
pub use quick::{QuickMap, QuickSet};
pub use reducer::Reducer;
pub use suspension::{Node, Suspension, VisibleNode};
