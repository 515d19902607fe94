//! The original's executions, remembered as a tree, so that a mutant's exploration can be told what
//! the system would do without running it, as long as the mutant has not acted.
//!
//! This is how partial-order reduction reuses what the original taught. The reduction of a mutant
//! makes its own decisions from the mutant's own conflicts; it asks for the same executions as the
//! original's where the two agree, and those are answered from memory up to the step that reaches
//! the mutant. `one-state` remembers the executions before the first one that reached it,
//! `state-set` and `all-states` all of them.

use std::collections::BTreeSet;

use super::Technique;
use crate::choice::{Choice, Thread};
use crate::op::Op;
use crate::pass_on;
use crate::system::{End, Guide, Mutable, Pending, Phase, Point, System};

/// What a system tells its guide during a step.
#[derive(Clone, Copy, Debug)]
enum Told {
    Refine(Op),
    Wake(Thread),
    Observe(u64),
    Reach(u32),
}

#[derive(Clone, Debug)]
enum Question {
    Thread {
        threads: Box<[Pending]>,
        fingerprint: Option<u64>,
        phase: Phase,
    },
    Alternative(u32),
}

#[derive(Clone, Debug)]
struct Node {
    question: Question,
    answers: Vec<Answer>,
    end: Option<End>,
}

#[derive(Clone, Debug)]
struct Answer {
    choice: Choice,
    told: Vec<Told>,
    next: Option<u32>,
    /// The execution in which it was first given.
    execution: u64,
}

/// A tree of executions.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    nodes: Vec<Node>,
    room: usize,
    executions: u64,
    reached: BTreeSet<u32>,
}

impl Recording {
    pub(super) fn new(room: usize) -> Recording {
        Recording {
            nodes: Vec::new(),
            room,
            executions: 0,
            reached: BTreeSet::new(),
        }
    }

    pub(super) fn reached(&self) -> BTreeSet<u32> {
        self.reached.clone()
    }

    /// Whether just the same steps reach the two.
    pub(super) fn is_reached_alike(&self, one: u32, other: u32) -> bool {
        let mut answers = self.nodes.iter().flat_map(|node| &node.answers);
        answers.all(|answer| answer.reaches(one) == answer.reaches(other))
    }

    /// The first execution that reached the mutant.
    fn first_reaching(&self, mutant: u32) -> u64 {
        let answers = self.nodes.iter().flat_map(|node| &node.answers);
        let reaching = answers.filter(|answer| answer.reaches(mutant));
        reaching
            .map(|answer| answer.execution)
            .min()
            .unwrap_or(u64::MAX)
    }

    fn root(&self) -> Option<u32> {
        (!self.nodes.is_empty()).then_some(0)
    }
}

impl Answer {
    fn reaches(&self, mutant: u32) -> bool {
        self.told
            .iter()
            .any(|told| matches!(told, Told::Reach(id) if *id == mutant))
    }
}

/// Stands between a system and its guide and writes down what they say.
pub(super) struct Recorder<'a> {
    guide: &'a mut dyn Guide,
    recording: &'a mut Recording,
    /// The answer that was given last.
    last: Option<(u32, usize)>,
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
    fn arrive(&mut self, question: impl FnOnce() -> Question) -> Option<u32> {
        if self.lost {
            return None;
        }
        let known = match self.last {
            Some((node, answer)) => self.recording.nodes[node as usize].answers[answer].next,
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
        self.recording.nodes.push(Node {
            question: question(),
            answers: Vec::new(),
            end: None,
        });
        if let Some((node, answer)) = self.last {
            self.recording.nodes[node as usize].answers[answer].next = Some(id);
        }
        Some(id)
    }

    fn answer(&mut self, node: Option<u32>, choice: Choice) {
        let Some(node) = node else { return };
        let execution = self.recording.executions;
        let answers = &mut self.recording.nodes[node as usize].answers;
        let at = answers
            .iter()
            .position(|answer| answer.choice == choice)
            .unwrap_or_else(|| {
                answers.push(Answer {
                    choice,
                    told: Vec::new(),
                    next: None,
                    execution,
                });
                answers.len() - 1
            });
        self.last = Some((node, at));
    }

    fn told(&mut self, told: Told) {
        let Some((node, at)) = self.last.filter(|_| !self.lost) else {
            return;
        };
        let answer = &mut self.recording.nodes[node as usize].answers[at];
        // A step that is repeated tells the same again.
        if answer.next.is_none() && answer.execution == self.recording.executions {
            answer.told.push(told);
        }
    }

    pub(super) fn end(self, end: End) {
        if let Some(node) = self.final_node {
            self.recording.nodes[node as usize].end = Some(end);
        }
        self.recording.executions += 1;
    }
}

