//! Atomics: EAN splits a read-modify-write into a load and a store, RVK weakens orderings, removes
//! fences and lets several threads initialise what is to be initialised once.
//!
//! An ordering is weakened to the next weaker one that the operation allows, and to `Relaxed`.

use atropos_values::interface::FAULT_RACE;
use syn::{Expr, ExprCall, ExprMethodCall};

use super::construct::{Construct, Library};
use crate::mutant::{Shape, Span};
use crate::operator::Operator;
use crate::paths::names_of;
use crate::walk::{Draft, Walker};

/// What an operation does with memory, as far as its orderings go.
#[derive(Clone, Copy)]
enum Access {
    Load,
    Store,
    Both,
}

/// Names that no program uses.
const ATOMIC: &str = "__atropos_a";
const OLD: &str = "__atropos_old";
const NEW: &str = "__atropos_new";
const EXPECTED: &str = "__atropos_expected";

impl Walker<'_> {
    pub(super) fn atomic_method(&mut self, call: &ExprMethodCall) {
        if self.known(&call.receiver).is_some_and(|known| known.stays) {
            return;
        }
        self.split_operation(call);
        for (index, access) in orderings(call) {
            if let Some(argument) = call.args.get(index) {
                self.weakened(argument, access);
            }
        }
        if !self.frame.is_awaited(self.source.span(call)) {
            self.racy_initialisation(call, None);
        }
    }

    fn weakened(&mut self, argument: &Expr, access: Access) {
        let Some(ordering) = ordering_of(argument) else {
            return;
        };
        let weaker: &[&str] = match (access, ordering.as_str()) {
            (Access::Load, "SeqCst") => &["Acquire", "Relaxed"],
            (Access::Store, "SeqCst") => &["Release", "Relaxed"],
            (Access::Both, "SeqCst") => &["AcqRel", "Relaxed"],
            (Access::Both, "AcqRel") => &["Acquire", "Release"],
            (_, "Acquire" | "Release") => &["Relaxed"],
            _ => return,
        };
        let texts = weaker
            .iter()
            .map(|name| (Operator::Rvk, self.ordering_like(argument, name)))
            .collect();
        let span = self.source.span(argument);
        self.replacements(span, texts);
    }

    /// An ordering, named the way another one is.
    fn ordering_like(&self, argument: &Expr, name: &str) -> String {
        let text = self.source.flat(argument);
        match text.rsplit_once("::") {
            Some((path, _)) => format!("{path}::{name}"),
            None => self.ordering(name),
        }
    }

    fn ordering(&self, name: &str) -> String {
        self.path_in_core(&format!("sync::atomic::Ordering::{name}"))
    }

    /// EAN
    fn split_operation(&mut self, call: &ExprMethodCall) {
        let name = call.method.to_string();
        let receiver = self.source.flat(&call.receiver);
        let argument = |index: usize| self.source.flat(&call.args[index]);
        if self.is_cell(&call.receiver) {
            return self.split_cell(call);
        }
        let text = match (name.as_str(), call.args.len()) {
            ("compare_exchange" | "compare_exchange_weak", 4) => {
                let Some((load, store)) = self.halves(&call.args[2]) else {
                    return;
                };
                format!(
                    "(match (&{receiver}, {}, {}) {{ ({ATOMIC}, {EXPECTED}, {NEW}) => {{ \
                     let {OLD} = {ATOMIC}.load({load}); if {OLD} == {EXPECTED} {{ \
                     {ATOMIC}.store({NEW}, {store}); Ok({OLD}) }} else {{ Err({OLD}) }} }} }})",
                    argument(0),
                    argument(1)
                )
            }
            ("fetch_update" | "try_update", 3) => {
                let Some((load, store)) = self.halves(&call.args[0]) else {
                    return;
                };
                format!(
                    "(match &{receiver} {{ {ATOMIC} => {{ let {OLD} = {ATOMIC}.load({load}); \
                     match ({})({OLD}) {{ Some({NEW}) => {{ {ATOMIC}.store({NEW}, {store}); \
                     Ok({OLD}) }} None => Err({OLD}) }} }} }})",
                    argument(2)
                )
            }
            ("update", 3) => {
                let Some((load, store)) = self.halves(&call.args[0]) else {
                    return;
                };
                format!(
                    "(match &{receiver} {{ {ATOMIC} => {{ let {OLD} = {ATOMIC}.load({load}); \
                     {ATOMIC}.store(({})({OLD}), {store}); {OLD} }} }})",
                    argument(2)
                )
            }
            ("fetch_not", 1) => {
                let Some((load, store)) = self.halves(&call.args[0]) else {
                    return;
                };
                format!(
                    "(match &{receiver} {{ {ATOMIC} => {{ let {OLD} = {ATOMIC}.load({load}); \
                     {ATOMIC}.store(!{OLD}, {store}); {OLD} }} }})"
                )
            }
            (_, 2) => {
                let Some(computed) = computed(&name) else {
                    return;
                };
                let Some((load, store)) = self.halves(&call.args[1]) else {
                    return;
                };
                format!(
                    "(match (&{receiver}, {}) {{ ({ATOMIC}, {NEW}) => {{ \
                     let {OLD} = {ATOMIC}.load({load}); {ATOMIC}.store({computed}, {store}); \
                     {OLD} }} }})",
                    argument(0)
                )
            }
            _ => return,
        };
        self.split_into(call, text);
    }

    /// EAN for crossbeam's `AtomicCell`, whose operations name no ordering.
    fn split_cell(&mut self, call: &ExprMethodCall) {
        let name = call.method.to_string();
        let receiver = self.source.flat(&call.receiver);
        let argument = |index: usize| self.source.flat(&call.args[index]);
        let text = match (name.as_str(), call.args.len()) {
            ("compare_exchange", 2) => format!(
                "(match (&{receiver}, {}, {}) {{ ({ATOMIC}, {EXPECTED}, {NEW}) => {{ \
                 let {OLD} = {ATOMIC}.load(); if {OLD} == {EXPECTED} {{ \
                 {ATOMIC}.store({NEW}); Ok({OLD}) }} else {{ Err({OLD}) }} }} }})",
                argument(0),
                argument(1)
            ),
            (_, 1) => {
                let Some(computed) = computed(&name) else {
                    return;
                };
                format!(
                    "(match (&{receiver}, {}) {{ ({ATOMIC}, {NEW}) => {{ \
                     let {OLD} = {ATOMIC}.load(); {ATOMIC}.store({computed}); {OLD} }} }})",
                    argument(0)
                )
            }
            _ => return,
        };
        self.split_into(call, text);
    }

    /// Whether something is an atomic without orderings.
    pub(super) fn is_cell(&self, receiver: &Expr) -> bool {
        self.known(receiver)
            .is_some_and(|known| known.written.contains("AtomicCell"))
    }

    fn split_into(&mut self, call: &ExprMethodCall, text: String) {
        let span = self.source.span(call);
        let mut draft = self.replacement(Operator::Ean, span, text);
        draft.summary = format!("split {} into a load and a store", call.method);
        draft.at = self.source.token(call.method.span()).start;
        self.point(span, Shape::Expression, vec![draft]);
    }

    /// The orderings of the load and of the store that an operation is split into.
    fn halves(&self, ordering: &Expr) -> Option<(String, String)> {
        let (load, store) = match ordering_of(ordering)?.as_str() {
            "SeqCst" => ("SeqCst", "SeqCst"),
            "AcqRel" => ("Acquire", "Release"),
            "Acquire" => ("Acquire", "Relaxed"),
            "Release" => ("Relaxed", "Release"),
            _ => ("Relaxed", "Relaxed"),
        };
        Some((
            self.ordering_like(ordering, load),
            self.ordering_like(ordering, store),
        ))
    }

    /// RVK where something is initialised once; `whole` is the call with its `.await`, if it has one.
    pub(super) fn racy_initialisation(&mut self, call: &ExprMethodCall, whole: Option<Span>) {
        let is_place = matches!(&*call.receiver, Expr::Path(_) | Expr::Field(_));
        let (true, [argument]) = (is_place, &call.args.iter().collect::<Vec<_>>()[..]) else {
            return;
        };
        let receiver = self.source.flat(&call.receiver);
        let function = self.source.flat(*argument);
        let text = match call.method.to_string().as_str() {
            "get_or_init"
                if self
                    .known(&call.receiver)
                    .is_some_and(|known| known.construct == Construct::OnceCell) =>
            {
                let wait = if whole.is_some() { ".await" } else { "" };
                format!(
                    "(match {receiver}.get() {{ Some({OLD}) => {OLD}, None => {{ \
                     let {NEW} = ({function})(){wait}; let _ = {receiver}.set({NEW}); \
                     {receiver}.get().unwrap() }} }})"
                )
            }
            "call_once" if self.may_be(&call.receiver, &[Construct::Once]) => {
                let known = self.known(&call.receiver);
                let is_done = match known.map(|known| known.library) {
                    Some(Library::ParkingLot) => "state().done()",
                    _ => "is_completed()",
                };
                format!(
                    "(if !{receiver}.{is_done} {{ ({function})(); {receiver}.call_once(|| ()) }})"
                )
            }
            _ => return,
        };
        let span = whole.unwrap_or(self.source.span(call));
        let mut draft = self.replacement(Operator::Rvk, span, text);
        draft.summary = format!("let several threads initialise {receiver}");
        self.point(span, Shape::Expression, vec![draft]);
    }
}

