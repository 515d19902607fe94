//! Tests that ask the processor itself for the time, as quanta does for them: no clock of ours is asked then, and while
//! sleeping takes no time for us, none passes there. How such a test ends says nothing about its schedules.
//!
//! The kernel can be told to refuse the instruction. It does so in a process of its own, because the C library's clocks,
//! which this one uses, are made of the same instruction.

use atropos_protocol::sys::{self, ChildEnd};
use atropos_search::{Mutable as _, Replay, Schedule, Strategy as _, Strictness, System as _};
use atropos_threads::NotedSystem as _;
use atropos_values::MutantId;

use crate::subject::Subject;
use crate::workers::fork_worker;

/// Why such a test is not explored.
pub const WHY: &str = "it asks the processor for the time";

/// Scheduling points after which nobody begins to ask, so that very long tests take little longer for this.
const POINTS: u64 = 50_000;

/// Whether the original does so under a schedule, as far as that goes.
pub fn is_asked_for(subject: &mut Subject<'_>, schedule: &Schedule) -> bool {
    dies(subject, schedule, true) && !dies(subject, schedule, false)
}

fn dies(subject: &mut Subject<'_>, schedule: &Schedule, is_refused: bool) -> bool {
    match fork_worker() {
        Ok(None) => {
            if is_refused {
                sys::refuse_time_stamps();
            }
            subject.activate(MutantId::ORIGINAL);
            subject.test().set_step_limit(POINTS);
            let mut replay = Replay::new(schedule, Strictness::Lenient);
            replay.begin();
            subject.run(&mut replay);
            sys::exit_now(0)
        }
        Ok(Some(pid)) => {
            let ended = sys::wait(pid, true).ok().flatten();
            matches!(ended, Some((_, ChildEnd::Signaled(sys::SIGSEGV))))
        }
        Err(_) => false,
    }
}
