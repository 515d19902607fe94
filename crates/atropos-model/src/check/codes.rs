//! Bodies of methods, actions and blocks.

use super::Checker;
use super::scope::Scope;
use crate::language::tree::{self, ActionKind, Name};
use crate::model::{ClassId, CodeId, CodeKind, Stmt, StmtKind, Target, TargetBase};

impl Checker<'_> {
    pub(super) fn bodies(&mut self) {
        for at in 0..self.classes.len() {
            let class = ClassId(at as u32);
            let tree = self.classes[at].tree;
            for method in &tree.methods {
                if let Some(id) = self.own_code(class, &method.name) {
                    self.body(id, &method.locals, &method.body);
                }
            }
            for action in &tree.actions {
                if let Some(id) = self.own_code(class, &action.name) {
                    self.body(id, &action.locals, &action.body);
                }
            }
            if let (Some(id), Some(Some(block))) = (self.classes[at].block, &tree.block) {
                self.body(id, &[], block);
            }
        }
    }

    fn own_code(&self, class: ClassId, name: &Name) -> Option<CodeId> {
        self.classes[class.0 as usize]
            .codes
            .get(&name.text)
            .copied()
    }

    fn body(&mut self, id: CodeId, locals: &[tree::Attribute], body: &tree::Stmt) {
        let code = &self.codes[id.0 as usize];
        let (kind, span, class) = (code.kind, code.span, code.class);
        let mut scope = Scope::code(class);
        for (at, local) in code.locals.clone().into_iter().enumerate() {
            if Some(at as u32) == code.result {
                scope.result = Some(scope.add_hidden(&local.name, local.ty));
            } else {
                scope.add(&local.name, local.ty);
            }
        }
        let mut statements = Vec::new();
        let visible = matches!(
            kind,
            CodeKind::Action(ActionKind::Observable | ActionKind::Controllable)
        );
        if visible {
            statements.push(Stmt {
                kind: StmtKind::Emit,
                span,
            });
        }
        self.local_variables(locals, &mut scope, &mut statements);
        statements.push(self.statement(body, &mut scope));
        let body = match statements.len() {
            1 => statements.remove(0),
            _ => Stmt {
                kind: StmtKind::Seq(statements),
                span,
            },
        };
        let code = &mut self.codes[id.0 as usize];
        code.locals = scope.locals;
        code.body = body;
    }

    fn local_variables(
        &mut self,
        locals: &[tree::Attribute],
        scope: &mut Scope,
        statements: &mut Vec<Stmt>,
    ) {
        for local in locals {
            let ty = self.resolve_type(&local.ty);
            for name in &local.names {
                if scope.find(&name.text).is_some() {
                    self.diagnostics.error(
                        name.span,
                        format!("`{}` exists already here", name.text),
                        "parameters and local variables share one set of names; rename one",
                    );
                }
                let value = local.init.as_ref().map(|init| self.stored(init, scope, ty));
                let slot = scope.add(&name.text, ty);
                let Some(value) = value else { continue };
                let base = TargetBase::Local(slot);
                let target = Target {
                    base,
                    ty,
                    path: Vec::new(),
                    item: ty,
                    span: name.span,
                };
                let span = name.span.to(value.span);
                let kind = StmtKind::Assign {
                    targets: vec![target],
                    values: vec![value],
                    with: None,
                };
                statements.push(Stmt { kind, span });
            }
        }
    }
}
