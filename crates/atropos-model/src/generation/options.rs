//! What a user can set.

use crate::state_space::{Reduction, StateSpaceLimits};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum StrategyKind {
    /// Random inputs, those taken often less likely.
    S1,
    /// The input that leads to the most mutants not reached before.
    S2,
    /// Back to where unkilled mutants wait.
    Frontier,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineKind {
    /// Compiled to native code.
    Jit,
    /// The reference interpreter.
    Interpreter,
}

#[derive(Clone, Debug)]
pub struct GenerationOptions {
    pub tests: usize,
    /// Choices per test.
    pub depth: usize,
    pub strategy: StrategyKind,
    pub workers: usize,
    pub seed: u64,
    /// Mutants that run beside the original at once.
    pub max_live: usize,
    /// Steps after which a mutant is given up.
    pub max_age: u32,
    pub time: Option<Duration>,
    /// MiB.
    pub max_memory: Option<u64>,
    /// Ends the run with what was found when it becomes true.
    pub interrupted: Arc<AtomicBool>,
    pub engine: EngineKind,
    pub reduction: Reduction,
    pub limits: StateSpaceLimits,
    /// Bytes of what the original did that are kept to be used again.
    pub cache: usize,
}

impl Default for GenerationOptions {
    fn default() -> GenerationOptions {
        GenerationOptions {
            tests: 3,
            depth: 150,
            strategy: StrategyKind::Frontier,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            seed: 0,
            max_live: 1000,
            max_age: 20,
            time: None,
            max_memory: None,
            interrupted: Arc::default(),
            engine: EngineKind::Jit,
            reduction: Reduction::PartialOrder,
            limits: StateSpaceLimits::default(),
            cache: 512 << 20,
        }
    }
}
