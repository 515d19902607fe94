//! `std::thread` for programs under control.

mod builder;
pub(crate) mod handle;
pub mod local;
mod scope;
mod time;

pub use builder::{Builder, spawn};
#[allow(deprecated)]
pub use handle::park_timeout_ms;
pub use handle::{
    JoinHandle, Thread, ThreadId, current, is_current_panicking as panicking, park, park_timeout,
    yield_now,
};
pub use local::{AccessError, LocalKey};
pub use scope::{Scope, ScopedJoinHandle, scope};
pub use std::thread::Result;
#[allow(deprecated)]
pub use time::sleep_ms;
pub use time::{available_parallelism, sleep};
