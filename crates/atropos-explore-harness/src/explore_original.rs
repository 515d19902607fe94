//! The exploration of a test as it is: a strategy within its budget of executions and time.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use atropos_protocol::FailureKind;
use atropos_protocol::exploration::{Explored, FoundFailure, Request, Response};
use atropos_protocol::thread_trace::ThreadTrace;
use atropos_search::{
    Coverage, Division, ExecutionEnd, Gradual, GradualStage, Limit, Sampling, Schedule, Search,
    SearchProgress, StageBudget, Strategy, StrategySpec, System,
};
use atropos_threads::NotedSystem as _;
use atropos_threads::statements::StatedBounds;

use crate::parallel::{self, ExplorationLimits, PieceShare, SharedExploration};
use crate::partition::Task;
use crate::subject::Subject;
use crate::{describe, responses};

/// Time between two reports of progress.
pub const REPORT: Duration = Duration::from_millis(200);
/// Executions of a search before other processes are called in: most searches are over by then. An exhaustive one
/// then begins anew, in parts; one that remembers states goes on.
const ALONE: u64 = 2000;
/// The share of the budget that random schedules get before a long exhaustive search goes on.
const EARLY: u64 = 2;
/// Stages of the default that share the time: random schedules and search in turns and then apart, and the bounds.
const STAGES: u64 = 4;

/// A strategy, and whether it goes on to the next stage when its time is up.
enum StrategyInUse {
    Gradual(Box<Gradual>),
    Searching(Box<Search>),
    /// Any other, and how processes share it.
    Chosen(Division, Box<dyn Strategy>),
}

impl StrategyInUse {
    fn of(request: &Request) -> Result<StrategyInUse, String> {
        if request.strategy.is_empty() {
            return Ok(StrategyInUse::Gradual(Box::new(Gradual::new(
                StageBudget {
                    early: request.executions.div_ceil(EARLY),
                    exhaustive: request.executions,
                    bounded: request.executions,
                    random: request.executions,
                    seed: request.seed,
                },
            ))));
        }
        let spec: StrategySpec = request.strategy.parse().map_err(text)?;
        if let Some(search) = spec.search() {
            return Ok(StrategyInUse::Searching(Box::new(search)));
        }
        Ok(StrategyInUse::Chosen(
            spec.division(),
            spec.strategy(request.seed),
        ))
    }

    /// The search that goes on in rounds from here, if there is one that is long, and how many more executions it may take.
    fn long_search(&mut self) -> Option<(&mut Search, u64)> {
        let (search, left) = match self {
            StrategyInUse::Gradual(gradual) => gradual.bounded()?,
            StrategyInUse::Searching(search) => (&mut **search, u64::MAX),
            StrategyInUse::Chosen(..) => return None,
        };
        let goes_in_rounds = is_long(&search.progress()) && search.fits_into_rounds();
        goes_in_rounds.then_some((search, left))
    }

