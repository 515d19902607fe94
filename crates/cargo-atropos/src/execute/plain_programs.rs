//! Tests without our harness: doctests and targets with `harness = false`. Each program is one
//! test, and each mutant gets a process of its own.
//!
//! They are run last, and only for mutants that nothing else has killed.

use std::fs;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use atropos_protocol::cpu_starvation::StarvationWatch;
use atropos_protocol::deadlock::{DEADLOCK, DeadlockWatch};
use atropos_protocol::undo::Log;
use atropos_protocol::{
    Board, ENV_BOARD, ENV_MUTANT, Effect, Effects, FailureKind, Limits, RunEvidence, TestResult,
    landlock, signals, sys,
};
use atropos_report::outcomes::TestRecord;
use atropos_sandbox::{Harm, Permissions, Supervisor, SupervisorMode};
use atropos_values::{MutantId, PointId};
use serde::{Deserialize, Serialize};

use super::baseline::captured;
use super::ended_by_others::MemoryWatch;
use super::exclusive_run::ExclusiveRuns;
use super::run_mode::UsedByOriginal;
use super::standing::{TestId, Undecided};
use super::test_case::FailedTest;
use super::{Context, MutantEntry, journal_name, run_mode};
use crate::build::test_binary::Invocation;
use crate::evidence::learned::{ResultEvidence, TestUses};
use crate::journal::KillEntry;
use crate::sandbox;

/// No program may take longer without a mutant.
const TIME_LIMIT: Duration = Duration::from_secs(600);
/// How often to look whether a program stands still.
const LOOK: Duration = Duration::from_millis(100);

/// A program that is one test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlainTest {
    pub package: String,
    /// `doc`, or the target's label.
    pub target: String,
    pub name: String,
    pub invocation: Invocation,
    /// Whether it ends with success without a mutant (`should_panic` doctests don't).
    pub succeeds: bool,
}

/// A program and what it showed without a mutant.
pub struct PlainBaseline {
    pub test: PlainTest,
    pub wall: Duration,
    pub steps: u64,
    pub reached: Vec<PointId>,
    pub infected: Vec<MutantId>,
    pub spawns: u64,
    pub effects: Effects,
    /// It changes files that outlive it, so that it can't run beside itself.
    pub is_alone: bool,
    /// What was there before the run and it changes, as [`PathList`](atropos_protocol::path_set::PathList) has it.
    pub old_files: Vec<u64>,
    /// What it does outside its process.
    pub permissions: Permissions,
    pub evidence: Option<RunEvidence>,
}

#[derive(Default)]
pub struct PlainBaselines {
    pub tests: Vec<PlainBaseline>,
    pub failed: Vec<FailedTest>,
}

/// How a program ended.
enum ProgramEnd {
    Exited(ExitStatus),
    Deadlock,
    TimeLimit,
    /// Others had the processors for much of the time.
    Starved,
}

/// A program that was run.
struct ProgramRun {
    end: ProgramEnd,
    /// What it did, if it was observed.
    seen: Permissions,
    /// What it was stopped before.
    harm: Option<Harm>,
}

impl ProgramRun {
    /// Whether it may have ended like this only because somebody else ended it, or a program that it started.
    fn is_doubtful(&self, test: &PlainBaseline, memory: &MemoryWatch) -> bool {
        match self.end {
            ProgramEnd::Exited(status) if status.success() != test.test.succeeds => {
                status.signal() == Some(sys::SIGKILL) || memory.ran_out()
            }
            _ => false,
        }
    }
}

