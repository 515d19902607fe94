//! Environments in which a run must end as it does elsewhere, or say in one sentence why it can't. Each is the beginning of a shell
//! script that goes on with the run; what mounts something is in a namespace of its own.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::{Tree, UndisturbedRun};

/// What is expected of a run.
#[derive(Clone, Copy)]
pub enum Expected {
    /// It ends as elsewhere.
    Works,
    /// It ends with this exit code, and with these words on standard error.
    Refuses(i32, &'static str),
    /// Either as elsewhere or with an error message.
    Either,
}

use Expected::{Either, Refuses, Works};

/// A name, how the script begins, how the run is started (`run` if empty), and what is expected. In the script `$OUT` is the output
/// directory, and `run` starts the tool.
pub type Environment = (&'static str, &'static str, &'static str, Expected);

pub const ENVIRONMENTS: &[Environment] = &[
    ("HOME is not set", "unset HOME", "", Works),
    ("HOME is nowhere", "export HOME=/nowhere", "", Works),
    (
        "no cache directory",
        "export XDG_CACHE_HOME=/proc",
        "",
        Works,
    ),
    ("TERM is not set", "unset TERM", "", Works),
    ("TERM=dumb", "export TERM=dumb", "", Works),
    ("LC_ALL=C", "export LC_ALL=C LANG=C", "", Works),
    ("LANG=tr_TR", "export LC_ALL=tr_TR.UTF-8", "", Works),
    ("COLUMNS=1", "export COLUMNS=1", "", Works),
    ("NO_COLOR", "export NO_COLOR=1", "", Works),
    ("CLICOLOR_FORCE", "export CLICOLOR_FORCE=1", "", Works),
    ("TZ that is none", "export TZ=Nowhere/At_all", "", Works),
    ("CI", "export CI=true GITHUB_ACTIONS=true", "", Works),
    ("umask 077", "umask 077", "", Works),
    ("umask 000", "umask 000", "", Works),
    ("64 descriptors", "ulimit -n 64", "", Either),
    ("no core files", "ulimit -c 0", "", Works),
    ("large core files", "ulimit -c unlimited", "", Works),
    ("small stack", "ulimit -S -s 1024", "", Works),
    ("stack without limit", "ulimit -s unlimited", "", Works),
    ("no large files", "ulimit -f 64", "", Either),
    ("8 GB of addresses", "ulimit -v 8000000", "", Either),
    ("an hour of processor time", "ulimit -t 3600", "", Works),
    ("few processes", "ulimit -u 400", "", Either),
    ("no standard input", "", "run <&-", Works),
    ("no standard output", "", "run >&-", Either),
    ("no standard error", "", "run 2>&-", Either),
    ("nothing is open", "", "run <&- >&- 2>&-", Either),
    ("standard output is full", "", "run >/dev/full", Either),
    (
        "nobody reads",
        "",
        "{ run; echo $? >$OUT.code; } | true; exit $(cat $OUT.code)",
        Either,
    ),
    (
        "CARGO_TARGET_DIR",
        "export CARGO_TARGET_DIR=$OUT.target",
        "",
        Works,
    ),
    ("CARGO_BUILD_JOBS=1", "export CARGO_BUILD_JOBS=1", "", Works),
    (
        "CARGO_INCREMENTAL=1",
        "export CARGO_INCREMENTAL=1",
        "",
        Works,
    ),
    (
        "CARGO_TERM_COLOR",
        "export CARGO_TERM_COLOR=always",
        "",
        Works,
    ),
    (
        "CARGO_TERM_VERBOSE",
        "export CARGO_TERM_VERBOSE=true",
        "",
        Works,
    ),
    (
        "CARGO_TERM_QUIET",
        "export CARGO_TERM_QUIET=true",
        "",
        Works,
    ),
    (
        "CARGO_NET_OFFLINE",
        "export CARGO_NET_OFFLINE=true",
        "",
        Works,
    ),
    (
        "RUSTFLAGS",
        "export RUSTFLAGS='-C debuginfo=2 --cfg attacked'",
        "",
        Works,
    ),
    (
        "RUSTFLAGS that deny warnings",
        "export RUSTFLAGS='-D warnings'",
        "",
        Works,
    ),
    (
        "RUSTFLAGS that rustc refuses",
        "export RUSTFLAGS=--nonsense",
        "",
        Refuses(4, ""),
    ),
    (
        "CARGO_ENCODED_RUSTFLAGS",
        "export CARGO_ENCODED_RUSTFLAGS=-Cdebuginfo=1",
        "",
        Works,
    ),
    (
        "RUSTDOCFLAGS",
        "export RUSTDOCFLAGS='--cfg attacked'",
        "",
        Works,
    ),
    (
        "tests are optimised",
        "export CARGO_PROFILE_TEST_OPT_LEVEL=2",
        "",
        Works,
    ),
    ("RUST_BACKTRACE", "export RUST_BACKTRACE=full", "", Works),
    ("RUST_LOG", "export RUST_LOG=trace", "", Works),
    (
        "RUST_TEST_THREADS=1",
        "export RUST_TEST_THREADS=1",
        "",
        Works,
    ),
    ("RUST_MIN_STACK", "export RUST_MIN_STACK=4000000", "", Works),
    ("RUSTC_WRAPPER", "export RUSTC_WRAPPER=env", "", Works),
    (
        "RUSTC_WORKSPACE_WRAPPER",
        "export RUSTC_WORKSPACE_WRAPPER=env",
        "",
        Works,
    ),
    (
        "RUSTC is nowhere",
        "export RUSTC=/nowhere/rustc",
        "",
        Refuses(1, "error"),
    ),
    (
        "cargo is nowhere",
        "export PATH=/nowhere; unset CARGO",
        "",
        Refuses(1, "error"),
    ),
    (
        "cargo is too old",
        "mkdir -p $OUT.bin; printf '#!/bin/sh\\necho cargo 1.60.0\\n' >$OUT.bin/cargo; chmod +x $OUT.bin/cargo; unset CARGO; PATH=$OUT.bin:$PATH",
        "",
        Refuses(1, "error"),
    ),
    (
        "linked statically",
        "export RUSTFLAGS=-Ctarget-feature=+crt-static",
        "",
        Refuses(1, "linked statically"),
    ),
    (
        "musl",
        "export CARGO_BUILD_TARGET=x86_64-unknown-linux-musl",
        "",
        Refuses(1, "musl"),
    ),
    (
        "LD_PRELOAD of nothing",
        "export LD_PRELOAD=/nowhere.so",
        "",
        Works,
    ),
    (
        "LD_LIBRARY_PATH",
        "export LD_LIBRARY_PATH=/nowhere",
        "",
        Works,
    ),
    (
        "fresh memory is not zero",
        "export MALLOC_PERTURB_=165",
        "",
        Works,
    ),
    (
        "variables of our own",
        "export ATROPOS_MUTANT=1 ATROPOS_BOARD=/nowhere ATROPOS_ZYGOTE=1",
        "",
        Works,
    ),
    (
        "a variable that is no text",
        "export ODD=$(printf '\\377')",
        "",
        Works,
    ),
    (
        "a large variable",
        "export LARGE=$(head -c 100000 /dev/zero | tr '\\0' x)",
        "",
        Works,
    ),
    ("TMPDIR is nowhere", "export TMPDIR=/nowhere", "", Either),
    (
        "TMPDIR has odd characters",
        "export TMPDIR=\"$OUT.tmp \\\"'é\"; mkdir -p \"$TMPDIR\"",
        "",
        Works,
    ),
    (
        "TMPDIR is full",
        "mkdir -p $OUT.full; mount -t tmpfs -o size=4k none $OUT.full; head -c 9000 /dev/zero >$OUT.full/x; export TMPDIR=$OUT.full",
        "",
        Either,
    ),
    (
        "the output directory is full",
        "mkdir -p $OUT; mount -t tmpfs -o size=1m none $OUT",
        "",
        Either,
    ),
    (
        "the output directory can't be written to",
        "mkdir -p $OUT; mount --bind -o ro $OUT $OUT",
        "",
        Refuses(1, "error"),
    ),
    (
        "the tree can't be written to",
        "mkdir -p $OUT; mount --bind . .; mount --bind $OUT $OUT; cd .; mount -o remount,ro,bind .",
        "",
        Works,
    ),
    (
        "/tmp can't be written to",
        "mount --bind -o ro /tmp /tmp",
        "",
        Either,
    ),
    (
        "a session of its own",
        "",
        "setsid -w \"$PROGRAM\" atropos --no-impact -o $OUT",
        Works,
    ),
    (
        "a user namespace",
        "",
        "unshare -Ur \"$PROGRAM\" atropos --no-impact -o $OUT",
        Works,
    ),
    (
        "no network",
        "",
        "unshare -Urn \"$PROGRAM\" atropos --no-impact -o $OUT",
        Works,
    ),
    (
        "a namespace of processes",
        "",
        "unshare -Urpf --mount-proc \"$PROGRAM\" atropos --no-impact -o $OUT",
        Works,
    ),
    (
        "lowest priority",
        "",
        "nice -n 19 \"$PROGRAM\" atropos --no-impact -o $OUT",
        Works,
    ),
    ("SIGCHLD is ignored", "trap '' CHLD", "", Works),
    ("SIGPIPE is ignored", "trap '' PIPE", "", Works),
    (
        "SIGHUP and SIGINT are ignored",
        "trap '' HUP INT",
        "",
        Works,
    ),
    (
        "the directory is gone",
        "mkdir -p $OUT.gone; cd $OUT.gone; rmdir $OUT.gone",
        "",
        Refuses(1, "error"),
    ),
];

/// Runs a tree in an environment; an error is what is bad.
pub fn attack(tree: &Tree, peace: &UndisturbedRun, environment: &Environment) -> Result<()> {
    let (_, begin, run, expected) = environment;
    let output = tree.directory.with_extension("out");
    for end in ["", ".target", ".tmp", ".full", ".bin", ".code"] {
        let _ = fs::remove_dir_all(format!("{}{end}", output.display()));
    }
    let run = if run.is_empty() { "run" } else { run };
    let script =
        format!("run() {{ \"$PROGRAM\" atropos --no-impact -o \"$OUT\"; }}\n{begin}\n{run}\n");
    let mut command = Command::new("unshare");
    command
        .args([
            "-m",
            "--propagation",
            "private",
            "timeout",
            "-s",
            "KILL",
            "900",
            "sh",
            "-c",
            &script,
        ])
        .current_dir(&tree.directory)
        .env("PROGRAM", &tree.program)
        .env("OUT", &output)
        .envs(homes())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let said = command.output().context("can't start a shell")?;
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    let last = || {
        text.trim_end()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    };
    if text.contains("panicked at") {
        bail!("the tool panics: {}", last());
    }
    let Some(code) = said.status.code() else {
        bail!("signal {:?}: {}", said.status.signal(), last());
    };
    match expected {
        Refuses(wanted, words) if code != *wanted || !text.contains(words) => {
            bail!("exit code {code} instead of {wanted}: {}", last())
        }
        Refuses(..) => Ok(()),
        Either if (1..=5).contains(&code) && code != peace.code => Ok(()),
        Works | Either if code != peace.code => {
            bail!("exit code {code} instead of {}: {}", peace.code, last())
        }
        // What was mounted there is gone.
        Either if !output.join("outcomes.json").exists() => Ok(()),
        Works | Either => tree.has_verdicts_of(peace, &output),
    }
}

/// Where cargo and rustup keep their things, which is below HOME unless something else is said.
fn homes() -> Vec<(&'static str, String)> {
    let home = std::env::var("HOME").unwrap_or_default();
    let place = |name: &'static str, usual: &str| {
        let usual = Path::new(&home).join(usual).display().to_string();
        (name, std::env::var(name).unwrap_or(usual))
    };
    vec![
        place("CARGO_HOME", ".cargo"),
        place("RUSTUP_HOME", ".rustup"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_many_and_different() {
        let mut names: Vec<_> = ENVIRONMENTS.iter().map(|row| row.0).collect();
        assert!(names.len() >= 30);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ENVIRONMENTS.len());
    }
}
