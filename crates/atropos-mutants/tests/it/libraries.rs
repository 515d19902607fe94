//! What the concurrency operators make of parking_lot, crossbeam and tokio, where these differ from std.

use crate::check::check;

#[test]
fn tokio_s_attempts_wait_where_waiting_is_possible() {
    check(
        "ELPA",
        "use tokio::sync::Mutex; async fn f(m: &Mutex<u8>) -> bool { m.try_lock().is_ok() }",
        &[
            "ELPA: m.try_lock().is_ok() => Ok::<_, ::tokio::sync::TryLockError>(m.lock().await).is_ok()",
        ],
    );
    check(
        "ELPA",
        "use tokio::sync::Semaphore; async fn f(s: &Semaphore) -> bool { s.try_acquire().is_ok() }",
        &["ELPA: s.try_acquire().is_ok() => s.acquire().await.is_ok()"],
    );
    // Closures and plain functions can't wait.
    check(
        "ELPA",
        "use tokio::sync::Mutex; async fn f(m: &Mutex<u8>) -> bool { g(|| m.try_lock().is_ok()) } fn h(m: &Mutex<u8>) { m.try_lock(); }",
        &[],
    );
}

#[test]
fn tokio_s_readers_write_and_its_blocking_calls_try() {
    check(
        "ELPA",
        "use tokio::sync::RwLock; async fn f(l: &RwLock<u8>) -> u8 { *l.read().await }",
        &[
            "ELPA: *l.read().await => *l.write().await",
            "ELPA: *l.read().await => *l.try_read().unwrap()",
        ],
    );
    check(
        "ELPA",
        "use tokio::sync::Mutex; fn f(m: &Mutex<u8>) -> u8 { *m.blocking_lock() }",
        &["ELPA: *m.blocking_lock() => *m.try_lock().unwrap()"],
    );
}

#[test]
fn tokio_s_cells_and_parking_lot_s_once_are_raced_for() {
    check(
        "RVK",
        "use tokio::sync::OnceCell; async fn f(c: &OnceCell<u8>) -> &u8 { c.get_or_init(g).await }",
        &[
            "RVK: c.get_or_init(g).await => (match c.get() { Some(__atropos_old) => __atropos_old, None => { let __atropos_new = (g)().await; let _ = c.set(__atropos_new); c.get().unwrap() } })",
        ],
    );
    check(
        "RVK",
        "use parking_lot::Once; static O: Once = Once::new(); fn f() { O.call_once(g); }",
        &["RVK: O.call_once(g) => (if !O.state().done() { (g)(); O.call_once(|| ()) })"],
    );
}

#[test]
fn answers_that_are_awaited_alone_are_not_waited_for() {
    check(
        "RCXC",
        "use tokio::sync::oneshot; async fn f() { let (a, b) = oneshot::channel::<u8>(); g(a); b.await.unwrap(); }",
        &["RCXC: b.await.unwrap(); =>"],
    );
}

#[test]
fn a_channel_s_bound_is_changed_also_where_it_is_imported() {
    check(
        "MXC",
        "use tokio::sync::mpsc::channel; fn f() { channel::<u8>(3); }",
        &["MXC: 3 => 4", "MXC: 3 => 2"],
    );
    check(
        "MXC",
        "use tokio::sync::watch::channel; fn f() { channel::<u8>(3); }",
        &[],
    );
}

#[test]
fn crossbeam_s_cells_are_split_and_not_stored_to() {
    check(
        "EAN,RCXC",
        "use crossbeam_utils::atomic::AtomicCell; fn f(c: &AtomicCell<u8>) { c.fetch_add(1); c.store(2); }",
        &[
            "EAN: c.fetch_add(1) => (match (&c, 1) { (__atropos_a, __atropos_new) => { let __atropos_old = __atropos_a.load(); __atropos_a.store(__atropos_old.wrapping_add(__atropos_new)); __atropos_old } })",
            "RCXC: c.store(2); =>",
        ],
    );
}

#[test]
fn crossbeam_s_parker_does_not_park() {
    check(
        "MXT,RTXC",
        "use crossbeam_utils::sync::Parker; fn f(p: &Parker, d: Duration) { p.park(); p.park_timeout(d); } fn g(car: &Car) { car.park(); }",
        &[
            "RTXC: p.park(); =>",
            "RTXC: p.park_timeout(d); =>",
            "MXT: d => d / 2",
            "MXT: d => d * 2",
        ],
    );
}

#[test]
fn a_wait_with_a_limit_is_over_at_once() {
    check(
        "RTXC",
        "use std::sync::{Condvar, MutexGuard}; fn f(c: &Condvar, g: MutexGuard<u8>, d: Duration) { let (g, out) = c.wait_timeout(g, d).unwrap(); }",
        &["RTXC: d => ::core::time::Duration::ZERO"],
    );
    check(
        "MXT,RTXC",
        "use parking_lot::{Condvar, MutexGuard}; fn f(c: &Condvar, mut g: MutexGuard<u8>, d: Duration) { c.wait_while_for(&mut g, |v| *v == 0, d); }",
        &[
            "RTXC: c.wait_while_for(&mut g, |v| *v == 0, d); =>",
            "MXT: d => d / 2",
            "MXT: d => d * 2",
        ],
    );
}
