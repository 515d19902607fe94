//! rustc accepts what should be accepted: the values of all return types in all editions, and every
//! mutant of a file whose types are plain.

use std::path::Path;
use std::process::Command;

use atropos_mutants::{Edition, FindOptions, OperatorSelection, apply, find_mutants};

use crate::check::return_values_with;

/// Type-checks a crate; what is wrong with it comes back.
fn type_check(name: &str, edition: &str, text: &str) -> Result<(), String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = directory.join(format!("{name}.rs"));
    std::fs::write(&source, text).expect("the scratch directory can be written");
    let output = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()))
        .args([
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "--edition",
            edition,
        ])
        .args(["--cap-lints", "warn", "-A", "warnings"])
        .arg("--out-dir")
        .arg(directory)
        .arg(&source)
        .output()
        .expect("rustc can be started");
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

const TYPES: &[&str] = &[
    "bool",
    "u8",
    "i128",
    "f64",
    "char",
    "()",
    "String",
    "&'static str",
    "Box<str>",
    "Rc<str>",
    "Cow<'static, str>",
    "Cow<'static, [u8]>",
    "Option<i32>",
    "Option<Vec<(u8, String)>>",
    "Result<(), String>",
    "Result<Vec<bool>, ()>",
    "Result<(u8, char), Bad>",
    "Result<u8, fmt::Error>",
    "fmt::Result",
    "Vec<String>",
    "VecDeque<u8>",
    "BTreeMap<String, Vec<u8>>",
    "BTreeSet<char>",
    "BinaryHeap<u8>",
    "LinkedList<()>",
    "Box<[u8]>",
    "[u8; 4]",
    "[String; 3]",
    "[Option<Box<u8>>; 2]",
    "(bool, &'static str, f64)",
    "(u8,)",
    "Box<u8>",
    "Arc<RefCell<bool>>",
    "Wrapping<u8>",
    "Reverse<u8>",
    "NonZeroU8",
    "NonZero<i64>",
    "Duration",
    "Ordering",
    "&'static u8",
    "&'static [u8]",
    "&'static mut [u8]",
    "&'static [&'static str]",
    "Option<&'static (u8, char)>",
    "Box<dyn Iterator<Item = (u8, char)>>",
    "Known",
    "Option<Known>",
    "Bad",
    "Alias<u8>",
];

const STD_TYPES: &[&str] = &[
    "&'static mut u8",
    "&'static String",
    "HashMap<String, u8>",
    "HashSet<u8>",
    "PathBuf",
    "&'static Path",
    "OsString",
    "Mutex<u8>",
    "Arc<RwLock<String>>",
    "Result<u8, Box<dyn Error + Send + Sync>>",
    "io::Result<()>",
    "Result<(), io::Error>",
    "&'static mut [String]",
];

const DEFINITIONS: &str = "
#[derive(Default)] pub struct Known { pub a: u8 }
pub enum Bad { Worse, Worst }
pub type Alias<T> = Result<T, Bad>;
";

fn values_crate(uses: &str, types: &[&str], edition: Edition, no_std: bool) -> String {
    let mut text = format!("{uses}\n{DEFINITIONS}");
    for (index, ty) in types.iter().enumerate() {
        let values = return_values_with(DEFINITIONS, ty, edition, no_std);
        let is_leaked = no_std && ty.contains("mut");
        assert!(!values.is_empty() || is_leaked, "no values of {ty}");
        for (number, value) in values.iter().enumerate() {
            text.push_str(&format!(
                "pub fn f{index}_{number}() -> {ty} {{ {value} }}\n"
            ));
        }
    }
    text
}

