//! What a test does to the world outside its own memory.
//!
//! The runtime notes each kind once, with the first occurrence. The kinds decide in which ways
//! the test's mutants may be run.

/// A kind of effect; the discriminant is its bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Effect {
    /// Files or directories were created, written, renamed or removed.
    Files = 0,
    /// A socket was connected, bound or sent through.
    Network = 1,
    /// Another process was started.
    Processes = 2,
    /// A signal was sent to a process.
    Kill = 3,
    /// Memory was shared with other processes.
    SharedMemory = 4,
    /// A thread was started.
    Threads = 5,
    /// A descriptor of the test's own was open where a mutant could have been forked.
    OpenDescriptor = 6,
    /// The process asked for its own id, which differs after a fork.
    ProcessId = 7,
    /// The process asked how much processor time it used, which restarts after a fork.
    CpuClock = 8,
    /// The current directory was changed.
    Directory = 9,
    /// A signal handler or mask was changed.
    Signals = 10,
    /// Other state that the kernel keeps for the process: limits, umask, ids, and timers, which a
    /// forked process does not inherit.
    ProcessState = 11,
    /// Memory was mapped by other means than the allocator.
    Mapping = 12,
    /// A descriptor was opened.
    Descriptors = 13,
    /// The process asked what time it is, or waited for some.
    Clock = 14,
    /// Files or directories were changed that had been there before all tests.
    OldFiles = 15,
    /// A file grew beyond the limit that mutants have.
    LargeFiles = 16,
    /// Files or directories were changed that outlive an execution; devices are none.
    LastingFiles = 17,
    /// Another thread than the test's own ran code of the package, or nobody can say that none did.
    OwnThreads = 18,
    /// It uses files that are neither its own temporary ones nor those of the source tree.
    OutsideFiles = 19,
    /// It reads Rust code of the source tree.
    ReadsCode = 20,
}

impl Effect {
    pub const ALL: [Effect; 21] = [
        Effect::Files,
        Effect::Network,
        Effect::Processes,
        Effect::Kill,
        Effect::SharedMemory,
        Effect::Threads,
        Effect::OpenDescriptor,
        Effect::ProcessId,
        Effect::CpuClock,
        Effect::Directory,
        Effect::Signals,
        Effect::ProcessState,
        Effect::Mapping,
        Effect::Descriptors,
        Effect::Clock,
        Effect::OldFiles,
        Effect::LargeFiles,
        Effect::LastingFiles,
        Effect::OwnThreads,
        Effect::OutsideFiles,
        Effect::ReadsCode,
    ];

    pub const fn bit(self) -> u64 {
        1 << self as u32
    }

    pub fn sentence(self) -> &'static str {
        match self {
            Effect::Files => "changes files",
            Effect::Network => "uses the network",
            Effect::Processes => "starts processes",
            Effect::Kill => "sends signals",
            Effect::SharedMemory => "shares memory",
            Effect::Threads => "starts threads",
            Effect::OpenDescriptor => "holds a file open while it runs mutated code",
            Effect::ProcessId => "asks for its process id",
            Effect::CpuClock => "asks for its processor time",
            Effect::Directory => "changes the current directory",
            Effect::Signals => "changes signal handling",
            Effect::ProcessState => "changes process settings",
            Effect::Mapping => "maps memory itself",
            Effect::Descriptors => "opens files",
            Effect::Clock => "looks at the clock",
            Effect::OldFiles => "changes files that were there before",
            Effect::LargeFiles => "writes large files",
            Effect::LastingFiles => "changes files that last",
            Effect::OwnThreads => "runs its code in several threads",
            Effect::OutsideFiles => "uses files outside the source tree",
            Effect::ReadsCode => "reads code of the source tree",
        }
    }
}

/// A set of effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects(pub u64);

impl Effects {
    /// Effects that reach beyond the process: no mutant may repeat or suppress them in a process
    /// that shares the world with others.
    pub const OUTSIDE: Effects = Effects(
        Effect::Files.bit()
            | Effect::Network.bit()
            | Effect::Processes.bit()
            | Effect::Kill.bit()
            | Effect::SharedMemory.bit(),
    );

    /// Other processes have a part in what the test does: neither their time nor their order is
    /// the test's own.
    pub const WITH_OTHERS: Effects = Effects(Effect::Network.bit() | Effect::Processes.bit());

    /// With one of these there are no schedules of the test's own that could be explored: others take part in what it does,
    /// or one execution would leave to the next what it has changed.
    pub const AGAINST_EXPLORATION: Effects =
        Effects(Effects::WITH_OTHERS.0 | Effect::LastingFiles.bit());

    /// With one of these a test's mutants can't be forked where they are reached.
    pub const AGAINST_FORK: Effects = Effects(
        Effects::OUTSIDE.0
            | Effect::Threads.bit()
            | Effect::OpenDescriptor.bit()
            | Effect::ProcessId.bit()
            | Effect::CpuClock.bit()
            | Effect::ProcessState.bit(),
    );

    /// With one of these a test can't be run again in the same process.
    pub const AGAINST_BATCH: Effects = Effects(
        Effects::OUTSIDE.0
            | Effect::Threads.bit()
            | Effect::Directory.bit()
            | Effect::Signals.bit()
            | Effect::ProcessState.bit()
            | Effect::Mapping.bit(),
    );

    /// What a run depends on that nobody can compare with what it was: whoever does any of it is run again each time.
    pub const WITHOUT_EVIDENCE: Effects = Effects(
        Effects::WITH_OTHERS.0
            | Effect::Kill.bit()
            | Effect::SharedMemory.bit()
            | Effect::Threads.bit()
            | Effect::OwnThreads.bit()
            | Effect::ProcessId.bit()
            | Effect::CpuClock.bit()
            | Effect::Clock.bit()
            | Effect::OldFiles.bit()
            | Effect::OutsideFiles.bit(),
    );

    pub fn add(&mut self, effect: Effect) {
        self.0 |= effect.bit();
    }

    pub fn contains(self, effect: Effect) -> bool {
        self.0 & effect.bit() != 0
    }

    pub fn intersects(self, other: Effects) -> bool {
        self.0 & other.0 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL
            .into_iter()
            .filter(move |effect| self.contains(*effect))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_has_its_own_bit() {
        let all = Effect::ALL.iter().fold(0, |bits, effect| {
            assert_eq!(bits & effect.bit(), 0, "{effect:?}");
            bits | effect.bit()
        });
        assert_eq!(Effects(all).iter().count(), Effect::ALL.len());
        assert!(Effects(all).intersects(Effects::AGAINST_FORK));
        assert!(!Effects(Effect::Directory.bit()).intersects(Effects::AGAINST_FORK));
    }
}
