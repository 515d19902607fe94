//! `const fn`: where one is, and which names are called where only a `const fn` may be.
//!
//! Mutants can't act in code that is evaluated at compile time, because the question which mutant acts has its answer at run
//! time. So the weave writes a `const fn` as a plain `fn`, unless a constant needs it: an array's length, a `const`, a
//! `static`. What needs it is found here by name, over all files ([`ConstCalls`]). That is a guess on the safe side: a name
//! that any constant calls keeps all functions of that name `const`. What it misses (a macro of another crate) rustc finds.
//!
//! A mutant of a `const fn` must also compile alone, where the function is `const` again: see [`may_be_const`].

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use serde::{Deserialize, Serialize};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Expr, ExprClosure, FnArg, ImplItemFn, Item, ItemFn, Macro, Signature, Type,
};

use crate::mutant::{FileMutants, Span};
use crate::source::Source;

/// A `const fn` that has mutants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstFunction {
    pub name: String,
    /// The word `const`.
    pub keyword: Span,
    /// From brace to brace.
    pub body: Span,
    /// Closures and items in the body: they run like any other code.
    pub inner: Vec<Span>,
}

impl ConstFunction {
    pub(crate) fn of(
        signature: &Signature,
        block: &Block,
        source: &Source<'_>,
    ) -> Option<ConstFunction> {
        let keyword = signature.constness?;
        struct Inner<'s, 'a> {
            source: &'s Source<'a>,
            found: Vec<Span>,
        }
        impl<'ast> Visit<'ast> for Inner<'_, '_> {
            fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
                self.found.push(self.source.span(closure));
            }
            fn visit_item(&mut self, item: &'ast Item) {
                self.found.push(self.source.span(item));
            }
        }
        let mut inner = Inner {
            source,
            found: Vec::new(),
        };
        inner.visit_block(block);
        let braces = &block.brace_token.span;
        Some(ConstFunction {
            name: signature.ident.to_string(),
            keyword: source.token(keyword.span),
            body: Span::new(
                source.token(braces.open()).start,
                source.token(braces.close()).end,
            ),
            inner: inner.found,
        })
    }

    /// Whether something in the file is evaluated when the function is, and so at compile time if that is.
    pub fn evaluates(&self, span: Span) -> bool {
        self.body.contains(span) && !self.inner.iter().any(|inner| inner.contains(span))
    }
}

impl FileMutants {
    /// Leaves those `const fn`s alone that a predicate holds for: they keep no points and no counters.
    pub fn keep_const(&mut self, is_kept: impl Fn(&ConstFunction) -> bool) {
        let functions = std::mem::take(&mut self.const_functions);
        let (kept, woven) = functions.into_iter().partition(is_kept);
        self.const_functions = woven;
        let kept: Vec<ConstFunction> = kept;
        if kept.is_empty() {
            return;
        }
        let is_evaluated = |span: Span| {
            kept.iter()
                .any(|function: &ConstFunction| function.evaluates(span))
        };
        self.points.retain(|point| !is_evaluated(point.span));
        self.steps
            .retain(|step| !is_evaluated(Span::new(step.offset, step.offset)));
        self.number_functions();
    }

    /// Counts the functions that say when they are entered, in the order of the text.
    pub(crate) fn number_functions(&mut self) {
        let bodies = self.steps.iter_mut();
        let bodies = bodies.filter_map(|step| step.function.as_mut());
        for (number, body) in (0..).zip(bodies) {
            body.number = number;
        }
    }
}

/// Functions that may not be called in a constant, and macros, by how a replacement names them.
const NOT_CONST: [&str; 14] = [
    "default()",
    ".into()",
    "::from(",
    "vec![",
    "leak(",
    "from_fn(",
    "Path::",
    "OsStr::",
    "Box::",
    "Rc::",
    "Arc::",
    "HashMap",
    "HashSet",
    "msg(",
];

/// Whether a value for a body may be made at compile time. Not if a parameter would have to be dropped without having been
/// used.
pub(crate) fn may_be_const(value: &str, signature: &Signature, parameters: &[String]) -> bool {
    // An empty one allocates nothing.
    let is_const = value == "vec![]" || !NOT_CONST.iter().any(|part| value.contains(part));
    is_const
        && signature.inputs.iter().all(|input| match input {
            FnArg::Receiver(receiver) => receiver.reference.is_some() || parameters.is_empty(),
            FnArg::Typed(typed) => needs_no_drop(&typed.ty, parameters),
        })
}

/// Whether a value of this type can be forgotten at compile time, as far as its text tells.
fn needs_no_drop(ty: &Type, parameters: &[String]) -> bool {
    struct Names<'a> {
        parameters: &'a [String],
        owns: bool,
    }
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {}
        fn visit_type_ptr(&mut self, _: &'ast syn::TypePtr) {}
        fn visit_ident(&mut self, name: &'ast syn::Ident) {
            let name = name.to_string();
            let is_self = name == "Self" && !self.parameters.is_empty();
            let allocates = ["String", "Vec", "Box", "Rc", "Arc", "Cow"].contains(&name.as_str());
            self.owns |= is_self || allocates || self.parameters.contains(&name);
        }
    }
    let mut names = Names {
        parameters,
        owns: false,
    };
    names.visit_type(ty);
    !names.owns
}

