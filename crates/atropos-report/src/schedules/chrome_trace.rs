//! A trace in Chrome's trace event format, which <https://ui.perfetto.dev> and `chrome://tracing` open: a track for each thread,
//! a slice for each step and each wait, arrows for what follows from what, and a track for each lock that is held.

use atropos_protocol::thread_trace::{StepKind, ThreadTrace};
use serde_json::{Value, json};

use super::{holdings, previous, thread_name};

/// Microseconds that a step takes in the picture.
const STEP: usize = 10;
/// All threads are of one process.
const PROCESS: usize = 1;

/// The file. `title` names the process.
pub fn chrome_trace(title: &str, trace: &ThreadTrace) -> String {
    let mut events = vec![named("process_name", 0, title)];
    for thread in 0..trace.thread_count() {
        events.push(named("thread_name", thread, &thread_name(trace, thread)));
    }
    for at in 0..trace.steps.len() {
        events.extend(events_of_step(trace, at));
    }
    for (id, holding) in holdings(trace).iter().enumerate() {
        let lock = trace
            .objects
            .get(holding.object)
            .map_or("a lock", String::as_str);
        let name = format!("{lock} held by thread {}", holding.thread);
        for (phase, at) in [("b", holding.from), ("e", holding.until)] {
            events.push(json!({
                "ph": phase, "cat": "lock", "name": name, "id": id,
                "pid": PROCESS, "tid": holding.thread, "ts": at * STEP,
            }));
        }
    }
    let text = json!({ "traceEvents": events, "displayTimeUnit": "ns" });
    format!("{text}\n")
}

fn named(what: &str, thread: usize, name: &str) -> Value {
    json!({ "ph": "M", "pid": PROCESS, "tid": thread, "name": what, "args": { "name": name } })
}

fn events_of_step(trace: &ThreadTrace, at: usize) -> Vec<Value> {
    let step = &trace.steps[at];
    if step.kind == StepKind::Gap {
        return vec![json!({
            "ph": "i", "s": "g", "pid": PROCESS, "tid": 0, "ts": at * STEP, "name": step.act,
        })];
    }
    let (thread, words) = (step.thread, trace.words(step));
    let mut events = Vec::new();
    if step.waited {
        let start = previous(trace, at).map_or(0, |before| before * STEP + STEP - 1);
        events.push(json!({
            "ph": "X", "cat": "wait", "name": "waits", "pid": PROCESS, "tid": thread,
            "ts": start, "dur": at * STEP - start,
        }));
    }
    events.push(json!({
        "ph": "X", "cat": step.kind.word(), "name": words, "pid": PROCESS, "tid": thread,
        "ts": at * STEP, "dur": STEP - 1,
        "args": { "step": at, "place": step.place() },
    }));
    if let Some(earlier) = step.follows_from {
        let source = trace.steps[earlier].thread;
        for (phase, thread, time) in [
            ("s", source, earlier * STEP + STEP / 2),
            ("f", thread, at * STEP),
        ] {
            events.push(json!({
                "ph": phase, "bp": "e", "cat": "follows", "name": "follows", "id": at,
                "pid": PROCESS, "tid": thread, "ts": time,
            }));
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::super::tests::deadlock;
    use super::*;

    #[test]
    fn every_step_wait_arrow_and_lock_is_an_event_and_slices_of_a_thread_do_not_overlap() {
        let trace = deadlock();
        let parsed: Value = serde_json::from_str(&chrome_trace("a test", &trace)).unwrap();
        let events = parsed["traceEvents"].as_array().unwrap();
        let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
        assert_eq!(
            (count("M"), count("X"), count("s"), count("f")),
            (3, 9, 1, 1)
        );
        assert_eq!((count("b"), count("e")), (2, 2));
        for thread in 0..2 {
            let slices = events
                .iter()
                .filter(|event| event["ph"] == "X" && event["tid"] == thread);
            let mut end = 0;
            for slice in slices {
                let start = slice["ts"].as_u64().unwrap();
                assert!(start >= end, "{slice}");
                end = start + slice["dur"].as_u64().unwrap();
            }
        }
    }
}
