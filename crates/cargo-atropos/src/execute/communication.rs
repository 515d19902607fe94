//! What threads tell each other while schedules are explored, in the report's words; what the original's say, too, is not new.

use atropos_protocol::communication::{Act, Communication};
use atropos_report::communication as report;

/// What threads told each other, in the report's words.
pub(super) fn told(
    communication: &Communication,
    certain: bool,
    line: impl Fn(&Act) -> u32,
) -> report::CommunicationRecord {
    let acts = communication.acts.iter().map(|act| report::ActRecord {
        thread: act.thread,
        noun: act.noun.clone(),
        file: act.file.clone(),
        line: line(act),
        what: None,
    });
    report::CommunicationRecord {
        kind: communication.kind,
        acts: acts.collect(),
        certain,
    }
}

/// Leaves what was never seen before.
pub(super) fn strike_out(
    new: &mut Vec<report::CommunicationRecord>,
    known_communication: &[report::CommunicationRecord],
) {
    new.retain(|new| !known_communication.iter().any(|old| old.is_like(new)));
}
