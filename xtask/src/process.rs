//! Running other programs with a time limit, and ending all that they started.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use atropos_protocol::sys;

/// How a program ended, and what it said.
pub struct Ended {
    /// None: it was ended for taking too long.
    pub status: Option<ExitStatus>,
    pub stdout: String,
    pub stderr: String,
    pub time: Duration,
    /// Time of processors that it and all that it waited for took.
    pub cpu: Duration,
}

impl Ended {
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// Runs a program in a process group of its own.
pub fn run(mut command: Command, limit: Duration) -> Result<Ended> {
    let start = Instant::now();
    let cpu_before = sys::children_cpu_time();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .with_context(|| format!("can't run {command:?}"))?;
    let mut stdout = child.stdout.take().expect("it is piped");
    let mut stderr = child.stderr.take().expect("it is piped");
    let read_stdout = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.read_to_end(&mut bytes);
        bytes
    });
    let read_stderr = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stderr.read_to_end(&mut bytes);
        bytes
    });
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit {
            let _ = Command::new("kill")
                .args(["-KILL", "--", &format!("-{}", child.id())])
                .status();
            let _ = child.wait();
            break None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Ended {
        status,
        time: start.elapsed(),
        cpu: Duration::from_nanos(sys::children_cpu_time() - cpu_before),
        stdout: text(read_stdout.join().expect("reading does not panic")),
        stderr: text(read_stderr.join().expect("reading does not panic")),
    })
}
