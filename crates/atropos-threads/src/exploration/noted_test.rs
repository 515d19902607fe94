//! Tests whose executions leave notes, and what is told of a failing one: the same for every caller who drives strategies.

use std::cell::RefCell;
use std::rc::Rc;

use atropos_search::{
    ExecutionEnd, Guide, Names, Replay, Schedule, Strategy, Strictness, System, shrink,
};

use super::controlled_test::{LastExecution, ThreadedTest};
use crate::finding::Finding;
use crate::options::ControlOptions;
use crate::statements::Stated;
use crate::trace::ExecutionTrace;

/// Choices that may be made to make a failing schedule simpler, in all executions for it.
const MOST_CHOICES: usize = 1_000_000;

/// How many times the failing schedule's length one beside it may have, and how much in any case.
const BESIDE: u64 = 4;
const AT_LEAST_BESIDE: u64 = 1000;

/// What executions showed since the notes were last taken.
#[derive(Debug, Default)]
pub struct Notes {
    /// The first failure.
    pub failure: Option<Finding>,
    /// What is worth a remark though the test passed, each sort once.
    pub remarks: Vec<Finding>,
    pub uncontrolled: Option<Finding>,
    pub most_threads: usize,
    /// Most scheduling points in an execution.
    pub most_points: u64,
    /// Most steps of threads in an execution, where somebody counts them.
    pub most_steps: u64,
    /// Most bytes of memory that a thread took in an execution.
    pub most_memory: usize,
    /// In some execution a thread that yielded again and again had to let others go first, or time passed while threads
    /// could run.
    pub was_fair: bool,
    /// In some execution time passed while threads could run.
    pub was_hurried: bool,
    /// Some execution went past its limit of scheduling points, though it has an end.
    pub has_late_end: bool,
    /// Some execution asked for random bytes, or made a hash map.
    pub asked_for_random_data: bool,
    /// What the program stated.
    pub stated: Stated,
}

impl Notes {
    /// Adds what the last execution left, which ended so.
    pub fn add(&mut self, last: LastExecution, end: ExecutionEnd) {
        self.most_threads = self.most_threads.max(last.threads);
        // What an execution takes that is held up by its schedule is no measure for others.
        if !last.has_late_end {
            self.most_points = self.most_points.max(last.steps);
            self.most_memory = self.most_memory.max(last.memory);
        }
        self.was_fair |= last.was_fair;
        self.was_hurried |= last.was_hurried;
        self.has_late_end |= last.has_late_end;
        self.asked_for_random_data |= last.asked_for_random_data;
        self.stated.add(last.stated);
        for kind in last.findings {
            let same =
                |other: &Finding| std::mem::discriminant(other) == std::mem::discriminant(&kind);
            if matches!(kind, Finding::Uncontrolled { .. }) {
                self.uncontrolled.get_or_insert(kind);
            } else if kind.is_failure() && end.is_failure() {
                self.failure.get_or_insert(kind);
            } else if !self.remarks.iter().any(same) {
                self.remarks.push(kind);
            }
        }
    }
}

/// A test whose executions are noted.
pub trait NotedSystem<'a>: System {
    /// The test itself.
    fn test(&mut self) -> &mut ThreadedTest<'a>;

    /// What executions showed since the last call.
    fn take_notes(&mut self) -> Notes;

    /// Runs with a trace being kept.
    fn run_recorded(&mut self, guide: &mut dyn Guide) -> (ExecutionEnd, ExecutionTrace) {
        self.test().record(true);
        let end = self.run(guide);
        self.test().record(false);
        (end, self.test().take_trace())
    }
}

/// A failing execution.
#[derive(Debug)]
pub struct FailingRun {
    /// What went wrong.
    pub finding: Finding,
    /// The schedule that leads there, with few preemptions, for a process that runs nothing else: threads are numbered in
    /// the order in which they are started.
    pub schedule: Schedule,
    /// What happened on the way.
    pub trace: ExecutionTrace,
    /// Whether the schedule led to the same end when it was run again.
    pub replayed: bool,
}

