//! A test without a harness, in which somebody waits for half a second. Who looks all the time takes millions of steps.

use std::thread;
use std::time::Duration;

use busy_waiting::Place;

fn main() {
    let place = Place::default();
    let owner = thread::current();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(500));
            place.put(7, &owner);
        });
        assert_eq!(place.take(), 7);
    });
}
