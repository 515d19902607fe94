//! What can be searched: a function, or a type with its methods.

use atropos_mutants::mutant::Span;

use super::{CallNames, CallSequence, SearchedCall, SearchedFunction, SearchedType, SeenInTests};
use crate::additions::Addition;

/// Code that can be called with made-up values.
#[derive(Clone, Debug)]
pub enum SearchedCode {
    Function(SearchedFunction),
    Type(SearchedType),
}

/// All of a file.
pub fn find_all(text: &str, seen: &SeenInTests) -> Vec<SearchedCode> {
    let functions = super::find(text, seen).into_iter();
    let types = super::find_types(text, seen).into_iter();
    functions
        .map(SearchedCode::Function)
        .chain(types.map(SearchedCode::Type))
        .collect()
}

impl SearchedCode {
    /// As mutants name it: `clamp`, `Wallet::interest`, `Wallet`.
    pub fn name(&self) -> &str {
        match self {
            SearchedCode::Function(function) => &function.name,
            SearchedCode::Type(of) => &of.name,
        }
    }

    /// Whether a place is in it.
    pub fn contains(&self, span: Span) -> bool {
        match self {
            SearchedCode::Function(function) => function.span.contains(span),
            SearchedCode::Type(of) => of.contains(span),
        }
    }

    /// How many calls lead from it to a function, by their names.
    pub fn distance(&self, names: &CallNames, to: &str) -> Option<usize> {
        let from = |name: &str| names.distances(name).get(to).copied();
        match self {
            SearchedCode::Function(function) => {
                from(function.name.rsplit("::").next().unwrap_or(&function.name))
            }
            SearchedCode::Type(of) => of.functions().filter_map(from).min(),
        }
    }

    /// How many inputs the search tries.
    pub fn calls(&self) -> usize {
        match self {
            SearchedCode::Function(function) => function.calls(),
            SearchedCode::Type(of) => of.calls(),
        }
    }

    /// How many numbers of values the search uses.
    pub fn places(&self) -> u32 {
        match self {
            SearchedCode::Function(function) => function.places(),
            SearchedCode::Type(of) => of.places(),
        }
    }

    /// How many numbers of additions the search uses.
    pub fn ids(&self) -> u32 {
        match self {
            SearchedCode::Function(_) => 1,
            SearchedCode::Type(of) => of.ids(),
        }
    }

    /// A test with this number that makes all calls and writes down their values, numbered from `first` on.
    pub fn search(&self, number: u32, first_id: u32, first: u32, place: usize) -> Vec<Addition> {
        match self {
            SearchedCode::Function(function) => {
                vec![function.search(number, first_id, first, place)]
            }
            SearchedCode::Type(of) => of.search(number, first_id, first, place),
        }
    }

    /// Forgets what rustc rejected of the search.
    pub fn leave_out(&mut self, first_id: u32, is_rejected: impl Fn(u32) -> bool) {
        if let SearchedCode::Type(of) = self {
            of.leave_out(first_id, is_rejected);
        }
    }

    /// The sequence of calls that gives a value, if it may have a shorter part that shows the same.
    pub fn sequence(&self, number: u32) -> Option<CallSequence> {
        match self {
            SearchedCode::Function(_) => None,
            SearchedCode::Type(of) => of.witness(number),
        }
    }

    /// The call that gives the value with this number, counted from the search's first.
    pub fn call(&self, number: u32) -> Option<SearchedCall> {
        match self {
            SearchedCode::Function(function) => function.call(number),
            SearchedCode::Type(of) => of.call(number),
        }
    }
}
