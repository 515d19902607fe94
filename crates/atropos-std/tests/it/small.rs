//! Small programs.

use std::process::Command;

use crate::build::{Std, compile, output_of, run};

/// What a program needs to explore itself; the word says which of its functions.
const EXPLORE: &str = r#"
fn explored(test: fn()) -> String {
    let (ends, report) = ::std::__atropos_threads::survey(
        &test, &Default::default(), &mut ::std::__atropos_threads::atropos_search::Exhaustive::new());
    assert!(report.divergence.is_none());
    format!("{:?} {}", ends, report.coverage)
}
"#;

const PROGRAM: &str = r#"
use std::sync::{Arc, Mutex};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

static HITS: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    static MINE: ::std::cell::Cell<u32> = ::std::cell::Cell::new(3);
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
struct Pair { left: Vec<String>, right: Option<u8> }

macro_rules! make { ($($x:expr),*) => { ::std::vec::Vec::from([$($x),*]) } }

fn racy() {
    assert_eq!(HITS.fetch_add(1, Ordering::SeqCst), 0, "statics are fresh");
    let number = Arc::new(AtomicUsize::new(0));
    let total = Arc::new(Mutex::new(make![0_u32; 0]));
    let threads: Vec<_> = (0..2).map(|_| {
        let number = number.clone();
        let total = total.clone();
        thread::spawn(move || {
            let seen = number.load(Ordering::SeqCst);
            number.store(seen + 1, Ordering::SeqCst);
            total.lock().unwrap().push(MINE.with(|mine| mine.get()));
        })
    }).collect();
    for thread in threads { thread.join().unwrap(); }
    assert_eq!(*total.lock().unwrap(), [3, 3]);
    ::std::__atropos_threads::say(&number.load(Ordering::SeqCst).to_string());
}

fn main() {
    let pair = Pair::default();
    println!("{:?} {}", pair.clone(), format!("{}", pair == pair.clone()));
    println!("{}", explored(racy));
    println!("{}", explored(|| panic!("on purpose")));
    assert_eq!(HITS.load(Ordering::SeqCst), 0);
}
"#;

pub fn programs_of_every_edition_run_under_control() {
    let program = PROGRAM.replace("make![0_u32; 0]", "Vec::<u32>::new()") + EXPLORE;
    for edition in ["2015", "2018", "2021", "2024"] {
        let output = output_of("small", edition, &program, Std::Facade);
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines[0], "Pair { left: [], right: None } true");
        assert!(
            lines[1].contains("\"1\": ")
                && lines[1].contains("\"2\": ")
                && lines[1].ends_with("} all schedules"),
            "{output}"
        );
        assert_eq!(lines[2], "{\"panic: on purpose\": 1} all schedules");
    }
}

const ORDINARY: &str = r#"
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, MutexGuard, Once, OnceLock, RwLock, mpsc};
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicI64, AtomicBool, Ordering::*};
use std::time::{Duration, Instant};
use std::thread;

static LOCK: Mutex<[u8; 3]> = Mutex::new([1, 2, 3]);
static RW: RwLock<Option<u8>> = RwLock::new(None);
static ONCE: Once = Once::new();
static CELL: OnceLock<String> = OnceLock::new();
static LAZY: LazyLock<Vec<u8>> = LazyLock::new(|| vec![9]);
static CONDITION: Condvar = Condvar::new();
static FLAGS: [AtomicBool; 2] = [const { AtomicBool::new(true) }; 2];
thread_local! { static LOCAL: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) }; }

