//! `std::sync` for programs under control. Every type holds the real one, which alone does the work for
//! uncontrolled threads, and which controlled threads use only when it can't block.

pub mod barrier;
pub mod condvar;
pub mod lazy_lock;
pub mod mpsc;
pub mod mutex;
pub mod once;
pub mod once_lock;
pub(crate) mod own_arc;
pub mod rwlock;
pub(crate) mod unlocked_guard;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
#[allow(deprecated)]
pub use once::ONCE_INIT;
pub use once::Once;
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::OnceState;
