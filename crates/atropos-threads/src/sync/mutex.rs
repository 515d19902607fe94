//! `Mutex`.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::{self, LockResult, PoisonError, TryLockError, TryLockResult};

use atropos_explore::{Kind, Object};

use crate::control::code::Code;
use crate::control::objects::{OUTSIDER, ObjectId, Site, Slot};
use crate::control::{Control, control, here};

/// See std.
pub struct Mutex<T: ?Sized> {
    slot: Slot,
    real: sync::Mutex<T>,
}

/// See std.
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    mutex: &'a Mutex<T>,
    real: ManuallyDrop<sync::MutexGuard<'a, T>>,
    site: Option<Site>,
}

impl<T> Mutex<T> {
    /// See std.
    #[inline]
    pub const fn new(t: T) -> Mutex<T> {
        Mutex {
            slot: Slot::new(),
            real: sync::Mutex::new(t),
        }
    }

    /// See std.
    pub fn into_inner(self) -> LockResult<T> {
        self.real.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// See std.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let site = here();
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            control.lock(Code::Lock, lock, name, site);
        }
        MutexGuard::wrap(self, self.real.lock(), site)
    }

    /// See std.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let site = here();
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            if !control.try_lock(Code::TryLock, lock, name, site) {
                return Err(TryLockError::WouldBlock);
            }
        }
        match self.real.try_lock() {
            Ok(real) => Ok(MutexGuard::new(self, real, site)),
            Err(TryLockError::Poisoned(poisoned)) => Err(TryLockError::Poisoned(PoisonError::new(
                MutexGuard::new(self, poisoned.into_inner(), site),
            ))),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        }
    }

    /// See std.
    pub fn is_poisoned(&self) -> bool {
        self.real.is_poisoned()
    }

    /// See std.
    pub fn clear_poison(&self) {
        self.real.clear_poison();
    }

    /// See std.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.real.get_mut()
    }

    pub(crate) fn object(&self, control: &Control) -> (ObjectId, Object) {
        let lock = control.object(&self.slot, |state| {
            if matches!(self.real.try_lock(), Err(TryLockError::WouldBlock)) {
                state.holder = OUTSIDER;
            }
        });
        (lock, control.name(&raw const self.slot))
    }

    /// Takes the real lock after the controlled one.
    pub(crate) fn lock_real(&self, site: Site) -> LockResult<MutexGuard<'_, T>> {
        MutexGuard::wrap(self, self.real.lock(), site)
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn new(mutex: &'a Mutex<T>, real: sync::MutexGuard<'a, T>, site: Site) -> MutexGuard<'a, T> {
        MutexGuard {
            mutex,
            real: ManuallyDrop::new(real),
            site: Some(site),
        }
    }

    fn wrap(
        mutex: &'a Mutex<T>,
        result: LockResult<sync::MutexGuard<'a, T>>,
        site: Site,
    ) -> LockResult<MutexGuard<'a, T>> {
        match result {
            Ok(real) => Ok(MutexGuard::new(mutex, real, site)),
            Err(poisoned) => Err(PoisonError::new(MutexGuard::new(
                mutex,
                poisoned.into_inner(),
                site,
            ))),
        }
    }

    /// The mutex and the real guard, without unlocking.
    pub(crate) fn into_parts(self) -> (&'a Mutex<T>, sync::MutexGuard<'a, T>) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so the guard is taken once.
        (this.mutex, unsafe { ManuallyDrop::take(&mut this.real) })
    }

    /// Puts together what [`MutexGuard::into_parts`] took apart.
    pub(crate) fn from_result(
        mutex: &'a Mutex<T>,
        result: LockResult<sync::MutexGuard<'a, T>>,
        site: Site,
    ) -> LockResult<MutexGuard<'a, T>> {
        MutexGuard::wrap(mutex, result, site)
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(control) = control() {
            let (lock, name) = self.mutex.object(&control);
            let site = self.site.unwrap_or_else(|| here());
            control.about_to_unlock(Code::Unlock, name, Kind::Release, site);
            control.unlocked(lock, name);
        }
        // SAFETY: dropped once, here; the real unlock does the poisoning.
        unsafe { ManuallyDrop::drop(&mut self.real) }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.real
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
        self.real.fmt(f)
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
