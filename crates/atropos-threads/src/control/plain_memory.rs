//! What the running thread does to plain memory: told by instrumented code, judged by `races`.

use std::backtrace::Backtrace;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use atropos_search::{ExecutionEnd, ExecutionPhase, mix};

use super::{Control, Controller, control, installed, scheduler};
use crate::finding::Finding;
use crate::memory::heap;
use crate::races::{
    AccessKind, BlockHistory, CodePlace, DataRace, EarlierAccess, Leak, MemoryError,
    MemoryErrorKind, MemoryHistory, RaceSide, is_access_of_facade,
};

/// The controller of the exploration that watches plain memory; null if there is none. A process has one exploration at a time.
static WATCHING: AtomicPtr<Controller> = AtomicPtr::new(null_mut());

/// From now on this exploration watches plain memory; none does if it is null.
pub(crate) fn watch(controller: *mut Controller) {
    WATCHING.store(controller, Relaxed);
}

/// The running thread is about to access memory.
#[inline]
pub fn access(address: usize, length: usize, kind: AccessKind) {
    let controller = WATCHING.load(Relaxed);
    if controller.is_null() || !heap::program_runs() {
        return;
    }
    // SAFETY: a controlled thread of the exploration runs; no other reference to its controller is in use.
    unsafe { (*controller).plain_access(address, length, kind) };
}

/// Not the program but what runs it gives a block of the program's back.
pub fn freed_by_runtime(start: usize) {
    let controller = WATCHING.load(Relaxed);
    if !controller.is_null() {
        // SAFETY: the exploration lasts; nothing that is done to its list of blocks frees any.
        let block = unsafe { (*controller).races.blocks.at(start) };
        block.into_iter().for_each(|block| block.is_program = false);
    }
}

/// The running thread is about to access memory by a volatile instruction. Whoever does that expects others to do so, too, and
/// it is not taken for a race, though the language calls it one.
pub fn volatile_access(address: usize, length: usize, kind: AccessKind) {
    let controller = WATCHING.load(Relaxed);
    if !controller.is_null() && heap::program_runs() {
        // SAFETY: as in `access`.
        unsafe { (*controller).check_memory(address, length, kind) };
    }
}

impl Control {
    /// The running thread has performed an atomic operation of the facade.
    pub fn atomic_access(&self, address: usize, length: usize, kind: AccessKind) {
        let state = self.state();
        if state.races.is_on {
            state.check_memory(address, length, kind);
            if !state.races.is_alone {
                // It is one of the operations that clocks count.
                state.compare(address, length, kind, true);
            }
        }
    }
}

impl Controller {
    #[inline]
    fn plain_access(&mut self, address: usize, length: usize, kind: AccessKind) {
        self.races.index += 1;
        if self.races.index == self.races.captures.next {
            self.capture();
        }
        if self.races.is_hidden || length == 0 {
            return;
        }
        if !self.races.is_alone {
            let me = self.current;
            let time = self.threads[me as usize].clocks.clock.of(me) + 1;
            // A block that was given back since has no accesses any more.
            let shadow = &self.races.shadow;
            if shadow.is_repeated(address, length, kind, me, time) {
                return;
            }
        }
        let is_seen = self.check_memory(address, length, kind);
        // What one thread does alone happens before all that the others do.
        if is_seen && !self.races.is_alone {
            self.compare(address, length, kind, false);
        }
    }

    /// A thread ended and was joined: the running thread may be the only one left.
    pub(crate) fn may_be_alone(&mut self) {
        if !self.races.is_watched || self.pending.len() > 1 {
            return;
        }
        let mine = &self.threads[self.current as usize].clocks.clock;
        // Threads that nobody joined have ended, but nothing orders what they did.
        self.races.is_alone = self.order.iter().all(|&thread| {
            mine.of(thread) >= self.threads[thread as usize].clocks.clock.of(thread)
        });
    }

    #[cold]
    fn capture(&mut self) {
        let control = control();
        self.races.captures.take_here();
        drop(control);
    }

    /// Ends the execution if an access to the heap is none to a block that the program has, or one to a stack is to nothing that
    /// is in use there. Says whether the address lies in the heap, on a stack, or in a static.
    #[inline]
    pub(super) fn check_memory(&mut self, address: usize, length: usize, kind: AccessKind) -> bool {
        if let Some(offset) = self.world.heap.offset(address) {
            if let Err(unusable) = self.world.heap.check(offset, length) {
                self.memory_error(unusable.into(), address, length, Some(kind));
            }
            return true;
        }
        if let Some(owner) = self.world.stacks.owner(address) {
            self.check_stack(owner, address, length, kind);
            return true;
        }
        self.world.is_static(address)
    }

    /// Ends the execution if what lies at this address of another thread's stack belongs to no function that runs.
    #[inline]
    fn check_stack(&mut self, owner: u32, address: usize, length: usize, kind: AccessKind) {
        if owner == self.current {
            return;
        }
        let Some(thread) = self.threads.get(owner as usize) else {
            return;
        };
        let has_ended = thread.ending.finished;
        // Below the innermost function of a thread that does not run there is nothing. (What has another function's frame over
        // it since is not noticed.) But a program may have stacks of its own, which its threads leave ours for.
        let innermost = thread.context.stack_pointer();
        let is_below = address < innermost && self.world.stacks.owner(innermost) == Some(owner);
        if has_ended || is_below {
            self.memory_error(MemoryErrorKind::UseAfterReturn, address, length, Some(kind));
        }
    }

