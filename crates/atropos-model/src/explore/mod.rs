//! What a model can do: iterations of objects, suspension states (what the tester knows after a trace), ioco.

mod acting;
mod cache;
mod engine;
mod expansion;
mod explorer;
mod footprint;
mod forecast;
mod points_to;
mod reducer;
mod suspension;

pub use acting::Acting;
pub use cache::Cache;
pub use engine::{Engine, Interpreted};
pub use expansion::{Expansion, Step};
pub use explorer::{Explorer, Limits, Reduction, Stop};
pub use reducer::Reducer;
pub use suspension::{Node, Suspension, VisibleNode};
