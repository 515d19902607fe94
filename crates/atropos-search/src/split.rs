//! Parts of a search tree that can be explored apart, by other threads or other processes.
//!
//! Near the root every ready thread is expanded, so no part needs to add anything to another; each is
//! explored as if it were a tree of its own. A class of equivalent executions may then occur in
//! several parts. It counts in the first of them only, which an execution shows by itself: in no
//! earlier part could it have begun. So all parts together count the executions of the undivided
//! search, each once, whoever explores which.
//!
//! A step that touches nothing is never expanded together with others: it may as well come first.
//! (An execution that is cut short before such a step is left out by that; the failure that cuts it
//! short is not.)

use std::fmt;
use std::str::FromStr;

use crate::choice::{Choice, Thread};
use crate::op::Op;
use crate::schedule::{Schedule, ScheduleError};
use crate::system::{Guide, Pending, SchedulingPoint, System};

/// A decision near the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SplitDecision {
    pub choice: Choice,
    /// The threads whose branches at this node belong to other parts.
    pub done: Vec<Thread>,
}

/// A part of a search tree: all that starts with these decisions. The default is the whole tree.
///
/// As text: `w1:` and, separated by `/`, each decision followed by the threads that are done
/// there, as in `w1:0/2+0+1/=1`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkItem {
    pub prefix: Vec<SplitDecision>,
}

const VERSION: &str = "w1:";

impl fmt::Display for WorkItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(VERSION)?;
        for (i, given) in self.prefix.iter().enumerate() {
            write!(f, "{}{:?}", if i > 0 { "/" } else { "" }, given.choice)?;
            for thread in &given.done {
                write!(f, "+{}", thread.0)?;
            }
        }
        Ok(())
    }
}

impl FromStr for WorkItem {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<WorkItem, ScheduleError> {
        let body = text
            .trim()
            .strip_prefix(VERSION)
            .ok_or(ScheduleError::Version)?;
        let mut prefix = Vec::new();
        for piece in body.split('/').filter(|_| !body.is_empty()) {
            let mut numbers = piece.split('+');
            let first = numbers.next().unwrap_or_default();
            let bad = || ScheduleError::Piece(piece.to_string());
            let schedule: Schedule = format!("s1:{first}").parse().map_err(|_| bad())?;
            let [choice] = schedule.choices[..] else {
                return Err(bad());
            };
            let done = numbers
                .map(|n| n.parse().map(Thread))
                .collect::<Result<_, _>>()
                .map_err(|_| bad())?;
            prefix.push(SplitDecision { choice, done });
        }
        Ok(WorkItem { prefix })
    }
}

/// Divides the search tree of a system into at least `parts` parts, if it has that many within
/// `depth` decisions. Which parts there are depends on the system and these numbers alone.
pub fn split(system: &mut dyn System, parts: usize, depth: usize) -> Vec<WorkItem> {
    let mut level = vec![WorkItem::default()];
    for _ in 0..depth {
        if level.len() >= parts {
            break;
        }
        level = level.iter().flat_map(|item| expand(system, item)).collect();
    }
    level
}

/// The parts that make up a part, one decision deeper; itself if it ends there.
fn expand(system: &mut dyn System, item: &WorkItem) -> Vec<WorkItem> {
    let mut probe = Probe {
        item,
        at: 0,
        last: None,
        asleep: Vec::new(),
        found: PrefixEnd::Nothing,
    };
    system.run(&mut probe);
    let with = |choice: Choice, done: Vec<Thread>| {
        let mut prefix = item.prefix.clone();
        prefix.push(SplitDecision { choice, done });
        WorkItem { prefix }
    };
    match probe.found {
        PrefixEnd::Nothing => vec![item.clone()],
        PrefixEnd::Threads(threads) => {
            let part = |i: usize| with(Choice::thread(threads[i]), threads[..i].to_vec());
            (0..threads.len()).map(part).collect()
        }
        PrefixEnd::Alternatives(options) => (0..options)
            .map(|value| with(Choice::data(value), Vec::new()))
            .collect(),
    }
}

enum PrefixEnd {
    Nothing,
    /// The threads whose steps from here are not covered by other parts.
    Threads(Vec<Thread>),
    Alternatives(u32),
}

/// Goes to the end of a prefix and looks what is to be decided there. Threads sleep by what they
/// announced: what they really touch can only be less, so what sleeps here is covered.
struct Probe<'a> {
    item: &'a WorkItem,
    at: usize,
    last: Option<Op>,
    asleep: Vec<(Thread, Op)>,
    found: PrefixEnd,
}

impl Probe<'_> {
    fn is_done(&self) -> bool {
        !matches!(self.found, PrefixEnd::Nothing)
    }

    fn wake_those_who_noticed(&mut self) {
        if let Some(last) = self.last.take() {
            self.asleep.retain(|(_, op)| !op.conflicts(&last));
        }
    }
}

impl Guide for Probe<'_> {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if point.is_over() || self.is_done() {
            return None;
        }
        self.wake_those_who_noticed();
        let Some(given) = self.item.prefix.get(self.at) else {
            let awake = |pending: &&Pending| {
                self.asleep
                    .iter()
                    .all(|(thread, _)| *thread != pending.thread)
            };
            let lone = point
                .ready()
                .find(|pending| pending.op == Op::local().coded(pending.op.code));
            let threads = match lone {
                Some(lone) => vec![lone.thread],
                None => point
                    .ready()
                    .filter(awake)
                    .map(|pending| pending.thread)
                    .collect(),
            };
            self.found = PrefixEnd::Threads(threads);
            return None;
        };
        self.at += 1;
        let done = given.done.iter().filter_map(|&thread| point.find(thread));
        self.asleep
            .extend(done.map(|pending| (pending.thread, pending.op)));
        let thread = given.choice.as_thread()?;
        self.last = point.find(thread).map(|pending| pending.op);
        Some(thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        if options <= 1 || self.is_done() {
            return 0;
        }
        let Some(given) = self.item.prefix.get(self.at) else {
            self.found = PrefixEnd::Alternatives(options);
            return 0;
        };
        self.at += 1;
        given.choice.as_data().unwrap_or(0)
    }

    fn refine(&mut self, op: Op) {
        self.last = self.last.map(|_| op);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_survives_text_and_back() {
        for text in ["w1:", "w1:0", "w1:0/2+0+1/=1"] {
            assert_eq!(text.parse::<WorkItem>().unwrap().to_string(), text);
        }
        for text in ["s1:0", "w1:0,1", "w1:0//1", "w1:0+x"] {
            assert!(text.parse::<WorkItem>().is_err(), "{text}");
        }
    }
}
