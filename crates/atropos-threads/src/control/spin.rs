//! Threads that spin. A loop that waits for another thread by looking again and again would make
//! endlessly many schedules that differ in nothing. So a thread that yields a second time without having changed
//! anything, while nobody else has either, looks on without scheduling points (it would see the same),
//! long enough to get past any bounded spinning into the slow path behind it; then it waits until somebody
//! changes something or nobody else can run.

use atropos_explore::{Kind, Object, Op};

use super::code::Code;
use super::objects::Site;
use super::thread_state::Wait;
use super::{Announcement, Control, Controller};

/// Looks without a scheduling point before a spinning thread is made to wait.
const STUTTER: u32 = 200;
/// Yields at one place with nothing but locking in between, from which on the thread is taken to poll: it goes on when
/// another has changed something. (A thread that does work under a lock and yields after each piece looks the same; it
/// then lets others go first from its third piece on.)
const POLLING: u32 = 3;
/// Reads in a row that count as spinning although the thread never yields.
const SILENT_SPIN: u32 = 100;
/// How often spinning threads are let go when nobody else can run, before the execution counts as a livelock.
const HOPELESS: u32 = 2000;

impl Control {
    /// Whether the running thread reads without a scheduling point because it would see what it saw before.
    #[inline]
    pub fn looks_again(&self, name: Object) -> bool {
        let changes = self.state().changes;
        let spin = &mut self.me().spin;
        spin.reads = spin.reads.saturating_add(1);
        let slot = spin.reads as usize % spin.looked_at.len();
        if !spin.looked_at.contains(&name.0) {
            spin.looked_at[slot] = name.0;
        }
        spin.yields >= 2 && spin.seen == changes && spin.looked_at.contains(&name.0)
    }

    /// Counts a read of a thread that never yields; after many it is taken to spin.
    #[inline]
    pub fn after_read(&self, site: Site) {
        if self.me().spin.reads >= SILENT_SPIN {
            self.yield_now(site);
            self.me().spin.reads = SILENT_SPIN;
        }
    }

    /// `yield_now`, `spin_loop`, or a spin without either.
    pub fn yield_now(&self, site: Site) {
        let changes = self.state().changes;
        let spin = &mut self.me().spin;
        if spin.yields > 0 && spin.reads == 0 && spin.seen == changes && spin.yields < STUTTER {
            // A pause within one round of spinning.
            spin.yields += u32::from(spin.yields >= 2);
            return;
        }
        spin.reads = 0;
        spin.yields += 1;
        spin.same_place = if spin.yields_at.is_some_and(|last| std::ptr::eq(last, site)) { spin.same_place + 1 } else { 1 };
        spin.yields_at = Some(site);
        let polls = spin.same_place >= POLLING && spin.yields == 1;
        let unchanged = spin.seen == changes && spin.yields > 1;
        spin.seen = changes;
        let mut op = Op::local().yielding();
        if spin.yields > 1 {
            for name in spin.looked_at.into_iter().filter(|name| *name != 0) {
                op = op.and(Object(name), Kind::Read);
            }
        }
        let announcement = Announcement::new(Code::Yield, op, site);
        match spin.yields {
            3..STUTTER if unchanged => {}
            STUTTER.. if unchanged => {
                spin.yields = STUTTER;
                self.point(announcement.waiting(Wait::Change));
            }
            _ if polls => {
                self.point(announcement.waiting(Wait::Change));
            }
            _ => {
                self.point(announcement);
            }
        }
    }
}

impl Controller {
    /// Nothing else can run: threads that spin get another look. Says whether there are any.
    pub(crate) fn let_spinners_go(&mut self) -> bool {
        let changes = self.changes;
        let mut any = false;
        for pending in &self.pending {
            let thread = &mut self.threads[pending.thread.index()];
            if thread.wait == Wait::Change {
                thread.spin.seen = changes.wrapping_sub(1);
                any = true;
            }
        }
        // What they look at may be the clock.
        self.clockwork.now += 1_000_000;
        self.forced_spins += u32::from(any);
        any
    }

    /// Whether threads have spun so long with nobody changing anything that they will for ever.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.forced_spins > HOPELESS
    }
}
