//! From the text of a file to its mutants: the crate's one entrance.

use serde::{Deserialize, Serialize};

use crate::mutant::FileMutants;
use crate::selection::OperatorSelection;
use crate::source::Source;
use crate::type_facts::TypeFacts;
use crate::walk::Walker;

/// What shall be found, and what is known of the crate that the file belongs to.
#[derive(Clone, Debug, Default)]
pub struct FindOptions {
    pub selection: OperatorSelection,
    /// The whole file is test code (an integration test, a module under `#[cfg(test)]`): it gets
    /// step counters but no mutants.
    pub test_only: bool,
    /// The crate is `#![no_std]`: `::std` can't be named.
    pub no_std: bool,
    pub edition: Edition,
}

/// The edition of the crate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Edition {
    /// `::core` names a module of the crate's root here, so replacements avoid it.
    #[serde(rename = "2015")]
    Rust2015,
    #[serde(rename = "2018")]
    Rust2018,
    #[serde(rename = "2021")]
    Rust2021,
    #[default]
    #[serde(rename = "2024")]
    Rust2024,
}

impl Edition {
    /// From the number that Cargo.toml and rustc use.
    pub fn from_year(year: &str) -> Option<Edition> {
        match year {
            "2015" => Some(Edition::Rust2015),
            "2018" => Some(Edition::Rust2018),
            "2021" => Some(Edition::Rust2021),
            "2024" => Some(Edition::Rust2024),
            _ => None,
        }
    }
}

/// Text that is not Rust, or newer than the parser.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    pub message: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
}

/// Deeply nested expressions recurse deeply, in the parser and here.
const STACK: usize = 256 << 20;

/// Finds all mutants of a file.
///
/// A thread of its own does the work: it has room for deep recursion, and the parser's table of
/// spans, which lives as long as its thread, does not grow with the number of files.
pub fn find_mutants(text: &str, options: &FindOptions) -> Result<FileMutants, ParseError> {
    in_its_own_thread(|| find(text, options))
}

/// Reads text in a thread with a large stack.
pub(crate) fn in_its_own_thread<R: Send>(read: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("find mutants".into())
            .stack_size(STACK)
            .spawn_scoped(scope, read)
            .expect("the system can start a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn find(text: &str, options: &FindOptions) -> Result<FileMutants, ParseError> {
    let mut source = Source::new(text);
    let file = parse(&mut source, options.edition)?;
    let facts = TypeFacts::of(&file);
    Ok(Walker::new(&source, options, &facts).file(&file))
}

/// Parses a file, also one in the old syntax of its edition.
pub(crate) fn parse(source: &mut Source<'_>, edition: Edition) -> Result<syn::File, ParseError> {
    match syn::parse_str::<syn::File>(source.code()) {
        Ok(file) => Ok(file),
        Err(error) => {
            let error = parse_error(source, &error);
            let modern = source.modern_code(edition);
            syn::parse_str(&modern).map_err(|_| error)
        }
    }
}

fn parse_error(source: &Source<'_>, error: &syn::Error) -> ParseError {
    let message = error.to_string();
    // The end of the input has no token, and so no place of its own.
    let offset = if message.starts_with("unexpected end of input") {
        source.text.trim_end().len().saturating_sub(1)
    } else {
        source.token(error.span()).start
    };
    let (line, column) = source.position(source.text.floor_char_boundary(offset));
    ParseError {
        message,
        line,
        column,
    }
}
