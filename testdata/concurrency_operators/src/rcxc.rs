//! A message.

use std::sync::mpsc::Sender;

pub fn greet(sender: &Sender<u32>, number: u32) {
    sender.send(number).unwrap();
}
