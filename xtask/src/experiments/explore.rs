//! Exploration beside Shuttle and Loom: how many schedules each needs for a program, how many it runs in a second, and how
//! soon it finds the mistake in the program's broken version. The programs are those of `experiments/schedules`, compiled
//! from one source against each library.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{process, subject};

#[derive(Args)]
pub struct ExploreOptions {
    /// Only these programs
    programs: Vec<String>,

    /// Schedules after which a systematic search is cut off
    #[arg(long, default_value_t = 100_000)]
    most: u64,

    /// Seconds after which a systematic search is cut off
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,

    /// Seconds over which schedules are drawn to measure the rate
    #[arg(long, default_value_t = 0.5)]
    rate_seconds: f64,

    /// How often the search for a mistake is repeated with another seed
    #[arg(long, default_value_t = 100)]
    seeds: u64,
}

/// Random schedules after which the search for a mistake is given up.
const MOST_DRAWN: u64 = 10_000;
/// How often a systematic search is repeated, for its time: it has no seed.
const REPEATED: u64 = 5;
/// How much longer than asked for a process may take to answer.
const GRACE: Duration = Duration::from_secs(120);

/// A library: its binary, and the words before each question.
struct Library {
    name: &'static str,
    binary: &'static str,
    words: &'static [&'static str],
}

const SHUTTLE: Library = Library {
    name: "Shuttle",
    binary: "on_shuttle",
    words: &[],
};
const LOOM: Library = Library {
    name: "Loom",
    binary: "on_loom",
    words: &[],
};
const OURS: Library = Library {
    name: "ours",
    binary: "on_atropos",
    words: &["sc"],
};
const OURS_WEAK: Library = Library {
    name: "ours, weak memory",
    binary: "on_atropos",
    words: &["weak"],
};

/// As above, and every access to plain memory is watched.
const OURS_WATCHED: Library = Library {
    name: "ours, weak memory, races",
    binary: "on_atropos_watched",
    words: &["weak"],
};

/// The order of the columns; the memory of the first two is sequentially consistent, that of the others weak.
const SYSTEMATIC: [Library; 4] = [SHUTTLE, OURS, LOOM, OURS_WEAK];
const RANDOM: [Library; 4] = [SHUTTLE, OURS, OURS_WEAK, OURS_WATCHED];

pub fn run(options: &ExploreOptions) -> Result<()> {
    let binaries = build()?;
    let names = ask(&binaries, &LOOM, &["list"], Duration::ZERO)?;
    let names: Vec<&str> = names.lines().collect();
    if let Some(unknown) = options
        .programs
        .iter()
        .find(|name| !names.contains(&name.as_str()))
    {
        bail!("no program `{unknown}`; there are {}", names.join(", "));
    }
    let chosen: Vec<&str> = names
        .into_iter()
        .filter(|name| {
            options.programs.is_empty() || options.programs.iter().any(|chosen| chosen == name)
        })
        .collect();
    count_schedules(options, &binaries, &chosen)?;
    measure_rates(options, &binaries, &chosen)?;
    find_mistakes(options, &binaries, &chosen)
}

/// What the tool gives rustc to have plain memory watched; see `runtime_library` in `cargo-atropos`.
const WATCH_MEMORY: [&str; 4] = [
    "-Cpasses=forceattrs,tsan-module,tsan",
    "-Cllvm-args=-force-attribute=sanitize_thread",
    "-Cllvm-args=-tsan-instrument-func-entry-exit=false",
    "-Cllvm-args=-tsan-distinguish-volatile",
];

/// Compiles the programs; gives the directory of the binaries.
fn build() -> Result<PathBuf> {
    let target = subject::work_directory().join("schedules");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command
        .args(["build", "--release", "--locked", "--target-dir"])
        .arg(&target)
        .current_dir(subject::repository().join("experiments/schedules"));
    let mut watched = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    watched
        .args([
            "rustc",
            "--release",
            "--locked",
            "--bin",
            OURS_WATCHED.binary,
            "--target-dir",
        ])
        .arg(&target)
        .arg("--")
        .args(WATCH_MEMORY)
        .current_dir(subject::repository().join("experiments/schedules"));
    for command in [command, watched] {
        let ended = process::run(command, Duration::from_secs(1800))?;
        if !ended.success() {
            bail!("experiments/schedules does not build:\n{}", ended.stderr);
        }
    }
    Ok(target.join("release"))
}

/// What a library answers.
fn ask(
    binaries: &Path,
    library: &Library,
    question: &[&str],
    expected: Duration,
) -> Result<String> {
    let mut command = Command::new(binaries.join(library.binary));
    command.args(library.words).args(question);
    let ended = process::run(command, expected + GRACE)?;
    if !ended.success() {
        bail!(
            "{} does not answer {question:?}:\n{}",
            library.name,
            ended.stderr
        );
    }
    Ok(ended.stdout)
}

/// The numbers in a line of an answer.
fn numbers(line: &str) -> Result<Vec<u64>> {
    line.split_whitespace()
        .map(|word| {
            word.parse()
                .with_context(|| format!("`{word}` is no number"))
        })
        .collect()
}

fn heading(first: &str, libraries: &[Library]) {
    let names: Vec<&str> = libraries.iter().map(|library| library.name).collect();
    println!("| {first} | {} |", names.join(" | "));
    println!("|---{}|", "|---".repeat(libraries.len()));
}

