//! Mistakes with locks of other libraries (parking_lot's), which lock by an atomic beside their data and know nothing of
//! us. While a thread holds such a lock by mistake, its accesses to that atomic go to a value of its own, which begins as
//! that of a free lock: so it neither waits for others nor keeps them out.
//!
//! The data is the thread's own until it gives the lock back: whenever another thread goes on, what all share takes its
//! place. In the end what was changed is written, so that updates get lost as they do with our own locks (`sync::unlocked_guard`
//! says what becomes of what such data owns).

use super::access::Word;
use crate::control::Control;
use crate::control::code::Code;
use crate::control::objects::Site;
use crate::injected_faults::{Guarded, InjectedFault, taken_of_foreign};
use crate::sync::unlocked_guard::{Lock, announce_with};

/// How far from its data the atomic of a lock may lie.
const NEAR: usize = 64;

/// A lock that a thread holds by mistake, or is about to.
#[derive(Debug)]
pub(crate) struct UnlockedHold {
    fault: InjectedFault,
    /// The lock's atomic.
    address: usize,
    /// What it holds for this thread alone; 0 for a free lock.
    value: u64,
    guarded: Guarded,
    /// While the lock is held.
    data: Option<Data>,
    /// The lock is really held, and shall be kept when the thread panics.
    is_held: bool,
}

/// The data of a region that excludes nobody.
#[derive(Debug)]
struct Data {
    /// When the lock was taken.
    before: Vec<u8>,
    /// What all share.
    shared: Vec<u8>,
    /// What the thread has made of it, while another runs.
    own: Vec<u8>,
}

impl UnlockedHold {
    /// Another thread goes on: it sees what all share.
    pub(crate) fn hide(&mut self) {
        if let Some(data) = &mut self.data {
            data.own = self.guarded.bytes();
            self.guarded.write(&data.own, &data.shared);
        }
    }

    /// The thread goes on with what it has.
    pub(crate) fn show(&mut self) {
        if let Some(data) = &mut self.data {
            data.shared = self.guarded.bytes();
            self.guarded.write(&data.shared, &data.own);
        }
    }
}

impl Guarded {
    /// Whether an atomic can be that of the lock.
    fn is_near(&self, address: usize) -> bool {
        let data = self.start..self.start + self.size;
        !data.contains(&address)
            && (self.start.saturating_sub(NEAR)..data.end + NEAR).contains(&address)
    }

    fn bytes(&self) -> Vec<u8> {
        let start = self.start as *const u8;
        // SAFETY: the data of a lock that the thread has a reference to; no other thread runs. Padding is copied as it is.
        (0..self.size)
            .map(|at| unsafe { start.add(at).read_volatile() })
            .collect()
    }

    /// Writes the words in which `new` differs from `old`.
    fn write(&self, old: &[u8], new: &[u8]) {
        let start = self.start as *mut u8;
        let words = old.chunks(self.align).zip(new.chunks(self.align));
        for (number, (_, new)) in words.enumerate().filter(|(_, (old, new))| old != new) {
            for (at, byte) in new.iter().enumerate() {
                // SAFETY: within the data. Threads run one at a time, and each finds there what it left, or what those
                // with the lock left to each other.
                unsafe {
                    start.add(number * self.align + at).write_volatile(*byte);
                }
            }
        }
    }
}

impl Control {
    /// An access to the atomic of a lock that the thread holds by mistake: what it finds there. `change` says what is
    /// written for what is found. None for all other atomics.
    #[inline]
    pub(super) fn at_unlocked_hold(
        &self,
        word: &dyn Word,
        site: Site,
        change: &dyn Fn(u64) -> Option<u64>,
    ) -> Option<u64> {
        let request = taken_of_foreign();
        if request.is_none() && self.me().unlocked_holds.is_empty() {
            return None;
        }
        let address = std::ptr::from_ref(word).cast::<u8>() as usize;
        // A request that the very next access does not belong to is for a lock that we know nothing of.
        if let Some((fault, guarded)) = request.filter(|(_, guarded)| guarded.is_near(address)) {
            self.me().unlocked_holds.push(UnlockedHold {
                fault,
                address,
                value: 0,
                guarded,
                data: None,
                is_held: false,
            });
        }
        let unlocked_holds = &self.me().unlocked_holds;
        let at = unlocked_holds
            .iter()
            .rposition(|unlocked_hold| unlocked_hold.address == address)?;
        match unlocked_holds[at].fault {
            InjectedFault::Bare => Some(self.without_lock(at, site, change)),
            InjectedFault::KeptOnPanic => self.kept_on_panic(at, word, change),
        }
    }

    #[cold]
    fn without_lock(&self, at: usize, site: Site, change: &dyn Fn(u64) -> Option<u64>) -> u64 {
        let unlocked_hold = &mut self.me().unlocked_holds[at];
        let old = unlocked_hold.value;
        let Some(new) = change(old) else {
            return old;
        };
        unlocked_hold.value = new;
        let (address, guarded) = (unlocked_hold.address, unlocked_hold.guarded);
        if old == 0 && new != 0 {
            announce_with(self, Lock::Other(address), Code::BareRead, site);
            self.me().unlocked_holds[at].data = Some(Data {
                before: guarded.bytes(),
                shared: guarded.bytes(),
                own: Vec::new(),
            });
        } else if old != 0 && new == 0 {
            let unlocked_hold = self.me().unlocked_holds.remove(at);
            let Some(Data { before, shared, .. }) = unlocked_hold.data else {
                return old;
            };
            let after = guarded.bytes();
            guarded.write(&after, &shared);
            if before != after {
                announce_with(self, Lock::Other(address), Code::BareWrite, site);
                guarded.write(&before, &after);
            }
        }
        old
    }

    /// Until the lock is taken, and when it is given back as usual, all goes its way.
    #[cold]
    fn kept_on_panic(
        &self,
        at: usize,
        word: &dyn Word,
        change: &dyn Fn(u64) -> Option<u64>,
    ) -> Option<u64> {
        let old = word.get();
        let new = change(old)?;
        let unlocked_hold = &mut self.me().unlocked_holds[at];
        if !unlocked_hold.is_held {
            unlocked_hold.is_held = old == 0;
            return None;
        }
        if new < old {
            self.me().unlocked_holds.remove(at);
            return std::thread::panicking().then_some(old);
        }
        None
    }
}
