//! Tree in, lowered model out: names, types with bounds, effects, objects. Reports everything it finds.

mod assignable;
mod classes;
mod codes;
mod effects;
mod expressions;
mod objects;
mod operators;
mod ranks;
mod scope;
mod statements;
mod types;

pub(crate) use expressions::UNDECLARED;

use crate::language::tree;
use crate::language::{Diagnostic, Diagnostics, parse};
use crate::model::visit;
use crate::model::{Code, CodeKind, Enumeration, Model, Ty, TyId, TypeTable, Value};
use crate::mutation::{self, Woven};
use classes::ClassInfo;
use std::collections::HashMap;

/// Parses and checks a model's text; the diagnostics may hold warnings beside a model.
pub fn check(text: &str) -> (Option<Model>, Diagnostics) {
    let (model, diagnostics) = check_alone(text);
    (model.map(mutation::insert_points), diagnostics)
}

/// The same for a text that was translated from a chart, whose mutants are the chart's.
pub fn check_woven(text: &str, woven: &Woven) -> (Option<Model>, Diagnostics) {
    let (model, diagnostics) = check_alone(text);
    let with_mutants = |model| mutation::insert_woven_points(model, woven);
    (model.map(with_mutants), diagnostics)
}

/// A model without mutants.
fn check_alone(text: &str) -> (Option<Model>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let tree = parse(text, &mut diagnostics);
    let mut checker = Checker::new(&tree, diagnostics);
    checker.declare();
    checker.classes();
    checker.bodies();
    checker.effects();
    let model = checker.finish(text);
    let mut diagnostics = checker.diagnostics;
    if let Some(model) = &model {
        warn_of_uncalled_actions(model, &mut diagnostics);
    }
    match model {
        Some(model) if !diagnostics.has_errors() => (Some(model), diagnostics),
        _ => (None, diagnostics),
    }
}

/// An action that nothing calls never happens.
fn warn_of_uncalled_actions(model: &Model, diagnostics: &mut Diagnostics) {
    let mut called = vec![false; model.codes.len()];
    for code in &model.codes {
        visit::calls(&code.body, &mut |call| called[call.code.0 as usize] = true);
    }
    for (code, called) in model.codes.iter().zip(called) {
        if matches!(code.kind, CodeKind::Action(_)) && !called {
            let message = format!(
                "the action `{}` is never called, so that it never happens",
                code.name
            );
            let advice = "call it in the do-od block, or remove it";
            diagnostics.push(Diagnostic::warning(code.span, message).advice(advice));
        }
    }
}

/// Like [`check`], for callers that want a model or the reasons why there is none.
///
/// # Errors
/// The findings.
pub fn load(text: &str) -> Result<Model, Diagnostics> {
    match check(text) {
        (Some(model), _) => Ok(model),
        (None, diagnostics) => Err(diagnostics),
    }
}

/// What a name at the model's level stands for.
#[derive(Clone, Debug)]
pub(crate) enum Global {
    Const(Value, TyId),
    Type(TyId),
    Class(crate::model::ClassId),
    /// A type definition not looked at yet.
    Waiting(usize),
    /// Being looked at: start it again is a cycle.
    Open,
}

pub(crate) struct Checker<'t> {
    pub tree: &'t tree::Model,
    pub diagnostics: Diagnostics,
    pub types: TypeTable,
    pub enums: Vec<Enumeration>,
    pub globals: HashMap<String, Global>,
    /// Per value's name the enumerations that have it, and its position there.
    pub literals: HashMap<String, Vec<(u32, i64)>>,
    pub classes: Vec<ClassInfo<'t>>,
    pub codes: Vec<Code>,
    pub statements: usize,
    pub bool_ty: TyId,
    pub bad_ty: TyId,
    pub nil_ty: TyId,
}

impl<'t> Checker<'t> {
    fn new(tree: &'t tree::Model, diagnostics: Diagnostics) -> Checker<'t> {
        let mut types = TypeTable::default();
        let bool_ty = types.intern(Ty::Bool);
        let bad_ty = types.intern(Ty::Bad);
        let nil_ty = types.intern(Ty::Nil);
        Checker {
            tree,
            diagnostics,
            types,
            enums: Vec::new(),
            globals: HashMap::new(),
            literals: HashMap::new(),
            classes: Vec::new(),
            codes: Vec::new(),
            statements: 0,
            bool_ty,
            bad_ty,
            nil_ty,
        }
    }
}
