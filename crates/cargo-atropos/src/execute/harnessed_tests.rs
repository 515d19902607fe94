//! Runs mutants under the tests that have our harness, cheapest tests first, on all workers.
//!
//! A verdict counts only when the run that gave it can be trusted: verdicts of forked mutants
//! after the original they were forked from has passed to its end, a worker's verdicts if its
//! memory stayed clean, and one that only a clock gave after a second run with twice the time, in which it got the processors that
//! it wanted. What a test says that looks at
//! the clock itself, or where memory or space is lacking, counts as a kill if it says it twice, and the original passes again in
//! between; so does a deadlock of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use atropos_protocol::{
    Effect, Effects, FailureKind, Limits, RunMode, TestResult, TestRun, ZygoteError,
};
use atropos_report::outcomes::TestRecord;
use atropos_values::MutantId;

use super::ended_by_others::{MemoryWatch, is_doubtful};
use super::exclusive_run::ExclusiveRuns;
use super::file_locks::FileLocks;
use super::run_mode::UsedByOriginal;
use super::standing::{TestId, Undecided};
use super::test_case::RunnableTest;
use super::zygotes::Zygotes;
use super::{Context, MutantEntry, journal_name, run_mode};
use crate::evidence::learned::ResultEvidence;
use crate::journal::KillEntry;
use crate::log;

/// A command runs no longer than about this, so that little is lost if we are killed, and
/// workers can share what is left.
const PORTION: Duration = Duration::from_secs(10);

/// Mutants with a process of their own each are noted about this often.
const NOTED: Duration = Duration::from_millis(500);

/// How many runs of a test fit into a time; at least one.
fn fitting(time: Duration, test: &RunnableTest) -> usize {
    let each_run = test.baseline.wall + test.baseline.fork_cost;
    (time.as_secs_f64() / each_run.as_secs_f64().max(1e-6)).max(1.0) as usize
}

/// Sorts mutants, those first that differ from the original late in the test, and says how many of them
/// to run by one command. Late ones are cheap to fork, and together they share one run of the original.
fn portion(test: &RunnableTest, mutants: &mut [MutantId]) -> usize {
    let rest = |mutant: &MutantId| run_mode::rest(&test.baseline, *mutant);
    mutants.sort_by_key(rest);
    let mut left = PORTION.saturating_sub(test.baseline.wall);
    let fits = mutants.iter().take_while(|mutant| {
        let cost = rest(mutant) + test.baseline.fork_cost;
        left.checked_sub(cost).map(|less| left = less).is_some()
    });
    fits.count().max(1)
}

/// Whether a test takes another number of steps in each run: threads wait for each other by looking again and again, and
/// so do processes, which are counted too, and may be there to wait for ever.
fn steps_vary(effects: Effects) -> bool {
    effects.contains(Effect::Threads) || effects.contains(Effect::Processes)
}

/// How many times the steps a mutant may take in its second run under a test that looks at the clock, which may have told it how
/// often to go round. (Who looks again and again is given more steps by the runtime.)
const LOOKS_AT_CLOCK: u64 = 10;

/// The limits of a second run, in which time counts, and steps only as far as they tell something.
fn limits_of_second_run(limits: Limits, effects: Effects) -> Limits {
    let steps = match (steps_vary(effects), effects.contains(Effect::Clock)) {
        (true, _) => 0,
        (false, true) => limits.steps.saturating_mul(LOOKS_AT_CLOCK),
        (false, false) => limits.steps,
    };
    Limits {
        time: limits.time * 2,
        steps,
        ..limits
    }
}

/// Whether a verdict is only that of a clock, or of a number of steps that is another in each run.
fn is_late(result: TestResult, effects: Effects) -> bool {
    match result.failure() {
        Some(FailureKind::TimeLimit) => true,
        Some(FailureKind::StepLimit) => steps_vary(effects) || effects.contains(Effect::Clock),
        Some(FailureKind::Deadlock) => steps_vary(effects),
        _ => result == TestResult::Starved,
    }
}

/// The system's errors where the machine lacks something: threads, memory, descriptors (two), space on a disk (two).
const SHORTAGES: [u8; 6] = [11, 12, 23, 24, 28, 122];

/// Whether a message has such an error in it, in one of the two forms in which the standard library tells errors.
fn tells_of_shortage(message: &str) -> bool {
    SHORTAGES.iter().any(|code| {
        message.contains(&format!("(os error {code})"))
            || message.contains(&format!("Os {{ code: {code},"))
    })
}

