//! Tables 3 to 5 of the MoMuT paper for our seven models beside the paper's figures, the strategies compared, and how
//! time and memory grow with the number of objects.

mod paper;
mod run;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use super::plot::{Plot, Series};
use crate::{process, subject};
use run::{Figures, STRATEGIES};

#[derive(Args)]
pub struct Options {
    /// Models to run: m1 (the car alarm) to m7
    #[arg(long, value_delimiter = ',', default_value = "m1,m2,m3,m4,m5,m6,m7")]
    models: Vec<String>,
    /// Seconds after which a run stops with what it has
    #[arg(long, default_value_t = 3600)]
    time: u64,
    /// Worker threads
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Numbers of objects of the stations that show how costs grow; 0 leaves this part out
    #[arg(long, value_delimiter = ',', default_value = "178,356,712,1424,2848")]
    objects: Vec<usize>,
    /// Where to write the plot
    #[arg(long, default_value = "experiments/momut.svg")]
    svg: String,
}

pub fn run(options: &Options) -> Result<()> {
    let tool = Tool {
        program: subject::atropos()?,
        directory: subject::work_directory().join("momut"),
        time: options.time,
        workers: options.workers,
    };
    fs::create_dir_all(&tool.directory)?;
    let mut all = Vec::new();
    for name in &options.models {
        let model = tool.model(name)?;
        for strategy in STRATEGIES {
            eprintln!("{name} with {strategy} …");
            all.push(tool.generate(&model, name, strategy)?);
        }
    }
    tables::print(&all);
    if !options.objects.contains(&0) {
        scaling(&tool, options)?;
    }
    Ok(())
}

/// The tool under measurement.
struct Tool {
    program: PathBuf,
    directory: PathBuf,
    time: u64,
    workers: usize,
}

impl Tool {
    fn model(&self, name: &str) -> Result<PathBuf> {
        if name == "m1" {
            return Ok(subject::repository().join("examples/models/car_alarm.ooas"));
        }
        self.synthesize(name, &[])
    }

    fn synthesize(&self, name: &str, more: &[String]) -> Result<PathBuf> {
        let file = self.directory.join(format!("{name}{}.ooas", more.concat()));
        let mut command = Command::new(&self.program);
        command
            .args(["atropos", "model", "synthesize", name, "--out"])
            .arg(&file)
            .args(more);
        let ended = process::run(command, Duration::from_secs(600))?;
        if !ended.success() {
            bail!("{name} can't be made:\n{}", ended.stderr);
        }
        Ok(file)
    }

    fn generate(&self, model: &Path, name: &str, strategy: &str) -> Result<Figures> {
        let out = self.directory.join(format!("{name}-{strategy}"));
        let mut command = Command::new(&self.program);
        command
            .args(["atropos", "model", "generate"])
            .arg(model)
            .args(["--tests", "3", "--depth", "150", "--strategy", strategy])
            .args(["--time", &self.time.to_string()])
            .args(["--workers", &self.workers.to_string(), "--out"])
            .arg(&out);
        let ended = process::run(command, Duration::from_secs(2 * self.time + 600))?;
        if !ended.success() {
            bail!("{name} with {strategy}:\n{}{}", ended.stdout, ended.stderr);
        }
        let json = fs::read_to_string(out.join("report.json"))?;
        let report =
            serde_json::from_str(&json).with_context(|| format!("the report of {name}"))?;
        Ok(Figures {
            model: name.to_owned(),
            strategy: strategy.to_owned(),
            report,
            whole: ended.time,
        })
    }
}

/// Stations of more and more objects, one test each with our strategy.
fn scaling(tool: &Tool, options: &Options) -> Result<()> {
    println!(
        "\n| objects | statements | mutants | killed | generation: s | whole run: s | peak memory: MiB |"
    );
    println!("|---|---|---|---|---|---|---|");
    let (mut seconds, mut memory) = (Vec::new(), Vec::new());
    for objects in &options.objects {
        let number = ["--objects".to_owned(), objects.to_string()];
        let model = tool.synthesize("station", &number)?;
        let figures = tool.generate(&model, &format!("station{objects}"), "frontier")?;
        let report = &figures.report;
        let mebibytes = report.peak_bytes as f64 / 1_048_576.0;
        println!(
            "| {} | {} | {} | {} | {:.1} | {:.1} | {mebibytes:.0} |",
            report.objects,
            report.statements,
            report.table.total,
            report.table.killed,
            report.seconds,
            figures.whole.as_secs_f64(),
        );
        seconds.push((report.objects as f64, report.seconds));
        memory.push((report.objects as f64, mebibytes));
    }
    let line = |name: &str, color, points| Series {
        name: name.into(),
        color,
        points,
    };
    let plot = Plot {
        title: "Three tests of 150 choices for stations of more and more objects".into(),
        x_label: "objects".into(),
        y_label: "seconds, MiB".into(),
        series: vec![
            line("time: seconds", "#c0392b", seconds),
            line("peak memory: MiB", "#2471a3", memory),
        ],
    };
    let path = subject::repository().join(&options.svg);
    fs::create_dir_all(path.parent().expect("a file lies in a directory"))?;
    fs::write(&path, plot.to_svg())?;
    println!("\nplot: {}", options.svg);
    Ok(())
}
