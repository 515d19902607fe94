//! What happened in an execution, step by step: kept when a schedule is replayed to be shown.
//!
//! An [`ExecutionTrace`] is what the scheduler notes. [`ExecutionTrace::told`] makes a
//! [`ThreadTrace`] of it, for the driver and for people: objects numbered, steps in words, each with the earlier step that it
//! follows from, and what a thread did within a dependency folded.

use std::backtrace::Backtrace;
use std::fmt;

pub(crate) use atropos_protocol::thread_trace::short;
use atropos_protocol::thread_trace::{StepKind, ThreadTrace, TraceStep, TracedThread};
use atropos_search::SharedObject;

use crate::control::code::Code;
use crate::control::objects::Site;
use crate::control::{TOTAL_ORDER, thread_that_ends, thread_with_token};
use crate::races::CallerOfDependency;

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct TraceEvent {
    pub thread: u32,
    pub code: Code,
    /// What was touched first; nothing for local steps.
    pub object: SharedObject,
    /// What was touched besides: the lock of a condition.
    pub other: SharedObject,
    pub site: Option<Site>,
    /// For a started thread: its number.
    pub value: u64,
    /// The thread could not go on for a while before it.
    pub waited: bool,
    /// It ended by its time, or for no reason; a try did not succeed.
    pub outcome: Outcome,
    /// It took no notice of a store that is there already, as weak memory allows: a load gave an older value, or a store came
    /// before that one. That store's event, if it is known.
    pub(crate) late: Option<Option<usize>>,
    /// The event of the store that it read.
    pub(crate) read_from: Option<usize>,
    pub(crate) values: Option<Values>,
}

/// How a step ended that may end in several ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Outcome {
    #[default]
    Usual,
    TimedOut,
    /// A wait that ended for no reason.
    Spurious,
    /// What was tried did not come about.
    Failed,
    /// The step never came: its thread waits for good.
    Never,
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

