//! `cargo atropos run`: from the user's tree to verdicts, one line per stage.

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use atropos_protocol::Effect;
use atropos_report::outcomes::{self, Outcomes, Timings, Totals};
use atropos_values::MutantId;

use crate::archive::PlacedFiles;
use crate::arguments::Options;
use crate::build::{self, Build, BuildFailure, CompiledWithoutMutants, Speed};
use crate::evidence::{EarlierResults, WholeRun};
use crate::execute::{
    self, Execute, Executed, Execution, FailedTest, FailingExploration, FlakyTest, Goal,
};
use crate::exit_code::ExitCode;
use crate::explore::failing_schedules::shown;
use crate::explore::plain_memory;
use crate::gate::Judgement;
use crate::impact::{self, Impacts, MeasurementInputs};
use crate::interrupt::Interrupt;
use crate::journal::{Journal, JournalEntry};
use crate::log;
use crate::nextest_filter::DefaultFilter;
use crate::prepare::{Prepared, prepare};
use crate::progress::{Progress, RunPhase};
use crate::reports::{self, Publication, publish};
use crate::results::Results;
use crate::sandbox;
use crate::second_order;
use crate::terminal::Terminal;
use crate::tree_state::{Differences, TreeState};

pub fn run(options: Options) -> Result<ExitCode> {
    let start = Instant::now();
    let interrupt = Interrupt::install()?;
    options.reports.formats()?;
    let prepared = prepare(options)?;
    plain_memory::check(&prepared.options.exploration.schedule.circumstances)?;
    refuse_a_score_that_is_none(&prepared.options)?;
    if let Some(missing) = sandbox::decide(&prepared.options)? {
        prepared.terminal.warn(missing);
    }
    let find = start.elapsed().as_secs_f64();
    let output = &prepared.output_directory;
    let Some(_turn) = take_turn(output, prepared.terminal, &interrupt)? else {
        return Ok(ExitCode::Interrupted);
    };
    let _placed = unpack(&prepared, &interrupt)?;
    log::begin(output);
    log_plan(&prepared);
    let progress = Progress::start(prepared.terminal);
    progress.follow_builds(output);
    if let Some(outcomes) = of_last_run(&prepared, find, start) {
        drop(progress);
        let judgement = report(&prepared, &outcomes, &[])?;
        return Ok(judgement.told(prepared.terminal));
    }
    let source = TreeState::planned(&prepared.plan, output);
    let tested = match build_and_test(&prepared, &source, &interrupt, &progress, Goal::Verdicts)? {
        ControlFlow::Continue(tested) => tested,
        ControlFlow::Break(end) => {
            drop(progress);
            return end_without_verdicts(&end, &prepared);
        }
    };
    let impacts = impact::measure(&MeasurementInputs {
        prepared: &prepared,
        build: &tested.build,
        executed: &tested.executed,
        interrupt: &interrupt,
        progress: &progress,
    });
    drop(progress);
    let interrupted = interrupt.is_requested();
    let mut warnings = warnings(&tested.build, &tested.executed, interrupted);
    for warning in &warnings {
        prepared.terminal.warn(warning);
    }
    for failing in &tested.executed.failing_schedules {
        tell_of_failing_exploration(failing, prepared.terminal)?;
    }
    warnings.splice(..0, prepared.warnings.iter().cloned());
    let timings = tested.timings(find, &impacts, start);
    let failing = changed_source(&source).or(failing_tests(&tested.executed));
    // There is nothing to report, and why has been said. The reports of an earlier run stay.
    if prepared.plan.mutants.is_empty() && prepared.plan.skipped.is_empty() && !interrupted {
        return Ok(failing.told(prepared.terminal));
    }
    let is_as_planned = warnings.len() == prepared.warnings.len() && !interrupted;
    let is_evident = is_as_planned && failing.code == ExitCode::Success && tested.is_evident();
    let results = Results {
        prepared: &prepared,
        build: &tested.build,
        executed: tested.executed,
        impacts,
        timings,
        warnings,
        interrupted,
    };
    let verdicts = results.verdicts();
    let outcomes = results.outcomes();
    if is_evident {
        let earlier_results = &tested.earlier_results;
        earlier_results.write_whole_run(&prepared, &tested.build, &verdicts, &outcomes)?;
    }
    let judgement = report(&prepared, &outcomes, &tested.build.left_alone)?;
    if !interrupted {
        let closed = tested.journal.close();
        closed.context("can't write the journal of verdicts")?;
    }
    Ok(failing.or(judgement).told(prepared.terminal))
}