#[test]
fn values_are_of_their_types_in_every_edition() {
    let uses = "use std::{borrow::Cow, cell::RefCell, cmp::{Ordering, Reverse}, collections::*, error::Error,
        ffi::OsString, fmt, io, num::{NonZero, NonZeroU8, Wrapping}, path::{Path, PathBuf}, rc::Rc,
        sync::{Arc, Mutex, RwLock}, time::Duration};";
    let types = [TYPES, STD_TYPES].concat();
    for year in ["2015", "2018", "2021", "2024"] {
        let edition = Edition::from_year(year).expect(year);
        let text = values_crate(uses, &types, edition, false);
        let checked = type_check(&format!("values_{year}"), year, &text);
        assert_eq!(checked, Ok(()), "{text}");
    }
}

#[test]
fn values_need_no_std() {
    let uses = "#![no_std] extern crate alloc; use alloc::{borrow::Cow, boxed::Box, collections::*, rc::Rc,
        string::String, sync::Arc, vec::Vec};
        use core::{cell::RefCell, cmp::{Ordering, Reverse}, fmt, num::{NonZero, NonZeroU8, Wrapping}, time::Duration};";
    for year in ["2018", "2024"] {
        let edition = Edition::from_year(year).expect(year);
        let text = values_crate(uses, TYPES, edition, true);
        let checked = type_check(&format!("values_no_std_{year}"), year, &text);
        assert_eq!(checked, Ok(()), "{text}");
    }
}

/// A little of everything, with types that every operator suits.
const PLAIN: &str = r#"
use std::collections::HashMap;
#[derive(Clone, Default)]
pub struct Account { balance: i64, limit: i64, name: String, open: bool, log: Vec<u32> }
pub enum Error { Closed, Overdrawn }
impl Account {
    pub fn deposit(&mut self, amount: i64) -> Result<i64, Error> {
        if !self.open { return Err(Error::Closed); }
        if amount <= 0 || amount > self.limit && self.name.is_empty() { return Ok(self.balance); }
        self.balance += amount;
        self.log.push(amount as u32 & 0xff);
        Ok(self.balance)
    }
    pub fn withdraw(&mut self, amount: i64) -> Result<i64, Error> {
        let left = self.balance - amount;
        if left < -self.limit { return Err(Error::Overdrawn); }
        self.deposit(0)?;
        self.balance = left;
        Ok(left * 2 / 3 % 7)
    }
    pub fn named(name: &str) -> Account {
        Account { name: name.to_string(), open: true, ..Account::default() }
    }
    pub fn mask(&self, bits: u32, shift: u32) -> u32 {
        (bits << shift) | !bits ^ (bits >> 1 & 0b11)
    }
    pub fn classify(&self, n: i64) -> &'static str {
        match n {
            0 => "zero",
            x if x < 0 && self.open => "negative",
            1 | 2 => "few",
            _ => "many",
        }
    }
}
pub fn search(haystack: &[u8], needle: u8, start: usize, end: usize) -> Option<usize> {
    let mut found = None;
    'outer: for i in start..end {
        for j in (0..=i).rev() {
            if haystack[j] == needle { found = Some(j); break 'outer; }
            if haystack[i] > needle { continue; }
        }
    }
    let mut rest = 10;
    while rest > 0 { rest -= 3; if rest == 1 { break; } }
    let tail = &haystack[start..end];
    if tail.iter().any(|b| b.is_ascii()) && (1..9).contains(&tail.len()) { return None }
    found.or(if matches!(tail.first(), Some(x) if *x == 1) { Some(vec![1usize, 2][0]) } else { None })
}
pub fn count(words: &[String]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in words.iter().filter(|word| !word.is_empty()) { *counts.entry(word.clone()).or_insert(0) += 1; }
    counts
}
pub fn evens(limit: u32) -> impl Iterator<Item = u32> { (0..limit).filter(|&x| x % 2 == 0) }
pub fn scale(x: f64, y: f64, xs: [f64; 3], ys: [f64; 3], i: usize, j: usize) -> f64 {
    let k: i32 = -4;
    x * 1.5 + y.powi(k) - xs[i] * ys[j]
}
"#;

