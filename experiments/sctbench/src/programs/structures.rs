//! Queues, stacks and buffers.

use std::sync::Arc;

use crate::under::sync::atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst};
use crate::under::sync::{Condvar, Mutex};
use crate::under::thread;

pub const PROGRAMS: &[(&str, fn())] = &[
    ("circular_buffer", circular_buffer),
    ("fsbench", fsbench),
    ("queue", queue),
    ("stack", stack),
    ("work_stealing_queue", work_stealing_queue),
    ("safestack", safestack),
    ("boundedbuffer_signal", bounded_buffer),
];

/// A buffer between two threads whose count is read and written in two steps.
fn circular_buffer() {
    struct Buffer {
        items: [AtomicUsize; 2],
        first: AtomicUsize,
        next: AtomicUsize,
        count: AtomicUsize,
    }
    let buffer = Arc::new(Buffer {
        items: Default::default(),
        first: AtomicUsize::new(0),
        next: AtomicUsize::new(0),
        count: AtomicUsize::new(0),
    });
    let b = buffer.clone();
    let sender = thread::spawn(move || {
        for item in 1..=3 {
            while b.count.load(SeqCst) == 2 {
                thread::yield_now();
            }
            let next = b.next.load(SeqCst);
            b.items[next].store(item, SeqCst);
            b.next.store((next + 1) % 2, SeqCst);
            let count = b.count.load(SeqCst);
            b.count.store(count + 1, SeqCst);
        }
    });
    for expected in 1..=3 {
        for _ in 0..20 {
            if buffer.count.load(SeqCst) > 0 {
                break;
            }
            thread::yield_now();
        }
        if buffer.count.load(SeqCst) == 0 {
            break;
        }
        let first = buffer.first.load(SeqCst);
        assert_eq!(buffer.items[first].load(SeqCst), expected);
        buffer.first.store((first + 1) % 2, SeqCst);
        let count = buffer.count.load(SeqCst);
        buffer.count.store(count - 1, SeqCst);
    }
    sender.join().unwrap();
}

