//! A test function as a system whose executions a guide decides.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use atropos_search::{Choice, ExecutionEnd, Guide, Names, Schedule, System, Thread, mix};

use crate::atomic::static_copies::StaticCopies;
use crate::clock::VirtualClock;
use crate::communication::{CommunicationLog, Facts};
use crate::control::kernel_timers::KernelTimers;
use crate::control::objects::{OUTSIDER, Objects};
use crate::control::thread_state::{PanicNote, message_of};
use crate::control::{self, Controller, Readiness, plain_memory, scheduler};
use crate::finding::Finding;
use crate::libc::{allocation_and_clock, private_files};
use crate::memory::addressable;
use crate::memory::heap::{self, ProgramSlice};
use crate::memory::stacks::MOST_THREADS;
use crate::memory::{ExplorationMemory, is_single_threaded};
use crate::memory_model::MemoryModel;
use crate::options::{
    ControlOptions, ControlSettings, ExpectedPanic, MemoryOrder, RandomData, Statics,
};
use crate::races::{CodePlace, RaceDetector, is_instrumented};
use crate::statements::{Stated, Statements};
use crate::trace::{ExecutionTrace, is_ours};
use crate::unsafe_cell;

/// A test under control. One exists at a time per process.
pub struct ThreadedTest<'a> {
    test: &'a (dyn Fn() + Sync),
    should_panic: ExpectedPanic,
    name: String,
    controller: Option<Box<Controller>>,
    /// In use until the controller is gone.
    _copies: Box<StaticCopies>,
    last: Rc<RefCell<LastExecution>>,
    old_hook: Option<Hook>,
}

/// What the last execution left.
#[derive(Clone, Debug, Default)]
pub struct LastExecution {
    pub findings: Vec<Finding>,
    /// What the program said with [`say`].
    pub said: String,
    /// Threads that were started, the test's own among them.
    pub threads: usize,
    /// Scheduling points.
    pub steps: u64,
    /// Bytes of memory that the greediest thread took.
    pub memory: usize,
    /// How often it was looked whether a thread can go on.
    pub looks: u64,
    /// A thread that yielded again and again had to let others go first, or time passed while threads could run.
    pub was_fair: bool,
    /// Time passed while threads could run.
    pub was_hurried: bool,
    /// It took more scheduling points than it may, but came to an end as soon as its threads took turns and time passed. How
    /// it would have ended there is not known.
    pub has_late_end: bool,
    /// The program asked for random bytes, or made a hash map.
    pub asked_for_random_data: bool,
    /// What the program stated.
    pub stated: Stated,
}

impl LastExecution {
    /// Where threads that nobody joined panicked.
    pub fn unjoined_panics(&self) -> BTreeSet<String> {
        let findings = self.findings.iter();
        let places = findings.filter_map(|finding| finding.place_of_unjoined_panic());
        places.collect()
    }

    /// Makes remarks of the panics of such threads at these places; at all if none are named.
    pub fn forgive(&mut self, usual: Option<&BTreeSet<String>>) {
        let is_usual = |place| usual.is_none_or(|usual| usual.contains(&place));
        for finding in &mut self.findings {
            let place = finding.place_of_unjoined_panic();
            if place.is_some_and(is_usual)
                && let Finding::Panic { message, site, .. } = finding
            {
                *finding = Finding::UnjoinedPanic {
                    message: std::mem::take(message),
                    site: site.take(),
                };
            }
        }
    }

    /// How the execution ended, in which all threads came to their end.
    pub fn verdict(&self) -> ExecutionEnd {
        verdict(&self.findings, &self.said)
    }
}

type Hook = Box<dyn Fn(&panic::PanicHookInfo<'_>) + Sync + Send + 'static>;

impl std::fmt::Debug for ThreadedTest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ThreadedTest")
            .field("controller", &self.controller)
            .finish_non_exhaustive()
    }
}

