//! Runs tests of a build with additions and reads the values that they compute. Several workers, each with zygotes of its
//! own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, Result};
use atropos_protocol::{
    Baseline, CapturedValue, CapturedValues, ENV_CAPTURES, Effect, Effects, Limits, RunMode,
    TestResult, TestRun,
};
use atropos_values::{MutantId, Numbering};

use crate::build::test_binary::TestBinary;
use crate::execute::{UsedByOriginal, limits};
use crate::interrupt::Interrupt;
use crate::prepare::Prepared;
use crate::sandbox::{SandboxedZygote, SeenOfTests};

/// How long a zygote may be silent, and a test may take.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// What all workers share.
pub struct RunSetting<'a> {
    pub binaries: &'a [TestBinary],
    pub test_arguments: &'a [String],
    pub numbering: Numbering,
    /// A mutant that is nowhere: who runs as it runs the original, and may do no more than mutants may.
    spare: MutantId,
    pub scratch: PathBuf,
    /// What tests do without a mutant.
    pub seen: Arc<SeenOfTests>,
    pub jobs: usize,
    pub timeout_multiplier: f64,
    pub interrupt: &'a Interrupt,
}

impl<'a> RunSetting<'a> {
    pub fn of(
        prepared: &Prepared,
        binaries: &'a [TestBinary],
        test_arguments: &'a [String],
        scratch: &Path,
        interrupt: &'a Interrupt,
    ) -> RunSetting<'a> {
        let mut numbering = prepared.plan.numbering();
        numbering.mutants += 1;
        RunSetting {
            binaries,
            test_arguments,
            spare: MutantId(numbering.mutants),
            numbering,
            scratch: scratch.to_owned(),
            seen: Arc::new(SeenOfTests::new(&prepared.plan)),
            jobs: prepared.options.jobs(),
            timeout_multiplier: prepared.options.timeout_multiplier(),
            interrupt,
        }
    }
}

/// A test of a build with additions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddedTest {
    pub binary: usize,
    pub index: usize,
}

/// What a test did without a mutant, over all its runs.
#[derive(Clone, Debug)]
pub struct OriginalRuns {
    /// The value of each place that had one and the same in all runs.
    pub values: BTreeMap<u32, CapturedValue>,
    /// The places that had different ones.
    pub unsteady: BTreeSet<u32>,
    pub infected: BTreeSet<MutantId>,
    pub has_threads: bool,
    pub limits: Limits,
    pub seconds: f64,
}

/// How runs of the original ended.
pub enum OriginalEnd {
    Passed(OriginalRuns),
    /// What was captured last before the test failed.
    Failed(Option<u32>, String),
    /// Nothing can be said.
    Unknown,
}

/// How a run of a mutant ended, and what it captured.
pub struct CapturedRun {
    pub result: TestResult,
    pub values: Vec<CapturedValue>,
}

/// One worker.
pub struct TestRunner<'a> {
    setting: &'a RunSetting<'a>,
    directory: PathBuf,
    captured: CapturedValues,
    clients: HashMap<usize, SandboxedZygote>,
    started: usize,
}

