//! Which functions of the C library the runtimes define themselves, to what end, and how a call is passed on.
//!
//! A program under test links exactly one of two runtimes: `atropos-runtime` where mutants are forked, `atropos-threads` where
//! schedules are explored. Both define functions of the C library's names, which win over the C library's own.
//! [`CALLS`] lists them all; a test of each runtime compares the symbols of its test binary with the list. A
//! definition reaches the C library's function by [`next!`], and in no other way. This crate defines no such symbol itself.
//!
//! To intercept another function: define it in the runtime that needs it, and add it to [`CALLS`].

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// Why a function is intercepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Memory is counted, so that a mutant that takes too much of it ends.
    CountHeap,
    /// What the program allocates lies in a heap of the execution, and is gone with it.
    ExecutionHeap,
    /// The call is passed on, and what it does to the world outside is noted; some are refused to mutants.
    NoteEffect,
    /// The time that a process stood still while mutants forked from it ran did not pass for it.
    HidePause,
    /// Time passes when no thread can run.
    VirtualTime,
    /// The same random bytes in every run.
    SameRandomBytes,
    /// What the program prints is kept for who shows it.
    KeepOutput,
    /// Frames of woven code are larger than the original's.
    LargerStack,
    /// The call would block the one OS thread of all controlled threads: others run meanwhile.
    LetOthersRun,
    /// What outlives the execution is not done: the execution ends before it.
    EndBeforeLastingChange,
    /// A program that closes descriptors by number must not close those of the exploration.
    KeepOwnDescriptors,
    /// The call is passed on, and the execution is marked as one that depends on what nobody controls.
    MarkUncontrolled,
}

/// An intercepted function.
#[derive(Clone, Copy, Debug)]
pub struct InterceptedCall {
    pub symbol: &'static CStr,
    /// Why `atropos-runtime` defines it, if it does.
    pub forked: Option<Purpose>,
    /// Why `atropos-threads` defines it, if it does.
    pub explored: Option<Purpose>,
}

const fn call(
    symbol: &'static CStr,
    forked: Option<Purpose>,
    explored: Option<Purpose>,
) -> InterceptedCall {
    InterceptedCall {
        symbol,
        forked,
        explored,
    }
}

use Purpose::*;

