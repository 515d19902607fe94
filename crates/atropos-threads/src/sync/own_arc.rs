//! An `Arc` of the facade's own. Its counters are compiled into the program, but they are none of the program's operations.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

use crate::control::foreign::hidden;

/// Shared by parts of the facade. Dropping the last one orders nothing: who drops what the program put in must be ordered by
/// other means.
#[derive(Debug)]
pub(crate) struct OwnArc<T>(ManuallyDrop<Arc<T>>);

impl<T> OwnArc<T> {
    pub(crate) fn new(value: T) -> OwnArc<T> {
        OwnArc(ManuallyDrop::new(Arc::new(value)))
    }

    pub(crate) fn as_ptr(&self) -> *const T {
        Arc::as_ptr(&self.0)
    }

    /// One more, which is kept for ever.
    pub(crate) fn keep(&self) -> *const T {
        hidden(|| Arc::into_raw(Arc::clone(&self.0)))
    }

    /// One more.
    ///
    /// # Safety
    /// The pointer must come from `keep`.
    pub(crate) unsafe fn of_kept(kept: *const T) -> OwnArc<T> {
        // SAFETY: the one that is kept is there for ever.
        let arc = hidden(|| unsafe {
            Arc::increment_strong_count(kept);
            Arc::from_raw(kept)
        });
        OwnArc(ManuallyDrop::new(arc))
    }
}

impl<T> Clone for OwnArc<T> {
    fn clone(&self) -> OwnArc<T> {
        OwnArc(ManuallyDrop::new(hidden(|| Arc::clone(&self.0))))
    }
}

impl<T> Deref for OwnArc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Drop for OwnArc<T> {
    fn drop(&mut self) {
        // SAFETY: it is not used again.
        let arc = unsafe { ManuallyDrop::take(&mut self.0) };
        let last = hidden(|| Arc::into_inner(arc));
        // The program's own code may run here, and is not hidden.
        drop(last);
    }
}
