//! Virtual time: it stands still while threads run and moves on to the next deadline when nothing else can
//! run, so that sleeping costs nothing and tests that order things by sleeping see the order they mean.
//!
//! A program that waits by asking for the time again and again moves the clock itself. Each who asks is shown a
//! nanosecond more than the one before, at least; that a deadline computed from such a time is met needs a little more,
//! as it does on a real machine.

use std::ffi::c_int;
use std::time::Duration;

use crate::control;
use crate::memory::system::Timespec;

/// The clock of an execution.
#[derive(Debug, Default)]
pub struct Clockwork {
    /// Nanoseconds since the execution began.
    pub now: u64,
    /// The least that the clock shows next: programs expect that time has passed since they last looked.
    next: u64,
}

/// Where the wall clock stands when an execution begins: 2026-01-01 00:00:00 UTC.
const WALL_START: i64 = 1_767_225_600;
/// Where the monotonic clock stands: far enough from zero for subtraction.
const MONOTONIC_START: i64 = 1_000_000;
const REALTIME: c_int = 0;
const MONOTONIC: c_int = 1;
const MONOTONIC_RAW: c_int = 4;
const REALTIME_COARSE: c_int = 5;
const MONOTONIC_COARSE: c_int = 6;
const BOOTTIME: c_int = 7;
/// Questions for the time without waiting in between, after which each moves the clock.
const PATIENCE: u32 = 50;

/// What the clock shows to the controlled thread that asks; `None` for clocks that are not virtual.
pub fn now_for_program(clock: c_int) -> Option<Timespec> {
    let start = match clock {
        REALTIME | REALTIME_COARSE => WALL_START,
        MONOTONIC | MONOTONIC_RAW | MONOTONIC_COARSE | BOOTTIME => MONOTONIC_START,
        _ => return None,
    };
    let control = control::control()?;
    let reads = &mut control.me().clock_reads;
    *reads += 1;
    let state = control.state();
    if *reads > PATIENCE {
        state.clockwork.now += 1_000_000;
    }
    state.observe(state.clockwork.now);
    let now = state.clockwork.show();
    Some(Timespec {
        seconds: start + (now / 1_000_000_000) as i64,
        nanoseconds: (now % 1_000_000_000) as i64,
    })
}

impl Clockwork {
    /// What the clock shows.
    fn show(&mut self) -> u64 {
        let shown = self.now.max(self.next);
        self.next = shown + 1;
        shown
    }

    /// Moves the clock to a deadline. One that nobody could have meant to the nanosecond is passed by a little, so that it
    /// is over for whoever computed it, and so that others which are as good as the same are, too.
    pub fn pass(&mut self, deadline: u64) {
        const LITTLE: u64 = 1000;
        self.now = match deadline % LITTLE {
            0 => deadline,
            _ => deadline.next_multiple_of(LITTLE) + LITTLE,
        };
    }

    /// The time a while from now; never `u64::MAX`, which means never.
    pub fn after(&self, duration: Duration) -> u64 {
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.now.saturating_add(nanoseconds).min(u64::MAX - 1)
    }
}
