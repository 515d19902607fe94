//! Drawn anew by each run.