    /// What is to be explored now, if it can be divided from the start and that is worth while.
    fn task(&mut self, subject: &mut Subject<'_>, request: &Request) -> Option<Task<'static>> {
        let is_long = is_long(&self.strategy().progress());
        let drawn = |first: u64, schedules: u64, how: Sampling| Task::Drawn {
            first,
            schedules,
            seed: request.seed,
            how,
        };
        match self {
            StrategyInUse::Gradual(gradual) => match gradual.stage() {
                GradualStage::Alternating | GradualStage::Bounded => None,
                GradualStage::Exhaustive => Some(Task::exhaustive(subject, request.shards)),
                GradualStage::Early | GradualStage::Random => {
                    let (first, schedules) = gradual.samples_left();
                    // One has been begun for it.
                    Some(drawn(first - 1, schedules + 1, Sampling::Mixed))
                }
            },
            StrategyInUse::Searching(_) => None,
            StrategyInUse::Chosen(division, _) => match *division {
                Division::Tree => is_long.then(|| Task::exhaustive(subject, request.shards)),
                Division::Sample { schedules, how } => Some(drawn(0, schedules, how)),
                Division::Rounds | Division::Whole => None,
            },
        }
    }

    /// Other processes made so many executions of the present stage.
    fn spend(&mut self, executions: u64) {
        if let StrategyInUse::Gradual(gradual) = self {
            gradual.spend(executions);
        }
    }

    /// Executions that the present stage may take.
    fn budget(&self, request: &Request) -> u64 {
        match self {
            StrategyInUse::Gradual(_) => request.executions,
            StrategyInUse::Chosen(..) | StrategyInUse::Searching(_) => u64::MAX,
        }
    }

    fn is_at_last_stage(&self) -> bool {
        match self {
            StrategyInUse::Gradual(gradual) => gradual.stage() == GradualStage::Random,
            StrategyInUse::Chosen(..) | StrategyInUse::Searching(_) => true,
        }
    }

    fn strategy(&mut self) -> &mut dyn Strategy {
        match self {
            StrategyInUse::Gradual(gradual) => &mut **gradual,
            StrategyInUse::Searching(search) => &mut **search,
            StrategyInUse::Chosen(_, strategy) => &mut **strategy,
        }
    }

    /// The time of a stage is up: the next one begins, if there is one.
    fn hurry(&mut self) -> ControlFlow<()> {
        match self {
            StrategyInUse::Gradual(gradual) => {
                gradual.hurry();
                ControlFlow::Continue(())
            }
            StrategyInUse::Chosen(..) | StrategyInUse::Searching(_) => ControlFlow::Break(()),
        }
    }
}

/// Executions that a search has begun.
fn begun(search: &Search) -> u64 {
    let progress = search.progress();
    progress.executions + progress.abandoned
}

fn is_long(progress: &SearchProgress) -> bool {
    progress.executions + progress.abandoned >= ALONE
}

pub fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Whether the request can be carried out at all.
pub fn check(request: &Request) -> Result<(), String> {
    StrategyInUse::of(request).map(|_| ())
}

/// Explores until the test fails, does something that can't be controlled, or the budget is used up.
pub fn explore(subject: &mut Subject<'_>, request: &Request) -> Result<Explored, String> {
    let mut exploration = Exploration::new(request)?;
    loop {
        // Also for a single process, so that the result does not depend on how many there are.
        if exploration.search_in_rounds(subject)?.is_break() {
            break;
        }
        if !exploration.strategy_in_use.strategy().begin() {
            break;
        }
        if let Some(task) = exploration.strategy_in_use.task(subject, request) {
            match exploration.share(subject, task)? {
                ControlFlow::Continue(()) => continue,
                ControlFlow::Break(()) => break,
            }
        }
        if exploration.execute(subject).is_break() {
            break;
        }
        if let Some(bounded) = within_stated_bounds(subject, request) {
            return explore(subject, &bounded);
        }
    }
    Ok(exploration.finish(subject))
}

/// The request within the bounds that the test states, if it does and they are other than those of the request. A strategy that
/// the user names counts more.
fn within_stated_bounds(subject: &Subject<'_>, request: &Request) -> Option<Request> {
    let StatedBounds {
        preemptions,
        schedules,
        seconds,
    } = subject.notes.stated.bounds;
    if !request.strategy.is_empty() {
        return None;
    }
    let bounded = Request {
        strategy: preemptions.map_or_else(String::new, |most| format!("chess:{most}")),
        executions: schedules.unwrap_or(request.executions),
        time_limit: seconds.map_or(request.time_limit, |seconds| seconds.saturating_mul(1000)),
        ..request.clone()
    };
    (bounded != *request).then_some(bounded)
}

/// What the program wants to be reached and no schedule did: a failure if there are no others, else a part of what was covered.
fn tell_of_unreached(explored: &mut Explored) {
    let reached = &explored.reached;
    let missing = explored
        .wanted
        .iter()
        .filter(|name| !reached.contains(name));
    let missing: Vec<String> = missing.map(|name| format!("`{name}`")).collect();
    if missing.is_empty() || explored.found.is_some() || explored.uncontrolled.is_some() {
        return;
    }
    let missing = missing.join(", ");
    if !explored.complete || explored.fair || explored.late {
        explored.coverage += &format!("; none of them reached {missing}");
        return;
    }
    explored.found = Some(FoundFailure {
        kind: FailureKind::NotReached,
        title: format!("not reached: {missing}"),
        text: format!("no schedule reaches {missing}, and all of them were run"),
        location: String::new(),
        schedule: String::new(),
        trace: ThreadTrace::default(),
        replayed: false,
    });
}

/// An exploration under way.
struct Exploration<'o> {
    request: &'o Request,
    strategy_in_use: StrategyInUse,
    start: Instant,
    /// The time of a stage, and when the present one ends.
    stage: Duration,
    stage_end: Instant,
    next_report: Instant,
    failing: Option<(ExecutionEnd, Schedule)>,
    /// Some stage ended because its time was up.
    is_out_of_time: bool,
    /// What other processes told.
    shared: Explored,
    /// What they covered, if they carried all of it out.
    covered: Option<(Coverage, u64)>,
    /// Where other processes found that the test does not do the same under the same choices.
    parted: Option<String>,
}

