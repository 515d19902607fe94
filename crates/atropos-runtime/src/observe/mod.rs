//! What woven code calls where functions are entered and left, in builds that observe.
//!
//! `enter` gives a [`ObservedCall`], which lives as long as the call; it is shown the variables at entry
//! and at exit, as far as [`see`] can look at them, and passes them on to the function's
//! [`PointState`] in the file that the driver gave (see [`Observations`]). Without such a file all
//! of it does nothing.
//!
//! Calls and blocks are always counted. Values are looked at in the first [`ALL_CALLS`] calls of a
//! function in a run and then ever more rarely, so that a function in a hot loop costs little.

mod known;
pub mod see;

use std::cell::Cell;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use atropos_invariants::{ENTRY_VARIABLES, EntryOrExit, ObservedValue, PointState};
use atropos_protocol::{ENV_OBSERVATIONS, FunctionTally, Observations, sys};

use self::see::Seen;

// For woven code: in the edition of 2015 it has no `::core`.
pub use std::convert::identity;

/// So many calls of a function in a run are all looked at.
const ALL_CALLS: u64 = 256;
/// After these only every so-manyth is, up to so many calls.
const THEN_EACH: [(u64, u64); 3] = [(16, 4096), (64, 65536), (256, u64::MAX)];

/// Whether the call with this number, counted from 0, is looked at.
#[inline(always)]
fn is_looked_at(call: u64) -> bool {
    call < ALL_CALLS
        || THEN_EACH
            .iter()
            .find(|(_, end)| call < *end)
            .is_some_and(|(each, _)| call % each == 0)
}

/// The `then` of a variable at exit that no variable at entry was.
pub const NEVER_BEFORE: u8 = u8::MAX;

static OBSERVATIONS: AtomicPtr<Observations> = AtomicPtr::new(std::ptr::null_mut());
static PATH: OnceLock<std::path::PathBuf> = OnceLock::new();

thread_local! {
    /// The function that this thread is in, plus 1.
    static CURRENT: Cell<u32> = const { Cell::new(0) };
}

/// Remembers where observations go and hides it from the program. Call it while the process has
/// one thread.
pub fn take_path() {
    if let Some(path) = std::env::var_os(ENV_OBSERVATIONS) {
        // SAFETY: the process has one thread.
        unsafe { std::env::remove_var(ENV_OBSERVATIONS) };
        let _ = PATH.set(path.into());
    }
}

/// From here on this process observes, if the driver wants it.
pub fn begin() {
    if let Some(path) = PATH.get() {
        begin_at(path);
    }
}

fn begin_at(path: &Path) {
    if let Ok(observations) = Observations::open(path) {
        if observations.extent().state_size as usize == PointState::SIZE {
            let observations = Box::into_raw(Box::new(observations));
            OBSERVATIONS.store(observations, Ordering::Relaxed);
        }
    }
}

/// Whether this process observes.
pub fn is_on() -> bool {
    observations().is_some()
}

#[inline(always)]
fn observations() -> Option<&'static Observations> {
    // SAFETY: null, or leaked for this purpose.
    unsafe { OBSERVATIONS.load(Ordering::Relaxed).as_ref() }
}

/// Counts an execution of a block.
#[inline(never)]
pub fn block(number: u32) {
    if let Some(observations) = observations() {
        if let Some(counter) = observations.counters().get(number as usize) {
            let count = counter.load(Ordering::Relaxed);
            counter.store(count.wrapping_add(1), Ordering::Relaxed);
        }
    }
}

/// A call of a function, from its entry to its exit. None inside: this call is not looked at.
pub struct ObservedCall(Option<ActiveCall>);

/// A call that is looked at.
struct ActiveCall {
    tally: &'static FunctionTally,
    function: u32,
    caller: u32,
    /// It was left with a value, not by `?` or a panic.
    has_left: bool,
    entry: [Option<ObservedValue>; ENTRY_VARIABLES],
}

