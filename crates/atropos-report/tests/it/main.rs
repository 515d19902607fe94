//! Reports as people and programs get them.

mod example;
mod github;
mod merging;
mod odd;
mod other_formats;
mod outcomes_file;
mod page;
mod published;
mod ranking;
mod sarif_file;
mod stryker_file;
mod summary_text;
