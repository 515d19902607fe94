//! The concurrency operators at single calls and statements: what they make, and what they don't
//! where the mistake can't be made.

use atropos_mutants::Shape;

use crate::check::{check, found_with, lines, options};

/// The mutants of a source that has the imports that programs with threads have.
#[track_caller]
fn made(operators: &str, source: &str, expected: &[&str]) {
    let source = format!(
        "use std::sync::atomic::*; use std::sync::*; use std::thread; use std::time::Duration; {source}"
    );
    check(operators, &source, expected);
}

#[test]
fn mxt_halves_and_doubles_times() {
    made(
        "MXT",
        "fn f(d: Duration) { thread::sleep(d); }",
        &["MXT: d => d / 2", "MXT: d => d * 2"],
    );
    made(
        "MXT",
        "fn f(r: mpsc::Receiver<u8>, a: Duration, b: Duration) { let _ = r.recv_timeout(a + b); thread::park_timeout(a); }",
        &[
            "MXT: a + b => (a + b) / 2",
            "MXT: a + b => (a + b) * 2",
            "MXT: a => a / 2",
            "MXT: a => a * 2",
        ],
    );
    check(
        "MXT",
        "use tokio::time::{sleep, timeout}; async fn f(d: Duration) { timeout(d, g()).await; sleep(d).await; }",
        &[
            "MXT: d => d / 2",
            "MXT: d => d * 2",
            "MXT: d => d / 2",
            "MXT: d => d * 2",
        ],
    );
    // A function of the program's own that happens to be called so.
    check("MXT", "fn f(d: u8) { sleep(d); beauty::sleep(d); }", &[]);
}

#[test]
fn msp_takes_another_lock_of_the_same_type() {
    made(
        "MSP",
        "struct S { a: Mutex<u8>, b: Mutex<u8>, c: Mutex<u16> } impl S { fn f(&self) { *self.a.lock().unwrap() += 1; } }",
        &["MSP: self.a => self.b"],
    );
    made(
        "MSP",
        "static A: RwLock<u8> = RwLock::new(0); static B: RwLock<u8> = RwLock::new(0); fn f() -> u8 { *A.read().unwrap() }",
        &["MSP: A => B"],
    );
    made(
        "MSP",
        "fn f(a: &Mutex<u8>, b: &Mutex<u8>) { a.lock().unwrap(); }",
        &["MSP: a => b"],
    );
}

#[test]
fn rxo_takes_another_of_the_same_kind_but_not_a_clone() {
    made(
        "RXO",
        "struct Q { full: Condvar, empty: Condvar } impl Q { fn f(&self) { self.full.notify_one(); } }",
        &["RXO: self.full => self.empty"],
    );
    made(
        "RXO",
        "fn f() { let a = Arc::new(Barrier::new(2)); let b = a.clone(); let c = Arc::new(Barrier::new(2)); thread::spawn(move || b.wait()); a.wait(); c.wait(); }",
        &["RXO: b => c", "RXO: a => c", "RXO: c => a", "RXO: c => b"],
    );
    made(
        "RXO",
        "static N: AtomicU8 = AtomicU8::new(0); static M: AtomicU8 = AtomicU8::new(0); static L: AtomicU16 = AtomicU16::new(0); fn f() { N.fetch_add(1, Ordering::SeqCst); L.load(Ordering::SeqCst); }",
        &["RXO: N => M"],
    );
}

#[test]
fn mxc_changes_sizes_of_pools() {
    check(
        "MXC",
        "fn f() { tokio::runtime::Builder::new_multi_thread().worker_threads(2).build(); }",
        &["MXC: 2 => 3", "MXC: 2 => 1"],
    );
}

#[test]
fn mxc_changes_counts_by_one() {
    made(
        "MXC",
        "fn f(n: usize) { Barrier::new(n); mpsc::sync_channel::<u8>(0); crossbeam_channel::bounded::<u8>(3); }",
        &[
            "MXC: n => n + 1",
            "MXC: n => n - 1",
            "MXC: 0 => 1",
            "MXC: 3 => 4",
            "MXC: 3 => 2",
        ],
    );
    check(
        "MXC",
        "use tokio::sync::{Semaphore, mpsc}; async fn f(s: Semaphore, n: u32) { mpsc::channel::<u8>(8); s.acquire_many(n * 2).await; }",
        &[
            "MXC: 8 => 9",
            "MXC: 8 => 7",
            "MXC: n * 2 => (n * 2) + 1",
            "MXC: n * 2 => (n * 2) - 1",
        ],
    );
    check("MXC", "fn f() { mpsc::channel::<u8>(); }", &[]);
}

