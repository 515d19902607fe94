//! Stands behind `intercept`: a filter of system calls that the kernel applies where mutants share something.
//!
//! Where mutants share a history or a process, only calls that can't reach the others may pass;
//! any other call raises SIGSYS before it has an effect, and the mutant is left to a process of
//! its own. This also catches programs that go to the kernel without libc.
//!
//! The driver's supervisor (`atropos-sandbox`) does not make it superfluous: that one knows what harms the machine, this one what
//! one mutant could leave for the next, such as another working directory. It holds with `--no-sandbox`, too.

use atropos_protocol::seccomp::{self, ALLOW, NO_SUCH_CALL, Program, TRAP};
use atropos_protocol::sys::{self, Errno, numbers as n};

/// How much is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedBySandbox {
    /// A history: what changes only this process's own state may pass.
    History,
    /// A process: only what leaves no trace but in memory may pass.
    Process,
}

/// On which condition a call passes.
#[derive(Clone, Copy, Debug)]
enum Condition {
    Always,
    /// None of these bits of this argument are set.
    Clear(usize, u32),
    /// This argument is one of these.
    OneOf(usize, &'static [u32]),
    /// This argument is a null pointer.
    Null(usize),
    /// The program is told that the kernel has no such call, and does without.
    Unknown,
}

const WRITING: u32 =
    (sys::O_WRONLY | sys::O_RDWR | sys::O_CREAT | sys::O_TRUNC | sys::O_TMPFILE) as u32;
/// Asking for a terminal's settings and size, for bytes to read; making a descriptor non-blocking
/// or closing it on exec.
const HARMLESS_REQUESTS: &[u32] = &[0x5401, 0x5413, 0x541b, 0x5421, 0x5451];
const MAP_SHARED: u32 = 1;

/// What leaves no trace but in memory.
const HARMLESS: &[(usize, Condition)] = &[
    (n::READ, Condition::Always),
    // No descriptor that leads outside can be had, so all may be used.
    (n::WRITE, Condition::Always),
    (n::WRITEV, Condition::Always),
    (n::PWRITE64, Condition::Always),
    (n::PIPE2, Condition::Always),
    (n::SOCKET, Condition::Always),
    (n::SOCKETPAIR, Condition::Always),
    (n::SENDTO, Condition::Null(4)),
    (n::RECVFROM, Condition::Always),
    (n::RECVMSG, Condition::Always),
    (n::SHUTDOWN, Condition::Always),
    (n::GETSOCKNAME, Condition::Always),
    (n::GETPEERNAME, Condition::Always),
    (n::GETSOCKOPT, Condition::Always),
    (n::SETSOCKOPT, Condition::Always),
    (n::EVENTFD2, Condition::Always),
    (n::EPOLL_CREATE1, Condition::Always),
    (n::EPOLL_CTL, Condition::Always),
    (n::EPOLL_PWAIT, Condition::Always),
    (n::EPOLL_PWAIT2, Condition::Always),
    (n::PSELECT6, Condition::Always),
    (n::TIMERFD_CREATE, Condition::Always),
    (n::TIMERFD_SETTIME, Condition::Always),
    (n::TIMERFD_GETTIME, Condition::Always),
    (n::MEMFD_CREATE, Condition::Always),
    (n::FTRUNCATE, Condition::Always),
    (n::FCNTL, Condition::Always),
    (n::DUP, Condition::Always),
    (n::CLOSE_RANGE, Condition::Always),
    (n::CLOSE, Condition::Always),
    (n::FSTAT, Condition::Always),
    (n::LSEEK, Condition::Always),
    (n::MMAP, Condition::Clear(3, MAP_SHARED)),
    (n::MUNMAP, Condition::Always),
    (n::MREMAP, Condition::Always),
    (n::BRK, Condition::Always),
    (n::MADVISE, Condition::Always),
    (n::MINCORE, Condition::Always),
    (n::RT_SIGPROCMASK, Condition::Always),
    (n::RT_SIGRETURN, Condition::Always),
    // The standard library does this on the way to an exit.
    (n::SIGALTSTACK, Condition::Always),
    (n::IOCTL, Condition::OneOf(1, HARMLESS_REQUESTS)),
    (n::PREAD64, Condition::Always),
    (n::PREADV, Condition::Always),
    (n::READV, Condition::Always),
    (n::SCHED_YIELD, Condition::Always),
    (n::NANOSLEEP, Condition::Always),
    (n::CLOCK_NANOSLEEP, Condition::Always),
    (n::GETPID, Condition::Always),
    (n::GETPPID, Condition::Always),
    (n::GETTID, Condition::Always),
    (n::GETUID, Condition::Always),
    (n::GETEUID, Condition::Always),
    (n::GETGID, Condition::Always),
    (n::GETEGID, Condition::Always),
    (n::GETGROUPS, Condition::Always),
    (n::EXIT, Condition::Always),
    (n::EXIT_GROUP, Condition::Always),
    (n::UNAME, Condition::Always),
    (n::GETCWD, Condition::Always),
    (n::GETTIMEOFDAY, Condition::Always),
    (n::GETRLIMIT, Condition::Always),
    (n::GETRUSAGE, Condition::Always),
    (n::SYSINFO, Condition::Always),
    (n::TIMES, Condition::Always),
    (n::GETPGID, Condition::Always),
    (n::GETSID, Condition::Always),
    (n::GETPRIORITY, Condition::Always),
    (n::GETRESUID, Condition::Always),
    (n::GETRESGID, Condition::Always),
    (n::CAPGET, Condition::Always),
    (n::RT_SIGPENDING, Condition::Always),
    (n::SCHED_GETPARAM, Condition::Always),
    (n::SCHED_GETSCHEDULER, Condition::Always),
    (n::STATFS, Condition::Always),
    (n::FSTATFS, Condition::Always),
    (n::FADVISE64, Condition::Always),
    (n::MSYNC, Condition::Always),
    (n::FUTEX, Condition::Always),
    (n::SCHED_GETAFFINITY, Condition::Always),
    (n::GETDENTS64, Condition::Always),
    (n::RESTART_SYSCALL, Condition::Always),
    (n::CLOCK_GETTIME, Condition::Always),
    (n::CLOCK_GETRES, Condition::Always),
    (n::TGKILL, Condition::Always),
    (n::OPENAT, Condition::Clear(2, WRITING)),
    (n::NEWFSTATAT, Condition::Always),
    (n::READLINKAT, Condition::Always),
    (n::FACCESSAT, Condition::Always),
    (n::FACCESSAT2, Condition::Always),
    (n::PPOLL, Condition::Always),
    (n::GETCPU, Condition::Always),
    (n::GETRANDOM, Condition::Always),
    (n::MEMBARRIER, Condition::Always),
    (n::STATX, Condition::Always),
    (n::RSEQ, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::OPEN, Condition::Clear(1, WRITING)),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::STAT, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::LSTAT, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::POLL, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::ACCESS, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::READLINK, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::TIME, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::PIPE, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::SELECT, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::EPOLL_WAIT, Condition::Always),
];

