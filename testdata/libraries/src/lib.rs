//! A counter, a buffer and a few tasks, each on another library's primitives.

pub mod channels;
pub mod locks;
pub mod tasks;
