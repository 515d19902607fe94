//! What is decided: what is known of all mutants so far, from what tests reach and say. What runs knows this module;
//! this module runs nothing.
//!
//! Workers share one [`Standings`]. What a test said of a mutant is written to the journal before it counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use anyhow::{Context as _, Result};
use atropos_mutants::Category;
use atropos_protocol::{Baseline, Effect};
use atropos_report::communication::CommunicationRecord;
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{Exploration, Kill, TestRecord};
use atropos_report::verdict::Verdict;
use atropos_values::{MutantId, Numbering, PointId};

use super::communication::strike_out;
use super::standing::{Standing, TestId, Undecided};
use super::{Execute, journal_name};
use crate::evidence::learned::ResultEvidence;
use crate::journal::{ExploredEntry, Journal, JournalEntry, KillEntry};

/// What one test said of one mutant.
pub struct MutantEntry {
    pub mutant: MutantId,
    pub seconds: f64,
    /// None: the test passed.
    pub kill: Option<KillEntry>,
    /// Of a test whose schedules were explored.
    pub explored: Option<ExploredEntry>,
    /// What it rests on, if all of that is known.
    pub evidence: Option<ResultEvidence>,
}

/// What is known of all mutants.
pub struct Standings<'a> {
    setting: &'a Execute<'a>,
    journal: &'a Journal,
    numbering: &'a Numbering,
    /// The tests whose threads have schedules that matter, once that is known.
    threaded: OnceLock<BTreeSet<TestId>>,
    /// Doctests, which come last, may still notice what nothing else has.
    doctests_come: AtomicBool,
    /// By mutant id; index 0 is unused.
    all: Mutex<Vec<Standing>>,
}

impl<'a> Standings<'a> {
    pub fn new(setting: &'a Execute<'a>, journal: &'a Journal, numbering: &'a Numbering) -> Self {
        Standings {
            setting,
            journal,
            numbering,
            threaded: OnceLock::new(),
            doctests_come: AtomicBool::new(has_doctests(setting)),
            all: Mutex::new(vec![Standing::default(); setting.plan.mutants.len() + 1]),
        }
    }

    /// Says which tests have schedules that matter, before what tests reach is added.
    pub fn set_threaded(&self, threaded: BTreeSet<TestId>) {
        self.threaded.get_or_init(|| threaded);
    }

    /// Nothing comes behind the doctests, which are run now.
    pub fn begin_doctests(&self) {
        self.doctests_come.store(false, Ordering::Relaxed);
    }

    /// All of them, when everything is decided.
    pub fn take(&self) -> Vec<Standing> {
        std::mem::take(&mut self.lock())
    }

    /// Whether every test that a mutant infects is run, also after it was killed.
    pub fn all_tests(&self) -> bool {
        self.setting.options.execute.kill_matrix
    }

    pub fn is_built(&self, mutant: MutantId) -> bool {
        self.setting.build.built.contains(&mutant)
    }

