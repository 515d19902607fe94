//! The values that one run of a test computes at places in its source: a file that the test's processes fill and the
//! driver reads.
//!
//! Every value is appended, so their order is known. What finds no room is counted, not kept.
//!
//! Layout: a header, then entries. An entry is four numbers of 32 bits (place, length of the type's name, length of the
//! value, whether the value was cut), the two texts, and padding to a multiple of 8.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sys;

/// Holds the path of the file.
pub const ENV_CAPTURES: &str = "ATROPOS_CAPTURES";

const MAGIC: u64 = u64::from_le_bytes(*b"atrcap01");
const HEADER: usize = 64;
const ENTRY_HEADER: usize = 16;
/// Most bytes of one run. Only what is used takes room on the disk.
const ROOM: usize = 64 << 20;
/// Most bytes of one value.
const LONGEST_VALUE: usize = 4096;

/// A value that was computed at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedValue {
    pub place: u32,
    /// As `std::any::type_name` gives it.
    pub type_name: String,
    /// As `Debug` writes it.
    pub text: String,
    /// There is more of it than is kept.
    pub is_cut: bool,
}

/// A mapped file of captured values.
pub struct CapturedValues {
    base: *mut u8,
    path: PathBuf,
}

// SAFETY: the header is accessed through atomics. Every writer has an entry of its own, and the driver reads when no
// process writes.
unsafe impl Send for CapturedValues {}
// SAFETY: as above.
unsafe impl Sync for CapturedValues {}

impl CapturedValues {
    /// Makes the file, or clears it, and maps it.
    pub fn create(path: &Path) -> io::Result<CapturedValues> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        file.set_len(ROOM as u64)?;
        let values = CapturedValues::map(&file, path)?;
        values.begin();
        Ok(values)
    }

    /// Maps a file that the driver made.
    pub fn open(path: &Path) -> io::Result<CapturedValues> {
        let c_path = sys::c_path(path).ok_or(io::ErrorKind::InvalidInput)?;
        let fd = sys::open(&c_path, sys::O_RDWR, 0)
            .map_err(|error| io::Error::from_raw_os_error(error.0))?;
        // SAFETY: the descriptor was just opened and belongs to nobody else.
        let file = unsafe { File::from_raw_fd(fd) };
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "not a file of values");
        if file.metadata()?.len() != ROOM as u64 {
            return Err(wrong());
        }
        let values = CapturedValues::map(&file, path)?;
        match values.header()[0].load(Ordering::Acquire) {
            MAGIC => Ok(values),
            _ => Err(wrong()),
        }
    }

    fn map(file: &File, path: &Path) -> io::Result<CapturedValues> {
        let protection = sys::PROT_READ | sys::PROT_WRITE;
        let base = sys::map(file.as_raw_fd(), ROOM, protection, sys::MAP_SHARED)
            .map_err(|error| io::Error::from_raw_os_error(error.0))?;
        Ok(CapturedValues {
            base,
            path: path.to_owned(),
        })
    }

    fn header(&self) -> &[AtomicU64] {
        // SAFETY: the mapping starts with the header.
        unsafe { std::slice::from_raw_parts(self.base.cast(), HEADER / 8) }
    }

    fn begin(&self) {
        let header = self.header();
        header[1].store(HEADER as u64, Ordering::Relaxed);
        header[2].store(0, Ordering::Relaxed);
        header[0].store(MAGIC, Ordering::Release);
    }

    /// Forgets everything. No process may be writing.
    pub fn clear(&self) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(&self.path)?;
        // The pages are given back, and those that are touched again are zero.
        file.set_len(0)?;
        file.set_len(ROOM as u64)?;
        self.begin();
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a value. Its text is cut if it is long.
    pub fn add(&self, place: u32, type_name: &str, text: &str, is_cut: bool) {
        let type_name = start_of(type_name, LONGEST_VALUE);
        let kept = start_of(text, LONGEST_VALUE);
        let is_cut = is_cut || kept.len() < text.len();
        let size = entry_size(type_name.len(), kept.len());
        let header = self.header();
        let start = header[1].fetch_add(size as u64, Ordering::Relaxed) as usize;
        if start.saturating_add(size) > ROOM {
            header[2].fetch_add(1, Ordering::Relaxed);
            return;
        }
        let numbers = [type_name.len(), kept.len(), usize::from(is_cut)].map(|n| n as u32);
        // SAFETY: this part of the mapping was just given to this writer alone.
        unsafe {
            let entry = self.base.add(start);
            let head = entry.cast::<u32>();
            head.add(1).copy_from_nonoverlapping(numbers.as_ptr(), 3);
            let texts = entry.add(ENTRY_HEADER);
            texts.copy_from_nonoverlapping(type_name.as_ptr(), type_name.len());
            texts
                .add(type_name.len())
                .copy_from_nonoverlapping(kept.as_ptr(), kept.len());
            // Last: an entry without its place, plus one, is not whole.
            head.write(place + 1);
        }
    }

    /// All values of the last run, in their order; none if some found no room or were not written to their end.
    pub fn read(&self) -> Option<Vec<CapturedValue>> {
        let header = self.header();
        let end = header[1].load(Ordering::Acquire) as usize;
        if header[2].load(Ordering::Relaxed) > 0 || end > ROOM {
            return None;
        }
        // SAFETY: mapped, and nobody writes any more.
        let bytes = unsafe { std::slice::from_raw_parts(self.base, end) };
        let mut values = Vec::new();
        let mut position = HEADER;
        while position < end {
            let number = |index: usize| {
                let at = position + index * 4;
                let bytes = bytes.get(at..at + 4)?;
                Some(u32::from_le_bytes(bytes.try_into().ok()?))
            };
            let place = number(0)?.checked_sub(1)?;
            let (type_length, length) = (number(1)? as usize, number(2)? as usize);
            let texts = position + ENTRY_HEADER;
            let text = |from: usize, length: usize| {
                let bytes = bytes.get(from..from + length)?;
                Some(String::from_utf8_lossy(bytes).into_owned())
            };
            values.push(CapturedValue {
                place,
                type_name: text(texts, type_length)?,
                text: text(texts + type_length, length)?,
                is_cut: number(3)? != 0,
            });
            position += entry_size(type_length, length);
        }
        Some(values)
    }
}

