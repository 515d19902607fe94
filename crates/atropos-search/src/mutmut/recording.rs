//! The original's executions, remembered as a tree, so that a mutant's exploration can be told what
//! the system would do without running it, as long as the mutant has not acted.
//!
//! This is how partial-order reduction reuses what the original taught. The reduction of a mutant
//! makes its own decisions from the mutant's own conflicts; it asks for the same executions as the
//! original's where the two agree, and those are answered from memory up to the step that reaches
//! the mutant. `one-state` remembers the executions before the first one that reached it,
//! `state-set` and `all-states` all of them.
//!
//! Every mutant goes through the tree once for each execution, so it has to be small enough for the processor's caches:
//! what is alike (what a thread is about to do) is kept once, and what an execution adds lies side by side.

use std::collections::BTreeSet;
use std::ops::Range;

use atropos_values::MutantId;

use super::Technique;
use crate::choice::{Choice, Thread};
use crate::hash::Table;
use crate::op::Op;
use crate::pass_on;
use crate::system::{
    ExecutionEnd, ExecutionPhase, Guide, Mutable, Pending, SchedulingPoint, System,
};

/// What a system tells its guide during a step.
#[derive(Clone, Copy, Debug)]
enum StepNotice {
    Refine(Op),
    Wake(Thread),
    Observe(u64),
    Reach(MutantId),
}

#[derive(Clone, Debug)]
enum PendingChoice {
    Thread {
        /// Where `Recording::threads` lists them.
        threads: Range<u32>,
        fingerprint: Option<u64>,
        phase: ExecutionPhase,
    },
    Alternative(u32),
}

#[derive(Clone, Debug)]
struct Node {
    question: PendingChoice,
    /// Where `Recording::answers` has the one that was given first.
    answer: Option<u32>,
    end: Option<ExecutionEnd>,
}

#[derive(Clone, Debug)]
struct TakenChoice {
    choice: Choice,
    /// Where `Recording::told` has what the step told.
    told: Range<u32>,
    next: Option<u32>,
    /// The next answer that was given to the same question.
    other: Option<u32>,
    /// The execution in which it was first given.
    execution: u64,
}

/// A tree of executions.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    nodes: Vec<Node>,
    answers: Vec<TakenChoice>,
    told: Vec<StepNotice>,
    /// The threads of all scheduling points, by their places in `pending`.
    threads: Vec<u32>,
    pending: Vec<Pending>,
    places: Table<Pending, u32>,
    room: usize,
    executions: u64,
    reached: BTreeSet<MutantId>,
}

impl Recording {
    pub(super) fn new(room: usize) -> Recording {
        Recording {
            nodes: Vec::new(),
            answers: Vec::new(),
            told: Vec::new(),
            threads: Vec::new(),
            pending: Vec::new(),
            places: Table::default(),
            room,
            executions: 0,
            reached: BTreeSet::new(),
        }
    }

    /// Keeps the threads of a scheduling point.
    fn keep(&mut self, threads: &[Pending]) -> Range<u32> {
        let from = self.threads.len() as u32;
        for pending in threads {
            let place = *self.places.entry(*pending).or_insert_with(|| {
                self.pending.push(*pending);
                self.pending.len() as u32 - 1
            });
            self.threads.push(place);
        }
        from..self.threads.len() as u32
    }

    /// The threads of a scheduling point, written over what `threads` held.
    fn recall(&self, places: &Range<u32>, threads: &mut Vec<Pending>) {
        let places = &self.threads[places.start as usize..places.end as usize];
        threads.clear();
        threads.extend(places.iter().map(|&place| self.pending[place as usize]));
    }

    /// The answer to a node's question by which this was chosen.
    fn answer(&self, node: u32, choice: Choice) -> Option<u32> {
        let mut at = self.nodes[node as usize].answer;
        while let Some(id) = at {
            let answer = &self.answers[id as usize];
            if answer.choice == choice {
                return Some(id);
            }
            at = answer.other;
        }
        None
    }

