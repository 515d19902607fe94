//! From test binaries to verdicts.
//!
//! 1. [`baseline`] runs every test without a mutant.
//! 2. [`harnessed_tests`] runs mutants under cheap tests without threads.
//! 3. [`explored_tests`] explores the schedules of tests that start threads, without and with the mutants that are left.
//! 4. [`harnessed_tests`] runs the rest under the tests that they infect, each test in the [`run_mode`] that is cheapest
//!    for it.
//! 5. [`plain_programs`] runs what has no harness of ours, doctests last, for the mutants that nothing else killed.
//!
//! What they say is put together in [`standings`], where the verdicts of all mutants are decided.

mod baseline;
mod communication;
mod copied_blocks;
mod ended_by_others;
mod exclusive_run;
mod explored_tests;
mod file_locks;
mod harnessed_tests;
mod leftover_files;
mod outside_tests;
mod plain_programs;
mod run_mode;
mod saved_first;
mod standing;
mod standings;
mod test_case;
mod time_budget;
mod unexplored_tests;
mod zygotes;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use atropos_libtest::HarnessArguments;
use atropos_protocol::{Effect, Effects, RunEvidence};
use atropos_report::outcomes::{TestExploration, TestRecord};

pub use self::explored_tests::FailingExploration;
pub use self::plain_programs::PlainTest;
pub use self::run_mode::{UsedByOriginal, limits};
pub use self::standing::{Standing, TestId, Undecided};
pub use self::test_case::{FailedTest, FlakyTest, LeftOutTests};

use self::harnessed_tests::RunStage;
use self::leftover_files::DirectoryContents;
use self::outside_tests::OutsideMutants;
use self::plain_programs::PlainBaseline;
use self::standings::{MutantEntry, Standings};
use self::test_case::RunnableTest;
use self::zygotes::{Boards, ZygoteSetting};
use crate::accepted::Accepted;
use crate::archive::Archived;
use crate::arguments::Options;
use crate::build::Build;
use crate::build::doctests;
use crate::evidence::EarlierResults;
use crate::interrupt::Interrupt;
use crate::journal::{Journal, JournalEntry};
use crate::log;
use crate::nextest_filter::DefaultFilter;
use crate::plan::Plan;
use crate::progress::{Progress, RunPhase};
use crate::sandbox::SeenOfTests;
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
    /// Survivors that need not be killed.
    pub accepted: &'a Accepted,
    /// Which tests are run.
    pub default_filter: &'a DefaultFilter,
    /// What earlier runs said, and what this one adds to it.
    pub earlier_results: &'a EarlierResults<'a>,
    /// What comes from an archive and need not be built.
    pub archived: Option<&'a Archived>,
    pub goal: Goal,
}

/// How far an execution goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    Verdicts,
    /// Every test has run without a mutant, and the doctests are built. That is what an archive needs to know.
    Baselines,
}

/// What an execution found.
pub struct Executed {
    pub tests: Vec<TestRecord>,
    /// By mutant id; index 0 is unused.
    pub standings: Vec<Standing>,
    pub left_out: LeftOutTests,
    /// Files that appeared while mutants ran whose tests start programs.
    pub leftover_files: Vec<PathBuf>,
    /// Tests that fail without any mutant under some schedule of their threads.
    pub failing_schedules: Vec<FailingExploration>,
    /// What exploring the schedules of tests took.
    pub explorations: Vec<TestExploration>,
    /// Nothing that was said rests on what can't be compared with a later run.
    pub is_evident: bool,
    /// What was built on the way: for exploration, and of doctests.
    pub build_seconds: f64,
    pub baseline_seconds: f64,
    pub run_seconds: f64,
    /// The doctests that were built; known where no mutant is run.
    pub doctests: doctests::Doctests,
    /// Some test is to be explored.
    pub wants_exploration: bool,
}

/// How an execution ended.
pub enum Execution {
    Executed(Box<Executed>),
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
    standings: Standings<'a>,
}