impl<'a> ThreadedTest<'a> {
    /// Gets ready to run a test again and again.
    pub fn new(test: &'a (dyn Fn() + Sync), options: &ControlOptions) -> ThreadedTest<'a> {
        assert!(control::installed().is_null(), "one exploration at a time");
        let mut world = ExplorationMemory::take();
        let old_hook = panic::take_hook();
        panic::set_hook(Box::new(note_panic));
        let weak = options.memory == MemoryOrder::Weak;
        let races = weak && options.races && is_instrumented();
        addressable::turn(races);
        allocation_and_clock::watch_frees(if weak { Some(forget_memory) } else { None });
        let copies = Box::new(StaticCopies::new(world.layout.writable.clone()));
        StaticCopies::install(&*copies);
        if options.statics == Statics::Fresh && is_single_threaded() {
            world.remember_statics();
        }
        let settings = settings(options, races);
        let controller = Box::new(Controller {
            world,
            settings,
            names: Names::new(),
            threads: Vec::new(),
            pending: Vec::new(),
            current: 0,
            outside: crate::memory::context::SavedContext::NONE,
            guide: None,
            objects: Objects::default(),
            model: MemoryModel::new(weak),
            virtual_clock: VirtualClock::default(),
            timers: KernelTimers::default(),
            random_data: 0,
            has_drawn_random_data: false,
            trace: ExecutionTrace::default(),
            statements: Statements::default(),
            communication: CommunicationLog::default(),
            races: RaceDetector {
                is_on: races,
                is_watched: races,
                ..RaceDetector::default()
            },
            findings: Vec::new(),
            panic_causes: Vec::new(),
            end: ExecutionEnd::Stopped,
            said: String::new(),
            execution: 0,
            steps: 0,
            step_limit: 0,
            overtime: None,
            started: 0,
            order: Vec::new(),
            readiness: Readiness::default(),
            spinners: Vec::new(),
            forced_spins: 0,
            spun: 0,
            was_fair: false,
            contents: 0,
            fingerprints: false,
            local_keys: 0,
            bodies: Vec::new(),
        });
        ThreadedTest {
            test,
            should_panic: options.should_panic.clone(),
            name: options.name.clone(),
            controller: Some(controller),
            _copies: copies,
            last: Rc::default(),
            old_hook: Some(old_hook),
        }
    }

    fn controller(&mut self) -> &mut Controller {
        self.controller
            .as_mut()
            .expect("the controller is there until the end")
    }

    /// What the last execution left; the caller takes it out.
    pub fn last(&self) -> Rc<RefCell<LastExecution>> {
        self.last.clone()
    }

    /// Whether to keep a trace from now on.
    pub fn record(&mut self, record: bool) {
        self.controller().settings.record = record;
    }

    /// Whether a trace also tells from where dependencies were called. That takes a millisecond a step.
    pub fn tell_callers(&mut self, tell: bool) {
        self.controller().trace.has_callers = tell;
    }

    /// Begins a new record of what threads tell each other, or ends all recording; gives what was recorded before.
    pub fn record_communication(&mut self, record: bool) -> Facts {
        let controller = self.controller();
        let is_watched = record || controller.model.weak;
        let facts = controller.communication.begin(record);
        allocation_and_clock::watch_frees(if is_watched {
            Some(forget_memory)
        } else {
            None
        });
        facts
    }

    /// Whether the panics of controlled threads are printed, as they are in an ordinary run.
    pub fn print_panics(&mut self, print: bool) {
        self.controller().settings.print_panics = print;
    }

    /// From now on accesses to plain memory are not looked at.
    pub fn ignore_races(&mut self) {
        self.controller().races.is_on = false;
        addressable::turn(false);
    }

    /// The accesses, by their numbers, whose places are wanted of the executions to come.
    pub fn capture(&mut self, wanted: Vec<u32>) {
        self.controller().races.captures.want(wanted);
    }

    /// The places that were wanted of the last execution.
    pub fn take_captured(&mut self) -> Vec<CodePlace> {
        self.controller().races.captures.taken()
    }

    /// Scheduling points after which an execution counts as one that does not end.
    pub fn set_step_limit(&mut self, limit: u64) -> u64 {
        std::mem::replace(&mut self.controller().settings.step_limit, limit)
    }

    /// Whether time also passes while threads run that seem not to end before it does; gives what it was.
    pub fn set_hurry(&mut self, hurry: bool) -> bool {
        std::mem::replace(&mut self.controller().settings.hurry, hurry)
    }

    /// Whether an execution that takes too many scheduling points goes on, with threads taking turns and time passing, to see
    /// whether it has an end; see [`LastExecution::has_late_end`].
    pub fn set_overtime(&mut self, overtime: bool) {
        self.controller().settings.overtime = overtime;
    }

    /// How many nanoseconds pass between two looks at the clock, at least; gives what it was. It is one, unless somebody wants
    /// to know whether an execution depends on it.
    pub fn set_look(&mut self, nanoseconds: u64) -> u64 {
        std::mem::replace(&mut self.controller().settings.look, nanoseconds)
    }

    /// Threads that an execution may have.
    pub fn set_thread_limit(&mut self, limit: usize) {
        self.controller().settings.thread_limit = limit.min(MOST_THREADS);
    }

    /// Bytes of memory that each thread of an execution may take.
    pub fn set_memory_limit(&mut self, bytes: usize) {
        self.controller().world.heap.limit_to(bytes);
    }

    /// What threads are called from now on; gives what they were called.
    pub fn set_names(&mut self, names: Names) -> Names {
        std::mem::replace(&mut self.controller().names, names)
    }

    /// What threads are called.
    pub fn names(&mut self) -> &Names {
        &self.controller().names
    }

    /// The schedule of the last execution with threads numbered in the order in which they were started there, as a process
    /// numbers them that runs nothing else. (Others go on with the numbers that they gave in earlier executions.)
    pub fn in_order_of_start(&mut self, schedule: &Schedule) -> Schedule {
        let order = &self.controller().order;
        let numbered = |choice: &Choice| match choice.as_thread() {
            None => *choice,
            Some(thread) => {
                let place = order.iter().position(|number| *number == thread.0);
                Choice::thread(place.map_or(thread, |place| Thread(place as u32)))
            }
        };
        Schedule {
            choices: schedule.choices.iter().map(numbered).collect(),
        }
    }

    /// The trace of the last execution.
    pub fn take_trace(&mut self) -> ExecutionTrace {
        let trace = &mut self.controller().trace;
        let has_callers = trace.has_callers;
        let taken = std::mem::take(trace);
        trace.has_callers = has_callers;
        taken
    }

    /// Bytes of statics that are put back before each execution.
    pub fn statics_size(&self) -> usize {
        self.controller
            .as_ref()
            .map_or(0, |controller| controller.world.statics_size())
    }
}

/// Executions in this process so far: each gets its own number.
static EXECUTIONS: AtomicU32 = AtomicU32::new(0);

impl Controller {
    /// Makes everything ready for the next execution.
    fn restart(&mut self) {
        // The number must go on although the counter is a static that is about to be put back.
        let execution = EXECUTIONS
            .load(Relaxed)
            .max(self.execution)
            .wrapping_add(1)
            .max(1);
        for body in &mut self.bodies {
            // Its memory is gone with the last execution's heap.
            std::mem::forget(body.take());
        }
        // SAFETY: statics were remembered only if no other OS thread exists; threads of the last execution are not resumed.
        unsafe { self.world.restart() };
        EXECUTIONS.store(execution, Relaxed);
        self.execution = execution;
        private_files::clean();
        self.names.restart();
        self.pending.clear();
        self.objects.restart(execution);
        self.model.restart();
        self.virtual_clock = VirtualClock::default();
        self.timers = KernelTimers::default();
        self.has_drawn_random_data = false;
        self.trace.restart();
        self.communication.restart();
        self.races.restart();
        self.statements.restart();
        self.findings.clear();
        self.panic_causes.clear();
        self.said.clear();
        self.current = 0;
        self.steps = 0;
        self.step_limit = self.settings.step_limit;
        self.overtime = None;
        self.started = 0;
        self.order.clear();
        self.readiness.restart();
        self.spinners.clear();
        (self.forced_spins, self.spun) = (0, 0);
        self.was_fair = false;
        self.contents = 0;
        self.local_keys = 0;
    }

