//! The first runs of every test, without any mutant: does it pass, what does it reach and use?
//!
//! Each test runs twice, so that one that passes and fails by chance is found before it can
//! decide anything. What either run reaches or infects counts. A test that lets other programs work and comes to no
//! mutant (one that has rustc compile something, for minutes) decides nothing anyway, and once is enough.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, anyhow};
use atropos_protocol::path_set::FileUse;
use atropos_protocol::{
    Baseline, Effect, FailureKind, Limits, RunEvidence, STACK_OVERFLOW, TestResult, TestRun,
    ZygoteError,
};
use atropos_values::{MutantId, PointId};

use super::Context;
use super::run_mode;
use super::test_case::{FailedTest, FlakyTest, LeftOutTests, RunnableTest};
use super::zygotes::Zygotes;
use crate::progress::RunPhase;

/// No test of the original may take longer.
const TIME_LIMIT: Duration = Duration::from_secs(600);
/// No test that takes less is worth a second build by itself.
const LONG: Duration = Duration::from_secs(4);
/// The size of a failed test's output that is worth showing.
const SHOWN: usize = 4000;

/// What the originals showed.
#[derive(Default)]
pub struct Baselines {
    pub tests: Vec<RunnableTest>,
    pub failed: Vec<FailedTest>,
    pub left_out: LeftOutTests,
    /// What test binaries run before and after their tests, by binary.
    pub outside: BTreeMap<usize, OutsideTests>,
    /// A test took so long that the build should be optimised before anything else.
    pub slow: bool,
}

/// What a test binary runs before and after its tests.
#[derive(Default)]
pub struct OutsideTests {
    pub reached: BTreeSet<PointId>,
    /// It has handlers of its own that run when it ends, which may notice what tests did.
    pub has_exit_handlers: bool,
}

enum BaselineResult {
    Test(Box<RunnableTest>),
    Failed(FailedTest),
    Flaky(Box<FlakyTest>),
    Slow,
}

impl BaselineResult {
    fn failed(name: String, message: String, output: String) -> BaselineResult {
        BaselineResult::Failed(FailedTest {
            name,
            message,
            output,
        })
    }

    fn files(&self) -> Option<&FileUse> {
        match self {
            BaselineResult::Test(test) => Some(&test.baseline.files),
            BaselineResult::Flaky(test) => Some(&test.baseline.files),
            BaselineResult::Failed(_) | BaselineResult::Slow => None,
        }
    }
}

/// How long a run of a test is waited for. Where optimising is left to be tried, a test that takes
/// longer than building once more is stopped for it: what it takes now it takes for every mutant.
fn time_limit(context: &Context<'_>) -> Duration {
    let build = context.setting.build;
    match build.may_be_faster {
        true => LONG.max(build.compile_time * 2),
        false => TIME_LIMIT,
    }
}

