//! `std::cell::UnsafeCell` for programs under control: a transparent wrapper of the real type that notes who asks for its
//! contents, and where, and what their first bytes were. What is read and written afterwards goes by a raw pointer and can't be seen,
//! but changed bytes can: see `cell_accesses`.
//!
//! Asking is a `const fn`, which can call nothing of ours. So it only leaves a note in memory, and the thread's next operation
//! takes it from there, before anything else can come to pass.

use std::fmt;
use std::mem::MaybeUninit;
use std::panic::Location;

use crate::control::objects::Site;

/// A use of a cell's contents.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    pub cell: *const (),
    pub site: Site,
    /// What was there.
    pub before: Bytes,
}

/// The first bytes of a cell.
#[derive(Clone, Copy)]
pub struct Bytes {
    length: usize,
    bytes: [MaybeUninit<u8>; FIRST],
}

const FIRST: usize = 32;

impl Bytes {
    const NONE: Bytes = Bytes {
        length: 0,
        bytes: [MaybeUninit::uninit(); FIRST],
    };

    /// # Safety
    /// So many bytes must be readable there.
    const unsafe fn read(from: *const (), length: usize) -> Bytes {
        let mut bytes = Bytes::NONE;
        bytes.length = if length < FIRST { length } else { FIRST };
        // SAFETY: the caller's promise; what is not initialised stays so.
        unsafe {
            let from = from.cast::<MaybeUninit<u8>>();
            std::ptr::copy_nonoverlapping(from, (&raw mut bytes.bytes).cast(), bytes.length);
        }
        bytes
    }

    /// As many bytes of this memory.
    ///
    /// # Safety
    /// They must be readable.
    pub unsafe fn reread(&self, from: *const ()) -> Bytes {
        // SAFETY: the caller's promise.
        unsafe { Bytes::read(from, self.length) }
    }

    pub fn length(&self) -> usize {
        self.length
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        // Padding is compared, too: to the machine it is memory like any other.
        let byte = |byte: &MaybeUninit<u8>| {
            // SAFETY: the memory is there; a volatile read takes what it holds.
            unsafe { std::ptr::from_ref(byte).cast::<u8>().read_volatile() }
        };
        let mine = self.bytes[..self.length].iter().map(byte);
        mine.eq(other.bytes[..other.length].iter().map(byte))
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.length)
    }
}

/// Uses between two operations of a thread; what comes on top of these is not noted.
const MOST: usize = 32;

struct Notes {
    are_taken: bool,
    count: usize,
    uses: [MaybeUninit<Use>; MOST],
}

static mut NOTES: Notes = Notes {
    are_taken: false,
    count: 0,
    uses: [MaybeUninit::uninit(); MOST],
};

#[track_caller]
const fn note(cell: *const (), length: usize) {
    let notes = &raw mut NOTES;
    // SAFETY: notes are taken only while controlled threads run, one at a time. An OS thread that nobody controls could
    // spoil a note, but not write outside of them: the count is looked at once. The caller has the cell.
    unsafe {
        let count = (*notes).count;
        if (*notes).are_taken && count < MOST {
            let site = Location::caller();
            let before = Bytes::read(cell, length);
            (*notes).uses[count] = MaybeUninit::new(Use { cell, site, before });
            (*notes).count = count + 1;
        }
    }
}

/// Whether uses are noted from now on. Forgets those noted so far.
pub(crate) fn take_notes(are_taken: bool) {
    // SAFETY: no controlled thread runs now.
    unsafe {
        NOTES.are_taken = are_taken;
        NOTES.count = 0;
    }
}

/// What the running thread has used since [`forget_noted`] was last called.
pub(crate) fn noted() -> &'static [Use] {
    // SAFETY: called on behalf of the one controlled thread that runs; so many were noted.
    unsafe {
        let uses = (&raw const NOTES.uses).cast::<Use>();
        std::slice::from_raw_parts(uses, NOTES.count.min(MOST))
    }
}

pub(crate) fn forget_noted() {
    // SAFETY: as in `noted`, whose result is used no more.
    unsafe { NOTES.count = 0 };
}

/// Whether there is anything in [`noted`].
#[inline]
pub(crate) fn are_any_noted() -> bool {
    // SAFETY: as in `noted`.
    unsafe { NOTES.count > 0 }
}

/// See [`std::cell::UnsafeCell`].
#[repr(transparent)]
pub struct UnsafeCell<T: ?Sized> {
    real: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// See [`std::cell::UnsafeCell::new`].
    #[inline]
    pub const fn new(value: T) -> UnsafeCell<T> {
        let real = std::cell::UnsafeCell::new(value);
        UnsafeCell { real }
    }

    /// See [`std::cell::UnsafeCell::into_inner`].
    #[inline]
    pub const fn into_inner(self) -> T {
        // SAFETY: what is read is forgotten. (A field can't be moved out of in a `const fn` if its type may have a destructor.)
        let value = unsafe { std::ptr::read(self.real.get()) };
        std::mem::forget(self);
        value
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// See [`std::cell::UnsafeCell::from_mut`].
    #[inline]
    pub const fn from_mut(value: &mut T) -> &mut UnsafeCell<T> {
        // SAFETY: the wrapper is transparent, and so is the real cell.
        unsafe { &mut *(&raw mut *value as *mut UnsafeCell<T>) }
    }

    /// See [`std::cell::UnsafeCell::get`].
    #[inline]
    #[track_caller]
    pub const fn get(&self) -> *mut T {
        note((&raw const *self).cast(), size_of_val(self));
        self.real.get()
    }

    /// See [`std::cell::UnsafeCell::get_mut`].
    #[inline]
    #[track_caller]
    pub const fn get_mut(&mut self) -> &mut T {
        note((&raw const *self).cast(), size_of_val(self));
        self.real.get_mut()
    }

    /// See [`std::cell::UnsafeCell::raw_get`].
    #[inline]
    #[track_caller]
    pub const fn raw_get(this: *const UnsafeCell<T>) -> *mut T {
        // Nothing is known of the memory there.
        note(this.cast(), 0);
        std::cell::UnsafeCell::raw_get(this as *const std::cell::UnsafeCell<T>)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.real.fmt(f)
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}
