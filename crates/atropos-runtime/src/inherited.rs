//! What woven programs need to know that tests start: the board and the mutant, in their environment.
//!
//! A test may start a program with an environment of its own, in which that is missing. It is added for programs of the
//! same build, which lie below the directory of the test binary's own; others must not see it.

use std::ffi::{CStr, CString, c_char};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs, ptr};

use atropos_protocol::{ENV_BOARD, ENV_MUTANT, sys};

type Strings = *const *const c_char;

struct Inherited {
    /// `NAME=value`.
    variables: Vec<CString>,
    /// Where the programs of this build lie.
    programs: PathBuf,
}

static INHERITED: OnceLock<Option<Inherited>> = OnceLock::new();

unsafe extern "C" {
    static mut environ: Strings;
}

/// From here on programs get what is in this process's environment.
pub fn begin() {
    INHERITED.get_or_init(inherited);
}

fn inherited() -> Option<Inherited> {
    let variable = |name: &str| {
        let mut text = name.as_bytes().to_vec();
        text.push(b'=');
        text.extend_from_slice(env::var_os(name)?.as_bytes());
        CString::new(text).ok()
    };
    let own = fs::read_link("/proc/self/exe").ok()?;
    let directory = own.parent()?;
    let directory = match directory.file_name().is_some_and(|name| name == "deps") {
        true => directory.parent()?,
        false => directory,
    };
    Some(Inherited {
        variables: [ENV_BOARD, ENV_MUTANT]
            .into_iter()
            .filter_map(variable)
            .collect(),
        programs: directory.to_owned(),
    })
}

/// The environment that a program is to get instead of the given one.
///
/// # Safety
/// A path and an environment as `execve` takes them.
pub unsafe fn environment(path: *const c_char, given: Strings) -> Strings {
    let Some(Some(inherited)) = INHERITED.get() else {
        return given;
    };
    if path.is_null() || given.is_null() {
        return given;
    }
    // SAFETY: as the caller says.
    let path = Path::new(std::ffi::OsStr::from_bytes(
        unsafe { CStr::from_ptr(path) }.to_bytes(),
    ));
    if !path.starts_with(&inherited.programs) {
        return given;
    }
    // SAFETY: as the caller says.
    unsafe { with_all(inherited, given) }.unwrap_or(given)
}

/// As `environment`, for calls that give a program the environment of this process.
///
/// # Safety
/// As `execv`'s path.
pub unsafe fn set_own_environment(path: *const c_char) {
    // SAFETY: the caller is about to become another program.
    unsafe { environ = environment(path, environ) };
}

/// The strings with those that are missing; none if none is. It takes memory that nobody gives back, but none of the heap,
/// since a process may be between fork and exec.
///
/// # Safety
/// An environment as `execve` takes it.
unsafe fn with_all(inherited: &Inherited, given: Strings) -> Option<Strings> {
    let mut count = 0;
    let is_there = |variable: &CString| {
        let name_length = variable.as_bytes().iter().position(|&byte| byte == b'=');
        let name = &variable.as_bytes()[..=name_length.unwrap_or(0)];
        let mut at = given;
        // SAFETY: the list ends with a null pointer.
        unsafe {
            while !(*at).is_null() {
                if CStr::from_ptr(*at).to_bytes().starts_with(name) {
                    return true;
                }
                at = at.add(1);
            }
        }
        false
    };
    if inherited.variables.iter().all(is_there) {
        return None;
    }
    // SAFETY: as above.
    unsafe {
        while !(*given.add(count)).is_null() {
            count += 1;
        }
    }
    let length = (count + inherited.variables.len() + 1) * size_of::<*const c_char>();
    let list = sys::map_memory(length).ok()?.cast::<*const c_char>();
    let missing = inherited
        .variables
        .iter()
        .filter(|&variable| !is_there(variable));
    // SAFETY: the memory has room for all of them, and is zero.
    unsafe {
        ptr::copy_nonoverlapping(given, list, count);
        for (index, variable) in missing.enumerate() {
            *list.add(count + index) = variable.as_ptr();
        }
    }
    Some(list)
}