/// A function is entered.
#[inline(never)]
pub fn enter(function: u32) -> ObservedCall {
    let Some(observations) = observations() else {
        return ObservedCall(None);
    };
    let Some(tally) = observations.tallies().get(function as usize) else {
        return ObservedCall(None);
    };
    let calls = add(&tally.calls, 1);
    if observations.seed() != 0 {
        hold_up(observations.seed(), calls);
    }
    if !is_looked_at(calls) {
        return ObservedCall(None);
    }
    let caller = CURRENT.try_with(|current| current.replace(function + 1));
    let caller = caller.unwrap_or(0);
    observations.add_call(caller, function);
    ObservedCall(Some(ActiveCall {
        tally,
        function,
        caller,
        has_left: false,
        entry: [None; ENTRY_VARIABLES],
    }))
}

/// So many calls of a function may be held up, one in so many of them, and for so long at most, in nanoseconds.
const HELD_UP: u64 = 64;
const ONE_IN: u64 = 4;
const LONGEST: u64 = 200_000;

/// Lets other threads go first, now and then: another schedule of the same test.
#[cold]
fn hold_up(seed: u64, calls: u64) {
    // Where its variables lie tells a thread from others.
    let thread = CURRENT.try_with(|current| std::ptr::from_ref(current).addr());
    let chance = see::mix(seed ^ calls << 8 ^ (thread.unwrap_or(0) as u64) << 20);
    if calls < HELD_UP && chance % ONE_IN == 0 {
        sys::poll(&mut [], (chance >> 20) % LONGEST);
    }
}

/// Threads may lose a count to each other; the order of threads is not the same twice anyway.
#[inline(always)]
fn add(counter: &std::sync::atomic::AtomicU64, number: u64) -> u64 {
    let before = counter.load(Ordering::Relaxed);
    counter.store(before.wrapping_add(number), Ordering::Relaxed);
    before
}

/// Adds a value to the sketch of those that were returned.
#[inline(always)]
fn note(tally: &FunctionTally, hash: u64) {
    let sketch = tally.sketch.load(Ordering::Relaxed);
    tally
        .sketch
        .store(sketch | 1 << (hash >> 58), Ordering::Relaxed);
}

impl ObservedCall {
    /// Whether this call is looked at.
    #[inline(never)]
    pub fn sees(&self) -> bool {
        self.0.is_some()
    }

    /// Shows a variable at entry.
    #[inline(never)]
    pub fn entry(&mut self, index: u8, seen: Seen) {
        let (Some(look), Some(value)) = (&mut self.0, seen.value) else {
            return;
        };
        let index = usize::from(index);
        if let Some(entry) = look.entry.get_mut(index) {
            *entry = Some(value);
        }
        look.with_state(|state, _| {
            state.enter(index, value, seen.inner);
            if let Some(is_sorted) = seen.is_sorted {
                state.order(EntryOrExit::Entry, index, is_sorted);
            }
        });
    }

    /// All variables at entry were shown.
    #[inline(never)]
    pub fn entered(&mut self) {
        let Some(look) = &mut self.0 else { return };
        let known = look.entry.iter().flatten().count();
        if known > 1 {
            look.with_state(|state, entry| state.relate_entry(entry));
        }
    }

    /// Shows what is returned.
    #[inline(never)]
    pub fn leave(&mut self, seen: Seen) {
        let Some(look) = &mut self.0 else { return };
        look.has_left = true;
        add(&look.tally.returns, 1);
        let hash = see::mix(seen.hash);
        add(&look.tally.returned, hash);
        note(look.tally, hash);
        look.show_at_exit(0, None, seen);
    }

    /// It is left without a value.
    #[inline(never)]
    pub fn done(&mut self) {
        self.leave(Seen::NOTHING);
    }

    /// Shows another variable at exit, which at entry was the one of number `then`.
    #[inline(never)]
    pub fn exit(&mut self, index: u8, then: u8, seen: Seen) {
        let Some(look) = &mut self.0 else { return };
        let hash = see::mix(seen.hash ^ u64::from(index) << 56);
        add(&look.tally.returned, hash);
        note(look.tally, hash);
        let then = (then != NEVER_BEFORE).then(|| usize::from(then));
        look.show_at_exit(usize::from(index), then, seen);
    }
}

impl ActiveCall {
    fn show_at_exit(&mut self, index: usize, then: Option<usize>, seen: Seen) {
        let Some(value) = seen.value else {
            return;
        };
        self.with_state(|state, entry| {
            state.leave(index, value, seen.inner, entry, then);
            if let Some(is_sorted) = seen.is_sorted {
                state.order(EntryOrExit::Exit, index, is_sorted);
            }
        });
    }

