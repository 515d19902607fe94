//! The functions that woven code calls at mutation points and step places, during an exploration: they tell the
//! exploration which mutants differ from the original here, and let the one that is active act.
//!
//! The state lies in one static, which is kept when the program's own statics are put back.

use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed,
};

use atropos_values::choose::{self, Constant};
use atropos_values::{Hit, Key, MutantId, NumberedPoint, PointId, Prim, SecondOrderMutant};

/// What is known of a point, by its first mutant: how many mutants it has, 0 if none of them is wanted; and whether it
/// was executed.
type Size = AtomicU32;
/// The mark of a point that was executed.
const EXECUTED: u32 = 1 << 31;

#[repr(C, align(64))]
struct Switch {
    /// The mutant that acts; 0 for none.
    active: AtomicU32,
    /// The other one, if two act at once.
    second: AtomicU32,
    /// Every mutant whose point is executed counts as reached, whether it makes a difference there or not.
    reach_by_execution: AtomicBool,
    /// The active mutant has made a difference since this was asked last.
    has_infected: AtomicBool,
    /// The mutants after the active one that have acted like it so far, wherever it acted.
    alike: AtomicU64,
    sizes: AtomicPtr<Size>,
    length: AtomicUsize,
    /// Mutants that are two others at once.
    pairs: AtomicPtr<SecondOrderMutant>,
    pairs_length: AtomicUsize,
    /// By the number of a function, whether it is asked for; and whether one that is was entered.
    functions: AtomicPtr<bool>,
    functions_length: AtomicUsize,
    has_entered: AtomicBool,
    /// Steps that threads take on their own, between scheduling points and in all.
    steps: AtomicU64,
    step_limit: AtomicU64,
}

static SWITCH: Switch = Switch {
    active: AtomicU32::new(0),
    second: AtomicU32::new(0),
    reach_by_execution: AtomicBool::new(false),
    has_infected: AtomicBool::new(false),
    alike: AtomicU64::new(0),
    sizes: AtomicPtr::new(std::ptr::null_mut()),
    length: AtomicUsize::new(0),
    pairs: AtomicPtr::new(std::ptr::null_mut()),
    pairs_length: AtomicUsize::new(0),
    functions: AtomicPtr::new(std::ptr::null_mut()),
    functions_length: AtomicUsize::new(0),
    has_entered: AtomicBool::new(false),
    steps: AtomicU64::new(0),
    step_limit: AtomicU64::new(u64::MAX),
};

/// Makes the points known whose mutants are wanted. To be called once, before the first execution.
pub fn set_up(points: &[NumberedPoint], is_wanted: impl Fn(MutantId) -> bool) {
    let start = (&raw const SWITCH).addr();
    atropos_threads::keep(start..start + size_of::<Switch>());
    let behind = points
        .iter()
        .map(|point| point.id.index() + usize::from(point.size));
    let length = behind.max().unwrap_or(0);
    let sizes: Vec<Size> = (0..length).map(|_| Size::new(0)).collect();
    for point in points {
        if point.mutants().any(&is_wanted) {
            sizes[point.id.index()].store(u32::from(point.size), Relaxed);
        }
    }
    // The table lives as long as the process.
    SWITCH.sizes.store(sizes.leak().as_mut_ptr(), Relaxed);
    SWITCH.length.store(length, Relaxed);
}

/// Makes mutants known that are two others at once. To be called at most once, before the first execution.
pub fn set_pairs(pairs: Vec<SecondOrderMutant>) {
    let pairs = pairs.leak();
    SWITCH.pairs.store(pairs.as_mut_ptr(), Relaxed);
    SWITCH.pairs_length.store(pairs.len(), Relaxed);
}

fn pairs() -> &'static [SecondOrderMutant] {
    match SWITCH.pairs_length.load(Relaxed) {
        0 => &[],
        // SAFETY: `set_pairs` leaked a list of that length.
        length => unsafe { std::slice::from_raw_parts(SWITCH.pairs.load(Relaxed), length) },
    }
}

/// From now on every mutant whose point is executed counts as reached, as it does in the paper on the techniques.
pub fn reach_by_execution() {
    SWITCH.reach_by_execution.store(true, Relaxed);
}

