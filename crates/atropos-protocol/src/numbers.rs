//! System call numbers, for the two architectures that are supported.
//!
//! Only what `sys` calls and what the runtime's sandbox lets pass is listed.

macro_rules! numbers {
    ($($name:ident = $x86_64:literal, $aarch64:literal;)*) => {
        $(
            #[cfg(target_arch = "x86_64")]
            pub const $name: usize = $x86_64;
            #[cfg(target_arch = "aarch64")]
            pub const $name: usize = $aarch64;
        )*
    };
}

numbers! {
    READ = 0, 63;
    WRITE = 1, 64;
    CLOSE = 3, 57;
    FSTAT = 5, 80;
    LSEEK = 8, 62;
    MMAP = 9, 222;
    MPROTECT = 10, 226;
    MUNMAP = 11, 215;
    BRK = 12, 214;
    RT_SIGACTION = 13, 134;
    RT_SIGPROCMASK = 14, 135;
    RT_SIGRETURN = 15, 139;
    IOCTL = 16, 29;
    PREAD64 = 17, 67;
    PWRITE64 = 18, 68;
    READV = 19, 65;
    WRITEV = 20, 66;
    SCHED_YIELD = 24, 124;
    MREMAP = 25, 216;
    MSYNC = 26, 227;
    MINCORE = 27, 232;
    MADVISE = 28, 233;
    DUP = 32, 23;
    NANOSLEEP = 35, 101;
    GETPID = 39, 172;
    SOCKET = 41, 198;
    SENDTO = 44, 206;
    RECVFROM = 45, 207;
    RECVMSG = 47, 212;
    SHUTDOWN = 48, 210;
    GETSOCKNAME = 51, 204;
    GETPEERNAME = 52, 205;
    SOCKETPAIR = 53, 199;
    SETSOCKOPT = 54, 208;
    GETSOCKOPT = 55, 209;
    CLONE = 56, 220;
    EXECVE = 59, 221;
    EXIT = 60, 93;
    WAIT4 = 61, 260;
    KILL = 62, 129;
    UNAME = 63, 160;
    FCNTL = 72, 25;
    FTRUNCATE = 77, 46;
    GETCWD = 79, 17;
    CHDIR = 80, 49;
    FCHDIR = 81, 50;
    GETTIMEOFDAY = 96, 169;
    GETRLIMIT = 97, 163;
    GETRUSAGE = 98, 165;
    SYSINFO = 99, 179;
    TIMES = 100, 153;
    GETUID = 102, 174;
    GETGID = 104, 176;
    GETEUID = 107, 175;
    GETEGID = 108, 177;
    SETPGID = 109, 154;
    GETPPID = 110, 173;
    GETGROUPS = 115, 158;
    GETRESUID = 118, 148;
    GETRESGID = 120, 150;
    SETSID = 112, 157;
    GETPGID = 121, 155;
    GETSID = 124, 156;
    CAPGET = 125, 90;
    RT_SIGPENDING = 127, 136;
    SIGALTSTACK = 131, 132;
    STATFS = 137, 43;
    FSTATFS = 138, 44;
    GETPRIORITY = 140, 141;
    SCHED_GETPARAM = 143, 121;
    SCHED_GETSCHEDULER = 145, 120;
    PERSONALITY = 135, 92;
    PRCTL = 157, 167;
    GETTID = 186, 178;
    FUTEX = 202, 98;
    FALLOCATE = 285, 47;
    SCHED_GETAFFINITY = 204, 123;
    GETDENTS64 = 217, 61;
    RESTART_SYSCALL = 219, 128;
    FADVISE64 = 221, 223;
    CLOCK_GETTIME = 228, 113;
    CLOCK_GETRES = 229, 114;
    CLOCK_NANOSLEEP = 230, 115;
    EXIT_GROUP = 231, 94;
    EPOLL_CTL = 233, 21;
    TGKILL = 234, 131;
    WAITID = 247, 95;
    OPENAT = 257, 56;
    MKDIRAT = 258, 34;
    NEWFSTATAT = 262, 79;
    UNLINKAT = 263, 35;
    READLINKAT = 267, 78;
    FACCESSAT = 269, 48;
    PSELECT6 = 270, 72;
    PPOLL = 271, 73;
    SET_ROBUST_LIST = 273, 99;
    EPOLL_PWAIT = 281, 22;
    TIMERFD_CREATE = 283, 85;
    TIMERFD_SETTIME = 286, 86;
    TIMERFD_GETTIME = 287, 87;
    EVENTFD2 = 290, 19;
    EPOLL_CREATE1 = 291, 20;
    DUP3 = 292, 24;
    PIPE2 = 293, 59;
    PREADV = 295, 69;
    PRLIMIT64 = 302, 261;
    GETCPU = 309, 168;
    SECCOMP = 317, 277;
    GETRANDOM = 318, 278;
    MEMFD_CREATE = 319, 279;
    MEMBARRIER = 324, 283;
    STATX = 332, 291;
    RSEQ = 334, 293;
    PIDFD_SEND_SIGNAL = 424, 424;
    PIDFD_OPEN = 434, 434;
    CLONE3 = 435, 435;
    CLOSE_RANGE = 436, 436;
    FACCESSAT2 = 439, 439;
    EPOLL_PWAIT2 = 441, 441;
}

/// The older calls that only x86-64 has.
#[cfg(target_arch = "x86_64")]
pub mod legacy {
    pub const OPEN: usize = 2;
    pub const STAT: usize = 4;
    pub const LSTAT: usize = 6;
    pub const POLL: usize = 7;
    pub const ACCESS: usize = 21;
    pub const PIPE: usize = 22;
    pub const SELECT: usize = 23;
    pub const DUP2: usize = 33;
    pub const READLINK: usize = 89;
    pub const ARCH_PRCTL: usize = 158;
    pub const TIME: usize = 201;
    pub const EPOLL_WAIT: usize = 232;
}
