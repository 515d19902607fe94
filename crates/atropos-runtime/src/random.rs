//! Gives a test the same "random" bytes in the original and in every mutant.
//!
//! Hash maps take their seeds from here, so their order does not change between runs and can't be
//! mistaken for a mutant's doing, nor one run's verdict differ from the next one's. Programs that ask the kernel without libc
//! keep true randomness.

use std::ffi::{c_int, c_long, c_uint};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use atropos_protocol::hash;

use crate::intercept::Next;

static SEEDED: AtomicBool = AtomicBool::new(false);
static STATE: AtomicU64 = AtomicU64::new(0);

/// From now on bytes follow from `seed`.
pub fn seed(seed: u64) {
    STATE.store(seed, Ordering::Relaxed);
    SEEDED.store(true, Ordering::Relaxed);
}

/// A seed for a test: the same for the same name.
pub fn seed_of(name: &str) -> u64 {
    hash::fnv_1a(hash::FNV_1A, name.as_bytes())
}

/// A Weyl sequence through a 64-bit finaliser: all that hash seeds need.
fn next_word() -> u64 {
    let before = STATE.fetch_add(hash::WEYL_STEP, Ordering::Relaxed);
    hash::spread(before.wrapping_add(hash::WEYL_STEP))
}

fn fill(bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&next_word().to_le_bytes()[..chunk.len()]);
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut u8, length: usize, flags: c_uint) -> isize {
    static NEXT: Next = Next::new(c"getrandom");
    if SEEDED.load(Ordering::Relaxed) {
        // SAFETY: the caller's buffer has that length.
        fill(unsafe { std::slice::from_raw_parts_mut(buffer, length) });
        return length as isize;
    }
    let Some(next) = NEXT.get() else { return -1 };
    // SAFETY: libc's function has this type; the arguments are the caller's.
    unsafe {
        let next: unsafe extern "C" fn(*mut u8, usize, c_uint) -> isize = std::mem::transmute(next);
        next(buffer, length, flags)
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getentropy(buffer: *mut u8, length: usize) -> c_int {
    // SAFETY: the caller's buffer has that length.
    match unsafe { getrandom(buffer, length, 0) } {
        read if read == length as isize => 0,
        _ => -1,
    }
}

#[cfg(target_arch = "x86_64")]
const SYS_GETRANDOM: c_long = 318;
#[cfg(target_arch = "aarch64")]
const SYS_GETRANDOM: c_long = 278;

/// Libraries for old systems ask the kernel for random bytes by the number of the call.
///
/// # Safety
/// As libc's. The arguments that a call does not have are not looked at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    static NEXT: Next = Next::new(c"syscall");
    if number == SYS_GETRANDOM && SEEDED.load(Ordering::Relaxed) {
        // SAFETY: the caller passes what the kernel would want.
        return unsafe { getrandom(a as *mut u8, b as usize, c as c_uint) } as c_long;
    }
    type Syscall =
        unsafe extern "C" fn(c_long, c_long, c_long, c_long, c_long, c_long, c_long) -> c_long;
    let Some(next) = NEXT.get() else { return -1 };
    // SAFETY: libc's function has this type; passing more arguments than a call has does no harm in these calling
    // conventions.
    unsafe {
        let next: Syscall = std::mem::transmute(next);
        next(number, a, b, c, d, e, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_follows_from_the_seed_and_does_not_repeat() {
        let words = |name| {
            STATE.store(seed_of(name), Ordering::Relaxed);
            [next_word(), next_word(), next_word()]
        };
        let first = words("a::b");
        assert_eq!(first, words("a::b"));
        assert_ne!(first, words("a::c"));
        assert!(first[0] != first[1] && first[1] != first[2]);
    }

    #[test]
    fn a_buffer_is_filled_to_its_end() {
        let mut bytes = [0; 13];
        fill(&mut bytes);
        assert!(bytes[8..].iter().any(|&byte| byte != 0));
    }
}
