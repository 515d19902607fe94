//! What is counted about a model's text: objects, statements, attributes, controllables and mutants.
//!
//! Statements are guarded commands, assignments, calls, `skip` and `abort`; attributes are declared class-level variables (so that the one class
//! that holds all objects of a network has at least one per object); controllables are `ctr` actions.

use crate::language::tree::{Class, ExprKind, Model, Stmt, StmtKind, TypeBody};

/// The counts of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Objects made by `autocons` and by `new` in classes with `autocons`.
    pub objects: usize,
    /// Statements of all classes.
    pub statements: usize,
    /// Declared attributes of all classes.
    pub attributes: usize,
    /// `ctr` actions.
    pub controllables: usize,
    /// Mutants, if the text was checked.
    pub mutants: usize,
}

/// Counts a parsed model.
pub fn count(model: &Model) -> Counts {
    let mut counts = Counts::default();
    for definition in &model.types {
        if let TypeBody::Class(class) = &definition.body {
            counts.class(class);
        }
    }
    counts
}

impl Counts {
    fn class(&mut self, class: &Class) {
        use crate::language::tree::ActionKind;
        self.objects += usize::from(class.autocons);
        for attribute in &class.attributes {
            self.attributes += attribute.names.len();
            if let Some(value) = &attribute.init {
                let made = matches!(value.kind, ExprKind::New { .. });
                self.objects += usize::from(made && class.autocons) * attribute.names.len();
            }
        }
        for method in &class.methods {
            self.statement(&method.body);
        }
        for action in &class.actions {
            self.controllables += usize::from(action.kind == ActionKind::Controllable);
            self.statement(&action.body);
        }
        if let Some(Some(block)) = &class.block {
            self.statement(block);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Prio(parts) | StmtKind::Choice(parts) | StmtKind::Seq(parts) => {
                parts.iter().for_each(|part| self.statement(part));
            }
            StmtKind::Project { body, .. } | StmtKind::Paren(body) => self.statement(body),
            StmtKind::Guard { body, .. } => {
                self.statements += 1;
                body.iter().for_each(|body| self.statement(body));
            }
            StmtKind::Assign { .. } | StmtKind::Call(_) | StmtKind::Skip | StmtKind::Abort => {
                self.statements += 1;
            }
            StmtKind::Bad => {}
        }
    }
}
