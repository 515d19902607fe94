//! What one run of the generator reports.

use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// The paper's two strategies, and ours.
pub const STRATEGIES: [&str; 3] = ["s1", "s2", "frontier"];

/// One run.
pub struct Figures {
    pub model: String,
    pub strategy: String,
    pub seed: u64,
    pub report: Report,
    /// From start to end, files included.
    pub whole: Duration,
}

/// The part of `report.json` that the tables show.
#[derive(Deserialize)]
pub struct Report {
    pub objects: usize,
    pub statements: usize,
    pub declarations: usize,
    pub state_bytes: usize,
    pub controllables: usize,
    pub initial_steps: usize,
    pub states: usize,
    pub seconds: f64,
    pub single_seconds: f64,
    pub peak_bytes: u64,
    pub stopped: Option<String>,
    pub table: Table,
    pub percent_of_total: f64,
    pub percent_of_found: f64,
    pub timeline: Vec<KillsByTime>,
    /// Only their number counts.
    pub tests: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
pub struct Table {
    pub total: usize,
    pub found: usize,
    pub errors: usize,
    pub timeouts: usize,
    pub killed: usize,
    pub steps: [usize; 5],
}

/// So many mutants were killed by then.
#[derive(Deserialize)]
pub struct KillsByTime {
    pub cpu_seconds: f64,
    pub killed: usize,
}

impl Report {
    /// When so many mutants were killed.
    pub fn when(&self, killed: usize) -> Option<&KillsByTime> {
        self.timeline.iter().find(|moment| moment.killed >= killed)
    }

    pub fn killed_per_test(&self) -> f64 {
        self.table.killed as f64 / self.tests.len().max(1) as f64
    }
}
