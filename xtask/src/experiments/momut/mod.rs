//! Tables 3 to 5 of the MoMuT paper for our seven models beside the paper's figures, the strategies compared, and how
//! time and memory grow with the number of objects.

mod document;
mod paper;
mod run;
mod seeds;
mod shares;
mod tables;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use super::plot::{Plot, Series};
use crate::{process, subject};
use document::Section;
use run::{Figures, STRATEGIES};

#[derive(Args)]
pub struct MomutOptions {
    /// Models to run: m1 (the car alarm) to m7
    #[arg(long, value_delimiter = ',', default_value = "m1,m2,m3,m4,m5,m6,m7")]
    models: Vec<String>,
    /// Seconds after which a run stops with what it has
    #[arg(long, default_value_t = 3600)]
    time: u64,
    /// Runs at once, each with one worker
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The first is the one of the tables; all are compared
    #[arg(long, value_delimiter = ',', default_value = "0,1,2,3,4")]
    seeds: Vec<u64>,
    /// Seeds of m7, which takes minutes
    #[arg(long, value_delimiter = ',', default_value = "0,1")]
    station_seeds: Vec<u64>,
    /// Numbers of objects of the stations that show how costs grow
    #[arg(long, value_delimiter = ',', default_value = "178,356,712,1424,2848")]
    objects: Vec<usize>,
    /// What to measure
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "results,growth"
    )]
    parts: Vec<Part>,
    /// The most tests of a run that may have as many as it takes
    #[arg(long, default_value_t = 96)]
    most_tests: usize,
    /// Put the tables, of all models, in their places in EXPERIMENTS.md
    #[arg(long, conflicts_with = "models")]
    update: bool,
    /// Where to write the plot
    #[arg(long, default_value = "experiments/momut.svg")]
    svg: String,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The paper's tables, and the strategies compared
    Results,
    /// How time and memory grow with the number of objects
    Growth,
    /// The share of killed mutants with as many tests as it takes
    Shares,
    /// Two workers against one, on m5 to m7
    Workers,
}

/// Models that are large enough for two workers.
const LARGE: [&str; 3] = ["m5", "m6", "m7"];

pub fn run(options: &MomutOptions) -> Result<()> {
    let tool = Tool {
        program: subject::atropos()?,
        directory: subject::work_directory().join("momut"),
        time: options.time,
    };
    fs::create_dir_all(&tool.directory)?;
    let mut sections = Vec::new();
    for part in &options.parts {
        let made = match part {
            Part::Results => results(&tool, options)?,
            Part::Growth => vec![scaling(&tool, options)?],
            Part::Shares => vec![shares::shares(&tool, &options.models, options.most_tests)?],
            Part::Workers => {
                let large = |name: &&String| LARGE.contains(&name.as_str());
                let models: Vec<String> = options.models.iter().filter(large).cloned().collect();
                vec![shares::workers(&tool, &models)?]
            }
        };
        for section in &made {
            println!("\n{}", section.text);
        }
        sections.extend(made);
    }
    if options.update {
        let path = subject::repository().join("EXPERIMENTS.md");
        let mut text = fs::read_to_string(&path)?;
        for section in &sections {
            text = section.put_into(&text)?;
        }
        fs::write(&path, text)?;
    }
    Ok(())
}

/// Three tests of every model by every strategy, with every seed.
fn results(tool: &Tool, options: &MomutOptions) -> Result<Vec<Section>> {
    let mut runs = Vec::new();
    for name in &options.models {
        let model = tool.model(name)?;
        let seeds = match name.as_str() {
            "m7" => &options.station_seeds,
            _ => &options.seeds,
        };
        for (strategy, seed) in STRATEGIES
            .iter()
            .flat_map(|s| seeds.iter().map(move |n| (s, n)))
        {
            let model = model.clone();
            runs.push(Run {
                name: name.clone(),
                model,
                strategy,
                seed: *seed,
                tests: 3,
                workers: 1,
            });
        }
    }
    let all = tool.generate_all(&runs, options.jobs)?;
    let first = |figures: &&Figures| Some(&figures.seed) == options.seeds.first();
    let mut sections = tables::sections(&all.iter().filter(first).collect::<Vec<_>>());
    sections.push(seeds::section(&all, &options.seeds));
    Ok(sections)
}

/// One run of the generator.
struct Run {
    name: String,
    model: PathBuf,
    strategy: &'static str,
    seed: u64,
    tests: usize,
    workers: usize,
}

/// The tool under measurement.
struct Tool {
    program: PathBuf,
    directory: PathBuf,
    time: u64,
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

    /// Several runs at once; the longest come last in the order and are begun first.
    fn generate_all(&self, runs: &[Run], jobs: usize) -> Result<Vec<Figures>> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Result<Figures>)>> = Mutex::default();
        thread::scope(|scope| {
            for _ in 0..jobs.max(1) {
                scope.spawn(|| {
                    while let Some(at) = runs.len().checked_sub(next.fetch_add(1, Relaxed) + 1) {
                        let Run {
                            name,
                            strategy,
                            seed,
                            ..
                        } = &runs[at];
                        eprintln!("{name} with {strategy}, seed {seed} …");
                        let figures = self.generate(&runs[at]);
                        done.lock().expect("no run panics").push((at, figures));
                    }
                });
            }
        });
        let mut done = done.into_inner().expect("no run panics");
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, figures)| figures).collect()
    }

    fn generate(&self, run: &Run) -> Result<Figures> {
        let Run {
            name,
            model,
            strategy,
            seed,
            tests,
            workers,
        } = run;
        let out = self
            .directory
            .join(format!("{name}-{strategy}-{seed}-{tests}-{workers}"));
        let mut command = Command::new(&self.program);
        command
            .args(["atropos", "model", "generate"])
            .arg(model)
            .args(["--tests", &tests.to_string()])
            .args(["--depth", "150", "--strategy", strategy])
            .args(["--time", &self.time.to_string()])
            .args(["--seed", &seed.to_string()])
            .args(["--workers", &workers.to_string(), "--out"])
            .arg(&out);
        let ended = process::run(command, Duration::from_secs(2 * self.time + 600))?;
        if !ended.success() {
            bail!("{name} with {strategy}:\n{}{}", ended.stdout, ended.stderr);
        }
        let json = fs::read_to_string(out.join("report.json"))?;
        let report =
            serde_json::from_str(&json).with_context(|| format!("the report of {name}"))?;
        Ok(Figures {
            model: name.clone(),
            strategy: (*strategy).to_owned(),
            seed: *seed,
            report,
            whole: ended.time,
        })
    }
}

/// Stations of more and more objects, with our strategy and a worker per core.
fn scaling(tool: &Tool, options: &MomutOptions) -> Result<Section> {
    let mut out = String::from(
        "| objects | statements | mutants | killed | generation: s | whole run: s | peak memory: MiB |\n|---|---|---|---|---|---|---|\n",
    );
    let (mut seconds, mut memory) = (Vec::new(), Vec::new());
    for objects in &options.objects {
        let number = ["--objects".to_owned(), objects.to_string()];
        let model = tool.synthesize("station", &number)?;
        let figures = tool.generate(&Run {
            name: format!("station{objects}"),
            model,
            strategy: STRATEGIES[2],
            seed: 0,
            tests: 3,
            workers: thread::available_parallelism().map_or(1, usize::from),
        })?;
        let report = &figures.report;
        let mebibytes = report.peak_bytes as f64 / 1_048_576.0;
        let _ = writeln!(
            out,
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
    eprintln!("plot: {}", options.svg);
    Ok(Section::new("growth", out))
}
