//! Where in the program something happened: a backtrace, taken when an access of a given number comes.

use std::backtrace::Backtrace;
use std::fmt;

use crate::trace::{is_ours, short};

/// Frames that are told of a place.
const FRAMES: usize = 3;

/// The innermost frames of the program, each `function at file:line:column` as far as it is known.
pub type Frames = Vec<String>;

/// A place in the program, known by number first and by its frames when the schedule was run again.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub index: u32,
    pub frames: Frames,
}

impl Place {
    /// The place where the program is now.
    pub fn here(index: u32) -> Place {
        Place {
            index,
            frames: frames(&Backtrace::force_capture().to_string()),
        }
    }

    pub fn later(index: u32) -> Place {
        Place {
            index,
            frames: Vec::new(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut frames = self.frames.iter();
        if let Some(first) = frames.next() {
            write!(f, " in {first}")?;
        }
        frames.try_for_each(|frame| write!(f, "\n    called by {frame}"))
    }
}

/// The frames of a backtrace that are the program's, from the first one on that is neither ours nor std's.
pub fn frames(backtrace: &str) -> Frames {
    let mut frames: Vec<(String, Option<&str>)> = Vec::new();
    for line in backtrace.lines().map(str::trim) {
        if let Some(place) = line.strip_prefix("at ") {
            if let Some(last) = frames.last_mut() {
                last.1 = Some(place.strip_prefix("./").unwrap_or(place));
            }
        } else if let Some((number, function)) = line.split_once(": ")
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            frames.push((function.to_owned(), None));
        }
    }
    let is_program = |(function, place): &(String, Option<&str>)| {
        let is_of_std = [
            "core::", "std::", "alloc::", "<core::", "<std::", "<alloc::", "__tsan", "__rust",
        ]
        .iter()
        .any(|start| function.starts_with(start));
        let is_of_ours = function.contains("atropos_")
            || ["malloc", "free", "realloc", "calloc"].contains(&function.as_str());
        let is_file_of_others =
            place.is_some_and(|place| is_ours(place) || place.starts_with("/rustc/"));
        !is_of_std && !is_of_ours && !is_file_of_others
    };
    let text = |(function, place): (String, Option<&str>)| match place {
        Some(place) => format!("{function} at {}", short(place)),
        None => function,
    };
    frames
        .into_iter()
        .skip_while(|frame| !is_program(frame))
        .filter(is_program)
        .take(FRAMES)
        .map(text)
        .collect()
}

/// The accesses whose places are wanted.
#[derive(Debug, Default)]
pub struct Captures {
    /// By number, ascending.
    wanted: Vec<u32>,
    taken: Vec<Place>,
    /// The next one, `u32::MAX` for none.
    pub next: u32,
}

impl Captures {
    /// From the next execution on, these.
    pub fn want(&mut self, mut wanted: Vec<u32>) {
        wanted.sort_unstable();
        wanted.dedup();
        self.wanted = wanted;
    }

    pub fn restart(&mut self) {
        self.taken.clear();
        self.set_next();
    }

    /// The next one has come.
    #[cold]
    pub fn take_here(&mut self) {
        self.taken.push(Place::here(self.next));
        self.set_next();
    }

    fn set_next(&mut self) {
        let next = self.wanted.get(self.taken.len());
        self.next = next.copied().unwrap_or(u32::MAX);
    }

    /// What was captured.
    pub fn taken(&mut self) -> Vec<Place> {
        std::mem::take(&mut self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frames_of_a_place_are_those_of_the_program() {
        let backtrace = "   0: std::backtrace_rs::backtrace::trace
             at /rustc/59807616/library/std/src/backtrace.rs:1:1
   1: atropos_threads::races::places::Place::here
   2: __tsan_write8
   3: <alloc::vec::Vec<u8>>::push
             at /rustc/59807616/library/alloc/src/vec/mod.rs:5:5
   4: queue::push
             at ./src/queue.rs:12:22
   5: core::ops::function::FnOnce::call_once
   6: queue::tests::pushes::{{closure}}
             at ./src/queue.rs:30:9
";
        assert_eq!(
            frames(backtrace),
            [
                "queue::push at src/queue.rs:12:22",
                "queue::tests::pushes::{{closure}} at src/queue.rs:30:9"
            ]
        );
    }
}
