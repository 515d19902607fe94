//! A test under control, with its mutants, and notes on what its executions showed.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::rc::Rc;

use atropos_libtest::TestDescAndFn;
use atropos_protocol::exploration::{Allowance, Races, Request, RequestedAction};
use atropos_search::{ExecutionEnd, Guide, Mutable, Schedule, System};
use atropos_threads::communication::Facts;
use atropos_threads::{
    ControlOptions, Finding, LastExecution, MemoryOrder, NotedSystem, Notes, RandomData, Statics,
    ThreadedTest, Time,
};
use atropos_values::MutantId;

use crate::choice_log::{ChoiceLog, LoggingGuide};
use crate::{expected_panics, switch, test_body};

/// Scheduling points of an execution where random schedules are drawn of a test that is too long for a search.
const LONG_EXECUTION: u64 = 20_000_000;
/// How much more than the longest execution of the original a mutant's may take.
const MULTIPLE: u64 = 10;
/// And how much in any case.
const AT_LEAST: u64 = 10_000;
/// And how many threads.
const THREADS_AT_LEAST: usize = 64;
/// And how many bytes of memory.
const BYTES_AT_LEAST: usize = 64 << 20;
/// How many steps a schedule may take that is run again, when what the original takes is not known: some seconds.
const STEPS_OF_A_REPLAY: u64 = 1 << 28;

/// What an execution of a mutant may take: a small multiple of what those of the original took, and time is hurried only if
/// it was there.
pub fn allowance(notes: &Notes) -> Allowance {
    let multiple = |most: u64| most.saturating_mul(MULTIPLE).saturating_add(AT_LEAST);
    let threads = notes.most_threads.saturating_mul(MULTIPLE as usize);
    let memory = notes.most_memory.saturating_mul(MULTIPLE as usize);
    Allowance {
        steps: multiple(notes.most_steps),
        points: multiple(notes.most_points),
        threads: threads.saturating_add(THREADS_AT_LEAST),
        memory: memory.saturating_add(BYTES_AT_LEAST),
        hurry: notes.was_hurried,
    }
}

/// A test that can be run under a guide, again and again.
pub struct Subject<'a> {
    test: ThreadedTest<'a>,
    last: Rc<RefCell<LastExecution>>,
    pub notes: Notes,
    /// Steps of threads between scheduling points, which an execution may take.
    step_limit: u64,
    /// Scheduling points that an execution may take.
    point_limit: u64,
    /// Most scheduling points of an execution of the original that came to its end.
    longest: u64,
    /// No mutant acts, and nothing that was judged before is run again.
    is_original: bool,
    /// Whether an execution with too many scheduling points is endless is found out. One that is run again was found to be.
    finds_ends: bool,
    /// Where choices are written down for the process that waits for this one.
    log: Option<&'static ChoiceLog>,
    /// The same, for processes that this one will start.
    logs_of_workers: Vec<&'static ChoiceLog>,
    /// Panics of threads that nobody joins are no failures.
    judges_as_harness: bool,
    /// Where threads that nobody joins panic whatever the schedule, as far as that is known; asked for when the first one does.
    expected_panics: Option<BTreeSet<String>>,
}

