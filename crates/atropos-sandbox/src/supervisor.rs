//! The thread that decides about reported calls.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use atropos_protocol::sys::{self, PollFd};

use crate::calls::{Call, calls};
use crate::filter;
use crate::judge::{Judge, Surroundings, Unreadable};
use crate::notification::{self, Notification};
use crate::permissions::{Needs, Permissions};

/// Larger files can't be brought back, so mutants may not change them.
const LARGEST: u64 = 64 << 20;
/// So many calls that change something, and ten times the original's, may a mutant make: each may take space on a disk.
const MOST_CALLS: u64 = 2_000;

/// What is done about calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing: only trusted code runs.
    Idle,
    /// They are noted.
    Observe,
    /// Those that go beyond these permissions end the run.
    Enforce(Permissions),
}

/// A mutant was about to do something that its original does not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harm(pub String);

/// What the thread and its owner share.
#[derive(Debug)]
struct State {
    mode: Mode,
    seen: Permissions,
    /// Calls that could change something since the mode was set.
    calls: u64,
    harm: Option<Harm>,
    /// The process that was started behind the filter; its own calls are trusted if it is a zygote.
    root: i32,
    root_is_trusted: bool,
}

/// What a program is supervised with.
#[derive(Default)]
pub struct Setting {
    /// Below these directories it may do everything.
    pub own: Vec<PathBuf>,
    /// Below this directory it may make new files that the undo log of this board names.
    pub undone_in: Option<(PathBuf, PathBuf)>,
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

/// Tries it on a program that does nothing.
fn probe() -> Option<String> {
    let mut command = Command::new("/proc/self/exe");
    command.arg("--version").env_clear();
    command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    let supervisor = match Supervisor::attach(&mut command, Setting::default()) {
        Ok(supervisor) => supervisor,
        Err(error) => return Some(error.to_string()),
    };
    supervisor.set_mode(Mode::Observe);
    match command.spawn().and_then(|mut child| child.wait()) {
        Ok(_) => None,
        Err(error) => Some(format!("the kernel does not report system calls ({error})")),
    }
}

impl Supervisor {
    /// Makes a program be started behind the filter.
    pub fn attach(command: &mut Command, setting: Setting) -> io::Result<Supervisor> {
        let Setting {
            own,
            undone_in,
            began,
            root_is_trusted,
            on_harm,
        } = setting;
        let (mut ours, theirs) = UnixStream::pair()?;
        let program = filter::program();
        // SAFETY: only system calls between fork and exec; the program was made before.
        unsafe {
            command.pre_exec(move || {
                let failed = |error: sys::Errno| io::Error::from_raw_os_error(error.0);
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
        let state = Arc::new(Mutex::new(State {
            mode: Mode::Idle,
            seen: Permissions::default(),
            calls: 0,
            harm: None,
            root: 0,
            root_is_trusted,
        }));
        let shared = Arc::clone(&state);
        let own = own.iter().filter_map(|path| path.canonicalize().ok());
        let own: Vec<PathBuf> = own.collect();
        let undone_in =
            undone_in.and_then(|(place, board)| Some((place.canonicalize().ok()?, board)));
        thread::Builder::new()
            .name("sandbox".to_owned())
            .spawn(move || {
                let mut message = [0; 8];
                // The command is never started, or could not enter the filter.
                if ours.read_exact(&mut message).is_err() {
                    return;
                }
                let number = |at: usize| {
                    i32::from_ne_bytes([
                        message[at],
                        message[at + 1],
                        message[at + 2],
                        message[at + 3],
                    ])
                };
                let (root, theirs) = (number(0), number(4));
                let listener = notification::take_descriptor(root, theirs);
                let answer = [u8::from(listener.is_ok())];
                let _ = sys::write(ours.as_raw_fd(), &answer);
                let Ok(listener) = listener else { return };
                drop(ours);
                lock(&shared).root = root;
                let surroundings = Surroundings {
                    own,
                    began,
                    root,
                    undone_in,
                };
                serve(&listener, &surroundings, &shared, on_harm.as_ref());
            })?;
        Ok(Supervisor { state })
    }

    /// From now on calls are treated like this; what was seen before is forgotten.
    pub fn set_mode(&self, mode: Mode) {
        let mut state = lock(&self.state);
        state.mode = mode;
        state.seen = Permissions::default();
        state.harm = None;
        state.calls = 0;
    }

    /// What was seen since the mode was set.
    pub fn seen(&self) -> Permissions {
        lock(&self.state).seen.clone()
    }

    /// What a mutant was stopped before, since the mode was set.
    pub fn harm(&self) -> Option<Harm> {
        lock(&self.state).harm.clone()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    listener: &OwnedFd,
    surroundings: &Surroundings,
    state: &Mutex<State>,
    on_harm: Option<&OnHarm>,
) {
    let table: Vec<Call> = calls().collect();
    let listener = listener.as_raw_fd();
    loop {
        let mut fds = [PollFd::readable(listener)];
        sys::poll(&mut fds, u64::MAX / 4);
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
        let call = (table.iter()).find(|call| call.number == reported.number as usize);
        let harm = call.and_then(|call| decide(call, &reported, surroundings, state));
        match harm {
            None => notification::let_pass(listener, &reported),
            Some(harm) => {
                lock(state).harm.get_or_insert_with(|| harm.clone());
                if let Some(on_harm) = on_harm {
                    on_harm(&harm);
                }
                kill_all_below(surroundings.root, reported.pid as i32, state);
            }
        }
    }
}

/// What a call would do that it may not.
fn decide(
    call: &Call,
    reported: &Notification,
    surroundings: &Surroundings,
    state: &Mutex<State>,
) -> Option<Harm> {
    let mode = {
        let state = lock(state);
        let is_trusted = state.root_is_trusted && reported.pid as i32 == state.root;
        if is_trusted || state.mode == Mode::Idle {
            return None;
        }
        state.mode.clone()
    };
    let needs = Judge::new(surroundings, reported).needs(call);
    match (mode, needs) {
        (Mode::Idle, _) | (Mode::Observe, Err(Unreadable)) => None,
        (Mode::Observe, Ok(needs)) => {
            let mut state = lock(state);
            state.seen.add(needs);
            None
        }
        (Mode::Enforce(_), Err(Unreadable)) => Some(Harm(format!(
            "{} with arguments that can't be read",
            call.name
        ))),
        (Mode::Enforce(permissions), Ok(needs)) => {
            let reason =
                forbidden(&permissions, &needs).filter(|_| !surroundings.will_be_undone(&needs));
            if let Some(reason) = reason {
                return Some(Harm(format!("{} {reason}", call.name)));
            }
            let mut state = lock(state);
            state.calls += 1;
            let most = MOST_CALLS + 10 * permissions.calls;
            (state.calls > most).then(|| Harm(format!("{} for the {most}th time", call.name)))
        }
    }
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
        None => "for all of the machine".to_owned(),
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

/// Kills what runs below a process, and that itself unless it is trusted. The one that made the call comes last: it waits,
/// while whoever started it would go on if it were gone.
fn kill_all_below(root: i32, culprit: i32, state: &Mutex<State>) {
    let mut open = VecDeque::from([root]);
    while let Some(process) = open.pop_front() {
        let children = format!("/proc/{process}/task/{process}/children");
        let children = fs::read_to_string(children).unwrap_or_default();
        let children = children.split_ascii_whitespace();
        open.extend(children.filter_map(|child| child.parse::<i32>().ok()));
        if process != root || !lock(state).root_is_trusted {
            let _ = sys::kill(process, sys::SIGKILL);
        }
    }
    let _ = sys::kill(process_of(culprit), sys::SIGKILL);
}

/// The process that a thread belongs to.
fn process_of(thread: i32) -> i32 {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
    let process = line.and_then(|line| line.trim().parse().ok());
    process.unwrap_or(thread)
}
