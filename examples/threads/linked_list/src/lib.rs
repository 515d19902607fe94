//! A list with a header node that several threads append to.

use std::sync::Mutex;
use std::thread;

/// Where the list ends.
const NONE: usize = usize::MAX;
const HEADER: usize = 0;

#[derive(Clone, Copy)]
struct Node {
    /// The header has none.
    value: Option<i32>,
    next: usize,
}

/// The nodes lie in one vector and name their successors by number; the first is the header.
pub struct List {
    nodes: Mutex<Vec<Node>>,
}

impl Default for List {
    fn default() -> List {
        List::new()
    }
}

impl List {
    pub fn new() -> List {
        let header = Node {
            value: None,
            next: NONE,
        };
        List {
            nodes: Mutex::new(vec![header]),
        }
    }

    /// Walks to the tail and inserts behind it.
    pub fn add_last(&self, value: i32) {
        let mut nodes = self.nodes.lock().unwrap();
        let mut tail = HEADER;
        while nodes[tail].next != NONE {
            tail = nodes[tail].next;
        }
        let new = nodes.len();
        nodes.push(Node {
            value: Some(value),
            next: NONE,
        });
        nodes[tail].next = new;
    }

    pub fn size(&self) -> usize {
        let nodes = self.nodes.lock().unwrap();
        let mut size = 0;
        let mut at = nodes[HEADER].next;
        while at != NONE {
            size += 1;
            at = nodes[at].next;
        }
        size
    }

    /// Whether the value is in the list.
    pub fn find(&self, value: i32) -> bool {
        let nodes = self.nodes.lock().unwrap();
        let previous = previous_of(&nodes, value);
        nodes[previous].next != NONE
    }

    /// How many values come before the first occurrence of one.
    pub fn index_of(&self, value: i32) -> Option<usize> {
        let nodes = self.nodes.lock().unwrap();
        let mut index = 0;
        let mut at = nodes[HEADER].next;
        while at != NONE {
            if nodes[at].value == Some(value) {
                return Some(index);
            }
            index += 1;
            at = nodes[at].next;
        }
        None
    }

    /// The value before the first occurrence of another, if both are there.
    pub fn find_previous(&self, value: i32) -> Option<i32> {
        let nodes = self.nodes.lock().unwrap();
        let previous = previous_of(&nodes, value);
        let is_there = nodes[previous].next != NONE;
        is_there.then(|| nodes[previous].value).flatten()
    }

    /// Removes the first occurrence; tells whether there was one.
    pub fn remove(&self, value: i32) -> bool {
        let mut nodes = self.nodes.lock().unwrap();
        let previous = previous_of(&nodes, value);
        let found = nodes[previous].next;
        if found == NONE {
            return false;
        }
        let behind = nodes[found].next;
        nodes[previous].next = behind;
        true
    }

    pub fn clear(&self) {
        let mut nodes = self.nodes.lock().unwrap();
        nodes[HEADER].next = NONE;
    }

    pub fn values(&self) -> Vec<i32> {
        let nodes = self.nodes.lock().unwrap();
        let mut values = Vec::new();
        let mut at = nodes[HEADER].next;
        while at != NONE {
            values.extend(nodes[at].value);
            at = nodes[at].next;
        }
        values
    }

    /// Appends the numbers of each range `[low, high)` in a thread of its own.
    pub fn build(&self, ranges: &[(i32, i32)]) {
        thread::scope(|scope| {
            for &(low, high) in ranges {
                scope.spawn(move || {
                    for value in low..high {
                        self.add_last(value);
                    }
                });
            }
        });
    }
}

/// The node before the first occurrence of a value, or the tail.
fn previous_of(nodes: &[Node], value: i32) -> usize {
    let mut at = HEADER;
    while nodes[at].next != NONE && nodes[nodes[at].next].value != Some(value) {
        at = nodes[at].next;
    }
    at
}
