//! What was found in an execution: failures, and things worth a remark.

use std::fmt;

use atropos_protocol::FailureKind;
use atropos_search::SharedObject;

use crate::control::code::Code;
use crate::control::objects::{OUTSIDER, Site};
use crate::races::{CodePlace, DataRace, Leak, MemoryError, MemoryErrorKind};
use crate::trace::{ExecutionTrace, is_in_dependency, place, short};

/// What was found.
#[derive(Clone, Debug)]
pub enum Finding {
    /// A thread ended by a panic that nobody took note of: the test's own thread, or one that was never joined.
    Panic {
        thread: u32,
        name: Option<String>,
        message: String,
        site: Option<String>,
        cause: Option<FailureCause>,
    },
    /// The test should have panicked, or with another message.
    NoPanic {
        expected: String,
        message: Option<String>,
    },
    /// Threads wait for each other; or tasks do, so that the threads of the runtime have nothing to do. Then it is told where each
    /// task was last seen.
    Deadlock {
        waiting: Vec<WaitingThread>,
        tasks: Vec<String>,
    },
    /// A thread waits on a condition that nobody will notify, and nobody can run.
    LostWakeUp { waiting: Vec<WaitingThread> },
    /// All threads that can run spin without changing anything.
    Livelock { waiting: Vec<WaitingThread> },
    /// The execution took more steps than the limit.
    StepLimit {
        steps: u64,
        waiting: Vec<WaitingThread>,
    },
    /// The execution started more threads than the limit.
    ThreadLimit { threads: usize },
    /// The program took more memory than the limit.
    MemoryLimit { thread: u32, bytes: usize },
    /// A thread gave memory back that was given back already.
    DoubleFree { thread: u32 },
    /// Two accesses to plain memory that nothing orders.
    DataRace(DataRace),
    /// An access to memory that the program does not have, or a wrong free.
    MemoryError(MemoryError),
    /// Memory that was never given back, looked for on request.
    Leak(Leak),
    /// What the program says of itself does not hold after a step.
    BrokenInvariant {
        name: String,
        /// Where it was stated.
        site: Site,
        thread: u32,
        /// The thread's last operation.
        after: Option<Site>,
    },
    /// A thread found a lock poisoned, and the test passed. A remark; if the thread panics for it, that is the cause of a
    /// [`Finding::Panic`].
    PoisonedLock { text: String },
    /// A thread found that another's attempt to initialise something once had panicked. A remark, like the one above.
    PoisonedOnce { text: String },
    /// A thread sent to a receiver that was gone, and the test passed. A remark, like the one above.
    DroppedChannel { text: String },
    /// A thread that nobody joined ended by a panic, as one does under other schedules, too. A remark: no harness takes note
    /// of it.
    UnjoinedPanic {
        message: String,
        site: Option<String>,
    },
    /// A lock was still held when the execution ended. A remark.
    LeakedLock { holder: u32, site: Option<Site> },
    /// Threads were still waiting when the test's own thread had ended. A remark.
    LeftBehind { waiting: Vec<WaitingThread> },
    /// The program did something that can't be controlled.
    Uncontrolled { what: String, site: Option<String> },
    /// The guide chose a thread that can't go on: the program is not deterministic under control.
    NotReady { thread: u32, step: u64 },
}

impl Finding {
    /// A few words that don't depend on the schedule.
    pub fn title(&self) -> String {
        match self {
            Finding::Panic { message, cause, .. } => {
                let sort = cause.as_ref().map_or("panic", |cause| cause.kind.title());
                format!("{sort}: {message}")
            }
            Finding::PoisonedLock { .. } => PanicCauseKind::PoisonedLock.title().to_string(),
            Finding::PoisonedOnce { .. } => PanicCauseKind::PoisonedOnce.title().to_string(),
            Finding::DroppedChannel { .. } => PanicCauseKind::NoReceiver.title().to_string(),
            Finding::NoPanic { .. } => "no panic".to_string(),
            Finding::Deadlock { .. } => "deadlock".to_string(),
            Finding::LostWakeUp { .. } => "lost wake-up".to_string(),
            Finding::Livelock { .. } => "livelock".to_string(),
            Finding::StepLimit { .. } => "step limit".to_string(),
            Finding::ThreadLimit { .. } => "thread limit".to_string(),
            Finding::MemoryLimit { .. } => "memory limit".to_string(),
            Finding::DoubleFree { .. } => "double free".to_string(),
            Finding::DataRace(_) => "data race".to_string(),
            Finding::MemoryError(error) => error.kind.title().to_string(),
            Finding::Leak(_) => "leak".to_string(),
            Finding::BrokenInvariant { name, .. } => format!("broken invariant: {name}"),
            Finding::UnjoinedPanic { .. } => "panic of a thread that nobody joined".to_string(),
            Finding::LeakedLock { .. } => "leaked lock".to_string(),
            Finding::LeftBehind { .. } => "left behind".to_string(),
            Finding::Uncontrolled { what, .. } => format!("not under control: {what}"),
            Finding::NotReady { .. } => "not deterministic".to_string(),
        }
    }

