//! One test explored by forked processes, one or more. What there is to explore is divided into pieces in an order that does not
//! depend on how many processes there are; each takes the next piece that nobody has. What counts is all up to the first
//! piece that fails, so the result is the same for any number of processes, unless the time or the budget ends first.

use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use atropos_protocol::exploration::{Explored, Request, Response};
use atropos_protocol::sys::{self, ChildEnd, PollFd};
use atropos_search::{Coverage, ExecutionEnd, RoundResult, Search, Strategy, System as _};
use atropos_threads::NotedSystem as _;
use atropos_threads::statements::add_missing;
use atropos_values::MutantId;

use crate::choice_log::ChoiceLog;
use crate::explore_original::{REPORT, text};
use crate::lines::LineReader;
use crate::partition::Task;
use crate::subject::Subject;
use crate::{crash_recovery, describe, partition, responses, workers};

/// How much may be spent.
#[derive(Clone, Copy)]
pub struct ExplorationLimits {
    pub processes: usize,
    pub executions: u64,
    pub until: Instant,
    pub shard: PieceShare,
}

/// Which pieces are carried out here; those of other shards are for others.
#[derive(Clone, Copy)]
pub struct PieceShare {
    pub index: u64,
    pub count: u64,
}

impl PieceShare {
    /// The only one.
    pub const WHOLE: PieceShare = PieceShare { index: 0, count: 1 };

    pub fn of(request: &Request) -> PieceShare {
        PieceShare {
            index: request.shard,
            count: request.shards.max(1),
        }
    }

    fn has(self, piece: u64) -> bool {
        piece % self.count == self.index
    }
}

/// The result of a task.
pub struct SharedExploration {
    pub explored: Explored,
    pub coverage: Coverage,
    /// Nothing of the task is left to be explored: it is done, or something was found.
    pub is_settled: bool,
    /// What the pieces of a round found, in their order.
    found: Vec<RoundResult>,
}

/// A piece that was carried out, and what a search has to know of it.
struct Piece {
    explored: Explored,
    found: RoundResult,
    /// It saw threads for which this process has no number: another process may give their numbers to others.
    has_new_names: bool,
}

impl Piece {
    /// One that another shard carries out.
    fn of_another_shard() -> Piece {
        Piece {
            explored: Explored {
                complete: true,
                ..Explored::default()
            },
            found: RoundResult::default(),
            has_new_names: false,
        }
    }

    fn into_line(self, number: u64) -> String {
        let response = Response::Original(self.explored).to_line();
        let new = u8::from(self.has_new_names);
        format!("{number}\t{new}\t{}\t{response}", self.found)
    }

    fn parse(line: &str) -> Option<(usize, Piece)> {
        let (number, rest) = line.split_once('\t')?;
        let (new, rest) = rest.split_once('\t')?;
        let (found, response) = rest.split_once('\t')?;
        let Response::Original(explored) = Response::parse(response.trim_end_matches('\n'))? else {
            return None;
        };
        let found = found.parse().ok()?;
        let piece = Piece {
            explored,
            found,
            has_new_names: new == "1",
        };
        Some((number.parse().ok()?, piece))
    }
}

/// Memory that the processes share.
struct SharedState {
    /// The next piece that nobody has.
    next: AtomicU64,
    /// The first piece that is known to fail; `u64::MAX` for none.
    failing: AtomicU64,
    /// Executions so far, of all processes.
    executions: AtomicU64,
    /// Not 0: no more of it.
    stop: AtomicU64,
}

impl SharedState {
    fn make() -> Result<&'static SharedState, String> {
        let protection = sys::PROT_READ | sys::PROT_WRITE;
        let flags = sys::MAP_SHARED | sys::MAP_ANONYMOUS;
        let place = sys::map(-1, size_of::<SharedState>(), protection, flags)
            .map_err(|error| format!("no memory to share: error {}", error.0))?;
        // SAFETY: fresh memory, page-aligned, zeroed, never unmapped; the type holds atomics only.
        let shared = unsafe { &*place.cast::<SharedState>() };
        shared.failing.store(u64::MAX, Relaxed);
        Ok(shared)
    }

    fn is_needless(&self, piece: u64) -> bool {
        self.stop.load(Relaxed) != 0 || piece > self.failing.load(Relaxed)
    }
}

