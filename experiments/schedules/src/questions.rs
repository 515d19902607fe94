//! What the experiment asks of each library, as the arguments of a process, and how the answers are printed.
//!
//! - `count PROGRAM MOST SECONDS`: goes through the schedules of the right version systematically and prints how many ran to
//!   their end, how many were given up on the way, how it ended (`all`, `part` or `failed`) and the nanoseconds.
//! - `rate PROGRAM SECONDS`: draws schedules at random; prints how many and the nanoseconds.
//! - `bug PROGRAM STRATEGY MOST SEEDS`: for each seed, how many schedules of the broken version until it failed (0 if it did
//!   not), and the nanoseconds.

use std::time::{Duration, Instant};

use crate::programs::{ALL, Program, Version};

/// How going through all schedules ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    All,
    /// The limit on schedules or time was met.
    Part,
    /// The library says that the program fails, or gave up.
    Failed,
}

/// How many schedules a systematic search took.
pub struct Counted {
    pub schedules: u64,
    pub abandoned: u64,
    pub end: End,
}

/// How schedules of a broken program are chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    Random,
    /// For bugs of this depth.
    Pct(usize),
    /// One after the other.
    Systematic,
}

/// A library under which programs run.
pub trait Library {
    fn count(&self, program: fn(Version), most: u64, time: Duration) -> Counted;

    /// Random schedules of the right version.
    fn draw(&self, program: fn(Version), schedules: u64);

    /// The number of the first failing schedule of the broken version.
    fn first_bug(
        &self,
        program: fn(Version),
        strategy: Strategy,
        most: u64,
        seed: u64,
    ) -> Option<u64>;
}

/// Schedules that are drawn between two looks at the clock.
const BATCH: u64 = 1000;

/// Answers the question in the process's arguments.
pub fn answer(library: &dyn Library, arguments: &[String]) {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["count", name, most, seconds] => {
            let start = Instant::now();
            let counted = library.count(find(name).run, number(most), seconds_of(seconds));
            let end = format!("{:?}", counted.end).to_lowercase();
            println!(
                "{} {} {end} {}",
                counted.schedules,
                counted.abandoned,
                start.elapsed().as_nanos()
            );
        }
        ["rate", name, seconds] => {
            let (program, time) = (find(name).run, seconds_of(seconds));
            library.draw(program, BATCH);
            let (start, mut schedules) = (Instant::now(), 0);
            while start.elapsed() < time {
                library.draw(program, BATCH);
                schedules += BATCH;
            }
            println!("{schedules} {}", start.elapsed().as_nanos());
        }
        ["bug", name, strategy, most, seeds] => {
            let strategy = match strategy {
                "random" => Strategy::Random,
                "pct" => Strategy::Pct(3),
                "systematic" => Strategy::Systematic,
                other => panic!("no strategy {other}"),
            };
            for seed in 0..number(seeds) {
                let start = Instant::now();
                let found = library.first_bug(find(name).run, strategy, number(most), seed);
                println!("{} {}", found.unwrap_or(0), start.elapsed().as_nanos());
            }
        }
        ["list"] => ALL.iter().for_each(|program| println!("{}", program.name)),
        _ => panic!("expected `list`, `count`, `rate` or `bug`"),
    }
}

fn find(name: &str) -> &'static Program {
    let found = ALL.iter().find(|program| program.name == name);
    found.unwrap_or_else(|| panic!("no program {name}"))
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

fn seconds_of(text: &str) -> Duration {
    Duration::from_secs_f64(text.parse().expect("a number of seconds"))
}
