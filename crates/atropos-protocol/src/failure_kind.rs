//! How a test fails, whether a mutant makes it fail or the schedule of its threads: the one type for it in all crates.

use std::fmt;

/// How a test failed.
///
/// Explorations tell some kinds apart that ordinary runs can't; [`FailureKind::general`] is what an ordinary run would say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// The test returned an error, or a `should_panic` test did not panic (as it should).
    Failed,
    /// The test panicked: an assertion, an index, an overflow.
    Panicked,
    /// The process died of a signal: abort, segmentation fault, stack overflow.
    Crashed,
    /// The process ended in the middle of the test, as by `process::exit`.
    Exited,
    /// Every thread waits for another.
    Deadlock,
    /// It took many times the steps that the original takes.
    StepLimit,
    /// It asked for far more memory than the original.
    MemoryLimit,
    /// It wrote files far larger than tests do, or many times as many as the original.
    FileLimit,
    /// It started far more threads or processes than the original.
    SpawnLimit,
    /// It ran far longer than the original.
    TimeLimit,
    /// Explored: a panic because another thread had poisoned a lock.
    PoisonedLock,
    /// Explored: a panic because the initialisation of a `Once` or `LazyLock` had panicked.
    PoisonedOnce,
    /// Explored: a panic because the other end of a channel was gone.
    DroppedChannel,
    /// Explored: a thread waits for a notification that nobody will send, and nobody else can run.
    LostWakeUp,
    /// Explored: all threads that can run spin without changing anything.
    Livelock,
    /// Explored: two accesses to plain memory that nothing orders.
    DataRace,
    /// Explored: memory was used that had been given back.
    UseAfterFree,
    /// Explored: memory was given back twice.
    DoubleFree,
    /// Explored: what was given back is no block of memory.
    InvalidFree,
    /// Explored: an access beside every block of memory.
    OutOfBounds,
    /// Explored: an access to a stack where no function has anything any more.
    UseAfterReturn,
    /// Explored: memory that nothing leads to any more was never given back.
    Leak,
    /// Explored: what the program says of itself by `atropos::invariant!` did not hold.
    BrokenInvariant,
    /// Explored: no schedule came to what `atropos::must_reach!` names.
    NotReached,
}

/// A kind, the word for it in a sentence about a mutant ("killed (panicked)"), and the name of the failure itself ("panic").
type Named = (FailureKind, &'static str, &'static str);

impl FailureKind {
    const NAMED: [Named; 24] = [
        (FailureKind::Failed, "failed", "failed"),
        (FailureKind::Panicked, "panicked", "panic"),
        (FailureKind::Crashed, "crashed", "crash"),
        (FailureKind::Exited, "exited", "exit"),
        (FailureKind::Deadlock, "deadlock", "deadlock"),
        (FailureKind::StepLimit, "step limit", "step limit"),
        (FailureKind::MemoryLimit, "memory limit", "memory limit"),
        (FailureKind::FileLimit, "file limit", "file limit"),
        (FailureKind::SpawnLimit, "spawn limit", "spawn limit"),
        (FailureKind::TimeLimit, "time limit", "time limit"),
        (FailureKind::PoisonedLock, "poisoned lock", "poisoned lock"),
        (
            FailureKind::PoisonedOnce,
            "poisoned initialisation",
            "poisoned initialisation",
        ),
        (
            FailureKind::DroppedChannel,
            "dropped channel",
            "dropped channel",
        ),
        (FailureKind::LostWakeUp, "lost wake-up", "lost wake-up"),
        (FailureKind::Livelock, "livelock", "livelock"),
        (FailureKind::DataRace, "data race", "data race"),
        (
            FailureKind::UseAfterFree,
            "use after free",
            "use after free",
        ),
        (FailureKind::DoubleFree, "double free", "double free"),
        (FailureKind::InvalidFree, "invalid free", "invalid free"),
        (FailureKind::OutOfBounds, "out of bounds", "out of bounds"),
        (
            FailureKind::UseAfterReturn,
            "use after return",
            "use after return",
        ),
        (FailureKind::Leak, "leak", "leak"),
        (
            FailureKind::BrokenInvariant,
            "broken invariant",
            "broken invariant",
        ),
        (FailureKind::NotReached, "not reached", "not reached"),
    ];