impl<'o> Exploration<'o> {
    fn new(request: &'o Request) -> Result<Exploration<'o>, String> {
        let start = Instant::now();
        let strategy_in_use = StrategyInUse::of(request)?;
        let stage = match &strategy_in_use {
            StrategyInUse::Gradual(_) => Duration::from_millis(request.time_limit / STAGES),
            StrategyInUse::Chosen(..) | StrategyInUse::Searching(_) => {
                Duration::from_millis(request.time_limit)
            }
        };
        Ok(Exploration {
            request,
            strategy_in_use,
            start,
            stage,
            stage_end: start + stage,
            next_report: start + REPORT,
            failing: None,
            is_out_of_time: false,
            shared: Explored::default(),
            covered: None,
            parted: None,
        })
    }

    /// A stage is over, perhaps because its time is up.
    fn end_stage(&mut self) -> ControlFlow<()> {
        let now = Instant::now();
        self.is_out_of_time |= now >= self.stage_end;
        self.stage_end = now + self.stage;
        self.strategy_in_use.hurry()
    }

    /// Goes on in rounds with a search that is long, if there is one.
    fn search_in_rounds(&mut self, subject: &mut Subject<'_>) -> Result<ControlFlow<()>, String> {
        let Some((search, left)) = self.strategy_in_use.long_search() else {
            return Ok(ControlFlow::Continue(()));
        };
        let limits = ExplorationLimits {
            processes: self.request.workers.max(1),
            executions: left,
            until: self.stage_end,
            shard: PieceShare::of(self.request),
        };
        let before = begun(search);
        let mut part = parallel::go_on(subject, search, limits)?;
        let (spent, is_unfinished) = (begun(search) - before, !part.complete);
        if let StrategyInUse::Gradual(gradual) = &mut self.strategy_in_use
            && let Some(parted) = part.divergence.take()
        {
            self.parted = Some(parted);
            gradual.draw_only();
        }
        if parallel::add(&mut self.shared, part) {
            return Ok(ControlFlow::Break(()));
        }
        self.strategy_in_use.spend(spent);
        Ok(match is_unfinished && Instant::now() >= self.stage_end {
            true => self.end_stage(),
            false => ControlFlow::Continue(()),
        })
    }

    /// Shares the present stage among processes; breaks if it is the last.
    fn share(
        &mut self,
        subject: &mut Subject<'_>,
        mut task: Task<'static>,
    ) -> Result<ControlFlow<()>, String> {
        let limits = ExplorationLimits {
            processes: self.request.workers.max(1),
            executions: self.strategy_in_use.budget(self.request),
            until: self.stage_end,
            shard: PieceShare::of(self.request),
        };
        let SharedExploration {
            explored, coverage, ..
        } = parallel::explore(subject, &mut task, limits)?;
        let mut explored = explored;
        if let (StrategyInUse::Gradual(gradual), Some(parted)) =
            (&mut self.strategy_in_use, &explored.divergence)
        {
            // What several processes searched can't be searched.
            self.parted = Some(parted.clone());
            explored.divergence = None;
            gradual.take_in(explored.executions, false);
            gradual.draw_only();
            parallel::add(&mut self.shared, explored);
            self.stage_end = Instant::now() + self.stage;
            return Ok(ControlFlow::Continue(()));
        }
        explored.part = self.request.shards > 1;
        let executions = explored.executions;
        self.is_out_of_time |= Instant::now() >= self.stage_end;
        let is_complete = coverage == Coverage::All;
        let is_over = parallel::add(&mut self.shared, explored);
        match &mut self.strategy_in_use {
            StrategyInUse::Gradual(gradual) => gradual.take_in(executions, is_complete),
            StrategyInUse::Chosen(..) | StrategyInUse::Searching(_) => {
                self.covered = Some((coverage, executions));
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(
            match is_over || is_complete || self.strategy_in_use.is_at_last_stage() {
                true => ControlFlow::Break(()),
                false => self.end_stage(),
            },
        )
    }

    /// Runs one execution here; breaks if it is the last.
    fn execute(&mut self, subject: &mut Subject<'_>) -> ControlFlow<()> {
        let strategy = self.strategy_in_use.strategy();
        let end = subject.run(strategy);
        if self.draws_long_executions(subject, end) {
            return ControlFlow::Continue(());
        }
        let strategy = self.strategy_in_use.strategy();
        strategy.end(end);
        if end.is_failure() {
            self.failing = Some((end, strategy.schedule()));
        }
        let has_random_data = subject.notes.asked_for_random_data;
        if let StrategyInUse::Gradual(gradual) = &mut self.strategy_in_use
            && has_random_data
        {
            gradual.draw_more();
        }
        let strategy = self.strategy_in_use.strategy();
        let is_over = self.failing.is_some()
            || strategy.divergence().is_some()
            || subject.notes.uncontrolled.is_some();
        if is_over {
            return ControlFlow::Break(());
        }
        let now = Instant::now();
        if now >= self.next_report {
            say_progress(&strategy.progress());
            self.next_report = now + REPORT;
        }
        match now >= self.stage_end {
            true => self.end_stage(),
            false => ControlFlow::Continue(()),
        }
    }

    /// Where executions are too long to be searched, random ones that are longer are drawn within the time; true if that begins
    /// with this one's end.
    fn draws_long_executions(&mut self, subject: &mut Subject<'_>, end: ExecutionEnd) -> bool {
        let is_too_long =
            end == ExecutionEnd::Limit(Limit::Points) && subject.notes.uncontrolled.is_some();
        let StrategyInUse::Gradual(gradual) = &mut self.strategy_in_use else {
            return false;
        };
        if !is_too_long || !subject.allow_long_executions() {
            return false;
        }
        gradual.end(ExecutionEnd::Stopped);
        gradual.draw_only();
        self.stage_end = self.start + Duration::from_millis(self.request.time_limit);
        true
    }

    /// What is to be said of random data beside what was covered: a search has one set of it, random schedules have one each.
    fn random_data_of(&self, coverage: &Coverage) -> String {
        let is_fixed = self.request.fixed_random_data;
        let drawn = match (&self.strategy_in_use, coverage) {
            (StrategyInUse::Gradual(gradual), Coverage::All) if !is_fixed => gradual.drawn(),
            _ => 0,
        };
        match coverage {
            Coverage::All if drawn > 0 => {
                format!(", random data fixed, and {drawn} random schedules with other data")
            }
            Coverage::Sample { .. } if !is_fixed => ", random data varied".to_owned(),
            Coverage::Both(..) if !is_fixed => {
                "; random data varied in the random schedules only".to_owned()
            }
            Coverage::All
            | Coverage::Preemptions(_)
            | Coverage::One
            | Coverage::Part { .. }
            | Coverage::Sample { .. }
            | Coverage::Both(..) => ", random data fixed".to_owned(),
        }
    }

    /// The result.
    fn finish(mut self, subject: &mut Subject<'_>) -> Explored {
        let strategy = self.strategy_in_use.strategy();
        let divergence = strategy.divergence();
        let (coverage, executions) = self
            .covered
            .take()
            .unwrap_or_else(|| (strategy.coverage(), strategy.progress().executions));
        let random_data = self.random_data_of(&coverage);
        let notes = subject.take_notes();
        let mut explored = describe::notes(&notes);
        explored.divergence = divergence.map(text);
        let is_over = parallel::add(&mut explored, self.shared);
        explored.complete = coverage == Coverage::All && self.failing.is_none() && !is_over;
        explored.coverage = coverage.to_string();
        if explored.random_data {
            explored.coverage += &random_data;
        }
        if self.is_out_of_time && !explored.complete {
            let seconds = self.request.time_limit as f64 / 1e3;
            explored.coverage += &format!("; cut short by the budget of {seconds} s");
        }
        let diverged = match &self.strategy_in_use {
            StrategyInUse::Gradual(gradual) => gradual.diverged().map(text).or(self.parted),
            StrategyInUse::Chosen(..) | StrategyInUse::Searching(_) => None,
        };
        if let Some(parted) = diverged {
            explored.coverage += &format!("; it can't be searched: {parted}");
        }
        explored.executions = executions;
        if let (Some((end, schedule)), Some(failure), None) =
            (self.failing, notes.failure, notes.uncontrolled)
        {
            let thoroughly = describe::THOROUGHLY;
            match describe::found_in_original(subject, failure, end, schedule, thoroughly) {
                Ok(found) => explored.found = Some(found),
                Err(why) => explored.uncontrolled = Some(why),
            }
        }
        tell_of_unreached(&mut explored);
        explored.nanoseconds = self.start.elapsed().as_nanos() as u64;
        explored
    }
}

fn say_progress(progress: &SearchProgress) {
    responses::say(&Response::Progress {
        executions: progress.executions,
        estimate: progress.estimate(),
    });
}