/// Many threads allocate blocks by a bitmap; one looks before it locks.
fn fsbench() {
    let blocks = Arc::new((Mutex::new([false; 4]), AtomicUsize::new(0)));
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let blocks = blocks.clone();
            thread::spawn(move || {
                let free = {
                    let map = blocks.0.lock().unwrap();
                    map.iter().position(|used| !used).unwrap()
                };
                let mut map = blocks.0.lock().unwrap();
                assert!(number != 2 || !map[free], "given out twice");
                map[free] = true;
                blocks.1.fetch_add(1, SeqCst);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A queue whose flags are set outside of the lock.
fn queue() {
    let queue = Arc::new((Mutex::new(Vec::new()), AtomicUsize::new(0)));
    let q = queue.clone();
    let sender = thread::spawn(move || {
        for number in 0..3 {
            q.1.store(number + 1, SeqCst);
            q.0.lock().unwrap().push(number);
        }
    });
    for _ in 0..3 {
        let told = queue.1.load(SeqCst);
        let length = queue.0.lock().unwrap().len();
        assert!(length >= told, "{told} were told, {length} are there");
    }
    sender.join().unwrap();
}

/// A stack whose top is looked at outside of the lock.
fn stack() {
    let stack = Arc::new((Mutex::new(Vec::new()), AtomicUsize::new(0)));
    let s = stack.clone();
    let push = thread::spawn(move || {
        for number in 0..3 {
            s.0.lock().unwrap().push(number);
            s.1.fetch_add(1, SeqCst);
        }
    });
    let s = stack.clone();
    let pop = thread::spawn(move || {
        for _ in 0..3 {
            if s.1.load(SeqCst) > 0 {
                s.0.lock().unwrap().pop().unwrap();
                s.1.fetch_sub(1, SeqCst);
            }
        }
    });
    if stack.1.load(SeqCst) > 0 {
        assert!(stack.0.lock().unwrap().pop().is_some(), "there was one");
        stack.1.fetch_sub(1, SeqCst);
    }
    push.join().unwrap();
    let _ = pop.join();
}

/// The owner takes the last item while a thief takes it too: the owner looks at the head too early.
fn work_stealing_queue() {
    struct Queue {
        head: AtomicI64,
        tail: AtomicI64,
        items: [AtomicUsize; 4],
    }
    let queue = Arc::new(Queue {
        head: AtomicI64::new(0),
        tail: AtomicI64::new(0),
        items: Default::default(),
    });
    let take = |queue: &Queue, index: i64| {
        let taken = queue.items[index as usize % 4].fetch_add(1, SeqCst);
        assert_eq!(taken, 0, "taken twice");
    };
    let q = queue.clone();
    let thief = thread::spawn(move || {
        for _ in 0..2 {
            let head = q.head.load(SeqCst);
            if head < q.tail.load(SeqCst)
                && q.head.compare_exchange(head, head + 1, SeqCst, SeqCst).is_ok()
            {
                take(&q, head);
            }
        }
    });
    for _ in 0..3 {
        queue.tail.fetch_add(1, SeqCst);
    }
    for _ in 0..3 {
        let head = queue.head.load(SeqCst);
        let tail = queue.tail.load(SeqCst) - 1;
        if head > tail {
            break;
        }
        queue.tail.store(tail, SeqCst);
        if head < tail {
            take(&queue, tail);
        } else if queue.head.compare_exchange(head, head + 1, SeqCst, SeqCst).is_ok() {
            take(&queue, tail);
        }
    }
    thief.join().unwrap();
}

/// A stack of free cells by indices; a cell comes back between the look at its successor and the exchange.
fn safestack() {
    struct Stack {
        head: AtomicI64,
        count: AtomicI64,
        next: [AtomicI64; 3],
        owner: [AtomicUsize; 3],
    }
    let stack = Arc::new(Stack {
        head: AtomicI64::new(0),
        count: AtomicI64::new(3),
        next: [AtomicI64::new(1), AtomicI64::new(2), AtomicI64::new(-1)],
        owner: Default::default(),
    });
    fn pop(stack: &Stack) -> Option<usize> {
        for _ in 0..8 {
            if stack.count.load(SeqCst) <= 1 {
                return None;
            }
            let head = stack.head.load(SeqCst);
            let next = stack.next[head as usize].swap(-1, SeqCst);
            if next >= 0 {
                if stack.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                    stack.count.fetch_sub(1, SeqCst);
                    return Some(head as usize);
                }
                stack.next[head as usize].swap(next, SeqCst);
            }
        }
        None
    }
    fn push(stack: &Stack, cell: usize) {
        let mut head = stack.head.load(SeqCst);
        loop {
            stack.next[cell].store(head, SeqCst);
            match stack.head.compare_exchange(head, cell as i64, SeqCst, SeqCst) {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        stack.count.fetch_add(1, SeqCst);
    }
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let stack = stack.clone();
            thread::spawn(move || {
                for _ in 0..2 {
                    if let Some(cell) = pop(&stack) {
                        assert_eq!(stack.owner[cell].fetch_add(1, SeqCst), 0, "two owners");
                        stack.owner[cell].fetch_sub(1, SeqCst);
                        push(&stack, cell);
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A buffer of one with two producers and two consumers that notify only one, and check only once.
fn bounded_buffer() {
    let buffer = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let producers = [1, 2].map(|item| {
        let buffer = buffer.clone();
        thread::spawn(move || {
            let mut items = buffer.0.lock().unwrap();
            while !items.is_empty() {
                items = buffer.1.wait(items).unwrap();
            }
            items.push(item);
            buffer.1.notify_one();
        })
    });
    let consumers = [0, 0].map(|_: i32| {
        let buffer = buffer.clone();
        thread::spawn(move || {
            let mut items = buffer.0.lock().unwrap();
            if items.is_empty() {
                items = buffer.1.wait(items).unwrap();
            }
            assert!(items.pop().is_some(), "woken without an item");
            buffer.1.notify_one();
        })
    });
    producers.into_iter().for_each(|thread| thread.join().unwrap());
    consumers.into_iter().for_each(|thread| thread.join().unwrap());
}
