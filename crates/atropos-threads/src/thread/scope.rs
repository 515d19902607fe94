//! Scoped threads.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use super::builder::Builder;
use super::handle::{ControlledHandle, Thread, wait_for_end};
use crate::control::{control, here};

/// See std.
pub struct Scope<'scope, 'env: 'scope> {
    /// The real scope, for uncontrolled threads.
    real: Cell<*const ()>,
    /// Numbers of the controlled threads that were started here, and how many of them have been waited for.
    started: UnsafeCell<Vec<u32>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

// SAFETY: `real` is set before the scope is shown to anybody; `started` is used by controlled threads only, which
// share one OS thread.
unsafe impl Sync for Scope<'_, '_> {}
// SAFETY: as above.
unsafe impl Send for Scope<'_, '_> {}
impl std::panic::RefUnwindSafe for Scope<'_, '_> {}

/// See std.
pub struct ScopedJoinHandle<'scope, T>(Handle<'scope, T>);

/// A scoped thread of either sort.
enum Handle<'scope, T> {
    Real(thread::ScopedJoinHandle<'scope, T>, Thread),
    Controlled(ControlledHandle<T>),
}

/// See std.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let scope = Scope {
        real: Cell::new(std::ptr::null()),
        started: UnsafeCell::new(Vec::new()),
        scope: PhantomData,
        env: PhantomData,
    };
    if !crate::control::is_controlled() {
        return thread::scope(|real| {
            scope.real.set(std::ptr::from_ref(real).cast());
            // SAFETY: our scope lives outside the real one, whose threads are the only ones to use the reference.
            f(unsafe { &*(&raw const scope).cast::<Scope<'_, 'env>>() })
        });
    }
    // SAFETY: the scope lives until all its threads have been waited for below.
    let result = catch_unwind(AssertUnwindSafe(|| {
        f(unsafe { &*(&raw const scope).cast::<Scope<'_, 'env>>() })
    }));
    let panicked = scope.wait_for_all();
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if panicked => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// See std.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new()
            .spawn_scoped(self, f)
            .expect("failed to spawn thread")
    }

    #[track_caller]
    pub(super) fn spawn_with<F, T>(
        &'scope self,
        builder: Builder,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        if !self.real.get().is_null() {
            // SAFETY: set in `scope` to the real scope, which lives as long as ours is usable.
            let real = unsafe { &*self.real.get().cast::<thread::Scope<'scope, 'env>>() };
            let handle = builder.into_real().spawn_scoped(real, f)?;
            let thread = Thread::real(handle.thread().clone());
            return Ok(ScopedJoinHandle(Handle::Real(handle, thread)));
        }
        // SAFETY: `scope` waits for the thread before anything of `'scope` ends.
        let handle = unsafe { builder.spawn_controlled(f, here())? };
        if let Some(control) = control() {
            // SAFETY: controlled threads share one OS thread and there is no scheduling point in between.
            control.in_program(|| unsafe { (*self.started.get()).push(handle.number) });
        }
        Ok(ScopedJoinHandle(Handle::Controlled(handle)))
    }

    /// Waits for all controlled threads; says whether one panicked whose result nobody took.
    #[track_caller]
    fn wait_for_all(&self) -> bool {
        let mut panicked = None;
        let mut next = 0;
        // Threads may start others in the scope until the last has ended.
        while let Some(control) = control() {
            // SAFETY: as in `spawn_with`.
            let Some(&number) = unsafe { &*self.started.get() }.get(next) else {
                break;
            };
            next += 1;
            let taken = control.state().threads[number as usize].ending.result_taken;
            if !taken {
                wait_for_end(&control, number, here());
                if control.state().threads[number as usize]
                    .ending
                    .ended_by_panic
                {
                    panicked.get_or_insert(number);
                }
            }
        }
        if let (Some(number), Some(control)) = (panicked, control()) {
            control.note_panic_of(number, here());
        }
        panicked.is_some()
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// See std.
    #[must_use]
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Handle::Real(_, thread) => thread,
            Handle::Controlled(handle) => &handle.thread,
        }
    }

    /// See std.
    #[track_caller]
    pub fn join(self) -> Result<T, Box<dyn Any + Send + 'static>> {
        match self.0 {
            Handle::Real(handle, _) => handle.join(),
            Handle::Controlled(handle) => handle.join(),
        }
    }

    /// See std.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Handle::Real(handle, _) => handle.is_finished(),
            Handle::Controlled(handle) => handle.is_finished(),
        }
    }
}

// SAFETY: as std says of its own; a controlled handle never leaves its OS thread.
unsafe impl<T> Send for ScopedJoinHandle<'_, T> {}
// SAFETY: as above.
unsafe impl<T> Sync for ScopedJoinHandle<'_, T> {}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
