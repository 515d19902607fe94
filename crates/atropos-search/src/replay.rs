//! Running a given schedule again, and finding the first place where two runs of it part.

use crate::choice::{Choice, Thread};
use crate::hash::mix;
use crate::op::Op;
use crate::schedule::Schedule;
use crate::strategy::{Coverage, Divergence, DivergenceKind, SearchProgress, Strategy};
use crate::system::{ExecutionEnd, Guide, Pending, SchedulingPoint, System};

/// What to do with a choice that can't be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strictness {
    /// The run has diverged: stop it.
    Exact,
    /// Leave the choice out: the schedule is a suggestion.
    Lenient,
}

/// One execution that follows a schedule. Where the schedule ends, the running thread goes on as
/// long as it can, then the first that can.
#[derive(Clone, Debug)]
pub struct Replay {
    wanted: Vec<Choice>,
    strictness: Strictness,
    next: usize,
    path: Vec<Choice>,
    notes: Vec<ChoiceRecord>,
    last: Option<Thread>,
    preemptions: usize,
    begun: bool,
    ended: Option<ExecutionEnd>,
    divergence: Option<Divergence>,
}

/// What was seen where a choice was taken, to compare two runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ChoiceRecord {
    asked: ChoiceKind,
    /// What the thread learned until the next choice.
    learned: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChoiceKind {
    Thread(Op),
    Alternative(u32),
    RandomData,
}

impl Replay {
    pub fn new(schedule: &Schedule, strictness: Strictness) -> Replay {
        Replay {
            wanted: schedule.choices.clone(),
            strictness,
            next: 0,
            path: Vec::new(),
            notes: Vec::new(),
            last: None,
            preemptions: 0,
            begun: false,
            ended: None,
            divergence: None,
        }
    }

    /// How often the execution left a thread that could have gone on.
    pub fn preemptions(&self) -> usize {
        self.preemptions
    }

    /// How the execution ended.
    pub fn ended(&self) -> Option<ExecutionEnd> {
        self.ended
    }

    fn part(&mut self, choice: Choice, cause: DivergenceKind) {
        let at = self.path.len();
        self.divergence
            .get_or_insert(Divergence { at, choice, cause });
    }

    /// The thread that the schedule wants, or else the one that goes on.
    fn next_thread(&mut self, point: &SchedulingPoint<'_>) -> Option<Pending> {
        while let Some(&choice) = self.wanted.get(self.next) {
            self.next += 1;
            let pending = choice
                .as_thread()
                .and_then(|thread| point.find(thread))
                .filter(|pending| pending.ready);
            if pending.is_some() {
                return pending.copied();
            }
            if self.strictness == Strictness::Exact {
                let cause = if choice.as_data().is_some() {
                    DivergenceKind::Question
                } else {
                    DivergenceKind::NotReady
                };
                self.part(choice, cause);
                return None;
            }
        }
        // If all yield, the one that ran the longest ago.
        let rank = |pending: &&Pending| {
            let ran = |choice: &Choice| choice.as_thread() == Some(pending.thread);
            (
                pending
                    .op
                    .is_yielding()
                    .then(|| self.path.iter().rposition(ran)),
                Some(pending.thread) != self.last,
                pending.thread,
            )
        };
        point
            .threads
            .iter()
            .filter(|pending| pending.ready)
            .min_by_key(rank)
            .copied()
    }

    fn next_alternative(&mut self, options: u32) -> u32 {
        let Some(&choice) = self.wanted.get(self.next) else {
            return 0;
        };
        match choice.as_data() {
            Some(value) if value < options => {
                self.next += 1;
                value
            }
            _ if self.strictness == Strictness::Lenient => 0,
            Some(value) => {
                self.part(
                    choice,
                    DivergenceKind::Alternatives {
                        before: value + 1,
                        now: options,
                    },
                );
                0
            }
            None => {
                self.part(choice, DivergenceKind::Question);
                0
            }
        }
    }

