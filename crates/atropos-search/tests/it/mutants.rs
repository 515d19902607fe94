//! Whatever is reused for mutants and however they are explored, the same mutants are killed, and
//! each technique explores no more than the one before.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use atropos_search::{
    ExecutionEnd, Guide, Mutable, MutantRun, Original, SampledOriginal, Sampling, Search,
    SearchMethod, SearchOrder, SearchResult, SearchSettings, SearchSize, StateMatching,
    StopCondition, Strictness, System, Technique, replay,
};
use atropos_values::MutantId;

use crate::equivalence::{ends_of, seeds};
use crate::generate::{Taste, program};
use crate::lang::Interpreter;

fn search(order: SearchOrder, matching: StateMatching, bound: Option<u32>) -> SearchMethod {
    SearchMethod::Search(SearchSettings {
        order,
        matching,
        bound,
    })
}

/// Every method that explores everything.
fn complete_methods() -> Vec<SearchMethod> {
    use SearchOrder::*;
    use StateMatching::*;
    vec![
        search(DepthFirst, Nothing, None),
        search(BreadthFirst, Nothing, None),
        search(DepthFirst, HappensBefore, None),
        search(BreadthFirst, HappensBefore, None),
        search(DepthFirst, Fingerprint, None),
        search(BreadthFirst, Fingerprint, None),
        search(DepthFirst, HappensBefore, Some(1000)),
        search(DepthFirst, Fingerprint, Some(1000)),
        SearchMethod::Exhaustive,
    ]
}

fn killed(runs: &[MutantRun]) -> BTreeSet<MutantId> {
    runs.iter()
        .filter(|run| matches!(run.result, SearchResult::Killed(_)))
        .map(|run| run.mutant)
        .collect()
}

/// Explores all mutants of a program with one method by each technique.
fn explore_all(
    system: &mut Interpreter,
    method: SearchMethod,
    until: StopCondition,
) -> Vec<(Technique, Vec<MutantRun>)> {
    let mutants = system.program.mutants();
    let original = Original::explore(system, method);
    assert_eq!(original.divergence, None);
    assert_eq!(original.finding, None);
    let run = |system: &mut Interpreter, technique: Technique| {
        let runs = mutants
            .iter()
            .map(|&mutant| original.explore_mutant(system, mutant, technique, until));
        runs.collect::<Vec<_>>()
    };
    Technique::ALL
        .map(|technique| (technique, run(system, technique)))
        .to_vec()
}

fn check_order_of_sizes(seed: u64, method: SearchMethod, all: &[(Technique, Vec<MutantRun>)]) {
    for pair in all.windows(2) {
        let ((more, before), (less, after)) = (&pair[0], &pair[1]);
        for (before, after) in before.iter().zip(after) {
            let SearchSize {
                states,
                transitions,
            } = before.size;
            let fewer = after.size.states <= states && after.size.transitions <= transitions;
            assert!(
                fewer,
                "seed {seed}, {method:?}, mutant {}: {less:?} {:?} above {more:?} {:?}",
                before.mutant, after.size, before.size
            );
        }
    }
}

/// A random program whose original passes under every schedule and that is small enough.
fn suitable(seed: u64) -> Option<Interpreter> {
    let taste = Taste {
        threads: 3,
        instrs: 3,
        mutants: true,
    };
    let mut system = Interpreter::new(program(seed, taste));
    if system.program.mutants().is_empty() {
        return None;
    }
    system.memory_only = seed.is_multiple_of(2);
    let most = 800;
    let ends = ends_of(&mut system, &mut Search::enumeration(), most)?;
    if ends.keys().any(|end| end.is_failure()) {
        return None;
    }
    for mutant in system.program.mutants() {
        system.activate(mutant);
        ends_of(&mut system, &mut Search::enumeration(), most)?;
    }
    system.activate(MutantId::ORIGINAL);
    // A test that knows all that the original can compute.
    let result = |end: &ExecutionEnd| {
        if let ExecutionEnd::Passed(result) = end {
            Some(*result)
        } else {
            None
        }
    };
    system.allowed = Some(ends.keys().filter_map(result).collect());
    Some(system)
}

