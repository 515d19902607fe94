//! A copy of the functions, without mutants.
