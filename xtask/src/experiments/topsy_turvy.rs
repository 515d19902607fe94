//! Figure 4 of the Topsy-Turvy paper: the time that all mutants of a primality checker take, one
//! process per mutant against fork at the mutation point, as the test's set-up grows.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;

use super::plot::{Plot, Series};
use crate::subject;

/// Sizes of the numbers that the test's set-up makes.
const SIZES: [u64; 6] = [1_000, 100_000, 200_000, 400_000, 700_000, 1_000_000];

#[derive(Args)]
pub struct TopsyTurvyOptions {
    /// Where to write the plot
    #[arg(long, default_value = "experiments/topsy-turvy.svg")]
    svg: String,
}

/// What one run took.
struct Measured {
    seconds: f64,
    killed: usize,
    mutants: usize,
}

pub fn run(options: &TopsyTurvyOptions) -> Result<()> {
    let atropos = subject::atropos()?;
    let example = subject::repository().join("examples/primes");
    let tree = subject::copy_of(
        &example.display().to_string(),
        &subject::work_directory().join("topsy-turvy"),
    )?;
    println!("| largest number below | mutants | killed | one process each: s | fork: s | ratio |");
    println!("|---|---|---|---|---|---|");
    let (mut each_points, mut fork_points) = (Vec::new(), Vec::new());
    for size in SIZES {
        let each = measure(&atropos, &tree, size, "each")?;
        let fork = measure(&atropos, &tree, size, "fork")?;
        if each.killed != fork.killed {
            bail!(
                "the two ways kill {} and {} mutants",
                each.killed,
                fork.killed
            );
        }
        println!(
            "| {size} | {} | {} | {:.3} | {:.3} | {:.1} |",
            fork.mutants,
            fork.killed,
            each.seconds,
            fork.seconds,
            each.seconds / fork.seconds
        );
        each_points.push((size as f64, each.seconds));
        fork_points.push((size as f64, fork.seconds));
    }
    let plot = Plot {
        title: "All mutants of a primality checker".into(),
        x_label: "numbers in the test below".into(),
        y_label: "seconds".into(),
        series: vec![
            Series {
                name: "one process per mutant".into(),
                color: "#c0392b",
                points: each_points,
            },
            Series {
                name: "fork at the mutation point".into(),
                color: "#2471a3",
                points: fork_points,
            },
        ],
    };
    let path = subject::repository().join(&options.svg);
    fs::create_dir_all(path.parent().expect("a file lies in a directory"))?;
    fs::write(&path, plot.to_svg())?;
    println!("\nplot: {}", options.svg);
    Ok(())
}

fn measure(atropos: &Path, tree: &Path, size: u64, way: &str) -> Result<Measured> {
    // A journal of an earlier run would leave nothing to do.
    let _ = fs::remove_file(tree.join("target/atropos/journal.jsonl"));
    let arguments = ["--jobs=1", "--no-doc", "--way", way];
    let variables = [("PRIMES_SIZE", size.to_string())];
    let (outcomes, _) = subject::run_atropos(atropos, tree, &arguments, &variables)?;
    Ok(Measured {
        seconds: outcomes.timings.run,
        killed: outcomes.totals.killed,
        mutants: outcomes.totals.mutants,
    })
}
