//! The driver's side: starts a woven test binary as a zygote and gives it commands.
//!
//! A zygote notices when its driver is gone (the channel closes) and then ends all that it
//! started; so dropping a [`Client`], or killing the driver, leaves nothing behind.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use atropos_values::{MutantId, Numbering, PointId};

use crate::board::{Board, REACHED_OUTSIDE, WANTED};
use crate::command::{Reply, RunMode, Test, ZygoteCommand};
use crate::effect::Effects;
use crate::path_set::FileUse;
use crate::signals;
use crate::sys::{self, PollFd};
use crate::test_run::{TestResult, TestRun};
use crate::undo::Log;
use crate::{ENV_BOARD, ENV_ZYGOTE};

/// The board of a zygote, in its scratch directory.
pub const BOARD: &str = "board";
/// How often verdicts are looked for while a command runs.
const TICK: Duration = Duration::from_millis(20);

/// Why a zygote can't be used (any more).
#[derive(Debug)]
pub enum ZygoteError {
    /// It could not be started, or the board could not be made.
    Start(io::Error),
    /// The program ran, but it is no zygote of ours (a test target without our harness, say).
    NotAZygote(Option<ExitStatus>),
    /// Driver and runtime are not of the same version.
    Version(u64),
    /// It ended in the middle of a command.
    Died(Option<ExitStatus>),
    /// It did not answer in time.
    Silent,
    /// It answered that it can't do what it was asked.
    Refused(String),
}

impl fmt::Display for ZygoteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ZygoteError::Start(error) => write!(formatter, "can't be started: {error}"),
            ZygoteError::NotAZygote(_) => {
                write!(formatter, "is not built with the Atropos harness")
            }
            ZygoteError::Version(version) => {
                write!(formatter, "speaks version {version} of the protocol")
            }
            ZygoteError::Died(Some(status)) => write!(formatter, "ended by itself ({status})"),
            ZygoteError::Died(None) => write!(formatter, "ended by itself"),
            ZygoteError::Silent => write!(formatter, "does not answer"),
            ZygoteError::Refused(text) => write!(formatter, "refuses: {text}"),
        }
    }
}

impl std::error::Error for ZygoteError {}

/// What a mutant may use, for one command. All are limits of one run of the test.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps, those before the mutant is reached included.
    pub steps: u64,
    /// How many times the original's own steps `steps` holds; 1 if it is no multiple.
    pub step_factor: f64,
    /// Bytes of live heap above what was live at the test's start.
    pub heap: u64,
    /// Wall-clock time; the backstop of the two above.
    pub time: Duration,
    /// Bytes of address space above what the process had at the test's start.
    pub address_space: u64,
    /// Bytes of a file that is written; 0: no limit. It holds for the original as well, which must pass within it.
    pub file_size: u64,
    /// Threads and processes that one process may start; 0: no limit.
    pub spawns: u64,
}

impl Limits {
    /// No limit but time: for baselines.
    pub fn only_time(time: Duration) -> Limits {
        Limits {
            steps: u64::MAX,
            step_factor: 1.0,
            heap: u64::MAX,
            time,
            address_space: 0,
            file_size: 0,
            spawns: 0,
        }
    }
}

/// What the original's run of a test showed.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// How the original ended.
    pub test_run: TestRun,
    pub wall: Duration,
    pub cpu: Duration,
    pub steps: u64,
    /// Most steps of a woven program that the test started.
    pub spawned_steps: u64,
    /// Most bytes of heap that were live at once, above what was live at the start.
    pub peak_heap: u64,
    pub allocations: u64,
    /// Most threads and processes that one process started.
    pub spawns: u64,
    pub effects: Effects,
    pub files: FileUse,
    /// What the first effect was.
    pub first_effect: String,
    /// Time to fork the test's process at its end and wait for an empty child.
    pub fork_cost: Duration,
    /// The points that were executed, ascending.
    pub reached: Vec<PointId>,
    /// Those of them that the program came to while it ended.
    pub reached_at_end: Vec<PointId>,
    /// The program has handlers of its own that run when it ends.
    pub has_exit_handlers: bool,
    /// Mutants that differed from the original where they were executed, ascending.
    pub infected: Vec<MutantId>,
    /// How many steps the test had taken when each of them first differed.
    pub way_to: BTreeMap<MutantId, u64>,
}