/// Runs all tests of all binaries that have our harness, on all workers.
pub fn run(context: &Context<'_>) -> Result<Baselines> {
    let mut baselines = Baselines::default();
    let listed = list(context, &mut baselines)?;
    context
        .setting
        .progress
        .phase(RunPhase::Checking, listed.len());
    let next = AtomicUsize::new(0);
    let findings = Mutex::new(Vec::new());
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..context.jobs())
            .map(|worker| {
                let (listed, next, findings) = (&listed, &next, &findings);
                scope.spawn(move || -> Result<()> {
                    let mut zygotes = Zygotes::new(&context.zygotes, &context.boards, worker);
                    while let Some((binary, index, name)) =
                        listed.get(next.fetch_add(1, Ordering::Relaxed))
                        && !context.interrupted()
                    {
                        context.setting.progress.checks(name);
                        let finding = try_test(context, &mut zygotes, *binary, *index, name)?;
                        if matches!(finding, BaselineResult::Slow) {
                            // The others need not begin any more.
                            next.store(listed.len(), Ordering::Relaxed);
                        }
                        context.setting.progress.checked(name);
                        let found = (*binary, *index, name.as_str(), finding);
                        findings.lock().expect("no worker panics").push(found);
                    }
                    Ok(())
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let mut findings = findings.into_inner().expect("no worker panics");
    for index in hindered(&findings) {
        let (binary, test, name, finding) = &mut findings[index];
        let mut zygotes = Zygotes::new(&context.zygotes, &context.boards, 0);
        *finding = try_test(context, &mut zygotes, *binary, *test, name)?;
    }
    for (.., finding) in findings {
        match finding {
            BaselineResult::Test(test) => baselines.tests.push(*test),
            BaselineResult::Failed(failed) => baselines.failed.push(failed),
            BaselineResult::Flaky(test) => baselines.left_out.flaky.push(*test),
            BaselineResult::Slow => baselines.slow = true,
        }
    }
    for test in &baselines.tests {
        let run = &test.baseline;
        if run.has_exit_handlers || !run.reached_at_end.is_empty() {
            let outside = baselines.outside.entry(test.binary).or_default();
            outside.reached.extend(&run.reached_at_end);
            outside.has_exit_handlers |= run.has_exit_handlers;
        }
    }
    baselines
        .tests
        .sort_by_key(|test| (test.binary, test.index));
    baselines
        .failed
        .sort_by(|one, other| one.name.cmp(&other.name));
    baselines
        .left_out
        .flaky
        .sort_by(|one, other| one.name.cmp(&other.name));
    Ok(baselines)
}

/// The tests that are run: the binary, the number in it, and the name of each.
fn list(context: &Context<'_>, baselines: &mut Baselines) -> Result<Vec<(usize, usize, String)>> {
    let mut listed = Vec::new();
    let mut zygotes = Zygotes::new(&context.zygotes, &context.boards, 0);
    for (binary, test_binary) in context.zygotes.binaries.iter().enumerate() {
        if !test_binary.harness {
            continue;
        }
        let client = zygotes
            .get(binary)
            .map_err(|broken| anyhow!("the test binary of {} {broken}", test_binary.target))?;
        let reached = client.reached_at_start();
        if !reached.is_empty() {
            let outside = baselines.outside.entry(binary).or_default();
            outside.reached.extend(reached);
        }
        let filter = context.setting.default_filter;
        for (index, test) in client.tests().iter().enumerate() {
            if test.ignored {
                baselines.left_out.ignored += 1;
            } else if filter.takes(test_binary, &test.name) {
                listed.push((binary, index, test.name.clone()));
            }
        }
    }
    Ok(listed)
}

/// Tests that failed, perhaps because others were in their way: `cargo test` would not run those of other programs beside
/// them. One that fails may not have come to the file yet that another has changed.
fn hindered(findings: &[(usize, usize, &str, BaselineResult)]) -> Vec<usize> {
    let is_hindered = |index: &usize| {
        let others = findings.iter().enumerate();
        let others = others.filter(|(other, _)| other != index);
        let mut others = others.filter_map(|(_, (.., other))| other.files());
        match &findings[*index].3 {
            BaselineResult::Failed(_) => others.any(|other| !other.changed.is_empty()),
            BaselineResult::Flaky(test) => {
                others.any(|other| test.baseline.files.is_in_the_way_of(other))
            }
            _ => false,
        }
    };
    (0..findings.len()).filter(is_hindered).collect()
}

/// Whether there is nothing that this test could decide.
fn decides_nothing(run: &Baseline) -> bool {
    run.passed() && run.reached.is_empty() && run.waits_for_strangers()
}

/// Runs one test twice, or once if that is enough.
fn try_test(
    context: &Context<'_>,
    zygotes: &mut Zygotes<'_>,
    binary: usize,
    index: usize,
    name: &str,
) -> Result<BaselineResult> {
    let full_name = format!("{} {name}", context.zygotes.binaries[binary].target);
    let capture = context
        .zygotes
        .scratch
        .join(format!("output-{binary}-{index}"));
    let build = context.setting.build;
    let mut runs = Vec::new();
    let mut file_size = run_mode::FILE_SIZE;
    while runs.len() < 2 {
        let mut run_for = |time_limit: Duration| -> Result<_> {
            let limits = Limits {
                file_size,
                ..Limits::only_time(time_limit)
            };
            let zygote = zygotes.get(binary)?;
            Ok(zygote.baseline(index, &limits, &capture))
        };
        let first = run_for(time_limit(context))?;
        let run = match first {
            Ok(run) if run.test_run.result.is_of_the_clock() && build.may_be_faster => {
                if !run.waits_for_strangers() {
                    return Ok(BaselineResult::Slow);
                }
                run_for(TIME_LIMIT)?
            }
            run => run,
        };
        match run {
            // A write has failed by our limit, so that this run says nothing.
            Ok(run) if file_size != 0 && run.effects.contains(Effect::LargeFiles) => {
                file_size = 0;
                runs.clear();
            }
            Ok(mut run) => {
                if file_size == 0 {
                    run.effects.add(Effect::LargeFiles);
                }
                runs.push(run);
                if runs.iter().any(decides_nothing) {
                    break;
                }
            }
            Err(ZygoteError::Start(error)) => return Err(error.into()),
            Err(broken) => {
                zygotes.discard(binary);
                let message = format!("its process {broken}");
                let output = captured(&capture);
                return Ok(BaselineResult::failed(full_name, message, output));
            }
        }
    }
    let passed = runs.iter().filter(|run| run.passed()).count();
    let finding = match runs.len() - passed {
        0 => BaselineResult::Test(Box::new(RunnableTest {
            binary,
            index,
            name: name.to_owned(),
            baseline: union(runs),
        })),
        1 => BaselineResult::Flaky(Box::new(FlakyTest {
            name: full_name,
            baseline: union(runs),
        })),
        _ => BaselineResult::Failed(FailedTest {
            name: full_name,
            message: why_failed(&runs[0].test_run),
            output: captured(&capture),
        }),
    };
    let _ = fs::remove_file(capture);
    Ok(finding)
}

/// The larger figures and the united sets of several runs.
fn union(runs: Vec<Baseline>) -> Baseline {
    let reached: BTreeSet<PointId> = runs.iter().flat_map(|run| &run.reached).copied().collect();
    let infected: BTreeSet<MutantId> = runs.iter().flat_map(|run| &run.infected).copied().collect();
    let mut way_to = BTreeMap::new();
    for (&mutant, &steps) in runs.iter().flat_map(|run| &run.way_to) {
        let least = way_to.entry(mutant).or_insert(steps);
        *least = steps.min(*least);
    }
    let evidence = united_evidence(&runs);
    let mut files = FileUse::default();
    for run in &runs {
        files.unite(&run.files);
    }
    runs.into_iter()
        .reduce(|one, other| Baseline {
            wall: one.wall.max(other.wall),
            cpu: one.cpu.max(other.cpu),
            steps: one.steps.max(other.steps),
            spawned_steps: one.spawned_steps.max(other.spawned_steps),
            peak_heap: one.peak_heap.max(other.peak_heap),
            allocations: one.allocations.max(other.allocations),
            spawns: one.spawns.max(other.spawns),
            effects: atropos_protocol::Effects(one.effects.0 | other.effects.0),
            fork_cost: one.fork_cost.min(other.fork_cost),
            reached_at_end: [one.reached_at_end, other.reached_at_end].concat(),
            has_exit_handlers: one.has_exit_handlers || other.has_exit_handlers,
            ..one
        })
        .map(|run| Baseline {
            reached: reached.into_iter().collect(),
            infected: infected.into_iter().collect(),
            way_to,
            files,
            test_run: TestRun {
                evidence,
                ..run.test_run
            },
            ..run
        })
        .expect("at least one run")
}

/// What all of several runs depended on, if that is known of each.
fn united_evidence(runs: &[Baseline]) -> Option<RunEvidence> {
    let mut united = RunEvidence::default();
    for run in runs {
        let evidence = run.test_run.evidence.as_ref()?;
        united.effects.0 |= evidence.effects.0;
        united.entered.extend(&evidence.entered);
    }
    united.entered.sort_unstable();
    united.entered.dedup();
    Some(united)
}

/// The end of what a test printed.
pub fn captured(path: &std::path::Path) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    let start = bytes.len().saturating_sub(SHOWN);
    String::from_utf8_lossy(&bytes[start..]).into_owned()
}

/// What to say of a test that fails without a word of its own.
fn why_failed(test_run: &TestRun) -> String {
    if !test_run.message.is_empty() {
        return test_run.message.clone();
    }
    match test_run.result {
        TestResult::Failed { kind, status } => match (kind, status) {
            (FailureKind::Crashed, STACK_OVERFLOW) => "its stack overflows".to_owned(),
            (FailureKind::Crashed, signal) => format!("it is ended by signal {signal}"),
            (FailureKind::Exited, code) => {
                format!("its process exits with code {code} before it is over")
            }
            (FailureKind::TimeLimit, _) => "it takes too long".to_owned(),
            _ => "it fails without a word".to_owned(),
        },
        TestResult::Starved => "it takes too long".to_owned(),
        _ => "it fails without a word".to_owned(),
    }
}
