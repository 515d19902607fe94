//! Harm that a program does which a test starts.

use std::process::Command;

#[test]
fn a_program_that_a_test_starts() {
    let _ = Command::new(env!("CARGO_BIN_EXE_harm")).status();
}
