//! The exploration of a test as it is: a strategy within its budget of executions and time.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use atropos_explore::{
    Budget, Coverage, Gradual, GradualStage, Plan, Progress, Sampling, Strategy, System,
};
use atropos_protocol::exploration::{Answer, Explored, Order};

use crate::subject::Subject;
use crate::together::{self, Limits, Outcome, Task};
use crate::{answers, describe};

/// Time between two reports of progress.
pub const REPORT: Duration = Duration::from_millis(200);
/// Executions of an exhaustive search before other processes are called in: most searches are over by then. The search
/// then begins anew, in parts.
const ALONE: u64 = 2000;

/// A strategy, and whether it goes on to the next stage when its time is up.
enum Way {
    Gradual(Gradual),
    Chosen(Plan, Box<dyn Strategy>),
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
        let strategy = plan.strategy(order.seed);
        Ok(Way::Chosen(plan, strategy))
    }

    /// What is to be explored now, if it can be divided and that is worth while. A search that remembers states is not: each
    /// part would have to find out for itself what the others know.
    fn task(&mut self, subject: &mut Subject<'_>, order: &Order) -> Option<Task> {
        let progress = self.strategy().progress();
        let is_long = progress.executions + progress.abandoned >= ALONE;
        let drawn = |schedules: u64, how: Sampling| Task::Drawn {
            schedules,
            seed: order.seed,
            how,
        };
        match self {
            Way::Gradual(gradual) => match gradual.stage() {
                GradualStage::Exhaustive => is_long.then(|| Task::exhaustive(subject)),
                GradualStage::Bounded => None,
                GradualStage::Random => Some(drawn(order.executions, Sampling::Random)),
            },
            Way::Chosen(Plan::Exhaustive, _) => is_long.then(|| Task::exhaustive(subject)),
            Way::Chosen(Plan::Random(schedules), _) => Some(drawn(*schedules, Sampling::Random)),
            Way::Chosen(Plan::Pos(schedules), _) => Some(drawn(*schedules, Sampling::Pos)),
            Way::Chosen(Plan::Pct { schedules, depth }, _) => {
                Some(drawn(*schedules, Sampling::Pct { depth: *depth }))
            }
            Way::Chosen(..) => None,
        }
    }

    /// Executions that the present stage may take.
    fn budget(&self, order: &Order) -> u64 {
        match self {
            Way::Gradual(_) => order.executions,
            Way::Chosen(..) => u64::MAX,
        }
    }

    fn is_at_last_stage(&self) -> bool {
        match self {
            Way::Gradual(gradual) => gradual.stage() == GradualStage::Random,
            Way::Chosen(..) => true,
        }
    }

    fn strategy(&mut self) -> &mut dyn Strategy {
        match self {
            Way::Gradual(gradual) => gradual,
            Way::Chosen(_, strategy) => &mut **strategy,
        }
    }

    /// The time of a stage is up: the next one begins, if there is one.
    fn hurry(&mut self) -> ControlFlow<()> {
        match self {
            Way::Gradual(gradual) => {
                gradual.hurry();
                ControlFlow::Continue(())
            }
            Way::Chosen(..) => ControlFlow::Break(()),
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
        Way::Chosen(..) => Duration::from_millis(order.patience),
    };
    let (mut stage_end, mut report) = (start + stage, start + REPORT);
    let mut failing = None;
    // Executions that other processes made in stages that are over.
    let mut elsewhere = 0;
    while way.strategy().begin() {
        // Also for a single process, so that the result does not depend on how many there are.
        if let Some(task) = way.task(subject, order) {
            let limits = Limits {
                processes: order.workers.max(1),
                executions: way.budget(order),
                until: stage_end,
            };
            let outcome = together::explore(subject, &task, limits)?;
            if outcome.is_settled || way.is_at_last_stage() {
                return Ok(told(&way, outcome, elsewhere, start));
            }
            elsewhere += outcome.explored.executions;
            stage_end = Instant::now() + stage;
            if way.hurry().is_break() {
                break;
            }
            continue;
        }
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
    explored.executions = progress.executions + elsewhere;
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

/// What came of an exploration whose last stage several processes shared.
fn told(way: &Way, outcome: Outcome, elsewhere: u64, start: Instant) -> Explored {
    let coverage = match way {
        Way::Gradual(gradual) => gradual.coverage_with(outcome.coverage),
        Way::Chosen(..) => outcome.coverage,
    };
    Explored {
        coverage: coverage.to_string(),
        executions: outcome.explored.executions + elsewhere,
        nanoseconds: start.elapsed().as_nanos() as u64,
        ..outcome.explored
    }
}

fn say_progress(progress: &Progress) {
    answers::say(&Answer::Progress {
        executions: progress.executions,
        estimate: progress.estimate(),
    });
}
