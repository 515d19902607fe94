//! The observations of one run: a file that the test's processes fill and the driver reads.
//!
//! Functions and blocks are numbered by the weave. For each function there is a [`FunctionTally`] and a
//! state of a size that the two sides agree on (its meaning is not known here); for each block a
//! counter; and a set of calls, who called whom. Most of the file is never touched and takes no
//! room on the disk.
//!
//! Layout: a header, tallies, counters, calls, states; each part starts at a multiple of 64.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::sys;

/// Holds the path of the file.
pub const ENV_OBSERVATIONS: &str = "ATROPOS_OBSERVATIONS";

const MAGIC: u64 = u64::from_le_bytes(*b"atrobs01");
const HEADER: usize = 64;
/// Room for different calls; further ones are not noted.
const CALLS: usize = 8192;
/// So far a call is looked for from where its hash says.
const PROBES: usize = 16;

/// How often a function was called, and what it returned.
#[repr(C)]
#[derive(Default)]
pub struct FunctionTally {
    pub calls: AtomicU64,
    /// Left with a value that could be looked at.
    pub returns: AtomicU64,
    /// Left by `?`.
    pub early: AtomicU64,
    /// The sum of the hashes of all returned values: their order does not matter.
    pub returned: AtomicU64,
    /// A bit for each returned value, chosen by its hash: which values there were, roughly.
    pub sketch: AtomicU64,
    /// Not 0: a thread is working on the state.
    pub busy: AtomicU32,
    spare: [AtomicU32; 5],
}

/// How many things are observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedCounts {
    pub functions: u32,
    pub blocks: u32,
    /// Of one function, in bytes.
    pub state_size: u32,
}

impl ObservedCounts {
    fn counters(self) -> usize {
        HEADER + self.functions as usize * size_of::<FunctionTally>()
    }

    fn calls(self) -> usize {
        (self.counters() + self.blocks as usize * 4).next_multiple_of(64)
    }

    fn states(self) -> usize {
        self.calls() + CALLS * 8
    }

    fn state_stride(self) -> usize {
        (self.state_size as usize).next_multiple_of(64)
    }

    fn end(self) -> usize {
        self.states() + self.functions as usize * self.state_stride()
    }
}

/// A mapped file of observations.
pub struct Observations {
    base: *mut u8,
    extent: ObservedCounts,
    path: PathBuf,
}

// SAFETY: all but the states is accessed through atomics; who works on a state holds its lock, or
// is alone.
unsafe impl Send for Observations {}
// SAFETY: as above.
unsafe impl Sync for Observations {}

