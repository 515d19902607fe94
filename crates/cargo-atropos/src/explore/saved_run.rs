//! The schedule that the team saved for a test: run by a process of its own, before all other schedules, under the conditions
//! that it was found under.

use anyhow::Result;
use atropos_protocol::exploration::{
    Explored, Races, Request, RequestedAction, SAVED_SCHEDULE_IS_STALE,
};

use super::saved_schedules::SavedSchedule;
use super::{Explorer, ListedTest};
use crate::progress::Progress;
use crate::schedule_arguments::ScheduleConditions;

/// The remark on a schedule that passes where memory is not watched, though it was found where it is.
pub const UNWATCHED: &str =
    "the saved schedule was found with `--races on`; without, the test passes under it";

/// What came of it.
pub enum SavedRun {
    /// The test fails under it, or under one like it.
    Fails(Box<Explored>),
    /// It passes, or can't be explored any more.
    Passes,
    /// It can't be followed any more, and none like it fails.
    IsStale,
    /// It passes, but what it was found by was not looked for.
    IsUnwatched,
}

impl SavedRun {
    /// What is to be said of a test that does not fail under it.
    pub fn remark(&self) -> Option<&'static str> {
        match self {
            SavedRun::Fails(_) | SavedRun::Passes => None,
            SavedRun::IsStale => Some(SAVED_SCHEDULE_IS_STALE),
            SavedRun::IsUnwatched => Some(UNWATCHED),
        }
    }
}

impl Explorer<'_> {
    /// Explores a test, its saved schedule first; also says under which conditions the result was had.
    pub(super) fn explore_with_saved(
        &self,
        listed_test: &ListedTest,
        saved: &SavedSchedule,
        request: &Request,
        conditions: &ScheduleConditions,
        progress: &Progress,
    ) -> Result<(Explored, ScheduleConditions)> {
        let run = self.run_saved(listed_test, saved, request, progress)?;
        let remark = run.remark();
        if let SavedRun::Fails(explored) = run {
            return Ok((*explored, saved.conditions.clone()));
        }
        let mut explored = self.explore(listed_test, request, progress)?;
        explored.remarks.extend(remark.map(str::to_owned));
        Ok((explored, conditions.clone()))
    }

    /// Runs the saved schedule of a test; the request is for its exploration.
    pub fn run_saved(
        &self,
        listed_test: &ListedTest,
        saved: &SavedSchedule,
        request: &Request,
        progress: &Progress,
    ) -> Result<SavedRun> {
        let watches = request.races != Races::Off;
        let request = Request {
            action: RequestedAction::Saved,
            schedule: saved.schedule.clone(),
            mutants: Vec::new(),
            workers: 1,
            ..saved.conditions.put_into(request.clone())
        };
        let explored = self.explore(listed_test, &request, progress)?;
        let remarks = &explored.remarks;
        let is_stale = remarks
            .iter()
            .any(|remark| remark == SAVED_SCHEDULE_IS_STALE);
        let is_unwatched = saved.conditions.watches_memory() && !watches;
        Ok(if explored.found.is_some() {
            SavedRun::Fails(Box::new(explored))
        } else if explored.uncontrolled.is_some() {
            SavedRun::Passes
        } else if is_unwatched {
            SavedRun::IsUnwatched
        } else if is_stale {
            SavedRun::IsStale
        } else {
            SavedRun::Passes
        })
    }
}
