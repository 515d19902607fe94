//! Mutants under exploration: what the original's schedules taught, used again for each.
//!
//! The default explores the original exhaustively if its budget allows, else with the largest bound on preemptions
//! that does, else by random schedules; mutants are explored the same way. A mutant is only called killed where the
//! original was seen to pass.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use atropos_protocol::exploration::{Allowance, Explored, MutantResult, Races, Request, Response};
use atropos_protocol::sys;
use atropos_search::{
    Coverage, Division, FailingExecution, Mutable as _, Names, Original, SampledOriginal, Sampling,
    Schedule, Search, SearchMethod, SearchResult, StrategySpec, Technique,
};
use atropos_threads::communication::Facts;
use atropos_threads::{Finding, NotedSystem as _, Notes};
use atropos_values::{MutantId, NumberedPoint};

use crate::communication::{self, OriginalCommunication};
use crate::describe;
use crate::explore_original::text;
use crate::recheck::{self, Recheck};
use crate::subject::{self, Subject};
use crate::{responses, switch, timestamp_counter, workers};

/// Schedules of an original that are so few that a mutant's can be explored at once.
const FEW: u64 = 50;
/// Executions to spend on schedules without preemption, then with one, before the whole.
const FIRST: [u64; 2] = [20, 100];
/// But all in all never more than this part of what the original took: most of the cost is in mutants that don't die.
const SHARE: u64 = 20;
/// How many times the schedules of the original a mutant may have.
const MULTIPLE: u64 = 20;
/// How many times a mutant's time limit a process may take for it.
const GRACE: u32 = 3;
/// A mutant that has had so much processor time under random schedules, and so many of them, gets no more: one schedule of a long
/// test is worth many of a short one, because threads meet as often in it.
const FEWEST: u64 = 4;
const ENOUGH: Duration = Duration::from_secs(1);

/// What is known from the original.
enum ExploredOriginal {
    Searched(Box<Original>),
    Sampled(SampledOriginal),
}

/// What mutants start from.
struct Start {
    known: ExploredOriginal,
    technique: Technique,
    known_communication: OriginalCommunication,
    /// The mutants whose place some schedule of the original comes to.
    executed: BTreeSet<MutantId>,
    /// All schedules of the original are known.
    is_complete: bool,
}

impl Start {
    /// What to call a mutant that never differs from the original.
    fn without_difference(&self, mutant: MutantId) -> MutantResult {
        match self.executed.contains(&mutant) {
            true => MutantResult::Uninfected,
            false => MutantResult::Unreached,
        }
    }
}

/// Explores the original and then the request's mutants, and tells the result of each.
pub fn explore(subject: &mut Subject<'_>, request: &Request) -> Result<(), String> {
    let technique = match request.technique.as_str() {
        "" => Technique::StateSet,
        named => named.parse().map_err(text)?,
    };
    if !takes_short_cuts(request) {
        switch::reach_by_execution();
    }
    let start = Instant::now();
    subject.record_communication(request.communication);
    let known = explore_original(subject, request)?;
    let facts = subject.record_communication(false);
    let original = tell_original(subject, &known, facts, start);
    let (reached, unreached): (Vec<MutantId>, Vec<MutantId>) = request
        .mutants
        .iter()
        .partition(|mutant| technique == Technique::Naive || known.reaches(**mutant));
    let start = Start {
        known,
        technique,
        known_communication: original.known_communication,
        executed: executed(request),
        is_complete: original.is_complete,
    };
    for mutant in unreached {
        let explored = Explored {
            complete: start.is_complete,
            ..Explored::default()
        };
        say(mutant, start.without_difference(mutant), explored);
    }
    if !original.is_usable {
        for mutant in reached {
            say(mutant, MutantResult::Undecided, Explored::default());
        }
        return Ok(());
    }
    subject.limit_to(&original.allowance);
    if request.races == Races::Survive {
        subject.ignore_races();
    }
    let time_limit = Duration::from_millis(request.mutant_time_limit);
    // Those of one point stay together: what one teaches is of use for the others.
    let points = reached.chunk_by(|&one, other| point(request, one).holds(*other));
    workers::share(
        subject,
        points.map(<[MutantId]>::to_vec).collect(),
        request.workers,
        time_limit * GRACE,
        &|subject, mutants| alike(subject, &start, mutants, request),
    )
}

