//! The zygote: a process of the test binary that has run no test, and forks one for each command.
//!
//! It stays single-threaded and trusted. Every test runs in a child; the board tells how it went;
//! what the children leave behind is adopted, killed and reaped before the next command.

use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use atropos_protocol::sys;
use atropos_protocol::undo::Log;
use atropos_protocol::{
    Board, ENV_BOARD, ENV_MUTANT, ENV_ZYGOTE, Reply, RunMode, Test, TestResult, ZygoteCommand,
};
use atropos_values::MutantId;

use crate::role::{self, MutantClass, Role};
use crate::run::{self, ChildPlan, SuiteTest};
use crate::wait::{self, WaitEnd};
use crate::{batch, capture, crash, fork, observe, outside_tests, random};

/// The tests of a binary, as the harness knows them.
pub trait Suite {
    /// In a fixed order; commands name them by index.
    fn tests(&self) -> Vec<Test>;
    /// Runs a test on this thread, in this process; never unwinds.
    fn run(&self, test: usize) -> Result<(), BodyFailure>;
}

/// Why a test failed.
#[derive(Clone, Debug, Default)]
pub struct BodyFailure {
    pub message: String,
    pub location: String,
}

/// This process was started by a driver, to serve as a zygote.
pub fn is_zygote() -> bool {
    std::env::var_os(ENV_ZYGOTE).is_some()
}

/// Tells the driver why this process can't serve, and ends it.
pub fn refuse(reason: &str) -> ! {
    if let Some(channel) = channel() {
        let line = Reply::Error(reason.to_owned()).to_line();
        let _ = sys::write(channel, line.as_bytes());
    }
    sys::exit_now(1)
}

fn channel() -> Option<RawFd> {
    std::env::var(ENV_ZYGOTE).ok()?.parse().ok()
}

/// Serves the driver until it is gone.
pub fn serve(suite: &dyn Suite) -> ! {
    match Zygote::new(suite) {
        Some(mut zygote) => {
            zygote.serve();
            wait::sweep();
            if let Some(path) = &zygote.directory {
                remove(path);
            }
        }
        None => sys::exit_now(1),
    }
    sys::exit_now(0)
}

struct Zygote<'a> {
    suite: &'a dyn Suite,
    tests: Vec<Test>,
    board: &'static Board,
    channel: RawFd,
    input: Vec<u8>,
    /// For temporary files of the next run, if it is still empty.
    directory: Option<PathBuf>,
    /// How many such directories were made.
    directories: u64,
}

