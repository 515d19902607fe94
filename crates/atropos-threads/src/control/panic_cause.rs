//! What a thread ran into that another had left behind: a poisoned lock or initialisation, a channel without its other end, the panic of
//! a thread that it joined. It is noted where it happens, and told only if the thread panics before its next operation,
//! or as a remark on a test that passes.

use super::objects::{ControlledObjectId, Site};
use super::thread_state::PanicNote;
use super::{Control, Controller};
use crate::finding::{FailureCause, Finding, PanicCauseKind};
use crate::trace::{place, short};

/// What a thread ran into, and where.
#[derive(Clone, Copy, Debug)]
pub struct PanicCause {
    pub kind: PanicCauseKind,
    pub site: Site,
    pub by: Option<LeftBehind>,
}

/// Who left it behind.
#[derive(Clone, Copy, Debug)]
pub struct LeftBehind {
    pub thread: u32,
    /// Where the lock was taken, or the last that the thread did before it dropped its end.
    pub site: Site,
    /// It happened while a panic unwound the thread's stack.
    pub is_panicking: bool,
}

impl Control {
    /// The running thread ran into something.
    #[cold]
    pub fn note_cause(&self, kind: PanicCauseKind, site: Site, by: Option<LeftBehind>) {
        let panic_cause = PanicCause { kind, site, by };
        self.me().ending.panic_cause = Some(panic_cause);
        let state = self.state();
        // Receiving until nobody sends any more is how channels are meant to end, and joins are judged by their caller.
        let is_remarkable = matches!(
            kind,
            PanicCauseKind::PoisonedLock
                | PanicCauseKind::PoisonedOnce
                | PanicCauseKind::NoReceiver
        );
        if is_remarkable
            && !state
                .panic_causes
                .iter()
                .any(|(_, other)| other.kind == kind)
        {
            state.panic_causes.push((state.current, panic_cause));
        }
    }

    /// The running thread poisons a lock that it took at this place.
    #[cold]
    pub fn poisons(&self, lock: ControlledObjectId, site: Site) {
        let thread = self.thread();
        self.state().objects[lock].undone = Some(LeftBehind {
            thread,
            site,
            is_panicking: true,
        });
    }

    /// The running thread drops the receiver, or the last sender, of a channel.
    pub fn drops_end_of(&self, channel: ControlledObjectId, site: Site) {
        let thread = self.thread();
        self.state().objects[channel].undone = Some(LeftBehind {
            thread,
            site,
            is_panicking: std::thread::panicking(),
        });
    }

    /// The running thread ran into what somebody did to this object.
    #[cold]
    pub fn note_cause_at(&self, kind: PanicCauseKind, object: ControlledObjectId, site: Site) {
        let by = self.state().objects[object].undone;
        self.note_cause(kind, site, by);
    }

    /// The running thread has waited for one that ended by a panic.
    #[cold]
    pub fn note_panic_of(&self, thread: u32, site: Site) {
        let by = LeftBehind {
            thread,
            site,
            is_panicking: true,
        };
        self.note_cause(PanicCauseKind::Panic, site, Some(by));
    }
}

impl Controller {
    /// Why a thread panicked, as far as others had a part in it, and they in turn.
    pub(crate) fn cause(&self, note: &PanicNote) -> Option<FailureCause> {
        let mut kind = None;
        let mut lines: Vec<String> = Vec::new();
        let mut note = note;
        while let Some(panic_cause) = note.panic_cause {
            if kind.is_none()
                && panic_cause.kind != PanicCauseKind::Panic
                && panic_cause.kind.is_named_in(&note.message)
            {
                kind = Some(panic_cause.kind);
            }
            lines.push(self.words(&panic_cause));
            let other = panic_cause.by.filter(|by| by.is_panicking);
            let Some(other) =
                other.and_then(|by| self.threads[by.thread as usize].ending.panic.as_ref())
            else {
                break;
            };
            note = other;
            // Each panic began later than the one that caused it, but a thread can panic more than once.
            if lines.len() > self.started {
                break;
            }
        }
        (!lines.is_empty()).then(|| FailureCause {
            kind: kind.unwrap_or(PanicCauseKind::Panic),
            text: lines.join("\n  "),
        })
    }

    /// Remarks on what threads ran into in an execution that passed.
    pub(crate) fn remark_on_panic_causes(&mut self) {
        for (thread, panic_cause) in std::mem::take(&mut self.panic_causes) {
            let text = format!("{}: {}", self.called(thread), self.words(&panic_cause));
            self.found(match panic_cause.kind {
                PanicCauseKind::PoisonedLock => Finding::PoisonedLock { text },
                PanicCauseKind::PoisonedOnce => Finding::PoisonedOnce { text },
                _ => Finding::DroppedChannel { text },
            });
        }
    }

    fn called(&self, thread: u32) -> String {
        match &self.threads[thread as usize].name {
            Some(name) => format!("thread {thread} \"{name}\""),
            None => format!("thread {thread}"),
        }
    }

    fn words(&self, panic_cause: &PanicCause) -> String {
        let here = place(panic_cause.site);
        let Some(by) = panic_cause.by else {
            return match panic_cause.kind {
                PanicCauseKind::PoisonedLock => {
                    format!("the lock taken at {here} was poisoned before the test began")
                }
                _ => {
                    format!("at {here} the other end of the channel had gone before the test began")
                }
            };
        };
        let who = self.called(by.thread);
        let panic = self.threads[by.thread as usize]
            .ending
            .panic
            .as_ref()
            .filter(|_| by.is_panicking);
        let panicked = panic.map_or_else(
            || "panicked".to_owned(),
            |note| match &note.site {
                Some(site) => format!("panicked at {}: {}", short(site), note.message),
                None => format!("panicked: {}", note.message),
            },
        );
        let done = place(by.site);
        let dropped = match by.is_panicking {
            true => format!("when it {panicked}"),
            false => format!("after {done}"),
        };
        match panic_cause.kind {
            PanicCauseKind::PoisonedLock => format!(
                "the lock taken at {here} was poisoned by {who}, which took it at {done} and {panicked}"
            ),
            PanicCauseKind::PoisonedOnce => format!(
                "what is initialised at {here} was poisoned by {who}, which began to initialise it at {done} and {panicked}"
            ),
            PanicCauseKind::NoReceiver => {
                format!("the receiver for the send at {here} was dropped by {who} {dropped}")
            }
            PanicCauseKind::NoSender => {
                format!("the last sender for the receive at {here} was dropped by {who} {dropped}")
            }
            PanicCauseKind::Panic => format!("{who}, waited for at {here}, {panicked}"),
        }
    }
}