    fn judge(&mut self, should_panic: &ExpectedPanic) {
        let main = &self.threads[0];
        let message = main
            .ending
            .panic
            .as_ref()
            .filter(|_| main.ending.ended_by_panic)
            .map(|note| note.message.clone());
        let fits = match (should_panic, &message) {
            (ExpectedPanic::No, _) | (ExpectedPanic::Yes, Some(_)) => true,
            (ExpectedPanic::With(expected), Some(message)) => message.contains(expected.as_str()),
            (_, None) => false,
        };
        if !fits {
            let expected = match should_panic {
                ExpectedPanic::With(expected) => format!("a panic with {expected:?}"),
                _ => "a panic".to_string(),
            };
            self.found(Finding::NoPanic { expected, message });
        }
        let expects_panic = *should_panic != ExpectedPanic::No;
        for number in 0..self.threads.len() {
            let thread = &self.threads[number];
            if thread.ending.ended_by_panic
                && !thread.ending.result_taken
                && !(number == 0 && expects_panic)
            {
                let note = thread.ending.panic.clone().unwrap_or(PanicNote {
                    message: "(unknown)".to_string(),
                    site: None,
                    panic_cause: None,
                });
                let kind = Finding::Panic {
                    thread: number as u32,
                    name: thread.name.clone(),
                    cause: self.cause(&note),
                    message: note.message,
                    site: note.site,
                };
                self.found(kind);
            }
        }
        let leaked = self
            .objects
            .iter()
            .filter(|object| object.holder != 0 && object.holder != OUTSIDER);
        let leaked: Vec<_> = leaked
            .map(|object| (object.holder - 1, object.site))
            .collect();
        for (holder, site) in leaked {
            if self.threads[holder as usize].ending.finished {
                self.found(Finding::LeakedLock { holder, site });
            }
        }
        let fails = |findings: &[Finding]| findings.iter().any(Finding::is_failure);
        // Threads that are left behind may still lead to what they have.
        let has_ended = |thread: &u32| self.threads[*thread as usize].ending.finished;
        let is_over = self.order.iter().all(has_ended);
        if self.settings.leaks && self.races.is_on && is_over && !fails(&self.findings) {
            let leak = self.leak();
            leak.into_iter()
                .for_each(|leak| self.found(Finding::Leak(leak)));
        }
        if !fails(&self.findings) {
            self.remark_on_panic_causes();
        }
    }
}

impl System for ThreadedTest<'_> {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        let test = self.test;
        let should_panic = self.should_panic.clone();
        let name = self.name.clone();
        let controller = self.controller();
        controller.restart();
        controller.choose_random_data(guide);
        controller.fingerprints = guide.wants_fingerprint() && !controller.model.weak;
        unsafe_cell::take_notes(controller.model.weak && controller.communication.is_on());
        // SAFETY: the pointer is used during this call only, in which `guide` is borrowed.
        controller.guide = Some(unsafe {
            std::mem::transmute::<*mut dyn Guide, *mut (dyn Guide + 'static)>(guide)
        });
        for thread in &mut controller.threads {
            thread.reset();
        }
        let controller: *mut Controller = controller;
        control::install(controller);
        // SAFETY: the controller lives for the whole exploration.
        plain_memory::watch(match unsafe { (*controller).races.is_on } {
            true => controller,
            false => std::ptr::null_mut(),
        });
        // SAFETY: the controller is installed; the test outlives the execution.
        let end = unsafe {
            let body: Box<dyn FnOnce()> = Box::new(move || {
                let result = catch_unwind(AssertUnwindSafe(test));
                if let Err(payload) = result {
                    if let Some(control) = control::control() {
                        control.me().end_by_panic(&*payload);
                    }
                    drop(payload);
                }
            });
            let body =
                std::mem::transmute::<Box<dyn FnOnce() + '_>, Box<dyn FnOnce() + 'static>>(body);
            (*controller).start(Some(name), 8 << 20, body);
            scheduler::run(controller)
        };
        control::install(std::ptr::null_mut());
        plain_memory::watch(std::ptr::null_mut());
        ProgramSlice::NONE.set();
        unsafe_cell::take_notes(false);
        let controller = self.controller();
        controller.guide = None;
        let (end, has_late_end) = controller.settle(end);
        let end = match end {
            ExecutionEnd::Passed(_) if !has_late_end => {
                controller.judge(&should_panic);
                verdict(&controller.findings, &controller.said)
            }
            end => end,
        };
        let findings = std::mem::take(&mut controller.findings);
        let said = std::mem::take(&mut controller.said);
        let stated = controller.statements.take_stated();
        let threads = controller.started;
        let steps = controller.steps;
        let memory = controller.world.heap.taken();
        let looks = controller.readiness.looks();
        let was_hurried = controller.virtual_clock.was_hurried;
        let asked_for_random_data = controller.has_asked_for_random_data();
        let was_fair = controller.was_fair || was_hurried;
        *self.last.borrow_mut() = LastExecution {
            findings,
            said,
            threads,
            steps,
            memory,
            looks,
            was_fair,
            was_hurried,
            has_late_end,
            asked_for_random_data,
            stated,
        };
        end
    }
}

