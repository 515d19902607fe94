//! Programs under supervision: what they may do, and what they are stopped before.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use atropos_protocol::sys;
use atropos_protocol::undo::Log;
use atropos_sandbox::{
    Harm, Permissions, Supervisor, SupervisorMode, SupervisorSettings, UndoSettings, unavailable,
};

struct Ran {
    status: ExitStatus,
    seen: Permissions,
    harm: Option<Harm>,
}

/// What is there is older than this, and what comes is not: file systems look at a clock that moves every few milliseconds.
fn now() -> u64 {
    let step = Duration::from_millis(20);
    std::thread::sleep(step);
    let now = sys::since_1970();
    std::thread::sleep(step);
    now
}

/// Runs a shell script that may do everything below `own`; everything that is there now is old.
fn run(script: &str, directory: &Path, own: &Path, mode: SupervisorMode) -> Ran {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", script])
        .current_dir(directory)
        // As every test has one.
        .process_group(0);
    let supervisor = Supervisor::attach(
        &mut command,
        SupervisorSettings {
            own: vec![own.to_owned()],
            began: now(),
            ..SupervisorSettings::default()
        },
    )
    .unwrap();
    supervisor.set_mode(mode);
    // What it prints goes to pipes: our own output may be an old file.
    let status = command.output().unwrap().status;
    Ran {
        status,
        seen: supervisor.seen(),
        harm: supervisor.harm(),
    }
}

/// A directory with an old file and one that belongs to the program.
fn places() -> (tempfile::TempDir, tempfile::TempDir) {
    let (old, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(old.path().join("file"), "old").unwrap();
    fs::create_dir(old.path().join("directory")).unwrap();
    fs::write(old.path().join("directory/inner"), "old").unwrap();
    (old, own)
}

#[test]
fn a_program_is_stopped_before_it_harms_old_files() {
    if let Some(why) = unavailable() {
        eprintln!("not supervised here: {why}");
        return;
    }
    for script in [
        "rm file",
        "echo new > file",
        "echo more >> file",
        "mv file other",
        "ln file other",
        "chmod 600 file",
        "touch -d 2001-01-01 file",
        "truncate -s 0 file",
        "rm -rf directory",
        "mkdir other",
        "mkfifo other",
        "echo x > other",
        "ln -s file other",
        "(exec 2>/dev/null; (rm file) & wait)",
    ] {
        let (old, own) = places();
        let before = fs::metadata(old.path().join("file")).unwrap();
        let ran = run(
            script,
            old.path(),
            own.path(),
            SupervisorMode::Enforce(Permissions::default()),
        );
        assert!(ran.harm.is_some(), "{script}");
        assert_eq!(ran.status.signal(), Some(9), "{script}");
        let after = fs::metadata(old.path().join("file")).expect(script);
        assert_eq!(fs::read_to_string(old.path().join("file")).unwrap(), "old");
        assert_eq!(after.permissions().mode(), before.permissions().mode());
        assert_eq!(after.mtime(), before.mtime(), "{script}");
        assert!(old.path().join("directory/inner").exists(), "{script}");
        assert_eq!(fs::read_dir(old.path()).unwrap().count(), 2, "{script}");
    }
}

#[test]
fn what_the_original_did_may_be_done_again_and_no_more() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    let script = "echo new > file; echo x > other; rm other; mkdir -p a/b; echo y > a/b/c; rm -r a";
    let original = run(script, old.path(), own.path(), SupervisorMode::Observe);
    assert!(original.status.success() && original.harm.is_none());
    let root = old.path().canonicalize().unwrap();
    assert!(original.seen.files.contains(&root.join("file")));
    assert!(original.seen.directories.contains(&root));
    assert!(!original.seen.network && !original.seen.signals);
    let again = SupervisorMode::Enforce(original.seen.clone());
    let ran = run(script, old.path(), own.path(), again.clone());
    assert!(ran.status.success(), "{:?}", ran.harm);
    let ran = run("rm directory/inner", old.path(), own.path(), again);
    assert!(ran.harm.is_some() && old.path().join("directory/inner").exists());
}

#[test]
fn everything_is_allowed_in_the_programs_own_directory() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    let script = format!(
        "cd {} && echo a > a && chmod 600 a && mv a b && ln b c && mkdir -p d/e && rm -r b c d && cat {}/file > /dev/null",
        own.path().display(),
        old.path().display()
    );
    let mode = SupervisorMode::Enforce(Permissions::default());
    let ran = run(&script, old.path(), own.path(), mode);
    assert!(ran.status.success(), "{:?}", ran.harm);
}

