//! The data of a lock in the hands of a guard that excludes nobody.
//!
//! Such a guard works on a copy, bit by bit, and writes back the words that it has changed: so updates get lost as they
//! do when a processor works on what it has read. Plain data (nothing to drop) is copied when the guard is given and
//! written when it goes. Data that owns something, and what is only read, is copied anew for every access, and written
//! before the next one, so that others can come between any two accesses, and into the middle of one: of two `push`es
//! one is lost, and two `pop`s may get the same element.
//!
//! What such copies own twice is memory that both may use: a block of the heap that was given back is not used
//! again soon (see `memory::heap`), and giving it back twice ends the execution as a double free, which is what becomes
//! of the program. All of it stays within the execution: heap and statics are put back before the next one.

mod private;
mod unlocked;

use std::cell::{Cell, UnsafeCell};
use std::mem::needs_drop;

use atropos_search::{Op, OpKind};

use crate::communication::SharedAccess;
use crate::control::code::Code;
use crate::control::objects::{Site, Slot};
use crate::control::{Announcement, Control, control};
use private::PrivateCopy;
pub use unlocked::Unlocked;

/// The lock whose data is accessed without it.
#[derive(Clone, Copy, Debug)]
pub enum Lock<'a> {
    Ours(&'a Slot),
    /// One of another library, by the address that stands for it.
    Other(usize),
    /// One of which only the data is known: who holds it can't be told from what others do.
    Unknown(usize),
}

/// What a guard without the lock works on.
pub struct UnlockedCopy<T: ?Sized> {
    data: *mut T,
    /// One copy is enough, or there is nothing to copy.
    is_copied_once: bool,
    /// The last one is in use; references to earlier ones may still be about.
    copies: UnsafeCell<Vec<PrivateCopy<T>>>,
    /// The last access was by a mutable reference.
    was_exclusive: Cell<bool>,
}

impl<T: ?Sized> UnlockedCopy<T> {
    /// Begins to work on the data.
    ///
    /// # Safety
    /// The data can be read and written as long as this is used, by a controlled thread.
    pub unsafe fn new(lock: Lock<'_>, data: *mut T, site: Site) -> UnlockedCopy<T> {
        // SAFETY: by the contract.
        unsafe { UnlockedCopy::begin(lock, data, !needs_drop::<T>(), site) }
    }

    /// Begins to look at the data.
    ///
    /// # Safety
    /// As for [`UnlockedCopy::new`].
    pub unsafe fn read_only(lock: Lock<'_>, data: *mut T, site: Site) -> UnlockedCopy<T> {
        // SAFETY: by the contract.
        unsafe { UnlockedCopy::begin(lock, data, false, site) }
    }

    unsafe fn begin(lock: Lock<'_>, data: *mut T, is_plain: bool, site: Site) -> UnlockedCopy<T> {
        // SAFETY: by the contract of the callers.
        let is_empty = size_of_val(unsafe { &*data }) == 0;
        let is_copied_once = is_empty || is_plain;
        let mut copies = Vec::new();
        if is_copied_once {
            announce(lock, Code::BareLock, site);
        }
        if is_plain && !is_empty {
            // SAFETY: no other thread runs.
            copies.push(unsafe { PrivateCopy::of(data) });
        }
        UnlockedCopy {
            data,
            is_copied_once,
            copies: UnsafeCell::new(copies),
            was_exclusive: Cell::new(false),
        }
    }

    /// What a shared reference leads to from now on.
    pub fn read(&self, lock: Lock<'_>, site: Site) -> *const T {
        // SAFETY: guards are used by one thread at a time, and nothing of this lasts longer than the call.
        let copies = unsafe { &mut *self.copies.get() };
        if self.is_copied_once {
            return copies
                .last()
                .map_or(self.data.cast_const(), |copy| copy.get());
        }
        if let Some(copy) = copies.last()
            && !self.was_exclusive.get()
            && copy.is_changed()
        {
            // By interior mutability, and somebody may still be at it.
            return copy.get();
        }
        self.was_exclusive.set(false);
        self.access(copies, lock, Code::BareRead, site)
    }

    /// What a mutable reference leads to from now on.
    pub fn write(&mut self, lock: Lock<'_>, site: Site) -> *mut T {
        let mut copies = std::mem::take(self.copies.get_mut());
        let data = if self.is_copied_once {
            copies.last().map_or(self.data, PrivateCopy::get)
        } else {
            self.was_exclusive.set(true);
            self.access(&mut copies, lock, Code::BareChange, site)
        };
        *self.copies.get_mut() = copies;
        data
    }

    /// Data that owns something, as it is now.
    fn access(
        &self,
        copies: &mut Vec<PrivateCopy<T>>,
        lock: Lock<'_>,
        code: Code,
        site: Site,
    ) -> *mut T {
        settle(copies, self.data, lock, site);
        announce(lock, code, site);
        // SAFETY: no other thread runs.
        let is_current = copies
            .last()
            .is_some_and(|copy| unsafe { copy.is_like(self.data) });
        if !is_current {
            // SAFETY: as above.
            copies.push(unsafe { PrivateCopy::of(self.data) });
        }
        copies.last().map_or(self.data, PrivateCopy::get)
    }

    /// The guard goes.
    pub fn end(self, lock: Lock<'_>, site: Site) {
        settle(&mut self.copies.into_inner(), self.data, lock, site);
    }
}

/// Writes what was changed in the copy that is in use.
fn settle<T: ?Sized>(copies: &mut [PrivateCopy<T>], data: *mut T, lock: Lock<'_>, site: Site) {
    if let Some(copy) = copies.last_mut()
        && copy.is_changed()
    {
        announce(lock, Code::BareWrite, site);
        // SAFETY: the data outlives the guard, and no other thread runs.
        unsafe { copy.write_back(data) }
    }
}

/// Announces an access without the lock.
#[cold]
fn announce(lock: Lock<'_>, code: Code, site: Site) {
    if let Some(control) = control() {
        announce_with(&control, lock, code, site);
    }
}

/// The same for who is in control already.
pub(crate) fn announce_with(control: &Control, lock: Lock<'_>, code: Code, site: Site) {
    if control.state().world.panic_count.is_none() && std::thread::panicking() {
        return;
    }
    let name = match lock {
        Lock::Ours(slot) => control.name(slot),
        Lock::Other(address) | Lock::Unknown(address) => control.name(address as *const u8),
    };
    // Never a read: on a lock that would mean an attempt that found it taken.
    let op = match lock {
        Lock::Unknown(_) => Op::universal(),
        _ => Op::on(name, OpKind::Write),
    };
    let changes = matches!(code, Code::BareChange | Code::BareWrite);
    control.point(Announcement::new(code, op, site));
    let state = control.state();
    let access = match changes {
        true => SharedAccess::Write,
        false => SharedAccess::Read,
    };
    match lock {
        Lock::Ours(slot) => {
            let lock = control.object(slot, |_| {});
            state.see_version(lock);
            state.meet_holder(lock, changes);
            state.accessed(lock, access, site);
            if changes {
                state.leave_version(name, lock);
            }
        }
        Lock::Other(address) | Lock::Unknown(address) => {
            state.accessed_atomic(address, access, None, site);
        }
    }
    if changes {
        state.changed(name);
    } else {
        control.looked_at(name);
    }
}