/// Whether a test may fail because the machine is busy or full: it looks at the clock, or says that something is lacking.
fn may_fail_by_the_machine(test: &RunnableTest, test_run: &TestRun) -> bool {
    let looks_at_clock = test.baseline.effects.contains(Effect::Clock);
    matches!(
        test_run.result.failure(),
        Some(FailureKind::Failed | FailureKind::Panicked)
    ) && (looks_at_clock || tells_of_shortage(&test_run.message))
}

/// Whether a test may fail by itself now and then, so that the original has to pass once more before it is believed.
fn may_fail_by_chance(test: &RunnableTest, test_run: &TestRun) -> bool {
    let may_wait_too_long = matches!(
        test_run.result.failure(),
        Some(FailureKind::Deadlock | FailureKind::TimeLimit)
    ) && steps_vary(test.baseline.effects);
    may_fail_by_the_machine(test, test_run) || may_wait_too_long
}

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStage {
    /// Cheap tests without threads whose schedules matter, before those are explored: what they kill costs far more to explore.
    /// Mutants of concurrency operators wait, since an exploration sees at once where they block for ever.
    BeforeExploration,
    /// All that is left.
    Rest,
}

/// A test that takes longer has its turn after the exploration, and so has a mutant that takes so much longer: if it waits
/// for ever, an exploration may see that sooner.
const CHEAP: Duration = Duration::from_millis(250);

impl RunStage {
    fn takes(self, test: &RunnableTest, has_schedules: bool) -> bool {
        self == Self::Rest || !has_schedules && test.baseline.wall <= CHEAP
    }

    fn within(self, limits: Limits, test: &RunnableTest) -> Limits {
        let time = match self {
            Self::BeforeExploration => limits.time.min(test.baseline.wall * 2 + CHEAP),
            Self::Rest => limits.time,
        };
        Limits { time, ..limits }
    }
}

/// Work for one worker: a test and every `of`-th of its mutants.
struct Item {
    test: TestId,
    part: usize,
    of: usize,
}

/// Runs all open pairs of test and mutant whose turn it is.
pub fn run(
    context: &Context<'_>,
    tests: &[RunnableTest],
    records: &[TestRecord],
    turn: RunStage,
) -> Result<()> {
    let items = items(context, tests, turn);
    let next = AtomicUsize::new(0);
    let locks = FileLocks::default();
    let exclusive_runs = ExclusiveRuns::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..context.jobs())
            .map(|number| {
                let (items, next, locks, exclusive_runs) = (&items, &next, &locks, &exclusive_runs);
                scope.spawn(move || -> Result<()> {
                    let mut worker = Worker {
                        context,
                        records,
                        turn,
                        exclusive_runs,
                        memory: MemoryWatch::start(),
                        zygotes: Zygotes::new(&context.zygotes, &context.boards, number),
                        unbatchable: BTreeSet::new(),
                        doubtful: BTreeSet::new(),
                        changing: BTreeSet::new(),
                        steady: BTreeMap::new(),
                    };
                    while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed))
                        && !context.interrupted()
                    {
                        let test = &tests[item.test.0];
                        let _lock = locks.take(&test.baseline.files);
                        worker.run_item(item, test)?;
                    }
                    Ok(())
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })
}

/// Cheap tests first: they kill most for the least. Dear ones are parted among the workers.
fn items(context: &Context<'_>, tests: &[RunnableTest], turn: RunStage) -> Vec<Item> {
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.retain(|&index| {
        turn.takes(
            &tests[index],
            context.standings.has_schedules(TestId(index)),
        )
    });
    order.sort_by_key(|&index| tests[index].baseline.wall);
    order
        .into_iter()
        .flat_map(|index| {
            let baseline = &tests[index].baseline;
            let cost = (baseline.wall + baseline.fork_cost) * baseline.infected.len() as u32;
            // Parts of a test that changes files would have to wait for each other.
            let of = if cost > PORTION / 10 && baseline.files.changed.is_empty() {
                context.jobs()
            } else {
                1
            };
            (0..of).map(move |part| Item {
                test: TestId(index),
                part,
                of,
            })
        })
        .collect()
}

