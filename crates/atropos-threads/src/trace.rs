//! What happened in an execution, step by step: kept when a schedule is replayed to be shown.

use std::fmt;

use atropos_search::SharedObject;

use crate::control::code::Code;
use crate::control::objects::Site;
use crate::control::thread_that_ends;

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct TraceEvent {
    pub thread: u32,
    pub code: Code,
    /// What was touched first; nothing for local steps.
    pub object: SharedObject,
    pub site: Option<Site>,
    /// For a started thread: its number.
    pub value: u64,
    /// It took no notice of a store that is there already, as weak memory allows: a load gave an older value, or a store came
    /// before that one.
    is_late: bool,
    values: Option<Values>,
}

/// What an atomic held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// This was read or written.
    One(u64),
    /// The first became the second.
    Change(u64, u64),
    /// This was not what was expected, and stayed.
    Kept(u64),
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Values::One(value) => write!(f, " ({})", number(value)),
            Values::Change(old, new) => write!(f, " ({} → {})", number(old), number(new)),
            Values::Kept(value) => write!(f, " (in vain: {})", number(value)),
        }
    }
}

/// Large numbers are addresses, or bits, or small negative ones.
fn number(value: u64) -> String {
    const LARGE: u64 = 1 << 32;
    match value {
        ..LARGE => value.to_string(),
        _ if value > u64::MAX - LARGE => (value as i64).to_string(),
        _ => format!("{value:#x}"),
    }
}

/// All steps of an execution.
#[derive(Clone, Debug, Default)]
pub struct ExecutionTrace {
    pub events: Vec<TraceEvent>,
}

/// How wide a trace may get before threads have to share columns.
const WIDTH: usize = 100;

impl ExecutionTrace {
    /// Short names for the objects, in the order in which they are first used.
    pub fn objects(&self) -> Vec<SharedObject> {
        let mut objects = Vec::new();
        for event in &self.events {
            if event.object != SharedObject::default()
                && event.code != Code::Spawn
                && thread_that_ends(event.object).is_none()
                && !objects.contains(&event.object)
            {
                objects.push(event.object);
            }
        }
        objects
    }

    /// The last step, which is this thread's, took no notice of a store that is there already.
    pub fn mark_late(&mut self, thread: u32) {
        let last = self.events.last_mut();
        if let Some(event) = last.filter(|event| event.thread == thread) {
            event.is_late = true;
        }
    }
}

impl ExecutionTrace {
    /// The last step, which is this thread's, read or wrote this.
    pub fn tell(&mut self, thread: u32, values: Values) {
        let last = self.events.last_mut();
        if let Some(event) = last.filter(|event| event.thread == thread && event.code.is_atomic()) {
            event.values = Some(values);
        }
    }
}

impl TraceEvent {
    pub fn new(thread: u32, code: Code, object: SharedObject, site: Option<Site>) -> TraceEvent {
        TraceEvent {
            thread,
            code,
            object,
            site,
            value: 0,
            is_late: false,
            values: None,
        }
    }

    pub fn with_value(self, value: u64) -> TraceEvent {
        TraceEvent { value, ..self }
    }

    /// What was done, in words; objects are numbered.
    fn words(&self, objects: &[SharedObject]) -> String {
        let number = objects.iter().position(|object| *object == self.object);
        match (self.code, number) {
            (Code::Spawn, _) => format!("{} {}", self.code, self.value),
            (Code::Finish, _) => self.code.to_string(),
            (code, None) => match thread_that_ends(self.object) {
                Some(thread) => format!("{code} thread {thread}"),
                None => code.to_string(),
            },
            (code, Some(number)) => {
                let values = self
                    .values
                    .map_or_else(String::new, |values| values.to_string());
                let late = match code {
                    _ if !self.is_late => "",
                    Code::Store => ", before the last",
                    _ => ", an old value",
                };
                format!("{code} #{number}{values}{late}")
            }
        }
    }

    /// The package of a dependency, if the step is in one.
    fn dependency(&self) -> Option<&str> {
        let file = self.site?.file();
        let kept = short(file);
        (kept.len() < file.len()).then(|| kept.split('/').next().unwrap_or(kept))
    }

    /// Where, unless it is in our own code.
    fn place(&self) -> String {
        let site = self.site.filter(|site| !is_ours(site.file()));
        site.map_or_else(String::new, |site| {
            format!("{}:{}", short(site.file()), site.line())
        })
    }
}

/// A file of a dependency by its package and its place there: where cargo keeps packages tells nothing.
pub(crate) fn short(file: &str) -> &str {
    let kept = file.split_once("/registry/src/");
    let package = kept.and_then(|(_, index)| index.split_once('/'));
    package.map_or(file, |(_, path)| path)
}

/// A place with its line and column.
pub(crate) fn place(site: Site) -> String {
    let file = short(site.file());
    format!("{file}:{}:{}", site.line(), site.column())
}

/// Whether a file is one of those that are linked into the program without its doing.
pub fn is_ours(file: &str) -> bool {
    file.starts_with("/atropos/")
}

