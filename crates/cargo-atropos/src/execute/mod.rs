//! From test binaries to verdicts.
//!
//! 1. [`baseline`] runs every test without a mutant.
//! 2. [`harnessed_tests`] runs mutants under cheap tests without threads.
//! 3. [`explored_tests`] explores the schedules of tests that start threads, without and with the mutants that are left.
//! 4. [`harnessed_tests`] runs the rest under the tests that they infect, each test in the [`run_mode`] that is cheapest
//!    for it.
//! 5. [`plain_programs`] runs what has no harness of ours, doctests last, for the mutants that nothing else killed.
//! 6. [`standing`] puts together what the tests said.

mod baseline;
mod communication;
mod copied_blocks;
mod exclusive_run;
mod explored_tests;
mod file_locks;
mod harnessed_tests;
mod leftover_files;
mod plain_programs;
mod run_mode;
mod standing;
mod test_case;
mod time_budget;
mod zygotes;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use atropos_libtest::Arguments;
use atropos_mutants::Category;
use atropos_mutants::mutant::MutantId;
use atropos_protocol::{Baseline, Effect};
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{Exploration, Kill, TestExploration, TestRecord};
use atropos_report::verdict::Verdict;

pub use self::explored_tests::FailingSchedule;
pub use self::plain_programs::PlainTest;
pub use self::run_mode::{Used, limits};
pub use self::standing::{Standing, TestId, Undecided};
pub use self::test_case::{FailedTest, FlakyTest, LeftOut};

use self::harnessed_tests::Turn;
use self::leftover_files::Beside;
use self::plain_programs::PlainBaseline;
use self::test_case::TestCase;
use self::zygotes::{Boards, ZygoteSetting};
use crate::arguments::Options;
use crate::build::Build;
use crate::build::doctests;
use crate::interrupt::Interrupt;
use crate::journal::{Entry, ExploredEntry, Journal, KillEntry};
use crate::log;
use crate::plan::Plan;
use crate::progress::{Phase, Progress};
use crate::scratch::Scratch;

/// What an execution needs to know.
pub struct Execute<'a> {
    pub plan: &'a Plan,
    pub build: &'a Build,
    pub options: &'a Options,
    /// Where scratch directories are noted.
    pub output: &'a Path,
    pub interrupt: &'a Interrupt,
    pub progress: &'a Progress,
}

/// What an execution found.
pub struct Executed {
    pub tests: Vec<TestRecord>,
    /// By mutant id; index 0 is unused.
    pub standings: Vec<Standing>,
    pub left_out: LeftOut,
    /// Files that appeared while mutants ran whose tests start programs.
    pub strays: Vec<PathBuf>,
    /// Tests that fail without any mutant under some schedule of their threads.
    pub failing_schedules: Vec<FailingSchedule>,
    /// What exploring the schedules of tests took.
    pub explorations: Vec<TestExploration>,
    /// What was built on the way: for exploration, and of doctests.
    pub build_seconds: f64,
    pub baseline_seconds: f64,
    pub run_seconds: f64,
}

/// How an execution ended.
pub enum Execution {
    Executed(Executed),
    /// The tests fail without any mutant.
    TestsFail(Vec<FailedTest>),
    /// The tests take so long that an optimised build is worth its time.
    Slow {
        baseline_seconds: f64,
    },
    /// The user ended it before it was known what the tests reach.
    Interrupted,
}

/// What all workers share.
struct Context<'a> {
    setting: &'a Execute<'a>,
    zygotes: ZygoteSetting<'a>,
    boards: Boards,
    journal: &'a Journal,
    /// The tests whose threads have schedules that matter, once that is known.
    threaded: OnceLock<BTreeSet<TestId>>,
    standings: Mutex<Vec<Standing>>,
}

/// What one test said of one mutant.
struct Said {
    mutant: u32,
    seconds: f64,
    /// None: the test passed.
    kill: Option<KillEntry>,
    /// Of a test whose schedules were explored.
    explored: Option<ExploredEntry>,
}

