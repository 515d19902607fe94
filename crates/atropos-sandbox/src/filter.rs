//! The program that the kernel runs for every system call: it reports some, and lets all others pass.

use std::os::fd::RawFd;

use atropos_protocol::seccomp::{ALLOW, Program, REPORT};
use atropos_protocol::sys::{self, Errno};

use crate::calls::calls;

/// The program; to be made before a process is forked. Numbers that it does not look at cost next to nothing: the kernel
/// remembers that they always pass.
pub fn program() -> Program {
    // Programs for another architecture have other numbers, so nobody can tell what they do: they are reported.
    let mut program = Program::new(REPORT);
    for call in calls() {
        program.rule(call.number, call.condition, REPORT, ALLOW);
    }
    program.finish(ALLOW)
}

/// Puts this process and all that it starts behind a program, permanently. Gives the descriptor on which calls are reported.
/// Allocates nothing.
pub fn enter(program: &Program) -> Result<RawFd, Errno> {
    /// Without it, older kernels slow down everything behind a filter.
    const SPECULATION_ALLOWED: usize = 1 << 2;
    const NEW_LISTENER: usize = 1 << 3;
    let flags = NEW_LISTENER | SPECULATION_ALLOWED;
    // Who may administer the machine needs no promise that its programs gain no rights; programs like `sudo` work then.
    let listener = program.enter(flags).or_else(|_| {
        sys::no_new_privileges()?;
        program.enter(flags)
    })?;
    Ok(listener as RawFd)
}

#[cfg(test)]
mod tests {
    use atropos_protocol::seccomp::ARCHITECTURE;
    use atropos_protocol::sys::numbers;

    use super::*;

    #[test]
    fn calls_that_change_something_are_reported_and_others_pass() {
        const SOCKET: usize = numbers::SOCKET;
        let open = |flags: i32| [0, 0, flags as u64, 0, 0, 0];
        for (number, arguments, expected) in [
            (numbers::READ, [0; 6], ALLOW),
            (numbers::WRITE, [0; 6], ALLOW),
            (numbers::OPENAT, open(sys::O_CLOEXEC), ALLOW),
            (numbers::OPENAT, open(sys::O_DIRECTORY), ALLOW),
            (numbers::OPENAT, open(sys::O_WRONLY), REPORT),
            (numbers::OPENAT, open(sys::O_CREAT | sys::O_CLOEXEC), REPORT),
            (numbers::UNLINKAT, [0; 6], REPORT),
            (numbers::KILL, [1; 6], REPORT),
            (numbers::SENDTO, [0; 6], ALLOW),
            (numbers::SENDTO, [0, 0, 0, 0, 1, 16], REPORT),
            (numbers::SENDTO, [0, 0, 0, 0, 1 << 40, 16], REPORT),
            (numbers::CLOCK_GETTIME, [0; 6], ALLOW),
            (SOCKET, [2, 0, 0, 0, 0, 0], ALLOW),
            (SOCKET, [17, 0, 0, 0, 0, 0], REPORT),
            (numbers::IOCTL, [0, 0x5401, 0, 0, 0, 0], ALLOW),
            (numbers::IOCTL, [0, 0x5412, 0, 0, 0, 0], REPORT),
            (numbers::PRLIMIT64, [0, 7, 0, 0, 0, 0], ALLOW),
            (numbers::PRLIMIT64, [1, 7, 1, 0, 0, 0], REPORT),
        ] {
            let answer = program().answer(ARCHITECTURE, number, arguments);
            assert_eq!(answer, expected, "{number} {arguments:?}");
        }
        // As a program does that calls by the old interrupt of 32-bit programs.
        assert_eq!(program().answer(0x4000_0003, 10, [0; 6]), REPORT);
    }
}
