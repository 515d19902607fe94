//! What the program does to files that outlive its run: those outside the directory for its temporary files. Ports that it
//! asks for by number are noted like files.
//!
//! The original's are noted, so that tests which change the same files, or read or look at what others change, are not run at the same
//! time. Before a mutant's happen they are written down, so that they can be undone (`atropos_protocol::undo`).

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, OsStr, c_char};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::{env, fs, io};

use atropos_protocol::undo::Log;
use atropos_protocol::{Board, Effect, TestResult, sys};

use crate::role::{self, Role};
use crate::{conclude, effects, outside_tests};

/// What is there are no files, but for those in shared memory.
const NO_FILES: [&str; 3] = ["/dev", "/proc", "/sys"];
const SHARED_MEMORY: &str = "/dev/shm";

/// The directory for temporary files of this run, which goes with it.
static OWN: OnceLock<Option<PathBuf>> = OnceLock::new();
/// The process and thread that is at work here: its own calls of libc are not the program's.
static AT_WORK: AtomicU64 = AtomicU64::new(0);
/// What was written down once in this run, and not moved since.
static KEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// To be called before the program runs, which may change the variable.
pub fn begin() {
    OWN.get_or_init(|| env::var_os("TMPDIR").map(PathBuf::from));
}

/// This thread's call is not the program's.
pub fn is_at_work() -> bool {
    let owner = AT_WORK.load(Ordering::Relaxed);
    owner != 0 && owner == this_thread()
}

fn this_thread() -> u64 {
    (sys::pid() as u64) << 32 | sys::thread_id() as u64
}

/// Does something by means that the program's own calls go through as well.
pub fn work<R>(task: impl FnOnce() -> R) -> R {
    let this = this_thread();
    let try_from =
        |owner| AT_WORK.compare_exchange(owner, this, Ordering::Acquire, Ordering::Relaxed);
    while let Err(owner) = try_from(0) {
        // A thread of the process that this one was forked from will not give it back here.
        let is_gone = owner >> 32 != this >> 32;
        if is_gone && try_from(owner).is_ok() {
            break;
        }
        std::thread::yield_now();
    }
    let errno = sys::errno();
    let result = task();
    sys::set_errno(errno);
    AT_WORK.store(0, Ordering::Release);
    result
}

/// The program is about to open a file to read it, or a directory.
pub fn read(at: i32, path: *const c_char) {
    note_use(at, path, false);
    let Some((board, Role::Recorder)) = watched() else {
        return;
    };
    work(|| {
        if let Some(path) = outside(at, path) {
            board.header().files_read.add(&path);
        }
    });
}

/// The program is about to ask what is at a path, without opening it.
pub fn look(at: i32, path: *const c_char) {
    note_use(at, path, false);
    let Some((board, Role::Recorder)) = watched() else {
        return;
    };
    work(|| {
        if let Some(path) = outside(at, path) {
            board.header().files_looked_at.add(&path);
        }
    });
}

/// The program is about to make, change or remove what is at a path; a link is followed if the call does so.
pub fn change(at: i32, path: *const c_char, follow: bool) {
    note_use(at, path, true);
    let Some((board, role)) = watched() else {
        return;
    };
    work(|| {
        let Some(mut path) = outside(at, path) else {
            return;
        };
        if follow {
            path = fs::canonicalize(&path).unwrap_or(path);
        }
        match role {
            Role::Recorder => note(board, &path),
            _ => keep(board, path),
        }
    });
}

/// The program is about to move something.
pub fn rename(from: (i32, *const c_char), to: (i32, *const c_char)) {
    note_use(from.0, from.1, true);
    note_use(to.0, to.1, true);
    let Some((board, role)) = watched() else {
        return;
    };
    work(|| {
        let (source, target) = (absolute(from.0, from.1), absolute(to.0, to.1));
        let (Some(source), Some(target)) = (source, target) else {
            return;
        };
        let matters = is_outside(&source) || is_outside(&target);
        match role {
            Role::Recorder => {
                for path in [source, target].iter().filter(|path| is_outside(path)) {
                    note(board, path);
                }
            }
            _ if matters && source.symlink_metadata().is_ok() => {
                board.set_changes_files(role::class().leader_id(), true);
                let log = Log::of(board.path());
                if target.symlink_metadata().is_ok() {
                    let _ = log.keep(&target);
                }
                let _ = log.moving(&source, &target);
                if let Ok(mut kept) = KEPT.try_lock() {
                    kept.clear();
                }
            }
            _ => {}
        }
    });
}

/// Notes what later runs compare: which files of the source tree were used. Of others it notes that there are some: what they
/// hold is not known to a later run.
fn note_use(at: i32, path: *const c_char, changes: bool) {
    let Some(board) = role::board().filter(|_| !is_at_work()) else {
        return;
    };
    let is_known = || effects::seen().contains(Effect::OutsideFiles);
    let is_bystander = role::role() == Role::Bystander;
    if !is_bystander && is_known() {
        return;
    }
    let mut place = None;
    work(|| {
        place = absolute(at, path).and_then(|path| {
            let own = OWN.get().and_then(Option::as_ref);
            if own.is_some_and(|own| path.starts_with(own)) || path == Path::new("/dev/null") {
                return None;
            }
            let is_evident = !changes && is_in_tree(&path, &board.header().tree.get());
            if is_evident {
                board.header().tree_files.add(&path);
            }
            let is_code = path.extension().is_some_and(|extension| extension == "rs");
            match (is_evident, is_code) {
                (true, true) => Some(Effect::ReadsCode),
                (true, false) => None,
                (false, _) => Some(Effect::OutsideFiles),
            }
        });
    });
    if let Some(effect) = place.filter(|effect| !is_bystander && !effects::seen().contains(*effect))
    {
        effects::note(effect, c"", Some(path));
    }
}

