//! What threads tell each other: the original's is known when mutants begin, and of a mutant's only what is new is told.

use std::collections::BTreeSet;

use atropos_protocol::communication::{Act, Communication};
use atropos_threads::Code;
use atropos_threads::communication::{self, Fact, FactKey, Facts};

/// What was ever seen in the original.
pub type OriginalCommunication = BTreeSet<FactKey>;

/// All of it, for the driver.
pub fn told(facts: &Facts) -> Vec<Communication> {
    facts.values().map(one).collect()
}

/// What of it was never seen in the original.
pub fn unseen(facts: Facts, known_communication: &OriginalCommunication) -> Vec<Communication> {
    let facts = communication::unseen(facts, known_communication);
    facts.iter().map(one).collect()
}

fn one(fact: &Fact) -> Communication {
    let acts = fact.acts.iter().map(|act| Act {
        thread: act.thread,
        noun: noun(act.code).to_owned(),
        file: act.site.file().to_owned(),
        line: act.site.line(),
        column: act.site.column(),
    });
    Communication {
        kind: fact.kind,
        acts: acts.collect(),
    }
}

/// What a thread does, as something that it has.
fn noun(code: Code) -> &'static str {
    match code {
        Code::Load | Code::Peek => "read",
        Code::Store => "write",
        Code::Read | Code::TryRead => "reading region",
        Code::Modify | Code::CompareExchange => "update",
        Code::BareLock | Code::BareRead => "unlocked read",
        Code::BareWrite => "unlocked write",
        Code::CellUse => "use",
        Code::CellChange => "change",
        Code::NotifyOne | Code::NotifyAll => "notification",
        Code::Unpark => "`unpark`",
        Code::Send | Code::TrySend => "message",
        Code::Receive | Code::TryReceive => "receipt",
        Code::Initialize => "initialisation",
        _ => "critical region",
    }
}
