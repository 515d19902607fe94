//! The thread that decides about reported calls.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use atropos_protocol::cpu_starvation::time_of_thread;
use atropos_protocol::seccomp::{ARCHITECTURE, Condition};
use atropos_protocol::signals::{ProcessHandle, process_of};
use atropos_protocol::sys::{self, PollFd};

use crate::calls::{PossibleChange, SystemCall, calls};
use crate::filter;
use crate::judge::{Judge, ProcessFacts, Unreadable};
use crate::neighbours::Neighbours;
use crate::notification::{self, Notification};
use crate::permissions::{Needs, Permissions};
use crate::undo_recorder::{UndoRecorder, UndoSettings};
use crate::usage::{INTERVAL, Usage, tasks};

/// Larger files can't be brought back, so mutants may not change them.
const LARGEST: u64 = 64 << 20;
/// So many new files and directories, and ten times the original's, may a mutant leave: each takes space on a disk.
const MOST_MADE: i64 = 5_000;
/// By so much, and ten times the original's, may files grow: few tests write a hundredth of it.
const MOST_BYTES: u64 = 1 << 30;
/// So many processes and threads, and ten times the original's, may there be of a mutant. Who administers the machine has no
/// limit of the kernel's.
const MOST_TASKS: u64 = 2048;
/// How often what a test has started is looked for and killed, until nothing is left.
const ROUNDS: usize = 100;

/// A call of a program for another architecture: its numbers mean something else.
const FOREIGN: SystemCall = SystemCall {
    number: 0,
    name: "a system call of another architecture",
    condition: Condition::Always,
    change: PossibleChange::Unwatched,
};

/// So many processes and threads more than there are on the machine may there be before no more can be started: a mutant that
/// starts them without end, past everything that counts them, leaves room for others.
const SPARE_TASKS: u64 = 4096;

/// What is done about calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SupervisorMode {
    /// Nothing: only trusted code runs.
    Idle,
    /// They are noted.
    Observe,
    /// Those that go beyond these permissions end the run.
    Enforce(Permissions),
}

/// Why a mutant was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Harm {
    /// It was about to do something that its original does not do.
    Call(String),
    /// It made many times the new files that its original makes, or wrote far more to files.
    Files(String),
}

/// What the thread and its owner share.
#[derive(Debug)]
struct State {
    mode: SupervisorMode,
    /// Of how many modes this is the last.
    modes: u64,
    /// The supervisor's thread; 0 before it is started.
    thread: i32,
    seen: Permissions,
    /// New files and directories that were made and not removed since the mode was set.
    made: i64,
    harm: Option<Harm>,
}

/// The process that was started behind the filter.
struct Root {
    process: ProcessHandle,
    /// Its own calls are trusted: it is a zygote, which runs no test.
    is_trusted: bool,
}

impl Root {
    fn is_trusted_with(&self, reported: &Notification) -> bool {
        let is_it = self.is_trusted && reported.pid as i32 == self.process.pid();
        is_it && self.process.is_running()
    }
}

/// What is done about one call.
enum Decision {
    Pass,
    /// It does not happen, and fails with this error.
    Refuse(i32),
    Stop(Harm),
}

/// What a program is supervised with.
#[derive(Default)]
pub struct SupervisorSettings {
    /// Below these directories it may do everything.
    pub own: Vec<PathBuf>,
    /// Below these directories it may make new files, if changes are undone.
    pub places: Vec<PathBuf>,
    /// How changes outside `own` are undone, if they are.
    pub undone: Option<UndoSettings>,
    /// What was there before this moment (nanoseconds since 1970) is old.
    pub began: u64,
    /// The process itself is trusted: it is a zygote, which runs no test.
    pub root_is_trusted: bool,
    pub on_harm: Option<OnHarm>,
}

/// Called in the supervisor's thread before the processes of a mutant are killed.
pub type OnHarm = Box<dyn Fn(&Harm) + Send>;

/// Supervises one program and all that it starts.
#[derive(Debug)]
pub struct Supervisor {
    state: Arc<Mutex<State>>,
}

/// Why programs can't be supervised here; none if they can.
pub fn unavailable() -> Option<String> {
    static ANSWER: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    ANSWER.get_or_init(probe).clone()
}

/// Tries it with a program that is not there: it is looked for by a process that has entered the filter, whose descriptor we
/// have.
fn probe() -> Option<String> {
    let mut command = Command::new("/dev/null/nothing");
    command.env_clear();
    let supervisor = match Supervisor::attach(&mut command, SupervisorSettings::default()) {
        Ok(supervisor) => supervisor,
        Err(error) => return Some(error.to_string()),
    };
    supervisor.set_mode(SupervisorMode::Observe);
    match command.spawn().and_then(|mut child| child.wait()) {
        Err(error) if error.kind() != io::ErrorKind::NotADirectory => {
            Some(format!("the kernel does not report system calls ({error})"))
        }
        _ => None,
    }
}