impl Walker<'_> {
    /// RVK for `LazyLock::new(|| …)` and `LazyLock::new(function)`. Which thread comes first is known only when the
    /// initialiser runs, so it is that which lets the others in.
    pub(crate) fn racy_lazy(&mut self, call: &ExprCall) {
        let (Expr::Path(path), Some(initialiser)) = (&*call.func, call.args.first()) else {
            return;
        };
        let names = names_of(&path.path);
        let is_lazy = matches!(&names[..], [.., lazy, new] if lazy == "LazyLock" && new == "new");
        if !is_lazy || !self.looks_at_concurrency() || self.library_of(&path.path) != Library::Std {
            return;
        }
        let (span, text, shape) = match initialiser {
            Expr::Closure(closure) => {
                let body = self.source.flat(&closure.body);
                let span = self.source.span(&closure.body);
                (
                    span,
                    format!("{{ {FAULT_RACE}(); {body} }}"),
                    Shape::Expression,
                )
            }
            // A local may be a closure that can't be called twice.
            Expr::Path(function) if !self.is_local(&function.path) => {
                let name = self.source.flat(function);
                let text = format!("|| {{ {FAULT_RACE}(); {name}() }}");
                (self.source.span(function), text, Shape::Initialiser)
            }
            _ => return,
        };
        let summary = "let several threads initialise this".to_string();
        let draft = Draft::new(Operator::Rvk, span, text, summary).under_exploration();
        self.point(span, shape, vec![draft]);
    }

    fn is_local(&self, path: &syn::Path) -> bool {
        let name = path.get_ident().map(ToString::to_string);
        name.is_some_and(|name| self.frame.scopes.find(&name).is_some())
    }
}

