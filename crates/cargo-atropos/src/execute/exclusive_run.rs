//! Who runs beside whom: runs whose time decides have the machine to themselves, as far as we can help it.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What all workers that run mutants share.
#[derive(Default)]
pub struct ExclusiveRuns(RwLock<()>);

impl ExclusiveRuns {
    /// Others may run until the guard is dropped.
    pub fn beside_others(&self) -> RwLockReadGuard<'_, ()> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the others, and keeps them waiting until the guard is dropped.
    pub fn alone(&self) -> RwLockWriteGuard<'_, ()> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