    pub fn info(&self, mutant: MutantId) -> Option<&'a MutantInfo> {
        let index = mutant.index().checked_sub(1)?;
        self.setting.plan.mutants.get(index)
    }

    /// Whether a mutant only acts where threads are explored.
    pub fn needs_exploration(&self, mutant: MutantId) -> bool {
        let info = self.info(mutant);
        info.is_some_and(|info| info.needs_exploration)
    }

    pub fn is_concurrency(&self, mutant: MutantId) -> bool {
        let info = self.info(mutant);
        info.is_some_and(|info| info.operator.category() == Category::Concurrency)
    }

    /// A worker that panics is a bug of ours and ends the run anyway.
    fn lock(&self) -> MutexGuard<'_, Vec<Standing>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The mutants about which a test still has something to say.
    pub fn open_for(&self, test: TestId) -> Vec<MutantId> {
        let standings = self.lock();
        let all_tests = self.all_tests();
        let open = standings.iter().enumerate();
        open.filter(|(_, standing)| standing.is_open_for(test, all_tests))
            .map(|(id, _)| MutantId(id as u32))
            .collect()
    }

    /// Notes what a test said of mutants: first on disk, then for everybody. Gives those that no other test need run.
    pub fn note(&self, test: TestId, name: &str, said: Vec<MutantEntry>) -> Result<Vec<MutantId>> {
        let entries: Vec<JournalEntry> = said
            .iter()
            .map(|said| JournalEntry {
                test: name.to_owned(),
                mutant: said.mutant,
                seconds: said.seconds,
                kill: said.kill.clone(),
                explored: said.explored.clone(),
            })
            .collect();
        self.journal.append(&entries).context(
            "can't write the journal of verdicts; the next run goes on with what it holds",
        )?;
        let mut dead = Vec::new();
        let mut standings = self.lock();
        for said in said {
            let result = (said.seconds, said.kill.as_ref());
            let earlier_results = self.setting.earlier_results;
            let is_kept = earlier_results.note((name, said.mutant), result, said.evidence.as_ref());
            let standing = &mut standings[said.mutant.index()];
            standing.has_no_evidence |= !is_kept;
            if said.explored.is_some() {
                standing.meet(test);
            }
            let before = standing.verdict();
            standing.seconds += said.seconds;
            match said.kill {
                None => {
                    if !leaves_open(&said.explored) {
                        standing.passed.insert(test);
                    }
                    standing
                        .explored
                        .extend(report_exploration(test, said.explored));
                }
                // Two workers may kill it at the same time: the first one's word counts.
                Some(_) if !self.all_tests() && !standing.kills.is_empty() => {}
                Some(kill) => {
                    let kill = report_kill(test, kill, said.explored);
                    standing.kills.insert(test, kill);
                    if !self.all_tests() {
                        dead.push(said.mutant);
                    }
                }
            }
            if let (None, Some(verdict)) = (before, standing.verdict()) {
                self.setting.progress.verdict(verdict);
                if let (Verdict::Survived, Some(info)) = (verdict, self.info(said.mutant))
                    && self.setting.accepted.reason(info).is_none()
                {
                    let is_final = !self.doctests_come.load(Ordering::Relaxed);
                    self.setting.progress.survivor(info, is_final);
                }
            }
        }
        Ok(dead)
    }

    /// All mutants of the points.
    pub fn mutants_at(&self, points: &[PointId]) -> Vec<MutantId> {
        self.numbering.mutants_at(points)
    }

    /// A pair is reached where one of its mutants is, and makes a difference where one of them does.
    pub fn add_reach_of_pairs(&self) {
        let mut standings = self.lock();
        for pair in &self.setting.plan.pairs {
            let both = pair.parts.map(|id| standings[id.index()].clone());
            let is_built = self.is_built(pair.id);
            let standing = &mut standings[pair.id.index()];
            let before = standing.verdict();
            for one in both {
                standing.reached_by_chance |= one.reached_by_chance;
                let by_chance = one.infected_by_chance.filter(|_| is_built);
                standing.infected_by_chance = standing.infected_by_chance.or(by_chance);
                standing.reached_by.extend(one.reached_by);
                let threaded = self.threaded.get();
                let with_threads = |test: &TestId| threaded.is_some_and(|all| all.contains(test));
                let infected = one.infected_by.into_iter().filter(with_threads);
                standing.infected_by.extend(infected.filter(|_| is_built));
            }
            if let (Some(verdict), None) = (before, standing.verdict()) {
                self.setting.progress.reopened(verdict);
            }
        }
    }

    /// Adds what a test comes to that passes and fails by chance.
    pub fn add_reach_by_chance(&self, test: usize, baseline: &Baseline) {
        let mut standings = self.lock();
        let reached = self.mutants_at(&baseline.reached);
        for &id in &reached {
            standings[id.index()].reached_by_chance = true;
        }
        let infected = match baseline.effects.contains(Effect::Threads) {
            true => &reached,
            false => &baseline.infected,
        };
        for &id in infected.iter().filter(|&&id| self.is_built(id)) {
            let standing = &mut standings[id.index()];
            let before = standing.verdict();
            standing.infected_by_chance.get_or_insert(test);
            if let (Some(verdict), None) = (before, standing.verdict()) {
                self.setting.progress.reopened(verdict);
            }
        }
    }

    /// Adds what a test reaches and infects to the standings.
    pub fn add_reach(&self, test: TestId, reached: &[PointId], infected: &[MutantId]) {
        let mut standings = self.lock();
        for id in self.mutants_at(reached) {
            standings[id.index()].reached_by.insert(test);
        }
        let threaded = self.threaded.get();
        let with_threads = threaded.is_some_and(|threaded| threaded.contains(&test));
        let may_act = |id: MutantId| with_threads || !self.needs_exploration(id);
        for &id in infected
            .iter()
            .filter(|&&id| self.is_built(id) && may_act(id))
        {
            let standing = &mut standings[id.index()];
            let before = standing.verdict();
            standing.infected_by.insert(test);
            if let (Some(verdict), None) = (before, standing.verdict()) {
                self.setting.progress.reopened(verdict);
            }
        }
    }

    pub fn has_schedules(&self, test: TestId) -> bool {
        self.threaded
            .get()
            .is_some_and(|threaded| threaded.contains(&test))
    }

    /// The mutants of concurrency operators about which a test still has something to say.
    pub fn open_by_concurrency(&self, test: TestId) -> Vec<MutantId> {
        let mut open = self.open_for(test);
        open.retain(|&mutant| self.is_concurrency(mutant));
        open
    }

    /// The mutants about which a test may have something to say under some schedule.
    pub fn may_be_met_by(&self, test: TestId) -> Vec<MutantId> {
        let all_tests = self.all_tests();
        let standings = self.lock();
        let mutants = standings.iter().enumerate().skip(1);
        mutants
            .filter(|(_, standing)| standing.may_be_met_by(test, all_tests))
            .map(|(id, _)| MutantId(id as u32))
            .collect()
    }

    pub fn is_open_for(&self, test: TestId, mutant: MutantId) -> bool {
        self.lock()[mutant.index()].is_open_for(test, self.all_tests())
    }

    /// A mutant never differed from the original under a test; if all schedules were seen, the test has nothing to say
    /// about it.
    pub fn differs_nowhere(
        &self,
        test: TestId,
        mutant: MutantId,
        is_reached: bool,
        complete: bool,
    ) {
        let mut standings = self.lock();
        let standing = &mut standings[mutant.index()];
        if is_reached {
            standing.reached_by.insert(test);
        }
        if complete {
            standing.infected_by.remove(&test);
        }
    }

    /// A test would have something to say about a mutant, but it can't be told what.
    pub fn leave_undecided(&self, test: TestId, mutant: MutantId, why: Undecided) {
        let mut standings = self.lock();
        let standing = &mut standings[mutant.index()];
        standing.meet(test);
        standing.undecided_by.insert(test, why);
    }

    /// What threads tell each other in the original of one test is nothing new in the mutants of another.
    pub fn strike_out(&self, known_communication: &[CommunicationRecord]) {
        let mut standings = self.lock();
        for exploration in standings
            .iter_mut()
            .flat_map(|standing| &mut standing.explored)
        {
            strike_out(&mut exploration.unseen, known_communication);
        }
    }

    /// Mutants that only act where threads are explored have nothing to expect of ordinary runs.
    pub fn leave_the_rest_undecided(&self) {
        for (id, standing) in self.lock().iter_mut().enumerate() {
            if self.needs_exploration(MutantId(id as u32)) {
                for &open in standing.infected_by.difference(&standing.passed) {
                    let why = Undecided::OnlyExplored;
                    standing.undecided_by.entry(open).or_insert(why);
                }
            }
        }
    }

    /// Tells the progress line how many mutants there are and what is known of them from the start.
    pub fn announce(&self) {
        let plan = self.setting.plan;
        let standings = self.lock();
        let archived = self.setting.archived;
        let takes = |id| archived.is_none_or(|archived| archived.takes(id));
        let mutants = plan.mutants.iter().filter(|mutant| takes(mutant.id));
        let count = mutants.clone().count();
        let known = mutants.filter_map(|mutant| match self.is_built(mutant.id) {
            true => standings[mutant.id.index()].verdict(),
            false => Some(Verdict::Unviable),
        });
        let progress = self.setting.progress;
        progress.begin_running(count, known);
    }

    /// Tells what is known of mutants before something else is found out.
    pub fn tell_so_far(&self, next: &str) {
        let verdicts: Vec<Verdict> = self.lock().iter().filter_map(Standing::verdict).collect();
        self.setting.progress.so_far(verdicts.into_iter(), next);
    }

    /// Puts back what an earlier run had said that still holds; tells of how many results.
    pub fn reuse(&self, tests: &[TestRecord], held: &[JournalEntry]) {
        self.restore(tests, held);
        let mut standings = self.lock();
        let ids = test_ids(tests);
        for entry in held {
            let standing = standings.get_mut(entry.mutant.index());
            if let (Some(&test), Some(standing)) = (ids.get(&entry.test), standing) {
                standing.reused.insert(test);
            }
        }
    }

    /// Puts back what an earlier run of the same build had decided.
    pub fn restore(&self, tests: &[TestRecord], known: &[JournalEntry]) {
        let mut standings = self.lock();
        let ids = test_ids(tests);
        for entry in known {
            let Some(&test) = ids.get(&entry.test) else {
                continue;
            };
            let Some(standing) = standings.get_mut(entry.mutant.index()) else {
                continue;
            };
            if entry.explored.is_some() {
                standing.meet(test);
            }
            match &entry.kill {
                None if leaves_open(&entry.explored) || standing.passed.insert(test) => {
                    standing.seconds += entry.seconds;
                    let explored = report_exploration(test, entry.explored.clone());
                    standing.explored.extend(explored);
                }
                None => {}
                Some(kill) => {
                    standing.seconds += entry.seconds;
                    let kill = report_kill(test, kill.clone(), entry.explored.clone());
                    standing.kills.insert(test, kill);
                }
            }
        }
    }
}

