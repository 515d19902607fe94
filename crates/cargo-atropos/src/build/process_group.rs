//! A compiler or cargo in a process group of its own, so that all that it starts can be ended with it.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use atropos_protocol::{signals, sys};

use super::hung_compilers::HungCompilers;
use crate::interrupt::{Interrupt, ProcessGroupGuard};

/// How often we look whether it has ended.
const TICK: Duration = Duration::from_millis(5);

/// A process and its group.
pub struct ProcessGroup {
    pub child: Child,
    /// If this process must end at once, so does the group.
    _ward: ProcessGroupGuard,
}

impl ProcessGroup {
    pub fn spawn(mut command: Command) -> std::io::Result<ProcessGroup> {
        let child = command.process_group(0).spawn()?;
        let _ward = ProcessGroupGuard::of(child.id() as i32);
        Ok(ProcessGroup { child, _ward })
    }

    /// Waits for its end; ends the whole group once the user wants to end, and compilers that never will.
    pub fn wait(mut self, interrupt: &Interrupt) -> Result<ExitStatus> {
        let mut compilers = HungCompilers::watch();
        loop {
            if let Some(status) = self.child.try_wait().context("can't wait for a process")? {
                return Ok(status);
            }
            if interrupt.is_requested() {
                let _ = signals::to_group(self.child.id() as i32, sys::SIGKILL);
            }
            compilers.end_below(self.child.id());
            thread::sleep(TICK);
        }
    }
}
