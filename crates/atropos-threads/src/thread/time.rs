//! Sleeping, and how many threads the machine is said to have.

use std::io;
use std::num::NonZero;
use std::thread;
use std::time::Duration;

use atropos_search::Op;

use crate::control::code::Code;
use crate::control::thread_state::Wait;
use crate::control::{Announcement, control, here};
use crate::options::Time;

/// See std. Controlled threads sleep in virtual time.
#[track_caller]
pub fn sleep(dur: Duration) {
    let Some(control) = control() else {
        return thread::sleep(dur);
    };
    let state = control.state();
    let deadline = state.virtual_clock.after(dur);
    let op = match state.settings.time {
        // When the others have nothing more to do depends on everything.
        Time::Virtual => Op::universal(),
        Time::Adversarial => Op::local(),
    };
    control.point(
        Announcement::new(Code::Sleep, op, here())
            .waiting(Wait::Time)
            .until(deadline),
    );
}

/// See std.
#[track_caller]
#[deprecated(since = "1.6.0", note = "replaced by `std::thread::sleep`")]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(ms.into()));
}

/// See std. Under control every machine has the same small number of processors.
pub fn available_parallelism() -> io::Result<NonZero<usize>> {
    match control() {
        None => thread::available_parallelism(),
        Some(control) => Ok(control.state().settings.processors),
    }
}