/// The tests by their names in the journal.
fn test_ids(tests: &[TestRecord]) -> BTreeMap<String, TestId> {
    let tests = tests.iter().enumerate();
    tests
        .map(|(index, test)| (journal_name(test), TestId(index)))
        .collect()
}

fn has_doctests(setting: &Execute) -> bool {
    let mut targets = setting
        .plan
        .packages
        .iter()
        .flat_map(|package| &package.targets);
    !setting.options.execute.no_doc && targets.any(|target| target.doctest)
}

/// Whether ordinary runs of a test are to be made, although its schedules were explored.
fn leaves_open(explored: &Option<ExploredEntry>) -> bool {
    explored
        .as_ref()
        .is_some_and(|explored| explored.leaves_open)
}

fn report_exploration(test: TestId, explored: Option<ExploredEntry>) -> Option<Exploration> {
    explored.map(|explored| Exploration {
        test: test.0,
        coverage: explored.coverage,
        schedules: explored.schedules,
        unseen: explored.unseen,
    })
}

fn report_kill(test: TestId, kill: KillEntry, explored: Option<ExploredEntry>) -> Kill {
    let some = |text: String| (!text.is_empty()).then_some(text);
    let (schedule, trace) = explored.map_or_else(Default::default, |explored| {
        (explored.schedule, explored.trace)
    });
    Kill {
        test: test.0,
        how: kill.how,
        message: some(kill.message),
        location: some(kill.location),
        schedule: some(schedule),
        trace: some(trace),
    }
}