    fn new_answer(&mut self, node: u32, choice: Choice) -> u32 {
        let id = self.answers.len() as u32;
        let told = self.told.len() as u32;
        self.answers.push(TakenChoice {
            choice,
            told: told..told,
            next: None,
            other: None,
            execution: self.executions,
        });
        let mut at = &mut self.nodes[node as usize].answer;
        while let Some(answer) = *at {
            at = &mut self.answers[answer as usize].other;
        }
        *at = Some(id);
        id
    }

    fn told(&self, answer: &TakenChoice) -> &[StepNotice] {
        &self.told[answer.told.start as usize..answer.told.end as usize]
    }

    fn reaches(&self, answer: &TakenChoice, mutant: MutantId) -> bool {
        self.told(answer)
            .iter()
            .any(|told| matches!(told, StepNotice::Reach(id) if *id == mutant))
    }

    pub(super) fn reached(&self) -> BTreeSet<MutantId> {
        self.reached.clone()
    }

    /// Whether just the same steps reach the two.
    pub(super) fn is_reached_alike(&self, one: MutantId, other: MutantId) -> bool {
        let mut answers = self.answers.iter();
        answers.all(|answer| self.reaches(answer, one) == self.reaches(answer, other))
    }

    /// The first execution that reached the mutant.
    fn first_reaching(&self, mutant: MutantId) -> u64 {
        let answers = self.answers.iter();
        let reaching = answers.filter(|answer| self.reaches(answer, mutant));
        reaching
            .map(|answer| answer.execution)
            .min()
            .unwrap_or(u64::MAX)
    }

    fn root(&self) -> Option<u32> {
        (!self.nodes.is_empty()).then_some(0)
    }
}

/// Stands between a system and its guide and writes down what they say.
pub(super) struct Recorder<'a> {
    guide: &'a mut dyn Guide,
    recording: &'a mut Recording,
    /// The answer that was given last.
    last: Option<u32>,
    /// The execution has left what there is room for.
    lost: bool,
    final_node: Option<u32>,
    /// New decisions in this execution.
    pub(super) fresh: u64,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(guide: &'a mut dyn Guide, recording: &'a mut Recording) -> Recorder<'a> {
        Recorder {
            guide,
            recording,
            last: None,
            lost: false,
            final_node: None,
            fresh: 0,
        }
    }

    /// The node for the question that comes now.
    fn arrive(&mut self, question: impl FnOnce(&mut Recording) -> PendingChoice) -> Option<u32> {
        if self.lost {
            return None;
        }
        let known = match self.last {
            Some(answer) => self.recording.answers[answer as usize].next,
            None => self.recording.root(),
        };
        if known.is_some() {
            return known;
        }
        if self.recording.nodes.len() == self.recording.room {
            self.lost = true;
            return None;
        }
        let id = self.recording.nodes.len() as u32;
        let question = question(self.recording);
        self.recording.nodes.push(Node {
            question,
            answer: None,
            end: None,
        });
        if let Some(answer) = self.last {
            self.recording.answers[answer as usize].next = Some(id);
        }
        Some(id)
    }

    fn answer(&mut self, node: Option<u32>, choice: Choice) {
        let Some(node) = node else { return };
        let known = self.recording.answer(node, choice);
        self.last = Some(known.unwrap_or_else(|| self.recording.new_answer(node, choice)));
    }

    fn told(&mut self, told: StepNotice) {
        let Some(answer) = self.last.filter(|_| !self.lost) else {
            return;
        };
        let answer = &mut self.recording.answers[answer as usize];
        // A step that is repeated tells the same again.
        if answer.next.is_none() && answer.execution == self.recording.executions {
            debug_assert_eq!(answer.told.end as usize, self.recording.told.len());
            self.recording.told.push(told);
            answer.told.end += 1;
        }
    }

    pub(super) fn end(self, end: ExecutionEnd) {
        if let Some(node) = self.final_node {
            self.recording.nodes[node as usize].end = Some(end);
        }
        self.recording.executions += 1;
    }
}