impl Observations {
    /// Makes the file, or clears it, and maps it.
    pub fn create(path: &Path, extent: ObservedCounts) -> io::Result<Observations> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        file.set_len(extent.end() as u64)?;
        let observations = Observations::map(&file, path, extent)?;
        observations.write_header();
        Ok(observations)
    }

    /// Maps a file that somebody made.
    pub fn open(path: &Path) -> io::Result<Observations> {
        let c_path = sys::c_path(path).ok_or(io::ErrorKind::InvalidInput)?;
        let fd = sys::open(&c_path, sys::O_RDWR, 0)
            .map_err(|error| io::Error::from_raw_os_error(error.0))?;
        // SAFETY: the descriptor was just opened and belongs to nobody else.
        let file = unsafe { <File as std::os::fd::FromRawFd>::from_raw_fd(fd) };
        let length = file.metadata()?.len() as usize;
        if length < HEADER {
            return Err(wrong());
        }
        let none = ObservedCounts {
            functions: 0,
            blocks: 0,
            state_size: 0,
        };
        let header = Observations::map(&file, path, none)?;
        let extent = header.extent_in_header().ok_or_else(wrong)?;
        if length < extent.end() {
            return Err(wrong());
        }
        Observations::map(&file, path, extent)
    }

    fn map(file: &File, path: &Path, extent: ObservedCounts) -> io::Result<Observations> {
        let base = sys::map(
            file.as_raw_fd(),
            extent.end(),
            sys::PROT_READ | sys::PROT_WRITE,
            sys::MAP_SHARED,
        )
        .map_err(|error| io::Error::from_raw_os_error(error.0))?;
        Ok(Observations {
            base,
            extent,
            path: path.to_owned(),
        })
    }

    /// Forgets everything. No process may be observing.
    pub fn clear(&self) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(&self.path)?;
        // The pages are given back, and those that are touched again are zero.
        file.set_len(0)?;
        file.set_len(self.extent.end() as u64)?;
        self.write_header();
        Ok(())
    }

    fn header(&self) -> &[AtomicU64] {
        // SAFETY: the mapping starts with the header.
        unsafe { std::slice::from_raw_parts(self.base.cast(), HEADER / 8) }
    }

    fn write_header(&self) {
        let ObservedCounts {
            functions,
            blocks,
            state_size,
        } = self.extent;
        let header = self.header();
        for (field, number) in header[1..].iter().zip([functions, blocks, state_size]) {
            field.store(u64::from(number), Ordering::Relaxed);
        }
        header[4].store(0, Ordering::Relaxed);
        header[0].store(MAGIC, Ordering::Release);
    }

    fn extent_in_header(&self) -> Option<ObservedCounts> {
        let header = self.header();
        let number = |index: usize| u32::try_from(header[index].load(Ordering::Relaxed)).ok();
        if header[0].load(Ordering::Acquire) != MAGIC {
            return None;
        }
        Some(ObservedCounts {
            functions: number(1)?,
            blocks: number(2)?,
            state_size: number(3)?,
        })
    }

    /// Asks the next run to hold threads up now and then, so that they meet otherwise; 0 for not. To be set after
    /// [`Observations::clear`].
    pub fn shuffle(&self, seed: u64) {
        self.header()[4].store(seed, Ordering::Relaxed);
    }

    /// What was asked for by [`Observations::shuffle`].
    #[inline(always)]
    pub fn seed(&self) -> u64 {
        self.header()[4].load(Ordering::Relaxed)
    }

    pub fn extent(&self) -> ObservedCounts {
        self.extent
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The tallies of all functions.
    #[inline(always)]
    pub fn tallies(&self) -> &[FunctionTally] {
        // SAFETY: the layout has them there; all fields are atomics.
        unsafe {
            std::slice::from_raw_parts(self.base.add(HEADER).cast(), self.extent.functions as usize)
        }
    }

    /// The counters of all blocks.
    #[inline(always)]
    pub fn counters(&self) -> &[AtomicU32] {
        // SAFETY: the layout has them there.
        unsafe {
            std::slice::from_raw_parts(
                self.base.add(self.extent.counters()).cast(),
                self.extent.blocks as usize,
            )
        }
    }

    fn call_slots(&self) -> &[AtomicU64] {
        // SAFETY: the layout has them there.
        unsafe { std::slice::from_raw_parts(self.base.add(self.extent.calls()).cast(), CALLS) }
    }

    /// Notes that one function called another. A caller of 0 is the test itself, other callers
    /// are given as their number plus 1.
    #[inline]
    pub fn add_call(&self, caller: u32, callee: u32) {
        let call = (u64::from(caller) << 32 | u64::from(callee)) + 1;
        let start = call.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51;
        let slots = self.call_slots();
        for probe in 0..PROBES {
            let slot = &slots[(start as usize + probe) % CALLS];
            let there = slot.load(Ordering::Relaxed);
            if there == call {
                return;
            }
            if there == 0 {
                match slot.compare_exchange(0, call, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return,
                    Err(other) if other == call => return,
                    Err(_) => {}
                }
            }
        }
    }

    /// Who called whom, as [`Observations::add_call`] was told.
    pub fn calls(&self) -> Vec<(u32, u32)> {
        let slots = self.call_slots().iter();
        let calls = slots.map(|slot| slot.load(Ordering::Relaxed));
        calls
            .filter(|&call| call != 0)
            .map(|call| (((call - 1) >> 32) as u32, (call - 1) as u32))
            .collect()
    }

    /// Where the state of a function lies.
    #[inline(always)]
    pub fn state(&self, function: u32) -> Option<*mut u8> {
        if function >= self.extent.functions {
            return None;
        }
        let offset = self.extent.states() + function as usize * self.extent.state_stride();
        // SAFETY: the layout has it there.
        Some(unsafe { self.base.add(offset) })
    }

    /// The bytes of a function's state. No process may be observing.
    pub fn state_bytes(&self, function: u32) -> &[u8] {
        match self.state(function) {
            // SAFETY: as in `state`; nobody writes now.
            Some(state) => unsafe {
                std::slice::from_raw_parts(state, self.extent.state_size as usize)
            },
            None => &[],
        }
    }
}

impl Drop for Observations {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this length, and all borrows have ended.
        unsafe { sys::unmap(self.base, self.extent.end()) };
    }
}

fn wrong() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a file of observations")
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENT: ObservedCounts = ObservedCounts {
        functions: 3,
        blocks: 5,
        state_size: 100,
    };

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!(
            "atropos-observations-{name}-{}",
            std::process::id()
        ))
    }

    #[test]
    fn two_processes_see_the_same_observations() {
        let path = path("shared");
        let driver = Observations::create(&path, EXTENT).unwrap();
        let test = Observations::open(&path).unwrap();
        assert_eq!(test.extent(), EXTENT);
        test.tallies()[2].calls.store(7, Ordering::Relaxed);
        test.counters()[4].store(9, Ordering::Relaxed);
        test.add_call(1, 2);
        test.add_call(1, 2);
        test.add_call(0, 1);
        // SAFETY: a state has 100 bytes, and nobody else looks.
        unsafe { test.state(2).unwrap().add(99).write(5) };
        assert_eq!(driver.tallies()[2].calls.load(Ordering::Relaxed), 7);
        assert_eq!(driver.counters()[4].load(Ordering::Relaxed), 9);
        let mut calls = driver.calls();
        calls.sort_unstable();
        assert_eq!(calls, [(0, 1), (1, 2)]);
        assert_eq!(driver.state_bytes(2)[99], 5);
        assert_eq!(driver.state(3), None);
        drop(test);
        driver.clear().unwrap();
        assert!(driver.calls().is_empty());
        assert_eq!(driver.state_bytes(2)[99], 0);
        assert_eq!(driver.tallies()[2].calls.load(Ordering::Relaxed), 0);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn other_files_are_refused() {
        let path = path("other");
        for text in ["", "x", &"no observations ".repeat(40)] {
            std::fs::write(&path, text).unwrap();
            assert!(Observations::open(&path).is_err());
        }
        std::fs::remove_file(&path).unwrap();
        assert!(Observations::open(&path).is_err());
    }

    #[test]
    fn more_calls_than_there_is_room_for_do_no_harm() {
        let path = path("many");
        let observations = Observations::create(&path, EXTENT).unwrap();
        for caller in 0..200 {
            for callee in 0..200 {
                observations.add_call(caller, callee);
            }
        }
        let calls = observations.calls();
        assert!(calls.len() <= CALLS && calls.len() > CALLS / 2);
        std::fs::remove_file(path).unwrap();
    }
}
