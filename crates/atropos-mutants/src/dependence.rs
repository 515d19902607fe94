//! What depends on the text of a function's body besides the runs that enter the function.
//!
//! A verdict of an earlier run is used again if nothing has changed that the run depended on. Of most functions that is the
//! body, where the run entered it. But some bodies can change what happens elsewhere: a constant's value, a type that is
//! named `impl Trait`, an implementation of a trait that stands in a body or comes from a macro. Here it is decided by the
//! tokens alone which those may be; in doubt a body is one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::str::FromStr as _;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ReturnType, Signature};

use crate::find::{Edition, in_its_own_thread, parse};
use crate::mutant::Span;
use crate::source::Source;

/// Macros of the standard library that make expressions and statements alone, and do not show the line they stand in to the
/// program (a panic tells it to the panic hook, see [`FileDependence::asks_for_places`]).
const OF_STD: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "compile_error",
    "concat",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include_bytes",
    "include_str",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Attributes of the compiler, which change nothing outside the function.
const OF_COMPILER: &[&str] = &[
    "allow",
    "automatically_derived",
    "cfg",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "ignore",
    "inline",
    "must_use",
    "no_mangle",
    "rustfmt",
    "clippy",
    "should_panic",
    "target_feature",
    "test",
    "track_caller",
    "unsafe",
    "warn",
    "mutants",
    "atropos",
];

/// Words in a body that matter elsewhere: implementations; documentation, which may hold tests; macros for the whole crate; data
/// that the loader finds.
const REACHING_OUT: &[&str] = &["impl", "doc", "macro_export", "link_section"];

/// Keywords behind which a `!` negates.
const BEFORE_NOT: &[&str] = &["if", "while", "match", "return", "break", "in"];

/// A function's body, and what its tokens say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyTokens {
    /// Just inside the braces.
    pub span: Span,
    /// Its text may matter to others than those that enter the function, whatever its macros are.
    pub is_open: bool,
    /// The macros that are called in it.
    pub macros: BTreeSet<String>,
}

/// A macro that is defined in a file by `macro_rules`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Definition {
    name: String,
    /// It may make more than expressions, or asks in which line it stands.
    is_open: bool,
    macros: BTreeSet<String>,
}

/// What the tokens of a file say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDependence {
    /// In the order of the text.
    pub bodies: Vec<BodyTokens>,
    definitions: Vec<Definition>,
    /// The program may learn in which lines panics and calls stand.
    pub asks_for_places: bool,
    /// The program may go through all variables of its environment.
    pub asks_for_all_variables: bool,
}

impl FileDependence {
    /// Looks at a file; nothing is known of one that can't be parsed.
    pub fn of(text: &str, edition: Edition) -> Option<FileDependence> {
        in_its_own_thread(|| read(text, edition))
    }
}

/// Which macros only make expressions and statements, wherever they are called.
pub struct Macros(BTreeMap<String, bool>);

impl Macros {
    /// Those of the standard library, and of those that files define the ones that call no others.
    pub fn of<'f>(files: impl Iterator<Item = &'f FileDependence>) -> Macros {
        let mut known: BTreeMap<String, bool> =
            OF_STD.iter().map(|name| (name.to_string(), true)).collect();
        let definitions: Vec<&Definition> = files.flat_map(|file| &file.definitions).collect();
        for definition in &definitions {
            known.insert(definition.name.clone(), true);
        }
        // Who calls what is not known is not known; until nothing changes any more.
        loop {
            let macros = Macros(known.clone());
            for definition in &definitions {
                if definition.is_open || !macros.know_all(&definition.macros) {
                    known.insert(definition.name.clone(), false);
                }
            }
            if macros.0 == known {
                return macros;
            }
        }
    }

    pub fn know_all(&self, names: &BTreeSet<String>) -> bool {
        names.iter().all(|name| self.0.get(name) == Some(&true))
    }
}

/// A word, or a call of a macro, and where it stands.
struct Word {
    offset: usize,
    text: String,
    is_call: bool,
}

