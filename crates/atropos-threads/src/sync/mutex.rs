//! `Mutex`.

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{self, LockResult, PoisonError, TryLockError, TryLockResult};

use atropos_search::{OpKind, SharedObject};

use super::unlocked_guard::{Lock, UnlockedCopy};
use crate::control::code::Code;
use crate::control::foreign::hidden;
use crate::control::objects::{ControlledObjectId, OUTSIDER, Site, Slot};
use crate::control::{Control, control, here};
use crate::finding::PanicCauseKind;
use crate::injected_faults::{self, InjectedFault};

/// See std.
pub struct Mutex<T: ?Sized> {
    slot: Slot,
    real: sync::Mutex<()>,
    data: UnsafeCell<T>,
}

// SAFETY: as for std's: the data is reached through guards, one at a time. Guards that exclude nobody are only given
// to controlled threads, which share one OS thread.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}
impl<T: ?Sized> UnwindSafe for Mutex<T> {}
impl<T: ?Sized> RefUnwindSafe for Mutex<T> {}

/// See std.
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    mutex: &'a Mutex<T>,
    /// The real lock; without it the guard excludes nobody.
    real: Option<sync::MutexGuard<'a, ()>>,
    /// What such a guard works on.
    bare: Option<UnlockedCopy<T>>,
    site: Site,
    is_kept_on_panic: bool,
}

// SAFETY: as for std's; the real guard keeps it from being sent.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}
impl<T: ?Sized> UnwindSafe for MutexGuard<'_, T> {}
impl<T: ?Sized> RefUnwindSafe for MutexGuard<'_, T> {}

// What follows does not depend on what is locked, so it is compiled with the facade and not with the program. Else all that it
// does to memory would be looked at where plain memory is watched.

fn object(
    slot: &Slot,
    real: &sync::Mutex<()>,
    control: &Control,
) -> (ControlledObjectId, SharedObject) {
    let lock = control.object(slot, |state| {
        if matches!(real.try_lock(), Err(TryLockError::WouldBlock)) {
            state.holder = OUTSIDER;
        }
    });
    (lock, control.name(&raw const *slot))
}

/// Takes a lock: the controlled one, then the real one.
#[inline(never)]
fn take<'a>(
    slot: &Slot,
    real: &'a sync::Mutex<()>,
    site: Site,
) -> LockResult<sync::MutexGuard<'a, ()>> {
    if let Some(control) = control() {
        let (lock, name) = object(slot, real, &control);
        control.lock(Code::Lock, lock, name, site);
    }
    real.lock()
}

/// Gives a lock back, the real one after the controlled one.
#[inline(never)]
fn give_back(
    slot: &Slot,
    real: &sync::Mutex<()>,
    guard: sync::MutexGuard<'_, ()>,
    is_kept_on_panic: bool,
    site: Site,
) {
    if let Some(control) = control() {
        if is_kept_on_panic && std::thread::panicking() {
            // Nobody will unlock it any more.
            return std::mem::forget(guard);
        }
        let (lock, name) = object(slot, real, &control);
        control.about_to_unlock(Code::Unlock, name, OpKind::Release, site);
        control.unlocked(lock, name);
        // The real unlock does the poisoning.
        if std::thread::panicking() && !real.is_poisoned() {
            drop(guard);
            if real.is_poisoned() {
                control.poisons(lock, site);
            }
            return;
        }
    }
    drop(guard);
}

impl<T> Mutex<T> {
    /// See std.
    #[inline]
    pub const fn new(t: T) -> Mutex<T> {
        Mutex {
            slot: Slot::new(),
            real: sync::Mutex::new(()),
            data: UnsafeCell::new(t),
        }
    }

    /// See std.
    pub fn into_inner(self) -> LockResult<T> {
        let data = self.data.into_inner();
        match self.real.into_inner() {
            Ok(()) => Ok(data),
            Err(_) => Err(PoisonError::new(data)),
        }
    }
}

