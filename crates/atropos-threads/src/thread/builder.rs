//! `Builder` and `spawn`.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::handle::{ControlledHandle, Handle, JoinHandle, Packet, Thread};
use super::scope::{Scope, ScopedJoinHandle};
use crate::control::code::Code;
use crate::control::objects::Site;
use crate::control::{control, end_of, here, limits};
use crate::sync::own_arc::OwnArc;

/// No program has more addresses on 64-bit Linux. The system refuses a thread with a stack of that size.
const ADDRESS_SPACE: usize = 1 << 47;
const EAGAIN: i32 = 11;

/// See std.
#[must_use = "must eventually spawn the thread"]
#[derive(Debug)]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

/// See std.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T,
    F: Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("failed to spawn thread")
}

impl Builder {
    /// See std.
    #[expect(clippy::new_without_default, reason = "std has no Default here")]
    pub fn new() -> Builder {
        Builder {
            name: None,
            stack_size: None,
        }
    }

    /// See std.
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// See std.
    pub fn stack_size(mut self, size: usize) -> Builder {
        self.stack_size = Some(size);
        self
    }

    /// See std.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T,
        F: Send + 'static,
        T: Send + 'static,
    {
        // SAFETY: `'static` is all that std asks for.
        unsafe { self.spawn_unchecked(f) }
    }

    /// See std.
    ///
    /// # Safety
    /// As in std: the thread must be joined before anything that it borrows ends.
    #[track_caller]
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T,
        F: Send,
        T: Send,
    {
        if crate::control::is_controlled() {
            // SAFETY: the caller's promise.
            return unsafe { self.spawn_controlled(f, here()) }
                .map(|handle| JoinHandle(Handle::Controlled(handle)));
        }
        // SAFETY: the caller's promise.
        let handle = unsafe { self.into_real().spawn_unchecked(f)? };
        let thread = Thread::real(handle.thread().clone());
        Ok(JoinHandle(Handle::Real(handle, thread)))
    }

    /// See std.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        scope.spawn_with(self, f)
    }

    pub(super) fn into_real(self) -> thread::Builder {
        let mut builder = thread::Builder::new();
        if let Some(name) = self.name {
            builder = builder.name(name);
        }
        if let Some(size) = self.stack_size {
            builder = builder.stack_size(size);
        }
        builder
    }

    /// Starts a controlled thread.
    ///
    /// # Safety
    /// The thread must end, or never run again, before anything that `f` borrows ends.
    pub(super) unsafe fn spawn_controlled<F, T>(
        self,
        f: F,
        site: Site,
    ) -> io::Result<ControlledHandle<T>>
    where
        F: FnOnce() -> T,
    {
        assert!(
            !self.name.as_deref().is_some_and(|name| name.contains('\0')),
            "thread name may not contain interior null bytes"
        );
        if self.stack_size.is_some_and(|size| size >= ADDRESS_SPACE) {
            return Err(io::Error::from_raw_os_error(EAGAIN));
        }
        let packet = OwnArc::new(Packet::new());
        let theirs = packet.clone();
        let body = move || {
            let result = catch_unwind(AssertUnwindSafe(f));
            if let Err(payload) = &result
                && let Some(control) = control()
            {
                control.me().end_by_panic(&**payload);
            }
            // SAFETY: nobody reads the packet before this thread has ended.
            unsafe { *theirs.result.get() = Some(result) };
            theirs.about_to_drop();
            drop(theirs);
        };
        let body: Box<dyn FnOnce() + '_> = Box::new(body);
        // SAFETY: the caller keeps alive what the body borrows.
        let body = unsafe {
            std::mem::transmute::<Box<dyn FnOnce() + '_>, Box<dyn FnOnce() + 'static>>(body)
        };
        limits::another_thread();
        let control = control().expect("the caller is controlled");
        let state = control.state();
        let number = state.start(self.name.clone(), self.stack_size.unwrap_or(0), body);
        state.threads[number as usize].site = Some(site);
        state.races.is_alone = false;
        if state.model.weak {
            let parent = state.current as usize;
            state.threads[parent].clocks.clock.tick(state.current);
            let clock = state.threads[parent].clocks.clock.clone();
            state.threads[number as usize].clocks.clock.copy(&clock);
        }
        state.note(Code::Spawn, end_of(number), u64::from(number), site);
        state.guide().wake(atropos_search::Thread(number));
        drop(control);
        let thread = Thread::controlled(number, self.name.as_deref());
        thread.introduce(number);
        Ok(ControlledHandle {
            thread,
            number,
            packet,
            is_joined: false,
        })
    }
}