/// Runs all programs once without a mutant.
pub fn baselines(context: &Context<'_>, tests: Vec<PlainTest>) -> Result<PlainBaselines> {
    let mut found = PlainBaselines::default();
    for test in tests {
        if context.interrupted() {
            break;
        }
        let said = context.zygotes.scratch.join("plain-output");
        let run = |file_size| -> Result<_> {
            let board = new_board(context, "plain")?;
            board.header().recording.store(1, Ordering::Relaxed);
            let limits = Limits {
                file_size,
                ..Limits::only_time(TIME_LIMIT)
            };
            let start = Instant::now();
            let program = Program {
                invocation: &test.invocation,
                board: &board,
                mutant: None,
                mode: SupervisorMode::Observe,
                places: &[],
            };
            let ran = program.run(&limits, Some(&said))?;
            Ok((board, ran, start.elapsed()))
        };
        let (mut board, mut ran, mut wall) = run(run_mode::FILE_SIZE)?;
        let mut effects = board.effects();
        if effects.contains(Effect::LargeFiles) {
            // A write has failed by our limit, so that this run says nothing.
            (board, ran, wall) = run(0)?;
            effects = board.effects();
            effects.add(Effect::LargeFiles);
        }
        let header = board.header();
        if matches!(ran.end, ProgramEnd::Exited(status) if status.success() == test.succeeds) {
            found.tests.push(PlainBaseline {
                wall,
                steps: header.spawned_steps.load(Ordering::Relaxed),
                reached: marked(board.reached(), PointId),
                infected: marked(board.infected(), MutantId),
                spawns: header.spawns.load(Ordering::Relaxed),
                effects,
                is_alone: !header.files_changed.get().is_empty(),
                old_files: header.old_files.get(),
                permissions: ran.seen,
                evidence: evidence(context, &test, &board),
                test,
            });
        } else {
            found.failed.push(FailedTest {
                name: format!("{} {}", test.target, test.name),
                message: match ran.end {
                    ProgramEnd::Exited(status) => format!("the program ended with {status}"),
                    ProgramEnd::Deadlock => DEADLOCK.to_owned(),
                    ProgramEnd::TimeLimit | ProgramEnd::Starved => {
                        "the program does not end".to_owned()
                    }
                },
                output: captured(&said),
            });
        }
    }
    Ok(found)
}

/// What the run of a doctest depended on. Of other programs nobody says how they were called.
fn evidence(context: &Context<'_>, test: &PlainTest, board: &Board) -> Option<RunEvidence> {
    let uses = TestUses::of(board);
    context.setting.earlier_results.note_uses(&uses);
    (test.target == "doc" && board.functions() > 0).then(|| RunEvidence {
        entered: marked(board.entered(), |number| number),
        effects: board.all_effects(),
    })
}

/// The numbers of the bytes that are not 0.
fn marked<T>(bytes: &[std::sync::atomic::AtomicU8], id: fn(u32) -> T) -> Vec<T> {
    let ids = bytes.iter().enumerate();
    ids.filter(|(_, byte)| byte.load(Ordering::Relaxed) != 0)
        .map(|(number, _)| id(number as u32))
        .collect()
}

fn new_board(context: &Context<'_>, name: &str) -> Result<Board> {
    let path = context.zygotes.scratch.join(name);
    let _ = fs::remove_file(&path);
    let setting = &context.zygotes;
    let board = Board::create(&path, setting.numbering)
        .context("can't make a file in the output directory")?;
    board.header().tree.set(&setting.tree);
    Ok(board)
}

/// Runs all open mutants under all programs; `first` is the number of the first program as a test.
pub fn run(
    context: &Context<'_>,
    programs: &[PlainBaseline],
    tests: &[TestRecord],
    first: usize,
) -> Result<()> {
    for (index, test) in programs.iter().enumerate() {
        let id = TestId(first + index);
        let name = journal_name(&tests[id.0]);
        let open = context.standings.open_for(id);
        let next = AtomicUsize::new(0);
        let exclusive_runs = ExclusiveRuns::default();
        let steadiness = Steadiness::default();
        if sandbox::is_on() {
            let writable = context.zygotes.scratch.join(landlock::WRITABLE);
            let places = context.zygotes.seen.places().iter();
            let paths = test
                .permissions
                .writable()
                .chain(places.map(PathBuf::as_path));
            let log = Log::of(&writable);
            let paths = paths.chain(log.place());
            landlock::write_list(&writable, paths)?;
        }
        std::thread::scope(|scope| {
            let jobs = if test.is_alone { 1 } else { context.jobs() };
            let workers: Vec<_> = (0..jobs)
                .map(|worker| {
                    let (open, next, name) = (&open, &next, &name);
                    let (exclusive_runs, steadiness) = (&exclusive_runs, &steadiness);
                    scope.spawn(move || -> Result<()> {
                        while let Some(&mutant) = open.get(next.fetch_add(1, Ordering::Relaxed))
                            && !context.interrupted()
                        {
                            match run_mutant(context, test, mutant, worker, exclusive_runs)? {
                                Ok(said)
                                    if said.kill.is_some()
                                        && !steadiness.holds(context, test, worker)? =>
                                {
                                    let why = Undecided::Unsteady;
                                    context.standings.leave_undecided(id, mutant, why);
                                }
                                Ok(said) => context.note(id, name, vec![said])?,
                                Err(why) => context.standings.leave_undecided(id, mutant, why),
                            }
                        }
                        Ok(())
                    })
                })
                .collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().expect("a worker does not panic"))
        })?;
    }
    Ok(())
}

