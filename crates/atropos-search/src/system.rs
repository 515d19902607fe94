//! The two halves of an execution: the [`System`] that runs and the [`Guide`] that decides.
//!
//! # Order of calls
//! [`System::run`] starts from the initial state, may ask for [`Guide::random_data`], and, until nothing is left to do:
//! 1. calls [`Guide::choose`] with every live thread and the operation it is about to perform;
//! 2. lets the chosen thread perform that operation and run on to its next one. While this step
//!    lasts, the system may call, in any number: [`Guide::data`] to let the guide pick an alternative,
//!    [`Guide::refine`] if the step turned out to touch less than announced, [`Guide::wake`] for each
//!    thread that it made ready or started, [`Guide::observe`] for values that the thread learned,
//!    [`Guide::reach`] for mutation points passed.
//!
//! When no thread is ready, or a failure ends the execution early, `choose` is called one last time
//! with another [`SchedulingPoint::phase`], so that the guide sees the final state and who is left in it; its answer
//! is not used. When the guide answers `None` before that, the system abandons the execution (without
//! that last call) and returns [`ExecutionEnd::Stopped`].
//!
//! # Duty of determinism
//! The same answers must lead to the same questions: same threads, same operations, same numbers of
//! alternatives. More than that, reduction needs that commuting steps really commute: if two
//! operations that don't conflict are swapped, both threads must find themselves with the same next
//! operations, the same thread and object numbers ([`crate::Names`]) and the same alternatives.

use atropos_values::MutantId;

use crate::choice::Thread;
use crate::op::Op;

/// A live thread at a scheduling point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pending {
    pub thread: Thread,
    /// What the thread does next. For a blocked thread: what it would do if it could.
    pub op: Op,
    /// Whether it can do it now.
    pub ready: bool,
}

/// A scheduling point.
#[derive(Clone, Copy, Debug)]
pub struct SchedulingPoint<'a> {
    /// All threads that have started and not finished, in ascending order.
    pub threads: &'a [Pending],
    /// A hash of everything that the future depends on, if the system can give one and the guide
    /// asked for it. Two states with one fingerprint are taken to be the same.
    pub fingerprint: Option<u64>,
    pub phase: ExecutionPhase,
}

/// Whether there is anything to choose at a scheduling point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExecutionPhase {
    /// At least one thread is ready.
    Running,
    /// No thread is ready: all have finished, or those that are left are blocked.
    Finished,
    /// The step before ended everything, whatever the other threads were about to do: a failure
    /// that is not local to its thread, or a limit.
    CutShort,
}

impl SchedulingPoint<'_> {
    /// Whether the execution ends here: nothing is to be chosen.
    pub fn is_over(&self) -> bool {
        self.phase != ExecutionPhase::Running
    }

    /// The thread's entry, if it is alive.
    pub fn find(&self, thread: Thread) -> Option<&Pending> {
        // Threads are numbered densely and mostly all alive, so the first guess is nearly always right.
        match self.threads.get(thread.index()) {
            Some(pending) if pending.thread == thread => Some(pending),
            _ => self.threads.iter().find(|pending| pending.thread == thread),
        }
    }

    /// Whether the thread is alive and can go on.
    pub fn is_ready(&self, thread: Thread) -> bool {
        self.find(thread).is_some_and(|pending| pending.ready)
    }

    /// The threads that can go on.
    pub fn ready(&self) -> impl Iterator<Item = &Pending> + '_ {
        self.threads.iter().filter(|pending| pending.ready)
    }
}

/// Decides everything that an execution leaves open. The module documentation gives the order of calls.
pub trait Guide {
    /// The thread that goes next, which must be ready; `None` to abandon the execution.
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread>;

    /// One of `options` alternatives (at least one), counted from zero, for the running thread.
    fn data(&mut self, options: u32) -> u32;

    /// The current step touches this instead of what was announced (a failed compare-exchange only read; a `try_lock`
    /// acquired). Where both can happen, it must commute with whatever the announced operation commutes with. So it
    /// may touch an object that nobody else can touch yet: a message that is just being sent.
    fn refine(&mut self, op: Op) {
        let _ = op;
    }

    /// The current step started this thread or ended its blocking: its next step comes after this one.
    fn wake(&mut self, thread: Thread) {
        let _ = thread;
    }

    /// The running thread learned this value. Used to compare two runs.
    fn observe(&mut self, value: u64) {
        let _ = value;
    }

