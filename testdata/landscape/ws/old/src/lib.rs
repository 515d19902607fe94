//! Syntax and paths of edition 2015. What only this edition can read lies in a file of its own.

extern crate shapes;

pub mod exotic;
pub mod inner;

pub fn async(n: i32) -> i32 {
    let dyn = n + 4;
    ::inner::halved(dyn)
}

pub fn room(side: u32) -> u32 {
    ::shapes::volume(side, side, 2)
}
