//! Controlled threads that wait for something outside the program.

use std::time::Duration;

use atropos_explore::Op;

use super::code::Code;
use super::thread_state::Wait;
use super::{Announcement, control, here};
use crate::finding::FindingKind;

/// Virtual time since the execution began.
pub fn now() -> Duration {
    control().map_or(Duration::ZERO, |control| {
        Duration::from_nanos(control.state().clockwork.now)
    })
}

/// Lets the others go first, and says whether any could. A thousandth of a second of virtual time passes if none can.
pub fn let_others_run() -> bool {
    let Some(control) = control() else {
        return false;
    };
    let state = control.state();
    let before = state.clockwork.now;
    let deadline = state.clockwork.after(Duration::from_millis(1));
    let steps = state.steps;
    let site = control.me().site.unwrap_or(here());
    // Whether anything is there depends on everything.
    control.point(
        Announcement::new(Code::Outside, Op::universal(), site)
            .waiting(Wait::Time)
            .until(deadline),
    );
    let state = control.state();
    state.steps > steps + 1 || state.clockwork.now == before
}

/// The execution depends on what can't be controlled.
pub fn mark(what: &str) {
    if let Some(control) = control() {
        let site = control.me().site.map(|site| site.to_string());
        control.state().found(FindingKind::Uncontrolled {
            what: what.to_string(),
            site,
        });
    }
}
