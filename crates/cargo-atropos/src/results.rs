//! What a run found, put together as `outcomes.json` records it.

use std::collections::BTreeSet;

use atropos_report::impact::rank;
use atropos_report::merge;
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{
    FailingOriginal, FileRecord, MutantRecord, Outcomes, Timings, Tool,
};
use atropos_report::verdict::Verdict;

use crate::build::Build;
use crate::build::toolchain::Toolchain;
use crate::execute::{Executed, FailingExploration, Standing, Undecided};
use crate::impact::Impacts;
use crate::prepare::Prepared;

/// What the stages of a run came to.
pub struct Results<'r> {
    pub prepared: &'r Prepared,
    pub build: &'r Build,
    pub executed: Executed,
    pub impacts: Impacts,
    pub timings: Timings,
    pub warnings: Vec<String>,
    pub interrupted: bool,
}

impl Results<'_> {
    /// The verdicts of the tests, whatever is accepted.
    pub fn verdicts(&self) -> Vec<Option<Verdict>> {
        let infos = self.prepared.plan.mutants.iter();
        infos
            .map(|info| {
                self.verdict(info, &self.executed.standings[info.id.index()])
                    .0
            })
            .collect()
    }

    /// All of it, as it is written and shown.
    pub fn outcomes(mut self) -> Outcomes {
        let plan = &self.prepared.plan;
        let mut mutants: Vec<MutantRecord> = Vec::new();
        for info in &plan.mutants {
            if self.is_ours(info) {
                mutants.push(self.record(info));
            }
        }
        rank(&mut mutants);
        self.warnings
            .extend(self.prepared.accepted.warnings(&mutants));
        mutants.extend(plan.skipped.iter().map(skipped));
        let tool = tool(&self.build.toolchain);
        let executed = self.executed;
        let mut outcomes = Outcomes::new(tool, executed.tests, mutants);
        outcomes.options = self.prepared.options.to_json();
        if let Some(archived) = &self.prepared.archived {
            let id = archived.id.clone();
            outcomes
                .options
                .insert(merge::ARCHIVE.to_owned(), id.into());
        }
        let pairs = plan.pairs.iter();
        let pairs = pairs.filter(|pair| self.prepared.takes(pair.id)).count();
        let selected = outcomes.mutants.len() - pairs;
        outcomes.selected_of = (selected < self.prepared.found).then_some(self.prepared.found);
        outcomes.timings = self.timings;
        outcomes.complete = !self.interrupted;
        outcomes.explorations = executed.explorations;
        outcomes.findings = executed.failing_schedules.iter().map(finding).collect();
        outcomes.files = files(self.prepared);
        outcomes.warnings = self.warnings;
        outcomes
    }

    /// Whether a mutant is one of the part that was run.
    fn is_ours(&self, info: &MutantInfo) -> bool {
        self.prepared.takes(info.id)
    }

    /// What became of one mutant.
    fn record(&mut self, info: &MutantInfo) -> MutantRecord {
        let standing = &self.executed.standings[info.id.0 as usize];
        let (verdict, note) = self.verdict(info, standing);
        let accepted = self.prepared.accepted.reason(info);
        let (verdict, note) = match (verdict, accepted) {
            (Some(missed), Some(reason)) if missed.is_missed() => {
                (Some(Verdict::Accepted), Some(reason.to_owned()))
            }
            _ => (verdict, note),
        };
        let impact = self.impacts.of.remove(&info.id);
        MutantRecord {
            info: info.clone(),
            verdict,
            reached_by: standing.reached_by.iter().map(|test| test.0).collect(),
            killed_by: standing.kills.values().cloned().collect(),
            seconds: standing.seconds,
            reused: standing.is_reused()
                && verdict.is_some_and(|verdict| verdict != Verdict::Undecided),
            note: note
                .or_else(|| undecided(standing, &self.executed))
                .or_else(|| (verdict == Some(Verdict::Undecided)).then(|| NO_REASON.to_owned())),
            disagreement: Vec::new(),
            explored_by: standing.explored.clone(),
            rank: None,
            impact: impact.filter(|_| verdict == Some(Verdict::Survived)),
        }
    }

    /// The verdict on a mutant, and what the build says of it.
    fn verdict(&self, info: &MutantInfo, standing: &Standing) -> (Option<Verdict>, Option<String>) {
        if let Some(reason) = self.build.unviable.get(&info.id) {
            return (Some(Verdict::Unviable), Some(reason.clone()));
        }
        if !self.build.built.contains(&info.id) {
            let mut alone = self.build.left_alone.iter();
            let alone = alone.find(|alone| alone.package == info.package);
            let reason = alone.map(|alone| alone.reason.clone());
            return (Some(Verdict::NotBuilt), reason);
        }
        // Doctests come last: what they would have said of a mutant that nothing killed is not known.
        let with_doctests = !self.prepared.options.execute.no_doc;
        let stands =
            |verdict: &Verdict| verdict.is_killed() || !(self.interrupted && with_doctests);
        let verdict = standing.verdict().filter(stands);
        // A run that went to its end leaves nothing open.
        let undecided = (!self.interrupted).then_some(Verdict::Undecided);
        (verdict.or(undecided), None)
    }
}

