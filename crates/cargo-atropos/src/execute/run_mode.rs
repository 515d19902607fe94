//! Which way a test's mutants are run, decided from figures measured on this machine.

use std::collections::BTreeMap;
use std::time::Duration;

use atropos_protocol::{Baseline, Costs, Effect, Effects, Limits, RunMode};
use atropos_values::MutantId;

use crate::arguments::WayChoice;

/// How often a worker runs the original beside its mutants, to see that it repeats itself.
const WORKERS_ORIGINALS: u32 = 3;

/// The way that the user wants if the test allows it, or the cheapest for these mutants.
pub fn choose(
    choice: WayChoice,
    baseline: &Baseline,
    costs: &Costs,
    wanted: &[MutantId],
) -> RunMode {
    match choice {
        WayChoice::Auto => cheapest(baseline, costs, wanted),
        WayChoice::Fork if baseline.may_fork() => RunMode::Fork,
        WayChoice::Batch if baseline.may_batch() => RunMode::Batch,
        WayChoice::Fork | WayChoice::Batch | WayChoice::Each => RunMode::Each,
    }
}

/// The cheapest way that the test allows.
fn cheapest(baseline: &Baseline, costs: &Costs, wanted: &[MutantId]) -> RunMode {
    let count = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
    let test = baseline.wall;
    let at_point = baseline.fork_cost.max(costs.fork);
    let each = (costs.fork + test) * count;
    // The original runs to its end as well.
    let rests: Duration = wanted.iter().map(|&mutant| rest(baseline, mutant)).sum();
    let fork = test + at_point * count + rests;
    let batch = costs.fork + (costs.restore + test) * (count + WORKERS_ORIGINALS);
    let mut best = (each, RunMode::Each);
    if baseline.may_fork() && fork < best.0 {
        best = (fork, RunMode::Fork);
    }
    if baseline.may_batch() && batch < best.0 {
        best = (batch, RunMode::Batch);
    }
    best.1
}

/// What is left of a test's time where a mutant first differs from the original.
pub fn rest(baseline: &Baseline, mutant: MutantId) -> Duration {
    let way = baseline.way_to.get(&mutant).copied().unwrap_or_default();
    let part = way as f64 / baseline.steps.max(1) as f64;
    baseline.wall.mul_f64((1.0 - part).clamp(0.0, 1.0))
}

/// The chance that a mutant outlives a test that it infects, roughly, and the chance that it is one
/// of those that outlive them all.
const OUTLIVES: f64 = 0.6;
const SURVIVES: f64 = 0.2;
/// What is left of a test's time when its mutants start in the middle of it.
const SECOND_HALF: f64 = 0.5;
/// What light optimisation saves of a test's time, roughly.
const SAVED_PART: f64 = 0.6;
/// Less than this is not worth a second build.
const LEAST_SAVING: Duration = Duration::from_secs(5);

/// Whether a second, optimised build would save more time than it takes. `tests` are their times
/// with the mutants that each may have to run, cheapest first.
pub fn optimising_pays(
    tests: impl Iterator<Item = (Duration, Vec<MutantId>)>,
    jobs: usize,
    compile_time: Duration,
) -> bool {
    let mut lives: BTreeMap<MutantId, f64> = BTreeMap::new();
    let mut expected = 0.0;
    for (wall, mutants) in tests {
        for mutant in mutants {
            let chance = lives.entry(mutant).or_insert(1.0);
            expected += *chance * wall.as_secs_f64() * SECOND_HALF;
            *chance = (*chance * OUTLIVES).max(SURVIVES);
        }
    }
    let saved = expected * SAVED_PART / jobs as f64;
    saved > (compile_time * 2).max(LEAST_SAVING).as_secs_f64()
}

/// Steps that a mutant may take beyond the multiple of the original's: enough for a loop that
/// the original never enters, little enough to be over at once.
const SPARE_STEPS: u64 = 2_000_000;
const SPARE_HEAP: u64 = 256 << 20;
const SPARE_TIME: Duration = Duration::from_secs(2);
/// Largest file that a test may write, unless the original writes larger ones. Tests rarely write a hundredth of it, and a
/// mutant without end reaches it in less than a second, before it has filled anybody's disk.
pub const FILE_SIZE: u64 = 256 << 20;

const SPARE_SPAWNS: u64 = 300;

/// What the original used under a test.
#[derive(Clone, Copy, Default)]
pub struct UsedByOriginal {
    pub wall: Duration,
    pub steps: u64,
    pub peak_heap: u64,
    /// Threads and processes that were started.
    pub spawns: u64,
    pub effects: Effects,
}

impl UsedByOriginal {
    pub fn in_run(baseline: &Baseline) -> UsedByOriginal {
        UsedByOriginal {
            wall: baseline.wall,
            steps: baseline.steps.max(baseline.spawned_steps),
            peak_heap: baseline.peak_heap,
            spawns: baseline.spawns,
            effects: baseline.effects,
        }
    }
}

/// What a mutant may use under a test: small multiples of what the original used. Threads reserve far more addresses than
/// they use (stacks, arenas of the heap), and one that can't be started looks like a mutant's fault: where there are or
/// may be threads, addresses are not limited, only the heap.
pub fn limits(used: &UsedByOriginal, multiplier: f64) -> Limits {
    let step_factor = step_factor(used.steps, multiplier);
    let heap = used.peak_heap.saturating_mul(4).saturating_add(SPARE_HEAP);
    Limits {
        steps: (used.steps as f64 * step_factor) as u64 + SPARE_STEPS,
        step_factor,
        heap,
        time: used.wall.mul_f64(multiplier) + SPARE_TIME,
        spawns: used.spawns.saturating_mul(10) + SPARE_SPAWNS,
        address_space: match used.effects.contains(Effect::Threads) {
            true => 0,
            false => heap.saturating_mul(4),
        },
        file_size: file_size(used.effects),
    }
}

