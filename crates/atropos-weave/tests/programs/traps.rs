//# generics
use helper::attempt;
use std::ops::{Add, AddAssign, Mul};

fn sum<T: Add<Output = T> + Copy>(a: T, b: T) -> T {
    a + b
}

fn product<T>(a: T, b: T) -> T
where
    T: Mul<Output = T>,
{
    a * b
}

fn largest<T: PartialOrd>(values: Vec<T>) -> Option<T> {
    let mut best = None;
    for value in values {
        if best.as_ref().is_none_or(|b| value > *b) {
            best = Some(value);
        }
    }
    best
}

fn total<T: AddAssign + Default + Clone>(values: &[T]) -> T {
    let mut total = T::default();
    for value in values {
        total += value.clone();
    }
    total
}

fn equal<T: PartialEq>(a: &T, b: &T) -> bool {
    a == b || *a != *b
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("sum", || (sum(1, 2), sum(1.5, 2.0)));
    attempt("product", || product(3u8, 4));
    attempt("largest", || largest(vec!["a".to_owned(), "c".to_owned()]));
    attempt("total", || total(&[1, 2, 3]));
    attempt("equal", || equal(&"a", &"b"));
}

//# strings
use helper::attempt;

fn join(a: String, b: &str) -> String {
    a + b + "!" + &b.to_uppercase()
}

fn append(mut a: String, b: &String) -> String {
    a += b;
    a += "?";
    a
}

fn same(a: &str, b: String, c: Option<&str>) -> bool {
    a == b && c == Some("x") || b.as_str() > a && c.is_none()
}

fn sort(mut words: Vec<&str>) -> String {
    words.sort_by(|a, b| b.len().cmp(&a.len()));
    words.retain(|word| !word.is_empty() && word.starts_with(char::is_alphabetic));
    words.join("-")
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("join", || join("a".to_owned(), "b"));
    attempt("append", || append("a".to_owned(), &"b".to_owned()));
    attempt("same", || same("a", "b".to_owned(), None));
    attempt("sort", || sort(vec!["a", "bcd", "", "1", "ef"]));
}

//# durations and other operators
use helper::attempt;
use std::num::Wrapping;
use std::time::{Duration, Instant};

fn scaled(d: Duration, n: u32) -> Duration {
    d * n + Duration::from_millis(5) / 2 - d
}

fn later(start: Instant, d: Duration) -> bool {
    start + d > start && (start + d) - start == d
}

fn wrapped(a: Wrapping<u8>) -> Wrapping<u8> {
    let mut b = a + Wrapping(250);
    b -= Wrapping(3);
    b << 1
}

fn sets(a: &std::collections::BTreeSet<u8>, b: &std::collections::BTreeSet<u8>) -> Vec<u8> {
    (&(a | b) - &(a & b)).into_iter().collect()
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("scaled", || scaled(Duration::from_millis(40), 3));
    attempt("later", || later(Instant::now(), Duration::from_millis(40)));
    attempt("wrapped", || wrapped(Wrapping(9)));
    attempt("sets", || sets(&[1, 2, 3].into(), &[3, 4].into()));
}

//# references
use helper::attempt;

fn through(a: &i32, b: &&i32) -> i32 {
    a + **b * 2 - *a
}

fn count(values: &[u32], limit: &u32) -> usize {
    values.iter().filter(|v| *v > limit && **v < 100).count()
}

fn raise(value: &mut u8, by: &u8) {
    *value += by;
    *value *= 2;
}

fn keep<'a>(a: &'a str, b: &'a str) -> &'a str {
    if a.len() > b.len() { a } else { b }
}

static LIMIT: &i32 = &17;

fn constant() -> &'static i32 {
    if *LIMIT > 3 { LIMIT } else { &4 }
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("through", || through(&4, &&3));
    attempt("count", || count(&[1, 5, 200], &2));
    attempt("raise", || {
        let mut value = 5;
        raise(&mut value, &3);
        value
    });
    attempt("keep", || keep("abc", "de").to_owned());
    attempt("constant", constant);
}

//# borrow conflicts
use helper::attempt;

struct Cursor {
    at: usize,
    end: usize,
    seen: Vec<usize>,
}

impl Cursor {
    fn next(&mut self) -> usize {
        self.at += 1;
        self.seen.push(self.at);
        self.at
    }