impl Controller {
    fn choose_random_data(&mut self, guide: &mut dyn Guide) {
        self.random_data = match self.settings.random_data {
            RandomData::Varied => guide.random_data(),
            RandomData::Fixed => 0,
        };
        self.world.vary_hash_keys(self.random_data);
    }

    fn has_asked_for_random_data(&self) -> bool {
        self.has_drawn_random_data || self.world.has_made_hash_maps()
    }
}

/// The options as executions look them up, at the beginning.
fn settings(options: &ControlOptions, races: bool) -> ControlSettings {
    ControlSettings {
        time: options.time,
        spurious: options.spurious,
        random_data: options.random_data,
        step_limit: options.step_limit,
        leaks: races && options.leaks,
        thread_limit: MOST_THREADS,
        hurry: options.hurry,
        overtime: false,
        look: 1,
        processors: options.processors,
        record: false,
        print_panics: false,
    }
}

/// How an execution ended in which all threads came to their end.
fn verdict(findings: &[Finding], said: &str) -> ExecutionEnd {
    let hash = |text: &str| text.bytes().fold(0, |hash, byte| mix(hash, byte.into()));
    match findings.iter().find(|finding| finding.is_failure()) {
        Some(Finding::Panic { message, site, .. }) => {
            ExecutionEnd::Failed(mix(hash(message), hash(site.as_deref().unwrap_or(""))))
        }
        Some(_) => ExecutionEnd::Failed(0),
        None => ExecutionEnd::Passed(hash(said)),
    }
}

