//! A test with a `main` of its own.

fn main() {
    if plain_main::product(3, 4) != 12 || plain_main::patient(5) != 4 {
        eprintln!("wrong");
        std::process::exit(7);
    }
}
