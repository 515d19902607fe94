//! Blocks that an execution has never given back although nothing leads to them any more.
//!
//! Memory is searched word by word, as collectors of garbage do that know no types: what looks like the address of a byte of a
//! block leads to that block. So a leak that is told is one; not every leak is told. Blocks that a static leads to are none: they
//! may be meant to last.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use super::memory_errors::{BlockHistory, Blocks, HeapBlock, SortedBlocks};

const WORD: usize = size_of::<usize>();

/// Memory that was lost.
#[derive(Clone, Debug)]
pub struct Leak {
    pub blocks: usize,
    pub bytes: usize,
    /// The first of those that no other lost block leads to, or the first of all if they lead to each other.
    pub first: BlockHistory,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Leak {
            blocks,
            bytes,
            first,
        } = self;
        match blocks {
            1 => write!(
                f,
                "leak: a block of {bytes} bytes is never given back, and nothing leads to it any more:"
            )?,
            _ => write!(
                f,
                "leak: {blocks} blocks of {bytes} bytes in all are never given back, and nothing leads to them any more; one of them:"
            )?,
        }
        let (thread, place) = &first.allocated;
        write!(
            f,
            "\n  {} bytes that thread {thread} allocated{place}",
            first.size
        )
    }
}

impl Leak {
    /// What was lost of these blocks, if nothing but these parts of memory and words leads to blocks.
    pub fn find(
        blocks: &Blocks,
        parts: impl Iterator<Item = Range<usize>>,
        words: impl Iterator<Item = usize>,
    ) -> Option<Leak> {
        let blocks = blocks.sorted();
        let mut search = Search {
            blocks: &blocks,
            known: BTreeSet::new(),
            open: Vec::new(),
        };
        words.for_each(|word| search.look_at(word));
        parts.for_each(|part| search.look_through(part));
        search.follow();
        let reached = search.known.clone();
        let lost = || {
            blocks
                .in_use()
                .filter(|(start, _)| !reached.contains(start))
        };
        let (first_of_all, _) = lost().next()?;
        // Of these, some are only held by others that are lost.
        for (start, block) in lost() {
            search.look_through(start..start + block.size);
        }
        let is_held = |start: &usize| search.known.contains(start);
        let first = lost().map(|(start, _)| start).find(|start| !is_held(start));
        let (_, first) = blocks.near(first.unwrap_or(first_of_all))?;
        Some(Leak {
            blocks: lost().count(),
            bytes: lost().map(|(_, block)| block.size).sum(),
            first: BlockHistory::new(first, 0),
        })
    }
}

/// The blocks that something leads to.
struct Search<'a> {
    blocks: &'a SortedBlocks,
    known: BTreeSet<usize>,
    /// Those whose own words were not looked at yet.
    open: Vec<(usize, HeapBlock)>,
}

impl Search<'_> {
    fn look_at(&mut self, word: usize) {
        if let Some((start, block)) = self.blocks.near(word)
            && word - start < block.size.max(1)
            && self.known.insert(start)
        {
            self.open.push((start, block));
        }
    }

    fn look_through(&mut self, part: Range<usize>) {
        let mut at = part.start.next_multiple_of(WORD);
        while at + WORD <= part.end {
            // SAFETY: parts are statics and blocks of the execution, whose threads have all ended.
            self.look_at(unsafe { (at as *const usize).read_volatile() });
            at += WORD;
        }
    }

    fn follow(&mut self) {
        while let Some((start, block)) = self.open.pop() {
            if block.freed.is_none() {
                self.look_through(start..start + block.size);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of two words each, made of these words.
    fn blocks(memory: &[[usize; 2]]) -> Blocks {
        let mut blocks = Blocks::default();
        for (index, block) in memory.iter().enumerate() {
            blocks.give(block.as_ptr() as usize, 2 * WORD, 0, index as u32 + 1);
        }
        blocks
    }

    fn find(memory: &[[usize; 2]], words: &[usize]) -> Option<(usize, u32)> {
        let leak = Leak::find(&blocks(memory), std::iter::empty(), words.iter().copied())?;
        assert_eq!(leak.bytes, leak.blocks * 2 * WORD);
        Some((leak.blocks, leak.first.allocated.1.index))
    }

    #[test]
    fn what_nothing_leads_to_is_lost() {
        let mut memory = [[0; 2]; 4];
        let address = |memory: &[[usize; 2]], block: usize| memory[block].as_ptr() as usize;
        assert_eq!(find(&memory, &[]), Some((4, 1)));
        // The third leads to the second, by an address in its middle.
        memory[2][1] = address(&memory, 1) + 3;
        assert_eq!(find(&memory, &[address(&memory, 0)]), Some((3, 3)));
        assert_eq!(find(&memory, &[address(&memory, 2)]), Some((2, 1)));
        // Those that only lead to each other are lost, too.
        memory[3][0] = address(&memory, 0);
        memory[0][0] = address(&memory, 3);
        assert_eq!(find(&memory, &[address(&memory, 2)]), Some((2, 1)));
        let all = [address(&memory, 2), address(&memory, 3)];
        assert_eq!(find(&memory, &all), None);
    }
}
