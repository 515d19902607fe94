//! Generated executions: the quick detector against the slow reference.

use atropos_search::XorShift;

use super::AccessKind::*;
use super::all_pairs::AllPairs;
use super::foreign_atomics::{ForeignAtomics, Operation, OrderingNumber};
use super::shadow::ShadowMemory;
use super::*;
use crate::control::thread_state::Clocks;

/// Steps of a generated execution.
const STEPS: u64 = 40;

/// Runs a generated execution with both detectors up to the first race; says whether there was one.
fn agree(seed: u64) -> bool {
    let mut random = XorShift::new(seed);
    let threads = 2 + random.below(4) as usize;
    let mut clocks: Vec<Clocks> = (0..threads).map(|_| Clocks::default()).collect();
    let mut locks: Vec<Clock> = vec![Clock::default(); 2];
    let (mut shadow, mut twin) = (ShadowMemory::default(), AllPairs::default());
    let mut atomics = ForeignAtomics::default();
    shadow.restart();
    // Programs that are mostly ordered get farther than those that are not.
    let unlocked_one_in = [2, 20, 200, 2000][random.below(4) as usize];
    let lock_count = 1 + random.below(8) / 7;
    for index in 1..STEPS as u32 {
        let thread = random.below(threads as u64) as u32;
        let me = &mut clocks[thread as usize];
        let lock = random.below(lock_count) as usize;
        if random.below(unlocked_one_in) > 0 {
            // A critical section.
            me.clock.join(&locks[lock]);
        }
        let (quick, slow) = match random.below(10) {
            0 => {
                let address = 0x1000 + 64 * random.below(2) as usize;
                let quick = shadow.free(address, 64, thread, &me.clock);
                (quick, twin.free(address, 64, thread, &me.clock))
            }
            1..=3 => {
                let address = 0x1000 + 8 * random.below(16) as usize;
                let operation = [Operation::Load, Operation::Store, Operation::Modify]
                    [random.below(3) as usize];
                let ordering = OrderingNumber([0, 2, 3, 4, 5][random.below(5) as usize]);
                let is_counted = atomics.perform(address, operation, ordering, thread, me);
                compare(
                    &mut shadow,
                    &mut twin,
                    address,
                    8,
                    operation.kind(),
                    is_counted,
                    thread,
                    index,
                    &me.clock,
                )
            }
            _ => {
                let kind = [Read, Write][random.below(2) as usize];
                let length = [1, 2, 4, 8, 24][random.below(5) as usize];
                // No access reaches from one block into the next.
                let block = 0x1000 + 64 * random.below(2) as usize;
                let address = block + random.below(65 - length as u64) as usize;
                compare(
                    &mut shadow,
                    &mut twin,
                    address,
                    length,
                    kind,
                    false,
                    thread,
                    index,
                    &me.clock,
                )
            }
        };
        match quick {
            Some(race) => assert!(
                slow.contains(&race),
                "seed {seed}: {race:?} is not among {slow:?}"
            ),
            None => assert!(slow.is_empty(), "seed {seed}: step {index} missed {slow:?}"),
        }
        if quick.is_some() {
            return true;
        }
        me.clock.tick(thread);
        locks[lock].join(&me.clock);
    }
    false
}

#[expect(clippy::too_many_arguments, reason = "an access and who looks at it")]
fn compare(
    shadow: &mut ShadowMemory,
    twin: &mut AllPairs,
    address: usize,
    length: usize,
    kind: AccessKind,
    is_counted: bool,
    thread: u32,
    index: u32,
    clock: &Clock,
) -> (Option<EarlierAccess>, Vec<EarlierAccess>) {
    let access = MemoryAccess {
        address,
        length,
        kind,
        thread,
        time: clock.of(thread) + u32::from(!is_counted),
        index,
    };
    if shadow.is_repeated(address, length, kind, thread, access.time) {
        return (None, twin.access(&access, clock));
    }
    (shadow.access(&access, clock), twin.access(&access, clock))
}

#[test]
fn the_quick_detector_agrees_with_the_slow_one_on_generated_executions() {
    let races = (0..20_000).filter(|seed| agree(*seed)).count();
    // Both sorts occur often, else the comparison says little.
    assert!(
        (4_000..16_000).contains(&races),
        "{races} of 20000 have a race"
    );
}
