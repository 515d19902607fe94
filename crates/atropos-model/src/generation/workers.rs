//! Worker threads. Jobs are independent of each other and of who does them, so results are the same for any number
//! of workers.

use super::options::{EngineKind, GenerationOptions};
use crate::execution::jit::{CompiledModel, Jitted};
use crate::execution::{Engine, Interpreted};
use crate::model::Model;
use crate::state_space::{ExpansionCache, Halt, Reducer, Reduction, StateExplorer};
use anyhow::Context as _;
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What all workers share, and what does not change by their work.
#[derive(Clone)]
struct Shared {
    model: Arc<Model>,
    /// None: the model is interpreted.
    compiled: Option<Arc<CompiledModel>>,
    reducer: Option<Arc<Reducer>>,
    cache_bytes: usize,
    /// Threads for all workers but the first, whose work the calling thread does.
    pool: Option<Arc<ThreadPool>>,
}

pub struct Workers {
    shared: Shared,
    explorers: Vec<StateExplorer>,
    /// How long there were jobs for more than one worker.
    in_batches: Duration,
}

impl Workers {
    /// # Errors
    /// If the model can't be compiled, or no threads can be had.
    pub fn new(model: &Arc<Model>, options: &GenerationOptions) -> anyhow::Result<Workers> {
        let workers = options.workers.max(1);
        let reduced = options.reduction == Reduction::PartialOrder;
        let pool = ThreadPoolBuilder::new().num_threads(workers - 1);
        let shared = Shared {
            model: model.clone(),
            compiled: match options.engine {
                EngineKind::Interpreter => None,
                EngineKind::Jit => Some(Arc::new(CompiledModel::new(model, workers)?)),
            },
            reducer: reduced.then(|| Arc::new(Reducer::new(model))),
            cache_bytes: options.cache,
            pool: match workers {
                1 => None,
                _ => Some(Arc::new(pool.build().context("can't start threads")?)),
            },
        };
        Ok(Workers::with(shared, workers))
    }

    fn with(shared: Shared, workers: usize) -> Workers {
        let cache = Arc::new(ExpansionCache::new(shared.cache_bytes));
        let explorer = |_| {
            let engine: Box<dyn Engine> = match &shared.compiled {
                None => Box::new(Interpreted {
                    model: shared.model.clone(),
                }),
                Some(compiled) => Box::new(Jitted::new(compiled.clone())),
            };
            let (model, reducer) = (shared.model.clone(), shared.reducer.clone());
            StateExplorer::new(model, engine, cache.clone(), reducer)
        };
        Workers {
            explorers: (0..workers).map(explorer).collect(),
            shared,
            in_batches: Duration::ZERO,
        }
    }

    /// Seconds in which there were jobs for more than one worker, however many there are.
    pub fn shared_seconds(&self) -> f64 {
        self.in_batches.as_secs_f64()
    }

    /// As many workers that remember nothing of what these have found.
    pub fn renewed(&self) -> Workers {
        Workers::with(self.shared.clone(), self.explorers.len())
    }

    /// From now on work ends as soon as this comes.
    pub fn set_halt(&mut self, halt: &Halt) {
        for explorer in &mut self.explorers {
            explorer.set_halt(halt.clone());
        }
    }

    /// The first worker, for work that can't be shared.
    pub fn first(&mut self) -> &mut StateExplorer {
        &mut self.explorers[0]
    }

    /// The first worker alone.
    pub fn into_first(mut self) -> StateExplorer {
        self.explorers.swap_remove(0)
    }

    /// Does all jobs; the results stand in the jobs' order.
    pub fn map<J: Sync, R: Send>(
        &mut self,
        jobs: &[J],
        work: impl Fn(&mut StateExplorer, &J) -> R + Sync,
    ) -> Vec<R> {
        let begun = Instant::now();
        let results = self.do_all(jobs, work);
        if jobs.len() > 1 {
            self.in_batches += begun.elapsed();
        }
        results
    }

    fn do_all<J: Sync, R: Send>(
        &mut self,
        jobs: &[J],
        work: impl Fn(&mut StateExplorer, &J) -> R + Sync,
    ) -> Vec<R> {
        let Some((first, others)) = self.explorers.split_first_mut() else {
            return Vec::new();
        };
        let Some(pool) = self.shared.pool.as_ref().filter(|_| jobs.len() > 1) else {
            return jobs.iter().map(|job| work(first, job)).collect();
        };
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(jobs.len()));
        let do_some = |explorer: &mut StateExplorer| {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(at) else { break };
                done.push((at, work(explorer, job)));
            }
            results
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .append(&mut done);
        };
        let do_some = &do_some;
        pool.in_place_scope(|scope| {
            for explorer in others {
                scope.spawn(move |_| do_some(explorer));
            }
            do_some(first);
        });
        let mut results = results
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    }
}
