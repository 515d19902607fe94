//! Experiments: each measures two ways in one run on one machine and prints a table in the form
//! in which EXPERIMENTS.md keeps it.

mod bars;
mod javalanche;
mod matrix;
mod mutmut;
mod peers;
mod plot;
mod statistics;
mod survivors;
mod topsy_turvy;

use anyhow::Result;
use clap::Subcommand;

#[derive(Subcommand)]
pub enum Experiment {
    /// Against cargo-mutants, both with one job: wall time, mutants, time per viable mutant
    Peers(peers::Options),
    /// Figures 10 to 12 of the MuTMuT paper: eight programs with threads, every technique and strategy
    Mutmut(mutmut::Options),
    /// Tables 4 to 6 and Figure 7 of the Javalanche paper: does impact tell which mutants matter?
    Javalanche(javalanche::Options),
    /// Precision and recall of the ranking on survivors that people have judged
    Survivors(survivors::Options),
    /// Figure 4 of the Topsy-Turvy paper: one process per mutant against fork, over growing primes
    TopsyTurvy(topsy_turvy::Options),
}

pub fn run(experiment: &Experiment) -> Result<()> {
    match experiment {
        Experiment::Peers(options) => peers::run(options),
        Experiment::Mutmut(options) => mutmut::run(options),
        Experiment::Javalanche(options) => javalanche::run(options),
        Experiment::Survivors(options) => survivors::run(options),
        Experiment::TopsyTurvy(options) => topsy_turvy::run(options),
    }
}