struct Worker<'a> {
    context: &'a Context<'a>,
    records: &'a [TestRecord],
    turn: RunStage,
    exclusive_runs: &'a ExclusiveRuns,
    zygotes: Zygotes<'a>,
    /// Since the mutants that run now were started.
    memory: MemoryWatch,
    /// Tests whose batches were void.
    unbatchable: BTreeSet<TestId>,
    /// Mutants that a test killed once which looks at the clock.
    doubtful: BTreeSet<(TestId, MutantId)>,
    /// Mutants that change files under a test whose original does not.
    changing: BTreeSet<(TestId, MutantId)>,
    /// Until when the original's last run of such a test speaks for the machine.
    steady: BTreeMap<(usize, usize), Instant>,
}

impl Worker<'_> {
    fn run_item(&mut self, item: &Item, test: &RunnableTest) -> Result<()> {
        let mut tried = BTreeSet::new();
        loop {
            let mut wanted = self.open(item);
            wanted.retain(|mutant| !tried.contains(mutant));
            let portion = portion(test, &mut wanted);
            wanted.truncate(portion);
            if wanted.is_empty() || self.context.interrupted() {
                return Ok(());
            }
            tried.extend(wanted.iter().copied());
            self.memory = MemoryWatch::start();
            self.run_mutants(item.test, test, &wanted)?;
        }
    }

    /// The mutants of an item about which the test still has something to say.
    fn open(&self, item: &Item) -> Vec<MutantId> {
        let mut open = self.context.standings.open_for(item.test);
        open.retain(|&id| id.index() % item.of == item.part);
        if self.turn == RunStage::BeforeExploration {
            open.retain(|&id| !self.context.standings.is_concurrency(id));
        }
        open
    }

    /// Runs some mutants under a test until each has a verdict that can be trusted.
    fn run_mutants(&mut self, id: TestId, test: &RunnableTest, wanted: &[MutantId]) -> Result<()> {
        let multiplier = self.context.setting.options.timeout_multiplier();
        let limits = run_mode::limits(&UsedByOriginal::in_run(&test.baseline), multiplier);
        let limits = self.turn.within(limits, test);
        let mut mode = match self.zygotes.get(test.binary) {
            Ok(client) => {
                let choice = self.context.setting.options.execute.way.unwrap_or_default();
                run_mode::choose(choice, &test.baseline, &client.costs(), wanted)
            }
            Err(broken) => bail!("the test binary of {} {broken}", test.name),
        };
        if mode == RunMode::Batch && self.unbatchable.contains(&id) {
            mode = if test.baseline.may_fork() {
                RunMode::Fork
            } else {
                RunMode::Each
            };
        }
        let start = Instant::now();
        self.run_in_mode(mode, id, test, wanted, limits)?;
        log::line(&format!(
            "{}: {} mutants by {mode:?} in {:.3} s",
            test.name,
            wanted.len(),
            start.elapsed().as_secs_f64()
        ));
        Ok(())
    }

    /// Runs them the chosen way, and those that it leaves undecided in processes of their own.
    fn run_in_mode(
        &mut self,
        mode: RunMode,
        id: TestId,
        test: &RunnableTest,
        wanted: &[MutantId],
        limits: Limits,
    ) -> Result<()> {
        let exclusive_runs = self.exclusive_runs;
        let beside_others = exclusive_runs.beside_others();
        let mut left = wanted.to_vec();
        if mode != RunMode::Each {
            let test_runs = self.trusted(mode, id, test, &left, &limits)?;
            left = self.note(id, test, test_runs, left)?;
        }
        if left.is_empty() || self.context.interrupted() {
            return Ok(());
        }
        let mut slow = Vec::new();
        for some in left.chunks(fitting(NOTED, test)) {
            if self.context.interrupted() {
                return Ok(());
            }
            let test_runs = self.each(test, some, &limits)?;
            slow.extend(self.note(id, test, test_runs, some.to_vec())?);
        }
        drop(beside_others);
        match self.turn {
            RunStage::BeforeExploration => self.repeat_doubtful(id, test, slow, &limits),
            RunStage::Rest => self.run_slow(id, test, slow, limits),
        }
    }

    /// Before schedules are explored: a second run for what a test killed that looks at the clock, so that it need not be
    /// explored, and not for what only took long.
    fn repeat_doubtful(
        &mut self,
        id: TestId,
        test: &RunnableTest,
        mut killed: Vec<MutantId>,
        limits: &Limits,
    ) -> Result<()> {
        let exclusive_runs = self.exclusive_runs;
        killed.retain(|&mutant| self.doubtful.contains(&(id, mutant)));
        for some in killed.chunks(fitting(NOTED, test)) {
            if self.context.interrupted() {
                return Ok(());
            }
            let _beside_others = exclusive_runs.beside_others();
            let test_runs = self.each(test, some, limits)?;
            self.note(id, test, test_runs, some.to_vec())?;
        }
        Ok(())
    }

    /// A second run, with twice the time, for mutants of which only the clock has spoken, or a count of steps that the next
    /// run need not repeat. Threads may wait for each other by looking again and again: where they do, nothing of ours runs
    /// beside them.
    fn run_slow(
        &mut self,
        id: TestId,
        test: &RunnableTest,
        slow: Vec<MutantId>,
        limits: Limits,
    ) -> Result<()> {
        let limits = limits_of_second_run(limits, test.baseline.effects);
        let exclusive_runs = self.exclusive_runs;
        for mutant in slow {
            if self.context.interrupted() {
                return Ok(());
            }
            let memory = MemoryWatch::start();
            let effects = test.baseline.effects;
            let may_look_for_others =
                effects.contains(Effect::OwnThreads) || effects.contains(Effect::Processes);
            let test_run = if may_look_for_others || self.changing.contains(&(id, mutant)) {
                let _alone = exclusive_runs.alone();
                self.only(test, mutant, &limits)?
            } else {
                let beside_others = exclusive_runs.beside_others();
                match self.only(test, mutant, &limits)? {
                    Some(test_run) if test_run.result == TestResult::Starved => {
                        drop(beside_others);
                        let _alone = exclusive_runs.alone();
                        self.only(test, mutant, &limits)?
                    }
                    test_run => test_run,
                }
            };
            if let Some(test_run) = test_run {
                match is_doubtful(test_run.result, memory.ran_out()) {
                    false => self.note_at_last(id, test, mutant, &test_run)?,
                    true => self.run_alone_at_last(id, test, mutant, &limits)?,
                }
            }
        }
        Ok(())
    }

    /// A last run of a mutant that somebody else may have ended.
    fn run_alone_at_last(
        &mut self,
        id: TestId,
        test: &RunnableTest,
        mutant: MutantId,
        limits: &Limits,
    ) -> Result<()> {
        let exclusive_runs = self.exclusive_runs;
        let _alone = exclusive_runs.alone();
        let memory = MemoryWatch::start();
        match self.only(test, mutant, limits)? {
            Some(test_run) if is_doubtful(test_run.result, memory.ran_out()) => {
                let standings = &self.context.standings;
                standings.leave_undecided(id, mutant, Undecided::EndedByOthers);
                Ok(())
            }
            Some(test_run) => self.note_at_last(id, test, mutant, &test_run),
            None => Ok(()),
        }
    }

    /// Notes what a second run said, if it can be believed.
    fn note_at_last(
        &mut self,
        id: TestId,
        test: &RunnableTest,
        mutant: MutantId,
        test_run: &TestRun,
    ) -> Result<()> {
        let why = if test_run.result == TestResult::Starved {
            Undecided::Starved
        } else if may_fail_by_chance(test, test_run) && !self.is_steady(test)? {
            Undecided::Unsteady
        } else {
            let said = said(mutant, test, test_run).into_iter().collect();
            return self.context.note(id, &self.name(id), said);
        };
        self.context.standings.leave_undecided(id, mutant, why);
        Ok(())
    }

    /// Whether the original passes a test once more: what it says of mutants at the moment is then not the machine's doing.
    /// It is not asked again before ten times as long has passed as it takes.
    fn is_steady(&mut self, test: &RunnableTest) -> Result<bool> {
        let start = Instant::now();
        let key = (test.binary, test.index);
        if self.steady.get(&key).is_some_and(|until| start < *until) {
            return Ok(true);
        }
        let capture = self.context.zygotes.scratch.join(format!(
            "again-{}-{}-{:?}",
            test.binary,
            test.index,
            std::thread::current().id()
        ));
        let multiplier = self.context.setting.options.timeout_multiplier();
        let mutants = run_mode::limits(&UsedByOriginal::in_run(&test.baseline), multiplier);
        let limits = Limits::only_time(mutants.time);
        let run = match self.zygotes.get(test.binary) {
            Ok(client) => client.baseline(test.index, &limits, &capture),
            Err(broken) => bail!("the test binary of {} {broken}", test.name),
        };
        let passed = match run {
            Ok(run) => run.passed(),
            Err(_) => {
                self.zygotes.discard(test.binary);
                false
            }
        };
        if passed {
            self.steady
                .insert(key, Instant::now() + start.elapsed() * 10);
        } else {
            log::line(&format!(
                "{}: the original does not pass at the moment, so nothing that this test says counts as a kill",
                test.name
            ));
        }
        Ok(passed)
    }

    fn name(&self, id: TestId) -> String {
        journal_name(&self.records[id.0])
    }

    /// Notes verdicts that stand, and gives the mutants that need another run: those without a
    /// verdict and those that only a clock stopped, or a number of steps that is another in each run, or that a test has
    /// killed for the first time where the machine may have had a part in it, or that may have used files of others.
    fn note(
        &mut self,
        id: TestId,
        test: &RunnableTest,
        test_runs: Vec<(MutantId, TestRun)>,
        mut left: Vec<MutantId>,
    ) -> Result<Vec<MutantId>> {
        let mut standing = Vec::new();
        let ran_out = self.memory.ran_out();
        for (mutant, test_run) in &test_runs {
            if is_late(test_run.result, test.baseline.effects)
                || is_doubtful(test_run.result, ran_out)
            {
                continue;
            }
            if self.may_meet_others(test, test_run) {
                self.changing.insert((id, *mutant));
                continue;
            }
            if may_fail_by_the_machine(test, test_run) {
                if self.doubtful.insert((id, *mutant)) {
                    continue;
                }
                if !self.is_steady(test)? {
                    continue;
                }
            }
            if let Some(said) = said(*mutant, test, test_run) {
                standing.push(said);
            }
            if test_run.result == TestResult::Harm {
                let why = Undecided::Harm(Some(test_run.message.clone()));
                self.context.standings.leave_undecided(id, *mutant, why);
            }
        }
        left.retain(|mutant| standing.iter().all(|said| said.mutant != *mutant));
        self.context.note(id, &self.name(id), standing)?;
        let standings = &self.context.standings;
        left.retain(|&mutant| standings.is_open_for(id, mutant));
        Ok(left)
    }

    /// Verdicts of a way that runs several mutants from one process; none if they can't be trusted.
    fn trusted(
        &mut self,
        mode: RunMode,
        id: TestId,
        test: &RunnableTest,
        wanted: &[MutantId],
        limits: &Limits,
    ) -> Result<Vec<(MutantId, TestRun)>> {
        let mut test_runs = Vec::new();
        let client = match self.zygotes.get(test.binary) {
            Ok(client) => client,
            Err(broken) => bail!("the test binary of {} {broken}", test.name),
        };
        let run = client.run(mode, test.index, wanted, limits, &mut |mutant, test_run| {
            test_runs.push((mutant, test_run));
        });
        match run {
            Ok(run) => {
                let original_passed =
                    matches!(run.original.result, TestResult::Passed | TestResult::NotRun);
                if run.void.is_some() && mode == RunMode::Batch {
                    self.unbatchable.insert(id);
                }
                if run.void.is_some() || !original_passed {
                    test_runs.clear();
                }
                // "Not infected" contradicts the baseline: the test is not the same every time.
                test_runs.retain(|(_, test_run)| test_run.result != TestResult::NotInfected);
                Ok(test_runs)
            }
            Err(_) => {
                self.zygotes.discard(test.binary);
                Ok(Vec::new())
            }
        }
    }

    /// Whether a mutant changed files that nobody knew of when tests were told to take turns, so that it has to be run once
    /// more, alone.
    fn may_meet_others(&self, test: &RunnableTest, test_run: &TestRun) -> bool {
        test_run.changes_files
            && test_run.result != TestResult::Harm
            && !test.baseline.effects.contains(Effect::LastingFiles)
            && self.context.jobs() > 1
    }

    /// The verdict of a mutant in a process of its own.
    fn only(
        &mut self,
        test: &RunnableTest,
        mutant: MutantId,
        limits: &Limits,
    ) -> Result<Option<TestRun>> {
        let test_runs = self.each(test, &[mutant], limits)?;
        Ok(test_runs.into_iter().map(|(_, test_run)| test_run).next())
    }

    /// Verdicts of mutants that have a process of their own each.
    fn each(
        &mut self,
        test: &RunnableTest,
        wanted: &[MutantId],
        limits: &Limits,
    ) -> Result<Vec<(MutantId, TestRun)>> {
        let mut test_runs = Vec::new();
        if let Err(broken) = self.try_each(test, wanted, limits, &mut test_runs) {
            if let ZygoteError::Start(error) = broken {
                return Err(error.into());
            }
            // One of them took the zygote down: find out which, with a fresh zygote for each.
            let decided: BTreeSet<MutantId> = test_runs.iter().map(|(mutant, _)| *mutant).collect();
            for &mutant in wanted.iter().filter(|mutant| !decided.contains(mutant)) {
                if self.context.interrupted() {
                    break;
                }
                let before = test_runs.len();
                if let Err(broken) = self.try_each(test, &[mutant], limits, &mut test_runs)
                    && test_runs.len() == before
                {
                    test_runs.push((mutant, took_down(&broken)));
                }
            }
        }
        Ok(test_runs)
    }

    fn try_each(
        &mut self,
        test: &RunnableTest,
        wanted: &[MutantId],
        limits: &Limits,
        test_runs: &mut Vec<(MutantId, TestRun)>,
    ) -> Result<(), ZygoteError> {
        let run = self.zygotes.get(test.binary)?.run(
            RunMode::Each,
            test.index,
            wanted,
            limits,
            &mut |mutant, test_run| test_runs.push((mutant, test_run)),
        );
        if run.is_err() {
            self.zygotes.discard(test.binary);
        }
        run.map(|_| ())
    }
}

