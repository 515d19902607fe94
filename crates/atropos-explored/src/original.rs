//! The exploration of a test as it is: a strategy within its budget of executions and time.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use atropos_explore::{Budget, Coverage, Gradual, Plan, Progress, Strategy, System};
use atropos_protocol::exploration::{Answer, Explored, Order};

use crate::subject::Subject;
use crate::{answers, describe};

/// Time between two reports of progress.
const REPORT: Duration = Duration::from_millis(200);

/// A strategy, and whether it goes on to the next stage when its time is up.
enum Way {
    Gradual(Gradual),
    Chosen(Box<dyn Strategy>),
}

impl Way {
    fn of(order: &Order) -> Result<Way, String> {
        if order.strategy.is_empty() {
            return Ok(Way::Gradual(Gradual::new(Budget {
                exhaustive: order.executions,
                bounded: order.executions,
                random: order.executions,
                seed: order.seed,
            })));
        }
        let plan: Plan = order.strategy.parse().map_err(text)?;
        Ok(Way::Chosen(plan.strategy(order.seed)))
    }

    fn strategy(&mut self) -> &mut dyn Strategy {
        match self {
            Way::Gradual(gradual) => gradual,
            Way::Chosen(strategy) => &mut **strategy,
        }
    }

    /// The time of a stage is up: the next one begins, if there is one.
    fn hurry(&mut self) -> ControlFlow<()> {
        match self {
            Way::Gradual(gradual) => {
                gradual.hurry();
                ControlFlow::Continue(())
            }
            Way::Chosen(_) => ControlFlow::Break(()),
        }
    }
}

pub fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Explores until the test fails, does something that can't be controlled, or the budget is used up.
pub fn explore(subject: &mut Subject<'_>, order: &Order) -> Result<Explored, String> {
    let start = Instant::now();
    let mut way = Way::of(order)?;
    // The default has three stages.
    let stage = match &way {
        Way::Gradual(_) => Duration::from_millis(order.patience / 3),
        Way::Chosen(_) => Duration::from_millis(order.patience),
    };
    let (mut stage_end, mut report) = (start + stage, start + REPORT);
    let mut failing = None;
    while way.strategy().begin() {
        let end = subject.run(way.strategy());
        let strategy = way.strategy();
        strategy.end(end);
        if end.is_failure() {
            failing = Some((end, strategy.schedule()));
        }
        let is_over = failing.is_some()
            || strategy.divergence().is_some()
            || subject.notes.uncontrolled.is_some();
        if is_over {
            break;
        }
        let now = Instant::now();
        if now >= report {
            say_progress(&strategy.progress());
            report = now + REPORT;
        }
        if now >= stage_end {
            stage_end = now + stage;
            if way.hurry().is_break() {
                break;
            }
        }
    }
    let strategy = way.strategy();
    let (coverage, progress, divergence) = (
        strategy.coverage(),
        strategy.progress(),
        strategy.divergence(),
    );
    let notes = subject.take_notes();
    let mut explored = describe::notes(&notes);
    explored.complete = coverage == Coverage::All && failing.is_none();
    explored.coverage = coverage.to_string();
    explored.executions = progress.executions;
    explored.divergence = divergence.map(text);
    if let (Some((end, schedule)), Some(failure), None) =
        (failing, notes.failure, notes.uncontrolled)
    {
        explored.found = Some(describe::found(
            subject,
            failure,
            end,
            schedule,
            describe::THOROUGHLY,
        ));
    }
    explored.nanoseconds = start.elapsed().as_nanos() as u64;
    Ok(explored)
}

fn say_progress(progress: &Progress) {
    answers::say(&Answer::Progress {
        executions: progress.executions,
        estimate: progress.estimate(),
    });
}