impl<'a> TestRunner<'a> {
    pub fn new(setting: &'a RunSetting<'a>, worker: usize) -> Result<TestRunner<'a>> {
        let directory = setting.scratch.join(worker.to_string());
        fs::create_dir_all(&directory)
            .with_context(|| format!("can't write to {}", directory.display()))?;
        let captured = CapturedValues::create(&directory.join("values"))
            .context("can't make a file for values")?;
        Ok(TestRunner {
            setting,
            directory,
            captured,
            clients: HashMap::new(),
            started: 0,
        })
    }

    /// The tests of a binary with their names.
    pub fn tests(&mut self, binary: usize) -> Vec<(AddedTest, String)> {
        let Some(client) = self.client(binary) else {
            return Vec::new();
        };
        let tests = client.tests().iter().enumerate();
        tests
            .map(|(index, test)| (AddedTest { binary, index }, test.name.clone()))
            .collect()
    }

    /// The zygote of a binary; none if it can't be started.
    fn client(&mut self, binary: usize) -> Option<&mut SandboxedZygote> {
        if !self.clients.contains_key(&binary) {
            let client = self.start(binary)?;
            self.clients.insert(binary, client);
        }
        self.clients.get_mut(&binary)
    }

    fn start(&mut self, binary: usize) -> Option<SandboxedZygote> {
        self.started += 1;
        let scratch = self.directory.join(format!("zygote-{}", self.started));
        fs::create_dir_all(&scratch).ok()?;
        let mut command = self.setting.binaries[binary].invocation.command();
        command
            .args(self.setting.test_arguments)
            .env(ENV_CAPTURES, self.captured.path());
        let seen = (binary, Arc::clone(&self.setting.seen));
        let numbering = &self.setting.numbering;
        SandboxedZygote::start(command, &scratch, numbering, TIME_LIMIT, seen).ok()
    }

    fn baseline(&mut self, test: &AddedTest) -> Option<Baseline> {
        self.captured.clear().ok()?;
        let capture: PathBuf = Path::new(&self.directory).join("output");
        let limits = Limits::only_time(TIME_LIMIT);
        let baseline = self
            .client(test.binary)?
            .baseline(test.index, &limits, &capture);
        if baseline.is_err() {
            self.clients.remove(&test.binary);
        }
        baseline.ok()
    }

    /// Runs a test without a mutant, at least twice, and more often if it starts threads.
    pub fn original(&mut self, test: &AddedTest, repeats: u32) -> OriginalEnd {
        let mut runs: Option<OriginalRuns> = None;
        let mut repeats = repeats.max(2);
        let mut run = 0;
        while run < repeats {
            run += 1;
            let Some(baseline) = self.baseline(test) else {
                return OriginalEnd::Unknown;
            };
            let values = self.captured.read();
            if !baseline.passed() {
                let last = values.and_then(|values| Some(values.last()?.place));
                return OriginalEnd::Failed(last, baseline.test_run.message);
            }
            let Some(values) = values else {
                return OriginalEnd::Unknown;
            };
            if baseline.effects.contains(Effect::Threads) {
                repeats = repeats.max(10);
            }
            let (values, unsteady) = steady(values);
            let so_far = runs.get_or_insert_with(|| OriginalRuns {
                values: values.clone(),
                unsteady: BTreeSet::new(),
                infected: baseline.infected.iter().copied().collect(),
                has_threads: false,
                limits: Limits {
                    // Nobody has tried here whether the original keeps to one.
                    file_size: 0,
                    ..limits(
                        &UsedByOriginal::in_run(&baseline),
                        self.setting.timeout_multiplier,
                    )
                },
                seconds: baseline.wall.as_secs_f64(),
            });
            so_far.has_threads |= baseline.effects.contains(Effect::Threads);
            so_far.unsteady.extend(unsteady);
            for (place, value) in &so_far.values {
                if values.get(place) != Some(value) {
                    so_far.unsteady.insert(*place);
                }
            }
            for place in values.keys() {
                if !so_far.values.contains_key(place) {
                    so_far.unsteady.insert(*place);
                }
            }
        }
        match runs {
            Some(mut runs) => {
                runs.values
                    .retain(|place, _| !runs.unsteady.contains(place));
                OriginalEnd::Passed(runs)
            }
            None => OriginalEnd::Unknown,
        }
    }

    /// Runs a test without a mutant, twice, in the sandbox of mutants: whatever it calls does no harm. What it did before
    /// it was stopped is not believed.
    pub fn sandboxed_original(&mut self, test: &AddedTest) -> Option<OriginalRuns> {
        const HEAP: u64 = 1 << 30;
        let before = Limits {
            heap: HEAP,
            ..Limits::only_time(TIME_LIMIT)
        };
        let (first, steps, seconds) = self.sandboxed(test, &before)?;
        let (second, _, _) = self.sandboxed(test, &before)?;
        let (first, mut unsteady) = steady(first);
        let (second, other) = steady(second);
        unsteady.extend(other);
        let values = first.into_iter();
        let values = values.filter(|(place, value)| second.get(place) == Some(value));
        let used = UsedByOriginal {
            wall: Duration::from_secs_f64(seconds),
            steps,
            peak_heap: HEAP / 8,
            spawns: 0,
            effects: Effects::default(),
        };
        Some(OriginalRuns {
            values: values.collect(),
            unsteady,
            infected: BTreeSet::new(),
            has_threads: false,
            limits: Limits {
                file_size: 0,
                ..limits(&used, self.setting.timeout_multiplier)
            },
            seconds,
        })
    }

    fn sandboxed(
        &mut self,
        test: &AddedTest,
        limits: &Limits,
    ) -> Option<(Vec<CapturedValue>, u64, f64)> {
        let mut given = None;
        let values = self.run_as(test, self.setting.spare, limits, &mut given)?;
        let given = given?;
        let has_ended = matches!(given.result, TestResult::Passed | TestResult::NotInfected);
        has_ended.then(|| (values, given.steps, given.nanoseconds as f64 / 1e9))
    }

    fn run_as(
        &mut self,
        test: &AddedTest,
        mutant: MutantId,
        limits: &Limits,
        test_run: &mut Option<TestRun>,
    ) -> Option<Vec<CapturedValue>> {
        self.captured.clear().ok()?;
        let run = self.client(test.binary)?.run(
            RunMode::Each,
            test.index,
            &[mutant],
            limits,
            &mut |_, given| *test_run = Some(given),
        );
        if run.is_err() {
            self.clients.remove(&test.binary);
        }
        self.captured.read()
    }

    /// Runs a test as a mutant; none if that did not work.
    pub fn mutant(
        &mut self,
        test: &AddedTest,
        mutant: MutantId,
        limits: &Limits,
    ) -> Option<CapturedRun> {
        let mut test_run = None;
        let values = self.run_as(test, mutant, limits, &mut test_run)?;
        Some(CapturedRun {
            result: test_run?.result,
            values,
        })
    }
}

