//! `std::sync::atomic` for programs under control: transparent wrappers of the real types, with the same
//! layout, constants and results. For uncontrolled threads every method is the real one (see [`static_copies`] for
//! the one exception).

pub mod access;
mod bool_and_ptr;
mod every_type;
mod fences;
pub(crate) mod foreign_locks;
mod integers;
pub(crate) mod static_copies;

#[allow(deprecated)]
pub use bool_and_ptr::{ATOMIC_BOOL_INIT, ATOMIC_ISIZE_INIT, ATOMIC_USIZE_INIT};
pub use bool_and_ptr::{AtomicBool, AtomicPtr};
#[allow(deprecated)]
pub use fences::spin_loop_hint;
pub use fences::{AsmReach, compiler_fence, fence, machine_code, spin_loop};
pub use integers::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize,
};
pub use std::sync::atomic::Ordering;