    /// Ends the execution if an access races with an earlier one.
    #[inline]
    pub(super) fn compare(
        &mut self,
        address: usize,
        length: usize,
        kind: AccessKind,
        is_counted: bool,
    ) {
        let me = self.current;
        let clock = &self.threads[me as usize].clocks.clock;
        let race = self
            .races
            .access(address, length, kind, me, clock, is_counted);
        if let Some(past) = race {
            self.data_race(past, address, length, Some(kind));
        }
    }

    /// The running thread got a block.
    pub(crate) fn allocated(&mut self, start: usize, size: usize) {
        self.races.index += 1;
        if self.races.index == self.races.captures.next {
            self.capture();
        }
        let index = self.races.index;
        self.races.blocks.give(start, size, self.current, index);
    }

    /// The running thread is about to give a block back. Ends the execution if it must not.
    pub(crate) fn about_to_free(&mut self, start: usize) {
        self.races.index += 1;
        if self.races.index == self.races.captures.next {
            self.capture();
        }
        let (me, index) = (self.current, self.races.index);
        let kind = match self.races.blocks.at(start) {
            None => Some(MemoryErrorKind::InvalidFree),
            Some(block) if block.freed.is_some() => Some(MemoryErrorKind::DoubleFree),
            Some(block) => {
                block.freed = Some((me, index));
                None
            }
        };
        if let Some(kind) = kind {
            self.memory_error(kind, start, 0, None);
        }
        let size = self.races.blocks.at(start).map_or(0, |block| block.size);
        if self.races.is_alone {
            return;
        }
        if self.races.is_hidden {
            // What the facade gives back is its own matter.
            self.races.shadow.forget(start, size);
        } else {
            let clock = &self.threads[me as usize].clocks.clock;
            if let Some(past) = self.races.shadow.free(start, size, me, clock) {
                self.data_race(past, start, size, None);
            }
        }
    }

    /// The running thread is about to give back what is no block of the heap. Ends the execution if it can't be one of the C
    /// library's either.
    pub(crate) fn about_to_free_elsewhere(&mut self, address: usize) {
        if self.world.stacks.owner(address).is_some() || self.world.is_static(address) {
            self.memory_error(MemoryErrorKind::InvalidFree, address, 0, None);
        }
    }

    /// Blocks that the program has not given back although nothing leads to them any more. All its threads have ended.
    pub(crate) fn leak(&self) -> Option<Leak> {
        let statics = self.world.layout.writable.iter();
        let roots = statics.chain([&self.world.layout.thread_local]);
        // Threads that asked for their own handle keep it.
        let handles = self.threads.iter().map(|thread| thread.identity as usize);
        let handles = handles.chain(self.statements.roots());
        Leak::find(&self.races.blocks, roots.cloned(), handles)
    }

    #[cold]
    fn data_race(
        &mut self,
        past: EarlierAccess,
        address: usize,
        length: usize,
        kind: Option<AccessKind>,
    ) {
        let _control = control();
        let backtrace = Backtrace::force_capture().to_string();
        if is_access_of_facade(&backtrace) {
            // Threads that use a primitive of std don't race on what it is made of.
            self.races.shadow.forget(address, length);
            return;
        }
        let earlier = RaceSide {
            thread: past.thread,
            name: self.threads[past.thread as usize].name.clone(),
            kind: Some(past.kind),
            place: CodePlace::later(past.index),
        };
        let later = RaceSide {
            thread: self.current,
            name: self.threads[self.current as usize].name.clone(),
            kind,
            place: CodePlace::of(self.races.index, &backtrace),
        };
        let race = DataRace {
            sides: [earlier, later],
            memory: self.describe_memory(address),
            length,
        };
        self.end_by(Finding::DataRace(race), 1)
    }

    #[cold]
    fn memory_error(
        &mut self,
        kind: MemoryErrorKind,
        address: usize,
        length: usize,
        access: Option<AccessKind>,
    ) {
        let _control = control();
        let error = MemoryError {
            kind,
            culprit: self.side_of_me(access),
            length,
            memory: self.history_of(address),
        };
        self.end_by(Finding::MemoryError(error), 2 + kind as u64)
    }

    fn history_of(&self, address: usize) -> MemoryHistory {
        if let Some(owner) = self.world.stacks.owner(address) {
            let thread = self.threads.get(owner as usize);
            let has_ended = thread.is_none_or(|thread| thread.ending.finished);
            return MemoryHistory::Stack { owner, has_ended };
        }
        if self.world.is_static(address) {
            return MemoryHistory::Static;
        }
        match self.races.blocks.near(address) {
            Some((start, block)) => MemoryHistory::Block(BlockHistory::new(block, address - start)),
            None => MemoryHistory::Unknown,
        }
    }

    fn side_of_me(&self, kind: Option<AccessKind>) -> RaceSide {
        RaceSide {
            thread: self.current,
            name: self.threads[self.current as usize].name.clone(),
            kind,
            place: CodePlace::here(self.races.index),
        }
    }

    fn describe_memory(&self, address: usize) -> String {
        if let Some((start, block)) = self.races.blocks.near(address)
            && address - start < block.size.max(1)
        {
            let thread = block.allocated.0;
            return format!(
                "a block of {} bytes that thread {thread} allocated (from byte {} on)",
                block.size,
                address - start
            );
        }
        if self.world.stacks.offset(address).is_some() {
            return "a stack".to_owned();
        }
        "a static".to_owned()
    }

    /// Ends the execution with a finding.
    fn end_by(&mut self, kind: Finding, number: u64) -> ! {
        self.found(kind);
        let end = self.over(
            ExecutionEnd::Failed(mix(0x4ace, number)),
            ExecutionPhase::CutShort,
        );
        // SAFETY: the controller is the installed one, and nothing of this thread is used again.
        unsafe { scheduler::leave(installed(), end) }
    }
}
