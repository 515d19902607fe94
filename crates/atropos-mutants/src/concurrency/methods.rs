//! Methods of types with locks: a lock held throughout (ASK), one lock for the whole type (ASTK),
//! a lock of each object for one of all objects (RSTK).

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMethodCall, FnArg, Signature};

use super::bare;
use super::construct::{Construct, Library, mentions};
use crate::mutant::Span;
use crate::operator::Operator;
use crate::source::one_line;
use crate::type_facts::last_name;
use crate::walk::{Draft, Walker};

/// How many of a type's locks a method is made to hold, one at a time.
const MOST: usize = 2;

/// The lock of a whole type.
const TYPE_LOCK: &str = "static __ATROPOS_TYPE: ::std::sync::Mutex<()> = \
    ::std::sync::Mutex::new(()); let __atropos_held = __ATROPOS_TYPE.lock();";

/// The same where locks are awaited.
const TYPE_LOCK_ASYNC: &str = "static __ATROPOS_TYPE: ::tokio::sync::Mutex<()> = \
    ::tokio::sync::Mutex::const_new(()); let __atropos_held = __ATROPOS_TYPE.lock().await;";

/// A lock for each object: addresses are told apart as far as a small table can.
const OBJECT_LOCK: &str = "static __ATROPOS_OBJECTS: [::std::sync::Mutex<()>; 61] = \
    [const { ::std::sync::Mutex::new(()) }; 61]; let __atropos_held = \
    __ATROPOS_OBJECTS[::std::ptr::from_ref(self).addr() / 8 % 61].lock();";

/// The same where locks are awaited.
const OBJECT_LOCK_ASYNC: &str = "static __ATROPOS_OBJECTS: [::tokio::sync::Mutex<()>; 61] = \
    [const { ::tokio::sync::Mutex::const_new(()) }; 61]; let __atropos_held = \
    __ATROPOS_OBJECTS[::std::ptr::from_ref(self).addr() / 8 % 61].lock().await;";

