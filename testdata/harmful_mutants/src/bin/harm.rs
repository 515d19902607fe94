//! Does harm if it is asked to.

fn main() {
    harmful_mutants::ways::all();
}
