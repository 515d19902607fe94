//! Rust text in, mutants out. Pure: knows neither cargo nor processes.
//!
//! [`find_mutants`] parses a file and walks over it; what it finds ([`FileMutants`]) is all that
//! the weave, the driver and the report need to know of the file. A mutant is one edit of the
//! text, and [`apply()`] makes it.

mod apply;
mod attributes;
mod binaries;
mod bindings;
mod bodies;
mod concurrency;
mod conditions;
mod const_functions;
mod constants;
mod control;
pub mod dependence;
mod expressions;
mod extent;
mod find;
pub mod letters;
mod macros;
mod matches;
pub mod mutant;
mod old_syntax;
mod operand_reads;
pub mod operator;
mod paths;
pub mod patterns;
pub mod receivers;
mod return_values;
pub mod selection;
mod sharing;
mod skip_rules;
mod source;
mod statements;
mod std_values;
mod type_facts;
mod types;
mod walk;
mod walk_constants;

pub use apply::apply;
pub use const_functions::{ConstCalls, ConstFunction};
pub use find::{Edition, FindOptions, ParseError, find_mutants};
pub use mutant::{
    ChildModule, Exclusion, FileMutants, FunctionBody, Mutant, MutantId, Point, Shape, Span,
    StepPlace,
};
pub use operator::{Category, Operator};
pub use patterns::BugPattern;
pub use selection::{OperatorSelection, UnknownOperator};
pub use source::one_line;
