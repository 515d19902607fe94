//! Two senders and a receiver. Broken: the receiver takes it that the first sender is always the first.

use super::Version;
use crate::under::sync::mpsc::channel;
use crate::under::thread;

pub fn run(version: Version) {
    let (sender, receiver) = channel();
    let threads: Vec<_> = (0..2)
        .map(|number| {
            let sender = sender.clone();
            thread::spawn(move || {
                sender.send(2 * number).unwrap();
                sender.send(2 * number + 1).unwrap();
            })
        })
        .collect();
    let received: Vec<i32> = (0..4).map(|_| receiver.recv().unwrap()).collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    match version {
        Version::Right => assert_eq!(received.iter().sum::<i32>(), 6),
        Version::Broken => assert_eq!(received[0], 0),
    }
}
