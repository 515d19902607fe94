//! Files, sockets and so on that an execution leaves open, because it was ended in the middle or forgot them. They are closed
//! before the next one: after some thousands the system would refuse more, and the program would act differently.
//!
//! One that we need ourselves is not closed by the program either.

use std::collections::BTreeSet;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use super::heap;
use crate::control::control;
use crate::libc::passed_on;

/// So many free numbers in a row that are not open, and there are no more: the system gives the lowest free one.
const GAP: u32 = 8;

/// Executions of a program that has never left anything open are looked at this rarely: looking takes as long as some steps.
const RARELY: u32 = 16;

const NO_SUCH_FILE: c_int = 9;

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

/// Our own; -1 for none.
static OURS: AtomicI32 = AtomicI32::new(-1);

/// From now on the program can't close this descriptor.
pub fn guard(file: c_int) {
    if OURS.swap(file, Relaxed) == -1 {
        let start = (&raw const OURS).addr();
        super::keep(start..start + size_of::<AtomicI32>());
    }
}

/// The C library's function of this name.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close(file: c_int) -> c_int {
    if heap::program_runs() && file == OURS.load(Relaxed) {
        // To the program it is a number that is not in use.
        // SAFETY: the C library gives the place of this thread's error number.
        unsafe { *__errno_location() = NO_SUCH_FILE };
        return -1;
    }
    if let Some(control) = control() {
        control.state().timers.forget(file);
    }
    type Function = unsafe extern "C" fn(c_int) -> c_int;
    // SAFETY: the C library has the function, with this signature; the argument is the caller's.
    unsafe { passed_on!(c"close" as Function)(file) }
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