impl FailingRun {
    /// Makes a failing schedule simpler, within so many executions, and runs it once more to see what happens.
    pub fn tell<'a>(
        test: &mut impl NotedSystem<'a>,
        finding: Finding,
        end: ExecutionEnd,
        schedule: Schedule,
        executions: usize,
    ) -> FailingRun {
        // Schedules beside it may have no end.
        let limit = test.test().set_step_limit(u64::MAX);
        let beside = match end {
            ExecutionEnd::Limit(_) => limit,
            _ => limit.min(schedule.choices.len() as u64 * BESIDE + AT_LEAST_BESIDE),
        };
        test.test().set_step_limit(beside);
        let shrunk =
            shrink(test, &schedule, executions, MOST_CHOICES).map(|shrunk| shrunk.schedule);
        test.test().set_step_limit(limit);
        let schedule = shrunk.unwrap_or(schedule);
        let told = FailingRun::replayed_run(test, finding, end, schedule);
        let schedule = test.test().in_order_of_start(&told.schedule);
        if schedule == told.schedule {
            return told;
        }
        let names = test.test().set_names(Names::new());
        let renamed = FailingRun::replayed_run(test, told.finding.clone(), end, schedule);
        test.test().set_names(names);
        match renamed.replayed {
            true => renamed,
            false => told,
        }
    }

    /// Runs a failing schedule once more.
    fn replayed_run<'a>(
        test: &mut impl NotedSystem<'a>,
        finding: Finding,
        end: ExecutionEnd,
        schedule: Schedule,
    ) -> FailingRun {
        test.take_notes();
        let (replay_end, trace) = replay(test, &schedule);
        let replayed = replay_end.is_like(end);
        let failure = test.take_notes().failure;
        let mut finding = failure.filter(|_| replayed).unwrap_or(finding);
        if replayed {
            finding = finding.with_tasks(&trace);
        }
        find_places(test, &mut finding, &schedule);
        FailingRun {
            finding,
            schedule,
            trace,
            replayed,
        }
    }
}

/// Runs a schedule once more to see where the accesses were that a finding knows by their numbers.
pub fn find_places<'a>(
    test: &mut impl NotedSystem<'a>,
    finding: &mut Finding,
    schedule: &Schedule,
) {
    let mut places = finding.places();
    if places.is_empty() {
        return;
    }
    let wanted = places.iter().map(|place| place.index).collect();
    test.test().capture(wanted);
    replay(test, schedule);
    test.take_notes();
    let captured = test.test().take_captured();
    test.test().capture(Vec::new());
    for place in &mut places {
        let same = captured.iter().find(|taken| taken.index == place.index);
        place.frames = same.map_or_else(Vec::new, |taken| taken.frames.clone());
    }
}

/// Runs one schedule of a test with a trace being kept.
pub(super) fn replay<'a>(
    test: &mut impl NotedSystem<'a>,
    schedule: &Schedule,
) -> (ExecutionEnd, ExecutionTrace) {
    let mut replay = Replay::new(schedule, Strictness::Exact);
    replay.begin();
    let (end, trace) = test.run_recorded(&mut replay);
    replay.end(end);
    (end, trace)
}

/// A test and its notes, with nothing else about it.
pub(super) struct NotedTest<'a> {
    pub test: ThreadedTest<'a>,
    last: Rc<RefCell<LastExecution>>,
    pub notes: Notes,
}

impl<'a> NotedTest<'a> {
    pub fn new(test: &'a (dyn Fn() + Sync), options: &ControlOptions) -> NotedTest<'a> {
        let test = ThreadedTest::new(test, options);
        NotedTest {
            last: test.last(),
            test,
            notes: Notes::default(),
        }
    }
}

impl System for NotedTest<'_> {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        let end = self.test.run(guide);
        self.notes.add(self.last.take(), end);
        end
    }
}

impl<'a> NotedSystem<'a> for NotedTest<'a> {
    fn test(&mut self) -> &mut ThreadedTest<'a> {
        &mut self.test
    }

    fn take_notes(&mut self) -> Notes {
        std::mem::take(&mut self.notes)
    }
}
