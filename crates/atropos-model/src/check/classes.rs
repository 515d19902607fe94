//! Classes: superclasses, attributes and the heads of methods and actions.

use super::Checker;
use super::Global;
use super::scope::suggestion;
use crate::language::tree::{self, Name};
use crate::language::{Diagnostic, SourceSpan};
use crate::model::code::{CodeEffects, Local};
use crate::model::{Attr, ClassId, Code, CodeId, CodeKind, Stmt, StmtKind, TyId};
use std::collections::HashMap;

/// A class while it is checked.
pub(crate) struct ClassInfo<'t> {
    pub name: Name,
    pub tree: &'t tree::Class,
    pub parent: Option<ClassId>,
    /// The superclass's first.
    pub attributes: Vec<Attr>,
    /// Where each of the class's own attributes is initialised: attribute number and expression.
    pub inits: Vec<(u32, Option<&'t tree::Expr>)>,
    pub codes: HashMap<String, CodeId>,
    pub block: Option<CodeId>,
    pub size: u32,
}

impl<'t> ClassInfo<'t> {
    pub fn new(name: Name, tree: &'t tree::Class) -> ClassInfo<'t> {
        ClassInfo {
            name,
            tree,
            parent: None,
            attributes: Vec::new(),
            inits: Vec::new(),
            codes: HashMap::new(),
            block: None,
            size: 0,
        }
    }
}

impl<'t> Checker<'t> {
    pub(super) fn classes(&mut self) {
        for at in 0..self.classes.len() {
            self.parent(ClassId(at as u32));
        }
        self.reject_cycles();
        for class in self.parents_first() {
            self.attributes_of(class);
        }
        for at in 0..self.classes.len() {
            self.heads(ClassId(at as u32));
        }
    }

    fn parent(&mut self, class: ClassId) {
        let Some(parent) = &self.classes[class.0 as usize].tree.parent else {
            return;
        };
        match self.globals.get(&parent.text) {
            Some(Global::Class(id)) => self.classes[class.0 as usize].parent = Some(*id),
            _ => {
                let advice = self.advice_on_class(&parent.text);
                let message = format!("there is no class `{}`", parent.text);
                self.diagnostics.error(parent.span, message, advice);
            }
        }
    }

    /// What to do where a class is named that there is not.
    pub(super) fn advice_on_class(&self, name: &str) -> String {
        let classes = self.classes.iter().map(|class| class.name.text.as_str());
        suggestion(
            name,
            classes,
            "a class is `Name = system |[ … ]|` under `types`",
        )
    }

    fn reject_cycles(&mut self) {
        for at in 0..self.classes.len() {
            let mut seen = vec![ClassId(at as u32)];
            while let Some(parent) = self.classes[seen[seen.len() - 1].0 as usize].parent {
                if seen.contains(&parent) {
                    let name = self.classes[at].name.clone();
                    self.diagnostics.error(
                        name.span,
                        format!("`{}` is its own superclass", name.text),
                        "take one of the `system (…)` out of the circle",
                    );
                    self.classes[at].parent = None;
                    break;
                }
                seen.push(parent);
            }
        }
    }

    fn parents_first(&self) -> Vec<ClassId> {
        let depth = |mut class: ClassId| {
            let mut depth = 0;
            while let Some(parent) = self.classes[class.0 as usize].parent {
                depth += 1;
                class = parent;
            }
            depth
        };
        let mut order: Vec<ClassId> = (0..self.classes.len())
            .map(|at| ClassId(at as u32))
            .collect();
        order.sort_by_key(|class| depth(*class));
        order
    }

    fn attributes_of(&mut self, class: ClassId) {
        let at = class.0 as usize;
        let tree = self.classes[at].tree;
        if let Some(parent) = self.classes[at].parent {
            self.classes[at].attributes = self.classes[parent.0 as usize].attributes.clone();
            self.classes[at].size = self.classes[parent.0 as usize].size;
        }
        for attribute in &tree.attributes {
            let ty = self.resolve_type(&attribute.ty);
            for name in &attribute.names {
                if self.classes[at]
                    .attributes
                    .iter()
                    .any(|known| known.name == name.text)
                {
                    self.diagnostics.error(
                        name.span,
                        format!("the attribute `{}` exists already", name.text),
                        "a class also has the attributes of its superclass; rename this one",
                    );
                    continue;
                }
                let offset = self.classes[at].size;
                self.classes[at].size = offset.saturating_add(self.types.size(ty));
                let number = self.classes[at].attributes.len() as u32;
                self.classes[at].attributes.push(Attr {
                    name: name.text.clone(),
                    ty,
                    offset,
                });
                self.classes[at]
                    .inits
                    .push((number, attribute.init.as_ref()));
            }
        }
    }

