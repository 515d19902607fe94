//! Functions of the C library that an explored program calls in our version, which wins over the C library's. Outside an
//! exploration each passes straight on.
//!
//! | module | what it intercepts | why |
//! |---|---|---|
//! | [`allocation_and_clock`] | allocation, the clock, random bytes | every execution starts the same, and time is virtual |
//! | [`blocking`] | sleeping, reading, writing, waiting for files; starting threads and processes | the one OS thread must not block |
//! | [`timers`] | timers of the kernel | they ring in virtual time |
//! | [`sockets`] | names and addresses of sockets | other programs can't be controlled |
//! | [`syscalls`] | `syscall` | futexes and fences of libraries that go to the kernel without std |
//! | [`lasting_changes`] | files, directories, signals | an execution must not change what the next one finds |
//! | [`private_files`] | nothing itself | where files may be changed, because that is undone |
//!
//! `atropos_intercept::CALLS` lists every such function with its purpose. A new one is defined in the module of its
//! purpose and added to that list; a test compares the two.

/// The C library's function of this name and type.
macro_rules! passed_on {
    ($name:literal as $function:ty) => {
        atropos_intercept::next!($name as $function)
            .expect("the C library lacks a function that it must have")
    };
}
pub(crate) use passed_on;

pub mod allocation_and_clock;
mod blocking;
mod lasting_changes;
pub mod private_files;
mod sockets;
mod syscalls;
mod timers;

pub use blocking::{PollNow, poll_now};

#[cfg(test)]
mod tests {
    #[test]
    fn the_functions_defined_here_are_those_that_are_listed() {
        assert_eq!(
            atropos_intercept::compare_with_symbols(|call| call.explored),
            Ok(())
        );
    }
}