impl Guide for Recorder<'_> {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        let node = self.arrive(|recording| PendingChoice::Thread {
            threads: recording.keep(point.threads),
            fingerprint: point.fingerprint,
            phase: point.phase,
        });
        if point.is_over() {
            self.final_node = node;
        }
        let chosen = self.guide.choose(point);
        if let Some(thread) = chosen.filter(|_| !point.is_over()) {
            self.fresh += u64::from(self.guide.is_fresh());
            self.answer(node, Choice::thread(thread));
        }
        chosen
    }

    fn data(&mut self, options: u32) -> u32 {
        let node = self.arrive(|_| PendingChoice::Alternative(options));
        let value = self.guide.data(options);
        self.answer(node, Choice::data(value));
        value
    }

    fn refine(&mut self, op: Op) {
        self.told(StepNotice::Refine(op));
        self.guide.refine(op);
    }

    fn wake(&mut self, thread: Thread) {
        self.told(StepNotice::Wake(thread));
        self.guide.wake(thread);
    }

    fn observe(&mut self, value: u64) {
        self.told(StepNotice::Observe(value));
        self.guide.observe(value);
    }

    fn reach(&mut self, mutant: MutantId) {
        self.recording.reached.insert(mutant);
        self.told(StepNotice::Reach(mutant));
        self.guide.reach(mutant);
    }

    pass_on!(self => self.guide; wants_fingerprint, is_fresh);
}

/// A mutant that answers from the original's recording as long as it can.
pub(super) struct Recorded<'a> {
    recording: &'a Recording,
    system: &'a mut dyn Mutable,
    mutant: MutantId,
    /// Executions of the original from this one on are not to be used.
    before: u64,
    path: Vec<Choice>,
    /// After how many choices the execution before left what is remembered. One that makes the same choices leaves it
    /// there, too, so that nothing is to be had by following it.
    left_after: Option<usize>,
    /// The threads of the scheduling point that is remembered.
    threads: Vec<Pending>,
    /// New decisions for which the system had to run.
    pub(super) fresh: u64,
    /// Those of them in and before which the mutant had not acted.
    pub(super) before_acting: u64,
}

impl<'a> Recorded<'a> {
    pub(super) fn new(
        recording: &'a Recording,
        system: &'a mut dyn Mutable,
        mutant: MutantId,
        technique: Technique,
    ) -> Recorded<'a> {
        let before = match technique {
            Technique::Naive | Technique::Basic => 0,
            Technique::OneState => recording.first_reaching(mutant),
            Technique::StateSet | Technique::AllStates => u64::MAX,
        };
        Recorded {
            recording,
            system,
            mutant,
            before,
            path: Vec::new(),
            left_after: None,
            threads: Vec::new(),
            fresh: 0,
            before_acting: 0,
        }
    }

    /// Asks the guide what the recording asks at a node.
    fn ask(&mut self, node: &Node, guide: &mut dyn Guide) -> GuideReply {
        match &node.question {
            PendingChoice::Thread {
                threads,
                fingerprint,
                phase,
            } => {
                self.recording.recall(threads, &mut self.threads);
                let chosen = guide.choose(&SchedulingPoint {
                    threads: &self.threads,
                    fingerprint: *fingerprint,
                    phase: *phase,
                });
                match (node.end, chosen) {
                    (Some(end), _) if *phase != ExecutionPhase::Running => GuideReply::Over(end),
                    (_, Some(thread)) => GuideReply::Chosen(Choice::thread(thread)),
                    (_, None) => GuideReply::Over(ExecutionEnd::Stopped),
                }
            }
            PendingChoice::Alternative(options) => {
                GuideReply::Chosen(Choice::data(guide.data(*options)))
            }
        }
    }

    /// Follows the recording; the end if it holds the whole execution.
    fn remember(&mut self, guide: &mut dyn Guide) -> Option<ExecutionEnd> {
        let recording = self.recording;
        let mut at = recording.root().filter(|_| self.before > 0);
        while let Some(id) = at {
            let node = &recording.nodes[id as usize];
            let choice = match self.ask(node, guide) {
                GuideReply::Over(end) => return Some(end),
                GuideReply::Chosen(choice) => choice,
            };
            self.path.push(choice);
            let answer = &recording.answers[recording.answer(id, choice)? as usize];
            let is_usable = answer.execution < self.before
                && answer.next.is_some()
                && !recording.reaches(answer, self.mutant);
            if !is_usable {
                return None;
            }
            let told = recording.told(answer);
            told.iter().for_each(|&told| tell(guide, told));
            at = answer.next;
        }
        None
    }
}

