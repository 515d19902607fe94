//! Programs for the kernel's filter of system calls (seccomp), and entering one. Which calls are filtered, and why, is for the
//! runtime's filter and for the driver's supervisor to say.

use std::ffi::c_void;

use crate::sys::{self, Errno, numbers};

/// One instruction of the kernel's filter machine: `struct sock_filter`.
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
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

/// The call is made.
pub const ALLOW: u32 = 0x7fff_0000;
/// A supervisor is asked.
pub const REPORT: u32 = 0x7fc0_0000;
/// SIGSYS is raised.
pub const TRAP: u32 = 0x0003_0000;
/// The kernel says that it has no such call.
pub const NO_SUCH_CALL: u32 = 0x0005_0000 | sys::ENOSYS as u32;

/// What the kernel calls this architecture.
#[cfg(target_arch = "x86_64")]
pub const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub const ARCHITECTURE: u32 = 0xc000_00b7;

const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
/// On x86-64 numbers from here on are those of another ABI (x32) for the same calls.
const OTHER_ABI: u32 = 0x4000_0000;

/// The most instructions of a program here; the kernel takes 4,096.
const MOST: usize = 1024;
/// The most instructions of a rule after its comparison.
const LONGEST_BODY: usize = 12;

/// On which condition a rule's answer holds. The kernel looks at numbers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Always,
    /// One of these bits of this argument is set.
    AnyBit(usize, u32),
    /// The low half of this argument is one of these, at most eight.
    OneOf(usize, &'static [u32]),
    /// This argument is not zero: a pointer is given.
    Given(usize),
}

/// A program under construction. It has a fixed size, so that it can be made where nothing may be allocated.
pub struct Program {
    instructions: [Instruction; MOST],
    length: usize,
}

const fn instruction(code: u16, value: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction {
        code,
        if_true,
        if_false,
        value,
    }
}

const fn result(value: u32) -> Instruction {
    instruction(RETURN, value, 0, 0)
}

/// Where the low half of an argument lies in what a program sees.
const fn low(index: usize) -> u32 {
    16 + 8 * index as u32
}

impl Program {
    /// Begins a program; this is the answer to calls of programs for another architecture, which have other numbers. A second
    /// ABI of this architecture is answered as if there were none, which holds for almost all kernels.
    pub fn new(other_architecture: u32) -> Program {
        let mut program = Program {
            instructions: [result(TRAP); MOST],
            length: 0,
        };
        program.push(instruction(LOAD, ARCHITECTURE_AT, 0, 0));
        program.push(instruction(JUMP_EQUAL, ARCHITECTURE, 1, 0));
        program.push(result(other_architecture));
        program.push(instruction(LOAD, NUMBER_AT, 0, 0));
        program.push(instruction(JUMP_AT_LEAST, OTHER_ABI, 0, 1));
        program.push(result(NO_SUCH_CALL));
        program
    }

    fn push(&mut self, instruction: Instruction) {
        self.instructions[self.length] = instruction;
        self.length += 1;
    }

    /// The answer to a call on a condition, and the answer without it. Later rules for the same number have no effect.
    pub fn rule(&mut self, number: usize, condition: Condition, then: u32, otherwise: u32) {
        let mut body = [result(otherwise); LONGEST_BODY];
        let length = match condition {
            Condition::Always => {
                body[0] = result(then);
                1
            }
            Condition::AnyBit(index, bits) => {
                body[0] = instruction(LOAD, low(index), 0, 0);
                body[1] = instruction(JUMP_ANY_BIT, bits, 1, 0);
                body[3] = result(then);
                4
            }
            Condition::OneOf(index, values) => {
                body[0] = instruction(LOAD, low(index), 0, 0);
                for (place, &value) in values.iter().enumerate() {
                    let skipped = values.len() - place;
                    body[place + 1] = instruction(JUMP_EQUAL, value, skipped as u8, 0);
                }
                body[values.len() + 2] = result(then);
                values.len() + 3
            }
            Condition::Given(index) => {
                body[0] = instruction(LOAD, low(index), 0, 0);
                body[1] = instruction(JUMP_EQUAL, 0, 0, 3);
                body[2] = instruction(LOAD, low(index) + 4, 0, 0);
                body[3] = instruction(JUMP_EQUAL, 0, 0, 1);
                body[5] = result(then);
                6
            }
        };
        // The accumulator holds the number again or still: bodies that load an argument return.
        self.push(instruction(JUMP_EQUAL, number as u32, 0, length as u8));
        for &instruction in &body[..length] {
            self.push(instruction);
        }
    }

