//! Tests that start threads: their schedules are explored, for the original and for each mutant that they reach.
//!
//! They are built once more for that, against a std whose threads are ours (see `build::build_explored`). What can't be
//! built that way, or does something that can't be controlled, is left to ordinary runs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::Result;
use atropos_protocol::communication::Act;
use atropos_protocol::exploration::{
    Explored, FoundFailure, MutantResult, Request, RequestedAction, Response,
};
use atropos_protocol::{Baseline, Effect, Effects};
use atropos_report::communication as report;
use atropos_report::outcomes::{ExplorationSize, TestExploration, TestRecord};
use atropos_values::MutantId;

use super::communication::{strike_out, told};
use super::copied_blocks::CopiedBlocks;
use super::saved_first::with_saved_schedule;
use super::standing::Undecided;
use super::standings::MutantEntry;
use super::test_case::RunnableTest;
use super::time_budget::TimeBudget;
use super::unexplored_tests::{tell_of_files, tell_of_libraries, threaded};
use super::{Context, TestId, journal_name};
use crate::build::{self, Build, BuildFailure};
use crate::explore::failing_schedules::{FailingSchedule, FailingSchedules};
use crate::explore::object_names::ObjectNames;
use crate::explore::process::{HALTS, RequestEnd, too_long};
use crate::explore::{Explorer, ListedTest};
use crate::journal::{ExploredEntry, KillEntry};
use crate::log;
use crate::progress::RunPhase;
use crate::scratch::Scratch;
use crate::second_order;

/// What the originals of all tests get together unless the user says otherwise.
const ORIGINALS: Duration = Duration::from_secs(120);
/// And all mutants.
const MUTANTS: Duration = Duration::from_secs(240);
/// What one test's original gets of that, at least and at most.
const ORIGINAL: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(15));
/// And its mutants together.
const MUTANTS_OF_ONE: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(60));
/// A mutant gets this at least, and at most.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(5));
/// And so many random schedules: what they have not shown by then they hardly ever show (EXPERIMENTS.md).
const SAMPLE: u64 = 1000;
/// Schedules for one stage of the original's exploration.
const EXECUTIONS: u64 = 5000;
/// Steps of a test without threads that is explored, too. A longer one costs more under control than it can show.
const SHORT: u64 = 10_000;
/// How long a test binary may say nothing beyond what its order allows.
const GRACE: Duration = Duration::from_secs(30);
/// And one that runs a test without threads, which is quick and can as well be run as it is.
const GRACE_WITHOUT_THREADS: Duration = Duration::from_secs(5);

/// So many tests that can't be explored are told one by one.
const TOLD: usize = 5;

/// A test that fails without any mutant under some schedule.
pub struct FailingExploration {
    pub test: TestId,
    /// With its target.
    pub name: String,
    pub found: FoundFailure,
    /// The mutants about which it therefore decides nothing.
    pub undecided: Vec<MutantId>,
}

/// What exploration found, besides what it said of mutants.
#[derive(Default)]
pub struct Explorations {
    pub failing: Vec<FailingExploration>,
    pub sizes: Vec<TestExploration>,
    /// What the build for it took.
    pub build_seconds: f64,
    /// What threads told each other in the original.
    communication: Vec<report::CommunicationRecord>,
}

/// Whether a test has schedules that may matter to mutants. Threads that a library starts for itself, and that run none of
/// the package's code, are the library's matter, unless the test comes to a place where the package deals with threads.
pub fn has_schedules(context: &Context<'_>, baseline: &Baseline) -> bool {
    let effects = baseline.effects;
    let mutants = || context.standings.mutants_at(&baseline.reached).into_iter();
    effects.contains(Effect::Threads)
        && (effects.contains(Effect::OwnThreads)
            || context.setting.options.exploration.is_asked_for()
            || mutants().any(|mutant| {
                context.standings.is_built(mutant) && context.standings.is_concurrency(mutant)
            }))
}

/// Those whose schedules are to be explored.
fn explorable(context: &Context<'_>, tests: &[RunnableTest]) -> Vec<usize> {
    let is_explorable = |index: &usize| {
        let effects = tests[*index].baseline.effects;
        context.standings.has_schedules(TestId(*index))
            && !effects.intersects(Effects::AGAINST_EXPLORATION)
    };
    threaded(context, tests).filter(is_explorable).collect()
}

