//! One execution of a program whose threads take turns on one OS thread.
//!
//! Every operation of a controlled thread goes through [`Control::point`]: the thread announces
//! what it is about to do, the guide chooses a thread, and `point` returns when this thread is chosen and what it
//! waits for has come. Between two points a thread runs alone.
//!
//! The scheduler runs on the stacks of the threads themselves; it goes back to the caller's stack
//! only when the execution ends. It never holds a Rust reference to the controller across a switch.

pub mod code;
pub mod external_wait;
pub mod foreign;
pub mod futex;
pub mod kernel_timers;
pub mod limits;
mod locks;
pub mod objects;
pub(crate) mod overtime;
pub mod panic_cause;
pub mod plain_memory;
mod ready;
pub(crate) mod scheduler;
pub mod spin;
pub mod thread_state;

use std::cell::Cell;
use std::panic::Location;
use std::ptr::null_mut;

use atropos_search::{ExecutionEnd, Guide, Names, Op, Pending, SharedObject, Thread, mix};

use self::kernel_timers::KernelTimers;
use crate::clock::VirtualClock;
use crate::communication::{CommunicationLog, LastWriter, SharedAccess, ThreadAct};
use crate::finding::Finding;
use crate::memory::ExplorationMemory;
use crate::memory::context::SavedContext;
use crate::memory::heap::{self, ProgramSlice};
use crate::memory_model::MemoryModel;
use crate::options::ControlSettings;
use crate::races::RaceDetector;
use crate::statements::Statements;
use crate::trace::{ExecutionTrace, TraceEvent};
use crate::unsafe_cell;
use code::Code;
use objects::{ControlledObjectId, ObjectState, Objects, Site, Slot};
use overtime::Overtime;
use panic_cause::PanicCause;
pub(crate) use ready::Readiness;
use thread_state::{ThreadState, Wait};

thread_local! {
    static CONTROLLER: Cell<*mut Controller> = const { Cell::new(null_mut()) };
}

/// Everything that an execution needs; reused by the next one.
pub struct Controller {
    pub(crate) world: Box<ExplorationMemory>,
    pub(crate) settings: ControlSettings,
    pub(crate) names: Names,
    pub(crate) threads: Vec<ThreadState>,
    /// Live threads in ascending order, with what they are about to do.
    pub(crate) pending: Vec<Pending>,
    pub(crate) current: u32,
    pub(crate) outside: SavedContext,
    pub(crate) guide: Option<*mut dyn Guide>,
    pub(crate) objects: Objects,
    pub(crate) model: MemoryModel,
    pub(crate) virtual_clock: VirtualClock,
    pub(crate) timers: KernelTimers,
    /// Which stream of random data the program gets.
    pub(crate) random_data: u32,
    /// The program has got some of it.
    pub(crate) has_drawn_random_data: bool,
    pub(crate) trace: ExecutionTrace,
    pub(crate) communication: CommunicationLog,
    pub(crate) races: RaceDetector,
    pub(crate) statements: Statements,
    pub(crate) findings: Vec<Finding>,
    /// What threads ran into, the first of each sort.
    pub(crate) panic_causes: Vec<(u32, PanicCause)>,
    pub(crate) end: ExecutionEnd,
    /// What the program said with [`crate::say`].
    pub(crate) said: String,
    /// Number of this execution in the process: objects of others are not mistaken for ours.
    pub(crate) execution: u32,
    pub(crate) steps: u64,
    /// Steps that this execution may take.
    pub(crate) step_limit: u64,
    /// Since when it takes more, if it does.
    pub(crate) overtime: Option<Overtime>,
    /// Threads started in this execution.
    pub(crate) started: usize,
    /// Their numbers, in the order in which they were started.
    pub(crate) order: Vec<u32>,
    pub(crate) readiness: Readiness,
    /// Threads that wait until somebody changes what they look at.
    pub(crate) spinners: Vec<u32>,
    pub(crate) forced_spins: u32,
    /// The time that has passed by that.
    pub(crate) spun: u64,
    /// A thread that yielded again and again could not go on before others in this execution.
    pub(crate) was_fair: bool,
    /// Sum of the hashes of objects' contents.
    pub(crate) contents: u64,
    pub(crate) fingerprints: bool,
    /// Keys of thread-local variables used in this execution.
    pub(crate) local_keys: u32,
    /// What the threads still to start will run.
    pub(crate) bodies: Vec<Option<Box<dyn FnOnce()>>>,
}

impl std::fmt::Debug for Controller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Controller")
            .field("execution", &self.execution)
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

