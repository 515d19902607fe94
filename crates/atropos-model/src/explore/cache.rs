//! The original's expansions, shared by all workers: a mutant that none of them met there does the same.

use super::expansion::Expansion;
use crate::model::State;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

const SHARDS: usize = 64;

/// What was found from states, with and without reduction.
type Shard = HashMap<(State, bool), Arc<Expansion>>;

/// Answers never depend on what is in here, only how fast they come.
pub struct Cache {
    shards: Vec<Mutex<Shard>>,
    per_shard: usize,
}

impl Cache {
    /// Holds about `capacity` expansions.
    pub fn new(capacity: usize) -> Cache {
        Cache {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            per_shard: capacity / SHARDS + 1,
        }
    }

    fn shard(&self, state: &State) -> &Mutex<HashMap<(State, bool), Arc<Expansion>>> {
        &self.shards[(state.fingerprint() >> 32) as usize % SHARDS]
    }

    pub(super) fn get(&self, state: &State, full: bool) -> Option<Arc<Expansion>> {
        let shard = self
            .shard(state)
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        shard.get(&(state.clone(), full)).cloned()
    }

    pub(super) fn put(&self, state: &State, full: bool, expansion: &Arc<Expansion>) {
        let mut shard = self
            .shard(state)
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if shard.len() >= self.per_shard {
            shard.clear();
        }
        shard.insert((state.clone(), full), expansion.clone());
    }
}
