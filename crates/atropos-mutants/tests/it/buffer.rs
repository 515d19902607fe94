//! The five mutants of a bounded buffer that were once made by hand ("MuTMuT", 2010): a notification removed, all
//! notified replaced by one, the lock removed.

use crate::check::{found_with, options};

const BUFFER: &str = include_str!("../../../../examples/threads/buffer/src/lib.rs");

#[test]
fn the_mutants_of_the_buffer_that_were_made_by_hand_come_out() {
    let found = found_with(BUFFER, &options("RTXC,RNA,RSK"));
    let made: Vec<(&str, &str, &str)> = found
        .points
        .iter()
        .flat_map(|point| {
            let mutants = point.mutants.iter();
            mutants.map(|m| {
                (
                    m.operator.code(),
                    point.function.as_str(),
                    m.summary.as_str(),
                )
            })
        })
        .collect();
    for expected in [
        (
            "RTXC",
            "Buffer<T>::put_item",
            "remove self.not_empty.notify_all();",
        ),
        (
            "RTXC",
            "Buffer<T>::get_item",
            "remove self.not_full.notify_all();",
        ),
        (
            "RNA",
            "Buffer<T>::put_item",
            "replace self.not_empty.notify_all() with self.not_empty.notify_one()",
        ),
        (
            "RNA",
            "Buffer<T>::get_item",
            "replace self.not_full.notify_all() with self.not_full.notify_one()",
        ),
        (
            "RSK",
            "Buffer<T>::put_item",
            "take away the exclusion of self.items.lock()",
        ),
    ] {
        assert!(made.contains(&expected), "{expected:?} is not in {made:#?}");
    }
}
