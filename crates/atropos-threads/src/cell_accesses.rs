//! What threads do to the contents of cells, as far as that can be told: when each asks for them is noted, and a change that
//! is there at a thread's next operation is its own, because between two operations it runs alone.
//!
//! What can't be seen: a change by who asked for a cell and for many others since, a change to the same value or behind the
//! first bytes of a large one, and when exactly a thread reads what it has asked for.

use std::collections::BTreeMap;

use crate::communication::{SharedAccess, ThreadAct, place_of};
use crate::control::code::Code;
use crate::control::objects::Site;
use crate::memory_model::Clock;
use crate::unsafe_cell::{Bytes, Use};

/// Cells whose changes by a thread are looked for: those that it asked for last.
const LAST: usize = 8;
/// Acts on a cell that are remembered.
const ACTS: usize = 64;

/// Two acts that nothing orders.
pub type Unordered = [(ThreadAct, Option<SharedAccess>); 2];

/// The cells of an execution.
#[derive(Debug, Default)]
pub struct Cells {
    by_address: BTreeMap<usize, History>,
    /// For each thread, the cells that it asked for last, and where.
    last: Vec<Vec<(usize, Site)>>,
}

/// What is known of memory.
pub struct KnownMemory<'a> {
    /// Whether an address can be read until the process ends.
    pub can_be_read: &'a dyn Fn(usize) -> bool,
    /// Whether there are atomics between two addresses, whose changes are no changes of plain memory.
    pub holds_atomics: &'a dyn Fn(usize, usize) -> bool,
}

impl KnownMemory<'_> {
    fn is_changed(&self, address: usize, before: &Bytes, now: &Bytes) -> bool {
        // Another length means another cell at the same place.
        before.length() == now.length()
            && before != now
            && !(self.holds_atomics)(address, address + now.length())
    }
}

#[derive(Debug)]
struct History {
    acts: Vec<LastAct>,
    contents: Bytes,
}

/// The last act of its kind.
#[derive(Debug)]
struct LastAct {
    act: ThreadAct,
    /// By the clock of its thread.
    time: u32,
}

impl Cells {
    pub fn clear(&mut self) {
        self.by_address.clear();
        self.last.iter_mut().for_each(Vec::clear);
    }

    /// The program gave this memory back.
    pub fn forget(&mut self, start: usize, end: usize) {
        while let Some((&address, _)) = self.by_address.range(start..end).next() {
            self.by_address.remove(&address);
            // The next cell there is another one.
            for last in &mut self.last {
                last.retain(|(of, _)| *of != address);
            }
        }
    }

    #[inline]
    pub fn has_any(&self, thread: u32) -> bool {
        let last = self.last.get(thread as usize);
        last.is_some_and(|last| !last.is_empty())
    }

    /// A thread has come to its next operation: what it has done that nothing orders with what others did.
    pub fn go_on(
        &mut self,
        uses: &[Use],
        thread: u32,
        clock: &Clock,
        memory: &KnownMemory<'_>,
    ) -> Vec<Unordered> {
        let mut found = Vec::new();
        let act = |code, site| ThreadAct { thread, code, site };
        if self.last.len() <= thread as usize {
            self.last.resize_with(thread as usize + 1, Vec::new);
        }
        let last = &mut self.last[thread as usize];
        for used in uses {
            let address = used.cell as usize;
            let known = self.by_address.entry(address).or_insert_with(|| History {
                acts: Vec::new(),
                contents: used.before,
            });
            if used.before.length() > 0 {
                let place = last.iter().position(|(of, _)| *of == address);
                let asked_for = place.map(|place| last.remove(place));
                if let Some((_, site)) = asked_for
                    && memory.is_changed(address, &known.contents, &used.before)
                {
                    known.add(act(Code::CellChange, site), clock, &mut found);
                }
                known.contents = used.before;
                if last.len() == LAST {
                    last.remove(0);
                }
                if (memory.can_be_read)(address) {
                    last.push((address, used.site));
                }
            }
            known.add(act(Code::CellUse, used.site), clock, &mut found);
        }
        for &(address, site) in last.iter() {
            let Some(known) = self.by_address.get_mut(&address) else {
                continue;
            };
            // SAFETY: the address can be read for as long as the process lives, as was asked before.
            let now = unsafe { known.contents.reread(address as *const ()) };
            if memory.is_changed(address, &known.contents, &now) {
                known.add(act(Code::CellChange, site), clock, &mut found);
            }
            known.contents = now;
        }
        found
    }
}

impl History {
    fn add(&mut self, act: ThreadAct, clock: &Clock, found: &mut Vec<Unordered>) {
        for past in &self.acts {
            let is_before = clock.of(past.act.thread) >= past.time;
            let changes = [past.act, act].map(|act| act.code == Code::CellChange);
            if past.act.thread != act.thread && !is_before && changes.contains(&true) {
                let mut both = [past.act, act].map(|act| (act, Some(access(act))));
                both.sort_by_key(|(act, access)| (place_of(act.site), *access));
                found.push(both);
            }
        }
        let is_same = |past: &LastAct| {
            (past.act.thread, past.act.code) == (act.thread, act.code)
                && std::ptr::eq(past.act.site, act.site)
        };
        if let Some(old) = self.acts.iter().position(is_same) {
            self.acts.remove(old);
        } else if self.acts.len() == ACTS {
            self.acts.remove(0);
        }
        let time = clock.of(act.thread);
        self.acts.push(LastAct { act, time });
    }
}

fn access(act: ThreadAct) -> SharedAccess {
    match act.code {
        Code::CellChange => SharedAccess::Write,
        _ => SharedAccess::Read,
    }
}