/// The names that are called where only a `const fn` may be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstCalls {
    /// In constants.
    needed: BTreeSet<String>,
    /// In each `const fn`: needed if that is.
    by_function: BTreeMap<String, BTreeSet<String>>,
}

impl ConstCalls {
    pub(crate) fn of(file: &syn::File) -> ConstCalls {
        let mut finder = CallFinder::default();
        finder.visit_file(file);
        finder.calls.add_text(&finder.documentation);
        finder.calls
    }

    /// Adds what examples in a text may call in constants.
    pub fn add_text(&mut self, text: &str) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = text.split(|c| !is_word(c));
        if !words.any(|word| word == "const" || word == "static") {
            return;
        }
        for (index, _) in text.match_indices('(') {
            let name = text[..index].rsplit(|c| !is_word(c)).next();
            self.needed
                .extend(name.filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }

    pub fn add(&mut self, other: &ConstCalls) {
        self.needed.extend(other.needed.iter().cloned());
        for (function, calls) in &other.by_function {
            let all = self.by_function.entry(function.clone()).or_default();
            all.extend(calls.iter().cloned());
        }
    }

    /// All that constants need, also through other functions.
    pub fn names(&self) -> BTreeSet<String> {
        let mut names = self.needed.clone();
        let mut ahead: Vec<String> = names.iter().cloned().collect();
        while let Some(name) = ahead.pop() {
            for call in self.by_function.get(&name).into_iter().flatten() {
                if names.insert(call.clone()) {
                    ahead.push(call.clone());
                }
            }
        }
        names
    }
}

#[derive(Default)]
struct CallFinder {
    calls: ConstCalls,
    documentation: String,
    /// Within a constant.
    is_constant: bool,
    /// The `const fn` around.
    function: Option<String>,
}

impl CallFinder {
    fn within<'ast>(&mut self, walk: impl FnOnce(&mut Self) + 'ast) {
        let outer = std::mem::replace(&mut self.is_constant, true);
        walk(self);
        self.is_constant = outer;
    }

    fn call(&mut self, name: String) {
        if self.is_constant {
            self.calls.needed.insert(name);
        } else if let Some(function) = &self.function {
            let calls = self.calls.by_function.entry(function.clone());
            calls.or_default().insert(name);
        }
    }

    fn function(&mut self, signature: &Signature, walk: impl FnOnce(&mut Self)) {
        let name = signature.constness.map(|_| signature.ident.to_string());
        let outer = (
            std::mem::replace(&mut self.function, name),
            std::mem::replace(&mut self.is_constant, false),
        );
        walk(self);
        (self.function, self.is_constant) = outer;
    }

    fn tokens(&mut self, tokens: &TokenStream) {
        let mut last = None;
        for token in tokens.clone() {
            match token {
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Parenthesis
                        && let Some(name) = last.take()
                    {
                        self.call(name);
                    }
                    self.tokens(&group.stream());
                    last = None;
                }
                TokenTree::Ident(name) => last = Some(name.to_string()),
                _ => last = None,
            }
        }
    }
}

fn has_constants(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => has_constants(&group.stream()),
        TokenTree::Ident(name) => name == "const" || name == "static",
        _ => false,
    })
}