/// Whether a path leads to what is compared with what it was: neither what is built there, nor what is hidden.
fn is_in_tree(path: &Path, tree: &str) -> bool {
    let Ok(rest) = path.strip_prefix(tree) else {
        return false;
    };
    let is_source = |part: Component| match part {
        Component::Normal(name) => !name.as_bytes().starts_with(b".") && name != "target",
        _ => false,
    };
    !tree.is_empty() && rest.components().all(is_source)
}

/// The board and what this process is, if what it does is noted.
fn seen() -> Option<(&'static Board, Role)> {
    let role = role::role();
    let matters = role != Role::Bystander && !is_at_work();
    matters.then(|| Some((role::board()?, role)))?
}

/// The program asks for a variable of its environment.
pub fn ask_for_variable(name: *const c_char) {
    if let (Some((board, _)), false) = (seen(), name.is_null()) {
        // SAFETY: the program is about to hand this string to libc.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        let variables = &board.header().variables;
        variables.add(Path::new(OsStr::from_bytes(name)));
    }
}

/// The program is about to take a port: as with files, no other test that does so may run at the same time.
pub fn take_port(port: u16) {
    if let Some((board, Role::Recorder)) = watched() {
        let name = format!("port {port}");
        work(|| board.header().files_changed.add(Path::new(&name)));
    }
}

/// The board and what this process is, if somebody is interested in its files.
fn watched() -> Option<(&'static Board, Role)> {
    let role = role::role();
    let matters = matches!(role, Role::Recorder | Role::Mutant)
        && !is_at_work()
        && !outside_tests::is_ending();
    matters.then(|| Some((role::board()?, role)))?
}

fn note(board: &Board, path: &Path) {
    let header = board.header();
    header.files_changed.add(path);
    if let Some(parent) = path.parent() {
        header.directories_changed.add(parent);
    }
}

fn keep(board: &Board, path: PathBuf) {
    // Only in a process that was forked while a thread was at work here is it locked.
    let is_new = KEPT
        .try_lock()
        .map_or(true, |mut kept| kept.insert(path.clone()));
    if !is_new {
        return;
    }
    board.set_changes_files(role::class().leader_id(), true);
    let kept = Log::of(board.path()).keep(&path);
    let cant_be_undone = kept.is_err_and(|error| error.kind() == io::ErrorKind::Unsupported);
    if cant_be_undone && is_old(board, &path) {
        let text = format!("changing {}, which can't be undone", path.display());
        conclude::stop(TestResult::Harm, &text);
    }
}

/// Whether what is at a path was there before all tests.
fn is_old(board: &Board, path: &Path) -> bool {
    let began = board.header().began.load(Ordering::Relaxed);
    // SAFETY: a C string.
    let find = |path: CString| unsafe { sys::find(sys::AT_FDCWD as i32, path.as_ptr(), false) };
    let found = sys::c_path(path).and_then(find);
    found.is_some_and(|found| found.is_older_than(began))
}

/// The path of what is to be changed, by whatever links it is named; none if that can't be told.
pub fn resolved(at: i32, path: *const c_char, follow: bool) -> Option<PathBuf> {
    work(|| {
        let path = absolute(at, path)?;
        if follow && let Ok(target) = fs::canonicalize(&path) {
            return Some(target);
        }
        let directory = path
            .parent()
            .and_then(|parent| fs::canonicalize(parent).ok());
        Some(match (directory, path.file_name()) {
            (Some(directory), Some(name)) => directory.join(name),
            _ => path,
        })
    })
}

/// Whether a resolved path leads into the directory for temporary files of this run.
pub fn is_own(path: &Path) -> bool {
    let own = OWN.get().and_then(Option::as_ref);
    work(|| own.and_then(|own| fs::canonicalize(own).ok())).is_some_and(|own| path.starts_with(own))
}

/// The whole path, if it leads outside.
fn outside(at: i32, path: *const c_char) -> Option<PathBuf> {
    absolute(at, path).filter(|path| is_outside(path))
}

fn is_outside(path: &Path) -> bool {
    let is_own = |own: &PathBuf| path.starts_with(own);
    let own = OWN.get().and_then(Option::as_ref);
    is_file(path) && !own.is_some_and(is_own)
}

/// Whether what the program makes or changes at a path is a file.
pub fn is_lasting(path: *const c_char) -> bool {
    // SAFETY: the program is about to hand this string to libc.
    let path = (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) }.to_bytes());
    path.is_some_and(|path| is_file(Path::new(OsStr::from_bytes(path))))
}

fn is_file(path: &Path) -> bool {
    path.starts_with(SHARED_MEMORY) || !NO_FILES.iter().any(|place| path.starts_with(place))
}

fn absolute(at: i32, path: *const c_char) -> Option<PathBuf> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the program is about to hand this string to libc.
    let path = Path::new(OsStr::from_bytes(
        unsafe { CStr::from_ptr(path) }.to_bytes(),
    ));
    if path.as_os_str().is_empty() {
        return None;
    }
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    let directory = match at == sys::AT_FDCWD as i32 {
        true => env::current_dir(),
        false => fs::read_link(format!("/proc/self/fd/{at}")),
    };
    Some(directory.ok()?.join(path))
}
