//! What shells and `man` know of the command: made from the command line's own description.

use std::io::{self, Write};

use anyhow::Result;

use crate::arguments::{CompletionsArguments, command};
use crate::exit_code::ExitCode;

/// The program by its own name: that is what shells complete for `cargo atropos`.
const PROGRAM: &str = "cargo-atropos";

/// Prints a script for a shell.
pub fn completions(arguments: &CompletionsArguments) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), PROGRAM, &mut script);
    io::stdout().write_all(&script)?;
    Ok(ExitCode::Success)
}

/// Prints the manual page.
pub fn manual() -> Result<ExitCode> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command().name(PROGRAM)).render(&mut page)?;
    io::stdout().write_all(&page)?;
    Ok(ExitCode::Success)
}