fn count_schedules(options: &ExploreOptions, binaries: &Path, programs: &[&str]) -> Result<()> {
    println!(
        "Schedules of the right version, one after the other (at most {} or {} s):\n",
        options.most, options.seconds
    );
    heading("program", &SYSTEMATIC);
    let (most, seconds) = (options.most.to_string(), options.seconds.to_string());
    for program in programs {
        let mut cells = Vec::new();
        for library in &SYSTEMATIC {
            let question = ["count", program, &most, &seconds];
            let time = Duration::from_secs_f64(options.seconds);
            let answer = ask(binaries, library, &question, time)?;
            cells.push(counted(&answer)?);
        }
        println!("| {program} | {} |", cells.join(" | "));
    }
    Ok(())
}

/// The answer to `count` for the table.
fn counted(answer: &str) -> Result<String> {
    let words: Vec<&str> = answer.split_whitespace().collect();
    let [schedules, abandoned, end, _] = words[..] else {
        bail!("`{answer}` is no answer");
    };
    let whole = match abandoned {
        "0" => schedules.to_owned(),
        abandoned => format!("{schedules} + {abandoned}"),
    };
    match end {
        "all" => Ok(whole),
        "part" => Ok(format!("> {whole}")),
        "failed" => Ok(format!("fails after {whole}")),
        other => bail!("`{other}` is no end"),
    }
}

fn measure_rates(options: &ExploreOptions, binaries: &Path, programs: &[&str]) -> Result<()> {
    println!("\nRandom schedules per second:\n");
    heading("program", &RANDOM);
    let seconds = options.rate_seconds.to_string();
    for program in programs {
        let mut cells = Vec::new();
        for library in &RANDOM {
            let time = Duration::from_secs_f64(options.rate_seconds);
            let answer = ask(binaries, library, &["rate", program, &seconds], time)?;
            let [schedules, nanoseconds] = numbers(&answer)?[..] else {
                bail!("`{answer}` is no answer");
            };
            cells.push(format!(
                "{:.0}",
                schedules as f64 * 1e9 / nanoseconds as f64
            ));
        }
        println!("| {program} | {} |", cells.join(" | "));
    }
    Ok(())
}

fn find_mistakes(options: &ExploreOptions, binaries: &Path, programs: &[&str]) -> Result<()> {
    println!(
        "\nSchedules and time until the broken version fails: the median of {} seeds (at most {MOST_DRAWN} schedules each), and \
         the systematic searches\n",
        options.seeds
    );
    let mut columns: Vec<(Library, &str, u64)> = Vec::new();
    for strategy in ["random", "pct"] {
        columns.extend(RANDOM.map(|library| (library, strategy, options.seeds)));
    }
    columns.extend(SYSTEMATIC.map(|library| (library, "systematic", REPEATED)));
    let names: Vec<String> = columns
        .iter()
        .map(|(library, strategy, _)| format!("{strategy}: {}", library.name))
        .collect();
    println!("| program | {} |", names.join(" | "));
    println!("|---{}|", "|---".repeat(columns.len()));
    for program in programs {
        let mut cells = Vec::new();
        for (library, strategy, seeds) in &columns {
            let question = [
                "bug",
                program,
                strategy,
                &MOST_DRAWN.to_string(),
                &seeds.to_string(),
            ];
            let answer = ask(binaries, library, &question, Duration::ZERO)?;
            let found: Vec<(u64, u64)> = answer
                .lines()
                .map(|line| match numbers(line)?[..] {
                    [schedules, nanoseconds] => Ok((schedules, nanoseconds)),
                    _ => bail!("`{line}` is no answer"),
                })
                .collect::<Result<_>>()?;
            cells.push(median_of(&found));
        }
        println!("| {program} | {} |", cells.join(" | "));
    }
    Ok(())
}

/// The medians of schedules and of time; a search that found nothing counts as longer than any other.
fn median_of(found: &[(u64, u64)]) -> String {
    let mut schedules: Vec<u64> = found
        .iter()
        .map(|(schedules, _)| schedules.wrapping_sub(1))
        .collect();
    let mut times: Vec<u64> = found.iter().map(|(_, nanoseconds)| *nanoseconds).collect();
    schedules.sort_unstable();
    times.sort_unstable();
    let middle = found.len() / 2;
    match (schedules.get(middle), times.get(middle)) {
        (Some(&schedules), Some(&time)) if schedules != u64::MAX => {
            format!("{}, {:.2} ms", schedules + 1, time as f64 / 1e6)
        }
        _ => "not found".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_found_is_no_small_median() {
        assert_eq!(median_of(&[(0, 9), (2, 3), (4, 5)]), "4, 0.00 ms");
        assert_eq!(median_of(&[(0, 9), (0, 3), (4, 5)]), "not found");
        assert_eq!(median_of(&[]), "not found");
    }

    #[test]
    fn a_cut_off_search_is_told_from_a_whole_one() {
        assert_eq!(counted("6 0 all 1").unwrap(), "6");
        assert_eq!(counted("6 2 part 1").unwrap(), "> 6 + 2");
        assert_eq!(counted("1 0 failed 1").unwrap(), "fails after 1");
        assert!(counted("6 all").is_err());
    }
}