impl Drop for CapturedValues {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this length, and all borrows have ended.
        unsafe { sys::unmap(self.base, ROOM) };
    }
}

fn entry_size(type_name: usize, text: usize) -> usize {
    (ENTRY_HEADER + type_name + text).next_multiple_of(8)
}

/// As much of a text as fits, whole characters only.
fn start_of(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("atropos-captures-{name}-{}", std::process::id()))
    }

    #[test]
    fn values_are_read_in_the_order_in_which_they_came() {
        let path = file("order");
        let driver = CapturedValues::create(&path).unwrap();
        assert_eq!(driver.read().unwrap(), []);
        let test = CapturedValues::open(&path).unwrap();
        test.add(7, "i32", "42", false);
        test.add(0, "alloc::string::String", "\"ü\"", false);
        let values = driver.read().unwrap();
        let shown: Vec<(u32, &str, &str)> = values
            .iter()
            .map(|value| (value.place, value.type_name.as_str(), value.text.as_str()))
            .collect();
        assert_eq!(
            shown,
            [(7, "i32", "42"), (0, "alloc::string::String", "\"ü\"")]
        );
        driver.clear().unwrap();
        assert_eq!(driver.read().unwrap(), []);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn long_values_are_cut_and_too_many_are_not_taken_for_all() {
        let path = file("room");
        let values = CapturedValues::create(&path).unwrap();
        let long = "ü".repeat(LONGEST_VALUE);
        values.add(1, "str", &long, false);
        let read = values.read().unwrap();
        assert!(read[0].is_cut && read[0].text.len() <= LONGEST_VALUE);
        for _ in 0..ROOM / LONGEST_VALUE {
            values.add(1, "str", &long, false);
        }
        assert_eq!(values.read(), None);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn another_file_is_refused() {
        let path = file("other");
        std::fs::write(&path, "something else").unwrap();
        assert!(CapturedValues::open(&path).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