fn file_size(effects: Effects) -> u64 {
    match effects.contains(Effect::LargeFiles) {
        true => 0,
        false => FILE_SIZE,
    }
}

/// Tests of more steps than this are long.
const MANY_STEPS: f64 = 1e7;

/// The multiple of a test's steps that a mutant may take. The longer a test, the less of it, down to two fifths: its
/// steps vary less in proportion, and every endless mutant costs the whole multiple.
fn step_factor(steps: u64, multiplier: f64) -> f64 {
    let shortness = (MANY_STEPS / steps.max(1) as f64).min(1.0).sqrt();
    multiplier * (0.4 + 0.6 * shortness)
}

#[cfg(test)]
mod tests {
    use atropos_protocol::path_set::FileUse;
    use atropos_protocol::{TestResult, TestRun};

    use super::*;

    /// A test of ten steps whose mutants differ after `way_to` of them.
    fn baseline(wall_us: u64, effects: u64, way_to: u64) -> Baseline {
        Baseline {
            test_run: TestRun {
                result: TestResult::Passed,
                message: String::new(),
                location: String::new(),
                steps: 0,
                nanoseconds: 0,
                leader: MutantId::ORIGINAL,
                changes_files: false,
                evidence: None,
            },
            wall: Duration::from_micros(wall_us),
            cpu: Duration::from_micros(wall_us),
            steps: 10,
            spawned_steps: 0,
            peak_heap: 0,
            allocations: 0,
            spawns: 0,
            effects: Effects(effects),
            files: FileUse::default(),
            first_effect: String::new(),
            fork_cost: Duration::from_micros(300),
            reached: Vec::new(),
            reached_at_end: Vec::new(),
            has_exit_handlers: false,
            infected: Vec::new(),
            way_to: MutantId::up_to(100)
                .map(|mutant| (mutant, way_to))
                .collect(),
        }
    }

    const COSTS: Costs = Costs {
        fork: Duration::from_micros(300),
        restore: Duration::from_micros(20),
        restore_bytes: 0,
    };

    fn check(wall_us: u64, effects: u64, way_to: u64, wanted: u32, expected: RunMode) {
        let mutants: Vec<MutantId> = MutantId::up_to(wanted).collect();
        let way = cheapest(&baseline(wall_us, effects, way_to), &COSTS, &mutants);
        assert_eq!(
            way, expected,
            "{wall_us} µs, effects {effects:b}, {wanted} mutants after {way_to} of 10 steps"
        );
    }

    #[test]
    fn cheap_tests_are_batched_and_dear_ones_forked() {
        check(10, 0, 5, 100, RunMode::Batch);
        check(100_000, 0, 5, 100, RunMode::Fork);
        check(10, 0, 5, 1, RunMode::Each);
    }

    #[test]
    fn forks_pay_where_mutants_differ_late() {
        check(100_000, 0, 0, 100, RunMode::Each);
        let unbatchable = Effect::Directory.bit();
        check(100_000, unbatchable, 0, 100, RunMode::Each);
        check(100_000, unbatchable, 9, 2, RunMode::Fork);
        check(100_000, unbatchable, 9, 1, RunMode::Each);
        check(100_000, unbatchable, 5, 2, RunMode::Each);
    }

    #[test]
    fn a_second_build_must_save_more_than_it_costs() {
        let pays = |wall_ms: u64, mutants: u32, compile_s: u64| {
            let tests = [(
                Duration::from_millis(wall_ms),
                MutantId::up_to(mutants).collect(),
            )];
            optimising_pays(tests.into_iter(), 1, Duration::from_secs(compile_s))
        };
        assert!(!pays(1, 1000, 1));
        assert!(pays(1000, 1000, 1));
        assert!(!pays(1000, 1000, 200));
    }

    #[test]
    fn a_dear_test_after_many_cheap_ones_has_few_mutants_left() {
        let pays = |cheap: usize| {
            let cheap_tests =
                (0..cheap).map(|_| (Duration::from_micros(1), MutantId::up_to(100).collect()));
            let dear = (Duration::from_secs(1), MutantId::up_to(100).collect());
            optimising_pays(cheap_tests.chain([dear]), 1, Duration::from_secs(4))
        };
        assert!(pays(0));
        assert!(!pays(10));
    }

    #[test]
    fn long_tests_get_a_smaller_multiple() {
        assert_eq!(step_factor(0, 5.0), 5.0);
        assert_eq!(step_factor(10_000_000, 5.0), 5.0);
        assert_eq!(step_factor(40_000_000, 5.0), 3.5);
        assert!((step_factor(100_000_000_000, 5.0) - 2.0).abs() < 0.1);
    }

    #[test]
    fn threads_may_reserve_as_many_addresses_as_they_like() {
        let of = |effects| {
            let used = UsedByOriginal {
                peak_heap: 1 << 20,
                effects: Effects(effects),
                ..UsedByOriginal::default()
            };
            limits(&used, 5.0).address_space
        };
        assert!(of(0) > 0);
        assert_eq!(of(Effect::Threads.bit()), 0);
    }

    #[test]
    fn effects_forbid_ways() {
        check(10, Effect::Threads.bit(), 5, 100, RunMode::Each);
        check(10_000, Effect::Directory.bit(), 5, 100, RunMode::Fork);
        check(100_000, Effect::Files.bit(), 5, 100, RunMode::Each);
    }
}