#[test]
fn mbr_lets_nobody_lead() {
    made(
        "MBR",
        "fn f(b: &Barrier) { if b.wait().is_leader() { g(); } }",
        &["MBR: b.wait().is_leader() => (b.wait(), false).1"],
    );
}

#[test]
fn rtxc_removes_waits_and_signals() {
    made(
        "RTXC",
        "fn f(c: &Condvar, h: thread::JoinHandle<()>) { c.notify_one(); h.thread().unpark(); h.join().unwrap(); thread::sleep(d()); thread::yield_now(); thread::park(); }",
        &[
            "RTXC: c.notify_one(); =>",
            "RTXC: h.thread().unpark(); =>",
            "RTXC: h.join().unwrap(); =>",
            "RTXC: thread::sleep(d()); =>",
            "RTXC: thread::yield_now(); =>",
            "RTXC: thread::park(); =>",
        ],
    );
    made(
        "RTXC",
        "fn f(c: &Condvar, m: &Mutex<bool>) { let mut g = m.lock().unwrap(); while !*g { g = c.wait(g).unwrap(); } let g = c.wait(g).unwrap(); }",
        &[
            "RTXC: let mut g = m.lock().unwrap(); while !*g { g = c.wait(g).unwrap(); } let g = c.wait(g).unwrap(); => let mut g = m.lock().unwrap(); while !*g { g = c.wait(g).unwrap(); } let g = g;",
            "RTXC: g = c.wait(g).unwrap(); =>",
        ],
    );
}

#[test]
fn a_condition_that_nobody_waits_on_gets_no_mutants() {
    let lonely = "struct S { c: Condvar } impl S { fn f(&self) { self.c.notify_all(); } }";
    made("RTXC,RNA", lonely, &[]);
    let waited = "struct S { c: Condvar } impl S { fn f(&self) { self.c.notify_all(); } fn g(&self, g: G) { self.c.wait(g); } }";
    made(
        "RNA",
        waited,
        &["RNA: self.c.notify_all() => self.c.notify_one()"],
    );
    // Others may wait where the file does not show it.
    let public = "pub struct S { pub c: Condvar } impl S { fn f(&self) { self.c.notify_all(); } }";
    made(
        "RNA",
        public,
        &["RNA: self.c.notify_all() => self.c.notify_one()"],
    );
}

#[test]
fn rna_knows_tokio_and_parking_lot() {
    check(
        "RNA",
        "use tokio::sync::Notify; fn f(n: &Notify) { n.notify_waiters(); }",
        &["RNA: n.notify_waiters() => n.notify_one()"],
    );
    // The two return different types, so the block is copied.
    check(
        "RNA",
        "use parking_lot::Condvar; fn f(c: &Condvar) { c.notify_all(); }",
        &["RNA: c.notify_all(); => c.notify_one();"],
    );
}

#[test]
fn rcxc_removes_calls_on_channels_atomics_threads_and_guards() {
    made(
        "RCXC",
        "fn f(s: mpsc::Sender<u8>, r: mpsc::Receiver<u8>, b: &Barrier, a: &AtomicU8) { s.send(1).unwrap(); let _ = s.send(2); r.recv().unwrap(); b.wait(); a.store(1, Ordering::SeqCst); thread::spawn(|| g()); drop(s); }",
        &[
            "RCXC: s.send(1).unwrap(); =>",
            "RCXC: let _ = s.send(2); =>",
            "RCXC: r.recv().unwrap(); =>",
            "RCXC: b.wait(); =>",
            "RCXC: a.store(1, Ordering::SeqCst); =>",
            "RCXC: thread::spawn(|| g()); =>",
            "RCXC: drop(s); =>",
        ],
    );
    made(
        "RCXC",
        "fn f(m: &Mutex<u8>) { let mut g = m.lock().unwrap(); *g = 1; drop(g); h(); drop(1); }",
        &[
            "RCXC: m => (*::atropos_runtime::injected_faults::bare(&m))",
            "RCXC: drop(g); =>",
        ],
    );
}

