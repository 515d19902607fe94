//! As `on_atropos`, compiled so that every access to plain memory is watched: see `build` in `xtask`'s `explore`.

#[path = "on_atropos.rs"]
mod on_atropos;

// What the programs are written against.
use on_atropos::under;

fn main() {
    on_atropos::main();
}
