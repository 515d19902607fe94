//! The one owner of `unsafe` calls into the system: safe wrappers over Linux system calls.
//!
//! Calls go by number through `syscall`, never by libc's name for them, because the runtime
//! defines some of those names itself to notice what a test does; what we do ourselves must not
//! be noticed. Errors are `errno` values.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::os::fd::RawFd;

pub use crate::numbers;

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn __errno_location() -> *mut c_int;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// An `errno` value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

pub const EPERM: i32 = 1;
pub const ENOENT: i32 = 2;
pub const ESRCH: i32 = 3;
pub const EINTR: i32 = 4;
pub const ECHILD: i32 = 10;
pub const ENOMEM: i32 = 12;
pub const EINVAL: i32 = 22;

pub const SIGABRT: i32 = 6;
pub const SIGBUS: i32 = 7;
pub const SIGKILL: i32 = 9;
pub const SIGSEGV: i32 = 11;
pub const SIGCHLD: i32 = 17;
pub const SIGXCPU: i32 = 24;
pub const SIGXFSZ: i32 = 25;
pub const SIGSYS: i32 = 31;

pub const PROT_READ: usize = 1;
pub const PROT_WRITE: usize = 2;
pub const MAP_SHARED: usize = 1;
pub const MAP_PRIVATE: usize = 2;
pub const MAP_ANONYMOUS: usize = 0x20;
pub const MAP_NORESERVE: usize = 0x4000;

pub const O_WRONLY: i32 = 1;
pub const O_RDWR: i32 = 2;
pub const O_CREAT: i32 = 0o100;
pub const O_TRUNC: i32 = 0o1000;
pub const O_APPEND: i32 = 0o2000;
pub const O_CLOEXEC: i32 = 0o2000000;
/// Without the bit that it shares with `O_DIRECTORY`.
pub const O_EXCL: i32 = 0o200;
pub const O_TMPFILE: i32 = 0o20000000;
#[cfg(target_arch = "x86_64")]
pub const O_DIRECTORY: i32 = 0o200000;
#[cfg(target_arch = "aarch64")]
pub const O_DIRECTORY: i32 = 0o40000;
pub const AT_FDCWD: isize = -100;

/// The file system can only be read.
pub const EROFS: i32 = 30;
/// There is no such call.
pub const ENOSYS: i32 = 38;

pub const POLLIN: i16 = 1;
pub const POLLERR: i16 = 8;
pub const POLLHUP: i16 = 16;

pub const RLIMIT_CPU: usize = 0;
pub const RLIMIT_FSIZE: usize = 1;
pub const RLIMIT_STACK: usize = 3;
pub const RLIMIT_CORE: usize = 4;
pub const RLIMIT_NPROC: usize = 6;
pub const RLIMIT_AS: usize = 9;

const PR_SET_PDEATHSIG: usize = 1;
const PR_SET_TSC: usize = 26;
const PR_TSC_SIGSEGV: usize = 2;
const PR_SET_CHILD_SUBREAPER: usize = 36;
const PR_SET_NO_NEW_PRIVS: usize = 38;

const F_DUPFD_CLOEXEC: usize = 1030;
const F_SETFD: usize = 2;

/// A system call with up to six arguments.
///
/// # Safety
/// As for the call itself: pointers among the arguments must be valid for what the call does.
pub unsafe fn call(number: usize, args: [usize; 6]) -> Result<usize, Errno> {
    let [a, b, c, d, e, f] = args;
    // SAFETY: the caller guarantees valid arguments.
    let value = unsafe { syscall(number as c_long, a, b, c, d, e, f) };
    if value == -1 {
        Err(Errno(errno()))
    } else {
        Ok(value as usize)
    }
}

/// A system call whose arguments are plain numbers.
fn plain(number: usize, args: &[usize]) -> Result<usize, Errno> {
    let mut all = [0; 6];
    all[..args.len()].copy_from_slice(args);
    // SAFETY: used only for calls that take no pointers (or null ones).
    unsafe { call(number, all) }
}

pub fn errno() -> i32 {
    // SAFETY: always a valid address in the calling thread.
    unsafe { *__errno_location() }
}

