//! Landlock: the kernel refuses all writes but those below some paths, to this process and all that it starts, permanently.
//!
//! It stands behind the driver's supervisor, which stops a mutant before it comes to that. Signals to processes that are not
//! behind the same ruleset are refused as well, where the kernel can.

use std::ffi::{CStr, CString};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::{fs, io};

use crate::sys::{self, Errno};

const CREATE_RULESET: usize = 444;
const ADD_RULE: usize = 445;
const RESTRICT_SELF: usize = 446;

const WRITE_FILE: u64 = 1 << 1;
/// Removing and making entries of directories, of all kinds.
const ENTRIES: u64 = 0b1_1111_1111 << 4;
/// Moving and linking from one directory to another; from version 2 on.
const REFER: u64 = 1 << 13;
/// From version 3 on.
const TRUNCATE: u64 = 1 << 14;
/// Signals; from version 6 on.
const SCOPE_SIGNAL: u64 = 1 << 1;

/// The version of the kernel's Landlock; 0 if it has none. The first one can't be used: it knows nothing of moves between
/// directories and so refuses all of them, which tests would notice.
pub fn version() -> u64 {
    const VERSION: usize = 1;
    // SAFETY: with this flag and without a structure, the call only gives a number.
    let version = unsafe { sys::call(CREATE_RULESET, [0, 0, VERSION, 0, 0, 0]) };
    version.map_or(0, |version| version as u64)
}

/// What this process may do with files from now on.
pub struct Ruleset {
    descriptor: RawFd,
    writing: u64,
}

impl Ruleset {
    /// Nothing may be written.
    pub fn new() -> Result<Ruleset, Errno> {
        #[repr(C)]
        struct Attributes {
            files: u64,
            network: u64,
            scope: u64,
        }
        let version = version();
        if version < 2 {
            return Err(Errno(sys::ENOSYS));
        }
        let mut writing = WRITE_FILE | ENTRIES | REFER;
        if version >= 3 {
            writing |= TRUNCATE;
        }
        let attributes = Attributes {
            files: writing,
            network: 0,
            scope: if version >= 6 { SCOPE_SIGNAL } else { 0 },
        };
        let size = match version {
            ..4 => 8,
            4..6 => 16,
            _ => 24,
        };
        let pointer = &raw const attributes as usize;
        // SAFETY: the structure has at least that size.
        let descriptor = unsafe { sys::call(CREATE_RULESET, [pointer, size, 0, 0, 0, 0])? };
        Ok(Ruleset {
            descriptor: descriptor as RawFd,
            writing,
        })
    }

    /// Lets everything be written at a path and below it. What is not there needs no rule.
    pub fn allow(&self, path: &CStr) {
        const O_PATH: i32 = 0o10_000_000;
        const PATH_BENEATH: usize = 1;
        #[repr(C, packed)]
        struct Rule {
            access: u64,
            parent: i32,
        }
        let Ok(parent) = sys::open(path, O_PATH | sys::O_CLOEXEC, 0) else {
            return;
        };
        // Of a file, only its contents can be changed.
        for access in [self.writing, self.writing & (WRITE_FILE | TRUNCATE)] {
            let rule = Rule { access, parent };
            let pointer = &raw const rule as usize;
            let arguments = [self.descriptor as usize, PATH_BENEATH, pointer, 0, 0, 0];
            // SAFETY: the kernel reads the structure.
            if unsafe { sys::call(ADD_RULE, arguments) }.is_ok() {
                break;
            }
        }
        sys::close(parent);
    }

    /// Puts this process behind it.
    pub fn enforce(self) -> Result<(), Errno> {
        let enforce = || {
            let arguments = [self.descriptor as usize, 0, 0, 0, 0, 0];
            // SAFETY: the call takes only numbers.
            unsafe { sys::call(RESTRICT_SELF, arguments) }
        };
        let result = enforce().or_else(|_| {
            sys::no_new_privileges()?;
            enforce()
        });
        sys::close(self.descriptor);
        result.map(drop)
    }
}

/// The file beside a board that lists what a mutant may write to.
pub const WRITABLE: &str = "writable";

/// Devices that anybody may write to, and what processes say of themselves.
const ALWAYS: [&CStr; 9] = [
    c"/dev/null",
    c"/dev/zero",
    c"/dev/full",
    c"/dev/random",
    c"/dev/urandom",
    c"/dev/tty",
    c"/dev/ptmx",
    c"/dev/pts",
    c"/proc",
];

/// Writes the list that [`enforce_list`] reads: each path ends with a zero byte.
pub fn write_list<'p>(list: &Path, paths: impl Iterator<Item = &'p Path>) -> io::Result<()> {
    let mut bytes = Vec::new();
    for path in paths {
        bytes.extend_from_slice(path.as_os_str().as_bytes());
        bytes.push(0);
    }
    fs::write(list, bytes)
}

/// Lets this process write to what is listed beside the board, to the board's directory, and to devices, and nowhere else.
/// Without a list there is no sandbox.
pub fn enforce_list(board: &Path) {
    let Ok(list) = fs::read(board.with_file_name(WRITABLE)) else {
        return;
    };
    // Without Landlock the supervisor must do.
    let Ok(ruleset) = Ruleset::new() else { return };
    for path in ALWAYS {
        ruleset.allow(path);
    }
    if let Some(own) = board.parent().and_then(crate::sys::c_path) {
        ruleset.allow(&own);
    }
    for path in list
        .split(|&byte| byte == 0)
        .filter(|path| !path.is_empty())
    {
        if let Ok(path) = CString::new(path) {
            ruleset.allow(&path);
        }
    }
    let _ = ruleset.enforce();
}
