//! Carries out the request that the driver left in a file.

use std::path::{Path, PathBuf};

use atropos_libtest::{HarnessArguments, ShouldPanic, TestDescAndFn};
use atropos_protocol::exploration::{ENV_ANSWERS, ENV_ORDER, Request, RequestedAction, Response};
use atropos_protocol::{Test, landlock, sys};
use atropos_search::{Replay, Schedule, Strategy as _, Strictness, System as _};
use atropos_values::{MutantId, SecondOrderMutant};

use crate::subject::Subject;
use crate::{
    crash_recovery, describe, explore_mutants, explore_original, responses, saved_schedule, switch,
};

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
pub fn carry_out(path: PathBuf, tests: &[&TestDescAndFn], arguments: &HarnessArguments) -> i32 {
    match Request::read(&path).and_then(|request| try_to(&request, &path, tests, arguments)) {
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
    place: &Path,
    tests: &[&TestDescAndFn],
    arguments: &HarnessArguments,
) -> Result<(), String> {
    if request.action == RequestedAction::List {
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
    let wanted = |mutant: MutantId| request.mutants.contains(&mutant) || request.mutant == mutant;
    let pairs: Vec<SecondOrderMutant> = request
        .pairs
        .iter()
        .copied()
        .filter(|pair| wanted(pair.id))
        .collect();
    let acts =
        |mutant: MutantId| wanted(mutant) || pairs.iter().any(|pair| pair.parts.contains(&mutant));
    switch::set_up(&request.points, acts);
    switch::set_pairs(pairs.clone());
    if request.action != RequestedAction::Replay {
        silence();
    }
    if request.runs_mutants() {
        landlock::enforce_list(place);
    }
    atropos_threads::use_private_directory();
    let body = || crate::test_body::body(test);
    let mut subject = Subject::new(test, &body, request);
    match request.action {
        RequestedAction::List => {}
        RequestedAction::Explore => {
            explore_original::check(request)?;
            crash_recovery::explore_original(&mut subject, request, explore_original::explore)?;
        }
        RequestedAction::Saved => {
            crash_recovery::explore_original(&mut subject, request, saved_schedule::run)?;
        }
        RequestedAction::Mutants => explore_mutants::explore(&mut subject, request)?,
        RequestedAction::Reaches => {
            switch::ask_for_functions(&request.functions);
            let mut replay = Replay::new(&Schedule::default(), Strictness::Lenient);
            replay.begin();
            subject.run(&mut replay);
            responses::say(&Response::Reaches(switch::has_entered()));
        }
        RequestedAction::Replay => {
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
