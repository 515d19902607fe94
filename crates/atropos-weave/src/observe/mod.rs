//! Observation: calls of the runtime where functions are entered and left and blocks begin.
//!
//! It is woven on top of a woven file, as insertions into its text: [`functions`] finds in the
//! *source* what can be observed, and [`weave`] finds the same functions again in the *woven* text
//! and writes the calls. Code of mutants is not observed on its own, but where a mutant returns is
//! an exit like any other. The mutants' forms are settled before, so that every error of rustc is
//! about an insertion; [`rollback`] takes out those that an error is about.
//!
//! Lines don't move here either, and what is inserted runs no code of the program's: values are
//! looked at by `atropos_runtime::observe::see`.

mod functions;
mod rollback;
mod structs;
mod weave;

pub use functions::{Function, ObservedBlock, ObservedFile, ObservedVariable, Returned};
pub use rollback::{InsertedPiece, ObserveForms, roll_back};
pub use structs::Structs;
pub use weave::{FirstNumbers, Observed, observe};

use atropos_mutants::mutant::Span;
use proc_macro2::Span as TokenSpan;

/// How many bytes stand before what the parser counts from: a byte order mark, a shebang line.
fn parsed_from(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let rest = &text[mark..];
    let is_shebang = rest.starts_with("#!") && !rest[2..].trim_start().starts_with('[');
    match rest.find('\n') {
        Some(end) if is_shebang => mark + end,
        _ => mark,
    }
}

/// A part of the text that was parsed from `base` on.
pub(crate) fn span_of(base: usize, span: TokenSpan) -> Span {
    let range = span.byte_range();
    Span::new(base + range.start, base + range.end)
}

/// Parses a text and calls `with` on it, in a thread with room for deep recursion. None if it is
/// not Rust, or the parser counts otherwise than we do.
pub(crate) fn with_file<T: Send>(
    text: &str,
    with: impl FnOnce(&syn::File, usize) -> T + Send,
) -> Option<T> {
    const STACK: usize = 256 << 20;
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("observe".into())
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                let base = parsed_from(text);
                let file = syn::parse_file(&text[base..]).ok()?;
                Some(with(&file, base))
            })
            .expect("the system can start a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::parsed_from;

    #[test]
    fn marks_and_shebangs_are_not_parsed() {
        assert_eq!(parsed_from("fn f() {}"), 0);
        assert_eq!(parsed_from("\u{feff}fn f() {}"), 3);
        assert_eq!(parsed_from("#!/bin/x\nfn f() {}"), 8);
        assert_eq!(parsed_from("#![allow(x)]\nfn f() {}"), 0);
    }
}
