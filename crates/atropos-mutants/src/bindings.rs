//! Macros in place of statements that may leave variables behind, which live on to the end of the block: guards above all.
//! Only what is defined in the file can be looked at; of other macros those are known that everybody uses.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::Macro;

use crate::skip_rules;

/// The macros of a file.
#[derive(Default)]
pub(crate) struct Bindings(HashMap<String, Definition>);

/// What all the rules of a macro stand for, taken together.
#[derive(Default)]
struct Definition {
    binds: bool,
    calls: Vec<String>,
}

impl Bindings {
    /// Takes in a definition by `macro_rules!`.
    pub fn define(&mut self, name: String, rules: TokenStream) {
        let definition = self.0.entry(name).or_default();
        let mut is_behind_arrow = false;
        for token in rules {
            match token {
                TokenTree::Group(group) if is_behind_arrow => definition.take_in(group.stream()),
                TokenTree::Punct(punct) => is_behind_arrow = punct.as_char() == '>',
                _ => is_behind_arrow = false,
            }
        }
    }

    /// Whether a macro may leave variables in the block that it is called in.
    pub fn may_come_from(&self, call: &Macro) -> bool {
        let Some(last) = call.path.segments.last() else {
            return true;
        };
        let is_harmless = skip_rules::is_skipped_macro(&call.path);
        let mut given = Definition::default();
        given.take_in_all(call.tokens.clone());
        given.binds || !is_harmless && self.may_bind(&last.ident.to_string(), &mut HashSet::new())
    }

    fn may_bind(&self, name: &str, asked: &mut HashSet<String>) -> bool {
        match self.0.get(name) {
            Some(definition) if asked.insert(name.to_owned()) => {
                let mut calls = definition.calls.iter();
                definition.binds || calls.any(|call| self.may_bind(call, asked))
            }
            Some(_) => false,
            None => !binds_nothing(name),
        }
    }
}

impl Definition {
    /// Looks for variables and calls outside of blocks.
    fn take_in(&mut self, tokens: TokenStream) {
        let mut before: Option<String> = None;
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) if ident == "let" => self.binds = true,
                TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => {
                    self.take_in(group.stream());
                }
                TokenTree::Punct(punct) if punct.as_char() == '!' => self.calls.extend(before),
                _ => {}
            }
            before = match token {
                TokenTree::Ident(ident) => Some(ident.to_string()),
                _ => None,
            };
        }
    }

    /// Looks for variables anywhere: what is given to a macro may come to stand anywhere.
    fn take_in_all(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => self.binds |= ident == "let",
                TokenTree::Group(group) => self.take_in_all(group.stream()),
                _ => {}
            }
        }
    }
}

/// Macros of std and of widely used crates that stand for an expression.
fn binds_nothing(name: &str) -> bool {
    let path: syn::Path = match syn::parse_str(name) {
        Ok(path) => path,
        Err(_) => return false,
    };
    skip_rules::is_skipped_macro(&path)
        || matches!(
            name,
            "write"
                | "writeln"
                | "format"
                | "format_args"
                | "vec"
                | "matches"
                | "try"
                | "concat"
                | "stringify"
                | "env"
                | "bail"
                | "ensure"
                | "select"
                | "join"
                | "try_join"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(definitions: &[(&str, &str)], call: &str, expected: bool) {
        let mut bindings = Bindings::default();
        for (name, rules) in definitions {
            bindings.define((*name).to_owned(), rules.parse().unwrap());
        }
        let call: Macro = syn::parse_str(call).unwrap();
        assert_eq!(bindings.may_come_from(&call), expected);
    }

    #[test]
    fn macros_that_may_leave_variables_are_known() {
        check(&[], "writeln!(text, \"{}\", 1)", false);
        check(&[], "std::write!(text, \"a\")", false);
        check(&[], "defer! { done() }", true);
        check(&[], "ensure!({ let a = 1; a == b })", true);
        check(
            &[("guard", "($a:expr) => { let _g = $a.lock(); };")],
            "guard!(a)",
            true,
        );
        check(
            &[("guard", "($($a:expr),*) => { $( let _g = $a; )* };")],
            "guard!(a)",
            true,
        );
        check(
            &[("fail", "($a:expr) => { return Err($a); };")],
            "fail!(1)",
            false,
        );
        check(
            &[("add", "($a:expr) => {{ let a = $a; f(a) }};")],
            "add!(1)",
            false,
        );
        check(
            &[("add", "() => { 1 }; ($a:ident) => { let $a = 1; }")],
            "add!(a)",
            true,
        );
        check(
            &[
                ("outer", "() => { inner!(); }"),
                ("inner", "() => { let _a = 1; }"),
            ],
            "outer!()",
            true,
        );
        check(
            &[
                ("outer", "() => { inner!(); }"),
                ("inner", "() => { outer!(); }"),
            ],
            "outer!()",
            false,
        );
        check(&[("outer", "() => { unknown!(); }")], "outer!()", true);
    }
}
