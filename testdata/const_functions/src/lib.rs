//! The tests need `area` at compile time.

pub const fn area(width: u32, height: u32) -> u32 {
    width * height
}

pub fn edge(area: u32) -> u32 {
    area + 1
}
