//! The step counter: the measure of a run that does not depend on the machine.
//!
//! Each place where steps are counted belongs to one of a few lanes, and neighbours to different ones: a counter
//! in memory takes some cycles from one step to the next, and lanes don't wait for each other. A lane counts down what
//! it was given; when it has used that up, all lanes are added up, compared with the limit, and it is given more, the
//! less the nearer the limit is.
//!
//! A program that waits by asking for the time again and again takes as many steps as the machine makes in that time, which says
//! nothing: whoever has looked at the clock since it was last given steps is given more, and has its limit of time.
//!
//! Counting from several threads at once may lose a few steps; the limit is a multiple of what
//! the original needs, so that does not matter, and an endless loop still gets there.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use atropos_protocol::{Board, Effect};

use crate::role::{self, Role};
use crate::{clock, conclude, effects, table, without_harness};

/// As many as the weave knows.
const LANES: usize = 8;

/// The most that a lane is given at once.
const PORTION: u64 = 1 << 16;

/// And where there are several threads: then whoever has used it up lets others go first. Some wait for each other by
/// looking again and again, and on a busy machine what they wait for is often not running.
const TURN: u64 = 1 << 12;

/// And where a mutant has no limit of steps, so that the time decides which it takes: who waits is to cost the others as
/// little as if it slept.
const SHORT_TURN: u64 = 1 << 6;

/// How many steps of the test's own thread are looked at, once there are others, to see whether these take steps, too.
const LOOKS: u64 = 1 << 17;
static LOOKED: AtomicU64 = AtomicU64::new(0);

/// How many steps a mutant is given beyond its limit each time, if it has looked at the clock: some milliseconds.
const PER_LOOK: u64 = 1 << 20;

/// How many steps a process in plain mode takes before it tells the board again.
const REPORT: u64 = 4096;

#[repr(C, align(64))]
struct Steps {
    /// What each lane has left of what it was given.
    left: [AtomicI64; LANES],
    /// All that each was given.
    given: [AtomicI64; LANES],
    /// At this number of steps something is to be done.
    stop: AtomicU64,
}

/// The mutant of this process has differed from the original, and its limit starts from there.
static DIFFERED: AtomicBool = AtomicBool::new(false);

static STEPS: Steps = Steps {
    left: [const { AtomicI64::new(0) }; LANES],
    given: [const { AtomicI64::new(0) }; LANES],
    stop: AtomicU64::new(u64::MAX),
};

#[inline(always)]
pub fn count(lane: usize) {
    let lane = lane % LANES;
    let left = STEPS.left[lane].load(Ordering::Relaxed) - 1;
    STEPS.left[lane].store(left, Ordering::Relaxed);
    if left < 0 {
        used_up(lane);
    }
}

pub fn taken() -> u64 {
    let lanes = STEPS.given.iter().zip(&STEPS.left);
    let taken =
        lanes.map(|(given, left)| given.load(Ordering::Relaxed) - left.load(Ordering::Relaxed));
    taken.sum::<i64>().max(0) as u64
}

/// Begins to count at 0.
pub fn reset() {
    LOOKED.store(0, Ordering::Relaxed);
    for lane in 0..LANES {
        STEPS.given[lane].store(0, Ordering::Relaxed);
        STEPS.left[lane].store(0, Ordering::Relaxed);
    }
}

/// A mutant is stopped when it has taken this many.
pub fn set_limit(limit: Option<u64>) {
    DIFFERED.store(false, Ordering::Relaxed);
    stop_at(limit.unwrap_or(u64::MAX));
}

/// Something is to be done when this many steps are taken. What lanes were given for a limit farther away is taken back.
fn stop_at(steps: u64) {
    STEPS.stop.store(steps, Ordering::Relaxed);
    for lane in 0..LANES {
        let left = STEPS.left[lane].swap(0, Ordering::Relaxed);
        STEPS.given[lane].fetch_sub(left, Ordering::Relaxed);
    }
}

/// Whether [`differs_now`] was called in this run.
pub fn has_differed() -> bool {
    DIFFERED.load(Ordering::Relaxed)
}

/// Here the mutant first differs from the original. So far it has taken the original's steps; from
/// here on it may take a multiple of what the original still takes. A test with a long way to the
/// mutant would otherwise let an endless one go on for a multiple of that way.
pub fn differs_now(board: &Board) {
    set_limit(board.step_limit_from(taken()));
    DIFFERED.store(true, Ordering::Relaxed);
}