impl Context<'_> {
    fn interrupted(&self) -> bool {
        self.setting.interrupt.is_requested()
    }

    fn jobs(&self) -> usize {
        self.setting.options.jobs()
    }

    /// Whether every test that a mutant infects is run, also after it was killed.
    fn all_tests(&self) -> bool {
        self.setting.options.execute.kill_matrix
    }

    fn is_built(&self, mutant: u32) -> bool {
        self.setting.build.built.contains(&MutantId(mutant))
    }

    /// Whether a mutant only acts where threads are explored.
    fn needs_exploration(&self, mutant: u32) -> bool {
        let info = self.info(mutant);
        info.is_some_and(|info| info.needs_exploration)
    }

    fn info(&self, mutant: u32) -> Option<&MutantInfo> {
        let index = (mutant as usize).checked_sub(1)?;
        self.setting.plan.mutants.get(index)
    }

    fn is_concurrency(&self, mutant: u32) -> bool {
        let info = self.info(mutant);
        info.is_some_and(|info| info.operator.category() == Category::Concurrency)
    }

    /// A worker that panics is a bug of ours and ends the run anyway.
    fn standings(&self) -> MutexGuard<'_, Vec<Standing>> {
        self.standings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The mutants about which a test still has something to say.
    fn open_for(&self, test: TestId) -> Vec<u32> {
        let standings = self.standings();
        let all_tests = self.all_tests();
        let open = standings.iter().enumerate();
        open.filter(|(_, standing)| standing.is_open_for(test, all_tests))
            .map(|(id, _)| id as u32)
            .collect()
    }

    /// Notes what a test said of mutants: first on disk, then for everybody.
    fn note(&self, test: TestId, name: &str, said: Vec<Said>) -> Result<()> {
        let entries: Vec<Entry> = said
            .iter()
            .map(|said| Entry {
                test: name.to_owned(),
                mutant: said.mutant,
                seconds: said.seconds,
                kill: said.kill.clone(),
                explored: said.explored.clone(),
            })
            .collect();
        self.journal.append(&entries).context(
            "can't write the journal of verdicts; the next run goes on with what it holds",
        )?;
        let mut standings = self.standings();
        for said in said {
            let standing = &mut standings[said.mutant as usize];
            if said.explored.is_some() {
                standing.meet(test);
            }
            let before = standing.verdict();
            standing.seconds += said.seconds;
            match said.kill {
                None => {
                    if !leaves_open(&said.explored) {
                        standing.passed.insert(test);
                    }
                    standing
                        .explored
                        .extend(report_exploration(test, said.explored));
                }
                // Two workers may kill it at the same time: the first one's word counts.
                Some(_) if !self.all_tests() && !standing.kills.is_empty() => {}
                Some(kill) => {
                    let kill = report_kill(test, kill, said.explored);
                    standing.kills.insert(test, kill);
                    if !self.all_tests() {
                        self.boards.set_dead(said.mutant);
                    }
                }
            }
            if let (None, Some(verdict)) = (before, standing.verdict()) {
                self.setting.progress.verdict(verdict);
            }
        }
        Ok(())
    }

    /// All mutants of the points whose first mutants are given.
    fn mutants_at(&self, points: &[u32]) -> Vec<u32> {
        let sizes: BTreeMap<u32, u16> = self.zygotes.points.iter().copied().collect();
        let size = |first: &u32| u32::from(sizes.get(first).copied().unwrap_or(1));
        let points = points.iter();
        points
            .flat_map(|first| *first..*first + size(first))
            .collect()
    }

    /// A pair is reached where one of its mutants is, and makes a difference where one of them does.
    fn add_reach_of_pairs(&self) {
        let mut standings = self.standings();
        for pair in &self.setting.plan.pairs {
            let both = [pair.first, pair.second].map(|id| standings[id.0 as usize].clone());
            let is_built = self.is_built(pair.id.0);
            let standing = &mut standings[pair.id.0 as usize];
            let before = standing.verdict();
            for one in both {
                standing.reached_by_chance |= one.reached_by_chance;
                let by_chance = one.infected_by_chance.filter(|_| is_built);
                standing.infected_by_chance = standing.infected_by_chance.or(by_chance);
                standing.reached_by.extend(one.reached_by);
                let threaded = self.threaded.get();
                let with_threads = |test: &TestId| threaded.is_some_and(|all| all.contains(test));
                let infected = one.infected_by.into_iter().filter(with_threads);
                standing.infected_by.extend(infected.filter(|_| is_built));
            }
            if let (Some(verdict), None) = (before, standing.verdict()) {
                self.setting.progress.reopened(verdict);
            }
        }
    }

    /// Adds what a test comes to that passes and fails by chance.
    fn add_reach_by_chance(&self, test: usize, baseline: &Baseline) {
        let mut standings = self.standings();
        let reached = self.mutants_at(&baseline.reached);
        for &id in &reached {
            standings[id as usize].reached_by_chance = true;
        }
        let infected = match baseline.effects.contains(Effect::Threads) {
            true => &reached,
            false => &baseline.infected,
        };
        for &id in infected.iter().filter(|&&id| self.is_built(id)) {
            let standing = &mut standings[id as usize];
            let before = standing.verdict();
            standing.infected_by_chance.get_or_insert(test);
            if let (Some(verdict), None) = (before, standing.verdict()) {
                self.setting.progress.reopened(verdict);
            }
        }
    }

    /// Adds what a test reaches and infects to the standings.
    fn add_reach(&self, test: TestId, reached: &[u32], infected: &[u32]) {
        let mut standings = self.standings();
        for id in self.mutants_at(reached) {
            standings[id as usize].reached_by.insert(test);
        }
        let threaded = self.threaded.get();
        let with_threads = threaded.is_some_and(|threaded| threaded.contains(&test));
        let may_act = |id: u32| with_threads || !self.needs_exploration(id);
        for &id in infected
            .iter()
            .filter(|&&id| self.is_built(id) && may_act(id))
        {
            let standing = &mut standings[id as usize];
            let before = standing.verdict();
            standing.infected_by.insert(test);
            if let (Some(verdict), None) = (before, standing.verdict()) {
                self.setting.progress.reopened(verdict);
            }
        }
    }
}

