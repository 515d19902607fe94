//! `Thread`, `ThreadId`, `JoinHandle`, parking and yielding.

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::os::unix::thread::{JoinHandleExt, RawPthread};
use std::thread;
use std::time::Duration;

use atropos_search::{Op, OpKind};

use crate::control::code::Code;
use crate::control::objects::{Site, Slot};
use crate::control::thread_state::Wait;
use crate::control::{Announcement, Control, control, end_of, here, token_of};
use crate::sync::own_arc::OwnArc;

/// See std.
#[derive(Clone)]
pub struct Thread(HandleKind);

#[derive(Clone)]
enum HandleKind {
    Real(thread::Thread),
    Controlled(OwnArc<Identity>),
}

/// What a handle to a controlled thread knows.
pub(crate) struct Identity {
    number: u32,
    name: Option<Box<str>>,
}

/// See std.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(AnyId);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum AnyId {
    Real(thread::ThreadId),
    Controlled(u32),
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AnyId::Real(id) => id.fmt(f),
            AnyId::Controlled(number) => f.debug_tuple("ThreadId").field(&(number + 1)).finish(),
        }
    }
}

impl Thread {
    pub(crate) fn real(thread: thread::Thread) -> Thread {
        Thread(HandleKind::Real(thread))
    }

    pub(crate) fn controlled(number: u32, name: Option<&str>) -> Thread {
        Thread(HandleKind::Controlled(OwnArc::new(Identity {
            number,
            name: name.map(Box::from),
        })))
    }

    /// See std.
    #[must_use]
    pub fn id(&self) -> ThreadId {
        match &self.0 {
            HandleKind::Real(thread) => ThreadId(AnyId::Real(thread.id())),
            HandleKind::Controlled(identity) => ThreadId(AnyId::Controlled(identity.number)),
        }
    }

    /// See std.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            HandleKind::Real(thread) => thread.name(),
            HandleKind::Controlled(identity) => identity.name.as_deref(),
        }
    }

    /// See std.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            HandleKind::Real(thread) => thread.unpark(),
            HandleKind::Controlled(identity) => {
                if let Some(control) = control() {
                    unpark(&control, identity.number, here());
                }
            }
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread")
            .field("id", &self.id())
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

/// See std.
#[must_use]
pub fn current() -> Thread {
    let Some(control) = control() else {
        return Thread::real(thread::current());
    };
    let identity = control.me().identity;
    if !identity.is_null() {
        drop(control);
        // SAFETY: the pointer is from `introduce`.
        let identity = unsafe { OwnArc::of_kept(identity) };
        return Thread(HandleKind::Controlled(identity));
    }
    let number = control.thread();
    let name = control.me().name.clone();
    drop(control);
    let thread = Thread::controlled(number, name.as_deref());
    thread.introduce(number);
    thread
}

impl Thread {
    /// Lets the controlled thread itself find its handle.
    pub(crate) fn introduce(&self, number: u32) {
        if let HandleKind::Controlled(identity) = &self.0 {
            let identity = identity.keep();
            if let Some(control) = control() {
                control.state().threads[number as usize].identity = identity;
            }
        }
    }
}

/// See std.
#[must_use]
pub fn is_current_panicking() -> bool {
    thread::panicking()
}

/// See std.
#[track_caller]
pub fn yield_now() {
    match control() {
        None => thread::yield_now(),
        Some(control) => control.yield_now(here()),
    }
}

/// See std.
#[track_caller]
pub fn park() {
    match control() {
        None => thread::park(),
        Some(control) => wait_for_token(&control, None, here()),
    }
}

/// See std.
#[track_caller]
pub fn park_timeout(dur: Duration) {
    match control() {
        None => thread::park_timeout(dur),
        Some(control) => wait_for_token(&control, Some(dur), here()),
    }
}

/// See std.
#[track_caller]
#[deprecated(since = "1.6.0", note = "replaced by `std::thread::park_timeout`")]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(ms.into()));
}

fn wait_for_token(control: &Control, timeout: Option<Duration>, site: Site) {
    let name = token_of(control.thread());
    let op = match timeout {
        None => Op::on(name, OpKind::Write),
        Some(_) => Op::universal().and(name, OpKind::Write).revocable(),
    };
    let deadline = timeout.map_or(u64::MAX, |timeout| {
        control.state().virtual_clock.after(timeout)
    });
    control.state().allow_spurious();
    let granted = control.point(
        Announcement::new(Code::Park, op, site)
            .waiting(Wait::Token)
            .until(deadline),
    );
    control.woken(granted, site);
    let state = control.state();
    state.observe(granted as u64);
    let weak = state.model.weak;
    let me = control.me();
    if std::mem::take(&mut me.blocking.token) && weak {
        let clock = std::mem::take(&mut me.clocks.token_clock);
        me.clocks.clock.join(&clock);
        me.clocks.token_clock = clock;
    }
    control.state().changed(name);
}

