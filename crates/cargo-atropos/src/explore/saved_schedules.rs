//! Failing schedules that the team keeps: the file `atropos-schedules.toml` in the workspace's root, which is committed.
//! `explore --save` writes it; every `explore` and every run of mutants runs its schedules before all others.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use atropos_protocol::exploration::SAVED_SCHEDULE_IS_STALE;
use atropos_search::Schedule;
use serde::Deserialize;

use super::report::TestReport;
use crate::schedule_arguments::ScheduleConditions;
use crate::terminal::Terminal;

/// The name of the file within the workspace's root.
pub const FILE_NAME: &str = "atropos-schedules.toml";

const HEADING: &str = "\
# Schedules under which tests failed. `cargo atropos` and `cargo atropos explore` run them first; `cargo atropos explore --save`
# adds to them.
";

/// One schedule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSchedule {
    package: String,
    target: String,
    test: String,
    /// What was found, for people.
    finding: String,
    pub schedule: String,
    /// What its choices mean.
    #[serde(default)]
    pub conditions: ScheduleConditions,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    schedule: Vec<SavedSchedule>,
}

/// All of them; one for each test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedSchedules {
    entries: BTreeMap<[String; 3], SavedSchedule>,
}

impl SavedSchedule {
    fn key(&self) -> [String; 3] {
        [&self.package, &self.target, &self.test].map(String::clone)
    }
}

impl SavedSchedules {
    /// Reads the file of a workspace; without one there are none.
    pub fn read(workspace_root: &Path) -> Result<SavedSchedules> {
        match fs::read_to_string(workspace_root.join(FILE_NAME)) {
            Ok(text) => SavedSchedules::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SavedSchedules::default()),
            Err(error) => Err(error).with_context(|| format!("can't read {FILE_NAME}")),
        }
    }

    fn parse(text: &str) -> Result<SavedSchedules> {
        let wrong = |why: &str| anyhow!("{FILE_NAME} can't be used: {}", why.trim_end());
        let file: File = toml::from_str(text).map_err(|error| wrong(&error.to_string()))?;
        let mut entries = BTreeMap::new();
        for entry in file.schedule {
            if let Err(error) = entry.schedule.parse::<Schedule>() {
                return Err(wrong(&format!("the schedule of `{}`: {error}", entry.test)));
            }
            entries.insert(entry.key(), entry);
        }
        Ok(SavedSchedules { entries })
    }

    /// That of a test, if there is one.
    pub fn of(&self, package: &str, target: &str, test: &str) -> Option<&SavedSchedule> {
        self.entries
            .get(&[package, target, test].map(str::to_owned))
    }

    /// Takes in what was found: new schedules, and that old ones do not apply any more.
    pub fn update(&mut self, reports: &[TestReport]) {
        for report in reports {
            let found = report.found().filter(|found| found.replayed);
            let entry = found
                .filter(|found| !found.schedule.is_empty())
                .map(|found| SavedSchedule {
                    package: report.package.clone(),
                    target: report.target.clone(),
                    test: report.name.clone(),
                    finding: found.title.clone(),
                    schedule: found.schedule.clone(),
                    conditions: report.conditions.unusual(),
                });
            if let Some(entry) = entry {
                self.entries.insert(entry.key(), entry);
            } else if is_stale(report) {
                let key = [&report.package, &report.target, &report.name].map(String::clone);
                self.entries.remove(&key);
            }
        }
    }

    /// Writes the file, unless there is none and nothing to write.
    pub fn write(&self, workspace_root: &Path) -> Result<()> {
        let path = workspace_root.join(FILE_NAME);
        if self.entries.is_empty() && !path.exists() {
            return Ok(());
        }
        fs::write(&path, self.text()).with_context(|| format!("can't write {}", path.display()))
    }

    fn text(&self) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut text = HEADING.to_owned();
        for entry in self.entries.values() {
            let _ = write!(
                text,
                "\n[[schedule]]\npackage = {}\ntarget = {}\ntest = {}\nfinding = {}\nschedule = {}\n",
                quoted(&entry.package),
                quoted(&entry.target),
                quoted(&entry.test),
                quoted(&entry.finding),
                quoted(&entry.schedule),
            );
            if entry.conditions != ScheduleConditions::default() {
                let conditions = toml::Value::try_from(&entry.conditions);
                let conditions = conditions.expect("words and truth values are TOML");
                let _ = writeln!(text, "conditions = {conditions}");
            }
        }
        text
    }
}

fn is_stale(report: &TestReport) -> bool {
    let mut remarks = report.explored.remarks.iter();
    report.found().is_none() && remarks.any(|remark| remark == SAVED_SCHEDULE_IS_STALE)
}

/// Says which saved schedules do not apply any more.
pub fn warn_of_stale(reports: &[TestReport], are_removed: bool, terminal: Terminal) {
    for report in reports.iter().filter(|report| is_stale(report)) {
        let what = match are_removed {
            true => "it was removed",
            false => "`explore --save` removes it",
        };
        terminal.warn(format!(
            "{FILE_NAME}: the schedule of `{}` does not apply any more, and none like it fails; {what}",
            report.name
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule_arguments::MemoryChoice;

    #[test]
    fn schedules_survive_the_file_and_wrong_files_are_refused() {
        let entry = SavedSchedule {
            package: "p".to_owned(),
            target: "test wrong".to_owned(),
            test: "counts \"may\" get lost".to_owned(),
            finding: "panic".to_owned(),
            schedule: "s1:0*2,1*4".to_owned(),
            conditions: ScheduleConditions {
                memory: Some(MemoryChoice::Sc),
                spurious: true,
                ..ScheduleConditions::default()
            },
        };
        let mut schedules = SavedSchedules::default();
        schedules.entries.insert(entry.key(), entry.clone());
        assert_eq!(SavedSchedules::parse(&schedules.text()).unwrap(), schedules);
        let text = schedules.text();
        assert!(
            text.contains("conditions = { memory = \"sc\", spurious = true }"),
            "{text}"
        );
        assert_eq!(schedules.of("p", "test wrong", &entry.test), Some(&entry));
        assert_eq!(schedules.of("p", "test other", &entry.test), None);
        let wrong = schedules.text().replace("s1:0*2", "0*2");
        let error = SavedSchedules::parse(&wrong).unwrap_err().to_string();
        assert!(error.contains("starts with `s1:`"), "{error}");
        assert!(SavedSchedules::parse("[[schedules]]\n").is_err());
    }
}
