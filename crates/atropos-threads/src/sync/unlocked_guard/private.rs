//! A copy of a lock's data, bit by bit, and which of its words were changed.

use std::alloc::{Layout, alloc, dealloc};

/// A copy of the data that one thread works on.
pub struct PrivateCopy<T: ?Sized> {
    copy: *mut T,
    before: *mut u8,
    layout: Layout,
}

impl<T: ?Sized> PrivateCopy<T> {
    /// # Safety
    /// `data` can be read, and has a size.
    pub unsafe fn of(data: *mut T) -> PrivateCopy<T> {
        // SAFETY: by the contract.
        let layout = Layout::for_value(unsafe { &*data });
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
            PrivateCopy {
                copy,
                before,
                layout,
            }
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

    /// Whether the data is the same, bit by bit.
    ///
    /// # Safety
    /// `data` is what the copy was made of.
    pub unsafe fn is_like(&self, data: *const T) -> bool {
        (0..self.layout.size()).all(|index| {
            // SAFETY: within both; padding is compared, no more.
            unsafe {
                self.copy.cast::<u8>().add(index).read_volatile()
                    == data.cast::<u8>().add(index).read_volatile()
            }
        })
    }

    /// Writes what was changed, which is not changed any more then.
    ///
    /// # Safety
    /// `data` is what the copy was made of, and can be written.
    pub unsafe fn write_back(&mut self, data: *mut T) {
        for (start, length) in self.changes().collect::<Vec<_>>() {
            // SAFETY: within the data and the copy.
            unsafe {
                let (from, to) = (
                    self.copy.cast::<u8>().add(start),
                    data.cast::<u8>().add(start),
                );
                std::ptr::copy_nonoverlapping(from, to, length);
                std::ptr::copy_nonoverlapping(from, self.before.add(start), length);
            }
        }
    }
}

impl<T: ?Sized> Drop for PrivateCopy<T> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and not used again.
        unsafe {
            dealloc(self.copy.cast(), self.layout);
            dealloc(self.before, self.layout);
        }
    }
}
