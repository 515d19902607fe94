//! Tests of the exploration crate on whole programs.

mod equivalence;
mod figures;
mod generate;
mod lang;
mod locks;
mod mutants;
mod parts;
mod samples;
