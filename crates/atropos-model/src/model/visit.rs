//! Walks over lowered code: the statements, expressions and calls inside a piece of it.

use crate::model::code::Call;
use crate::model::{Expr, ExprKind, Stmt, StmtKind};

/// The statements directly inside a statement.
pub fn substatements<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Stmt)) {
    match &stmt.kind {
        StmtKind::Seq(parts) | StmtKind::Choice(parts) | StmtKind::Prio(parts) => {
            parts.iter().for_each(visit)
        }
        StmtKind::Project { body, .. } | StmtKind::Guard { body, .. } => visit(body),
        StmtKind::Skip
        | StmtKind::Abort
        | StmtKind::Assign { .. }
        | StmtKind::Call(_)
        | StmtKind::Emit => {}
    }
}

/// The outermost expressions of a statement, without those of its inner statements.
pub fn own_expressions<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Expr)) {
    match &stmt.kind {
        StmtKind::Project { filter, .. } => filter.iter().for_each(visit),
        StmtKind::Guard { cond, .. } => visit(cond),
        StmtKind::Assign {
            targets,
            values,
            with,
        } => {
            targets
                .iter()
                .flat_map(|target| &target.path)
                .for_each(&mut *visit);
            values.iter().for_each(&mut *visit);
            with.iter().for_each(visit);
        }
        StmtKind::Call(call) => call_operands(call, visit),
        _ => {}
    }
}

/// Receiver, arguments and list of a call.
pub fn call_operands<'a>(call: &'a Call, visit: &mut dyn FnMut(&'a Expr)) {
    call.receiver.iter().for_each(&mut *visit);
    call.args.iter().for_each(&mut *visit);
    if let Some((_, list)) = &call.fold {
        visit(list);
    }
}

/// The expressions directly inside an expression.
pub fn subexpressions<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Unary { operand, .. } => visit(operand),
        ExprKind::Binary { left, right, .. } => {
            visit(left);
            visit(right);
        }
        ExprKind::Index { base, index } => {
            visit(base);
            visit(index);
        }
        ExprKind::TupleItem { base, .. } => visit(base),
        ExprKind::Call(call) => call_operands(call, visit),
        ExprKind::List(items) | ExprKind::Tuple(items) => items.iter().for_each(visit),
        ExprKind::Map(pairs) => {
            for (key, value) in pairs {
                visit(key);
                visit(value);
            }
        }
        ExprKind::Comprehension { filter, item, .. } => {
            filter.iter().for_each(|filter| visit(filter));
            visit(item);
        }
        ExprKind::Quantifier { body, .. } => visit(body),
        ExprKind::If { cond, then, other } => {
            visit(cond);
            visit(then);
            visit(other);
        }
        ExprKind::Convert(inner) => visit(inner),
        ExprKind::Lit { .. }
        | ExprKind::Const(_)
        | ExprKind::Local(_)
        | ExprKind::Attr(_)
        | ExprKind::SelfRef
        | ExprKind::New { .. } => {}
    }
}

/// Every expression in a statement, inner statements included, outer before inner.
pub fn expressions<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Expr)) {
    own_expressions(stmt, &mut |expr| expressions_in(expr, visit));
    substatements(stmt, &mut |inner| expressions(inner, visit));
}

/// An expression and all inside it.
pub fn expressions_in<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    subexpressions(expr, &mut |inner| expressions_in(inner, visit));
}

/// Every call inside an expression.
pub fn calls_in<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Call)) {
    expressions_in(expr, &mut |expr| {
        if let ExprKind::Call(call) = &expr.kind {
            visit(call);
        }
    });
}

/// Every call in a statement: statements and expressions.
pub fn calls<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Call)) {
    if let StmtKind::Call(call) = &stmt.kind {
        visit(call);
    }
    own_expressions(stmt, &mut |expr| calls_in(expr, visit));
    substatements(stmt, &mut |inner| calls(inner, visit));
}
