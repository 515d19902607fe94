//! Variables, fields and elements where they are read: AOI and LOI, and the extended operators
//! ABS, UOI, SVR and AAR.
//!
//! - **AOI** (a minus before a value) needs a type known to have a sign. It is not made where
//!   another operator makes the same or nothing changes: before the right side of `+` and `-`
//!   (AOR), before either factor but the first, before a divisor.
//! - **LOI** (`!` before bits) is made before the operands of bitwise operators, where the code
//!   itself says that bits are meant; before `^`'s second operand it would be the same again.
//! - **SVR** and **AAR** need equal types, as they are written, of what is copied when read; at
//!   most [`MOST`] others are tried.

use syn::{Expr, Type, UnOp};

use crate::binaries::{OperandOf, OperandSide, is_number};
use crate::expressions::ExpressionRole;
use crate::mutant::Shape;
use crate::operator::Operator;
use crate::source::shortened;
use crate::type_facts::last_name;
use crate::types::{TypeClass, kind_of_type};
use crate::walk::{Draft, Walker};

/// How many other variables one variable is replaced by.
const MOST: usize = 3;

impl Walker<'_> {
    /// What can be done to a read of a variable, field, element or through a reference.
    pub fn leaf(&mut self, expression: &Expr, role: ExpressionRole) {
        if !role.is_read() || !self.mode.mutates {
            return;
        }
        let is_leaf = match expression {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| name != "self"),
            Expr::Field(_) | Expr::Index(_) => true,
            Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
            _ => false,
        };
        let mut texts: Vec<(Operator, String)> = Vec::new();
        if is_leaf && let Some(ty) = self.type_of(expression) {
            texts.extend(self.by_kind(expression, &ty, role));
            texts.extend(self.by_neighbours(expression, &ty));
        }
        if self.is_complemented(expression, role) {
            texts.push((Operator::Loi, format!("!{}", self.source.flat(expression))));
        }
        let span = self.source.span(expression);
        let old = shortened(&self.source.flat(expression), 60);
        let drafts = texts
            .into_iter()
            .map(|(operator, text)| {
                let summary = format!("replace {old} with {}", shortened(&text, 60));
                Draft::new(operator, span, text, summary)
            })
            .collect();
        self.point(span, Shape::Expression, drafts);
    }

    fn by_kind(
        &self,
        expression: &Expr,
        ty: &Type,
        role: ExpressionRole,
    ) -> Vec<(Operator, String)> {
        let Some(kind) = kind_of_type(ty, self.facts) else {
            return Vec::new();
        };
        let text = self.source.flat(expression);
        let one = if kind == TypeClass::Float { "1.0" } else { "1" };
        let mut texts = Vec::new();
        if kind.has_sign() && takes_minus(role) {
            texts.push((Operator::Aoi, format!("-{text}")));
        }
        if kind.has_sign() {
            let base = if matches!(expression, Expr::Unary(_)) {
                format!("({text})")
            } else {
                text.clone()
            };
            texts.push((Operator::Abs, format!("{base}.abs()")));
            texts.push((Operator::Abs, format!("-{base}.abs()")));
        }
        if kind.is_number() {
            texts.push((Operator::Uoi, format!("({text} + {one})")));
            texts.push((Operator::Uoi, format!("({text} - {one})")));
        }
        texts
    }

    /// Whether `!` shall be put before an operand of a bitwise operator.
    fn is_complemented(&self, expression: &Expr, role: ExpressionRole) -> bool {
        let ExpressionRole::Operand(OperandOf::Arithmetic(letter), side) = role else {
            return false;
        };
        let is_bitwise = match side {
            OperandSide::Left => matches!(letter, '&' | '|' | '^' | 'l' | 'r'),
            OperandSide::Right => matches!(letter, '&' | '|'),
        };
        let is_atom = matches!(
            expression,
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Call(_) | Expr::MethodCall(_)
        );
        let kind = self.kind_of(expression);
        is_bitwise
            && is_atom
            && !is_number(expression)
            && kind.is_none_or(|kind| kind.is_integer() || kind == TypeClass::Other)
    }

    fn by_neighbours(&self, expression: &Expr, ty: &Type) -> Vec<(Operator, String)> {
        if !self.is_copied(ty) {
            return Vec::new();
        }
        match expression {
            Expr::Path(path) => {
                let Some(name) = path.path.get_ident() else {
                    return Vec::new();
                };
                self.variables_like(&name.to_string(), ty)
                    .into_iter()
                    .map(|other| (Operator::Svr, other))
                    .collect()
            }
            Expr::Field(field) => self.fields_like(field, ty),
            Expr::Index(index) => self.elements_like(index),
            _ => Vec::new(),
        }
    }

    /// Whether values of a type are surely copied when read.
    fn is_copied(&self, ty: &Type) -> bool {
        let is_char = last_name(ty).as_deref() == Some("char");
        let is_shared = matches!(ty, Type::Reference(reference) if reference.mutability.is_none());
        let kind = kind_of_type(ty, self.facts);
        is_char || is_shared || kind.is_some_and(|kind| kind.is_number() || kind == TypeClass::Bool)
    }

    /// Other variables of exactly that type.
    fn variables_like(&self, name: &str, ty: &Type) -> Vec<String> {
        let written = self.source.compact(ty);
        if written.is_empty() {
            return Vec::new();
        }
        self.frame
            .scopes
            .known()
            .into_iter()
            .filter(|(other, _)| *other != name)
            .filter(|(_, other)| self.source.compact(*other) == written)
            .map(|(other, _)| other.to_string())
            .take(MOST)
            .collect()
    }

    /// `self.b` for `self.a`.
    fn fields_like(&self, field: &syn::ExprField, ty: &Type) -> Vec<(Operator, String)> {
        let syn::Member::Named(name) = &field.member else {
            return Vec::new();
        };
        let is_self = matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self"));
        let owner = self.owner.self_type.as_ref().and_then(last_name);
        let (true, Some(owner)) = (is_self, owner) else {
            return Vec::new();
        };
        let written = self.source.compact(ty);
        self.facts
            .fields_of(&owner)
            .into_iter()
            .filter(|(other, other_type)| {
                name != other && self.source.compact(*other_type) == written
            })
            .map(|(other, _)| (Operator::Svr, format!("self.{other}")))
            .take(MOST)
            .collect()
    }

    /// `b[i]` and `a[j]` for `a[i]`.
    fn elements_like(&self, index: &syn::ExprIndex) -> Vec<(Operator, String)> {
        let others = |expression: &Expr| match expression {
            Expr::Path(path) => path.path.get_ident().map_or_else(Vec::new, |name| {
                let ty = self.type_of(expression);
                ty.map_or_else(Vec::new, |ty| self.variables_like(&name.to_string(), &ty))
            }),
            _ => Vec::new(),
        };
        let array = self.source.flat(&index.expr);
        let position = self.source.flat(&index.index);
        let arrays = others(&index.expr)
            .into_iter()
            .map(|other| format!("{other}[{position}]"));
        let positions = others(&index.index)
            .into_iter()
            .map(|other| format!("{array}[{other}]"));
        arrays
            .chain(positions)
            .map(|text| (Operator::Aar, text))
            .collect()
    }
}

/// Whether a minus before a value in this role is a mutant of its own.
fn takes_minus(role: ExpressionRole) -> bool {
    match role {
        ExpressionRole::Value => true,
        ExpressionRole::Operand(OperandOf::Relation(_), side) => side == OperandSide::Left,
        ExpressionRole::Operand(OperandOf::Arithmetic(letter), side) => {
            side == OperandSide::Left && matches!(letter, '+' | '-' | '*' | '/' | '%')
        }
        // `x += -y` is `x -= y`.
        ExpressionRole::Operand(OperandOf::Assignment(letter), OperandSide::Right) => {
            matches!(letter, '*' | '/')
        }
        _ => false,
    }
}
