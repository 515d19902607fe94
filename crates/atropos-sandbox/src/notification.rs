//! The kernel's interface to reported calls, and to the memory of the process that makes one.

use std::ffi::OsString;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use atropos_protocol::signals::ProcessHandle;
use atropos_protocol::sys::{self, Errno};

const IOCTL: usize = sys::numbers::IOCTL;
const PROCESS_VM_READV: usize = if cfg!(target_arch = "x86_64") {
    310
} else {
    270
};
const PIDFD_GETFD: usize = 438;

const RECEIVE: usize = 0xc050_2100;
const SEND: usize = 0xc018_2101;
const IS_VALID: usize = 0x4008_2102;
const CONTINUE: u32 = 1;

/// A call that a process waits to make: `struct seccomp_notif`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Notification {
    pub id: u64,
    /// The thread, as this process knows it.
    pub pid: u32,
    flags: u32,
    pub number: i32,
    pub architecture: u32,
    instruction: u64,
    pub arguments: [u64; 6],
}

/// `struct seccomp_notif_resp`.
#[repr(C)]
struct SeccompResponse {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// The next call, if there is one; waits for it.
pub fn receive(listener: RawFd) -> Result<Notification, Errno> {
    let mut notification = Notification::default();
    // SAFETY: the kernel fills the structure, which has its layout.
    unsafe { ask(listener, RECEIVE, &raw mut notification as usize)? };
    Ok(notification)
}

/// Lets the call happen.
pub fn let_pass(listener: RawFd, notification: &Notification) {
    answer(listener, notification, 0, CONTINUE);
}

/// The call does not happen, and fails with this error.
pub fn refuse(listener: RawFd, notification: &Notification, error: i32) {
    answer(listener, notification, -error, 0);
}

fn answer(listener: RawFd, notification: &Notification, error: i32, flags: u32) {
    let response = SeccompResponse {
        id: notification.id,
        value: 0,
        error,
        flags,
    };
    // SAFETY: the kernel reads the structure. If the process is gone by now, nobody minds.
    let _ = unsafe { ask(listener, SEND, &raw const response as usize) };
}

/// Whether the thread still waits for an answer: if so, its number means nobody else.
pub fn is_waiting(listener: RawFd, notification: &Notification) -> bool {
    // SAFETY: the kernel reads the number.
    unsafe { ask(listener, IS_VALID, &raw const notification.id as usize) }.is_ok()
}

/// # Safety
/// As for the request: what it points to must be valid.
unsafe fn ask(listener: RawFd, request: usize, argument: usize) -> Result<usize, Errno> {
    // SAFETY: the caller vouches for the argument.
    unsafe { sys::call(IOCTL, [listener as usize, request, argument, 0, 0, 0]) }
}

/// Takes a descriptor from another process.
pub fn take_descriptor(process: &ProcessHandle, theirs: RawFd) -> Result<OwnedFd, Errno> {
    let arguments = [process.descriptor() as usize, theirs as usize, 0, 0, 0, 0];
    // SAFETY: the descriptor is ours, and the call takes only numbers.
    let ours = unsafe { sys::call(PIDFD_GETFD, arguments)? };
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(ours as RawFd) })
}

/// What lies in another process's memory, as much as can be read of it.
pub fn memory(pid: i32, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0u8; length];
    let local = [bytes.as_mut_ptr() as usize, length];
    let remote = [address as usize, length];
    // SAFETY: both are `struct iovec`s; the first names our buffer with its length.
    let read = unsafe {
        sys::call(
            PROCESS_VM_READV,
            [
                pid as usize,
                local.as_ptr() as usize,
                1,
                remote.as_ptr() as usize,
                1,
                0,
            ],
        )
    };
    bytes.truncate(read.ok()?);
    Some(bytes)
}

/// A word in another process's memory.
pub fn word(pid: i32, address: u64) -> Option<u64> {
    let bytes = memory(pid, address, 8)?;
    Some(u64::from_ne_bytes(bytes.try_into().ok()?))
}

/// A path in another process's memory.
pub fn path(pid: i32, address: u64) -> Option<PathBuf> {
    const PAGE: u64 = 4096;
    let mut bytes = Vec::new();
    // A read must not go beyond the page on which the path ends: there may be nothing.
    for _ in 0..3 {
        let from = address + bytes.len() as u64;
        let rest = PAGE - from % PAGE;
        let some = memory(pid, from, rest as usize)?;
        if let Some(end) = some.iter().position(|&byte| byte == 0) {
            bytes.extend_from_slice(&some[..end]);
            return Some(PathBuf::from(OsString::from_vec(bytes)));
        }
        bytes.extend(some);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_kernels_size() {
        assert_eq!(size_of::<Notification>(), 80);
        assert_eq!(size_of::<SeccompResponse>(), 24);
    }

    #[test]
    fn paths_are_read_from_memory_wherever_they_end() {
        let this = sys::pid();
        let text = format!("/{}\0", "x".repeat(5000));
        for start in [0, 1, 4096, 4990] {
            let address = text.as_ptr() as u64 + start as u64;
            let read = path(this, address).unwrap();
            assert_eq!(read.as_os_str().len(), text.len() - 1 - start);
        }
        assert_eq!(path(this, 8), None);
    }
}
