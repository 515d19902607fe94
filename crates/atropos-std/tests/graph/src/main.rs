//! One small test for each dependency; prints how each ends and what was covered.

use std::sync::Arc;
use std::thread;

use std::__atropos_threads::atropos_search::{Exhaustive, SampleSpec, Strategy, Uniform};
use std::__atropos_threads::{MemoryOrder, ControlOptions, say, survey};

fn arc_swap() {
    let value = Arc::new(arc_swap::ArcSwap::from_pointee(0));
    let other = value.clone();
    let thread = thread::spawn(move || other.store(Arc::new(1)));
    let seen = **value.load();
    thread.join().unwrap();
    say(&format!("{seen} {}", **value.load()));
}

fn crossbeam_channel() {
    let (sender, receiver) = crossbeam_channel::bounded(1);
    let other = sender.clone();
    let threads = [thread::spawn(move || sender.send(1).unwrap()), thread::spawn(move || other.send(2).unwrap())];
    let received: Vec<u32> = receiver.iter().collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    say(&format!("{received:?}"));
}

fn dashmap() {
    let map = Arc::new(dashmap::DashMap::new());
    map.insert("key", 0);
    let add = |map: Arc<dashmap::DashMap<&'static str, u32>>| thread::spawn(move || *map.get_mut("key").unwrap() += 1);
    [add(map.clone()), add(map.clone())].into_iter().for_each(|thread| thread.join().unwrap());
    say(&map.get("key").unwrap().to_string());
}

fn flume() {
    let (sender, receiver) = flume::unbounded();
    let other = sender.clone();
    thread::spawn(move || sender.send(1).unwrap());
    thread::spawn(move || other.send(2).unwrap());
    say(&format!("{:?}", receiver.iter().collect::<Vec<u32>>()));
}

fn once_cell() {
    static CELL: once_cell::sync::OnceCell<u32> = once_cell::sync::OnceCell::new();
    let thread = thread::spawn(|| *CELL.get_or_init(|| 1));
    let value = *CELL.get_or_init(|| 2);
    assert_eq!(thread.join().unwrap(), value);
    say(&value.to_string());
}

fn parking_lot() {
    let count = Arc::new(parking_lot::Mutex::new(0));
    let add = |count: Arc<parking_lot::Mutex<u32>>| thread::spawn(move || *count.lock() += 1);
    [add(count.clone()), add(count.clone())].into_iter().for_each(|thread| thread.join().unwrap());
    say(&count.lock().to_string());
}

fn parking_lot_in_two_orders() {
    let (a, b) = (Arc::new(parking_lot::Mutex::new(())), Arc::new(parking_lot::Mutex::new(())));
    let (c, d) = (a.clone(), b.clone());
    let thread = thread::spawn(move || {
        let _d = d.lock();
        let _c = c.lock();
    });
    let first = a.lock();
    drop((b.lock(), first));
    thread.join().unwrap();
    say("ok");
}

fn rayon() {
    let (one, two) = rayon::join(|| 1, || 2);
    say(&(one + two).to_string());
}

fn main() {
    let tests: [(&str, fn(), bool); 8] = [
        ("arc_swap", arc_swap, true),
        ("crossbeam_channel", crossbeam_channel, false),
        ("dashmap", dashmap, true),
        ("flume", flume, true),
        ("once_cell", once_cell, true),
        ("parking_lot", parking_lot, true),
        ("parking_lot in two orders", parking_lot_in_two_orders, false),
        ("rayon", rayon, false),
    ];
    let options = ControlOptions { memory: MemoryOrder::SequentiallyConsistent, ..ControlOptions::default() };
    for (name, test, all) in tests {
        let mut strategy: Box<dyn Strategy> = match all {
            true => Box::new(Exhaustive::new()),
            false => Box::new(Uniform::new(SampleSpec::new(1000, 1))),
        };
        let (ends, report) = survey(&test, &options, &mut *strategy);
        assert!(report.divergence.is_none(), "{name}: {:?}", report.divergence);
        println!("{name}: {}; {}", ends.into_keys().collect::<Vec<_>>().join(", "), report.coverage);
    }
}
