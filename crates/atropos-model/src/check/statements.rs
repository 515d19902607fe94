//! Statements: the lowered form, targets of assignments, calls.

use super::Checker;
use super::scope::Scope;
use crate::language::tree::{self, ExprKind as TreeExpr, StmtKind as Tree};
use crate::language::{Diagnostic, SourceSpan};
use crate::model::{Expr, ExprKind, Stmt, StmtKind, Target, TargetBase, Ty, TyId};

impl Checker<'_> {
    pub(super) fn statement(&mut self, stmt: &tree::Stmt, scope: &mut Scope) -> Stmt {
        let span = stmt.span;
        let kind = match &stmt.kind {
            Tree::Prio(parts) => StmtKind::Prio(self.parts(parts, scope)),
            Tree::Choice(parts) => StmtKind::Choice(self.parts(parts, scope)),
            Tree::Seq(parts) => StmtKind::Seq(self.parts(parts, scope)),
            Tree::Paren(inner) => return self.statement(inner, scope),
            Tree::Project { vars, filter, body } => {
                let mark = scope.mark();
                let vars = self.bound_vars(vars, scope);
                let filter = filter.as_ref().map(|filter| self.truth(filter, scope));
                let body = Box::new(self.statement(body, scope));
                scope.close(mark);
                self.statements += 1;
                StmtKind::Project { vars, filter, body }
            }
            Tree::Guard { cond, body } => {
                let cond = self.truth(cond, scope);
                let body = match body {
                    Some(body) => self.statement(body, scope),
                    None => Stmt {
                        kind: StmtKind::Skip,
                        span,
                    },
                };
                self.statements += 1;
                StmtKind::Guard {
                    cond,
                    body: Box::new(body),
                    point: None,
                }
            }
            Tree::Assign {
                targets,
                values,
                with,
            } => {
                self.statements += 1;
                return self.assignment(targets, values, with.as_ref(), span, scope);
            }
            Tree::Call(call) => {
                self.statements += 1;
                let TreeExpr::Call { callee, args, fold } = &call.kind else {
                    return Stmt {
                        kind: StmtKind::Skip,
                        span,
                    };
                };
                match self.call(callee, args, fold.as_ref(), call.span, scope) {
                    Some(call) => StmtKind::Call(Box::new(call)),
                    None => StmtKind::Skip,
                }
            }
            Tree::Skip => {
                self.statements += 1;
                StmtKind::Skip
            }
            Tree::Abort => {
                self.statements += 1;
                StmtKind::Abort
            }
            Tree::Bad => StmtKind::Skip,
        };
        Stmt { kind, span }
    }

    fn parts(&mut self, parts: &[tree::Stmt], scope: &mut Scope) -> Vec<Stmt> {
        parts
            .iter()
            .map(|part| self.statement(part, scope))
            .collect()
    }

    fn assignment(
        &mut self,
        targets: &[tree::Expr],
        values: &[tree::Expr],
        with: Option<&tree::Expr>,
        span: SourceSpan,
        scope: &mut Scope,
    ) -> Stmt {
        let skip = Stmt {
            kind: StmtKind::Skip,
            span,
        };
        if targets.len() != values.len() {
            let message = format!("{} targets, but {} values", targets.len(), values.len());
            let advice = "`a, b := x, y` gives each target its own value";
            self.diagnostics.error(span, message, advice);
            return skip;
        }
        let lowered: Vec<Option<Target>> = targets
            .iter()
            .map(|target| self.target(target, scope))
            .collect();
        let mut values_lowered = Vec::new();
        for (target, value) in lowered.iter().zip(values) {
            match target {
                Some(target) => values_lowered.push(self.stored(value, scope, target.item)),
                None => {
                    self.expression(value, scope, None);
                }
            }
        }
        let with = with.map(|with| self.truth(with, scope));
        let Some(targets) = lowered.into_iter().collect::<Option<Vec<Target>>>() else {
            return skip;
        };
        self.reject_twice(&targets);
        self.called_first(targets, values_lowered, with, span, scope)
    }

    fn reject_twice(&mut self, targets: &[Target]) {
        for (at, target) in targets.iter().enumerate() {
            let same = |other: &&Target| {
                other.base == target.base && other.path.is_empty() && target.path.is_empty()
            };
            if let Some(first) = targets[..at].iter().find(same) {
                self.diagnostics.push(
                    Diagnostic::error(target.span, "this is assigned twice at once")
                        .advice("all values are assigned together; take one out, or write two assignments with `;`")
                        .other(first.span, "first here"),
                );
            }
        }
    }

    /// `x := m(…)` may call a method that changes something: the call is a statement of its own.
    fn called_first(
        &mut self,
        targets: Vec<Target>,
        mut values: Vec<Expr>,
        with: Option<Expr>,
        span: SourceSpan,
        scope: &mut Scope,
    ) -> Stmt {
        let [
            Expr {
                kind: ExprKind::Call(_),
                ..
            },
        ] = values.as_slice()
        else {
            return Stmt {
                kind: StmtKind::Assign {
                    targets,
                    values,
                    with,
                },
                span,
            };
        };
        let value = values.remove(0);
        let (ty, value_span) = (value.ty, value.span);
        let ExprKind::Call(mut call) = value.kind else {
            return Stmt {
                kind: StmtKind::Skip,
                span,
            };
        };
        let slot = scope.add_hidden("", ty);
        call.store = Some(slot);
        let value = Expr {
            kind: ExprKind::Local(slot),
            ty,
            span: value_span,
        };
        let value = match targets.first() {
            Some(target) => self.coerce(value, target.item),
            None => value,
        };
        let first = Stmt {
            kind: StmtKind::Call(call),
            span: value_span,
        };
        let then = Stmt {
            kind: StmtKind::Assign {
                targets,
                values: vec![value],
                with,
            },
            span,
        };
        Stmt {
            kind: StmtKind::Seq(vec![first, then]),
            span,
        }
    }

    fn target(&mut self, target: &tree::Expr, scope: &mut Scope) -> Option<Target> {
        let span = target.span;
        match &target.kind {
            TreeExpr::Name(name) => {
                if let Some(slot) = scope.find(name) {
                    let ty = scope.locals[slot as usize].ty;
                    return Some(Target {
                        base: TargetBase::Local(slot),
                        ty,
                        path: Vec::new(),
                        item: ty,
                        span,
                    });
                }
                if let Some((at, ty)) = scope
                    .class
                    .and_then(|class| self.find_attribute(class, name))
                {
                    return Some(Target {
                        base: TargetBase::Attr(at),
                        ty,
                        path: Vec::new(),
                        item: ty,
                        span,
                    });
                }
                let expr = self.expression(target, scope, None);
                if expr.ty != self.bad_ty {
                    self.diagnostics
                        .error(span, format!("`{name}` can't be assigned"), "constants and parameters of actions stay as they are; use an attribute or a local variable");
                }
                None
            }
            TreeExpr::Result => {
                let expr = self.expression(target, scope, None);
                match expr.kind {
                    ExprKind::Local(slot) => Some(Target {
                        base: TargetBase::Local(slot),
                        ty: expr.ty,
                        path: Vec::new(),
                        item: expr.ty,
                        span,
                    }),
                    _ => None,
                }
            }
            TreeExpr::Index(base, index) => {
                let mut target = self.target(base, scope)?;
                let (index, item) = self.path_step(target.item, index, scope)?;
                target.path.push(index);
                target.item = item;
                target.span = span;
                Some(target)
            }
            TreeExpr::Paren(inner) => self.target(inner, scope),
            TreeExpr::Bad => None,
            _ => {
                self.diagnostics.push(
                    Diagnostic::error(span, "this can't be assigned")
                        .advice("attributes of the object itself, variables and their items can"),
                );
                None
            }
        }
    }

    fn path_step(
        &mut self,
        base: TyId,
        index: &tree::Expr,
        scope: &mut Scope,
    ) -> Option<(Expr, TyId)> {
        match self.types.get(base).clone() {
            Ty::List { max, item } => Some((self.list_index(index, max, scope), item)),
            Ty::Map { key, value, .. } => Some((self.stored(index, scope, key), value)),
            Ty::Tuple(items) => {
                match index.kind {
                    TreeExpr::Int(at) if (0..items.len() as i64).contains(&at) => {
                        Some((self.expression(index, scope, None), items[at as usize]))
                    }
                    _ => {
                        self.diagnostics
                        .error(index.span, "a tuple's item is named by a literal", "items may be of different types, so that which one must be known: `t[0]`");
                        None
                    }
                }
            }
            Ty::Bad => None,
            _ => {
                let message = format!("{} has no items", self.type_name(base));
                self.diagnostics.error(
                    index.span,
                    message,
                    "only lists, maps and tuples are indexed",
                );
                None
            }
        }
    }
}