fn read(text: &str, edition: Edition) -> Option<FileDependence> {
    let mut source = Source::new(text);
    let file = parse(&mut source, edition).ok()?;
    let mut words = Vec::new();
    let code_start = source.code_start();
    collect(
        TokenStream::from_str(source.code()).ok()?,
        code_start,
        &mut words,
    );
    let mut reader = Reader {
        source: &source,
        words: &words,
        found: FileDependence::default(),
        foreign: 0,
    };
    reader.visit_file(&file);
    let mut found = reader.found;
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.text.as_str()));
    let calls = |names: &[&str]| {
        let mut calls = words.iter().filter(|word| word.is_call);
        calls.any(|word| names.contains(&word.text.as_str()))
    };
    let places = [
        "Location",
        "set_hook",
        "take_hook",
        "PanicHookInfo",
        "PanicInfo",
        "Backtrace",
    ];
    found.asks_for_places = has(&places) || calls(&["line", "column", "dbg"]);
    found.asks_for_all_variables = has(&["vars", "vars_os", "environ"]);
    Some(found)
}

/// Adds the words of a stream of tokens, in the order of the text.
fn collect(tokens: TokenStream, start: usize, words: &mut Vec<Word>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), start, words),
            TokenTree::Ident(ident) => {
                let is_bang = |next: &TokenTree| {
                    matches!(next, TokenTree::Punct(punct)
                        if punct.as_char() == '!' && punct.spacing() == proc_macro2::Spacing::Alone)
                };
                let text = ident.to_string();
                let may_be_macro = !BEFORE_NOT.contains(&text.as_str());
                words.push(Word {
                    offset: ident.span().byte_range().start + start,
                    is_call: may_be_macro && tokens.peek().is_some_and(is_bang),
                    text,
                });
            }
            _ => {}
        }
    }
}

struct Reader<'s> {
    source: &'s Source<'s>,
    words: &'s [Word],
    found: FileDependence,
    /// How many items around have attributes of others than the compiler.
    foreign: usize,
}

impl Reader<'_> {
    fn words_in(&self, range: Range<usize>) -> &[Word] {
        let place = |offset: usize| self.words.partition_point(|word| word.offset < offset);
        &self.words[place(range.start)..place(range.end)]
    }

    fn calls_in(&self, range: Range<usize>) -> BTreeSet<String> {
        let calls = self.words_in(range).iter().filter(|word| word.is_call);
        calls.map(|word| word.text.clone()).collect()
    }

    fn under(&mut self, attributes: &[Attribute], walk: impl FnOnce(&mut Self)) {
        let is_foreign = !attributes.iter().all(is_of_compiler);
        self.foreign += usize::from(is_foreign);
        walk(self);
        self.foreign -= usize::from(is_foreign);
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        let braces = &block.brace_token.span;
        let start = self.source.token(braces.open()).end;
        let end = self.source.token(braces.close()).start;
        let gives_hidden_type = match &signature.output {
            ReturnType::Default => false,
            ReturnType::Type(_, ty) => {
                let mut search = HiddenType(false);
                search.visit_type(ty);
                search.0
            }
        };
        let words = self.words_in(start..end);
        let reaches_out = words
            .iter()
            .any(|word| REACHING_OUT.contains(&word.text.as_str()));
        self.found.bodies.push(BodyTokens {
            span: Span::new(start, end),
            is_open: self.foreign > 0
                || signature.constness.is_some()
                || signature.asyncness.is_some()
                || gives_hidden_type
                || reaches_out,
            macros: self.calls_in(start..end),
        });
    }
}

/// Looks for `impl Trait` and for macros in the place of types.
struct HiddenType(bool);

impl Visit<'_> for HiddenType {
    fn visit_type_impl_trait(&mut self, _: &syn::TypeImplTrait) {
        self.0 = true;
    }

    fn visit_type_macro(&mut self, _: &syn::TypeMacro) {
        self.0 = true;
    }
}

