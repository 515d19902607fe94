//! Who calls whom, by names alone, and what tests call functions with.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Expr, ImplItemFn, ItemFn, Macro, Token};

use super::values::Constants;
use crate::observe::with_file;

/// The names that functions of a name call. Several functions may share one.
#[derive(Clone, Debug, Default)]
pub struct CallNames {
    calls: BTreeMap<String, BTreeSet<String>>,
}

impl CallNames {
    /// Takes in a file of code.
    pub fn add(&mut self, text: &str) {
        let found = with_file(text, |file, _| {
            let mut finder = CallFinder::default();
            finder.visit_file(file);
            finder.calls
        });
        for (name, calls) in found.unwrap_or_default() {
            self.calls.entry(name).or_default().extend(calls);
        }
    }

    /// How many calls lead from a function to others, by their names; 0 to itself.
    pub fn distances(&self, from: &str) -> BTreeMap<&str, usize> {
        let Some((from, _)) = self.calls.get_key_value(from) else {
            return BTreeMap::new();
        };
        let mut found = BTreeMap::from([(from.as_str(), 0)]);
        let mut open = VecDeque::from([from.as_str()]);
        while let Some(name) = open.pop_front() {
            let distance = found[name] + 1;
            for called in self.calls.get(name).into_iter().flatten() {
                if self.calls.contains_key(called) && !found.contains_key(called.as_str()) {
                    found.insert(called, distance);
                    open.push_back(called);
                }
            }
        }
        found
    }
}

#[derive(Default)]
struct CallFinder {
    current: Vec<String>,
    calls: BTreeMap<String, BTreeSet<String>>,
}

impl CallFinder {
    fn named(&mut self, name: String) {
        if let Some(current) = self.current.last() {
            self.calls.entry(current.clone()).or_default().insert(name);
        }
    }

    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.calls.entry(name.clone()).or_default();
        self.current.push(name);
        visit(self);
        self.current.pop();
    }
}

impl<'ast> Visit<'ast> for CallFinder {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.within(function.sig.ident.to_string(), |finder| {
            visit::visit_item_fn(finder, function)
        });
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.within(function.sig.ident.to_string(), |finder| {
            visit::visit_impl_item_fn(finder, function)
        });
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        // Also where a function is named without being called, as in `map(parse)`.
        if let Some(last) = path.path.segments.last() {
            self.named(last.ident.to_string());
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.named(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        for argument in arguments(called) {
            self.visit_expr(&argument);
        }
    }
}

/// The arguments of a macro, if they are expressions.
fn arguments(called: &Macro) -> Vec<Expr> {
    let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
    let parsed = parser.parse2(called.tokens.clone());
    parsed.map_or_else(|_| Vec::new(), |arguments| arguments.into_iter().collect())
}

/// The constants that calls in tests are made with, by the name of the function.
#[derive(Clone, Debug, Default)]
pub struct SeenInTests {
    constants: BTreeMap<String, Constants>,
}

impl SeenInTests {
    /// Takes in a file with tests.
    pub fn add(&mut self, text: &str) {
        let found = with_file(text, |file, _| {
            let mut seen = SeenInTests::default();
            seen.visit_file(file);
            seen.constants
        });
        // What was seen first stays.
        for (name, constants) in found.unwrap_or_default() {
            self.constants.entry(name).or_insert(constants);
        }
    }

    pub(super) fn of(&self, function: &str) -> Option<&Constants> {
        self.constants.get(function)
    }

    fn call<'e>(&mut self, name: String, arguments: impl Iterator<Item = &'e Expr>) {
        let constants = self.constants.entry(name).or_default();
        arguments.for_each(|argument| constants.add(argument));
    }
}

impl<'ast> Visit<'ast> for SeenInTests {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && let Some(last) = path.path.segments.last()
        {
            self.call(last.ident.to_string(), call.args.iter());
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.call(call.method.to_string(), call.args.iter());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        for argument in arguments(called) {
            self.visit_expr(&argument);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_followed_by_name() {
        let mut names = CallNames::default();
        names.add("pub fn a(x: &str) -> u8 { x.bytes().map(b).sum() } fn b(x: u8) -> u8 { assert!(T::c(x)); x }");
        names.add("impl T { fn c(x: u8) -> bool { true } }");
        let distances = names.distances("a");
        assert_eq!(distances, BTreeMap::from([("a", 0), ("b", 1), ("c", 2)]));
        assert!(names.distances("x").is_empty());
    }

    #[test]
    fn what_tests_call_a_function_with_is_among_its_inputs() {
        let mut seen = SeenInTests::default();
        seen.add("#[test] fn t() { assert_eq!(distance(\"kitten\", 35), 3); }");
        let code = "pub fn distance(text: &str, number: u32) -> u32 { number }";
        let found = super::super::find(code, &seen);
        let calls = (0..found[0].places()).map(|number| found[0].call(number).unwrap().expression);
        let calls: Vec<String> = calls.collect();
        assert!(
            calls.contains(&"distance(\"kitten\", 36)".to_owned()),
            "{calls:?}"
        );
    }
}