    /// The current step executed the mutation point of this mutant, whichever mutant is active.
    fn reach(&mut self, mutant: MutantId) {
        let _ = mutant;
    }

    /// Whether the system should compute [`SchedulingPoint::fingerprint`]. Constant during an execution.
    fn wants_fingerprint(&self) -> bool {
        false
    }

    /// Whether the answer just given is a new decision, not the repetition of an earlier execution's.
    fn is_fresh(&self) -> bool {
        true
    }

    /// Asked at most once, before the first choice: which stream of random data the program gets (random bytes, keys of hash
    /// maps). 0 is the one that searches have; others are the first choice of their schedule.
    fn random_data(&mut self) -> u32 {
        0
    }

    /// Before an execution: how many of its answers, from the first on, are sure to be those of the execution before.
    fn repeats(&self) -> usize {
        0
    }
}

/// Within `impl Guide for` a guide that stands before another one: these calls go to the other.
///
/// ```ignore
/// pass_on!(self => self.guide; data, refine, wake);
/// ```
#[macro_export]
macro_rules! pass_on {
    ($self:ident => $guide:expr; $($method:ident),+) => {
        $($crate::pass_on!(@$method $self $guide);)+
    };
    (@choose $self:ident $guide:expr) => {
        fn choose(&mut $self, point: &$crate::SchedulingPoint<'_>) -> Option<$crate::Thread> {
            $guide.choose(point)
        }
    };
    (@data $self:ident $guide:expr) => {
        fn data(&mut $self, options: u32) -> u32 {
            $guide.data(options)
        }
    };
    (@refine $self:ident $guide:expr) => {
        fn refine(&mut $self, op: $crate::Op) {
            $guide.refine(op);
        }
    };
    (@wake $self:ident $guide:expr) => {
        fn wake(&mut $self, thread: $crate::Thread) {
            $guide.wake(thread);
        }
    };
    (@observe $self:ident $guide:expr) => {
        fn observe(&mut $self, value: u64) {
            $guide.observe(value);
        }
    };
    (@reach $self:ident $guide:expr) => {
        fn reach(&mut $self, mutant: atropos_values::MutantId) {
            $guide.reach(mutant);
        }
    };
    (@random_data $self:ident $guide:expr) => {
        fn random_data(&mut $self) -> u32 {
            $guide.random_data()
        }
    };
    (@wants_fingerprint $self:ident $guide:expr) => {
        fn wants_fingerprint(&$self) -> bool {
            $guide.wants_fingerprint()
        }
    };
    (@is_fresh $self:ident $guide:expr) => {
        fn is_fresh(&$self) -> bool {
            $guide.is_fresh()
        }
    };
}

/// How an execution ended. The numbers tell ends of one sort apart (hashes of results, of
/// failures); what they mean is known to the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ExecutionEnd {
    /// All threads finished, nothing wrong.
    Passed(u64),
    /// An assertion failed, a thread panicked, …
    Failed(u64),
    /// No thread is ready but some have not finished.
    Deadlock(u64),
    /// A limit was exceeded.
    Limit(Limit),
    /// The guide abandoned the execution.
    Stopped,
}

impl ExecutionEnd {
    /// Whether the test fails with this end.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            ExecutionEnd::Failed(_) | ExecutionEnd::Deadlock(_) | ExecutionEnd::Limit(_)
        )
    }

    /// Whether two executions ended in the same way, as a person would say: both failed, or waited for ever, or had too much
    /// of the same. Which of several threads did so does not matter: that is up to the schedule.
    pub fn is_like(self, other: ExecutionEnd) -> bool {
        match (self, other) {
            (ExecutionEnd::Limit(one), ExecutionEnd::Limit(another)) => one == another,
            (one, another) => std::mem::discriminant(&one) == std::mem::discriminant(&another),
        }
    }
}

/// What an execution had too much of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Limit {
    /// Scheduling points.
    Points,
    /// Steps of a thread's own, between scheduling points.
    Steps,
    /// Rounds in which all that threads do is to wait.
    Rounds,
    Threads,
    Memory,
    /// Effects on what nobody controls: even the first is one too many.
    Effects,
}

/// Something that can be run again and again under a guide.
pub trait System {
    /// One execution from the initial state. The module documentation gives the order of calls.
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd;
}

/// A system that holds mutants, one of which at most is active.
pub trait Mutable: System {
    /// From the next execution on this mutant acts; 0 is the original.
    fn activate(&mut self, mutant: MutantId);
}

impl<S: System + ?Sized> System for &mut S {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        (**self).run(guide)
    }
}
