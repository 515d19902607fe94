//! Tests of the exploration crate on whole programs.

mod equivalence;
mod generate;
mod lang;
mod locks;