/// A little of everything that threads share.
const SHARED: &str = r#"
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Barrier, Condvar, Mutex, OnceLock};
use std::{thread, time::Duration};
pub struct Shared {
    items: Mutex<Vec<u32>>, spare: Mutex<Vec<u32>>, ready: Condvar, room: Condvar,
    hits: AtomicUsize, misses: AtomicUsize, name: OnceLock<String>,
}
static TOTAL: Mutex<u32> = Mutex::new(0);
impl Shared {
    pub fn put(&self, item: u32) {
        self.hits.fetch_add(1, Ordering::SeqCst);
        let mut items = self.items.lock().unwrap();
        while items.len() > 3 { items = self.room.wait(items).unwrap(); }
        let before = items.len();
        items.push(item + before as u32);
        drop(items);
        self.ready.notify_all();
        fence(Ordering::SeqCst);
    }
    pub fn take(&self) -> Option<u32> {
        let mut items = self.items.lock().unwrap();
        if items.is_empty() { return None; }
        let item = items.pop()?;
        assert!(item > 0);
        self.room.notify_all();
        Some(item)
    }
    pub fn move_all(&self) {
        let mut items = self.items.lock().unwrap();
        let mut spare = self.spare.lock().unwrap();
        spare.append(&mut items);
    }
    pub fn count_all(&self) -> usize {
        let items = self.items.lock().unwrap();
        let count = items.len();
        let spare = self.spare.lock().unwrap();
        count + spare.len()
    }
    pub fn add_up(&self) { *TOTAL.lock().unwrap() += 1; }
    pub fn missed(&self) -> usize { self.misses.load(Ordering::Acquire) }
    pub fn name(&self) -> &str { self.name.get_or_init(|| "n".to_string()) }
    pub fn clear(&self) { { let mut items = self.items.lock().unwrap(); items.clear(); } self.add_up(); }
}
pub fn shadowed(total: &Mutex<u32>) {
    thread::yield_now();
    let mut total = total.lock().unwrap();
    let before = *total;
    *total = before + 1;
    drop(total);
    thread::yield_now();
}
pub fn meet(sender: &SyncSender<u32>, receiver: &Receiver<u32>) {
    let barrier = Arc::new(Barrier::new(2));
    let other = barrier.clone();
    let handle = thread::spawn(move || { other.wait(); });
    if barrier.wait().is_leader() { thread::sleep(Duration::from_millis(5)); }
    sender.send(1).unwrap();
    receiver.recv().unwrap();
    handle.join().unwrap();
}
"#;

#[test]
fn mutants_of_plain_code_compile_alone() {
    let mut operators = compile_alone("plain", PLAIN);
    operators.extend(compile_alone("shared", SHARED));
    let missing: Vec<_> = atropos_mutants::Operator::all()
        .filter(|operator| !operators.contains(operator))
        .collect();
    // Fairness is a matter of other crates than std.
    assert_eq!(missing, [atropos_mutants::Operator::Msf], "not tried");
}

/// Compiles all mutants of a text that Rust alone can make; the operators of all.
fn compile_alone(
    name: &str,
    source: &str,
) -> std::collections::BTreeSet<atropos_mutants::Operator> {
    let options = FindOptions {
        selection: OperatorSelection::all(),
        ..FindOptions::default()
    };
    let found = find_mutants(source, &options).expect("plain code");
    let mut text = String::new();
    let mut operators = std::collections::BTreeSet::new();
    for point in &found.points {
        for mutant in &point.mutants {
            operators.insert(mutant.operator);
            if mutant.needs_exploration {
                continue;
            }
            let mutated = apply(source, mutant);
            let number = text.matches("mod m").count();
            text.push_str(&format!(
                "/* {} */ pub mod m{number} {{ {mutated} }}\n",
                mutant.summary
            ));
        }
    }
    assert_eq!(type_check(name, "2024", &text), Ok(()));
    operators
}
