//! Paths of edition 2015.

extern crate shapes;

pub mod exotic;
pub mod inner;

pub fn raised(n: i32) -> i32 {
    let more = n + 4;
    ::inner::halved(more)
}

pub fn room(side: u32) -> u32 {
    ::shapes::volume(side, side, 2)
}
