//! `cargo atropos run`: from the user's tree to verdicts.

use anyhow::{Result, bail};

use crate::arguments::Options;
use crate::exit_code::ExitCode;
use crate::prepare::prepare;

pub fn run(options: Options) -> Result<ExitCode> {
    let prepared = prepare(options)?;
    if prepared.plan.mutants.is_empty() {
        return Ok(ExitCode::Success);
    }
    bail!("this build can find mutants but not run them yet")
}