    /// The same, with the tasks that were seen in the trace. If those who wait for a wake-up are threads of a runtime that has
    /// nothing to do, no wake-up is lost: its tasks wait.
    pub fn with_tasks(self, trace: &ExecutionTrace) -> Finding {
        match self {
            Finding::LostWakeUp { waiting } if is_of_runtime(&waiting) => {
                let tasks = trace.tasks();
                match tasks.is_empty() {
                    true => Finding::LostWakeUp { waiting },
                    false => Finding::Deadlock { waiting, tasks },
                }
            }
            other => other,
        }
    }

    /// Whether the test fails by it.
    pub fn is_failure(&self) -> bool {
        match self {
            Finding::Panic { .. }
            | Finding::NoPanic { .. }
            | Finding::Deadlock { .. }
            | Finding::LostWakeUp { .. }
            | Finding::Livelock { .. }
            | Finding::StepLimit { .. }
            | Finding::ThreadLimit { .. }
            | Finding::MemoryLimit { .. }
            | Finding::DoubleFree { .. }
            | Finding::DataRace(_)
            | Finding::MemoryError(_)
            | Finding::Leak(_)
            | Finding::BrokenInvariant { .. } => true,
            Finding::PoisonedLock { .. }
            | Finding::PoisonedOnce { .. }
            | Finding::DroppedChannel { .. }
            | Finding::UnjoinedPanic { .. }
            | Finding::LeakedLock { .. }
            | Finding::LeftBehind { .. }
            | Finding::Uncontrolled { .. }
            | Finding::NotReady { .. } => false,
        }
    }

    /// How the test fails by it; of a remark, what it would be called if it made the test fail.
    pub fn failure_kind(&self) -> FailureKind {
        match self {
            Finding::Panic { cause, .. } => match cause.as_ref().map(|cause| cause.kind) {
                Some(PanicCauseKind::PoisonedLock) => FailureKind::PoisonedLock,
                Some(PanicCauseKind::PoisonedOnce) => FailureKind::PoisonedOnce,
                Some(PanicCauseKind::NoReceiver | PanicCauseKind::NoSender) => {
                    FailureKind::DroppedChannel
                }
                Some(PanicCauseKind::Panic) | None => FailureKind::Panicked,
            },
            Finding::Deadlock { .. } => FailureKind::Deadlock,
            Finding::LostWakeUp { .. } => FailureKind::LostWakeUp,
            Finding::Livelock { .. } => FailureKind::Livelock,
            Finding::StepLimit { .. } | Finding::ThreadLimit { .. } => FailureKind::StepLimit,
            Finding::MemoryLimit { .. } => FailureKind::MemoryLimit,
            Finding::DoubleFree { .. } => FailureKind::DoubleFree,
            Finding::DataRace(_) => FailureKind::DataRace,
            Finding::Leak(_) => FailureKind::Leak,
            Finding::BrokenInvariant { .. } => FailureKind::BrokenInvariant,
            Finding::MemoryError(error) => match error.kind {
                MemoryErrorKind::UseAfterFree => FailureKind::UseAfterFree,
                MemoryErrorKind::DoubleFree => FailureKind::DoubleFree,
                MemoryErrorKind::InvalidFree => FailureKind::InvalidFree,
                MemoryErrorKind::OutOfBounds => FailureKind::OutOfBounds,
                MemoryErrorKind::UseAfterReturn => FailureKind::UseAfterReturn,
            },
            Finding::NoPanic { .. }
            | Finding::PoisonedLock { .. }
            | Finding::PoisonedOnce { .. }
            | Finding::DroppedChannel { .. }
            | Finding::UnjoinedPanic { .. }
            | Finding::LeakedLock { .. }
            | Finding::LeftBehind { .. }
            | Finding::Uncontrolled { .. }
            | Finding::NotReady { .. } => FailureKind::Failed,
        }
    }

