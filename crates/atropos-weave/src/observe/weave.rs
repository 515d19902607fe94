//! Writes the calls of the runtime into a woven text.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use atropos_mutants::mutant::Span;
use atropos_values::interface::{OBSERVE_BLOCK, OBSERVE_ENTER, OBSERVE_IDENTITY};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{AttrStyle, Attribute, Expr, Stmt};

use super::functions::{Function, ObservedFile, ObservedVariable, Returned};
use super::rollback::InsertedPiece;
use super::{span_of, with_file};
use crate::weave::FileWeave;

/// Names that no program uses.
const FRAME: &str = "__atropos_f";
pub(super) const VALUE: &str = "__atropos_v";

const USE_SEE: &str = "use ::atropos_runtime::observe::see::{See, SeeAny as _, SeeDeep as _, SeeShallow as _, SeeSized as _};";

/// The numbers of a file's first function and first block in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstNumbers {
    pub function: u32,
    pub block: u32,
}

/// A text that observes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    pub text: String,
    /// What was inserted where.
    pub(super) pieces: Vec<(Span, InsertedPiece)>,
    /// The functions' places in the text.
    pub(super) functions: Vec<(Span, u32)>,
}

/// Inserts what observes a file into its woven text, without the pieces that were dropped. A text
/// that can't be parsed stays as it is.
pub fn observe(
    woven: &FileWeave,
    file: &ObservedFile,
    first: FirstNumbers,
    dropped: &BTreeSet<InsertedPiece>,
) -> Observed {
    let by_key = file.functions.iter().enumerate();
    let by_block = file.blocks.iter().enumerate();
    let found = with_file(&woven.text, |parsed, base| {
        let mut inserter = Inserter {
            base,
            woven,
            file,
            first,
            dropped,
            keys: by_key
                .map(|(index, function)| (function.key, index as u32))
                .collect(),
            blocks: by_block
                .map(|(index, block)| (block.offset, index as u32))
                .collect(),
            current: None,
            insertions: Vec::new(),
            functions: Vec::new(),
        };
        inserter.visit_file(parsed);
        (inserter.insertions, inserter.functions)
    });
    let (insertions, functions) = found.unwrap_or_default();
    assemble(&woven.text, insertions, functions)
}

struct Insertion {
    at: usize,
    text: String,
    piece: InsertedPiece,
}

fn assemble(text: &str, mut insertions: Vec<Insertion>, functions: Vec<(Span, u32)>) -> Observed {
    // Stable: what was found first at a place stands first there.
    insertions.sort_by_key(|insertion| insertion.at);
    let mut result = String::with_capacity(text.len() * 2);
    let mut pieces = Vec::new();
    let mut marks = Vec::new();
    let mut position = 0;
    for insertion in insertions {
        result.push_str(&text[position..insertion.at]);
        position = insertion.at;
        let start = result.len();
        result.push_str(&insertion.text);
        pieces.push((Span::new(start, result.len()), insertion.piece));
        marks.push((insertion.at, result.len() - insertion.at));
    }
    result.push_str(&text[position..]);
    let moved = |offset: usize| {
        let before = marks.partition_point(|(at, _)| *at < offset);
        offset + before.checked_sub(1).map_or(0, |last| marks[last].1)
    };
    let functions = functions
        .into_iter()
        .map(|(span, function)| (Span::new(moved(span.start), moved(span.end)), function))
        .collect();
    Observed {
        text: result,
        pieces,
        functions,
    }
}

/// The function whose code is being walked through.
struct Current {
    number: u32,
    sites: u32,
}

struct Inserter<'s> {
    base: usize,
    woven: &'s FileWeave,
    file: &'s ObservedFile,
    first: FirstNumbers,
    dropped: &'s BTreeSet<InsertedPiece>,
    keys: HashMap<usize, u32>,
    blocks: HashMap<usize, u32>,
    /// None: exits found here are of no function that is observed.
    current: Option<Current>,
    insertions: Vec<Insertion>,
    functions: Vec<(Span, u32)>,
}

impl<'s> Inserter<'s> {
    fn span(&self, tokens: proc_macro2::Span) -> Span {
        span_of(self.base, tokens)
    }

