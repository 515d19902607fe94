//! A controlled channel: a queue whose length, room and ends the controller knows.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::mpsc::{RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

use atropos_search::{Op, OpKind, SharedObject, mix};

use crate::communication::ThreadAct;
use crate::control::code::Code;
use crate::control::objects::{self, ControlledObjectId, Site, Slot};
use crate::control::thread_state::Wait;
use crate::control::{Announcement, Control, Granted, control, here};
use crate::finding::PanicCauseKind;
use crate::memory_model::Clock;
use crate::sync::own_arc::OwnArc;
use crate::trace::Outcome;

/// How many messages may wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capacity {
    Endless,
    For(usize),
    /// None: a sender waits until its message is taken.
    None,
}

/// A handle to a channel.
pub struct Channel<T>(OwnArc<Queue<T>>);

struct Queue<T> {
    slot: Slot,
    room: Capacity,
    messages: UnsafeCell<VecDeque<Message<T>>>,
    /// What happened before messages were taken whose room nobody has used again.
    freed_room: UnsafeCell<VecDeque<Clock>>,
}

struct Message<T> {
    value: T,
    /// How many messages were sent before.
    ticket: usize,
    /// What happened before it was sent.
    clock: Clock,
    /// The sender's history, which stands for the value in fingerprints.
    version: u64,
    /// Who sent it, if that is recorded.
    sender: Option<ThreadAct>,
}

/// The parts of a channel whose senders never wait. What one thread sends and what another receives commute unless it is
/// the same message; the order of sends matters, that of the last senders going does not.
#[derive(Clone, Copy)]
struct ChannelParts {
    /// The channel, and the order of its messages.
    name: SharedObject,
}

impl ChannelParts {
    /// What is received, one after the other.
    fn head(self) -> SharedObject {
        SharedObject(self.name.0 | objects::PART)
    }

    /// The senders' ends.
    fn ends(self) -> SharedObject {
        SharedObject(self.name.0 | objects::PART | objects::OTHER_PART)
    }

    /// One message.
    fn message(self, number: usize) -> SharedObject {
        SharedObject(mix(self.name.0, number as u64) | objects::PART)
    }

    /// To send the message of this number. Who announces a send does not know the number yet.
    fn send(self, number: usize) -> Op {
        Op::on(self.name, OpKind::Write).and(self.message(number), OpKind::Signal)
    }

    /// To wait for the message of this number, or for the last sender to go.
    fn receive(self, number: usize) -> Op {
        self.received(number).and(self.ends(), OpKind::Await)
    }

    fn received(self, number: usize) -> Op {
        Op::on(self.head(), OpKind::Write).and(self.message(number), OpKind::Await)
    }

    fn ended(self) -> Op {
        Op::on(self.head(), OpKind::Write).and(self.ends(), OpKind::Await)
    }

    /// To look whether the message of this number is there.
    fn look(self, number: usize) -> Op {
        self.empty().and(self.message(number), OpKind::Read)
    }

    fn found(self, number: usize) -> Op {
        Op::on(self.head(), OpKind::Write).and(self.message(number), OpKind::Read)
    }

    fn empty(self) -> Op {
        Op::on(self.head(), OpKind::Write)
            .and(self.name, OpKind::Read)
            .and(self.ends(), OpKind::Read)
    }

    fn close(self) -> Op {
        Op::on(self.head(), OpKind::Write).and(self.name, OpKind::Write)
    }
}

impl<T> Clone for Channel<T> {
    fn clone(&self) -> Channel<T> {
        Channel(self.0.clone())
    }
}

impl<T> Channel<T> {
    /// A channel with one sender and the receiver.
    pub fn new(room: Capacity) -> Channel<T> {
        Channel(OwnArc::new(Queue {
            slot: Slot::new(),
            room,
            messages: UnsafeCell::new(VecDeque::new()),
            freed_room: UnsafeCell::new(VecDeque::new()),
        }))
    }