/// A recorder in plain mode tells the board now and then how far it got.
pub fn report_often() {
    stop_at(taken() + REPORT);
}

/// A lane has nothing left for the step that is just taken.
#[cold]
#[inline(never)]
fn used_up(lane: usize) {
    let taken = taken();
    if taken >= STEPS.stop.load(Ordering::Relaxed) {
        stop();
    }
    let ahead = STEPS.stop.load(Ordering::Relaxed).saturating_sub(taken);
    let portion = match effects::seen().contains(Effect::Threads) {
        // The next step is looked at, too.
        true if looks_for_threads() => 0,
        true => {
            std::thread::yield_now();
            turn()
        }
        false => PORTION,
    };
    let portion = (ahead / LANES as u64).min(portion) as i64;
    STEPS.given[lane].fetch_add(portion, Ordering::Relaxed);
    STEPS.left[lane].fetch_add(portion, Ordering::Relaxed);
}

/// A thread is about to be started. If it is the first, a recorder looks at every step from here on, and at all points
/// once more, until one is come to by another thread: some closures are points, but no steps.
pub fn threads_start() {
    if role::role() == Role::Recorder && !effects::seen().contains(Effect::Threads) {
        stop_at(STEPS.stop.load(Ordering::Relaxed));
        table::heat_all();
    }
}

/// Notes whether another thread than the test's comes to this step or point of a recorder; whether to look at the next one.
pub fn looks_for_threads() -> bool {
    let seen = effects::seen();
    let is_open = seen.contains(Effect::Threads) && !seen.contains(Effect::OwnThreads);
    if role::role() != Role::Recorder || !is_open {
        return false;
    }
    let goes_on = role::on_test_thread() && LOOKED.fetch_add(1, Ordering::Relaxed) < LOOKS;
    if !goes_on {
        effects::note(Effect::OwnThreads, c"", None);
    }
    goes_on
}

fn turn() -> u64 {
    let has_no_limit = STEPS.stop.load(Ordering::Relaxed) == u64::MAX;
    match role::role() {
        Role::Mutant if has_no_limit => SHORT_TURN,
        _ => TURN,
    }
}

fn stop() {
    match role::role() {
        Role::Mutant if clock::was_looked_at() => stop_at(taken() + PER_LOOK),
        Role::Mutant => conclude::step_limit(),
        Role::Recorder => {
            without_harness::report_steps();
            report_often();
        }
        Role::Bystander | Role::Original => set_limit(None),
    }
}

/// There is one counter for all tests that count.
#[cfg(test)]
pub static IN_TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_let_each_other_go_first_now_and_then() {
        let _turn = IN_TURN.lock();
        reset();
        let given = || {
            count(2);
            STEPS.given[2].load(Ordering::Relaxed) as u64
        };
        assert_eq!(given(), PORTION);
        effects::watch(effects::Policy::Note);
        effects::note(Effect::Threads, c"", None);
        for _ in 0..PORTION {
            count(2);
        }
        assert_eq!(given(), PORTION + TURN);
        effects::watch(effects::Policy::Ignore);
        reset();
    }

    #[test]
    fn steps_of_all_lanes_add_up_and_are_stopped_at_the_limit() {
        let _turn = IN_TURN.lock();
        reset();
        for step in 0..300_000 {
            count(step);
        }
        for _ in 0..100_000 {
            count(3);
        }
        assert_eq!(taken(), 400_000);

        // As a bystander, reaching the limit only lifts it.
        set_limit(Some(401_000));
        assert_eq!(taken(), 400_000, "a limit takes no steps");
        let before_the_stop = (0..)
            .take_while(|&step| {
                count(step);
                STEPS.stop.load(Ordering::Relaxed) != u64::MAX
            })
            .count();
        assert!((992..=1000).contains(&before_the_stop), "{before_the_stop}");
        assert_eq!(taken(), 400_001 + before_the_stop as u64);

        set_limit(Some(402_000));
        let in_one_lane = (0..)
            .take_while(|_| {
                count(5);
                STEPS.stop.load(Ordering::Relaxed) != u64::MAX
            })
            .count() as u64;
        assert!(taken() >= 402_000 && taken() < 402_010, "{}", taken());
        assert!(in_one_lane < 1100);
        reset();
        assert_eq!(taken(), 0);
    }
}
