//! Where in the program something happened: a backtrace, taken when an access of a given number comes.

use std::backtrace::Backtrace;
use std::fmt;

use atropos_protocol::std_sources;

use crate::trace::{is_ours, short};

/// Frames that are told of a place.
const FRAMES: usize = 3;

/// The innermost frames of the program, each `function at file:line:column` as far as it is known.
pub type Frames = Vec<String>;

/// A place in the program, known by number first and by its frames when the schedule was run again.
#[derive(Clone, Debug, Default)]
pub struct CodePlace {
    pub index: u32,
    pub frames: Frames,
}

impl CodePlace {
    /// The place where the program is now.
    pub fn here(index: u32) -> CodePlace {
        CodePlace::of(index, &Backtrace::force_capture().to_string())
    }

    /// The place that a backtrace tells of.
    pub fn of(index: u32, backtrace: &str) -> CodePlace {
        CodePlace {
            index,
            frames: frames(backtrace),
        }
    }

    pub fn later(index: u32) -> CodePlace {
        CodePlace {
            index,
            frames: Vec::new(),
        }
    }
}

impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut frames = self.frames.iter();
        if let Some(first) = frames.next() {
            write!(f, " in {first}")?;
        }
        frames.try_for_each(|frame| write!(f, "\n    called by {frame}"))
    }
}

/// A frame of a backtrace: its function, and its file, line and column if they are known.
type Frame<'a> = (&'a str, Option<&'a str>);

fn parse(backtrace: &str) -> Vec<Frame<'_>> {
    let mut frames: Vec<Frame<'_>> = Vec::new();
    for line in backtrace.lines().map(str::trim) {
        if let Some(place) = line.strip_prefix("at ") {
            if let Some(last) = frames.last_mut() {
                last.1 = Some(place.strip_prefix("./").unwrap_or(place));
            }
        } else if let Some((number, function)) = line.split_once(": ")
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            frames.push((function, None));
        }
    }
    frames
}

fn starts_with_any(function: &str, starts: &[&str]) -> bool {
    let function = function.trim_start_matches('<');
    starts.iter().any(|start| function.starts_with(start))
}

fn is_of_std((function, place): &Frame<'_>) -> bool {
    starts_with_any(function, &["core::", "std::", "alloc::", "__rust"])
        || place.is_some_and(std_sources::is_of_std)
}

/// Whether a frame is of what is linked into the program without its doing.
fn is_of_ours((function, place): &Frame<'_>) -> bool {
    starts_with_any(function, &["atropos_", "__tsan"])
        || ["malloc", "free", "realloc", "calloc"].contains(function)
        || place.is_some_and(is_ours)
}

/// The frames of a backtrace that are the program's, the innermost first.
pub fn frames(backtrace: &str) -> Frames {
    let text = |(function, place): Frame<'_>| match place {
        Some(place) => format!("{function} at {}", short(place)),
        None => function.to_owned(),
    };
    let frames = parse(backtrace).into_iter();
    frames
        .filter(|frame| !is_of_std(frame) && !is_of_ours(frame))
        .take(FRAMES)
        .map(text)
        .collect()
}

/// The place in the user's own code from which a dependency was called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallerOfDependency {
    /// `file:line`.
    pub place: String,
    /// The function of the dependency that was called there; empty if that is not known.
    pub called: String,
    /// The async code that was being polled; empty if none was.
    pub task: String,
}

impl CallerOfDependency {
    /// From a backtrace; none if no frame is the user's.
    pub fn of(backtrace: &str) -> Option<CallerOfDependency> {
        let frames: Vec<Frame<'_>> = parse(backtrace);
        let innermost = frames.iter().position(is_of_user)?;
        let place = frames[innermost].1?;
        let inside = frames[..innermost].iter().rev();
        let called = inside
            .take_while(|frame| !is_of_ours(frame))
            .find(|frame| !is_of_std(frame));
        // Runtimes poll what they run: the outermost of the user's functions within that is the task.
        let poll = frames.iter().rposition(|(function, _)| is_poll(function));
        let task = poll.and_then(|poll| frames[..poll].iter().rfind(|frame| is_of_user(frame)));
        Some(CallerOfDependency {
            place: without_column(place).to_owned(),
            called: called.map_or_else(String::new, |(function, _)| without_closures(function)),
            task: task.map_or_else(String::new, |(function, _)| format!("`{function}`")),
        })
    }
}