/// The values of places that had only one, and the places that had several.
fn steady(values: Vec<CapturedValue>) -> (BTreeMap<u32, CapturedValue>, BTreeSet<u32>) {
    let mut first: BTreeMap<u32, CapturedValue> = BTreeMap::new();
    let mut unsteady = BTreeSet::new();
    for value in values {
        if value.is_cut {
            unsteady.insert(value.place);
        }
        let known = first.entry(value.place).or_insert_with(|| value.clone());
        if *known != value {
            unsteady.insert(value.place);
        }
    }
    first.retain(|place, _| !unsteady.contains(place));
    (first, unsteady)
}

/// Does all items, several at once, and gives what came of each, in no order. Ends early if the user wants to end.
pub fn in_parallel<T: Sync, R: Send>(
    setting: &RunSetting<'_>,
    items: &[T],
    work: impl Fn(&mut TestRunner<'_>, &T) -> R + Sync,
) -> Result<Vec<(usize, R)>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..setting.jobs.min(items.len()))
            .map(|worker| {
                let (next, work, done) = (&next, &work, &done);
                scope.spawn(move || -> Result<()> {
                    let mut runner = TestRunner::new(setting, worker)?;
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(index) else {
                            return Ok(());
                        };
                        if setting.interrupt.is_requested() {
                            return Ok(());
                        }
                        let result = work(&mut runner, item);
                        done.lock().expect("no worker panics").push((index, result));
                    }
                })
            })
            .collect();
        let mut workers = workers.into_iter();
        workers.try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let mut done = done.into_inner().expect("no worker panics");
    done.sort_by_key(|(index, _)| *index);
    Ok(done)
}
