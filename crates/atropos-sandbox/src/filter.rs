//! The program that the kernel runs for every system call: it reports some, and lets all others pass.

use std::ffi::c_void;
use std::os::fd::RawFd;

use atropos_protocol::sys::{self, Errno, numbers};

use crate::calls::{Condition, calls};

/// One instruction of the kernel's filter machine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
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
const REPORT: u32 = 0x7fc0_0000;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;

/// Where the low half of an argument lies in what the program sees.
fn argument(index: usize) -> u32 {
    16 + 8 * index as u32
}

fn instruction(code: u16, value: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction {
        code,
        if_true,
        if_false,
        value,
    }
}

/// The program; to be made before a process is forked, which must not allocate then.
pub fn program() -> Vec<Instruction> {
    let result = |value| instruction(RETURN, value, 0, 0);
    let mut program = vec![
        instruction(LOAD, ARCHITECTURE_AT, 0, 0),
        instruction(JUMP_EQUAL, ARCHITECTURE, 1, 0),
        // Programs for another architecture have other numbers; Landlock holds for them, too.
        result(ALLOW),
        instruction(LOAD, NUMBER_AT, 0, 0),
    ];
    for call in calls() {
        let body = match call.condition {
            Condition::Always => vec![result(REPORT)],
            Condition::AnyBit(index, bits) => vec![
                instruction(LOAD, argument(index), 0, 0),
                instruction(JUMP_ANY_BIT, bits, 0, 1),
                result(REPORT),
                result(ALLOW),
            ],
            Condition::Given(index) => vec![
                instruction(LOAD, argument(index), 0, 0),
                instruction(JUMP_EQUAL, 0, 0, 2),
                instruction(LOAD, argument(index) + 4, 0, 0),
                instruction(JUMP_EQUAL, 0, 1, 0),
                result(REPORT),
                result(ALLOW),
            ],
        };
        let length = body.len() as u8;
        program.push(instruction(JUMP_EQUAL, call.number as u32, 0, length));
        program.extend(body);
    }
    program.push(result(ALLOW));
    program
}

/// Puts this process and all that it starts behind a program, for good. Gives the descriptor on which calls are reported.
/// Allocates nothing.
pub fn enter(program: &[Instruction]) -> Result<RawFd, Errno> {
    const SET_MODE_FILTER: usize = 1;
    /// Without it, older kernels slow down everything behind a filter.
    const SPECULATION_ALLOWED: usize = 1 << 2;
    const NEW_LISTENER: usize = 1 << 3;
    #[repr(C)]
    struct Filter {
        length: u16,
        instructions: *const c_void,
    }
    let filter = Filter {
        length: program.len() as u16,
        instructions: program.as_ptr().cast(),
    };
    let flags = NEW_LISTENER | SPECULATION_ALLOWED;
    let enter = || {
        // SAFETY: the filter and its instructions outlive the call, which copies them.
        unsafe {
            sys::call(
                numbers::SECCOMP,
                [SET_MODE_FILTER, flags, &raw const filter as usize, 0, 0, 0],
            )
        }
    };
    // Who may administer the machine needs no promise that its programs gain no rights; programs like `sudo` work then.
    let listener = enter().or_else(|_| {
        sys::no_new_privileges()?;
        enter()
    })?;
    Ok(listener as RawFd)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel would answer: an interpreter of the few instructions we use.
    fn answer(number: usize, arguments: [u64; 6]) -> u32 {
        let program = program();
        let mut data = [0u32; 16];
        data[0] = number as u32;
        data[1] = ARCHITECTURE;
        for (index, argument) in arguments.into_iter().enumerate() {
            data[4 + 2 * index] = argument as u32;
            data[5 + 2 * index] = (argument >> 32) as u32;
        }
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let instruction = program[at];
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
            at += usize::from(match jump {
                true => instruction.if_true,
                false => instruction.if_false,
            });
        }
    }

    #[test]
    fn calls_that_change_something_are_reported_and_others_pass() {
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
        ] {
            assert_eq!(
                answer(number, arguments),
                expected,
                "{number} {arguments:?}"
            );
        }
    }
}
