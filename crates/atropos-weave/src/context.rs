//! Where an expression stands: what the weave must know about its surroundings.
//!
//! The most important part is the *temporary root*. Rust drops a statement's temporaries when the
//! statement ends, but those of a match arm when the arm ends. An expression that is moved into an
//! arm of its own would drop its temporaries (say, a lock's guard) too early. So each expression
//! knows the smallest expression around it whose end is also the end of its temporaries: that one
//! can be moved into an arm as a whole.
//!
//! The rules here are those of all editions at once: where editions differ, the larger root is
//! taken, which is right in each of them.

use std::collections::HashMap;

use atropos_mutants::mutant::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Macro, Stmt, UnOp};

use crate::syntax::{binds_by_value, contains_let, is_block_like, is_try, macro_arguments};

/// The end of an expression's temporaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemporaryRoot {
    /// This expression, wherever it is moved.
    Expression(Span),
    /// It belongs to the tail of a function's body that has locals, and before the edition of 2024
    /// its temporaries outlive the locals: only the whole body (without its braces) can be moved.
    Body(Span),
    /// Unknown: inside a macro or an item that is not understood.
    Unknown,
}

/// The surroundings of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    pub root: TemporaryRoot,
    /// Inside an `unsafe` block or function.
    pub in_unsafe: bool,
    /// The expression is used as a place here: borrowed, assigned to, matched on, called on …
    pub in_place: bool,
    /// It is an operand of a comparison: borrowed, but only to be read.
    pub is_compared: bool,
    /// The negation whose operand it is.
    pub negation: Option<Span>,
    /// The `&` whose operand it is.
    pub borrow: Option<Span>,
    /// The outermost `&` of which it is a part, with nothing in between that a constant may not hold.
    pub constant: Option<Span>,
    /// The cast whose operand it is, perhaps behind signs and parentheses: a literal there is of
    /// the type that it is cast to.
    pub cast: Option<Span>,
    /// It is a field of a struct literal written without its name.
    pub is_shorthand: bool,
    /// `if`, `match`, a loop or a block: it needs no semicolon as a statement.
    pub is_block_like: bool,
}

impl Context {
    /// What must be assumed where nothing is known.
    pub const UNKNOWN: Context = Context {
        root: TemporaryRoot::Unknown,
        in_unsafe: true,
        in_place: true,
        is_compared: false,
        negation: None,
        borrow: None,
        constant: None,
        cast: None,
        is_shorthand: false,
        is_block_like: false,
    };
}

/// A statement, a function, or an `impl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SyntaxScope {
    pub span: Span,
    pub is_function: bool,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatementPlace {
    /// The block, with its braces.
    pub block: Span,
    /// Nothing but items follows in the block.
    pub is_last: bool,
}

/// The contexts of a file's expressions, and its scopes.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    expressions: HashMap<Span, Context>,
    pub scopes: Vec<SyntaxScope>,
    /// The scrutinee of each `match`, with the `match`.
    pub matches: Vec<(Span, Span)>,
    /// The operators that have two sides, by the span of the right one.
    pub binaries: HashMap<Span, Binary>,
    statements: HashMap<Span, StatementPlace>,
}

/// An operator between two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binary {
    pub whole: Span,
    pub left: Span,
    pub op: BinOp,
}

impl Contexts {
    /// Reads a file. One that does not parse has no contexts.
    pub fn of(source: &str) -> Contexts {
        let mut walk = Walk::new(if source.starts_with('\u{feff}') { 3 } else { 0 });
        if let Ok(file) = syn::parse_file(source) {
            walk.visit_file(&file);
        }
        walk.found
    }

    pub fn get(&self, span: Span) -> Context {
        self.expressions
            .get(&span)
            .copied()
            .unwrap_or(Context::UNKNOWN)
    }

    /// The place of a statement, or of the smallest statement around an expression.
    pub fn statement(&self, span: Span) -> Option<StatementPlace> {
        let exact = self.statements.get(&span);
        let around = || {
            self.statements
                .iter()
                .filter(|(statement, _)| statement.contains(span))
                .min_by_key(|(statement, _)| statement.end - statement.start)
                .map(|(_, place)| place)
        };
        exact.or_else(around).copied()
    }
}

/// How an expression relates to the one around it.
#[derive(Clone, Copy)]
struct Slot {
    root: SlotRoot,
    in_place: bool,
    is_compared: bool,
    negation: Option<Span>,
    borrow: Option<Span>,
    constant: Option<Span>,
    cast: Option<Span>,
    is_shorthand: bool,
}

