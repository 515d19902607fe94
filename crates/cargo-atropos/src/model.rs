//! `cargo atropos model`: tests from models. The feature `model` (on by default) brings it; without it, the tool builds
//! without Cranelift, and the command says so.

use crate::exit_code::ExitCode;
use anyhow::Result;

#[cfg(feature = "model")]
pub use atropos_model::cli::ModelCommand;

/// Stands in for the subcommands: takes any arguments.
#[cfg(not(feature = "model"))]
#[derive(clap::Args, Clone, Debug)]
pub struct ModelLeftOut {
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    _arguments: Vec<String>,
}

#[cfg(not(feature = "model"))]
pub use ModelLeftOut as ModelCommand;

#[cfg(feature = "model")]
pub fn model(command: &ModelCommand) -> Result<ExitCode> {
    use crate::interrupt::Interrupt;
    let interrupt = match command.heeds_interruption() {
        true => Interrupt::install()?,
        false => Interrupt::default(),
    };
    let done = atropos_model::cli::run(command, interrupt.flag())?;
    Ok(match done {
        _ if interrupt.is_requested() => ExitCode::Interrupted,
        true => ExitCode::Success,
        false => ExitCode::Survivors,
    })
}

/// # Errors
/// Always: nothing here knows models.
#[cfg(not(feature = "model"))]
pub fn model(_: &ModelLeftOut) -> Result<ExitCode> {
    anyhow::bail!(
        "this cargo-atropos was built without models; install it with `cargo install cargo-atropos` (without \
         `--no-default-features`), or with `--features model`"
    )
}