    fn run(&mut self) -> usize {
        while self.at < self.end && self.at != self.next() + 5 {
            self.at += self.next();
        }
        self.at + self.next() * self.seen.len()
    }

    fn last(&mut self) -> &mut usize {
        if self.seen.is_empty() {
            self.seen.push(self.end - 1);
        }
        let index = self.seen.len() - 1;
        &mut self.seen[index]
    }
}

fn swap(values: &mut [i32]) -> i32 {
    values[0] += values[1];
    let first = values[0];
    values[first as usize % values.len()] -= 1;
    values.iter().sum::<i32>() + values[0]
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("run", || Cursor { at: 0, end: 9, seen: vec![] }.run());
    attempt("last", || {
        let mut cursor = Cursor { at: 0, end: 9, seen: vec![] };
        *cursor.last() += 3;
        *cursor.last() + cursor.seen[0]
    });
    attempt("swap", || swap(&mut [1, 2, 3]));
}

//# moves
use helper::attempt;

#[derive(Debug, Clone, PartialEq)]
struct Matrix(Vec<i32>);

impl std::ops::Add for Matrix {
    type Output = Matrix;
    fn add(self, other: Matrix) -> Matrix {
        Matrix(self.0.iter().zip(&other.0).map(|(a, b)| a + b).collect())
    }
}

impl std::ops::Mul<i32> for &Matrix {
    type Output = Matrix;
    fn mul(self, by: i32) -> Matrix {
        Matrix(self.0.iter().map(|a| a * by).collect())
    }
}

fn combine(a: Matrix, b: Matrix) -> Matrix {
    let twice = &a * 2;
    if twice == b {
        return b;
    }
    twice + a + b
}

fn choose(a: Option<String>, b: String) -> String {
    match a {
        Some(text) if text.len() > 2 => text,
        Some(text) => text + &b,
        None => b,
    }
}

fn taken(mut values: Vec<String>) -> usize {
    let first = values.remove(0);
    let count = move || first.len() + 1;
    drop(values);
    count() * 2
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("combine", || combine(Matrix(vec![1, 2]), Matrix(vec![3, 4])));
    attempt("equal", || combine(Matrix(vec![1, 2]), Matrix(vec![2, 4])));
    for text in [Some("long"), Some("s"), None] {
        attempt("choose", || choose(text.map(str::to_owned), "b".to_owned()));
    }
    attempt("taken", || taken(vec!["abc".to_owned()]));
}

//# inference
use helper::attempt;

fn guessed(text: &str) -> Option<u16> {
    let mut all = Vec::new();
    for word in text.split(' ') {
        all.push(word.parse().ok()?);
    }
    let start = all.iter().sum::<u16>();
    Some(all.into_iter().fold(start, |a, b| a * 2 + b))
}

fn collected(limit: u8) -> usize {
    let odd: Vec<_> = (0..limit).filter(|n| n % 2 == 1).collect();
    let total = odd.iter().map(|&n| n as usize + 1).sum::<usize>();
    total + odd.len()
}

fn defaulted(flag: bool) -> bool {
    flag == Default::default() || Some(1) == None.or(Some(1 + flag as i32))
}

fn converted(n: u8) -> u64 {
    let wide: u64 = n.into();
    u64::from(n) * 2 + wide
}

fn boxed(n: i32) -> Box<dyn Fn(i32) -> i32> {
    if n > 0 { Box::new(move |x| x + n) } else { Box::new(|x| x - 1) }
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("guessed", || guessed("1 2 3"));
    attempt("collected", || collected(9));
    attempt("defaulted", || (defaulted(true), defaulted(false)));
    attempt("converted", || converted(7));
    attempt("boxed", || boxed(1)(2) + boxed(-1)(2));
}

//# never and unit
use helper::attempt;

fn diverging(n: u32) -> u32 {
    let value = if n > 3 { n } else { return 7 };
    match value {
        4 => panic!("four"),
        5 => unreachable!("five"),
        _ => {}
    }
    loop {
        if value > 6 {
            break value - 1;
        }
        return value + 1;
    }
}

fn unit(values: &mut Vec<u8>) {
    values.push(1);
    if values.len() > 1 {
        values.clear();
    } else {
        values.push(2)
    }
}

