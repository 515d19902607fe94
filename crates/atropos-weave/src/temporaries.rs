//! Whether an expression may leave temporaries behind whose end can be noticed.
//!
//! A value that is borrowed, but never given a name, lives until the end of the statement around
//! it: in `f(m.lock().unwrap().len())` the lock is held while `f` runs. Moving the argument into a
//! match arm would let it go earlier. Types are unknown here, so every value that a call returns
//! and that is then borrowed counts.

use syn::{BinOp, Block, Expr, Stmt, UnOp};

/// Whether evaluating the expression may leave such temporaries to the statement around it.
pub(crate) fn may_leave_temporaries(expr: &Expr) -> bool {
    let inside = may_leave_temporaries;
    let borrowed = |expr: &Expr| may_be_dropped_late(expr) || inside(expr);
    let any = |mut exprs: &mut dyn Iterator<Item = &Expr>| Iterator::any(&mut exprs, inside);
    match expr {
        Expr::Lit(_) | Expr::Path(_) | Expr::Closure(_) | Expr::Const(_) | Expr::Async(_) => false,
        Expr::Paren(inner) => inside(&inner.expr),
        Expr::Group(inner) => inside(&inner.expr),
        Expr::Cast(cast) => inside(&cast.expr),
        Expr::Try(operand) => inside(&operand.expr),
        Expr::Await(operand) => inside(&operand.base),
        Expr::Reference(reference) => borrowed(&reference.expr),
        Expr::RawAddr(address) => borrowed(&address.expr),
        Expr::Field(field) => borrowed(&field.base),
        Expr::Index(index) => borrowed(&index.expr) || inside(&index.index),
        Expr::Let(condition) => borrowed(&condition.expr),
        Expr::Match(choice) => borrowed(&choice.expr),
        Expr::ForLoop(for_loop) => borrowed(&for_loop.expr),
        Expr::If(branch) => has_let(&branch.cond),
        Expr::While(_) | Expr::Loop(_) => false,
        Expr::MethodCall(call) => borrowed(&call.receiver) || any(&mut call.args.iter()),
        Expr::Call(call) => inside(&call.func) || any(&mut call.args.iter()),
        Expr::Unary(unary) => match unary.op {
            UnOp::Deref(_) => borrowed(&unary.expr),
            _ => inside(&unary.expr),
        },
        Expr::Binary(binary) => match binary.op {
            BinOp::And(_) | BinOp::Or(_) => has_let(&binary.left) || has_let(&binary.right),
            BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_) => borrowed(&binary.left) || borrowed(&binary.right),
            _ => inside(&binary.left) || inside(&binary.right),
        },
        Expr::Assign(assign) => inside(&assign.left) || inside(&assign.right),
        Expr::Range(range) => any(&mut [&range.start, &range.end]
            .into_iter()
            .flatten()
            .map(|e| &**e)),
        Expr::Tuple(tuple) => any(&mut tuple.elems.iter()),
        Expr::Array(array) => any(&mut array.elems.iter()),
        Expr::Repeat(repeat) => inside(&repeat.expr),
        Expr::Struct(literal) => {
            any(&mut literal.fields.iter().map(|field| &field.expr))
                || literal.rest.as_deref().is_some_and(borrowed)
        }
        Expr::Return(syn::ExprReturn { expr, .. }) | Expr::Break(syn::ExprBreak { expr, .. }) => {
            expr.as_deref().is_some_and(inside)
        }
        Expr::Continue(_) => false,
        Expr::Block(block) => tail(&block.block).is_some_and(inside),
        Expr::Unsafe(block) => tail(&block.block).is_some_and(inside),
        _ => true,
    }
}

/// Whether the value of an expression, if it is only borrowed, may do something when it is dropped
/// at the end of the statement. Places are dropped elsewhere; plain data is not dropped at all.
fn may_be_dropped_late(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => false,
        Expr::Reference(_) | Expr::RawAddr(_) | Expr::Cast(_) | Expr::Assign(_) => false,
        Expr::Paren(inner) => may_be_dropped_late(&inner.expr),
        Expr::Group(inner) => may_be_dropped_late(&inner.expr),
        Expr::Unary(unary) => {
            !matches!(unary.op, UnOp::Deref(_)) && may_be_dropped_late(&unary.expr)
        }
        Expr::Binary(binary) => match binary.op {
            BinOp::And(_)
            | BinOp::Or(_)
            | BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_) => false,
            // The sum of two names can be a value of any type, but a literal's neighbour is a
            // number in all but the oddest programs, and numbers are not dropped.
            _ => !is_number(&binary.left) && !is_number(&binary.right),
        },
        Expr::Tuple(tuple) => tuple.elems.iter().any(may_be_dropped_late),
        Expr::Array(array) => array.elems.iter().any(may_be_dropped_late),
        Expr::Range(range) => [&range.start, &range.end]
            .into_iter()
            .flatten()
            .any(|end| may_be_dropped_late(end)),
        _ => true,
    }
}

fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(literal) => matches!(literal.lit, syn::Lit::Int(_) | syn::Lit::Float(_)),
        Expr::Cast(_) => true,
        Expr::Paren(inner) => is_number(&inner.expr),
        _ => false,
    }
}

fn has_let(expr: &Expr) -> bool {
    crate::syntax::contains_let(expr) && may_leave_let(expr)
}

fn may_leave_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => may_leave_temporaries(expr),
        Expr::Binary(binary) => may_leave_let(&binary.left) || may_leave_let(&binary.right),
        _ => false,
    }
}

fn tail(block: &Block) -> Option<&Expr> {
    match block.stmts.last() {
        Some(Stmt::Expr(expr, None)) => Some(expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_borrowed_values_of_calls_count() {
        let check = |text: &str, expected| {
            let expr = syn::parse_str(text).unwrap();
            assert_eq!(may_leave_temporaries(&expr), expected, "{text}");
        };
        for text in [
            "m.lock().unwrap().len()",
            "&f()",
            "f().x",
            "*f()",
            "f() == 1",
            "g(f().x)",
            "match f() { _ => 1 }",
            "if let Some(x) = f() { 1 } else { 2 }",
            "unknown!()",
            "(a + b).len()",
        ] {
            check(text, true);
        }
        for text in [
            "1",
            "a + b",
            "f(x)",
            "f(g(x))",
            "x.len()",
            "x.y.len() + f()",
            "f() && g().h()",
            "|x| x.f().g()",
            "a < b",
            "f()?",
            "&a",
            "(a + 1).pow(2)",
            "if f().g() { 1 } else { 2 }",
            "a..b",
        ] {
            check(text, false);
        }
    }
}
