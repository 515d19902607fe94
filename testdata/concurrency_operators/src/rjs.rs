//! A join.

use std::thread::JoinHandle;

pub fn wait_for(worker: JoinHandle<()>) {
    worker.join().unwrap();
}