/// Puts the files of an archive, if this is a run of one, where they belong.
fn unpack(prepared: &Prepared, interrupt: &Interrupt) -> Result<Option<PlacedFiles>> {
    let archived = prepared.archived.as_ref();
    let output = &prepared.output_directory;
    archived
        .map(|archived| archived.unpack(output, interrupt))
        .transpose()
}

/// The outcomes of the last run, if nothing has changed since.
fn of_last_run(prepared: &Prepared, find: f64, start: Instant) -> Option<Outcomes> {
    if prepared.options.execute.no_reuse || prepared.archived.is_some() {
        return None;
    }
    let mut outcomes = WholeRun::outcomes(prepared)?;
    log::line("nothing has changed since the last run");
    outcomes.timings.find = find;
    outcomes.timings.total = start.elapsed().as_secs_f64();
    Some(outcomes)
}

/// A run that skips what an earlier one has killed has no score that a gate could go by.
fn refuse_a_score_that_is_none(options: &Options) -> Result<()> {
    if options.select.iterate && options.gate.min_score.is_some() {
        bail!(
            "`--iterate` skips what was killed before, so there is no score that `--min-score` could be compared with"
        );
    }
    Ok(())
}

/// The tests that fail without any mutant, where that is known only after mutants were tested.
fn failing_tests(executed: &Executed) -> Judgement {
    let schedules = executed
        .failing_schedules
        .iter()
        .map(|failing| failing.name.clone());
    let doctests = executed.left_out.failing_doctests.iter().cloned();
    let names: Vec<String> = schedules.chain(doctests).collect();
    match names.is_empty() {
        true => Judgement::PASSED,
        false => Judgement::failed(
            ExitCode::TestsFail,
            format!("tests fail without any mutant: {}", names.join(", ")),
        ),
    }
}

/// Verdicts are about the text that the mutants were found in.
fn changed_source(source: &TreeState<'_>) -> Judgement {
    match source.check(Differences::WithoutNew) {
        Ok(()) => Judgement::PASSED,
        Err(changed) => Judgement::failed(ExitCode::Usage, changed.to_string()),
    }
}

/// Says why there are no verdicts, and whose reports are left.
pub fn end_without_verdicts(end: &RunEnd, prepared: &Prepared) -> Result<ExitCode> {
    let judgement = end.tell(prepared.terminal)?;
    let output = &prepared.output_directory;
    if output.join(outcomes::FILE_NAME).exists() {
        let output = reports::short(output);
        let note = format!("the reports in {output} are still those of an earlier run");
        prepared.terminal.note(note);
    }
    Ok(judgement.told(prepared.terminal))
}

/// The journal of a run that makes an archive: it has nothing to say.
pub const JOURNAL_OF_ARCHIVE: &str = "journal-of-archive.jsonl";

/// What building and testing came to.
pub struct Tested<'a> {
    pub build: Build,
    earlier_results: EarlierResults<'a>,
    is_tree_as_before: bool,
    journal: Journal,
    pub executed: Executed,
    /// What builds and tests alone took, those without success among them.
    spent: Timings,
    is_archived: bool,
}

impl Tested<'_> {
    /// Whether all that was said can be compared with what a later run would say.
    fn is_evident(&self) -> bool {
        self.executed.is_evident
            && self.is_tree_as_before
            && self.build.left_alone.is_empty()
            && !self.is_archived
    }

    fn timings(&self, find: f64, impacts: &Impacts, start: Instant) -> Timings {
        let Tested {
            spent, executed, ..
        } = self;
        Timings {
            find,
            check: spent.check,
            build: spent.build + executed.build_seconds,
            baseline: spent.baseline + executed.baseline_seconds,
            run: executed.run_seconds,
            impact: impacts.seconds,
            observed: impacts.observed,
            total: start.elapsed().as_secs_f64(),
        }
    }
}

/// Why there are no verdicts.
pub enum RunEnd {
    /// What rustc said.
    DoesNotBuild(String),
    TestsFail(Vec<FailedTest>),
    Interrupted,
}

impl RunEnd {
    fn tell(&self, terminal: Terminal) -> Result<Judgement> {
        match self {
            RunEnd::DoesNotBuild(said) => does_not_build(said, terminal),
            RunEnd::TestsFail(failed) => tests_fail(failed, terminal),
            RunEnd::Interrupted => Ok(Judgement::failed(
                ExitCode::Interrupted,
                "interrupted".to_owned(),
            )),
        }
    }
}

