//! `cargo atropos explore`: every test under every schedule of its threads, and what was found.
//!
//! The tests are built against a std whose threads can be controlled (see `build::build_explored`); each test is
//! explored by a [`process`] of its own. Schedules that fail are written down ([`failing_schedules`]), for `replay`.

mod changed_first;
pub mod failing_schedules;
mod idle_watch;
pub mod object_names;
pub mod pictures;
pub mod plain_memory;
pub mod process;
mod report;
pub mod saved_run;
pub mod saved_schedules;
mod shards;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use atropos_protocol::FailureKind;
use atropos_protocol::Test;
use atropos_protocol::exploration::{Explored, FoundFailure, Request, RequestedAction, Response};
use atropos_protocol::thread_trace::ThreadTrace;

use self::changed_first::changed_functions;
use self::failing_schedules::{FailingSchedule, FailingSchedules};
use self::object_names::ObjectNames;
use self::process::{Process, RequestEnd, TestOutput};
use self::report::TestReport;
use self::saved_schedules::SavedSchedules;
use crate::arguments::{
    ExploreArguments, Options, OutputOptions, ScheduleConditions, ScheduleOptions,
};
use crate::build::{self, Build, BuildFailure, test_binary::TestBinary};
use crate::exit_code::ExitCode;
use crate::interrupt::Interrupt;
use crate::log;
use crate::nextest_filter::DefaultFilter;
use crate::prepare::{Prepared, prepare};
use crate::progress::{Progress, RunPhase, schedules};
use crate::scratch::Scratch;
use crate::terminal::Terminal;

/// Time for all tests together, unless the user says otherwise …
const TIME_FOR_ALL_TESTS: Duration = Duration::from_secs(120);
/// … and what each gets at least.
const LEAST_TIME: Duration = Duration::from_secs(6);
/// How long a test binary may say nothing beyond the time limit of its request.
const GRACE: Duration = Duration::from_secs(30);
/// How often the log says how far the exploration of a test is.
const LOGGED: Duration = Duration::from_secs(5);

/// A test of one of the binaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTest {
    /// Which binary.
    pub binary: usize,
    /// The test's number in it.
    pub index: usize,
    pub name: String,
}

/// Explores the tests that the arguments name, or all.
pub fn explore(arguments: ExploreArguments) -> Result<ExitCode> {
    if !arguments.merge.is_empty() {
        return shards::merge(&arguments.merge, &arguments);
    }
    let interrupt = Interrupt::install()?;
    let mut prepared = prepare(arguments.options())?;
    plain_memory::settle_races(&mut prepared)?;
    prepared.plan.forget_mutants();
    let terminal = prepared.terminal;
    let output = prepared.output_directory.clone();
    let changed = arguments.since.as_ref();
    let changed = changed.map(|revision| changed_functions(revision, &prepared));
    let changed = changed.transpose()?;
    let Some(_turn) = crate::run::take_turn(&output, terminal, &interrupt)? else {
        return Ok(ExitCode::Interrupted);
    };
    log::begin(&output);
    let build = match build(&prepared, &interrupt)? {
        ControlFlow::Continue(build) => build,
        ControlFlow::Break(code) => return Ok(code),
    };
    let scratch = Scratch::make(&output, "exploring")?;
    let default_filter = DefaultFilter::of(&prepared, &build, scratch.path());
    let explorer = Explorer {
        binaries: &build.binaries,
        test_arguments: &prepared.options.execute.test_args,
        object_names: ObjectNames::new(&prepared.workspace_root),
        scratch: scratch.path(),
        interrupt: &interrupt,
        default_filter: &default_filter,
    };
    let mut listed = explorer.list(&arguments.tests)?;
    if listed.is_empty() && !interrupt.is_requested() {
        if !arguments.tests.is_empty() {
            bail!("no test has {} in its name", quoted(&arguments.tests));
        }
        terminal.warn("no tests were found");
        return Ok(ExitCode::Success);
    }
    let progress = Progress::start(terminal);
    progress.phase(RunPhase::Exploring, listed.len());
    let jobs = prepared.options.jobs();
    let schedule = &prepared.options.exploration.schedule;
    let mut request = schedule.request(&arguments.strategy);
    let has_time = schedule.budget.is_some_and(|budget| budget.time.is_some());
    if arguments.strategy.is_none() && !has_time {
        request.time_limit = share(request.time_limit, listed.len(), jobs);
    }
    if let (Some(changed), Some(revision)) = (&changed, &arguments.since) {
        let note = explorer.put_changed_first(&mut listed, changed, &request, jobs)?;
        terminal.note(format!("{note} since `{revision}`, and come first"));
    }
    shards::put_into(&mut request, arguments.shard);
    let mut saved = SavedSchedules::read(&prepared.workspace_root)?;
    let conditions = &schedule.circumstances;
    let reports = explorer.explore_all(&listed, &request, conditions, &saved, jobs, &progress)?;
    drop(progress);
    if arguments.save && !interrupt.is_requested() {
        saved.update(&reports);
        saved.write(&prepared.workspace_root)?;
    }
    saved_schedules::warn_of_stale(&reports, arguments.save, terminal);
    keep_failing(&reports, &request, &build, &prepared)?;
    let page = pictures::write(&reports, &output)?;
    let page = page.as_deref().map(in_short);
    show(&reports, &arguments.output, page.as_deref(), terminal)?;
    if interrupt.is_requested() {
        return Ok(ExitCode::Interrupted);
    }
    shards::keep(&reports, &prepared, &arguments)?;
    Ok(code(&reports, !arguments.tests.is_empty()))
}