/// Access to the controller for the controlled thread that runs. While it lives, allocation goes to the
/// system's heap: no code of the program may run.
#[derive(Debug)]
pub struct Control {
    controller: *mut Controller,
    program: ProgramSlice,
}

/// The controller, if the caller is a controlled thread.
#[inline]
pub fn control() -> Option<Control> {
    if !heap::program_runs() {
        return None;
    }
    let program = ProgramSlice::NONE.set();
    Some(Control {
        controller: CONTROLLER.get(),
        program,
    })
}

/// Whether the caller is a controlled thread.
#[inline]
pub fn is_controlled() -> bool {
    heap::program_runs()
}

impl Drop for Control {
    #[inline]
    fn drop(&mut self) {
        self.program.set();
    }
}

/// Why a thread goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Granted {
    /// What it waited for has come.
    Yes,
    /// Its time is up.
    TimedOut,
    /// For no reason.
    Spuriously,
}

/// What a thread announces.
#[derive(Clone, Copy, Debug)]
pub struct Announcement {
    pub code: Code,
    pub op: Op,
    pub wait: Wait,
    pub deadline: u64,
    pub site: Site,
}

impl Announcement {
    /// An operation that waits for nothing.
    pub fn new(code: Code, op: Op, site: Site) -> Announcement {
        Announcement {
            code,
            op,
            wait: Wait::Nothing,
            deadline: u64::MAX,
            site,
        }
    }

    /// The same, but it waits.
    pub fn waiting(self, wait: Wait) -> Announcement {
        Announcement {
            wait,
            op: self.op.blocking(),
            ..self
        }
    }

    /// The same, but only until a time.
    pub fn until(self, deadline: u64) -> Announcement {
        Announcement { deadline, ..self }
    }
}

impl Control {
    /// The controller. The reference must be gone before the next [`Control::point`].
    #[expect(
        clippy::mut_from_ref,
        reason = "the controller belongs to the one controlled thread that runs"
    )]
    #[inline]
    pub fn state(&self) -> &mut Controller {
        // SAFETY: set for the whole exploration; one OS thread; callers keep the reference only between points.
        unsafe { &mut *self.controller }
    }

    pub(crate) fn controller(&self) -> *mut Controller {
        self.controller
    }

    /// Announces an operation and returns when the thread may perform it.
    pub fn point(&self, announcement: Announcement) -> Granted {
        // SAFETY: the controller lives through the exploration, and we run on a controlled thread's stack.
        unsafe { scheduler::take_turn(self.controller, announcement) }
    }

    /// The state of an object, new with `set_up` if the execution has not seen it.
    #[inline]
    pub fn object(&self, slot: &Slot, set_up: impl FnOnce(&mut ObjectState)) -> ControlledObjectId {
        self.state().objects.find(slot, set_up)
    }

    /// The name of the object at an address.
    #[inline]
    pub fn name<T: ?Sized>(&self, place: *const T) -> SharedObject {
        self.state().name_of(place.cast::<u8>() as usize)
    }

    /// The number of the running thread.
    #[inline]
    pub fn thread(&self) -> u32 {
        self.state().current
    }

    /// The running thread.
    #[inline]
    pub fn me(&self) -> &mut ThreadState {
        let state = self.state();
        &mut state.threads[state.current as usize]
    }

    /// Runs a piece of the program's side, such as an allocation that the program will own. What it does to memory is
    /// ours: threads that use a primitive of std don't race on what it is made of.
    pub fn in_program<R>(&self, piece: impl FnOnce() -> R) -> R {
        let was_hidden = std::mem::replace(&mut self.state().races.is_hidden, true);
        self.program.set();
        let result = piece();
        ProgramSlice::NONE.set();
        self.state().races.is_hidden = was_hidden;
        result
    }

    /// The running thread goes on after a wait: because of whom is noted.
    pub fn woken(&self, granted: Granted, site: Site) {
        let by = self.me().blocking.woken_by.take();
        let state = self.state();
        if let (Granted::Yes, Some(by), Some(me)) = (granted, by, state.act(site)) {
            state.communication.wake_up(by, me);
        }
    }

    /// The running step touches this instead of what was announced.
    pub fn refine(&self, code: Code, op: Op) {
        let state = self.state();
        let op = state.statements.ordered(op);
        state.guide().refine(op.coded(code as u16));
    }

    /// The guide's choice among `options` alternatives; the only one is not asked for.
    pub fn choose(&self, options: u32) -> u32 {
        if options < 2 {
            0
        } else {
            self.state().guide().data(options).min(options - 1)
        }
    }
}

const THREAD_SPACE: u64 = 5 << 60;
const TOKEN_SPACE: u64 = 6 << 60;
/// The name of the order of sequentially consistent operations.
pub const TOTAL_ORDER: SharedObject = SharedObject(7 << 60);

