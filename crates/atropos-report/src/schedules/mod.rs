//! Failing schedules for people to look at: a page with one picture per test ([`page()`]), the picture itself ([`mod@picture`]), and
//! a file for viewers of traces such as Perfetto ([`chrome_trace()`]).
//!
//! Time in pictures is the order of steps: under control, only one thread runs at a time.

mod chrome_trace;
mod page;
mod picture;

use atropos_protocol::thread_trace::{StepKind, ThreadTrace};

pub use chrome_trace::chrome_trace;
pub use page::{FailingTest, page};

/// A lock that a thread holds, from one step to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Holding {
    thread: u32,
    object: usize,
    from: usize,
    /// The step that gives it back; the number of steps if none does.
    until: usize,
}

/// Who holds which lock when.
fn holdings(trace: &ThreadTrace) -> Vec<Holding> {
    let end = trace.steps.len();
    let mut holdings: Vec<Holding> = Vec::new();
    for (at, step) in trace.steps.iter().enumerate() {
        let (taken, given_back) = match step.kind {
            StepKind::Lock | StepKind::Wake => (step.object, None),
            StepKind::Unlock => (None, step.object),
            StepKind::Wait => (None, step.lock),
            _ => (None, None),
        };
        if let Some(object) = given_back {
            let is_it = |holding: &&mut Holding| {
                holding.thread == step.thread && holding.object == object && holding.until == end
            };
            if let Some(holding) = holdings.iter_mut().rfind(is_it) {
                holding.until = at;
            }
        }
        if let Some(object) = taken {
            holdings.push(Holding {
                thread: step.thread,
                object,
                from: at,
                until: end,
            });
        }
    }
    holdings
}

/// The thread's own step before this one.
fn previous(trace: &ThreadTrace, at: usize) -> Option<usize> {
    let thread = trace.steps[at].thread;
    let is_it = |step: &_| is_step_of(step, thread);
    trace.steps[..at].iter().rposition(is_it)
}

fn is_step_of(step: &atropos_protocol::thread_trace::TraceStep, thread: u32) -> bool {
    step.thread == thread && step.kind != StepKind::Gap
}

/// `thread 1 "worker"`.
fn thread_name(trace: &ThreadTrace, thread: usize) -> String {
    match trace.threads.get(thread).map(|thread| thread.name.as_str()) {
        None | Some("") => format!("thread {thread}"),
        Some(name) => format!("thread {thread} \"{name}\""),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use atropos_protocol::thread_trace::{TraceStep, TracedThread};

    use super::*;

    pub fn step(thread: u32, kind: StepKind, act: &str, object: Option<usize>) -> TraceStep {
        TraceStep {
            thread,
            kind,
            act: act.to_owned(),
            object,
            file: "src/lib.rs".to_owned(),
            line: 7,
            ..TraceStep::default()
        }
    }

    /// Two threads that take two locks in different orders.
    pub fn deadlock() -> ThreadTrace {
        let follows = |from: usize, step: TraceStep| TraceStep {
            follows_from: Some(from),
            ..step
        };
        let blocked = |thread, object| TraceStep {
            waited: true,
            ..step(
                thread,
                StepKind::Blocked,
                "waits for good: locks",
                Some(object),
            )
        };
        ThreadTrace {
            threads: vec![
                TracedThread::default(),
                TracedThread {
                    name: "<b>".to_owned(),
                    started_at: "src/lib.rs:3".to_owned(),
                },
            ],
            objects: vec!["Pool.jobs".to_owned(), "b & c".to_owned()],
            steps: vec![
                step(0, StepKind::Begin, "begins", None),
                step(0, StepKind::Spawn, "starts thread", None),
                follows(1, step(1, StepKind::Begin, "begins", None)),
                step(0, StepKind::Lock, "locks", Some(0)),
                step(1, StepKind::Lock, "locks", Some(1)),
                blocked(0, 1),
                blocked(1, 0),
            ],
            notes: Vec::new(),
        }
    }

    #[test]
    fn locks_are_held_until_they_are_given_back_or_a_condition_is_waited_for() {
        let wait = TraceStep {
            lock: Some(0),
            ..step(0, StepKind::Wait, "waits on a condition", Some(1))
        };
        let trace = ThreadTrace {
            steps: vec![
                step(0, StepKind::Lock, "locks", Some(0)),
                wait,
                step(1, StepKind::Lock, "locks", Some(0)),
                step(1, StepKind::Unlock, "unlocks", Some(0)),
                step(0, StepKind::Wake, "wakes", Some(0)),
            ],
            ..ThreadTrace::default()
        };
        let held: Vec<(u32, usize, usize)> = holdings(&trace)
            .iter()
            .map(|holding| (holding.thread, holding.from, holding.until))
            .collect();
        assert_eq!(held, [(0, 0, 1), (1, 2, 3), (0, 4, 5)]);
    }
}
