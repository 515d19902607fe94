//! What is known of one controlled thread, and when it can go on.

use std::any::Any;

use crate::atomic::foreign_locks::UnlockedHold;
use crate::communication::ThreadAct;
use crate::control::code::Code;
use crate::control::external_wait::WaitedFiles;
use crate::control::objects::{ControlledObjectId, Objects, Site};
use crate::control::panic_cause::PanicCause;
use crate::memory::context::SavedContext;
use crate::memory::heap::ProgramSlice;
use crate::memory_model::Clock;
use crate::sync::once::InitialisationLock;
use crate::thread::handle::Identity;
use crate::thread::local::Locals;

/// What a thread's pending operation waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wait {
    /// Nothing.
    #[default]
    Nothing,
    /// The lock to be free.
    Lock(ControlledObjectId),
    /// The lock to be free of writers.
    LockShared(ControlledObjectId),
    /// A thread to end.
    Join(u32),
    /// A token from `unpark`.
    Token,
    /// A notification, and then this lock.
    Notification(ControlledObjectId),
    /// The barrier to open.
    Barrier {
        barrier: ControlledObjectId,
        generation: usize,
    },
    /// A message, or the last sender to go.
    Message(ControlledObjectId),
    /// Room for a message, or the receiver to go.
    Room(ControlledObjectId),
    /// The message that this thread offers to be taken (`generation` counts those taken), or the receiver to go.
    Taken {
        channel: ControlledObjectId,
        ticket: usize,
    },
    /// To be woken from the word of memory that it waits on.
    Futex,
    /// One of the descriptors that [`Blocking::files`] names to be ready.
    External,
    /// Only time.
    Time,
    /// Another thread to change something that this one keeps looking at.
    Change,
}

/// A thread of the running execution.
#[derive(Debug)]
pub(crate) struct ThreadState {
    pub context: SavedContext,
    pub program: ProgramSlice,
    pub name: Option<String>,
    /// The thread's own handle, once somebody asked for it.
    pub identity: *const Identity,
    /// The operation that it announced last.
    pub code: Code,
    pub site: Option<Site>,
    /// Hash of what the thread did and saw.
    pub history: u64,
    pub blocking: Blocking,
    pub clocks: Clocks,
    pub ending: Ending,
    pub activity: Activity,
    pub locals: Locals,
    /// Locks of other libraries that a mutant lets it hold beside their owner.
    pub unlocked_holds: Vec<UnlockedHold>,
    /// What it is initialising and others could, the innermost last.
    pub initialising: Vec<*const InitialisationLock>,
}

/// What a thread waits for, and what may end the wait.
#[derive(Debug)]
pub struct Blocking {
    pub wait: Wait,
    /// When the wait ends by itself; `u64::MAX` for never.
    pub deadline: u64,
    pub notified: bool,
    /// The token that `unpark` gives.
    pub token: bool,
    /// Who gave the notification or the token, if it is recorded.
    pub woken_by: Option<ThreadAct>,
    /// The word of memory that the thread waits on, 0 for none, and whether it has been woken.
    pub futex: usize,
    pub token_of_futex: bool,
    /// The descriptors that the thread waits for, and whether nobody else can go on while others than this process could make them
    /// ready.
    pub files: WaitedFiles,
    pub waits_alone: bool,
    /// Whether the present wait may end for no reason, and how often that may still happen to this thread.
    pub may_wake_spuriously: bool,
    pub spurious_left: u32,
    /// For the trace: it could not go on for a while.
    pub had_to_wait: bool,
}

/// What happened before what, as the memory model sees it from this thread.
#[derive(Debug, Default)]
pub struct Clocks {
    pub clock: Clock,
    /// Clock of the last release fence, and what relaxed loads read since the last acquire fence.
    pub release_fence: Clock,
    pub acquire_fence: Clock,
    /// What happened before the token was given.
    pub token_clock: Clock,
    /// Its last access to an atomic was a sequentially consistent read-modify-write.
    pub has_just_modified: bool,
}

/// Whether and how the thread ended, and its panics.
#[derive(Debug, Default)]
pub struct Ending {
    pub finished: bool,
    /// Whether somebody takes the thread's result: a panic is then theirs to judge.
    pub result_taken: bool,
    pub ended_by_panic: bool,
    /// How the thread's last panic began, caught or not.
    pub panic: Option<PanicNote>,
    /// Panics that the thread is in the middle of, while it does not run.
    pub panics: usize,
    /// What the thread ran into in its last operation.
    pub panic_cause: Option<PanicCause>,
}

/// Tells whether the thread gets on with its work, or only looks at the clock or at what others may change.
#[derive(Debug, Default)]
pub struct Activity {
    pub spin: Spin,
    pub rounds: Rounds,
    /// Accesses to atomics and locks, all in all.
    pub accesses: u32,
    /// How often the thread asked for the time since its last scheduling point, and since it last waited
    /// for more than a lock.
    pub clock_reads: u32,
    pub clock_reads_without_wait: u32,
    /// The time that has passed by the latter.
    pub time_by_looks: u64,
    /// How often the thread asked for random bytes.
    pub random_calls: u64,
}