/// Whether the active mutant has made a difference anywhere since this was asked last.
pub fn take_infection() -> bool {
    SWITCH.has_infected.swap(false, Relaxed)
}

/// From now on this mutant acts, or the two that it is.
pub fn activate(mutant: MutantId) {
    let pair = pairs().iter().find(|pair| pair.id == mutant);
    let [active, second] = pair.map_or([mutant, MutantId::ORIGINAL], |pair| pair.parts);
    SWITCH.active.store(active.0, Relaxed);
    SWITCH.second.store(second.0, Relaxed);
}

/// From now on it is noted which of the mutants right after the active one act unlike it: `alike` has a bit for
/// each that is to be watched.
pub fn watch_alike(alike: u64) {
    SWITCH.alike.store(alike, Relaxed);
}

/// Those that never did.
pub fn alike() -> u64 {
    SWITCH.alike.load(Relaxed)
}

/// Strikes out the mutants that act unlike the active variant at this hit.
fn compare(hit: &Hit, acting: u32) {
    let mut alike = SWITCH.alike.load(Relaxed);
    if alike == 0 {
        return;
    }
    let key = hit.key(acting);
    for distance in 0..64 {
        let bit = 1 << distance;
        if alike & bit != 0 && !hit.key(acting + 1 + distance).same(key) {
            alike &= !bit;
        }
    }
    SWITCH.alike.store(alike, Relaxed);
}

/// An execution begins, which may take so many steps.
pub fn begin(step_limit: u64) {
    SWITCH.steps.store(0, Relaxed);
    SWITCH.step_limit.store(step_limit, Relaxed);
}

/// Steps since the execution began.
pub fn steps() -> u64 {
    SWITCH.steps.load(Relaxed)
}

#[inline(always)]
fn point(point: PointId) -> Option<&'static Size> {
    let index = point.index();
    if index >= SWITCH.length.load(Relaxed) {
        return None;
    }
    // SAFETY: `set_up` stored the address of that many numbers, which are never freed, before the length.
    Some(unsafe { &*SWITCH.sizes.load(Relaxed).add(index) })
}

/// How many mutants a point has, 0 if there is nothing to do there.
#[inline(always)]
fn size_of_point(id: PointId) -> u32 {
    point(id).map_or(0, |size| size.load(Relaxed) & !EXECUTED)
}

/// Whether some execution came to a point whose mutants are wanted.
pub fn is_executed(id: PointId) -> bool {
    point(id).is_some_and(|size| size.load(Relaxed) & EXECUTED != 0)
}

/// Which variant acts at this hit: 0 for the original.
#[cold]
fn decide(hit: &Hit) -> u32 {
    let size = size_of_point(hit.point);
    if !atropos_threads::is_controlled() {
        return 0;
    }
    if let Some(point) = point(hit.point) {
        point.store(size | EXECUTED, Relaxed);
    }
    let by_execution = SWITCH.reach_by_execution.load(Relaxed);
    for k in 1..=size {
        if hit.infects(k) || (by_execution && hit.key(k) != Key::Gone) {
            let mutant = hit.point.mutant(k);
            atropos_threads::reach(mutant);
            for pair in (pairs().iter()).filter(|pair| pair.parts.contains(&mutant)) {
                atropos_threads::reach(pair.id);
            }
        }
    }
    let place = |mutant| hit.point.place(mutant).filter(|&place| place <= size);
    let active = MutantId(SWITCH.active.load(Relaxed));
    let second = MutantId(SWITCH.second.load(Relaxed));
    match (place(active), place(second)) {
        (Some(acting), _) => {
            compare(hit, acting);
            if hit.infects(acting) {
                SWITCH.has_infected.store(true, Relaxed);
                atropos_threads::infect(active);
            }
            acting
        }
        (None, Some(acting)) => {
            SWITCH.has_infected.store(true, Relaxed);
            atropos_threads::infect(second);
            acting
        }
        (None, None) => 0,
    }
}