#[derive(Clone, Copy)]
enum SlotRoot {
    /// Its temporaries end with it.
    Own,
    /// Its temporaries end with those of the expression around it.
    Inherit,
    /// It is the tail of this function's body, which has locals.
    Body(Span),
}

const INHERIT: Slot = Slot {
    root: SlotRoot::Inherit,
    in_place: false,
    is_compared: false,
    negation: None,
    borrow: None,
    constant: None,
    cast: None,
    is_shorthand: false,
};
const PLACE: Slot = Slot {
    in_place: true,
    ..INHERIT
};
const COMPARED: Slot = Slot {
    is_compared: true,
    ..PLACE
};
const OWN: Slot = Slot {
    root: SlotRoot::Own,
    ..INHERIT
};

/// What ends when a block ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    /// The body of a function, a closure or an async block: `return` leaves it.
    Function,
    /// A branch or a loop's body: the tail's temporaries end with it.
    Branch,
    /// A block with attributes, at whose end the tail's temporaries end. It can't be moved itself:
    /// attributes may not stand in front of the expression that it would become.
    Attributed,
    /// Any other block: the tail's temporaries may outlive it. Perhaps its value is cast.
    Plain(Option<Span>),
}

struct Walk {
    found: Contexts,
    /// Bytes at the start of the file that syn does not count.
    offset: usize,
    slot: Slot,
    root: TemporaryRoot,
    unsafe_depth: usize,
}

impl Walk {
    fn new(offset: usize) -> Walk {
        Walk {
            found: Contexts::default(),
            offset,
            slot: INHERIT,
            root: TemporaryRoot::Unknown,
            unsafe_depth: 0,
        }
    }

    fn span(&self, node: &impl Spanned) -> Span {
        let range = node.span().byte_range();
        Span::new(range.start + self.offset, range.end + self.offset)
    }

    fn child(&mut self, slot: Slot, expr: &Expr) {
        self.slot = slot;
        self.visit_expr(expr);
    }

