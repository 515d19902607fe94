//! A program that is built only on request.

fn main() {
    println!("{}", extra(1));
}

fn extra(n: u32) -> u32 {
    n + 4
}
