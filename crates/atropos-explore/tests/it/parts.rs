//! A search tree divided into parts has the executions of the whole.

use std::collections::BTreeMap;

use atropos_explore::{
    Coverage, Exhaustive, Strategy, Strictness, WorkItem, explore_parts, replay, split,
};

use crate::equivalence::{Ends, ends_of, seeds};
use crate::generate::{Taste, program};
use crate::lang::{Interpreter, Program};
use crate::locks::lock_program;
use crate::samples::lost_update;

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
    let taste = Taste {
        threads: 3,
        instrs: 4,
        mutants: false,
    };
    for seed in seeds(300) {
        let program = program(seed, taste);
        let Some((ends, executions)) = whole(&program) else {
            continue;
        };
        for parts in [2, 7] {
            let (found, count, _) = in_parts(&program, parts);
            let context = format!("seed {seed}, {parts} parts: {program:?}");
            if program.abort {
                let fails = |ends: &Ends| ends.keys().any(|end| end.is_failure());
                assert_eq!(fails(&found), fails(&ends), "{context}");
                continue;
            }
            assert_eq!(
                found.keys().collect::<Vec<_>>(),
                ends.keys().collect::<Vec<_>>(),
                "{context}"
            );
            assert_eq!(count, executions, "{context}");
        }
    }
}

#[test]
fn workers_that_share_the_parts_find_what_one_finds() {
    let check = |program: Program| {
        let items = split(&mut Interpreter::new(program.clone()), 8, 12);
        assert!(items.len() >= 2);
        let reports = [1, 2, 5]
            .map(|workers| explore_parts(&items, workers, &|| Interpreter::new(program.clone())));
        assert_eq!(reports[0], reports[1]);
        assert_eq!(reports[0], reports[2]);
        reports[0].clone()
    };
    let report = check(lock_program(2, 5));
    assert_eq!(
        (report.coverage, report.progress.executions),
        (Coverage::All, 252)
    );
    let report = check(lost_update());
    let finding = report.finding.expect("an update is lost");
    let again = replay(
        &mut Interpreter::new(lost_update()),
        &finding.schedule,
        Strictness::Exact,
    );
    assert_eq!(again.ended(), Some(finding.end));
}