/// Whether there is something to explore.
pub fn is_wanted(context: &Context<'_>, tests: &[RunnableTest]) -> bool {
    !explorable(context, tests).is_empty()
}

/// Tests without threads that are explored all the same. A lock that is taken twice blocks such a test for ever. An exploration sees
/// that at once and tells the lock, where an ordinary run takes two looks at the process.
fn alone(context: &Context<'_>, tests: &[RunnableTest]) -> impl Iterator<Item = usize> {
    (0..tests.len())
        .filter(|&index| !tests[index].baseline.effects.contains(Effect::Threads))
        .filter(|&index| tests[index].baseline.may_batch())
        .filter(|&index| tests[index].baseline.steps <= SHORT)
        .filter(|&index| {
            let standings = &context.standings;
            !standings.open_by_concurrency(TestId(index)).is_empty()
        })
}

/// Explores what starts threads, and notes what it says of mutants.
pub fn run(
    context: &Context<'_>,
    tests: &[RunnableTest],
    records: &[TestRecord],
) -> Result<Explorations> {
    tell_of_files(context, tests, records);
    tell_of_libraries(context, tests, records);
    let mut threaded = explorable(context, tests);
    let saved = with_saved_schedule(context, records, tests.len())?;
    if threaded.is_empty() && saved.is_empty() || context.interrupted() {
        return Ok(Explorations::default());
    }
    let Some(build) = build(context)? else {
        return Ok(Explorations::default());
    };
    threaded.extend(alone(context, tests));
    let scratch = Scratch::make(context.setting.output, "exploring")?;
    let explorer = Explorer {
        binaries: &build.binaries,
        test_arguments: context.zygotes.test_arguments,
        object_names: ObjectNames::new(context.setting.plan.workspace_root.as_std_path()),
        scratch: scratch.path(),
        interrupt: context.setting.interrupt,
        default_filter: context.setting.default_filter,
    };
    let listed = by_journal_name(&explorer)?;
    context
        .setting
        .progress
        .phase(RunPhase::Exploring, threaded.len());
    // By steps, which are the same every time; waiting takes no time under exploration.
    threaded.sort_by_key(|&index| (tests[index].baseline.steps, index));
    let mut stage = Stage {
        context,
        originals: TimeBudget::new(ORIGINALS, threaded.len()),
        mutants: TimeBudget::new(MUTANTS, threaded.len()),
        build: &build,
        explorer: &explorer,
        copies: CopiedBlocks::of(
            &build.directory,
            context.setting.plan.workspace_root.as_std_path(),
        )?,
        silent: BTreeSet::new(),
        unexplored: 0,
    };
    let mut failing = FailingSchedules::read(context.setting.output);
    let mut explorations = Explorations {
        build_seconds: build.time.as_secs_f64(),
        ..Explorations::default()
    };
    let fails = stage.explore_saved(&saved, records, &listed, &mut failing, &mut explorations)?;
    threaded.retain(|index| !fails.contains(index));
    for index in threaded {
        if context.interrupted() {
            break;
        }
        if let Some(listed) = listed.get(&journal_name(&records[index])) {
            let (test, record) = (TestId(index), &records[index]);
            stage.explore(test, record, listed, &mut failing, &mut explorations)?;
        }
        context.setting.progress.checked(&records[index].name);
    }
    stage.tell_the_rest();
    failing.write(context.setting.output)?;
    context.standings.strike_out(&explorations.communication);
    Ok(explorations)
}

/// The tests of the binaries for exploration, by the names that the journal has for them.
fn by_journal_name(explorer: &Explorer) -> Result<BTreeMap<String, ListedTest>> {
    let listed = explorer.list(&[])?.into_iter();
    let named = listed.map(|listed| {
        let binary = &explorer.binaries[listed.binary];
        let record = TestRecord {
            name: listed.name.clone(),
            package: binary.package.clone(),
            target: binary.target.clone(),
            seconds: 0.0,
        };
        (journal_name(&record), listed)
    });
    Ok(named.collect())
}