impl Values {
    /// What it was afterwards.
    fn last(self) -> u64 {
        match self {
            Values::One(value) | Values::Change(_, value) | Values::Kept(value) => value,
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
#[derive(Debug, Default)]
pub struct ExecutionTrace {
    pub events: Vec<TraceEvent>,
    /// The names of threads that have one.
    pub names: Vec<(u32, String)>,
    /// Whether [`ExecutionTrace::callers`] is wanted.
    pub(crate) has_callers: bool,
    /// From where events in dependencies were called, by their numbers.
    callers: Vec<(usize, Backtrace)>,
}

/// So many backtraces are taken, …
const MOST_CALLERS: usize = 20_000;
/// … and of the first and the last so many it is found out what they say, which takes a millisecond each.
const FIRST_CALLERS: usize = 100;
const LAST_CALLERS: usize = 600;

impl ExecutionTrace {
    /// The objects that are shown, in the order in which they are first used.
    fn objects(&self, folds: bool) -> Vec<SharedObject> {
        let mut objects = Vec::new();
        let is_shown = |event: &&TraceEvent| !folds || !event.is_of_counter();
        for event in self.events.iter().filter(is_shown) {
            for object in [event.object, event.other] {
                let is_shown = object != SharedObject::default()
                    && object != TOTAL_ORDER
                    && event.code != Code::Spawn
                    && thread_that_ends(object).is_none()
                    && thread_with_token(object).is_none();
                if is_shown && !objects.contains(&object) {
                    objects.push(object);
                }
            }
        }
        objects
    }

    /// The last step, which is this thread's, took no notice of a store that is there already, which that event made.
    pub fn mark_late(&mut self, thread: u32, newer: Option<usize>) {
        if let Some(event) = self.last_of(thread) {
            event.late = Some(newer);
        }
    }

    /// The last step, which is this thread's, read what that event wrote.
    pub fn mark_read(&mut self, thread: u32, store: Option<usize>) {
        if let Some(event) = self.last_of(thread) {
            event.read_from = store;
        }
    }

    /// The last step, which is this thread's, read or wrote this.
    pub fn tell(&mut self, thread: u32, values: Values) {
        if let Some(event) = self.last_of(thread).filter(|event| event.code.is_atomic()) {
            event.values = Some(values);
        }
    }

    /// The last step, which is this thread's, ended so.
    pub fn mark_outcome(&mut self, thread: u32, outcome: Outcome) {
        if let Some(event) = self.last_of(thread) {
            event.outcome = outcome;
        }
    }

    /// Another execution begins.
    pub(crate) fn restart(&mut self) {
        self.events.clear();
        self.names.clear();
        self.callers.clear();
    }

    fn last_of(&mut self, thread: u32) -> Option<&mut TraceEvent> {
        let last = self.events.last_mut();
        last.filter(|event| event.thread == thread)
    }

    /// Adds a step; notes from where it was called, if that is wanted and the step does not tell.
    pub(crate) fn push(&mut self, event: TraceEvent) {
        if self.has_callers
            && self.callers.len() < MOST_CALLERS
            && event.outcome != Outcome::Never
            && !event.is_in_own_code()
            && !event.code.is_of_threads()
        {
            let caller = Backtrace::force_capture();
            self.callers.push((self.events.len(), caller));
        }
        self.events.push(event);
    }
}

impl TraceEvent {
    pub fn new(thread: u32, code: Code, object: SharedObject, site: Option<Site>) -> TraceEvent {
        TraceEvent {
            thread,
            code,
            object,
            other: SharedObject::default(),
            site,
            value: 0,
            waited: false,
            outcome: Outcome::Usual,
            late: None,
            read_from: None,
            values: None,
        }
    }

    pub fn with_value(self, value: u64) -> TraceEvent {
        TraceEvent { value, ..self }
    }

    /// The package of a dependency, if the step is in one.
    fn dependency(&self) -> Option<&'static str> {
        let file = self.site?.file();
        let kept = short(file);
        (kept.len() < file.len()).then(|| kept.split('/').next().unwrap_or(kept))
    }

    /// Whether it only counts the owners of an `Arc`.
    fn is_of_counter(&self) -> bool {
        matches!(self.code, Code::Count | Code::ChangeCount | Code::DropOwner)
            && self.outcome != Outcome::Never
    }

    fn is_in_own_code(&self) -> bool {
        self.dependency().is_none() && self.site.is_some_and(|site| !is_ours(site.file()))
    }

    fn kind(&self) -> StepKind {
        match (self.outcome, self.code) {
            (Outcome::Never, _) => StepKind::Blocked,
            (_, Code::Begin) => StepKind::Begin,
            (_, Code::Finish) => StepKind::End,
            (_, Code::Spawn) => StepKind::Spawn,
            (_, Code::Join) => StepKind::Join,
            (_, Code::Unlock | Code::ReadUnlock | Code::WriteUnlock) => StepKind::Unlock,
            (_, Code::Wait) => StepKind::Wait,
            (_, Code::Wake) => StepKind::Wake,
            (_, Code::NotifyOne | Code::NotifyAll | Code::Unpark | Code::FutexNotify) => {
                StepKind::Notify
            }
            (_, Code::Store | Code::Modify) => StepKind::Write,
            (Outcome::Failed, _) => StepKind::Other,
            (_, Code::Lock | Code::TryLock | Code::Read | Code::TryRead) => StepKind::Lock,
            (_, Code::Write | Code::TryWrite) => StepKind::Lock,
            (_, Code::Send | Code::TrySend) => StepKind::Send,
            (_, Code::Receive | Code::TryReceive) => StepKind::Receive,
            (_, Code::Load) => StepKind::Read,
            (_, Code::CompareExchange) => match self.values {
                Some(Values::Kept(_)) => StepKind::Read,
                _ => StepKind::Write,
            },
            _ => StepKind::Other,
        }
    }

    /// What was done, as a step without its place in the whole.
    fn step(&self, objects: &[SharedObject]) -> TraceStep {
        let find = |name: SharedObject| objects.iter().position(|object| *object == name);
        let object = match self.code {
            Code::Spawn | Code::Finish => None,
            _ => find(self.object),
        };
        let words = self.code.to_string();
        let act = match (self.outcome, self.code) {
            (Outcome::Never, _) => format!("waits for good: {words}"),
            _ => words,
        };
        let late = match self.code {
            _ if self.late.is_none() => "",
            Code::Store => ", before the last",
            _ => ", an old value",
        };
        let of_threads = thread_that_ends(self.object);
        let of_others = thread_with_token(self.object).filter(|thread| *thread != self.thread);
        let detail = match self.code {
            Code::Spawn => format!(" {}", self.value),
            Code::Finish => String::new(),
            _ => match of_threads.or(of_others) {
                Some(thread) => format!(" thread {thread}"),
                None => self
                    .values
                    .map_or_else(String::new, |values| values.to_string()),
            },
        };
        let outcome = match self.outcome {
            Outcome::Usual | Outcome::Never => "",
            Outcome::TimedOut => ", its time is up",
            Outcome::Spurious => ", for no reason",
            Outcome::Failed => ", in vain",
        };
        let site = self.site.filter(|site| !is_ours(site.file()));
        TraceStep {
            thread: self.thread,
            kind: self.kind(),
            act,
            object,
            lock: find(self.other),
            detail: format!("{detail}{late}{outcome}"),
            file: site.map_or_else(String::new, |site| site.file().to_owned()),
            line: site.map_or(0, |site| site.line()),
            column: site.map_or(0, |site| site.column()),
            waited: self.waited,
            ..TraceStep::default()
        }
    }
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

/// Whether a file is a dependency's, of which the path is shown from the package on.
pub fn is_in_dependency(file: &str) -> bool {
    short(file).len() < file.len()
}

/// Steps in a row of one thread in dependencies that are told in one line.
const FOLDED: usize = 6;

/// Notes on old values; and as many on tasks.
const MOST_NOTES: usize = 8;

impl ExecutionTrace {
    /// The trace for the driver and for people. With `folds`, steps in a row within dependencies are one.
    pub fn told(&self, folds: bool) -> ThreadTrace {
        let objects = self.objects(folds);
        let callers = self.resolved_callers();
        let caller = |at: usize| {
            let place = callers.binary_search_by_key(&at, |(event, _)| *event).ok();
            place.map(|place| &callers[place].1)
        };
        let place = |at: usize| caller(at).map_or("", |caller| caller.place.as_str());
        let sources = sources(&self.events);
        let mut steps: Vec<TraceStep> = Vec::new();
        // Which step tells of each event.
        let mut step_of: Vec<usize> = Vec::with_capacity(self.events.len());
        while let Some(first) = self.events.get(step_of.len()) {
            let at = step_of.len();
            let is_more = |(nth, event): &(usize, &TraceEvent)| {
                event.thread == first.thread
                    && event.dependency().is_some()
                    && !event.code.is_of_threads()
                    && event.outcome != Outcome::Never
                    && place(at + nth) == place(at)
            };
            let rest = &self.events[at..];
            let mut count = rest.iter().enumerate().take_while(is_more).count();
            // The last step tells most.
            count -= usize::from(count == rest.len() && count > 0);
            let number = steps.len();
            if folds && first.is_of_counter() && at + 1 < self.events.len() {
                step_of.push(number.saturating_sub(1));
                continue;
            }
            if count < FOLDED || !folds {
                steps.push(TraceStep {
                    caller: place(at).to_owned(),
                    follows_from: sources[at].and_then(|source| step_of.get(source).copied()),
                    ..first.step(&objects)
                });
                step_of.push(number);
                continue;
            }
            let waited = rest[..count].iter().any(|event| event.waited);
            steps.push(TraceStep {
                thread: first.thread,
                kind: StepKind::Folded,
                act: format!("… {count} steps"),
                file: packages(&rest[..count]).join(", "),
                caller: place(at).to_owned(),
                waited,
                ..TraceStep::default()
            });
            step_of.extend(std::iter::repeat_n(number, count));
        }
        let mut notes = self.notes_on_old_values(&objects);
        notes.extend(notes_on_tasks(&callers));
        ThreadTrace {
            threads: self.threads(),
            objects: (0..objects.len())
                .map(|number| format!("#{number}"))
                .collect(),
            steps,
            notes,
        }
    }

    /// Where async code was last seen, each task once, if the callers of dependencies were noted.
    pub fn tasks(&self) -> Vec<String> {
        notes_on_tasks(&self.resolved_callers())
    }

    fn resolved_callers(&self) -> Vec<(usize, CallerOfDependency)> {
        let last = self.callers.len().saturating_sub(LAST_CALLERS);
        let wanted = self.callers.iter().enumerate();
        let wanted = wanted.filter(|(nth, _)| *nth < FIRST_CALLERS || *nth >= last);
        let resolved = wanted.filter_map(|(_, (event, backtrace))| {
            let caller = CallerOfDependency::of(&backtrace.to_string())?;
            Some((*event, caller))
        });
        resolved.collect()
    }

    fn threads(&self) -> Vec<TracedThread> {
        let numbers = self.events.iter().map(|event| event.thread as usize + 1);
        let mut threads = vec![TracedThread::default(); numbers.max().unwrap_or(0)];
        for (thread, name) in &self.names {
            if let Some(thread) = threads.get_mut(*thread as usize) {
                thread.name.clone_from(name);
            }
        }
        for event in self.events.iter().filter(|event| event.code == Code::Spawn) {
            let place = event
                .site
                .map(|site| format!("{}:{}", short(site.file()), site.line()));
            if let (Some(thread), Some(place)) = (threads.get_mut(event.value as usize), place) {
                thread.started_at = place;
            }
        }
        threads
    }

    /// Which store each late load read, which it could have read, and why it need not.
    fn notes_on_old_values(&self, objects: &[SharedObject]) -> Vec<String> {
        let late = self.events.iter().filter_map(|event| {
            let newer = &self.events[event.late??];
            (event.code != Code::Store).then_some((event, newer))
        });
        let told = late.map(|(event, newer)| {
            let place = |event: &TraceEvent| {
                let site = event.site.filter(|site| !is_ours(site.file()));
                site.map_or_else(String::new, |site| {
                    format!(" at {}:{}", short(site.file()), site.line())
                })
            };
            let number = objects.iter().position(|object| *object == event.object);
            let number = number.map_or_else(String::new, |number| format!(" #{number}"));
            let value = |event: &TraceEvent| {
                let value = event.values.map(|values| values.last());
                value.map_or_else(|| "a value".to_owned(), crate::trace::number)
            };
            let read = match event.read_from.map(|store| &self.events[store]) {
                Some(store) => format!("what thread {} stored{}", store.thread, place(store)),
                None => "the value from before".to_owned(),
            };
            format!(
                "thread {} reads{number}{} and gets {read}, although thread {} has stored {}{}: nothing orders that \
                 store before the load (no lock, no join, no release that this thread has acquired), so it may come late",
                event.thread,
                place(event),
                newer.thread,
                value(newer),
                place(newer),
            )
        });
        told.take(MOST_NOTES).collect()
    }
}

fn packages(events: &[TraceEvent]) -> Vec<&'static str> {
    let mut packages = Vec::new();
    for package in events.iter().filter_map(TraceEvent::dependency) {
        if !packages.contains(&package) {
            packages.push(package);
        }
    }
    packages
}

/// Where async code was last seen, each task once.
fn notes_on_tasks(callers: &[(usize, CallerOfDependency)]) -> Vec<String> {
    let mut tasks: Vec<&CallerOfDependency> = Vec::new();
    for (_, caller) in callers.iter().filter(|(_, caller)| !caller.task.is_empty()) {
        match tasks.iter_mut().find(|other| other.task == caller.task) {
            Some(other) => *other = caller,
            None => tasks.push(caller),
        }
    }
    let told = tasks.iter().map(|caller| {
        let called = match caller.called.as_str() {
            "" => String::new(),
            called => format!(", in {called}"),
        };
        format!(
            "the task of {} was last at {}{called}",
            caller.task, caller.place
        )
    });
    told.take(MOST_NOTES).collect()
}

/// Of longer traces nobody looks at arrows.
const MOST_EVENTS: usize = 50_000;

/// For each event, the earlier one of another thread that it follows from: who gave the lock back, sent the message, …
fn sources(events: &[TraceEvent]) -> Vec<Option<usize>> {
    let last_before =
        |at: usize, is_it: &dyn Fn(&TraceEvent) -> bool| events[..at].iter().rposition(is_it);
    if events.len() > MOST_EVENTS {
        return vec![None; events.len()];
    }
    // How many messages were received from each channel.
    let mut received: Vec<(SharedObject, usize)> = Vec::new();
    let mut sources = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        let same = |other: &TraceEvent| other.object == event.object;
        let source = match event.kind() {
            StepKind::Begin => last_before(at, &|other| {
                other.code == Code::Spawn && other.value == u64::from(event.thread)
            }),
            StepKind::Join => last_before(at, &|other| other.code == Code::Finish && same(other)),
            // Whoever had the lock before.
            StepKind::Lock => last_before(at, &|other| {
                other.kind() == StepKind::Unlock && same(other)
                    || other.code == Code::Wait && other.other == event.object
            }),
            StepKind::Wake if event.outcome == Outcome::Usual => {
                let wait = last_before(at, &|other| {
                    other.thread == event.thread && other.code == Code::Wait
                });
                wait.and_then(|wait| {
                    let is_notice = |other: &TraceEvent| {
                        matches!(other.code, Code::NotifyOne | Code::NotifyAll)
                            && other.object == events[wait].object
                    };
                    let nth = events[wait..at].iter().position(is_notice)?;
                    Some(wait + nth)
                })
            }
            StepKind::Receive => {
                let nth = match received
                    .iter_mut()
                    .find(|(channel, _)| *channel == event.object)
                {
                    Some((_, count)) => {
                        *count += 1;
                        *count
                    }
                    None => {
                        received.push((event.object, 0));
                        0
                    }
                };
                let sends = events[..at].iter().enumerate();
                let mut sends =
                    sends.filter(|(_, other)| other.kind() == StepKind::Send && same(other));
                sends.nth(nth).map(|(send, _)| send)
            }
            _ if event.code == Code::Park && event.outcome == Outcome::Usual => {
                last_before(at, &|other| other.code == Code::Unpark && same(other))
            }
            _ => event.read_from,
        };
        sources.push(source.filter(|source| events[*source].thread != event.thread));
    }
    sources
}

/// As [`ThreadTrace`] is shown. `{:#}` folds nothing.
impl fmt::Display for ExecutionTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.told(!f.alternate()).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{end_of, token_of};

