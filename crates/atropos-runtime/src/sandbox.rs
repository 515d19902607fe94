//! Stands behind `intercept`: a filter of system calls that the kernel applies.
//!
//! Where mutants share a history or a process, only calls that can't reach the others may pass;
//! any other call raises SIGSYS before it has an effect, and the mutant is left to a process of
//! its own. This also catches programs that go to the kernel without libc.

use std::ffi::c_void;

use atropos_protocol::sys::{self, Errno, numbers as n};

/// How much is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// A history: what changes only this process's own state may pass.
    History,
    /// A process: only what leaves no trace but in memory may pass.
    Process,
}

/// One instruction of the kernel's filter machine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    value: u32,
}

const LOAD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const TRAP: u32 = 0x0003_0000;
const NO_SUCH_CALL: u32 = 0x0005_0000 | 38;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// On which condition a call passes.
#[derive(Clone, Copy, Debug)]
enum Condition {
    Always,
    /// None of these bits of this argument are set.
    Clear(u32, u32),
    /// This argument is one of these.
    OneOf(u32, &'static [u32]),
    /// This argument is a null pointer.
    Null(u32),
    /// The program is told that the kernel has no such call, and does without.
    Unknown,
}

/// Where argument `index` lies in what the filter sees (its low half).
fn argument(index: u32) -> u32 {
    16 + 8 * index
}

fn instruction(code: u16, value: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction {
        code,
        if_true,
        if_false,
        value,
    }
}

fn result(value: u32) -> Instruction {
    instruction(RETURN, value, 0, 0)
}

/// A fixed-size program: built without touching the heap.
struct Program {
    instructions: [Instruction; 512],
    length: usize,
}

impl Program {
    fn push(&mut self, instruction: Instruction) {
        self.instructions[self.length] = instruction;
        self.length += 1;
    }

    fn rule(&mut self, number: usize, condition: Condition) {
        let mut body = [result(TRAP); 8];
        let length = match condition {
            Condition::Always => {
                body[0] = result(ALLOW);
                1
            }
            Condition::Unknown => {
                body[0] = result(NO_SUCH_CALL);
                1
            }
            Condition::Clear(index, bits) => {
                body[0] = instruction(LOAD, argument(index), 0, 0);
                body[1] = instruction(JUMP_ANY_BIT, bits, 0, 1);
                body[3] = result(ALLOW);
                4
            }
            Condition::OneOf(index, values) => {
                body[0] = instruction(LOAD, argument(index), 0, 0);
                let trap = 1 + values.len();
                for (place, &value) in values.iter().enumerate() {
                    let skipped = trap - (place + 1);
                    body[place + 1] = instruction(JUMP_EQUAL, value, skipped as u8, 0);
                }
                body[trap + 1] = result(ALLOW);
                trap as u8 + 2
            }
            Condition::Null(index) => {
                body[0] = instruction(LOAD, argument(index), 0, 0);
                body[1] = instruction(JUMP_EQUAL, 0, 0, 2);
                body[2] = instruction(LOAD, argument(index) + 4, 0, 0);
                body[3] = instruction(JUMP_EQUAL, 0, 1, 0);
                body[5] = result(ALLOW);
                6
            }
        };
        self.push(instruction(JUMP_EQUAL, number as u32, 0, length));
        for &instruction in &body[..length as usize] {
            self.push(instruction);
        }
        // The accumulator holds an argument only in bodies that return.
    }
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

fn program(sharing: Sharing) -> Program {
    let mut program = Program {
        instructions: [result(TRAP); 512],
        length: 0,
    };
    const ARCHITECTURE_AT: u32 = 4;
    const NUMBER_AT: u32 = 0;
    program.push(instruction(LOAD, ARCHITECTURE_AT, 0, 0));
    program.push(instruction(JUMP_EQUAL, ARCHITECTURE, 1, 0));
    program.push(result(TRAP));
    program.push(instruction(LOAD, NUMBER_AT, 0, 0));
    let more = match sharing {
        Sharing::Process => WITH_A_SHARED_PROCESS,
        Sharing::History => WITH_A_SHARED_HISTORY,
    };
    for &(number, condition) in HARMLESS.iter().chain(more) {
        program.rule(number, condition);
    }
    program.push(result(TRAP));
    program
}

/// Puts this process and all that it forks behind the filter, for good.
pub fn enter(sharing: Sharing) -> Result<(), Errno> {
    const SET_MODE_FILTER: usize = 1;
    #[repr(C)]
    struct Filter {
        length: u16,
        instructions: *const c_void,
    }
    let program = program(sharing);
    let filter = Filter {
        length: program.length as u16,
        instructions: program.instructions.as_ptr().cast(),
    };
    sys::no_new_privileges()?;
    // SAFETY: the filter and its instructions outlive the call, which copies them.
    unsafe {
        sys::call(
            n::SECCOMP,
            [SET_MODE_FILTER, 0, &raw const filter as usize, 0, 0, 0],
        )
    }
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel would answer: an interpreter of the few instructions we use.
    fn answer(program: &Program, number: usize, arguments: [u64; 6]) -> u32 {
        let mut data = [0u32; 16];
        data[0] = number as u32;
        data[1] = ARCHITECTURE;
        for (index, argument) in arguments.into_iter().enumerate() {
            data[4 + 2 * index] = argument as u32;
            data[5 + 2 * index] = (argument >> 32) as u32;
        }
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let instruction = program.instructions[at];
            at += 1;
            let jump = match instruction.code {
                LOAD => {
                    accumulator = data[instruction.value as usize / 4];
                    continue;
                }
                RETURN => return instruction.value,
                JUMP_EQUAL => accumulator == instruction.value,
                JUMP_ANY_BIT => accumulator & instruction.value != 0,
                code => panic!("instruction {code:#x}"),
            };
            at += usize::from(if jump {
                instruction.if_true
            } else {
                instruction.if_false
            });
        }
    }