/// The build for exploration; without one all is left to ordinary runs.
fn build(context: &Context<'_>) -> Result<Option<Build>> {
    let setting = context.setting;
    if let Some(archived) = setting.archived {
        return Ok(archived.build_for_exploration(setting.progress));
    }
    setting.progress.phase(RunPhase::BuildingForThreads, 0);
    let built = build::build_explored(
        setting.plan,
        &setting.options.build,
        setting.output,
        setting.interrupt,
        setting
            .options
            .exploration
            .schedule
            .circumstances
            .watches_memory(),
        Some(setting.build),
    );
    match built {
        Ok(mut build) => {
            second_order::complete(&mut build.built, setting.plan);
            Ok(Some(build))
        }
        Err(BuildFailure::DoesNotCompile(said)) => {
            setting.progress.say(&format!(
                "warning: tests that start threads can't be explored, because they do not build for it ({}); \
                 they are run under whatever schedule the system chooses",
                build::headline(&said)
            ));
            Ok(None)
        }
        Err(BuildFailure::Interrupted) => Ok(None),
        Err(BuildFailure::Internal(error)) => Err(error),
    }
}

pub(super) struct Stage<'a> {
    pub(super) context: &'a Context<'a>,
    /// Time for what is not explored yet.
    originals: TimeBudget,
    mutants: TimeBudget,
    build: &'a Build,
    pub(super) explorer: &'a Explorer<'a>,
    copies: CopiedBlocks,
    /// Test binaries that did not come to an end under control.
    silent: BTreeSet<usize>,
    /// How many tests were not explored.
    unexplored: usize,
}

