//! Memory errors in the execution's heap: use after free, double free, free of what is no block, and accesses beyond a block.
//! On its stacks: use of what belonged to a function that has returned.
//! Blocks that were given back are not used again soon (see `memory::heap`), so that an error does not hide behind the next
//! owner of the memory.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use super::number_hash::NumberHash;
use super::places::CodePlace;
use super::{AccessKind, RaceSide};
use crate::memory::addressable::Unusable;

/// A block of the execution's heap.
#[derive(Clone, Copy, Debug)]
pub struct HeapBlock {
    pub size: usize,
    /// Who got it, and the number of that event.
    pub allocated: (u32, u32),
    /// Who gave it back, likewise.
    pub freed: Option<(u32, u32)>,
    /// Whether it is the program's to give back.
    pub is_program: bool,
}

/// All blocks of an execution. One that begins where an earlier one began takes its place.
#[derive(Debug, Default)]
pub struct Blocks {
    blocks: Vec<(usize, HeapBlock)>,
    /// Where in `blocks` those are, by their addresses.
    by_start: HashMap<usize, u32, NumberHash>,
}

impl Blocks {
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.by_start.clear();
    }

    pub fn give(&mut self, start: usize, size: usize, thread: u32, index: u32) {
        let block = HeapBlock {
            size,
            allocated: (thread, index),
            freed: None,
            is_program: true,
        };
        match self.by_start.entry(start) {
            Entry::Occupied(place) => self.blocks[*place.get() as usize].1 = block,
            Entry::Vacant(place) => {
                place.insert(self.blocks.len() as u32);
                self.blocks.push((start, block));
            }
        }
    }

    /// The block at an address; none if no block begins there.
    #[inline]
    pub fn at(&mut self, start: usize) -> Option<&mut HeapBlock> {
        let place = *self.by_start.get(&start)?;
        Some(&mut self.blocks[place as usize].1)
    }

    /// All blocks by their addresses.
    pub fn sorted(&self) -> SortedBlocks {
        let mut blocks = self.blocks.clone();
        blocks.sort_unstable_by_key(|(start, _)| *start);
        SortedBlocks(blocks)
    }

    /// The last block that begins at or before an address.
    pub fn near(&self, address: usize) -> Option<(usize, HeapBlock)> {
        let before = self.blocks.iter().filter(|(start, _)| *start <= address);
        before.max_by_key(|(start, _)| *start).copied()
    }
}

/// All blocks of an execution in the order of their addresses.
#[derive(Debug)]
pub struct SortedBlocks(Vec<(usize, HeapBlock)>);

impl SortedBlocks {
    /// The blocks that the program has not given back.
    pub fn in_use(&self) -> impl Iterator<Item = (usize, HeapBlock)> {
        let blocks = self.0.iter().copied();
        blocks.filter(|(_, block)| block.freed.is_none() && block.is_program)
    }

    /// The last block that begins at or before an address.
    pub fn near(&self, address: usize) -> Option<(usize, HeapBlock)> {
        let after = self.0.partition_point(|(start, _)| *start <= address);
        Some(self.0[after.checked_sub(1)?])
    }
}

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryErrorKind {
    UseAfterFree,
    DoubleFree,
    /// What is freed is no block.
    InvalidFree,
    /// An access to the heap beside every block.
    OutOfBounds,
    /// An access to a stack where no function has anything any more.
    UseAfterReturn,
}

impl MemoryErrorKind {
    pub fn title(self) -> &'static str {
        match self {
            MemoryErrorKind::UseAfterFree => "use after free",
            MemoryErrorKind::DoubleFree => "double free",
            MemoryErrorKind::InvalidFree => "invalid free",
            MemoryErrorKind::OutOfBounds => "out of bounds",
            MemoryErrorKind::UseAfterReturn => "use after return",
        }
    }
}

impl From<Unusable> for MemoryErrorKind {
    fn from(unusable: Unusable) -> MemoryErrorKind {
        match unusable {
            Unusable::Freed => MemoryErrorKind::UseAfterFree,
            Unusable::OutOfBounds => MemoryErrorKind::OutOfBounds,
        }
    }
}

/// A memory error.
#[derive(Clone, Debug)]
pub struct MemoryError {
    pub kind: MemoryErrorKind,
    /// Who made it, and where.
    pub culprit: RaceSide,
    pub length: usize,
    pub memory: MemoryHistory,
}

/// What a memory error is about.
#[derive(Clone, Debug)]
pub enum MemoryHistory {
    /// No block is near.
    Unknown,
    /// This block, or it is the nearest.
    Block(BlockHistory),
    /// A thread's stack, beyond its innermost frame. It may have ended.
    Stack { owner: u32, has_ended: bool },
    /// A static, which is none of the heap's.
    Static,
}

/// What became of a block.
#[derive(Clone, Debug)]
pub struct BlockHistory {
    pub size: usize,
    pub offset: usize,
    pub allocated: (u32, CodePlace),
    pub freed: Option<(u32, CodePlace)>,
}

impl BlockHistory {
    pub fn new(block: HeapBlock, offset: usize) -> BlockHistory {
        let told = |(thread, index)| (thread, CodePlace::later(index));
        BlockHistory {
            size: block.size,
            offset,
            allocated: told(block.allocated),
            freed: block.freed.map(told),
        }
    }
}

impl MemoryError {
    /// Its places that are known by number only.
    pub fn places(&mut self) -> impl Iterator<Item = &mut CodePlace> {
        let block = match &mut self.memory {
            MemoryHistory::Block(block) => Some(block),
            MemoryHistory::Unknown | MemoryHistory::Stack { .. } | MemoryHistory::Static => None,
        };
        block.into_iter().flat_map(|block| {
            let freed = block.freed.as_mut().map(|(_, place)| place);
            std::iter::once(&mut block.allocated.1).chain(freed)
        })
    }
}

impl fmt::Display for MemoryHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let block = match self {
            MemoryHistory::Unknown => return f.write_str("there is no block near this address"),
            MemoryHistory::Static => return f.write_str("the address is that of a static"),
            MemoryHistory::Stack {
                owner,
                has_ended: true,
            } => return write!(f, "on the stack of thread {owner}, which has ended"),
            MemoryHistory::Stack { owner, .. } => {
                return write!(f, "on the stack of thread {owner}");
            }
            MemoryHistory::Block(block) => block,
        };
        let (thread, place) = &block.allocated;
        write!(
            f,
            "byte {} of a block of {} bytes that thread {thread} allocated{place}",
            block.offset, block.size
        )?;
        match &block.freed {
            Some((thread, place)) => write!(f, "\n  and thread {thread} freed{place}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.kind.title())?;
        let RaceSide {
            thread,
            kind,
            place,
            ..
        } = &self.culprit;
        match kind {
            Some(AccessKind::Read | AccessKind::AtomicRead) => {
                write!(f, "thread {thread} reads {} bytes{place}", self.length)?;
            }
            Some(_) => write!(f, "thread {thread} writes {} bytes{place}", self.length)?,
            None => write!(f, "thread {thread} gives memory back{place}")?,
        }
        write!(f, "\n  {}", self.memory)?;
        match self.kind {
            MemoryErrorKind::UseAfterReturn => {
                f.write_str(": the function whose place it was has returned")
            }
            _ => Ok(()),
        }
    }
}
