//! Global names and types.

use super::classes::ClassInfo;
use super::scope::Scope;
use super::scope::suggestion;
use super::{Checker, Global};
use crate::language::lexer::FIXED_ONE;
use crate::language::tree::{self, BoundKind, TypeBody, TypeExpr, TypeKind};
use crate::language::{Diagnostic, SourceSpan};
use crate::model::types::MAX_LENGTH;
use crate::model::{ClassId, Enumeration, Ty, TyId};

/// A type larger than this can't be part of a state.
const MAX_SIZE: u32 = 64 << 20;

impl<'t> Checker<'t> {
    /// Declares constants, types and classes.
    pub(super) fn declare(&mut self) {
        let tree = self.tree;
        for (at, definition) in tree.types.iter().enumerate() {
            let global = match &definition.body {
                TypeBody::Type(_) => Global::Waiting(at),
                TypeBody::Class(class) => {
                    let id = ClassId(self.classes.len() as u32);
                    self.classes
                        .push(ClassInfo::new(definition.name.clone(), class));
                    Global::Class(id)
                }
            };
            self.declare_global(&definition.name, global);
        }
        // Enumerations first: constants may name their values.
        for definition in &tree.types {
            if let TypeBody::Type(TypeExpr {
                kind: TypeKind::Enum(_),
                ..
            }) = &definition.body
            {
                self.named_type(&definition.name.text, definition.name.span);
            }
        }
        for constant in &tree.consts {
            let expr = self.expression(&constant.value, &mut Scope::constant(), None);
            if expr.ty == self.bad_ty {
                self.declare_global(&constant.name, Global::Open);
                continue;
            }
            match self.constant_value(&expr) {
                Ok(value) => {
                    let ty = self.type_of_constant(&value, expr.ty);
                    self.declare_global(&constant.name, Global::Const(value, ty));
                }
                Err((span, message, advice)) => {
                    self.diagnostics.error(span, message, advice);
                    self.declare_global(&constant.name, Global::Open);
                }
            }
        }
        for definition in &tree.types {
            if matches!(definition.body, TypeBody::Type(_)) {
                self.named_type(&definition.name.text, definition.name.span);
            }
        }
    }

    /// A constant number has itself as range.
    fn type_of_constant(&mut self, value: &crate::model::Value, ty: TyId) -> TyId {
        let number = value.scalar();
        match self.types.get(ty) {
            Ty::Int { .. } => self.types.intern(Ty::Int {
                low: number,
                high: number,
            }),
            Ty::Fixed { .. } => self.types.intern(Ty::Fixed {
                low: number,
                high: number,
            }),
            _ => ty,
        }
    }

    fn declare_global(&mut self, name: &tree::Name, global: Global) {
        if self.globals.contains_key(&name.text) {
            self.diagnostics.push(
                Diagnostic::error(name.span, format!("`{}` is already defined", name.text))
                    .advice("constants, types and classes share one set of names"),
            );
            return;
        }
        self.globals.insert(name.text.clone(), global);
    }

    pub(super) fn named_type(&mut self, name: &str, span: SourceSpan) -> TyId {
        match self.globals.get(name).cloned() {
            Some(Global::Type(ty)) => ty,
            Some(Global::Class(class)) => self.types.intern(Ty::Ref(class)),
            Some(Global::Waiting(at)) => {
                let TypeBody::Type(definition) = &self.tree.types[at].body else {
                    return self.bad_ty;
                };
                self.globals.insert(name.to_string(), Global::Open);
                let ty = match &definition.kind {
                    TypeKind::Enum(items) => self.enumeration(name, items),
                    _ => self.resolve_type(definition),
                };
                self.globals.insert(name.to_string(), Global::Type(ty));
                ty
            }
            Some(Global::Open) => {
                self.diagnostics
                    .error(span, format!("the type `{name}` is defined by itself"), "a type is made of types defined without it; a reference to an object of a class may be nested");
                self.bad_ty
            }
            Some(Global::Const(..)) => {
                self.diagnostics.error(
                    span,
                    format!("`{name}` is a constant, not a type"),
                    "a constant can bound a type: `int[0..NAME]`",
                );
                self.bad_ty
            }
            None => {
                let known = self.globals.keys().map(String::as_str);
                let advice = suggestion(name, known, "define it under `types`");
                let message = format!("there is no type or class `{name}`");
                self.diagnostics.error(span, message, advice);
                self.bad_ty
            }
        }
    }

    fn enumeration(&mut self, name: &str, items: &[(tree::Name, Option<i64>)]) -> TyId {
        let mut values: Vec<(String, i64)> = Vec::new();
        let mut next = 0;
        for (item, number) in items {
            let number = number.unwrap_or(next);
            next = number.saturating_add(1);
            if values.iter().any(|(known, _)| *known == item.text) {
                self.diagnostics.error(
                    item.span,
                    format!("the value `{}` is listed twice", item.text),
                    "every value of an enumeration has a name of its own",
                );
            } else if let Some((other, _)) = values.iter().find(|(_, known)| *known == number) {
                let message = format!(
                    "`{}` has the number {number}, which `{other}` has already",
                    item.text
                );
                let advice =
                    "values without a number get the next one; number this one differently";
                self.diagnostics.error(item.span, message, advice);
            }
            values.push((item.text.clone(), number));
        }
        let id = self.types.add_enum(values.len() as u32);
        for (at, (value, _)) in values.iter().enumerate() {
            self.literals
                .entry(value.clone())
                .or_default()
                .push((id, at as i64));
        }
        self.enums.push(Enumeration {
            name: name.to_string(),
            values,
        });
        self.types.intern(Ty::Enum(id))
    }