/// Builds, once more if the tests take long or start examples, and tests all mutants.
pub fn build_and_test<'a>(
    prepared: &'a Prepared,
    source: &TreeState<'_>,
    interrupt: &Interrupt,
    progress: &Progress,
    goal: Goal,
) -> Result<ControlFlow<RunEnd, Tested<'a>>> {
    let output = &prepared.output_directory;
    let mut speed = Speed::AsAsked;
    let mut spent = Timings::default();
    let archived = prepared.archived.as_ref();
    let mut may_need_examples = archived.is_none() && build::examples::are_in(&prepared.plan);
    loop {
        let mut build = match build_once(prepared, source, interrupt, progress, speed)? {
            ControlFlow::Continue(build) => build,
            ControlFlow::Break(end) => return Ok(ControlFlow::Break(end)),
        };
        if archived.is_none() {
            second_order::complete(&mut build.built, &prepared.plan);
        }
        let check_time = build.check_time.min(build.time);
        spent.check += check_time.as_secs_f64();
        spent.build += (build.time - check_time).as_secs_f64();
        log::line(&format!("build: {:.2} s", build.time.as_secs_f64()));
        let default_filter = match archived {
            Some(archived) => archived.default_filter.clone(),
            None => DefaultFilter::of(prepared, &build, &build.directory),
        };
        let (journal, known) = open_journal(prepared, &build, &default_filter, goal)?;
        if !known.is_empty() {
            progress.say("going on where an earlier run of the same build ended");
        }
        let earlier_results = EarlierResults::open(prepared, &build)?;
        let execution = Execute {
            earlier_results: &earlier_results,
            plan: &prepared.plan,
            build: &build,
            options: &prepared.options,
            output,
            interrupt,
            progress,
            accepted: &prepared.accepted,
            default_filter: &default_filter,
            archived,
            goal,
        };
        match execute::execute(&execution, &journal, known)? {
            Execution::Executed(executed) => {
                let is_tree_as_before = goal == Goal::Baselines
                    || archived.is_some()
                    || keep_results(&earlier_results, source, output)?;
                return Ok(ControlFlow::Continue(Tested {
                    build,
                    is_tree_as_before,
                    earlier_results,
                    journal,
                    executed: *executed,
                    spent,
                    is_archived: archived.is_some(),
                }));
            }
            Execution::Slow { baseline_seconds } => {
                spent.baseline += baseline_seconds;
                progress.say("the tests take long: building once more, optimised");
                log::line("the tests take long: building once more, optimised");
                speed = Speed::Optimised;
            }
            Execution::TestsFail(_) if may_need_examples => {
                progress.phase(RunPhase::Building, 0);
                log::line("tests fail: building the examples, which they may start");
                build::examples::build(&build, interrupt)?;
                may_need_examples = false;
            }
            Execution::TestsFail(failed) => {
                return Ok(ControlFlow::Break(RunEnd::TestsFail(failed)));
            }
            Execution::Interrupted => return Ok(ControlFlow::Break(RunEnd::Interrupted)),
        }
    }
}

/// Writes down what was found, for later runs. False if the tree has changed meanwhile: then nobody knows what tests have read.
fn keep_results(
    results: &EarlierResults<'_>,
    source: &TreeState<'_>,
    output: &Path,
) -> Result<bool> {
    let is_as_before = source.check(Differences::WithoutNew).is_ok() && results.is_tree_as_before();
    match is_as_before {
        true => results.write(output)?,
        false => log::line("the tree has changed meanwhile: the results are not kept"),
    }
    Ok(is_as_before)
}

/// Builds at a speed, unless it is built already.
fn build_once(
    prepared: &Prepared,
    source: &TreeState<'_>,
    interrupt: &Interrupt,
    progress: &Progress,
    speed: Speed,
) -> Result<ControlFlow<RunEnd, Build>> {
    if let Some(archived) = &prepared.archived {
        return Ok(ControlFlow::Continue(archived.build.clone()));
    }
    progress.phase(RunPhase::Building, 0);
    let built = build::build(prepared, interrupt, speed);
    source.check(Differences::All)?;
    match built {
        Ok(build) => Ok(ControlFlow::Continue(build)),
        Err(BuildFailure::DoesNotCompile(said)) => {
            Ok(ControlFlow::Break(RunEnd::DoesNotBuild(said)))
        }
        Err(BuildFailure::Interrupted) => Ok(ControlFlow::Break(RunEnd::Interrupted)),
        Err(BuildFailure::Internal(error)) => Err(error),
    }
}

