//! Reports as people and programs get them.

mod example;
mod outcomes_file;
mod ranking;
mod summary_text;
