//! A stand-in for atropos-runtime with the same interface: one mutant, named in the environment,
//! acts wherever its point is met. Values are looked at only to find that looking compiles.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

pub use atropos_values::{MaybeEmpty, Prim, probe};

atropos_values::assert_interface!(crate);

/// The first mutant of the active point and the active mutant.
fn active() -> (u32, u32) {
    static ACTIVE: OnceLock<(u32, u32)> = OnceLock::new();
    *ACTIVE.get_or_init(|| {
        let number = |name| std::env::var(name).ok().and_then(|value| value.parse().ok());
        (
            number("ATROPOS_POINT").unwrap_or(0),
            number("ATROPOS_MUTANT").unwrap_or(0),
        )
    })
}

static STEPS: AtomicU64 = AtomicU64::new(0);

/// The exit code of a program that took too many steps.
const TOO_MANY_STEPS: i32 = 77;

pub fn step(_: usize) {
    if STEPS.fetch_add(1, Ordering::Relaxed) > 200_000 {
        std::process::exit(TOO_MANY_STEPS);
    }
}

pub fn enter(_: u32) {
    step(0);
}

pub fn at(first: u32) -> u32 {
    match active() {
        (point, mutant) if point == first => mutant - first + 1,
        _ => 0,
    }
}

pub fn cold(first: u32) -> bool {
    at(first) == 0
}

pub fn on(id: u32) -> bool {
    at(id) == 1
}

fn letter(first: u32, letters: &[u8]) -> Option<u8> {
    let letter = letters[(at(first) as usize).checked_sub(1)?];
    assert_ne!(letter, b'.', "a mutant that was dropped is active");
    Some(letter)
}

pub fn cond(first: u32, letters: &'static [u8], value: bool) -> bool {
    match letter(first, letters) {
        None => value,
        Some(b'!') => !value,
        Some(b'T') => true,
        Some(b'F') => false,
        Some(other) => panic!("cond knows no {other}"),
    }
}

pub fn logic(first: u32, op: u8, letters: &'static [u8], left: bool) -> bool {
    match letter(first, letters).unwrap_or(op) {
        b'&' => left,
        b'|' => !left,
        b'L' => false,
        b'R' => true,
        other => panic!("logic knows no {other}"),
    }
}

pub fn constant(
    first: u32,
    op: u8,
    is_compared: bool,
    letters: &'static [u8],
    numbers: &'static [i128],
    left: Option<Prim>,
) -> u32 {
    std::hint::black_box((op, is_compared, letters, numbers, left));
    at(first)
}

pub fn relate(first: u32, op: u8, letters: &'static [u8], l: Option<Prim>, r: Option<Prim>) -> u32 {
    arith(first, op, letters, l, r)
}

pub fn arith(first: u32, _: u8, letters: &'static [u8], _: Option<Prim>, _: Option<Prim>) -> u32 {
    letter(first, letters);
    at(first)
}

/// What only exploration can do: here it does nothing.
pub mod injected_faults {
    pub fn bare<T: ?Sized>(lock: &T) -> &T {
        lock
    }

    pub fn kept_on_panic<T: ?Sized>(lock: &T) -> &T {
        lock
    }

    pub fn bare_foreign<L: ?Sized, T>(lock: &L, _: *mut T) -> &L {
        lock
    }

    pub fn kept_on_panic_foreign<L: ?Sized, T>(lock: &L, _: *mut T) -> &L {
        lock
    }

    pub fn race() {}

    /// No tree of these tests uses tokio.
    pub fn bare_async<T>(_: impl FnOnce() -> *mut T) {}
}
