//! Where the words go: results to standard output, everything about the run to standard error,
//! with colours where they are wanted.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use atropos_report::style;

use crate::arguments::{Colors, OutputOptions};
use crate::control_characters::{EscapingWriter, shown};

/// How wide a text is made when nobody knows the width of what shows it.
const DEFAULT_WIDTH: usize = 100;

/// The two streams, and what the user wants of them.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    colors: ColorChoice,
}

impl Terminal {
    pub fn new(colors: Option<Colors>) -> Terminal {
        let colors = match colors.unwrap_or_default() {
            Colors::Auto => ColorChoice::Auto,
            Colors::Always => ColorChoice::Always,
            Colors::Never => ColorChoice::Never,
        };
        Terminal { colors }
    }

    pub fn of(options: &OutputOptions) -> Terminal {
        Terminal::new(options.colors)
    }

    /// For results. Writing may fail because the reader has gone, which is no error of ours.
    pub fn stdout(self) -> impl Write {
        EscapingWriter(AutoStream::new(io::stdout(), self.colors))
    }

    /// For progress, notes and warnings.
    pub fn stderr(self) -> impl Write {
        EscapingWriter(AutoStream::new(io::stderr(), self.colors))
    }

    /// Columns of standard output.
    pub fn width(self) -> usize {
        terminal_size::terminal_size_of(io::stdout())
            .map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0))
    }

    /// Lines of standard output, if it is a terminal.
    pub fn height(self) -> Option<usize> {
        let size = terminal_size::terminal_size_of(io::stdout());
        size.map(|(_, height)| usize::from(height.0))
    }

    /// Columns of standard error, if it is a terminal that lets a line be rewritten.
    pub fn live_width(self) -> Option<usize> {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if is_dumb || !io::stderr().is_terminal() {
            return None;
        }
        let size = terminal_size::terminal_size_of(io::stderr());
        Some(size.map_or(80, |(width, _)| usize::from(width.0)))
    }

    /// Rewrites the live line. What moves the cursor is no colour: it is written also where colours are not wanted.
    pub fn rewrite_line(self, line: &str) {
        // With standard error gone there is nobody to tell.
        let line = String::from_utf8_lossy(&shown(line.as_bytes())).into_owned();
        let _ = write!(io::stderr(), "\r{line}\u{1b}[K");
    }

    pub fn note(self, sentence: impl Display) {
        self.say(style::HEADING, "note", sentence);
    }

    pub fn warn(self, sentence: impl Display) {
        self.say(style::WARNING, "warning", sentence);
    }

    pub fn error(self, sentence: impl Display) {
        self.say(style::ERROR, "error", sentence);
    }

    fn say(self, style: anstyle::Style, kind: &str, sentence: impl Display) {
        // With standard error gone there is nobody to tell.
        let _ = writeln!(self.stderr(), "{style}{kind}:{style:#} {sentence}");
    }
}

/// Whether an error only means that nobody reads our output any more.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| {
        let io_error = cause.downcast_ref::<io::Error>();
        let json_error = cause.downcast_ref::<serde_json::Error>();
        io_error.is_some_and(|error| error.kind() == closed)
            || json_error.is_some_and(|error| error.io_error_kind() == Some(closed))
    })
}
