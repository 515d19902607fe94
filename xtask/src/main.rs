//! Chores of this repository: `cargo xtask --help`.

mod crosscheck;
mod experiments;
mod process;
mod random;
mod subject;
#[cfg(test)]
mod tidy;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the Atropos repository")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Compile and test sampled mutants alone, and compare with what the fast way says
    Crosscheck(crosscheck::Options),
    /// Measure, and print tables for EXPERIMENTS.md
    Experiments {
        #[command(subcommand)]
        experiment: experiments::Experiment,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().chore {
        Chore::Crosscheck(options) => crosscheck::run(&options),
        Chore::Experiments { experiment } => experiments::run(&experiment),
    }
}