/// What a program says of a mutant, or why it says nothing.
fn run_mutant(
    context: &Context<'_>,
    test: &PlainBaseline,
    mutant: MutantId,
    worker: usize,
    exclusive_runs: &ExclusiveRuns,
) -> Result<Result<MutantEntry, Undecided>> {
    let board = new_board(context, &format!("plain-{worker}"))?;
    let multiplier = context.setting.options.timeout_multiplier();
    // Nobody watched whether it starts threads.
    let mut effects = test.effects;
    effects.add(Effect::Threads);
    let used = UsedByOriginal {
        wall: test.wall,
        steps: test.steps,
        spawns: test.spawns,
        effects,
        ..UsedByOriginal::default()
    };
    let limits = run_mode::limits(&used, multiplier);
    board.header().old_files.set(test.old_files.iter().copied());
    let start = Instant::now();
    let mut memory = MemoryWatch::start();
    let beside_others = exclusive_runs.beside_others();
    let program = Program {
        invocation: &test.test.invocation,
        board: &board,
        mutant: Some(mutant),
        mode: SupervisorMode::Enforce(test.permissions.clone()),
        places: context.zygotes.seen.places(),
    };
    let mut ran = program.run(&limits, None)?;
    drop(beside_others);
    // Where threads or processes wait for each other by looking again and again, steps are others in each run.
    let by_steps = board.spawned_limit(mutant) == Some(TestResult::failed(FailureKind::StepLimit))
        && test.spawns > 0;
    let is_told_by_clock = by_steps || !matches!(ran.end, ProgramEnd::Exited(_));
    if ran.harm.is_none() && (is_told_by_clock || ran.is_doubtful(test, &memory)) {
        let _alone = exclusive_runs.alone();
        memory = MemoryWatch::start();
        let limits = Limits {
            time: limits.time * 2,
            steps: if test.spawns > 0 { 0 } else { limits.steps },
            ..limits
        };
        ran = program.run(&limits, None)?;
    }
    if let Some(Harm::Call(call)) = ran.harm {
        return Ok(Err(Undecided::Harm(Some(call))));
    }
    if board.spawned_limit(mutant) == Some(TestResult::Harm) {
        return Ok(Err(Undecided::Harm(None)));
    }
    if matches!(ran.end, ProgramEnd::Starved) {
        return Ok(Err(Undecided::Starved));
    }
    if ran.harm.is_none() && ran.is_doubtful(test, &memory) {
        return Ok(Err(Undecided::EndedByOthers));
    }
    let failure = match ran.harm {
        Some(Harm::Files(text)) => Some((FailureKind::FileLimit, text)),
        _ => failure(&ran.end, test.test.succeeds, board.spawned_limit(mutant)),
    };
    let kill = failure.map(|(how, message)| KillEntry {
        how,
        message,
        location: String::new(),
    });
    let run = evidence(context, &test.test, &board);
    Ok(Ok(MutantEntry {
        mutant,
        seconds: start.elapsed().as_secs_f64(),
        kill,
        explored: None,
        evidence: ResultEvidence::of(run.as_ref(), test.evidence.as_ref()),
    }))
}

/// Until when it is known that a program passes without a mutant: what it says of mutants is then not the machine's doing.
#[derive(Default)]
struct Steadiness(Mutex<Option<Instant>>);

impl Steadiness {
    /// Runs the program once more, unless it has passed lately.
    fn holds(&self, context: &Context<'_>, test: &PlainBaseline, worker: usize) -> Result<bool> {
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        if until.is_some_and(|until| start < until) {
            return Ok(true);
        }
        let board = new_board(context, &format!("again-{worker}"))?;
        let program = Program {
            invocation: &test.test.invocation,
            board: &board,
            mutant: None,
            mode: SupervisorMode::Observe,
            places: &[],
        };
        let ran = program.run(&Limits::only_time(TIME_LIMIT), None)?;
        let has_passed =
            matches!(ran.end, ProgramEnd::Exited(status) if status.success() == test.test.succeeds);
        *until = has_passed.then(|| Instant::now() + start.elapsed() * 10);
        Ok(has_passed)
    }
}