impl Context<'_> {
    fn interrupted(&self) -> bool {
        self.setting.interrupt.is_requested()
    }

    fn jobs(&self) -> usize {
        self.setting.options.jobs()
    }

    /// Notes what a test said of mutants. Workers that are about to run one of those that are dead now leave it.
    fn note(&self, test: TestId, name: &str, said: Vec<MutantEntry>) -> Result<()> {
        for dead in self.standings.note(test, name, said)? {
            self.boards.set_dead(dead);
        }
        Ok(())
    }
}

/// Names a test in the journal.
fn journal_name(test: &TestRecord) -> String {
    format!("{} {} {}", test.package, test.target, test.name)
}

/// Runs the tests of a build on all its mutants. `known` is what an earlier run already decided.
pub fn execute(
    setting: &Execute<'_>,
    journal: &Journal,
    known: Vec<JournalEntry>,
) -> Result<Execution> {
    let scratch = Scratch::make(setting.output, "running")?;
    let numbering = setting.plan.numbering();
    let context = Context {
        setting,
        standings: Standings::new(setting, journal, &numbering),
        zygotes: ZygoteSetting {
            binaries: &setting.build.binaries,
            test_arguments: &setting.options.execute.test_args,
            numbering: &numbering,
            tree: tree(setting),
            scratch: scratch.path().to_owned(),
            seen: Arc::new(SeenOfTests::new(setting.plan)),
        },
        boards: Boards::default(),
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

fn in_stages(context: &Context<'_>, known: Vec<JournalEntry>) -> Result<Execution> {
    let start = Instant::now();
    let baselines = baseline::run(context)?;
    if baselines.slow && !context.interrupted() {
        let baseline_seconds = start.elapsed().as_secs_f64();
        return Ok(Execution::Slow { baseline_seconds });
    }
    let mut programs = plain_programs::baselines(context, unharnessed(context))?;
    if context.interrupted() {
        return Ok(Execution::Interrupted);
    }
    let failed = [baselines.failed, programs.failed].concat();
    if !failed.is_empty() {
        return Ok(Execution::TestsFail(failed));
    }
    let (whole, failing) =
        outside_tests::whole_binaries(context, &baselines.outside, &baselines.tests)?;
    programs.tests.extend(whole);
    if context.interrupted() {
        return Ok(Execution::Interrupted);
    }
    let baseline_seconds = start.elapsed().as_secs_f64();
    log_baselines(context, &baselines.tests, baseline_seconds);

    let start = Instant::now();
    let mut tests = records(context, &baselines.tests, &programs.tests);
    let standings = &context.standings;
    let outside = outside_tests::mutants(context, &baselines.outside);
    add_reach(
        context,
        &baselines.tests,
        &programs.tests,
        &baselines.left_out,
        &outside,
    );
    outside_tests::leave_undecided(context, &failing, &outside, &baselines.tests);
    standings.restore(&tests, &known);
    standings.reuse(&tests, &context.setting.earlier_results.holding());
    if known.is_empty() && optimising_pays(context, &baselines.tests, &tests) {
        return Ok(Execution::Slow { baseline_seconds });
    }
    if context.setting.goal == Goal::Baselines {
        return without_mutants(context, &baselines.tests, tests, baseline_seconds);
    }
    let before = DirectoryContents::of(context.setting.plan);
    let explorations = run_mutants(context, &baselines.tests, &programs.tests, &tests)?;

    let mut left_out = baselines.left_out;
    let doctests = match context.setting.options.execute.no_doc || context.interrupted() {
        true => Doctests::none(),
        false => run_doctests(context, &mut tests, &known)?,
    };
    left_out.failing_doctests = doctests.failing;
    let leftover_files = match start_processes(&baselines.tests, &programs.tests) {
        true => before.appeared(context.setting.plan),
        false => Vec::new(),
    };
    note_uses(context);
    let build_seconds = explorations.build_seconds + doctests.build_seconds;
    let not_run = build_seconds + doctests.baseline_seconds;
    let standings = standings.take();
    let decide_by_evidence = known.is_empty()
        && programs.tests.is_empty()
        && explorations.sizes.is_empty()
        && (left_out.flaky.is_empty() && doctests.are_evident);
    Ok(Execution::Executed(Box::new(Executed {
        tests,
        is_evident: decide_by_evidence && are_evident(&baselines.tests, &standings),
        standings,
        left_out,
        leftover_files,
        failing_schedules: explorations.failing,
        explorations: explorations.sizes,
        build_seconds,
        baseline_seconds: baseline_seconds + doctests.baseline_seconds,
        run_seconds: (start.elapsed().as_secs_f64() - not_run).max(0.0),
        doctests: doctests::Doctests::default(),
        wants_exploration: false,
    })))
}

/// Ends before the first mutant is run: builds the doctests and runs them without one.
fn without_mutants(
    context: &Context<'_>,
    harnessed: &[RunnableTest],
    mut tests: Vec<TestRecord>,
    baseline_seconds: f64,
) -> Result<Execution> {
    let first = tests.len();
    let (start, mut build_seconds) = (Instant::now(), 0.0);
    let mut found = doctests::Doctests::default();
    if !context.setting.options.execute.no_doc {
        context
            .setting
            .progress
            .phase(RunPhase::BuildingDoctests, 0);
        found = doctests(context)?;
        build_seconds = start.elapsed().as_secs_f64();
        let ran = plain_programs::baselines(context, found.programs.clone())?;
        tests.extend(ran.tests.iter().map(plain_record));
        for (index, test) in ran.tests.iter().enumerate() {
            let test_id = TestId(first + index);
            context
                .standings
                .add_reach(test_id, &test.reached, &test.infected);
        }
    }
    if context.interrupted() {
        return Ok(Execution::Interrupted);
    }
    Ok(Execution::Executed(Box::new(Executed {
        wants_exploration: explored_tests::is_wanted(context, harnessed),
        tests,
        standings: context.standings.take(),
        left_out: LeftOutTests::default(),
        leftover_files: Vec::new(),
        failing_schedules: Vec::new(),
        explorations: Vec::new(),
        is_evident: false,
        build_seconds,
        baseline_seconds: baseline_seconds + start.elapsed().as_secs_f64() - build_seconds,
        run_seconds: 0.0,
        doctests: found,
    })))
}

/// Runs the mutants under all tests but the doctests: cheap ones first, then those whose threads are explored.
fn run_mutants(
    context: &Context<'_>,
    harnessed: &[RunnableTest],
    programs: &[PlainBaseline],
    tests: &[TestRecord],
) -> Result<explored_tests::Explorations> {
    let standings = &context.standings;
    if explored_tests::is_wanted(context, harnessed) {
        standings.announce();
        harnessed_tests::run(context, harnessed, tests, RunStage::BeforeExploration)?;
    }
    let explorations = explored_tests::run(context, harnessed, tests)?;
    if !context.interrupted() {
        standings.leave_the_rest_undecided();
    }
    standings.announce();
    harnessed_tests::run(context, harnessed, tests, RunStage::Rest)?;
    plain_programs::run(context, programs, tests, harnessed.len())?;
    Ok(explorations)
}

/// Whether some test starts processes, which may leave files that nobody watched.
fn start_processes(harnessed: &[RunnableTest], programs: &[PlainBaseline]) -> bool {
    let harnessed = harnessed.iter().map(|test| test.baseline.effects);
    let mut effects = harnessed.chain(programs.iter().map(|test| test.effects));
    effects.any(|effects| effects.contains(Effect::Processes))
}

/// Adds what the tests reach and infect without a mutant to the standings.
fn add_reach(
    context: &Context<'_>,
    tests: &[RunnableTest],
    programs: &[PlainBaseline],
    left_out: &LeftOutTests,
    outside: &OutsideMutants,
) {
    let standings = &context.standings;
    let threaded = tests.iter().enumerate();
    let threaded =
        threaded.filter(|(_, test)| explored_tests::has_schedules(context, &test.baseline));
    standings.set_threaded(threaded.map(|(index, _)| TestId(index)).collect());
    for (index, test) in tests.iter().enumerate() {
        let baseline = &test.baseline;
        let mut infected = match baseline.effects.contains(Effect::Threads) {
            // Under another schedule the values may differ: what is reached must be run.
            true => standings.mutants_at(&baseline.reached),
            false => baseline.infected.clone(),
        };
        if let Some(outside) = outside.get(&test.binary) {
            infected.retain(|mutant| !outside.contains(mutant));
        }
        standings.add_reach(TestId(index), &baseline.reached, &infected);
    }
    for (index, test) in programs.iter().enumerate() {
        let id = TestId(tests.len() + index);
        standings.add_reach(id, &test.reached, &test.infected);
    }
    for (index, test) in left_out.flaky.iter().enumerate() {
        standings.add_reach_by_chance(index, &test.baseline);
    }
    standings.add_reach_of_pairs();
}

/// Whether an optimised build would save more time than it takes.
fn optimising_pays(context: &Context<'_>, tests: &[RunnableTest], records: &[TestRecord]) -> bool {
    let build = context.setting.build;
    if !build.may_be_faster {
        return false;
    }
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by(|&one, &other| records[one].seconds.total_cmp(&records[other].seconds));
    let with_mutants = order.into_iter().map(|index| {
        // What else the machine does must not look like slow tests.
        let cost = match tests.get(index) {
            Some(test) if test.baseline.waits_for_strangers() => Duration::ZERO,
            Some(test) => test.baseline.wall.min(test.baseline.cpu),
            None => Duration::from_secs_f64(records[index].seconds),
        };
        (cost, context.standings.open_for(TestId(index)))
    });
    run_mode::optimising_pays(with_mutants, context.jobs(), build.compile_time)
}

/// What became of the doctests, besides what they said of mutants.
#[derive(Default)]
struct Doctests {
    failing: Vec<String>,
    are_evident: bool,
    build_seconds: f64,
    baseline_seconds: f64,
}

impl Doctests {
    fn none() -> Doctests {
        Doctests {
            are_evident: true,
            ..Doctests::default()
        }
    }
}

/// Builds the doctests and runs them for the mutants that are left.
fn run_doctests(
    context: &Context<'_>,
    tests: &mut Vec<TestRecord>,
    known: &[JournalEntry],
) -> Result<Doctests> {
    let first = tests.len();
    context.standings.tell_so_far("the doctests");
    context
        .setting
        .progress
        .phase(RunPhase::BuildingDoctests, 0);
    let start = Instant::now();
    let doctests::Doctests {
        programs,
        rejected,
        are_out_of_reach,
    } = doctests(context)?;
    if are_out_of_reach {
        context.setting.progress.say(
            "warning: rustdoc of this toolchain is too old to run doctests for mutants; they decide nothing here",
        );
    }
    let build_seconds = start.elapsed().as_secs_f64();
    log::line(&format!(
        "doctests: {} built in {build_seconds:.2} s",
        programs.len()
    ));
    let start = Instant::now();
    let doctests = plain_programs::baselines(context, programs)?;
    let baseline_seconds = start.elapsed().as_secs_f64();
    log::line(&format!(
        "doctests: run without a mutant in {baseline_seconds:.2} s"
    ));
    tests.extend(doctests.tests.iter().map(plain_record));
    for (index, test) in doctests.tests.iter().enumerate() {
        context
            .standings
            .add_reach(TestId(first + index), &test.reached, &test.infected);
    }
    context.standings.restore(tests, known);
    let earlier_results = context.setting.earlier_results;
    for test in &doctests.tests {
        let target = format!("{} {}", test.test.package, test.test.target);
        earlier_results.add_target(&target, &test.test.invocation);
    }
    if !doctests.tests.is_empty() {
        context.standings.reuse(tests, &earlier_results.holding());
    }
    context.standings.begin_doctests();
    context.standings.announce();
    plain_programs::run(context, &doctests.tests, tests, first)?;
    log::line("doctests: done");
    Ok(Doctests {
        are_evident: rejected.is_empty()
            && doctests.failed.is_empty()
            && doctests
                .tests
                .iter()
                .all(|test| is_evident(test.evidence.as_ref())),
        failing: rejected
            .into_iter()
            .chain(doctests.failed.into_iter().map(|test| test.name))
            .collect(),
        build_seconds,
        baseline_seconds,
    })
}

/// Targets with `harness = false`: each is one test, and is given the arguments for test binaries,
/// as by cargo. Since not all understand them, `--skip` with the target's name leaves one out.
fn unharnessed(context: &Context<'_>) -> Vec<PlainTest> {
    let given = &context.setting.options.execute.test_args;
    let chosen = HarnessArguments::parse(given.iter().cloned()).unwrap_or_default();
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
fn doctests(context: &Context<'_>) -> Result<doctests::Doctests> {
    if let Some(archived) = context.setting.archived {
        return Ok(archived.doctests.clone());
    }
    let mut found = doctests::Doctests::default();
    for (index, package) in context.setting.plan.packages.iter().enumerate() {
        let has_doctests = package.targets.iter().any(|target| target.doctest);
        if package.is_tested && has_doctests && !context.interrupted() {
            let build = context.setting.build;
            let directory = build.directory.join(format!("doctests-{index}"));
            let of_package = doctests::build(
                build,
                package,
                &directory,
                &context.setting.options.execute.test_args,
                context.setting.interrupt,
            )?;
            found.programs.extend(of_package.programs);
            found.rejected.extend(of_package.rejected);
            found.are_out_of_reach |= of_package.are_out_of_reach;
        }
    }
    Ok(found)
}

fn log_baselines(context: &Context<'_>, tests: &[RunnableTest], seconds: f64) {
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

/// What reports say of the tests, in their order.
fn records(
    context: &Context<'_>,
    harnessed: &[RunnableTest],
    programs: &[PlainBaseline],
) -> Vec<TestRecord> {
    let harnessed = harnessed.iter();
    let harnessed = harnessed.map(|test| harnessed_record(context, test));
    harnessed.chain(programs.iter().map(plain_record)).collect()
}

fn harnessed_record(context: &Context<'_>, test: &RunnableTest) -> TestRecord {
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

/// Whether a later run can know whether a test without a mutant would go as it went.
fn is_evident(evidence: Option<&RunEvidence>) -> bool {
    evidence.is_some_and(|it| !it.effects.intersects(Effects::WITHOUT_EVIDENCE))
}

/// Tests have asked for variables of their environment and for files of the tree, which are evidence.
fn note_uses(context: &Context<'_>) {
    let uses = context.boards.uses();
    context.setting.earlier_results.note_uses(&uses);
}

/// Whether that holds for all tests, and all that they said of mutants.
fn are_evident(tests: &[RunnableTest], standings: &[Standing]) -> bool {
    let mut evidence = tests
        .iter()
        .map(|test| test.baseline.test_run.evidence.as_ref());
    let is_decided = |one: &Standing| !one.has_no_evidence && one.undecided_by.is_empty();
    evidence.all(is_evident) && standings.iter().all(is_decided)
}

/// The source tree, if nothing that is made lies in the midst of it.
fn tree(setting: &Execute<'_>) -> String {
    let root = &setting.plan.workspace_root;
    let is_apart = |made: &Path| match made.strip_prefix(root) {
        Err(_) => true,
        Ok(rest) => rest
            .iter()
            .any(|part| part == "target" || part.as_encoded_bytes().starts_with(b".")),
    };
    let target = setting.plan.target_directory.as_std_path();
    match is_apart(target) && is_apart(setting.output) {
        true => root.to_string(),
        false => String::new(),
    }
}
