//! Failing schedules on disk, newest last, each with the program that it was found in.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use atropos_values::MutantId;

use crate::build::test_binary::TestBinary;

const FILE: &str = "schedules.json";
/// More than anybody will replay.
const MOST: usize = 1000;

/// Characters of a schedule that people may want to copy.
const SHOWN: usize = 2000;

/// A schedule for people: of a very long one the beginning, and where the rest is.
pub fn shown(schedule: &str) -> String {
    if schedule.len() <= SHOWN {
        return schedule.to_owned();
    }
    let end = schedule[..SHOWN].rfind(',').unwrap_or(SHOWN);
    let length = schedule.len();
    format!(
        "{},… ({length} characters; {FILE} in the output directory has them all)",
        &schedule[..end]
    )
}

/// A schedule, and all that is needed to run it again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FailingSchedule {
    pub test: String,
    pub target: String,
    pub package: String,
    /// The mutant that acts; None for the program as it is.
    pub mutant: Option<MutantId>,
    /// What was found, in a few words.
    pub title: String,
    pub binary: TestBinary,
    pub test_arguments: Vec<String>,
    /// The order that replays it.
    pub order: String,
}

impl FailingSchedule {
    /// Whether the program can still be run.
    pub fn is_there(&self) -> bool {
        let invocation = &self.binary.invocation;
        invocation.directory.join(&invocation.program).is_file()
    }
}

/// All schedules that were kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FailingSchedules {
    schedules: Vec<FailingSchedule>,
}

impl FailingSchedules {
    /// What earlier runs kept; nothing if that can't be read.
    pub fn read(output: &Path) -> FailingSchedules {
        let bytes = fs::read(output.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    pub fn write(&self, output: &Path) -> Result<()> {
        let path = output.join(FILE);
        let making = output.join("schedules.making");
        fs::write(&making, serde_json::to_vec_pretty(self)?)
            .and_then(|()| fs::rename(&making, &path))
            .with_context(|| format!("can't write {}", path.display()))
    }

    /// Adds one; an older one of the same test and mutant is forgotten.
    pub fn keep(&mut self, schedule: FailingSchedule) {
        let is_same = |other: &FailingSchedule| {
            (&other.package, &other.target, &other.test, other.mutant)
                == (
                    &schedule.package,
                    &schedule.target,
                    &schedule.test,
                    schedule.mutant,
                )
        };
        self.schedules.retain(|other| !is_same(other));
        self.schedules.push(schedule);
        let surplus = self.schedules.len().saturating_sub(MOST);
        self.schedules.drain(..surplus);
    }

    /// The newest of a test whose name holds `name`, for a mutant or for the program as it is.
    pub fn find(&self, name: Option<&str>, mutant: Option<MutantId>) -> Option<&FailingSchedule> {
        let is_meant = |schedule: &&FailingSchedule| {
            name.is_none_or(|name| schedule.test.contains(name))
                && (mutant.is_none() && name.is_none() || schedule.mutant == mutant)
        };
        self.schedules.iter().rev().find(is_meant)
    }

    pub fn names(&self) -> Vec<&str> {
        self.schedules
            .iter()
            .map(|schedule| schedule.test.as_str())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_very_long_schedules_are_cut_between_choices() {
        assert_eq!(shown("s1:0*2,1"), "s1:0*2,1");
        let long = format!("s1:{}0", "0,1*2,".repeat(1000));
        let text = shown(&long);
        assert!(text.len() < 2100, "{text}");
        assert!(
            text.contains(",1*2,… (") || text.contains(",0,… ("),
            "{text}"
        );
        assert!(
            text.ends_with(
                "(6004 characters; schedules.json in the output directory has them all)"
            )
        );
    }
}