    /// Works on the function's state, unless another thread does just now.
    fn with_state(
        &mut self,
        work: impl FnOnce(&mut PointState, &[Option<ObservedValue>; ENTRY_VARIABLES]),
    ) {
        let Some(observations) = observations() else {
            return;
        };
        let Some(state) = observations.state(self.function) else {
            return;
        };
        if self.tally.busy.swap(1, Ordering::Acquire) != 0 {
            return;
        }
        // SAFETY: states are aligned, as large as `begin` checked, made of integers so that any
        // bytes are one, and `busy` makes us the only one to work on this one.
        let state = unsafe { &mut *state.cast::<PointState>() };
        work(state, &self.entry);
        self.tally.busy.store(0, Ordering::Release);
    }
}

impl Drop for ObservedCall {
    #[inline(never)]
    fn drop(&mut self) {
        let Some(look) = &self.0 else {
            return;
        };
        let _ = CURRENT.try_with(|current| current.set(look.caller));
        if !look.has_left && !std::thread::panicking() {
            add(&look.tally.early, 1);
        }
    }
}

#[cfg(test)]
#[allow(clippy::needless_borrow)] // The borrows are what makes the lookup work.
mod tests {
    use super::see::{See, SeeDeep as _};
    use super::*;
    use atropos_protocol::ObservedCounts;

    #[test]
    fn calls_are_looked_at_ever_more_rarely() {
        let looked_at = |from, to| (from..to).filter(|&call| is_looked_at(call)).count();
        assert_eq!(looked_at(0, 256), 256);
        assert_eq!(looked_at(256, 4096), 240);
        assert_eq!(looked_at(4096, 65536), 960);
        assert_eq!(looked_at(1 << 20, (1 << 20) + 256), 1);
    }

    fn halve(number: u32) -> Option<u32> {
        let mut frame = enter(1);
        assert_eq!(frame.sees(), observations().is_some());
        frame.entry(0, (&&&See(&number)).see());
        frame.entered();
        block(2);
        let half = (number % 2 == 0).then_some(number / 2);
        frame.leave((&&&See(&half)).see());
        half
    }

    fn sum(numbers: &[u32]) -> Option<u32> {
        let mut frame = enter(0);
        let mut total = 0;
        for &number in numbers {
            total += halve(number)?;
        }
        frame.leave((&&&See(&total)).see());
        Some(total)
    }

    #[test]
    fn calls_returns_and_values_reach_the_driver() {
        let path = std::env::temp_dir().join(format!("atropos-observe-{}", std::process::id()));
        let extent = ObservedCounts {
            functions: 2,
            blocks: 3,
            state_size: PointState::SIZE as u32,
        };
        let driver = Observations::create(&path, extent).unwrap();
        assert_eq!(halve(4), Some(2), "nobody observes yet");
        begin_at(&path);
        for start in 0..10 {
            sum(&[start * 4, 8, 2]);
            sum(&[start * 4 + 1, 8]);
        }
        OBSERVATIONS.store(std::ptr::null_mut(), Ordering::Relaxed);
        let number = |number: &std::sync::atomic::AtomicU64| number.load(Ordering::Relaxed);
        let [sums, halves] = driver.tallies() else {
            panic!("there are two");
        };
        assert_eq!((number(&sums.calls), number(&sums.early)), (20, 10));
        assert_eq!((number(&halves.calls), number(&halves.early)), (40, 0));
        assert_eq!(driver.counters()[2].load(Ordering::Relaxed), 40);
        let mut calls = driver.calls();
        calls.sort_unstable();
        assert_eq!(calls, [(0, 0), (1, 1)]);
        let state = PointState::decode(driver.state_bytes(1)).unwrap();
        let name = |variable: atropos_invariants::Variable| match variable.when {
            EntryOrExit::Entry => "number".to_owned(),
            EntryOrExit::Exit => "half".to_owned(),
        };
        let texts: Vec<String> = state
            .invariants()
            .iter()
            .map(|invariant| invariant.describe(&name))
            .collect();
        assert!(texts.contains(&"number ≥ 0".to_owned()), "{texts:?}");
        std::fs::remove_file(path).unwrap();
    }
}
