//! `RwLock`.

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
use crate::control::{Announcement, Control, control, here};
use crate::finding::PanicCauseKind;
use crate::injected_faults::{self, InjectedFault};

/// See std.
pub struct RwLock<T: ?Sized> {
    slot: Slot,
    real: sync::RwLock<()>,
    data: UnsafeCell<T>,
}

// SAFETY: as for std's; see `Mutex`.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}
impl<T: ?Sized> UnwindSafe for RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for RwLock<T> {}

/// See std.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    lock: Held<'a, T>,
    /// The real lock; without it the guard excludes nobody.
    real: Option<sync::RwLockReadGuard<'a, ()>>,
    /// What such a guard looks at.
    bare: Option<UnlockedCopy<T>>,
}

/// See std.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: Held<'a, T>,
    /// The real lock; without it the guard excludes nobody.
    real: Option<sync::RwLockWriteGuard<'a, ()>>,
    /// What such a guard works on.
    bare: Option<UnlockedCopy<T>>,
}

// SAFETY: as for std's; the real guards keep them from being sent.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}
impl<T: ?Sized + RefUnwindSafe> UnwindSafe for RwLockReadGuard<'_, T> {}
impl<T: ?Sized + RefUnwindSafe> RefUnwindSafe for RwLockReadGuard<'_, T> {}
impl<T: ?Sized> UnwindSafe for RwLockWriteGuard<'_, T> {}
impl<T: ?Sized> RefUnwindSafe for RwLockWriteGuard<'_, T> {}

/// What a guard remembers of its lock.
struct Held<'a, T: ?Sized> {
    slot: &'a Slot,
    data: *mut T,
    site: Site,
    is_kept_on_panic: bool,
    /// It was taken while a panic unwound: such a guard poisons nothing.
    is_taken_in_panic: bool,
}

impl<T: ?Sized> Held<'_, T> {
    fn object(&self, control: &Control) -> (ControlledObjectId, SharedObject) {
        (control.object(self.slot, |_| {}), control.name(self.slot))
    }

    /// The running thread found the lock poisoned.
    #[cold]
    fn tell_poisoned(&self) {
        if let Some(control) = control() {
            let (lock, _) = self.object(&control);
            control.note_cause_at(PanicCauseKind::PoisonedLock, lock, self.site);
        }
    }

    /// What a guard without the lock looks at.
    fn bare(&self) -> UnlockedCopy<T> {
        // SAFETY: the data outlives the guard.
        unsafe { UnlockedCopy::read_only(Lock::Ours(self.slot), self.data, self.site) }
    }

    /// Whether the guard goes without unlocking.
    fn is_kept(&self) -> bool {
        self.is_kept_on_panic && std::thread::panicking()
    }
}

impl<T> RwLock<T> {
    /// See std.
    #[inline]
    pub const fn new(t: T) -> RwLock<T> {
        RwLock {
            slot: Slot::new(),
            real: sync::RwLock::new(()),
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

/// Turns the real result of an attempt into ours.
fn attempt<'a, T: ?Sized, R, G>(
    held: Held<'a, T>,
    result: TryLockResult<R>,
    wrap: impl FnOnce(Held<'a, T>, R) -> G,
) -> TryLockResult<G> {
    match result {
        Ok(real) => Ok(wrap(held, real)),
        Err(TryLockError::Poisoned(poisoned)) => {
            held.tell_poisoned();
            let guard = wrap(held, poisoned.into_inner());
            Err(TryLockError::Poisoned(PoisonError::new(guard)))
        }
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

/// Turns the real result of a lock into ours.
fn locked<'a, T: ?Sized, R, G>(
    held: Held<'a, T>,
    result: LockResult<R>,
    wrap: impl FnOnce(Held<'a, T>, R) -> G,
) -> LockResult<G> {
    match result {
        Ok(real) => Ok(wrap(held, real)),
        Err(poisoned) => {
            held.tell_poisoned();
            Err(PoisonError::new(wrap(held, poisoned.into_inner())))
        }
    }
}

impl<T: ?Sized> RwLock<T> {
    /// See std.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let mut held = self.held(here());
        match injected_faults::taken() {
            Some(InjectedFault::Bare) => return Ok(self.bare_read(held)),
            fault => held.is_kept_on_panic = fault.is_some(),
        }
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            control.lock_shared(lock, name, held.site);
        }
        locked(held, hidden(|| self.real.read()), read_guard)
    }

    /// See std.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let held = self.held(here());
        if injected_faults::taken() == Some(InjectedFault::Bare) {
            return Ok(self.bare_read(held));
        }
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            if !control.try_lock_shared(lock, name, held.site) {
                return Err(TryLockError::WouldBlock);
            }
        }
        attempt(held, hidden(|| self.real.try_read()), read_guard)
    }

    /// See std.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let mut held = self.held(here());
        match injected_faults::taken() {
            Some(InjectedFault::Bare) => return Ok(self.bare_write(held)),
            fault => held.is_kept_on_panic = fault.is_some(),
        }
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            control.lock(Code::Write, lock, name, held.site);
        }
        locked(held, hidden(|| self.real.write()), write_guard)
    }

    /// See std.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let held = self.held(here());
        if injected_faults::taken() == Some(InjectedFault::Bare) {
            return Ok(self.bare_write(held));
        }
        if let Some(control) = control() {
            let (lock, name) = self.object(&control);
            if !control.try_lock(Code::TryWrite, lock, name, held.site) {
                return Err(TryLockError::WouldBlock);
            }
        }
        attempt(held, hidden(|| self.real.try_write()), write_guard)
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

    fn object(&self, control: &Control) -> (ControlledObjectId, SharedObject) {
        let lock = control.object(&self.slot, |state| {
            let is_taken = || matches!(self.real.try_write(), Err(TryLockError::WouldBlock));
            if hidden(is_taken) {
                state.holder = OUTSIDER;
            }
        });
        (lock, control.name(&raw const self.slot))
    }

    fn held(&self, site: Site) -> Held<'_, T> {
        Held {
            slot: &self.slot,
            data: self.data.get(),
            site,
            is_kept_on_panic: false,
            is_taken_in_panic: std::thread::panicking(),
        }
    }

    /// A guard without the lock.
    fn bare_read<'a>(&'a self, held: Held<'a, T>) -> RwLockReadGuard<'a, T> {
        let bare = Some(held.bare());
        RwLockReadGuard {
            lock: held,
            real: None,
            bare,
        }
    }

    /// A guard without the lock.
    fn bare_write<'a>(&'a self, held: Held<'a, T>) -> RwLockWriteGuard<'a, T> {
        // SAFETY: the data outlives the guard.
        let bare = Some(unsafe { UnlockedCopy::new(Lock::Ours(held.slot), held.data, held.site) });
        RwLockWriteGuard {
            lock: held,
            real: None,
            bare,
        }
    }
}

