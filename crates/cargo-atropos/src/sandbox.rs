//! The sandbox of programs that run mutants: whether there is one, and test binaries in it.
//!
//! What may be done is decided by `atropos-sandbox`; here are the places where programs are started.

use std::collections::HashMap;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use atropos_protocol::landlock::{self, WRITABLE};
use atropos_protocol::{
    BOARD, Baseline, Board, Broken, Client, Limits, Run, RunMode, TestResult, TestRun,
};
use atropos_sandbox::{Harm, Mode, Permissions, Setting, Supervisor, unavailable};

use crate::arguments::Options;

/// Whether this process puts programs into a sandbox.
static IS_ON: OnceLock<bool> = OnceLock::new();

/// Decides whether there is a sandbox; if there should be one and can't, says why.
pub fn decide(options: &Options) -> Result<Option<String>> {
    if options.execute.no_sandbox {
        IS_ON.get_or_init(|| false);
        return Ok(None);
    }
    let missing = unavailable();
    IS_ON.get_or_init(|| missing.is_none());
    match missing {
        Some(why) if options.execute.require_sandbox => bail!(
            "there is no sandbox on this machine: {why}. Run without `--require-sandbox`, or where \
             programs may use seccomp's notifications"
        ),
        Some(why) => Ok(Some(format!(
            "mutants run without a sandbox: {why}. Only what their code does through the C library is watched"
        ))),
        None if landlock::version() < 2 => Ok(Some(
            "the kernel has no Landlock that could be used: the sandbox has its supervisor alone"
                .to_owned(),
        )),
        None => Ok(None),
    }
}

pub fn is_on() -> bool {
    *IS_ON.get_or_init(|| unavailable().is_none())
}

/// What the originals of tests were seen to do, by binary and test.
#[derive(Debug, Default)]
pub struct SeenOfTests(Mutex<HashMap<(usize, usize), Permissions>>);

impl SeenOfTests {
    fn add(&self, test: (usize, usize), seen: &Permissions) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(test).or_default().unite(seen);
    }

    /// What the mutants of a test may do.
    pub fn of(&self, binary: usize, test: usize) -> Permissions {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&(binary, test)).cloned().unwrap_or_default()
    }
}

/// A zygote of a test binary in the sandbox, if there is one.
pub struct SandboxedZygote {
    client: Client,
    supervisor: Option<Supervisor>,
    binary: usize,
    seen: Arc<SeenOfTests>,
    writable: PathBuf,
    /// The directory in which it was started.
    directory: Option<PathBuf>,
}

impl SandboxedZygote {
    pub fn start(
        mut command: Command,
        scratch: &Path,
        mutants: u32,
        points: &[(u32, u16)],
        patience: Duration,
        (binary, seen): (usize, Arc<SeenOfTests>),
    ) -> Result<SandboxedZygote, Broken> {
        let board: Arc<OnceLock<Arc<Board>>> = Arc::default();
        let known = Arc::clone(&board);
        let on_harm = move |harm: &Harm| {
            if let Some(board) = known.get() {
                leave_undecided(board, harm);
            }
        };
        let supervisor = match is_on() {
            true => {
                let setting = Setting {
                    // Beside its own directory lies what it writes for the driver.
                    own: scratch.parent().map(Path::to_owned).into_iter().collect(),
                    undone_in: undone_in(&command, &scratch.join(BOARD)),
                    began: atropos_protocol::began(),
                    root_is_trusted: true,
                    on_harm: Some(Box::new(on_harm)),
                };
                let attached = Supervisor::attach(&mut command, setting);
                Some(attached.map_err(Broken::Start)?)
            }
            false => None,
        };
        let directory = command.get_current_dir().map(Path::to_owned);
        let client = Client::start(command, scratch, mutants, points, patience)?;
        let _ = board.set(client.board());
        Ok(SandboxedZygote {
            writable: client.board().path().with_file_name(WRITABLE),
            directory,
            client,
            supervisor,
            binary,
            seen,
        })
    }

    /// As the client's, with what the test does noted.
    pub fn baseline(
        &mut self,
        test: usize,
        limits: &Limits,
        capture: &Path,
    ) -> Result<Baseline, Broken> {
        self.set_mode(Mode::Observe);
        let baseline = self.client.baseline(test, limits, capture);
        if let Some(supervisor) = &self.supervisor {
            self.seen.add((self.binary, test), &supervisor.seen());
        }
        self.set_mode(Mode::Idle);
        baseline
    }

    /// As the client's, with what goes beyond the original's doings stopped.
    pub fn run(
        &mut self,
        way: RunMode,
        test: usize,
        wanted: &[u32],
        limits: &Limits,
        on_test_run: &mut dyn FnMut(u32, TestRun),
    ) -> Result<Run, Broken> {
        if self.supervisor.is_some() {
            let permissions = self.seen.of(self.binary, test);
            let writable = permissions.writable().chain(self.directory.as_deref());
            landlock::write_list(&self.writable, writable).map_err(Broken::Start)?;
            self.set_mode(Mode::Enforce(permissions));
        }
        let run = self.client.run(way, test, wanted, limits, on_test_run);
        self.set_mode(Mode::Idle);
        run
    }

    fn set_mode(&self, mode: Mode) {
        if let Some(supervisor) = &self.supervisor {
            supervisor.set_mode(mode);
        }
    }
}

impl Deref for SandboxedZygote {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for SandboxedZygote {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}

/// Writes down that the mutants that run now were stopped, before they are.
fn leave_undecided(board: &Board, harm: &Harm) {
    for record in &board.records()[1..] {
        if record.result() == TestResult::Running {
            record.set_text(&harm.0, "");
            record.set_result(TestResult::Harm);
        }
    }
}

/// New files in the directory in which a program is started are removed again, if their making was written down before.
fn undone_in(command: &Command, board: &Path) -> Option<(PathBuf, PathBuf)> {
    let directory = command.get_current_dir()?;
    Some((directory.to_owned(), board.to_owned()))
}

/// Puts a program that is no zygote into the sandbox, if there is one. In the directory of the board it may do everything.
pub fn attach(command: &mut Command, board: &Path, mode: Mode) -> io::Result<Option<Supervisor>> {
    if !is_on() {
        return Ok(None);
    }
    let setting = Setting {
        own: board.parent().map(Path::to_owned).into_iter().collect(),
        undone_in: undone_in(command, board),
        began: atropos_protocol::began(),
        ..Setting::default()
    };
    let supervisor = Supervisor::attach(command, setting)?;
    supervisor.set_mode(mode);
    Ok(Some(supervisor))
}