impl Stage<'_> {
    pub(super) fn request(&self, test: TestId, listed: &ListedTest) -> Request {
        let options = self.context.setting.options;
        let schedule = &options.exploration.schedule;
        // Code that waits for others is reached under some schedules only: which, the exploration tells.
        let mut mutants = match self.context.standings.has_schedules(test) {
            true => self.context.standings.may_be_met_by(test),
            false => self.context.standings.open_by_concurrency(test),
        };
        mutants.retain(|&mutant| self.build.built.contains(&mutant));
        let request = schedule.request(&options.exploration.explore);
        let jobs = options.jobs();
        // Who names a strategy has said how many schedules.
        let sample = match schedule.budget.is_some() || !request.strategy.is_empty() {
            true => u64::MAX,
            false => SAMPLE,
        };
        let (executions, time_limit, mutant_time_limit) = match schedule.budget {
            Some(_) => (request.executions, request.time_limit, request.time_limit),
            None => {
                let (most, most_of_each) = match self.context.standings.has_schedules(test) {
                    true => (ORIGINAL.1, PATIENCE.1),
                    // It has one schedule.
                    false => (ORIGINAL.0, ORIGINAL.0),
                };
                let original = self.originals.share(ORIGINAL.0, most);
                let share = self.mutants.share(MUTANTS_OF_ONE.0, MUTANTS_OF_ONE.1) * jobs as u32;
                let expected = self.context.standings.open_for(test).len().max(1) as u32;
                let each = (share / expected).clamp(PATIENCE.0, most_of_each);
                let (original, each) = (original.as_millis(), each.as_millis());
                (EXECUTIONS, original as u64, each as u64)
            }
        };
        Request {
            action: RequestedAction::Mutants,
            test: listed.index,
            executions,
            time_limit,
            mutant_time_limit,
            sample,
            workers: jobs,
            communication: !options.execute.no_impact,
            points: self.context.zygotes.numbering.points.clone(),
            mutants,
            pairs: self.context.setting.plan.pairs.clone(),
            ..request
        }
    }

    /// Explores one test and its mutants.
    fn explore(
        &mut self,
        test: TestId,
        record: &TestRecord,
        listed: &ListedTest,
        failing_schedules: &mut FailingSchedules,
        explorations: &mut Explorations,
    ) -> Result<()> {
        let request = self.request(test, listed);
        let has_schedules = self.context.standings.has_schedules(test);
        // What keeps one such test from its end (an allocator that counts, say) is mostly there for all.
        let is_hopeless = !has_schedules && self.silent.contains(&listed.binary);
        if request.mutants.is_empty() || is_hopeless {
            self.originals.spend(Duration::ZERO);
            self.mutants.spend(Duration::ZERO);
            return Ok(());
        }
        let start = Instant::now();
        let file = self
            .explorer
            .scratch
            .join(format!("{}-{}", listed.binary, listed.index));
        let binary = &self.build.binaries[listed.binary];
        let silence_limit = silence_limit(&request, has_schedules);
        let progress = self.context.setting.progress;
        progress.mutants_of(&record.name, 0, request.mutants.len());
        let mut running = ExplorationOfTest {
            stage: self,
            test,
            record,
            listed,
            request: &request,
            start,
            communication: &mut explorations.communication,
            failing_schedules,
            said: ExploredSoFar::new(test),
        };
        let ended = self
            .explorer
            .process(binary, &file, silence_limit)
            .carry_out(&request, self.context.setting.interrupt, &mut |response| {
                running.take(response)
            })?;
        let said = running.said;
        said.noted?;
        let spent = start.elapsed();
        let for_original = said.for_original.unwrap_or(spent);
        self.originals.spend(for_original);
        self.mutants.spend(spent - for_original);
        let _ = std::fs::remove_file(&file);
        let ending = (&ended, grace(has_schedules));
        self.tell_of(record, ending, said.original.as_ref());
        if ended == RequestEnd::Silent {
            self.silent.insert(listed.binary);
        }
        explorations.sizes.push(said.size);
        let mut undecided = said.undecided;
        if said.original.as_ref().is_some_and(is_usable) {
            self.leave_open(test, &journal_name(record), &mut undecided)?;
        }
        // Where a mutant failed, the original may have done so, too: then that is what is shown.
        let own = undecided
            .values()
            .find_map(|explored| explored.found.clone());
        let Some(found) = said.original.and_then(|original| original.found).or(own) else {
            return Ok(());
        };
        if !has_schedules {
            // There is no other schedule: it is the control that it does not bear.
            let why = format!("under control it ends otherwise: {}", found.title);
            self.say_unexplored(record, &why);
            return Ok(());
        }
        self.keep(failing_schedules, record, request, listed, &found);
        let failing = self.failing(test, record, found, undecided);
        explorations.failing.push(failing);
        Ok(())
    }

    /// The original fails under some schedule, so the test decides nothing about the mutants that failed, too.
    pub(super) fn failing(
        &self,
        test: TestId,
        record: &TestRecord,
        found: FoundFailure,
        undecided: BTreeMap<MutantId, Explored>,
    ) -> FailingExploration {
        let undecided: Vec<MutantId> = undecided.into_keys().collect();
        let standings = &self.context.standings;
        for &mutant in &undecided {
            standings.leave_undecided(test, mutant, Undecided::FailsToo);
        }
        FailingExploration {
            test,
            name: format!("{} ({})", record.name, record.target),
            found,
            undecided,
        }
    }

    /// Leaves mutants that could not be explored to the end to ordinary runs, or undecided if these don't come there or are
    /// not enough. What is left are those where the original fails, too.
    fn leave_open(
        &self,
        test: TestId,
        name: &str,
        undecided: &mut BTreeMap<MutantId, Explored>,
    ) -> Result<()> {
        for (mutant, explored) in undecided.extract_if(.., |_, explored| explored.found.is_none()) {
            let seconds = explored.nanoseconds as f64 / 1e9;
            let why = explored.coverage;
            let is_open = self.context.standings.is_open_for(test, mutant);
            if !is_open || self.context.standings.needs_exploration(mutant) {
                let why = Undecided::NotToTheEnd(why);
                self.context.standings.leave_undecided(test, mutant, why);
                continue;
            }
            let explored = ExploredEntry {
                coverage: format!("not to the end ({why}); run as it is, too"),
                schedules: explored.executions,
                leaves_open: true,
                schedule: String::new(),
                trace: String::new(),
                unseen: Vec::new(),
            };
            let said = MutantEntry {
                mutant,
                seconds,
                kill: None,
                explored: Some(explored),
                evidence: None,
            };
            self.context.note(test, name, vec![said])?;
        }
        Ok(())
    }

    /// Says why a test, or some of its mutants, are left to ordinary runs, if they are.
    fn tell_of(
        &mut self,
        record: &TestRecord,
        (ended, grace): (&RequestEnd, Duration),
        original: Option<&Explored>,
    ) {
        let why = match (ended, original) {
            (RequestEnd::Interrupted, _) => return,
            (RequestEnd::Died(status), _) => format!("its process died ({status})"),
            (RequestEnd::Halted, _) => HALTS.to_owned(),
            (RequestEnd::Silent, _) => too_long(grace),
            (RequestEnd::Done, Some(explored)) => {
                match (&explored.uncontrolled, &explored.divergence) {
                    (Some(what), _) => what.clone(),
                    (None, Some(what)) => format!("it is not deterministic under control: {what}"),
                    (None, None) => return,
                }
            }
            (RequestEnd::Done, None) => return,
        };
        if original.is_some_and(is_usable) {
            let TestRecord { name, target, .. } = record;
            self.context.setting.progress.say(&format!(
                "note: not all mutants are explored under {name} ({target}): {why}; the others are run as they are"
            ));
        } else {
            self.say_unexplored(record, &why);
        }
    }

    /// The first few are told; what is wrong with more of them is mostly the same, and is in the log.
    fn say_unexplored(&mut self, record: &TestRecord, why: &str) {
        self.unexplored += 1;
        let TestRecord { name, target, .. } = record;
        let text = format!(
            "the schedules of {name} ({target}) are not explored: {why}; it is run as it is"
        );
        log::line(&text);
        if self.unexplored <= TOLD {
            self.context.setting.progress.say(&format!("note: {text}"));
        }
    }

    fn tell_the_rest(&self) {
        let rest = self.unexplored.saturating_sub(TOLD);
        if rest > 0 {
            let are = if rest == 1 { "more is" } else { "more are" };
            self.context.setting.progress.say(&format!(
                "note: {rest} {are} not explored; atropos.log says why"
            ));
        }
    }

    /// What an exploration said of a mutant.
    fn said(&self, mutant: MutantId, explored: &Explored, certain: bool) -> MutantEntry {
        let info = self.context.standings.info(mutant);
        let line = |act: &Act| match info {
            Some(info) => self.copies.line(info, &act.file, act.line, act.column),
            None => act.line,
        };
        let found = explored.found.as_ref();
        let kill = found.map(|found| KillEntry {
            how: found.kind.general(),
            message: found.text.clone(),
            location: found.location.clone(),
        });
        // Luck under the system's own schedules counts as well, where not all of ours were seen; but some mutants act
        // under exploration only.
        let leaves_open = kill.is_none()
            && !explored.complete
            && info.is_some_and(|info| !info.needs_exploration);
        let text = |field: fn(&FoundFailure) -> &String| {
            found.map_or_else(String::new, |f| field(f).clone())
        };
        MutantEntry {
            mutant,
            seconds: explored.nanoseconds as f64 / 1e9,
            kill,
            explored: Some(ExploredEntry {
                coverage: explored.coverage.clone(),
                schedules: explored.executions,
                leaves_open,
                schedule: text(|found| &found.schedule),
                trace: found.map_or_else(String::new, |found| found.trace.to_string()),
                unseen: explored
                    .communication
                    .iter()
                    .map(|communication| told(communication, certain, line))
                    .collect(),
            }),
            evidence: None,
        }
    }

    /// Keeps the schedule of a failure, of the original or of the order's mutant, for `replay`.
    pub(super) fn keep(
        &self,
        failing_schedules: &mut FailingSchedules,
        record: &TestRecord,
        request: Request,
        listed: &ListedTest,
        found: &FoundFailure,
    ) {
        if found.schedule.is_empty() {
            return;
        }
        failing_schedules.keep(FailingSchedule {
            test: record.name.clone(),
            target: record.target.clone(),
            package: record.package.clone(),
            mutant: Some(request.mutant).filter(|mutant| !mutant.is_original()),
            title: found.title.clone(),
            binary: self.build.binaries[listed.binary].clone(),
            test_arguments: self.explorer.test_arguments.to_vec(),
            order: Request {
                action: RequestedAction::Replay,
                schedule: found.schedule.clone(),
                mutants: Vec::new(),
                ..request
            }
            .to_text(),
        });
    }
}

