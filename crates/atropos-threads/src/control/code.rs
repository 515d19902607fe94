//! What controlled threads do, by name: the codes of operations in schedules' questions, traces and findings.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// An operation of a controlled thread.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        #[repr(u16)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// The operation in words, as in "thread 1 locks".
            pub fn words(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)*
                }
            }
        }
    };
}

impl Code {
    /// Whether it is an access to an atomic.
    pub fn is_atomic(self) -> bool {
        matches!(
            self,
            Code::Load | Code::Store | Code::Modify | Code::CompareExchange
        )
    }

    /// Whether it begins or ends a thread, or waits for its end.
    pub fn is_of_threads(self) -> bool {
        matches!(self, Code::Begin | Code::Finish | Code::Spawn | Code::Join)
    }
}

codes! {
    /// A thread's first step.
    #[default]
    Begin = "begins",
    Finish = "ends",
    Spawn = "starts thread",
    Join = "joins",
    Yield = "yields",
    Sleep = "sleeps",
    Park = "parks",
    Unpark = "unparks",
    Lock = "locks",
    TryLock = "tries to lock",
    Unlock = "unlocks",
    Read = "locks for reading",
    TryRead = "tries to lock for reading",
    ReadUnlock = "unlocks after reading",
    Write = "locks for writing",
    TryWrite = "tries to lock for writing",
    WriteUnlock = "unlocks after writing",
    Downgrade = "goes from writing to reading",
    Wait = "waits on a condition",
    Wake = "wakes from a condition",
    NotifyOne = "notifies one",
    NotifyAll = "notifies all",
    Arrive = "arrives at a barrier",
    Leave = "leaves a barrier",
    Initialize = "initialises once",
    Initialized = "has initialised",
    Race = "lets others initialise, too",
    Peek = "looks whether initialised",
    Send = "sends",
    TrySend = "tries to send",
    Sent = "has its message taken",
    Receive = "receives",
    TryReceive = "tries to receive",
    DropSender = "drops a sender",
    DropReceiver = "drops the receiver",
    Load = "loads",
    Store = "stores",
    Modify = "modifies",
    CompareExchange = "compares and exchanges",
    Fence = "fences",
    FutexWait = "is about to wait on a word of memory",
    FutexWake = "waits on a word of memory",
    FutexNotify = "wakes those who wait on a word of memory",
    ExternalWait = "waits for files, pipes or sockets to be ready",
    Look = "looks for something outside the program",
    BareLock = "goes on without the lock",
    BareRead = "reads without the lock",
    BareChange = "begins to change without the lock",
    BareWrite = "writes without the lock",
    CellUse = "asks for a cell's contents",
    CellChange = "changes a cell's contents",
    Count = "looks at the count of an `Arc`",
    DropOwner = "drops an owner of an `Arc`",
    ChangeCount = "changes the count of an `Arc`",
    State = "states what always holds",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}
