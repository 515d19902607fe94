//! Rust text in, mutants out. Pure: knows neither cargo nor processes.

pub mod mutant;
pub mod operator;
