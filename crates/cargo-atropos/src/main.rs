//! `cargo atropos`: reads the command line, does what it asks for, and says how it went by the
//! exit code.

mod arguments;
mod exit_code;
mod module_files;
mod near_miss;
mod packages;
mod plan;
mod source;

fn main() {
    let _ = arguments::parse(std::env::args_os());
}