fn initialised(flag: bool) -> u8 {
    let value;
    if flag {
        value = 1;
    } else {
        value = 2;
    }
    let other: u8;
    other = value + 1;
    other
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for n in [1, 4, 5, 6, 7] {
        attempt("diverging", || diverging(n));
    }
    attempt("unit", || {
        let mut values = vec![];
        unit(&mut values);
        unit(&mut values);
        values
    });
    attempt("initialised", || (initialised(true), initialised(false)));
}

//# constants
use helper::attempt;

const SIZE: usize = 2 + 1;
static TABLE: [u8; SIZE * 2] = [1; SIZE * 2];

const fn doubled(n: usize) -> usize {
    if n > 10 { 0 } else { n * 2 }
}

enum Level {
    Low = 1 + 1,
    High = 1 << 4,
}

fn table(n: usize) -> u8 {
    let local = [0u8; doubled(2)];
    const HERE: usize = 4 - 1;
    let level = if n > HERE { Level::High } else { Level::Low };
    TABLE[n % TABLE.len()] + local[n % local.len()] + level as u8 + const { 1 + 1 }
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("table", || table(3) + table(4));
    attempt("doubled", || doubled(3));
}

//# const functions
use helper::attempt;

pub struct Range {
    low: u32,
    high: u32,
}

impl Range {
    pub const fn new(low: u32, high: u32) -> Range {
        if low > high {
            return Range { low: high, high: low };
        }
        Range { low, high }
    }

    pub(crate) const unsafe fn clamped(&self, n: u32) -> u32 {
        match n {
            n if n < self.low => self.low,
            n if n > self.high => self.high,
            n => n + LEAST - 1,
        }
    }
}

const LEAST: u32 = at_least_one(0);

const fn at_least_one(n: u32) -> u32 {
    if n == 0 { 1 } else { n }
}

// Without loops: edited alone, a `const fn` has no step counters.
const fn sum(values: &[u32; 3]) -> u32 {
    values[0] % 7 + values[1] * 2 + values[2]
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    let range = Range::new(9, 3);
    attempt("clamped", || [2, 3, 5, 9, 12].map(|n| unsafe { range.clamped(n) }));
    attempt("sum", || sum(&[3, 8, 15]) + at_least_one(2));
}

//# unsafe and async
use helper::attempt;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

static mut COUNTER: u32 = 0;

fn bump() -> u32 {
    unsafe {
        COUNTER += 2;
        COUNTER
    }
}

fn raced() -> bool {
    unsafe { COUNTER < bump() && COUNTER + 1 > bump() - 3 }
}

unsafe fn read(at: *const u32, offset: usize) -> u32 {
    *at.add(offset + 1) - 1
}

async fn later(n: u32) -> u32 {
    n + 1
}

async fn waiting(n: u32) -> Result<u32, String> {
    let first = later(n).await + later(n * 2).await;
    if first > 100 && later(1).await == 2 {
        return Err("much".to_owned());
    }
    let block = async { first % 7 };
    Ok(block.await + checked(first).await?)
}

async fn checked(n: u32) -> Result<u32, String> {
    if n == 1 { Err("one".to_owned()) } else { Ok(n) }
}

fn wait<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("raced", raced);
    attempt("read", || unsafe { read([1, 2, 3, 4, 5, 6].as_ptr(), 1) });
    for n in [0, 3, 50] {
        attempt("waiting", || wait(waiting(n)));
    }
}

//# packed and shared
use helper::attempt;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

#[repr(packed)]
struct Packed {
    small: u8,
    big: u32,
}

fn packed(p: &mut Packed) -> u32 {
    p.big += 1;
    if p.big > 5 && p.small != 0 { p.big * 2 } else { p.big }
}

fn cells(cell: &Cell<i32>, shared: &Rc<RefCell<Vec<i32>>>) -> i32 {
    cell.set(cell.get() + 1);
    *shared.borrow_mut() = vec![cell.get()];
    shared.borrow_mut()[0] += shared.borrow().len() as i32;
    shared.borrow_mut()[0]
}