#[test]
fn a_lock_is_taken_away_by_the_runtime_unless_its_guard_is_not_used() {
    let source = "use std::sync::Mutex; fn f(m: &Mutex<()>) { let _guard = m.lock().unwrap(); g(); } fn h(m: &Mutex<u8>) { *m.lock().unwrap() += 1; }";
    let found = found_with(source, &options("RCXC"));
    assert_eq!(
        lines(source, &found),
        [
            "RCXC: let _guard = m.lock().unwrap(); g(); => g();",
            "RCXC: m => (*::atropos_runtime::injected_faults::bare(&m))",
        ]
    );
    let needs: Vec<bool> = found
        .points
        .iter()
        .flat_map(|point| &point.mutants)
        .map(|mutant| mutant.needs_exploration)
        .collect();
    assert_eq!(needs, [false, true]);
}

#[test]
fn a_permit_that_is_only_held_is_not_acquired() {
    check(
        "RCXC",
        "use tokio::sync::Semaphore; async fn f(s: &Semaphore) { let _permit = s.acquire().await.unwrap(); g(); s.add_permits(1); }",
        &[
            "RCXC: let _permit = s.acquire().await.unwrap(); g(); s.add_permits(1); => g(); s.add_permits(1);",
            "RCXC: s.add_permits(1); =>",
        ],
    );
    check(
        "RCXC",
        "use tokio::sync::Semaphore; async fn f(s: &Semaphore) { let permit = s.acquire().await.unwrap(); permit.forget(); }",
        &[],
    );
    // One that is given back by hand is a guard like others.
    check(
        "RCXC",
        "use tokio::sync::Semaphore; async fn f(s: &Semaphore) { let permit = s.acquire().await.unwrap(); g(); drop(permit); h(); }",
        &["RCXC: drop(permit); =>"],
    );
}

#[test]
fn a_task_is_not_waited_for() {
    check(
        "RTXC",
        "async fn f() { let task = tokio::spawn(async { g() }); task.await.unwrap(); other.await.unwrap(); }",
        &["RTXC: task.await.unwrap(); =>"],
    );
}

#[test]
fn rjs_sleeps_instead_of_joining() {
    made(
        "RJS",
        "fn f(h: thread::JoinHandle<()>) { h.join().unwrap(); }",
        &[
            "RJS: h.join().unwrap(); => ::std::thread::sleep(::std::time::Duration::from_millis(10));",
        ],
    );
    check(
        "RJS",
        "async fn f() { let task = tokio::spawn(g()); task.await.unwrap(); }",
        &[
            "RJS: let task = tokio::spawn(g()); task.await.unwrap(); => let task = tokio::spawn(g()); ::tokio::time::sleep(::std::time::Duration::from_millis(10)).await;",
        ],
    );
    check(
        "RJS",
        "fn f(p: &Path) { p.join(\"a\"); words.join(); }",
        &[],
    );
}

#[test]
fn elpa_exchanges_waiting_and_trying() {
    made(
        "ELPA",
        "fn f(m: &Mutex<u8>) -> u8 { *m.lock().unwrap() }",
        &["ELPA: *m.lock().unwrap() => *m.try_lock().unwrap()"],
    );
    made(
        "ELPA",
        "fn f(l: &RwLock<u8>) -> u8 { *l.read().unwrap() }",
        &[
            "ELPA: *l.read().unwrap() => *l.try_read().unwrap()",
            "ELPA: *l.read().unwrap() => *l.write().unwrap()",
        ],
    );
    made(
        "ELPA",
        "fn f(r: mpsc::Receiver<u8>, s: mpsc::SyncSender<u8>, t: mpsc::Sender<u8>) { r.recv().unwrap(); s.send(1).unwrap(); t.send(1).unwrap(); }",
        &[
            "ELPA: r.recv().unwrap(); s.send(1).unwrap(); t.send(1).unwrap(); => r.try_recv().unwrap(); s.send(1).unwrap(); t.send(1).unwrap();",
            "ELPA: r.recv().unwrap(); s.send(1).unwrap(); t.send(1).unwrap(); => r.recv().unwrap(); s.try_send(1).unwrap(); t.send(1).unwrap();",
        ],
    );
    check(
        "ELPA",
        "use parking_lot::Mutex; fn f(m: &Mutex<u8>) -> u8 { *m.lock() }",
        &["ELPA: *m.lock() => *m.try_lock().unwrap()"],
    );
    check(
        "ELPA",
        "use tokio::sync::{Mutex, Semaphore}; async fn f(m: &Mutex<u8>, s: &Semaphore) { s.acquire().await.unwrap(); m.lock().await; }",
        &[
            "ELPA: s.acquire().await.unwrap(); m.lock().await; => s.try_acquire().unwrap(); m.lock().await;",
            "ELPA: s.acquire().await.unwrap(); m.lock().await; => s.acquire().await.unwrap(); m.try_lock().unwrap();",
        ],
    );
    check(
        "ELPA",
        "fn f() { std::io::stdout().lock(); file.read(); }",
        &[],
    );
}