/// How a program's end tells that it noticed the mutant.
fn failure(
    end: &ProgramEnd,
    succeeds: bool,
    limit: Option<TestResult>,
) -> Option<(FailureKind, String)> {
    let status = match end {
        ProgramEnd::Deadlock => return Some((FailureKind::Deadlock, DEADLOCK.to_owned())),
        ProgramEnd::TimeLimit => return Some((FailureKind::TimeLimit, String::new())),
        ProgramEnd::Starved => return None,
        ProgramEnd::Exited(status) => status,
    };
    if let Some(kind) = limit.and_then(TestResult::failure)
        && kind != FailureKind::Crashed
    {
        return Some((kind, String::new()));
    }
    if status.success() == succeeds {
        return None;
    }
    let kind = if status.code().is_some() {
        FailureKind::Failed
    } else {
        FailureKind::Crashed
    };
    Some((kind, format!("the program ended with {status}")))
}

/// A program that is run in plain mode.
struct Program<'a> {
    invocation: &'a Invocation,
    board: &'a Board,
    mutant: Option<MutantId>,
    mode: SupervisorMode,
    /// Where it may make new files.
    places: &'a [PathBuf],
}

impl Program<'_> {
    /// Runs a program in plain mode, and ends whatever it leaves behind in its process group. What it
    /// says goes to `capture`.
    fn run(&self, limits: &Limits, capture: Option<&Path>) -> Result<ProgramRun> {
        let Program {
            invocation,
            board,
            mutant,
            mode,
            places,
        } = self;
        let (stdout, stderr) = match capture {
            None => (Stdio::null(), Stdio::null()),
            Some(path) => {
                let file = fs::File::create(path)?;
                (file.try_clone()?.into(), file.into())
            }
        };
        let header = board.header();
        header.step_limit.store(limits.steps, Ordering::Relaxed);
        header.heap_limit.store(limits.heap, Ordering::Relaxed);
        header.file_limit.store(limits.file_size, Ordering::Relaxed);
        header.spawn_limit.store(limits.spawns, Ordering::Relaxed);
        header.spawned_limit.store(0, Ordering::Relaxed);
        let mut command = invocation.command();
        command
            .env(ENV_BOARD, board.path())
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr);
        // SAFETY: only a system call between fork and exec.
        unsafe {
            command.pre_exec(|| {
                sys::start_session();
                Ok(())
            });
        }
        if let Some(mutant) = mutant {
            command.env(ENV_MUTANT, mutant.to_string());
        }
        let supervisor = sandbox::attach(&mut command, board.path(), places, mode.clone())?;
        let mut child = command
            .spawn()
            .with_context(|| format!("can't run {}", invocation.program.display()))?;
        let mut end = wait(&mut child, limits.time)?;
        if let (ProgramEnd::TimeLimit, Some(supervisor)) = (&end, &supervisor)
            && sandbox::is_held_up(supervisor.time(), limits.time)
        {
            end = ProgramEnd::Starved;
        }
        if matches!(mode, SupervisorMode::Observe) {
            wait_for_leftovers(child.id());
        }
        // Whatever the program left running in its group.
        let _ = signals::to_group(child.id() as i32, sys::SIGKILL);
        if !matches!(end, ProgramEnd::Exited(_)) {
            let _ = child.wait();
        }
        Log::of(board.path()).undo();
        let seen = supervisor.as_ref().map(Supervisor::seen);
        Ok(ProgramRun {
            end,
            seen: seen.unwrap_or_default(),
            harm: supervisor.and_then(|supervisor| supervisor.harm()),
        })
    }
}

/// Lets go on for a while what a program has left running: what it comes to counts.
fn wait_for_leftovers(group: u32) {
    let end = Instant::now() + Duration::from_secs(1);
    while signals::to_group(group as i32, 0).is_ok() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn wait(child: &mut Child, limit: Duration) -> Result<ProgramEnd> {
    let start = Instant::now();
    let deadline = start + limit;
    let mut pause = Duration::from_micros(200);
    let mut deadlock_watch = DeadlockWatch::default();
    let mut starvation_watch = StarvationWatch::default();
    let mut look = Instant::now() + LOOK;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(ProgramEnd::Exited(status));
        }
        if Instant::now() >= deadline {
            let _ = child.kill();
            return Ok(match starvation_watch.was_short(start.elapsed()) {
                true => ProgramEnd::Starved,
                false => ProgramEnd::TimeLimit,
            });
        }
        if Instant::now() >= look {
            if deadlock_watch.is_seen(child.id() as i32) {
                let _ = child.kill();
                return Ok(ProgramEnd::Deadlock);
            }
            starvation_watch.look(child.id() as i32);
            look = Instant::now() + LOOK;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}
