//! Tested by a program with its own `main`.

pub fn product(a: u32, b: u32) -> u32 {
    a * b
}

pub fn unseen(a: u32, b: u32) -> u32 {
    a * b
}

pub fn patient(mut n: u32) -> u32 {
    let mut steps = 0;
    while n > 1 {
        n -= 1;
        steps += 1;
    }
    steps
}
