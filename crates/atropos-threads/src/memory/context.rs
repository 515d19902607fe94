//! The switch from one stack to another: callee-saved registers go to the old stack, the rest is
//! the compiler's business because the switch looks like an ordinary call. The first frame of a new
//! stack says "nothing above me", so that unwinders and backtraces stop there.
//!
//! Floating-point control words are not switched: Rust never changes them.

use std::arch::global_asm;

/// Where a stopped coroutine goes on: its stack pointer.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct SavedContext(*mut u8);

impl SavedContext {
    /// A context that nobody has stored yet.
    pub const NONE: SavedContext = SavedContext(std::ptr::null_mut());

    /// Where the stack ended when the coroutine stopped: nothing below is in use.
    pub fn stack_pointer(self) -> usize {
        self.0 as usize
    }
}

unsafe extern "C" {
    fn atropos_context_switch(save: *mut SavedContext, load: SavedContext);
    fn atropos_context_start();
}

/// Stores the running context in `save` and goes on in `load`; returns when somebody switches back.
///
/// # Safety
/// `load` must be a context made by [`prepare`] or stored by `switch` that has not been resumed since,
/// on a stack that is still mapped, and must belong to this OS thread.
#[inline(always)]
pub unsafe fn switch(save: *mut SavedContext, load: SavedContext) {
    // SAFETY: the caller's duty.
    unsafe { atropos_context_switch(save, load) }
}

/// The context that calls `entry(argument)` on the stack that ends at `top`.
///
/// # Safety
/// `top` must be 16-byte aligned with at least 256 writable bytes below it. `entry` must never return or unwind.
pub unsafe fn prepare(
    top: *mut u8,
    entry: unsafe extern "C" fn(usize) -> !,
    argument: usize,
) -> SavedContext {
    // SAFETY: the frame below `top` is writable by the caller's promise.
    unsafe { arch::prepare(top, entry, argument) }
}

#[cfg(target_arch = "x86_64")]
global_asm!(
    ".text",
    ".p2align 4",
    ".globl atropos_context_switch",
    ".hidden atropos_context_switch",
    ".type atropos_context_switch,@function",
    "atropos_context_switch:",
    ".cfi_startproc",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "mov [rdi], rsp",
    "mov rsp, rsi",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".cfi_endproc",
    ".size atropos_context_switch, . - atropos_context_switch",
    ".p2align 4",
    ".globl atropos_context_start",
    ".hidden atropos_context_start",
    ".type atropos_context_start,@function",
    "atropos_context_start:",
    ".cfi_startproc",
    ".cfi_undefined rip",
    "mov rdi, r12",
    "call r13",
    "ud2",
    ".cfi_endproc",
    ".size atropos_context_start, . - atropos_context_start",
);

#[cfg(target_arch = "x86_64")]
mod arch {
    use super::{SavedContext, atropos_context_start};

    pub unsafe fn prepare(
        top: *mut u8,
        entry: unsafe extern "C" fn(usize) -> !,
        argument: usize,
    ) -> SavedContext {
        // What `switch` pops, from low to high: r15 r14 r13 r12 rbx rbp, then the return address; two words
        // more leave the stack pointer as a call wants it.
        let start = atropos_context_start as *const () as usize;
        let frame: [usize; 9] = [
            0,
            0,
            entry as *const () as usize,
            argument,
            0,
            0,
            start,
            0,
            0,
        ];
        // SAFETY: the caller owns the bytes below `top`.
        unsafe {
            let start = top.sub(size_of_val(&frame)).cast::<[usize; 9]>();
            start.write(frame);
            SavedContext(start.cast())
        }
    }
}