/// Steps in a row of one thread in dependencies that are told in one line.
const FOLDED: usize = 6;

/// A line of the trace: a step, or several of one thread within dependencies.
struct Line {
    thread: u32,
    words: String,
    place: String,
}

impl ExecutionTrace {
    fn lines(&self, folds: bool) -> Vec<Line> {
        let objects = self.objects();
        let mut lines = Vec::new();
        let mut rest = self.events.as_slice();
        while let [first, ..] = rest {
            let is_more = |event: &&TraceEvent| {
                event.thread == first.thread
                    && event.dependency().is_some()
                    && !event.code.is_of_threads()
            };
            let mut count = rest.iter().take_while(is_more).count();
            // The last step tells most.
            count -= usize::from(count == rest.len() && count > 0);
            if count < FOLDED || !folds {
                lines.push(Line {
                    thread: first.thread,
                    words: first.words(&objects),
                    place: first.place(),
                });
                rest = &rest[1..];
                continue;
            }
            let mut packages: Vec<&str> = Vec::new();
            for package in rest[..count].iter().filter_map(TraceEvent::dependency) {
                if !packages.contains(&package) {
                    packages.push(package);
                }
            }
            lines.push(Line {
                thread: first.thread,
                words: format!("… {count} steps"),
                place: packages.join(", "),
            });
            rest = &rest[count..];
        }
        lines
    }
}

/// One line per step, one column per thread: what it did, to which object; then where. `{:#}` folds nothing.
impl fmt::Display for ExecutionTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.events.iter().map(|event| event.thread + 1);
        let threads = threads.max().unwrap_or(0) as usize;
        let lines = self.lines(!f.alternate());
        let width = |line: &Line| line.words.chars().count();
        let longest = lines.iter().map(width).max().unwrap_or(0).max(10);
        if threads * (longest + 2) > WIDTH {
            for line in &lines {
                let line = format!("thread {}: {}  {}", line.thread, line.words, line.place);
                writeln!(f, "{}", line.trim_end())?;
            }
            return Ok(());
        }
        let column = longest + 2;
        let heads = (0..threads).map(|thread| format!("{:column$}", format!("thread {thread}")));
        writeln!(f, "{}", heads.collect::<String>().trim_end())?;
        for Line {
            thread,
            words,
            place,
        } in &lines
        {
            let before = column * *thread as usize;
            let after = column * threads - before;
            let line = format!("{:before$}{words:after$}{place}", "");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::end_of;

    fn event(thread: u32, code: Code, object: SharedObject, value: u64) -> TraceEvent {
        TraceEvent::new(thread, code, object, None).with_value(value)
    }

    #[test]
    fn each_thread_has_a_column_and_objects_have_numbers() {
        let lock = SharedObject(77);
        let trace = ExecutionTrace {
            events: vec![
                event(0, Code::Spawn, SharedObject(1), 1),
                event(1, Code::Lock, lock, 0),
                event(1, Code::Finish, end_of(1), 0),
                event(0, Code::Join, end_of(1), 0),
            ],
        };
        let expected = "\
thread 0         thread 1
starts thread 1
                 locks #0
                 ends
joins thread 1
";
        assert_eq!(trace.to_string(), expected);
    }

    #[test]
    fn what_weak_memory_allows_is_told() {
        let atomic = SharedObject(77);
        let steps = [(0, Code::Store), (0, Code::Store), (1, Code::Load)];
        let mut trace = ExecutionTrace::default();
        for (thread, code) in steps {
            trace.events.push(event(thread, code, atomic, 0));
        }
        trace.mark_late(1);
        let told = trace.to_string();
        assert!(told.ends_with("loads #0, an old value\n"), "{told}");
    }

    #[test]
    fn values_of_atomics_are_told() {
        let atomic = SharedObject(77);
        let mut trace = ExecutionTrace::default();
        for (code, values) in [
            (Code::Store, Values::One(u64::MAX)),
            (Code::Modify, Values::Change(3, 4)),
            (Code::CompareExchange, Values::Kept(1 << 40)),
        ] {
            trace.events.push(event(0, code, atomic, 0));
            trace.tell(0, values);
        }
        trace.tell(1, Values::One(7));
        let expected = "\
thread 0
stores #0 (-1)
modifies #0 (3 → 4)
compares and exchanges #0 (in vain: 0x10000000000)
";
        assert_eq!(trace.to_string(), expected);
    }

    #[test]
    fn files_of_dependencies_are_named_by_their_package() {
        let kept = "/home/me/.cargo/registry/src/index-19/crossbeam-channel-0.5.17/src/waker.rs";
        assert_eq!(short(kept), "crossbeam-channel-0.5.17/src/waker.rs");
        assert_eq!(short("src/lib.rs"), "src/lib.rs");
    }

    #[test]
    fn many_threads_share_a_column() {
        let events = (0..20).map(|thread| event(thread, Code::Yield, SharedObject::default(), 0));
        let trace = ExecutionTrace {
            events: events.collect(),
        };
        assert!(
            trace
                .to_string()
                .starts_with("thread 0: yields\nthread 1: yields\n")
        );
    }
}
