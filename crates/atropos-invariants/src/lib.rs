//! Learns invariants of a program's values in constant memory, and tells which ones a run broke.
//!
//! A *point* is a function: its variables at entry and at exit. Runs of the program fill a
//! [`PointState`] each, value by value; states of several runs are [merged](PointState::merge).
//! [`PointState::invariants`] reads off what always held and is justified by enough samples, in
//! the manner of Daikon. A state keeps exactly what is needed to decide whether an invariant held
//! throughout its run, so a run is checked afterwards, from its state alone:
//! [`Invariant::holds_in`]. Learning and checking are therefore the same code at run time.
//!
//! States are plain integers without padding; all zero is the empty state. So they can lie in
//! memory that several processes map, and [`PointState::encode`] is their image in memory.
//!
//! ```
//! use atropos_invariants::{PointState, ObservedValue};
//! let mut clean = PointState::EMPTY;
//! for size in [0, 3, 1, 4, 1, 5, 2, 0, 3] {
//!     clean.enter(0, ObservedValue::Number(size), None);
//! }
//! let mut mutant = PointState::EMPTY;
//! mutant.enter(0, ObservedValue::Number(-1), None);
//! let broken = clean.invariants().into_iter().find(|known| !known.holds_in(&mutant)).unwrap();
//! let name = |_| "size".to_owned();
//! assert_eq!(broken.describe(&name), "size ≥ 0");
//! ```
//!
//! This crate knows nothing about where values come from, has no dependencies and allocates only
//! when invariants are read off.

mod describe;
mod image;
mod invariant;
mod justify;
mod learned;
mod pair;
mod point;
mod slot;
mod value;

pub use invariant::{Invariant, Property, Relation};
pub use learned::{Learned, Violation};
pub use pair::PairState;
pub use point::{
    ENTRY_VARIABLES, EXIT_VARIABLES, EntryOrExit, PAIRED_ENTRY_VARIABLES, PointState, RETURN_PAIRS,
    Variable,
};
pub use slot::SlotState;
pub use value::{ObservedValue, ValueKind};
