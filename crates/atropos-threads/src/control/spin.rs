//! Threads that spin. A loop that waits for another thread by looking again and again would make
//! endlessly many schedules that differ in nothing. So from its second yield without a change of its own, a round of a
//! thread's spinning (yield, then look at what it looked at before) is one step that reads those objects, and from the third on
//! it makes no scheduling point at all: nobody else can run, so it sees the same. That goes on long enough to get past any
//! bounded spinning into the slow path behind it; then the thread waits until somebody changes what it looks
//! at, or until nobody else can run.
//!
//! A thread that changes something of its own in each round (a counter, a slot that it takes and gives back) may still wait for
//! another without success: after a few rounds that end in a yield at the same place it lets others go first, until one of them
//! has changed anything. Without that, some schedule would let it go round for ever. Where it made others go first, the
//! execution tells that it was fair.
//!
//! So may one that never yields at all (it is polled and wakes itself): after very many accesses it asks to let others go first, again
//! and again. It is only asked: a schedule in which it goes on instead is one of all.
//!
//! All of this depends on what the thread itself did and saw, and on changes to objects that its yields announce as
//! read: steps that commute stay so.

use atropos_search::{Op, OpKind, SharedObject};

use super::code::Code;
use super::objects::Site;
use super::thread_state::{LOOKS, Rounds, Wait};
use super::{Announcement, Control, Controller};
use crate::clock::PART;

/// Rounds of spinning before a thread is made to wait.
const STUTTER: u32 = 200;
/// Yields after which a round of spinning makes no scheduling point.
const ALONE: u32 = 2;
/// Yields at one place with nothing but locking in between, from which on the thread is taken to poll: it goes on when
/// another has changed something. (A thread that does work under a lock and yields after each piece looks the same; it
/// then lets others go first from its third piece on.)
const POLLING: u32 = 3;
/// Rounds with changes of the thread's own, ended by a yield at one place, after which others go first.
const UNFAIR: u32 = 10;
/// Accesses to atomics and locks after which a thread asks to let others go first, and then after how many more each time: enough
/// for most work, and few beside what an execution may take.
const TIRING: u32 = 2000;
const BREATH: u32 = 64;
/// Reads in a row that count as spinning although the thread never yields.
const SILENT_SPIN: u32 = 100;
/// How often spinning threads are let go when nobody else can run, before the execution counts as a livelock.
const HOPELESS: u32 = 2000;

impl Control {
    /// The running thread looks at an object.
    #[inline]
    pub fn looked_at(&self, name: SharedObject) {
        let spin = &mut self.me().activity.spin;
        spin.reads = spin.reads.saturating_add(1);
        if !spin.looked_at.contains(&name.0) {
            match spin.looked_at.iter_mut().find(|place| **place == 0) {
                Some(place) => *place = name.0,
                None => spin.looked_at_more = true,
            }
        }
    }

    /// Whether the running thread goes round without scheduling points and has read this address in a round before: there
    /// is nothing to be noted about another read.
    #[inline]
    pub fn reads_the_same(&self, address: usize) -> bool {
        let step = self.state().steps;
        let spin = &mut self.me().activity.spin;
        let same = spin.yields > ALONE && spin.step == step && spin.read_again.contains(&address);
        spin.reads += u32::from(same);
        same
    }

    /// The running thread has read an address without a scheduling point.
    #[inline]
    pub fn has_read_again(&self, address: usize) {
        let step = self.state().steps;
        let spin = &mut self.me().activity.spin;
        if spin.step != step {
            (spin.step, spin.read_again) = (step, [0; LOOKS]);
        }
        if let Some(place) = spin.read_again.iter_mut().find(|place| **place == 0) {
            *place = address;
        }
    }

    /// Whether the running thread looks at an object without a scheduling point, as part of its last yield.
    #[inline]
    pub fn looks_again(&self, name: SharedObject) -> bool {
        let spin = &self.me().activity.spin;
        let again =
            spin.yields >= ALONE && (spin.looked_at_more || spin.looked_at.contains(&name.0));
        self.looked_at(name);
        again
    }