#[cfg(target_arch = "aarch64")]
global_asm!(
    ".text",
    ".p2align 4",
    ".globl atropos_context_switch",
    ".hidden atropos_context_switch",
    "atropos_context_switch:",
    ".cfi_startproc",
    "sub sp, sp, #160",
    "stp x19, x20, [sp, #0]",
    "stp x21, x22, [sp, #16]",
    "stp x23, x24, [sp, #32]",
    "stp x25, x26, [sp, #48]",
    "stp x27, x28, [sp, #64]",
    "stp x29, x30, [sp, #80]",
    "stp d8, d9, [sp, #96]",
    "stp d10, d11, [sp, #112]",
    "stp d12, d13, [sp, #128]",
    "stp d14, d15, [sp, #144]",
    "mov x9, sp",
    "str x9, [x0]",
    "mov sp, x1",
    "ldp x19, x20, [sp, #0]",
    "ldp x21, x22, [sp, #16]",
    "ldp x23, x24, [sp, #32]",
    "ldp x25, x26, [sp, #48]",
    "ldp x27, x28, [sp, #64]",
    "ldp x29, x30, [sp, #80]",
    "ldp d8, d9, [sp, #96]",
    "ldp d10, d11, [sp, #112]",
    "ldp d12, d13, [sp, #128]",
    "ldp d14, d15, [sp, #144]",
    "add sp, sp, #160",
    "ret",
    ".cfi_endproc",
    ".p2align 4",
    ".globl atropos_context_start",
    ".hidden atropos_context_start",
    "atropos_context_start:",
    ".cfi_startproc",
    ".cfi_undefined x30",
    "mov x0, x19",
    "blr x20",
    "brk #1",
    ".cfi_endproc",
);

#[cfg(target_arch = "aarch64")]
mod arch {
    use super::{SavedContext, atropos_context_start};

    pub unsafe fn prepare(
        top: *mut u8,
        entry: unsafe extern "C" fn(usize) -> !,
        argument: usize,
    ) -> SavedContext {
        // What `switch` loads: x19 … x30, then d8 … d15.
        let mut frame = [0_usize; 20];
        frame[0] = argument;
        frame[1] = entry as *const () as usize;
        frame[11] = atropos_context_start as *const () as usize;
        // SAFETY: the caller owns the bytes below `top`.
        unsafe {
            let start = top.sub(size_of_val(&frame)).cast::<[usize; 20]>();
            start.write(frame);
            SavedContext(start.cast())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;

    struct Pair {
        inside: UnsafeCell<SavedContext>,
        outside: UnsafeCell<SavedContext>,
        log: UnsafeCell<Vec<u32>>,
    }

    unsafe extern "C" fn entry(argument: usize) -> ! {
        // SAFETY: the test passes a `Pair` that outlives the coroutine.
        let pair = unsafe { &*(argument as *const Pair) };
        let caught = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(7_u32)));
        let value = *caught.unwrap_err().downcast::<u32>().unwrap();
        // SAFETY: one thread, one borrow at a time.
        unsafe {
            (*pair.log.get()).push(value);
            switch(pair.inside.get(), *pair.outside.get());
            (*pair.log.get()).push(2);
            switch(pair.inside.get(), *pair.outside.get());
        }
        unreachable!()
    }

    #[test]
    fn a_coroutine_goes_on_where_it_stopped_and_can_unwind_inside() {
        let mut stack = vec![0_u8; 256 * 1024];
        let top = stack
            .as_mut_ptr_range()
            .end
            .map_addr(|address| address & !15);
        let none = || UnsafeCell::new(SavedContext::NONE);
        let pair = Pair {
            inside: none(),
            outside: none(),
            log: UnsafeCell::new(Vec::new()),
        };
        // SAFETY: the stack is big enough and lives to the end of the test.
        unsafe {
            *pair.inside.get() = prepare(top, entry, &raw const pair as usize);
            switch(pair.outside.get(), *pair.inside.get());
            (*pair.log.get()).push(1);
            switch(pair.outside.get(), *pair.inside.get());
        }
        assert_eq!(pair.log.into_inner(), [7, 1, 2]);
    }
}