/// This program, and the toolchain of a build.
pub fn tool(toolchain: &Toolchain) -> Tool {
    Tool {
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        toolchain: toolchain.version.clone(),
        target: toolchain.host.clone(),
    }
}

/// A mutant that an earlier run has caught.
fn skipped(info: &MutantInfo) -> MutantRecord {
    MutantRecord {
        info: info.clone(),
        verdict: Some(Verdict::Skipped),
        reached_by: Vec::new(),
        killed_by: Vec::new(),
        seconds: 0.0,
        reused: false,
        note: Some("caught by an earlier run".to_owned()),
        disagreement: Vec::new(),
        explored_by: Vec::new(),
        rank: None,
        impact: None,
    }
}

/// Said of an undecided mutant about which no test left a word.
const NO_REASON: &str = "undecided: no run of it came to an end that counts";

/// Why a mutant that was reached is undecided.
fn undecided(standing: &Standing, executed: &Executed) -> Option<String> {
    if standing.verdict().is_some() {
        return None;
    }
    if let (true, Some(test)) = (
        standing.undecided_by.is_empty(),
        standing.infected_by_chance,
    ) {
        let name = &executed.left_out.flaky[test].name;
        return Some(format!(
            "undecided: it makes a difference only under {name}, which passes and fails by chance"
        ));
    }
    let (test, why) = standing.undecided_by.first_key_value()?;
    let name = executed
        .tests
        .get(test.0)
        .map_or("a test", |test| &test.name);
    let why = match why {
        Undecided::FailsToo => {
            format!("{name} fails under some schedule without any mutant, too")
        }
        Undecided::NotToTheEnd(why) => {
            format!("only exploration comes to it, and not to the end under {name}: {why}")
        }
        Undecided::Harm(call) => {
            let harm = harm(call.as_deref());
            format!("under {name} it was stopped before it {harm}")
        }
        Undecided::Starved => format!(
            "it took longer than the limit of time under {name}, while other programs had the processors; \
             run again when the machine has less to do, or give it more time with `--timeout-multiplier`"
        ),
        Undecided::EndedByOthers => format!(
            "its process was ended under {name} by signal 9, or while the system ended processes for lack of memory; \
             run again with fewer `--jobs`, or where nobody else ends processes"
        ),
        Undecided::WholeBinaryFails => format!(
            "it acts before `main` or when the program ends, and the test binary of {name} fails without any mutant when all \
             its tests are run by one process"
        ),
        Undecided::Unsteady => {
            format!("{name} ended badly with it, but then did so without any mutant, too")
        }
        Undecided::OnlyExplored => {
            format!("it only acts where threads are explored, and {name} could not be")
        }
    };
    Some(format!("undecided: {why}"))
}

/// What a mutant was about to do when it was stopped.
fn harm(call: Option<&str>) -> String {
    /// What the supervisor says of calls that are about no file.
    const IS_NO_FILE: [&str; 4] = [
        " to another machine",
        "which nobody can watch",
        "which the original does not do",
        "processes and threads",
    ];
    match call {
        Some(call) if call.starts_with("kill") || call.starts_with("sigqueue") => {
            format!("sent a signal to a process that is not the test's own: `{call}`")
        }
        Some(call) if call.ends_with("to a process that is not the test's own") => {
            format!("acted on a process that is not the test's own: `{call}`")
        }
        Some(call) if call.ends_with("undone") => format!("changed for good: `{call}`"),
        Some(call) if IS_NO_FILE.iter().any(|words| call.contains(words)) => {
            format!("did what the original does not do: `{call}`")
        }
        Some(call) => format!("changed what the original leaves alone: `{call}`"),
        None => "changed what the original leaves alone, or sent a signal to a process that is not its own".to_owned(),
    }
}

/// What `outcomes.json` says of a test that fails under some schedule.
fn finding(failing: &FailingExploration) -> FailingOriginal {
    let found = &failing.found;
    let known = |text: &String| (!text.is_empty()).then(|| text.clone());
    FailingOriginal {
        test: failing.test.0,
        title: found.title.clone(),
        message: found.text.clone(),
        location: known(&found.location),
        schedule: known(&found.schedule),
        trace: found.trace.to_string(),
        undecided: failing.undecided.clone(),
    }
}

/// The files with mutants, as they were when these were found.
pub fn files(prepared: &Prepared) -> Vec<FileRecord> {
    let plan = &prepared.plan;
    let infos = plan.mutants.iter().chain(&plan.skipped);
    let names: BTreeSet<&str> = infos.map(|info| info.file.as_str()).collect();
    let texts = names.into_iter().filter_map(|name| {
        let text = prepared.texts.get(name)?;
        Some(FileRecord::of(name, text))
    });
    texts.collect()
}
