//! All writable memory of this process as it was at one moment, and the way back to it.
//!
//! A worker goes back after every mutant, so that the next one finds statics, thread-locals, the
//! heap and libc's own data exactly as they were: for memory that is as good as a new process,
//! and much cheaper. What is not memory is guarded by `effects` and `sandbox`. The stack is left
//! as it is: the frames of the worker itself are on it, and what lies below them is dead.
//!
//! Nothing here may keep state in ordinary memory: the list of ranges and the copies lie in
//! mappings of their own, which are not among the ranges.

use atropos_protocol::sys;

const PAGE: usize = 4096;
/// Room for the text of the kernel's list of mappings.
const TEXT: usize = 1 << 20;
const MOST_RANGES: usize = 4096;

#[repr(C)]
#[derive(Clone, Copy)]
struct Range {
    start: usize,
    end: usize,
    /// Where its copy lies.
    copy: usize,
}

/// A saved state. The fields are plain numbers, so the worker can hold it on its stack.
#[derive(Clone, Copy)]
pub struct Snapshot {
    ranges: *const Range,
    count: usize,
    bytes: usize,
    program_break: usize,
}

impl Snapshot {
    /// Copies everything. `None` if the kernel does not tell, or something is shared that we do
    /// not know (`board` is the one mapping that may be).
    pub fn take(board: std::ops::Range<usize>) -> Option<Snapshot> {
        let text = sys::map_memory(TEXT).ok()?;
        let ranges = sys::map_memory(MOST_RANGES * size_of::<Range>())
            .ok()?
            .cast::<Range>();
        let length = read_maps(text)?;
        // SAFETY: `read_maps` filled that many bytes of our mapping.
        let lines = unsafe { std::slice::from_raw_parts(text, length) };
        let own = [
            text as usize..text as usize + TEXT,
            ranges as usize..ranges as usize + MOST_RANGES * size_of::<Range>(),
            restartable_sequence(),
        ];
        let (mut count, mut bytes) = (0, 0);
        for line in lines.split(|&byte| byte == b'\n') {
            let Some(mapping) = Mapping::parse(line) else {
                continue;
            };
            if mapping.shared {
                if mapping.start < board.start || mapping.end > round_up(board.end) {
                    return None;
                }
                continue;
            }
            if mapping.stack {
                continue;
            }
            let mut start = mapping.start;
            while let Some((piece, next)) = first_piece(start, mapping.end, &own) {
                if count == MOST_RANGES {
                    return None;
                }
                // SAFETY: within our mapping.
                unsafe {
                    ranges.add(count).write(Range {
                        start: piece.start,
                        end: piece.end,
                        copy: bytes,
                    });
                }
                count += 1;
                bytes += round_up(piece.len());
                start = next;
            }
        }
        let copy = sys::map_memory(bytes.max(PAGE)).ok()? as usize;
        let snapshot = Snapshot {
            ranges,
            count,
            bytes,
            program_break: sys::program_break(),
        };
        for index in 0..count {
            // SAFETY: the ranges are mapped and readable; the copy has room for all of them.
            unsafe {
                let range = &mut *ranges.add(index);
                range.copy += copy;
                let length = range.end - range.start;
                copy_memory(range.start, range.copy, length);
            }
        }
        Some(snapshot)
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Brings all ranges back to what they were.
    ///
    /// # Safety
    /// Nothing that the caller holds may point to memory that was allocated since; nobody else
    /// may run in this process.
    #[inline(never)]
    pub unsafe fn restore(&self) {
        // SAFETY: the allocator that knew of memory beyond is about to forget it.
        unsafe { sys::set_break(self.program_break) };
        for index in 0..self.count {
            // SAFETY: as when they were copied.
            unsafe {
                let range = &*self.ranges.add(index);
                let mut offset = 0;
                while offset < range.end - range.start {
                    // Pieces that did not change are left alone: reading is cheaper than writing.
                    let length = PAGE.min(range.end - range.start - offset);
                    let (place, copy) = (range.start + offset, range.copy + offset);
                    if !same_memory(place, copy, length) {
                        copy_memory(copy, place, length);
                    }
                    offset += length;
                }
            }
        }
    }
}

/// # Safety
/// Both ranges must be mapped, and not overlap.
unsafe fn copy_memory(from: usize, to: usize, length: usize) {
    // SAFETY: the caller guarantees it.
    unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, length) };
}

