//! The system calls that may change something outside the process, and which of their arguments say what.

use atropos_protocol::seccomp::Condition;
use atropos_protocol::sys;

/// The index of an argument.
pub type Argument = usize;

/// A path: relative to the directory open as one argument, or to the working directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathArgument {
    pub directory: Option<Argument>,
    pub path: Argument,
}

/// What a call may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PossibleChange {
    /// Opens a file for writing, if the flags (or the structure that this argument points to) say so; makes it if they say so.
    Open(PathArgument, Flags),
    /// The contents or attributes of what is at a path.
    Content(PathArgument),
    /// The attributes of what is open.
    Opened(Argument),
    /// Makes something at a path where nothing is.
    Make(PathArgument),
    /// Removes what is at a path.
    Remove(PathArgument),
    /// Moves something to another path.
    Move(PathArgument, PathArgument),
    /// Gives a file a second path.
    Link(PathArgument, PathArgument),
    /// Sends a signal to a process or group.
    Signal(Argument),
    /// Sends a signal to the process that this descriptor stands for.
    SignalByDescriptor(Argument),
    /// Makes a process a member of this group, to which signals are sent.
    JoinGroup(Argument),
    /// Sends something to the address that this argument points to, of this length.
    Address(Argument, Argument),
    /// Takes an address, which may be a path.
    Bind(Argument, Argument),
    /// Sends the message that this argument points to.
    Message(Argument),
    /// Sends as many messages as the second argument says, which lie where the first points to.
    Messages(Argument, Argument),
    /// Makes a process or group the owner of what is open, to which the kernel sends signals: the command, and whom it means.
    Owner(Argument, Argument),
    /// Asks something of what is open; only requests that change something are reported.
    Request(Argument, Argument),
    /// Changes how a process, a group or all of a user's processes are scheduled: what is meant, and whom, with the number that
    /// means a process.
    Priority(Argument, Argument, u32),
    /// Makes a socket of this family, which does not lead to an address that could be looked at.
    Family(Argument),
    /// Makes a file that takes memory.
    MemoryFile,
    /// Sets the clock if the structure that this argument points to says so.
    Clock(Argument),
    /// Changes the machine for everybody, or uses what all of it shares.
    Machine,
    /// Goes to the kernel by a way that nobody can watch.
    Unwatched,
}

/// Where the flags of a call that opens a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flags {
    Argument(Argument),
    /// The first word of a structure.
    Behind(Argument),
    /// Those of `creat`.
    Create,
}

pub const WRITING: u32 =
    (sys::O_WRONLY | sys::O_RDWR | sys::O_CREAT | sys::O_TRUNC | sys::O_TMPFILE) as u32;

/// Requests that change something of what need not be open for writing: text typed into a terminal (two ways), flags and
/// attributes of a file (three), and owners, to which signals are sent (two).
pub const REQUESTS: &[u32] = &[
    0x5412,
    0x541c,
    0x4008_6602,
    0x401c_5820,
    0x4008_7602,
    OWNERS[0],
    OWNERS[1],
];
/// `FIOSETOWN` and `SIOCSPGRP`.
pub const OWNERS: [u32; 2] = [0x8901, 0x8902];

/// Commands of `fcntl` that make a process the owner of what is open, by its number and by a structure.
pub const SET_OWNER: u32 = 8;
pub const SET_OWNER_BY_STRUCTURE: u32 = 15;

/// Families of sockets whose addresses are not those of the internet: keys, the network's settings, packets, CAN, TIPC,
/// Bluetooth, virtual machines, XDP.
const FAMILIES: &[u32] = &[15, 16, 17, 29, 30, 31, 40, 44];

/// A call that is reported.
#[derive(Clone, Copy, Debug)]
pub struct SystemCall {
    pub number: usize,
    pub name: &'static str,
    pub condition: Condition,
    pub change: PossibleChange,
}

const fn at(directory: Argument, path: Argument) -> PathArgument {
    PathArgument {
        directory: Some(directory),
        path,
    }
}

const fn here(path: Argument) -> PathArgument {
    PathArgument {
        directory: None,
        path,
    }
}

