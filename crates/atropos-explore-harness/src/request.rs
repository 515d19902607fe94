//! Carries out the order that the driver left in a file.

use std::path::PathBuf;

use atropos_libtest::{Arguments, ShouldPanic, TestDescAndFn};
use atropos_protocol::exploration::{Answer, Deed, ENV_ANSWERS, ENV_ORDER, Order};
use atropos_protocol::{Test, sys};

use crate::subject::Subject;
use crate::{describe, explore_mutants, explore_original, responses, switch};

/// Where the order is, if there is one. The test does not see the variables.
pub fn given() -> Option<PathBuf> {
    let path = std::env::var_os(ENV_ORDER)?;
    responses::open()?;
    // SAFETY: the process has one thread.
    unsafe {
        std::env::remove_var(ENV_ORDER);
        std::env::remove_var(ENV_ANSWERS);
    }
    Some(path.into())
}

/// Says why this process can't serve, and ends it.
pub fn refuse(reason: &str) -> ! {
    match given() {
        Some(_) => responses::say(&Answer::Error(reason.to_owned())),
        None => eprintln!("error: {reason}"),
    }
    std::process::exit(101)
}

/// Carries an order out; the result is the process's exit code.
pub fn carry_out(path: PathBuf, tests: &[&TestDescAndFn], arguments: &Arguments) -> i32 {
    match Order::read(&path).and_then(|order| try_to(&order, tests, arguments)) {
        Ok(()) => {
            responses::say(&Answer::Done);
            0
        }
        Err(error) => {
            responses::say(&Answer::Error(error));
            1
        }
    }
}

fn try_to(order: &Order, tests: &[&TestDescAndFn], arguments: &Arguments) -> Result<(), String> {
    if order.deed == Deed::List {
        for test in tests {
            responses::say(&Answer::Test(Test {
                name: test.name().to_owned(),
                ignored: arguments.ignores(test),
                should_panic: test.desc.should_panic != ShouldPanic::No,
            }));
        }
        return Ok(());
    }
    let test = tests
        .get(order.test)
        .ok_or_else(|| format!("there is no test number {}", order.test))?;
    let wanted = |mutant: u32| order.mutants.contains(&mutant) || order.mutant == mutant;
    let pairs: Vec<[u32; 3]> = order
        .pairs
        .iter()
        .copied()
        .filter(|[id, ..]| wanted(*id))
        .collect();
    let acts = |mutant: u32| wanted(mutant) || pairs.iter().any(|pair| pair[1..].contains(&mutant));
    switch::set_up(&order.points, acts);
    switch::set_pairs(pairs.clone());
    if order.deed != Deed::Replay {
        silence();
    }
    let body = || crate::test_body::body(test);
    let mut subject = Subject::new(test, &body, order);
    match order.deed {
        Deed::List => {}
        Deed::Explore => {
            let mut explored = explore_original::explore(&mut subject, order)?;
            explored.claim_no_more_than_seen();
            responses::say(&Answer::Original(explored));
        }
        Deed::Mutants => explore_mutants::explore(&mut subject, order)?,
        Deed::Replay => {
            let explored = describe::replay(&mut subject, order)?;
            responses::say(&Answer::Original(explored));
        }
    }
    Ok(())
}

/// What a test prints in a thousand schedules is of no use to anybody.
fn silence() {
    if let Ok(nowhere) = sys::open(c"/dev/null", sys::O_WRONLY, 0) {
        let _ = sys::duplicate_onto(nowhere, 1);
        let _ = sys::duplicate_onto(nowhere, 2);
        sys::close(nowhere);
    }
}
