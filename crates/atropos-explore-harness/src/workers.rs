//! Forked processes that share the mutants of a test: each starts with all that the original's exploration
//! taught. A mutant that takes its process down, or never comes to an end, costs that process and nothing else. Each keeps
//! a log of its choices, so that the schedule that took it down can be shown.

use std::collections::VecDeque;
use std::os::fd::AsRawFd as _;
use std::time::{Duration, Instant};

use atropos_protocol::exploration::{Explored, MutantResult, Response};
use atropos_protocol::signals;
use atropos_protocol::sys::{self, ChildEnd, PollFd};
use atropos_values::MutantId;

use crate::choice_log::ChoiceLog;
use crate::crash_recovery;
use crate::lines::LineReader;
use crate::responses;
use crate::subject::Subject;

unsafe extern "C" {
    fn fork() -> i32;
}

/// How long to wait for a message at a time, in nanoseconds.
const SLICE: u64 = 100_000_000;
/// Mutants that a process takes on, for each process that could do so at a time: few enough to share the last ones.
const SHARES: usize = 4;
/// The word before a mutant is begun.
const BEGIN: &str = "begin\t";

/// Explores the first of the mutants given, and tells the result of it and of those after it that act alike.
pub type Explore<'a> = &'a dyn Fn(&mut Subject<'_>, &[MutantId]) -> Vec<Response>;

struct Worker {
    pid: i32,
    said: LineReader,
    left: Vec<MutantId>,
    /// What it is at, and since when.
    begun: Option<(MutantId, Instant)>,
    log: &'static ChoiceLog,
}

/// Has every mutant explored by `explore`, by so many processes at a time, and passes their answers on. Mutants of a group
/// are one process's. One that takes longer than `time_limit` is ended.
pub fn share(
    subject: &mut Subject<'_>,
    mut groups: VecDeque<Vec<MutantId>>,
    processes: usize,
    time_limit: Duration,
    explore: Explore<'_>,
) -> Result<(), String> {
    let processes = processes.max(1);
    let mutants: usize = groups.iter().map(Vec::len).sum();
    let share = mutants.div_ceil(processes * SHARES);
    let mut workers: Vec<Worker> = Vec::new();
    let mut logs: Vec<&'static ChoiceLog> = Vec::new();
    while !groups.is_empty() || !workers.is_empty() {
        while workers.len() < processes && !groups.is_empty() {
            let mut left = Vec::new();
            while left.len() < share
                && let Some(group) = groups.pop_front()
            {
                left.extend(group);
            }
            let log = logs.pop().map_or_else(ChoiceLog::make, Ok)?;
            workers.push(start(subject, left, log, explore)?);
        }
        let mut files: Vec<PollFd> = workers
            .iter()
            .map(|worker| PollFd::readable(worker.said.as_raw_fd()))
            .collect();
        sys::poll(&mut files, SLICE);
        let mut at = 0;
        workers.retain_mut(|worker| {
            let ready = files[at].ready();
            at += 1;
            if ready && !worker.listen() {
                worker.take_result(subject, false);
            } else if worker.is_late(time_limit) {
                let _ = signals::to_process(worker.pid, sys::SIGKILL);
                worker.take_result(subject, true);
            } else {
                return true;
            }
            // What it left undone is for the next.
            if !worker.left.is_empty() {
                groups.push_back(std::mem::take(&mut worker.left));
            }
            logs.push(worker.log);
            false
        });
    }
    Ok(())
}

/// Forks a process that does not outlive this one: its number here, none there.
pub fn fork_worker() -> Result<Option<i32>, String> {
    let parent = sys::pid();
    // SAFETY: the process has one thread.
    match unsafe { fork() } {
        -1 => Err("the system refused to fork".to_owned()),
        0 => {
            sys::die_with_parent(parent);
            atropos_threads::have_own_directory();
            Ok(None)
        }
        pid => Ok(Some(pid)),
    }
}

fn start(
    subject: &mut Subject<'_>,
    mut left: Vec<MutantId>,
    log: &'static ChoiceLog,
    explore: Explore<'_>,
) -> Result<Worker, String> {
    let (pipe, end) = std::io::pipe().map_err(|error| format!("no pipe: {error}"))?;
    match fork_worker()? {
        None => {
            drop(pipe);
            responses::redirect(end.as_raw_fd());
            subject.log_choices(log);
            while let [mutant, ..] = left[..] {
                responses::pass_on(&format!("{BEGIN}{mutant}\n"));
                for response in explore(subject, &left) {
                    responses::say(&response);
                    if let Response::Mutant { mutant, .. } = response {
                        left.retain(|&other| other != mutant);
                    }
                }
            }
            sys::exit_now(0)
        }
        Some(pid) => Ok(Worker {
            pid,
            said: LineReader::of(pipe),
            left,
            begun: None,
            log,
        }),
    }
}

impl Worker {
    /// Passes on what there is; false at the end of it.
    fn listen(&mut self) -> bool {
        let Some(lines) = self.said.read() else {
            return false;
        };
        for line in lines {
            if let Some(mutant) = line.strip_prefix(BEGIN) {
                let mutant = mutant.trim_end().parse();
                self.begun = mutant.ok().map(|mutant| (mutant, Instant::now()));
                continue;
            }
            responses::pass_on(&line);
            if let Some(Response::Mutant { mutant, .. }) = Response::parse(line.trim_end()) {
                self.begun = None;
                self.left.retain(|&other| other != mutant);
            }
        }
        true
    }

    fn is_late(&self, time_limit: Duration) -> bool {
        self.begun
            .is_some_and(|(_, begun)| begun.elapsed() > time_limit)
    }

    /// The process is at its end; if it died while a mutant ran, that is the mutant's result.
    fn take_result(&mut self, subject: &mut Subject<'_>, is_late: bool) {
        let ended = match sys::wait(self.pid, true) {
            Ok(Some((_, ended))) => ended,
            _ => ChildEnd::Exited(-1),
        };
        let Some((mutant, begun)) = self.begun else {
            return;
        };
        self.left.retain(|&other| other != mutant);
        let response = match is_late {
            // The clock alone says nothing about the mutant: ordinary runs, which repeat what is late, decide on it.
            true => Response::Mutant {
                mutant,
                result: MutantResult::Undecided,
                explored: Explored {
                    coverage: format!(
                        "an execution did not end within {:.0} s",
                        begun.elapsed().as_secs_f64()
                    ),
                    nanoseconds: begun.elapsed().as_nanos() as u64,
                    ..Explored::default()
                },
            },
            false => crash_recovery::answer(subject, mutant, ended, self.log, begun),
        };
        responses::say(&response);
    }
}