macro_rules! calls {
    ($($name:ident = $x86_64:expr, $aarch64:expr => $condition:expr, $change:expr;)*) => {
        /// All of them. A number below zero: this architecture has no such call.
        pub fn calls() -> impl Iterator<Item = SystemCall> {
            use PossibleChange::*;
            use Condition::*;
            const NUMBERS: &[(i32, &str, Condition, PossibleChange)] = &[
                $((
                    if cfg!(target_arch = "x86_64") { $x86_64 } else { $aarch64 },
                    stringify!($name),
                    $condition,
                    $change,
                ),)*
            ];
            NUMBERS.iter().filter(|(number, ..)| *number >= 0).map(
                |&(number, name, condition, change)| SystemCall {
                    number: number as usize,
                    name,
                    condition,
                    change,
                },
            )
        }
    };
}

calls! {
    open = 2, -1 => AnyBit(1, WRITING), Open(here(0), Flags::Argument(1));
    openat = 257, 56 => AnyBit(2, WRITING), Open(at(0, 1), Flags::Argument(2));
    openat2 = 437, 437 => Always, Open(at(0, 1), Flags::Behind(2));
    creat = 85, -1 => Always, Open(here(0), Flags::Create);
    memfd_create = 319, 279 => Always, MemoryFile;
    truncate = 76, 45 => Always, Content(here(0));
    mkdir = 83, -1 => Always, Make(here(0));
    mkdirat = 258, 34 => Always, Make(at(0, 1));
    mknod = 133, -1 => Always, Make(here(0));
    mknodat = 259, 33 => Always, Make(at(0, 1));
    symlink = 88, -1 => Always, Make(here(1));
    symlinkat = 266, 36 => Always, Make(at(1, 2));
    rmdir = 84, -1 => Always, Remove(here(0));
    unlink = 87, -1 => Always, Remove(here(0));
    unlinkat = 263, 35 => Always, Remove(at(0, 1));
    rename = 82, -1 => Always, Move(here(0), here(1));
    renameat = 264, 38 => Always, Move(at(0, 1), at(2, 3));
    renameat2 = 316, 276 => Always, Move(at(0, 1), at(2, 3));
    link = 86, -1 => Always, Link(here(0), here(1));
    linkat = 265, 37 => Always, Link(at(0, 1), at(2, 3));
    chmod = 90, -1 => Always, Content(here(0));
    fchmod = 91, 52 => Always, Opened(0);
    fchmodat = 268, 53 => Always, Content(at(0, 1));
    fchmodat2 = 452, 452 => Always, Content(at(0, 1));
    chown = 92, -1 => Always, Content(here(0));
    lchown = 94, -1 => Always, Content(here(0));
    fchown = 93, 55 => Always, Opened(0);
    fchownat = 260, 54 => Always, Content(at(0, 1));
    utime = 132, -1 => Always, Content(here(0));
    utimes = 235, -1 => Always, Content(here(0));
    futimesat = 261, -1 => Always, Content(at(0, 1));
    utimensat = 280, 88 => Always, Content(at(0, 1));
    setxattr = 188, 5 => Always, Content(here(0));
    lsetxattr = 189, 6 => Always, Content(here(0));
    fsetxattr = 190, 7 => Always, Opened(0);
    removexattr = 197, 14 => Always, Content(here(0));
    lremovexattr = 198, 15 => Always, Content(here(0));
    fremovexattr = 199, 16 => Always, Opened(0);
    kill = 62, 129 => Always, Signal(0);
    tkill = 200, 130 => Always, Signal(0);
    tgkill = 234, 131 => Always, Signal(0);
    rt_sigqueueinfo = 129, 138 => Always, Signal(0);
    rt_tgsigqueueinfo = 297, 240 => Always, Signal(0);
    pidfd_send_signal = 424, 424 => Always, SignalByDescriptor(0);
    setpgid = 109, 154 => Given(1), JoinGroup(1);
    connect = 42, 203 => Always, Address(1, 2);
    sendto = 44, 206 => Given(4), Address(4, 5);
    sendmsg = 46, 211 => Always, Message(1);
    sendmmsg = 307, 269 => Always, Messages(1, 2);
    bind = 49, 200 => Always, Bind(1, 2);
    socket = 41, 198 => OneOf(0, FAMILIES), Family(0);
    fcntl = 72, 25 => OneOf(1, &[SET_OWNER, SET_OWNER_BY_STRUCTURE]), Owner(1, 2);
    ioctl = 16, 29 => OneOf(1, REQUESTS), Request(0, 1);
    setxattrat = 463, 463 => Always, Content(at(0, 1));
    removexattrat = 466, 466 => Always, Content(at(0, 1));
    file_setattr = 469, 469 => Always, Content(at(0, 1));
    open_by_handle_at = 304, 265 => AnyBit(2, WRITING), Machine;
    ptrace = 101, 117 => Given(1), Signal(1);
    process_vm_writev = 311, 271 => Always, Signal(0);
    pidfd_getfd = 438, 438 => Always, SignalByDescriptor(0);
    process_madvise = 440, 440 => Always, SignalByDescriptor(0);
    process_mrelease = 448, 448 => Always, SignalByDescriptor(0);
    migrate_pages = 256, 238 => Given(0), Signal(0);
    move_pages = 279, 239 => Given(0), Signal(0);
    prlimit64 = 302, 261 => Given(0), Signal(0);
    sched_setaffinity = 203, 122 => Given(0), Signal(0);
    sched_setparam = 142, 118 => Given(0), Signal(0);
    sched_setscheduler = 144, 119 => Given(0), Signal(0);
    sched_setattr = 314, 274 => Given(0), Signal(0);
    setpriority = 141, 140 => Always, Priority(0, 1, 0);
    ioprio_set = 251, 30 => Always, Priority(0, 1, 1);
    io_uring_setup = 425, 425 => Always, Unwatched;
    io_uring_enter = 426, 426 => Always, Unwatched;
    io_uring_register = 427, 427 => Always, Unwatched;
    shmget = 29, 194 => Always, Machine;
    shmat = 30, 196 => Always, Machine;
    shmctl = 31, 195 => Always, Machine;
    semget = 64, 190 => Always, Machine;
    semop = 65, 193 => Always, Machine;
    semtimedop = 220, 192 => Always, Machine;
    semctl = 66, 191 => Always, Machine;
    msgget = 68, 186 => Always, Machine;
    msgsnd = 69, 189 => Always, Machine;
    msgrcv = 70, 188 => Always, Machine;
    msgctl = 71, 187 => Always, Machine;
    mq_open = 240, 180 => Always, Machine;
    mq_unlink = 241, 181 => Always, Machine;
    bpf = 321, 280 => Always, Machine;
    add_key = 248, 217 => Always, Machine;
    request_key = 249, 218 => Always, Machine;
    keyctl = 250, 219 => Always, Machine;
    fanotify_init = 300, 262 => Always, Machine;
    fspick = 433, 433 => Always, Machine;
    quotactl_fd = 443, 443 => Always, Machine;
    syslog = 103, 116 => Always, Machine;
    vhangup = 153, 58 => Always, Machine;
    chroot = 161, 51 => Always, Machine;
    setns = 308, 268 => Always, Machine;
    move_mount = 429, 429 => Always, Machine;
    mount_setattr = 442, 442 => Always, Machine;
    acct = 163, 89 => Always, Machine;
    quotactl = 179, 60 => Always, Machine;
    adjtimex = 159, 171 => Always, Clock(0);
    clock_adjtime = 305, 266 => Always, Clock(1);
    iopl = 172, -1 => Always, Machine;
    ioperm = 173, -1 => Always, Machine;
    kexec_file_load = 320, 294 => Always, Machine;
    mount = 165, 40 => Always, Machine;
    umount2 = 166, 39 => Always, Machine;
    pivot_root = 155, 41 => Always, Machine;
    swapon = 167, 224 => Always, Machine;
    swapoff = 168, 225 => Always, Machine;
    reboot = 169, 142 => Always, Machine;
    sethostname = 170, 161 => Always, Machine;
    setdomainname = 171, 162 => Always, Machine;
    settimeofday = 164, 170 => Always, Machine;
    clock_settime = 227, 112 => Always, Machine;
    init_module = 175, 105 => Always, Machine;
    finit_module = 313, 273 => Always, Machine;
    delete_module = 176, 106 => Always, Machine;
    kexec_load = 246, 104 => Always, Machine;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use atropos_protocol::sys::numbers;

    use super::*;

    #[test]
    fn numbers_are_different_and_agree_with_those_of_the_protocol() {
        let mut seen = BTreeSet::new();
        for call in calls() {
            assert!(seen.insert(call.number), "{} has another's", call.name);
        }
        for (name, number) in [
            ("openat", numbers::OPENAT),
            ("mkdirat", numbers::MKDIRAT),
            ("unlinkat", numbers::UNLINKAT),
            ("kill", numbers::KILL),
            ("tgkill", numbers::TGKILL),
            ("pidfd_send_signal", numbers::PIDFD_SEND_SIGNAL),
            ("sendto", numbers::SENDTO),
        ] {
            let call = calls().find(|call| call.name == name).unwrap();
            assert_eq!(call.number, number, "{name}");
        }
    }
}