impl<T: ?Sized> Mutex<T> {
    /// See std.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let site = here();
        let fault = injected_faults::taken();
        if fault == Some(InjectedFault::Bare) {
            return Ok(self.bare(site));
        }
        let is_kept_on_panic = fault == Some(InjectedFault::KeptOnPanic);
        let mut locked = MutexGuard::wrap(self, take(&self.slot, &self.real, site), site);
        match &mut locked {
            Ok(guard) => guard.is_kept_on_panic = is_kept_on_panic,
            Err(poisoned) => poisoned.get_mut().is_kept_on_panic = is_kept_on_panic,
        }
        locked
    }

    /// See std.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let site = here();
        if injected_faults::taken() == Some(InjectedFault::Bare) {
            return Ok(self.bare(site));
        }
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            if !control.try_lock(Code::TryLock, lock, name, site) {
                return Err(TryLockError::WouldBlock);
            }
        }
        match hidden(|| self.real.try_lock()) {
            Ok(real) => Ok(MutexGuard::new(self, Some(real), site)),
            Err(TryLockError::Poisoned(poisoned)) => {
                self.tell_poisoned(site);
                let guard = MutexGuard::new(self, Some(poisoned.into_inner()), site);
                Err(TryLockError::Poisoned(PoisonError::new(guard)))
            }
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        }
    }

    /// See std.
    pub fn is_poisoned(&self) -> bool {
        hidden(|| self.real.is_poisoned())
    }

    /// See std.
    pub fn clear_poison(&self) {
        hidden(|| self.real.clear_poison());
    }

    /// See std.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let data = self.data.get_mut();
        match self.real.get_mut() {
            Ok(()) => Ok(data),
            Err(_) => Err(PoisonError::new(data)),
        }
    }

    pub(crate) fn object(&self, control: &Control) -> (ControlledObjectId, SharedObject) {
        object(&self.slot, &self.real, control)
    }

    /// Takes the real lock after the controlled one.
    pub(crate) fn lock_real(&self, site: Site) -> LockResult<MutexGuard<'_, T>> {
        MutexGuard::wrap(self, hidden(|| self.real.lock()), site)
    }

    /// The running thread found the lock poisoned.
    #[cold]
    fn tell_poisoned(&self, site: Site) {
        if let Some(control) = control() {
            let (lock, _) = self.object(&control);
            control.note_cause_at(PanicCauseKind::PoisonedLock, lock, site);
        }
    }

    /// A guard without the lock.
    fn bare(&self, site: Site) -> MutexGuard<'_, T> {
        let mut guard = MutexGuard::new(self, None, site);
        // SAFETY: the data outlives the guard.
        guard.bare =
            Some(unsafe { UnlockedCopy::new(Lock::Ours(&self.slot), self.data.get(), site) });
        guard
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn new(
        mutex: &'a Mutex<T>,
        real: Option<sync::MutexGuard<'a, ()>>,
        site: Site,
    ) -> MutexGuard<'a, T> {
        MutexGuard {
            mutex,
            real,
            bare: None,
            site,
            is_kept_on_panic: false,
        }
    }

    fn wrap(
        mutex: &'a Mutex<T>,
        result: LockResult<sync::MutexGuard<'a, ()>>,
        site: Site,
    ) -> LockResult<MutexGuard<'a, T>> {
        match result {
            Ok(real) => Ok(MutexGuard::new(mutex, Some(real), site)),
            Err(poisoned) => {
                mutex.tell_poisoned(site);
                let guard = MutexGuard::new(mutex, Some(poisoned.into_inner()), site);
                Err(PoisonError::new(guard))
            }
        }
    }

    /// The mutex and the real guard, if it has one, without unlocking.
    pub(crate) fn into_parts(mut self) -> (&'a Mutex<T>, Option<sync::MutexGuard<'a, ()>>) {
        let parts = (self.mutex, self.real.take());
        match parts.1 {
            // What such a guard has changed is written back when it is dropped.
            None => drop(self),
            Some(_) => std::mem::forget(self),
        }
        parts
    }

    /// Puts together what [`MutexGuard::into_parts`] took apart.
    pub(crate) fn from_result(
        mutex: &'a Mutex<T>,
        result: LockResult<sync::MutexGuard<'a, ()>>,
        site: Site,
    ) -> LockResult<MutexGuard<'a, T>> {
        MutexGuard::wrap(mutex, result, site)
    }

    /// Ends a guard without the lock.
    fn end_bare(&mut self) {
        if let Some(bare) = self.bare.take() {
            bare.end(Lock::Ours(&self.mutex.slot), self.site);
        }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        let Some(real) = self.real.take() else {
            return self.end_bare();
        };
        let (slot, lock) = (&self.mutex.slot, &self.mutex.real);
        give_back(slot, lock, real, self.is_kept_on_panic, self.site);
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        let data = match &self.bare {
            None => self.mutex.data.get().cast_const(),
            Some(bare) => bare.read(Lock::Ours(&self.mutex.slot), self.site),
        };
        // SAFETY: the lock is held, or the copy is the guard's own.
        unsafe { &*data }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        let data = match &mut self.bare {
            None => self.mutex.data.get(),
            Some(bare) => bare.write(Lock::Ours(&self.mutex.slot), self.site),
        };
        // SAFETY: as in `deref`.
        unsafe { &mut *data }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the real lock is held while the data is shown.
        let data = unsafe { &*self.data.get() };
        // Nothing of the data is shown while somebody holds it.
        let _held = match self.real.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return self.real.fmt(f),
        };
        f.debug_struct("Mutex")
            .field("data", &data)
            .field("poisoned", &self.real.is_poisoned())
            .finish_non_exhaustive()
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(t: T) -> Mutex<T> {
        Mutex::new(t)
    }
}
