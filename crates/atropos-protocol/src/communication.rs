//! What threads of a mutant tell each other that those of the original never did, as an exploration says it.

use crate::command::{fields, line};

/// Sorts of communication; the acts of each are in the order in which they happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Talk {
    /// One thread writes, another reads that; with one act only, it reads what was there from the start.
    Flow,
    /// One thread accesses something, then another does, then the first one again.
    Between,
    /// A thread takes a lock, and while it holds that, another.
    LockOrder,
    /// One thread's notification wakes another.
    WakeUp,
    /// One thread changes the contents of a cell, another uses or changes them, and nothing says who comes first.
    Unordered,
}

impl Talk {
    const ALL: [(Talk, &'static str); 5] = [
        (Talk::Flow, "flow"),
        (Talk::Between, "between"),
        (Talk::LockOrder, "lock-order"),
        (Talk::WakeUp, "wake-up"),
        (Talk::Unordered, "unordered"),
    ];

    pub fn word(self) -> &'static str {
        let found = Talk::ALL.iter().find(|(talk, _)| *talk == self);
        found.map_or("flow", |(_, word)| word)
    }

    pub fn parse(word: &str) -> Option<Talk> {
        let found = Talk::ALL.iter().find(|(_, known)| *known == word);
        found.map(|(talk, _)| *talk)
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
    pub talk: Talk,
    pub acts: Vec<Act>,
}

impl Communication {
    /// One line of text, without its end.
    pub fn to_text(&self) -> String {
        let mut words = vec![self.talk.word().to_owned()];
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
        let (talk, acts) = words.split_first()?;
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
            talk: Talk::parse(talk)?,
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
            talk: Talk::Between,
            acts: vec![act(1), act(2), act(1)],
        };
        let text = communication.to_text();
        assert!(!text.contains('\n'));
        assert_eq!(Communication::parse(&text), Some(communication));
        assert_eq!(Communication::parse("dance"), None);
        assert_eq!(Communication::parse("flow\t1\twrite"), None);
    }
}
