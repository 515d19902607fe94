//! Nameless parameters and trait objects without `dyn`: the file is left out with a warning, because
//! no parser of today's Rust reads it.
#![allow(bare_trait_objects, anonymous_parameters)]

pub trait Change {
    fn change(&self, i32) -> i32;
}

pub struct Plus(pub i32);

impl Change for Plus {
    fn change(&self, n: i32) -> i32 {
        n + self.0
    }
}

pub fn changed(change: &Change) -> i32 {
    change.change(10)
}