    fn object(&self, control: &Control) -> (ControlledObjectId, SharedObject) {
        let room = match self.0.room {
            Capacity::Endless | Capacity::None => usize::MAX,
            Capacity::For(room) => room,
        };
        let set_up = |state: &mut crate::control::objects::ObjectState| {
            state.senders = 1;
            state.room = room;
        };
        (
            control.object(&self.0.slot, set_up),
            control.name(self.0.as_ptr()),
        )
    }

    /// The names of a channel's parts, if its messages are told apart.
    fn parts(&self, name: SharedObject) -> Option<ChannelParts> {
        (self.0.room == Capacity::Endless).then_some(ChannelParts { name })
    }

    /// The queue. The reference must be gone before the next scheduling point.
    #[expect(
        clippy::mut_from_ref,
        reason = "controlled threads share one OS thread and take turns"
    )]
    fn messages(&self) -> &mut VecDeque<Message<T>> {
        // SAFETY: as above.
        unsafe { &mut *self.0.messages.get() }
    }

    #[expect(clippy::mut_from_ref, reason = "as above")]
    fn freed_room(&self) -> &mut VecDeque<Clock> {
        // SAFETY: as above.
        unsafe { &mut *self.0.freed_room.get() }
    }

    /// Sends, waiting for room if need be.
    pub fn send(&self, value: T, site: Site) -> Result<(), SendError<T>> {
        let Some(control) = control() else {
            return Err(SendError(value));
        };
        let (channel, name) = self.object(&control);
        let announcement = Announcement::new(Code::Send, Op::on(name, OpKind::Write), site);
        control.point(match self.0.room {
            Capacity::For(_) => announcement.waiting(Wait::Room(channel)),
            Capacity::Endless | Capacity::None => announcement,
        });
        if control.state().objects[channel].receiver_gone {
            if self.parts(name).is_some() {
                control.refine(Code::Send, Op::on(name, OpKind::Read));
            }
            finds_no_receiver(&control, channel, site);
            return Err(SendError(value));
        }
        let ticket = self.push(&control, channel, name, value);
        if self.0.room != Capacity::None {
            return Ok(());
        }
        let taken = Announcement::new(Code::Sent, Op::on(name, OpKind::Write), site)
            .waiting(Wait::Taken { channel, ticket });
        control.point(taken);
        control.receive_clock(channel);
        match self
            .messages()
            .iter()
            .position(|message| message.ticket == ticket)
        {
            None => Ok(()),
            Some(place) => {
                control.state().objects[channel].queued -= 1;
                finds_no_receiver(&control, channel, site);
                let message = self
                    .messages()
                    .remove(place)
                    .expect("the message was found there");
                Err(SendError(message.value))
            }
        }
    }

    /// Sends if there is room.
    pub fn try_send(&self, value: T, site: Site) -> Result<(), TrySendError<T>> {
        let Some(control) = control() else {
            return Err(TrySendError::Disconnected(value));
        };
        let (channel, name) = self.object(&control);
        control.point(Announcement::new(
            Code::TrySend,
            Op::on(name, OpKind::Write),
            site,
        ));
        let state = control.state();
        let object = &state.objects[channel];
        if object.receiver_gone {
            finds_no_receiver(&control, channel, site);
            return Err(TrySendError::Disconnected(value));
        }
        let has_room = match self.0.room {
            Capacity::Endless => true,
            Capacity::For(room) => object.queued < room,
            // Only a receiver that already waits can take it; one that is about to wait may not have got there yet.
            Capacity::None => {
                let waits = |pending: &atropos_search::Pending| {
                    state.threads[pending.thread.index()].blocking.wait == Wait::Message(channel)
                };
                object.queued == 0 && state.pending.iter().any(waits) && control.choose(2) == 0
            }
        };
        if !has_room {
            control.not_taken(Code::TrySend, name);
            return Err(TrySendError::Full(value));
        }
        self.push(&control, channel, name, value);
        Ok(())
    }

    fn push(
        &self,
        control: &Control,
        channel: ControlledObjectId,
        name: SharedObject,
        value: T,
    ) -> usize {
        let state = control.state();
        let me = state.current as usize;
        let mut clock = Clock::default();
        if state.model.weak {
            // Its room is that of a message which was taken.
            if let Capacity::For(room) = self.0.room
                && state.objects[channel].count >= room
                && let Some(freed) = self.freed_room().pop_front()
            {
                control.join_clock(&freed);
                control.in_program(|| drop(freed));
            }
            state.threads[me].clocks.clock.tick(state.current);
            clock = control.in_program(|| state.threads[me].clocks.clock.clone());
        }
        let object = &mut state.objects[channel];
        object.queued += 1;
        object.count += 1;
        let ticket = object.count - 1;
        if let Some(parts) = self.parts(name) {
            control.refine(Code::Send, parts.send(ticket));
        }
        let version = state.threads[me].history;
        let sender = state.me_as_act();
        control.in_program(|| {
            self.messages().push_back(Message {
                value,
                ticket,
                clock,
                version,
                sender,
            })
        });
        state.changed(name);
        self.update_version(control, channel, name);
        ticket
    }

    /// Takes the first message, if there is one.
    fn pop(&self, control: &Control, channel: ControlledObjectId, name: SharedObject) -> Option<T> {
        let message = self.messages().pop_front()?;
        let state = control.state();
        if state.model.weak {
            state.threads[state.current as usize]
                .clocks
                .clock
                .join(&message.clock);
        }
        match self.0.room {
            Capacity::None => control.pass_clock(channel),
            Capacity::For(_) if state.model.weak => {
                let me = state.current as usize;
                state.threads[me].clocks.clock.tick(state.current);
                let taken = &state.threads[me].clocks.clock;
                control.in_program(|| self.freed_room().push_back(taken.clone()));
            }
            Capacity::For(_) | Capacity::Endless => {}
        }
        let object = &mut state.objects[channel];
        object.queued -= 1;
        object.generation = object.generation.max(message.ticket + 1);
        state.observe(message.version);
        if let (Some(sender), Some(receiver)) = (message.sender, state.me_as_act()) {
            state.communication.flow(Some(sender), receiver);
        }
        state.changed(name);
        self.update_version(control, channel, name);
        Some(message.value)
    }

    fn update_version(&self, control: &Control, channel: ControlledObjectId, name: SharedObject) {
        let state = control.state();
        if state.fingerprints {
            let version = self
                .messages()
                .iter()
                .fold(0, |hash, message| mix(hash, message.version));
            let old = std::mem::replace(&mut state.objects[channel].version, version);
            state.contents_changed(name, old, version);
        }
    }

    /// Receives, waiting for a message if need be.
    pub fn recv(&self, timeout: Option<Duration>, site: Site) -> Result<T, RecvTimeoutError> {
        let Some(control) = control() else {
            return Err(RecvTimeoutError::Disconnected);
        };
        let (channel, name) = self.object(&control);
        let parts = self.parts(name).filter(|_| timeout.is_none());
        let next = control.state().objects[channel].generation;
        let op = match timeout {
            None => parts.map_or(Op::on(name, OpKind::Write), |parts| parts.receive(next)),
            // When time passes depends on everything.
            Some(_) => Op::universal().and(name, OpKind::Write).revocable(),
        };
        let deadline = timeout.map_or(u64::MAX, |timeout| {
            control.state().virtual_clock.after(timeout)
        });
        let granted = control.point(
            Announcement::new(Code::Receive, op, site)
                .waiting(Wait::Message(channel))
                .until(deadline),
        );
        let received = self.pop(&control, channel, name);
        if let Some(parts) = parts {
            let op = match received {
                Some(_) => parts.received(next),
                None => parts.ended(),
            };
            control.refine(Code::Receive, op.blocking());
        }
        match received {
            Some(value) => Ok(value),
            None if granted == Granted::Yes => {
                control.receive_all_clocks(channel);
                control.note_cause_at(PanicCauseKind::NoSender, channel, site);
                Err(RecvTimeoutError::Disconnected)
            }
            None => Err(RecvTimeoutError::Timeout),
        }
    }

    /// Receives if there is a message.
    pub fn try_recv(&self, site: Site) -> Result<T, TryRecvError> {
        let Some(control) = control() else {
            return Err(TryRecvError::Disconnected);
        };
        let (channel, name) = self.object(&control);
        let parts = self.parts(name);
        let next = control.state().objects[channel].generation;
        let op = parts.map_or(Op::on(name, OpKind::Write), |parts| parts.look(next));
        control.point(Announcement::new(Code::TryReceive, op, site));
        if let Some(value) = self.pop(&control, channel, name) {
            if let Some(parts) = parts {
                control.refine(Code::TryReceive, parts.found(next));
            }
            return Ok(value);
        }
        match parts {
            None => control.not_taken(Code::TryReceive, name),
            Some(parts) => {
                control.refine(Code::TryReceive, parts.empty());
                let state = control.state();
                state.trace.mark_outcome(state.current, Outcome::Failed);
                control.looked_at(name);
                control.looked_at(parts.ends());
            }
        }
        control.after_read(site);
        let senders = control.state().objects[channel].senders;
        control.state().observe(senders.min(1) as u64);
        match senders {
            0 => {
                control.receive_all_clocks(channel);
                control.note_cause_at(PanicCauseKind::NoSender, channel, site);
                Err(TryRecvError::Disconnected)
            }
            _ => Err(TryRecvError::Empty),
        }
    }

    /// A handle for one more sender.
    pub fn another_sender(&self) -> Channel<T> {
        if let Some(control) = control() {
            let (channel, _) = self.object(&control);
            control.state().objects[channel].senders += 1;
        }
        self.clone()
    }

    /// A sender goes.
    pub fn drop_sender(&self) {
        let Some(control) = control() else { return };
        let site = last_site(&control);
        let (channel, name) = self.object(&control);
        let (touched, op) = match self.parts(name) {
            Some(parts) => (parts.ends(), Op::on(parts.ends(), OpKind::Leave)),
            None => (name, Op::on(name, OpKind::Write)),
        };
        control.about_to_drop(Code::DropSender, op, site);
        control.pass_shared_clock(channel);
        let state = control.state();
        state.objects[channel].senders -= 1;
        state.changed(touched);
        if state.objects[channel].senders == 0 && !state.objects[channel].receiver_gone {
            control.drops_end_of(channel, site);
        }
    }

    /// The receiver goes, and with it the messages that nobody will take.
    pub fn drop_receiver(&self) {
        let Some(control) = control() else { return };
        let site = last_site(&control);
        let (channel, name) = self.object(&control);
        let op = Op::on(name, OpKind::Write);
        let op = self.parts(name).map_or(op, |parts| parts.close());
        control.about_to_drop(Code::DropReceiver, op, site);
        control.pass_clock(channel);
        let state = control.state();
        let object = &mut state.objects[channel];
        object.receiver_gone = true;
        state.changed(name);
        control.drops_end_of(channel, site);
        if self.0.room == Capacity::None {
            // The senders who still wait take their messages back.
            return;
        }
        state.objects[channel].queued = 0;
        let left = std::mem::take(self.messages());
        for message in &left {
            control.join_clock(&message.clock);
        }
        drop(control);
        drop(left);
    }
}

/// The running thread learns that nobody receives any more.
fn finds_no_receiver(control: &Control, channel: ControlledObjectId, site: Site) {
    control.state().observe(0);
    control.receive_clock(channel);
    control.note_cause_at(PanicCauseKind::NoReceiver, channel, site);
}

/// The place of what the running thread did last: nobody tells a value where it is dropped.
fn last_site(control: &Control) -> Site {
    control.me().site.unwrap_or_else(here)
}
