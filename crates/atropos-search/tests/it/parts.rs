//! A search tree divided into parts has the executions of the whole.

use std::collections::BTreeMap;

use atropos_search::{
    ExecutionEnd, Exhaustive, Round, RoundResult, Search, SearchOrder, Strategy, System, WorkItem,
    split,
};

use crate::equivalence::{Ends, ends_of, seeds};
use crate::generate::{Taste, program};
use crate::lang::{Interpreter, Program};

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

/// Explores in rounds, each in pieces that are explored in another order than they are taken in.
fn in_rounds(system: &mut Interpreter, search: &mut Search) -> Ends {
    let mut ends = Ends::new();
    assert!(search.begin());
    let end = system.run(search);
    search.end(end);
    let mut count = |end: ExecutionEnd| *ends.entry(end).or_default() += 1;
    count(end);
    loop {
        let round = search.begin_round();
        if round.is_empty() {
            break;
        }
        let pieces = round.chunks(3).rev().map(|piece| {
            let mut strategy = Round::new(search, piece);
            while strategy.begin() {
                let end = system.run(&mut strategy);
                strategy.end(end);
                count(end);
            }
            let text = strategy.found().to_string();
            text.parse::<RoundResult>()
                .expect("what was found survives text")
        });
        let pieces: Vec<RoundResult> = pieces.collect();
        for (piece, found) in round.chunks(3).zip(pieces.into_iter().rev()) {
            search.take_in(piece, found);
        }
    }
    assert!(!search.begin(), "nothing is left");
    ends.remove(&ExecutionEnd::Stopped);
    ends
}

#[test]
fn a_search_in_rounds_has_the_ends_and_the_executions_of_one_without() {
    let taste = Taste {
        threads: 3,
        instrs: 4,
        mutants: false,
    };
    let mut compared = 0;
    for seed in seeds(200) {
        let program = program(seed, taste);
        let mut system = Interpreter::new(program.clone());
        for make in [
            (|| Search::stateful(SearchOrder::DepthFirst)) as fn() -> Search,
            || Search::stateful(SearchOrder::BreadthFirst),
            || Search::chess(1),
            || Search::chess(1000),
        ] {
            let mut alone = make();
            let Some(ends) = ends_of(&mut system, &mut alone, 2000) else {
                continue;
            };
            compared += 1;
            let mut search = make();
            let found = in_rounds(&mut system, &mut search);
            let context = format!("seed {seed}, {:?}: {program:?}", search.settings());
            let sets = |ends: &Ends| ends.keys().copied().collect::<Vec<_>>();
            assert_eq!(sets(&found), sets(&ends), "{context}");
            assert_eq!(search.coverage(), alone.coverage(), "{context}");
            // Under a bound, how often a state is explored again with fewer preemptions depends on the order.
            if search.settings().bound.is_none() {
                assert_eq!(search.size(), alone.size(), "{context}");
                let executions = |search: &Search| search.progress().executions;
                assert_eq!(executions(&search), executions(&alone), "{context}");
            }
        }
    }
    assert!(compared > 400, "only {compared} programs were small enough");
}