impl Baseline {
    pub fn passed(&self) -> bool {
        self.test_run.result == TestResult::Passed
    }

    /// The test waits for programs that are not woven, or for the network: its time is mostly
    /// theirs.
    pub fn waits_for_strangers(&self) -> bool {
        self.effects.intersects(Effects::WITH_OTHERS) && self.spawned_steps == 0
    }

    /// Mutants of this test may be forked where they are reached.
    pub fn may_fork(&self) -> bool {
        !self.effects.intersects(Effects::AGAINST_FORK)
    }

    /// This test may be run again and again in one process.
    pub fn may_batch(&self) -> bool {
        !self.effects.intersects(Effects::AGAINST_BATCH)
    }
}

/// What a command that runs mutants showed besides their verdicts.
#[derive(Clone, Debug)]
pub struct MutantsRun {
    /// How the original ended (fork: its run; batch: its runs between the mutants').
    pub original: TestRun,
    pub wall: Duration,
    /// Processes that were forked.
    pub forks: u64,
    /// Workers that were needed (batch).
    pub workers: u64,
    /// Batch: why the verdicts of this command can't be trusted and were withdrawn.
    pub void: Option<String>,
}

/// Figures measured when the zygote started.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// Forking an empty child and waiting for it.
    pub fork: Duration,
    /// Bringing a worker's memory back between two mutants.
    pub restore: Duration,
    pub restore_bytes: u64,
}

/// A running zygote.
pub struct Client {
    child: Child,
    channel: UnixStream,
    input: Vec<u8>,
    board: Arc<Board>,
    tests: Vec<Test>,
    /// Points that the program came to before `main`.
    reached_at_start: Vec<PointId>,
    costs: Costs,
    silence_limit: Duration,
}

