//! `Once`, and the turn-taking that `OnceLock` and `LazyLock` share with it: the controlled thread that
//! initialises holds a lock, so that the real type never has to block.

use std::fmt;
use std::sync::{self, OnceState};

use atropos_search::{Op, OpKind, SharedObject};

use crate::control::code::Code;
use crate::control::foreign::hidden;
use crate::control::objects::{ControlledObjectId, Site, Slot};
use crate::control::thread_state::Wait;
use crate::control::{Announcement, Control, control, here};
use crate::finding::PanicCauseKind;

/// See std.
pub struct Once {
    turn: InitialisationLock,
    real: sync::Once,
}

/// See std.
#[deprecated(since = "1.38.0", note = "the `Once::new()` function is now preferred")]
#[expect(clippy::declare_interior_mutable_const, reason = "std has it so")]
pub const ONCE_INIT: Once = Once::new();

impl Once {
    /// See std.
    #[inline]
    #[must_use]
    #[expect(clippy::new_without_default, reason = "std has no Default here")]
    pub const fn new() -> Once {
        Once {
            turn: InitialisationLock::new(),
            real: sync::Once::new(),
        }
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        let turn = self.turn.take(here(), || self.real.is_completed());
        turn.tell_if_poisoned();
        self.real.call_once(f);
        turn.succeeded();
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, f: F) {
        let turn = self.turn.take(here(), || self.real.is_completed());
        self.real.call_once_force(f);
        turn.succeeded();
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        self.turn.look(here()) && hidden(|| self.real.is_completed())
    }

    /// See std.
    #[track_caller]
    pub fn wait(&self) {
        let site = here();
        let is_over = || self.real.is_completed() || self.turn.is_poisoned();
        while self.turn.wait(site, is_over) {}
        self.turn.tell_if_poisoned(site);
        self.real.wait();
    }

    /// See std.
    #[track_caller]
    pub fn wait_force(&self) {
        while self.turn.wait(here(), || self.real.is_completed()) {}
        self.real.wait_force();
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

/// How a thread that comes late, or only looks, touches what is initialised: as a reader does a lock.
const LOOK: OpKind = OpKind::AcquireShared;

/// The count of an object whose initialisation excludes nobody by mistake.
const RACE: usize = 1;

/// Lets one controlled thread at a time initialise something.
#[derive(Debug, Default)]
pub(crate) struct InitialisationLock {
    slot: Slot,
}

/// The turn of the running thread, if it is controlled and has something to initialise.
pub(super) struct InitialisationGuard<'a>(Option<(&'a InitialisationLock, Site)>);

/// What a thread that wants something to be initialised has to do.
pub(super) enum Attempt<'a> {
    /// Initialise it, or leave that to the real type if it is done.
    Initialise(InitialisationGuard<'a>),
    /// Initialise it for itself: another is at it, and excludes nobody by mistake.
    Race,
}

impl InitialisationLock {
    pub(super) const fn new() -> InitialisationLock {
        InitialisationLock { slot: Slot::new() }
    }

    fn object(&self, control: &Control) -> (ControlledObjectId, SharedObject) {
        (control.object(&self.slot, |_| {}), control.name(self))
    }