impl<'a> Zygote<'a> {
    fn new(suite: &'a dyn Suite) -> Option<Zygote<'a>> {
        let low = channel()?;
        observe::take_path();
        capture::take_path();
        // It was opened before `main`.
        let board = role::board()?;
        outside_tests::started();
        // SAFETY: the zygote has one thread, and no test runs in it.
        unsafe {
            std::env::remove_var(ENV_ZYGOTE);
            std::env::remove_var(ENV_BOARD);
            std::env::remove_var(ENV_MUTANT);
        }
        // Tests expect low numbers for their own files, and nothing open that leads outside.
        let channel = sys::duplicate_above(low, 200)
            .or_else(|_| sys::duplicate_above(low, 20))
            .ok()?;
        sys::close_range(3, channel - 1);
        sys::close_range(channel + 1, i32::MAX);
        sys::adopt_orphans();
        crash::install();
        let this = sys::pid() as u64;
        board.header().zygote.store(this, Ordering::Relaxed);
        let zygote = Zygote {
            tests: suite.tests(),
            suite,
            board,
            channel,
            input: Vec::new(),
            directory: None,
            directories: 0,
        };
        zygote.measure_costs();
        Some(zygote)
    }

    fn measure_costs(&self) {
        let cost = (0..5).map(|_| run::fork_cost()).min().unwrap_or(0);
        let header = self.board.header();
        header.fork_cost.store(cost, Ordering::Relaxed);
        match fork::raw_fork() {
            0 => {
                batch::measure(self.board);
                sys::exit_now(0)
            }
            -1 => {}
            pid => drop(sys::wait(pid, true)),
        }
    }

    fn serve(&mut self) {
        self.reply(&Reply::hello());
        while let Some(line) = self.next_line() {
            match ZygoteCommand::parse(&line) {
                Some(ZygoteCommand::List) => self.list(),
                Some(ZygoteCommand::Baseline { test, capture }) if test < self.tests.len() => {
                    self.baseline(test, &capture);
                    self.reply(&Reply::Done);
                }
                Some(ZygoteCommand::Run { mode, test }) if test < self.tests.len() => {
                    self.run(mode, test);
                    self.reply(&Reply::Done);
                }
                _ => self.reply(&Reply::Error(format!("unknown command {line:?}"))),
            }
        }
    }

    fn next_line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.input.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.input.drain(..=end).collect();
                return String::from_utf8(line).ok();
            }
            let mut buffer = [0; 1024];
            match sys::read(self.channel, &mut buffer) {
                Ok(length @ 1..) => self.input.extend_from_slice(&buffer[..length]),
                _ => return None,
            }
        }
    }

    fn reply(&self, reply: &Reply) {
        let line = reply.to_line();
        let mut bytes = line.as_bytes();
        while let Ok(written @ 1..) = sys::write(self.channel, bytes) {
            bytes = &bytes[written..];
            if bytes.is_empty() {
                break;
            }
        }
    }

    fn list(&self) {
        self.reply(&Reply::Tests(self.tests.len()));
        for test in &self.tests {
            self.reply(&Reply::Test(test.clone()));
        }
    }

    /// An empty directory for one run's temporary files.
    fn temporary_directory(&mut self) -> Option<PathBuf> {
        if let Some(path) = self.directory.take() {
            // Most tests leave it empty.
            if std::fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_none()) {
                self.directory = Some(path.clone());
                return Some(path);
            }
            remove(&path);
        }
        self.directories += 1;
        let name = format!("tmp{}", self.directories);
        let path = self.board.path().parent()?.join(name);
        std::fs::create_dir(&path).ok()?;
        self.directory = Some(path.clone());
        Some(path)
    }

    fn seed(&self, test: usize) {
        let seed = random::seed_of(&self.tests[test].name);
        self.board.header().seed.store(seed, Ordering::Relaxed);
    }

    /// Runs `plan` in a child, waits for it, and removes all that it left behind.
    fn child(&self, test: usize, plan: &ChildPlan) -> WaitEnd {
        wait::start_clock(self.board, 1);
        let parent = sys::pid();
        let waited = match fork::raw_fork() {
            0 => {
                sys::close(self.channel);
                sys::die_with_parent(parent);
                sys::set_own_group();
                let run = SuiteTest {
                    suite: self.suite,
                    test,
                };
                run::run(self.board, run, plan)
            }
            -1 => {
                self.board.header().cancel.store(1, Ordering::Relaxed);
                WaitEnd::Cancelled
            }
            pid => wait::wait_for(self.board, pid, 0, Some(self.channel)),
        };
        if matches!(plan, ChildPlan::Baseline { .. }) {
            wait::wait_for_leftovers(self.board);
        }
        wait::sweep();
        waited
    }

    fn baseline(&mut self, test: usize, capture: &Path) {
        self.seed(test);
        let directory = self.temporary_directory();
        self.board.records()[0].begin(MutantId::ORIGINAL, sys::now());
        let flags = sys::O_WRONLY | sys::O_CREAT | sys::O_TRUNC | sys::O_APPEND | sys::O_CLOEXEC;
        let capture = sys::c_path(capture);
        let capture = capture.and_then(|path| sys::open(&path, flags, 0o644).ok());
        let plan = ChildPlan::Baseline { capture, directory };
        let waited = self.child(test, &plan);
        if let Some(file) = capture {
            sys::close(file);
        }
        fork::settle_record(&self.board.records()[0], waited);
    }

    fn run(&mut self, mode: RunMode, test: usize) {
        let start = sys::now();
        self.seed(test);
        match mode {
            RunMode::Fork => self.fork(test),
            RunMode::Each => self.each(test),
            RunMode::Batch => self.batch(test),
        }
        let wall = sys::now() - start;
        self.board.header().wall.store(wall, Ordering::Relaxed);
    }

    fn wanted(&self) -> Vec<MutantId> {
        (self.board.mutants())
            .filter(|&mutant| self.board.is_wanted(mutant))
            .collect()
    }

    fn fork(&mut self, test: usize) {
        let original = &self.board.records()[0];
        original.begin(MutantId::ORIGINAL, sys::now());
        let waited = self.child(test, &ChildPlan::Fork);
        fork::settle_record(original, waited);
        let too_much = original.result() == TestResult::NeedsOwnProcess;
        for mutant in self.wanted() {
            let record = &self.board.records()[mutant.index()];
            match record.result() {
                // What could have told more about it was killed.
                TestResult::Running if self.board.cancelled() => {
                    record.set_result(TestResult::NotRun)
                }
                TestResult::Running => record.set_result(TestResult::NeedsOwnProcess),
                TestResult::NotRun if too_much => {
                    record.message.copy_from(&original.message);
                    record.set_result(TestResult::NeedsOwnProcess);
                }
                _ => {}
            }
        }
    }

    fn each(&mut self, test: usize) {
        for mutant in self.wanted() {
            if self.board.cancelled() {
                return;
            }
            // It may have been declared dead since.
            if self.board.is_wanted(mutant) {
                self.each_one(test, mutant);
            }
        }
    }

    fn each_one(&mut self, test: usize, mutant: MutantId) {
        let header = self.board.header();
        header.spawned_limit.store(0, Ordering::Relaxed);
        header.forks.fetch_add(1, Ordering::Relaxed);
        let class = MutantClass::of_mutant(self.board, mutant);
        let directory = self.temporary_directory();
        fork::begin(self.board, class);
        let plan = ChildPlan::Each { class, directory };
        let waited = self.child(test, &plan);
        Log::of(self.board.path()).undo();
        fork::settle(self.board, class, waited);
    }

    fn batch(&mut self, test: usize) {
        let header = self.board.header();
        self.board.records()[0].begin(MutantId::ORIGINAL, sys::now());
        loop {
            let mut open = self.wanted();
            open.retain(|&mutant| {
                self.board.records()[mutant.index()].result() == TestResult::NotRun
            });
            if open.is_empty() || self.board.cancelled() {
                return;
            }
            header.workers.fetch_add(1, Ordering::Relaxed);
            header.forks.fetch_add(1, Ordering::Relaxed);
            header.current.store(0, Ordering::Relaxed);
            let waited = self.child(test, &ChildPlan::Batch);
            if !batch::settle(self.board, &open, waited) {
                return;
            }
        }
    }
}

/// Removes a directory, also one that a test made unreadable.
fn remove(path: &Path) {
    if std::fs::remove_dir_all(path).is_err() {
        open_up(path);
        let _ = std::fs::remove_dir_all(path);
    }
}

fn open_up(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700));
    let Ok(entries) = std::fs::read_dir(path) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

/// Nobody reads what this process prints, so it need not print (and look for) backtraces.
pub fn is_silent() -> bool {
    matches!(role::role(), Role::Original | Role::Mutant)
}
