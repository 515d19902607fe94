//! Tests of controlled threads. Each runs in a forked child, where it is alone with its statics and its heap.

mod alone;
mod communication;
mod effort;
mod event_loops;
mod findings;
mod foreign_locks;
mod initialisation;
mod litmus;
mod mistakes;
mod overtime;
mod primitives;
mod queues;
mod races;
mod random_data;
mod reuse;
mod time;
mod world;