fn unpark(control: &Control, thread: u32, site: Site) {
    control.point(Announcement::new(
        Code::Unpark,
        Op::on(token_of(thread), OpKind::Write),
        site,
    ));
    let state = control.state();
    if state.model.weak {
        let me = state.current as usize;
        state.threads[me].clocks.clock.tick(state.current);
        let clock = state.threads[me].clocks.clock.clone();
        state.threads[thread as usize]
            .clocks
            .token_clock
            .join(&clock);
    }
    let by = state.me_as_act();
    let target = &mut state.threads[thread as usize];
    target.blocking.token = true;
    target.blocking.woken_by = by;
    if target.blocking.wait == Wait::Token {
        state.wake(thread);
    }
    state.changed(token_of(thread));
}

/// See std.
pub struct JoinHandle<T>(pub(crate) Handle<T>);

/// A thread of either sort.
pub(crate) enum Handle<T> {
    Real(thread::JoinHandle<T>, Thread),
    Controlled(ControlledHandle<T>),
}

/// What is left of a controlled thread when it has ended.
pub(crate) struct ControlledHandle<T> {
    pub(crate) thread: Thread,
    pub(crate) number: u32,
    pub(crate) packet: OwnArc<Packet<T>>,
    pub(crate) is_joined: bool,
}

/// Where a controlled thread leaves its result.
pub(crate) struct Packet<T> {
    pub(crate) result: UnsafeCell<Option<thread::Result<T>>>,
    slot: Slot,
}

impl<T> Packet<T> {
    pub(crate) fn new() -> Packet<T> {
        Packet {
            result: UnsafeCell::new(None),
            slot: Slot::new(),
        }
    }

    /// Of the thread and its handle, the last one drops the result, which comes after what the first one did.
    pub(crate) fn about_to_drop(&self) {
        if !std::mem::needs_drop::<T>() {
            return;
        }
        let Some(control) = control() else { return };
        let races = &control.state().races;
        if races.is_watched && !races.is_alone {
            let packet = control.object(&self.slot, |_| {});
            let op = Op::on(control.name(self), OpKind::Write);
            let site = control.me().site.unwrap_or_else(here);
            control.about_to_drop(Code::DropOwner, op, site);
            control.receive_clock(packet);
            control.pass_clock(packet);
        }
    }
}

// SAFETY: the packet is written by the thread before it ends and read by the joiner after that; all on one OS thread.
unsafe impl<T: Send> Sync for Packet<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Packet<T> {}

impl<T> ControlledHandle<T> {
    #[track_caller]
    pub(crate) fn join(mut self) -> thread::Result<T> {
        if let Some(control) = control() {
            wait_for_end(&control, self.number, here());
        }
        self.is_joined = true;
        // SAFETY: the thread has ended and this is its only handle.
        let result = unsafe { (*self.packet.result.get()).take() };
        result.unwrap_or_else(|| {
            Err(Box::new("the thread ended without a result") as Box<dyn Any + Send>)
        })
    }

    #[track_caller]
    pub(crate) fn is_finished(&self) -> bool {
        let Some(control) = control() else {
            return true;
        };
        let name = end_of(self.number);
        if !control.looks_again(name) {
            control.point(Announcement::new(
                Code::Peek,
                Op::on(name, OpKind::Read),
                here(),
            ));
        }
        let finished = control.state().threads[self.number as usize]
            .ending
            .finished;
        control.state().observe(finished.into());
        control.after_read(here());
        finished
    }
}

impl<T> Drop for ControlledHandle<T> {
    fn drop(&mut self) {
        if !self.is_joined {
            self.packet.about_to_drop();
        }
    }
}

/// Waits until a controlled thread has ended; its panic, if any, is the caller's to judge.
pub(crate) fn wait_for_end(control: &Control, number: u32, site: Site) {
    let op = Op::on(end_of(number), OpKind::Await);
    control.point(Announcement::new(Code::Join, op, site).waiting(Wait::Join(number)));
    let state = control.state();
    let ended = &mut state.threads[number as usize];
    ended.ending.result_taken = true;
    let history = ended.history;
    let panicked = ended.ending.ended_by_panic;
    if state.model.weak {
        let clock = std::mem::take(&mut ended.clocks.clock);
        state.threads[state.current as usize]
            .clocks
            .clock
            .join(&clock);
        state.threads[number as usize].clocks.clock = clock;
        state.may_be_alone();
    }
    state.observe(history);
    state.changed(end_of(number));
    if panicked {
        control.note_panic_of(number, site);
    }
}

impl<T> JoinHandle<T> {
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
    pub fn join(self) -> thread::Result<T> {
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

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

// SAFETY: as std says of its own; a controlled handle never leaves its OS thread.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for JoinHandle<T> {}

unsafe extern "C" {
    fn pthread_self() -> RawPthread;
}

impl<T> JoinHandleExt for JoinHandle<T> {
    fn as_pthread_t(&self) -> RawPthread {
        match &self.0 {
            Handle::Real(handle, _) => handle.as_pthread_t(),
            // SAFETY: no argument, no effect. All controlled threads are this OS thread.
            Handle::Controlled(_) => unsafe { pthread_self() },
        }
    }

    fn into_pthread_t(self) -> RawPthread {
        match self.0 {
            Handle::Real(handle, _) => handle.into_pthread_t(),
            // SAFETY: as above.
            Handle::Controlled(_) => unsafe { pthread_self() },
        }
    }
}