    /// Ends the program with the answer to all other calls.
    pub fn finish(mut self, otherwise: u32) -> Program {
        self.push(result(otherwise));
        self
    }

    /// Puts this process and all that it starts behind the program, permanently. With the flag for it, the answer is the
    /// descriptor on which calls are reported. Allocates nothing.
    pub fn enter(&self, flags: usize) -> Result<usize, Errno> {
        const SET_MODE_FILTER: usize = 1;
        #[repr(C)]
        struct Filter {
            length: u16,
            instructions: *const c_void,
        }
        let filter = Filter {
            length: self.length as u16,
            instructions: self.instructions.as_ptr().cast(),
        };
        let pointer = &raw const filter as usize;
        // SAFETY: the filter and its instructions outlive the call, which copies them.
        unsafe { sys::call(numbers::SECCOMP, [SET_MODE_FILTER, flags, pointer, 0, 0, 0]) }
    }

    /// What the kernel would answer to a call: an interpreter of the few instructions that are used, for tests.
    pub fn answer(&self, architecture: u32, number: usize, arguments: [u64; 6]) -> u32 {
        let mut data = [0u32; 16];
        data[0] = number as u32;
        data[1] = architecture;
        for (index, argument) in arguments.into_iter().enumerate() {
            data[4 + 2 * index] = argument as u32;
            data[5 + 2 * index] = (argument >> 32) as u32;
        }
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let instruction = self.instructions[at];
            at += 1;
            let jump = match instruction.code {
                LOAD => {
                    accumulator = data[instruction.value as usize / 4];
                    continue;
                }
                RETURN => return instruction.value,
                JUMP_EQUAL => accumulator == instruction.value,
                JUMP_AT_LEAST => accumulator >= instruction.value,
                JUMP_ANY_BIT => accumulator & instruction.value != 0,
                code => unreachable!("instruction {code:#x}"),
            };
            at += usize::from(match jump {
                true => instruction.if_true,
                false => instruction.if_false,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_condition_decides_by_its_argument() {
        let mut program = Program::new(TRAP);
        program.rule(1, Condition::Always, REPORT, ALLOW);
        program.rule(2, Condition::AnyBit(1, 0b101), REPORT, ALLOW);
        program.rule(3, Condition::OneOf(0, &[7, 9]), ALLOW, TRAP);
        program.rule(4, Condition::Given(2), TRAP, ALLOW);
        let program = program.finish(NO_SUCH_CALL);
        for (number, arguments, expected) in [
            (1, [0; 6], REPORT),
            (2, [0, 0b010, 0, 0, 0, 0], ALLOW),
            (2, [0, 0b110, 0, 0, 0, 0], REPORT),
            (3, [7, 0, 0, 0, 0, 0], ALLOW),
            (3, [9, 0, 0, 0, 0, 0], ALLOW),
            (3, [8, 0, 0, 0, 0, 0], TRAP),
            (4, [0; 6], ALLOW),
            (4, [0, 0, 1, 0, 0, 0], TRAP),
            (4, [0, 0, 1 << 40, 0, 0, 0], TRAP),
            (5, [0; 6], NO_SUCH_CALL),
            (1 | OTHER_ABI as usize, [0; 6], NO_SUCH_CALL),
        ] {
            let answer = program.answer(ARCHITECTURE, number, arguments);
            assert_eq!(answer, expected, "{number} {arguments:?}");
        }
        assert_eq!(program.answer(0x4000_0003, 1, [0; 6]), TRAP);
    }
}
