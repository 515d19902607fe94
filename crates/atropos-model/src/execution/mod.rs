//! Runs single iterations of an object's do-od block, the original's and its mutants': by the reference interpreter,
//! or by native code that must give the same.

mod engine;
pub mod interpreter;
pub mod jit;

pub use engine::{
    BYTES_PER_STEP, EnabledInput, Engine, Inputs, Interpreted, Iterations, MOST_OUTCOMES,
    MOST_TRACES, MOST_WORK,
};
