//! Channels: which orders of sending, receiving and dropping ends are told apart.

use atropos_threads::atomic::{AtomicU32, Ordering::SeqCst};
use atropos_threads::atropos_search::{
    Coverage, Exhaustive, Search, SearchOrder, Strategy, XorShift,
};
use atropos_threads::sync::mpsc::{self, TryRecvError};
use atropos_threads::{ControlOptions, say, survey, thread};

use crate::alone::{alone, sc, weak};

/// How executions end, and how many there are.
fn ends(
    test: &(dyn Fn() + Sync),
    options: &ControlOptions,
    strategy: &mut dyn Strategy,
) -> (Vec<String>, u64) {
    let (ends, report) = survey(test, options, strategy);
    assert_eq!(report.divergence, None);
    assert_eq!(report.coverage, Coverage::All);
    (ends.into_keys().collect(), report.progress.executions)
}

/// Two senders of two messages each, and a receiver of all four.
fn two_senders() {
    let (sender, receiver) = mpsc::channel();
    let threads = [0, 2].map(|first| {
        let sender = sender.clone();
        thread::spawn(move || {
            sender.send(first).unwrap();
            sender.send(first + 1).unwrap();
        })
    });
    let received: Vec<u32> = (0..4).map(|_| receiver.recv().unwrap()).collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    say(&format!("{received:?}"));
}

#[test]
fn one_schedule_is_enough_for_each_order_of_messages() {
    alone(|| {
        for options in [sc(), weak()] {
            let (ends, executions) = ends(&two_senders, &options, &mut Exhaustive::new());
            assert_eq!((ends.len(), executions), (6, 6));
        }
    });
}

#[test]
fn who_drops_the_last_sender_does_not_matter() {
    alone(|| {
        let test = || {
            let (sender, receiver) = mpsc::channel::<u32>();
            let threads = [(); 4].map(|()| {
                let sender = sender.clone();
                thread::spawn(move || drop(sender))
            });
            drop(sender);
            assert!(receiver.recv().is_err());
            threads
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
        };
        assert_eq!(ends(&test, &sc(), &mut Exhaustive::new()).1, 1);
    });
}

/// Senders and a receiver that do as the seed says.
fn generated(seed: u64, senders: u64) {
    let mut random = XorShift::new(seed);
    let mut random_operations =
        |count: u64| -> Vec<u64> { (0..count).map(|_| random.below(6)).collect() };
    let programs: Vec<_> = (0..senders).map(|_| random_operations(3)).collect();
    let receives = random_operations(3);
    let shared = AtomicU32::new(0);
    let (sender, receiver) = mpsc::channel::<u32>();
    let results = thread::scope(|scope| {
        let shared = &shared;
        let handles: Vec<_> = programs
            .iter()
            .enumerate()
            .map(|(number, program)| {
                let sender = sender.clone();
                scope.spawn(move || {
                    let mut sender = Some(sender);
                    let mut seen = 1_u32;
                    for deed in program {
                        seen = seen * 5
                            + match (deed, &sender) {
                                (0..=2, Some(sender)) => {
                                    u32::from(sender.send(number as u32).is_ok())
                                }
                                (3, _) => {
                                    drop(sender.take());
                                    2
                                }
                                _ => shared.swap(number as u32 + 1, SeqCst),
                            };
                    }
                    seen
                })
            })
            .collect();
        drop(sender);
        let mut receiver = Some(receiver);
        let mut seen = String::new();
        for deed in &receives {
            let word = match (deed, &receiver) {
                (0..=2, Some(receiver)) => format!("{:?}", receiver.recv()),
                (3 | 4, Some(receiver)) => match receiver.try_recv() {
                    Ok(value) => format!("{value}"),
                    Err(TryRecvError::Empty) => "empty".to_owned(),
                    Err(TryRecvError::Disconnected) => "gone".to_owned(),
                },
                (5, _) => {
                    drop(receiver.take());
                    "dropped".to_owned()
                }
                _ => shared.load(SeqCst).to_string(),
            };
            seen += &word;
            seen += " ";
        }
        let sent: Vec<u32> = handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .collect();
        format!("{seen}{sent:?}")
    });
    say(&format!("{results} {}", shared.load(SeqCst)));
}

#[test]
fn channels_have_the_same_ends_with_and_without_reduction() {
    alone(|| {
        for seed in 0..30 {
            let test = move || generated(seed, 1);
            let (all, enumerated) = ends(&test, &sc(), &mut Search::enumeration());
            let (reduced, executions) = ends(&test, &sc(), &mut Exhaustive::new());
            assert_eq!(reduced, all, "exhaustive, seed {seed}");
            assert!(executions <= enumerated);
            let mut stateful = Search::stateful(SearchOrder::DepthFirst);
            let (found, _) = ends(&test, &sc(), &mut stateful);
            assert_eq!(found, all, "stateful, seed {seed}");
        }
        // Too many to enumerate.
        for seed in 0..10 {
            let test = move || generated(seed, 2);
            let (reduced, _) = ends(&test, &sc(), &mut Exhaustive::new());
            let mut stateful = Search::stateful(SearchOrder::DepthFirst);
            let (found, _) = ends(&test, &sc(), &mut stateful);
            assert_eq!(reduced, found, "two senders, seed {seed}");
        }
    });
}
