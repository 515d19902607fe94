//! Signal handlers that tell a stack overflow, a forbidden system call and a file without end from other crashes.
//!
//! Installed in the zygote, so that tests inherit them. A test that installs its own has its own.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use atropos_protocol::{Effect, STACK_OVERFLOW, TestResult, sys};

use crate::role::{self, Role};
use crate::{conclude, intercept::Next, limits, without_harness};

/// The lowest address of the main thread's stack.
static STACK_END: AtomicUsize = AtomicUsize::new(0);
/// What handled faults before us: the standard library, which knows other threads' stacks.
static BEFORE: AtomicUsize = AtomicUsize::new(0);

const SA_SIGINFO: c_int = 4;
const SA_ONSTACK: c_int = 0x0800_0000;
const SA_NODEFER: c_int = 0x4000_0000;

/// libc's `struct sigaction` on both architectures.
#[repr(C)]
struct Action {
    handler: usize,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

type Handler = extern "C" fn(c_int, *const c_void, *mut c_void);

unsafe extern "C" {
    fn pthread_self() -> usize;
    fn pthread_getattr_np(thread: usize, attributes: *mut [u64; 8]) -> c_int;
    fn pthread_attr_getstack(
        attributes: *const [u64; 8],
        address: *mut usize,
        size: *mut usize,
    ) -> c_int;
    fn pthread_attr_destroy(attributes: *mut [u64; 8]) -> c_int;
}

/// Installs the handlers; to be called on the main thread.
pub fn install() {
    STACK_END.store(stack_end(), Ordering::Relaxed);
    let before = set(sys::SIGSEGV, fault);
    BEFORE.store(before, Ordering::Relaxed);
    set(sys::SIGBUS, fault);
    set(sys::SIGSYS, forbidden);
    watch_files();
}

/// Installs the handler for files that grow beyond their limit.
pub fn watch_files() {
    set(sys::SIGXFSZ, too_large);
}

fn set(signal: c_int, handler: Handler) -> usize {
    static NEXT: Next = Next::new(c"sigaction");
    let Some(next) = NEXT.get() else { return 0 };
    let new = Action {
        handler: handler as usize,
        mask: [0; 16],
        flags: SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
        restorer: 0,
    };
    let mut old = Action {
        handler: 0,
        mask: [0; 16],
        flags: 0,
        restorer: 0,
    };
    // SAFETY: libc's function has this type, and both actions its layout.
    unsafe {
        let next: unsafe extern "C" fn(c_int, *const Action, *mut Action) -> c_int =
            std::mem::transmute(next);
        next(signal, &new, &mut old);
    }
    old.handler
}

fn stack_end() -> usize {
    let mut attributes = [0u64; 8];
    let (mut address, mut size) = (0, 0);
    // SAFETY: pthread_attr_t has 56 bytes (x86-64) or 64 (aarch64).
    unsafe {
        if pthread_getattr_np(pthread_self(), &raw mut attributes) == 0 {
            pthread_attr_getstack(&raw const attributes, &raw mut address, &raw mut size);
            pthread_attr_destroy(&raw mut attributes);
        }
    }
    address
}

/// The address below or above the stack's end that a overflowing program touches first.
fn is_overflow(address: usize) -> bool {
    const BELOW: usize = 2 << 20;
    const ABOVE: usize = 64 << 10;
    let end = STACK_END.load(Ordering::Relaxed);
    end != 0 && (end.saturating_sub(BELOW)..end + ABOVE).contains(&address)
}

extern "C" fn fault(signal: c_int, information: *const c_void, context: *mut c_void) {
    // SAFETY: the kernel gives a siginfo, which has the address at offset 16.
    let address = unsafe { information.cast::<usize>().add(2).read() };
    if role::role() != Role::Bystander && !without_harness::is_plain() && role::on_test_thread() {
        if is_overflow(address) {
            conclude::stop(TestResult::crashed(STACK_OVERFLOW), "");
        }
        conclude::crash(signal);
    }
    let before = BEFORE.load(Ordering::Relaxed);
    if before > 1 {
        // SAFETY: what sigaction gave us; the standard library's handler has this type.
        let before: Handler = unsafe { std::mem::transmute(before) };
        before(signal, information, context);
    } else {
        conclude::crash(signal);
    }
}

extern "C" fn forbidden(_signal: c_int, information: *const c_void, _context: *mut c_void) {
    // SAFETY: the kernel gives a siginfo, which has the call's number at offset 24.
    let number = unsafe { information.cast::<i32>().add(6).read() };
    let mut text = *b"makes system call 0000";
    let mut rest = number.unsigned_abs();
    for digit in text[18..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    conclude::needs_own_process(std::str::from_utf8(&text).unwrap_or(""));
}

/// The original need not keep to the limit: it goes on without, and is run again without from its start, since this
/// one write fails all the same.
extern "C" fn too_large(_signal: c_int, _information: *const c_void, _context: *mut c_void) {
    if role::role() == Role::Mutant {
        conclude::file_limit();
    }
    if let Some(board) = role::board() {
        let large = Effect::LargeFiles.bit();
        board.header().effects.fetch_or(large, Ordering::Relaxed);
    }
    limits::lift();
}