fn counted(shared: &Rc<RefCell<Vec<i32>>>) -> usize {
    shared.borrow_mut().push(3);
    *shared.borrow_mut().last_mut().unwrap() += 1;
    shared.borrow().len() + shared.borrow()[0] as usize
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    attempt("packed", || packed(&mut Packed { small: 1, big: 7 }));
    attempt("cells", || cells(&Cell::new(1), &Rc::new(RefCell::new(vec![]))));
    attempt("counted", || counted(&Rc::new(RefCell::new(vec![2]))));
}

//# odd grammar
use helper::attempt;

struct Flag {
    on: bool,
}

fn conditions(a: usize, b: u64) -> bool {
    (a as u64) < b && (Flag { on: true }).on == (b as usize > a)
}

fn statements(n: i32) -> i32 {
    let mut m = n;
    if n > 1 {
        m += 1
    }
    (m, _) = (m * 2, 1);
    match n {
        0 => m -= 1,
        1 => { m + 1; }
        _ => (),
    }
    let sum = -m + { if m > 2 { 1 } else { 2 } } * match m { 3 => 4, _ => 5 };
    sum
}

fn labelled(n: i32) -> i32 {
    'found: {
        if n > 3 {
            break 'found n - 1;
        }
        n + 1
    }
}

/// Each way out of the loop gives the value away.
fn given_away(mut n: i32, value: String, store: &mut Vec<String>) -> usize {
    if store.is_empty() {
        store.push(value);
        return 0;
    }
    loop {
        if n == store.len() as i32 {
            store[0] = value;
            return 1;
        } else if n < 3 {
            if n != 0 {
                n -= 1;
                continue;
            }
            store.push(value);
            n += 7;
            return n as usize;
        } else {
            if n > 4 {
                n -= 2;
                continue;
            }
            store.insert(0, value);
            n += 9;
            return n as usize;
        }
    }
}

/// A jump out of one arm only: control goes on behind the `match` without it, too.
fn given_away_in_rounds(text: &str) -> Vec<String> {
    let mut letters = text.chars();
    let mut all: Vec<String> = Vec::new();
    let mut value = String::from("-");
    'words: loop {
        loop {
            match all.len() % 2 {
                0 => {
                    all.push(value);
                    match letters.next() {
                        Some(',') => {
                            value = String::from("+");
                            continue 'words;
                        }
                        Some(_) => {}
                        None => return all,
                    }
                }
                _ => all.insert(0, value),
            }
            value = match all.len() {
                1 => format!("{}", all.len()),
                n if n > 9 => return all,
                _ => break,
            };
        }
        value = String::from("*");
    }
}

/// With a guard, what an arm gives back is borrowed in the other one as well.
fn lent(slot: &mut Option<i32>, n: i32) -> &mut i32 {
    match *slot {
        Some(ref mut value) => {
            *value += n;
            value
        }
        _ => {
            *slot = Some(n * 2);
            slot.get_or_insert(n)
        }
    }
}

/// A variable gets its value in one of several places of a loop, which is left at once: one jump less, and it gets two.
fn given_late(text: &[u8], tag: u8) -> usize {
    let mut place = 0;
    let end;
    loop {
        let line = place;
        place += 1;
        if line > 6 {
            end = place;
            break;
        }
        if text[line..place].contains(&tag) {
            end = line;
            break;
        }
        let next = place + 1;
        if next >= text.len() || text[next] == b'-' {
            end = next;
            break;
        }
        place = next;
    }
    end + place
}

fn all_of(values: impl ExactSizeIterator<Item = usize>) -> usize {
    values.len() + values.sum::<usize>()
}

/// A variable that is lent gets its value late, from what may fail.
fn lent_late(text: &str) -> Result<usize, std::num::ParseIntError> {
    let owned: Vec<usize>;
    let mut parts: Vec<usize> = Vec::new();
    if text.is_empty() {
        parts.push(0);
    } else {
        owned = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
        parts.extend(&owned);
    }
    Ok(parts.iter().sum::<usize>() * parts.len())
}

/// A range with its end is no iterator that knows its length.
fn of_known_length(n: usize, step: usize) -> usize {
    let values = (0..n).map(|value| value * step);
    all_of(values)
}

/// What is borrowed for ever, and what only looks like it.
fn names(n: usize) -> &'static [&'static str] {
    if n > 7 {
        return &[];
    }
    &["one", "two", ""]
}

