//! What the variants at a mutation point make of the values there: which differ from the original, which are
//! equal to each other, which one acts.
//!
//! Shared by the two runtimes: the one that forks mutants (`atropos-runtime`) and the one that explores
//! threads (`atropos-explore-harness`). Each answers with its own `decide` which variant acts at a [`Hit`]; the functions
//! of [`choose`] make the expression's value of that. What woven code calls is the table in [`interface`]. The numbers of
//! mutants and points ([`MutantId`], [`PointId`]) are here, too, because all other crates are built on this one.

pub mod choose;
mod hit;
mod ids;
pub mod interface;
mod maybe_empty;
pub mod prim;
pub mod probe;

pub use hit::{CASES, Hit, Key};
pub use ids::{MutantId, NumberedPoint, Numbering, PointId, SecondOrderMutant};
pub use maybe_empty::MaybeEmpty;
pub use prim::Prim;
