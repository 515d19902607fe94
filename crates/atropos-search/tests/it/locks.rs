//! The programs on which the number of schedules that differ is known.

use std::ops::ControlFlow;

use atropos_search::{ExecutionEnd, Exhaustive, explore_with};

use crate::lang::{Instr, Interpreter, Program, Value};

/// Threads that each take one lock `n` times to add one, and a main thread that waits for them.
pub fn lock_program(threads: usize, n: usize) -> Program {
    let mut main: Vec<Instr> = (1..=threads).map(Instr::Spawn).collect();
    main.extend((1..=threads).map(Instr::Join));
    main.extend([Instr::Load(0, 0), Instr::Assert(0, (threads * n) as i32)]);
    let mut code = vec![main];
    for _ in 0..threads {
        let once = [
            Instr::Lock(0),
            Instr::Add(0, Value::Const(1)),
            Instr::Unlock(0),
        ];
        code.push(std::iter::repeat_n(once, n).flatten().collect());
    }
    Program {
        threads: code,
        initial: 1,
        ..Program::default()
    }
}

fn count(program: Program) -> (u64, u64) {
    let mut system = Interpreter::new(program);
    let mut strategy = Exhaustive::new();
    let mut passed = 0;
    let report = explore_with(&mut system, &mut strategy, &mut |end, _| {
        assert!(!end.is_failure(), "{end:?}");
        passed += u64::from(matches!(end, ExecutionEnd::Passed(_)));
        ControlFlow::Continue(())
    });
    assert_eq!(report.divergence, None);
    (passed, report.progress.abandoned)
}

#[test]
fn n_lock_and_unlock_of_two_threads_need_one_schedule_per_order_of_critical_sections() {
    for (n, classes) in [(1, 2), (2, 6), (3, 20), (4, 70), (5, 252)] {
        assert_eq!(count(lock_program(2, n)), (classes, 0), "n = {n}");
    }
}

#[test]
fn three_threads_with_a_lock_each_need_a_schedule_per_order() {
    assert_eq!(count(lock_program(3, 1)), (6, 0));
    assert_eq!(count(lock_program(3, 2)), (90, 0));
    assert_eq!(count(lock_program(4, 1)), (24, 0));
}
