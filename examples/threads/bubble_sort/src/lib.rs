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

/// Whether no element is smaller than the one before it.
pub fn is_sorted(elements: &[i32]) -> bool {
    for right in 1..elements.len() {
        if elements[right - 1] > elements[right] {
            return false;
        }
    }
    true
}

/// Whether two arrays hold the same elements, each as often.
pub fn is_permutation(one: &[i32], other: &[i32]) -> bool {
    for element in one {
        if count(one, *element) != count(other, *element) {
            return false;
        }
    }
    one.len() == other.len()
}

fn count(elements: &[i32], wanted: i32) -> usize {
    let mut count = 0;
    for element in elements {
        if *element == wanted {
            count += 1;
        }
    }
    count
}