    /// Where text of the woven file stands in the source; none if a mutant or the weave wrote it.
    fn source_of(&self, offset: usize) -> Option<usize> {
        // Written one after another, so they stand in order.
        let parts = &self.woven.map.verbatim;
        let after = parts.partition_point(|part| part.woven <= offset);
        let part = parts[..after].last()?;
        let within = offset - part.woven;
        (within < part.length).then_some(part.source + within)
    }

    fn insert(&mut self, at: usize, text: String, piece: InsertedPiece) {
        self.insertions.push(Insertion { at, text, piece });
    }

    fn is_dropped(&self, piece: InsertedPiece) -> bool {
        self.dropped.contains(&piece)
    }

    /// The function whose key stands here, if it is observed.
    fn known(&self, offset: usize) -> Option<(u32, &'s Function)> {
        let number = *self.keys.get(&self.source_of(offset)?)?;
        let is_dropped = self.is_dropped(InsertedPiece::Frame { function: number });
        (!is_dropped).then(|| (number, &self.file.functions[number as usize]))
    }

    /// Walks through the body of another function.
    fn in_function(&mut self, number: Option<u32>, work: impl FnOnce(&mut Self)) {
        let inner = number.map(|number| Current { number, sites: 0 });
        let before = std::mem::replace(&mut self.current, inner);
        work(self);
        self.current = before;
    }

    fn body(&mut self, attributes: &[Attribute], whole: Span, block: &syn::Block) {
        let key = self.span(block.brace_token.span.open()).start;
        self.body_with_key(key, attributes, whole, block);
    }

    fn body_with_key(
        &mut self,
        key: usize,
        attributes: &[Attribute],
        whole: Span,
        block: &syn::Block,
    ) {
        let open = self.span(block.brace_token.span.open());
        let Some((number, function)) = self.known(key) else {
            return self.in_function(None, |inserter| visit::visit_block(inserter, block));
        };
        let inner = attributes
            .iter()
            .filter(|attribute| matches!(attribute.style, AttrStyle::Inner(_)))
            .map(|attribute| self.span(attribute.span()).end);
        let start = inner.max().unwrap_or(open.end);
        self.functions.push((whole, number));
        self.enter(start, number, function);
        self.in_function(Some(number), |inserter| {
            inserter.statements(function, block);
        });
    }

    fn enter(&mut self, at: usize, number: u32, function: &Function) {
        let frame = InsertedPiece::Frame { function: number };
        let id = self.first.function + number;
        let head = format!(
            "let mut {FRAME} = {OBSERVE_ENTER}({id}u32); \
             if {FRAME}.sees() {{ {USE_SEE} "
        );
        self.insert(at, head, frame);
        let mut shown = 0;
        for (index, variable) in function.entry.iter().enumerate() {
            let piece = InsertedPiece::Entry {
                function: number,
                index: index as u8,
            };
            if !self.is_dropped(piece) {
                let text = format!("{FRAME}.entry({index}u8, {}); ", see(&variable.reference));
                self.insert(at, text, piece);
                shown += 1;
            }
        }
        let tail = if shown > 1 {
            format!("{FRAME}.entered(); }} ")
        } else {
            "} ".to_owned()
        };
        self.insert(at, tail, frame);
    }

    fn statements(&mut self, function: &Function, block: &syn::Block) {
        let Some((last, before)) = block.stmts.split_last() else {
            self.falls_off(function, block);
            return;
        };
        for statement in before {
            self.visit_stmt(statement);
        }
        match last {
            Stmt::Expr(Expr::Return(_), _) => self.visit_stmt(last),
            Stmt::Expr(expr, None) if attributes_of(expr).is_empty() => {
                let span = self.span(expr.span());
                self.exit(function, span, |inserter| inserter.visit_expr(expr));
            }
            Stmt::Macro(call) if call.semi_token.is_none() && call.attrs.is_empty() => {
                let span = self.span(call.span());
                self.exit(function, span, |_| {});
            }
            Stmt::Expr(_, None) => self.visit_stmt(last),
            _ => {
                self.visit_stmt(last);
                self.falls_off(function, block);
            }
        }
    }

