//! Programs under supervision: what they may do, and what they are stopped before.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};

use atropos_protocol::sys;
use atropos_sandbox::{Harm, Mode, Permissions, Setting, Supervisor, unavailable};

struct Ran {
    status: ExitStatus,
    seen: Permissions,
    harm: Option<Harm>,
}

/// Runs a shell script that may do everything below `own`; everything that is there now is old.
fn run(script: &str, directory: &Path, own: &Path, mode: Mode) -> Ran {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).current_dir(directory);
    let began = sys::since_1970() + 1_000_000_000;
    let supervisor = Supervisor::attach(
        &mut command,
        Setting {
            own: vec![own.to_owned()],
            began,
            ..Setting::default()
        },
    )
    .unwrap();
    supervisor.set_mode(mode);
    let status = command.status().unwrap();
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
            Mode::Enforce(Permissions::default()),
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
    let original = run(script, old.path(), own.path(), Mode::Observe);
    assert!(original.status.success() && original.harm.is_none());
    let root = old.path().canonicalize().unwrap();
    assert!(original.seen.files.contains(&root.join("file")));
    assert!(original.seen.directories.contains(&root));
    assert!(!original.seen.network && !original.seen.signals);
    let again = Mode::Enforce(original.seen.clone());
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
    let mode = Mode::Enforce(Permissions::default());
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
    let enforce = || Mode::Enforce(Permissions::default());
    for script in [format!("kill {}", other.id()), "kill -9 -1".to_owned()] {
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
    let original = run(script, old.path(), own.path(), Mode::Observe);
    assert!(original.status.success());
    let ran = run(script, old.path(), own.path(), Mode::Enforce(original.seen));
    assert!(ran.harm.is_some());
}