/// Explores a task with several processes.
pub fn explore(
    subject: &mut Subject<'_>,
    task: &mut Task<'_>,
    limits: ExplorationLimits,
) -> Result<SharedExploration, String> {
    let shared = SharedState::make()?;
    let mut processes = Vec::new();
    for number in 0..limits.processes {
        let log = subject.log_of_worker(number)?;
        processes.push(Process::start(subject, task, shared, limits, log)?);
    }
    let of_others = |piece| (!limits.shard.has(piece)).then(Piece::of_another_shard);
    let mut pieces: Vec<Option<Piece>> = (0..task.pieces()).map(of_others).collect();
    let mut report = Instant::now() + REPORT;
    while !processes.is_empty() {
        let mut files: Vec<PollFd> = processes
            .iter()
            .map(|process| PollFd::readable(process.said.as_raw_fd()))
            .collect();
        sys::poll(&mut files, REPORT.as_nanos() as u64);
        let mut ready = files.iter().map(PollFd::ready);
        processes.retain_mut(|process| {
            let goes_on = !ready.next().unwrap_or(false) || process.listen(&mut pieces);
            if !goes_on {
                process.take_result(subject, shared, &mut pieces);
            }
            goes_on
        });
        let explored = pieces.iter().flatten().map(|piece| &piece.explored);
        let complete = explored.filter(|explored| explored.complete);
        let (done, finished): (u64, usize) = complete.fold((0, 0), |(sum, count), explored| {
            (sum + explored.executions, count + 1)
        });
        if done > limits.executions {
            shared.stop.store(1, Relaxed);
        }
        // An execution that never ends is for the driver to notice, by our silence.
        let now = Instant::now();
        if now >= report && now < limits.until {
            let executions = shared.executions.load(Relaxed);
            let share = finished as f64 / pieces.len().max(1) as f64;
            responses::say(&task.progress(executions, share));
            report = now + REPORT;
        }
    }
    if matches!(task, Task::Round { .. }) {
        number_anew(subject, task, shared, limits.until, &mut pieces);
    }
    Ok(merge(task, pieces))
}

/// What a search takes in speaks of threads by their numbers. Pieces that saw threads without one are carried out again by this
/// process, in their order, so that all numbers are its own. There are few: most threads are seen in the first schedules.
fn number_anew(
    subject: &mut Subject<'_>,
    task: &mut Task<'_>,
    shared: &SharedState,
    until: Instant,
    pieces: &mut [Option<Piece>],
) {
    for (number, piece) in (0..).zip(pieces) {
        if piece.as_ref().is_none_or(|piece| !piece.has_new_names) || shared.is_needless(number) {
            continue;
        }
        let (explored, found) = task.carry_out(number, &mut |strategy| {
            explore_piece(subject, strategy, shared, number, until)
        });
        *piece = Some(Piece {
            explored,
            found,
            has_new_names: false,
        });
    }
}

/// One result from those of the pieces.
fn merge(task: &Task<'_>, pieces: Vec<Option<Piece>>) -> SharedExploration {
    let mut whole = Explored::default();
    let mut found = Vec::new();
    let mut is_complete = true;
    let mut is_settled = false;
    for piece in pieces {
        let Some(piece) = piece else {
            is_complete = false;
            found.push(RoundResult::default());
            continue;
        };
        found.push(piece.found);
        is_complete &= piece.explored.complete;
        is_settled = add(&mut whole, piece.explored);
        if is_settled {
            is_complete = false;
            break;
        }
    }
    let coverage = task.coverage(whole.executions, is_complete);
    whole.complete = coverage == Coverage::All;
    whole.coverage = coverage.to_string();
    SharedExploration {
        explored: whole,
        coverage,
        is_settled: is_settled || is_complete,
        found,
    }
}