/// How a thread's last panic began.
#[derive(Clone, Debug)]
pub struct PanicNote {
    pub message: String,
    pub site: Option<String>,
    /// What the thread had run into just before.
    pub panic_cause: Option<PanicCause>,
}

/// How many objects a spinning thread's yield can name as what it looks at.
pub const LOOKS: usize = 3;

/// Tells a thread that spins from one that gets on with its work.
#[derive(Debug, Default)]
pub struct Spin {
    /// Where the thread has read since the step that it is in began, going round without scheduling points: nobody else
    /// runs, so it would read the same.
    pub read_again: [usize; LOOKS],
    pub step: u64,
    /// Yields since the thread last changed something.
    pub yields: u32,
    /// Reads since then.
    pub reads: u32,
    /// Objects read since the thread last changed something; 0 for none.
    pub looked_at: [u64; LOOKS],
    /// There were more of them.
    pub looked_at_more: bool,
    /// Somebody else changed one of them while the thread waited for that.
    pub changed: bool,
    /// Where the thread last yielded, and how often in a row, with at most locking and unlocking in between.
    pub yields_at: Option<Site>,
    pub same_place: u32,
}

/// Tells a thread that goes round and round for others, changing something of its own each time.
#[derive(Debug, Default)]
pub struct Rounds {
    pub at: Option<Site>,
    pub count: u32,
}

/// Wake-ups for no reason that one thread may have in an execution: without a limit there is no end of schedules.
const SPURIOUS_WAKE_UPS: u32 = 2;

impl Default for Blocking {
    fn default() -> Blocking {
        Blocking {
            wait: Wait::Nothing,
            deadline: u64::MAX,
            notified: false,
            token: false,
            woken_by: None,
            futex: 0,
            token_of_futex: false,
            files: WaitedFiles::default(),
            waits_alone: false,
            may_wake_spuriously: false,
            spurious_left: SPURIOUS_WAKE_UPS,
            had_to_wait: false,
        }
    }
}

impl Clocks {
    /// As new, but keeps the memory of its parts.
    fn clear(&mut self) {
        self.clock.clear();
        self.release_fence.clear();
        self.acquire_fence.clear();
        self.token_clock.clear();
        self.has_just_modified = false;
    }
}

impl ThreadState {
    pub fn new() -> ThreadState {
        ThreadState {
            context: SavedContext::NONE,
            program: ProgramSlice::NONE,
            name: None,
            identity: std::ptr::null(),
            code: Code::Begin,
            site: None,
            history: 0,
            blocking: Blocking::default(),
            clocks: Clocks::default(),
            ending: Ending::default(),
            activity: Activity::default(),
            locals: Locals::default(),
            unlocked_holds: Vec::new(),
            initialising: Vec::new(),
        }
    }

    /// As new, but keeps the memory of its parts.
    pub fn reset(&mut self) {
        let mut old = std::mem::replace(self, ThreadState::new());
        old.clocks.clear();
        old.locals.forget();
        self.clocks = old.clocks;
        self.locals = old.locals;
    }

    /// The thread's function was left by a panic.
    pub fn end_by_panic(&mut self, payload: &(dyn Any + Send)) {
        self.ending.ended_by_panic = true;
        let Some(message) = message_of(payload) else {
            return;
        };
        // A panic that was passed on from elsewhere began without our being told.
        if self
            .ending
            .panic
            .as_ref()
            .is_none_or(|note| note.message != message)
        {
            self.ending.panic = Some(PanicNote {
                message,
                site: None,
                panic_cause: self.ending.panic_cause,
            });
        }
    }

    /// Whether what the thread waits for has come, deadlines apart.
    pub fn is_granted(&self, objects: &Objects, threads: &[ThreadState]) -> bool {
        match self.blocking.wait {
            Wait::Nothing => true,
            Wait::Lock(lock) => is_free(objects, lock),
            Wait::LockShared(lock) => objects[lock].holder == 0,
            Wait::Join(thread) => threads[thread as usize].ending.finished,
            Wait::Token => self.blocking.token,
            Wait::Futex => self.blocking.token_of_futex,
            Wait::Notification(lock) => self.blocking.notified && is_free(objects, lock),
            Wait::Barrier {
                barrier,
                generation,
            } => objects[barrier].generation != generation,
            Wait::Message(channel) => objects[channel].queued > 0 || objects[channel].senders == 0,
            Wait::Room(channel) => {
                objects[channel].queued < objects[channel].room || objects[channel].receiver_gone
            }
            Wait::Taken { channel, ticket } => {
                objects[channel].generation > ticket || objects[channel].receiver_gone
            }
            Wait::External => self.blocking.waits_alone || self.blocking.files.are_ready(),
            Wait::Time => false,
            Wait::Change => self.activity.spin.changed,
        }
    }

    /// Whether the thread could go on without what it waits for: its time is up or it wakes for no reason.
    pub fn may_give_up(&self, objects: &Objects) -> bool {
        match self.blocking.wait {
            Wait::Notification(lock) => is_free(objects, lock),
            _ => true,
        }
    }
}

/// What a panic says, if it says something.
pub fn message_of(payload: &(dyn Any + Send)) -> Option<String> {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
}

fn is_free(objects: &Objects, lock: ControlledObjectId) -> bool {
    objects[lock].holder == 0 && objects[lock].readers == 0
}