fn is_of_compiler(attribute: &Attribute) -> bool {
    let first = attribute.path().segments.first();
    first.is_some_and(|first| OF_COMPILER.iter().any(|name| first.ident == name))
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.under(&item.attrs, |reader| {
            reader.function(&item.sig, &item.block);
            visit::visit_item_fn(reader, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.under(&item.attrs, |reader| {
            reader.function(&item.sig, &item.block);
            visit::visit_impl_item_fn(reader, item);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.under(&item.attrs, |reader| {
            if let Some(block) = &item.default {
                reader.function(&item.sig, block);
            }
            visit::visit_trait_item_fn(reader, item);
        });
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.under(&item.attrs, |reader| visit::visit_item_impl(reader, item));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.under(&item.attrs, |reader| visit::visit_item_trait(reader, item));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.under(&item.attrs, |reader| visit::visit_item_mod(reader, item));
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if let Some(name) = &item.ident {
            let span = self.source.span(&item.mac.tokens);
            let range = span.start..span.end;
            const OPEN: [&str; 5] = ["impl", "line", "column", "Location", "dbg"];
            let words = self.words_in(range.clone());
            self.found.definitions.push(Definition {
                name: name.to_string(),
                is_open: words.iter().any(|word| OPEN.contains(&word.text.as_str())),
                macros: self.calls_in(range),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the text of each function's body matters only to those that enter it.
    fn closed(text: &str) -> Vec<bool> {
        let file = FileDependence::of(text, Edition::default()).expect("valid Rust");
        let macros = Macros::of([&file].into_iter());
        let bodies = file.bodies.iter();
        bodies
            .map(|body| !body.is_open && macros.know_all(&body.macros))
            .collect()
    }

    #[test]
    fn an_ordinary_body_matters_to_who_enters_it() {
        assert_eq!(
            closed("fn f() -> u32 { let a = vec![1]; assert!(a[0] != 2); a[0] }"),
            [true]
        );
        assert_eq!(
            closed("#[test] #[should_panic(expected = \"x\")] fn f() { g(1) }"),
            [true]
        );
        assert_eq!(
            closed("impl A { fn a(&self, f: impl Fn()) { f() } } trait T { fn t() {} }"),
            [true, true]
        );
    }

    #[test]
    fn what_may_matter_elsewhere_is_open() {
        for text in [
            "const fn f() -> u32 { 1 }",
            "async fn f() {}",
            "fn f() -> impl Iterator<Item = u32> { 0..1 }",
            "fn f() -> Option<impl Fn()> { None }",
            "fn f() { struct A; impl Drop for A { fn drop(&mut self) {} } }",
            "fn f() { /// ```\n/// a();\n/// ```\nfn inner() {} }",
            "fn f() { #[macro_export] macro_rules! m { () => { 1 } } }",
            "fn f() { #[link_section = \".init_array\"] static A: extern \"C\" fn() = g; }",
            "#[tokio::main] fn f() {}",
            "#[async_trait] impl A for B { fn f() {} }",
            "fn f() { from_elsewhere!(1) }",
            "macro_rules! m { () => { impl A for B {} } } fn f() { m!() }",
            "macro_rules! m { () => { n!() } } macro_rules! n { () => { other!() } } fn f() { m!() }",
            "macro_rules! m { () => { line!() } } fn f() { m!() }",
        ] {
            assert!(!closed(text)[0], "{text}");
        }
        let own = "macro_rules! m { ($a:expr) => { n!($a + 1) } } macro_rules! n { ($a:expr) => { vec![$a] } } fn f() { m!(1); }";
        assert_eq!(closed(own), [true]);
        let negations = "fn f() { if !a { return !b } while !c {} match !d { _ => {} } for e in !g {} loop { break !h } }";
        assert_eq!(closed(negations), [true]);
        // One definition among several of a name is enough.
        let twice = "mod a { macro_rules! vec { () => { impl A {} } } } fn f() { vec!() }";
        assert_eq!(closed(twice), [false]);
    }

    #[test]
    fn who_asks_for_lines_or_for_all_variables_is_noticed() {
        let asks = |text: &str| {
            let file = FileDependence::of(text, Edition::default()).expect("valid Rust");
            (file.asks_for_places, file.asks_for_all_variables)
        };
        assert_eq!(
            asks("fn f() { std::env::var(\"A\"); let line = 1; }"),
            (false, false)
        );
        assert_eq!(asks("fn f() { panic::set_hook(g) }"), (true, false));
        assert_eq!(asks("fn f() -> u32 { line!() }"), (true, false));
        assert_eq!(
            asks("fn f() { for (a, b) in std::env::vars() {} }"),
            (false, true)
        );
    }
}
