//! Native code in forward style: the compiled model runs one trace at a time and asks a scheduler which alternative
//! to take; a false guard ends the trace. There is code per class, not per object: it gets the object it works for.
//!
//! All unsafe code of the crate is in this module: `context` owns the memory that compiled code works on, `runtime`
//! holds the functions that compiled code calls, `compile` turns finished code into callable pointers.

mod blocking;
mod compile;
mod context;
mod emit_assign;
mod emit_call;
mod emit_expression;
mod emit_lists;
mod emit_statement;
mod emitter;
mod engine;
mod runtime;
mod scheduler;

pub use compile::CompiledModel;
pub use engine::Jitted;
