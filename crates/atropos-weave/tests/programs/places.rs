//# panics
use helper::{attempt, show_places};

fn overflow(a: u8, b: u8) -> u8 {
    let sum = a +
        b;
    sum
        * 2
}

fn index(values: &[u8], at: usize) -> u8 {
    values
        [at + 1]
        - values[
            at
        ]
}

fn assigned(mut a: u8, b: u8) -> u8 {
    a +=
        b;
    a -=
        b * 2
            / (b - 7);
    a
}

fn unwrapped(text: &str) -> i32 {
    let number: i32 = text
        .trim()
        .parse()
        .unwrap();
    number / (number
        - 3)
}

fn lines(flag: bool) -> (u32, u32, &'static str) {
    let first = line!() + if flag { 1 } else { 2 };
    (first,
        line!() * 1, file!())
}

fn looped(n: u32) -> u32 {
    let mut total = 0u32;
    for i in 0..n {
        if i > 3 && n !=
            7 { panic!("at {}", line!()); }
        total += i
            - 1;
    }
    total
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    show_places();
    for (a, b) in [(1, 2), (200, 100), (100, 100), (5, 7)] {
        attempt("overflow", || overflow(a, b));
        attempt("index", || index(&[1, 2, 3], a as usize));
        attempt("assigned", || assigned(a, b));
    }
    for text in ["4", "3", "x"] {
        attempt("unwrapped", || unwrapped(text));
    }
    attempt("lines", || (lines(true), lines(false)));
    for n in [0, 7, 9] {
        attempt("looped", || looped(n));
    }
}
