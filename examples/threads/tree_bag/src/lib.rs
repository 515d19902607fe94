//! A bag of numbers in a binary tree without an order; several threads count a value in it.

use std::sync::Mutex;
use std::thread;

#[derive(Default)]
pub struct TreeBag {
    root: Option<Box<Node>>,
    size: usize,
}

struct Node {
    value: i32,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

impl TreeBag {
    /// Fills the tree level by level: the binary digits of a node's number are the way to it.
    pub fn add(&mut self, value: i32) {
        self.size += 1;
        let number = self.size;
        let depth = number.ilog2();
        let mut place = &mut self.root;
        for bit in (0..depth).rev() {
            let Some(node) = place else {
                return;
            };
            place = match number >> bit & 1 {
                0 => &mut node.left,
                _ => &mut node.right,
            };
        }
        *place = Some(Box::new(Node {
            value,
            left: None,
            right: None,
        }));
    }

    pub fn len(&self) -> usize {
        self.size
    }

    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// How often the value is in the bag, counted by so many threads, each of which takes the next
    /// part of the tree that nobody has taken.
    pub fn find(&self, value: i32, threads: usize) -> usize {
        let parts: Mutex<Vec<&Node>> = Mutex::new(Vec::new());
        if let Some(root) = &self.root {
            parts.lock().unwrap().push(root);
        }
        // There is a part for every thread if the tree has so many.
        let mut count = 0;
        while parts.lock().unwrap().len() < threads {
            let mut parts = parts.lock().unwrap();
            let Some(node) = (!parts.is_empty()).then(|| parts.remove(0)) else {
                break;
            };
            count += usize::from(node.value == value);
            parts.extend(node.left.as_deref());
            parts.extend(node.right.as_deref());
        }
        let found = Mutex::new(count);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(part) = take(&parts) {
                        let more = count_in(part, value);
                        let mut found = found.lock().unwrap();
                        *found += more;
                    }
                });
            }
        });
        found.into_inner().unwrap()
    }
}

impl FromIterator<i32> for TreeBag {
    fn from_iter<I: IntoIterator<Item = i32>>(values: I) -> TreeBag {
        let mut bag = TreeBag::default();
        for value in values {
            bag.add(value);
        }
        bag
    }
}

fn take<'t>(parts: &Mutex<Vec<&'t Node>>) -> Option<&'t Node> {
    parts.lock().unwrap().pop()
}

fn count_in(node: &Node, value: i32) -> usize {
    let below = [&node.left, &node.right].into_iter().flatten();
    let below: usize = below.map(|child| count_in(child, value)).sum();
    below + usize::from(node.value == value)
}
