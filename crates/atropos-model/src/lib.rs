//! Test cases that kill a model's mutants: OOAS text in, abstract tests and Rust tests out.

pub mod animate;
pub mod charts;
pub mod check;
pub mod cli;
pub mod conformance;
pub mod explore;
pub mod generate;
pub mod interpret;
pub mod jit;
pub mod language;
pub mod loading;
pub mod model;
pub mod mutation;
pub mod results;
pub mod rust_tests;
pub mod synthetic;
pub mod walk;
