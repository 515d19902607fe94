//! A program that is a test.

fn main() {
    if std::env::var("FAIL_PROGRAM").is_ok() {
        eprintln!("the program is told to fail");
        std::process::exit(3);
    }
}