fn main() {
    println!("{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}", LOCK, RW, ONCE, CELL, *LAZY, LAZY, CONDITION, FLAGS);
    println!("{:?} {:?} {:?}", Mutex::new(1), RwLock::new("x"), Barrier::new(1));
    println!("{} {} {}", size_of::<AtomicU8>(), align_of::<AtomicI64>(), size_of::<AtomicPtr<u8>>());
    let guard: MutexGuard<'_, [u8; 3]> = LOCK.lock().unwrap();
    println!("{guard:?} {:?} {:?}", LOCK.try_lock().is_err(), LOCK);
    drop(guard);
    let poisoned = Arc::new(Mutex::new(5));
    let other = poisoned.clone();
    std::panic::set_hook(Box::new(|_| {}));
    let result = thread::Builder::new().name("named".into()).spawn(move || { let _g = other.lock().unwrap(); panic!("{}", thread::current().name().unwrap()) }).unwrap().join();
    println!("{:?} {:?} {:?}", result.unwrap_err().downcast_ref::<String>(), poisoned.lock(), poisoned);
    let (sender, receiver) = mpsc::sync_channel(1);
    println!("{:?} {:?} {:?}", sender, receiver, receiver.try_recv());
    thread::scope(|scope| {
        let handle = scope.spawn(|| { sender.send(1).unwrap(); sender.send(2).unwrap(); drop(sender); 7 });
        println!("{:?} {:?}", receiver.iter().collect::<Vec<u8>>(), handle.join().unwrap());
    });
    println!("{:?}", receiver.recv_timeout(Duration::from_millis(1)));
    let start = Instant::now();
    thread::sleep(Duration::from_millis(20));
    println!("{}", start.elapsed() >= Duration::from_millis(20));
    let waiting = LOCK.lock().unwrap();
    println!("{:?}", CONDITION.wait_timeout(waiting, Duration::from_millis(1)).unwrap().1);
    println!("{:?} {:?}", RW.try_write().map(|mut guard| guard.replace(4)), *RW.read().unwrap());
    println!("{:?} {}", CELL.set("set".to_string()), CELL.get_or_init(String::new));
    ONCE.call_once(|| {});
    println!("{}", ONCE.is_completed());
    LOCAL.with_borrow_mut(|list| list.push(1));
    println!("{:?} {:?}", LOCAL.take(), thread::spawn(|| LOCAL.with_borrow(Vec::len)).join().unwrap());
    println!("{:?} {}", FLAGS[0].compare_exchange(true, false, AcqRel, Acquire), FLAGS[0].fetch_or(true, SeqCst));
    println!("{:?}", AtomicI64::new(-3).fetch_max(9, Relaxed));
    thread::current().unpark();
    thread::park();
    println!("{:?}", thread::current().name());
}
"#;

pub fn a_program_outside_an_exploration_does_what_it_does_with_std() {
    let real = output_of("ordinary", "2024", ORDINARY, Std::Real);
    assert_eq!(output_of("ordinary", "2024", ORDINARY, Std::Facade), real);
    assert_eq!(real.lines().count(), 17, "{real}");
}

const WITHOUT_STD: &str = r#"
#![no_std]
use core::sync::atomic::{AtomicUsize, Ordering};
pub struct SpinLock(AtomicUsize);
impl SpinLock {
    pub const fn new() -> SpinLock { SpinLock(AtomicUsize::new(0)) }
    pub fn lock(&self) {
        while self.0.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() { core::hint::spin_loop(); }
    }
    pub fn unlock(&self) { self.0.store(0, Ordering::Release); }
    pub fn word(&self) -> &AtomicUsize { &self.0 }
}
"#;

const WITH_STD: &str = r#"
use without_std::SpinLock;
static LOCK: SpinLock = SpinLock::new();
static mut COUNT: u32 = 0;
fn same_type(word: &std::sync::atomic::AtomicUsize) -> usize { word.load(std::sync::atomic::Ordering::Relaxed) }
fn test() {
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| { LOCK.lock(); unsafe { COUNT += 1 }; LOCK.unlock(); });
        }
    });
    assert_eq!(same_type(LOCK.word()), 0);
    ::std::__atropos_threads::say(&unsafe { COUNT }.to_string());
}
fn main() { println!("{}", explored(test)); }
"#;

pub fn crates_without_std_share_atomics_with_those_with_std() {
    let (compiler, library) = compile(
        "without_std",
        "2021",
        WITHOUT_STD,
        Std::Facade,
        &["--crate-type", "rlib"],
    );
    run(compiler);
    // rustc wants a library's name to say that it is one.
    let named = library.with_file_name("libwithout_std.rlib");
    std::fs::rename(&library, &named).unwrap();
    let text = WITH_STD.to_string() + EXPLORE;
    let dependency = format!("without_std={}", named.display());
    let (compiler, program) = compile(
        "with_std",
        "2021",
        &text,
        Std::Facade,
        &["--extern", &dependency],
    );
    run(compiler);
    let output = run(Command::new(program));
    assert!(
        output.starts_with("{\"2\": ") && output.trim_end().ends_with("} all schedules"),
        "{output}"
    );
}
