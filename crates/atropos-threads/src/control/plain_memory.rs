//! What the running thread does to plain memory: told by instrumented code, judged by `races`.

use atropos_search::{End, Phase, mix};

use super::{Control, Controller, control, installed, scheduler};
use crate::finding::Finding;
use crate::memory::heap;
use crate::races::{
    AccessKind, BlockStory, DataRace, ForeignOperation, MemoryError, MemoryErrorKind,
    OrderingNumber, Past, Place, Side,
};

/// The running thread is about to access memory.
#[inline]
pub fn access(address: usize, length: usize, kind: AccessKind) {
    if !heap::program_runs() {
        return;
    }
    let controller = installed();
    // SAFETY: a controlled thread runs, so the controller is installed; no other reference to it is in use.
    let state = unsafe { &mut *controller };
    if state.races.is_on && !state.races.is_hidden {
        state.plain_access(address, length, kind);
    }
}

/// The running thread performs an atomic operation that is not the facade's.
pub fn foreign(
    address: usize,
    length: usize,
    operation: ForeignOperation,
    ordering: OrderingNumber,
) {
    if !heap::program_runs() {
        return;
    }
    let Some(control) = control() else { return };
    let state = control.state();
    if !state.races.is_on || state.races.is_hidden {
        return;
    }
    state.check_heap(address, length, operation.kind());
    if state.started < 2 {
        return;
    }
    let me = state.current;
    let clocks = &mut state.threads[me as usize].clocks;
    state
        .races
        .foreign
        .perform(address, operation, ordering, me, clocks);
    state.compare(address, length, operation.kind());
}

/// The running thread fences memory by another fence than the facade's.
pub fn foreign_fence(ordering: OrderingNumber) {
    if !heap::program_runs() {
        return;
    }
    let Some(control) = control() else { return };
    let state = control.state();
    if !state.races.is_on {
        return;
    }
    let me = state.current;
    let clocks = &mut state.threads[me as usize].clocks;
    clocks.clock.tick(me);
    if ordering.acquires() {
        let read = std::mem::take(&mut clocks.acquire_fence);
        clocks.clock.join(&read);
        clocks.acquire_fence = read;
    }
    if ordering.releases() {
        clocks.release_fence.copy(&clocks.clock);
    }
}

impl Control {
    /// The running thread has performed an atomic operation of the facade.
    pub fn atomic_access(&self, address: usize, length: usize, kind: AccessKind) {
        let state = self.state();
        if state.races.is_on {
            state.check_heap(address, length, kind);
            if state.started > 1 {
                state.compare(address, length, kind);
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
        self.check_heap(address, length, kind);
        // What one thread does alone happens before all that the others do.
        if self.started > 1 && length > 0 && self.world.is_ours(address) {
            self.compare(address, length, kind);
        }
    }

    #[cold]
    fn capture(&mut self) {
        let control = control();
        self.races.captures.take_here();
        drop(control);
    }

    /// Ends the execution if an access to the heap is none to a block that the program has.
    #[inline]
    fn check_heap(&mut self, address: usize, length: usize, kind: AccessKind) {
        if let Some(offset) = self.world.heap.offset(address)
            && let Err(unusable) = self.world.heap.check(offset, length)
        {
            self.memory_error(unusable.into(), address, length, Some(kind));
        }
    }

    /// Ends the execution if an access races with an earlier one.
    fn compare(&mut self, address: usize, length: usize, kind: AccessKind) {
        let me = self.current;
        let clock = &self.threads[me as usize].clocks.clock;
        // What the detector allocates is ours.
        let program = heap::Program::NONE.set();
        let race = self.races.access(address, length, kind, me, clock);
        program.set();
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
        if self.started > 1 {
            let clock = &self.threads[me as usize].clocks.clock;
            if let Some(past) = self.races.shadow.free(start, size, me, clock) {
                self.data_race(past, start, size, None);
            }
        }
        self.races.foreign.forget(start, size);
    }

    #[cold]
    fn data_race(&mut self, past: Past, address: usize, length: usize, kind: Option<AccessKind>) {
        let _control = control();
        let earlier = Side {
            thread: past.thread,
            name: self.threads[past.thread as usize].name.clone(),
            kind: Some(past.kind),
            place: Place::later(past.index),
        };
        let later = self.side_of_me(kind);
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
        let block = self.races.blocks.near(address);
        let story = block.map(|(start, block)| BlockStory::new(block, address - start));
        let error = MemoryError {
            kind,
            culprit: self.side_of_me(access),
            length,
            block: story,
        };
        self.end_by(Finding::MemoryError(error), 2 + kind as u64)
    }

    fn side_of_me(&self, kind: Option<AccessKind>) -> Side {
        Side {
            thread: self.current,
            name: self.threads[self.current as usize].name.clone(),
            kind,
            place: Place::here(self.races.index),
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
        let end = self.over(End::Failed(mix(0x4ace, number)), Phase::CutShort);
        // SAFETY: the controller is the installed one, and nothing of this thread is used again.
        unsafe { scheduler::leave(installed(), end) }
    }
}