    fn heads(&mut self, class: ClassId) {
        let tree = self.classes[class.0 as usize].tree;
        for method in &tree.methods {
            let result = method.result.as_ref().map(|ty| self.resolve_type(ty));
            self.head(
                class,
                &method.name,
                CodeKind::Method,
                &method.params,
                result,
                method.span,
            );
        }
        for action in &tree.actions {
            self.head(
                class,
                &action.name,
                CodeKind::Action(action.kind),
                &action.params,
                None,
                action.span,
            );
        }
        if let Some(block) = &tree.block {
            let span = block.as_ref().map_or(tree.span, |block| block.span);
            let id = self.push_code("do", class, CodeKind::Block, Vec::new(), None, span);
            self.classes[class.0 as usize].block = Some(id);
        }
    }

    fn head(
        &mut self,
        class: ClassId,
        name: &Name,
        kind: CodeKind,
        params: &[tree::Param],
        result: Option<TyId>,
        span: SourceSpan,
    ) {
        let mut locals: Vec<Local> = Vec::new();
        for param in params {
            if locals.iter().any(|known| known.name == param.name.text) {
                let message = format!("the parameter `{}` is listed twice", param.name.text);
                let advice = "every parameter has a name of its own";
                self.diagnostics.error(param.name.span, message, advice);
            }
            let ty = self.resolve_type(&param.ty);
            locals.push(Local {
                name: param.name.text.clone(),
                ty,
            });
        }
        let id = self.push_code(&name.text, class, kind, locals, result, span);
        let info = &mut self.classes[class.0 as usize];
        let attribute = info
            .attributes
            .iter()
            .any(|attribute| attribute.name == name.text);
        if attribute || info.codes.insert(name.text.clone(), id).is_some() {
            self.diagnostics.push(
                Diagnostic::error(
                    name.span,
                    format!("`{}` exists already in this class", name.text),
                )
                .advice("attributes, methods and actions of a class share one set of names"),
            );
        }
    }

    fn push_code(
        &mut self,
        name: &str,
        class: ClassId,
        kind: CodeKind,
        mut locals: Vec<Local>,
        result: Option<TyId>,
        span: SourceSpan,
    ) -> CodeId {
        let id = CodeId(self.codes.len() as u32);
        let params = locals.len();
        let result = result.map(|ty| {
            locals.push(Local {
                name: "result".into(),
                ty,
            });
            params as u32
        });
        self.codes.push(Code {
            name: name.to_string(),
            class,
            kind,
            params,
            locals,
            result,
            body: Stmt {
                kind: StmtKind::Skip,
                span,
            },
            span,
            names_object: false,
            effects: CodeEffects::default(),
        });
        id
    }

    /// The attribute's number and type, own or inherited.
    pub(super) fn find_attribute(&self, class: ClassId, name: &str) -> Option<(u32, TyId)> {
        let attributes = &self.classes[class.0 as usize].attributes;
        attributes
            .iter()
            .position(|attribute| attribute.name == name)
            .map(|at| (at as u32, attributes[at].ty))
    }

    pub(super) fn attribute_names(&self, class: ClassId) -> Vec<String> {
        self.classes[class.0 as usize]
            .attributes
            .iter()
            .map(|attribute| attribute.name.clone())
            .collect()
    }

    /// The method or action with this name, nearest class first: calls are bound when checked.
    pub(super) fn find_code(&self, class: ClassId, name: &str) -> Option<CodeId> {
        let mut at = Some(class);
        while let Some(id) = at {
            let info = &self.classes[id.0 as usize];
            if let Some(code) = info.codes.get(name) {
                return Some(*code);
            }
            at = info.parent;
        }
        None
    }

    pub(super) fn code_names(&self, class: ClassId) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = Some(class);
        while let Some(id) = at {
            let info = &self.classes[id.0 as usize];
            names.extend(info.codes.keys().cloned());
            at = info.parent;
        }
        names.sort();
        names
    }
}
