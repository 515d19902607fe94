//! Keeps tests apart that would overwrite each other's files.
//!
//! `cargo test` runs the tests of different programs one after the other, and every test once; here mutants of one test may
//! be run side by side, and what they write is not what the test expects.

use std::sync::{Condvar, Mutex, MutexGuard};

use atropos_protocol::path_set::FileUse;

/// The tests that run at the moment, as far as they use files that outlive them.
#[derive(Default)]
pub struct FileLocks<'t> {
    running: Mutex<Vec<&'t FileUse>>,
    ended: Condvar,
}

/// Held while a test runs; given back when dropped.
pub struct FileLock<'a, 't> {
    locks: &'a FileLocks<'t>,
    files: &'t FileUse,
}

impl<'t> FileLocks<'t> {
    /// Waits until no test runs that this one would be in the way of.
    pub fn take(&self, files: &'t FileUse) -> FileLock<'_, 't> {
        let busy =
            |running: &mut Vec<&FileUse>| running.iter().any(|other| files.is_in_the_way_of(other));
        let running = self.ended.wait_while(self.running(), busy);
        running.expect("no holder panics").push(files);
        FileLock { locks: self, files }
    }

    fn running(&self) -> MutexGuard<'_, Vec<&'t FileUse>> {
        self.running.lock().expect("no holder panics")
    }
}

impl Drop for FileLock<'_, '_> {
    fn drop(&mut self) {
        let mut running = self.locks.running();
        let own = running
            .iter()
            .position(|files| std::ptr::eq(*files, self.files));
        running.swap_remove(own.expect("it is running"));
        self.locks.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn a_test_that_changes_files_never_runs_beside_itself() {
        let files = FileUse::changing(&["/a"]);
        let harmless = FileUse::default();
        let locks = FileLocks::default();
        let (at_once, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _lock = locks.take(&files);
                        let now = at_once.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        // Who uses none disturbs nobody.
                        drop((locks.take(&harmless), locks.take(&harmless)));
                        thread::yield_now();
                        at_once.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
        assert!(locks.running().is_empty());
    }
}
