//! What is known of a name's construct: fields, statics, parameters and locals that are locks,
//! conditions, channels, atomics and so on, and the library they come from. Names and types as
//! they are written in one file are all there is to go by; where they say nothing, the name of the
//! method decides if the file mentions the construct at all, and rustc has the last word.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Expr, ExprMethodCall, Member, Type};

use crate::type_facts::last_name;
use crate::walk::Walker;

/// A kind of thing that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Construct {
    Mutex,
    RwLock,
    Condvar,
    Barrier,
    Semaphore,
    Atomic,
    Sender,
    Receiver,
    JoinHandle,
    Once,
    OnceCell,
    Notify,
    Parker,
    Latch,
    Guard,
}

/// Where a construct comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Std,
    ParkingLot,
    Tokio,
    Other,
}

/// What is known of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownName {
    pub construct: Construct,
    pub library: Library,
    /// Equal for names of the same type: the type or the constructor as it is written.
    pub written: String,
    /// For a guard, the method that gave it.
    pub method: String,
    /// The local that it is, or is a clone of.
    pub origin: String,
    /// Whether it is a local that no other thread can see.
    pub stays: bool,
}

impl Construct {
    pub(super) fn of_name(name: &str) -> Option<Construct> {
        Some(match name {
            "Mutex" | "FairMutex" => Construct::Mutex,
            "RwLock" | "ShardedLock" => Construct::RwLock,
            "Condvar" => Construct::Condvar,
            "Barrier" => Construct::Barrier,
            "Semaphore" => Construct::Semaphore,
            "Sender" | "SyncSender" | "UnboundedSender" => Construct::Sender,
            "Receiver" | "UnboundedReceiver" => Construct::Receiver,
            "JoinHandle" | "ScopedJoinHandle" => Construct::JoinHandle,
            "Once" => Construct::Once,
            "OnceLock" | "OnceCell" => Construct::OnceCell,
            "Notify" => Construct::Notify,
            "Parker" => Construct::Parker,
            "CountDownLatch" | "CountdownLatch" | "Latch" | "WaitGroup" => Construct::Latch,
            "MutexGuard" | "RwLockReadGuard" | "RwLockWriteGuard" => Construct::Guard,
            _ if name.starts_with("Atomic") && name.len() > "Atomic".len() => Construct::Atomic,
            _ => return None,
        })
    }

    /// A word that a file with such a thing surely has.
    fn words(self) -> &'static [&'static str] {
        match self {
            Construct::Mutex => &["Mutex", "FairMutex"],
            Construct::RwLock => &["RwLock", "ShardedLock"],
            Construct::Condvar => &["Condvar"],
            Construct::Barrier => &["Barrier"],
            Construct::Semaphore => &["Semaphore"],
            Construct::Atomic => &["atomic"],
            Construct::Sender | Construct::Receiver => {
                &["mpsc", "channel", "Sender", "Receiver", "SyncSender"]
            }
            Construct::JoinHandle => &["spawn", "JoinHandle", "thread"],
            Construct::Once => &["Once"],
            Construct::OnceCell => &["OnceLock", "OnceCell"],
            Construct::Notify => &["Notify"],
            Construct::Parker => &["Parker"],
            Construct::Latch => &["CountDownLatch", "CountdownLatch", "Latch", "WaitGroup"],
            Construct::Guard => &["MutexGuard"],
        }
    }
}

impl Library {
    fn of_root(root: &str) -> Library {
        match root {
            "std" | "core" | "mpsc" | "sync" | "atomic" | "thread" => Library::Std,
            "parking_lot" => Library::ParkingLot,
            "tokio" => Library::Tokio,
            _ => Library::Other,
        }
    }
}

/// Types that one looks through to what they hold.
pub(super) fn is_wrapper(name: &str) -> bool {
    matches!(
        name,
        "Arc" | "Rc" | "Box" | "CachePadded" | "LazyLock" | "Lazy" | "Pin"
    )
}

/// The type behind references and wrappers.
fn core_type(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => core_type(&reference.elem),
        Type::Paren(inner) => core_type(&inner.elem),
        Type::Group(inner) => core_type(&inner.elem),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return ty;
            };
            match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments)
                    if is_wrapper(&last.ident.to_string()) =>
                {
                    match arguments.args.first() {
                        Some(syn::GenericArgument::Type(inner)) => core_type(inner),
                        _ => ty,
                    }
                }
                _ => ty,
            }
        }
        _ => ty,
    }
}