#[test]
fn every_technique_and_method_kills_the_same_mutants() {
    let (mut programs, mut kills) = (0, 0);
    for seed in seeds(300) {
        let Some(mut system) = suitable(seed) else {
            continue;
        };
        programs += 1;
        let mut reference = None;
        for method in complete_methods() {
            for until in [StopCondition::Done, StopCondition::FirstFailure] {
                let all = explore_all(&mut system, method, until);
                for (technique, runs) in &all {
                    assert!(
                        runs.iter().all(|run| run.divergence.is_none()),
                        "seed {seed}, {method:?}, {technique:?}"
                    );
                    let killed = killed(runs);
                    let expected = reference.get_or_insert_with(|| killed.clone());
                    assert_eq!(
                        &killed, expected,
                        "seed {seed}, {method:?}, {technique:?}: {:?}",
                        system.program
                    );
                }
                if until == StopCondition::Done {
                    check_order_of_sizes(seed, method, &all);
                }
            }
        }
        kills += reference.map_or(0, |killed| killed.len());
    }
    println!("{programs} programs, {kills} kills");
    assert!(
        programs > 60 && kills > 30,
        "{programs} programs, {kills} kills"
    );
}

#[test]
fn under_a_preemption_bound_every_technique_kills_what_the_naive_one_kills() {
    for seed in seeds(120) {
        let Some(mut system) = suitable(seed) else {
            continue;
        };
        for bound in 0..3 {
            for matching in [
                StateMatching::Nothing,
                StateMatching::HappensBefore,
                StateMatching::Fingerprint,
            ] {
                let method = search(SearchOrder::DepthFirst, matching, Some(bound));
                let all = explore_all(&mut system, method, StopCondition::Done);
                for (technique, runs) in &all {
                    assert_eq!(
                        killed(runs),
                        killed(&all[0].1),
                        "seed {seed}, {method:?}, {technique:?}"
                    );
                }
                check_order_of_sizes(seed, method, &all);
            }
        }
    }
}

#[test]
fn a_killing_schedule_kills_again_when_replayed() {
    let mut replayed = 0;
    for seed in seeds(300) {
        let Some(mut system) = suitable(seed) else {
            continue;
        };
        for method in [
            search(SearchOrder::DepthFirst, StateMatching::Fingerprint, None),
            SearchMethod::Exhaustive,
        ] {
            for (_, runs) in explore_all(&mut system, method, StopCondition::FirstFailure) {
                for run in runs {
                    let SearchResult::Killed(finding) = run.result else {
                        continue;
                    };
                    system.activate(run.mutant);
                    let again = replay(&mut system, &finding.schedule, Strictness::Exact);
                    assert_eq!(
                        again.ended(),
                        Some(finding.end),
                        "seed {seed}, mutant {}",
                        run.mutant
                    );
                    system.activate(MutantId::ORIGINAL);
                    replayed += 1;
                }
            }
        }
    }
    assert!(replayed > 50, "{replayed}");
}

#[test]
fn random_schedules_kill_only_what_exhaustive_search_kills_and_most_of_it() {
    let (mut sampled_kills, mut all_kills) = (0, 0);
    for seed in seeds(200) {
        let Some(mut system) = suitable(seed) else {
            continue;
        };
        let mutants = system.program.mutants();
        let original = Original::explore(&mut system, SearchMethod::Exhaustive);
        let how = [Sampling::Random, Sampling::Pct { depth: 3 }, Sampling::Pos][seed as usize % 3];
        let go_on = &mut |_| ControlFlow::Continue(());
        let sample = SampledOriginal::explore(&mut system, how, 20, seed, go_on);
        assert_eq!(sample.executions, 20);
        assert!(
            sample
                .reached()
                .all(|mutant| original.reached().contains(&mutant))
        );
        for mutant in mutants {
            let run = original.explore_mutant(
                &mut system,
                mutant,
                Technique::StateSet,
                StopCondition::FirstFailure,
            );
            let is_killed = matches!(run.result, SearchResult::Killed(_));
            let sampled = sample.explore_mutant(&mut system, mutant, go_on);
            assert!(sampled.executions <= 40);
            assert_eq!(sampled.coverage, sample.coverage(sampled.executions));
            if let SearchResult::Killed(finding) = sampled.result {
                assert!(is_killed, "seed {seed}, mutant {mutant}");
                system.activate(mutant);
                let again = replay(&mut system, &finding.schedule, Strictness::Exact);
                assert_eq!(again.ended(), Some(finding.end));
                system.activate(MutantId::ORIGINAL);
                sampled_kills += 1;
            }
            all_kills += usize::from(is_killed);
        }
    }
    assert!(
        sampled_kills * 10 > all_kills * 8,
        "{sampled_kills} of {all_kills}"
    );
}

/// A program with a mutant that is reached in every execution and changes nothing.
struct Harmless(Interpreter);

const HARMLESS: MutantId = MutantId(1);

impl System for Harmless {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        guide.reach(HARMLESS);
        self.0.run(guide)
    }
}

impl Mutable for Harmless {
    fn activate(&mut self, _: MutantId) {}
}