/// All functions of the C library that a runtime defines: the name, why `atropos-runtime` does, why `atropos-threads` does.
#[rustfmt::skip]
pub const CALLS: &[InterceptedCall] = &[
    call(c"__cxa_atexit", Some(NoteEffect), None),
    call(c"accept", None, Some(LetOthersRun)),
    call(c"accept4", None, Some(LetOthersRun)),
    call(c"access", Some(NoteEffect), None),
    call(c"alarm", Some(NoteEffect), None),
    call(c"aligned_alloc", Some(CountHeap), Some(ExecutionHeap)),
    call(c"bind", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"calloc", Some(CountHeap), Some(ExecutionHeap)),
    call(c"chdir", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"chmod", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"chown", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"chroot", Some(NoteEffect), None),
    call(c"clock", Some(NoteEffect), None),
    call(c"clock_gettime", Some(HidePause), Some(VirtualTime)),
    call(c"clock_nanosleep", Some(NoteEffect), None),
    call(c"close", Some(NoteEffect), Some(KeepOwnDescriptors)),
    call(c"connect", Some(NoteEffect), Some(MarkUncontrolled)),
    call(c"creat", Some(NoteEffect), None),
    call(c"creat64", Some(NoteEffect), None),
    call(c"dup2", Some(NoteEffect), None),
    call(c"dup3", Some(NoteEffect), None),
    call(c"epoll_create1", Some(NoteEffect), None),
    call(c"epoll_pwait", None, Some(LetOthersRun)),
    call(c"epoll_pwait2", None, Some(LetOthersRun)),
    call(c"epoll_wait", None, Some(LetOthersRun)),
    call(c"eventfd", Some(NoteEffect), None),
    call(c"execv", Some(NoteEffect), None),
    call(c"execve", Some(NoteEffect), None),
    call(c"execvp", Some(NoteEffect), None),
    call(c"execvpe", Some(NoteEffect), None),
    call(c"faccessat", Some(NoteEffect), None),
    call(c"fchdir", Some(NoteEffect), None),
    call(c"fchmod", Some(NoteEffect), None),
    call(c"fchmodat", Some(NoteEffect), None),
    call(c"fchown", Some(NoteEffect), None),
    call(c"fchownat", Some(NoteEffect), None),
    call(c"fexecve", Some(NoteEffect), None),
    call(c"fopen", Some(NoteEffect), None),
    call(c"fopen64", Some(NoteEffect), None),
    call(c"fork", Some(NoteEffect), Some(MarkUncontrolled)),
    call(c"free", Some(CountHeap), Some(ExecutionHeap)),
    call(c"futimens", Some(NoteEffect), None),
    call(c"getentropy", Some(SameRandomBytes), None),
    call(c"getenv", Some(NoteEffect), None),
    call(c"getpid", Some(NoteEffect), None),
    call(c"getrandom", Some(SameRandomBytes), Some(SameRandomBytes)),
    call(c"getrusage", Some(NoteEffect), None),
    call(c"gettimeofday", Some(HidePause), None),
    call(c"kill", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"killpg", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"lchown", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"link", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"linkat", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"listen", Some(NoteEffect), None),
    call(c"malloc", Some(CountHeap), Some(ExecutionHeap)),
    call(c"malloc_usable_size", None, Some(ExecutionHeap)),
    call(c"memalign", Some(CountHeap), Some(ExecutionHeap)),
    call(c"mkdir", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"mkdirat", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"mkdtemp", Some(NoteEffect), None),
    call(c"mkfifo", Some(NoteEffect), None),
    call(c"mkostemp", Some(NoteEffect), None),
    call(c"mkstemp", Some(NoteEffect), None),
    call(c"mmap", Some(NoteEffect), None),
    call(c"mmap64", Some(NoteEffect), None),
    call(c"mprotect", Some(NoteEffect), None),
    call(c"nanosleep", Some(NoteEffect), Some(VirtualTime)),
    call(c"open", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"open64", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"openat", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"openat64", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"opendir", Some(NoteEffect), None),
    call(c"pipe", Some(NoteEffect), None),
    call(c"pipe2", Some(NoteEffect), None),
    call(c"poll", None, Some(LetOthersRun)),
    call(c"popen", Some(NoteEffect), None),
    call(c"posix_memalign", Some(CountHeap), Some(ExecutionHeap)),
    call(c"posix_spawn", Some(NoteEffect), Some(MarkUncontrolled)),
    call(c"posix_spawnp", Some(NoteEffect), Some(MarkUncontrolled)),
    call(c"pthread_attr_setstacksize", Some(LargerStack), None),
    call(c"pthread_create", Some(NoteEffect), Some(MarkUncontrolled)),
    call(c"pthread_sigmask", Some(NoteEffect), None),
    call(c"pvalloc", Some(CountHeap), None),
    call(c"read", None, Some(LetOthersRun)),
    call(c"readlink", Some(NoteEffect), None),
    call(c"readlinkat", Some(NoteEffect), None),
    call(c"realloc", Some(CountHeap), Some(ExecutionHeap)),
    call(c"realpath", Some(NoteEffect), None),
    call(c"recv", None, Some(LetOthersRun)),
    call(c"recvfrom", None, Some(LetOthersRun)),
    call(c"remove", Some(NoteEffect), None),
    call(c"rename", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"renameat", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"renameat2", Some(NoteEffect), None),
    call(c"rmdir", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"sched_setaffinity", Some(NoteEffect), None),
    call(c"secure_getenv", Some(NoteEffect), None),
    call(c"send", None, Some(LetOthersRun)),
    call(c"sendto", Some(NoteEffect), None),
    call(c"setgid", Some(NoteEffect), None),
    call(c"setitimer", Some(NoteEffect), None),
    call(c"setpgid", Some(NoteEffect), None),
    call(c"setpriority", Some(NoteEffect), None),
    call(c"setrlimit", Some(NoteEffect), None),
    call(c"setrlimit64", Some(NoteEffect), None),
    call(c"setsid", Some(NoteEffect), None),
    call(c"setuid", Some(NoteEffect), None),
    call(c"shm_open", Some(NoteEffect), None),
    call(c"shmget", Some(NoteEffect), None),
    call(c"sigaction", Some(NoteEffect), None),
    call(c"signal", Some(NoteEffect), None),
    call(c"sigprocmask", Some(NoteEffect), None),
    call(c"sigqueue", Some(NoteEffect), None),
    call(c"socket", Some(NoteEffect), None),
    call(c"socketpair", Some(NoteEffect), None),
    call(c"statx", Some(NoteEffect), None),
    call(c"symlink", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"symlinkat", Some(NoteEffect), None),
    call(c"syscall", Some(SameRandomBytes), Some(LetOthersRun)),
    call(c"system", Some(NoteEffect), None),
    call(c"time", Some(HidePause), None),
    call(c"timer_create", Some(NoteEffect), None),
    call(c"timerfd_create", None, Some(VirtualTime)),
    call(c"timerfd_gettime", None, Some(VirtualTime)),
    call(c"timerfd_settime", None, Some(VirtualTime)),
    call(c"times", Some(NoteEffect), None),
    call(c"tmpfile", Some(NoteEffect), None),
    call(c"truncate", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"truncate64", Some(NoteEffect), None),
    call(c"umask", Some(NoteEffect), None),
    call(c"unlink", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"unlinkat", Some(NoteEffect), Some(EndBeforeLastingChange)),
    call(c"utimensat", Some(NoteEffect), None),
    call(c"valloc", Some(CountHeap), None),
    call(c"vfork", Some(NoteEffect), None),
    call(c"write", Some(KeepOutput), Some(LetOthersRun)),
    call(c"writev", Some(KeepOutput), None),
];