    /// The kinds that verdicts and reports tell apart.
    pub const GENERAL: [FailureKind; 17] = [
        FailureKind::Failed,
        FailureKind::Panicked,
        FailureKind::Crashed,
        FailureKind::Exited,
        FailureKind::Deadlock,
        FailureKind::StepLimit,
        FailureKind::MemoryLimit,
        FailureKind::FileLimit,
        FailureKind::SpawnLimit,
        FailureKind::TimeLimit,
        FailureKind::DataRace,
        FailureKind::UseAfterFree,
        FailureKind::DoubleFree,
        FailureKind::InvalidFree,
        FailureKind::OutOfBounds,
        FailureKind::UseAfterReturn,
        FailureKind::Leak,
    ];

    /// What an ordinary run, which does not look into threads, would call it. Races and memory errors, which only an
    /// exploration sees for sure, keep their names.
    pub fn general(self) -> FailureKind {
        match self {
            FailureKind::PoisonedLock | FailureKind::PoisonedOnce | FailureKind::DroppedChannel => {
                FailureKind::Panicked
            }
            FailureKind::BrokenInvariant => FailureKind::Panicked,
            FailureKind::NotReached => FailureKind::Failed,
            FailureKind::LostWakeUp => FailureKind::Deadlock,
            FailureKind::Livelock => FailureKind::StepLimit,
            general => general,
        }
    }

    /// The word for a mutant that died of it: "panicked".
    pub fn word(self) -> &'static str {
        FailureKind::NAMED[self as usize].1
    }

    /// The name of the failure: "panic".
    pub fn noun(self) -> &'static str {
        FailureKind::NAMED[self as usize].2
    }

    /// The kind with this [`FailureKind::word`].
    pub fn from_word(word: &str) -> Option<FailureKind> {
        FailureKind::find(|&(_, known, _)| known == word)
    }

    /// The kind with this [`FailureKind::noun`].
    pub fn from_noun(noun: &str) -> Option<FailureKind> {
        FailureKind::find(|&(_, _, known)| known == noun)
    }

    fn find(is_meant: impl Fn(&Named) -> bool) -> Option<FailureKind> {
        let mut named = FailureKind::NAMED.iter();
        named.find(|named| is_meant(named)).map(|named| named.0)
    }

    /// The kind with this number, as `kind as usize` gives it.
    pub(crate) fn from_index(index: usize) -> Option<FailureKind> {
        FailureKind::NAMED.get(index).map(|named| named.0)
    }

    /// Whether it is about plain memory: no assertion of the test failed.
    pub fn is_of_memory(self) -> bool {
        matches!(
            self,
            FailureKind::DataRace
                | FailureKind::UseAfterFree
                | FailureKind::DoubleFree
                | FailureKind::InvalidFree
                | FailureKind::OutOfBounds
                | FailureKind::UseAfterReturn
                | FailureKind::Leak
        )
    }

    /// Whether the mutant was stopped for taking too long, rather than noticed by what it did.
    pub fn is_cut_off(self) -> bool {
        matches!(self, FailureKind::StepLimit | FailureKind::TimeLimit)
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_words_and_is_found_by_them() {
        for (index, (kind, word, noun)) in FailureKind::NAMED.into_iter().enumerate() {
            assert_eq!(
                kind as usize, index,
                "the table is in the order of the enum"
            );
            assert_eq!((kind.word(), kind.noun()), (word, noun));
            assert_eq!(FailureKind::from_word(word), Some(kind));
            assert_eq!(FailureKind::from_noun(noun), Some(kind));
            assert_eq!(FailureKind::from_index(index), Some(kind));
            assert!(FailureKind::GENERAL.contains(&kind.general()), "{kind:?}");
        }
        assert_eq!(FailureKind::from_index(FailureKind::NAMED.len()), None);
        assert_eq!(FailureKind::from_word("bored"), None);
    }

    #[test]
    fn a_general_kind_is_its_own_general_kind() {
        for kind in FailureKind::GENERAL {
            assert_eq!(kind.general(), kind);
        }
    }
}