    /// The places of it that are known by number only, until the schedule is run again.
    pub(crate) fn places(&mut self) -> Vec<&mut CodePlace> {
        match self {
            Finding::DataRace(race) => vec![&mut race.sides[0].place],
            Finding::MemoryError(error) => error.places().collect(),
            Finding::Leak(leak) => vec![&mut leak.first.allocated.1],
            _ => Vec::new(),
        }
    }

    /// Where a thread other than the test's own panicked, or with what words, if the place is not known. That its result was
    /// not taken is known of every such finding.
    pub(crate) fn place_of_unjoined_panic(&self) -> Option<String> {
        match self {
            Finding::Panic {
                thread: 1..,
                message,
                site,
                ..
            } => Some(site.as_ref().unwrap_or(message).replace('\n', " ")),
            _ => None,
        }
    }
}

/// Whether the user's own code waits for no condition: all that do so are in dependencies.
fn is_of_runtime(waiting: &[WaitingThread]) -> bool {
    let mut waiting = waiting.iter().filter(|thread| thread.code == Code::Wake);
    waiting.all(|thread| {
        thread
            .site
            .is_some_and(|site| is_in_dependency(site.file()))
    })
}

/// What a thread runs into that another has left behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PanicCauseKind {
    PoisonedLock,
    /// A `Once` or `LazyLock` whose initialisation panicked.
    PoisonedOnce,
    /// The receiver of a channel is gone.
    NoReceiver,
    /// The last sender of a channel is gone.
    NoSender,
    /// A thread that was waited for had panicked.
    Panic,
}

impl PanicCauseKind {
    fn title(self) -> &'static str {
        match self {
            PanicCauseKind::PoisonedLock => "poisoned lock",
            PanicCauseKind::PoisonedOnce => "poisoned initialisation",
            PanicCauseKind::NoReceiver | PanicCauseKind::NoSender => "dropped channel",
            PanicCauseKind::Panic => "panic",
        }
    }

    /// Whether a panic's message speaks of it, as it does after `unwrap`, `expect` and so on.
    pub(crate) fn is_named_in(self, message: &str) -> bool {
        let names: &[&str] = match self {
            PanicCauseKind::PoisonedLock => &["PoisonError", "Poisoned(", "poisoned"],
            PanicCauseKind::PoisonedOnce => &["instance has previously been poisoned"],
            PanicCauseKind::NoReceiver => &["SendError", "Disconnected", "closed channel"],
            PanicCauseKind::NoSender => &[
                "RecvError",
                "Disconnected",
                "closed channel",
                "sending half is closed",
            ],
            PanicCauseKind::Panic => &[],
        };
        names.iter().any(|name| message.contains(name))
    }
}

/// Why a thread panicked, as far as another had a part in it.
#[derive(Clone, Debug)]
pub struct FailureCause {
    /// What the panic's message names; [`PanicCauseKind::Panic`] if it names none of them.
    pub kind: PanicCauseKind,
    /// What the thread ran into just before and by whose doing, and so on, one line each.
    pub text: String,
}

/// A thread that has not ended, and what it is about to do.
#[derive(Clone, Debug)]
pub struct WaitingThread {
    pub thread: u32,
    pub name: Option<String>,
    pub code: Code,
    pub object: Option<SharedObject>,
    pub site: Option<Site>,
    /// Whether it could go on.
    pub ready: bool,
    /// Who holds what it waits for.
    pub holder: Option<u32>,
    pub held_since: Option<Site>,
    /// The holder has ended: its guard was forgotten.
    pub holder_has_ended: bool,
    /// For one that waits for a message: how many could still send one.
    pub senders: Option<usize>,
}

/// The holder of a lock that is held from outside the execution.
const OUTSIDE: u32 = OUTSIDER - 1;