#[test]
fn ean_splits_operations_and_keeps_their_orderings() {
    made(
        "EAN",
        "fn f(n: &AtomicU8) { n.fetch_add(2, Ordering::AcqRel); }",
        &[
            "EAN: n.fetch_add(2, Ordering::AcqRel) => (match (&n, 2) { (__atropos_a, __atropos_new) => { let __atropos_old = __atropos_a.load(Ordering::Acquire); __atropos_a.store(__atropos_old.wrapping_add(__atropos_new), Ordering::Release); __atropos_old } })",
        ],
    );
    let all = "fn f(n: &AtomicU8) { n.swap(1, SeqCst); n.compare_exchange(1, 2, SeqCst, Relaxed); n.fetch_update(SeqCst, Relaxed, |n| Some(n)); n.fetch_max(1, SeqCst); b.fetch_not(SeqCst); n.update(SeqCst, Relaxed, |n| n); n.try_update(SeqCst, Relaxed, |n| Some(n)); n.load(SeqCst); n.store(1, SeqCst); }";
    assert_eq!(
        found_with(all, &options("EAN"))
            .points
            .iter()
            .map(|point| point.mutants[0].summary.as_str())
            .collect::<Vec<&str>>(),
        [
            "split swap into a load and a store",
            "split compare_exchange into a load and a store",
            "split fetch_update into a load and a store",
            "split fetch_max into a load and a store",
            "split fetch_not into a load and a store",
            "split update into a load and a store",
            "split try_update into a load and a store",
        ]
    );
}

#[test]
fn rvk_weakens_orderings_by_what_the_operation_allows() {
    made(
        "RVK",
        "fn f(n: &AtomicU8) { n.load(Ordering::SeqCst); n.store(1, Ordering::Release); n.fetch_add(1, Ordering::AcqRel); n.compare_exchange(1, 2, Ordering::SeqCst, Ordering::Acquire); n.load(Ordering::Relaxed); }",
        &[
            "RVK: Ordering::SeqCst => Ordering::Acquire",
            "RVK: Ordering::SeqCst => Ordering::Relaxed",
            "RVK: Ordering::Release => Ordering::Relaxed",
            "RVK: Ordering::AcqRel => Ordering::Acquire",
            "RVK: Ordering::AcqRel => Ordering::Release",
            "RVK: Ordering::SeqCst => Ordering::AcqRel",
            "RVK: Ordering::SeqCst => Ordering::Relaxed",
            "RVK: Ordering::Acquire => Ordering::Relaxed",
        ],
    );
    check(
        "RVK",
        "fn f(n: &AtomicU8) { n.load(Acquire); fence(SeqCst); }",
        &[
            "RVK: Acquire => ::core::sync::atomic::Ordering::Relaxed",
            "RVK: fence(SeqCst); =>",
        ],
    );
}

#[test]
fn rvk_lets_several_threads_initialise() {
    made(
        "RVK",
        "struct S { cell: OnceLock<u8> } impl S { fn f(&self) -> &u8 { self.cell.get_or_init(|| g()) } }",
        &[
            "RVK: self.cell.get_or_init(|| g()) => (match self.cell.get() { Some(__atropos_old) => __atropos_old, None => { let __atropos_new = (|| g())(); let _ = self.cell.set(__atropos_new); self.cell.get().unwrap() } })",
        ],
    );
    // A static's closure lets the others in itself: the runtime makes the mistake.
    let lazy = "use std::sync::LazyLock; static L: LazyLock<u8> = LazyLock::new(|| g());";
    let found = found_with(lazy, &options("RVK"));
    assert_eq!(
        lines(lazy, &found),
        ["RVK: g() => { ::atropos_runtime::injected_faults::race(); g() }"]
    );
    assert!(found.points[0].mutants[0].needs_exploration);
    // A function is called by a closure, which may stand in a constant.
    let function = "use std::sync::*; static L: LazyLock<u8> = LazyLock::new(made::by); fn f(g: fn() -> u8) -> LazyLock<u8> { LazyLock::new(g) }";
    let found = found_with(function, &options("RVK"));
    assert_eq!(
        lines(function, &found),
        ["RVK: made::by => || { ::atropos_runtime::injected_faults::race(); made::by() }"]
    );
    assert_eq!(found.points[0].shape, Shape::Initialiser);
    // Another library's is not the runtime's.
    for other in [
        "use spin::LazyLock; static L: LazyLock<u8> = LazyLock::new(|| g());",
        "use std::cell::LazyCell; fn f() { let l = LazyCell::new(|| g()); }",
    ] {
        check("RVK", other, &[]);
    }
    // A cell for one thread can't be raced for.
    check(
        "RVK",
        "use std::cell::OnceCell; struct S { cell: OnceCell<u8> } impl S { fn f(&self) -> &u8 { self.cell.get_or_init(|| g()) } }",
        &[],
    );
}

