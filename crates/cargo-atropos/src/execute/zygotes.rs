//! One worker's running test binaries: started when first needed, started anew when broken.

use std::collections::HashMap;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use atropos_protocol::{Board, ZygoteError, sys, woven_stack};
use atropos_values::{MutantId, Numbering};

use crate::build::test_binary::TestBinary;
use crate::evidence::learned::TestUses;
use crate::sandbox::{SandboxedZygote, SeenOfTests};

/// How long a zygote may be silent when it should speak.
const SILENCE_LIMIT: Duration = Duration::from_secs(60);

/// What every zygote of a run is started with.
pub struct ZygoteSetting<'a> {
    pub binaries: &'a [TestBinary],
    pub test_arguments: &'a [String],
    pub numbering: &'a Numbering,
    /// The source tree, whose files are evidence.
    pub tree: String,
    pub scratch: PathBuf,
    /// What tests do without a mutant.
    pub seen: Arc<SeenOfTests>,
}

/// The boards of all workers, so that each learns at once what another has decided.
#[derive(Default)]
pub struct Boards(Mutex<Vec<Arc<Board>>>);

impl Boards {
    fn add(&self, board: Arc<Board>) {
        self.0.lock().expect("no holder panics").push(board);
    }

    /// Tells all workers that a mutant needs no more runs.
    pub fn set_dead(&self, mutant: MutantId) {
        for board in self.0.lock().expect("no holder panics").iter() {
            board.set_dead(mutant);
        }
    }

    /// What tests have used so far of what lies around them.
    pub fn uses(&self) -> TestUses {
        let mut all = TestUses::default();
        for board in self.0.lock().expect("no holder panics").iter() {
            all.unite(&TestUses::of(board));
        }
        all
    }

    /// Tells all workers to stop.
    pub fn cancel(&self) {
        for board in self.0.lock().expect("no holder panics").iter() {
            board
                .header()
                .cancel
                .store(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

/// The zygotes of one worker.
pub struct Zygotes<'a> {
    setting: &'a ZygoteSetting<'a>,
    boards: &'a Boards,
    worker: usize,
    running: HashMap<usize, SandboxedZygote>,
    started: usize,
}

impl<'a> Zygotes<'a> {
    pub fn new(setting: &'a ZygoteSetting<'a>, boards: &'a Boards, worker: usize) -> Self {
        Zygotes {
            setting,
            boards,
            worker,
            running: HashMap::new(),
            started: 0,
        }
    }

    /// The zygote of a binary, running.
    pub fn get(&mut self, binary: usize) -> Result<&mut SandboxedZygote, ZygoteError> {
        if !self.running.contains_key(&binary) {
            let client = self.start(binary)?;
            self.boards.add(client.board());
            self.running.insert(binary, client);
        }
        Ok(self.running.get_mut(&binary).expect("just started"))
    }

    /// Ends a zygote that can't be used any more.
    pub fn discard(&mut self, binary: usize) {
        self.running.remove(&binary);
    }

    fn start(&mut self, binary: usize) -> Result<SandboxedZygote, ZygoteError> {
        self.started += 1;
        let name = format!("{}-{}", self.worker, self.started);
        let scratch = self.setting.scratch.join(name);
        fs::create_dir_all(&scratch).map_err(ZygoteError::Start)?;
        let invocation = &self.setting.binaries[binary].invocation;
        let mut command = invocation.command();
        command.args(self.setting.test_arguments);
        let zygote = SandboxedZygote::start(
            command,
            &scratch,
            self.setting.numbering,
            SILENCE_LIMIT,
            (binary, Arc::clone(&self.setting.seen)),
        )?;
        zygote.board().header().tree.set(&self.setting.tree);
        Ok(zygote)
    }
}

impl crate::build::test_binary::Invocation {
    /// The program as cargo would start it, but with a stack that is large enough for woven code.
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.directory.join(&self.program));
        command
            .args(&self.arguments)
            .current_dir(&self.directory)
            .env_clear()
            .envs(&self.environment);
        let stack = self.stack();
        // SAFETY: only a system call between fork and exec.
        unsafe {
            command.pre_exec(move || {
                sys::set_limit(sys::RLIMIT_STACK, stack);
                Ok(())
            });
        }
        command
    }

    /// Tests run on the main thread here, and under libtest on one with as much as this variable says.
    fn stack(&self) -> u64 {
        let asked = self.environment.get("RUST_MIN_STACK");
        let asked = asked.and_then(|text| text.parse().ok()).unwrap_or(0);
        let usual = usize::try_from(sys::limit(sys::RLIMIT_STACK)).unwrap_or(usize::MAX);
        woven_stack(usual.max(asked)) as u64
    }
}
