//! Executions that take more scheduling points than they may, or more steps between them while something else could end
//! that. A guide may let one thread look again and again for what only another can cause, or for a time that does not
//! come because nobody waits for it; no real machine does that for ever. So such an execution goes on for a while, out of
//! the guide's hands: threads take turns, and time passes. If it then comes to its end, however that is, it was not
//! endless. More is not known of it: nothing of what it did in overtime counts, because the guide did not choose it and
//! can't choose it again.

use atropos_search::{ExecutionEnd, Guide, Limit, SchedulingPoint, Thread};

use super::Controller;

/// How many times its limits an execution may take with its overtime. The limits are ten times what the original takes, so
/// this is enough for what all others have still to do beside nine threads that only look.
pub const OVERTIME: u64 = 2;

/// Lets the thread go that ran the longest ago.
#[derive(Debug, Default)]
pub(crate) struct RoundRobin {
    /// When each thread last ran.
    ran: Vec<u64>,
    now: u64,
}

impl Guide for RoundRobin {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        let ran = |thread: Thread| self.ran.get(thread.index()).copied().unwrap_or(0);
        let next = point.ready().min_by_key(|pending| ran(pending.thread))?;
        let thread = next.thread;
        if self.ran.len() <= thread.index() {
            self.ran.resize(thread.index() + 1, 0);
        }
        self.now += 1;
        self.ran[thread.index()] = self.now;
        Some(thread)
    }

    fn data(&mut self, _: u32) -> u32 {
        0
    }
}

/// An execution in overtime.
#[derive(Debug)]
pub(crate) struct Overtime {
    /// What the execution had too much of.
    limit: Limit,
    /// What was found before it, that there is no end among it.
    findings: usize,
    /// What had been so before it.
    was_fair: bool,
    was_hurried: bool,
    round_robin: Box<RoundRobin>,
}

impl Controller {
    pub(crate) fn is_in_overtime(&self) -> bool {
        self.overtime.is_some()
    }

    /// The execution, which was found to have too much of something, goes on without its guide, if it may.
    pub(super) fn goes_into_overtime(&mut self, limit: Limit) -> bool {
        if !self.settings.overtime || self.is_in_overtime() {
            return false;
        }
        let mut overtime = Overtime {
            limit,
            findings: self.findings.len(),
            was_fair: self.was_fair,
            was_hurried: self.virtual_clock.was_hurried,
            round_robin: Box::default(),
        };
        let round_robin: *mut dyn Guide = &raw mut *overtime.round_robin;
        self.guide = Some(round_robin);
        self.overtime = Some(overtime);
        self.step_limit = self.step_limit.saturating_mul(OVERTIME);
        true
    }

    /// How the execution ended, if it went into overtime before that; and whether it was not endless.
    pub(crate) fn settle(&mut self, end: ExecutionEnd) -> (ExecutionEnd, bool) {
        let Some(overtime) = self.overtime.take() else {
            return (end, false);
        };
        self.findings.truncate(overtime.findings);
        self.was_fair = overtime.was_fair;
        self.virtual_clock.was_hurried = overtime.was_hurried;
        match end {
            ExecutionEnd::Limit(
                Limit::Points | Limit::Steps | Limit::Rounds | Limit::Threads | Limit::Memory,
            ) => (ExecutionEnd::Limit(overtime.limit), false),
            ExecutionEnd::Passed(_)
            | ExecutionEnd::Failed(_)
            | ExecutionEnd::Deadlock(_)
            | ExecutionEnd::Stopped
            | ExecutionEnd::Limit(Limit::Effects) => {
                self.findings.pop();
                (ExecutionEnd::Passed(0), true)
            }
        }
    }
}
