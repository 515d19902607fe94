//! A stack without locks; two threads push one node each and pop one. Nodes lie in a table, so that no memory has to be
//! reclaimed. Broken: push stores the new head without looking whether it is still the one that it saw.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicUsize, Ordering};
use crate::under::thread;

const NODES: usize = 2;

struct Stack {
    /// Number of the top node; 0 for none.
    head: AtomicUsize,
    next: [AtomicUsize; NODES + 1],
}

impl Stack {
    fn push(&self, node: usize, version: Version) {
        loop {
            let head = self.head.load(Ordering::Relaxed);
            self.next[node].store(head, Ordering::Relaxed);
            if version == Version::Broken {
                return self.head.store(node, Ordering::Release);
            }
            let exchanged =
                self.head
                    .compare_exchange(head, node, Ordering::Release, Ordering::Relaxed);
            if exchanged.is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Ordering::Acquire);
            if head == 0 {
                return None;
            }
            let next = self.next[head].load(Ordering::Relaxed);
            let exchanged =
                self.head
                    .compare_exchange(head, next, Ordering::Acquire, Ordering::Relaxed);
            if exchanged.is_ok() {
                return Some(head);
            }
        }
    }
}

pub fn run(version: Version) {
    let stack = Arc::new(Stack {
        head: AtomicUsize::new(0),
        next: std::array::from_fn(|_| AtomicUsize::new(0)),
    });
    let threads: Vec<_> = (1..=NODES)
        .map(|node| {
            let stack = stack.clone();
            thread::spawn(move || {
                stack.push(node, version);
                stack.pop()
            })
        })
        .collect();
    let popped: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    let sum: usize = popped.into_iter().flatten().sum();
    assert_eq!(sum, (1..=NODES).sum());
}
