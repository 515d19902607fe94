//! What threads of a mutant tell each other that those of the original never did, under any schedule that was explored.

use atropos_protocol::communication::InteractionKind;
use serde::{Deserialize, Serialize};

/// What a thread did, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ActRecord {
    pub thread: u32,
    /// As in "thread 1's write".
    pub noun: String,
    pub file: String,
    pub line: u32,
    /// What it was done to, as far as the source's line tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}

/// One piece of communication, between the threads where it was first seen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CommunicationRecord {
    #[serde(rename = "sort", with = "crate::serde_words::interaction_kind")]
    pub kind: InteractionKind,
    pub acts: Vec<ActRecord>,
    /// Whether all schedules of the original are known; else it was only not seen in those explored.
    pub certain: bool,
}

impl ActRecord {
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// The crate whose file it is, if that is a dependency: `tokio` for `tokio-1.54.1/src/lib.rs`.
    pub fn dependency(&self) -> Option<&str> {
        let (directory, _) = self.file.split_once('/')?;
        let mut dashes = directory.match_indices('-').map(|(at, _)| at);
        let end = dashes.find(|at| {
            let version = directory[at + 1..].split('-').next().unwrap_or_default();
            version.starts_with(|letter: char| letter.is_ascii_digit()) && version.contains('.')
        })?;
        Some(&directory[..end])
    }

    /// `thread 1's write of `x``
    fn whose(&self) -> String {
        let ActRecord { thread, noun, .. } = self;
        match &self.what {
            Some(what) => format!("thread {thread}'s {noun} of `{what}`"),
            None => format!("thread {thread}'s {noun}"),
        }
    }
}

impl CommunicationRecord {
    /// Whether two pieces are the same, whatever threads they are between.
    pub fn is_like(&self, other: &CommunicationRecord) -> bool {
        let acts = self.acts.iter().zip(&other.acts);
        // Who comes between whom is a matter of what each does; who is told of whom is not.
        let by_deed = self.kind == InteractionKind::Between;
        let is_same = |(one, other): (&ActRecord, &ActRecord)| {
            (&one.file, one.line) == (&other.file, other.line)
                && (one.noun == other.noun || !by_deed)
        };
        self.kind == other.kind
            && self.acts.len() == other.acts.len()
            && acts.into_iter().all(is_same)
    }

    /// Whether all of it happens in dependencies.
    pub fn is_in_dependencies(&self) -> bool {
        self.acts.iter().all(|act| act.dependency().is_some())
    }

    /// Whether it says little of the mutant: where schedules were sampled, threads that take other turns than before
    /// meet in new ways somewhere in a large library by chance. What happens without a lock is none.
    pub fn may_be_chance(&self) -> bool {
        let is_unlocked = self.acts.iter().any(|act| act.noun.starts_with("unlocked"));
        !self.certain && !is_unlocked && self.is_in_dependencies()
    }