/// The journal of a build, and what an earlier run of it has left there.
fn open_journal(
    prepared: &Prepared,
    build: &Build,
    default_filter: &DefaultFilter,
    goal: Goal,
) -> Result<(Journal, Vec<JournalEntry>)> {
    // What must be the same for verdicts of an earlier run to hold.
    let options = prepared.options.verdict_key();
    let filter = default_filter.key();
    let archived = prepared.archived.as_ref();
    let part = archived.map(|archived| archived.key(&prepared.options));
    let part = part.unwrap_or_default();
    let key = format!("{} {} {options} {filter}{part}", build.key, build.artifacts);
    let name = match goal {
        Goal::Verdicts => "journal.jsonl",
        // That of an interrupted run stays.
        Goal::Baselines => JOURNAL_OF_ARCHIVE,
    };
    Journal::open(&prepared.output_directory.join(name), &key)
        .context("can't write the journal of verdicts")
}

/// What keeps a part of the verdicts from being had: crates without mutants, tests that decide nothing, files that mutants
/// may have left.
fn warnings(build: &Build, executed: &Executed, interrupted: bool) -> Vec<String> {
    let alone = build.left_alone.iter().map(no_mutants_in);
    let flaky = executed.left_out.flaky.iter().map(by_chance);
    let failing = executed.left_out.failing_doctests.iter();
    let failing =
        failing.map(|name| format!("{name} fails without any mutant, so it can't judge mutants"));
    let leftover_files = executed.leftover_files.iter().map(|path| {
        format!(
            "{} appeared while mutants ran; a program that a test starts may have made it under one of them",
            path.display()
        )
    });
    let nothing = (has_no_tests(executed) && !interrupted)
        .then(|| "no tests were found, so no mutant can be killed".to_owned());
    let of_tests = alone.chain(flaky).chain(failing).chain(leftover_files);
    of_tests.chain(nothing).collect()
}

fn has_no_tests(executed: &Executed) -> bool {
    executed.tests.is_empty() && executed.left_out.flaky.is_empty()
}

fn log_plan(prepared: &Prepared) {
    let plan = &prepared.plan;
    let packages: Vec<&str> = plan.packages.iter().map(|one| one.name.as_str()).collect();
    let mutants = plan.mutants.len();
    log::line(&format!("{mutants} mutants of {}", packages.join(", ")));
}

/// Waits until no other run works in the same output directory. Released when dropped; none if the
/// user wants to end before.
pub fn take_turn(output: &Path, terminal: Terminal, interrupt: &Interrupt) -> Result<Option<File>> {
    fs::create_dir_all(output).with_context(|| format!("can't write to {}", output.display()))?;
    let path = output.join("lock");
    let file = File::create(&path).with_context(|| format!("can't write {}", path.display()))?;
    if file.try_lock().is_err() {
        terminal.note("waiting for another run in the same directory to end");
    }
    while let Err(error) = file.try_lock() {
        match error {
            TryLockError::Error(error) => return Err(error.into()),
            TryLockError::WouldBlock if interrupt.is_requested() => return Ok(None),
            TryLockError::WouldBlock => thread::sleep(Duration::from_millis(50)),
        }
    }
    Ok(Some(file))
}

pub fn no_mutants_in(alone: &CompiledWithoutMutants) -> String {
    let package = format!("package `{}`", alone.package);
    match &alone.crate_name {
        None => format!("no mutants in {package}: {}", alone.reason),
        Some(name) => format!(
            "no mutants in crate `{name}` of {package}: {}",
            alone.reason
        ),
    }
}

fn by_chance(test: &FlakyTest) -> String {
    let name = &test.name;
    let advice = match test.baseline.effects.contains(Effect::Threads) {
        // The name without its target.
        true => name.rsplit(' ').next().map(|name| {
            format!("; `cargo atropos explore {name}` looks for a schedule that makes it fail")
        }),
        false => None,
    };
    let advice = advice.unwrap_or_default();
    format!("{name} passes and fails by chance; it decides nothing here{advice}")
}

fn does_not_build(said: &str, terminal: Terminal) -> Result<Judgement> {
    write!(terminal.stderr(), "{said}")?;
    if said.contains("the item is gated behind the") {
        terminal.note("they use what features leave out: `--all-features`, or `--features NAME`, may be what they need");
    }
    let why = "the tests do not build without any mutant".to_owned();
    Ok(Judgement::failed(ExitCode::TestsFail, why))
}

fn tests_fail(failed: &[FailedTest], terminal: Terminal) -> Result<Judgement> {
    let mut stderr = terminal.stderr();
    for test in failed {
        writeln!(stderr, "---- {} ----", test.name)?;
        if test.output.is_empty() {
            writeln!(stderr, "{}", test.message)?;
        } else {
            writeln!(stderr, "{}", test.output.trim_end())?;
        }
    }
    let names: Vec<&str> = failed.iter().map(|test| test.name.as_str()).collect();
    let why = format!(
        "tests fail without any mutant, so they can't judge mutants: {}; \
         mend them, or leave them out with `-- --skip NAME`",
        names.join(", ")
    );
    Ok(Judgement::failed(ExitCode::TestsFail, why))
}

