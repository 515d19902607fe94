//! Virtual time: it stands still while threads run and moves on to the next deadline when nothing else can
//! run, so that sleeping costs nothing and tests that order things by sleeping see the order they mean.
//!
//! Where threads run on and on, and one that sleeps is to end that (a test that lets others work for a while), time
//! would stand still for ever. If it may be hurried, it passes there, too, after very many scheduling points, or after a thread has looked
//! at the clock very often. That may be too early for a test which sleeps until others have surely finished, so
//! executions tell of it.
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
pub struct VirtualClock {
    /// Nanoseconds since the execution began.
    pub now: u64,
    /// How much more the clock shows: programs expect that time has passed since they last looked. What was shown stays shown when
    /// time passes, so that who slept after a look sees at least as much time gone by.
    ahead: u64,
    /// At which scheduling point time last passed.
    pub passed_at: u64,
    /// Time passed while threads could run.
    pub was_hurried: bool,
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
const FREE_READS: u32 = 50;
/// Questions of a thread that has waited for nothing but locks since the first, after which each moves the clock, if it
/// may be hurried.
const FREE_READS_WITHOUT_WAIT: u32 = 2000;
/// How far the clock moves for somebody who asks again and again, in nanoseconds; and if that has gone on for long, by which
/// part of it: even an hour is over after some two thousand questions, and no deadline is passed by more than this part.
const TICK: u64 = 1_000_000;
pub const PART: u64 = 200;
/// In overtime, where all that is asked is whether there is an end, it is over after some forty.
const PART_IN_OVERTIME: u64 = 2;

/// What the clock shows to the controlled thread that asks; `None` for clocks that are not virtual.
pub fn now_for_program(clock: c_int) -> Option<Timespec> {
    let start = match clock {
        REALTIME | REALTIME_COARSE => WALL_START,
        MONOTONIC | MONOTONIC_RAW | MONOTONIC_COARSE | BOOTTIME => MONOTONIC_START,
        _ => return None,
    };
    let control = control::control()?;
    let me = control.me();
    me.activity.clock_reads += 1;
    me.activity.clock_reads_without_wait += 1;
    let state = control.state();
    let hurries = state.is_in_overtime()
        || state.settings.hurry && me.activity.clock_reads_without_wait > FREE_READS_WITHOUT_WAIT;
    if hurries || me.activity.clock_reads > FREE_READS {
        let part = match state.is_in_overtime() {
            true => PART_IN_OVERTIME,
            false => PART,
        };
        state
            .virtual_clock
            .tick(&mut me.activity.time_by_looks, part);
        state.virtual_clock.was_hurried |= hurries;
    }
    state.observe(state.virtual_clock.now);
    let now = state.virtual_clock.show(state.settings.look);
    Some(Timespec {
        seconds: start + (now / 1_000_000_000) as i64,
        nanoseconds: (now % 1_000_000_000) as i64,
    })
}

impl VirtualClock {
    /// What the clock shows; the next look sees at least so many nanoseconds more.
    fn show(&mut self, look: u64) -> u64 {
        let shown = self.now.saturating_add(self.ahead);
        self.ahead = self.ahead.saturating_add(look);
        shown
    }

    /// Moves on for somebody who waits by asking again and again, and has waited so long that way.
    pub fn tick(&mut self, waited: &mut u64, part: u64) {
        let tick = TICK.max(*waited / part);
        self.now = self.now.saturating_add(tick);
        *waited = waited.saturating_add(tick);
    }

    /// Moves the clock to a deadline, at this scheduling point. One that nobody could have meant to the nanosecond is passed by a little, so that it
    /// is over for whoever computed it, and so that others which are as good as the same are, too.
    pub fn pass(&mut self, deadline: u64, points: u64) {
        self.passed_at = points;
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