/// A mutant that ended even the process that watched it.
fn took_down(broken: &ZygoteError) -> TestRun {
    TestRun {
        result: TestResult::crashed(0),
        message: format!("the process that watches the test {broken}"),
        location: String::new(),
        steps: 0,
        nanoseconds: 0,
        leader: MutantId::ORIGINAL,
        changes_files: false,
        evidence: None,
    }
}

/// What a verdict says of a mutant, if it says anything.
fn said(mutant: MutantId, test: &RunnableTest, test_run: &TestRun) -> Option<MutantEntry> {
    let kill = test_run.result.failure().map(|how| KillEntry {
        how,
        message: test_run.message.clone(),
        location: test_run.location.clone(),
    });
    let passed = matches!(
        test_run.result,
        TestResult::Passed | TestResult::NotInfected
    );
    (kill.is_some() || passed).then(|| MutantEntry {
        mutant,
        seconds: test_run.nanoseconds as f64 / 1e9,
        kill,
        explored: None,
        evidence: ResultEvidence::of(
            test_run
                .evidence
                .as_ref()
                .filter(|_| !test_run.changes_files),
            test.baseline.test_run.evidence.as_ref(),
        ),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use super::*;

    #[test]
    fn steps_that_are_others_in_each_run_are_not_believed_at_once() {
        let limits = Limits {
            steps: 7,
            ..Limits::only_time(Duration::from_secs(1))
        };
        let check = |effects: &[Effect], is_doubted: bool, steps: u64| {
            let effects = effects.iter().fold(Effects::default(), |mut all, effect| {
                all.add(*effect);
                all
            });
            assert_eq!(
                is_late(TestResult::failed(FailureKind::StepLimit), effects),
                is_doubted
            );
            let second_limits = limits_of_second_run(limits, effects);
            assert_eq!(
                (second_limits.time.as_secs(), second_limits.steps),
                (2, steps)
            );
        };
        check(&[], false, 7);
        check(&[Effect::Clock], true, 70);
        check(&[Effect::Threads, Effect::Clock], true, 0);
        check(&[Effect::Processes], true, 0);
        let alone = Effects::default();
        assert!(
            is_late(TestResult::failed(FailureKind::TimeLimit), alone)
                && !is_late(TestResult::failed(FailureKind::Deadlock), alone)
        );
    }

    #[test]
    fn what_the_machine_lacks_is_told_in_two_forms() {
        for code in SHORTAGES {
            let error = Error::from_raw_os_error(code.into());
            assert!(tells_of_shortage(&format!("it failed: {error}")));
            assert!(tells_of_shortage(&format!("it failed: {error:?}")));
        }
        let missing = Error::from_raw_os_error(2);
        assert!(!tells_of_shortage(&format!("{missing} {missing:?}")));
    }
}