impl<'ast> Visit<'ast> for CallFinder {
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.within(|finder| visit::visit_item_const(finder, item));
    }
    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.within(|finder| visit::visit_item_static(finder, item));
    }
    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.within(|finder| visit::visit_impl_item_const(finder, item));
    }
    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.within(|finder| visit::visit_trait_item_const(finder, item));
    }
    fn visit_type_array(&mut self, array: &'ast syn::TypeArray) {
        self.visit_type(&array.elem);
        self.within(|finder| finder.visit_expr(&array.len));
    }
    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        // What is repeated may have to be a constant, too.
        self.within(|finder| visit::visit_expr_repeat(finder, repeat));
    }
    fn visit_expr_const(&mut self, block: &'ast syn::ExprConst) {
        self.within(|finder| visit::visit_expr_const(finder, block));
    }
    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.within(|finder| visit::visit_variant(finder, variant));
    }
    fn visit_const_param(&mut self, parameter: &'ast syn::ConstParam) {
        self.within(|finder| visit::visit_const_param(finder, parameter));
    }
    fn visit_generic_argument(&mut self, argument: &'ast syn::GenericArgument) {
        match argument {
            syn::GenericArgument::Const(_) => {
                self.within(|finder| visit::visit_generic_argument(finder, argument));
            }
            _ => visit::visit_generic_argument(self, argument),
        }
    }
    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        // `static LAZY: LazyLock<T> = LazyLock::new(|| …)` runs it like any other code.
        let outer = (
            std::mem::take(&mut self.function),
            std::mem::replace(&mut self.is_constant, false),
        );
        visit::visit_expr_closure(self, closure);
        (self.function, self.is_constant) = outer;
    }
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.sig, |finder| visit::visit_item_fn(finder, item));
    }
    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.sig, |finder| visit::visit_impl_item_fn(finder, item));
    }
    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.function(&item.sig, |finder| visit::visit_trait_item_fn(finder, item));
    }
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && let Some(last) = path.path.segments.last()
        {
            self.call(last.ident.to_string());
        }
        visit::visit_expr_call(self, call);
    }
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.call(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }
    fn visit_macro(&mut self, mac: &'ast Macro) {
        // What a macro makes of its tokens may be a constant where one is among them.
        if has_constants(&mac.tokens) {
            self.within(|finder| finder.tokens(&mac.tokens));
        } else {
            self.tokens(&mac.tokens);
        }
    }
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if attribute.path().is_ident("doc")
            && let syn::Meta::NameValue(named) = &attribute.meta
            && let Expr::Lit(literal) = &named.value
            && let syn::Lit::Str(text) = &literal.lit
        {
            self.documentation.push_str(&text.value());
            self.documentation.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FindOptions, find_mutants};

    fn needed(text: &str) -> Vec<String> {
        let file = syn::parse_file(text).unwrap();
        ConstCalls::of(&file).names().into_iter().collect()
    }

    #[test]
    fn what_constants_call_is_found_wherever_they_are() {
        for (text, expected) in [
            ("const A: u8 = S::new(b());", &["b", "new"] as &[&str]),
            ("static A: u8 = B.get();", &["get"]),
            ("struct S([u8; len()]);", &["len"]),
            ("fn f() { let a = [0; len()]; g(); }", &["len"]),
            ("fn f() { const { check() }; g(); }", &["check"]),
            ("fn f() { g(); const A: u8 = h(); }", &["h"]),
            ("enum E { A = f() }", &["f"]),
            ("trait T { const A: u8 = f(); }", &["f"]),
            ("const _: () = assert!(f() > 1);", &["assert", "f"]),
            (
                "thread_local! { static A: C = const { C::new() }; }",
                &["new"],
            ),
            ("static L: Lazy = Lazy::new(|| f());", &["new"]),
            ("fn f() { g(); }", &[]),
        ] {
            let found: Vec<String> = needed(text)
                .into_iter()
                .filter(|name| name != "assert")
                .collect();
            let expected: Vec<&&str> = expected.iter().filter(|name| **name != "assert").collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn what_a_needed_function_calls_is_needed() {
        let text = "const A: u8 = f(); const fn f() -> u8 { g(1) } const fn g(a: u8) -> u8 { a } const fn h() -> u8 { k() }";
        assert_eq!(needed(text), ["f", "g"]);
    }

    #[test]
    fn examples_in_documentation_count() {
        assert_eq!(needed("/// const A: u8 = f(1);\nfn f() {}"), ["f"]);
        assert_eq!(needed("/// Call f(1).\nfn f() {}"), [""; 0]);
    }

    #[test]
    fn a_const_fn_has_mutants_until_it_is_left_alone() {
        let text = "fn a(x: u8) -> u8 { x + 1 }\nconst fn b(x: u8) -> u8 { x * 2 }\n";
        let mut found = find_mutants(text, &FindOptions::default()).unwrap();
        assert_eq!(found.const_functions.len(), 1);
        let function = &found.const_functions[0];
        assert_eq!(function.keyword.text(text), "const");
        assert_eq!(function.body.text(text), "{ x * 2 }");
        let of_b = |found: &FileMutants| {
            let points = found.points.iter();
            points.filter(|point| point.function == "b").count()
        };
        assert!(of_b(&found) > 0);
        assert_eq!(found.steps.len(), 2);
        found.keep_const(|function| function.name == "b");
        assert_eq!(of_b(&found), 0);
        assert_eq!(found.steps.len(), 1);
        assert!(found.const_functions.is_empty());
    }

    #[test]
    fn mutants_that_would_not_compile_in_a_const_fn_are_not_made() {
        let check = |text: &str, expected: &[&str]| {
            let found = find_mutants(text, &FindOptions::default()).unwrap();
            let mutants = found.points.iter().flat_map(|point| &point.mutants);
            let bodies: Vec<&str> = mutants
                .filter(|mutant| mutant.operator == crate::Operator::Fbr)
                .map(|mutant| mutant.replacement.as_str())
                .collect();
            assert_eq!(bodies, expected, "{text}");
        };
        check("const fn f(a: u8) -> bool { a > 3 }", &["true", "false"]);
        check("const fn f(a: String) -> bool { g(&a) }", &[]);
        check("const fn f<T>(a: T, b: bool) -> bool { b }", &[]);
        check(
            "struct S; impl Default for S {} const fn f(a: u8) -> S { g(a) }",
            &[],
        );
    }
}
