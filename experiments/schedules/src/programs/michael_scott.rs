//! The queue of Michael and Scott; two threads put one node each at its end, one takes from its beginning. Nodes lie in a
//! table. Broken: a node is linked without looking whether the last one is still the last.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicUsize, Ordering};
use crate::under::thread;

const NODES: usize = 2;

struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    /// Node 1 is the first dummy; 0 stands for none.
    next: [AtomicUsize; NODES + 2],
}

impl Queue {
    fn put(&self, node: usize, version: Version) {
        loop {
            let tail = self.tail.load(Ordering::Acquire);
            let next = self.next[tail].load(Ordering::Acquire);
            if next != 0 {
                self.swing(tail, next);
                continue;
            }
            let is_linked = match version {
                Version::Right => self.next[tail]
                    .compare_exchange(0, node, Ordering::AcqRel, Ordering::Acquire)
                    .is_ok(),
                Version::Broken => {
                    self.next[tail].store(node, Ordering::Release);
                    true
                }
            };
            if is_linked {
                return self.swing(tail, node);
            }
        }
    }

    /// Moves the tail on, unless somebody else has.
    fn swing(&self, tail: usize, next: usize) {
        let _ = self
            .tail
            .compare_exchange(tail, next, Ordering::AcqRel, Ordering::Acquire);
    }

    fn take(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Ordering::Acquire);
            let tail = self.tail.load(Ordering::Acquire);
            let next = self.next[head].load(Ordering::Acquire);
            if next == 0 {
                return None;
            }
            if head == tail {
                self.swing(tail, next);
                continue;
            }
            let exchanged =
                self.head
                    .compare_exchange(head, next, Ordering::AcqRel, Ordering::Acquire);
            if exchanged.is_ok() {
                return Some(next);
            }
        }
    }
}

pub fn run(version: Version) {
    let queue = Arc::new(Queue {
        head: AtomicUsize::new(1),
        tail: AtomicUsize::new(1),
        next: std::array::from_fn(|_| AtomicUsize::new(0)),
    });
    let writers: Vec<_> = (2..2 + NODES)
        .map(|node| {
            let queue = queue.clone();
            thread::spawn(move || queue.put(node, version))
        })
        .collect();
    let mut taken: Vec<usize> = queue.take().into_iter().collect();
    writers
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    while let Some(node) = queue.take() {
        taken.push(node);
    }
    assert_eq!(taken.iter().sum::<usize>(), (2..2 + NODES).sum());
}
