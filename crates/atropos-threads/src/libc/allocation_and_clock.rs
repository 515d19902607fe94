//! Symbols of the C library that a test binary defines itself, so that the program's allocations and
//! clock come to us. Outside an exploration each passes straight on.
//!
//! Only calls from the executable itself are served from an execution's heap: what the C library keeps
//! for itself must outlive the execution.

use std::arch::naked_asm;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use atropos_search::mix;

use crate::control::{control, plain_memory};
use crate::memory::addressable;
use crate::memory::heap;
use crate::memory::system::Timespec;
use crate::races::AccessKind;

/// The executable's code: set before the first exploration.
pub static TEXT_START: AtomicUsize = AtomicUsize::new(0);
/// The end of it.
pub static TEXT_END: AtomicUsize = AtomicUsize::new(0);
/// Called for blocks that the program gives back, if an exploration wants to know.
pub static ON_FREE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(pointer: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_free(pointer: *mut c_void);
    fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
}

#[inline]
fn served(caller: usize) -> bool {
    heap::program_runs()
        && caller.wrapping_sub(TEXT_START.load(Relaxed))
            < TEXT_END.load(Relaxed) - TEXT_START.load(Relaxed)
}

/// Defines a symbol whose implementation gets the caller's return address as its last argument.
macro_rules! with_caller {
    ($name:ident($($argument:ident: $type:ty),*) => $register:literal, $arm_register:literal, $implementation:ident) => {
        /// The C library's function of this name.
        ///
        /// # Safety
        /// As in the C library.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> *mut c_void {
            #[cfg(target_arch = "x86_64")]
            naked_asm!(concat!("mov ", $register, ", [rsp]"), "jmp {to}", to = sym $implementation);
            #[cfg(target_arch = "aarch64")]
            naked_asm!(concat!("mov ", $arm_register, ", x30"), "b {to}", to = sym $implementation);
        }
    };
}

with_caller!(malloc(_size: usize) => "rsi", "x1", malloc_for);
with_caller!(calloc(_count: usize, _size: usize) => "rdx", "x2", calloc_for);
with_caller!(memalign(_align: usize, _size: usize) => "rdx", "x2", memalign_for);
with_caller!(aligned_alloc(_align: usize, _size: usize) => "rdx", "x2", memalign_for);

unsafe extern "C" fn malloc_for(size: usize, caller: usize) -> *mut c_void {
    // SAFETY: `served` says that the program runs; else the C library does what was asked of it.
    unsafe {
        if served(caller) {
            allocate(size, 16)
        } else {
            __libc_malloc(size)
        }
    }
}

unsafe extern "C" fn calloc_for(count: usize, size: usize, caller: usize) -> *mut c_void {
    // SAFETY: as in `malloc_for`; the block has the size that is cleared.
    unsafe {
        if !served(caller) {
            return __libc_calloc(count, size);
        }
        let Some(total) = count.checked_mul(size) else {
            return std::ptr::null_mut();
        };
        let pointer = allocate(total, 16);
        if !pointer.is_null() {
            pointer.cast::<u8>().write_bytes(0, total);
        }
        pointer
    }
}

unsafe extern "C" fn memalign_for(align: usize, size: usize, caller: usize) -> *mut c_void {
    // SAFETY: as in `malloc_for`.
    unsafe {
        if served(caller) {
            allocate(size, align)
        } else {
            __libc_memalign(align, size)
        }
    }
}

/// The C library's `posix_memalign`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> c_int {
    const NO_MEMORY: c_int = 12;
    // SAFETY: `out` is writable by contract. Only the executable calls this function.
    unsafe {
        let pointer = if heap::program_runs() {
            allocate(size, align)
        } else {
            __libc_memalign(align, size)
        };
        if pointer.is_null() {
            return NO_MEMORY;
        }
        out.write(pointer);
    }
    0
}

/// The C library's `free`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(pointer: *mut c_void) {
    // SAFETY: the block is the caller's to give back, and goes back to where it came from.
    unsafe {
        if !heap::owns(pointer.cast()) {
            if addressable::is_on()
                && heap::program_runs()
                && let Some(control) = control()
            {
                control.state().about_to_free_elsewhere(pointer as usize);
            }
            return __libc_free(pointer);
        }
        freed(pointer);
        heap::release(pointer.cast());
    }
}

