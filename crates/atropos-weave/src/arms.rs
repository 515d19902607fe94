//! The texts of mutants: a piece of the source with one mutant's edit in it, on one line.

use atropos_mutants::mutant::{Mutant, Span, StepPlace};
use atropos_values::interface::{ENTER, STEP};
use syn::Expr;

/// Steps are counted in so many places: counters that follow each other closely don't wait for each other.
const LANES: usize = 8;

/// The call that counts a step at the counter with this place in the file, and at the beginning of a function says which it is.
pub(crate) fn step_call(counter: usize, place: &StepPlace, first_function: u32) -> String {
    match place.function {
        Some(function) => format!("{ENTER}({});", first_function + function.number),
        None => format!("{STEP}({});", counter % LANES),
    }
}

/// Cuts pieces out of a source.
#[derive(Clone, Copy)]
pub(crate) struct SourceCutter<'s> {
    pub source: &'s str,
    /// Counters that copies of the source need as much as the source itself.
    pub steps: &'s [StepPlace],
    /// The number of the file's first function.
    pub first_function: u32,
}

impl SourceCutter<'_> {
    /// A piece of the source as it would be with a mutant's edit; with step counters, so that a
    /// mutant that runs for ever within its own copy is noticed.
    pub fn edited(&self, site: Span, mutant: &Mutant) -> Option<String> {
        if !site.contains(mutant.span) {
            return None;
        }
        let mut text = self.counted(Span::new(site.start, mutant.span.start));
        text.push_str(&mutant.replacement);
        text.push_str(&self.counted(Span::new(mutant.span.end, site.end)));
        on_one_line(&text)
    }

    /// A piece of the source on one line.
    pub fn original(&self, site: Span) -> Option<String> {
        on_one_line(&self.counted(site))
    }

    fn counted(&self, site: Span) -> String {
        let mut text = String::new();
        let mut position = site.start;
        for (counter, step) in self.steps.iter().enumerate() {
            // A counter at the very end belongs to what follows.
            if site.start < step.offset && step.offset < site.end && position <= step.offset {
                text.push_str(&self.source[position..step.offset]);
                text.push_str(&step_call(counter, step, self.first_function));
                position = step.offset;
            }
        }
        text.push_str(&self.source[position..site.end]);
        text
    }
}

/// The text on one line; `None` if that can't be.
fn on_one_line(text: &str) -> Option<String> {
    let line = atropos_mutants::one_line(text);
    (!line.contains('\n')).then_some(line)
}

/// Reads a text as an expression, if it is one.
pub(crate) fn parse(text: &str) -> Option<Expr> {
    syn::parse_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::mutant;

    #[test]
    fn an_edit_is_made_and_the_lines_joined() {
        let source = "f(a // first\n + b)";
        let pieces = SourceCutter {
            source,
            steps: &[],
            first_function: 0,
        };
        let plus = source.find('+').unwrap();
        let text = pieces.edited(
            Span::new(2, source.len() - 1),
            &mutant(Span::new(plus, plus + 1), "-", '-'),
        );
        assert_eq!(text.as_deref(), Some("a - b"));
    }

    #[test]
    fn copies_count_steps_too() {
        let source = "g(|x| {x}) + 1";
        let steps = [StepPlace {
            offset: 7,
            function: None,
        }];
        let pieces = SourceCutter {
            source,
            steps: &steps,
            first_function: 0,
        };
        let text = pieces.edited(
            Span::new(0, source.len()),
            &mutant(Span::new(11, 12), "-", '-'),
        );
        let expected = "g(|x| {::atropos_runtime::step(0);x}) - 1";
        assert_eq!(text.as_deref(), Some(expected));
    }

    #[test]
    fn an_edit_outside_the_piece_is_refused() {
        let pieces = SourceCutter {
            source: "a + b",
            steps: &[],
            first_function: 0,
        };
        let text = pieces.edited(Span::new(0, 1), &mutant(Span::new(2, 3), "-", '-'));
        assert_eq!(text, None);
    }
}
