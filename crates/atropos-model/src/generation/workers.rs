//! Worker threads. Jobs are independent of each other and of who does them, so results are the same for any number
//! of workers.

use super::options::{EngineKind, GenerationOptions};
use crate::execution::jit::{CompiledModel, Jitted};
use crate::execution::{Engine, Interpreted};
use crate::model::Model;
use crate::state_space::{ExpansionCache, Halt, Reducer, Reduction, StateExplorer};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub struct Workers {
    explorers: Vec<StateExplorer>,
}

impl Workers {
    /// # Errors
    /// If the model can't be compiled.
    pub fn new(model: &Arc<Model>, options: &GenerationOptions) -> anyhow::Result<Workers> {
        let cache = Arc::new(ExpansionCache::new(options.cache));
        let reducer =
            (options.reduction == Reduction::PartialOrder).then(|| Arc::new(Reducer::new(model)));
        let mut explorers = Vec::new();
        for engine in engines(model, options.engine, options.workers.max(1))? {
            explorers.push(StateExplorer::new(
                model.clone(),
                engine,
                cache.clone(),
                reducer.clone(),
            ));
        }
        Ok(Workers { explorers })
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
        if self.explorers.len() == 1 || jobs.len() < 2 {
            return jobs
                .iter()
                .map(|job| work(&mut self.explorers[0], job))
                .collect();
        }
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(jobs.len()));
        std::thread::scope(|scope| {
            for explorer in &mut self.explorers {
                let (next, results, work) = (&next, &results, &work);
                scope.spawn(move || {
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
                });
            }
        });
        let mut results = results
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

fn engines(
    model: &Arc<Model>,
    kind: EngineKind,
    workers: usize,
) -> anyhow::Result<Vec<Box<dyn Engine>>> {
    let compiled = match kind {
        EngineKind::Interpreter => None,
        EngineKind::Jit => Some(Arc::new(CompiledModel::new(model)?)),
    };
    let engine = |_| match &compiled {
        None => Box::new(Interpreted {
            model: model.clone(),
        }) as Box<dyn Engine>,
        Some(compiled) => Box::new(Jitted::new(compiled.clone())),
    };
    Ok((0..workers).map(engine).collect())
}
