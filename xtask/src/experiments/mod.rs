//! Experiments: each measures two ways in one run on one machine and prints a table in the form
//! in which EXPERIMENTS.md keeps it.

mod bars;
mod bugs;
mod explore;
mod javalanche;
mod matrix;
mod momut;
mod mutmut;
mod peers;
mod plot;
mod statistics;
mod suites;
mod survivors;
mod topsy_turvy;
mod write;

use anyhow::Result;
use clap::Subcommand;

#[derive(Subcommand)]
pub enum Experiment {
    /// Published bugs of concurrent crates: which are found, by which strategy, and the repaired versions beside them
    Bugs(bugs::BugsOptions),
    /// Schedules beside Shuttle and Loom: how many, how fast, how soon a mistake is found
    Explore(explore::ExploreOptions),
    /// Tables 3 to 5 of the MoMuT paper, its strategies against ours, and growth with the number of objects
    Momut(momut::MomutOptions),
    /// Against cargo-mutants, both with one job: wall time, mutants, time per viable mutant
    Peers(peers::PeersOptions),
    /// Figures 10 to 12 of the MuTMuT paper: eight programs with threads, every technique and strategy
    Mutmut(mutmut::MutmutOptions),
    /// Tables 4 to 6 and Figure 7 of the Javalanche paper: does impact tell which mutants matter?
    Javalanche(javalanche::JavalancheOptions),
    /// Precision and recall of the ranking on survivors that people have judged
    Survivors(survivors::SurvivorsOptions),
    /// `explore` on the test suites of some fifty crates with threads: what is explored, and what fails (hours)
    Suites(suites::SuitesOptions),
    /// Figure 4 of the Topsy-Turvy paper: one process per mutant against fork, over growing primes
    TopsyTurvy(topsy_turvy::TopsyTurvyOptions),
    /// Survivors of real crates that `cargo atropos write` kills, with how many assertions, and at what cost
    Write(write::WriteOptions),
}

pub fn run(experiment: &Experiment) -> Result<()> {
    match experiment {
        Experiment::Bugs(options) => bugs::run(options),
        Experiment::Explore(options) => explore::run(options),
        Experiment::Momut(options) => momut::run(options),
        Experiment::Peers(options) => peers::run(options),
        Experiment::Mutmut(options) => mutmut::run(options),
        Experiment::Javalanche(options) => javalanche::run(options),
        Experiment::Survivors(options) => survivors::run(options),
        Experiment::Suites(options) => suites::run(options),
        Experiment::TopsyTurvy(options) => topsy_turvy::run(options),
        Experiment::Write(options) => write::run(options),
    }
}
