//! What each operator makes and does not make, what is skipped, where steps and modules are found,
//! and what must hold for every mutant of any file.

mod arithmetic;
mod bodies;
mod buffer;
mod check;
mod concurrency;
mod conditions;
mod constants;
mod control;
mod corpus;
mod editions;
mod extended;
mod libraries;
mod macros;
mod matching;
mod places;
mod regions;
mod skip_rules;
mod skips;
mod statements;
mod viability;