fn borrowed_numbers(n: i32) -> (&'static [(i32, Option<u8>)], i32) {
    let sums: &'static [i32] = &[-1, (2), 3 as i32];
    let n = n + [1, 2].iter().sum::<i32>() + sums[0];
    (&[(-1, Some(7)), (2, None)], n)
}

macro_rules! give_up {
    ($message:expr) => {{
        return Err($message.to_owned());
    }};
}

/// Deleting what a macro does leaves a block without a value; that is no fault of the jumps around.
fn or_give_up(words: &[&str]) -> Result<usize, String> {
    let mut sum = 0;
    for word in words {
        let length = if word.is_empty() {
            continue;
        } else if word.starts_with('-') {
            give_up!("a dash");
        } else {
            word.len()
        };
        if length == 3 {
            continue;
        }
        sum += length;
        if sum > 9 {
            break;
        }
    }
    Ok(sum)
}

/// What the loop goes through is changed where the loop is left.
fn emptied_on_the_way(mut list: Vec<Option<i32>>) -> (Option<i32>, usize) {
    let mut sum = 0;
    let mut step = || {
        for item in &mut list {
            match item.take() {
                Some(value) if value < 0 => {
                    list.clear();
                    return Some(value);
                }
                Some(value) => sum += value,
                None => return None,
            }
        }
        Some(sum)
    };
    (step(), list.len())
}

#[rustfmt::skip]
fn dense(a:i32,b:i32)->i32{if a<b{a-b}else if b<=a&&a>0{return -a}else{a*-b}}

fn shadowed(l: i32, r: i32) -> i32 {
    let (__atropos_x, peek) = (l + r, l - r);
    if __atropos_x > peek && l != r { peek * 2 } else { __atropos_x }
}

macro_rules! twice {
    ($value:expr) => {
        $value + $value
    };
}

fn in_macros(n: i32) -> i32 {
    let list = vec![n + 1, n * 2, -n];
    twice!(list.len() as i32 - 1) + list[if n > 0 { 0 } else { 1 }]
}

/// Macros in place of statements may define what is used around them.
fn defined_on_the_way(n: i32) -> (u32, i32) {
    thread_local! {
        static CALLS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    }
    macro_rules! let_it_be {
        ($name:ident, $value:expr) => {
            let $name = $value;
        };
    }
    let_it_be!(half, n / 2);
    if half > 1 {
        CALLS.set(CALLS.get() + 2);
    }
    CALLS.set(CALLS.get() + 1);
    (CALLS.get(), half)
}

#[cfg_attr(test, mutants::skip)]
pub fn main() {
    for n in [0, 8] {
        attempt("names", || names(n));
        attempt("borrowed numbers", || borrowed_numbers(n as i32));
    }
    for words in [&["a", "", "one", "abcdefgh", "two"][..], &["abc", "-"], &["abcd", "fghijk", "-"]] {
        attempt("or give up", || or_give_up(words));
    }
    for list in [vec![Some(1), Some(2)], vec![Some(1), Some(-2), Some(3)], vec![None, Some(1)]] {
        attempt("emptied on the way", || emptied_on_the_way(list.clone()));
    }
    attempt("given away in rounds", || given_away_in_rounds("a,b,c,,d"));
    for text in [&b"abcdefghijk"[..], b"abc-efghijk", b"ab"] {
        attempt("given late", || (given_late(text, b'c'), given_late(text, b'z')));
    }
    for text in ["", "3,4,5", "6,x"] {
        attempt("lent late", || lent_late(text));
    }
    attempt("of known length", || of_known_length(3, 2));
    attempt("conditions", || (conditions(1, 2), conditions(3, 2)));
    for n in [0, 1, 2, 5] {
        attempt("statements", || statements(n));
        attempt("labelled", || labelled(n));
        attempt("given away", || given_away(n, "a".into(), &mut vec!["b".into()]));
        attempt("lent", || (*lent(&mut None, n), *lent(&mut Some(4), n)));
        attempt("given away at once", || given_away(n, "a".into(), &mut Vec::new()));
        attempt("dense", || dense(n, 2));
        attempt("shadowed", || shadowed(n, 1));
        attempt("macros", || in_macros(n));
        attempt("defined on the way", || defined_on_the_way(n));
    }
}