impl Supervisor {
    /// Makes a program be started behind the filter.
    pub fn attach(command: &mut Command, setting: SupervisorSettings) -> io::Result<Supervisor> {
        let SupervisorSettings {
            own,
            places,
            undone,
            began,
            root_is_trusted,
            on_harm,
        } = setting;
        let (mut ours, theirs) = UnixStream::pair()?;
        enter_on_start(command, theirs);
        let state = Arc::new(Mutex::new(State {
            mode: SupervisorMode::Idle,
            modes: 0,
            thread: 0,
            seen: Permissions::default(),
            made: 0,
            harm: None,
        }));
        let shared = Arc::clone(&state);
        let whole = |paths: Vec<PathBuf>| -> Vec<PathBuf> {
            let paths = paths.iter();
            paths.filter_map(|path| path.canonicalize().ok()).collect()
        };
        let own = whole(own);
        // Where nothing is undone, nothing may be left.
        let places = if undone.is_some() {
            whole(places)
        } else {
            Vec::new()
        };
        let mut undo_recorder = undone.map(UndoRecorder::new);
        thread::Builder::new()
            .name("sandbox".to_owned())
            .spawn(move || {
                lock(&shared).thread = sys::thread_id();
                let Some((process, listener)) = receive_listener(&mut ours) else {
                    return;
                };
                drop(ours);
                let surroundings = ProcessFacts {
                    own,
                    began,
                    root: process.pid(),
                    places,
                    neighbours: Neighbours::default(),
                };
                let root = Root {
                    process,
                    is_trusted: root_is_trusted,
                };
                serve(
                    &listener,
                    &root,
                    &surroundings,
                    &shared,
                    &mut undo_recorder,
                    on_harm.as_ref(),
                );
            })?;
        Ok(Supervisor { state })
    }

    /// From now on calls are treated like this; what was seen before is forgotten.
    pub fn set_mode(&self, mode: SupervisorMode) {
        let mut state = lock(&self.state);
        state.mode = mode;
        state.modes += 1;
        state.seen = Permissions::default();
        state.harm = None;
        state.made = 0;
    }

    /// What was seen since the mode was set.
    pub fn seen(&self) -> Permissions {
        lock(&self.state).seen.clone()
    }

    /// How long all processes together may have waited for decisions: the time in which the supervisor's thread worked or was
    /// ready to, since it was started.
    pub fn time(&self) -> Duration {
        time_of_thread(lock(&self.state).thread)
    }

    /// What a mutant was stopped before, since the mode was set.
    pub fn harm(&self) -> Option<Harm> {
        lock(&self.state).harm.clone()
    }
}

/// Makes a program enter the filter when it is started, and hand the descriptor that reports its calls to the other side.
fn enter_on_start(command: &mut Command, theirs: UnixStream) {
    let program = filter::program();
    let most_tasks = tasks().saturating_add(SPARE_TASKS);
    // SAFETY: only system calls between fork and exec; the program was made before.
    unsafe {
        command.pre_exec(move || {
            let failed = |error: sys::Errno| io::Error::from_raw_os_error(error.0);
            sys::set_limit(sys::RLIMIT_CORE, 0);
            sys::set_limit(
                sys::RLIMIT_NPROC,
                most_tasks.min(sys::limit(sys::RLIMIT_NPROC)),
            );
            end_first_without_memory();
            let listener = filter::enter(&program).map_err(failed)?;
            let mut message = [0; 8];
            message[..4].copy_from_slice(&sys::pid().to_ne_bytes());
            message[4..].copy_from_slice(&listener.to_ne_bytes());
            sys::write(theirs.as_raw_fd(), &message).map_err(failed)?;
            // Until the other side has it.
            let mut answer = [0];
            match sys::read(theirs.as_raw_fd(), &mut answer) {
                Ok(1) if answer == [1] => {
                    sys::close(listener);
                    Ok(())
                }
                _ => Err(io::Error::from_raw_os_error(sys::EPERM)),
            }
        });
    }
}

/// If memory runs out, the system ends this process and what it starts, and not programs of others.
fn end_first_without_memory() {
    let flags = sys::O_WRONLY | sys::O_CLOEXEC;
    if let Ok(score) = sys::open(c"/proc/self/oom_score_adj", flags, 0) {
        let _ = sys::write(score, b"1000");
        sys::close(score);
    }
}

