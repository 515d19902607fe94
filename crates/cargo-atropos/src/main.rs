//! `cargo atropos`: reads the command line, does what it asks for, and says how it went by the
//! exit code.
//!
//! The modules stand in the order of the data: arguments and config file, the workspace, its files
//! and mutants, the selection, the plan, and then what is done with it.

mod accepted;
mod arguments;
mod build_arguments;
mod completions;
mod config;
mod control_characters;
mod did_you_mean;
#[cfg(test)]
mod documented_commands;
mod environment;
mod exit_code;
mod gate;
mod named_mutants;
mod option_table;
#[cfg(test)]
mod options_page;
mod report_arguments;
mod schedule_arguments;
mod second_order;
mod terminal;

mod module_files;
mod packages;
mod source;

mod changed_lines;
mod impact;
mod in_diff;
mod selection;

mod plan;
mod prepare;
mod tree_state;

mod compiled_crate;
mod interrupt;
mod journal;
mod log;
mod progress;
mod sandbox;
mod scratch;

mod archive;
mod build;
mod evidence;
mod execute;
mod explore;
mod nextest_filter;
mod replay;
mod reports;
mod results;
mod review;
mod run;
mod write;

mod list;
mod merge;
mod model;
mod operators;
mod show;

use std::env;
use std::process;

use anyhow::Result;

use crate::arguments::{Arguments, Command};
use crate::exit_code::ExitCode;
use crate::terminal::{Terminal, is_closed_pipe};

fn main() -> process::ExitCode {
    build::play_other_roles();
    let arguments = match arguments::parse(env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are asked for; everything else is a mistake. Clap's own code for it
            // would be ours for survivors.
            let code = if error.use_stderr() {
                ExitCode::Usage
            } else {
                ExitCode::Success
            };
            let _ = error.print();
            return code.into();
        }
    };
    let terminal = Terminal::new(arguments.colors());
    match dispatch(arguments) {
        Ok(code) => code.into(),
        Err(error) if is_closed_pipe(&error) => ExitCode::Success.into(),
        Err(error) => {
            terminal.error(format!("{error:#}"));
            match error.is::<build::CompilerEnded>() {
                true => ExitCode::NotTested.into(),
                false => ExitCode::Usage.into(),
            }
        }
    }
}

fn dispatch(arguments: Arguments) -> Result<ExitCode> {
    match arguments.command {
        None => run::run(arguments.options),
        Some(Command::Run(options)) => run::run(*options),
        Some(Command::Archive(options)) => archive::archive(*options),
        Some(Command::List(list)) => list::list(*list),
        Some(Command::Explore(arguments)) => explore::explore(*arguments),
        Some(Command::Replay(arguments)) => replay::replay(*arguments),
        Some(Command::Show(show)) => show::show(show),
        Some(Command::Accept(arguments)) => accepted::accept(arguments),
        Some(Command::Review(arguments)) => review::review(arguments),
        Some(Command::Write(arguments)) => write::write(arguments),
        Some(Command::Report(arguments)) => reports::regenerate(arguments),
        Some(Command::Merge(arguments)) => merge::join(*arguments),
        Some(Command::Completions(arguments)) => completions::completions(&arguments),
        Some(Command::Man) => completions::manual(),
        Some(Command::Operators(operators)) => operators::operators(&operators),
        Some(Command::Model(command)) => model::model(&command),
    }
}
