//! The way to the driver: a pipe that the test can't reach by accident.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use atropos_protocol::exploration::{ENV_ANSWERS, Response};
use atropos_protocol::sys;

static PIPE: AtomicI32 = AtomicI32::new(-1);

/// Finds the pipe, and moves it out of the way of the test's own files.
pub fn open() -> Option<()> {
    let given: RawFd = std::env::var(ENV_ANSWERS).ok()?.parse().ok()?;
    let high = sys::duplicate_above(given, 200)
        .or_else(|_| sys::duplicate_above(given, 20))
        .ok()?;
    sys::close(given);
    redirect(high);
    // A worker's differs from its parent's, also after statics were put back.
    let start = (&raw const PIPE).addr();
    atropos_threads::keep(start..start + size_of::<AtomicI32>());
    Some(())
}

/// From now on what is said goes elsewhere: a worker's to its parent.
pub fn redirect(pipe: RawFd) {
    PIPE.store(pipe, Relaxed);
    atropos_threads::guard_descriptor(pipe);
}

/// Passes a line on.
pub fn pass_on(line: &str) {
    let mut bytes = line.as_bytes();
    while !bytes.is_empty() {
        match sys::write(PIPE.load(Relaxed), bytes) {
            Ok(written) if written > 0 => bytes = &bytes[written..],
            // The driver is gone: nobody needs us any more.
            _ => sys::exit_now(1),
        }
    }
}

pub fn say(response: &Response) {
    pass_on(&response.to_line());
}