    pub(super) fn resolve_type(&mut self, ty: &TypeExpr) -> TyId {
        let resolved = match &ty.kind {
            TypeKind::Bool => Ty::Bool,
            TypeKind::Int(low, high) => {
                let (low, high) = self.bounds(low, high, ty.span);
                Ty::Int { low, high }
            }
            TypeKind::Float(low, high) => {
                let (low, high) = self.bounds(low, high, ty.span);
                Ty::Fixed {
                    low: low.saturating_mul(FIXED_ONE),
                    high: high.saturating_mul(FIXED_ONE),
                }
            }
            TypeKind::Enum(items) => return self.enumeration("", items),
            TypeKind::List(length, item) => {
                let max = self.length(length);
                Ty::List {
                    max,
                    item: self.resolve_type(item),
                }
            }
            TypeKind::Map(length, key, value) => {
                let max = self.length(length);
                Ty::Map {
                    max,
                    key: self.resolve_type(key),
                    value: self.resolve_type(value),
                }
            }
            TypeKind::Tuple(items) => {
                Ty::Tuple(items.iter().map(|item| self.resolve_type(item)).collect())
            }
            TypeKind::Named(name) => return self.named_type(name, ty.span),
            TypeKind::Bad => Ty::Bad,
        };
        let resolved = self.types.intern(resolved);
        if self.types.size(resolved) > MAX_SIZE {
            let message = format!(
                "a value of this type takes {} bytes",
                self.types.size(resolved)
            );
            self.diagnostics.push(
                Diagnostic::error(ty.span, message)
                    .advice(format!("{MAX_SIZE} are the most; use smaller bounds")),
            );
            return self.bad_ty;
        }
        resolved
    }

    fn bounds(&mut self, low: &tree::Bound, high: &tree::Bound, span: SourceSpan) -> (i64, i64) {
        let (least, most) = (self.bound(low), self.bound(high));
        if least > most {
            self.diagnostics.push(
                Diagnostic::error(span, format!("the range {least}..{most} is empty"))
                    .advice("the smaller bound comes first"),
            );
            return (least, least);
        }
        (least, most)
    }

    fn bound(&mut self, bound: &tree::Bound) -> i64 {
        let (name, negated) = match &bound.kind {
            BoundKind::Number(value) => return *value,
            BoundKind::Const { name, negated } => (name, *negated),
        };
        match self.globals.get(name).cloned() {
            Some(Global::Const(value, ty)) if matches!(self.types.get(ty), Ty::Int { .. }) => {
                if negated {
                    value.scalar().saturating_neg()
                } else {
                    value.scalar()
                }
            }
            Some(Global::Open) => 0,
            Some(_) => {
                self.diagnostics.error(
                    bound.span,
                    format!("`{name}` is not a whole-number constant"),
                    "bounds of types are whole numbers or names of such from `consts`",
                );
                0
            }
            None => {
                self.diagnostics.push(
                    Diagnostic::error(bound.span, format!("there is no constant `{name}`"))
                        .advice("bounds of types are numbers or names from `consts`"),
                );
                0
            }
        }
    }

    fn length(&mut self, bound: &tree::Bound) -> u32 {
        let length = self.bound(bound);
        if !(0..=MAX_LENGTH).contains(&length) {
            self.diagnostics.push(
                Diagnostic::error(
                    bound.span,
                    format!("{length} is no length for a list or map"),
                )
                .advice(format!("lengths are 0 to {MAX_LENGTH}")),
            );
            return 0;
        }
        length as u32
    }

    /// A type as messages name it.
    pub(super) fn type_name(&self, ty: TyId) -> String {
        match self.types.get(ty) {
            Ty::Bool => "bool".into(),
            Ty::Int { low: i64::MIN, .. } | Ty::Int { high: i64::MAX, .. } => "int".into(),
            Ty::Int { low, high } => format!("int[{low}..{high}]"),
            Ty::Fixed { low, high } => format!("float[{}..{}]", low / FIXED_ONE, high / FIXED_ONE),
            Ty::Enum(id) => match self.enums[*id as usize].name.as_str() {
                "" => "an enumeration".into(),
                name => name.into(),
            },
            Ty::List { max, item } => format!("list[{max}] of {}", self.type_name(*item)),
            Ty::Map { max, key, value } => {
                format!(
                    "map[{max}] {} to {}",
                    self.type_name(*key),
                    self.type_name(*value)
                )
            }
            Ty::Tuple(items) => {
                format!(
                    "({})",
                    items
                        .iter()
                        .map(|item| self.type_name(*item))
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
            Ty::Ref(class) => self.classes[class.0 as usize].name.text.clone(),
            Ty::Nil => "nil".into(),
            Ty::Bad => "?".into(),
        }
    }
}