/// Prints what was found, and where the page is, if there is one.
fn show(
    reports: &[TestReport],
    options: &OutputOptions,
    page: Option<&str>,
    terminal: Terminal,
) -> Result<()> {
    let text = match options.json {
        true => report::json(reports, page)?,
        false => report::text(reports, options.verbose, page),
    };
    // A reader that has gone changes nothing about what was found.
    let _ = terminal.stdout().write_all(text.as_bytes());
    Ok(())
}

/// How an exploration ends, of all tests or of those that were named.
fn code(reports: &[TestReport], is_named: bool) -> ExitCode {
    if reports.iter().any(|report| report.found().is_some()) {
        ExitCode::Survivors
    } else if is_named && reports.iter().any(|report| !report.is_explored()) {
        ExitCode::NotTested
    } else {
        ExitCode::Success
    }
}

/// Keeps the schedules that fail, for `replay`.
fn keep_failing(
    reports: &[TestReport],
    request: &Request,
    build: &Build,
    prepared: &Prepared,
) -> Result<()> {
    let mut failing_schedules = FailingSchedules::read(&prepared.output_directory);
    for report in reports {
        if let Some(found) = report.found().filter(|found| !found.schedule.is_empty()) {
            failing_schedules.keep(FailingSchedule {
                test: report.name.clone(),
                target: report.target.clone(),
                package: report.package.clone(),
                mutant: None,
                title: found.title.clone(),
                binary: build.binaries[report.listed_test.binary].clone(),
                test_arguments: prepared.options.execute.test_args.clone(),
                order: Request {
                    action: RequestedAction::Replay,
                    test: report.listed_test.index,
                    schedule: found.schedule.clone(),
                    ..report.conditions.put_into(request.clone())
                }
                .to_text(),
            });
        }
    }
    failing_schedules.write(&prepared.output_directory)
}

