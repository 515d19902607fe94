//! Calls of the C library that an explored program defines itself, so that they come to us: which, and to what end.

pub mod allocation_and_clock;
mod blocking;
mod lasting_changes;
mod syscalls;