impl Walker<'_> {
    pub fn concurrent_function(&mut self, signature: &Signature, block: &Block) {
        if !self.looks_at_concurrency() || block.stmts.is_empty() {
            return;
        }
        let is_shared = matches!(
            signature.inputs.first(),
            Some(FnArg::Receiver(receiver))
                if receiver.reference.is_some() && receiver.mutability.is_none()
        );
        if !is_shared || self.owner.of_trait.as_deref() == Some("Drop") {
            return;
        }
        let mut acquisitions = Acquisitions::default();
        acquisitions.visit_block(block);
        let mut drafts = self.held_throughout(signature, block, &acquisitions.calls);
        drafts.extend(self.other_scope(block, &acquisitions.calls));
        if !drafts.is_empty() {
            self.block_point(block, drafts);
        }
    }

    /// ASK
    fn held_throughout(
        &self,
        signature: &Signature,
        block: &Block,
        calls: &[&ExprMethodCall],
    ) -> Vec<Draft> {
        let Some(owner) = self.owner.self_type.as_ref().and_then(last_name) else {
            return Vec::new();
        };
        if !mentions(block, "self") {
            return Vec::new();
        }
        let mut drafts = Vec::new();
        for (field, ty) in self.facts.fields_of(&owner) {
            let Some(known) = self.known_type(ty) else {
                continue;
            };
            let lock = match known.construct {
                Construct::Mutex => "lock",
                Construct::RwLock => "write",
                _ => continue,
            };
            let is_async = known.library == Library::Tokio;
            let is_touched = calls
                .iter()
                .any(|call| is_field_of_self(&call.receiver, field));
            let is_locked_by_type = self.facts.is_locked(field);
            if is_touched || !is_locked_by_type || is_async && signature.asyncness.is_none() {
                continue;
            }
            let wait = if is_async { ".await" } else { "" };
            let statement = format!("let __atropos_held = self.{field}.{lock}(){wait};");
            let summary = format!("hold self.{field} throughout");
            drafts.push(self.with_first_statement(Operator::Ask, block, &statement, summary));
        }
        drafts.truncate(MOST);
        drafts
    }

    fn with_first_statement(
        &self,
        operator: Operator,
        block: &Block,
        statement: &str,
        summary: String,
    ) -> Draft {
        let span = self.source.span(&block.stmts[0]);
        let text = format!("{statement} {}", self.source.flat(&block.stmts[0]));
        Draft::new(operator, span, text, summary)
    }

    /// ASTK for locks of the object, RSTK for statics.
    fn other_scope(&self, block: &Block, calls: &[&ExprMethodCall]) -> Vec<Draft> {
        let can_err = calls.iter().filter(|call| {
            let library = self.locking(call);
            library.is_some_and(|library| self.can_err(library, call))
        });
        let is_async = |calls: &[&ExprMethodCall]| {
            let mut libraries = calls.iter().filter_map(|call| self.locking(call));
            libraries.any(|library| library == Library::Tokio)
        };
        let (mut own, mut shared) = (Vec::new(), Vec::new());
        for call in can_err {
            match &*call.receiver {
                Expr::Field(field) if is_self(&field.base) => own.push(*call),
                Expr::Path(path) => {
                    let name = path.path.segments.last().map(|s| s.ident.to_string());
                    let is_static = name.is_some_and(|name| {
                        self.frame.scopes.find(&name).is_none() && self.facts.value(&name).is_some()
                    });
                    if is_static {
                        shared.push(*call);
                    }
                }
                _ => {}
            }
        }
        let mut drafts = Vec::new();
        if !own.is_empty() {
            let summary = "lock once for the whole type, not each object".to_string();
            let lock = match is_async(&own) {
                true => TYPE_LOCK_ASYNC,
                false => TYPE_LOCK,
            };
            drafts.push(self.relocked(Operator::Astk, block, &own, lock, summary));
        }
        if !shared.is_empty() {
            let summary = "lock each object, not all of them together".to_string();
            let lock = match is_async(&shared) {
                true => OBJECT_LOCK_ASYNC,
                false => OBJECT_LOCK,
            };
            drafts.push(self.relocked(Operator::Rstk, block, &shared, lock, summary));
        }
        drafts
    }

    /// The body with a lock of another kind held throughout, and its own ones excluding nobody.
    fn relocked(
        &self,
        operator: Operator,
        block: &Block,
        calls: &[&ExprMethodCall],
        lock: &str,
        summary: String,
    ) -> Draft {
        let start = self.source.span(&block.stmts[0]).start;
        let last = block.stmts.len() - 1;
        let span = Span::new(start, self.source.span(&block.stmts[last]).end);
        let mut receivers: Vec<(Span, Library, String)> = calls
            .iter()
            .filter_map(|call| {
                let library = self.locking(call)?;
                let method = call.method.to_string();
                Some((self.source.span(&call.receiver), library, method))
            })
            .collect();
        receivers.sort_by_key(|(span, ..)| *span);
        let mut text = format!("{lock} ");
        let mut position = span.start;
        for (receiver, library, method) in receivers {
            text.push_str(self.source.slice(Span::new(position, receiver.start)));
            text.push_str(&bare(library, self.source.slice(receiver), &method));
            position = receiver.end;
        }
        text.push_str(self.source.slice(Span::new(position, span.end)));
        Draft::new(operator, span, one_line(&text), summary)
            .seen_at(self.source.span(calls[0]).start)
            .under_exploration()
    }
}

/// The calls of a body that may take a lock, closures apart: they may run elsewhere.
#[derive(Default)]
struct Acquisitions<'b> {
    calls: Vec<&'b ExprMethodCall>,
}

impl<'b> Visit<'b> for Acquisitions<'b> {
    fn visit_expr_method_call(&mut self, call: &'b ExprMethodCall) {
        let is_named = matches!(
            call.method.to_string().as_str(),
            "lock" | "read" | "write" | "try_lock" | "try_read" | "try_write"
        );
        if is_named && call.args.is_empty() {
            self.calls.push(call);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item(&mut self, _: &'b syn::Item) {}
}

fn is_self(expression: &Expr) -> bool {
    matches!(expression, Expr::Path(path) if path.path.is_ident("self"))
}

fn is_field_of_self(expression: &Expr, name: &str) -> bool {
    match expression {
        Expr::Field(field) => {
            is_self(&field.base)
                && matches!(&field.member, syn::Member::Named(member) if member == name)
        }
        _ => false,
    }
}
