//! Bubble sort with a thread for every element: each lets the largest element rise once.

use std::sync::Mutex;
use std::thread;

pub fn sort(elements: Vec<i32>) -> Vec<i32> {
    let passes = elements.len();
    let elements = Mutex::new(elements);
    thread::scope(|scope| {
        for _ in 0..passes {
            scope.spawn(|| pass(&elements));
        }
    });
    elements.into_inner().unwrap()
}

/// One pass over all neighbours, during which nobody else touches them.
fn pass(elements: &Mutex<Vec<i32>>) {
    let mut elements = elements.lock().unwrap();
    for right in 1..elements.len() {
        if elements[right - 1] > elements[right] {
            elements.swap(right - 1, right);
        }
    }
}
