//! What a forked process writes into its pipe, line by line.

use std::io::{PipeReader, Read};
use std::os::fd::{AsRawFd, RawFd};

pub struct LineReader {
    pipe: PipeReader,
    /// What came since the last end of a line.
    input: Vec<u8>,
}

impl LineReader {
    pub fn of(pipe: PipeReader) -> LineReader {
        LineReader {
            pipe,
            input: Vec::new(),
        }
    }

    /// The lines that are there now, ends included, after waiting for some; `None` at the end.
    pub fn read(&mut self) -> Option<Vec<String>> {
        let mut buffer = [0; 1 << 16];
        let read = self.pipe.read(&mut buffer).unwrap_or(0);
        self.input.extend_from_slice(&buffer[..read]);
        let end = self.input.iter().rposition(|byte| *byte == b'\n');
        let whole: Vec<u8> = self.input.drain(..end.map_or(0, |end| end + 1)).collect();
        let lines = String::from_utf8_lossy(&whole);
        (read > 0).then(|| lines.split_inclusive('\n').map(str::to_owned).collect())
    }
}

impl AsRawFd for LineReader {
    fn as_raw_fd(&self) -> RawFd {
        self.pipe.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_come_whole_however_they_were_written() {
        let (pipe, mut end) = std::io::pipe().unwrap();
        let mut lines = LineReader::of(pipe);
        end.write_all(b"one\ntwo\nth").unwrap();
        assert_eq!(lines.read().unwrap(), ["one\n", "two\n"]);
        end.write_all(b"r").unwrap();
        assert_eq!(lines.read().unwrap(), [""; 0]);
        end.write_all(b"ee\n").unwrap();
        assert_eq!(lines.read().unwrap(), ["three\n"]);
        drop(end);
        assert_eq!(lines.read(), None);
    }
}
