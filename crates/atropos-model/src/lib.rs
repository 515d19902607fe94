//! Test cases that kill a model's mutants: models in, abstract tests and Rust tests out. The method is that of MoMuT::UML
//! ("Mutation-driven Test Case Generation Using Short-lived Concurrent Mutants"), called *the MoMuT paper* here.
//!
//! The modules in reading order, which is the order of the data flow:
//!
//! 1. `language`: OOAS text to a syntax tree, and back (the formatter); diagnostics with their places.
//! 2. `charts`: state charts (SCXML, PlantUML, Mermaid, XMI, XState, GraphWalker) to OOAS text, with mutants of the chart.
//! 3. `loading`: a file of either kind to a checked model.
//! 4. `check`: names and types; lowers the tree to a `model`, the form that everything after it works on.
//! 5. `mutation`: the mutants of a model, all in one model (schemata).
//! 6. `execution`: one iteration of one object, by the reference interpreter or by native code.
//! 7. `state_space`: what a tester can know after a trace (suspension states), with partial-order reduction.
//! 8. `conformance`: a mutant compared with its original completely (ioco), for models with few enough states.
//! 9. `generation`: tests with short-lived mutants, for models of any size.
//! 10. `testing`: runs written tests against the model or its mutants; only kills that it sees count.
//! 11. `results`: tests and reports as files.
//!
//! `synthetic` writes models of the sizes of the MoMuT paper's, `animation` walks through a model by hand, and `cli`
//! holds the subcommands of `cargo atropos model`, the only public module.

// A blank line between each two keeps them in reading order.
mod language;

mod charts;

mod loading;

mod check;
mod model;

mod mutation;

mod execution;

mod state_space;

mod conformance;

mod generation;

mod testing;

mod results;

mod animation;
mod random;
mod synthetic;

pub mod cli;

#[cfg(test)]
mod tests;
