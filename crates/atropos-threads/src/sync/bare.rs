//! The data of a lock in the hands of a guard that excludes nobody.
//!
//! Plain data (nothing to drop) is worked on in a copy, which is written back when the guard goes, as far as it was
//! changed: so updates get lost as they do when a processor works on what it has read. Data that owns something
//! can't be copied; there every access is an announced operation, so that others can come between any two.
//!
//! What two threads do to owned data this way stays within the execution: its heap and statics are put back before
//! the next one, and a crash ends the execution as one.

use std::alloc::{Layout, alloc, dealloc};
use std::mem::needs_drop;

use atropos_explore::{Kind, Op};

use crate::communication::Access;
use crate::control::code::Code;
use crate::control::objects::{Site, Slot};
use crate::control::{Announcement, control};

/// A copy of plain data that one thread works on.
pub struct Private<T: ?Sized> {
    copy: *mut T,
    before: *mut u8,
    layout: Layout,
}

impl<T: ?Sized> Private<T> {
    /// A copy of the data, if it is plain.
    ///
    /// # Safety
    /// `data` can be read.
    pub unsafe fn of(data: *mut T) -> Option<Private<T>> {
        // SAFETY: by the contract.
        let layout = Layout::for_value(unsafe { &*data });
        if needs_drop::<T>() || layout.size() == 0 {
            return None;
        }
        let mut copy = data;
        // SAFETY: the layout has a size; a pointer begins with its address, whatever follows; both buffers have the
        // size of the data.
        unsafe {
            let (bytes, before) = (alloc(layout), alloc(layout));
            if bytes.is_null() || before.is_null() {
                std::alloc::handle_alloc_error(layout);
            }
            std::ptr::copy_nonoverlapping(data.cast::<u8>(), bytes, layout.size());
            std::ptr::copy_nonoverlapping(data.cast::<u8>(), before, layout.size());
            (&raw mut copy).cast::<*mut u8>().write(bytes);
            Some(Private {
                copy,
                before,
                layout,
            })
        }
    }

    pub fn get(&self) -> *mut T {
        self.copy
    }

    /// The parts that were changed since the copy was made: where they begin, and how long they are.
    fn changes(&self) -> impl Iterator<Item = (usize, usize)> {
        // A field is written as a whole, and none is wider than the alignment says.
        let width = self.layout.align();
        let size = self.layout.size();
        (0..size)
            .step_by(width)
            .map(move |start| (start, width.min(size - start)))
            .filter(|&(start, length)| {
                (start..start + length).any(|index| {
                    // SAFETY: within both buffers. Padding may hold anything; it is compared, no more.
                    unsafe {
                        self.copy.cast::<u8>().add(index).read_volatile()
                            != self.before.add(index).read_volatile()
                    }
                })
            })
    }

    pub fn is_changed(&self) -> bool {
        self.changes().next().is_some()
    }

    /// Writes what was changed.
    ///
    /// # Safety
    /// `data` is what the copy was made of, and can be written.
    pub unsafe fn write_back(&self, data: *mut T) {
        for (start, length) in self.changes() {
            // SAFETY: within the data and the copy.
            unsafe {
                let (from, to) = (
                    self.copy.cast::<u8>().add(start),
                    data.cast::<u8>().add(start),
                );
                std::ptr::copy_nonoverlapping(from, to, length);
            }
        }
    }
}

impl<T: ?Sized> Drop for Private<T> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and not used again.
        unsafe {
            dealloc(self.copy.cast(), self.layout);
            dealloc(self.before, self.layout);
        }
    }
}

/// Announces an access without the lock.
#[cold]
pub fn announce(slot: &Slot, code: Code, site: Site) {
    let Some(control) = control() else {
        return;
    };
    if control.state().world.panic_count.is_none() && std::thread::panicking() {
        return;
    }
    let lock = control.object(slot, |_| {});
    let name = control.name(slot);
    // Never a read: on a lock that would mean an attempt that found it taken.
    control.point(Announcement::new(code, Op::on(name, Kind::Write), site));
    let state = control.state();
    state.see_version(lock);
    state.meet_holder(lock, code == Code::BareWrite);
    let access = match code {
        Code::BareWrite => Access::Write,
        _ => Access::Read,
    };
    state.accessed(lock, access, site);
    if code == Code::BareWrite {
        state.leave_version(name, lock);
        state.changed(name);
    } else {
        control.looked_at(name);
    }
}