    fn children<'e>(&mut self, slot: Slot, exprs: impl IntoIterator<Item = &'e Expr>) {
        for expr in exprs {
            self.child(slot, expr);
        }
    }

    /// The condition of `if` or `while`, or a guard. With a `let` in it, its temporaries can live
    /// as long as the whole expression.
    fn condition(&mut self, cond: &Expr) {
        let slot = if contains_let(cond) { INHERIT } else { OWN };
        self.child(slot, cond);
    }

    fn block(&mut self, block: &Block, kind: BlockKind) {
        let has_locals = block
            .stmts
            .iter()
            .any(|stmt| matches!(stmt, Stmt::Local(_) | Stmt::Macro(_)));
        let tail_slot = match kind {
            BlockKind::Plain(cast) => Slot { cast, ..INHERIT },
            BlockKind::Attributed => Slot {
                root: SlotRoot::Body(self.statements_of(block)),
                ..INHERIT
            },
            _ if !has_locals => OWN,
            BlockKind::Branch => INHERIT,
            BlockKind::Function => Slot {
                root: SlotRoot::Body(self.statements_of(block)),
                ..INHERIT
            },
        };
        let block_span = self.span(block);
        let is_item = |stmt: &Stmt| matches!(stmt, Stmt::Item(_));
        for (index, stmt) in block.stmts.iter().enumerate() {
            let behind = &block.stmts[index + 1..];
            let place = StatementPlace {
                block: block_span,
                is_last: behind.iter().all(is_item),
            };
            self.found.statements.insert(self.span(stmt), place);
            let is_tail = behind.is_empty();
            self.statement(stmt, if is_tail { tail_slot } else { OWN });
        }
    }

    /// From the first statement of a block to the last.
    fn statements_of(&self, block: &Block) -> Span {
        let first = block.stmts.first().map(|stmt| self.span(stmt).start);
        let last = block.stmts.last().map(|stmt| self.span(stmt).end);
        Span::new(first.unwrap_or(0), last.unwrap_or(0))
    }

    fn statement(&mut self, stmt: &Stmt, tail_slot: Slot) {
        let span = self.span(stmt);
        self.found.scopes.push(SyntaxScope {
            span,
            is_function: false,
        });
        match stmt {
            Stmt::Local(local) => {
                if let Some(init) = &local.init {
                    let in_place = !binds_by_value(&local.pat);
                    self.child(Slot { in_place, ..OWN }, &init.expr);
                    if let Some((_, diverge)) = &init.diverge {
                        self.branch(diverge);
                    }
                }
            }
            Stmt::Expr(expr, None) => self.child(tail_slot, expr),
            Stmt::Expr(expr, Some(_)) => self.child(OWN, expr),
            // What this one makes is known: an expression like any other.
            Stmt::Macro(stmt) if is_try(&stmt.mac) && stmt.attrs.is_empty() => {
                let attrs = Vec::new();
                let mac = stmt.mac.clone();
                self.child(OWN, &Expr::Macro(syn::ExprMacro { attrs, mac }));
            }
            Stmt::Macro(stmt) => {
                let outer = std::mem::replace(&mut self.root, TemporaryRoot::Unknown);
                self.arguments(&stmt.mac);
                self.root = outer;
            }
            Stmt::Item(item) => self.visit_item(item),
        }
    }

    /// An expression that is a branch's block (or another `if` behind `else`).
    fn branch(&mut self, expr: &Expr) {
        match expr {
            Expr::Block(block) if block.label.is_none() => {
                self.block(&block.block, BlockKind::Branch)
            }
            // An `if` behind `else` can't be moved on its own: the larger root is right too.
            other => self.child(INHERIT, other),
        }
    }

    /// A body that `return` leaves.
    fn body(&mut self, expr: &Expr) {
        match expr {
            Expr::Block(block) if block.label.is_none() => {
                self.block(&block.block, BlockKind::Function)
            }
            other => self.child(OWN, other),
        }
    }

    fn function(&mut self, span: Span, is_unsafe: bool, block: &Block) {
        self.found.scopes.push(SyntaxScope {
            span,
            is_function: true,
        });
        let outer_root = std::mem::replace(&mut self.root, TemporaryRoot::Unknown);
        let outer_unsafe = std::mem::replace(&mut self.unsafe_depth, usize::from(is_unsafe));
        self.block(block, BlockKind::Function);
        self.root = outer_root;
        self.unsafe_depth = outer_unsafe;
    }

    fn arguments(&mut self, mac: &Macro) {
        if let Some(arguments) = macro_arguments(mac.tokens.clone()) {
            // `vec!` takes values; what others do with theirs is unknown.
            let is_vec = mac
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "vec");
            self.children(if is_vec { INHERIT } else { PLACE }, &arguments);
        }
    }

    fn walk_binary(&mut self, binary: &syn::ExprBinary) {
        let place = Binary {
            whole: self.span(binary),
            left: self.span(&binary.left),
            op: binary.op,
        };
        let right = self.span(&binary.right);
        self.found.binaries.insert(right, place);
        match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                for operand in [&*binary.left, &*binary.right] {
                    let slot = if contains_let(operand) { INHERIT } else { OWN };
                    self.child(slot, operand);
                }
            }
            // Comparisons borrow their operands.
            BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_) => self.children(COMPARED, [&*binary.left, &*binary.right]),
            BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_) => {
                self.child(PLACE, &binary.left);
                self.child(INHERIT, &binary.right);
            }
            _ => self.children(INHERIT, [&*binary.left, &*binary.right]),
        }
    }

    fn walk_children(&mut self, expr: &Expr, slot: Slot) {
        match expr {
            Expr::Binary(binary) => self.walk_binary(binary),
            Expr::Paren(paren) => {
                let inner = Slot {
                    in_place: slot.in_place,
                    is_compared: slot.is_compared,
                    constant: slot.constant,
                    cast: slot.cast,
                    ..INHERIT
                };
                self.child(inner, &paren.expr);
            }
            Expr::If(branch) => {
                self.condition(&branch.cond);
                self.block(&branch.then_branch, BlockKind::Branch);
                if let Some((_, otherwise)) = &branch.else_branch {
                    self.branch(otherwise);
                }
            }
            Expr::While(while_loop) => {
                self.condition(&while_loop.cond);
                self.block(&while_loop.body, BlockKind::Branch);
            }
            Expr::ForLoop(for_loop) => {
                self.child(PLACE, &for_loop.expr);
                self.block(&for_loop.body, BlockKind::Branch);
            }
            Expr::Loop(endless) => self.block(&endless.body, BlockKind::Branch),
            Expr::Match(choice) => {
                let spans = (self.span(&choice.expr), self.span(choice));
                self.found.matches.push(spans);
                self.child(PLACE, &choice.expr);
                for arm in &choice.arms {
                    if let Some((_, guard)) = &arm.guard {
                        self.condition(guard);
                    }
                    self.child(OWN, &arm.body);
                }
            }
            Expr::Closure(closure) => self.body(&closure.body),
            Expr::Async(block) => self.block(&block.block, BlockKind::Function),
            Expr::Const(_) => {}
            Expr::Unsafe(block) => {
                self.unsafe_depth += 1;
                self.block(&block.block, BlockKind::Plain(slot.cast));
                self.unsafe_depth -= 1;
            }
            Expr::Block(block) if !block.attrs.is_empty() && matches!(slot.root, SlotRoot::Own) => {
                self.block(&block.block, BlockKind::Attributed);
            }
            Expr::Block(block) => self.block(&block.block, BlockKind::Plain(slot.cast)),
            Expr::Return(syn::ExprReturn { expr, .. })
            | Expr::Break(syn::ExprBreak { expr, .. }) => {
                self.children(OWN, expr.as_deref());
            }
            Expr::Reference(reference) => {
                let span = self.span(reference);
                let slot = Slot {
                    borrow: Some(span),
                    constant: slot.constant.or(Some(span)),
                    ..PLACE
                };
                self.child(slot, &reference.expr);
            }
            Expr::RawAddr(address) => self.child(PLACE, &address.expr),
            Expr::MethodCall(call) => {
                self.child(PLACE, &call.receiver);
                self.children(INHERIT, &call.args);
            }
            Expr::Field(field) => self.child(PLACE, &field.base),
            Expr::Index(index) => {
                self.child(PLACE, &index.expr);
                self.child(INHERIT, &index.index);
            }
            Expr::Unary(unary) => {
                let slot = match unary.op {
                    UnOp::Deref(_) => PLACE,
                    UnOp::Neg(_) => Slot {
                        negation: Some(self.span(unary)),
                        constant: slot.constant,
                        cast: slot.cast,
                        ..INHERIT
                    },
                    _ => Slot {
                        constant: slot.constant,
                        cast: slot.cast,
                        ..INHERIT
                    },
                };
                self.child(slot, &unary.expr);
            }
            Expr::Cast(cast) => {
                let slot = Slot {
                    cast: Some(self.span(cast)),
                    constant: slot.constant,
                    ..INHERIT
                };
                self.child(slot, &cast.expr);
            }
            Expr::Assign(assign) => {
                self.child(PLACE, &assign.left);
                self.child(INHERIT, &assign.right);
            }
            Expr::Let(condition) => self.child(PLACE, &condition.expr),
            Expr::Struct(literal) => {
                for field in &literal.fields {
                    let slot = Slot {
                        is_shorthand: field.colon_token.is_none(),
                        constant: slot.constant,
                        ..INHERIT
                    };
                    self.child(slot, &field.expr);
                }
                self.children(PLACE, literal.rest.as_deref());
            }
            Expr::Macro(call) => self.arguments(&call.mac),
            Expr::Array(array) => self.children(part_of(slot), &array.elems),
            Expr::Tuple(tuple) => self.children(part_of(slot), &tuple.elems),
            Expr::Call(call) if is_constructor(&call.func) => {
                self.child(INHERIT, &call.func);
                self.children(part_of(slot), &call.args);
            }
            other => visit::visit_expr(self, other),
        }
    }
}