/// Builds the tests so that their threads can be explored; else says why not, with the code to end with.
fn build(prepared: &Prepared, interrupt: &Interrupt) -> Result<ControlFlow<ExitCode, Build>> {
    let terminal = prepared.terminal;
    let progress = Progress::start(terminal);
    progress.phase(RunPhase::Building, 0);
    let options = &prepared.options.build;
    let output = &prepared.output_directory;
    let races = prepared
        .options
        .exploration
        .schedule
        .circumstances
        .watches_memory();
    let build = build::build_explored(&prepared.plan, options, output, interrupt, races, None);
    drop(progress);
    match build {
        Ok(build) => Ok(ControlFlow::Continue(build)),
        Err(BuildFailure::DoesNotCompile(said)) => {
            write!(terminal.stderr(), "{said}")?;
            terminal.error(
                "the tests do not build on a std whose threads can be explored; if they build with `cargo test`, \
                 please report this as a bug",
            );
            Ok(ControlFlow::Break(ExitCode::TestsFail))
        }
        Err(BuildFailure::Interrupted) => Ok(ControlFlow::Break(ExitCode::Interrupted)),
        Err(BuildFailure::Internal(error)) => Err(error),
    }
}

/// What one of so many tests gets, in milliseconds: at most what is default.
fn share(default: u64, tests: usize, jobs: usize) -> u64 {
    let of_each = TIME_FOR_ALL_TESTS.as_millis() as u64 * jobs as u64 / tests.max(1) as u64;
    of_each.clamp(LEAST_TIME.as_millis() as u64, default)
}

/// A schedule of a test of which no failing schedule is known: the test is built, from the sources as they are.
pub fn build_for(
    test: &str,
    schedule: &str,
    options: Options,
    interrupt: &Interrupt,
) -> Result<ControlFlow<ExitCode, FailingSchedule>> {
    let mut prepared = prepare(options)?;
    plain_memory::settle_races(&mut prepared)?;
    prepared.plan.forget_mutants();
    let output = prepared.output_directory.clone();
    let Some(_turn) = crate::run::take_turn(&output, prepared.terminal, interrupt)? else {
        return Ok(ControlFlow::Break(ExitCode::Interrupted));
    };
    log::begin(&output);
    let build = match build(&prepared, interrupt)? {
        ControlFlow::Continue(build) => build,
        ControlFlow::Break(code) => return Ok(ControlFlow::Break(code)),
    };
    let scratch = Scratch::make(&output, "exploring")?;
    let explorer = Explorer {
        binaries: &build.binaries,
        test_arguments: &prepared.options.execute.test_args,
        object_names: ObjectNames::new(&prepared.workspace_root),
        scratch: scratch.path(),
        interrupt,
        // It is named.
        default_filter: &DefaultFilter::default(),
    };
    let listed = explorer.list(&[test.to_owned()])?;
    let mut meant: Vec<&ListedTest> = listed
        .iter()
        .filter(|listed_test| listed_test.name == test)
        .collect();
    if meant.is_empty() {
        meant.extend(&listed);
    }
    let listed_test = match meant[..] {
        [listed_test] => listed_test,
        [] if interrupt.is_requested() => return Ok(ControlFlow::Break(ExitCode::Interrupted)),
        [] => bail!("no test has `{test}` in its name"),
        [first, second, ..] => bail!(
            "both `{}` ({}) and `{}` ({}) are named so; which of them?",
            first.name,
            build.binaries[first.binary].target,
            second.name,
            build.binaries[second.binary].target
        ),
    };
    let binary = &build.binaries[listed_test.binary];
    let request = prepared.options.exploration.schedule.request(&None);
    Ok(ControlFlow::Continue(FailingSchedule {
        test: listed_test.name.clone(),
        target: binary.target.clone(),
        package: binary.package.clone(),
        mutant: None,
        title: String::new(),
        binary: binary.clone(),
        test_arguments: prepared.options.execute.test_args.clone(),
        order: Request {
            action: RequestedAction::Replay,
            test: listed_test.index,
            schedule: schedule.to_owned(),
            ..request
        }
        .to_text(),
    }))
}

/// A path as one types it here.
fn in_short(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" or ")
}

/// What explorations of a build share.
pub struct Explorer<'a> {
    pub binaries: &'a [TestBinary],
    pub test_arguments: &'a [String],
    pub object_names: ObjectNames,
    pub scratch: &'a Path,
    pub interrupt: &'a Interrupt,
    /// Which tests are explored.
    pub default_filter: &'a DefaultFilter,
}

