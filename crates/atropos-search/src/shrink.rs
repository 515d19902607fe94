//! Makes a failing schedule easier to read: fewer preemptions, then fewer changes of thread, with
//! the same sort of end.
//!
//! Tried in turn until nothing helps: let the running thread go on from some place to the end;
//! leave out a stretch of one thread; move a stretch up to the thread's stretch before it, or down to
//! the one after it. Candidates are suggestions: what can't be done is left out.

use crate::choice::{Choice, Thread};
use crate::replay::{Strictness, replay};
use crate::schedule::Schedule;
use crate::strategy::Strategy;
use crate::system::{ExecutionEnd, System};

/// A schedule made simpler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shrunk {
    pub schedule: Schedule,
    pub end: ExecutionEnd,
    pub preemptions: usize,
    /// How many executions it took.
    pub executions: usize,
}

/// Shrinks a failing schedule, with at most so many executions, and no more after they made so many choices. `None` if the
/// schedule does not fail when it is run.
pub fn shrink(
    system: &mut dyn System,
    schedule: &Schedule,
    executions: usize,
    choices: usize,
) -> Option<Shrunk> {
    let mut shrinking = Shrinking {
        system,
        best: None,
        left: executions.max(1),
        choices_left: choices.max(1),
        used: 0,
    };
    shrinking.attempt(&schedule.choices);
    while shrinking.best.is_some() && shrinking.improve() {}
    let best = shrinking.best?;
    let executions = shrinking.used;
    let schedule = Schedule { choices: best.path };
    Some(Shrunk {
        schedule,
        end: best.end,
        preemptions: best.preemptions,
        executions,
    })
}

struct BestSchedule {
    path: Vec<Choice>,
    end: ExecutionEnd,
    preemptions: usize,
}

impl BestSchedule {
    fn size(&self) -> (usize, usize, usize) {
        (
            self.preemptions,
            stretches(&self.path).len(),
            self.path.len(),
        )
    }
}

struct Shrinking<'a> {
    system: &'a mut dyn System,
    best: Option<BestSchedule>,
    left: usize,
    choices_left: usize,
    used: usize,
}

/// A run of choices of one thread.
#[derive(Clone, Copy)]
struct ChoiceRun {
    thread: Thread,
    from: usize,
    to: usize,
}

fn stretches(path: &[Choice]) -> Vec<ChoiceRun> {
    let mut found: Vec<ChoiceRun> = Vec::new();
    for (at, choice) in path.iter().enumerate() {
        match (choice.as_thread(), found.last_mut()) {
            (Some(thread), Some(last)) if last.thread == thread => last.to = at + 1,
            (Some(thread), _) => found.push(ChoiceRun {
                thread,
                from: at,
                to: at + 1,
            }),
            (None, Some(last)) => last.to = at + 1,
            (None, None) => {}
        }
    }
    found
}

impl Shrinking<'_> {
    /// Runs a candidate; keeps it if it fails the same way and is smaller.
    fn attempt(&mut self, candidate: &[Choice]) -> bool {
        if self.left == 0 || self.choices_left == 0 {
            return false;
        }
        self.left -= 1;
        self.used += 1;
        let schedule = Schedule {
            choices: candidate.to_vec(),
        };
        let run = replay(self.system, &schedule, Strictness::Lenient);
        let made = run.schedule().choices.len();
        self.choices_left = self.choices_left.saturating_sub(made);
        let Some(end) = run.ended().filter(|end| end.is_failure()) else {
            return false;
        };
        let found = BestSchedule {
            path: run.schedule().choices,
            end,
            preemptions: run.preemptions(),
        };
        let is_better = self
            .best
            .as_ref()
            .is_none_or(|best| best.end.is_like(end) && found.size() < best.size());
        if is_better {
            self.best = Some(found);
        }
        is_better
    }

    fn improve(&mut self) -> bool {
        let Some(best) = &self.best else { return false };
        let path = best.path.clone();
        let found = stretches(&path);
        // The random data of all searches, if that does.
        let is_random = path.first().is_some_and(|first| first.as_data().is_some());
        (is_random && self.attempt(&path[1..]))
            // The shorter the beginning that suffices, the better, so short ones first.
            || found
            .iter()
            .any(|stretch| self.attempt(&path[..stretch.from]))
            || (0..found.len())
                .any(|i| self.attempt(&[&path[..found[i].from], &path[found[i].to..]].concat()))
            || (0..found.len())
                .any(|i| self.move_up(&path, &found, i) || self.move_down(&path, &found, i))
    }

    fn move_up(&mut self, path: &[Choice], found: &[ChoiceRun], i: usize) -> bool {
        let Some(before) = found[..i]
            .iter()
            .rfind(|other| other.thread == found[i].thread)
        else {
            return false;
        };
        let ChoiceRun { from, to, .. } = found[i];
        let candidate = [
            &path[..before.to],
            &path[from..to],
            &path[before.to..from],
            &path[to..],
        ]
        .concat();
        self.attempt(&candidate)
    }

    fn move_down(&mut self, path: &[Choice], found: &[ChoiceRun], i: usize) -> bool {
        let Some(after) = found[i + 1..]
            .iter()
            .find(|other| other.thread == found[i].thread)
        else {
            return false;
        };
        let ChoiceRun { from, to, .. } = found[i];
        let candidate = [
            &path[..from],
            &path[to..after.from],
            &path[from..to],
            &path[after.from..],
        ]
        .concat();
        self.attempt(&candidate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;
    use crate::system::{ExecutionPhase, Guide, Limit, Pending, SchedulingPoint};

    /// Two threads of two steps each: too much memory if the second comes between the first one's, else too many steps.
    struct Greedy;

    impl System for Greedy {
        fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
            let mut taken = Vec::new();
            while taken.len() < 4 {
                let pending = |thread| Pending {
                    thread: Thread(thread),
                    op: Op::local(),
                    ready: taken.iter().filter(|other| **other == thread).count() < 2,
                };
                let threads = [pending(0), pending(1)];
                let point = SchedulingPoint {
                    threads: &threads,
                    fingerprint: None,
                    phase: ExecutionPhase::Running,
                };
                match guide.choose(&point) {
                    Some(thread) => taken.push(thread.0),
                    None => return ExecutionEnd::Stopped,
                }
            }
            ExecutionEnd::Limit(match taken[..] {
                [0, 1, ..] => Limit::Memory,
                _ => Limit::Points,
            })
        }
    }

    #[test]
    fn what_takes_too_much_memory_does_not_shrink_to_what_takes_too_many_steps() {
        let shrink = |schedule: &str| {
            let schedule = schedule.parse().unwrap();
            shrink(&mut Greedy, &schedule, 500, 1000).expect("it fails")
        };
        let greedy = shrink("s1:0,1,0,1");
        assert_eq!(greedy.end, ExecutionEnd::Limit(Limit::Memory));
        assert_eq!(greedy.schedule.to_string(), "s1:0,1*2,0");
        let endless = shrink("s1:1,0,1,0");
        assert_eq!(endless.end, ExecutionEnd::Limit(Limit::Points));
        assert_eq!(endless.schedule.to_string(), "s1:0*2,1*2");
    }
}