pub fn set_errno(value: i32) {
    // SAFETY: as above.
    unsafe { *__errno_location() = value }
}

/// The next definition of a libc symbol after the one in this program.
pub fn next_symbol(name: &CStr) -> *mut c_void {
    const RTLD_NEXT: *mut c_void = -1isize as *mut c_void;
    // SAFETY: a valid C string; the result is only an address.
    unsafe { dlsym(RTLD_NEXT, name.as_ptr()) }
}

/// Nanoseconds on the monotonic clock.
pub fn now() -> u64 {
    clock(1)
}

/// Nanoseconds of processor time that this process used.
pub fn cpu_time() -> u64 {
    clock(2)
}

fn clock(which: usize) -> u64 {
    let mut time = [0i64; 2];
    // SAFETY: `time` has the size of a timespec.
    let _ = unsafe {
        call(
            numbers::CLOCK_GETTIME,
            [which, time.as_mut_ptr() as usize, 0, 0, 0, 0],
        )
    };
    time[0] as u64 * 1_000_000_000 + time[1] as u64
}

/// Processor time of the children that were waited for, in nanoseconds.
pub fn children_cpu_time() -> u64 {
    let mut usage = [0i64; 18];
    // SAFETY: struct rusage has 18 words.
    let _ = unsafe {
        call(
            numbers::GETRUSAGE,
            [-1isize as usize, usage.as_mut_ptr() as usize, 0, 0, 0, 0],
        )
    };
    let micros = (usage[0] + usage[2]) * 1_000_000 + usage[1] + usage[3];
    micros as u64 * 1000
}

pub fn pid() -> i32 {
    plain(numbers::GETPID, &[]).unwrap_or(0) as i32
}

pub fn thread_id() -> i32 {
    plain(numbers::GETTID, &[]).unwrap_or(0) as i32
}

pub fn parent_pid() -> i32 {
    plain(numbers::GETPPID, &[]).unwrap_or(0) as i32
}

/// Ends the process at once: no handlers, no flushing.
pub fn exit_now(code: i32) -> ! {
    loop {
        let _ = plain(numbers::EXIT_GROUP, &[code as usize]);
    }
}

pub fn set_own_group() {
    let _ = plain(numbers::SETPGID, &[0, 0]);
}

/// Leaves the terminal: this process begins a session without one, and a group. In the background of a terminal, who changes
/// its settings is stopped by the system; and nobody should change those of the user's terminal for good.
pub fn start_session() {
    let _ = plain(numbers::SETSID, &[]);
}

/// Asks the kernel to kill this process when its parent ends.
pub fn die_with_parent(parent: i32) {
    let _ = plain(numbers::PRCTL, &[PR_SET_PDEATHSIG, SIGKILL as usize]);
    if parent_pid() != parent {
        exit_now(1);
    }
}

/// Programs that this process turns into by `exec` lie at the same addresses every time, if the system allows it.
pub fn lie_at_fixed_addresses() {
    const ADDR_NO_RANDOMIZE: usize = 0x0040_0000;
    let _ = plain(numbers::PERSONALITY, &[ADDR_NO_RANDOMIZE]);
}

/// From now on the instruction that asks the processor for the time ends this process, where there is such a one; so does the C
/// library's clock, which uses it.
pub fn refuse_time_stamps() {
    let _ = plain(numbers::PRCTL, &[PR_SET_TSC, PR_TSC_SIGSEGV]);
}

/// Orphans among our descendants become our children instead of init's.
pub fn adopt_orphans() {
    let _ = plain(numbers::PRCTL, &[PR_SET_CHILD_SUBREAPER, 1]);
}

pub fn no_new_privileges() -> Result<(), Errno> {
    plain(numbers::PRCTL, &[PR_SET_NO_NEW_PRIVS, 1]).map(drop)
}

/// The group of a process; of this one if it is 0. Of one that is gone: 0.
pub fn process_group(pid: i32) -> i32 {
    plain(numbers::GETPGID, &[pid as usize]).map_or(0, |group| group as i32)
}