/// The program's process and the descriptor that reports its calls; none if the command is never started, or could not enter
/// the filter.
fn receive_listener(ours: &mut UnixStream) -> Option<(ProcessHandle, OwnedFd)> {
    let mut message = [0; 8];
    ours.read_exact(&mut message).ok()?;
    let (root, theirs) = message.split_at(4);
    let number = |bytes: &[u8]| bytes.try_into().map(i32::from_ne_bytes).ok();
    let (root, theirs) = (number(root)?, number(theirs)?);
    let taken = ProcessHandle::open(root)
        .and_then(|root| notification::take_descriptor(&root, theirs).map(|taken| (root, taken)));
    let answer = [u8::from(taken.is_ok())];
    let _ = sys::write(ours.as_raw_fd(), &answer);
    taken.ok()
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    listener: &OwnedFd,
    root: &Root,
    surroundings: &ProcessFacts,
    state: &Mutex<State>,
    undo_recorder: &mut Option<UndoRecorder>,
    on_harm: Option<&OnHarm>,
) {
    let table: HashMap<usize, SystemCall> = calls().map(|call| (call.number, call)).collect();
    let listener = listener.as_raw_fd();
    let mut usage = Usage::new();
    let tell = |harm: &Harm| {
        lock(state).harm.get_or_insert_with(|| harm.clone());
        if let Some(on_harm) = on_harm {
            on_harm(harm);
        }
    };
    loop {
        let mut fds = [PollFd::readable(listener)];
        sys::poll(&mut fds, INTERVAL.as_nanos() as u64);
        if let Some(harm) = excess(&mut usage, root, state, undo_recorder) {
            tell(&harm);
            // Who starts processes without end does so meanwhile.
            for _ in 0..ROUNDS {
                if !kill_all_below(root) {
                    break;
                }
            }
        }
        if fds[0].revents == 0 {
            continue;
        }
        // All processes behind the filter are gone.
        if fds[0].revents & sys::POLLHUP != 0 && fds[0].revents & sys::POLLIN == 0 {
            return;
        }
        let reported = match notification::receive(listener) {
            Ok(reported) => reported,
            // The process was killed in between.
            Err(sys::Errno(sys::ENOENT | sys::EINTR)) => continue,
            Err(_) => return,
        };
        let call = match reported.architecture == ARCHITECTURE {
            true => table.get(&(reported.number as usize)),
            false => Some(&FOREIGN),
        };
        let decision = match call {
            Some(call) if !root.is_trusted_with(&reported) => {
                let surroundings = (surroundings, &mut usage);
                decide(call, &reported, surroundings, state, undo_recorder)
            }
            _ => Decision::Pass,
        };
        match decision {
            Decision::Pass => notification::let_pass(listener, &reported),
            // It was killed meanwhile, and what was read of it may be another's.
            Decision::Stop(_) if !notification::is_waiting(listener, &reported) => {}
            Decision::Refuse(error) => notification::refuse(listener, &reported, error),
            Decision::Stop(harm) => {
                tell(&harm);
                kill_all_below(root);
                kill_culprit(listener, &reported);
            }
        }
    }
}

/// What a mutant has taken of the machine that is too much; what its original takes is noted.
fn excess(
    usage: &mut Usage,
    root: &Root,
    state: &Mutex<State>,
    undo_recorder: &Option<UndoRecorder>,
) -> Option<Harm> {
    let modes = {
        let state = lock(state);
        (state.mode != SupervisorMode::Idle).then_some(state.modes)?
    };
    let mutant = undo_recorder
        .as_ref()
        .map_or(0, UndoRecorder::runs_at_present);
    let taken = usage.look(&root.process, (modes, mutant))?;
    let mut state = lock(state);
    if state.modes != modes {
        return None;
    }
    let SupervisorMode::Enforce(permissions) = &state.mode else {
        state.seen.taken = state.seen.taken.max(taken);
        return None;
    };
    let most = MOST_BYTES + 10 * permissions.taken.bytes;
    if taken.bytes > most {
        return Some(Harm::Files(format!(
            "it wrote more than {} MiB",
            most >> 20
        )));
    }
    let most = MOST_TASKS + 10 * permissions.taken.tasks;
    (taken.tasks > most)
        .then(|| Harm::Call(format!("having more than {most} processes and threads")))
}