impl Client {
    /// Starts `command` (program, arguments, environment, directory) as a zygote.
    ///
    /// `scratch` is an existing directory that no other zygote uses; the board and temporary
    /// directories are made in it. `functions` is how many functions say when they are entered.
    /// `silence_limit` is how long the zygote may be silent when it should speak.
    pub fn start(
        mut command: Command,
        scratch: &Path,
        numbering: &Numbering,
        silence_limit: Duration,
    ) -> Result<Client, ZygoteError> {
        let scratch = scratch.canonicalize().map_err(ZygoteError::Start)?;
        let board = Board::create(&scratch.join(BOARD), numbering).map_err(ZygoteError::Start)?;
        let (channel, theirs) = UnixStream::pair().map_err(ZygoteError::Start)?;
        let their_fd = theirs.as_raw_fd();
        command
            .env(ENV_BOARD, board.path())
            .env(ENV_ZYGOTE, their_fd.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // SAFETY: only system calls between fork and exec.
        unsafe {
            command.pre_exec(move || {
                sys::start_session();
                sys::keep_on_exec(their_fd).map_err(|error| io::Error::from_raw_os_error(error.0))
            });
        }
        let child = command.spawn().map_err(ZygoteError::Start)?;
        drop(theirs);
        let mut client = Client {
            child,
            channel,
            input: Vec::new(),
            board: Arc::new(board),
            tests: Vec::new(),
            reached_at_start: Vec::new(),
            costs: Costs {
                fork: Duration::ZERO,
                restore: Duration::ZERO,
                restore_bytes: 0,
            },
            silence_limit,
        };
        client.greet()?;
        client.list()?;
        client.reached_at_start = marked(client.board.reached(), PointId);
        Ok(client)
    }

    fn greet(&mut self) -> Result<(), ZygoteError> {
        let deadline = Instant::now() + self.silence_limit;
        let reply = self.reply_until(deadline).map_err(|broken| match broken {
            ZygoteError::Died(status) => ZygoteError::NotAZygote(status),
            ZygoteError::Silent => ZygoteError::NotAZygote(None),
            other => other,
        })?;
        match reply {
            Reply::Hello {
                version: crate::VERSION,
            } => {}
            Reply::Hello { version } => return Err(ZygoteError::Version(version)),
            Reply::Error(text) => return Err(ZygoteError::Refused(text)),
            _ => return Err(ZygoteError::NotAZygote(None)),
        }
        let header = self.board.header();
        self.costs = Costs {
            fork: Duration::from_nanos(header.fork_cost.load(Ordering::Relaxed)),
            restore: Duration::from_nanos(header.restore_cost.load(Ordering::Relaxed)),
            restore_bytes: header.restore_bytes.load(Ordering::Relaxed),
        };
        Ok(())
    }

    fn list(&mut self) -> Result<(), ZygoteError> {
        self.send(&ZygoteCommand::List)?;
        let deadline = Instant::now() + self.silence_limit;
        let Reply::Tests(count) = self.reply_until(deadline)? else {
            return Err(ZygoteError::Refused("no list of tests".into()));
        };
        for _ in 0..count {
            match self.reply_until(deadline)? {
                Reply::Test(test) => self.tests.push(test),
                other => {
                    return Err(ZygoteError::Refused(format!(
                        "{other:?} in the list of tests"
                    )));
                }
            }
        }
        Ok(())
    }

    /// The tests that the arguments select, in the binary's order. Commands name them by index.
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// Points that the program came to before `main`.
    pub fn reached_at_start(&self) -> &[PointId] {
        &self.reached_at_start
    }

    pub fn costs(&self) -> Costs {
        self.costs
    }

    /// The board, to set `dead` and `cancel` while a command runs in another thread.
    pub fn board(&self) -> Arc<Board> {
        Arc::clone(&self.board)
    }

    /// The zygote's process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Runs a test as the original and notes everything about it.
    pub fn baseline(
        &mut self,
        test: usize,
        limits: &Limits,
        capture: &Path,
    ) -> Result<Baseline, ZygoteError> {
        self.prepare(limits, &[]);
        self.board.header().old_files.set([]);
        for byte in self.board.reached().iter().chain(self.board.infected()) {
            byte.store(0, Ordering::Relaxed);
        }
        self.board.header().recording.store(1, Ordering::Relaxed);
        let done = self.command(
            &ZygoteCommand::Baseline {
                test,
                capture: capture.to_owned(),
            },
            &mut |_| {},
        );
        self.board.header().recording.store(0, Ordering::Relaxed);
        done?;
        let header = self.board.header();
        let number = |field: &std::sync::atomic::AtomicU64| field.load(Ordering::Relaxed);
        let infected = marked(self.board.infected(), MutantId);
        Ok(Baseline {
            test_run: self.test_run(MutantId::ORIGINAL),
            wall: Duration::from_nanos(number(&header.wall)),
            cpu: Duration::from_nanos(number(&header.cpu)),
            steps: number(&header.steps),
            spawned_steps: number(&header.spawned_steps),
            peak_heap: number(&header.peak_heap),
            allocations: number(&header.allocations),
            spawns: number(&header.spawns),
            files: header.file_use(),
            effects: self.board.effects(),
            first_effect: header.first_effect.get(),
            fork_cost: Duration::from_nanos(number(&header.fork_cost)),
            reached: marked(self.board.reached(), PointId),
            reached_at_end: with_bits(self.board.reached(), REACHED_OUTSIDE, PointId),
            has_exit_handlers: number(&header.exit_handlers) != 0,
            way_to: (infected.iter())
                .map(|&mutant| (mutant, self.board.records()[mutant.index()].steps()))
                .collect(),
            infected,
        })
    }

    /// Runs the wanted mutants under a test. The old files that they may change are those on the board. `on_test_run` is told of each as soon as it is final;
    /// mutants that were not decided (cancelled, declared dead) are not mentioned.
    pub fn run(
        &mut self,
        mode: RunMode,
        test: usize,
        wanted: &[MutantId],
        limits: &Limits,
        on_test_run: &mut dyn FnMut(MutantId, TestRun),
    ) -> Result<MutantsRun, ZygoteError> {
        self.prepare(limits, wanted);
        let board = Arc::clone(&self.board);
        // A worker's verdicts may still be withdrawn, so they are passed on at the end only.
        let early = mode != RunMode::Batch;
        let mut open: Vec<MutantId> = wanted.to_vec();
        let mut look = |_: &Board| {
            open.retain(|&mutant| {
                let Some(record) = board.records().get(mutant.index()) else {
                    return false;
                };
                let is_final = record.result().is_final();
                if is_final {
                    let test_run = TestRun {
                        changes_files: board.changes_files(mutant),
                        evidence: board.run_evidence(mutant),
                        ..record.read()
                    };
                    on_test_run(mutant, test_run);
                }
                !is_final
            });
        };
        let done = self.command(&ZygoteCommand::Run { mode, test }, &mut |board| {
            if early {
                look(board);
            }
        });
        // Verdicts hold even if the zygote broke afterwards; a worker's only if it went well.
        if early || done.is_ok() {
            look(&self.board);
        }
        for &mutant in wanted {
            if let Some(flags) = self.board.flags().get(mutant.index()) {
                flags.fetch_and(!WANTED, Ordering::Relaxed);
            }
        }
        done?;
        let header = self.board.header();
        Ok(MutantsRun {
            original: self.board.records()[0].read(),
            wall: Duration::from_nanos(header.wall.load(Ordering::Relaxed)),
            forks: header.forks.load(Ordering::Relaxed),
            workers: header.workers.load(Ordering::Relaxed),
            void: (!header.void.is_empty()).then(|| header.void.get()),
        })
    }

    /// How a run went, with its evidence.
    fn test_run(&self, mutant: MutantId) -> TestRun {
        TestRun {
            evidence: self.board.run_evidence(mutant),
            ..self.board.records()[mutant.index()].read()
        }
    }

    /// Clears the last command's traces and writes down limits and wanted mutants.
    fn prepare(&mut self, limits: &Limits, wanted: &[MutantId]) {
        let board = &self.board;
        let header = board.header();
        let time = limits.time.as_nanos().min(u128::from(u64::MAX / 4)) as u64;
        for (field, value) in [
            (&header.cancel, 0),
            (&header.step_limit, limits.steps),
            (&header.step_factor, (limits.step_factor * 1000.0) as u64),
            (&header.heap_limit, limits.heap),
            (&header.time_limit, time),
            (&header.address_limit, limits.address_space),
            (&header.file_limit, limits.file_size),
            (&header.spawn_limit, limits.spawns),
            (&header.deadline, sys::now() + time),
            (&header.depth, 1),
            (&header.current, 0),
            (&header.wall, 0),
            (&header.cpu, 0),
            (&header.steps, 0),
            (&header.peak_heap, 0),
            (&header.allocations, 0),
            (&header.spawns, 0),
            (&header.effects, 0),
            (&header.plain_effects, 0),
            (&header.forks, 0),
            (&header.workers, 0),
            (&header.spawned_steps, 0),
            (&header.spawned_limit, 0),
            (&header.exit_handlers, 0),
        ] {
            field.store(value, Ordering::Relaxed);
        }
        for paths in [
            &header.files_read,
            &header.files_looked_at,
            &header.files_changed,
            &header.directories_changed,
        ] {
            paths.clear();
        }
        header.first_effect.set("");
        header.void.set("");
        for &mutant in [MutantId::ORIGINAL].iter().chain(wanted) {
            if let Some(record) = board.records().get(mutant.index()) {
                record.begin(mutant, 0);
                record.set_result(TestResult::NotRun);
            }
            board.forget_evidence(mutant);
        }
        for &mutant in wanted {
            board.set_changes_files(mutant, false);
            if let Some(flags) = board.flags().get(mutant.index()) {
                flags.fetch_or(WANTED, Ordering::Relaxed);
            }
        }
    }

    fn command(
        &mut self,
        command: &ZygoteCommand,
        look: &mut dyn FnMut(&Board),
    ) -> Result<(), ZygoteError> {
        self.send(command)?;
        loop {
            match self.next_reply(TICK)? {
                Some(Reply::Done) => return Ok(()),
                Some(Reply::Error(text)) => return Err(ZygoteError::Refused(text)),
                Some(other) => return Err(ZygoteError::Refused(format!("unexpected {other:?}"))),
                None => look(&self.board),
            }
            let deadline = self.board.header().deadline.load(Ordering::Relaxed);
            let late = sys::now().saturating_sub(deadline);
            if Duration::from_nanos(late) > self.silence_limit {
                self.kill();
                return Err(ZygoteError::Silent);
            }
        }
    }

    fn send(&mut self, command: &ZygoteCommand) -> Result<(), ZygoteError> {
        self.channel
            .write_all(command.to_line().as_bytes())
            .map_err(|_| self.died())
    }

    fn reply_until(&mut self, deadline: Instant) -> Result<Reply, ZygoteError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if let Some(reply) = self.next_reply(left)? {
                return Ok(reply);
            }
            if Instant::now() >= deadline {
                self.kill();
                return Err(ZygoteError::Silent);
            }
        }
    }

    /// The next reply, if it comes within `wait`.
    fn next_reply(&mut self, wait: Duration) -> Result<Option<Reply>, ZygoteError> {
        if let Some(reply) = self.buffered_reply()? {
            return Ok(Some(reply));
        }
        let fd = self.channel.as_raw_fd();
        let mut fds = [PollFd::readable(fd)];
        sys::poll(
            &mut fds,
            wait.as_nanos().min(u128::from(u64::MAX / 4)) as u64,
        );
        if !fds[0].ready() {
            return Ok(None);
        }
        let mut buffer = [0; 4096];
        match sys::read(fd, &mut buffer) {
            Ok(length @ 1..) => {
                self.input.extend_from_slice(&buffer[..length]);
                self.buffered_reply()
            }
            _ => Err(self.died()),
        }
    }

    fn buffered_reply(&mut self) -> Result<Option<Reply>, ZygoteError> {
        let Some(end) = self.input.iter().position(|&byte| byte == b'\n') else {
            return Ok(None);
        };
        let line: Vec<u8> = self.input.drain(..=end).collect();
        let line = String::from_utf8_lossy(&line);
        match Reply::parse(&line) {
            Some(reply) => Ok(Some(reply)),
            None => Err(ZygoteError::Refused(format!("unknown reply {line:?}"))),
        }
    }

    fn died(&mut self) -> ZygoteError {
        ZygoteError::Died(self.end_within(Duration::from_secs(1)))
    }

    fn end_within(&mut self, wait: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + wait;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => return None,
            }
        }
    }

    /// Ends the zygote and all that it started, gently first.
    fn kill(&mut self) {
        let _ = self.channel.shutdown(std::net::Shutdown::Both);
        if self.end_within(Duration::from_secs(2)).is_some() {
            return;
        }
        let _ = signals::to_group(self.child.id() as i32, sys::SIGKILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.kill();
        // The zygote does it, unless it was killed.
        Log::of(self.board.path()).undo();
        let _ = std::fs::remove_file(self.board.path());
    }
}

/// The numbers of the bytes that are not 0.
fn marked<T>(bytes: &[AtomicU8], id: fn(u32) -> T) -> Vec<T> {
    with_bits(bytes, u8::MAX, id)
}

fn with_bits<T>(bytes: &[AtomicU8], bits: u8, id: fn(u32) -> T) -> Vec<T> {
    let mut ids = Vec::new();
    for (number, byte) in bytes.iter().enumerate() {
        if byte.load(Ordering::Relaxed) & bits != 0 {
            ids.push(id(number as u32));
        }
    }
    ids
}
