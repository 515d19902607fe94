//! How many panics a thread is in the middle of is a number that std keeps per OS thread. Controlled
//! threads share one OS thread, so the number must be switched with them: otherwise a thread that runs
//! while another unwinds would look as if it panicked too, and poison what it unlocks.
//!
//! std does not tell where the number is. It is found by looking: the words of the thread-local block
//! that are 0 outside, 1 during a panic and 2 during a panic within one, and back at 0 afterwards.
//! If that is not exactly one word, or writing it does not change what `panicking` says, nothing is switched and
//! [`PanicCount::find`] says so.

use std::panic::{catch_unwind, resume_unwind};

use super::tls_words::TlsWords;

/// The place of the count, for the OS thread that looked.
#[derive(Clone, Copy, Debug)]
pub struct PanicCount(*mut usize);

impl PanicCount {
    /// Looks in this thread's block of thread-local variables.
    pub fn find(words: &TlsWords) -> Option<PanicCount> {
        if std::thread::panicking() {
            return None;
        }
        let mut candidates: Vec<usize> =
            (0..words.count()).filter(|&i| words.get(i) == 0).collect();
        during_panic(&mut || {
            candidates.retain(|&i| words.get(i) == 1);
            let mut inner = std::mem::take(&mut candidates);
            during_panic(&mut || inner.retain(|&i| words.get(i) == 2));
            candidates = inner;
            candidates.retain(|&i| words.get(i) == 1);
        });
        candidates.retain(|&i| words.get(i) == 0);
        let [only] = candidates[..] else { return None };
        let count = PanicCount(words.place(only));
        count.works().then_some(count)
    }

    fn works(self) -> bool {
        let mut works = false;
        during_panic(&mut || {
            let before = std::thread::panicking();
            let count = self.replace(0);
            let without = std::thread::panicking();
            self.replace(count);
            works = before && !without && count == 1;
        });
        works && !std::thread::panicking()
    }

    /// Sets the count and returns what it was.
    #[inline]
    pub fn replace(self, count: usize) -> usize {
        // SAFETY: `find` saw this word behave as the count of this OS thread; only that thread holds the value.
        unsafe { std::ptr::replace(self.0, count) }
    }
}

/// Calls `look` while this thread unwinds. The panic hook is not called.
fn during_panic(look: &mut dyn FnMut()) {
    struct Look<'a>(&'a mut dyn FnMut());
    impl Drop for Look<'_> {
        fn drop(&mut self) {
            (self.0)();
        }
    }
    let look = Look(look);
    let _ = catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _look = look;
        resume_unwind(Box::new(()));
    }));
}