/// The name of "this thread has ended".
pub fn end_of(thread: u32) -> SharedObject {
    SharedObject(THREAD_SPACE | u64::from(thread))
}

/// The thread whose end this is the name of.
pub fn thread_that_ends(object: SharedObject) -> Option<u32> {
    (object.0 >> 60 == THREAD_SPACE >> 60).then_some(object.0 as u32)
}

/// The name of a thread's token for `park`.
pub fn token_of(thread: u32) -> SharedObject {
    SharedObject(TOKEN_SPACE | u64::from(thread))
}

/// The thread whose token this is the name of.
pub fn thread_with_token(object: SharedObject) -> Option<u32> {
    (object.0 >> 60 == TOKEN_SPACE >> 60).then_some(object.0 as u32)
}

impl Controller {
    #[expect(
        clippy::mut_from_ref,
        reason = "the guide is borrowed by the caller of the execution for its whole length"
    )]
    pub(crate) fn guide(&self) -> &mut dyn Guide {
        // SAFETY: set for the length of an execution by `run`, which holds the exclusive borrow.
        unsafe { &mut *self.guide.expect("an execution runs under a guide") }
    }

    /// Names say where an object lies relative to its region, so that they are the same in every process.
    pub(crate) fn name_of(&self, address: usize) -> SharedObject {
        let (space, offset) = if let Some(offset) = self.world.heap.offset(address) {
            (1, offset)
        } else if let Some(offset) = self.world.stacks.offset(address) {
            (2, offset)
        } else if let Some(offset) = address.checked_sub(self.world.layout.base) {
            (3, offset)
        } else {
            (4, address)
        };
        SharedObject(space << 60 | (offset as u64 & ((1 << 60) - 1)))
    }

    /// The running thread learned a value.
    #[inline]
    pub(crate) fn observe(&mut self, value: u64) {
        self.guide().observe(value);
        if self.fingerprints {
            let thread = &mut self.threads[self.current as usize];
            thread.history = mix(thread.history, value);
        }
    }

    /// The contents of an object changed, as far as fingerprints are concerned.
    #[inline]
    pub(crate) fn contents_changed(&mut self, name: SharedObject, old: u64, new: u64) {
        if self.fingerprints {
            self.contents = self
                .contents
                .wrapping_sub(mix(name.0, old))
                .wrapping_add(mix(name.0, new));
        }
    }

    /// The running thread gives up an object whose contents can't be hashed: they are what its history made of what was
    /// there. (What was there is part of its history, unless somebody without the lock has changed it since.)
    pub(crate) fn leave_version(&mut self, name: SharedObject, object: ControlledObjectId) {
        if self.fingerprints {
            let old = self.objects[object].version;
            let version = mix(self.threads[self.current as usize].history, old);
            self.objects[object].version = version;
            self.contents_changed(name, old, version);
        }
    }

    /// The running thread can see an object's contents from now on.
    pub(crate) fn see_version(&mut self, object: ControlledObjectId) {
        if self.fingerprints {
            let version = self.objects[object].version;
            self.observe(version);
        }
    }

    /// The running thread looks at the contents of a lock that another thread may hold, and so be changing, or changes
    /// them, which that thread may notice.
    pub(crate) fn meet_holder(&mut self, lock: ControlledObjectId, changes: bool) {
        let holder = self.objects[lock].holder;
        if !self.fingerprints || holder == 0 || holder == self.current + 1 {
            return;
        }
        let holder = holder as usize - 1;
        let its = self.threads[holder].history;
        self.observe(its);
        if changes {
            let mine = self.threads[self.current as usize].history;
            self.threads[holder].history = mix(its, mine);
        }
    }

    /// The running step changed an object as far as others can see.
    #[inline]
    pub(crate) fn changed(&mut self, name: SharedObject) {
        self.threads[self.current as usize].activity.spin = Default::default();
        self.tell_spinners(name);
    }

    /// The running step locked or unlocked, which a thread that polls under a lock does for ever.
    #[inline]
    pub(crate) fn lock_changed(&mut self, name: SharedObject) {
        let spin = &mut self.threads[self.current as usize].activity.spin;
        (spin.yields, spin.reads) = (0, 0);
        self.tell_spinners(name);
    }

    /// Whether the running thread's next wait may end for no reason.
    pub(crate) fn allow_spurious(&mut self) {
        let thread = &mut self.threads[self.current as usize];
        thread.blocking.may_wake_spuriously =
            self.settings.spurious && thread.blocking.spurious_left > 0;
    }

    /// The running step made this thread ready.
    pub(crate) fn wake(&mut self, thread: u32) {
        self.guide().wake(Thread(thread));
        self.readiness.look_again_at(thread);
        if self.fingerprints {
            let state = &mut self.threads[thread as usize];
            state.history = mix(state.history, 0x0a3e);
        }
    }

    pub(crate) fn record(&mut self, event: TraceEvent) {
        if self.settings.record {
            self.trace.push(event);
        }
    }

    /// The running thread did something that is not a scheduling point but worth a line in the trace.
    pub(crate) fn note(&mut self, code: Code, name: SharedObject, value: u64, site: Site) {
        self.record(TraceEvent::new(self.current, code, name, Some(site)).with_value(value));
    }

    /// What the running thread is about to do, as far as others learn of it. None if nobody asks.
    #[inline]
    pub(crate) fn act(&self, site: Site) -> Option<ThreadAct> {
        let thread = self.current;
        let code = self.threads[thread as usize].code;
        let act = ThreadAct { thread, code, site };
        self.communication.is_on().then_some(act)
    }

    /// What the running thread does right now.
    pub(crate) fn me_as_act(&self) -> Option<ThreadAct> {
        let site = self.threads[self.current as usize].site?;
        self.act(site)
    }

    /// The running thread accesses what a lock guards.
    pub(crate) fn accessed(
        &mut self,
        object: ControlledObjectId,
        access: SharedAccess,
        site: Site,
    ) {
        if let Some(act) = self.act(site) {
            let history = &mut self.objects[object].history;
            self.communication.access(history, act, access, None);
        }
    }

    /// The running thread accesses an atomic; under weak memory, `writer` says what it reads.
    pub(crate) fn accessed_atomic(
        &mut self,
        address: usize,
        access: SharedAccess,
        writer: Option<LastWriter>,
        site: Site,
    ) {
        if let Some(mut act) = self.act(site) {
            // A look that is part of a yield has no announcement of its own.
            if act.code == Code::Yield {
                act.code = Code::Load;
            }
            self.communication.atomic(address, act, access, writer);
        }
    }

    /// Takes note of what the running thread has done to cells since its last operation.
    #[inline]
    pub(crate) fn note_cells(&mut self) {
        if unsafe_cell::are_any_noted() || self.communication.has_cells(self.current) {
            self.cells_used();
        }
    }

    fn cells_used(&mut self) {
        let thread = &mut self.threads[self.current as usize];
        thread.clocks.clock.tick(self.current);
        let world = &self.world;
        let can_be_read = |address| world.is_ours(address);
        self.communication.cells(
            unsafe_cell::noted(),
            self.current,
            &thread.clocks.clock,
            &can_be_read,
        );
        unsafe_cell::forget_noted();
    }

    pub(crate) fn found(&mut self, kind: Finding) {
        self.findings.push(kind);
    }

    /// Adds a thread that will run `body`, started by the running thread or, the first one, by nobody.
    pub(crate) fn start(
        &mut self,
        name: Option<String>,
        stack_size: usize,
        body: Box<dyn FnOnce()>,
    ) -> u32 {
        let number = match self.pending.is_empty() && self.steps == 0 {
            true => 0,
            false => self.names.thread(Thread(self.current)).0,
        };
        let index = number as usize;
        self.started += 1;
        self.order.push(number);
        while self.threads.len() <= index {
            self.threads.push(ThreadState::new());
        }
        self.threads[index].reset();
        if self.bodies.len() <= index {
            self.bodies.resize_with(index + 1, || None);
        }
        self.bodies[index] = Some(body);
        let top = self.world.stacks.top(index, stack_size);
        let thread = &mut self.threads[index];
        thread.name = name;
        thread.program = self.world.heap.serve(index);
        thread.history = mix(0x7ead, u64::from(number));
        // SAFETY: the stack is this thread's own and `enter` never returns.
        thread.context = unsafe { crate::memory::context::prepare(top, scheduler::enter, index) };
        let pending = Pending {
            thread: Thread(number),
            op: Op::local().coded(Code::Begin as u16),
            ready: true,
        };
        let place = self
            .pending
            .partition_point(|other| other.thread.0 < number);
        self.pending.insert(place, pending);
        self.readiness.add();
        number
    }
}

/// Makes the controller the one that controlled threads on this OS thread find.
pub(crate) fn install(controller: *mut Controller) {
    CONTROLLER.set(controller);
}

pub(crate) fn installed() -> *mut Controller {
    CONTROLLER.get()
}

/// The caller's source location.
#[inline]
#[track_caller]
pub fn here() -> Site {
    Location::caller()
}