/// What the exploration of the original means for its mutants.
struct OriginalSummary {
    known_communication: OriginalCommunication,
    allowance: Allowance,
    /// All its schedules were seen.
    is_complete: bool,
    /// It passes, and what its mutants do says something about them.
    is_usable: bool,
}

/// Tells the result of the original, which was explored since `start`.
fn tell_original(
    subject: &mut Subject<'_>,
    known: &ExploredOriginal,
    facts: Facts,
    start: Instant,
) -> OriginalSummary {
    let notes = subject.take_notes();
    let mut explored = describe::notes(&notes);
    known.tell(&mut explored);
    explored.claim_no_more_than_seen();
    let is_complete = explored.complete;
    explored.communication = communication::told(&facts);
    let known_communication = facts.into_keys().collect();
    // A failure that depends on the world outside is not the schedule's.
    let is_controlled = notes.uncontrolled.is_none();
    if let (Some(finding), Some(failure)) = (known.finding().cloned(), &notes.failure)
        && is_controlled
    {
        explored.complete = false;
        let (failure, thoroughly) = (failure.clone(), describe::THOROUGHLY);
        let FailingExecution { end, schedule } = finding;
        match describe::found_in_original(subject, failure, end, schedule, thoroughly) {
            Ok(found) if found.replayed => explored.found = Some(found),
            Ok(_) => {
                explored.uncontrolled = Some(describe::not_under_control(recheck::NOT_REPEATED))
            }
            Err(why) => explored.uncontrolled = Some(why),
        }
    }
    explored.nanoseconds = start.elapsed().as_nanos() as u64;
    explored.memory = describe::peak_memory();
    let allowance = subject::allowance(&notes);
    explored.allowance = Some(allowance);
    let mut is_usable = explored.found.is_none()
        && explored.uncontrolled.is_none()
        && explored.divergence.is_none();
    // What mutants do there would say as little about them.
    if is_usable && timestamp_counter::is_asked_for(subject, &Schedule::default()) {
        explored.uncontrolled = Some(describe::not_under_control(timestamp_counter::WHY));
        is_usable = false;
    }
    responses::say(&Response::Original(explored));
    OriginalSummary {
        known_communication,
        allowance,
        is_complete,
        is_usable,
    }
}

/// A user who names a technique wants just that: no schedules before it, every mutant by itself, and started wherever
/// it is executed.
fn takes_short_cuts(request: &Request) -> bool {
    request.technique.is_empty()
}

/// The mutants whose place was executed so far.
fn executed(request: &Request) -> BTreeSet<MutantId> {
    let points = request.points.iter();
    let points = points.filter(|point| switch::is_executed(point.id));
    let mut executed: BTreeSet<MutantId> = points.flat_map(|point| point.mutants()).collect();
    let pairs = request
        .pairs
        .iter()
        .filter(|pair| pair.parts.iter().any(|part| executed.contains(part)));
    let pairs: Vec<MutantId> = pairs.map(|pair| pair.id).collect();
    executed.extend(pairs);
    executed
}

fn say(mutant: MutantId, result: MutantResult, explored: Explored) {
    responses::say(&Response::Mutant {
        mutant,
        result,
        explored,
    });
}

/// Stops at a failure, at what can't be controlled, after so many executions, or when the time is up.
struct Watch {
    executions: u64,
    until: Instant,
    /// It stops after this processor time if no more than so many executions are left.
    enough: Option<(u64, Duration)>,
}

impl Watch {
    fn new(executions: u64, time_limit: Duration) -> Watch {
        Watch {
            executions,
            until: Instant::now() + time_limit,
            enough: None,
        }
    }

    /// Stops earlier where each execution takes long. That is measured in processor time, so that what else the machine
    /// does takes nothing from a mutant.
    fn of_long_executions(self) -> Watch {
        let fewest = self.executions.saturating_sub(FEWEST);
        let enough = Duration::from_nanos(sys::cpu_time()) + ENOUGH;
        Watch {
            enough: Some((fewest, enough)),
            ..self
        }
    }