#[test]
fn signals_reach_only_ones_own_processes() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    let mut other = Command::new("sleep").arg("100").spawn().unwrap();
    let enforce = || SupervisorMode::Enforce(Permissions::default());
    // A signal that nobody minds: if it went through, it would reach every process of the machine.
    for script in [format!("kill {}", other.id()), "kill -URG -1".to_owned()] {
        let ran = run(&script, old.path(), own.path(), enforce());
        assert!(ran.harm.is_some(), "{script}");
    }
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
    let script = "sleep 100 & kill $!; wait $!; test $? = 143";
    let ran = run(script, old.path(), own.path(), enforce());
    assert!(ran.status.success(), "{:?}", ran.harm);
}

#[test]
fn large_old_files_can_be_changed_by_nobody() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    fs::File::create(old.path().join("large"))
        .unwrap()
        .set_len(70 << 20)
        .unwrap();
    let script = "echo x >> large";
    let original = run(script, old.path(), own.path(), SupervisorMode::Observe);
    assert!(original.status.success());
    let ran = run(
        script,
        old.path(),
        own.path(),
        SupervisorMode::Enforce(original.seen),
    );
    assert!(ran.harm.is_some());
}

/// Runs a program in Python that calls the kernel by number: `call(number, …)` gives its answer.
fn run_python(program: &str, directory: &Path, own: &Path, mode: SupervisorMode) -> Ran {
    let script = format!(
        "exec python3 - <<'END'\nimport ctypes, os, socket, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n\
         def call(*a):\n    return libc.syscall(*(ctypes.c_long(x) if isinstance(x, int) else x for x in a))\n{program}\nEND\n"
    );
    run(&script, directory, own, mode)
}

fn has_python() -> bool {
    Command::new("python3").arg("-V").output().is_ok()
}

/// Ways around the usual calls, each with words of what it is stopped before.
const WAYS_AROUND: [(&str, &str); 26] = [
    (
        "call(425, 8, ctypes.create_string_buffer(120))",
        "io_uring_setup",
    ),
    ("call(426, 3, 1, 0, 0, 0, 0)", "io_uring_enter"),
    ("call(101, 16, os.getppid(), 0, 0)", "ptrace"),
    ("call(302, os.getppid(), 7, 0, 0)", "prlimit64"),
    (
        "call(311, os.getppid(), 0, 0, 0, 0, 0)",
        "process_vm_writev",
    ),
    ("os.setpriority(os.PRIO_USER, 0, 5)", "setpriority"),
    (
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)",
        "setpriority",
    ),
    (
        // SIGURG, which nobody minds: if it went through, it would reach the shell that runs the tests.
        "os.setpgid(0, os.getpgid(os.getppid())); os.kill(0, 23)",
        "setpgid",
    ),
    ("call(29, 1, 10, 0o1666)", "shmget"),
    ("call(240, b'harm', 0o102, 0o600, 0)", "mq_open"),
    ("socket.socket(17, 3, 0)", "socket"),
    ("socket.socket(16, 3, 0)", "socket"),
    (
        "f = os.open('file', os.O_RDONLY); call(16, f, 0x40086602, ctypes.byref(ctypes.c_long(0)))",
        "ioctl",
    ),
    ("call(16, 0, 0x5412, b'x')", "ioctl"),
    (
        "open('/proc/%d/oom_score_adj' % os.getppid(), 'w')",
        "openat",
    ),
    ("socket.socket(socket.AF_UNIX).connect('socket')", "connect"),
    (
        "s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.sendto(b'x', ('2001:db8::1', 9))",
        "sendto",
    ),
    (
        "socket.socket(socket.AF_UNIX).connect(open('name').read())",
        "connect (the program behind @",
    ),
    (
        "socket.create_connection(('127.0.0.1', int(open('port').read())))",
        "connect (the program behind a port",
    ),
    (
        "s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.sendto(b'x', ('::1', int(open('port').read())))",
        "sendto (the program behind a port",
    ),
    (
        "import fcntl; f = os.pipe()[0]; fcntl.fcntl(f, fcntl.F_SETOWN, os.getppid())",
        "fcntl to a process",
    ),
    (
        "import fcntl, struct; f = os.pipe()[0]; fcntl.fcntl(f, 15, struct.pack('ii', 1, os.getppid()))",
        "fcntl to a process",
    ),
    (
        "import fcntl, struct; s = socket.socket(); fcntl.ioctl(s, 0x8901, struct.pack('i', os.getppid()))",
        "ioctl to a process",
    ),
    ("call(250, 3, -3)", "keyctl"),
    ("os.utime('file', (1, 1))", "utimensat"),
    ("os.setxattr('file', 'user.a', b'x')", "setxattr"),
];

