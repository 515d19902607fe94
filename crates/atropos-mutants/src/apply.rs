//! A mutant compiled alone is a file with one edit; this makes the edit.

use crate::mutant::Mutant;

/// The file's text with one mutant's edit made and nothing else changed.
pub fn apply(text: &str, mutant: &Mutant) -> String {
    let mut mutated = String::with_capacity(text.len() + mutant.replacement.len());
    mutated.push_str(&text[..mutant.span.start]);
    mutated.push_str(&mutant.replacement);
    mutated.push_str(&text[mutant.span.end..]);
    mutated
}