fn read_guard<'a, T: ?Sized>(
    lock: Held<'a, T>,
    real: sync::RwLockReadGuard<'a, ()>,
) -> RwLockReadGuard<'a, T> {
    RwLockReadGuard {
        lock,
        real: Some(real),
        bare: None,
    }
}

fn write_guard<'a, T: ?Sized>(
    lock: Held<'a, T>,
    real: sync::RwLockWriteGuard<'a, ()>,
) -> RwLockWriteGuard<'a, T> {
    RwLockWriteGuard {
        lock,
        real: Some(real),
        bare: None,
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// See std.
    #[track_caller]
    pub fn downgrade(mut s: RwLockWriteGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        let lock = Held {
            slot: s.lock.slot,
            data: s.lock.data,
            site: here(),
            is_kept_on_panic: s.lock.is_kept_on_panic,
            is_taken_in_panic: s.lock.is_taken_in_panic,
        };
        let Some(real) = s.real.take() else {
            // What a guard without the lock has changed is written back.
            drop(s);
            let bare = Some(lock.bare());
            return RwLockReadGuard {
                lock,
                real: None,
                bare,
            };
        };
        std::mem::forget(s);
        if let Some(control) = control() {
            let (object, name) = lock.object(&control);
            control.point(Announcement::new(
                Code::Downgrade,
                atropos_search::Op::on(name, OpKind::Release),
                lock.site,
            ));
            control.unlocked(object, name);
            control.state().objects[object].readers += 1;
        }
        let real = hidden(|| sync::RwLockWriteGuard::downgrade(real));
        read_guard(lock, real)
    }

    /// Ends a guard without the lock.
    fn end_bare(&mut self) {
        if let Some(bare) = self.bare.take() {
            bare.end(Lock::Ours(self.lock.slot), self.lock.site);
        }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let Some(real) = self.real.take() else {
            if let Some(bare) = self.bare.take() {
                bare.end(Lock::Ours(self.lock.slot), self.lock.site);
            }
            return;
        };
        if let Some(control) = control() {
            if self.lock.is_kept() {
                // Nobody will unlock it any more.
                return std::mem::forget(real);
            }
            let (lock, name) = self.lock.object(&control);
            control.about_to_unlock(
                Code::ReadUnlock,
                name,
                OpKind::ReleaseShared,
                self.lock.site,
            );
            control.unlocked_shared(lock, name);
        }
        hidden(|| drop(real));
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        let Some(real) = self.real.take() else {
            return self.end_bare();
        };
        if let Some(control) = control() {
            if self.lock.is_kept() {
                // Nobody will unlock it any more.
                return std::mem::forget(real);
            }
            let (lock, name) = self.lock.object(&control);
            control.about_to_unlock(Code::WriteUnlock, name, OpKind::Release, self.lock.site);
            control.unlocked(lock, name);
            if std::thread::panicking() && !self.lock.is_taken_in_panic {
                control.poisons(lock, self.lock.site);
            }
        }
        // The real unlock does the poisoning.
        hidden(|| drop(real));
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        let data = match &self.bare {
            None => self.lock.data.cast_const(),
            Some(bare) => bare.read(Lock::Ours(self.lock.slot), self.lock.site),
        };
        // SAFETY: the lock is held, or the copy is the guard's own.
        unsafe { &*data }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        let data = match &self.bare {
            None => self.lock.data.cast_const(),
            Some(bare) => bare.read(Lock::Ours(self.lock.slot), self.lock.site),
        };
        // SAFETY: as for reading.
        unsafe { &*data }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        let data = match &mut self.bare {
            None => self.lock.data,
            Some(bare) => bare.write(Lock::Ours(self.lock.slot), self.lock.site),
        };
        // SAFETY: as above.
        unsafe { &mut *data }
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
        // SAFETY: the real lock is held while the data is shown.
        let data = unsafe { &*self.data.get() };
        // Nothing of the data is shown while somebody holds it.
        let _held = match self.real.try_read() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return self.real.fmt(f),
        };
        f.debug_struct("RwLock")
            .field("data", &data)
            .field("poisoned", &self.real.is_poisoned())
            .finish_non_exhaustive()
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