/// An expression without what only hands it on: parentheses, borrows, clones.
pub(super) fn handed_on(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => handed_on(&inner.expr),
        Expr::Group(inner) => handed_on(&inner.expr),
        Expr::Reference(reference) => handed_on(&reference.expr),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => handed_on(&unary.expr),
        Expr::MethodCall(call)
            if call.args.is_empty()
                && matches!(
                    call.method.to_string().as_str(),
                    "clone" | "as_ref" | "deref" | "borrow"
                ) =>
        {
            handed_on(&call.receiver)
        }
        Expr::Call(call) if call.args.len() == 1 && path_ends(&call.func, "clone") => {
            handed_on(&call.args[0])
        }
        other => other,
    }
}

pub(crate) fn path_ends(function: &Expr, name: &str) -> bool {
    matches!(function, Expr::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == name))
}

/// What is left of an expression without `.unwrap()`, `?`, `.await` and so on.
pub(crate) fn peeled(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => peeled(&inner.expr),
        Expr::Try(attempt) => peeled(&attempt.expr),
        Expr::Await(wait) => peeled(&wait.base),
        Expr::MethodCall(call)
            if matches!(
                call.method.to_string().as_str(),
                "unwrap"
                    | "expect"
                    | "unwrap_or_else"
                    | "ok"
                    | "unwrap_or_default"
                    | "is_ok"
                    | "is_err"
                    | "map_err"
            ) =>
        {
            peeled(&call.receiver)
        }
        other => other,
    }
}

/// Whether a name stands somewhere among tokens.
pub(crate) fn mentions(node: &impl ToTokens, name: &str) -> bool {
    fn within(tokens: TokenStream, name: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == name,
            TokenTree::Group(group) => within(group.stream(), name),
            _ => false,
        })
    }
    within(node.to_token_stream(), name)
}

/// Whether a piece of code uses a variable: fields and methods of its name are something else.
pub(crate) fn uses(name: &str, visit: impl FnOnce(&mut Uses<'_>)) -> bool {
    let mut uses = Uses { name, found: false };
    visit(&mut uses);
    uses.found
}

pub(crate) struct Uses<'n> {
    name: &'n str,
    found: bool,
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.found |= path.path.is_ident(self.name);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        // Also within the braces of what it prints.
        let tokens = mac.tokens.to_string();
        self.found |=
            mentions(&mac.tokens, self.name) || tokens.contains(&format!("{{{}", self.name));
    }
}

/// An acquisition of a lock.
pub(crate) struct Acquisition<'e> {
    pub call: &'e ExprMethodCall,
    pub library: Library,
}

