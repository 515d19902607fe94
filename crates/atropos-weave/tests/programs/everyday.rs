//# arithmetic
use helper::{attempt, seen};

fn calculate(a: i32, b: i32) -> i32 {
    let sum = a + b * 2 - a / 3;
    let bits = (a << 2) ^ (b & 6) | (a >> 1);
    let masked = !a & b;
    sum + bits - masked - -5
}

fn ordered(a: i32) -> i32 {
    seen("left", a) + seen("middle", a * 2) * seen("right", 3)
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for (a, b) in [(1, 2), (7, -3), (2147483647, 1), (0, 0)] {
        attempt("calculate", || calculate(a, b));
    }
    attempt("ordered", || ordered(4));
}

//# edges
use helper::attempt;

fn lowest(a: i32) -> i32 {
    let lowest = -2147483648;
    if a > 0 { lowest + a } else { -128i8 as i32 }
}

fn float(x: f64) -> f64 {
    -x * 2.5 + 1e3 / (x - 1.0) % 7.0
}

fn unsigned(x: u8) -> u8 {
    x - 1 + 250
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for a in [-1, 0, 1, 5] {
        attempt("lowest", || lowest(a));
        attempt("float", || float(a as f64));
        attempt("unsigned", || unsigned(a as u8));
    }
}

//# casts
use helper::attempt;

fn wide() -> Vec<u64> {
    vec![0xFFFF_FFFF as u64, !0x8000_0000 as u64, !(7) as u64, { 3_000_000_000 } as u64]
}

fn narrow(n: u8) -> (char, f32, i64, i8) {
    (66 as char, 16777217.0 as f32, -(5) as i64 - n as i64, -128 as i8)
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("wide", wide);
    attempt("narrow", || narrow(3));
}

//# comparisons
use helper::{attempt, seen};

fn compare(a: u8, b: u8) -> Vec<bool> {
    vec![a < b, a <= b, a == b, seen("once", a) > seen("twice", b), a as u16 + 1 != b as u16]
}

fn texts(a: &str, b: String) -> bool {
    a == b || a < "m" && *a > *b
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for (a, b) in [(1, 2), (2, 2), (255, 3)] {
        attempt("compare", || compare(a, b));
    }
    for (a, b) in [("a", "b"), ("b", "b"), ("z", "y")] {
        attempt("texts", || texts(a, b.to_owned()));
    }
}

//# logic
use helper::{attempt, seen};

fn decide(a: bool, b: bool) -> u8 {
    let mut result = 0;
    if a && seen("b", b) {
        result += 1;
    }
    if seen("a", a) || b && !a {
        result += 2;
    }
    while !(result > 5) && seen("again", result < 6) {
        result += 3;
    }
    result
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for (a, b) in [(true, true), (true, false), (false, true), (false, false)] {
        attempt("decide", || decide(a, b));
    }
}

//# assignments
use helper::{attempt, seen};

fn assign(values: &mut [i64], step: i64) -> i64 {
    let mut total = 10;
    total += step;
    values[1] += step * 2;
    values[seen("index", 0)] *= 3;
    values[2] -= values[1];
    total -= values[0];
    total <<= 1;
    let pair = &mut (1, 2);
    pair.0 += total;
    *(&mut pair.1) %= 2;
    total + pair.0 + pair.1
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("assign", || assign(&mut [5, 6, 7], 4));
    attempt("assign to less", || assign(&mut [5], 4));
}

//# loops
use helper::attempt;

fn count(limit: usize) -> usize {
    let mut count = 0;
    'outer: for i in 0..limit {
        for j in (1..=i).rev() {
            if j == 3 {
                continue 'outer;
            }
            if i > 5 {
                break;
            }
            count += i * j;
        }
        count += 1;
    }
    let mut left = limit;
    loop {
        if left <= 1 {
            break;
        }
        left -= 2;
    }
    count + left
}

fn evens(limit: u32) -> impl Iterator<Item = u32> {
    (0..limit).filter(|n| n % 2 == 0)
}

/// Does something before there is an iterator.
fn drained(from: &mut Vec<u32>, limit: usize) -> impl Iterator<Item = u32> + use<'_> {
    if from.len() > limit {
        from.truncate(limit);
    }
    from.drain(..).map(|n| n + 1)
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for limit in [0, 1, 4, 9] {
        attempt("count", || count(limit));
        attempt("evens", || evens(limit as u32).collect::<Vec<_>>());
        attempt("drained", || {
            let mut numbers = vec![1, 2, 3, 4, 5];
            let drained: Vec<u32> = drained(&mut numbers, limit as usize).collect();
            (drained, numbers)
        });
    }
}

//# matches
use helper::attempt;

fn classify(n: i32) -> &'static str {
    match n {
        0 => "none",
        1 | 2 => "few",
        x if x < 0 => "negative",
        x if x % 2 == 0 && x > 10 => "even",
        _ => "many",
    }
}

fn early(n: i32) -> i32 {
    if n == 1 {
        return 100;
    }
    let found = [3, 4, 5].iter().position(|x| *x == n);
    let Some(index) = found else {
        return -1;
    };
    index as i32
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for n in [-1, 0, 1, 3, 4, 12, 13] {
        attempt("classify", || classify(n));
        attempt("early", || early(n));
    }
}

//# values
use helper::attempt;

#[derive(Clone, Debug, Default, PartialEq)]
struct Point {
    x: i32,
    y: i32,
    name: String,
}

fn build(base: &Point) -> Point {
    Point {
        x: base.x + 1,
        name: String::from("built"),
        ..base.clone()
    }
}

fn parse(text: &str) -> Result<i32, std::num::ParseIntError> {
    let first: i32 = text.parse()?;
    if first < 0 {
        return Ok(-first);
    }
    Ok(first + "7".parse::<i32>()?)
}

fn slice(text: &[u8]) -> (usize, u8) {
    let middle = &text[1..text.len() - 1];
    let total = middle.iter().map(|b| b % 10).filter(|b| *b > 2).sum();
    (text[..2].len() + middle.len(), total)
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    let base = Point { x: 3, y: 4, name: "base".into() };
    attempt("build", || build(&base));
    for text in ["12", "-4", "x"] {
        attempt("parse", || parse(text));
    }
    attempt("slice", || slice(b"hello world"));
    attempt("slice too little", || slice(b"h"));
}

//# lines
use helper::attempt;

fn several_lines(a: i32, b: i32) -> i32 {
    let text = "one
two"; // with a comment
    let raw = r#"a "quoted"
b"#;
    let long = a > 1
        && b < 5 // why not
        || text
            .len()
            == 2;
    a
        // in between
        + b * /* here */ 2
        - (text.len() as i32
            + raw.len() as i32 * long as i32)
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for (a, b) in [(1, 2), (7, -3), (2, 8)] {
        attempt("several lines", || several_lines(a, b));
    }
}

//# macros and closures
use helper::attempt;

fn macros(values: &[i32]) -> bool {
    let more = vec![values.len() + 1; 2];
    matches!(values.first(), Some(n) if *n > 3) && more[0] == 4
}

fn closures(n: i32) -> i32 {
    let add = |x: i32| x + n;
    let twice = |x| {
        let y = add(x);
        y * 2
    };
    twice(3) - 1
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("macros", || macros(&[4, 5, 6]));
    attempt("closures", || closures(2));
}