impl Drop for ThreadedTest<'_> {
    fn drop(&mut self) {
        allocation_and_clock::watch_frees(None);
        addressable::turn(false);
        if let Some(mut controller) = self.controller.take() {
            for body in &mut controller.bodies {
                std::mem::forget(body.take());
            }
            // Statics go back to where they were before the first execution, unless the program started OS threads behind our back.
            if !is_single_threaded() {
                controller.world.forget_statics();
            }
            // SAFETY: as in `restart`.
            unsafe { controller.world.restart() };
            EXECUTIONS.store(controller.execution, Relaxed);
            let Controller { world, .. } = *controller;
            world.put_back();
        }
        StaticCopies::install(std::ptr::null());
        if let Some(hook) = self.old_hook.take()
            && !std::thread::panicking()
        {
            panic::set_hook(hook);
        }
    }
}

/// The panic hook while an exploration lasts: notes how a controlled thread's panic began.
fn note_panic(info: &panic::PanicHookInfo<'_>) {
    let Some(control) = control::control() else {
        eprintln!("{info}");
        return;
    };
    if control.state().settings.print_panics {
        eprintln!("{info}");
    }
    let payload = info.payload();
    let message = message_of(payload).unwrap_or_else(|| "(no message)".to_string());
    let site = info.location().filter(|site| !is_ours(site.file()));
    let site = site.map(|site| site.to_string());
    let panic_cause = control.me().ending.panic_cause;
    control.me().ending.panic = Some(PanicNote {
        message,
        site,
        panic_cause,
    });
}

/// Memory that the program gave back holds no atomics any more.
fn forget_memory(start: usize, length: usize) {
    debug_assert!(heap::program_runs());
    if let Some(control) = control::control() {
        let state = control.state();
        if state.races.is_on {
            state.about_to_free(start);
        }
        if state.races.is_watched {
            state.races.foreign.forget(start, length);
        }
        state.model.forget(start, length);
        state.communication.forget(start, length);
    }
}

/// Lets a test tell executions apart: what it says becomes part of how the execution ended. No scheduling point.
pub fn say(text: &str) {
    if let Some(control) = control::control() {
        control.state().said.push_str(text);
    }
}
