//! What a thread is about to do, as far as another thread could notice: the objects an operation
//! touches and how. From this alone come conflict (do two operations commute?) and
//! reversibility (could the second have come first?), on which all reduction rests.

/// A shared object: lock, condition variable, atomic, channel, … Like thread numbers, object
/// numbers must not depend on how independent threads were interleaved; see [`crate::Names`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SharedObject(pub u64);

/// How an operation touches an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum OpKind {
    /// Looks without changing. Commutes with other reads.
    #[default]
    Read,
    /// Changes, or both looks and changes. Commutes with nothing on the object.
    Write,
    /// Takes an exclusive lock.
    Acquire,
    /// Gives an exclusive lock back. Only who holds it may announce this.
    Release,
    /// Takes a shared lock. Commutes with the shared operations of others.
    AcquireShared,
    /// Gives a shared lock back. Only who holds it may announce this. Commutes with the shared operations of others.
    ReleaseShared,
    /// Makes something true that stays true (a thread ended, a latch opened).
    Signal,
    /// Can happen only after the object's [`OpKind::Signal`], or all of its [`OpKind::Leave`]s; commutes with other waits.
    Await,
    /// One of several that all have to happen before something is true (the last sender goes, whoever that is). Commutes
    /// with the others.
    Leave,
}

impl OpKind {
    /// Whether two accesses to one object fail to commute.
    pub fn conflicts(self, other: OpKind) -> bool {
        use OpKind::*;
        let commute = matches!(
            (self, other),
            (Read, Read)
                | (Await, Await)
                | (Leave, Leave)
                | (AcquireShared | ReleaseShared, AcquireShared | ReleaseShared)
        );
        !commute
    }

    /// Whether the access conflicts with every kind of access: all earlier ones happen before it.
    pub(crate) fn is_exclusive(self) -> bool {
        matches!(
            self,
            OpKind::Write | OpKind::Acquire | OpKind::Release | OpKind::Signal
        )
    }

    fn takes_lock(self) -> bool {
        matches!(self, OpKind::Acquire | OpKind::AcquireShared)
    }
}

/// One object touched in one way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Access {
    pub object: SharedObject,
    pub kind: OpKind,
}

/// Whether the second of two conflicting steps could have come before the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reversal {
    Possible,
    Impossible,
    /// The second may wait for something that only an execution can tell: try it.
    Unknown,
}

const ROOM: usize = 4;
const BLOCKING: u8 = 1;
const REVOCABLE: u8 = 2;
const YIELD: u8 = 4;
const UNIVERSAL: u8 = 8;
const IDLE: u8 = 16;

/// The next operation of a thread: one step runs from one announced operation to the next, so
/// everything after the operation itself must be local to the thread.
///
/// Four accesses fit; an operation with more is taken to touch everything, which is always right
/// and reduces nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Op {
    objects: [SharedObject; ROOM],
    kinds: [OpKind; ROOM],
    len: u8,
    flags: u8,
    /// What the system calls the operation; not interpreted, but compared when a run is repeated.
    pub code: u16,
}

impl Op {
    /// An operation that no other thread can notice (a thread's first step, a finished computation).
    pub fn local() -> Op {
        Op::default()
    }

    /// An operation that commutes with nothing.
    pub fn universal() -> Op {
        Op {
            flags: UNIVERSAL,
            ..Op::default()
        }
    }

    /// An operation that is ready only while no thread has another one ready: a timer of a clock that
    /// moves on when nothing else can happen. Among several such threads the system says which are
    /// ready. It commutes with nothing, and another timer that goes off first takes it away.
    pub fn when_idle() -> Op {
        Op {
            flags: UNIVERSAL | BLOCKING | IDLE | REVOCABLE,
            ..Op::default()
        }
    }

    /// An operation on one object.
    pub fn on(object: SharedObject, kind: OpKind) -> Op {
        Op::local().and(object, kind)
    }

    /// The same operation, touching one more object.
    #[must_use]
    pub fn and(mut self, object: SharedObject, kind: OpKind) -> Op {
        let len = self.len as usize;
        if len == ROOM {
            self.flags |= UNIVERSAL;
            return self;
        }
        self.objects[len] = object;
        self.kinds[len] = kind;
        self.len += 1;
        self
    }

    /// The same operation with the system's own number for it.
    #[must_use]
    pub fn coded(mut self, code: u16) -> Op {
        self.code = code;
        self
    }

