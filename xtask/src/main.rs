//! Chores of this repository: `cargo xtask --help`.

mod attack;
mod crosscheck;
mod distributed;
mod docs;
mod experiments;
mod model_claims;
mod process;
mod published;
mod random;
mod reuse;
mod same_outcomes;
mod subject;
#[cfg(test)]
mod tidy;
mod viability;

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
    /// Kill the tool and compilers, edit sources during runs, and look whether a verdict is lost or changed
    Attack(attack::AttackOptions),
    /// Compile and test sampled mutants alone, and compare with what the fast way says
    Crosscheck(crosscheck::CrosscheckOptions),
    /// Measure shards of archives, and run the examples for Slurm and GNU parallel
    Distributed(distributed::DistributedOptions),
    /// Compile sampled unviable mutants alone, and tell those that the weave lost
    Viability(viability::ViabilityOptions),
    /// Generate tests from the bundled models and from random ones, and check every kill that is claimed
    ModelClaims(model_claims::ModelClaimsOptions),
    /// Edit crates at random, and compare verdicts that are reused with those of runs from nothing
    Reuse(reuse::ReuseOptions),
    /// Run two versions of the tool on the bundled trees, and compare what they write
    SameOutcomes(same_outcomes::SameOutcomesOptions),
    /// Measure, and print tables for EXPERIMENTS.md
    Experiments {
        #[command(subcommand)]
        experiment: experiments::Experiment,
    },
    /// Write the pages of the book that are made from the code: options and operators
    Docs,
    /// Check reports, workflows and the page against what others have published about them (needs npm and pip)
    Published(published::PublishedOptions),
    /// Check the links of all Markdown files, and build the book
    Book,
}

fn main() -> Result<()> {
    match Arguments::parse().chore {
        Chore::Attack(options) => attack::run(&options),
        Chore::Crosscheck(options) => crosscheck::run(&options),
        Chore::Distributed(options) => distributed::run(options),
        Chore::Viability(options) => viability::run(&options),
        Chore::ModelClaims(options) => model_claims::run(&options),
        Chore::Reuse(options) => reuse::run(&options),
        Chore::SameOutcomes(options) => same_outcomes::run(&options),
        Chore::Experiments { experiment } => experiments::run(&experiment),
        Chore::Docs => docs::write_pages(),
        Chore::Published(options) => published::check(&options),
        Chore::Book => docs::book::build(),
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    /// The chores that a document speaks of, between backticks on one line.
    fn chores(text: &str) -> impl Iterator<Item = &str> {
        let code = text
            .lines()
            .flat_map(|line| line.split('`').skip(1).step_by(2));
        code.filter(|code| code.starts_with("cargo xtask"))
    }

    #[test]
    fn every_chore_in_the_documents_exists() {
        let documents = [
            include_str!("../../CONTRIBUTING.md"),
            include_str!("../../EXPERIMENTS.md"),
            include_str!("../../docs/src/results.md"),
        ];
        let all: Vec<&str> = documents.iter().flat_map(|text| chores(text)).collect();
        assert!(all.len() > 10, "{all:?}");
        for chore in all {
            let words = chore.split(' ').skip(1);
            if let Err(error) = Arguments::try_parse_from(words) {
                // A chore may be named without what it needs.
                let is_named = matches!(
                    error.kind(),
                    ErrorKind::MissingRequiredArgument
                        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                );
                assert!(is_named, "{chore}\n{error}");
            }
        }
    }
}
