//! Drives hand-woven test programs through the protocol, as the driver does.
//!
//! Each module compiles one or two programs with plain rustc against the runtime and the harness,
//! and checks the exact verdicts.

mod basics;
mod misbehaving;
mod support;
