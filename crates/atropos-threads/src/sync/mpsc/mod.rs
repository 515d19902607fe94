//! `std::sync::mpsc`: a channel that a controlled thread makes is controlled, all others are real.

mod channel;
mod iterators;

use std::fmt;
use std::sync::mpsc;
use std::time::Duration;

pub use iterators::{IntoIter, Iter, TryIter};
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::control::{control, here, is_controlled};
use channel::{Capacity, Channel};

/// See std.
pub struct Sender<T>(ChannelEnd<mpsc::Sender<T>, T>);

/// See std.
pub struct SyncSender<T>(ChannelEnd<mpsc::SyncSender<T>, T>);

/// See std.
pub struct Receiver<T> {
    end: ChannelEnd<mpsc::Receiver<T>, T>,
    not_sync: std::marker::PhantomData<std::cell::Cell<()>>,
}

/// One end of a channel of either sort.
enum ChannelEnd<R, T> {
    Real(R),
    Controlled(Channel<T>),
}

// SAFETY: as std says of its own; controlled ends never leave their OS thread.
unsafe impl<T: Send> Send for Sender<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Sender<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for SyncSender<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for SyncSender<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Receiver<T> {}

impl<T> std::panic::UnwindSafe for Sender<T> {}
impl<T> std::panic::RefUnwindSafe for Sender<T> {}
impl<T> std::panic::UnwindSafe for SyncSender<T> {}
impl<T> std::panic::RefUnwindSafe for SyncSender<T> {}
impl<T> std::panic::UnwindSafe for Receiver<T> {}
impl<T> std::panic::RefUnwindSafe for Receiver<T> {}

fn receiver<T>(end: ChannelEnd<mpsc::Receiver<T>, T>) -> Receiver<T> {
    Receiver {
        end,
        not_sync: std::marker::PhantomData,
    }
}

/// See std.
#[must_use]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if is_controlled() {
        let channel = Channel::new(Capacity::Endless);
        return (
            Sender(ChannelEnd::Controlled(channel.clone())),
            receiver(ChannelEnd::Controlled(channel)),
        );
    }
    let (sender, real) = mpsc::channel();
    (
        Sender(ChannelEnd::Real(sender)),
        receiver(ChannelEnd::Real(real)),
    )
}

/// See std.
#[must_use]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if is_controlled() {
        let channel = Channel::new(if bound == 0 {
            Capacity::None
        } else {
            Capacity::For(bound)
        });
        return (
            SyncSender(ChannelEnd::Controlled(channel.clone())),
            receiver(ChannelEnd::Controlled(channel)),
        );
    }
    let (sender, real) = mpsc::sync_channel(bound);
    (
        SyncSender(ChannelEnd::Real(sender)),
        receiver(ChannelEnd::Real(real)),
    )
}

impl<T> Sender<T> {
    /// See std.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match &self.0 {
            ChannelEnd::Real(sender) => sender.send(t),
            ChannelEnd::Controlled(channel) => channel.send(t, here()),
        }
    }
}

impl<T> SyncSender<T> {
    /// See std.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match &self.0 {
            ChannelEnd::Real(sender) if is_controlled() => {
                let mut message = t;
                loop {
                    match sender.try_send(message) {
                        Ok(()) => return Ok(()),
                        Err(TrySendError::Disconnected(t)) => return Err(SendError(t)),
                        Err(TrySendError::Full(t)) => message = t,
                    }
                    look_again();
                }
            }
            ChannelEnd::Real(sender) => sender.send(t),
            ChannelEnd::Controlled(channel) => channel.send(t, here()),
        }
    }

    /// See std.
    #[track_caller]
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>> {
        match &self.0 {
            ChannelEnd::Real(sender) => sender.try_send(t),
            ChannelEnd::Controlled(channel) => channel.try_send(t, here()),
        }
    }
}

/// A real channel that a controlled thread uses must not block: the thread spins instead.
#[track_caller]
fn look_again() {
    if let Some(control) = control() {
        control.me().activity.spin.reads += 1;
        control.yield_now(here());
    }
}

impl<T> Receiver<T> {
    /// See std.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.end {
            ChannelEnd::Real(receiver) => receiver.try_recv(),
            ChannelEnd::Controlled(channel) => channel.try_recv(here()),
        }
    }

    /// See std.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.end {
            ChannelEnd::Real(receiver) if is_controlled() => loop {
                match receiver.try_recv() {
                    Ok(message) => return Ok(message),
                    Err(TryRecvError::Disconnected) => return Err(RecvError),
                    Err(TryRecvError::Empty) => look_again(),
                }
            },
            ChannelEnd::Real(receiver) => receiver.recv(),
            ChannelEnd::Controlled(channel) => channel.recv(None, here()).map_err(|_| RecvError),
        }
    }

    /// See std.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.end {
            ChannelEnd::Real(receiver) => receiver.recv_timeout(timeout),
            ChannelEnd::Controlled(channel) => channel.recv(Some(timeout), here()),
        }
    }

    /// See std.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { rx: self }
    }

    /// See std.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { rx: self }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender(match &self.0 {
            ChannelEnd::Real(sender) => ChannelEnd::Real(sender.clone()),
            ChannelEnd::Controlled(channel) => ChannelEnd::Controlled(channel.another_sender()),
        })
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> SyncSender<T> {
        SyncSender(match &self.0 {
            ChannelEnd::Real(sender) => ChannelEnd::Real(sender.clone()),
            ChannelEnd::Controlled(channel) => ChannelEnd::Controlled(channel.another_sender()),
        })
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let ChannelEnd::Controlled(channel) = &self.0 {
            channel.drop_sender();
        }
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        if let ChannelEnd::Controlled(channel) = &self.0 {
            channel.drop_sender();
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if let ChannelEnd::Controlled(channel) = &self.end {
            channel.drop_receiver();
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