/// The original comes first: a test that fails under some schedule is a finding, whatever mutants do.
fn tell_of_failing_exploration(failing: &FailingExploration, terminal: Terminal) -> Result<()> {
    terminal.error(format!(
        "{} fails under some schedule of its threads, without any mutant",
        failing.name
    ));
    let mut stderr = terminal.stderr();
    let found = &failing.found;
    writeln!(stderr, "{}\n\n{}", found.text, found.trace)?;
    let test = failing.name.split(' ').next().unwrap_or_default();
    writeln!(
        stderr,
        "schedule {}\nto run it again: cargo atropos replay {test}",
        shown(&found.schedule)
    )?;
    if !failing.undecided.is_empty() {
        let ids: Vec<String> = failing.undecided.iter().map(MutantId::to_string).collect();
        writeln!(
            stderr,
            "it decides nothing about mutants {}",
            ids.join(", ")
        )?;
    }
    writeln!(stderr)?;
    Ok(())
}

/// Writes `outcomes.json` and the reports, prints the summary, and judges.
fn report(
    prepared: &Prepared,
    outcomes: &Outcomes,
    left_alone: &[CompiledWithoutMutants],
) -> Result<Judgement> {
    for warning in prepared.accepted.warnings(&outcomes.mutants) {
        prepared.terminal.warn(warning);
    }
    let sources = |file: &str| prepared.texts.get(file).cloned();
    publish(&Publication {
        outcomes,
        sources: &sources,
        options: &prepared.options,
        workspace_root: prepared.plan.workspace_root.as_std_path(),
        directory: &prepared.output_directory,
        terminal: prepared.terminal,
    })?;
    if !outcomes.complete {
        let why = "interrupted; the next run goes on from here".to_owned();
        return Ok(Judgement::failed(ExitCode::Interrupted, why));
    }
    // A shard may have few mutants, or none. The whole is judged where shards are joined.
    let is_shard = prepared.archived.is_some() && prepared.options.select.shard.is_some();
    if let Some(why) = not_tested(&outcomes.totals, left_alone).filter(|_| !is_shard) {
        return Ok(Judgement::failed(ExitCode::NotTested, why));
    }
    Ok(prepared.options.gate.judge(outcomes))
}

/// Why mutants that should have been tested were not.
pub fn not_tested(totals: &Totals, left_alone: &[CompiledWithoutMutants]) -> Option<String> {
    let nothing = nothing_tested(totals, left_alone).map(str::to_owned);
    nothing.or_else(|| {
        let package = without_mutants(left_alone)?;
        Some(format!(
            "the mutants of package `{package}` were not tested; leave it out with `--exclude` if that can't be mended"
        ))
    })
}

/// The first package that was compiled without any of its mutants.
fn without_mutants(left_alone: &[CompiledWithoutMutants]) -> Option<&str> {
    let whole = left_alone.iter().find(|alone| alone.crate_name.is_none())?;
    Some(&whole.package)
}

/// Why there are mutants, but none of them was tested.
fn nothing_tested(totals: &Totals, left_alone: &[CompiledWithoutMutants]) -> Option<&'static str> {
    if totals.unviable + totals.not_built != totals.mutants {
        return None;
    }
    Some(match (totals.not_built, left_alone) {
        (0, _) => "rustc rejects every mutant of the selected code, so nothing was tested",
        (_, []) => {
            "no mutant of the selected code was built, so nothing was tested; other --features may build it"
        }
        _ => "no mutant of the selected code was built, so nothing was tested",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_why_nothing_was_tested() {
        let totals = |unviable, not_built| Totals {
            mutants: 3,
            unviable,
            not_built,
            ..Totals::default()
        };
        let alone = CompiledWithoutMutants {
            package: "p".to_owned(),
            crate_name: None,
            reason: "why".to_owned(),
        };
        let alone = [alone];
        let says = |totals: Totals, alone: &[CompiledWithoutMutants], words: &str| {
            nothing_tested(&totals, alone).is_some_and(|reason| reason.contains(words))
        };
        assert!(says(totals(3, 0), &[], "rejects every mutant"));
        assert!(says(totals(1, 2), &[], "--features"));
        assert!(!says(totals(1, 2), &alone, "--features"));
        assert_eq!(nothing_tested(&totals(1, 1), &[]), None);
    }
}