/// The limit that the system enforces (the soft one).
pub fn limit(resource: usize) -> u64 {
    let mut now = [u64::MAX; 2];
    // SAFETY: struct rlimit64 is two words: soft and hard.
    unsafe {
        let _ = call(
            numbers::PRLIMIT64,
            [0, resource, 0, now.as_mut_ptr() as usize, 0, 0],
        );
    }
    now[0]
}

/// Sets the limit that the system enforces (the soft one) and gives back what it was.
pub fn set_limit(resource: usize, value: u64) -> u64 {
    let mut old = [u64::MAX; 2];
    // SAFETY: struct rlimit64 is two words: soft and hard.
    unsafe {
        let _ = call(
            numbers::PRLIMIT64,
            [0, resource, 0, old.as_mut_ptr() as usize, 0, 0],
        );
        let new = [value.min(old[1]), old[1]];
        let _ = call(
            numbers::PRLIMIT64,
            [0, resource, new.as_ptr() as usize, 0, 0, 0],
        );
    }
    old[0]
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildEnd {
    Exited(i32),
    Signaled(i32),
}

/// Reaps a child. `pid` -1 means any child. `None`: it has not ended (`block` false).
pub fn wait(pid: i32, block: bool) -> Result<Option<(i32, ChildEnd)>, Errno> {
    const WNOHANG: usize = 1;
    const WALL: usize = 0x4000_0000;
    let mut status = 0i32;
    let options = WALL | if block { 0 } else { WNOHANG };
    loop {
        // SAFETY: `status` outlives the call.
        let result = unsafe {
            call(
                numbers::WAIT4,
                [
                    pid as isize as usize,
                    &raw mut status as usize,
                    options,
                    0,
                    0,
                    0,
                ],
            )
        };
        return match result {
            Err(Errno(EINTR)) => continue,
            Err(error) => Err(error),
            Ok(0) => Ok(None),
            Ok(pid) => Ok(Some((pid as i32, ended(status)))),
        };
    }
}

fn ended(status: i32) -> ChildEnd {
    match status & 0x7f {
        0 => ChildEnd::Exited((status >> 8) & 0xff),
        signal => ChildEnd::Signaled(signal),
    }
}

/// A descriptor that becomes readable when the process ends.
pub fn open_pidfd(pid: i32) -> Result<RawFd, Errno> {
    plain(numbers::PIDFD_OPEN, &[pid as usize, 0]).map(|fd| fd as RawFd)
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PollFd {
    pub fd: RawFd,
    pub events: i16,
    pub revents: i16,
}

impl PollFd {
    pub fn readable(fd: RawFd) -> PollFd {
        PollFd {
            fd,
            events: POLLIN,
            revents: 0,
        }
    }

    /// Something is there to read, or the other side is gone.
    pub fn ready(&self) -> bool {
        self.revents != 0
    }
}

/// Waits at most `nanoseconds` for one of the descriptors. Interruption counts as a timeout.
pub fn poll(fds: &mut [PollFd], nanoseconds: u64) -> usize {
    let time = [
        (nanoseconds / 1_000_000_000) as i64,
        (nanoseconds % 1_000_000_000) as i64,
    ];
    for fd in fds.iter_mut() {
        fd.revents = 0;
    }
    // SAFETY: both arrays outlive the call; no signal mask is given.
    unsafe {
        call(
            numbers::PPOLL,
            [
                fds.as_mut_ptr() as usize,
                fds.len(),
                time.as_ptr() as usize,
                0,
                0,
                0,
            ],
        )
    }
    .unwrap_or(0)
}

pub fn open(path: &CStr, flags: i32, mode: u32) -> Result<RawFd, Errno> {
    // SAFETY: a valid C string.
    unsafe {
        call(
            numbers::OPENAT,
            [
                AT_FDCWD as usize,
                path.as_ptr() as usize,
                (flags | O_CLOEXEC) as usize,
                mode as usize,
                0,
                0,
            ],
        )
    }
    .map(|fd| fd as RawFd)
}

pub fn close(fd: RawFd) {
    let _ = plain(numbers::CLOSE, &[fd as usize]);
}

/// The inode of the socket that this one, of the `unix` family, is connected to, if the system tells.
pub fn other_end_of_unix_socket(inode: u32) -> Option<u32> {
    const NETLINK: usize = 16;
    const DATAGRAM: usize = 2;
    const NONBLOCKING: usize = 0o4000;
    const DIAGNOSIS: usize = 4;
    const HEADER: usize = 16;
    const ANSWER: usize = 16;
    let kind = DATAGRAM | NONBLOCKING | O_CLOEXEC as usize;
    let socket = plain(numbers::SOCKET, &[NETLINK, kind, DIAGNOSIS]).ok()? as RawFd;
    // A header: length, sort of message (by family) and its being a request, number. What is asked: family, states (any), inode,
    // what to show (the other end), no cookie.
    let any = u32::MAX;
    let words: [u32; 10] = [40, 20 | 1 << 16, 1, 0, 1, any, inode, 4, any, any];
    let request: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let mut answer = [0; 512];
    let length = write(socket, &request).and_then(|_| read(socket, &mut answer));
    close(socket);
    let answer = &answer[..length.ok()?];
    let half = |at: usize| Some(u16::from_ne_bytes(answer.get(at..at + 2)?.try_into().ok()?));
    let word = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    let is_answer = half(4)? == 20 && word(HEADER + 4)? == inode;
    // What follows is told with its length and sort.
    let attribute = HEADER + ANSWER;
    let is_other_end = half(attribute)? == 8 && half(attribute + 2)? == 2;
    (is_answer && is_other_end).then(|| word(attribute + 4))?
}

/// Closes the descriptors `first` to `last`, both included.
pub fn close_range(first: RawFd, last: RawFd) {
    let all = [first as usize, last as usize, 0];
    if first <= last && plain(numbers::CLOSE_RANGE, &all).is_err() {
        // An old kernel; then at least those that are likely.
        (first..=last.min(4096)).for_each(close);
    }
}

/// Makes `to` a copy of `from` that survives exec.
pub fn duplicate_onto(from: RawFd, to: RawFd) -> Result<(), Errno> {
    if from == to {
        return keep_on_exec(from);
    }
    plain(numbers::DUP3, &[from as usize, to as usize, 0]).map(drop)
}

/// A copy with a number of at least `lowest` that exec closes.
pub fn duplicate_above(fd: RawFd, lowest: RawFd) -> Result<RawFd, Errno> {
    plain(
        numbers::FCNTL,
        &[fd as usize, F_DUPFD_CLOEXEC, lowest as usize],
    )
    .map(|fd| fd as RawFd)
}

pub fn keep_on_exec(fd: RawFd) -> Result<(), Errno> {
    plain(numbers::FCNTL, &[fd as usize, F_SETFD, 0]).map(drop)
}

pub fn read(fd: RawFd, buffer: &mut [u8]) -> Result<usize, Errno> {
    loop {
        // SAFETY: the buffer is writable for its length.
        let result = unsafe {
            call(
                numbers::READ,
                [
                    fd as usize,
                    buffer.as_mut_ptr() as usize,
                    buffer.len(),
                    0,
                    0,
                    0,
                ],
            )
        };
        if result != Err(Errno(EINTR)) {
            return result;
        }
    }
}

pub fn write(fd: RawFd, bytes: &[u8]) -> Result<usize, Errno> {
    loop {
        // SAFETY: the bytes are readable for their length.
        let result = unsafe {
            call(
                numbers::WRITE,
                [fd as usize, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0],
            )
        };
        if result != Err(Errno(EINTR)) {
            return result;
        }
    }
}

/// Maps `length` bytes of a file, or fresh memory if `fd` is -1.
pub fn map(fd: RawFd, length: usize, protection: usize, flags: usize) -> Result<*mut u8, Errno> {
    // SAFETY: the kernel chooses the address, so nothing that exists is replaced.
    unsafe {
        call(
            numbers::MMAP,
            [0, length, protection, flags, fd as isize as usize, 0],
        )
    }
    .map(|address| address as *mut u8)
}

/// Fresh zeroed private memory.
pub fn map_memory(length: usize) -> Result<*mut u8, Errno> {
    map(
        -1,
        length,
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS,
    )
}

/// # Safety
/// The range must be a mapping that nobody uses any more.
pub unsafe fn unmap(address: *mut u8, length: usize) {
    // SAFETY: the caller guarantees it.
    let _ = unsafe { call(numbers::MUNMAP, [address as usize, length, 0, 0, 0, 0]) };
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStatus {
    /// A file, a directory or a symbolic link; no device, socket or pipe.
    pub is_file: bool,
    /// When it was made, in nanoseconds since 1970, if anybody knows.
    birth: Option<u64>,
}

impl PathStatus {
    /// Whether it was there before this moment. Where nobody knows when it was made, it was; also where that is said to have been
    /// in the future, because then a clock was wrong.
    pub fn is_older_than(self, moment: u64) -> bool {
        /// The clock of another machine's file system may differ so much from ours.
        const TOLERANCE: u64 = 5_000_000_000;
        let is_new = |birth| birth >= moment && birth <= since_1970().saturating_add(TOLERANCE);
        !self.birth.is_some_and(is_new)
    }
}

/// What is at a path; none if there is nothing.
///
/// # Safety
/// `path` is a C string, or null.
pub unsafe fn find(at: i32, path: *const c_char, follow: bool) -> Option<PathStatus> {
    const NOFOLLOW: usize = 0x100;
    const WITH_BIRTH: usize = 0x7ff | 0x800;
    const FILE_OR_DIRECTORY: [u16; 3] = [0o100_000, 0o040_000, 0o120_000];
    // The fields of `struct statx` that matter here are its mask, the mode and the time of birth.
    let mut stat = [0u64; 32];
    let flags = if follow { 0 } else { NOFOLLOW };
    let to = stat.as_mut_ptr() as usize;
    let arguments = [at as usize, path as usize, flags, WITH_BIRTH, to, 0];
    // SAFETY: the buffer has the size of a `struct statx`; the kernel checks the path.
    unsafe { call(numbers::STATX, arguments) }.ok()?;
    let is_known = stat[0] as u32 & 0x800 != 0;
    let mode = (stat[3] >> 32) as u16;
    let is_file = FILE_OR_DIRECTORY.contains(&(mode & 0o170_000));
    Some(PathStatus {
        is_file,
        birth: is_known.then(|| stat[10] * 1_000_000_000 + u64::from(stat[11] as u32)),
    })
}

/// Gives an open file this length, with all of its space on the disk: where there is none left, that is an error now, and not
/// a signal when the file is mapped and written to.
pub fn allocate(fd: RawFd, length: u64) -> Result<(), Errno> {
    const NOT_SUPPORTED: i32 = 95;
    let arguments = [fd as usize, 0, 0, length as usize];
    match plain(numbers::FALLOCATE, &arguments) {
        // Some file systems can't; then zeros must do.
        Err(Errno(NOT_SUPPORTED | ENOSYS)) => {
            let zeros = [0; 4096];
            let mut left = length as usize;
            while left > 0 {
                left -= write(fd, &zeros[..left.min(zeros.len())])?;
            }
            Ok(())
        }
        other => other.map(drop),
    }
}

/// Nanoseconds since 1970.
pub fn since_1970() -> u64 {
    clock(0)
}

/// Size and link count of a path; none if it does not exist.
pub fn size_and_links(path: &CStr) -> Option<(u64, u64)> {
    let mut stat = [0u64; 18];
    // SAFETY: struct stat is 144 bytes (x86-64) or 128 (aarch64).
    unsafe {
        call(
            numbers::NEWFSTATAT,
            [
                AT_FDCWD as usize,
                path.as_ptr() as usize,
                stat.as_mut_ptr() as usize,
                0,
                0,
                0,
            ],
        )
    }
    .ok()?;
    #[cfg(target_arch = "x86_64")]
    let links = stat[2];
    #[cfg(target_arch = "aarch64")]
    let links = stat[2] >> 32;
    Some((stat[6], links))
}

/// Device and file number of what a descriptor is open on; zeros if it is not open.
pub fn identity(fd: RawFd) -> (u64, u64) {
    let mut stat = [0u64; 18];
    // SAFETY: as in `size_and_links`.
    let result = unsafe {
        call(
            numbers::FSTAT,
            [fd as usize, stat.as_mut_ptr() as usize, 0, 0, 0, 0],
        )
    };
    match result {
        Ok(_) => (stat[0], stat[1]),
        Err(_) => (0, 0),
    }
}

/// How many entries a directory has, `.` and `..` not counted.
pub fn count_entries(path: &CStr) -> Option<u64> {
    let fd = open(path, O_DIRECTORY, 0).ok()?;
    let mut buffer = [0u64; 512];
    let mut count = 0;
    loop {
        // SAFETY: the buffer is writable for its length.
        let read = unsafe {
            call(
                numbers::GETDENTS64,
                [
                    fd as usize,
                    buffer.as_mut_ptr() as usize,
                    size_of_val(&buffer),
                    0,
                    0,
                    0,
                ],
            )
        };
        let Ok(length @ 1..) = read else { break };
        let mut offset = 0;
        while offset + 18 < length {
            // SAFETY: the kernel filled `length` bytes with records; each has its length at 16.
            let (record, name) = unsafe {
                let base = buffer.as_ptr().cast::<u8>().add(offset);
                let record = base.add(16).cast::<u16>().read_unaligned();
                (record, CStr::from_ptr(base.add(19).cast()))
            };
            if name != c"." && name != c".." {
                count += 1;
            }
            offset += usize::from(record);
        }
    }
    close(fd);
    Some(count)
}

/// How many descriptors this process has open.
pub fn open_descriptors() -> Option<u64> {
    match size_and_links(c"/proc/self/fd") {
        // Linux 6.2 and later tell the number as the size.
        Some((size @ 1.., _)) => Some(size),
        // The descriptor used for counting is among those counted.
        _ => count_entries(c"/proc/self/fd").map(|count| count - 1),
    }
}

/// How many threads this process has.
pub fn threads() -> Option<u64> {
    let (_, links) = size_and_links(c"/proc/self/task")?;
    links.checked_sub(2)
}

/// The end of the data segment; `set_break` moves it back.
pub fn program_break() -> usize {
    plain(numbers::BRK, &[0]).unwrap_or(0)
}

/// # Safety
/// Memory beyond the new end must not be used any more.
pub unsafe fn set_break(end: usize) {
    let _ = plain(numbers::BRK, &[end]);
}

/// Sends SIGCHLD's disposition to the default and gives back what it was (kernel layout).
pub fn default_child_signal() -> [usize; 4] {
    let mut old = [0usize; 4];
    let new = [0usize; 4];
    // SAFETY: the kernel's sigaction is four words on both architectures (with 8-byte masks).
    let _ = unsafe {
        call(
            numbers::RT_SIGACTION,
            [
                SIGCHLD as usize,
                new.as_ptr() as usize,
                old.as_mut_ptr() as usize,
                8,
                0,
                0,
            ],
        )
    };
    old
}

/// Undoes `default_child_signal`.
pub fn restore_child_signal(old: &[usize; 4]) {
    if *old == [0; 4] {
        return;
    }
    // SAFETY: the words are what the kernel gave us.
    let _ = unsafe {
        call(
            numbers::RT_SIGACTION,
            [SIGCHLD as usize, old.as_ptr() as usize, 0, 8, 0, 0],
        )
    };
}

/// A path as the system wants it; none if it holds a zero byte.
pub fn c_path(path: &std::path::Path) -> Option<CString> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_whose_birth_nobody_knows_or_that_is_from_the_future_is_old() {
        const HOUR: u64 = 3_600_000_000_000;
        let now = since_1970();
        let is_old = |birth| {
            let is_file = true;
            PathStatus { is_file, birth }.is_older_than(now)
        };
        assert!(is_old(None) && is_old(Some(now - 1)) && is_old(Some(now + HOUR)));
        assert!(!is_old(Some(now)) && !is_old(Some(now + 1)));
    }
}