    /// After a read: a thread that never yields but reads on and on is taken to spin.
    #[inline]
    pub fn after_read(&self, site: Site) {
        if self.me().activity.spin.reads >= SILENT_SPIN {
            self.yield_now(site);
            self.me().activity.spin.reads = SILENT_SPIN;
        }
    }

    /// Before an access to an atomic or a lock: a thread that has made very many asks to let others go first.
    #[inline]
    pub fn before_access(&self, site: Site) {
        let me = self.me();
        me.activity.accesses = me.activity.accesses.wrapping_add(1);
        if me.activity.accesses > TIRING && me.activity.accesses.is_multiple_of(BREATH) {
            self.point(Announcement::new(Code::Yield, Op::local().yielding(), site));
        }
    }

    /// `yield_now`, `spin_loop`, or a spin without either.
    pub fn yield_now(&self, site: Site) {
        let spin = &mut self.me().activity.spin;
        if spin.yields > 0 && spin.reads == 0 {
            // A pause within one round of spinning.
            return;
        }
        spin.reads = 0;
        spin.yields += 1;
        spin.same_place = if spin.yields_at.is_some_and(|last| std::ptr::eq(last, site)) {
            spin.same_place + 1
        } else {
            1
        };
        spin.yields_at = Some(site);
        if (ALONE + 1..STUTTER).contains(&spin.yields) {
            return;
        }
        let first = spin.yields == 1;
        let polls = spin.same_place >= POLLING && first;
        let unfair = first && self.goes_round(site);
        let spin = &mut self.me().activity.spin;
        spin.looked_at_more |= unfair;
        let polls = polls || unfair;
        let mut op = Op::local();
        if spin.yields > 1 || polls {
            op = if spin.looked_at_more {
                Op::universal()
            } else {
                op
            };
            for name in spin.looked_at.into_iter().filter(|name| *name != 0) {
                op = op.and(SharedObject(name), OpKind::Read);
            }
        }
        let announcement = Announcement::new(Code::Yield, op.yielding(), site);
        match spin.yields {
            ..=ALONE if !polls => {
                self.point(announcement);
            }
            _ => {
                spin.changed = false;
                let me = self.thread();
                self.state().spinners.push(me);
                self.point(announcement.waiting(Wait::Change));
                let state = self.state();
                state.spinners.retain(|other| *other != me);
                // Others had to go first, also where they did so anyway: it could have gone on instead, and might have seen
                // or changed something else.
                state.was_fair |= polls && state.started > 1;
                // What changed may take a while to show: look at it as at first.
                self.me().activity.spin.yields = 1;
            }
        }
    }
}

impl Control {
    /// Whether the running thread, which yields here, has done so too often.
    fn goes_round(&self, site: Site) -> bool {
        let rounds = &mut self.me().activity.rounds;
        if !rounds.at.is_some_and(|last| std::ptr::eq(last, site)) {
            *rounds = Rounds {
                at: Some(site),
                count: 0,
            };
        }
        rounds.count += 1;
        rounds.count > UNFAIR
    }
}

impl Controller {
    /// Lets the threads know that wait for a change of this object.
    #[inline]
    pub(crate) fn tell_spinners(&mut self, name: SharedObject) {
        (self.forced_spins, self.spun) = (0, 0);
        for &spinner in &self.spinners {
            let spin = &mut self.threads[spinner as usize].activity.spin;
            if !spin.changed && (spin.looked_at_more || spin.looked_at.contains(&name.0)) {
                spin.changed = true;
                self.readiness.look_again_at(spinner);
            }
        }
    }

    /// Nothing else can run: threads that spin get another look. Says whether there are any.
    pub(crate) fn let_spinners_go(&mut self) -> bool {
        for &spinner in &self.spinners {
            self.threads[spinner as usize].activity.spin.changed = true;
            self.readiness.look_again_at(spinner);
        }
        // What they look at may be the clock.
        self.virtual_clock.tick(&mut self.spun, PART);
        self.forced_spins += u32::from(!self.spinners.is_empty());
        !self.spinners.is_empty()
    }

    /// Whether threads have spun so long with nobody changing anything that they will for ever.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.forced_spins > HOPELESS
    }
}
