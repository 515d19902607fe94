//! A place that a thread looks into again whenever it is woken. Without the waiting it looks all the time, which is right, too.

use std::sync::Mutex;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

#[derive(Default)]
pub struct Place {
    item: Mutex<Option<u32>>,
}

impl Place {
    pub fn put(&self, item: u32, owner: &Thread) {
        *self.item.lock().unwrap() = Some(item);
        owner.unpark();
    }

    pub fn take(&self) -> u32 {
        loop {
            if let Some(item) = self.item.lock().unwrap().take() {
                return item;
            }
            thread::park();
        }
    }

    pub fn take_until(&self, deadline: Instant) -> Option<u32> {
        loop {
            if let Some(item) = self.item.lock().unwrap().take() {
                return Some(item);
            }
            let now = Instant::now();
            if now >= deadline {
                return None;
            }
            thread::park_timeout(deadline - now);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Barrier, OnceLock};

    use super::*;

    #[test]
    fn what_is_put_there_is_taken() {
        let place = Place::default();
        let owner = thread::current();
        thread::scope(|scope| {
            scope.spawn(|| place.put(7, &owner));
            assert_eq!(place.take(), 7);
        });
    }

    /// A schedule that lets only this thread go would never end, but no machine has it.
    #[test]
    fn the_last_is_seen_by_looking_all_the_time() {
        let place = Place::default();
        let owner = thread::current();
        thread::scope(|scope| {
            scope.spawn(|| (1..=300).for_each(|item| place.put(item, &owner)));
            let mut last = 0;
            while last < 300 {
                if let Some(item) = place.item.lock().unwrap().take() {
                    last = item;
                }
            }
        });
    }

    /// With more threads than most machines have processors: who looks all the time keeps the one waiting that could go on.
    #[test]
    fn an_item_goes_round() {
        const ROUNDS: u32 = 500;
        let places: [Place; 8] = Default::default();
        let owners: [OnceLock<Thread>; 8] = Default::default();
        let all_are_there = Barrier::new(places.len());
        thread::scope(|scope| {
            for index in 0..places.len() {
                let (places, owners, all_are_there) = (&places, &owners, &all_are_there);
                scope.spawn(move || {
                    owners[index].set(thread::current()).unwrap();
                    all_are_there.wait();
                    let next = (index + 1) % places.len();
                    let pass_on = |item| places[next].put(item, owners[next].get().unwrap());
                    if index == 0 {
                        pass_on(0);
                    }
                    for _ in 0..ROUNDS {
                        pass_on(places[index].take() + 1);
                    }
                });
            }
        });
        let left = places[1].take();
        assert_eq!(left, ROUNDS * places.len() as u32);
    }

    #[test]
    fn nothing_comes_in_time() {
        let place = Place::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                assert_eq!(
                    place.take_until(Instant::now() + Duration::from_millis(20)),
                    None
                )
            });
        });
    }
}