const WITH_A_SHARED_PROCESS: &[(usize, Condition)] = &[(n::PRLIMIT64, Condition::Null(2))];

/// What forking itself needs, and what changes only the process's own state.
const WITH_A_SHARED_HISTORY: &[(usize, Condition)] = &[
    (n::CLONE, Condition::Clear(0, CLONE_VFORK)),
    // libc then uses `clone`, whose flags can be looked at.
    (n::CLONE3, Condition::Unknown),
    (n::SET_ROBUST_LIST, Condition::Always),
    (n::WAIT4, Condition::Always),
    (n::WAITID, Condition::Always),
    (n::PIDFD_OPEN, Condition::Always),
    (n::PIDFD_SEND_SIGNAL, Condition::Always),
    (n::KILL, Condition::OneOf(1, &[sys::SIGKILL as u32])),
    (n::PRCTL, Condition::Always),
    (n::PRLIMIT64, Condition::Always),
    (n::MPROTECT, Condition::Always),
    (n::RT_SIGACTION, Condition::Always),
    (n::DUP3, Condition::Always),
    (n::CHDIR, Condition::Always),
    (n::FCHDIR, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::DUP2, Condition::Always),
    #[cfg(target_arch = "x86_64")]
    (n::legacy::ARCH_PRCTL, Condition::Always),
];

const CLONE_VFORK: u32 = 0x4000;

fn program(sharing: SharedBySandbox) -> Program {
    let mut program = Program::new(TRAP);
    let more = match sharing {
        SharedBySandbox::Process => WITH_A_SHARED_PROCESS,
        SharedBySandbox::History => WITH_A_SHARED_HISTORY,
    };
    for &(number, condition) in HARMLESS.iter().chain(more) {
        use seccomp::Condition as On;
        let (on, then, otherwise) = match condition {
            Condition::Always => (On::Always, ALLOW, TRAP),
            Condition::Unknown => (On::Always, NO_SUCH_CALL, TRAP),
            Condition::Clear(index, bits) => (On::AnyBit(index, bits), TRAP, ALLOW),
            Condition::OneOf(index, values) => (On::OneOf(index, values), ALLOW, TRAP),
            Condition::Null(index) => (On::Given(index), TRAP, ALLOW),
        };
        program.rule(number, on, then, otherwise);
    }
    program.finish(TRAP)
}