    /// The end of a body that has no value.
    fn falls_off(&mut self, function: &Function, block: &syn::Block) {
        if function.returned != Returned::Unit {
            return;
        }
        let at = self.span(block.brace_token.span.close()).start;
        self.done(function, at, "", "");
    }

    /// An exit without a value: `open`, the calls, `close`.
    fn done(&mut self, function: &Function, at: usize, open: &str, close: &str) {
        let Some((number, site)) = self.next_site() else {
            return;
        };
        let piece = InsertedPiece::Exit {
            function: number,
            site,
        };
        if self.is_dropped(piece) {
            return;
        }
        let head = format!("{open}if {FRAME}.sees() {{ {USE_SEE} {FRAME}.done(); ");
        self.insert(at, head, piece);
        self.show_at_exit(at, number, site, function);
        self.insert(at, format!("}} {close}"), piece);
    }

    fn next_site(&mut self) -> Option<(u32, u32)> {
        let current = self.current.as_mut()?;
        current.sites += 1;
        Some((current.number, current.sites - 1))
    }

    /// An expression whose value the function returns.
    fn exit(&mut self, function: &Function, span: Span, inside: impl FnOnce(&mut Self)) {
        let site = self
            .next_site()
            .filter(|_| function.returned != Returned::Never);
        let piece = site.map(|(function, site)| InsertedPiece::Exit { function, site });
        let kept = piece.filter(|piece| !self.is_dropped(*piece)).zip(site);
        let Some((piece, (number, site))) = kept else {
            return inside(self);
        };
        let head = match &function.returned {
            Returned::Typed(ty) => format!("match {OBSERVE_IDENTITY}::<{ty}>("),
            Returned::Unit => format!("match {OBSERVE_IDENTITY}::<()>("),
            Returned::Untyped | Returned::Never => "match (".to_owned(),
        };
        self.insert(span.start, head, piece);
        inside(self);
        let mut text = format!(") {{ {VALUE} => {{ if {FRAME}.sees() {{ {USE_SEE} ");
        write!(text, "{FRAME}.leave({}); ", see(&format!("&{VALUE}"))).expect("a string takes all");
        self.insert(span.end, text, piece);
        self.show_at_exit(span.end, number, site, function);
        self.insert(span.end, format!("}} {VALUE} }} }}"), piece);
    }

    fn show_at_exit(&mut self, at: usize, number: u32, site: u32, function: &Function) {
        for (index, variable) in function.exit.iter().enumerate() {
            let piece = InsertedPiece::AtExit {
                function: number,
                site,
                index: index as u8,
            };
            if self.is_dropped(piece) {
                continue;
            }
            let ObservedVariable {
                reference, then, ..
            } = variable;
            let then = then.unwrap_or(u8::MAX);
            let text = format!(
                "{FRAME}.exit({}u8, {then}u8, {}); ",
                index + 1,
                see(reference)
            );
            self.insert(at, text, piece);
        }
    }

    fn block(&mut self, block: &syn::Block) {
        let open = self.span(block.brace_token.span.open());
        let number = self
            .source_of(open.start)
            .and_then(|source| self.blocks.get(&source).copied());
        if let Some(number) = number {
            let piece = InsertedPiece::Block { block: number };
            if !self.is_dropped(piece) {
                let id = self.first.block + number;
                let text = format!("{OBSERVE_BLOCK}({id}u32); ");
                self.insert(open.end, text, piece);
            }
        }
    }

    fn current_function(&self) -> Option<&'s Function> {
        let current = self.current.as_ref()?;
        self.file.functions.get(current.number as usize)
    }
}

/// Looks at what a reference refers to.
fn see(reference: &str) -> String {
    format!("(&&&See({reference})).see()")
}

fn attributes_of(expr: &Expr) -> &[Attribute] {
    match expr {
        Expr::Block(expr) => &expr.attrs,
        Expr::If(expr) => &expr.attrs,
        Expr::Match(expr) => &expr.attrs,
        Expr::Unsafe(expr) => &expr.attrs,
        Expr::Call(expr) => &expr.attrs,
        Expr::MethodCall(expr) => &expr.attrs,
        Expr::Macro(expr) => &expr.attrs,
        Expr::Loop(expr) => &expr.attrs,
        Expr::While(expr) => &expr.attrs,
        Expr::ForLoop(expr) => &expr.attrs,
        _ => &[],
    }
}

