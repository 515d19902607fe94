//! A hash of the happens-before order of an execution so far: equal for executions that differ only
//! in the order of steps that commute. Since such executions lead to the same state, the hash serves
//! as a fingerprint where a system has none; it tells more states apart than there are.

use atropos_values::MutantId;

use crate::choice::Thread;
use crate::hash::{Table, mix, spread};
use crate::op::{Op, OpKind};

/// What happened to an object, as far as the next access can depend on it.
#[derive(Clone, Copy, Debug, Default)]
struct History {
    run: u32,
    /// The last access that conflicts with every other.
    exclusive: u64,
    /// The reads since, in no order.
    reads: u64,
    /// The accesses to a shared lock since, or those who left, in no order.
    shared: u64,
}

/// Builds the hash step by step.
#[derive(Clone, Debug, Default)]
pub(crate) struct TraceHash {
    run: u32,
    objects: Table<u64, History>,
    threads: Vec<u64>,
    /// The hash of the last step that conflicted with everything.
    universal: u64,
    total: u64,
    current: Option<Current>,
}

#[derive(Clone, Copy, Debug)]
struct Current {
    thread: Thread,
    op: Op,
    extra: u64,
}

impl TraceHash {
    /// Starts a new execution.
    pub(crate) fn restart(&mut self) {
        self.run += 1;
        self.threads.fill(0);
        self.universal = 0;
        self.total = 0;
        self.current = None;
    }

    /// A thread begins a step.
    pub(crate) fn begin(&mut self, thread: Thread, op: Op) {
        self.current = Some(Current {
            thread,
            op,
            extra: 0,
        });
    }

    pub(crate) fn refine(&mut self, op: Op) {
        if let Some(current) = &mut self.current {
            current.op = op;
        }
    }

    /// The step took this alternative.
    pub(crate) fn data(&mut self, value: u32) {
        self.add(u64::from(value) + 1);
    }

    /// The step executed this mutant, so what follows is not the original's any more.
    pub(crate) fn infect(&mut self, mutant: MutantId) {
        self.add(u64::from(mutant.0) << 32);
    }

    fn add(&mut self, extra: u64) {
        if let Some(current) = &mut self.current {
            current.extra = mix(current.extra, extra);
        }
    }

    /// The step woke this thread.
    pub(crate) fn wake(&mut self, thread: Thread) {
        let Some(current) = self.current else { return };
        // The step has no hash yet; its place in its thread names it as well.
        let name = mix(u64::from(current.thread.0), self.thread(current.thread));
        let woken = mix(self.thread(thread), name);
        self.threads[thread.index()] = woken;
    }

    fn thread(&mut self, thread: Thread) -> u64 {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, 0);
        }
        self.threads[thread.index()]
    }

    /// Ends the current step and returns the hash of all that happened.
    pub(crate) fn hash(&mut self) -> u64 {
        if let Some(current) = self.current.take() {
            self.finish(current);
        }
        self.total
    }

    fn finish(&mut self, Current { thread, op, extra }: Current) {
        let mut hash = mix(mix(u64::from(thread.0), self.thread(thread)), extra);
        hash = mix(hash, self.universal);
        if op.is_universal() {
            // Everything so far comes before this step, everything later after it.
            hash = mix(hash, self.total);
            self.universal = hash;
        }
        for access in op.accesses() {
            hash = mix(hash, self.past(access.object.0, access.kind));
        }
        for access in op.accesses() {
            self.enter(access.object.0, access.kind, hash);
        }
        self.threads[thread.index()] = hash;
        self.total = self.total.wrapping_add(spread(hash));
    }

    fn history(&mut self, object: u64) -> &mut History {
        let run = self.run;
        let history = self.objects.entry(object).or_default();
        if history.run != run {
            *history = History {
                run,
                ..History::default()
            };
        }
        history
    }

    fn past(&mut self, object: u64, kind: OpKind) -> u64 {
        let history = *self.history(object);
        match kind {
            OpKind::Read | OpKind::Await => mix(history.exclusive, history.shared),
            OpKind::AcquireShared | OpKind::ReleaseShared | OpKind::Leave => {
                mix(history.exclusive, history.reads)
            }
            _ => mix(mix(history.exclusive, history.shared), history.reads),
        }
    }

    fn enter(&mut self, object: u64, kind: OpKind, hash: u64) {
        let history = self.history(object);
        match kind {
            OpKind::Read | OpKind::Await => {
                history.reads = history.reads.wrapping_add(spread(hash))
            }
            OpKind::AcquireShared | OpKind::ReleaseShared | OpKind::Leave => {
                history.shared = history.shared.wrapping_add(spread(hash));
            }
            _ => {
                *history = History {
                    run: history.run,
                    exclusive: hash,
                    reads: 0,
                    shared: 0,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::SharedObject;

    fn hash(steps: &[(u32, Op)]) -> u64 {
        let mut trace = TraceHash::default();
        trace.restart();
        for &(thread, op) in steps {
            trace.hash();
            trace.begin(Thread(thread), op);
        }
        trace.hash()
    }

    #[test]
    fn the_hash_forgets_the_order_of_steps_that_commute_and_no_other() {
        let read = Op::on(SharedObject(1), OpKind::Read);
        let write = Op::on(SharedObject(1), OpKind::Write);
        let elsewhere = Op::on(SharedObject(2), OpKind::Write);
        assert_eq!(hash(&[(0, read), (1, read)]), hash(&[(1, read), (0, read)]));
        assert_eq!(
            hash(&[(0, write), (1, elsewhere)]),
            hash(&[(1, elsewhere), (0, write)])
        );
        assert_ne!(
            hash(&[(0, read), (1, write)]),
            hash(&[(1, write), (0, read)])
        );
        assert_ne!(
            hash(&[(0, write), (1, write)]),
            hash(&[(1, write), (0, write)])
        );
        assert_ne!(
            hash(&[(0, Op::universal()), (1, read)]),
            hash(&[(1, read), (0, Op::universal())])
        );
        assert_ne!(hash(&[(0, read)]), hash(&[(0, read), (0, read)]));
    }
}
