//! What is left alone because no test is meant to notice it: logging and debug output, capacity
//! hints, messages, tables of data. One list per question, so that each can be argued about.

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprMethodCall, ExprPath, Path, Signature, Type};

use crate::type_facts::{TypeFacts, last_name};
use crate::walk::MethodOwner;

/// An array of more literals than this is data.
pub(crate) const TABLE: usize = 8;

/// Traits whose impls are not mutated: debug output, and hashes, which may be any.
pub(crate) fn is_skipped_trait(name: &str) -> bool {
    matches!(name, "Debug" | "Hash" | "GlobalAlloc")
}

/// Functions that only hint: an iterator's `size_hint`, unless its exact size is promised.
pub(crate) fn is_skipped_function(
    signature: &Signature,
    owner: &MethodOwner,
    facts: &TypeFacts,
) -> bool {
    let is_exact = owner
        .self_type
        .as_ref()
        .and_then(last_name)
        .is_some_and(|name| facts.has_exact_size(&name));
    owner.of_trait.as_deref() == Some("Iterator") && signature.ident == "size_hint" && !is_exact
}

/// Whether a `drop` gives back what was taken: a lock, memory, a handle. Without it locks are held for ever and memory leaks,
/// which no test is meant to notice. What else a `drop` does (count, flush, stop a thread) can be tested.
pub(crate) fn gives_back(owner: &MethodOwner, body: &Block) -> bool {
    struct Calls(bool);
    impl Calls {
        fn see(&mut self, name: &str) {
            const GIVING_BACK: [&str; 9] = [
                "unlock", "release", "dealloc", "free", "close", "drop", "from_raw", "munmap",
                "unmap",
            ];
            self.0 |= GIVING_BACK.iter().any(|part| name.contains(part));
        }
    }
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
            self.see(&call.method.to_string());
            visit::visit_expr_method_call(self, call);
        }
        fn visit_expr_path(&mut self, path: &'ast ExprPath) {
            if let Some(last) = path.path.segments.last() {
                self.see(&last.ident.to_string());
            }
        }
    }
    let name = owner.self_type.as_ref().and_then(last_name);
    let is_guard = name.is_some_and(|name| name.contains("Guard") || name.contains("Permit"));
    let mut calls = Calls(is_guard);
    calls.visit_block(body);
    calls.0
}

/// Methods whose arguments and whose very call are only hints about memory or time.
pub(crate) fn is_hint_method(name: &str) -> bool {
    matches!(
        name,
        "with_capacity"
            | "with_capacity_in"
            | "with_capacity_and_hasher"
            | "with_capacity_and_hasher_in"
            | "try_with_capacity"
            | "capacity"
            | "reserve"
            | "reserve_exact"
            | "try_reserve"
            | "try_reserve_exact"
            | "shrink_to"
            | "shrink_to_fit"
            | "grow_to_spare"
    )
}

/// Calls whose arguments are hints, to the allocator or to the compiler.
pub(crate) fn is_hint_call(function: &Expr) -> bool {
    called_name(function).is_some_and(|name| is_hint_method(&name) || name == "assert_unchecked")
}

/// Methods whose arguments are messages for people.
pub(crate) fn is_message_method(name: &str) -> bool {
    matches!(
        name,
        "expect" | "expect_err" | "context" | "with_context" | "wrap_err" | "wrap_err_with"
    )
}

/// Functions whose call is no statement to delete: the effect is memory (which leaks or is freed
/// twice, or only later) or time (which no test should see).
pub(crate) fn is_undeletable_call(name: &str) -> bool {
    is_hint_method(name)
        || matches!(
            name,
            "drop"
                | "forget"
                | "spin_loop"
                | "spin_loop_hint"
                | "yield_now"
                | "black_box"
                | "cold_path"
                | "assert_unchecked"
                | "unreachable_unchecked"
                | "exit"
                | "abort"
        )
}

/// Whether a function writes text for people (`fmt::Result`): memory, which nearly all of it is
/// written to, never refuses, so no test can see a refusal swallowed.
pub(crate) fn is_result_of_writing(returned: Option<&Type>) -> bool {
    let Some(Type::Path(path)) = returned else {
        return false;
    };
    let mut names = path.path.segments.iter().rev();
    names
        .next()
        .is_some_and(|last| last.ident == "Result" && last.arguments.is_none())
        && names.next().is_some_and(|module| module.ident == "fmt")
}

/// The last name of a called path.
pub(crate) fn called_name(function: &Expr) -> Option<String> {
    match function {
        Expr::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
        _ => None,
    }
}

