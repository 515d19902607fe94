//! Tests of whole flows: the model language, its execution, mutation and test generation.

mod advice;
mod animation;
mod automata;
mod battered;
mod conformance;
mod constructs;
mod diagnostics;
mod engines;
mod faults;
mod figure_two;
mod formatting;
mod generation;
mod language_reference;
mod limits;
mod random_models;
mod reduction;

mod rust_tests;
mod shards;
mod slow_executor;
mod support;
mod system_tests;