/// The exploration of one test while it runs: takes what its process responds.
struct ExplorationOfTest<'e, 's> {
    stage: &'e Stage<'s>,
    test: TestId,
    record: &'e TestRecord,
    listed: &'e ListedTest,
    request: &'e Request,
    start: Instant,
    /// What the originals' threads told each other.
    communication: &'e mut Vec<report::CommunicationRecord>,
    failing_schedules: &'e mut FailingSchedules,
    said: ExploredSoFar,
}

/// What the exploration of a test has said so far.
struct ExploredSoFar {
    /// How long the original took.
    for_original: Option<Duration>,
    original: Option<Explored>,
    undecided: BTreeMap<MutantId, Explored>,
    /// Whether all verdicts could be written.
    noted: Result<()>,
    mutants: usize,
    size: TestExploration,
}

impl ExploredSoFar {
    fn new(test: TestId) -> ExploredSoFar {
        ExploredSoFar {
            for_original: None,
            original: None,
            undecided: BTreeMap::new(),
            noted: Ok(()),
            mutants: 0,
            size: TestExploration {
                test: test.0,
                coverage: String::new(),
                original: ExplorationSize::default(),
                mutants: ExplorationSize::default(),
                survivors: ExplorationSize::default(),
                explored: 0,
                killed: 0,
            },
        }
    }

