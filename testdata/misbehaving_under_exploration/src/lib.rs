//! Threads that come to harm, and places that only some schedules come to.

pub mod chance;
pub mod harm;
pub mod rotation;
