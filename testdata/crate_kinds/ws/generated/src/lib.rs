//! Includes what the build script wrote, a file of code and a text file.

#[cfg(unstable)]
compile_error!("no compiler has this feature");

include!(concat!(env!("OUT_DIR"), "/squares.rs"));

pub mod part {
    include!("part.in");
}

const GREETING: &str = include_str!("../data/greeting.txt");

pub fn square(number: usize) -> u32 {
    SQUARES[number] + 0 * made(1)
}

pub fn greeting(name: &str) -> String {
    format!("{} {name}", GREETING.trim()) + env!("GENERATED_BY")
}

pub fn lines_of(text: &str) -> usize {
    text.lines().filter(|line| line.len() > 3).count()
}