/// The definition of a name that comes after ours: the C library's.
#[derive(Debug)]
pub struct Next {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    pub const fn new(name: &'static CStr) -> Next {
        Next {
            name,
            address: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Where it is, if there is one.
    #[inline]
    pub fn get(&self) -> Option<*mut c_void> {
        let mut address = self.address.load(Ordering::Relaxed);
        if address.is_null() {
            address = look_up(self.name);
            self.address.store(address, Ordering::Relaxed);
        }
        (!address.is_null()).then_some(address)
    }
}

fn look_up(name: &CStr) -> *mut c_void {
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    /// Makes `dlsym` look in the libraries behind this program.
    const BEHIND: *mut c_void = -1_isize as *mut c_void;
    // SAFETY: a look-up by name.
    unsafe { dlsym(BEHIND, name.as_ptr()) }
}

/// The C library's function of this name and type, if it has one: `next!(c"poll" as Poll)`. Callers promise that the
/// type is the function's.
#[macro_export]
macro_rules! next {
    ($name:literal as $function:ty) => {{
        static NEXT: $crate::Next = $crate::Next::new($name);
        let address = NEXT.get();
        // SAFETY: the caller of the macro promises the type.
        address.map(|address| unsafe {
            ::std::mem::transmute::<*mut ::std::ffi::c_void, $function>(address)
        })
    }};
}

/// Compares [`CALLS`] with the symbols that a runtime's test binary defines; says what is missing or not listed. For
/// tests of the runtimes; needs `nm`.
pub fn compare_with_symbols(
    of_runtime: fn(&InterceptedCall) -> Option<Purpose>,
) -> Result<(), String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let defined = symbols(&["--defined-only"], &this)?;
    let libraries =
        std::fs::read_to_string("/proc/self/maps").map_err(|error| error.to_string())?;
    let library = libraries
        .split_whitespace()
        .find(|word| word.contains("/libc.so"))
        .ok_or("the program has no C library")?;
    let of_libc = symbols(&["-D", "--defined-only"], library.as_ref())?;
    let mut listed: Vec<&str> = CALLS
        .iter()
        .filter(|call| of_runtime(call).is_some())
        .filter_map(|call| call.symbol.to_str().ok())
        .collect();
    listed.sort_unstable();
    let is_intercepted = |symbol: &&String| of_libc.contains(*symbol);
    let intercepted: Vec<&str> = defined
        .iter()
        .filter(is_intercepted)
        .map(String::as_str)
        .collect();
    let without = |list: &[&str], other: &[&str]| -> Vec<String> {
        let missing = list.iter().filter(|symbol| !other.contains(symbol));
        missing.map(|symbol| symbol.to_string()).collect()
    };
    let (missing, unlisted) = (
        without(&listed, &intercepted),
        without(&intercepted, &listed),
    );
    match missing.is_empty() && unlisted.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "listed and not defined: {missing:?}; defined and not listed: {unlisted:?}"
        )),
    }
}

/// The global functions that `nm` shows.
fn symbols(
    options: &[&str],
    file: &std::path::Path,
) -> Result<std::collections::BTreeSet<String>, String> {
    let output = std::process::Command::new("nm")
        .args(options)
        .arg(file)
        .output()
        .map_err(|error| format!("nm: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let symbol = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let is_global = matches!(words.next()?, "T" | "W" | "i");
        let name = words.next()?.split('@').next()?;
        is_global.then(|| name.to_owned())
    };
    Ok(text.lines().filter_map(symbol).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_is_listed_once_in_order_and_for_a_runtime() {
        assert!(CALLS.is_sorted_by(|one, next| one.symbol < next.symbol));
        for call in CALLS {
            assert!(call.forked.is_some() || call.explored.is_some(), "{call:?}");
        }
    }

    #[test]
    fn a_function_that_the_c_library_lacks_is_none() {
        assert!(next!(c"atropos_has_no_such_function" as fn()).is_none());
        type Abs = unsafe extern "C" fn(i32) -> i32;
        // SAFETY: the C library's `abs` has this type.
        assert_eq!(next!(c"abs" as Abs).map(|abs| unsafe { abs(-3) }), Some(3));
    }
}