/// Sockets at which this process waits, which is a foreign program to the supervised one: at the path `socket`, and at the name
/// and port that the files of these names hold.
fn foreign_programs(directory: &Path) -> impl Sized + use<> {
    let path = UnixListener::bind(directory.join("socket")).unwrap();
    let name = format!("atropos {}", directory.display());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let abstract_name = UnixListener::bind_addr(&address).unwrap();
    fs::write(directory.join("name"), format!("\0{name}")).unwrap();
    let tcp = TcpListener::bind("[::]:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    let udp = UdpSocket::bind(("::", port)).unwrap();
    fs::write(directory.join("port"), port.to_string()).unwrap();
    (path, abstract_name, tcp, udp)
}

#[test]
#[cfg(target_arch = "x86_64")]
fn ways_around_the_usual_calls_are_stopped_as_well() {
    if unavailable().is_some() || !has_python() {
        return;
    }
    for (program, call) in WAYS_AROUND {
        let (old, own) = places();
        let _listeners = foreign_programs(old.path());
        let enforce = SupervisorMode::Enforce(Permissions::default());
        let ran = run_python(program, old.path(), own.path(), enforce);
        let Some(Harm::Call(said)) = &ran.harm else {
            panic!("{program} went through, {}", ran.status)
        };
        assert!(said.starts_with(call), "{program}: {said}");
        assert_eq!(ran.status.signal(), Some(9), "{program}");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn what_the_original_talked_to_its_mutants_may_but_rings_nobody() {
    if unavailable().is_some() || !has_python() {
        return;
    }
    let (old, own) = places();
    let _listeners = foreign_programs(old.path());
    let harm_after = |program: &str| {
        let original = run_python(program, old.path(), own.path(), SupervisorMode::Observe);
        assert!(original.status.success() && original.harm.is_none());
        run_python(
            program,
            old.path(),
            own.path(),
            SupervisorMode::Enforce(original.seen),
        )
        .harm
    };
    assert_eq!(
        harm_after("socket.socket(socket.AF_UNIX).connect('socket')"),
        None
    );
    let by_name = "socket.socket(socket.AF_UNIX).connect(open('name').read())";
    assert_eq!(harm_after(by_name), None);
    let by_port = "socket.create_connection(('127.0.0.1', int(open('port').read())))";
    assert_eq!(harm_after(by_port), None);
    assert_eq!(harm_after("socket.socket(16, 3, 0)"), None);
    assert_eq!(harm_after("call(29, 1, 10, 0)"), None);
    let ring = "call(425, 8, ctypes.create_string_buffer(120))";
    assert!(harm_after(ring).is_some());
}

#[test]
fn harmless_relatives_of_harmful_calls_pass() {
    if unavailable().is_some() || !has_python() {
        return;
    }
    let (old, own) = places();
    for program in [
        "os.setpriority(os.PRIO_PROCESS, 0, 5)",
        "os.kill(0, 0)",
        "os.setpgid(0, 0); os.kill(0, 23)",
        "import threading; t = threading.Thread(target=lambda: call(200, call(186), 23)); t.start(); t.join()",
        "os.sched_setaffinity(0, os.sched_getaffinity(0))",
        "open('/proc/self/oom_score_adj').read(); open('/proc/self/comm', 'w').write('x')",
        "open('/dev/stderr', 'w'); open('/dev/null', 'w'); open('/dev/fd/2', 'w')",
        "a, b = socket.socketpair(); a.sendmsg([b'x']); b.recv(1)",
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); socket.create_connection(s.getsockname())",
        "s = socket.socket(socket.AF_UNIX); s.bind(''); s.listen(); socket.socket(socket.AF_UNIX).connect(s.getsockname())",
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('127.0.0.1', 0)); s.sendto(b'x', s.getsockname())",
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\nif os.fork() == 0: socket.create_connection(s.getsockname()); os._exit(0)\nassert os.wait()[1] == 0",
        "import fcntl; f = os.pipe()[0]; fcntl.fcntl(f, fcntl.F_SETOWN, os.getpid()); fcntl.fcntl(f, fcntl.F_SETOWN, 0)",
        "assert socket.socket().connect_ex(('127.0.0.1', 1)) != 0",
    ] {
        let ran = run_python(
            program,
            old.path(),
            own.path(),
            SupervisorMode::Enforce(Permissions::default()),
        );
        assert!(ran.status.success(), "{program}: {:?}", ran.harm);
    }
}

#[test]
fn there_is_room_for_other_programs_tasks_and_no_core_is_written() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    let script = "n=$(ulimit -u); test \"$n\" != unlimited && test \"$n\" -lt 60000 && test $(ulimit -c) = 0 && test $(cat /proc/self/oom_score_adj) = 1000";
    // `ulimit -u` is not in every shell.
    let script = format!("exec bash -c '{script}'");
    let ran = run(
        &script,
        old.path(),
        own.path(),
        SupervisorMode::Enforce(Permissions::default()),
    );
    assert!(ran.status.success(), "{:?}", ran.status);
}