    fn event(thread: u32, code: Code, object: SharedObject, value: u64) -> TraceEvent {
        TraceEvent::new(thread, code, object, None).with_value(value)
    }

    fn trace(events: Vec<TraceEvent>) -> ExecutionTrace {
        ExecutionTrace {
            events,
            ..ExecutionTrace::default()
        }
    }

    #[test]
    fn each_thread_has_a_column_and_objects_have_numbers() {
        let lock = SharedObject(77);
        let trace = trace(vec![
            event(0, Code::Spawn, SharedObject(1), 1),
            event(1, Code::Lock, lock, 0),
            event(1, Code::Finish, end_of(1), 0),
            event(0, Code::Join, end_of(1), 0),
        ]);
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
    fn what_weak_memory_allows_is_told_and_why() {
        let atomic = SharedObject(77);
        let mut trace = ExecutionTrace::default();
        for (thread, code) in [(0, Code::Store), (0, Code::Store), (1, Code::Load)] {
            let value = Values::One(trace.events.len() as u64);
            trace.push(event(thread, code, atomic, 0));
            trace.tell(thread, value);
        }
        trace.mark_read(1, Some(0));
        trace.mark_late(1, Some(1));
        let told = trace.told(true);
        assert_eq!(told.words(&told.steps[2]), "loads #0 (2), an old value");
        assert_eq!(told.steps[2].follows_from, Some(0));
        let note = &told.notes[0];
        let start = "thread 1 reads #0 and gets what thread 0 stored, although thread 0 has stored 1: nothing orders";
        assert!(note.starts_with(start), "{note}");
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
            trace.push(event(0, code, atomic, 0));
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
    fn steps_name_the_earlier_ones_that_they_follow_from() {
        let (lock, condition, channel) = (SharedObject(7), SharedObject(8), SharedObject(9));
        let wait = TraceEvent {
            other: lock,
            ..event(1, Code::Wait, condition, 0)
        };
        let trace = trace(vec![
            event(0, Code::Spawn, end_of(1), 1),
            event(1, Code::Begin, SharedObject::default(), 0),
            event(1, Code::Lock, lock, 0),
            wait,
            event(0, Code::Lock, lock, 0),
            event(0, Code::NotifyOne, condition, 0),
            event(0, Code::Unlock, lock, 0),
            event(1, Code::Wake, lock, 0),
            event(0, Code::Send, channel, 0),
            event(0, Code::Send, channel, 0),
            event(1, Code::Receive, channel, 0),
            event(1, Code::Receive, channel, 0),
            event(1, Code::Finish, end_of(1), 0),
            event(0, Code::Join, end_of(1), 0),
        ]);
        let sources: Vec<(usize, usize)> = trace
            .told(true)
            .steps
            .iter()
            .enumerate()
            .filter_map(|(at, step)| Some((at, step.follows_from?)))
            .collect();
        assert_eq!(
            sources,
            [(1, 0), (4, 3), (7, 5), (10, 8), (11, 9), (13, 12)]
        );
    }

    #[test]
    fn what_threads_wait_for_in_the_end_is_a_step() {
        let mut trace = ExecutionTrace::default();
        trace.push(event(0, Code::Lock, SharedObject(7), 0));
        trace.push(event(0, Code::Park, token_of(0), 0));
        trace.mark_outcome(0, Outcome::Never);
        trace.push(event(1, Code::Unpark, token_of(0), 0));
        let expected = "\
thread 0               thread 1
locks #0
waits for good: parks
                       unparks thread 0
";
        assert_eq!(trace.to_string(), expected);
    }
}
