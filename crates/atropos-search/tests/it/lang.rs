//! A little concurrent language: programs of a few threads that use locks, condition variables,
//! atomics, channels, barriers and alternatives, with mutation points, interpreted under a guide.
//!
//! One step performs an instruction that others can notice and then runs local instructions up to
//! the next noticeable one. A mutation point is passed when the thread comes to it, as in woven code,
//! where the switch is read before the operation it stands for.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};

use atropos_search::{
    ExecutionEnd, ExecutionPhase, Fingerprint, Guide, Limit, Mutable, Op, OpKind, Pending,
    SchedulingPoint, SharedObject, System, Thread,
};
use atropos_values::MutantId;

/// A value: a constant or a register plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Const(i32),
    Plus(usize, i32),
}

/// An instruction. Numbers name locks, conditions, atomics, channels, barriers, threads, registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instr {
    Lock(usize),
    Unlock(usize),
    /// Register 1 says whether the lock was taken.
    TryLock(usize),
    ReadLock(usize),
    ReadUnlock(usize),
    /// Condition, lock.
    Wait(usize, usize),
    /// Like `Wait`, but may also wake up by itself.
    WaitOrWake(usize, usize),
    NotifyOne(usize),
    NotifyAll(usize),
    /// Register, atomic.
    Load(usize, usize),
    /// Like `Load`, but may also read the value before the last store.
    LoadOld(usize, usize),
    Store(usize, Value),
    Add(usize, Value),
    /// Atomic, expected, new; register 1 says whether it worked.
    Cas(usize, Value, Value),
    Send(usize, Value),
    /// Channel, register.
    Recv(usize, usize),
    /// Channel, register; -1 if empty.
    TryRecv(usize, usize),
    /// Sends into the queue, which always has room. Register 1 says whether the receiver is still there.
    Post(Value),
    /// Receives from the queue; -2 if nobody is left who could send. Only the first thread does this.
    Take(usize),
    /// Register; -1 if the queue is empty, -2 if nobody is left who could send. Only the first thread.
    TryTake(usize),
    /// The thread posts no more.
    Leave,
    /// The first thread takes no more.
    Close,
    Barrier(usize),
    Spawn(usize),
    Join(usize),
    /// Register, number of alternatives.
    Flip(usize, u32),
    Yield,
    /// Waits until the clock has moved on by so much; it moves when nothing else can happen.
    Sleep(u32),
    /// Condition, lock, how long.
    WaitAtMost(usize, usize, u32),
    // Local ones.
    Set(usize, Value),
    /// Skips so many instructions unless the register holds the value.
    SkipUnless(usize, i32, usize),
    /// Fails the thread unless the register holds the value.
    Assert(usize, i32),
    /// Fails the thread if the register holds the value.
    Refute(usize, i32),
    Nothing,
    /// Number of the mutant, original, mutant.
    Mutated(MutantId, Box<Instr>, Box<Instr>),
}

/// A program. The first `initial` threads run from the start, the others once they are spawned.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub threads: Vec<Vec<Instr>>,
    pub initial: usize,
    /// Capacity of each channel.
    pub capacities: Vec<usize>,
    /// How many threads each barrier waits for.
    pub barriers: Vec<usize>,
    /// A failed assertion ends the execution at once, not only its thread.
    pub abort: bool,
}