/// Counts a step: called at the head of loops, functions and closures.
#[inline(never)]
pub fn step(_lane: usize) {
    let steps = SWITCH.steps.load(Relaxed) + 1;
    SWITCH.steps.store(steps, Relaxed);
    let limit = SWITCH.step_limit.load(Relaxed);
    if steps > limit {
        atropos_threads::too_many_steps(steps, limit);
    }
}

/// A function begins. Only those that are asked for are noted: what was explored is not kept for later runs.
#[inline(never)]
pub fn enter(function: u32) {
    if (function as usize) < SWITCH.functions_length.load(Relaxed) {
        // SAFETY: `ask_for_functions` leaked a list of that length.
        let is_asked_for = unsafe { *SWITCH.functions.load(Relaxed).add(function as usize) };
        if is_asked_for {
            SWITCH.has_entered.store(true, Relaxed);
        }
    }
    step(function as usize);
}

/// From now on it is noted whether one of these functions is entered. To be called once, after [`set_up`].
pub fn ask_for_functions(functions: &[u32]) {
    let length = functions.iter().max().map_or(0, |last| *last as usize + 1);
    let mut asked_for = vec![false; length];
    for &function in functions {
        asked_for[function as usize] = true;
    }
    // The table lives as long as the process.
    SWITCH
        .functions
        .store(asked_for.leak().as_mut_ptr(), Relaxed);
    SWITCH.functions_length.store(length, Relaxed);
}

/// Whether a function that was asked for was entered.
pub fn has_entered() -> bool {
    SWITCH.has_entered.load(Relaxed)
}

/// Nothing is to be done at this point: the original acts, whatever the values are.
#[inline(never)]
pub fn cold(first: u32) -> bool {
    size_of_point(PointId(first)) == 0
}

/// Which mutant of the point acts here: 0 for the original, k for mutant `first + k - 1`.
#[inline(never)]
pub fn at(first: u32) -> u32 {
    let point = PointId(first);
    match size_of_point(point) {
        0 => 0,
        _ => decide(&Hit::blind(point)),
    }
}

/// Whether the only mutant of a point acts here.
#[inline(never)]
pub fn on(id: u32) -> bool {
    at(id) == 1
}

/// The value of a condition. Letters: `!` (negated), `T`, `F`.
#[inline(never)]
pub fn cond(first: u32, letters: &'static [u8], value: bool) -> bool {
    let point = PointId(first);
    match size_of_point(point) {
        0 => value,
        _ => choose::condition(point, letters, value, decide),
    }
}

/// Whether to evaluate the right side of `&&` or `||` and yield it; otherwise the left is the
/// result. Letters: `&`, `|`, `L` (left alone), `R` (right alone).
#[inline(never)]
pub fn logic(first: u32, op: u8, letters: &'static [u8], left: bool) -> bool {
    let point = PointId(first);
    match size_of_point(point) {
        0 => choose::original_goes_on(op, left),
        _ => choose::logic(point, op, letters, left, decide),
    }
}

/// Which variant of a comparison acts here, as `at`.
#[inline(never)]
pub fn relate(first: u32, op: u8, letters: &'static [u8], l: Option<Prim>, r: Option<Prim>) -> u32 {
    let point = PointId(first);
    match size_of_point(point) {
        0 => 0,
        _ => choose::relation(point, op, letters, l.zip(r), decide),
    }
}

/// Which variant of an arithmetic operator acts here, as `at`.
#[inline(never)]
pub fn arith(first: u32, op: u8, letters: &'static [u8], l: Option<Prim>, r: Option<Prim>) -> u32 {
    let point = PointId(first);
    match size_of_point(point) {
        0 => 0,
        _ => choose::arithmetic(point, op, letters, l.zip(r), decide),
    }
}

/// Which of several numbers stands behind an operator, whose left side is shown.
#[inline(never)]
pub fn constant(
    first: u32,
    op: u8,
    is_compared: bool,
    letters: &'static [u8],
    numbers: &'static [i128],
    left: Option<Prim>,
) -> u32 {
    let constant = Constant {
        op,
        is_compared,
        letters,
        numbers,
    };
    let point = PointId(first);
    match size_of_point(point) {
        0 => 0,
        _ => choose::constant(point, constant, left, decide),
    }
}