    fn count(&mut self, result: MutantResult, explored: &Explored) {
        self.mutants += 1;
        let size = &mut self.size;
        if result != MutantResult::Undecided {
            add(&mut size.mutants, explored);
            if result != MutantResult::Killed {
                add(&mut size.survivors, explored);
            }
        }
        if matches!(result, MutantResult::Killed | MutantResult::Survived) {
            size.explored += 1;
            size.killed += u64::from(result == MutantResult::Killed);
        }
    }
}

impl ExplorationOfTest<'_, '_> {
    fn take(&mut self, response: Response) {
        match response {
            Response::Original(explored) => self.take_original(explored),
            Response::Mutant {
                mutant,
                result,
                explored,
            } => self.take_mutant(mutant, result, explored),
            _ => {}
        }
    }

    fn take_original(&mut self, explored: Explored) {
        self.said.for_original = Some(self.start.elapsed());
        add(&mut self.said.size.original, &explored);
        self.said.size.coverage.clone_from(&explored.coverage);
        let communication = explored.communication.iter();
        self.communication
            .extend(communication.map(|fact| told(fact, true, |act| act.line)));
        self.said.original = Some(explored);
    }

    fn take_mutant(&mut self, mutant: MutantId, result: MutantResult, explored: Explored) {
        self.said.count(result, &explored);
        let context = self.stage.context;
        let progress = context.setting.progress;
        progress.mutants_of(
            &self.record.name,
            self.said.mutants,
            self.request.mutants.len(),
        );
        let original = self.said.original.as_ref();
        let complete = original.is_some_and(|original| original.complete);
        match result {
            MutantResult::Killed | MutantResult::Survived => {
                self.decide(mutant, &explored, complete)
            }
            MutantResult::Unreached | MutantResult::Uninfected => {
                let is_reached = result == MutantResult::Uninfected;
                let standings = &context.standings;
                standings.differs_nowhere(self.test, mutant, is_reached, complete);
            }
            MutantResult::Undecided => {
                self.said.undecided.insert(mutant, explored);
            }
        }
    }

    /// Notes what the test says of a mutant, and keeps the schedule that kills it.
    fn decide(&mut self, mutant: MutantId, explored: &Explored, complete: bool) {
        let stage = self.stage;
        if let Some(found) = &explored.found {
            let original = self.said.original.as_ref();
            let request = Request {
                mutant,
                allowance: original.and_then(|found| found.allowance),
                ..self.request.clone()
            };
            stage.keep(
                self.failing_schedules,
                self.record,
                request,
                self.listed,
                found,
            );
        }
        let mut said = stage.said(mutant, explored, complete);
        if let Some(explored) = &mut said.explored {
            // Ordinary runs don't come there.
            explored.leaves_open &= stage.context.standings.is_open_for(self.test, mutant);
            strike_out(&mut explored.unseen, self.communication);
        }
        if self.said.noted.is_ok() {
            let name = journal_name(self.record);
            self.said.noted = stage.context.note(self.test, &name, vec![said]);
        }
    }
}

/// How long the process of a test may say nothing.
fn silence_limit(request: &Request, has_schedules: bool) -> Duration {
    let most = request.time_limit.max(4 * request.mutant_time_limit);
    Duration::from_millis(most) + grace(has_schedules)
}

/// And how long beyond what its request allows.
fn grace(has_schedules: bool) -> Duration {
    match has_schedules {
        true => GRACE,
        false => GRACE_WITHOUT_THREADS,
    }
}

/// Whether what mutants do can be told from what the original does.
fn is_usable(original: &Explored) -> bool {
    original.found.is_none() && original.uncontrolled.is_none() && original.divergence.is_none()
}

fn add(size: &mut ExplorationSize, explored: &Explored) {
    if explored.shared {
        return;
    }
    size.schedules += explored.executions;
    size.states += explored.states;
    size.transitions += explored.transitions;
    size.before += explored.before;
    size.ways += explored.ways;
    size.seconds += explored.nanoseconds as f64 / 1e9;
    size.memory = size.memory.max(explored.memory);
}
