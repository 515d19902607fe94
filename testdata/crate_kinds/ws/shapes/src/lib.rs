//! Tested only by others.

pub fn area(width: u32, height: u32) -> u32 {
    width * height
}

pub fn volume(width: u32, height: u32, depth: u32) -> u32 {
    area(width, height) * depth
}

pub fn perimeter(width: u32, height: u32) -> u32 {
    width + height
}
