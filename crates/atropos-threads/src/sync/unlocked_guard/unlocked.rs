//! A guard of a lock of which only the data is known.

use std::ops::{Deref, DerefMut};

use super::{Lock, UnlockedCopy};
use crate::control::here;
use crate::control::objects::Site;

/// A guard of a lock of another library, whose data alone is known, without the lock. It can be kept across an `await`.
pub struct Unlocked<T> {
    bare: Option<UnlockedCopy<T>>,
    lock: Lock<'static>,
    site: Site,
}

// SAFETY: the data may be sent, and controlled threads share one OS thread.
unsafe impl<T: Send> Send for Unlocked<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Unlocked<T> {}

impl<T> Unlocked<T> {
    /// # Safety
    /// The data can be read and written as long as this is used, by a controlled thread.
    #[track_caller]
    pub unsafe fn new(data: *mut T) -> Unlocked<T> {
        let (lock, site) = (Lock::Unknown(data as usize), here());
        // SAFETY: by the contract.
        let bare = unsafe { UnlockedCopy::new(lock, data, site) };
        Unlocked {
            bare: Some(bare),
            lock,
            site,
        }
    }
}

impl<T> Deref for Unlocked<T> {
    type Target = T;
    fn deref(&self) -> &T {
        let bare = self
            .bare
            .as_ref()
            .expect("it is there until the guard goes");
        // SAFETY: the copy is the guard's own.
        unsafe { &*bare.read(self.lock, self.site) }
    }
}

impl<T> DerefMut for Unlocked<T> {
    fn deref_mut(&mut self) -> &mut T {
        let bare = self
            .bare
            .as_mut()
            .expect("it is there until the guard goes");
        // SAFETY: as above.
        unsafe { &mut *bare.write(self.lock, self.site) }
    }
}

impl<T> Drop for Unlocked<T> {
    fn drop(&mut self) {
        if let Some(bare) = self.bare.take() {
            bare.end(self.lock, self.site);
        }
    }
}