    /// The first place where two executions part, if they do.
    pub fn parts_from(&self, other: &Replay) -> Option<Divergence> {
        let (mine, theirs) = (&self.path, &other.path);
        for at in 0..mine.len().min(theirs.len()) {
            let (a, b) = (self.notes[at], other.notes[at]);
            let cause = match (a.asked, b.asked) {
                (ChoiceKind::Thread(before), ChoiceKind::Thread(now)) if before != now => {
                    Some(DivergenceKind::Operation { before, now })
                }
                (ChoiceKind::Alternative(before), ChoiceKind::Alternative(now))
                    if before != now =>
                {
                    Some(DivergenceKind::Alternatives { before, now })
                }
                (ChoiceKind::Thread(_), ChoiceKind::Alternative(_))
                | (ChoiceKind::Alternative(_), ChoiceKind::Thread(_)) => {
                    Some(DivergenceKind::Question)
                }
                _ if mine[at] != theirs[at] => Some(DivergenceKind::NotReady),
                _ if a.learned != b.learned => Some(DivergenceKind::Value),
                _ => None,
            };
            if let Some(cause) = cause {
                return Some(Divergence {
                    at,
                    choice: mine[at],
                    cause,
                });
            }
        }
        let at = mine.len().min(theirs.len());
        let choice = mine
            .get(at)
            .or(theirs.get(at))
            .or(mine.last())
            .copied()
            .unwrap_or(Choice::data(0));
        let differ = mine.len() != theirs.len() || self.ended != other.ended;
        differ.then_some(Divergence {
            at,
            choice,
            cause: DivergenceKind::End,
        })
    }
}

impl Guide for Replay {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if point.is_over() {
            if self.strictness == Strictness::Exact && self.next < self.wanted.len() {
                self.part(self.wanted[self.next], DivergenceKind::End);
            }
            return None;
        }
        if self.divergence.is_some() {
            return None;
        }
        let pending = self.next_thread(point)?;
        let could_go_on = self.last.and_then(|last| point.find(last));
        let is_preemption = could_go_on.is_some_and(|last| last.ready && !last.op.is_yielding());
        self.preemptions += usize::from(is_preemption && self.last != Some(pending.thread));
        self.last = Some(pending.thread);
        self.path.push(Choice::thread(pending.thread));
        self.notes.push(ChoiceRecord {
            asked: ChoiceKind::Thread(pending.op),
            learned: 0,
        });
        Some(pending.thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        if options <= 1 || self.divergence.is_some() {
            return 0;
        }
        let value = self.next_alternative(options);
        self.path.push(Choice::data(value));
        self.notes.push(ChoiceRecord {
            asked: ChoiceKind::Alternative(options),
            learned: 0,
        });
        value
    }

    fn random_data(&mut self) -> u32 {
        let Some(&choice) = self.wanted.first() else {
            return 0;
        };
        let Some(value) = choice.as_data() else {
            return 0;
        };
        self.next = 1;
        self.path.push(choice);
        self.notes.push(ChoiceRecord {
            asked: ChoiceKind::RandomData,
            learned: 0,
        });
        value
    }

    fn observe(&mut self, value: u64) {
        if let Some(note) = self.notes.last_mut() {
            note.learned = mix(note.learned, value);
        }
    }
}

impl Strategy for Replay {
    fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    fn end(&mut self, end: ExecutionEnd) {
        self.ended = Some(end);
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            choices: self.path.clone(),
        }
    }

    fn coverage(&self) -> Coverage {
        Coverage::One
    }

    fn progress(&self) -> SearchProgress {
        let executions = u64::from(self.ended.is_some_and(|end| end != ExecutionEnd::Stopped));
        SearchProgress {
            executions,
            abandoned: 0,
            share: if self.begun { 1.0 } else { 0.0 },
        }
    }

    fn divergence(&self) -> Option<Divergence> {
        self.divergence
    }
}

/// Runs a schedule once and returns the run.
pub fn replay(system: &mut dyn System, schedule: &Schedule, strictness: Strictness) -> Replay {
    let mut replay = Replay::new(schedule, strictness);
    replay.begin();
    let end = system.run(&mut replay);
    replay.end(end);
    replay
}

/// Runs a schedule twice and returns the first place where the two runs, or the schedule and the
/// first of them, part.
pub fn check_determinism(system: &mut dyn System, schedule: &Schedule) -> Option<Divergence> {
    let first = replay(system, schedule, Strictness::Exact);
    let second = replay(system, schedule, Strictness::Exact);
    first.divergence().or_else(|| first.parts_from(&second))
}
