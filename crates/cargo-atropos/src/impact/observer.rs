//! Runs tests of an observing build and reads what was observed. One worker has one.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use atropos_invariants::PointState;
use atropos_protocol::{
    Baseline, ENV_OBSERVATIONS, Limits, Observations, ObservedCounts, RunMode, TestRun,
};
use atropos_values::{MutantId, Numbering};

use super::program::ObservedProgram;
use super::trace::ObservedTrace;
use crate::build::test_binary::TestBinary;
use crate::sandbox::{SandboxedZygote, SeenOfTests};

/// How long a zygote may be silent, and a test may take.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// What all workers share.
pub struct ObserverSetting<'a> {
    pub binaries: &'a [TestBinary],
    pub test_arguments: &'a [String],
    pub numbering: Numbering,
    pub scratch: PathBuf,
    pub program: &'a ObservedProgram,
    /// What tests do without a mutant.
    pub seen: Arc<SeenOfTests>,
}

/// A test of an observing build.
#[derive(Clone, Debug)]
pub struct ObservedTest {
    /// Its place in the run's list of tests.
    pub id: usize,
    pub binary: usize,
    pub index: usize,
}

/// A worker's zygotes and the file that their tests fill.
pub struct Observer<'a> {
    setting: &'a ObserverSetting<'a>,
    directory: PathBuf,
    observations: Observations,
    clients: HashMap<usize, SandboxedZygote>,
    started: usize,
}

impl<'a> Observer<'a> {
    pub fn new(setting: &'a ObserverSetting<'a>, worker: usize) -> Result<Observer<'a>> {
        let directory = setting.scratch.join(worker.to_string());
        fs::create_dir_all(&directory)
            .with_context(|| format!("can't write to {}", directory.display()))?;
        let extent = ObservedCounts {
            functions: setting.program.functions.len() as u32,
            blocks: setting.program.blocks.len() as u32,
            state_size: PointState::SIZE as u32,
        };
        let observations = Observations::create(&directory.join("observations"), extent)
            .context("can't make a file for observations")?;
        Ok(Observer {
            setting,
            directory,
            observations,
            clients: HashMap::new(),
            started: 0,
        })
    }

    /// The names of a binary's tests.
    pub fn tests(&mut self, binary: usize) -> Vec<String> {
        let names = |client: &mut SandboxedZygote| {
            let tests = client.tests().iter();
            tests.map(|test| test.name.clone()).collect()
        };
        self.client(binary).map(names).unwrap_or_default()
    }

    /// The zygote of a binary; none if it can't be started.
    fn client(&mut self, binary: usize) -> Option<&mut SandboxedZygote> {
        if !self.clients.contains_key(&binary) {
            let client = self.start(binary)?;
            self.clients.insert(binary, client);
        }
        self.clients.get_mut(&binary)
    }

    fn start(&mut self, binary: usize) -> Option<SandboxedZygote> {
        self.started += 1;
        let scratch = self.directory.join(format!("zygote-{}", self.started));
        fs::create_dir_all(&scratch).ok()?;
        let mut command = self.setting.binaries[binary].invocation.command();
        command
            .args(self.setting.test_arguments)
            .env(ENV_OBSERVATIONS, self.observations.path());
        let ObserverSetting { numbering, .. } = self.setting;
        let seen = (binary, Arc::clone(&self.setting.seen));
        SandboxedZygote::start(command, &scratch, numbering, TIME_LIMIT, seen).ok()
    }

    /// Runs a test without a mutant; none if that did not work.
    pub fn baseline(&mut self, test: &ObservedTest) -> Option<Baseline> {
        self.shuffled(test, 0)
    }

    /// The same, with threads held up now and then, as a seed says.
    pub fn shuffled(&mut self, test: &ObservedTest, seed: u64) -> Option<Baseline> {
        self.observations.clear().ok()?;
        self.observations.shuffle(seed);
        let capture = self.directory.join("output");
        let limits = Limits::only_time(TIME_LIMIT);
        let baseline = self
            .client(test.binary)?
            .baseline(test.index, &limits, &capture);
        if baseline.is_err() {
            self.clients.remove(&test.binary);
        }
        baseline.ok()
    }

    /// Runs a test as a mutant; none if that did not work.
    pub fn mutant(
        &mut self,
        test: &ObservedTest,
        mutant: MutantId,
        limits: &Limits,
    ) -> Option<TestRun> {
        self.observations.clear().ok()?;
        let mut test_run = None;
        let run = self.client(test.binary)?.run(
            RunMode::Each,
            test.index,
            &[mutant],
            limits,
            &mut |_, given| test_run = Some(given),
        );
        if run.is_err() {
            self.clients.remove(&test.binary);
        }
        test_run
    }

    /// What the last run did.
    pub fn trace(&self) -> ObservedTrace {
        ObservedTrace::read(&self.observations, &self.setting.program.blocks)
    }

    /// Who called whom in the last run.
    pub fn calls(&self) -> Vec<(u32, u32)> {
        self.observations.calls()
    }

    /// What the last run showed of a function.
    pub fn state(&self, function: u32) -> Option<PointState> {
        PointState::decode(self.observations.state_bytes(function))
    }
}