/// For what a value is put together from.
fn part_of(whole: Slot) -> Slot {
    Slot {
        constant: whole.constant,
        ..INHERIT
    }
}

/// Whether a function's name is that of a struct or a variant.
fn is_constructor(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let slot = std::mem::replace(&mut self.slot, INHERIT);
        let span = self.span(expr);
        let root = match slot.root {
            SlotRoot::Own => TemporaryRoot::Expression(span),
            SlotRoot::Inherit => self.root,
            SlotRoot::Body(body) => TemporaryRoot::Body(body),
        };
        let context = Context {
            root,
            in_unsafe: self.unsafe_depth > 0,
            in_place: slot.in_place,
            is_compared: slot.is_compared,
            negation: slot.negation,
            borrow: slot.borrow,
            constant: slot.constant,
            cast: slot.cast,
            is_shorthand: slot.is_shorthand,
            is_block_like: is_block_like(expr),
        };
        self.found.expressions.entry(span).or_insert(context);
        let outer = std::mem::replace(&mut self.root, root);
        self.walk_children(expr, slot);
        self.root = outer;
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let span = self.span(item);
        self.found.scopes.push(SyntaxScope {
            span,
            is_function: false,
        });
        visit::visit_item_impl(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let span = self.span(item);
        self.function(span, item.sig.unsafety.is_some(), &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let span = self.span(item);
        self.function(span, item.sig.unsafety.is_some(), &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            let span = self.span(item);
            self.function(span, item.sig.unsafety.is_some(), block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The context of the one place where `needle` stands in `source`.
    fn context(source: &str, needle: &str) -> Context {
        let start = source.find(needle).unwrap();
        Contexts::of(source).get(Span::new(start, start + needle.len()))
    }

    fn root_text(source: &'static str, needle: &str) -> String {
        match context(source, needle).root {
            TemporaryRoot::Expression(span) => span.text(source).to_owned(),
            TemporaryRoot::Body(span) => format!("body {}", span.text(source)),
            TemporaryRoot::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn temporaries_end_with_the_statement_the_condition_or_the_arm() {
        let check = |source, needle, expected| assert_eq!(root_text(source, needle), expected);
        check("fn f() { g(x + 1); }", "x + 1", "g(x + 1)");
        check("fn f() { let a = x + 1; }", "x + 1", "x + 1");
        check("fn f() { a = x + 1; }", "x + 1", "a = x + 1");
        check("fn f() { if h(x + 1) { } }", "x + 1", "h(x + 1)");
        check("fn f() { while !(x + 1) { } }", "x + 1", "!(x + 1)");
        check("fn f() { a(b && c(x + 1)); }", "x + 1", "c(x + 1)");
        check(
            "fn f() { a(match x + 1 { _ => y + 1 }); }",
            "y + 1",
            "y + 1",
        );
        check(
            "fn f() { a(match x + 1 { _ => y }); }",
            "x + 1",
            "a(match x + 1 { _ => y })",
        );
        check("fn f() { m(|a| b(x + 1)); }", "x + 1", "b(x + 1)");
        check(
            "fn f() { for i in x + 1 { } }",
            "x + 1",
            "for i in x + 1 { }",
        );
        check("fn f() { return g(x + 1); }", "x + 1", "g(x + 1)");
        check("fn f() { k(vec![x + 1]); }", "x + 1", "k(vec![x + 1])");
        check("fn f() { try!(g(x)); }", "try!(g(x))", "try!(g(x))");
        check("fn f() { try!(g(x + 1)); }", "x + 1", "try!(g(x + 1))");
        check("fn f() { other!(g(x + 1)); }", "x + 1", "unknown");
    }

    #[test]
    fn the_tail_of_a_body_with_locals_is_only_moved_with_the_body() {
        let check = |source, needle, expected| assert_eq!(root_text(source, needle), expected);
        check("fn f() { g(x + 1) }", "x + 1", "g(x + 1)");
        check(
            "fn f() { let a = 1; g(x + 1) }",
            "x + 1",
            "body let a = 1; g(x + 1)",
        );
        check(
            "fn f() { m(|| { let a = 1; x + 1 }); }",
            "x + 1",
            "body let a = 1; x + 1",
        );
        check("fn f() { k({ x + 1 }); }", "x + 1", "k({ x + 1 })");
        check(
            "fn f() { let b = if c { let a = 1; x + 1 } else { 2 }; }",
            "x + 1",
            "if c { let a = 1; x + 1 } else { 2 }",
        );
        check(
            "fn f() { let b = if c { x + 1 } else { 2 }; }",
            "x + 1",
            "x + 1",
        );
    }

    #[test]
    fn temporaries_of_if_let_live_as_long_as_the_whole_expression() {
        let source = "fn f() { h(if let A = x + 1 { 1 } else { 2 }); }";
        assert_eq!(
            root_text(source, "x + 1"),
            "h(if let A = x + 1 { 1 } else { 2 })"
        );
        let source = "fn f() { if a { } else if let A = x + 1 { } }";
        assert_eq!(root_text(source, "x + 1"), &source[9..source.len() - 2]);
    }

    #[test]
    fn places_negations_shorthands_and_unsafe_are_seen() {
        assert!(context("fn f() { g(&xx); }", "xx").in_place);
        assert!(context("fn f() { xx.g(); }", "xx").in_place);
        assert!(context("fn f() { let _ = xx; }", "xx").in_place);
        assert!(!context("fn f() { let a = xx; }", "xx").in_place);
        assert!(!context("fn f() { g(xx); }", "xx").in_place);
        assert!(context("fn f() { S { xx }; }", "xx").is_shorthand);
        assert!(context("fn f() { unsafe { g(xx); } }", "xx").in_unsafe);
        assert!(!context("fn f() { g(xx); }", "xx").in_unsafe);
        let source = "fn f() { g(-77); }";
        assert_eq!(context(source, "77").negation, Some(Span::new(11, 14)));
        let source = "fn f() { g(!(77) as u8); }";
        assert_eq!(context(source, "77").cast, Some(Span::new(11, 22)));
        assert_eq!(context("fn f() { g((a + 77) as u8); }", "77").cast, None);
    }

    #[test]
    fn a_byte_order_mark_moves_nothing() {
        let source = "\u{feff}fn f() { g(xx); }";
        assert_ne!(context(source, "xx"), Context::UNKNOWN);
    }
}
