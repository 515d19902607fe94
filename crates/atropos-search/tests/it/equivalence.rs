//! All ways of exploring a program find the same ends.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use atropos_search::{
    ExecutionEnd, Exhaustive, Search, SearchOrder, SearchSettings, StateMatching, Strategy, System,
    explore_with,
};

use crate::generate::{Taste, program};
use crate::lang::{Instr, Interpreter, Program, Value};

/// How often each end occurs.
pub type Ends = BTreeMap<ExecutionEnd, u64>;

/// All ends of all executions, or nothing if there are more than `most`.
pub fn ends_of(system: &mut dyn System, strategy: &mut dyn Strategy, most: u64) -> Option<Ends> {
    let mut ends = Ends::new();
    let mut count = 0;
    let report = explore_with(system, strategy, &mut |end, _| {
        count += 1;
        if end != ExecutionEnd::Stopped {
            *ends.entry(end).or_default() += 1;
        }
        if count > most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(report.divergence, None, "{}", strategy.schedule());
    (count <= most).then_some(ends)
}

/// Seeds for random programs: so many, or as many as `ATROPOS_SEEDS` says.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let wanted = std::env::var("ATROPOS_SEEDS")
        .ok()
        .and_then(|seeds| seeds.parse().ok());
    0..wanted.unwrap_or(usual)
}

/// Two timers go off at the same time; the first thread then notifies the second, whose own timer is
/// never seen to go off in that order.
#[test]
fn a_timer_that_another_one_makes_superfluous_gets_its_turn() {
    let first = vec![
        Instr::Sleep(2),
        Instr::Lock(0),
        Instr::NotifyAll(0),
        Instr::Unlock(0),
    ];
    let second = vec![Instr::Lock(0), Instr::WaitAtMost(0, 0, 2), Instr::Unlock(0)];
    let mut system = Interpreter::new(Program {
        threads: vec![first, second],
        initial: 2,
        ..Program::default()
    });
    let mut strategy = Exhaustive::new();
    ends_of(&mut system, &mut strategy, 100);
    assert!(strategy.progress().executions >= 2);
}

/// Whether the first thread finds a message decides whether it also looks if anybody is left who could send one. So the
/// step that did not look, as it stands in one execution, may do so where it is put before the message.
#[test]
fn a_step_is_moved_to_where_it_touches_more_than_before() {
    let taker = vec![Instr::TryTake(0), Instr::Take(0), Instr::Take(1)];
    let mut system = Interpreter::new(Program {
        threads: vec![
            taker,
            vec![Instr::Post(Value::Const(1))],
            vec![Instr::Leave],
        ],
        initial: 3,
        ..Program::default()
    });
    let mut strategy = Exhaustive::new();
    ends_of(&mut system, &mut strategy, 100);
    assert_eq!(strategy.progress().executions, 3);
}

/// All the same ends; where failures cut executions short, reduction need not find every one.
fn check_ends(ends: &Ends, reference: &Ends, name: &str, seed: u64, program: &Program) {
    let sets = |ends: &Ends| ends.keys().copied().collect::<Vec<_>>();
    let fails = |ends: &Ends| ends.keys().any(|end| end.is_failure());
    if program.abort && fails(reference) {
        let all_known = ends.keys().all(|end| reference.contains_key(end));
        assert!(all_known && fails(ends), "{name}, seed {seed}: {program:?}");
    } else {
        assert_eq!(
            sets(ends),
            sets(reference),
            "{name}, seed {seed}: {program:?}"
        );
    }
}

#[test]
fn random_programs_have_the_same_ends_under_every_strategy() {
    let taste = Taste {
        threads: 3,
        instrs: 4,
        mutants: false,
    };
    let (mut compared, mut executions, mut abandoned) = (0, 0, 0);
    for seed in seeds(200) {
        let program = program(seed, taste);
        let mut system = Interpreter::new(program);
        let Some(reference) = ends_of(&mut system, &mut Search::enumeration(), 5_000) else {
            continue;
        };
        compared += 1;
        if std::env::var("ATROPOS_SEEDS").is_ok() {
            println!("seed {seed}: {:?}", system.program);
        }
        let mut check = |name: &str, strategy: &mut dyn Strategy| {
            let ends =
                ends_of(&mut system, strategy, 1_000_000).expect("no more than the enumeration");
            check_ends(&ends, &reference, name, seed, &system.program);
            strategy.progress()
        };
        check(
            "depth first",
            &mut Search::stateful(SearchOrder::DepthFirst),
        );
        check(
            "breadth first",
            &mut Search::stateful(SearchOrder::BreadthFirst),
        );
        check("chess", &mut Search::chess(1000));
        let caching = SearchSettings {
            order: SearchOrder::DepthFirst,
            matching: StateMatching::HappensBefore,
            bound: None,
        };
        let classes = check("happens-before caching", &mut Search::new(caching));
        let mut exhaustive = Exhaustive::new();
        let reduced = check("exhaustive", &mut exhaustive);
        assert_eq!(exhaustive.planned(), 0, "nothing is left over, seed {seed}");
        abandoned += reduced.abandoned;
        executions += reduced.executions;
        if !system.program.abort {
            assert_eq!(
                reduced.executions, classes.executions,
                "seed {seed}: {:?}",
                system.program
            );
        }
    }
    println!("{compared} programs, {executions} executions, {abandoned} abandoned");
    assert!(compared > 100, "only {compared} programs were small enough");
}

#[test]
fn programs_too_big_to_enumerate_have_the_same_ends_with_and_without_reduction() {
    let taste = Taste {
        threads: 4,
        instrs: 7,
        mutants: false,
    };
    let most = 3_000;
    let (mut compared, mut executions, mut abandoned) = (0, 0, 0);
    for seed in seeds(60) {
        let mut system = Interpreter::new(program(seed, taste));
        let mut exhaustive = Exhaustive::new();
        let Some(reduced) = ends_of(&mut system, &mut exhaustive, most) else {
            continue;
        };
        let mut stateful = Search::stateful(SearchOrder::DepthFirst);
        let Some(reference) = ends_of(&mut system, &mut stateful, 20 * most) else {
            continue;
        };
        check_ends(&reduced, &reference, "exhaustive", seed, &system.program);
        compared += 1;
        executions += exhaustive.progress().executions;
        abandoned += exhaustive.progress().abandoned;
    }
    println!("{compared} programs, {executions} executions, {abandoned} abandoned");
    assert!(compared > 20, "only {compared} programs were small enough");
}
