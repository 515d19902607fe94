//! The sandbox of programs that run mutants: whether there is one, and test binaries in it.
//!
//! What may be done is decided by `atropos-sandbox`; here are the places where programs are started.

use std::collections::{BTreeSet, HashMap};
use std::env;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use atropos_protocol::landlock::{self, WRITABLE};
use atropos_protocol::undo::Log;
use atropos_protocol::{
    BOARD, Baseline, Board, Client, FailureKind, Limits, MutantsRun, RunMode, TestResult, TestRun,
    ZygoteError,
};
use atropos_sandbox::{
    Harm, Permissions, Supervisor, SupervisorMode, SupervisorSettings, UndoSettings, unavailable,
};
use atropos_values::{MutantId, Numbering};

use crate::arguments::Options;
use crate::plan::Plan;

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

/// What the original of a test was seen to do.
#[derive(Clone, Debug, Default)]
struct SeenOfTest {
    permissions: Permissions,
    /// Old files that it changed, as the C library's functions saw it: what a mutant may change where there is no supervisor.
    old_files: BTreeSet<u64>,
}

/// What the originals of tests were seen to do, by binary and test.
#[derive(Debug, Default)]
pub struct SeenOfTests {
    all: Mutex<HashMap<(usize, usize), SeenOfTest>>,
    /// Below these directories mutants may make new files, which are removed again.
    places: Vec<PathBuf>,
}

impl SeenOfTests {
    /// Nothing yet. New files may be made where tests make them: among the workspace's files, in the target directory and in
    /// the system's directory for temporary files.
    pub fn new(plan: &Plan) -> SeenOfTests {
        let packages = plan.packages.iter();
        let packages = packages.map(|package| package.manifest_dir.as_std_path().to_owned());
        let others = [
            plan.workspace_root.as_std_path().to_owned(),
            plan.target_directory.as_std_path().to_owned(),
            env::temp_dir(),
        ];
        SeenOfTests {
            all: Mutex::default(),
            places: packages.chain(others).collect(),
        }
    }

    /// Below these directories mutants may make new files, which are removed again.
    pub fn places(&self) -> &[PathBuf] {
        &self.places
    }

    fn add(&self, test: (usize, usize), board: &Board, supervisor: Option<&Supervisor>) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = all.entry(test).or_default();
        seen.old_files.extend(board.header().old_files.get());
        if let Some(supervisor) = supervisor {
            seen.permissions.unite(&supervisor.seen());
        }
    }

    /// What the mutants of a test may do.
    fn of(&self, test: (usize, usize)) -> SeenOfTest {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&test).cloned().unwrap_or_default()
    }
}

/// A zygote of a test binary in the sandbox, if there is one.
pub struct SandboxedZygote {
    client: Client,
    supervisor: Option<Supervisor>,
    binary: usize,
    seen: Arc<SeenOfTests>,
    writable: PathBuf,
}

