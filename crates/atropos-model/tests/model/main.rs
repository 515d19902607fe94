//! Integration tests of the model language, its execution, mutation and test generation.

mod constructs;
mod diagnostics;
mod engines;
mod figure_two;
mod formatting;
mod random_models;
mod reduction;
mod support;
