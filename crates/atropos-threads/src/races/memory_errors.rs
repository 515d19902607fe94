//! Memory errors in the execution's heap: use after free, double free, free of what is no block, and accesses beyond a block.
//! Blocks that were given back are not used again soon (see `memory::heap`), so that an error does not hide behind the next
//! owner of the memory.

use std::collections::BTreeMap;
use std::fmt;

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
}

/// All blocks of an execution, by their addresses.
#[derive(Debug, Default)]
pub struct Blocks {
    by_start: BTreeMap<usize, HeapBlock>,
}

impl Blocks {
    pub fn clear(&mut self) {
        self.by_start.clear();
    }

    pub fn give(&mut self, start: usize, size: usize, thread: u32, index: u32) {
        let allocated = (thread, index);
        let freed = None;
        let block = HeapBlock {
            size,
            allocated,
            freed,
        };
        self.by_start.insert(start, block);
    }

    /// The block at an address; none if no block begins there.
    pub fn at(&mut self, start: usize) -> Option<&mut HeapBlock> {
        self.by_start.get_mut(&start)
    }

    /// The last block that begins at or before an address.
    pub fn near(&self, address: usize) -> Option<(usize, HeapBlock)> {
        let (start, block) = self.by_start.range(..=address).next_back()?;
        Some((*start, *block))
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
}

impl MemoryErrorKind {
    pub fn title(self) -> &'static str {
        match self {
            MemoryErrorKind::UseAfterFree => "use after free",
            MemoryErrorKind::DoubleFree => "double free",
            MemoryErrorKind::InvalidFree => "invalid free",
            MemoryErrorKind::OutOfBounds => "out of bounds",
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
    /// The block that it is about, if one is near, and where the access begins in it.
    pub block: Option<BlockHistory>,
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
        let blocks = self.block.iter_mut();
        blocks.flat_map(|block| {
            let freed = block.freed.as_mut().map(|(_, place)| place);
            std::iter::once(&mut block.allocated.1).chain(freed)
        })
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
        let Some(block) = &self.block else {
            return f.write_str("\n  there is no block near this address");
        };
        let (thread, place) = &block.allocated;
        write!(
            f,
            "\n  byte {} of a block of {} bytes that thread {thread} allocated{place}",
            block.offset, block.size
        )?;
        match &block.freed {
            Some((thread, place)) => write!(f, "\n  and thread {thread} freed{place}"),
            None => Ok(()),
        }
    }
}