impl Explorer<'_> {
    /// The tests whose names hold one of the patterns; all if there is none. Ignored ones are left out.
    pub fn list(&self, patterns: &[String]) -> Result<Vec<ListedTest>> {
        let mut listed = Vec::new();
        for (binary, test_binary) in self.binaries.iter().enumerate() {
            if !test_binary.harness {
                continue;
            }
            let mut tests: Vec<Test> = Vec::new();
            let request = Request::default();
            let file = self.scratch.join(format!("list-{binary}"));
            let ended = self.process(test_binary, &file, GRACE).carry_out(
                &request,
                self.interrupt,
                &mut |response| {
                    if let Response::Test(test) = response {
                        tests.push(test);
                    }
                },
            )?;
            if let RequestEnd::Died(_) | RequestEnd::Silent | RequestEnd::Halted = ended {
                bail!(
                    "the test binary of {} does not list its tests",
                    test_binary.target
                );
            }
            let is_meant = |test: &Test| {
                let mut patterns = patterns.iter();
                let is_named = patterns.len() == 0
                    || patterns.any(|pattern| test.name.contains(pattern.as_str()));
                is_named && self.default_filter.takes(test_binary, &test.name)
            };
            let meant = tests.into_iter().enumerate();
            listed.extend(
                meant
                    .filter(|(_, test)| !test.ignored && is_meant(test))
                    .map(|(index, test)| ListedTest {
                        binary,
                        index,
                        name: test.name,
                    }),
            );
        }
        Ok(listed)
    }

    pub fn process<'b>(
        &'b self,
        binary: &'b TestBinary,
        order_file: &'b Path,
        silence_limit: Duration,
    ) -> Process<'b> {
        Process {
            binary,
            test_arguments: self.test_arguments,
            object_names: &self.object_names,
            order_file,
            output: TestOutput::Hidden,
            prefix: &[],
            silence_limit,
        }
    }

    /// Explores one test.
    fn explore(
        &self,
        listed_test: &ListedTest,
        request: &Request,
        progress: &Progress,
    ) -> Result<Explored> {
        let file = self
            .scratch
            .join(format!("{}-{}", listed_test.binary, listed_test.index));
        let request = Request {
            test: listed_test.index,
            ..request.clone()
        };
        let mut explored = Explored::default();
        let mut executions = 0;
        let start = Instant::now();
        let mut logged = start;
        let binary = &self.binaries[listed_test.binary];
        let silence_limit = Duration::from_millis(request.time_limit) + GRACE;
        let ended = self.process(binary, &file, silence_limit).carry_out(
            &request,
            self.interrupt,
            &mut |response| match response {
                Response::Original(whole) => explored = whole,
                Response::Progress {
                    executions: so_far,
                    estimate,
                } => {
                    executions = so_far;
                    progress.schedules(&listed_test.name, so_far, estimate);
                    if logged.elapsed() >= LOGGED {
                        logged = Instant::now();
                        let far = schedules(so_far, estimate);
                        log::line(&format!("exploring {}: {far}", listed_test.name));
                    }
                }
                _ => {}
            },
        )?;
        let _ = fs::remove_file(&file);
        if matches!(ended, RequestEnd::Done) {
            return Ok(explored);
        }
        // It could not say that itself.
        explored.executions = executions;
        explored.nanoseconds = start.elapsed().as_nanos() as u64;
        match ended {
            RequestEnd::Silent => explored.uncontrolled = Some(process::too_long(silence_limit)),
            RequestEnd::Halted => explored.uncontrolled = Some(process::HALTS.to_owned()),
            _ => {}
        }
        if let RequestEnd::Died(status) = &ended {
            let text = format!("the test's process died ({status})");
            explored.coverage = "part of the schedules".to_owned();
            explored.found = Some(FoundFailure {
                kind: FailureKind::Crashed,
                title: text.clone(),
                text,
                location: String::new(),
                schedule: String::new(),
                trace: ThreadTrace::default(),
                replayed: false,
            });
        }
        Ok(explored)
    }

    /// Explores all tests, several at a time.
    fn explore_all(
        &self,
        listed: &[ListedTest],
        request: &Request,
        conditions: &ScheduleConditions,
        saved: &SavedSchedules,
        jobs: usize,
        progress: &Progress,
    ) -> Result<Vec<TestReport>> {
        let next = AtomicUsize::new(0);
        let reports = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| -> Result<()> {
            let workers: Vec<_> = (0..jobs.clamp(1, listed.len().max(1)))
                .map(|_| {
                    scope.spawn(|| -> Result<()> {
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            let Some(listed_test) = listed.get(number) else {
                                return Ok(());
                            };
                            if self.interrupt.is_requested() {
                                return Ok(());
                            }
                            let binary = &self.binaries[listed_test.binary];
                            let request = Request {
                                action: RequestedAction::Explore,
                                // Where fewer tests than jobs are left, several processes share a test.
                                workers: jobs.div_ceil((listed.len() - number).min(jobs)),
                                ..request.clone()
                            };
                            let saved =
                                saved.of(&binary.package, &binary.target, &listed_test.name);
                            let (explored, conditions) = match saved {
                                Some(saved) => self.explore_with_saved(
                                    listed_test,
                                    saved,
                                    &request,
                                    conditions,
                                    progress,
                                )?,
                                None => (
                                    self.explore(listed_test, &request, progress)?,
                                    conditions.clone(),
                                ),
                            };
                            progress.explored(&listed_test.name);
                            log::line(&format!(
                                "explored {}: {} in {} executions",
                                listed_test.name, explored.coverage, explored.executions
                            ));
                            if self.interrupt.is_requested() {
                                return Ok(());
                            }
                            let report = TestReport {
                                listed_test: listed_test.clone(),
                                name: listed_test.name.clone(),
                                package: binary.package.clone(),
                                target: binary.target.clone(),
                                conditions,
                                explored,
                            };
                            reports
                                .lock()
                                .expect("no worker panics")
                                .insert(number, report);
                        }
                    })
                })
                .collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().expect("a worker does not panic"))
        })?;
        let reports = reports.into_inner().expect("no worker panics");
        Ok(reports.into_values().collect())
    }
}

