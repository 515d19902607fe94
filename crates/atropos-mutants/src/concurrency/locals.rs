//! What the locals of a function are, and whether another thread can see them.

use std::collections::HashMap;

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMethodCall, Pat};

use super::construct::{Construct, KnownName, Library, handed_on, is_wrapper, mentions, peeled};
use crate::walk::Walker;

/// Finds what the locals of a function are.
pub(crate) fn of(walker: &Walker<'_>, block: &Block) -> HashMap<String, KnownName> {
    let mut locals = Locals {
        walker,
        found: HashMap::new(),
    };
    locals.visit_block(block);
    let mut found: HashMap<String, KnownName> = locals
        .found
        .into_iter()
        .filter_map(|(name, known)| Some((name, known?)))
        .collect();
    for (name, known) in &mut found {
        known.stays = known.stays && !EscapeCheck::of(name, block);
    }
    found
}

struct Locals<'w, 'a> {
    walker: &'w Walker<'a>,
    /// `None` for names that stand for different things.
    found: HashMap<String, Option<KnownName>>,
}

impl Locals<'_, '_> {
    fn bind(&mut self, pattern: &Pat, init: &Expr) {
        match pattern {
            Pat::Type(typed) => match self.walker.known_type(&typed.ty) {
                Some(known) => self.remember(&typed.pat, known),
                None => self.bind(&typed.pat, init),
            },
            Pat::Ident(_) => {
                if let Some(known) = self.of_init(init) {
                    self.remember(pattern, known);
                }
            }
            Pat::Tuple(tuple) if tuple.elems.len() == 2 => {
                if let Some(library) = self.channel(init) {
                    let end = |construct| KnownName {
                        construct,
                        library,
                        written: format!("{construct:?} {}", self.walker.source.flat(init)),
                        method: String::new(),
                        origin: String::new(),
                        stays: false,
                    };
                    self.remember(&tuple.elems[0], end(Construct::Sender));
                    self.remember(&tuple.elems[1], end(Construct::Receiver));
                } else if let Expr::Tuple(values) = handed_on(init) {
                    for (pattern, value) in tuple.elems.iter().zip(&values.elems) {
                        self.bind(pattern, value);
                    }
                }
            }
            _ => {}
        }
    }

    fn remember(&mut self, pattern: &Pat, mut known: KnownName) {
        if let Pat::Ident(ident) = pattern {
            if known.origin.is_empty() {
                known.origin = ident.ident.to_string();
            }
            self.found
                .entry(ident.ident.to_string())
                .and_modify(|other| {
                    let is_same = other
                        .as_ref()
                        .is_some_and(|other| other.construct == known.construct);
                    if !is_same {
                        *other = None;
                    }
                })
                .or_insert(Some(known));
        }
    }

    fn channel(&self, init: &Expr) -> Option<Library> {
        let Expr::Call(call) = init else {
            return None;
        };
        let Expr::Path(path) = &*call.func else {
            return None;
        };
        let last = path.path.segments.last()?.ident.to_string();
        let is_channel = matches!(
            last.as_str(),
            "channel" | "sync_channel" | "bounded" | "unbounded" | "unbounded_channel"
        );
        is_channel.then(|| self.walker.library_of(&path.path))
    }

    fn of_init(&self, init: &Expr) -> Option<KnownName> {
        let init = handed_on(init);
        match init {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                self.found.get(&name).cloned().flatten()
            }
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else {
                    return None;
                };
                let mut names = path.path.segments.iter().rev();
                let function = names.next()?.ident.to_string();
                let known = |construct| KnownName {
                    construct,
                    library: self.walker.library_of(&path.path),
                    written: self.walker.source.flat(&call.func),
                    method: String::new(),
                    origin: String::new(),
                    stays: construct != Construct::JoinHandle,
                };
                if matches!(function.as_str(), "spawn" | "spawn_blocking") {
                    return Some(known(Construct::JoinHandle));
                }
                let ty = names.next()?.ident.to_string();
                if is_wrapper(&ty) && call.args.len() == 1 {
                    let inner = self.of_init(&call.args[0])?;
                    return Some(KnownName {
                        written: format!("{ty} {}", inner.written),
                        stays: false,
                        ..inner
                    });
                }
                let is_made = matches!(function.as_str(), "new" | "default" | "from");
                let construct = Construct::of_name(&ty).filter(|_| is_made)?;
                (!self.walker.facts.is_defined(&ty)).then(|| known(construct))
            }
            Expr::MethodCall(call) if call.method == "spawn" => Some(KnownName {
                construct: Construct::JoinHandle,
                library: Library::Std,
                written: "spawn".to_string(),
                method: String::new(),
                origin: String::new(),
                stays: false,
            }),
            _ => {
                let (library, call) = match self.walker.acquisition(init) {
                    Some(acquisition) => (acquisition.library, acquisition.call),
                    None => (Library::Tokio, self.permit(init)?),
                };
                Some(KnownName {
                    construct: Construct::Guard,
                    library,
                    written: self.walker.source.flat(init),
                    method: call.method.to_string(),
                    origin: String::new(),
                    stays: false,
                })
            }
        }
    }
}

impl Locals<'_, '_> {
    /// The acquisition of a semaphore's permit, which is given back like a lock.
    fn permit<'e>(&self, init: &'e Expr) -> Option<&'e ExprMethodCall> {
        match peeled(init) {
            Expr::MethodCall(call) if call.method.to_string().starts_with("acquire") => self
                .walker
                .may_be(&call.receiver, &[Construct::Semaphore])
                .then_some(call),
            _ => None,
        }
    }
}

impl<'ast> Visit<'ast> for Locals<'_, '_> {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.bind(&local.pat, &init.expr);
        }
        visit::visit_local(self, local);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Whether a local may be seen outside the straight code of its function: it is borrowed, handed
/// on, captured by a closure, or given to a macro that may do anything.
struct EscapeCheck<'n> {
    name: &'n str,
    depth: usize,
    escapes: bool,
}

impl<'n> EscapeCheck<'n> {
    fn of(name: &'n str, block: &Block) -> bool {
        let mut escape = EscapeCheck {
            name,
            depth: 0,
            escapes: false,
        };
        escape.visit_block(block);
        escape.escapes
    }

    fn is_it(&self, expression: &Expr) -> bool {
        matches!(expression, Expr::Path(path) if path.path.is_ident(self.name))
    }
}

impl<'ast> Visit<'ast> for EscapeCheck<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if self.is_it(&call.receiver) && self.depth == 0 && call.method != "clone" {
            for argument in &call.args {
                self.visit_expr(argument);
            }
            return;
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.escapes |= path.path.is_ident(self.name);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.depth += 1;
        visit::visit_expr_closure(self, closure);
        self.depth -= 1;
    }

    fn visit_expr_async(&mut self, block: &'ast syn::ExprAsync) {
        self.depth += 1;
        visit::visit_expr_async(self, block);
        self.depth -= 1;
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let last = mac.path.segments.last().map(|s| s.ident.to_string());
        let is_harmless = last.is_some_and(|name| {
            name.contains("assert") || matches!(name.as_str(), "println" | "format" | "dbg")
        });
        self.escapes |= !is_harmless && mentions(&mac.tokens, self.name);
    }
}