/// Adds the result of a part to the result of those before; true if that is the end of it.
pub fn add(whole: &mut Explored, part: Explored) -> bool {
    whole.executions += part.executions;
    whole.threads = whole.threads.max(part.threads);
    whole.steps = whole.steps.max(part.steps);
    whole.fair |= part.fair;
    whole.late |= part.late;
    whole.random_data |= part.random_data;
    whole.part |= part.part;
    for remark in part.remarks {
        if !whole.remarks.contains(&remark) {
            whole.remarks.push(remark);
        }
    }
    add_missing(&mut whole.reached, part.reached);
    add_missing(&mut whole.wanted, part.wanted);
    whole.found = whole.found.take().or(part.found);
    whole.uncontrolled = whole.uncontrolled.take().or(part.uncontrolled);
    whole.divergence = whole.divergence.take().or(part.divergence);
    whole.found.is_some() || whole.uncontrolled.is_some() || whole.divergence.is_some()
}

/// Goes on with a search, round by round, within the limits. The search itself tells what was covered.
pub fn go_on(
    subject: &mut Subject<'_>,
    search: &mut Search,
    limits: ExplorationLimits,
) -> Result<Explored, String> {
    let mut whole = Explored::default();
    let mut begun = 0;
    while begun < limits.executions && Instant::now() < limits.until && search.fits_into_rounds() {
        let waiting = search.begin_round();
        if waiting.is_empty() {
            // It finds that it is finished.
            whole.complete = !search.begin();
            break;
        }
        begun += waiting.len() as u64;
        let mut task = Task::Round {
            search: &mut *search,
            waiting: waiting.clone(),
        };
        // Every shard goes through all of it: what a round finds, the next one has to know.
        let within = ExplorationLimits {
            executions: u64::MAX,
            shard: PieceShare::WHOLE,
            ..limits
        };
        let outcome = explore(subject, &mut task, within)?;
        for (waiting, found) in partition::of_round(&waiting).zip(outcome.found) {
            search.take_in(waiting, found);
        }
        if add(&mut whole, outcome.explored) || !outcome.is_settled {
            break;
        }
    }
    Ok(whole)
}

struct Process {
    pid: i32,
    said: LineReader,
    log: &'static ChoiceLog,
}

impl Process {
    fn start(
        subject: &mut Subject<'_>,
        task: &mut Task<'_>,
        shared: &SharedState,
        limits: ExplorationLimits,
        log: &'static ChoiceLog,
    ) -> Result<Process, String> {
        let (pipe, end) = std::io::pipe().map_err(|error| format!("no pipe: {error}"))?;
        match workers::fork_worker()? {
            None => {
                drop(pipe);
                responses::redirect(end.as_raw_fd());
                subject.log_choices(log);
                work(subject, task, shared, limits, log);
                sys::exit_now(0)
            }
            Some(pid) => Ok(Process {
                pid,
                said: LineReader::of(pipe),
                log,
            }),
        }
    }

    /// Takes in what there is; false at the end of it.
    fn listen(&mut self, pieces: &mut [Option<Piece>]) -> bool {
        let Some(lines) = self.said.read() else {
            return false;
        };
        for line in lines {
            if let Some((number, carried_out)) = Piece::parse(&line)
                && let Some(piece) = pieces.get_mut(number)
            {
                *piece = Some(carried_out);
            }
        }
        true
    }

    /// The process is at its end. If the test took it down, that is what its piece came to.
    fn take_result(
        &mut self,
        subject: &mut Subject<'_>,
        shared: &SharedState,
        pieces: &mut [Option<Piece>],
    ) {
        let ended = match sys::wait(self.pid, true) {
            Ok(Some((_, ChildEnd::Exited(0)))) => return,
            Ok(Some((_, ended))) => ended,
            _ => ChildEnd::Exited(1),
        };
        let number = self.log.piece();
        shared.failing.fetch_min(number, Relaxed);
        let explored = crash_recovery::crashed(subject, MutantId::ORIGINAL, ended, self.log);
        if let Some(piece) = pieces.get_mut(number as usize) {
            *piece = Some(Piece {
                explored,
                found: RoundResult::default(),
                has_new_names: false,
            });
        }
    }
}

