//! The command as users meet it: `cli` needs no build of the package under test, `runs` are whole runs.

mod cli;
mod runs;
mod terminal;
