//! Nothing but tests: see `../published.rs`.