/// Puts this process and all that it forks behind the filter, permanently.
pub fn enter(sharing: SharedBySandbox) -> Result<(), Errno> {
    sys::no_new_privileges()?;
    program(sharing).enter(0).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sharing: SharedBySandbox, number: usize, arguments: [u64; 6], expected: u32) {
        let answer = program(sharing).answer(seccomp::ARCHITECTURE, number, arguments);
        assert_eq!(answer, expected, "{sharing:?} {number} {arguments:?}");
    }

    #[test]
    fn what_leads_nowhere_may_be_used_but_nothing_may_be_reached() {
        for sharing in [SharedBySandbox::History, SharedBySandbox::Process] {
            check(sharing, n::WRITE, [3, 0, 0, 0, 0, 0], ALLOW);
            check(sharing, n::IOCTL, [0, 0x5401, 0, 0, 0, 0], ALLOW);
            check(sharing, n::IOCTL, [0, 0x5421, 0, 0, 0, 0], ALLOW);
            check(sharing, n::IOCTL, [0, 0x5451, 0, 0, 0, 0], ALLOW);
            check(sharing, n::IOCTL, [0, 0x5402, 0, 0, 0, 0], TRAP);
            check(sharing, n::SENDTO, [0; 6], ALLOW);
            check(sharing, n::SENDTO, [0, 0, 0, 0, 1, 0], TRAP);
            const CONNECT: [usize; 2] = [42, 203];
            let connect = CONNECT[usize::from(cfg!(target_arch = "aarch64"))];
            check(sharing, connect, [0; 6], TRAP);
        }
    }

    #[test]
    fn files_may_be_opened_to_read_only() {
        for sharing in [SharedBySandbox::History, SharedBySandbox::Process] {
            let open = |flags: i32| [0, 0, flags as u64, 0, 0, 0];
            check(sharing, n::OPENAT, open(sys::O_CLOEXEC), ALLOW);
            check(sharing, n::OPENAT, open(sys::O_DIRECTORY), ALLOW);
            check(sharing, n::OPENAT, open(sys::O_WRONLY), TRAP);
            check(sharing, n::OPENAT, open(sys::O_CREAT), TRAP);
            check(sharing, n::UNLINKAT, [0; 6], TRAP);
            check(sharing, n::MKDIRAT, [0; 6], TRAP);
        }
    }

    #[test]
    fn a_shared_process_may_not_change_its_own_state_either() {
        check(SharedBySandbox::History, n::CHDIR, [0; 6], ALLOW);
        check(SharedBySandbox::Process, n::CHDIR, [0; 6], TRAP);
        check(SharedBySandbox::History, n::RT_SIGACTION, [0; 6], ALLOW);
        check(SharedBySandbox::Process, n::RT_SIGACTION, [0; 6], TRAP);
        check(SharedBySandbox::Process, n::CLONE, [0; 6], TRAP);
        check(SharedBySandbox::Process, n::PRLIMIT64, [0; 6], ALLOW);
        check(
            SharedBySandbox::Process,
            n::PRLIMIT64,
            [0, 0, 1, 0, 0, 0],
            TRAP,
        );
        check(
            SharedBySandbox::Process,
            n::PRLIMIT64,
            [0, 0, 1 << 40, 0, 0, 0],
            TRAP,
        );
    }

    #[test]
    fn nobody_may_start_programs_or_share_memory() {
        for sharing in [SharedBySandbox::History, SharedBySandbox::Process] {
            check(sharing, n::EXECVE, [0; 6], TRAP);
            check(sharing, n::MMAP, [0, 0, 3, 2, 0, 0], ALLOW);
            check(sharing, n::MMAP, [0, 0, 3, 1, 0, 0], TRAP);
        }
        let vfork = [u64::from(CLONE_VFORK), 0, 0, 0, 0, 0];
        check(SharedBySandbox::History, n::CLONE, vfork, TRAP);
        check(
            SharedBySandbox::History,
            n::CLONE,
            [17, 0, 0, 0, 0, 0],
            ALLOW,
        );
        check(SharedBySandbox::History, n::CLONE3, [0; 6], NO_SUCH_CALL);
        check(SharedBySandbox::History, n::KILL, [0, 9, 0, 0, 0, 0], ALLOW);
        check(SharedBySandbox::History, n::KILL, [0, 15, 0, 0, 0, 0], TRAP);
        check(SharedBySandbox::Process, n::KILL, [0, 9, 0, 0, 0, 0], TRAP);
    }
}