#[test]
fn calls_that_fail_in_any_case_do_no_harm_however_often() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    // Nothing is there to be removed or moved; a directory that is there can't be made.
    let script = format!(
        "for try in $(seq 300); do rmdir nothing '' ; mkdir directory {0}/mine; set -C; true > {0}/new; done 2>/dev/null; true",
        own.path().display()
    );
    let mode = SupervisorMode::Enforce(Permissions::default());
    let ran = run(&script, old.path(), own.path(), mode);
    assert!(ran.status.success(), "{:?}", ran.harm);
}

#[test]
fn so_many_new_files_are_too_many_wherever_they_are() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    let enforce = || SupervisorMode::Enforce(Permissions::default());
    let make = |number: u32| format!("for number in $(seq {number}); do : > $number; done; ");
    let inside = format!("cd {}; ", own.path().display());
    let ran = run(
        &(inside.clone() + &make(5_100)),
        old.path(),
        own.path(),
        enforce(),
    );
    assert!(matches!(ran.harm, Some(Harm::Files(_))), "{:?}", ran.harm);
    // What is removed takes no space.
    let script = inside + "rm *; " + &make(3_000) + "rm *; " + &make(3_000);
    let ran = run(&script, old.path(), own.path(), enforce());
    assert!(ran.status.success(), "{:?}", ran.harm);
}

#[test]
fn so_many_bytes_are_too_many_in_however_many_files() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    let enforce = || SupervisorMode::Enforce(Permissions::default());
    // No single file is large.
    let script = |files: u32| {
        format!(
            "cd {}; for number in $(seq {files}); do fallocate -l 100M $number || exit 3; done; sleep 1; rm *",
            own.path().display()
        )
    };
    let ran = run(&script(30), old.path(), own.path(), enforce());
    if ran.status.code() == Some(3) {
        eprintln!("not tried: the file system has no room, or can't give it without writing");
        return;
    }
    assert!(matches!(ran.harm, Some(Harm::Files(_))), "{:?}", ran.harm);
    for entry in fs::read_dir(own.path()).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let original = run(&script(2), old.path(), own.path(), SupervisorMode::Observe);
    assert!(original.seen.taken.bytes >= 200 << 20);
    // Ten times the original's more.
    let enforce = SupervisorMode::Enforce(original.seen);
    let ran = run(&script(15), old.path(), own.path(), enforce);
    assert!(ran.status.success(), "{:?}", ran.harm);
}

#[test]
fn so_many_threads_and_processes_are_too_many() {
    if unavailable().is_some() || !has_python() {
        return;
    }
    let (old, own) = places();
    let program = "import threading, time\nthreading.stack_size(65536)\n\
        for _ in range(3000): threading.Thread(target=time.sleep, args=(100,), daemon=True).start()\n\
        time.sleep(100)";
    let mode = SupervisorMode::Enforce(Permissions::default());
    let ran = run_python(program, old.path(), own.path(), mode);
    if ran.status.code() == Some(1) {
        eprintln!("not tried: so many can't be started here");
        return;
    }
    let Some(Harm::Call(said)) = &ran.harm else {
        panic!("{:?}, {}", ran.harm, ran.status)
    };
    assert!(said.contains("processes and threads"), "{said}");
}

