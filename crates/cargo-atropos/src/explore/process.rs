//! A test binary that explores: started for one request, it answers through a pipe until it is done.

use std::fs;
use std::io::{BufRead as _, BufReader, PipeReader};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use atropos_protocol::exploration::{ENV_ANSWERS, ENV_ORDER, PRIVATE_DIGITS, Request, Response};
use atropos_protocol::{signals, sys};
use atropos_sandbox::{Harm, Supervisor};

use crate::build::test_binary::TestBinary;
use crate::explore::idle_watch::IdleWatch;
use crate::explore::object_names::ObjectNames;
use crate::interrupt::Interrupt;
use crate::sandbox;

/// How often to look whether the user wants to end.
const TICK: Duration = Duration::from_millis(50);

/// How an order ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestEnd {
    Done,
    /// The process died, with what is known of why.
    Died(String),
    /// It was silent for too long, and was ended.
    Silent,
    /// It waits for something that can't be controlled, and was ended.
    Halted,
    Interrupted,
}

/// What output of the test is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestOutput {
    Hidden,
    EscapingWriter,
}

/// A process that is to carry out an order.
pub struct Process<'a> {
    pub binary: &'a TestBinary,
    pub test_arguments: &'a [String],
    /// What the objects of traces are called.
    pub object_names: &'a ObjectNames,
    /// The order is written to a file of this name.
    pub order_file: &'a Path,
    pub output: TestOutput,
    /// Words to put before the program, such as a debugger's.
    pub prefix: &'a [String],
    /// How long it may say nothing.
    pub silence_limit: Duration,
}

/// What is said of a test that comes to a halt.
pub const HALTS: &str =
    "not under control: it waits for the system in a call that can't be controlled";

/// What is said of a test one of whose schedules takes longer than it may.
pub fn too_long(limit: Duration) -> String {
    let seconds = limit.as_secs();
    format!("one of its schedules does not come to an end within {seconds} s")
}

impl Process<'_> {
    /// Starts the process and hands on what it says.
    pub fn carry_out(
        &self,
        request: &Request,
        interrupt: &Interrupt,
        hear: &mut dyn FnMut(Response),
    ) -> Result<RequestEnd> {
        fs::write(self.order_file, request.to_text())
            .with_context(|| format!("can't write {}", self.order_file.display()))?;
        let private = self.make_private_directory()?;
        let (reader, mut child, supervisor) = self.start(request, private.as_deref())?;
        let (sender, receiver) = mpsc::channel();
        let listener = thread::spawn(move || {
            for line in BufReader::new(reader).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut last_line = Instant::now();
        // A mutant that comes to a halt costs a worker of its process, not the process.
        let mut idle_watch = Some(IdleWatch::of(child.id()));
        let ended = loop {
            match receiver.recv_timeout(TICK) {
                Ok(line) => {
                    last_line = Instant::now();
                    match Response::parse(&line) {
                        Some(Response::Done) => break RequestEnd::Done,
                        Some(Response::Error(error)) => {
                            end(&mut child);
                            bail!("{error}");
                        }
                        Some(mut response) => {
                            if let Some(found) = response.found() {
                                self.object_names.put_into(&mut found.trace);
                            }
                            if !matches!(response, Response::Progress { .. }) {
                                idle_watch = None;
                            }
                            hear(response);
                        }
                        None => bail!("the test binary says what nobody understands: {line}"),
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.wait().context("can't wait for the test binary")?;
                    let harm = supervisor.and_then(|supervisor| supervisor.harm());
                    break RequestEnd::Died(match harm {
                        Some(Harm::Call(call)) => format!("it was stopped before `{call}`"),
                        Some(Harm::Files(text)) => text,
                        None => status.to_string(),
                    });
                }
                Err(RecvTimeoutError::Timeout) if interrupt.is_requested() => {
                    break RequestEnd::Interrupted;
                }
                Err(RecvTimeoutError::Timeout) if last_line.elapsed() > self.silence_limit => {
                    break RequestEnd::Silent;
                }
                Err(RecvTimeoutError::Timeout) => {
                    let is_still = idle_watch.as_mut().is_some_and(IdleWatch::is_long);
                    if is_still && self.prefix.is_empty() {
                        break RequestEnd::Halted;
                    }
                }
            }
        };
        end(&mut child);
        let _ = listener.join();
        if let Some(all) = private.as_deref().and_then(Path::parent) {
            let _ = fs::remove_dir_all(all);
        }
        Ok(ended)
    }

    /// A directory for temporary files that the process has for itself, and room for those that it forks. None under a debugger,
    /// where an execution may be stopped anywhere.
    fn make_private_directory(&self) -> Result<Option<PathBuf>> {
        if !self.prefix.is_empty() {
            return Ok(None);
        }
        let all = self.order_file.with_extension("private");
        let directory = all.join(format!("tmp-{:0PRIVATE_DIGITS$}", 0));
        fs::create_dir_all(&directory)
            .with_context(|| format!("can't make {}", directory.display()))?;
        let directory = fs::canonicalize(&directory)
            .with_context(|| format!("can't find {}", directory.display()))?;
        Ok(Some(directory))
    }

    fn start(
        &self,
        request: &Request,
        private: Option<&Path>,
    ) -> Result<(PipeReader, Child, Option<Supervisor>)> {
        let (reader, writer) = std::io::pipe().context("no pipe")?;
        let end = writer.as_raw_fd();
        let invocation = &self.binary.invocation;
        let mut command = match self.prefix {
            [] => invocation.command(),
            [first, rest @ ..] => {
                let plain = invocation.command();
                let mut command = Command::new(first);
                command
                    .args(rest)
                    .arg(plain.get_program())
                    .args(plain.get_args())
                    .current_dir(&invocation.directory)
                    .envs(&invocation.environment);
                command
            }
        };
        command
            .args(self.test_arguments)
            .env(ENV_ORDER, self.order_file)
            .env(ENV_ANSWERS, end.to_string());
        if let Some(private) = private {
            command.env("TMPDIR", private);
        }
        if self.prefix.is_empty() {
            command.stdin(Stdio::null());
        }
        if self.output == TestOutput::Hidden {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        // A session of its own, so that its workers can be ended with it; a debugger needs the terminal.
        let has_session = self.prefix.is_empty();
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            command.pre_exec(move || {
                if has_session {
                    sys::start_session();
                }
                // What a program does may depend on addresses, and is to be the same when a schedule is run again.
                sys::lie_at_fixed_addresses();
                sys::keep_on_exec(end).map_err(|error| std::io::Error::from_raw_os_error(error.0))
            });
        }
        // Where threads are controlled, nothing may be changed outside the process, by the original either.
        // A debugger does what it likes.
        let supervisor = match request.runs_mutants() && self.prefix.is_empty() {
            true => sandbox::attach_explored(&mut command, self.order_file)?,
            false => None,
        };
        let child = command.spawn().with_context(|| {
            let program = command.get_program().to_string_lossy().into_owned();
            format!("can't start {program}")
        })?;
        Ok((reader, child, supervisor))
    }
}

/// Ends what is left of the process and its workers.
fn end(child: &mut Child) {
    let _ = signals::to_group(child.id() as i32, sys::SIGKILL);
    let _ = child.kill();
    let _ = child.wait();
}
