//! The original's expansions, shared by all workers: a mutant that none of them reached there does the same.

use super::expansion::Expansion;
use super::fast_hash::FastMap;
use crate::model::State;
use std::sync::{Arc, Mutex, MutexGuard};

const SHARDS: usize = 64;

/// What was found from states, with and without reduction.
#[derive(Default)]
struct Shard {
    known: FastMap<(State, bool), Arc<Expansion>>,
    bytes: usize,
}

/// Answers never depend on what is in here, only how fast they come.
pub struct ExpansionCache {
    shards: Vec<Mutex<Shard>>,
    per_shard: usize,
}

impl ExpansionCache {
    /// Holds about so many bytes.
    pub fn new(bytes: usize) -> ExpansionCache {
        ExpansionCache {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            per_shard: bytes / SHARDS + 1,
        }
    }

    fn shard(&self, state: &State) -> MutexGuard<'_, Shard> {
        self.shards[(state.fingerprint() >> 32) as usize % SHARDS]
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(super) fn get(&self, state: &State, full: bool) -> Option<Arc<Expansion>> {
        self.shard(state).known.get(&(state.clone(), full)).cloned()
    }

    pub(super) fn put(&self, state: &State, full: bool, expansion: &Arc<Expansion>) {
        let mut shard = self.shard(state);
        if shard.bytes >= self.per_shard {
            *shard = Shard::default();
        }
        shard.bytes += expansion.weight();
        shard.known.insert((state.clone(), full), expansion.clone());
    }
}