impl ScheduleOptions {
    /// The order that these options make, but for what is to be done.
    pub fn request(&self, strategy: &Option<String>) -> Request {
        let default = Request::default();
        self.circumstances.put_into(Request {
            strategy: strategy.clone().unwrap_or_default(),
            technique: self.technique.clone().unwrap_or_default(),
            seed: self.seed.unwrap_or(default.seed),
            executions: self
                .budget
                .and_then(|budget| budget.schedules)
                .unwrap_or(default.executions),
            time_limit: self
                .budget
                .and_then(|budget| budget.time)
                .map_or(default.time_limit, |time| time.as_millis() as u64),
            ..default
        })
    }
}

impl ScheduleConditions {
    /// The request under these conditions.
    pub fn put_into(&self, request: Request) -> Request {
        let ScheduleConditions {
            time,
            memory,
            spurious,
            random,
            races: _,
            leaks,
        } = self;
        Request {
            adversarial_time: time.is_some_and(|time| time.is_adversarial()),
            sequential_memory: memory.is_some_and(|memory| memory.is_sequential()),
            spurious: *spurious,
            fixed_random_data: random.is_some_and(|random| random.is_fixed()),
            races: self.races(),
            leaks: *leaks,
            ..request
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_tests_share_the_time_of_a_few() {
        assert_eq!(share(60_000, 1, 2), 60_000);
        assert_eq!(share(60_000, 10, 2), 24_000);
        assert_eq!(share(60_000, 500, 2), 6_000);
    }
}