impl<'a> Subject<'a> {
    pub fn new(
        test: &TestDescAndFn,
        body: &'a (dyn Fn() + Sync),
        request: &Request,
    ) -> Subject<'a> {
        let options = ControlOptions {
            name: test.name().to_owned(),
            time: match request.adversarial_time {
                true => Time::Adversarial,
                false => Time::Virtual,
            },
            memory: match request.sequential_memory {
                true => MemoryOrder::SequentiallyConsistent,
                false => MemoryOrder::Weak,
            },
            statics: Statics::Fresh,
            should_panic: test_body::should_panic(test),
            spurious: request.spurious,
            random_data: match request.fixed_random_data {
                true => RandomData::Fixed,
                false => RandomData::Varied,
            },
            step_limit: request.step_limit,
            races: match request.races {
                Races::Off => false,
                Races::Survive => request.mutant.is_original(),
                Races::On => true,
            },
            leaks: request.leaks,
            hurry: true,
            processors: NonZero::new(request.processors).unwrap_or(NonZero::<usize>::MIN),
        };
        let test = ThreadedTest::new(body, &options);
        let mut subject = Subject {
            last: test.last(),
            test,
            notes: Notes::default(),
            step_limit: match request.action {
                RequestedAction::Replay => STEPS_OF_A_REPLAY,
                _ => u64::MAX,
            },
            point_limit: request.step_limit,
            // A schedule that is run again was judged before.
            longest: u64::from(request.action == RequestedAction::Replay),
            is_original: request.action != RequestedAction::Replay,
            finds_ends: request.action != RequestedAction::Replay,
            log: None,
            logs_of_workers: Vec::new(),
            judges_as_harness: request.runs_mutants(),
            expected_panics: None,
        };
        if let Some(allowance) = &request.allowance {
            subject.limit_to(allowance);
        }
        subject
    }

    /// Where threads that nobody joins panic under a guide.
    pub fn unjoined_panics(&mut self, guide: &mut dyn Guide) -> BTreeSet<String> {
        switch::begin(self.step_limit);
        self.test.run(guide);
        self.last.take().unjoined_panics()
    }

    /// Panics in threads that nobody joins are a finding of a test that does not always have them. But no harness takes
    /// note of them: a mutant that only makes such a thread panic is not killed.
    fn forgive(&mut self, last: &mut LastExecution, end: ExecutionEnd) -> ExecutionEnd {
        if last.unjoined_panics().is_empty() {
            return end;
        }
        if self.judges_as_harness {
            last.forgive(None);
        } else {
            let expected_panics = match self.expected_panics.take() {
                Some(expected_panics) => expected_panics,
                None => expected_panics::places(self),
            };
            last.forgive(Some(&expected_panics));
            self.expected_panics = Some(expected_panics);
        }
        match end {
            ExecutionEnd::Failed(_) => last.verdict(),
            // It did not come to its end.
            end => end,
        }
    }

    /// An execution that does not end is a finding where others end long before. Where none does, the test is just too long
    /// to be explored.
    fn others_end_long_before(&self) -> bool {
        self.longest > 0 && self.longest.saturating_mul(MULTIPLE) <= self.point_limit
    }

    /// An execution was too long to be explored, as all are: they may take more from now on. False if they had that already.
    pub fn allow_long_executions(&mut self) -> bool {
        let may_take_more = self.is_original && self.point_limit < LONG_EXECUTION;
        if may_take_more {
            self.point_limit = LONG_EXECUTION;
            self.test.set_step_limit(LONG_EXECUTION);
            self.notes = Notes::default();
        }
        may_take_more
    }

    /// From now on mutants are run, whose executions may take so much.
    pub fn limit_to(&mut self, allowance: &Allowance) {
        self.step_limit = allowance.steps;
        self.point_limit = allowance.points;
        self.test.set_step_limit(allowance.points);
        self.test.set_hurry(allowance.hurry);
        self.test.set_thread_limit(allowance.threads);
        self.test.set_memory_limit(allowance.memory);
    }

    /// Runs one schedule again of which nobody said what it may take. One that is as long as only those without end are
    /// goes on no farther than a little beyond it.
    pub fn limit_to_schedule(&mut self, schedule: &Schedule) {
        let choices = schedule.choices.len() as u64;
        if choices >= AT_LEAST {
            // One that was found in a long execution may need more than others may take.
            self.point_limit = match choices > self.point_limit {
                true => choices + AT_LEAST,
                false => self.point_limit.min(choices + AT_LEAST),
            };
            self.test.set_step_limit(self.point_limit);
        }
    }

    /// From now on the choices of the execution under way are written down there.
    pub fn log_choices(&mut self, log: &'static ChoiceLog) {
        self.log = Some(log);
    }

    /// The choice log of one of the processes that share an exploration; the next exploration uses it again.
    pub fn log_of_worker(&mut self, number: usize) -> Result<&'static ChoiceLog, String> {
        while self.logs_of_workers.len() <= number {
            self.logs_of_workers.push(ChoiceLog::make()?);
        }
        Ok(self.logs_of_workers[number])
    }

    /// From now on data races and memory errors are no failures.
    pub fn ignore_races(&mut self) {
        self.test.ignore_races();
    }

    /// Begins a new record of what threads tell each other, or ends all recording; gives what was recorded before.
    pub fn record_communication(&mut self, record: bool) -> Facts {
        self.test.record_communication(record)
    }

    /// Most scheduling points of an execution of the original that came to its end.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    pub fn set_longest(&mut self, longest: u64) {
        self.longest = longest;
    }
}

/// Makes of findings what they say about the test: that it can't be explored, and why.
fn call_uncontrolled(last: &mut LastExecution, why: impl Fn(&Finding) -> Option<String>) {
    for finding in &mut last.findings {
        if let Some(what) = why(finding) {
            *finding = Finding::Uncontrolled { what, site: None };
        }
    }
}

impl System for Subject<'_> {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        switch::begin(self.step_limit);
        let overtime = self.finds_ends && self.others_end_long_before();
        self.test.set_overtime(overtime);
        let end = match self.log {
            Some(log) => self.test.run(&mut LoggingGuide::new(guide, log)),
            None => self.test.run(guide),
        };
        let mut last = self.last.take();
        let end = self.forgive(&mut last, end);
        if matches!(end, ExecutionEnd::Limit(_)) && !self.others_end_long_before() {
            call_uncontrolled(&mut last, |kind| match kind {
                Finding::StepLimit { steps, .. } => {
                    Some(format!("it takes more than {steps} scheduling points"))
                }
                // So does a test that takes more memory than there is room for.
                Finding::MemoryLimit { bytes, .. } if self.is_original => {
                    Some(format!("it takes more than {} MiB of memory", bytes >> 20))
                }
                _ => None,
            });
        }
        if end.is_failure() && last.was_hurried && self.is_original {
            call_uncontrolled(&mut last, |kind| {
                let what = "how it ends depends on how fast its threads are";
                kind.is_failure().then(|| what.to_owned())
            });
        }
        let has_late_end = last.has_late_end;
        if matches!(end, ExecutionEnd::Passed(_)) && self.is_original && !has_late_end {
            self.longest = self.longest.max(last.steps);
        }
        self.notes.add(last, end);
        if !has_late_end {
            self.notes.most_steps = self.notes.most_steps.max(switch::steps());
        }
        end
    }
}

impl<'a> NotedSystem<'a> for Subject<'a> {
    fn test(&mut self) -> &mut ThreadedTest<'a> {
        &mut self.test
    }

    fn take_notes(&mut self) -> Notes {
        std::mem::take(&mut self.notes)
    }
}

impl Mutable for Subject<'_> {
    fn activate(&mut self, mutant: MutantId) {
        self.is_original = mutant.is_original();
        switch::activate(mutant);
    }
}
