//! The model commands as a program of their own, until `cargo atropos model` carries them.

use clap::Parser;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "atropos-model",
    version,
    about = "Test cases that kill a model's mutants"
)]
struct Cli {
    #[command(subcommand)]
    command: atropos_model::cli::ModelCommand,
}

fn main() -> ExitCode {
    match atropos_model::cli::run(&Cli::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(2),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