/// A block of the execution's heap; noted, if somebody wants to know.
///
/// # Safety
/// The program runs.
unsafe fn allocate(size: usize, align: usize) -> *mut c_void {
    // SAFETY: the caller's promise.
    let pointer = unsafe { heap::allocate(size, align) };
    if addressable::is_on()
        && !pointer.is_null()
        && let Some(control) = control()
    {
        control.state().allocated(pointer as usize, size);
    }
    pointer.cast()
}

/// # Safety
/// `pointer` must be a block of the execution's heap.
unsafe fn freed(pointer: *mut c_void) {
    if !heap::program_runs() {
        return plain_memory::freed_by_runtime(pointer as usize);
    }
    let on_free = ON_FREE.load(Relaxed);
    if on_free != 0 {
        // SAFETY: only `watch_frees` sets it, to a function of this type.
        unsafe {
            let on_free = std::mem::transmute::<usize, fn(usize, usize)>(on_free);
            on_free(pointer as usize, heap::size_of_block(pointer.cast()));
        }
    }
}

/// From now on `function` is told of every block that the program gives back; `None` stops that.
pub fn watch_frees(function: Option<fn(usize, usize)>) {
    ON_FREE.store(function.map_or(0, |function| function as usize), Relaxed);
}

/// The C library's `realloc`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: blocks are handled by the heap that they came from; the copy stays within both blocks.
    unsafe {
        if !heap::owns(pointer.cast()) {
            return if pointer.is_null() && heap::program_runs() {
                allocate(size, 16)
            } else {
                __libc_realloc(pointer, size)
            };
        }
        let old = heap::size_of_block(pointer.cast());
        if !heap::program_runs() {
            // The runtime or a thread outside grows something of the program's: it leaves the execution's heap.
            let new = __libc_malloc(size);
            std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), new.cast(), old.min(size));
            return new;
        }
        let new = allocate(size, 16);
        if !new.is_null() {
            plain_memory::access(pointer as usize, old.min(size), AccessKind::Read);
            plain_memory::access(new as usize, old.min(size), AccessKind::Write);
            std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), new.cast(), old.min(size));
            freed(pointer);
            heap::release(pointer.cast());
        }
        new
    }
}

/// The C library's `malloc_usable_size`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc_usable_size(pointer: *mut c_void) -> usize {
    if heap::owns(pointer.cast()) {
        // SAFETY: the block is the caller's.
        return unsafe { heap::size_of_block(pointer.cast()) };
    }
    type Usable = unsafe extern "C" fn(*mut c_void) -> usize;
    // SAFETY: the C library has the function.
    unsafe { passed_on!(c"malloc_usable_size" as Usable)(pointer) }
}

/// The C library's `clock_gettime`: virtual time for the program under control.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, out: *mut Timespec) -> c_int {
    if heap::program_runs()
        && let Some(time) = crate::clock::now_for_program(clock)
    {
        // SAFETY: `out` is writable by contract.
        unsafe { out.write(time) };
        return 0;
    }
    type ClockGettime = unsafe extern "C" fn(c_int, *mut Timespec) -> c_int;
    // SAFETY: the C library has the function, with this signature.
    unsafe { passed_on!(c"clock_gettime" as ClockGettime)(clock, out) }
}

/// The C library's `getrandom`: in a program under control, bytes that depend on the execution's stream of random data, the
/// thread, and how often it has asked. So they differ from call to call, and are the same whenever a schedule is run again.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut c_void, length: usize, flags: u32) -> isize {
    if heap::program_runs() {
        let call = control().map_or(0, |control| {
            let me = control.me();
            me.activity.random_calls += 1;
            control.state().has_drawn_random_data = true;
            let thread = mix(
                u64::from(control.state().random_data),
                u64::from(control.thread()),
            );
            mix(thread, me.activity.random_calls)
        });
        for i in 0..length {
            let bits = mix(call, i as u64);
            // SAFETY: the buffer has this length by contract.
            unsafe { buffer.cast::<u8>().add(i).write(bits as u8) };
        }
        return length as isize;
    }
    type GetRandom = unsafe extern "C" fn(*mut c_void, usize, u32) -> isize;
    // SAFETY: the C library has the function, with this signature.
    unsafe { passed_on!(c"getrandom" as GetRandom)(buffer, length, flags) }
}