impl Program {
    pub fn mutants(&self) -> Vec<MutantId> {
        let points = self
            .threads
            .iter()
            .flatten()
            .filter_map(|instr| match instr {
                Instr::Mutated(id, ..) => Some(*id),
                _ => None,
            });
        points.collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mode {
    NotStarted,
    /// About to run its first local instructions.
    Starting,
    /// At the instruction that `pc` shows; true if the mutant's version of it.
    At(bool),
    /// In the queue of a condition, to take the lock again afterwards.
    Waiting {
        condition: usize,
        lock: usize,
        may_wake: bool,
    },
    Relocking(usize),
    AtBarrier,
    Sleeping,
    Passing,
    /// At its end, others may be waiting for it.
    Exiting,
    Gone,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Proc {
    mode: Mode,
    pc: usize,
    regs: [i32; 3],
    /// When its timer goes off.
    deadline: Option<u32>,
    /// How often it holds each lock shared.
    reads: [u8; OBJECTS],
    failed: bool,
    /// It posts no more.
    left: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    procs: Vec<Proc>,
    /// Some(holder) for writers.
    holders: Vec<Option<usize>>,
    readers: Vec<u32>,
    queues: Vec<Vec<usize>>,
    /// Value now and before.
    atomics: Vec<(i32, i32)>,
    channels: Vec<VecDeque<i32>>,
    arrived: Vec<Vec<usize>>,
    queue: VecDeque<i32>,
    taken: usize,
    closed: bool,
    clock: u32,
    aborted: bool,
}

const OBJECTS: usize = 8;

/// Runs programs. Counts the steps it takes.
pub struct Interpreter {
    pub program: Program,
    active: MutantId,
    state: State,
    pending: Vec<Pending>,
    pub steps: u64,
    pub limit: usize,
    /// If set, the fingerprint is withheld.
    pub opaque: bool,
    /// If set, other results than these are failures.
    pub allowed: Option<BTreeSet<u64>>,
    /// The result is what is in memory, not also what threads hold in registers.
    pub memory_only: bool,
}

fn object(sort: u64, number: usize) -> SharedObject {
    SharedObject(sort << 32 | number as u64)
}

fn lock_object(l: usize) -> SharedObject {
    object(1, l)
}

fn channel_object(c: usize) -> SharedObject {
    object(4, c)
}

/// The order of what is posted.
const TAIL: SharedObject = SharedObject(8 << 32);
/// The order of what is taken.
const HEAD: SharedObject = SharedObject(9 << 32);
/// The ends of those who post.
const ENDS: SharedObject = SharedObject(10 << 32);

fn message(number: usize) -> SharedObject {
    object(11, number)
}

impl Interpreter {
    pub fn new(program: Program) -> Interpreter {
        Interpreter {
            program,
            active: MutantId::ORIGINAL,
            state: State::default(),
            pending: Vec::new(),
            steps: 0,
            limit: 500,
            opaque: false,
            allowed: None,
            memory_only: false,
        }
    }

    fn reset(&mut self) {
        let state = &mut self.state;
        state.procs.clear();
        for t in 0..self.program.threads.len() {
            let mode = if t < self.program.initial {
                Mode::Starting
            } else {
                Mode::NotStarted
            };
            state.procs.push(Proc {
                mode,
                pc: 0,
                regs: [0; 3],
                deadline: None,
                reads: [0; OBJECTS],
                failed: false,
                left: t == 0,
            });
        }
        state.holders.clear();
        state.holders.resize(OBJECTS, None);
        state.readers.clear();
        state.readers.resize(OBJECTS, 0);
        state.queues.resize(OBJECTS, Vec::new());
        state.queues.iter_mut().for_each(Vec::clear);
        state.atomics.clear();
        state.atomics.resize(OBJECTS, (0, 0));
        state
            .channels
            .resize(self.program.capacities.len(), VecDeque::new());
        state.channels.iter_mut().for_each(VecDeque::clear);
        state
            .arrived
            .resize(self.program.barriers.len(), Vec::new());
        state.arrived.iter_mut().for_each(Vec::clear);
        state.queue.clear();
        (state.taken, state.closed) = (0, false);
        state.clock = 0;
        state.aborted = false;
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = Fingerprint::default();
        self.state.hash(&mut hasher);
        hasher.finish()
    }

    /// What the program computed: the same for equivalent schedules.
    fn result(&self) -> u64 {
        let mut hasher = Fingerprint::default();
        self.state
            .atomics
            .iter()
            .for_each(|a| a.0.hash(&mut hasher));
        for proc in self.state.procs.iter().filter(|_| !self.memory_only) {
            (proc.regs, proc.failed, proc.pc, proc.mode == Mode::Gone).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn instr(&self, t: usize) -> &Instr {
        let proc = &self.state.procs[t];
        match &self.program.threads[t][proc.pc] {
            Instr::Mutated(_, original, mutant) => {
                if proc.mode == Mode::At(true) {
                    mutant
                } else {
                    original
                }
            }
            other => other,
        }
    }

    fn value(&self, t: usize, value: Value) -> i32 {
        match value {
            Value::Const(c) => c,
            Value::Plus(r, c) => self.state.procs[t].regs[r].wrapping_add(c),
        }
    }

    fn lock_free(&self, l: usize) -> bool {
        self.state.holders[l].is_none() && self.state.readers[l] == 0
    }

    /// The operation a thread is about to perform and whether it can.
    fn announce(&self, t: usize) -> (Op, bool) {
        match self.state.procs[t].mode {
            Mode::NotStarted | Mode::Gone => unreachable!("not alive"),
            Mode::Starting | Mode::Passing => (Op::local(), true),
            Mode::Waiting {
                condition,
                may_wake: true,
                ..
            } => (
                Op::on(object(2, condition), OpKind::Write).revocable(),
                true,
            ),
            Mode::Sleeping => (Op::when_idle(), false),
            Mode::Waiting { .. } if self.state.procs[t].deadline.is_some() => {
                (Op::when_idle(), false)
            }
            Mode::Waiting { .. } | Mode::AtBarrier => (Op::local(), false),
            Mode::Relocking(l) => (
                Op::on(lock_object(l), OpKind::Acquire).blocking(),
                self.lock_free(l),
            ),
            Mode::Exiting => (Op::on(object(7, t), OpKind::Signal), true),
            Mode::At(_) => self.announce_instr(t),
        }
    }

    fn announce_instr(&self, t: usize) -> (Op, bool) {
        match *self.instr(t) {
            Instr::Lock(l) => (
                Op::on(lock_object(l), OpKind::Acquire).blocking(),
                self.lock_free(l),
            ),
            // Who does not hold a lock does not release it.
            Instr::Unlock(l) if self.state.holders[l] != Some(t) => (Op::local(), true),
            Instr::ReadUnlock(l) if self.state.procs[t].reads[l] == 0 => (Op::local(), true),
            Instr::Wait(c, l) | Instr::WaitOrWake(c, l) | Instr::WaitAtMost(c, l, _)
                if self.state.holders[l] != Some(t) =>
            {
                (Op::on(object(2, c), OpKind::Write), true)
            }
            Instr::Unlock(l) => (Op::on(lock_object(l), OpKind::Release), true),
            Instr::TryLock(l) => (Op::on(lock_object(l), OpKind::Write), true),
            Instr::ReadLock(l) => (
                Op::on(lock_object(l), OpKind::AcquireShared).blocking(),
                self.state.holders[l].is_none(),
            ),
            Instr::ReadUnlock(l) => (Op::on(lock_object(l), OpKind::ReleaseShared), true),
            Instr::Wait(c, l) | Instr::WaitOrWake(c, l) | Instr::WaitAtMost(c, l, _) => (
                Op::on(object(2, c), OpKind::Write).and(lock_object(l), OpKind::Release),
                true,
            ),
            Instr::NotifyOne(c) | Instr::NotifyAll(c) => {
                (Op::on(object(2, c), OpKind::Write), true)
            }
            Instr::Load(_, a) | Instr::LoadOld(_, a) => (Op::on(object(3, a), OpKind::Read), true),
            Instr::Store(a, _) | Instr::Add(a, _) | Instr::Cas(a, ..) => {
                (Op::on(object(3, a), OpKind::Write), true)
            }
            Instr::Send(c, _) => {
                let room = self.state.channels[c].len() < self.program.capacities[c];
                (Op::on(channel_object(c), OpKind::Write).blocking(), room)
            }
            Instr::Recv(c, _) => (
                Op::on(channel_object(c), OpKind::Write).blocking(),
                !self.state.channels[c].is_empty(),
            ),
            Instr::TryRecv(c, _) => (Op::on(channel_object(c), OpKind::Write), true),
            Instr::Post(_) | Instr::Leave if self.state.procs[t].left => (Op::local(), true),
            Instr::Take(_) | Instr::TryTake(_) | Instr::Close if self.state.closed => {
                (Op::local(), true)
            }
            Instr::Post(_) => (Op::on(TAIL, OpKind::Write), true),
            Instr::Take(_) => (
                Op::on(HEAD, OpKind::Write)
                    .and(message(self.state.taken), OpKind::Await)
                    .and(ENDS, OpKind::Await)
                    .blocking(),
                !self.state.queue.is_empty() || self.nobody_posts(),
            ),
            Instr::TryTake(_) => (
                Op::on(HEAD, OpKind::Write)
                    .and(TAIL, OpKind::Read)
                    .and(message(self.state.taken), OpKind::Read)
                    .and(ENDS, OpKind::Read),
                true,
            ),
            Instr::Leave => (Op::on(ENDS, OpKind::Leave), true),
            Instr::Close => (Op::on(HEAD, OpKind::Write).and(TAIL, OpKind::Write), true),
            Instr::Barrier(b) => (Op::on(object(5, b), OpKind::Write), true),
            // The first of several spawns is the one that counts.
            Instr::Spawn(child) => (Op::on(object(6, child), OpKind::Write), true),
            Instr::Flip(..) | Instr::Sleep(_) => (Op::local(), true),
            Instr::Join(t) => (
                Op::on(object(7, t), OpKind::Await).blocking(),
                self.state.procs[t].mode == Mode::Gone,
            ),
            Instr::Yield => (Op::local().yielding(), true),
            ref local => unreachable!("{local:?} is local"),
        }
    }

    /// One step of a thread.
    fn step(&mut self, t: usize, guide: &mut dyn Guide) {
        match self.state.procs[t].mode {
            Mode::Starting => {}
            Mode::Passing => self.state.procs[t].pc += 1,
            Mode::Sleeping => {
                self.take_timer(t);
                self.state.procs[t].pc += 1;
            }
            Mode::Waiting {
                condition, lock, ..
            } => {
                self.take_timer(t);
                self.state.queues[condition].retain(|&other| other != t);
                self.state.procs[t].mode = Mode::Relocking(lock);
                return;
            }
            Mode::Relocking(l) => {
                self.state.holders[l] = Some(t);
                self.state.procs[t].pc += 1;
            }
            Mode::Exiting => {
                self.state.procs[t].mode = Mode::Gone;
                return;
            }
            Mode::At(_) => {
                let instr = self.instr(t).clone();
                if !self.perform(t, &instr, guide) {
                    return;
                }
                self.state.procs[t].pc += 1;
            }
            mode => unreachable!("thread {t} is {mode:?}"),
        }
        self.run_local(t, guide);
    }

    /// Performs a noticeable instruction; false if the thread stays at it.
    fn perform(&mut self, t: usize, instr: &Instr, guide: &mut dyn Guide) -> bool {
        let state = &mut self.state;
        match *instr {
            Instr::Lock(l) => state.holders[l] = Some(t),
            Instr::Unlock(l) => {
                if state.holders[l] == Some(t) {
                    state.holders[l] = None;
                }
            }
            Instr::TryLock(l) => {
                let free = state.holders[l].is_none() && state.readers[l] == 0;
                if free {
                    state.holders[l] = Some(t);
                }
                state.procs[t].regs[1] = i32::from(free);
                guide.refine(Op::on(
                    lock_object(l),
                    if free { OpKind::Acquire } else { OpKind::Read },
                ));
            }
            Instr::ReadLock(l) => {
                state.readers[l] += 1;
                state.procs[t].reads[l] += 1;
            }
            Instr::ReadUnlock(l) => {
                if state.procs[t].reads[l] > 0 {
                    state.readers[l] -= 1;
                    state.procs[t].reads[l] -= 1;
                }
            }
            Instr::Wait(condition, lock)
            | Instr::WaitOrWake(condition, lock)
            | Instr::WaitAtMost(condition, lock, _) => {
                if state.holders[lock] == Some(t) {
                    state.holders[lock] = None;
                }
                if let Instr::WaitAtMost(_, _, time) = *instr {
                    state.procs[t].deadline = Some(state.clock + time);
                }
                state.queues[condition].push(t);
                let may_wake = matches!(instr, Instr::WaitOrWake(..));
                state.procs[t].mode = Mode::Waiting {
                    condition,
                    lock,
                    may_wake,
                };
                return false;
            }
            Instr::NotifyOne(c) => {
                if !state.queues[c].is_empty() {
                    let i = guide.data(state.queues[c].len() as u32) as usize;
                    let woken = state.queues[c].remove(i);
                    self.wake(woken, guide);
                }
            }
            Instr::NotifyAll(c) => {
                for woken in std::mem::take(&mut state.queues[c]) {
                    self.wake(woken, guide);
                }
            }
            Instr::Load(r, a) => state.procs[t].regs[r] = state.atomics[a].0,
            Instr::LoadOld(r, a) => {
                let (now, before) = state.atomics[a];
                let old = now != before && guide.data(2) == 1;
                state.procs[t].regs[r] = if old { before } else { now };
            }
            Instr::Store(a, value) => {
                let value = self.value(t, value);
                self.store(a, value);
            }
            Instr::Add(a, value) => {
                let value = self.value(t, value).wrapping_add(self.state.atomics[a].0);
                self.store(a, value);
            }
            Instr::Cas(a, expected, new) => {
                let works = self.state.atomics[a].0 == self.value(t, expected);
                if works {
                    let new = self.value(t, new);
                    self.store(a, new);
                } else {
                    guide.refine(Op::on(object(3, a), OpKind::Read));
                }
                self.state.procs[t].regs[1] = i32::from(works);
            }
            Instr::Send(c, value) => {
                let value = self.value(t, value);
                self.state.channels[c].push_back(value);
            }
            Instr::Recv(c, r) => {
                state.procs[t].regs[r] = state.channels[c]
                    .pop_front()
                    .expect("ready means not empty");
            }
            Instr::TryRecv(c, r) => {
                state.procs[t].regs[r] = state.channels[c].pop_front().unwrap_or(-1)
            }
            Instr::Post(_) | Instr::Leave if state.procs[t].left => {}
            Instr::Take(_) | Instr::TryTake(_) | Instr::Close if state.closed => {}
            Instr::Post(value) => {
                let value = self.value(t, value);
                self.state.procs[t].regs[1] = i32::from(!self.state.closed);
                if self.state.closed {
                    guide.refine(Op::on(TAIL, OpKind::Read));
                } else {
                    let number = self.state.taken + self.state.queue.len();
                    guide.refine(Op::on(TAIL, OpKind::Write).and(message(number), OpKind::Signal));
                    self.state.queue.push_back(value);
                }
            }
            Instr::Take(r) => self.take(t, r, OpKind::Await, guide),
            Instr::TryTake(r) => self.take(t, r, OpKind::Read, guide),
            Instr::Leave => state.procs[t].left = true,
            Instr::Close => {
                state.queue.clear();
                state.closed = true;
            }
            Instr::Barrier(b) => {
                if state.arrived[b].len() + 1 < self.program.barriers[b] {
                    state.arrived[b].push(t);
                    state.procs[t].mode = Mode::AtBarrier;
                    return false;
                }
                for other in std::mem::take(&mut state.arrived[b]) {
                    state.procs[other].mode = Mode::Passing;
                    guide.wake(Thread(other as u32));
                }
            }
            Instr::Spawn(child) => {
                if state.procs[child].mode == Mode::NotStarted {
                    state.procs[child].mode = Mode::Starting;
                    guide.wake(Thread(child as u32));
                }
            }
            Instr::Sleep(time) => {
                state.procs[t].deadline = Some(state.clock + time);
                state.procs[t].mode = Mode::Sleeping;
                return false;
            }
            Instr::Join(_) | Instr::Yield => {}
            Instr::Flip(r, n) => state.procs[t].regs[r] = guide.data(n) as i32,
            ref local => unreachable!("{local:?} is local"),
        }
        true
    }

    fn nobody_posts(&self) -> bool {
        self.state.procs.iter().all(|proc| proc.left)
    }

    /// Takes from the queue: waits if `kind` is [`OpKind::Await`], else looks.
    fn take(&mut self, t: usize, r: usize, kind: OpKind, guide: &mut dyn Guide) {
        let head = Op::on(HEAD, OpKind::Write);
        let head = if kind == OpKind::Await {
            head.blocking()
        } else {
            head
        };
        let nobody_posts = self.nobody_posts();
        let state = &mut self.state;
        state.procs[t].regs[r] = match state.queue.pop_front() {
            Some(value) => {
                guide.refine(head.and(message(state.taken), kind));
                state.taken += 1;
                value
            }
            None => {
                guide.refine(match kind {
                    OpKind::Await => head.and(ENDS, OpKind::Await),
                    _ => head.and(TAIL, OpKind::Read).and(ENDS, OpKind::Read),
                });
                if nobody_posts { -2 } else { -1 }
            }
        };
    }

    fn store(&mut self, a: usize, value: i32) {
        let old = self.state.atomics[a].0;
        self.state.atomics[a] = (value, old);
    }

    /// Moves the clock to where the thread's timer goes off, if it has one.
    fn take_timer(&mut self, t: usize) {
        if let Some(deadline) = self.state.procs[t].deadline.take() {
            self.state.clock = deadline;
        }
    }

    /// When nothing else can happen, the timers that go off first can.
    fn ready_timers(&mut self) {
        if self.pending.iter().any(|pending| pending.ready) {
            return;
        }
        let procs = &self.state.procs;
        let timed = |pending: &&mut Pending| pending.op.is_when_idle();
        let deadline = |thread: Thread| procs[thread.index()].deadline.unwrap_or(u32::MAX);
        let first = self
            .pending
            .iter_mut()
            .filter(timed)
            .map(|pending| deadline(pending.thread))
            .min();
        for pending in self.pending.iter_mut().filter(timed) {
            pending.ready = Some(deadline(pending.thread)) == first;
        }
    }

    fn wake(&mut self, woken: usize, guide: &mut dyn Guide) {
        let Mode::Waiting { lock, .. } = self.state.procs[woken].mode else {
            unreachable!("it is in the queue")
        };
        self.state.procs[woken].deadline = None;
        self.state.procs[woken].mode = Mode::Relocking(lock);
        guide.wake(Thread(woken as u32));
    }

    /// Runs local instructions up to the next noticeable one.
    fn run_local(&mut self, t: usize, guide: &mut dyn Guide) {
        loop {
            let pc = self.state.procs[t].pc;
            let Some(instr) = self.program.threads[t].get(pc) else {
                self.state.procs[t].mode = Mode::Exiting;
                return;
            };
            let mut mutated = false;
            let instr = match instr {
                Instr::Mutated(id, original, mutant) => {
                    guide.reach(*id);
                    mutated = self.active == *id;
                    if mutated { &**mutant } else { &**original }
                }
                other => other,
            };
            let mut next = pc + 1;
            let mut fails = false;
            match *instr {
                Instr::Set(r, value) => {
                    let value = self.value(t, value);
                    self.state.procs[t].regs[r] = value;
                }
                Instr::SkipUnless(r, c, n) => {
                    if self.state.procs[t].regs[r] != c {
                        next += n;
                    }
                }
                Instr::Assert(r, c) => fails = self.state.procs[t].regs[r] != c,
                Instr::Refute(r, c) => fails = self.state.procs[t].regs[r] == c,
                Instr::Nothing => {}
                _ => {
                    self.state.procs[t].mode = Mode::At(mutated);
                    return;
                }
            }
            if fails {
                self.state.procs[t].failed = true;
                self.state.aborted |= self.program.abort;
                next = usize::MAX / 2;
            }
            self.state.procs[t].pc = next;
        }
    }

    fn end(&self) -> ExecutionEnd {
        let result = self.result();
        if self.state.procs.iter().any(|proc| proc.failed) {
            ExecutionEnd::Failed(result)
        } else if self
            .state
            .procs
            .iter()
            .all(|proc| matches!(proc.mode, Mode::Gone | Mode::NotStarted))
        {
            let is_allowed = self
                .allowed
                .as_ref()
                .is_none_or(|allowed| allowed.contains(&result));
            if is_allowed {
                ExecutionEnd::Passed(result)
            } else {
                ExecutionEnd::Failed(result)
            }
        } else {
            ExecutionEnd::Deadlock(result)
        }
    }
}

impl System for Interpreter {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        self.reset();
        let wants_fingerprint = guide.wants_fingerprint() && !self.opaque;
        for steps in 0.. {
            self.pending.clear();
            for t in 0..self.state.procs.len() {
                if !matches!(self.state.procs[t].mode, Mode::NotStarted | Mode::Gone) {
                    let (op, ready) = self.announce(t);
                    self.pending.push(Pending {
                        thread: Thread(t as u32),
                        op,
                        ready,
                    });
                }
            }
            self.ready_timers();
            let nothing_ready = self.pending.iter().all(|pending| !pending.ready);
            let phase = match nothing_ready {
                _ if self.state.aborted || steps == self.limit => ExecutionPhase::CutShort,
                true => ExecutionPhase::Finished,
                false => ExecutionPhase::Running,
            };
            let fingerprint = wants_fingerprint.then(|| self.fingerprint());
            let point = SchedulingPoint {
                threads: &self.pending,
                fingerprint,
                phase,
            };
            let chosen = guide.choose(&point);
            if phase != ExecutionPhase::Running {
                return if steps == self.limit && !nothing_ready {
                    ExecutionEnd::Limit(Limit::Points)
                } else {
                    self.end()
                };
            }
            let Some(thread) = chosen else {
                return ExecutionEnd::Stopped;
            };
            assert!(
                point.is_ready(thread),
                "the guide chose {thread:?}, which is not ready"
            );
            self.steps += 1;
            self.step(thread.index(), guide);
        }
        unreachable!("the loop ends by returning")
    }
}

impl Mutable for Interpreter {
    fn activate(&mut self, mutant: MutantId) {
        self.active = mutant;
    }
}
