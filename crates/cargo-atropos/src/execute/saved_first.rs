//! Schedules that the team saved (`atropos-schedules.toml`) are run before mutants are explored: a test whose original fails under
//! its own decides nothing about them, and is reported as failing.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use atropos_protocol::exploration::Explored;
use atropos_report::outcomes::TestRecord;

use super::explored_tests::{Explorations, Stage};
use super::{Context, TestId, journal_name};
use crate::explore::ListedTest;
use crate::explore::failing_schedules::FailingSchedules;
use crate::explore::saved_run::SavedRun;
use crate::explore::saved_schedules::{FILE_NAME, SavedSchedule, SavedSchedules};

/// The tests of this run for which a schedule was saved.
pub fn with_saved_schedule(
    context: &Context<'_>,
    records: &[TestRecord],
    tests: usize,
) -> Result<BTreeMap<usize, SavedSchedule>> {
    if context.setting.options.exploration.is_off() {
        return Ok(BTreeMap::new());
    }
    let root = context.setting.plan.workspace_root.as_std_path();
    let committed = SavedSchedules::read(root)?;
    let saved = (0..tests).filter_map(|index| {
        let TestRecord {
            name,
            package,
            target,
            ..
        } = &records[index];
        Some((index, committed.of(package, target, name)?.clone()))
    });
    Ok(saved.collect())
}

impl Stage<'_> {
    /// Runs the saved schedules; says which tests fail under theirs.
    pub(super) fn explore_saved(
        &self,
        saved: &BTreeMap<usize, SavedSchedule>,
        records: &[TestRecord],
        listed: &BTreeMap<String, ListedTest>,
        failing_schedules: &mut FailingSchedules,
        explorations: &mut Explorations,
    ) -> Result<BTreeSet<usize>> {
        let mut fails = BTreeSet::new();
        for (&index, saved) in saved {
            let (test, record) = (TestId(index), &records[index]);
            if let Some(listed) = listed.get(&journal_name(record))
                && !self.context.interrupted()
                && self.fails_as_saved(
                    test,
                    record,
                    listed,
                    saved,
                    failing_schedules,
                    explorations,
                )?
            {
                fails.insert(index);
            }
        }
        Ok(fails)
    }

    /// Runs the saved schedule of a test; says whether the test fails under it.
    fn fails_as_saved(
        &self,
        test: TestId,
        record: &TestRecord,
        listed: &ListedTest,
        saved: &SavedSchedule,
        failing_schedules: &mut FailingSchedules,
        explorations: &mut Explorations,
    ) -> Result<bool> {
        let progress = self.context.setting.progress;
        let request = self.request(test, listed);
        let run = self.explorer.run_saved(listed, saved, &request, progress)?;
        if let Some(remark) = run.remark() {
            let TestRecord { name, target, .. } = record;
            progress.say(&format!("note: {FILE_NAME}: {name} ({target}): {remark}"));
        }
        let SavedRun::Fails(explored) = run else {
            return Ok(false);
        };
        let Some(found) = explored.found else {
            return Ok(false);
        };
        let mutants = request.mutants.iter();
        let undecided = mutants
            .map(|&mutant| (mutant, Explored::default()))
            .collect();
        let request = saved.conditions.put_into(request);
        self.keep(failing_schedules, record, request, listed, &found);
        let failing = self.failing(test, record, found, undecided);
        explorations.failing.push(failing);
        Ok(true)
    }
}
