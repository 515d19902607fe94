//! A search tree divided into parts has the executions of the whole.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use atropos_explore::{End, Exhaustive, Strategy, WorkItem, split};

use crate::equivalence::{Ends, ends_of, seeds};
use crate::generate::{Taste, program};
use crate::lang::{Interpreter, Program};
use crate::locks::lock_program;

fn whole(program: &Program) -> Option<(Ends, u64)> {
    let mut strategy = Exhaustive::new();
    let ends = ends_of(&mut Interpreter::new(program.clone()), &mut strategy, 300)?;
    Some((ends, strategy.progress().executions))
}

fn in_parts(program: &Program, parts: usize) -> (Ends, u64, u64) {
    let mut system = Interpreter::new(program.clone());
    let mut all = BTreeMap::new();
    let (mut executions, mut abandoned) = (0, 0);
    for item in split(&mut system, parts, 6) {
        let item: WorkItem = item.to_string().parse().expect("a part survives text");
        let mut strategy = Exhaustive::of_part(item);
        for (end, count) in ends_of(&mut system, &mut strategy, 100_000).expect("parts are small") {
            *all.entry(end).or_default() += count;
        }
        executions += strategy.progress().executions;
        abandoned += strategy.progress().abandoned;
    }
    (all, executions, abandoned)
}

#[test]
fn parts_of_random_programs_have_exactly_the_executions_of_the_whole() {
    let taste = Taste { threads: 3, instrs: 4, mutants: false };
    for seed in seeds(300) {
        let program = program(seed, taste);
        let Some((ends, executions)) = whole(&program) else { continue };
        for parts in [2, 7] {
            let (found, count, _) = in_parts(&program, parts);
            let context = format!("seed {seed}, {parts} parts: {program:?}");
            if program.abort {
                let fails = |ends: &Ends| ends.keys().any(|end| end.is_failure());
                assert_eq!(fails(&found), fails(&ends), "{context}");
                continue;
            }
            assert_eq!(found.keys().collect::<Vec<_>>(), ends.keys().collect::<Vec<_>>(), "{context}");
            assert_eq!(count, executions, "{context}");
        }
    }
}

#[test]
fn workers_that_share_the_parts_find_what_one_finds() {
    let program = lock_program(2, 5);
    let mut system = Interpreter::new(program.clone());
    let items = split(&mut system, 8, 12);
    assert!(items.len() >= 8);
    let next = AtomicUsize::new(0);
    let executions = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut system = Interpreter::new(program.clone());
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut strategy = Exhaustive::of_part(item.clone());
                    let found = ends_of(&mut system, &mut strategy, 100_000).expect("parts are small");
                    assert!(found.keys().all(|end| matches!(end, End::Passed(_))));
                    executions.fetch_add(strategy.progress().executions, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(executions.into_inner(), 252);
}
