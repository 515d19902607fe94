//! `cargo atropos replay`: runs a schedule that an exploration found once more, and shows what happens.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use atropos_protocol::exploration::{Explored, Request, Response};
use atropos_report::schedules::FailingTest;

use crate::arguments::{ReplayArguments, ScheduleConditions};
use crate::did_you_mean::nearest;
use crate::exit_code::ExitCode;
use crate::explore::build_for;
use crate::explore::failing_schedules::{FailingSchedule, FailingSchedules};
use crate::explore::object_names::ObjectNames;
use crate::explore::pictures;
use crate::explore::process::{Process, RequestEnd, TestOutput};
use crate::interrupt::Interrupt;
use crate::prepare::{CommandSetup, set_up};
use crate::scratch::Scratch;

/// Somebody may look at the program through a debugger for a while.
const SILENCE_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

pub fn replay(arguments: ReplayArguments) -> Result<ExitCode> {
    let interrupt = Interrupt::install()?;
    let CommandSetup {
        workspace,
        terminal,
        output_directory,
        ..
    } = set_up(arguments.options())?;
    let failing_schedules = FailingSchedules::read(&output_directory);
    let found = failing_schedules.find(arguments.test.as_deref(), arguments.mutant);
    let is_there = found.is_some_and(FailingSchedule::is_there);
    let found = match (found, &arguments.test, &arguments.schedule) {
        (Some(found), _, _) if is_there => found.clone(),
        (_, Some(test), Some(schedule)) if arguments.mutant.is_none() => {
            match build_for(test, schedule, arguments.options(), &interrupt)? {
                ControlFlow::Continue(built) => built,
                ControlFlow::Break(code) => return Ok(code),
            }
        }
        (Some(found), _, _) => bail!(
            "the program that this schedule was found in is gone; `cargo atropos explore {}` looks for it anew",
            found.test
        ),
        (None, _, _) => return Err(no_such_schedule(&arguments, &failing_schedules)),
    };
    let request = request(&found, &arguments)?;
    let scratch = Scratch::make(&output_directory, "replaying")?;
    let process = Process {
        binary: &found.binary,
        test_arguments: &found.test_arguments,
        object_names: &ObjectNames::new(workspace.root().as_std_path()),
        order_file: &scratch.path().join("request"),
        output: TestOutput::EscapingWriter,
        prefix: &arguments.with,
        silence_limit: SILENCE_LIMIT,
    };
    let mut result = None;
    let ended = process.carry_out(&request, &interrupt, &mut |response| {
        if let Response::Original(explored) = response {
            result = Some(explored);
        }
    })?;
    match (ended, result) {
        (RequestEnd::Interrupted, _) => Ok(ExitCode::Interrupted),
        (_, Some(explored)) => {
            let mutant = found
                .mutant
                .map_or_else(String::new, |id| format!(", mutant {id}"));
            let heading = format!("{} ({}{mutant})", found.test, found.target);
            draw(&heading, &explored, &arguments)?;
            let (text, code) = told(&heading, &explored);
            let _ = terminal.stdout().write_all(text.as_bytes());
            Ok(code)
        }
        // A debugger that is left before the test has ended tells nothing of the test.
        (RequestEnd::Died(_), None) if !arguments.with.is_empty() => Ok(ExitCode::Success),
        (RequestEnd::Died(status), None) => {
            let (test, target) = (&found.test, &found.target);
            let text =
                format!("{test} ({target}): its process dies under this schedule ({status})\n");
            let _ = terminal.stdout().write_all(text.as_bytes());
            Ok(ExitCode::Survivors)
        }
        (ended, None) => bail!("the test came to no end that could be told: {ended:?}"),
    }
}

/// The request that was kept, with what the arguments say otherwise.
fn request(found: &FailingSchedule, arguments: &ReplayArguments) -> Result<Request> {
    let mut request = Request::parse(&found.order).map_err(|error| anyhow!(error))?;
    if let Some(schedule) = &arguments.schedule {
        request.schedule.clone_from(schedule);
    }
    let ScheduleConditions {
        time,
        memory,
        spurious,
        random,
        races: _,
        leaks,
    } = &arguments.circumstances;
    request.adversarial_time = time.map_or(request.adversarial_time, |time| time.is_adversarial());
    request.sequential_memory =
        memory.map_or(request.sequential_memory, |memory| memory.is_sequential());
    request.spurious |= spurious;
    request.fixed_random_data =
        random.map_or(request.fixed_random_data, |random| random.is_fixed());
    request.leaks |= leaks;
    Ok(request)
}

/// Writes the pictures that are asked for.
fn draw(heading: &str, explored: &Explored, arguments: &ReplayArguments) -> Result<()> {
    let Some(found) = &explored.found else {
        return Ok(());
    };
    let test = FailingTest {
        name: heading,
        title: &found.title,
        text: match found.replayed {
            true => &found.text,
            false => "the test passes under this schedule",
        },
        schedule: &found.schedule,
        trace: &found.trace,
        again: "",
    };
    let page = arguments.page.as_deref();
    pictures::write_one(&test, page, arguments.chrome_trace.as_deref())
}

fn no_such_schedule(
    arguments: &ReplayArguments,
    failing_schedules: &FailingSchedules,
) -> anyhow::Error {
    match (&arguments.test, arguments.mutant) {
        (None, None) => {
            anyhow!("no failing schedule was kept here; `cargo atropos explore` looks for one")
        }
        (test, mutant) => {
            let of = test
                .as_ref()
                .map_or_else(String::new, |test| format!(" of `{test}`"));
            let mutant = mutant.map_or_else(String::new, |id| format!(" of mutant {id}"));
            let near = test
                .as_ref()
                .and_then(|test| nearest(test, failing_schedules.names()));
            let hint = near.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            anyhow!("no failing schedule{of}{mutant} was kept{hint}")
        }
    }
}

fn told(heading: &str, explored: &Explored) -> (String, ExitCode) {
    let Some(found) = &explored.found else {
        return (format!("{heading}\n"), ExitCode::Success);
    };
    let mut text = format!("{heading}\n{}", found.trace);
    if let Some(divergence) = &explored.divergence {
        text.push_str(&format!(
            "\nthe program is not the one that the schedule was found in, or not deterministic: {divergence}\n"
        ));
    }
    if found.replayed {
        text.push_str(&format!("\n{}\n", found.text));
        (text, ExitCode::Survivors)
    } else {
        text.push_str("\nthe test passes under this schedule\n");
        (text, ExitCode::Success)
    }
}