    /// Waits for the turn to initialise, unless that is done.
    pub(super) fn take(&self, site: Site, is_done: impl Fn() -> bool) -> InitialisationGuard<'_> {
        match self.attempt(site, is_done) {
            Attempt::Initialise(taken) => taken,
            Attempt::Race => InitialisationGuard(None),
        }
    }

    /// As `take`, for something that each thread can initialise for itself.
    pub(super) fn take_or_race(&self, site: Site, is_done: impl Fn() -> bool) -> Attempt<'_> {
        let attempt = self.attempt(site, is_done);
        if let (Attempt::Initialise(InitialisationGuard(Some(_))), Some(control)) =
            (&attempt, control())
        {
            control.me().initialising.push(std::ptr::from_ref(self));
        }
        attempt
    }

    fn attempt(&self, site: Site, is_done: impl Fn() -> bool) -> Attempt<'_> {
        let Some(control) = control() else {
            return Attempt::Initialise(InitialisationGuard(None));
        };
        let (turn, name) = self.object(&control);
        let is_race = || control.state().objects[turn].count == RACE;
        let is_done = || is_told(&control, turn) && is_done();
        // Who comes late has not come before the end of the initialisation, but might have before its beginning.
        let late = Op::on(name, LOOK).blocking();
        if is_done() {
            self.look_with(&control, late, site);
            return Attempt::Initialise(InitialisationGuard(None));
        }
        let op = Op::on(name, OpKind::Acquire);
        control.point(Announcement::new(Code::Initialize, op, site).waiting(Wait::Lock(turn)));
        if is_done() {
            control
                .state()
                .guide()
                .refine(Op::on(name, LOOK).blocking().coded(Code::Initialize as u16));
            control.receive_clock(turn);
            control.state().see_version(turn);
            return Attempt::Initialise(InitialisationGuard(None));
        }
        if is_race() {
            control.state().see_version(turn);
            control.looked_at(name);
            return Attempt::Race;
        }
        control.locked(turn, name, site);
        Attempt::Initialise(InitialisationGuard(Some((self, site))))
    }

    /// The running thread is about to panic if another's attempt to initialise did.
    fn tell_if_poisoned(&self, site: Site) {
        if self.is_poisoned()
            && let Some(control) = control()
        {
            let (turn, _) = self.object(&control);
            control.note_cause_at(PanicCauseKind::PoisonedOnce, turn, site);
        }
    }

    /// Whether the last attempt to initialise panicked.
    fn is_poisoned(&self) -> bool {
        control().is_some_and(|control| {
            let (turn, _) = self.object(&control);
            control.state().objects[turn].undone.is_some()
        })
    }

    /// Looks whether it is done: a scheduling point. Says whether what the real type knows is to be seen.
    pub(super) fn look(&self, site: Site) -> bool {
        control().is_none_or(|control| {
            let (_, name) = self.object(&control);
            self.look_with(&control, Op::on(name, LOOK), site)
        })
    }

    fn look_with(&self, control: &Control, op: Op, site: Site) -> bool {
        let (turn, name) = self.object(control);
        if !control.looks_again(name) {
            control.point(Announcement::new(Code::Peek, op, site));
        }
        control.receive_clock(turn);
        control.state().see_version(turn);
        control.after_read(site);
        is_told(control, turn)
    }

    /// Waits until somebody has initialised, or tried to; says whether the caller has to wait on.
    pub(super) fn wait(&self, site: Site, is_done: impl Fn() -> bool) -> bool {
        let Some(control) = control() else {
            return false;
        };
        let (turn, name) = self.object(&control);
        let is_done = || is_told(&control, turn) && control.in_program(&is_done);
        let generation = control.state().objects[turn].generation;
        let wait = if is_done() {
            Wait::Nothing
        } else {
            Wait::Barrier {
                barrier: turn,
                generation,
            }
        };
        let op = Op::on(name, OpKind::Read).blocking();
        let announcement = Announcement::new(Code::Peek, op, site);
        control.point(if wait == Wait::Nothing {
            announcement
        } else {
            announcement.waiting(wait)
        });
        control.receive_clock(turn);
        control.state().see_version(turn);
        !is_done()
    }
}

/// Whether nobody is initialising: before that, nobody is to see what the real type knows already.
fn is_told(control: &Control, turn: ControlledObjectId) -> bool {
    let object = &control.state().objects[turn];
    object.holder == 0 && object.count != RACE
}

/// The running thread lets others initialise what it is about to initialise, each for itself, if that can be.
#[track_caller]
pub(crate) fn let_others_race() {
    let site = here();
    let Some(control) = control() else { return };
    let Some(&turn) = control.me().initialising.last() else {
        return;
    };
    // SAFETY: the running thread is in the middle of a call on what the turn is part of.
    let (id, name) = unsafe { &*turn }.object(&control);
    if control.state().objects[id].count == RACE {
        return;
    }
    control.about_to_unlock(Code::Race, name, OpKind::Release, site);
    control.unlocked(id, name);
    control.state().objects[id].count = RACE;
}

impl InitialisationGuard<'_> {
    /// The running thread is about to panic if another's attempt to initialise did.
    pub(super) fn tell_if_poisoned(&self) {
        if let Some((turn, site)) = self.0 {
            turn.tell_if_poisoned(site);
        }
    }

    /// It is initialised: nothing panicked.
    pub(super) fn succeeded(mut self) {
        self.end(Ended::Initialized);
    }

    fn end(&mut self, ended: Ended) {
        let Some((turn, site)) = self.0.take() else {
            return;
        };
        let Some(control) = control() else { return };
        let (id, name) = turn.object(&control);
        match ended {
            Ended::Initialized => control.state().objects[id].undone = None,
            Ended::Panicked => control.poisons(id, site),
        }
        let initialising = &mut control.me().initialising;
        if initialising.last() == Some(&std::ptr::from_ref(turn)) {
            initialising.pop();
        }
        if control.state().objects[id].count == RACE {
            control.about_to_drop(Code::Initialized, Op::on(name, OpKind::Write), site);
            control.pass_clock(id);
            let state = control.state();
            state.leave_version(name, id);
            state.changed(name);
            state.objects[id].count = 0;
        } else {
            control.about_to_unlock(Code::Initialized, name, OpKind::Release, site);
            control.unlocked(id, name);
        }
        control.state().objects[id].generation += 1;
    }
}

/// How a turn ended.
enum Ended {
    Initialized,
    Panicked,
}

impl Drop for InitialisationGuard<'_> {
    fn drop(&mut self) {
        self.end(Ended::Panicked);
    }
}