/// What each process does: one piece after the other.
fn work(
    subject: &mut Subject<'_>,
    task: &mut Task<'_>,
    shared: &SharedState,
    limits: ExplorationLimits,
    log: &ChoiceLog,
) {
    let until = limits.until;
    let longest = subject.longest();
    let names = subject.test().names().clone();
    loop {
        let number = shared.next.fetch_add(1, Relaxed);
        if number >= task.pieces() || shared.is_needless(number) || Instant::now() >= until {
            return;
        }
        if !limits.shard.has(number) {
            continue;
        }
        log.begin_piece(number);
        // What a piece comes to must not depend on which other pieces this process had.
        subject.set_longest(longest);
        subject.test().set_names(names.clone());
        let (explored, found) = task.carry_out(number, &mut |strategy| {
            explore_piece(subject, strategy, shared, number, until)
        });
        let piece = Piece {
            explored,
            found,
            has_new_names: subject.test().names().count() > names.count(),
        };
        responses::pass_on(&piece.into_line(number));
    }
}

fn explore_piece(
    subject: &mut Subject<'_>,
    strategy: &mut dyn Strategy,
    shared: &SharedState,
    number: u64,
    until: Instant,
) -> Explored {
    subject.take_notes();
    let mut failing = None;
    let mut is_complete = true;
    while strategy.begin() {
        let end = subject.run(strategy);
        strategy.end(end);
        if end != ExecutionEnd::Stopped {
            shared.executions.fetch_add(1, Relaxed);
        }
        if end.is_failure() {
            failing = Some((end, strategy.schedule()));
        }
        if failing.is_some()
            || strategy.divergence().is_some()
            || subject.notes.uncontrolled.is_some()
        {
            shared.failing.fetch_min(number, Relaxed);
            is_complete = false;
            break;
        }
        if shared.is_needless(number) || Instant::now() >= until {
            is_complete = false;
            break;
        }
    }
    let notes = subject.take_notes();
    let mut explored = describe::notes(&notes);
    explored.executions = strategy.progress().executions;
    explored.complete = is_complete;
    explored.divergence = strategy.divergence().map(text);
    if let (Some((end, schedule)), Some(failure), None) =
        (failing, notes.failure, notes.uncontrolled)
    {
        let thoroughly = describe::THOROUGHLY;
        match describe::found_in_original(subject, failure, end, schedule, thoroughly) {
            Ok(found) => explored.found = Some(found),
            Err(why) => explored.uncontrolled = Some(why),
        }
    }
    explored
}

#[cfg(test)]
mod tests {
    use atropos_search::{Sampling, WorkItem};

    use super::*;

    fn piece(executions: u64, complete: bool) -> Option<Piece> {
        let explored = Explored {
            executions,
            complete,
            ..Explored::default()
        };
        Some(Piece {
            explored,
            found: RoundResult::default(),
            has_new_names: false,
        })
    }

    #[test]
    fn what_counts_is_all_up_to_the_first_piece_that_fails() {
        let task = Task::Drawn {
            first: 0,
            schedules: 2000,
            seed: 7,
            how: Sampling::Random,
        };
        let mut failing = piece(3, false);
        failing.as_mut().unwrap().explored.divergence = Some("somewhere".to_owned());
        let outcome = merge(
            &task,
            vec![piece(500, true), failing, piece(500, true), None],
        );
        assert!(outcome.is_settled);
        assert_eq!(outcome.explored.executions, 503);
        assert_eq!(outcome.explored.divergence.as_deref(), Some("somewhere"));
    }

    #[test]
    fn a_piece_that_is_missing_leaves_the_whole_open() {
        let task = Task::Exhaustive(vec![WorkItem::default(); 2]);
        let part = merge(&task, vec![piece(5, true), None]);
        assert!(!part.is_settled && !part.explored.complete);
        assert_eq!(part.explored.coverage, "5 schedules, not all");
        let whole = merge(&task, vec![piece(5, true), piece(2, true)]);
        assert!(whole.is_settled && whole.explored.complete);
        assert_eq!(whole.coverage, Coverage::All);
    }
}
