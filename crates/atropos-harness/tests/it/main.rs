//! Drives hand-woven test programs through the protocol, as the driver does.
//!
//! Each module compiles one or two programs with plain rustc against the runtime and the harness,
//! and checks the exact verdicts.

mod agreement;
mod basics;
mod by_hand;
mod classes;
mod effects;
mod evidence;
mod lifetime;
mod misbehaving;
mod printing;
mod spawned;
mod state;
mod support;
mod threads;