/// What the guide says at a node: a choice, or that the execution is over.
enum GuideReply {
    Chosen(Choice),
    Over(ExecutionEnd),
}

fn tell(guide: &mut dyn Guide, told: StepNotice) {
    match told {
        StepNotice::Refine(op) => guide.refine(op),
        StepNotice::Wake(thread) => guide.wake(thread),
        StepNotice::Observe(value) => guide.observe(value),
        StepNotice::Reach(mutant) => guide.reach(mutant),
    }
}

impl System for Recorded<'_> {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        self.path.clear();
        if self.left_after.is_none_or(|left| guide.repeats() < left) {
            let end = self.remember(guide);
            self.left_after = end.is_none().then_some(self.path.len());
            if let Some(end) = end {
                return end;
            }
        }
        // The last answer is new to the recording, so the system has to act on it.
        let is_fresh = !self.path.is_empty() && guide.is_fresh();
        let mut catch_up = CatchUpGuide {
            guide,
            path: &self.path,
            at: 0,
            mutant: self.mutant,
            has_acted: false,
            is_counted: is_fresh,
            fresh: u64::from(is_fresh),
            before: u64::from(is_fresh),
        };
        let end = self.system.run(&mut catch_up);
        self.fresh += catch_up.fresh;
        self.before_acting += catch_up.before;
        end
    }
}

/// Repeats in the system the choices that the guide has already made, then passes everything on between the two.
struct CatchUpGuide<'a> {
    guide: &'a mut dyn Guide,
    path: &'a [Choice],
    at: usize,
    mutant: MutantId,
    has_acted: bool,
    /// The step under way counts as one before the mutant acts.
    is_counted: bool,
    fresh: u64,
    before: u64,
}

impl CatchUpGuide<'_> {
    fn has_caught_up(&self) -> bool {
        self.at == self.path.len()
    }
}

impl Guide for CatchUpGuide<'_> {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if !self.has_caught_up() {
            self.at += 1;
            return self.path[self.at - 1].as_thread();
        }
        let chosen = self.guide.choose(point);
        let is_fresh = chosen.is_some() && !point.is_over() && self.guide.is_fresh();
        self.fresh += u64::from(is_fresh);
        self.is_counted = is_fresh && !self.has_acted;
        self.before += u64::from(self.is_counted);
        chosen
    }

    fn data(&mut self, options: u32) -> u32 {
        if !self.has_caught_up() {
            self.at += 1;
            return self.path[self.at - 1].as_data().unwrap_or(0);
        }
        self.guide.data(options)
    }

    fn refine(&mut self, op: Op) {
        if self.has_caught_up() {
            self.guide.refine(op);
        }
    }

    fn wake(&mut self, thread: Thread) {
        if self.has_caught_up() {
            self.guide.wake(thread);
        }
    }

    fn observe(&mut self, value: u64) {
        if self.has_caught_up() {
            self.guide.observe(value);
        }
    }

    fn reach(&mut self, mutant: MutantId) {
        if mutant == self.mutant && !std::mem::replace(&mut self.has_acted, true) {
            self.before -= u64::from(self.is_counted);
        }
        if self.has_caught_up() {
            self.guide.reach(mutant);
        }
    }

    pass_on!(self => self.guide; wants_fingerprint, is_fresh);
}
