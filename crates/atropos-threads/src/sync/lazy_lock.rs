//! `LazyLock`.

use std::fmt;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::sync;

use super::once::{Attempt, InitialisationLock};
use crate::control::foreign::hidden;
use crate::control::here;

/// See std.
pub struct LazyLock<T, F = fn() -> T> {
    turn: InitialisationLock,
    real: sync::LazyLock<T, F>,
    /// The function once more: used only if it is a function pointer, and only by mistake.
    again: MaybeUninit<F>,
}

// SAFETY: as for std's; nobody reaches the second function but by copying a function pointer.
unsafe impl<T: Sync + Send, F: Send> Sync for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// See std.
    #[inline]
    pub const fn new(f: F) -> LazyLock<T, F> {
        // SAFETY: the copy is never dropped, and called only if it is a function pointer.
        let again = unsafe { (&raw const f).cast::<MaybeUninit<F>>().read() };
        LazyLock {
            turn: InitialisationLock::new(),
            real: sync::LazyLock::new(f),
            again,
        }
    }

    /// Several threads could initialise it: what does it is a function pointer, as in statics.
    fn can_race() -> bool {
        std::any::type_name::<F>().starts_with("fn() -> ")
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        let is_done = || sync::LazyLock::get(&this.real).is_some();
        let turn = match Self::can_race() {
            false => this.turn.take(here(), is_done),
            true => match this.turn.take_or_race(here(), is_done) {
                Attempt::Initialise(turn) => turn,
                Attempt::Race => {
                    // SAFETY: a function pointer can be copied.
                    let again = unsafe { this.again.assume_init_read() };
                    return Box::leak(Box::new(again()));
                }
            },
        };
        turn.tell_if_poisoned();
        let value = sync::LazyLock::force(&this.real);
        turn.succeeded();
        value
    }

    /// See std.
    #[inline]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        sync::LazyLock::force_mut(&mut this.real)
    }
}

impl<T, F> LazyLock<T, F> {
    /// See std.
    #[inline]
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        let is_told = this.turn.look(here());
        let get = || hidden(|| sync::LazyLock::get(&this.real));
        is_told.then(get).flatten()
    }

    /// See std.
    #[inline]
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        sync::LazyLock::get_mut(&mut this.real)
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;
    #[inline]
    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.real.fmt(f)
    }
}
