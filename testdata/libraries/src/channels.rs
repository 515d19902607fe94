//! On crossbeam.

use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

/// Squares on another thread.
pub fn squares(numbers: Vec<u32>) -> Vec<u32> {
    let (work, todo): (Sender<u32>, Receiver<u32>) = bounded(1);
    let (done, results) = unbounded();
    let worker = thread::spawn(move || {
        for number in todo.iter() {
            done.send(number * number).unwrap();
        }
    });
    for number in numbers {
        work.send(number).unwrap();
    }
    drop(work);
    worker.join().unwrap();
    results.iter().collect()
}

/// The first answer, or none if it takes a second.
pub fn first(answers: &Receiver<u32>) -> Option<u32> {
    answers.recv_timeout(Duration::from_secs(1)).ok()
}
