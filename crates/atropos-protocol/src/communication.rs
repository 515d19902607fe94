//! What threads of a mutant tell each other that those of the original never did, as an exploration says it.

use crate::command::{fields, line};

/// How threads interact in a piece of communication. The acts of each are in the order in which they happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InteractionKind {
    /// One thread writes, another reads that. With one act only: it reads what was there from the start.
    Flow,
    /// One thread accesses something, then another does, then the first one again.
    Between,
    /// A thread takes a lock, and while it holds that, another.
    LockOrder,
    /// One thread's notification (or token) wakes another.
    WakeUp,
    /// One thread changes the contents of a cell, another uses or changes them, and neither happens before the other: a data
    /// race. These acts are in the order of their places.
    Unordered,
}

impl InteractionKind {
    pub const ALL: [InteractionKind; 5] = [
        InteractionKind::Flow,
        InteractionKind::Between,
        InteractionKind::LockOrder,
        InteractionKind::WakeUp,
        InteractionKind::Unordered,
    ];

    /// How much it says of a mutant, beside others: the least says most.
    pub fn rank(self) -> usize {
        match self {
            InteractionKind::Unordered => 0,
            InteractionKind::Between => 1,
            InteractionKind::Flow => 2,
            InteractionKind::WakeUp => 3,
            InteractionKind::LockOrder => 4,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            InteractionKind::Unordered => "unordered",
            InteractionKind::Between => "between",
            InteractionKind::Flow => "flow",
            InteractionKind::WakeUp => "wake-up",
            InteractionKind::LockOrder => "lock-order",
        }
    }

    pub fn parse(word: &str) -> Option<InteractionKind> {
        let mut kinds = InteractionKind::ALL.into_iter();
        kinds.find(|kind| kind.word() == word)
    }
}

/// What a thread did, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Act {
    pub thread: u32,
    /// As in "thread 1's write".
    pub noun: String,
    pub file: String,
    pub line: u32,
    /// Of the woven text.
    pub column: u32,
}

/// One piece of communication.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Communication {
    pub kind: InteractionKind,
    pub acts: Vec<Act>,
}

impl Communication {
    /// One line of text, without its end.
    pub fn to_text(&self) -> String {
        let mut words = vec![self.kind.word().to_owned()];
        for act in &self.acts {
            words.push(act.thread.to_string());
            words.push(act.noun.clone());
            words.push(act.file.clone());
            words.push(act.line.to_string());
            words.push(act.column.to_string());
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        line(&words).trim_end_matches('\n').to_owned()
    }

    /// Reads what [`Communication::to_text`] wrote.
    pub fn parse(text: &str) -> Option<Communication> {
        let words = fields(text);
        let (kind, acts) = words.split_first()?;
        let acts = acts.chunks(5).map(|words| match words {
            [thread, noun, file, line, column] => Some(Act {
                thread: thread.parse().ok()?,
                noun: noun.clone(),
                file: file.clone(),
                line: line.parse().ok()?,
                column: column.parse().ok()?,
            }),
            _ => None,
        });
        Some(Communication {
            kind: InteractionKind::parse(kind)?,
            acts: acts.collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn communication_survives_being_text() {
        let act = |thread| Act {
            thread,
            noun: "write".into(),
            file: "src/a\tb.rs".into(),
            line: 7,
            column: 9,
        };
        let communication = Communication {
            kind: InteractionKind::Between,
            acts: vec![act(1), act(2), act(1)],
        };
        let text = communication.to_text();
        assert!(!text.contains('\n'));
        assert_eq!(Communication::parse(&text), Some(communication));
        assert_eq!(Communication::parse("dance"), None);
        assert_eq!(Communication::parse("flow\t1\twrite"), None);
    }
}