impl<'a> Visit<'a> for Inserter<'_> {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        let whole = self.span(item.span());
        self.body(&item.attrs, whole, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        let whole = self.span(item.span());
        self.body(&item.attrs, whole, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        if let Some(block) = &item.default {
            let whole = self.span(item.span());
            self.body(&item.attrs, whole, block);
        }
    }

    fn visit_item_const(&mut self, _: &'a syn::ItemConst) {}

    fn visit_item_static(&mut self, _: &'a syn::ItemStatic) {}

    fn visit_type(&mut self, _: &'a syn::Type) {}

    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}

    fn visit_expr_async(&mut self, expr: &'a syn::ExprAsync) {
        // What is returned in there is not what the function returns.
        self.in_function(None, |inserter| visit::visit_expr_async(inserter, expr));
    }

    fn visit_expr_closure(&mut self, closure: &'a syn::ExprClosure) {
        let whole = self.span(closure.span());
        match &*closure.body {
            Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => {
                self.body_with_key(whole.start, &[], whole, &block.block);
            }
            body => {
                let span = self.span(body.span());
                let Some((number, function)) = self.known(whole.start) else {
                    return self.in_function(None, |inserter| inserter.visit_expr(body));
                };
                self.functions.push((whole, number));
                let frame = InsertedPiece::Frame { function: number };
                self.insert(span.start, "{ ".to_owned(), frame);
                self.enter(span.start, number, function);
                self.in_function(Some(number), |inserter| {
                    inserter.exit(function, span, |inserter| inserter.visit_expr(body));
                });
                self.insert(span.end, " }".to_owned(), frame);
            }
        }
    }

    fn visit_expr_return(&mut self, expr: &'a syn::ExprReturn) {
        let Some(function) = self.current_function() else {
            return visit::visit_expr_return(self, expr);
        };
        match &expr.expr {
            Some(value) => {
                let span = self.span(value.span());
                self.exit(function, span, |inserter| inserter.visit_expr(value));
            }
            None if function.returned == Returned::Unit => {
                let span = self.span(expr.span());
                self.done(function, span.start, "{ ", "");
                let closed = self.insertions.last().is_some_and(|last| {
                    last.at == span.start && matches!(last.piece, InsertedPiece::Exit { .. })
                });
                if let (true, Some(last)) = (closed, self.insertions.last()) {
                    let piece = last.piece;
                    self.insert(span.end, " }".to_owned(), piece);
                }
            }
            None => {}
        }
    }

    fn visit_expr_if(&mut self, expr: &'a syn::ExprIf) {
        self.visit_expr(&expr.cond);
        self.block(&expr.then_branch);
        self.visit_block(&expr.then_branch);
        if let Some((_, otherwise)) = &expr.else_branch {
            if let Expr::Block(block) = &**otherwise {
                self.block(&block.block);
            }
            self.visit_expr(otherwise);
        }
    }

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.visit_expr(guard);
        }
        if let Expr::Block(block) = &*arm.body {
            self.block(&block.block);
        }
        self.visit_expr(&arm.body);
    }

    fn visit_expr_for_loop(&mut self, expr: &'a syn::ExprForLoop) {
        self.visit_expr(&expr.expr);
        self.block(&expr.body);
        self.visit_block(&expr.body);
    }

    fn visit_expr_while(&mut self, expr: &'a syn::ExprWhile) {
        self.visit_expr(&expr.cond);
        self.block(&expr.body);
        self.visit_block(&expr.body);
    }

    fn visit_expr_loop(&mut self, expr: &'a syn::ExprLoop) {
        self.block(&expr.body);
        self.visit_block(&expr.body);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::forms::FileForms;
    use crate::observe::Structs;
    use crate::weave::{WeaveOptions, weave_file};
    use atropos_mutants::FindOptions;
    use atropos_mutants::mutant::MutantId;

    fn woven(source: &str) -> FileWeave {
        let mut mutants = crate::find_points(source, &FindOptions::default()).unwrap();
        let all = mutants.points.iter_mut();
        for (mutant, id) in all.flat_map(|point| &mut point.mutants).zip(1..) {
            mutant.id = MutantId(id);
        }
        let options = WeaveOptions {
            edition_2015_root: false,
            steps: true,
            first_function: 0,
        };
        weave_file(source, &mutants, &FileForms::new(), &options)
    }

    fn observed(source: &str, dropped: &[InsertedPiece]) -> String {
        let file = ObservedFile::of(source, &Structs::of([source]));
        let first = FirstNumbers {
            function: 100,
            block: 200,
        };
        let dropped = dropped.iter().copied().collect();
        let observed = observe(&woven(source), &file, first, &dropped);
        for (span, piece) in &observed.pieces {
            let text = span.text(&observed.text);
            assert!(!text.contains('\n') && !text.is_empty(), "{piece:?}");
        }
        observed.text
    }

    #[test]
    fn a_function_is_seen_when_it_is_entered_and_left() {
        let text = observed("fn f(a: &u8) -> u8 { if *a > 1 { return 7; } *a }", &[]);
        assert!(text.contains("observe::enter(100u32)"), "{text}");
        assert!(text.contains("__atropos_f.entry(0u8, (&&&See(&*a)).see());"));
        assert!(text.contains("if __atropos_f.sees() { use "));
        assert!(text.contains("return match ::atropos_runtime::observe::identity::<u8>("));
        assert!(text.contains("observe::block(200u32);"));
        // Two exits of the source, and those of the mutants that replace the body.
        let leaves = text.matches("__atropos_f.leave(").count();
        let returns = text.matches("return").count();
        assert_eq!(leaves, returns + 1, "{text}");
    }

    #[test]
    fn what_rustc_rejected_is_left_out() {
        let source = "fn f(a: u8, b: u8) -> u8 { a }";
        let entry = InsertedPiece::Entry {
            function: 0,
            index: 1,
        };
        let text = observed(source, &[entry]);
        assert!(text.contains("entry(0u8") && !text.contains("entry(1u8"));
        let text = observed(source, &[InsertedPiece::Frame { function: 0 }]);
        assert!(!text.contains("observe::"), "{text}");
    }

    #[test]
    fn closures_have_frames_of_their_own_and_async_blocks_do_not() {
        let text = observed(
            "fn f() { let g = |x: u8| x + 1; let h = async { return 3; }; g(2); }",
            &[],
        );
        assert!(text.contains("{ let mut __atropos_f = ::atropos_runtime::observe::enter(101u32)"));
        assert!(text.contains("async { return (match ::atropos_runtime::at("));
        // The closure's body, the function's, and the mutant that replaces that one.
        assert_eq!(text.matches("__atropos_f.leave(").count(), 3, "{text}");
    }

    #[test]
    fn a_return_without_value_is_an_exit() {
        let text = observed("fn f(a: bool) { if a { return; } g() }", &[]);
        let exit = "{ if __atropos_f.sees() { use ::atropos_runtime::observe::see::";
        assert!(text.contains(exit), "{text}");
        assert!(text.contains("__atropos_f.done(); } return };"), "{text}");
        syn::parse_file(&text).expect("it is Rust");
    }

    #[test]
    fn our_own_sources_keep_their_lines_and_stay_rust() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = 0;
        for name in ["atropos-invariants", "atropos-report"] {
            for entry in std::fs::read_dir(crates.join(name).join("src")).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_none_or(|extension| extension != "rs") {
                    continue;
                }
                let source = std::fs::read_to_string(path).unwrap();
                let text = observed(&source, &[]);
                assert_eq!(source.matches('\n').count(), text.matches('\n').count());
                // The first line of each is a comment, and functions stay in their lines.
                for (before, after) in source.lines().zip(text.lines()) {
                    if let Some(name) = before.trim_start().strip_prefix("fn ") {
                        let name = name.split(['(', '<']).next().unwrap();
                        assert!(after.contains(name), "{name}");
                    }
                }
                syn::parse_file(&text).expect("it is Rust");
                files += 1;
            }
        }
        assert!(files > 15);
    }
}