#[test]
fn what_never_leaves_its_thread_gets_no_mutants() {
    let local = "fn f() -> u8 { let n = AtomicU8::new(0); n.store(1, Ordering::SeqCst); n.fetch_add(1, Ordering::SeqCst); let m = Mutex::new(1); *m.lock().unwrap() += 1; n.load(Ordering::SeqCst) }";
    made("concurrency", local, &[]);
    let captured = "fn f() { let n = AtomicU8::new(0); thread::scope(|s| { s.spawn(|| n.store(1, Ordering::Release)); }); }";
    made(
        "RVK",
        captured,
        &["RVK: Ordering::Release => Ordering::Relaxed"],
    );
    let lent = "fn f() { let n = AtomicU8::new(0); g(&n); n.store(1, Ordering::Release); }";
    made(
        "RVK",
        lent,
        &["RVK: Ordering::Release => Ordering::Relaxed"],
    );
}

#[test]
fn msf_changes_fairness() {
    check(
        "MSF",
        "use parking_lot::{Mutex, MutexGuard}; fn f(m: &Mutex<u8>) { let g = m.lock(); h(); MutexGuard::unlock_fair(g); }",
        &[
            "MSF: let g = m.lock(); h(); MutexGuard::unlock_fair(g); => let g = m.lock(); h(); drop(g);",
        ],
    );
    check(
        "MSF",
        "use parking_lot::Mutex; fn f(m: &Mutex<u8>) { let g = m.lock(); drop(g); }",
        &[
            "MSF: let g = m.lock(); drop(g); => let g = m.lock(); ::parking_lot::MutexGuard::unlock_fair(g);",
        ],
    );
    check(
        "MSF",
        "async fn f() { tokio::select! { biased; _ = a() => 1, _ = b() => 2 }; }",
        &[
            "MSF: tokio::select! { biased; _ = a() => 1, _ = b() => 2 }; => tokio::select! { _ = a() => 1, _ = b() => 2 };",
        ],
    );
    check(
        "MSF",
        "async fn f() { tokio::select! { _ = a() => 1, _ = b() => 2 }; }",
        &[
            "MSF: tokio::select! { _ = a() => 1, _ = b() => 2 }; => tokio::select! { biased; _ = a() => 1, _ = b() => 2 };",
        ],
    );
    // The counterpart need not be imported.
    check(
        "MSF",
        "use crossbeam_channel::select; fn f() { select! { recv(a) -> _ => 1 }; }",
        &[
            "MSF: select! { recv(a) -> _ => 1 }; => ::crossbeam_channel::select_biased! { recv(a) -> _ => 1 };",
        ],
    );
    // It may stand within an expression.
    check(
        "MSF",
        "use crossbeam_channel::select; fn f() { let x = select! { recv(a) -> _ => 1 }; }",
        &[
            "MSF: let x = select! { recv(a) -> _ => 1 }; => let x = ::crossbeam_channel::select_biased! { recv(a) -> _ => 1 };",
        ],
    );
    // std's guards have no such choice.
    made(
        "MSF",
        "fn f(m: &Mutex<u8>) { let g = m.lock().unwrap(); drop(g); }",
        &[],
    );
}

#[test]
fn names_that_mean_something_else_are_left_alone() {
    check(
        "concurrency",
        "fn f(v: &[String], p: &Path, c: Cache) -> String { c.store(1, 2); c.load(p); io.send(1); x.wait(); y.lock(); p.join(\"x\"); v.join(\",\") }",
        &[],
    );
    check(
        "concurrency",
        "struct Mutex; struct S { m: Mutex } impl S { fn f(&self) { self.m.lock(); } }",
        &[],
    );
}