    fn check(sharing: Sharing, number: usize, arguments: [u64; 6], expected: u32) {
        let answer = answer(&program(sharing), number, arguments);
        assert_eq!(answer, expected, "{sharing:?} {number} {arguments:?}");
    }

    #[test]
    fn what_leads_nowhere_may_be_used_but_nothing_may_be_reached() {
        for sharing in [Sharing::History, Sharing::Process] {
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
        for sharing in [Sharing::History, Sharing::Process] {
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
        check(Sharing::History, n::CHDIR, [0; 6], ALLOW);
        check(Sharing::Process, n::CHDIR, [0; 6], TRAP);
        check(Sharing::History, n::RT_SIGACTION, [0; 6], ALLOW);
        check(Sharing::Process, n::RT_SIGACTION, [0; 6], TRAP);
        check(Sharing::Process, n::CLONE, [0; 6], TRAP);
        check(Sharing::Process, n::PRLIMIT64, [0; 6], ALLOW);
        check(Sharing::Process, n::PRLIMIT64, [0, 0, 1, 0, 0, 0], TRAP);
        check(
            Sharing::Process,
            n::PRLIMIT64,
            [0, 0, 1 << 40, 0, 0, 0],
            TRAP,
        );
    }

    #[test]
    fn nobody_may_start_programs_or_share_memory() {
        for sharing in [Sharing::History, Sharing::Process] {
            check(sharing, n::EXECVE, [0; 6], TRAP);
            check(sharing, n::MMAP, [0, 0, 3, 2, 0, 0], ALLOW);
            check(sharing, n::MMAP, [0, 0, 3, 1, 0, 0], TRAP);
        }
        let vfork = [u64::from(CLONE_VFORK), 0, 0, 0, 0, 0];
        check(Sharing::History, n::CLONE, vfork, TRAP);
        check(Sharing::History, n::CLONE, [17, 0, 0, 0, 0, 0], ALLOW);
        check(Sharing::History, n::CLONE3, [0; 6], NO_SUCH_CALL);
        check(Sharing::History, n::KILL, [0, 9, 0, 0, 0, 0], ALLOW);
        check(Sharing::History, n::KILL, [0, 15, 0, 0, 0, 0], TRAP);
        check(Sharing::Process, n::KILL, [0, 9, 0, 0, 0, 0], TRAP);
    }
}