impl fmt::Display for WaitingThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {}", self.thread)?;
        if let Some(name) = &self.name {
            write!(f, " \"{name}\"")?;
        }
        write!(f, " {}", self.code)?;
        if let Some(site) = self.site {
            write!(f, " at {}", place(site))?;
        }
        match (self.holder, self.held_since.map(place)) {
            (Some(OUTSIDE), _) => f.write_str(", held from outside")?,
            (Some(holder), Some(site)) if self.holder_has_ended => write!(
                f,
                ", held since {site} by thread {holder}, which has ended without giving it back"
            )?,
            (Some(holder), Some(site)) => write!(f, ", held by thread {holder} since {site}")?,
            (Some(holder), None) => write!(f, ", which is thread {holder}'s to end")?,
            _ => {}
        }
        match self.senders {
            Some(1) => f.write_str(", and one sender is left that could send")?,
            Some(senders) => write!(f, ", and {senders} senders are left that could send")?,
            None => {}
        }
        if self.ready {
            f.write_str(" (could go on)")
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, title: &str, waiting: &[WaitingThread]| {
            f.write_str(title)?;
            waiting
                .iter()
                .try_for_each(|waiting| write!(f, "\n  {waiting}"))
        };
        match self {
            Finding::Panic {
                thread,
                name,
                message,
                site,
                cause,
            } => {
                write!(f, "thread {thread}")?;
                if let Some(name) = name {
                    write!(f, " \"{name}\"")?;
                }
                f.write_str(" panicked")?;
                if let Some(site) = site {
                    write!(f, " at {}", short(site))?;
                }
                write!(f, ": {message}")?;
                let text = cause.as_ref().map(|cause| &cause.text);
                text.map_or(Ok(()), |text| write!(f, "\n  {text}"))
            }
            Finding::PoisonedLock { text }
            | Finding::PoisonedOnce { text }
            | Finding::DroppedChannel { text } => f.write_str(text),
            Finding::UnjoinedPanic { message, site } => {
                f.write_str("a thread that nobody joins panics")?;
                if let Some(site) = site {
                    write!(f, " at {}", short(site))?;
                }
                write!(
                    f,
                    ", whatever the schedule, which is not counted as a failure: {message}"
                )
            }
            Finding::NoPanic {
                expected,
                message: None,
            } => write!(f, "the test did not panic, expected {expected}"),
            Finding::NoPanic {
                expected,
                message: Some(message),
            } => {
                write!(f, "the test panicked with {message:?}, expected {expected}")
            }
            Finding::Deadlock { waiting, tasks } if tasks.is_empty() => {
                list(f, "deadlock:", waiting)
            }
            Finding::Deadlock { waiting, tasks } => {
                f.write_str("deadlock: no task can go on, and nobody is left who would wake one:")?;
                tasks.iter().try_for_each(|task| write!(f, "\n  {task}"))?;
                list(f, "\nthreads:", waiting)
            }
            Finding::LostWakeUp { waiting } => list(f, "lost wake-up:", waiting),
            Finding::Livelock { waiting } => list(f, "livelock:", waiting),
            Finding::StepLimit { steps, waiting } => {
                list(f, &format!("no end after {steps} steps:"), waiting)
            }
            Finding::ThreadLimit { threads } => {
                write!(f, "no end after {threads} threads were started")
            }
            Finding::MemoryLimit { thread, bytes } => {
                write!(f, "thread {thread} asked for memory beyond {bytes} bytes")
            }
            Finding::DoubleFree { thread } => {
                write!(f, "thread {thread} gave memory back twice (double free)")
            }
            Finding::DataRace(race) => write!(f, "{race}"),
            Finding::MemoryError(error) => write!(f, "{error}"),
            Finding::Leak(leak) => write!(f, "{leak}"),
            Finding::BrokenInvariant {
                name,
                site,
                thread,
                after,
            } => {
                write!(
                    f,
                    "broken invariant: {name} (stated at {}) does not hold after a step of thread {thread}",
                    place(site)
                )?;
                let after = after.filter(|after| !crate::trace::is_ours(after.file()));
                after.map_or(Ok(()), |after| {
                    write!(f, ", which was last at {}", place(after))
                })
            }
            Finding::LeakedLock { holder, site } => {
                write!(f, "a lock is still held by thread {holder}")?;
                site.map_or(Ok(()), |site| write!(f, " since {}", place(site)))
            }
            Finding::LeftBehind { waiting } => list(f, "left behind by the test:", waiting),
            Finding::Uncontrolled { what, site } => {
                write!(f, "not under control: {what}")?;
                site.as_ref()
                    .map_or(Ok(()), |site| write!(f, " at {}", short(site)))
            }
            Finding::NotReady { thread, step } => {
                write!(
                    f,
                    "thread {thread} was to run at step {step} but can't: the program is not deterministic under control"
                )
            }
        }
    }
}