impl Walker<'_> {
    /// What the file says about the construct that an expression stands for.
    pub(crate) fn known(&self, expression: &Expr) -> Option<KnownName> {
        let expression = handed_on(expression);
        if let Expr::Path(path) = expression
            && let Some(name) = path.path.get_ident().map(ToString::to_string)
            && let Some(known) = self.frame.constructs.get(&name)
            // A parameter of that name that a local will shadow is still what its type says.
            && !matches!(self.frame.scopes.find(&name), Some(Some(_)))
        {
            return Some(known.clone());
        }
        let ty = self.written_type(expression)?;
        self.known_type(&ty)
    }

    /// What is known of a local, wherever in its function it is bound.
    pub(crate) fn known_local(&self, expression: &Expr) -> Option<&KnownName> {
        match expression {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                self.frame.constructs.get(&name)
            }
            _ => None,
        }
    }

    /// The construct of a type, if it is one.
    pub(crate) fn known_type(&self, ty: &Type) -> Option<KnownName> {
        let Type::Path(path) = core_type(ty) else {
            return None;
        };
        let name = path.path.segments.last()?.ident.to_string();
        if let Some((_, target)) = self.facts.alias(&name)
            && last_name(target).as_ref() != Some(&name)
        {
            return self.known_type(target);
        }
        if self.facts.is_defined(&name) {
            return None;
        }
        let first = path.path.segments.first()?.ident.to_string();
        let imported = self.facts.import(&first);
        if imported.is_some_and(|path| path.starts_with("std::cell")) {
            return None;
        }
        let root = match imported {
            Some(path) => path.split("::").next().unwrap_or_default().to_string(),
            None if path.path.segments.len() > 1 => first,
            None => String::from("std"),
        };
        Some(KnownName {
            construct: Construct::of_name(&name)?,
            library: Library::of_root(&root),
            written: self.source.compact(ty),
            method: String::new(),
            origin: String::new(),
            stays: false,
        })
    }

    /// The type of a variable, static or field as it is written.
    fn written_type(&self, expression: &Expr) -> Option<Type> {
        match handed_on(expression) {
            Expr::Path(path) => {
                let name = path.path.segments.last()?.ident.to_string();
                if name == "self" {
                    return self.owner.self_type.clone();
                }
                match self.frame.scopes.find(&name) {
                    Some(ty) => ty.cloned(),
                    None => self.facts.value(&name).cloned(),
                }
            }
            Expr::Field(field) => {
                let owner = self.written_type(&field.base)?;
                let name = match &field.member {
                    Member::Named(name) => name.to_string(),
                    Member::Unnamed(index) => index.index.to_string(),
                };
                let owner = core_type(&owner);
                if let (Type::Tuple(tuple), Member::Unnamed(index)) = (owner, &field.member) {
                    return tuple.elems.get(index.index as usize).cloned();
                }
                self.facts.field(&last_name(owner)?, &name).cloned()
            }
            Expr::Index(index) => match core_type(&self.written_type(&index.expr)?) {
                Type::Array(array) => Some((*array.elem).clone()),
                Type::Slice(slice) => Some((*slice.elem).clone()),
                Type::Path(path) => match &path.path.segments.last()?.arguments {
                    syn::PathArguments::AngleBracketed(arguments) => {
                        match arguments.args.first()? {
                            syn::GenericArgument::Type(element) => Some(element.clone()),
                            _ => None,
                        }
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether an expression may be one of these constructs that others can see.
    pub(crate) fn may_be(&self, expression: &Expr, constructs: &[Construct]) -> bool {
        match self.known(expression) {
            Some(known) => constructs.contains(&known.construct) && !known.stays,
            // Standard input and output are locked, too.
            None if matches!(expression, Expr::Call(call) if ["stdin", "stdout", "stderr"].iter().any(|name| path_ends(&call.func, name))) => {
                false
            }
            // A type that is written down and none of these.
            None if self.written_type(expression).is_some() => false,
            None => constructs
                .iter()
                .flat_map(|construct| construct.words())
                .any(|word| self.facts.has_word(word)),
        }
    }

    /// The acquisition of a lock that an expression is, `.unwrap()` and `.await` included.
    pub(crate) fn acquisition<'e>(&self, expression: &'e Expr) -> Option<Acquisition<'e>> {
        let Expr::MethodCall(call) = peeled(expression) else {
            return None;
        };
        self.locking(call).map(|library| Acquisition {
            call,
            library: match (self.known(&call.receiver), expression) {
                (Some(_), _) => library,
                (None, Expr::Await(_)) => Library::Tokio,
                (None, Expr::MethodCall(outer)) if std::ptr::eq(outer, call) => {
                    match self.facts.imports_from("parking_lot") {
                        true => Library::ParkingLot,
                        false => library,
                    }
                }
                _ => library,
            },
        })
    }

    /// The library of the lock that a call locks, if it does.
    pub(crate) fn locking(&self, call: &ExprMethodCall) -> Option<Library> {
        let constructs: &[Construct] = match call.method.to_string().as_str() {
            _ if !call.args.is_empty() => return None,
            _ if self.gives_guard(call) => return Some(Library::Std),
            "lock" => &[Construct::Mutex],
            "read" | "write" => &[Construct::RwLock],
            _ => return None,
        };
        if !self.may_be(&call.receiver, constructs) {
            return None;
        }
        let known = self.known(&call.receiver).map(|known| known.library);
        Some(known.unwrap_or(Library::Std))
    }
}

impl Walker<'_> {
    /// Whether a call is to a method of this file that locks for its caller: what it returns is a guard of std's.
    pub(crate) fn gives_guard(&self, call: &ExprMethodCall) -> bool {
        let returned = self.facts.returned_by(&call.method.to_string());
        let guard = returned.and_then(|ty| self.known_type(ty));
        let is_guard = guard.is_some_and(|known| {
            known.construct == Construct::Guard && known.library == Library::Std
        });
        is_guard && self.known(&call.receiver).is_none()
    }
}

impl Walker<'_> {
    /// The library that a path of a function or constructor leads into.
    pub(crate) fn library_of(&self, path: &syn::Path) -> Library {
        let first = path
            .segments
            .first()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        match self.facts.import(&first) {
            Some(path) => Library::of_root(path.split("::").next().unwrap_or_default()),
            // A type that is imported by `*`.
            None if path.segments.len() > 1 && !first.starts_with(char::is_uppercase) => {
                Library::of_root(&first)
            }
            None => Library::Std,
        }
    }
}