/// # Safety
/// Both ranges must be mapped.
unsafe fn same_memory(one: usize, other: usize, length: usize) -> bool {
    // SAFETY: the caller guarantees it.
    unsafe {
        std::slice::from_raw_parts(one as *const u8, length)
            == std::slice::from_raw_parts(other as *const u8, length)
    }
}

fn round_up(address: usize) -> usize {
    address.next_multiple_of(PAGE)
}

fn read_maps(text: *mut u8) -> Option<usize> {
    let file = sys::open(c"/proc/self/maps", 0, 0).ok()?;
    let mut length = 0;
    loop {
        // SAFETY: within our mapping.
        let room = unsafe { std::slice::from_raw_parts_mut(text.add(length), TEXT - length) };
        match sys::read(file, room) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(_) => break,
        }
    }
    sys::close(file);
    (length > 0 && length < TEXT).then_some(length)
}

/// The part of the thread's control block that the kernel writes by itself.
fn restartable_sequence() -> std::ops::Range<usize> {
    let offset = sys::next_symbol(c"__rseq_offset").cast::<isize>();
    if offset.is_null() {
        return 0..0;
    }
    // SAFETY: libc's constant.
    let start = thread_pointer().wrapping_add_signed(unsafe { *offset });
    start..start + 32
}

fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: reads a register, or the word that holds its own address.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly));
        #[cfg(target_arch = "aarch64")]
        std::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, nomem));
    }
    pointer
}

/// A writable mapping, from a line like
/// `7f0000000000-7f0000001000 rw-p 00000000 08:02 131 /usr/lib/libc.so.6`.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    start: usize,
    end: usize,
    shared: bool,
    stack: bool,
}

impl Mapping {
    /// `None` if the line is no line, or its mapping can't be read and written.
    fn parse(line: &[u8]) -> Option<Mapping> {
        let mut fields = line
            .split(|&byte| byte == b' ')
            .filter(|field| !field.is_empty());
        let mut ends = fields.next()?.split(|&byte| byte == b'-');
        let (start, end) = (hexadecimal(ends.next()?)?, hexadecimal(ends.next()?)?);
        let rights = fields.next()?;
        if rights.get(..2)? != b"rw" {
            return None;
        }
        Some(Mapping {
            start,
            end,
            shared: rights.get(3) == Some(&b's'),
            stack: line.ends_with(b"[stack]"),
        })
    }
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The first part of `start..end` outside of all `holes`, and where to look for the next.
fn first_piece(
    start: usize,
    end: usize,
    holes: &[std::ops::Range<usize>],
) -> Option<(std::ops::Range<usize>, usize)> {
    let mut start = start;
    while let Some(hole) = holes.iter().find(|hole| hole.contains(&start)) {
        start = hole.end;
    }
    if start >= end {
        return None;
    }
    let stop = holes
        .iter()
        .map(|hole| hole.start)
        .filter(|&hole| hole > start && hole < end)
        .min()
        .unwrap_or(end);
    Some((start..stop, stop))
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_understood() {
        let line = b"7f00-7f10 rw-p 00000000 08:02 131    /usr/lib/libc.so.6";
        let mapping = Mapping::parse(line).unwrap();
        assert_eq!((mapping.start, mapping.end), (0x7f00, 0x7f10));
        assert!(!mapping.shared && !mapping.stack);
        assert!(Mapping::parse(b"7f00-7f10 rw-s 0 0 0").unwrap().shared);
        assert!(
            Mapping::parse(b"7f00-7f10 rw-p 0 0 0   [stack]")
                .unwrap()
                .stack
        );
        assert_eq!(Mapping::parse(b"7f00-7f10 r--p 0 0 0"), None);
        assert_eq!(Mapping::parse(b"7f00-7f10 ---p 0 0 0"), None);
        assert_eq!(Mapping::parse(b""), None);
    }

    #[test]
    fn holes_are_left_out() {
        let pieces = |start, end, holes: &[std::ops::Range<usize>]| {
            let (mut at, mut pieces) = (start, Vec::new());
            while let Some((piece, next)) = first_piece(at, end, holes) {
                pieces.push(piece);
                at = next;
            }
            pieces
        };
        assert_eq!(pieces(0, 10, &[]), [0..10]);
        assert_eq!(pieces(0, 10, &[3..5]), [0..3, 5..10]);
        assert_eq!(pieces(0, 10, &[0..5, 5..7]), [7..10]);
        assert_eq!(pieces(0, 10, &[8..20, 20..30]), [0..8]);
        assert!(pieces(0, 10, &[0..10]).is_empty());
        assert_eq!(pieces(5, 10, &[0..0]), [5..10]);
    }
}