impl Guide for Recorder<'_> {
    fn choose(&mut self, point: &Point<'_>) -> Option<Thread> {
        let node = self.arrive(|| Question::Thread {
            threads: point.threads.into(),
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
        let node = self.arrive(|| Question::Alternative(options));
        let value = self.guide.data(options);
        self.answer(node, Choice::data(value));
        value
    }

    fn refine(&mut self, op: Op) {
        self.told(Told::Refine(op));
        self.guide.refine(op);
    }

    fn wake(&mut self, thread: Thread) {
        self.told(Told::Wake(thread));
        self.guide.wake(thread);
    }

    fn observe(&mut self, value: u64) {
        self.told(Told::Observe(value));
        self.guide.observe(value);
    }

    fn reach(&mut self, mutant: u32) {
        self.recording.reached.insert(mutant);
        self.told(Told::Reach(mutant));
        self.guide.reach(mutant);
    }

    pass_on!(self => self.guide; wants_fingerprint, is_fresh);
}

/// A mutant that answers from the original's recording as long as it can.
pub(super) struct Recorded<'a> {
    recording: &'a Recording,
    system: &'a mut dyn Mutable,
    mutant: u32,
    /// Executions of the original from this one on are not to be used.
    before: u64,
    path: Vec<Choice>,
    /// New decisions for which the system had to run.
    pub(super) fresh: u64,
    /// Those of them in and before which the mutant had not acted.
    pub(super) before_acting: u64,
}

impl<'a> Recorded<'a> {
    pub(super) fn new(
        recording: &'a Recording,
        system: &'a mut dyn Mutable,
        mutant: u32,
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
            fresh: 0,
            before_acting: 0,
        }
    }

    /// Asks the guide what the recording asks at a node.
    fn ask(&self, node: &Node, guide: &mut dyn Guide) -> Asked {
        match &node.question {
            Question::Thread {
                threads,
                fingerprint,
                phase,
            } => {
                let chosen = guide.choose(&Point {
                    threads,
                    fingerprint: *fingerprint,
                    phase: *phase,
                });
                match (node.end, chosen) {
                    (Some(end), _) if *phase != Phase::Running => Asked::Over(end),
                    (_, Some(thread)) => Asked::Chosen(Choice::thread(thread)),
                    (_, None) => Asked::Over(End::Stopped),
                }
            }
            Question::Alternative(options) => Asked::Chosen(Choice::data(guide.data(*options))),
        }
    }

    /// Follows the recording; the end if it holds the whole execution.
    fn remember(&mut self, guide: &mut dyn Guide) -> Option<End> {
        let recording = self.recording;
        let mut at = recording.root().filter(|_| self.before > 0);
        while let Some(id) = at {
            let node = &recording.nodes[id as usize];
            let choice = match self.ask(node, guide) {
                Asked::Over(end) => return Some(end),
                Asked::Chosen(choice) => choice,
            };
            self.path.push(choice);
            let answer = node.answers.iter().find(|answer| answer.choice == choice);
            let usable = answer.filter(|answer| {
                answer.execution < self.before
                    && answer.next.is_some()
                    && !answer.reaches(self.mutant)
            });
            let answer = usable?;
            answer.told.iter().for_each(|&told| tell(guide, told));
            at = answer.next;
        }
        None
    }
}

enum Asked {
    Chosen(Choice),
    Over(End),
}

fn tell(guide: &mut dyn Guide, told: Told) {
    match told {
        Told::Refine(op) => guide.refine(op),
        Told::Wake(thread) => guide.wake(thread),
        Told::Observe(value) => guide.observe(value),
        Told::Reach(mutant) => guide.reach(mutant),
    }
}

impl System for Recorded<'_> {
    fn run(&mut self, guide: &mut dyn Guide) -> End {
        self.path.clear();
        if let Some(end) = self.remember(guide) {
            return end;
        }
        // The last answer is new to the recording, so the system has to act on it.
        let is_fresh = !self.path.is_empty() && guide.is_fresh();
        let mut catch_up = CatchUp {
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

/// Brings the system to where the guide already is, then lets them talk to each other.
struct CatchUp<'a> {
    guide: &'a mut dyn Guide,
    path: &'a [Choice],
    at: usize,
    mutant: u32,
    has_acted: bool,
    /// The step under way counts as one before the mutant acts.
    is_counted: bool,
    fresh: u64,
    before: u64,
}

impl CatchUp<'_> {
    fn has_caught_up(&self) -> bool {
        self.at == self.path.len()
    }
}

impl Guide for CatchUp<'_> {
    fn choose(&mut self, point: &Point<'_>) -> Option<Thread> {
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

    fn reach(&mut self, mutant: u32) {
        if mutant == self.mutant && !std::mem::replace(&mut self.has_acted, true) {
            self.before -= u64::from(self.is_counted);
        }
        if self.has_caught_up() {
            self.guide.reach(mutant);
        }
    }

    pass_on!(self => self.guide; wants_fingerprint, is_fresh);
}