    /// The same operation, known to be one that can be not ready: without this mark an operation
    /// counts as always possible (locks too: `lock` is blocking, `try_lock` is not).
    #[must_use]
    pub fn blocking(mut self) -> Op {
        self.flags |= BLOCKING;
        self
    }

    /// The same operation, but another thread's step may replace it while it is ready: a timed
    /// wait that is ready to time out, until it is notified.
    #[must_use]
    pub fn revocable(mut self) -> Op {
        self.flags |= REVOCABLE;
        self
    }

    /// The same operation, announced by a thread that asks to let others go first (`yield_now`,
    /// `spin_loop`): sampling prefers others, and leaving the thread is no preemption.
    #[must_use]
    pub fn yielding(mut self) -> Op {
        self.flags |= YIELD;
        self
    }

    pub fn is_blocking(&self) -> bool {
        self.flags & BLOCKING != 0
    }

    pub fn is_revocable(&self) -> bool {
        self.flags & REVOCABLE != 0
    }

    pub fn is_yielding(&self) -> bool {
        self.flags & YIELD != 0
    }

    pub fn is_when_idle(&self) -> bool {
        self.flags & IDLE != 0
    }

    /// Whether no other thread can notice it.
    pub fn is_local(&self) -> bool {
        self.len == 0 && !self.is_universal()
    }

    pub fn is_universal(&self) -> bool {
        self.flags & UNIVERSAL != 0
    }

    /// The objects touched, in the order in which they were added.
    pub fn accesses(&self) -> impl Iterator<Item = Access> + '_ {
        (0..self.len as usize).map(|i| Access {
            object: self.objects[i],
            kind: self.kinds[i],
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether the two operations fail to commute.
    pub fn conflicts(&self, other: &Op) -> bool {
        if (self.flags | other.flags) & UNIVERSAL != 0 {
            return true;
        }
        for i in 0..self.len() {
            for j in 0..other.len() {
                if self.objects[i] == other.objects[j] && self.kinds[i].conflicts(other.kinds[j]) {
                    return true;
                }
            }
        }
        false
    }
}

/// Whether `second`, an access of a step with operation `op`, could have come before `first`.
pub(crate) fn reversal(first: OpKind, second: OpKind, op: &Op) -> Reversal {
    if second == OpKind::Await && matches!(first, OpKind::Signal | OpKind::Leave) {
        return Reversal::Impossible;
    }
    if !op.is_blocking() {
        return Reversal::Possible;
    }
    if second.takes_lock() {
        // A blocked lock is freed by a release, so it can't come before it; nor before a failed
        // attempt of somebody else (a read), which shows that the lock was held. It can come before
        // the acquisition that went with them, and that is found further back.
        return match first {
            OpKind::Release | OpKind::ReleaseShared | OpKind::Read => Reversal::Impossible,
            OpKind::Acquire | OpKind::AcquireShared => Reversal::Possible,
            _ => Reversal::Unknown,
        };
    }
    Reversal::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_commute_and_writes_do_not() {
        let x = SharedObject(1);
        let read = Op::on(x, OpKind::Read);
        let write = Op::on(x, OpKind::Write);
        assert!(!read.conflicts(&read));
        assert!(read.conflicts(&write));
        assert!(write.conflicts(&write));
        assert!(!write.conflicts(&Op::on(SharedObject(2), OpKind::Write)));
        assert!(!Op::local().conflicts(&write));
        assert!(Op::universal().conflicts(&Op::local()));
    }

    #[test]
    fn an_operation_on_more_objects_than_fit_touches_everything() {
        let mut op = Op::local();
        for i in 0..5 {
            op = op.and(SharedObject(i), OpKind::Read);
        }
        assert!(op.is_universal());
        assert!(op.conflicts(&Op::local()));
    }

    #[test]
    fn a_lock_comes_before_another_lock_but_never_before_the_release_that_frees_it() {
        let lock = Op::on(SharedObject(1), OpKind::Acquire).blocking();
        assert_eq!(
            reversal(OpKind::Release, OpKind::Acquire, &lock),
            Reversal::Impossible
        );
        assert_eq!(
            reversal(OpKind::Acquire, OpKind::Acquire, &lock),
            Reversal::Possible
        );
        let attempt = Op::on(SharedObject(1), OpKind::Acquire);
        assert_eq!(
            reversal(OpKind::Release, OpKind::Acquire, &attempt),
            Reversal::Possible
        );
    }
}