/// Which arguments of a call are orderings, and of what.
fn orderings(call: &ExprMethodCall) -> Vec<(usize, Access)> {
    match (call.method.to_string().as_str(), call.args.len()) {
        ("load", 1) => vec![(0, Access::Load)],
        ("store", 2) => vec![(1, Access::Store)],
        ("compare_exchange" | "compare_exchange_weak", 4) => {
            vec![(2, Access::Both), (3, Access::Load)]
        }
        ("fetch_update" | "try_update" | "update", 3) => vec![(0, Access::Both), (1, Access::Load)],
        ("fetch_not", 1) => vec![(0, Access::Both)],
        (name, 2) if name == "swap" || name.starts_with("fetch_") => vec![(1, Access::Both)],
        _ => Vec::new(),
    }
}

/// The ordering that an expression names.
pub(super) fn ordering_of(expression: &Expr) -> Option<String> {
    let Expr::Path(path) = expression else {
        return None;
    };
    let name = path.path.segments.last()?.ident.to_string();
    let is_ordering = matches!(
        name.as_str(),
        "Relaxed" | "Acquire" | "Release" | "AcqRel" | "SeqCst"
    );
    is_ordering.then_some(name)
}

/// The new value that an operation computes from the old one and its argument.
fn computed(operation: &str) -> Option<String> {
    Some(match operation {
        "swap" => NEW.to_string(),
        "fetch_add" => format!("{OLD}.wrapping_add({NEW})"),
        "fetch_sub" => format!("{OLD}.wrapping_sub({NEW})"),
        "fetch_and" => format!("{OLD} & {NEW}"),
        "fetch_or" => format!("{OLD} | {NEW}"),
        "fetch_xor" => format!("{OLD} ^ {NEW}"),
        "fetch_nand" => format!("!({OLD} & {NEW})"),
        "fetch_max" => format!("{OLD}.max({NEW})"),
        "fetch_min" => format!("{OLD}.min({NEW})"),
        _ => return None,
    })
}
