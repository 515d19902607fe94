//! The executable's writable data and this OS thread's variables: copied once, put back before every
//! execution, so that statics start fresh in each. Measured: a test binary has a few kilobytes
//! to some hundred kilobytes of writable data, so that copying it takes about a microsecond, where a fork per
//! execution takes a hundred and more.
//!
//! Sound because an execution allocates from a heap that is emptied at the same time: no restored
//! pointer leads to memory that was freed, and nothing in the system's heap is freed by the program
//! (see [`super::heap`]). Not restored: data of shared libraries, files, the environment's strings.

use std::ffi::{c_char, c_int, c_void};
use std::ops::Range;

use super::system::{self, LoadedObject, ProgramHeader};

const LOAD: u32 = 1;
const TLS: u32 = 7;
const RELRO: u32 = 0x6474_e552;
const EXECUTE: u32 = 1;
const WRITE: u32 = 2;

/// Where the parts of the executable lie.
#[derive(Clone, Debug, Default)]
pub struct ImageLayout {
    pub base: usize,
    pub text: Range<usize>,
    pub writable: Vec<Range<usize>>,
    pub thread_local: Range<usize>,
}

impl ImageLayout {
    /// The layout of the running executable, with the thread-local block of the calling thread.
    pub fn of_this_program() -> ImageLayout {
        let mut layout = ImageLayout::default();
        // SAFETY: the callback only reads what the loader shows it and writes the layout.
        unsafe { system::dl_iterate_phdr(first_object, (&raw mut layout).cast()) };
        layout
    }
}

/// The first object that the loader lists is the executable.
unsafe extern "C" fn first_object(
    object: *mut LoadedObject,
    _size: usize,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the loader passes a valid object with its headers; `data` is the layout of the caller.
    let (object, headers, layout) = unsafe {
        let object = &*object;
        (
            object,
            std::slice::from_raw_parts(object.headers, object.header_count as usize),
            &mut *data.cast::<ImageLayout>(),
        )
    };
    let range = |header: &ProgramHeader| {
        let start = object.base + header.address as usize;
        start..start + header.memory_size as usize
    };
    layout.base = object.base;
    let of_kind = |kind| headers.iter().filter(move |header| header.kind == kind);
    let constant = of_kind(RELRO).map(range).next().unwrap_or(0..0);
    for header in of_kind(LOAD) {
        if header.flags & EXECUTE != 0 {
            let text = range(header);
            layout.text = if layout.text.is_empty() {
                text
            } else {
                layout.text.start.min(text.start)..layout.text.end.max(text.end)
            };
        } else if header.flags & WRITE != 0 {
            layout.writable.extend(without(range(header), &constant));
        }
    }
    if let Some(header) = of_kind(TLS).next()
        && !object.tls_data.is_null()
    {
        let start = object.tls_data as usize;
        layout.thread_local = start..start + header.memory_size as usize;
    }
    1
}

/// What is left of `range` after taking `hole` out. The hole's end counts up to the end of its page.
fn without(range: Range<usize>, hole: &Range<usize>) -> Vec<Range<usize>> {
    if hole.is_empty() || hole.end <= range.start || range.end <= hole.start {
        return vec![range];
    }
    // The loader protects whole pages; the linker pads the protected part to a page's end.
    let hole_start = hole.start & !4095;
    let hole_end = hole.end.next_multiple_of(4096);
    [
        range.start..hole_start.min(range.end),
        hole_end.max(range.start)..range.end,
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect()
}

/// A copy of everything that an execution may change and the next must find as it was.
#[derive(Debug)]
pub struct Image {
    parts: Vec<Part>,
    environment: Environment,
}

#[derive(Debug)]
struct Part {
    start: *mut u8,
    copy: Box<[u8]>,
}

impl Image {
    /// Copies the writable data but for the ranges in `keep`.
    pub fn take(layout: &ImageLayout, keep: &[Range<usize>]) -> Image {
        let mut ranges = layout.writable.clone();
        ranges.push(layout.thread_local.clone());
        for hole in keep {
            ranges = ranges
                .into_iter()
                .flat_map(|range| without_exactly(range, hole))
                .collect();
        }
        let part = |range: Range<usize>| {
            // SAFETY: the range is mapped, readable memory of this process, read byte by byte.
            let copy = unsafe { std::slice::from_raw_parts(range.start as *const u8, range.len()) };
            Part {
                start: range.start as *mut u8,
                copy: copy.into(),
            }
        };
        Image {
            parts: ranges
                .into_iter()
                .filter(|range| !range.is_empty())
                .map(part)
                .collect(),
            environment: Environment::take(),
        }
    }

    /// Puts everything back.
    ///
    /// # Safety
    /// No other thread runs, and nothing that the runtime needs has changed in the copied ranges.
    pub unsafe fn restore(&self) {
        for part in &self.parts {
            // SAFETY: the range was writable when it was copied and stays so for the life of the process.
            unsafe {
                std::ptr::copy_nonoverlapping(part.copy.as_ptr(), part.start, part.copy.len())
            };
        }
        self.environment.restore();
    }

    /// How many bytes are copied each time.
    pub fn size(&self) -> usize {
        self.parts.iter().map(|part| part.copy.len()).sum()
    }
}

fn without_exactly(range: Range<usize>, hole: &Range<usize>) -> Vec<Range<usize>> {
    if hole.is_empty() || hole.end <= range.start || range.end <= hole.start {
        return vec![range];
    }
    [
        range.start..hole.start.max(range.start),
        hole.end.min(range.end)..range.end,
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect()
}

/// The environment: `setenv` may leave pointers into the execution's heap in it.
#[derive(Debug)]
struct Environment {
    list: *mut *mut c_char,
    entries: Vec<*mut c_char>,
}

impl Environment {
    fn take() -> Environment {
        let mut entries = Vec::new();
        // SAFETY: one thread reads the list that the C library keeps, up to its end mark.
        let list = unsafe { system::environ };
        if !list.is_null() {
            loop {
                // SAFETY: as above.
                let entry = unsafe { *list.add(entries.len()) };
                entries.push(entry);
                if entry.is_null() {
                    break;
                }
            }
        }
        Environment { list, entries }
    }

    fn restore(&self) {
        // SAFETY: the list had room for these entries and was not freed: the C library never frees a list that it did not
        // allocate, and one that it did allocate it only replaces.
        unsafe {
            if system::environ != self.list {
                system::environ = self.list;
            }
            for (i, entry) in self.entries.iter().enumerate() {
                *self.list.add(i) = *entry;
            }
        }
    }
}