/// Whether a frame is of a crate whose sources are the user's: only these have lines, and no dependency's.
fn is_of_user(frame: &Frame<'_>) -> bool {
    let in_dependency = |place: &str| short(place).len() < place.len();
    frame.1.is_some_and(|place| !in_dependency(place)) && !is_of_std(frame) && !is_of_ours(frame)
}

fn is_poll(function: &str) -> bool {
    let last = function.rsplit("::").find(|part| !part.starts_with('{'));
    last.is_some_and(|last| last == "poll" || last.starts_with("poll<"))
}

/// `file:line` of `file:line:column`.
fn without_column(place: &str) -> &str {
    place.rsplit_once(':').map_or(place, |(line, _)| line)
}

/// A function's path without the closures in it.
fn without_closures(function: &str) -> String {
    let parts = function.split("::").filter(|part| !part.starts_with('{'));
    parts.collect::<Vec<_>>().join("::")
}

/// Whether what was accessed here is a primitive's own: the innermost function that is not std's is the facade's.
pub fn is_access_of_facade(backtrace: &str) -> bool {
    let frames = parse(backtrace);
    let hook = frames
        .iter()
        .rposition(|(function, _)| function.starts_with("__tsan"));
    let mut outside = frames.iter().skip(hook.map_or(0, |hook| hook + 1));
    hook.is_some()
        && outside
            .find(|frame| !is_of_std(frame))
            .is_some_and(is_of_ours)
}

/// The accesses whose places are wanted.
#[derive(Debug, Default)]
pub struct Captures {
    /// By number, ascending.
    wanted: Vec<u32>,
    taken: Vec<CodePlace>,
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
        self.taken.push(CodePlace::here(self.next));
        self.set_next();
    }

    fn set_next(&mut self) {
        let next = self.wanted.get(self.taken.len());
        self.next = next.copied().unwrap_or(u32::MAX);
    }

    /// What was captured.
    pub fn taken(&mut self) -> Vec<CodePlace> {
        std::mem::take(&mut self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_primitive_does_to_itself_is_no_access_of_the_program() {
        let outside = "   7: tests::nested::{{closure}}\n             at ./tests/nested.rs:11:19\n";
        let push = "   2: __tsan_write8\n   3: <alloc::vec::Vec<u32>>::push\n";
        let of_facade = "   4: <atropos_threads::thread::scope::Scope>::spawn_with\n";
        assert!(is_access_of_facade(&format!("{push}{of_facade}{outside}")));
        assert!(!is_access_of_facade(&format!("{push}{outside}{of_facade}")));
        let generic = "   4: queue::push<atropos_threads::sync::mutex::Mutex<u8>>\n";
        assert!(!is_access_of_facade(&format!("{push}{generic}")));
        assert!(!is_access_of_facade(of_facade));
    }

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

    #[test]
    fn the_caller_of_a_dependency_and_its_task_are_told() {
        let backtrace = "   0: atropos_threads::trace::ExecutionTrace::push
   1: atropos_threads::sync::mutex::Mutex<T>::lock
   2: tokio::sync::batch_semaphore::Semaphore::poll_acquire
   3: <tokio::sync::batch_semaphore::Acquire as core::future::future::Future>::poll
   4: tokio::sync::mutex::Mutex<T>::lock::{closure#0}
   5: app::transfer::{closure#0}
             at ./src/a.rs:14:20
   6: app::tests::deadlocks::{closure#0}::{closure#1}
             at ./src/a.rs:30:9
   7: <tokio::runtime::task::core::Core<T, S>>::poll::{closure#0}
             at /home/me/.cargo/registry/src/index-1/tokio-1.4/src/runtime/task/core.rs:3:4
   8: tokio::runtime::park::CachedParkThread::block_on
   9: app::tests::deadlocks
             at ./src/a.rs:33:7
";
        let caller = CallerOfDependency::of(backtrace).unwrap();
        assert_eq!(caller.place, "src/a.rs:14");
        assert_eq!(caller.called, "tokio::sync::mutex::Mutex<T>::lock");
        assert_eq!(
            caller.task,
            "`app::tests::deadlocks::{closure#0}::{closure#1}`"
        );
        let plain = backtrace.split_at(backtrace.find("   8: ").unwrap()).1;
        let caller = CallerOfDependency::of(plain).unwrap();
        assert_eq!(
            (caller.place.as_str(), caller.task.as_str()),
            ("src/a.rs:33", "")
        );
        assert_eq!(CallerOfDependency::of("   0: std::rt::main\n"), None);
    }
}
