//! Timers of the kernel (`timerfd`) in virtual time. The kernel's own timer is not set before its time has come; then it is
//! made to ring at once, so that whoever waits for the descriptor, also through `epoll`, finds it ready.

use std::ffi::c_int;
use std::time::Duration;

use super::Controller;
use super::thread_state::Wait;

/// The timers that an execution made.
#[derive(Debug, Default)]
pub struct KernelTimers {
    timers: Vec<KernelTimer>,
}

#[derive(Clone, Copy, Debug)]
struct KernelTimer {
    file: c_int,
    /// Which clock it goes by, as the C library numbers them.
    clock: c_int,
    /// When it rings; `u64::MAX` if it is not set.
    rings: u64,
}

impl KernelTimers {
    pub fn add(&mut self, file: c_int, clock: c_int) {
        self.forget(file);
        let rings = u64::MAX;
        self.timers.push(KernelTimer { file, clock, rings });
    }

    pub fn forget(&mut self, file: c_int) {
        self.timers.retain(|timer| timer.file != file);
    }

    /// The clock of a timer; none for what is no timer of this execution.
    pub fn clock(&self, file: c_int) -> Option<c_int> {
        self.find(file).map(|timer| timer.clock)
    }

    /// When it rings, if it is set.
    pub fn rings(&self, file: c_int) -> Option<u64> {
        let rings = self.find(file)?.rings;
        (rings != u64::MAX).then_some(rings)
    }

    /// When the first one rings; `u64::MAX` for never.
    pub fn first(&self) -> u64 {
        let rings = self.timers.iter().map(|timer| timer.rings);
        rings.min().unwrap_or(u64::MAX)
    }

    /// One whose time has come; it is not set any more.
    pub fn take_due(&mut self, now: u64) -> Option<c_int> {
        let due = self.timers.iter_mut().find(|timer| timer.rings <= now)?;
        due.rings = u64::MAX;
        Some(due.file)
    }

    fn find(&self, file: c_int) -> Option<&KernelTimer> {
        self.timers.iter().find(|timer| timer.file == file)
    }
}

impl Controller {
    /// Sets a timer to a while from now, or stops it. Threads that already wait for descriptors wake for it, too.
    pub fn set_kernel_timer(&mut self, file: c_int, after: Option<Duration>) {
        let rings = after.map_or(u64::MAX, |after| self.virtual_clock.after(after));
        let timers = self.timers.timers.iter_mut();
        for timer in timers.filter(|timer| timer.file == file) {
            timer.rings = rings;
        }
        for thread in self.readiness.waiting_outside() {
            let blocking = &mut self.threads[thread as usize].blocking;
            debug_assert_eq!(blocking.wait, Wait::External);
            if rings < blocking.deadline {
                let was_endless = blocking.deadline == u64::MAX;
                blocking.deadline = rings;
                self.readiness.is_timed(thread, was_endless);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_timer_rings_once() {
        let mut timers = KernelTimers::default();
        assert_eq!(timers.first(), u64::MAX);
        timers.add(7, 1);
        timers.add(9, 0);
        assert_eq!(timers.take_due(u64::MAX - 1), None);
        timers.timers[0].rings = 50;
        timers.timers[1].rings = 40;
        assert_eq!((timers.first(), timers.rings(7)), (40, Some(50)));
        assert_eq!(timers.take_due(40), Some(9));
        assert_eq!(timers.take_due(40), None);
        timers.forget(7);
        assert_eq!((timers.first(), timers.clock(7)), (u64::MAX, None));
    }
}
