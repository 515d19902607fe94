//! The few calls to the operating system that the crate makes, declared by hand so that the crate
//! has no dependency.

use std::ffi::{c_char, c_int, c_long, c_void};

/// Fixed places in an address space of 47 bits, far from what loaders and allocators use.
pub const STACKS_AT: usize = 0x1a00_0000_0000;
/// Where the heap of executions lies.
pub const HEAP_AT: usize = 0x1b00_0000_0000;
/// Where the table lies that tells which of its bytes the program has.
pub const ADDRESSABLE_AT: usize = 0x2000_0000_0000;

#[repr(C)]
pub struct Timespec {
    pub seconds: i64,
    pub nanoseconds: c_long,
}

#[repr(C)]
pub struct ProgramHeader {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub address: u64,
    pub physical: u64,
    pub file_size: u64,
    pub memory_size: u64,
    pub align: u64,
}

#[repr(C)]
pub struct LoadedObject {
    pub base: usize,
    pub name: *const c_char,
    pub headers: *const ProgramHeader,
    pub header_count: u16,
    pub adds: u64,
    pub subs: u64,
    pub tls_module: usize,
    pub tls_data: *mut u8,
}

unsafe extern "C" {
    fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn mprotect(address: *mut c_void, length: usize, protection: c_int) -> c_int;
    fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    pub fn dl_iterate_phdr(
        callback: unsafe extern "C" fn(*mut LoadedObject, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
    pub static mut environ: *mut *mut c_char;
}

const READ_WRITE: c_int = 1 | 2;
const PRIVATE_ANONYMOUS: c_int = 0x02 | 0x20;
const NO_RESERVE: c_int = 0x4000;
const FIXED_NO_REPLACE: c_int = 0x10_0000;
const DONT_NEED: c_int = 4;
const FAILED: *mut c_void = -1_isize as *mut c_void;

/// Reserves address space at `at`, or elsewhere if that is taken (a second exploration in one process).
pub fn reserve(at: usize, length: usize) -> usize {
    let flags = PRIVATE_ANONYMOUS | NO_RESERVE;
    // SAFETY: a fresh anonymous mapping that replaces nothing.
    let mut start = unsafe {
        mmap(
            at as *mut c_void,
            length,
            0,
            flags | FIXED_NO_REPLACE,
            -1,
            0,
        )
    };
    if start == FAILED {
        // SAFETY: as above.
        start = unsafe { mmap(std::ptr::null_mut(), length, 0, flags, -1, 0) };
    }
    assert!(
        start != FAILED,
        "the system refuses {length} bytes of address space"
    );
    start as usize
}

/// Makes reserved pages readable and writable.
pub fn open(start: usize, length: usize) {
    // SAFETY: callers pass pages of their own reservations.
    let code = unsafe { mprotect(start as *mut c_void, length, READ_WRITE) };
    assert!(code == 0, "the system refuses {length} bytes of memory");
}

/// Gives the memory behind pages back; they read as zero afterwards.
pub fn give_back(start: usize, length: usize) {
    // SAFETY: callers pass pages of their own reservations whose contents nobody needs.
    unsafe { madvise(start as *mut c_void, length, DONT_NEED) };
}
