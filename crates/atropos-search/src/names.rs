//! Numbers for threads and objects that don't depend on the interleaving: a name is "the k-th
//! thing that this thread made", and each name gets one number permanently.
//!
//! A system keeps one [`Names`] over all its executions and calls [`Names::restart`] before each.

use crate::choice::Thread;
use crate::hash::Table;
use crate::op::SharedObject;

/// Gives out stable numbers.
#[derive(Clone, Debug, Default)]
pub struct Names {
    threads: Table<(u32, u32), Thread>,
    started: Vec<u32>,
    made: Vec<u32>,
}

impl Names {
    pub fn new() -> Names {
        Names::default()
    }

    /// Forgets what was made, not what it was called.
    pub fn restart(&mut self) {
        self.started.iter_mut().for_each(|count| *count = 0);
        self.made.iter_mut().for_each(|count| *count = 0);
    }

    /// How many threads have a number, apart from the first.
    pub fn count(&self) -> usize {
        self.threads.len()
    }

    /// The number of the next thread that `parent` starts. The first thread of all is `Thread(0)`.
    pub fn thread(&mut self, parent: Thread) -> Thread {
        let count = bump(&mut self.started, parent);
        let next = Thread(self.threads.len() as u32 + 1);
        *self.threads.entry((parent.0, count)).or_insert(next)
    }

    /// The number of the next object that `maker` makes.
    pub fn object(&mut self, maker: Thread) -> SharedObject {
        let count = bump(&mut self.made, maker);
        SharedObject((u64::from(maker.0) + 1) << 32 | u64::from(count))
    }
}

fn bump(counts: &mut Vec<u32>, thread: Thread) -> u32 {
    if counts.len() <= thread.index() {
        counts.resize(thread.index() + 1, 0);
    }
    let count = &mut counts[thread.index()];
    *count += 1;
    *count - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number_however_threads_interleave() {
        let mut names = Names::new();
        let a = names.thread(Thread(0));
        let b = names.thread(Thread(0));
        let child_of_a = names.thread(a);
        let child_of_b = names.thread(b);
        let made_by_a = names.object(a);
        names.restart();
        assert_eq!(names.thread(Thread(0)), a);
        assert_eq!(names.thread(Thread(0)), b);
        assert_eq!(names.thread(b), child_of_b);
        assert_eq!(names.thread(a), child_of_a);
        assert_ne!(names.object(b), made_by_a);
        assert_eq!(names.object(a), made_by_a);
    }
}