#[test]
fn a_random_schedule_under_which_the_original_fails_too_kills_nobody() {
    let mut rechecked = 0;
    for seed in seeds(300) {
        let Some(mut system) = suitable(seed) else {
            continue;
        };
        // A test that one of the original's own results fails, which a small sample may not show.
        let Some(mut allowed) = system.allowed.take().filter(|allowed| allowed.len() > 1) else {
            continue;
        };
        allowed.pop_first();
        system.allowed = Some(allowed);
        let mut system = Harmless(system);
        let go_on = &mut |_| ControlFlow::Continue(());
        for draw in 0..8 {
            let sample = SampledOriginal::explore(&mut system, Sampling::Random, 3, draw, go_on);
            if sample.finding.is_some() {
                continue;
            }
            let run = sample.explore_mutant(&mut system, HARMLESS, go_on);
            match run.result {
                SearchResult::Survived => {}
                SearchResult::Undecided => {
                    let own = run.own.expect("the original's failure is shown");
                    system.activate(MutantId::ORIGINAL);
                    let again = replay(&mut system, &own.schedule, Strictness::Exact);
                    assert_eq!(again.ended(), Some(own.end), "seed {seed}, draw {draw}");
                    rechecked += 1;
                }
                verdict => panic!("seed {seed}, draw {draw}: {verdict:?}"),
            }
        }
    }
    assert!(rechecked > 5, "{rechecked}");
}

#[test]
fn a_quick_look_kills_only_what_exploration_kills() {
    let mut kills = 0;
    for seed in seeds(150) {
        let Some(mut system) = suitable(seed) else {
            continue;
        };
        let go_on = &mut |_| ControlFlow::Continue(());
        let stop_at_failure = &mut |end: ExecutionEnd| match end.is_failure() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        for method in [
            search(SearchOrder::DepthFirst, StateMatching::Fingerprint, None),
            SearchMethod::Exhaustive,
        ] {
            let original = Original::explore(&mut system, method);
            for &mutant in original.reached() {
                let naive = Technique::Naive;
                let whole =
                    original.explore_mutant(&mut system, mutant, naive, StopCondition::Done);
                let look = original.look_at_mutant(&mut system, mutant, 1, stop_at_failure);
                if let Some(finding) = look.finding {
                    assert!(
                        matches!(whole.result, SearchResult::Killed(_)),
                        "seed {seed}"
                    );
                    system.activate(mutant);
                    let again = replay(&mut system, &finding.schedule, Strictness::Exact);
                    assert_eq!(again.ended(), Some(finding.end), "seed {seed}");
                    system.activate(MutantId::ORIGINAL);
                    kills += 1;
                }
                let unbounded = original.look_at_mutant(&mut system, mutant, u32::MAX, go_on);
                let is_killed = matches!(whole.result, SearchResult::Killed(_));
                assert_eq!(unbounded.finding.is_some(), is_killed, "seed {seed}");
            }
        }
    }
    assert!(kills > 20, "{kills}");
}

#[test]
fn what_state_set_saves_under_reduction_is_what_lies_before_the_mutant() {
    let (mut saved, mut exactly, mut mutants) = (0, 0, 0);
    for seed in seeds(150) {
        let Some(mut system) = suitable(seed) else {
            continue;
        };
        let original = Original::explore(&mut system, SearchMethod::Exhaustive);
        for &mutant in original.reached() {
            let [basic, state_set] = [Technique::Basic, Technique::StateSet]
                .map(|one| original.explore_mutant(&mut system, mutant, one, StopCondition::Done));
            let after = |run: &MutantRun| run.size.transitions - run.before;
            assert!(after(&basic) <= after(&state_set), "seed {seed}, {mutant}");
            // Where searches begin apart, one may repeat a step that they would share.
            exactly += u64::from(after(&basic) == after(&state_set));
            mutants += 1;
            saved += basic.before - state_set.before;
        }
    }
    assert!(exactly * 20 > mutants * 19, "{exactly} of {mutants}");
    assert!(saved > 100, "{saved}");
}

#[test]
fn a_mutant_that_is_cut_off_survives_what_was_run_of_it() {
    let mut cut_off = 0;
    for seed in seeds(300) {
        let Some(mut system) = suitable(seed) else {
            continue;
        };
        let original = Original::explore(&mut system, SearchMethod::Exhaustive);
        for &mutant in original.reached() {
            let naive = Technique::Naive;
            let whole =
                original.explore_mutant(&mut system, mutant, naive, StopCondition::FirstFailure);
            let run = original
                .explore_mutant_while(&mut system, mutant, naive, &mut |_| ControlFlow::Break(()));
            assert_eq!(run.executions, 1);
            if run.result == SearchResult::Survived && whole.executions > 1 {
                assert!(!run.is_complete, "seed {seed}, mutant {mutant}");
                cut_off += 1;
            }
        }
    }
    assert!(cut_off > 0);
}
