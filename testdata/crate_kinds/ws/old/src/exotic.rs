//! Nameless parameters, trait objects without `dyn`, names that are keywords today: what only this
//! edition can read.
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

pub fn async(change: &Change) -> i32 {
    change.change(10)
}
