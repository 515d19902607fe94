//! `RwLock`.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::{self, LockResult, PoisonError, TryLockError, TryLockResult};

use atropos_explore::{Kind, Object};

use crate::control::code::Code;
use crate::control::objects::{OUTSIDER, ObjectId, Site, Slot};
use crate::control::{Announcement, Control, control, here};

/// See std.
pub struct RwLock<T: ?Sized> {
    slot: Slot,
    real: sync::RwLock<T>,
}

/// See std.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    lock: Held<'a>,
    real: ManuallyDrop<sync::RwLockReadGuard<'a, T>>,
}

/// See std.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: Held<'a>,
    real: ManuallyDrop<sync::RwLockWriteGuard<'a, T>>,
}

/// What a guard remembers of its lock.
#[derive(Clone, Copy)]
struct Held<'a> {
    slot: &'a Slot,
    site: Site,
}

impl Held<'_> {
    fn object(&self, control: &Control) -> (ObjectId, Object) {
        (control.object(self.slot, |_| {}), control.name(self.slot))
    }
}

impl<T> RwLock<T> {
    /// See std.
    #[inline]
    pub const fn new(t: T) -> RwLock<T> {
        RwLock {
            slot: Slot::new(),
            real: sync::RwLock::new(t),
        }
    }

    /// See std.
    pub fn into_inner(self) -> LockResult<T> {
        self.real.into_inner()
    }
}

/// Turns the real result of an attempt into ours.
fn attempt<R, G>(result: TryLockResult<R>, wrap: impl FnOnce(R) -> G) -> TryLockResult<G> {
    match result {
        Ok(real) => Ok(wrap(real)),
        Err(TryLockError::Poisoned(poisoned)) => Err(TryLockError::Poisoned(PoisonError::new(
            wrap(poisoned.into_inner()),
        ))),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

/// Turns the real result of a lock into ours.
fn locked<R, G>(result: LockResult<R>, wrap: impl FnOnce(R) -> G) -> LockResult<G> {
    match result {
        Ok(real) => Ok(wrap(real)),
        Err(poisoned) => Err(PoisonError::new(wrap(poisoned.into_inner()))),
    }
}

impl<T: ?Sized> RwLock<T> {
    /// See std.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let site = here();
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            control.lock_shared(lock, name, site);
        }
        locked(self.real.read(), |real| self.read_guard(real, site))
    }

    /// See std.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let site = here();
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            if !control.try_lock_shared(lock, name, site) {
                return Err(TryLockError::WouldBlock);
            }
        }
        attempt(self.real.try_read(), |real| self.read_guard(real, site))
    }

    /// See std.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let site = here();
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            control.lock(Code::Write, lock, name, site);
        }
        locked(self.real.write(), |real| self.write_guard(real, site))
    }

    /// See std.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let site = here();
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            if !control.try_lock(Code::TryWrite, lock, name, site) {
                return Err(TryLockError::WouldBlock);
            }
        }
        attempt(self.real.try_write(), |real| self.write_guard(real, site))
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

    fn object(&self, control: &Control) -> (ObjectId, Object) {
        let lock = control.object(&self.slot, |state| {
            if matches!(self.real.try_write(), Err(TryLockError::WouldBlock)) {
                state.holder = OUTSIDER;
            }
        });
        (lock, control.name(&raw const self.slot))
    }

    fn read_guard<'a>(
        &'a self,
        real: sync::RwLockReadGuard<'a, T>,
        site: Site,
    ) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard {
            lock: Held {
                slot: &self.slot,
                site,
            },
            real: ManuallyDrop::new(real),
        }
    }

    fn write_guard<'a>(
        &'a self,
        real: sync::RwLockWriteGuard<'a, T>,
        site: Site,
    ) -> RwLockWriteGuard<'a, T> {
        RwLockWriteGuard {
            lock: Held {
                slot: &self.slot,
                site,
            },
            real: ManuallyDrop::new(real),
        }
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// See std.
    #[track_caller]
    pub fn downgrade(s: RwLockWriteGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        let mut guard = ManuallyDrop::new(s);
        let held = Held {
            site: here(),
            ..guard.lock
        };
        if let Some(control) = control() {
            let (lock, name) = held.object(&control);
            control.point(Announcement::new(
                Code::Downgrade,
                atropos_explore::Op::on(name, Kind::Release),
                held.site,
            ));
            control.unlocked(lock, name);
            control.state().objects[lock].readers += 1;
        }
        // SAFETY: `guard` is never dropped, so the real guard is taken once.
        let real = unsafe { ManuallyDrop::take(&mut guard.real) };
        RwLockReadGuard {
            lock: held,
            real: ManuallyDrop::new(sync::RwLockWriteGuard::downgrade(real)),
        }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(control) = control() {
            let (lock, name) = self.lock.object(&control);
            control.about_to_unlock(Code::ReadUnlock, name, Kind::ReleaseShared, self.lock.site);
            control.unlocked_shared(lock, name);
        }
        // SAFETY: dropped once, here.
        unsafe { ManuallyDrop::drop(&mut self.real) }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(control) = control() {
            let (lock, name) = self.lock.object(&control);
            control.about_to_unlock(Code::WriteUnlock, name, Kind::Release, self.lock.site);
            control.unlocked(lock, name);
        }
        // SAFETY: dropped once, here; the real unlock does the poisoning.
        unsafe { ManuallyDrop::drop(&mut self.real) }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.real
    }
}

macro_rules! shown_as_contents {
    ($($guard:ident)*) => {
        $(
            impl<T: ?Sized + fmt::Debug> fmt::Debug for $guard<'_, T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    (**self).fmt(f)
                }
            }

            impl<T: ?Sized + fmt::Display> fmt::Display for $guard<'_, T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    (**self).fmt(f)
                }
            }
        )*
    };
}

shown_as_contents!(RwLockReadGuard RwLockWriteGuard);

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.real.fmt(f)
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(t: T) -> RwLock<T> {
        RwLock::new(t)
    }
}