    /// What happens, in one sentence without its end.
    pub fn words(&self) -> String {
        let unnamed = |act: &ActRecord| format!("thread {}'s {}", act.thread, act.noun);
        match (self.kind, &self.acts[..]) {
            (InteractionKind::Between, [first, other, last]) => {
                let (from, to) = (first.place(), last.place());
                let whose = format!("thread {}'s", first.thread);
                let span = match (first.noun == last.noun, from == to) {
                    (true, true) => format!("two of {whose} {}s ({from})", first.noun),
                    (true, false) => format!("{whose} {}s ({from}, {to})", first.noun),
                    (false, true) => format!("{whose} {} and {} ({from})", first.noun, last.noun),
                    (false, false) => {
                        format!("{whose} {} ({from}) and {} ({to})", first.noun, last.noun)
                    }
                };
                format!("{} ({}) comes between {span}", other.whose(), other.place())
            }
            (InteractionKind::Flow, [writer, reader]) => format!(
                "{} ({}) sees {} ({})",
                reader.whose(),
                reader.place(),
                unnamed(writer),
                writer.place()
            ),
            (InteractionKind::Flow, [reader]) => format!(
                "{} ({}) sees what was there from the start",
                reader.whose(),
                reader.place()
            ),
            (InteractionKind::LockOrder, [held, taken]) => {
                let name = |act: &ActRecord| match &act.what {
                    Some(what) => format!("`{what}` ({})", act.place()),
                    None => format!("the lock at {}", act.place()),
                };
                format!(
                    "thread {} takes {} while it holds {}",
                    taken.thread,
                    name(taken),
                    name(held)
                )
            }
            (InteractionKind::WakeUp, [by, woken]) => format!(
                "{} ({}) wakes thread {} ({})",
                unnamed(by),
                by.place(),
                woken.thread,
                woken.place()
            ),
            (InteractionKind::Unordered, [one, other]) => format!(
                "nothing orders {} ({}) and {} ({}) any more",
                one.whose(),
                one.place(),
                unnamed(other),
                other.place()
            ),
            (_, acts) => {
                let all: Vec<String> = acts.iter().map(ActRecord::whose).collect();
                all.join(", then ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(thread: u32, noun: &str, line: u32) -> ActRecord {
        ActRecord {
            thread,
            noun: noun.into(),
            file: "src/bank.rs".into(),
            line,
            what: Some("balance".into()),
        }
    }

    fn check(kind: InteractionKind, acts: &[ActRecord], expected: &str) {
        let communication = CommunicationRecord {
            kind,
            acts: acts.to_vec(),
            certain: true,
        };
        assert_eq!(communication.words(), expected);
    }

    #[test]
    fn a_file_of_a_dependency_tells_which() {
        let dependency = |file: &str| {
            let act = ActRecord {
                file: file.to_owned(),
                ..act(1, "read", 30)
            };
            act.dependency().map(str::to_owned)
        };
        assert_eq!(dependency("tokio-1.54.1/src/lib.rs"), Some("tokio".into()));
        assert_eq!(dependency("a-2-b-1.0.0-rc.1/a.rs"), Some("a-2-b".into()));
        for own in ["crates/bank-2.0/src/lib.rs", "bank-2/src/lib.rs", "lib.rs"] {
            assert_eq!(dependency(own), None, "{own}");
        }
    }

    #[test]
    fn every_sort_has_its_sentence() {
        let (read, write) = (act(1, "read", 30), act(1, "write", 31));
        let other = act(2, "write", 31);
        check(
            InteractionKind::Between,
            &[read.clone(), other.clone(), write.clone()],
            "thread 2's write of `balance` (src/bank.rs:31) comes between thread 1's read (src/bank.rs:30) and write \
             (src/bank.rs:31)",
        );
        check(
            InteractionKind::Between,
            &[write.clone(), other.clone(), write.clone()],
            "thread 2's write of `balance` (src/bank.rs:31) comes between two of thread 1's writes (src/bank.rs:31)",
        );
        check(
            InteractionKind::Flow,
            &[other.clone(), read.clone()],
            "thread 1's read of `balance` (src/bank.rs:30) sees thread 2's write (src/bank.rs:31)",
        );
        check(
            InteractionKind::Flow,
            std::slice::from_ref(&read),
            "thread 1's read of `balance` (src/bank.rs:30) sees what was there from the start",
        );
        check(
            InteractionKind::LockOrder,
            &[act(1, "critical region", 5), act(1, "critical region", 6)],
            "thread 1 takes `balance` (src/bank.rs:6) while it holds `balance` (src/bank.rs:5)",
        );
        check(
            InteractionKind::WakeUp,
            &[act(1, "notification", 5), act(2, "critical region", 9)],
            "thread 1's notification (src/bank.rs:5) wakes thread 2 (src/bank.rs:9)",
        );
        check(
            InteractionKind::Unordered,
            &[act(1, "change", 5), act(2, "use", 9)],
            "nothing orders thread 1's change of `balance` (src/bank.rs:5) and thread 2's use (src/bank.rs:9) any more",
        );
    }

    #[test]
    fn the_same_between_other_threads_is_alike() {
        let between = |threads: [u32; 2]| CommunicationRecord {
            kind: InteractionKind::Flow,
            acts: vec![act(threads[0], "write", 1), act(threads[1], "read", 2)],
            certain: true,
        };
        assert!(between([1, 2]).is_like(&between([2, 1])));
        let mut other = between([1, 2]);
        other.acts[1].line = 3;
        assert!(!between([1, 2]).is_like(&other));
    }
}
