//# numbers
use helper::{attempt, seen};

#[derive(Clone, Copy, Debug)]
struct Counter {
    n: i32,
}

impl Counter {
    fn bump(&mut self) -> i32 {
        self.n += 1;
        self.n
    }
}

fn mixed(a: i32, b: i32, list: &[i32], other: &[i32], i: usize, j: usize) -> i32 {
    let mut counter = Counter { n: a };
    counter.bump();
    let doubled = a.abs() + b;
    let larger = if a > b { a } else { b };
    let first = list[i] - other[j];
    let kept = &larger;
    counter.bump() + seen("doubled", doubled) * *kept + first
}

fn named(left: &str, right: &str) -> bool {
    left == right || left.len() > right.len()
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("mixed", || mixed(3, -4, &[1, 2, 3], &[4, 5, 6], 0, 2));
    attempt("too far", || mixed(3, 4, &[1], &[2], 1, 0));
    attempt("named", || (named("a", "b"), named("ab", "b")));
}
