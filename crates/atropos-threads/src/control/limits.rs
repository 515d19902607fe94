//! Executions that end because they take too much, or by what the system would not let pass: from the middle of a
//! controlled thread's own work, not at one of its scheduling points.

use atropos_search::{ExecutionEnd, ExecutionPhase, Limit, Op, mix};
use atropos_values::MutantId;

use super::code::Code;
use super::overtime::OVERTIME;
use super::{Announcement, control, external_wait, here, scheduler};
use crate::finding::Finding;
use crate::memory::stacks::MOST_THREADS;

/// Steps after which a thread in overtime lets others go, though it comes to no scheduling point.
const BREATH: u64 = 16;

/// The execution takes more steps between scheduling points than it may, now in the running thread. Returns only outside an execution, or in overtime.
pub fn too_many_steps(steps: u64, limit: u64) {
    if let Some(control) = control() {
        let state = control.state();
        if state.is_in_overtime() && steps <= limit.saturating_mul(OVERTIME) {
            if steps.is_multiple_of(BREATH) {
                let op = Op::local().yielding();
                control.point(Announcement::new(Code::Yield, op, here()));
            }
            return;
        }
        let waiting = state.who_waits();
        // No other thread took these steps or can end what it does, and no clock.
        let is_alone = state.started < 2 && control.me().activity.clock_reads_without_wait == 0;
        state.found(Finding::StepLimit { steps, waiting });
        let end = state.over(ExecutionEnd::Limit(Limit::Steps), ExecutionPhase::CutShort);
        if !is_alone && state.goes_into_overtime(Limit::Steps) {
            return;
        }
        // SAFETY: the controller is the installed one, and nothing of this thread is used again.
        unsafe { scheduler::leave(control.controller(), end) }
    }
}

/// The running thread starts another one, which may be one too many. Then this returns only outside an execution.
pub fn another_thread() {
    let Some(control) = control() else {
        return;
    };
    let state = control.state();
    let most = state.settings.thread_limit;
    if state.started < most {
        return;
    }
    state.found(match most {
        MOST_THREADS => Finding::Uncontrolled {
            what: format!("it starts more than {MOST_THREADS} threads"),
            site: None,
        },
        most => Finding::ThreadLimit { threads: most },
    });
    let end = state.over(
        ExecutionEnd::Limit(Limit::Threads),
        ExecutionPhase::CutShort,
    );
    // SAFETY: as above.
    unsafe { scheduler::leave(control.controller(), end) }
}

/// The running thread is about to change what lies outside the process and so outlives the execution. Returns only outside an
/// execution: before a file is changed nobody knows what it holds.
pub fn not_under_control(what: &str) {
    external_wait::mark(what);
    if let Some(control) = control() {
        let end = control.state().over(
            ExecutionEnd::Limit(Limit::Effects),
            ExecutionPhase::CutShort,
        );
        // SAFETY: as above.
        unsafe { scheduler::leave(control.controller(), end) }
    }
}

/// The running thread asks for more memory than it may. Returns only outside an execution.
pub fn too_much_memory(bytes: usize) {
    if let Some(control) = control() {
        let thread = control.thread();
        let state = control.state();
        state.found(Finding::MemoryLimit { thread, bytes });
        let end = state.over(ExecutionEnd::Limit(Limit::Memory), ExecutionPhase::CutShort);
        // SAFETY: as above.
        unsafe { scheduler::leave(control.controller(), end) }
    }
}

/// The running thread gives memory back that was given back already. Returns only outside an execution.
#[cold]
pub fn freed_twice() {
    if let Some(control) = control() {
        let thread = control.thread();
        let state = control.state();
        state.found(Finding::DoubleFree { thread });
        let end = state.over(ExecutionEnd::Failed(0), ExecutionPhase::CutShort);
        // SAFETY: as above.
        unsafe { scheduler::leave(control.controller(), end) }
    }
}

/// The running step passes the point of a mutant that differs from the original there.
pub fn reach(mutant: MutantId) {
    if let Some(control) = control() {
        control.state().guide().reach(mutant);
    }
}

/// The running thread is no longer the original's: what it does from here on is the mutant's, though it may look the same.
pub fn infect(mutant: MutantId) {
    if let Some(control) = control()
        && control.state().fingerprints
    {
        let thread = control.me();
        thread.history = mix(thread.history, 0x1fec_7000_0000 | u64::from(mutant.0));
    }
}