impl SandboxedZygote {
    pub fn start(
        mut command: Command,
        scratch: &Path,
        numbering: &Numbering,
        silence_limit: Duration,
        (binary, seen): (usize, Arc<SeenOfTests>),
    ) -> Result<SandboxedZygote, ZygoteError> {
        let board: Arc<OnceLock<Arc<Board>>> = Arc::default();
        let known = Arc::clone(&board);
        let on_harm = move |harm: &Harm| {
            if let Some(board) = known.get() {
                note_harm(board, harm);
            }
        };
        let running = Arc::clone(&board);
        let forks = move || {
            let board = running.get();
            board.map_or(0, |board| board.header().forks.load(Ordering::Relaxed))
        };
        let running = Arc::clone(&board);
        let on_change = move || {
            if let Some(board) = running.get() {
                running_mutants(board).for_each(|mutant| board.set_changes_files(mutant, true));
            }
        };
        let supervisor = match is_on() {
            true => {
                let setting = SupervisorSettings {
                    // Beside its own directory lies what it writes for the driver.
                    own: own(scratch.parent(), &scratch.join(BOARD)),
                    places: seen.places.clone(),
                    undone: Some(UndoSettings {
                        board: scratch.join(BOARD),
                        generation: Box::new(forks),
                        on_change: Box::new(on_change),
                    }),
                    began: atropos_protocol::began(),
                    root_is_trusted: true,
                    on_harm: Some(Box::new(on_harm)),
                };
                let attached = Supervisor::attach(&mut command, setting);
                Some(attached.map_err(ZygoteError::Start)?)
            }
            false => None,
        };
        let client = Client::start(command, scratch, numbering, silence_limit)?;
        let _ = board.set(client.board());
        Ok(SandboxedZygote {
            writable: client.board().path().with_file_name(WRITABLE),
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
    ) -> Result<Baseline, ZygoteError> {
        self.set_mode(SupervisorMode::Observe);
        let baseline = self.client.baseline(test, limits, capture);
        let supervisor = self.supervisor.as_ref();
        (self.seen).add((self.binary, test), &self.client.board(), supervisor);
        self.set_mode(SupervisorMode::Idle);
        baseline
    }

    /// As the client's, with what goes beyond the original's doings stopped.
    pub fn run(
        &mut self,
        mode: RunMode,
        test: usize,
        wanted: &[MutantId],
        limits: &Limits,
        on_test_run: &mut dyn FnMut(MutantId, TestRun),
    ) -> Result<MutantsRun, ZygoteError> {
        let SeenOfTest {
            permissions,
            old_files,
        } = self.seen.of((self.binary, test));
        self.client.board().header().old_files.set(old_files);
        if self.supervisor.is_some() {
            let places = self.seen.places.iter().map(PathBuf::as_path);
            let log = Log::of(self.client.board().path());
            let writable = permissions.writable().chain(places).chain(log.place());
            landlock::write_list(&self.writable, writable).map_err(ZygoteError::Start)?;
            self.set_mode(SupervisorMode::Enforce(permissions));
        }
        // What the supervisor decides takes time that is not the mutant's.
        let supervisor = self.supervisor.as_ref();
        let decided_for = || supervisor.map_or(Duration::ZERO, Supervisor::time);
        let mut before = decided_for();
        let mut on_test_run = |mutant, mut test_run: TestRun| {
            match test_run.result.is_of_the_clock() {
                true if is_held_up(decided_for().saturating_sub(before), limits.time) => {
                    test_run.result = TestResult::Starved;
                }
                true => {}
                false => before = decided_for(),
            }
            on_test_run(mutant, test_run);
        };
        let run = self
            .client
            .run(mode, test, wanted, limits, &mut on_test_run);
        self.set_mode(SupervisorMode::Idle);
        run
    }

    fn set_mode(&self, mode: SupervisorMode) {
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

/// Whether what ran so long says nothing, because the supervisor's decisions took too much of it.
pub fn is_held_up(decided_for: Duration, limit: Duration) -> bool {
    decided_for > limit / 4
}

/// Writes down why the mutants that run now are stopped, before they are.
fn note_harm(board: &Board, harm: &Harm) {
    for mutant in running_mutants(board) {
        let record = &board.records()[mutant.index()];
        let (text, result) = match harm {
            Harm::Call(text) => (text, TestResult::Harm),
            Harm::Files(text) => (text, TestResult::failed(FailureKind::FileLimit)),
        };
        record.set_text(text, "");
        record.set_result(result);
    }
}

/// Where a program may do everything: a directory, and that of the undo log of its board.
fn own(directory: Option<&Path>, board: &Path) -> Vec<PathBuf> {
    let log = Log::of(board);
    let both = directory.into_iter().chain(log.place());
    both.map(Path::to_owned).collect()
}

fn running_mutants(board: &Board) -> impl Iterator<Item = MutantId> {
    let is_running =
        |mutant: &MutantId| board.records()[mutant.index()].result() == TestResult::Running;
    board.mutants().filter(is_running)
}

/// Puts a program that is no zygote into the sandbox, if there is one. In the directory of the board it may do everything.
/// Below the `places` it may make new files.
pub fn attach(
    command: &mut Command,
    board: &Path,
    places: &[PathBuf],
    mode: SupervisorMode,
) -> io::Result<Option<Supervisor>> {
    if !is_on() {
        return Ok(None);
    }
    let setting = SupervisorSettings {
        own: own(board.parent(), board),
        places: places.to_owned(),
        undone: Some(UndoSettings {
            board: board.to_owned(),
            generation: Box::new(|| 0),
            on_change: Box::new(|| ()),
        }),
        began: atropos_protocol::began(),
        ..SupervisorSettings::default()
    };
    let supervisor = Supervisor::attach(command, setting)?;
    supervisor.set_mode(mode);
    Ok(Some(supervisor))
}

/// Puts a program into the sandbox that explores mutants: nothing may be changed outside its scratch directory, whatever the
/// original does.
pub fn attach_explored(command: &mut Command, request: &Path) -> io::Result<Option<Supervisor>> {
    if is_on() {
        landlock::write_list(&request.with_file_name(WRITABLE), [].into_iter())?;
    }
    attach(
        command,
        request,
        &[],
        SupervisorMode::Enforce(Permissions::default()),
    )
}
