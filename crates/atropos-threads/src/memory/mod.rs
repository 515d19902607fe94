//! Everything that makes an execution repeatable from the same start: stacks and switching between
//! them, a heap of its own, statics put back, allocation and clock taken from the C library.
//!
//! This module and its children own the crate's dealings with raw memory; the rest of the crate reaches
//! it through [`ExplorationMemory`].

pub mod addressable;
pub mod context;
pub mod descriptors;
mod hash_keys;
pub mod heap;
pub mod image;
pub mod panic_count;
pub mod stacks;
pub mod system;
mod tls_words;

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard};

use crate::libc::allocation_and_clock;
use descriptors::Descriptors;
use hash_keys::HashKeys;
use heap::Heap;
use image::{Image, ImageLayout};
use panic_count::PanicCount;
use stacks::Stacks;
use tls_words::TlsWords;

/// The memory of explorations. A process has one; explorations take turns.
#[derive(Debug)]
pub struct ExplorationMemory {
    pub heap: Heap,
    pub stacks: Stacks,
    pub layout: ImageLayout,
    pub panic_count: Option<PanicCount>,
    /// Which word is the second key of std's hash maps.
    hash_key: Option<HashKeys>,
    image: Option<Image>,
    /// What was open when statics were remembered.
    descriptors: Option<Descriptors>,
}

// SAFETY: while the world is idle nothing uses its pointers; those that belong to an OS thread are looked up anew by
// `take`.
unsafe impl Send for ExplorationMemory {}

/// The world while no exploration has it.
static IDLE: Mutex<Idle> = Mutex::new(Idle {
    world: None,
    keep: Vec::new(),
});

#[derive(Debug)]
struct Idle {
    world: Option<Box<ExplorationMemory>>,
    keep: Vec<Range<usize>>,
}

fn idle() -> MutexGuard<'static, Idle> {
    IDLE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Leaves this memory alone when statics are put back: it belongs to code of ours that must remember
/// things from one execution to the next.
pub fn keep(range: Range<usize>) {
    idle().keep.push(range);
}

impl ExplorationMemory {
    /// Whether an address is in memory that stays where it is until the process ends.
    pub fn is_ours(&self, address: usize) -> bool {
        self.heap.offset(address).is_some()
            || self.stacks.offset(address).is_some()
            || self.is_static(address)
    }

    /// Whether an address is that of a static.
    #[inline]
    pub fn is_static(&self, address: usize) -> bool {
        let mut statics = self.layout.writable.iter();
        statics.any(|range| range.contains(&address))
    }

    /// Takes the world for an exploration on this OS thread.
    pub fn take() -> Box<ExplorationMemory> {
        let idle = idle().world.take();
        let mut world = idle.unwrap_or_else(|| {
            let world = ExplorationMemory {
                heap: Heap::reserve(),
                stacks: Stacks::reserve(),
                layout: ImageLayout::default(),
                panic_count: None,
                hash_key: None,
                image: None,
                descriptors: None,
            };
            Box::new(world)
        });
        // Thread-local data lies elsewhere if another OS thread explores this time.
        world.layout = ImageLayout::of_this_program();
        allocation_and_clock::TEXT_START.store(world.layout.text.start, Relaxed);
        allocation_and_clock::TEXT_END.store(world.layout.text.end, Relaxed);
        heap::BASE.store(world.heap.base(), Relaxed);
        world.panic_count = PanicCount::find(&TlsWords::of(&world.layout.thread_local));
        world
    }

    /// Gives the world back.
    pub fn put_back(mut self: Box<ExplorationMemory>) {
        self.image = None;
        self.heap.empty();
        self.heap.limit_to(heap::MOST);
        idle().world = Some(self);
    }

    /// Remembers the statics as they are now.
    pub fn remember_statics(&mut self) {
        warm_up();
        self.hash_key = hash_keys::set(&TlsWords::of(&self.layout.thread_local));
        let keep = idle().keep.clone();
        self.image = Some(Image::take(&self.layout, &keep));
        self.descriptors = Descriptors::of_this_process();
    }

    /// Gives the program another stream of random data than all executions have, until the next restart.
    pub fn vary_hash_keys(&self, random_data: u32) {
        if let (Some(key), Some(_)) = (self.hash_key, &self.image)
            && random_data > 0
        {
            key.vary(&TlsWords::of(&self.layout.thread_local), random_data);
        }
    }

    /// Whether the program has made a hash map since the last restart, as far as that can be told.
    pub fn has_made_hash_maps(&self) -> bool {
        let words = || TlsWords::of(&self.layout.thread_local);
        self.image.is_some() && self.hash_key.is_some_and(|key| key.were_used(&words()))
    }

    /// Leaves statics as they are from now on.
    pub fn forget_statics(&mut self) {
        self.image = None;
    }

    /// Bytes of statics that are put back before each execution; 0 if they are kept.
    pub fn statics_size(&self) -> usize {
        self.image.as_ref().map_or(0, Image::size)
    }

    /// Makes everything as it was when statics were remembered, with an empty heap.
    ///
    /// # Safety
    /// No other OS thread runs if statics were remembered; no controlled thread of the last execution will run again.
    pub unsafe fn restart(&mut self) {
        self.heap.empty();
        if let Some(image) = &self.image {
            if let Some(descriptors) = &mut self.descriptors {
                // SAFETY: statics are put back and the heap is empty, so nobody knows of what was opened since.
                unsafe { descriptors.close_new() };
            }
            // SAFETY: the caller's promise; the runtime's own state lies in the system's heap.
            unsafe { image.restore() };
        }
    }
}

/// Lets std set up what it sets up once, so that no execution does it from memory that it will lose.
fn warm_up() {
    thread_local! {
        static WITH_DESTRUCTOR: Vec<u8> = const { Vec::new() };
    }
    WITH_DESTRUCTOR.with(|value| assert!(value.is_empty()));
    let _ = std::thread::current().id();
    let _ = (std::io::stdout(), std::io::stderr(), std::io::stdin());
    let _ = std::time::Instant::now();
    let _ = std::collections::HashMap::<u8, u8>::new();
}

/// Whether this process has no other OS thread.
pub fn is_single_threaded() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() == 1)
}