    fn go_on(&mut self) -> ControlFlow<()> {
        self.executions = self.executions.saturating_sub(1);
        let has_enough = self.enough.is_some_and(|(left, time)| {
            self.executions <= left && Duration::from_nanos(sys::cpu_time()) > time
        });
        match self.executions == 0 || has_enough || Instant::now() > self.until {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

fn explore_original(
    subject: &mut Subject<'_>,
    request: &Request,
) -> Result<ExploredOriginal, String> {
    let all = Duration::from_millis(request.time_limit);
    let spec = match request.strategy.as_str() {
        "" => return Ok(explore_by_default(subject, request, all)),
        strategy => strategy.parse::<StrategySpec>().map_err(text)?,
    };
    let method = match spec.division() {
        Division::Tree => SearchMethod::Exhaustive,
        Division::Rounds => {
            let search = spec.search().expect("what goes in rounds is a search");
            SearchMethod::Search(search.settings())
        }
        Division::Sample { schedules, how } => {
            return Ok(sample(subject, request, how, schedules, all));
        }
        Division::Whole => return Err("mutants can't be explored by one schedule".to_owned()),
    };
    let mut watch = Watch::new(u64::MAX, all);
    Ok(ExploredOriginal::Searched(Box::new(search(
        subject, method, &mut watch,
    ))))
}

fn search(subject: &mut Subject<'_>, method: SearchMethod, watch: &mut Watch) -> Original {
    Original::explore_while(subject, method, &mut |end| match end.is_failure() {
        true => ControlFlow::Break(()),
        false => watch.go_on(),
    })
}

fn explore_by_default(
    subject: &mut Subject<'_>,
    request: &Request,
    all: Duration,
) -> ExploredOriginal {
    let stage = all / 3;
    let whole = search(
        subject,
        SearchMethod::Exhaustive,
        &mut Watch::new(request.executions, stage),
    );
    let is_settled = |original: &Original| {
        original.is_complete || original.finding.is_some() || original.divergence.is_some()
    };
    if is_settled(&whole) || subject.notes.uncontrolled.is_some() {
        return ExploredOriginal::Searched(Box::new(whole));
    }
    // What is too long for that is too long for bounds, too: the first schedule was not even finished.
    let bounds = 0..if whole.executions == 0 { 0 } else { u32::MAX };
    let mut watch = Watch::new(request.executions, stage);
    let mut largest = None;
    for bound in bounds {
        let method = SearchMethod::Search(Search::chess(bound).settings());
        let bounded = search(subject, method, &mut watch);
        if bounded.finding.is_some() || bounded.divergence.is_some() {
            return ExploredOriginal::Searched(Box::new(bounded));
        }
        if !bounded.is_complete {
            break;
        }
        let is_all = bounded.coverage() == Coverage::All;
        largest = Some(bounded);
        if is_all {
            break;
        }
    }
    // One preemption at least, or the random schedules say more.
    if let Some(largest) = largest
        && largest.coverage() != Coverage::Preemptions(0)
    {
        return ExploredOriginal::Searched(Box::new(largest));
    }
    let schedules = request.executions.max(1);
    sample(subject, request, Sampling::Random, schedules, stage)
}

/// One schedule at least, and then as many as there is time for.
fn sample(
    subject: &mut Subject<'_>,
    request: &Request,
    how: Sampling,
    schedules: u64,
    time_limit: Duration,
) -> ExploredOriginal {
    let mut watch = Watch::new(u64::MAX, time_limit);
    let original = SampledOriginal::explore(subject, how, schedules, request.seed, &mut |_| {
        watch.go_on()
    });
    ExploredOriginal::Sampled(original)
}

impl ExploredOriginal {
    fn finding(&self) -> Option<&FailingExecution> {
        match self {
            ExploredOriginal::Searched(original) => original.finding.as_ref(),
            ExploredOriginal::Sampled(original) => original.finding.as_ref(),
        }
    }

    fn reaches(&self, mutant: MutantId) -> bool {
        match self {
            ExploredOriginal::Searched(original) => original.reached().contains(&mutant),
            ExploredOriginal::Sampled(original) => original.reached().any(|other| other == mutant),
        }
    }

    fn is_reached_alike(&self, one: MutantId, other: MutantId) -> bool {
        match self {
            ExploredOriginal::Searched(original) => original.is_reached_alike(one, other),
            ExploredOriginal::Sampled(original) => original.is_reached_alike(one, other),
        }
    }

    /// Whether all schedules of the original are known.
    fn is_complete(&self) -> bool {
        match self {
            ExploredOriginal::Searched(original) => original.coverage() == Coverage::All,
            ExploredOriginal::Sampled(_) => false,
        }
    }

    fn tell(&self, explored: &mut Explored) {
        explored.complete = self.is_complete();
        match self {
            ExploredOriginal::Searched(original) => {
                explored.coverage = original.coverage().to_string();
                explored.executions = original.executions;
                explored.states = original.size.states;
                explored.transitions = original.size.transitions;
                explored.divergence = original.divergence.map(text);
            }
            ExploredOriginal::Sampled(original) => {
                explored.executions = original.executions;
                explored.coverage = original.coverage(original.executions).to_string();
            }
        }
    }
}

/// Explores the first of the mutants. Those of its point that act like it, wherever it acts, share its result: if it dies,
/// they do; if not, only those that the same parts of the original's schedules reach, for no others were run.
fn alike(
    subject: &mut Subject<'_>,
    start: &Start,
    mutants: &[MutantId],
    request: &Request,
) -> Vec<Response> {
    let first = mutants[0];
    let point = point(request, first);
    let distance = |mutant: MutantId| mutant.0 - first.0;
    let watched = mutants[1..].iter().filter(|&&mutant| {
        takes_short_cuts(request) && point.holds(mutant) && mutant > first && distance(mutant) <= 64
    });
    let others: Vec<(MutantId, u64)> = watched
        .map(|&mutant| (mutant, 1 << (distance(mutant) - 1)))
        .collect();
    switch::watch_alike(others.iter().fold(0, |all, (_, bit)| all | bit));
    let response = one(subject, start, first, request);
    let alike = switch::alike();
    switch::watch_alike(0);
    let Response::Mutant {
        result, explored, ..
    } = &response
    else {
        return vec![response];
    };
    let shares = |&(mutant, bit): &(MutantId, u64)| {
        alike & bit != 0
            && (*result == MutantResult::Killed || start.known.is_reached_alike(first, mutant))
    };
    let shared = others.iter().copied().filter(shares);
    let shared = shared.map(|(mutant, _)| Response::Mutant {
        mutant,
        result: *result,
        explored: Explored {
            shared: true,
            nanoseconds: 0,
            ..explored.clone()
        },
    });
    let mut responses: Vec<Response> = shared.collect();
    responses.insert(0, response);
    responses
}

/// A mutant's point.
fn point(request: &Request, mutant: MutantId) -> NumberedPoint {
    let found = request.points.iter().find(|point| point.holds(mutant));
    found.copied().unwrap_or(NumberedPoint::new(mutant, 1))
}

/// Explores one mutant.
fn one(subject: &mut Subject<'_>, start: &Start, mutant: MutantId, request: &Request) -> Response {
    let begun = Instant::now();
    subject.take_notes();
    switch::take_infection();
    subject.record_communication(request.communication);
    let Executed {
        result,
        finding,
        mut explored,
        own,
        mut is_cut_off,
    } = execute(subject, start, mutant, request);
    let notes = subject.take_notes();
    is_cut_off |= notes.has_late_end;
    let mut result = match notes.uncontrolled.is_some() || explored.divergence.is_some() {
        true => MutantResult::Undecided,
        false if differs_nowhere(result, switch::take_infection(), is_cut_off) => {
            start.without_difference(mutant)
        }
        false => result,
    };
    complete(&mut explored, &notes);
    if let Some(why) = explored
        .uncontrolled
        .as_ref()
        .or(explored.divergence.as_ref())
    {
        explored.coverage.clone_from(why);
    }
    // To make a schedule short and tell it is no part of finding it.
    explored.nanoseconds = begun.elapsed().as_nanos() as u64;
    let facts = subject.record_communication(false);
    if result == MutantResult::Survived {
        explored.communication = communication::unseen(facts, &start.known_communication);
    }
    if let (Some(finding), Some(failure)) = (finding, notes.failure) {
        describe_kill(
            subject,
            start,
            mutant,
            finding,
            failure,
            &mut result,
            &mut explored,
        );
    } else if let Some(own) = own
        && let Recheck::Fails(found) = recheck::original(subject, [own.schedule])
    {
        explored.found = Some(found);
    }
    explored.memory = describe::peak_memory();
    Response::Mutant {
        mutant,
        result,
        explored,
    }
}

/// What the executions of a mutant came to.
struct Executed {
    result: MutantResult,
    finding: Option<FailingExecution>,
    explored: Explored,
    /// A schedule under which the original failed by itself.
    own: Option<FailingExecution>,
    is_cut_off: bool,
}

/// Explores a mutant from what is known of the original.
fn execute(
    subject: &mut Subject<'_>,
    start: &Start,
    mutant: MutantId,
    request: &Request,
) -> Executed {
    match &start.known {
        ExploredOriginal::Searched(original) => {
            let (finding, first) = under_few_preemptions(subject, original, mutant, request);
            if let Some(finding) = finding {
                return Executed {
                    result: MutantResult::Killed,
                    finding: Some(finding),
                    explored: first,
                    own: None,
                    is_cut_off: false,
                };
            }
            let found = searched(subject, original, mutant, start.technique, request, &first);
            Executed {
                result: found.result,
                finding: found.finding,
                explored: found.explored,
                own: None,
                is_cut_off: found.is_cut_off,
            }
        }
        ExploredOriginal::Sampled(original) => {
            let time_limit = Duration::from_millis(request.mutant_time_limit);
            let mut watch = Watch::new(request.sample, time_limit);
            if request.sample < u64::MAX {
                watch = watch.of_long_executions();
            }
            let run = original.explore_mutant(subject, mutant, &mut |_| watch.go_on());
            let explored = Explored {
                executions: run.executions,
                coverage: run.coverage.to_string(),
                ..Explored::default()
            };
            let (result, finding) = result(run.result);
            Executed {
                result,
                finding,
                explored,
                own: run.own,
                is_cut_off: false,
            }
        }
    }
}

/// Tells how a mutant fails, and checks that it does so again and that the original does not.
fn describe_kill(
    subject: &mut Subject<'_>,
    start: &Start,
    mutant: MutantId,
    finding: FailingExecution,
    failure: Finding,
    result: &mut MutantResult,
    explored: &mut Explored,
) {
    let (end, schedule) = (finding.end, finding.schedule);
    let briefly = describe::BRIEFLY;
    subject.activate(mutant);
    let found = describe::found(subject, failure, end, schedule.clone(), briefly);
    subject.activate(MutantId::ORIGINAL);
    let (short, replayed) = (found.schedule.parse().ok(), found.replayed);
    explored.found = Some(found);
    if !replayed {
        Recheck::not_repeated().judge(result, explored);
    } else if !start.is_complete {
        let mut rechecked = recheck::original(subject, [schedule]);
        if matches!(rechecked, Recheck::Passes) {
            // Threads have other numbers where a schedule is told.
            let names = subject.test().set_names(Names::new());
            rechecked = recheck::original(subject, short);
            subject.test().set_names(names);
        }
        rechecked.judge(result, explored);
    }
}

/// Whether a mutant with this result never makes a difference. One that was cut off before it made any may do so where it was
/// not run.
fn differs_nowhere(result: MutantResult, has_differed: bool, is_cut_off: bool) -> bool {
    match result {
        MutantResult::Unreached => true,
        MutantResult::Survived => !has_differed && !is_cut_off,
        MutantResult::Killed | MutantResult::Uninfected | MutantResult::Undecided => false,
    }
}

fn complete(explored: &mut Explored, notes: &Notes) {
    let seen = describe::notes(notes);
    explored.threads = seen.threads;
    explored.steps = seen.steps;
    explored.uncontrolled = seen.uncontrolled;
    (explored.fair, explored.late) = (seen.fair, seen.late);
    explored.claim_no_more_than_seen();
}

fn result(verdict: SearchResult) -> (MutantResult, Option<FailingExecution>) {
    match verdict {
        SearchResult::Killed(finding) => (MutantResult::Killed, Some(finding)),
        SearchResult::Survived => (MutantResult::Survived, None),
        SearchResult::Unreached => (MutantResult::Unreached, None),
        SearchResult::Undecided => (MutantResult::Undecided, None),
    }
}

/// Most mutants die under schedules with hardly any preemption: those come first.
fn under_few_preemptions(
    subject: &mut Subject<'_>,
    original: &Original,
    mutant: MutantId,
    request: &Request,
) -> (Option<FailingExecution>, Explored) {
    let mut explored = Explored::default();
    if !takes_short_cuts(request) || original.executions <= FEW {
        return (None, explored);
    }
    let mut found = None;
    let all = original.executions / SHARE;
    for (preemptions, most) in FIRST.into_iter().enumerate() {
        let most = most.min(all.saturating_sub(explored.executions));
        if most == 0 {
            break;
        }
        let mut watch = Watch::new(most, Duration::from_millis(request.mutant_time_limit / 4));
        let look =
            original.look_at_mutant(subject, mutant, preemptions as u32, &mut |end| match end
                .is_failure()
            {
                true => ControlFlow::Break(()),
                false => watch.go_on(),
            });
        explored.executions += look.executions;
        explored.states += look.size.states;
        explored.transitions += look.size.transitions;
        found = look.finding;
        if found.is_some() {
            break;
        }
    }
    explored.coverage = Coverage::Part {
        schedules: explored.executions,
    }
    .to_string();
    (found, explored)
}

/// What the search with a mutant came to.
struct MutantSearchResult {
    result: MutantResult,
    finding: Option<FailingExecution>,
    explored: Explored,
    /// It was ended before its end.
    is_cut_off: bool,
}

fn searched(
    subject: &mut Subject<'_>,
    original: &Original,
    mutant: MutantId,
    technique: Technique,
    request: &Request,
    first: &Explored,
) -> MutantSearchResult {
    let most = original.executions.saturating_mul(MULTIPLE) + request.executions;
    let mut watch = Watch::new(most, Duration::from_millis(request.mutant_time_limit));
    let run = original.explore_mutant_while(subject, mutant, technique, &mut |end| match end
        .is_failure()
    {
        true => ControlFlow::Break(()),
        false => watch.go_on(),
    });
    let coverage = match run.is_complete {
        true => original.coverage(),
        false => Coverage::Part {
            schedules: run.executions,
        },
    };
    let explored = Explored {
        complete: coverage == Coverage::All,
        coverage: coverage.to_string(),
        executions: run.executions,
        // The schedules that came first are not new, but their costs count.
        states: first.states + run.size.states,
        transitions: first.transitions + run.size.transitions,
        before: run.before,
        ways: run.ways,
        divergence: run.divergence.map(text),
        ..Explored::default()
    };
    let (result, finding) = result(run.result);
    MutantSearchResult {
        result,
        finding,
        explored,
        is_cut_off: !run.is_complete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_of_a_long_test_gets_a_few_random_schedules_whatever_they_take() {
        let hour = Duration::from_secs(3600);
        let run = |mut watch: Watch| (1..).find(|_| watch.go_on().is_break());
        assert_eq!(run(Watch::new(1000, hour).of_long_executions()), Some(1000));
        let long = |executions: u64| Watch {
            enough: Some((executions.saturating_sub(FEWEST), Duration::ZERO)),
            ..Watch::new(executions, hour)
        };
        assert_eq!(run(long(1000)), Some(FEWEST));
        assert_eq!(run(long(2)), Some(2));
        assert_eq!(run(Watch::new(1000, Duration::ZERO)), Some(1));
    }

    #[test]
    fn a_mutant_cut_off_before_it_made_a_difference_is_not_called_uninfected() {
        assert!(differs_nowhere(MutantResult::Survived, false, false));
        assert!(!differs_nowhere(MutantResult::Survived, false, true));
        assert!(!differs_nowhere(MutantResult::Survived, true, false));
        assert!(differs_nowhere(MutantResult::Unreached, false, true));
        assert!(!differs_nowhere(MutantResult::Killed, false, true));
    }
}
