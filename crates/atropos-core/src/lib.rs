//! core with atomics under control, for crates without std: compiled under the crate name `core` and passed with
//! `--extern core=…`. The atomics are the same types as those in `atropos-std`, so that crates of both sorts fit together.

#![no_std]

extern crate core as real_core;

pub use real_core::*;

/// Atomics, and what else core has in this place.
pub mod sync {
    pub use real_core::sync::*;

    /// Atomics.
    pub mod atomic {
        pub use real_core::sync::atomic::*;

        #[allow(deprecated)]
        pub use atropos_threads::atomic::{
            ATOMIC_BOOL_INIT, ATOMIC_ISIZE_INIT, ATOMIC_USIZE_INIT, spin_loop_hint,
        };
        pub use atropos_threads::atomic::{
            AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr,
            AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence,
            fence,
        };
    }
}

/// Cells, of which one says who uses its contents.
pub mod cell {
    pub use real_core::cell::*;

    pub use atropos_threads::unsafe_cell::UnsafeCell;
}

/// Hints, of which a spinning thread's is one for the scheduler.
pub mod hint {
    pub use real_core::hint::*;

    pub use atropos_threads::atomic::spin_loop;
}

/// Machine code, which may be a fence.
pub mod arch {
    pub use real_core::arch::*;

    pub use atropos_threads::asm;
}