/// Iterator and collection methods whose closure decides.
pub(crate) fn takes_predicate(name: &str) -> bool {
    matches!(
        name,
        "filter"
            | "any"
            | "all"
            | "find"
            | "position"
            | "rposition"
            | "retain"
            | "retain_mut"
            | "skip_while"
            | "take_while"
            | "partition"
            | "partition_point"
            | "is_some_and"
            | "is_none_or"
            | "is_ok_and"
            | "is_err_and"
            | "trim_matches"
            | "trim_start_matches"
            | "trim_end_matches"
            | "take_if"
            | "extract_if"
            | "is_sorted_by"
            | "dedup_by"
            | "chunk_by"
    )
}

/// Methods of ranges themselves, not of iterators.
pub(crate) fn is_range_method(name: &str) -> bool {
    matches!(
        name,
        "contains"
            | "is_empty"
            | "start"
            | "end"
            | "start_bound"
            | "end_bound"
            | "into_inner"
            | "clone"
    )
}

/// Macros whose arguments and whose very call are left alone: checks, output, logging, ends.
pub(crate) fn is_skipped_macro(path: &Path) -> bool {
    let Some(last) = path.segments.last() else {
        return false;
    };
    let name = last.ident.to_string();
    matches!(
        name.as_str(),
        // Output.
        "print" | "println" | "eprint" | "eprintln" | "dbg"
            // The log and tracing families.
            | "log" | "trace" | "debug" | "info" | "warn" | "error" | "event" | "span"
            | "trace_span" | "debug_span" | "info_span" | "warn_span" | "error_span"
            | "log_enabled" | "enabled"
            // Ends.
            | "panic" | "unreachable" | "unimplemented" | "todo" | "compile_error"
    ) || name.starts_with("assert")
        || name.starts_with("debug_assert")
        || name.starts_with("prop_assert")
        || name.starts_with("const_assert")
        || name.starts_with("static_assert")
}

/// Whether code ends with a panic on purpose.
pub(crate) fn is_dead_end(expression: &Expr) -> bool {
    let is_ending = |path: &Path| {
        path.segments.last().is_some_and(|last| {
            ["panic", "unreachable", "unimplemented", "todo"]
                .iter()
                .any(|name| last.ident == name)
        })
    };
    match expression {
        Expr::Macro(mac) => is_ending(&mac.mac.path),
        Expr::Call(call) => {
            called_name(&call.func).is_some_and(|name| name == "unreachable_unchecked")
        }
        Expr::Unsafe(inner) => ends_dead(&inner.block),
        Expr::Block(inner) => ends_dead(&inner.block),
        _ => false,
    }
}

/// Whether a block only logs, checks and hints. One that panics does more: it refuses what the
/// condition around it lets through, and tests check that.
pub(crate) fn is_skipped_block(block: &syn::Block) -> bool {
    let is_skipped = |path: &Path| {
        is_skipped_macro(path)
            && path
                .segments
                .last()
                .is_none_or(|last| last.ident != "panic")
    };
    block.stmts.iter().all(|statement| match statement {
        syn::Stmt::Macro(mac) => is_skipped(&mac.mac.path),
        syn::Stmt::Expr(Expr::Macro(mac), _) => is_skipped(&mac.mac.path),
        syn::Stmt::Expr(Expr::Call(call), _) => {
            called_name(&call.func).is_some_and(|name| is_undeletable_call(&name))
        }
        syn::Stmt::Expr(Expr::If(branch), _) => is_skipped_branch(branch),
        syn::Stmt::Expr(Expr::Unsafe(inner), _) => is_skipped_block(&inner.block),
        _ => false,
    })
}

/// Whether both ways of an `if` only log, check and hint.
pub(crate) fn is_skipped_branch(branch: &syn::ExprIf) -> bool {
    is_skipped_block(&branch.then_branch)
        && match branch
            .else_branch
            .as_ref()
            .map(|(_, otherwise)| &**otherwise)
        {
            None => true,
            Some(Expr::If(otherwise)) => is_skipped_branch(otherwise),
            Some(Expr::Block(otherwise)) => is_skipped_block(&otherwise.block),
            Some(_) => false,
        }
}

fn ends_dead(block: &syn::Block) -> bool {
    match block.stmts.as_slice() {
        [syn::Stmt::Expr(only, _)] => is_dead_end(only),
        [syn::Stmt::Macro(only)] => is_dead_end(&Expr::Macro(syn::ExprMacro {
            attrs: Vec::new(),
            mac: only.mac.clone(),
        })),
        _ => false,
    }
}

/// `cfg!(…)`, `log_enabled!(…)`: conditions about the build or the log, not about the program.
pub(crate) fn is_build_condition(condition: &Expr) -> bool {
    match condition {
        Expr::Macro(mac) => mac.mac.path.segments.last().is_some_and(|last| {
            ["cfg", "log_enabled", "enabled"]
                .iter()
                .any(|name| last.ident == name)
        }),
        Expr::Unary(unary) => is_build_condition(&unary.expr),
        Expr::Paren(inner) => is_build_condition(&inner.expr),
        Expr::Binary(binary) => {
            is_build_condition(&binary.left) || is_build_condition(&binary.right)
        }
        _ => false,
    }
}
