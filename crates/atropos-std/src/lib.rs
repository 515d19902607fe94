//! std with threads under control. Compiled under the crate name `std` and passed to every crate of a program
//! with `--extern std=…`, it takes std's place without a change to the program: everything is std's own, but for the
//! modules below. The types in them are std's outside an exploration, too; see `atropos-threads`.
//!
//! Every module starts with all of std's module; the names that follow hide the ones that they replace.

#![no_std]

extern crate std as real_std;

pub use real_std::*;

#[doc(hidden)]
pub use atropos_threads as __atropos_threads;

pub use atropos_threads::thread_local;

/// Threads, and variables of their own.
pub mod thread {
    pub use real_std::thread::*;

    pub use atropos_threads::thread::{
        AccessError, Builder, JoinHandle, LocalKey, Result, Scope, ScopedJoinHandle, Thread,
        ThreadId, available_parallelism, current, panicking, park, park_timeout, scope, sleep,
        spawn, yield_now,
    };
    #[allow(deprecated)]
    pub use atropos_threads::thread::{park_timeout_ms, sleep_ms};
}

/// Locks, conditions, channels and atomics.
pub mod sync {
    pub use real_std::sync::*;

    #[allow(deprecated)]
    pub use atropos_threads::sync::ONCE_INIT;
    pub use atropos_threads::sync::{
        Barrier, BarrierWaitResult, Condvar, LazyLock, Mutex, MutexGuard, Once, OnceLock,
        OnceState, RwLock, RwLockReadGuard, RwLockWriteGuard, WaitTimeoutResult,
    };

    /// Atomics.
    pub mod atomic {
        pub use real_std::sync::atomic::*;

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

    /// Channels.
    pub mod mpsc {
        #[allow(unused_imports)]
        pub use real_std::sync::mpsc::*;

        pub use atropos_threads::sync::mpsc::{
            IntoIter, Iter, Receiver, RecvError, RecvTimeoutError, SendError, Sender, SyncSender,
            TryIter, TryRecvError, TrySendError, channel, sync_channel,
        };
    }
}

/// Cells, of which one says who uses its contents.
pub mod cell {
    pub use real_std::cell::*;

    pub use atropos_threads::unsafe_cell::UnsafeCell;
}

/// Hints, of which a spinning thread's is one for the scheduler.
pub mod hint {
    pub use real_std::hint::*;

    pub use atropos_threads::atomic::spin_loop;
}

/// Machine code, which may be a fence.
pub mod arch {
    pub use real_std::arch::*;

    pub use atropos_threads::asm;
}

/// The names that every program has, of every edition.
pub mod prelude {
    /// The first version.
    pub mod v1 {
        pub use real_std::prelude::v1::*;

        pub use crate::thread_local;
    }
    /// Edition 2015.
    pub mod rust_2015 {
        pub use real_std::prelude::rust_2015::*;

        pub use crate::thread_local;
    }
    /// Edition 2018.
    pub mod rust_2018 {
        pub use real_std::prelude::rust_2018::*;

        pub use crate::thread_local;
    }
    /// Edition 2021.
    pub mod rust_2021 {
        pub use real_std::prelude::rust_2021::*;

        pub use crate::thread_local;
    }
    /// Edition 2024.
    pub mod rust_2024 {
        pub use real_std::prelude::rust_2024::*;

        pub use crate::thread_local;
    }
}