/// The number of a process that is gone: the system gives it to another one when it has given all others.
fn number_of_nobody() -> u32 {
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    gone.id()
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_signal_to_nobody_is_not_sent_because_somebody_may_come() {
    if unavailable().is_some() || !has_python() {
        return;
    }
    let (old, own) = places();
    // The kernel would look at the new limits first, which lie nowhere (EFAULT). The answer ESRCH is ours.
    let program = format!(
        "assert call(302, {}, 7, 1, 0) == -1; assert ctypes.get_errno() == 3, ctypes.get_errno()",
        number_of_nobody()
    );
    let ran = run_python(
        &program,
        old.path(),
        own.path(),
        SupervisorMode::Enforce(Permissions::default()),
    );
    assert!(ran.status.success(), "{:?}", ran.harm);
}

#[test]
fn what_started_the_program_outlives_however_many_programs_are_stopped() {
    if unavailable().is_some() {
        return;
    }
    // A process that is just being released has no number. Who takes 0 for it kills its own group: this process.
    let (old, own) = places();
    for _ in 0..40 {
        let script = "(rm file) & (rm file) & wait";
        let ran = run(
            script,
            old.path(),
            own.path(),
            SupervisorMode::Enforce(Permissions::default()),
        );
        assert!(ran.harm.is_some() && old.path().join("file").exists());
    }
}

/// Runs a script that may make new files in `place`, and undoes what it did.
fn run_undone(script: &str, place: &Path, permissions: Permissions) -> Ran {
    let own = tempfile::tempdir().unwrap();
    let board = own.path().join("board");
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", script])
        .current_dir(place)
        .process_group(0);
    let setting = SupervisorSettings {
        own: vec![own.path().to_owned()],
        began: now(),
        places: vec![place.to_owned()],
        undone: Some(UndoSettings {
            board: board.clone(),
            generation: Box::new(|| 0),
            on_change: Box::new(|| ()),
        }),
        ..SupervisorSettings::default()
    };
    let supervisor = Supervisor::attach(&mut command, setting).unwrap();
    supervisor.set_mode(SupervisorMode::Enforce(permissions));
    let status = command.status().unwrap();
    Log::of(&board).undo();
    Ran {
        status,
        seen: supervisor.seen(),
        harm: supervisor.harm(),
    }
}

#[test]
fn what_programs_make_in_a_place_is_gone_afterwards() {
    if unavailable().is_some() {
        return;
    }
    for script in [
        "echo x > new; echo y > new",
        "mkdir -p a/b; echo x > a/b/c; mv a/b/c a/d; mv a e",
        "ln -s file link; mkfifo pipe",
    ] {
        let (old, _) = places();
        let ran = run_undone(script, old.path(), Permissions::default());
        assert!(ran.status.success(), "{script}: {:?}", ran.harm);
        assert_eq!(fs::read_dir(old.path()).unwrap().count(), 2, "{script}");
    }
    for script in ["echo x >> file", "rm file", "mv directory other"] {
        let (old, _) = places();
        let ran = run_undone(script, old.path(), Permissions::default());
        assert!(ran.harm.is_some(), "{script}");
    }
}

#[test]
fn what_programs_change_as_the_original_does_is_as_it_was_afterwards() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    let script = "echo new > file; mv directory other; rm other/inner";
    let original = run(script, old.path(), own.path(), SupervisorMode::Observe);
    fs::write(old.path().join("file"), "old").unwrap();
    fs::rename(old.path().join("other"), old.path().join("directory")).unwrap();
    fs::write(old.path().join("directory/inner"), "old").unwrap();
    let ran = run_undone(script, old.path(), original.seen);
    assert!(ran.status.success(), "{:?}", ran.harm);
    for name in ["file", "directory/inner"] {
        let text = fs::read_to_string(old.path().join(name)).unwrap();
        assert_eq!(text, "old", "{name}");
    }
    assert_eq!(fs::read_dir(old.path()).unwrap().count(), 2);
}

#[test]
fn each_mutant_may_make_as_many_new_files() {
    if unavailable().is_some() {
        return;
    }
    let (old, own) = places();
    let current = Arc::new(AtomicU64::new(1));
    let (now_running, mut command) = (Arc::clone(&current), Command::new("/bin/sh"));
    // Each line that it reads is a mutant.
    let script =
        "while read -r line; do for n in $(seq 3000); do : > $line$n; done; echo done; done";
    command
        .args(["-c", script])
        .current_dir(own.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0);
    let setting = SupervisorSettings {
        own: vec![own.path().to_owned()],
        began: now(),
        undone: Some(UndoSettings {
            board: old.path().join("board"),
            generation: Box::new(move || now_running.load(Ordering::SeqCst)),
            on_change: Box::new(|| ()),
        }),
        ..SupervisorSettings::default()
    };
    let supervisor = Supervisor::attach(&mut command, setting).unwrap();
    supervisor.set_mode(SupervisorMode::Enforce(Permissions::default()));
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for mutant in 1..=3 {
        current.store(mutant, Ordering::SeqCst);
        writeln!(input, "m{mutant}-").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "done\n", "{mutant}: {:?}", supervisor.harm());
    }
    // The last one again: now it has made too many.
    writeln!(input, "again").unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(matches!(supervisor.harm(), Some(Harm::Files(_))));
}