/// What is done about a call.
fn decide(
    call: &SystemCall,
    reported: &Notification,
    (surroundings, usage): (&ProcessFacts, &mut Usage),
    state: &Mutex<State>,
    undo_recorder: &mut Option<UndoRecorder>,
) -> Decision {
    let mode = lock(state).mode.clone();
    if mode == SupervisorMode::Idle {
        return Decision::Pass;
    }
    let needs = Judge::new(surroundings, reported).needs(call);
    if let Ok(needs) = &needs {
        if let Some(file) = &needs.written {
            usage.note(file);
        }
        if needs.writes_nameless {
            usage.note_nameless();
        }
    }
    match (mode, needs) {
        (SupervisorMode::Idle, _) | (SupervisorMode::Observe, Err(Unreadable)) => Decision::Pass,
        (SupervisorMode::Observe, Ok(needs)) => {
            let mut state = lock(state);
            state.made += needs.made;
            let made = state.made;
            state.seen.made = state.seen.made.max(made);
            state.seen.add(needs);
            Decision::Pass
        }
        (SupervisorMode::Enforce(_), Err(Unreadable)) => Decision::Stop(Harm::Call(format!(
            "{} with arguments that can't be read",
            call.name
        ))),
        (SupervisorMode::Enforce(permissions), Ok(needs)) => {
            match harm(
                call,
                &permissions,
                &needs,
                surroundings,
                state,
                undo_recorder,
            ) {
                Some(harm) => Decision::Stop(harm),
                // Until the call happens there may be somebody.
                None if needs.signals_nobody => Decision::Refuse(sys::ESRCH),
                None => Decision::Pass,
            }
        }
    }
}

/// What a mutant's call would do that it may not. What may be done is written down, where it is undone.
fn harm(
    call: &SystemCall,
    permissions: &Permissions,
    needs: &Needs,
    surroundings: &ProcessFacts,
    state: &Mutex<State>,
    undo_recorder: &mut Option<UndoRecorder>,
) -> Option<Harm> {
    // What the mutant before this one made is gone.
    if undo_recorder
        .as_mut()
        .is_some_and(UndoRecorder::begins_another)
    {
        lock(state).made = 0;
    }
    let may = || surroundings.is_new_in_places(needs);
    if let Some(reason) = forbidden(permissions, needs).filter(|_| !may()) {
        return Some(Harm::Call(format!("{} {reason}", call.name)));
    }
    if let Some(Err(path)) = undo_recorder
        .as_mut()
        .map(|undo_recorder| undo_recorder.keep(needs))
    {
        let path = path.display();
        return Some(Harm::Call(format!(
            "{} {path}, which can't be undone",
            call.name
        )));
    }
    let mut state = lock(state);
    state.made += needs.made;
    let most = MOST_MADE + 10 * permissions.made;
    (needs.made > 0 && state.made > most)
        .then(|| Harm::Files(format!("it made more than {most} new files")))
}

/// What is needed and not permitted, or can't be undone.
fn forbidden(permissions: &Permissions, needs: &Needs) -> Option<String> {
    if let Some(path) = needs.files.iter().find(|path| !can_be_undone(path)) {
        return Some(path.display().to_string());
    }
    if permissions.allow(needs) {
        return None;
    }
    let first = needs.files.iter().chain(&needs.directories);
    let mut first = first.filter(|path| {
        !permissions.files.contains(*path) && !permissions.directories.contains(*path)
    });
    Some(match first.next() {
        Some(path) => path.display().to_string(),
        None if needs.signals => "to a process that is not the test's own".to_owned(),
        None if needs.network => "to another machine".to_owned(),
        None => {
            let mut special = needs.special.iter();
            let what = special.find(|what| !permissions.special.contains(*what));
            what.map_or("which nobody can watch".to_owned(), |what| {
                format!("({what}), which the original does not do")
            })
        }
    })
}

/// Whether an old file can be brought back if it is changed.
fn can_be_undone(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| {
        let kind = metadata.file_type();
        let is_plain_file = kind.is_file() && metadata.len() <= LARGEST && metadata.nlink() >= 1;
        is_plain_file || kind.is_dir() || kind.is_symlink()
    })
}

/// Kills what runs below the process that was started, and that itself unless it is trusted; says whether there was anything.
fn kill_all_below(root: &Root) -> bool {
    let mut open = VecDeque::from(root.process.children());
    let is_any = !open.is_empty();
    if !root.is_trusted {
        root.process.kill();
    }
    while let Some(process) = open.pop_front() {
        open.extend(process.children());
        process.kill();
    }
    is_any
}

/// Kills the process that made a call. It comes last: it waits, while whoever started it would go on if it were gone.
fn kill_culprit(listener: RawFd, reported: &Notification) {
    let process =
        process_of(reported.pid as i32).and_then(|process| ProcessHandle::open(process).ok());
    match process.filter(|_| notification::is_waiting(listener, reported)) {
        Some(process) => process.kill(),
        // It is gone. If it is not, its call fails.
        None => notification::refuse(listener, reported, sys::EPERM),
    }
}
