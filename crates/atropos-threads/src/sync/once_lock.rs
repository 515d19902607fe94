//! `OnceLock`.

use std::fmt;
use std::sync;

use super::once::InitialisationLock;
use crate::control::foreign::hidden;
use crate::control::here;

/// See std.
pub struct OnceLock<T> {
    turn: InitialisationLock,
    real: sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    /// See std.
    #[inline]
    #[must_use]
    pub const fn new() -> OnceLock<T> {
        OnceLock {
            turn: InitialisationLock::new(),
            real: sync::OnceLock::new(),
        }
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        let get = || hidden(|| self.real.get());
        self.turn.look(here()).then(get).flatten()
    }

    /// See std.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.real.get_mut()
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn wait(&self) -> &T {
        while self.turn.wait(here(), || self.real.get().is_some()) {}
        self.real.wait()
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let turn = self.turn.take(here(), || self.real.get().is_some());
        let result = self.real.set(value);
        turn.succeeded();
        result
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T {
        let turn = self.turn.take(here(), || self.real.get().is_some());
        let value = self.real.get_or_init(f);
        turn.succeeded();
        value
    }

    /// See std.
    #[inline]
    pub fn into_inner(self) -> Option<T> {
        self.real.into_inner()
    }

    /// See std.
    #[inline]
    pub fn take(&mut self) -> Option<T> {
        self.real.take()
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.real.fmt(f)
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> OnceLock<T> {
        OnceLock {
            turn: InitialisationLock::new(),
            real: self.real.clone(),
        }
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> OnceLock<T> {
        OnceLock {
            turn: InitialisationLock::new(),
            real: value.into(),
        }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.real == other.real
    }
}

impl<T: Eq> Eq for OnceLock<T> {}