/// Whether ordinary runs of a test are to be made, although its schedules were explored.
fn leaves_open(explored: &Option<ExploredEntry>) -> bool {
    explored
        .as_ref()
        .is_some_and(|explored| explored.leaves_open)
}

fn report_exploration(test: TestId, explored: Option<ExploredEntry>) -> Option<Exploration> {
    explored.map(|explored| Exploration {
        test: test.0,
        coverage: explored.coverage,
        schedules: explored.schedules,
        unseen: explored.unseen,
    })
}

fn report_kill(test: TestId, kill: KillEntry, explored: Option<ExploredEntry>) -> Kill {
    let some = |text: String| (!text.is_empty()).then_some(text);
    let (schedule, trace) = explored.map_or_else(Default::default, |explored| {
        (explored.schedule, explored.trace)
    });
    Kill {
        test: test.0,
        how: kill.how,
        message: some(kill.message),
        location: some(kill.location),
        schedule: some(schedule),
        trace: some(trace),
    }
}

/// Names a test in the journal.
fn journal_name(test: &TestRecord) -> String {
    format!("{} {} {}", test.package, test.target, test.name)
}

/// Runs the tests of a build on all its mutants. `known` is what an earlier run already decided.
pub fn execute(setting: &Execute<'_>, journal: &Journal, known: Vec<Entry>) -> Result<Execution> {
    let scratch = Scratch::make(setting.output, "running")?;
    let mutants = u32::try_from(setting.plan.mutants.len())?;
    let context = Context {
        setting,
        zygotes: ZygoteSetting {
            binaries: &setting.build.binaries,
            test_arguments: &setting.options.execute.test_args,
            mutants,
            points: points(setting.plan),
            scratch: scratch.path().to_owned(),
        },
        boards: Boards::default(),
        journal,
        threaded: OnceLock::new(),
        standings: Mutex::new(vec![Standing::default(); mutants as usize + 1]),
    };
    let done = AtomicBool::new(false);
    let execution = thread::scope(|scope| {
        scope.spawn(|| stop_workers_on_request(&context, &done));
        let execution = in_stages(&context, known);
        done.store(true, Ordering::Relaxed);
        execution
    });
    drop(scratch);
    execution
}

