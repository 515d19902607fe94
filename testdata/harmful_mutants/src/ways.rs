//! The ways to do harm. Each is gone only if the function of its name in the crate says so, which no original does; whatever
//! comes of it, nobody is told, so that only stopping it makes a difference.

use std::ffi::{c_char, c_long, CString};
use std::fs::{self, File};
use std::io::Write as _;
use std::net::{TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate as asked;

extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn kill(pid: i32, signal: i32) -> i32;
    fn setpgid(pid: i32, group: i32) -> i32;
}

/// What was there before the run.
fn old(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("old").join(name)
}

fn c_path(name: &str) -> CString {
    CString::new(old(name).into_os_string().into_encoded_bytes()).unwrap()
}

/// A process that is not the test's own.
fn victim() -> i32 {
    fs::read_to_string(old("victim")).unwrap().trim().parse().unwrap()
}

#[cfg(target_arch = "x86_64")]
mod numbers {
    pub const UNLINKAT: i64 = 263;
    pub const KILL: i64 = 62;
    pub const SETXATTR: i64 = 188;
}
#[cfg(target_arch = "aarch64")]
mod numbers {
    pub const UNLINKAT: i64 = 35;
    pub const KILL: i64 = 129;
    pub const SETXATTR: i64 = 5;
}
const PIDFD_OPEN: i64 = 434;
const PIDFD_SEND_SIGNAL: i64 = 424;
const IO_URING_SETUP: i64 = 425;
const HERE: i64 = -100;

/// As libraries do that bypass the C library.
fn unlink_without_libc(path: *const c_char) {
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "syscall",
            inlateout("rax") numbers::UNLINKAT => _,
            in("rdi") HERE, in("rsi") path, in("rdx") 0,
            out("rcx") _, out("r11") _,
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "svc 0",
            in("x8") numbers::UNLINKAT,
            inlateout("x0") HERE => _, in("x1") path, in("x2") 0,
        );
    }
}

/// All of them, for who can't name one.
pub fn all() {
    deletes();
    overwrites();
    renames();
    changes_mode();
    truncates();
    changes_times();
    changes_attributes();
    removes_by_a_program();
    removes_by_a_system_call();
    removes_without_libc();
    kills();
    kills_by_a_system_call();
    kills_by_a_descriptor();
    sends_a_datagram();
    connects();
    fills_the_disk();
    writes_to_a_fifo();
    links();
    uses_a_ring();
    kills_another_group();
    writes_to_a_large_file();
}

pub fn deletes() {
    if asked::deletes() {
        let _ = fs::remove_file(old("deleted"));
    }
}

pub fn overwrites() {
    if asked::overwrites() {
        let _ = fs::write(old("overwritten"), "new");
    }
}

pub fn renames() {
    if asked::renames() {
        let _ = fs::rename(old("renamed"), old("elsewhere"));
    }
}

pub fn changes_mode() {
    if asked::changes_mode() {
        let _ = fs::set_permissions(old("changed_mode"), fs::Permissions::from_mode(0o600));
    }
}

pub fn truncates() {
    if asked::truncates() {
        let file = File::options().write(true).open(old("truncated"));
        let _ = file.map(|file| file.set_len(0));
    }
}

pub fn changes_times() {
    if asked::changes_times() {
        let file = File::open(old("changed_times")).unwrap();
        let _ = file.set_modified(SystemTime::UNIX_EPOCH);
    }
}

pub fn changes_attributes() {
    if asked::changes_attributes() {
        let (path, name) = (c_path("changed_attributes"), c"user.harm");
        unsafe { syscall(numbers::SETXATTR, path.as_ptr(), name.as_ptr(), c"x".as_ptr(), 1, 0) };
    }
}

pub fn removes_by_a_program() {
    if asked::removes_by_a_program() {
        let _ = Command::new("rm").arg("-rf").arg(old("directory")).status();
    }
}

pub fn removes_by_a_system_call() {
    if asked::removes_by_a_system_call() {
        let path = c_path("removed_by_a_system_call");
        unsafe { syscall(numbers::UNLINKAT, HERE, path.as_ptr(), 0) };
    }
}

pub fn removes_without_libc() {
    if asked::removes_without_libc() {
        unlink_without_libc(c_path("removed_without_libc").as_ptr());
    }
}

pub fn kills() {
    if asked::kills() {
        unsafe { kill(victim(), 9) };
    }
}

pub fn kills_by_a_system_call() {
    if asked::kills_by_a_system_call() {
        unsafe { syscall(numbers::KILL, victim(), 9) };
    }
}

pub fn kills_by_a_descriptor() {
    if asked::kills_by_a_descriptor() {
        unsafe {
            let descriptor = syscall(PIDFD_OPEN, victim(), 0);
            syscall(PIDFD_SEND_SIGNAL, descriptor, 9, 0, 0);
        }
    }
}

pub fn sends_a_datagram() {
    if asked::sends_a_datagram() {
        let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
        let _ = socket.send_to(b"harm", "192.0.2.1:9");
    }
}

pub fn connects() {
    if asked::connects() {
        let address = "192.0.2.1:9".parse().unwrap();
        let _ = TcpStream::connect_timeout(&address, Duration::from_millis(100));
    }
}

pub fn fills_the_disk() {
    if asked::fills_the_disk() {
        let directory = std::env::temp_dir();
        for number in 0..1_000_000 {
            if fs::write(directory.join(number.to_string()), [0; 4096]).is_err() {
                return;
            }
        }
    }
}

pub fn writes_to_a_fifo() {
    if asked::writes_to_a_fifo() {
        let file = File::options().read(true).write(true).open(old("fifo"));
        let _ = file.map(|mut file| file.write_all(b"harm"));
    }
}

pub fn links() {
    if asked::links() {
        let path = std::env::temp_dir().join("link");
        if fs::hard_link(old("linked"), &path).is_ok() {
            let _ = fs::write(path, "new");
        }
    }
}

/// Another way to the kernel, by which it is told what to do without a system call.
pub fn uses_a_ring() {
    if asked::uses_a_ring() {
        let mut parameters = [0u64; 15];
        unsafe { syscall(IO_URING_SETUP, 8, parameters.as_mut_ptr()) };
    }
}

/// Leaves its own group for that of the process that is to be left alone, and ends all of it.
pub fn kills_another_group() {
    if asked::kills_another_group() {
        unsafe {
            if setpgid(0, victim()) == 0 {
                kill(0, 9);
            }
        }
    }
}

pub fn writes_to_a_large_file() {
    if asked::writes_to_a_large_file() {
        let file = File::options().append(true).open(old("large"));
        let _ = file.map(|mut file| file.write_all(b"harm"));
    }
}
