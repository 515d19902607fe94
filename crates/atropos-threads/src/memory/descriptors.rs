//! Files, sockets and the like that an execution leaves open, because it was ended in the middle or forgot them. They are closed
//! before the next one: after some thousands the system would refuse more, and the program would act differently.

use std::collections::BTreeSet;
use std::ffi::c_int;

/// So many free numbers in a row that are not open, and there are no more: the system gives the lowest free one.
const GAP: u32 = 8;

/// Executions of a program that has never left anything open are looked at this rarely: looking takes as long as some steps.
const RARELY: u32 = 16;

unsafe extern "C" {
    fn close(file: c_int) -> c_int;
}

/// What was open in a process before its first execution.
#[derive(Debug)]
pub struct Descriptors {
    process: u32,
    /// Their numbers.
    taken: BTreeSet<c_int>,
    executions: u32,
    /// Some execution left something open.
    any: bool,
}

impl Descriptors {
    /// None if the system does not tell.
    pub fn of_this_process() -> Option<Descriptors> {
        let open = std::fs::read_dir("/proc/self/fd").ok()?.flatten();
        let numbers = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        Some(Descriptors {
            process: std::process::id(),
            taken: numbers.collect(),
            executions: 0,
            any: false,
        })
    }

    /// Closes what is open beside them. A forked process may have files of its own, which it keeps.
    ///
    /// # Safety
    /// Nobody uses what was opened since: no controlled thread of the last execution will run again.
    pub unsafe fn close_new(&mut self) {
        self.executions = self.executions.wrapping_add(1);
        if !self.any && !self.executions.is_multiple_of(RARELY) {
            return;
        }
        if self.process != std::process::id() {
            if let Some(own) = Descriptors::of_this_process() {
                *self = own;
            }
            return;
        }
        let mut missing = 0;
        for file in (0..).filter(|file| !self.taken.contains(file)) {
            // SAFETY: nobody uses it, by the caller's promise.
            match unsafe { close(file) } {
                0 => (missing, self.any) = (0, true),
                _ => missing += 1,
            }
            if missing == GAP {
                break;
            }
        }
    }
}