/// Once the user wants to end, commands that run at the moment are cut short.
fn stop_workers_on_request(context: &Context<'_>, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        if context.interrupted() {
            context.boards.cancel();
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn in_stages(context: &Context<'_>, known: Vec<Entry>) -> Result<Execution> {
    let start = Instant::now();
    let baselines = baseline::run(context)?;
    if baselines.slow && !context.interrupted() {
        let baseline_seconds = start.elapsed().as_secs_f64();
        return Ok(Execution::Slow { baseline_seconds });
    }
    let programs = plain_programs::baselines(context, unharnessed(context))?;
    if context.interrupted() {
        return Ok(Execution::Interrupted);
    }
    let mut failed = baselines.failed;
    failed.extend(programs.failed);
    if !failed.is_empty() {
        return Ok(Execution::TestsFail(failed));
    }
    let baseline_seconds = start.elapsed().as_secs_f64();
    log_baselines(context, &baselines.tests, baseline_seconds);

    let start = Instant::now();
    let mut tests: Vec<TestRecord> = baselines
        .tests
        .iter()
        .map(|test| harnessed_record(context, test))
        .chain(programs.tests.iter().map(plain_record))
        .collect();
    let threaded = baselines.tests.iter().enumerate();
    let threaded =
        threaded.filter(|(_, test)| explored_tests::has_schedules(context, &test.baseline));
    let threaded = threaded.map(|(index, _)| TestId(index)).collect();
    context.threaded.get_or_init(|| threaded);
    for (index, test) in baselines.tests.iter().enumerate() {
        let baseline = &test.baseline;
        if baseline.effects.contains(Effect::Threads) {
            // Under another schedule the values may differ: what is reached must be run.
            let infected = context.mutants_at(&baseline.reached);
            context.add_reach(TestId(index), &baseline.reached, &infected);
        } else {
            context.add_reach(TestId(index), &baseline.reached, &baseline.infected);
        }
    }
    for (index, test) in programs.tests.iter().enumerate() {
        let id = TestId(baselines.tests.len() + index);
        context.add_reach(id, &test.reached, &test.infected);
    }
    for (index, test) in baselines.left_out.flaky.iter().enumerate() {
        context.add_reach_by_chance(index, &test.baseline);
    }
    context.add_reach_of_pairs();
    restore(&mut context.standings(), &tests, &known);
    if context.setting.build.may_be_faster && known.is_empty() {
        let mut order: Vec<usize> = (0..tests.len()).collect();
        order.sort_by(|&one, &other| tests[one].seconds.total_cmp(&tests[other].seconds));
        let with_mutants = order.into_iter().map(|index| {
            // What else the machine does must not look like slow tests.
            let cost = match baselines.tests.get(index) {
                Some(test) if test.baseline.waits_for_strangers() => Duration::ZERO,
                Some(test) => test.baseline.wall.min(test.baseline.cpu),
                None => Duration::from_secs_f64(tests[index].seconds),
            };
            (cost, context.open_for(TestId(index)))
        });
        if run_mode::optimising_pays(
            with_mutants,
            context.jobs(),
            context.setting.build.compile_time,
        ) {
            return Ok(Execution::Slow { baseline_seconds });
        }
    }
    let beside = Beside::of(context.setting.plan);
    if explored_tests::is_wanted(context, &baselines.tests) {
        announce(context);
        harnessed_tests::run(context, &baselines.tests, &tests, Turn::BeforeExploration)?;
    }
    let explorations = explored_tests::run(context, &baselines.tests, &tests)?;
    explored_tests::leave_the_rest_undecided(context);
    announce(context);
    harnessed_tests::run(context, &baselines.tests, &tests, Turn::Rest)?;
    plain_programs::run(context, &programs.tests, &tests, baselines.tests.len())?;

    let mut left_out = baselines.left_out;
    let mut build_seconds = explorations.build_seconds;
    let mut doctests_alone = 0.0;
    if !context.setting.options.execute.no_doc && !context.interrupted() {
        let doctests = run_doctests(context, &mut tests, &known)?;
        left_out.failing_doctests = doctests.failing;
        build_seconds += doctests.build_seconds;
        doctests_alone = doctests.baseline_seconds;
    }
    let harnessed = baselines.tests.iter().map(|test| test.baseline.effects);
    let mut effects = harnessed.chain(programs.tests.iter().map(|test| test.effects));
    let strays = match effects.any(|effects| effects.contains(Effect::Processes)) {
        true => beside.appeared(context.setting.plan),
        false => Vec::new(),
    };
    Ok(Execution::Executed(Executed {
        tests,
        standings: std::mem::take(&mut context.standings()),
        left_out,
        strays,
        failing_schedules: explorations.failing,
        explorations: explorations.sizes,
        build_seconds,
        baseline_seconds: baseline_seconds + doctests_alone,
        run_seconds: (start.elapsed().as_secs_f64() - build_seconds - doctests_alone).max(0.0),
    }))
}

/// What became of the doctests, besides what they said of mutants.
struct Doctests {
    failing: Vec<String>,
    build_seconds: f64,
    baseline_seconds: f64,
}

/// Builds the doctests and runs them for the mutants that are left.
fn run_doctests(
    context: &Context<'_>,
    tests: &mut Vec<TestRecord>,
    known: &[Entry],
) -> Result<Doctests> {
    let first = tests.len();
    context.setting.progress.phase(Phase::BuildingDoctests, 0);
    let start = Instant::now();
    let programs = doctests(context)?;
    let build_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let doctests = plain_programs::baselines(context, programs)?;
    let baseline_seconds = start.elapsed().as_secs_f64();
    tests.extend(doctests.tests.iter().map(plain_record));
    for (index, test) in doctests.tests.iter().enumerate() {
        context.add_reach(TestId(first + index), &test.reached, &test.infected);
    }
    restore(&mut context.standings(), tests, known);
    announce(context);
    plain_programs::run(context, &doctests.tests, tests, first)?;
    log::line("doctests: done");
    Ok(Doctests {
        failing: doctests.failed.into_iter().map(|test| test.name).collect(),
        build_seconds,
        baseline_seconds,
    })
}

/// Targets with `harness = false`: each is one test, and is given the arguments for test binaries,
/// as by cargo. Since not all understand them, `--skip` with the target's name leaves one out.
fn unharnessed(context: &Context<'_>) -> Vec<PlainTest> {
    let given = &context.setting.options.execute.test_args;
    let chosen = Arguments::parse(given.iter().cloned()).unwrap_or_default();
    let binaries = context.zygotes.binaries.iter();
    binaries
        .filter(|binary| !binary.harness && !chosen.skips(binary.target_name()))
        .map(|binary| {
            let mut invocation = binary.invocation.clone();
            invocation.arguments.extend(given.iter().cloned());
            PlainTest {
                package: binary.package.clone(),
                target: binary.target.clone(),
                name: "(whole program)".to_owned(),
                invocation,
                succeeds: true,
            }
        })
        .collect()
}

/// The doctests of all packages: they are run without a mutant even if none is left to kill, since a tree whose doctests
/// fail must not pass.
fn doctests(context: &Context<'_>) -> Result<Vec<PlainTest>> {
    let mut found = Vec::new();
    for (index, package) in context.setting.plan.packages.iter().enumerate() {
        let has_doctests = package.targets.iter().any(|target| target.doctest);
        if has_doctests && !context.interrupted() {
            let build = context.setting.build;
            let directory = build.directory.join(format!("doctests-{index}"));
            found.extend(doctests::build(
                build,
                package,
                &directory,
                &context.setting.options.execute.test_args,
                context.setting.interrupt,
            )?);
        }
    }
    Ok(found)
}

fn log_baselines(context: &Context<'_>, tests: &[TestCase], seconds: f64) {
    log::line(&format!(
        "baselines: {} tests in {seconds:.2} s",
        tests.len()
    ));
    for test in tests {
        let target = &context.zygotes.binaries[test.binary].target;
        let baseline = &test.baseline;
        log::line(&format!(
            "  {target} {}: {:.3} ms, {} steps, infects {} mutants; {}",
            test.name,
            baseline.wall.as_secs_f64() * 1e3,
            baseline.steps,
            baseline.infected.len(),
            match baseline.first_effect.as_str() {
                "" => "touches nothing outside",
                effect => effect,
            }
        ));
    }
}

/// Tells the progress line how many mutants there are and what is known of them from the start.
fn announce(context: &Context<'_>) {
    let plan = context.setting.plan;
    let standings = context.standings();
    let mutants = plan.mutants.iter();
    let known = mutants.filter_map(|mutant| match context.is_built(mutant.id.0) {
        true => standings[mutant.id.0 as usize].verdict(),
        false => Some(Verdict::Unviable),
    });
    let progress = context.setting.progress;
    progress.begin_running(plan.mutants.len(), known);
}

fn harnessed_record(context: &Context<'_>, test: &TestCase) -> TestRecord {
    let binary = &context.zygotes.binaries[test.binary];
    TestRecord {
        name: test.name.clone(),
        package: binary.package.clone(),
        target: binary.target.clone(),
        seconds: test.baseline.wall.as_secs_f64(),
    }
}

fn plain_record(test: &PlainBaseline) -> TestRecord {
    TestRecord {
        name: test.test.name.clone(),
        package: test.test.package.clone(),
        target: test.test.target.clone(),
        seconds: test.wall.as_secs_f64(),
    }
}

/// Each point's first mutant and how many mutants it has.
pub fn points(plan: &Plan) -> Vec<(u32, u16)> {
    let files = plan.packages.iter().flat_map(|package| &package.files);
    let points = files.flat_map(|file| &file.mutants.points);
    points
        .filter_map(|point| {
            let first = point.mutants.first()?.id.0;
            let size = u16::try_from(point.mutants.len()).unwrap_or(u16::MAX);
            Some((first, size))
        })
        .collect()
}

/// Puts back what an earlier run of the same build had decided.
fn restore(standings: &mut [Standing], tests: &[TestRecord], known: &[Entry]) {
    let ids: BTreeMap<String, TestId> = tests
        .iter()
        .enumerate()
        .map(|(index, test)| (journal_name(test), TestId(index)))
        .collect();
    for entry in known {
        let Some(&test) = ids.get(&entry.test) else {
            continue;
        };
        let Some(standing) = standings.get_mut(entry.mutant as usize) else {
            continue;
        };
        if entry.explored.is_some() {
            standing.meet(test);
        }
        match &entry.kill {
            None if leaves_open(&entry.explored) || standing.passed.insert(test) => {
                standing.seconds += entry.seconds;
                let explored = report_exploration(test, entry.explored.clone());
                standing.explored.extend(explored);
            }
            None => {}
            Some(kill) => {
                standing.seconds += entry.seconds;
                let kill = report_kill(test, kill.clone(), entry.explored.clone());
                standing.kills.insert(test, kill);
            }
        }
    }
}
