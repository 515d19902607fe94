//! Carries out the order that the driver left in a file.

use std::path::PathBuf;

use atropos_libtest::{Arguments, ShouldPanic, TestDescAndFn};
use atropos_protocol::exploration::{Action, ENV_ANSWERS, ENV_ORDER, Request, Response};
use atropos_protocol::{Test, sys};

use crate::subject::Subject;
use crate::{crash_recovery, describe, explore_mutants, explore_original, responses, switch};

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
        Some(_) => responses::say(&Response::Error(reason.to_owned())),
        None => eprintln!("error: {reason}"),
    }
    std::process::exit(101)
}

/// Carries an order out; the result is the process's exit code.
pub fn carry_out(path: PathBuf, tests: &[&TestDescAndFn], arguments: &Arguments) -> i32 {
    match Request::read(&path).and_then(|request| try_to(&request, tests, arguments)) {
        Ok(()) => {
            responses::say(&Response::Done);
            0
        }
        Err(error) => {
            responses::say(&Response::Error(error));
            1
        }
    }
}

fn try_to(
    request: &Request,
    tests: &[&TestDescAndFn],
    arguments: &Arguments,
) -> Result<(), String> {
    if request.action == Action::List {
        for test in tests {
            responses::say(&Response::Test(Test {
                name: test.name().to_owned(),
                ignored: arguments.ignores(test),
                should_panic: test.desc.should_panic != ShouldPanic::No,
            }));
        }
        return Ok(());
    }
    let test = tests
        .get(request.test)
        .ok_or_else(|| format!("there is no test number {}", request.test))?;
    let wanted = |mutant: u32| request.mutants.contains(&mutant) || request.mutant == mutant;
    let pairs: Vec<[u32; 3]> = request
        .pairs
        .iter()
        .copied()
        .filter(|[id, ..]| wanted(*id))
        .collect();
    let acts = |mutant: u32| wanted(mutant) || pairs.iter().any(|pair| pair[1..].contains(&mutant));
    switch::set_up(&request.points, acts);
    switch::set_pairs(pairs.clone());
    if request.action != Action::Replay {
        silence();
    }
    let body = || crate::test_body::body(test);
    let mut subject = Subject::new(test, &body, request);
    match request.action {
        Action::List => {}
        Action::Explore => {
            explore_original::check(request)?;
            crash_recovery::explore_original(&mut subject, request)?;
        }
        Action::Mutants => explore_mutants::explore(&mut subject, request)?,
        Action::Replay => {
            let explored = describe::replay(&mut subject, request)?;
            responses::say(&Response::Original(explored));
        }
    }
    Ok(())
}

/// What a test prints in a thousand schedules is of no use to anybody.
pub fn silence() {
    if let Ok(nowhere) = sys::open(c"/dev/null", sys::O_WRONLY, 0) {
        let _ = sys::duplicate_onto(nowhere, 1);
        let _ = sys::duplicate_onto(nowhere, 2);
        sys::close(nowhere);
    }
}
