//! What the program runs before its tests and after them: before `main`, in handlers of its end, and when what belongs to
//! the main thread goes. Under `cargo test` that is part of every run of the test binary.
//!
//! A zygote notes what it comes to before `main`. The original of a test notes at its end what the program comes to there;
//! that is the only thing it does in earnest, since all else of the test is over. Mutants of such code are run in whole
//! programs, not here.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use atropos_protocol::board::{REACHED_BY_TEST, REACHED_OUTSIDE};
use atropos_protocol::{Board, sys};

use crate::role;

const TESTS: u8 = 0;
const START: u8 = 1;
const END: u8 = 2;
static PHASE: AtomicU8 = AtomicU8::new(TESTS);
/// The program has handlers of its own for its end.
static HAS_HANDLERS: AtomicBool = AtomicBool::new(false);
/// A program that does not end is not waited for any longer (nanoseconds).
const TIME_LIMIT: u64 = 2_000_000_000;

/// A zygote begins, before `main`.
pub fn start() {
    PHASE.store(START, Ordering::Relaxed);
    role::become_recorder();
}

/// Nothing but tests runs from now on.
pub fn started() {
    PHASE.store(TESTS, Ordering::Relaxed);
    role::become_bystander();
}

/// How to mark a point that is reached now.
pub fn mark() -> u8 {
    match PHASE.load(Ordering::Relaxed) {
        START => REACHED_OUTSIDE,
        // Other threads do at the end what they did all the time.
        END if role::on_test_thread() => REACHED_OUTSIDE,
        _ => REACHED_BY_TEST,
    }
}

/// What the program does now is no longer its test's doing.
pub fn is_ending() -> bool {
    PHASE.load(Ordering::Relaxed) == END
}

/// Ends the process of a test's original, whose result is known, as the program would end.
pub fn end(board: &Board) -> ! {
    let header = board.header();
    let has_handlers = u64::from(HAS_HANDLERS.load(Ordering::Relaxed));
    header.exit_handlers.store(has_handlers, Ordering::Relaxed);
    header
        .deadline
        .store(sys::now() + TIME_LIMIT, Ordering::Relaxed);
    PHASE.store(END, Ordering::Relaxed);
    role::become_recorder();
    std::process::exit(0)
}

/// The program wants a function to be called when it ends. Libraries outside it, of C++ for instance, have their own.
pub fn note_handler(function: *mut c_void) {
    let file_of = |address: *const c_void| {
        let mut found = Symbol {
            file: std::ptr::null(),
            base: std::ptr::null_mut(),
            name: std::ptr::null(),
            address: std::ptr::null_mut(),
        };
        // SAFETY: the call fills the structure.
        match unsafe { dladdr(address, &raw mut found) } {
            0 => std::ptr::null_mut(),
            _ => found.base,
        }
    };
    if file_of(function) == file_of(note_handler as *const c_void) {
        HAS_HANDLERS.store(true, Ordering::Relaxed);
    }
}

/// `Dl_info`.
#[repr(C)]
struct Symbol {
    file: *const i8,
    base: *mut c_void,
    name: *const i8,
    address: *mut c_void,
}

unsafe extern "C" {
    fn dladdr(address: *const c_void, found: *mut Symbol) -> c_int;
}
