//! Guesses at the types of expressions, from what is written nearby: parameters, annotated `let`s,
//! fields, suffixes, casts, signatures of the same file. A guess is either right or absent, as far
//! as names in one file can tell; rustc has the last word.

use std::collections::HashMap;

use syn::{BinOp, Expr, Lit, Member, Pat, Type, UnOp};

use crate::type_facts::{TypeFacts, bound_names, last_name};
use crate::walk::Walker;

/// What matters of a type when operators are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeClass {
    Signed,
    Unsigned,
    Float,
    Bool,
    /// Strings and string slices.
    Text,
    /// Known, and none of the above.
    Other,
}

impl TypeClass {
    pub fn is_number(self) -> bool {
        matches!(
            self,
            TypeClass::Signed | TypeClass::Unsigned | TypeClass::Float
        )
    }

    pub fn is_integer(self) -> bool {
        matches!(self, TypeClass::Signed | TypeClass::Unsigned)
    }

    /// Whether unary minus works.
    pub fn has_sign(self) -> bool {
        matches!(self, TypeClass::Signed | TypeClass::Float)
    }

    pub fn of_name(name: &str) -> Option<TypeClass> {
        Some(match name {
            "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => TypeClass::Signed,
            "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => TypeClass::Unsigned,
            "f32" | "f64" => TypeClass::Float,
            "bool" => TypeClass::Bool,
            "str" | "String" => TypeClass::Text,
            _ => return None,
        })
    }
}

/// The variables of a function and what is known of their types.
#[derive(Default)]
pub(crate) struct Scopes {
    scopes: Vec<HashMap<String, Option<Type>>>,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub fn leave(&mut self) {
        self.scopes.pop();
    }

    /// Binds the names of a pattern that is matched against a value of the given type.
    pub fn bind(&mut self, pattern: &Pat, ty: Option<&Type>) {
        match pattern {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                self.declare(ident.ident.to_string(), ty.cloned());
            }
            Pat::Type(typed) => self.bind(&typed.pat, Some(&typed.ty)),
            Pat::Paren(inner) => self.bind(&inner.pat, ty),
            Pat::Reference(reference) => match ty {
                Some(Type::Reference(referred)) => self.bind(&reference.pat, Some(&referred.elem)),
                _ => self.bind(&reference.pat, None),
            },
            Pat::Tuple(tuple) => match ty {
                Some(Type::Tuple(types)) if types.elems.len() == tuple.elems.len() => {
                    for (pattern, ty) in tuple.elems.iter().zip(&types.elems) {
                        self.bind(pattern, Some(ty));
                    }
                }
                _ => self.forget(pattern),
            },
            _ => self.forget(pattern),
        }
    }

    fn forget(&mut self, pattern: &Pat) {
        for name in bound_names(pattern) {
            self.declare(name, None);
        }
    }

    fn declare(&mut self, name: String, ty: Option<Type>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, ty);
        }
    }

    /// `None` if there is no such variable, `Some(None)` if its type is not known.
    pub fn find(&self, name: &str) -> Option<Option<&Type>> {
        let scope = self.scopes.iter().rev().find(|s| s.contains_key(name))?;
        Some(scope[name].as_ref())
    }

    /// All variables with a known type that are not shadowed, by name.
    pub fn known(&self) -> Vec<(&str, &Type)> {
        let mut known: Vec<(&str, &Type)> = Vec::new();
        for (depth, scope) in self.scopes.iter().enumerate() {
            let is_shadowed = |name: &String| {
                self.scopes[depth + 1..]
                    .iter()
                    .any(|s| s.contains_key(name))
            };
            known.extend(
                scope
                    .iter()
                    .filter(|(name, _)| !is_shadowed(name))
                    .filter_map(|(name, ty)| Some((name.as_str(), ty.as_ref()?))),
            );
        }
        known.sort_by_key(|(name, _)| *name);
        known
    }
}

/// The kind of a type as it is written; aliases of the file are looked through.
pub(crate) fn kind_of_type(ty: &Type, facts: &TypeFacts) -> Option<TypeClass> {
    match ty {
        Type::Path(path) if path.qself.is_none() => {
            let name = path.path.get_ident().map(ToString::to_string);
            let known = name.as_deref().and_then(TypeClass::of_name);
            if known.is_some() {
                return known;
            }
            let last = last_name(ty)?;
            if let Some((_, target)) = facts.alias(&last)
                && last_name(target).as_ref() != Some(&last)
            {
                return kind_of_type(target, facts);
            }
            facts.is_defined(&last).then_some(TypeClass::Other)
        }
        Type::Paren(inner) => kind_of_type(&inner.elem, facts),
        Type::Group(inner) => kind_of_type(&inner.elem, facts),
        Type::Tuple(_) | Type::Array(_) | Type::Slice(_) | Type::Ptr(_) => Some(TypeClass::Other),
        _ => None,
    }
}

/// Operands are looked into this far: what a long chain of operators says, its end says too.
const DEPTH: usize = 8;

fn named(name: &str) -> Option<Type> {
    if name.is_empty() {
        return None;
    }
    syn::parse_str(name).ok()
}

impl Walker<'_> {
    /// The kind of an expression's value; references are looked through only for text.
    pub fn kind_of(&self, expression: &Expr) -> Option<TypeClass> {
        self.kind_within(expression, DEPTH)
    }

    fn kind_within(&self, expression: &Expr, depth: usize) -> Option<TypeClass> {
        let depth = depth.checked_sub(1)?;
        match expression {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(int) if int.suffix().is_empty() => None,
                Lit::Float(_) => Some(TypeClass::Float),
                Lit::Str(_) => Some(TypeClass::Text),
                _ => self.kind_of_known(expression),
            },
            Expr::Macro(mac) if mac.mac.path.is_ident("format") => Some(TypeClass::Text),
            Expr::Reference(reference) => self
                .kind_within(&reference.expr, depth)
                .filter(|kind| *kind == TypeClass::Text),
            Expr::Binary(binary) if is_arithmetic(&binary.op) => self
                .kind_within(&binary.left, depth)
                .or_else(|| self.kind_within(&binary.right, depth)),
            _ => self.kind_of_known(expression),
        }
    }

    fn kind_of_known(&self, expression: &Expr) -> Option<TypeClass> {
        let ty = self.type_of(expression)?;
        match &ty {
            Type::Reference(reference) => {
                kind_of_type(&reference.elem, self.facts).filter(|kind| *kind == TypeClass::Text)
            }
            _ => kind_of_type(&ty, self.facts),
        }
    }

    /// The type of an expression, if it is written somewhere near.
    pub fn type_of(&self, expression: &Expr) -> Option<Type> {
        self.type_within(expression, DEPTH)
    }

    fn type_within(&self, expression: &Expr, depth: usize) -> Option<Type> {
        let depth = depth.checked_sub(1)?;
        match expression {
            Expr::Paren(inner) => self.type_within(&inner.expr, depth),
            Expr::Group(inner) => self.type_within(&inner.expr, depth),
            Expr::Cast(cast) => Some((*cast.ty).clone()),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(int) => named(int.suffix()),
                Lit::Float(float) => named(float.suffix()),
                Lit::Bool(_) => named("bool"),
                Lit::Char(_) => named("char"),
                _ => None,
            },
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                match self.frame.scopes.find(&name) {
                    Some(ty) => ty.cloned(),
                    None => self.facts.value(&name).cloned(),
                }
            }
            Expr::Field(field) => {
                let owner = self
                    .type_within(&field.base, depth)
                    .or_else(|| self.type_of_self(&field.base))?;
                let owner = match &owner {
                    Type::Reference(reference) => &reference.elem,
                    other => other,
                };
                if let (Type::Tuple(tuple), Member::Unnamed(index)) = (owner, &field.member) {
                    return tuple.elems.get(index.index as usize).cloned();
                }
                let name = match &field.member {
                    Member::Named(name) => name.to_string(),
                    Member::Unnamed(index) => index.index.to_string(),
                };
                let ty = self.facts.field(&last_name(owner)?, &name)?;
                self.is_meaningful(ty).then(|| ty.clone())
            }
            Expr::Unary(unary) => match (&unary.op, self.type_within(&unary.expr, depth)?) {
                (UnOp::Deref(_), Type::Reference(reference)) => Some((*reference.elem).clone()),
                (UnOp::Deref(_), _) => None,
                (_, ty) => Some(ty),
            },
            Expr::Binary(binary) if is_arithmetic(&binary.op) => self
                .number_within(&binary.left, depth)
                .or_else(|| self.number_within(&binary.right, depth)),
            Expr::Binary(binary) if is_comparison(&binary.op) => named("bool"),
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {
                named("bool")
            }
            Expr::Index(index) => match self.type_within(&index.expr, depth)? {
                _ if matches!(*index.index, Expr::Range(_)) => None,
                Type::Array(array) => Some((*array.elem).clone()),
                Type::Slice(slice) => Some((*slice.elem).clone()),
                Type::Reference(reference) => element_type(&reference.elem),
                other => element_type(&other),
            },
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else {
                    return None;
                };
                let name = path.path.get_ident()?.to_string();
                self.facts.function(&name)?.output.clone()
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                match name.as_str() {
                    "len" | "capacity" | "count" if call.args.is_empty() => named("usize"),
                    "is_empty" | "is_some" | "is_none" | "is_ok" | "is_err" => named("bool"),
                    "abs" | "pow" | "powi" | "powf" | "sqrt" | "wrapping_add" | "wrapping_sub"
                    | "wrapping_mul" | "saturating_add" | "saturating_sub" | "saturating_mul"
                    | "rotate_left" | "rotate_right" | "rem_euclid" => {
                        self.number_within(&call.receiver, depth)
                    }
                    "count_ones" | "leading_zeros" | "trailing_zeros" => named("u32"),
                    _ if matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self")) => {
                        self.facts.method(&name)?.output.clone()
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The type of what a loop over a range counts.
    pub fn type_of_items(&self, iterated: &Expr) -> Option<Type> {
        match iterated {
            Expr::Paren(inner) => self.type_of_items(&inner.expr),
            Expr::Range(range) => [&range.start, &range.end]
                .into_iter()
                .flatten()
                .find_map(|end| self.number_type(end)),
            Expr::MethodCall(call) if call.method == "rev" || call.method == "step_by" => {
                self.type_of_items(&call.receiver)
            }
            _ => None,
        }
    }

    fn number_type(&self, expression: &Expr) -> Option<Type> {
        self.number_within(expression, DEPTH)
    }

    fn number_within(&self, expression: &Expr, depth: usize) -> Option<Type> {
        let ty = self.type_within(expression, depth)?;
        kind_of_type(&ty, self.facts)
            .is_some_and(TypeClass::is_number)
            .then_some(ty)
    }

    fn type_of_self(&self, expression: &Expr) -> Option<Type> {
        match expression {
            Expr::Path(path) if path.path.is_ident("self") => self.owner.self_type.clone(),
            Expr::Paren(inner) => self.type_of_self(&inner.expr),
            _ => None,
        }
    }

    /// Whether a field's type can be understood here: it mentions no type parameter of its struct.
    fn is_meaningful(&self, ty: &Type) -> bool {
        match ty {
            Type::Path(path) => match path.path.segments.last().map(|last| &last.arguments) {
                Some(syn::PathArguments::None) => kind_of_type(ty, self.facts).is_some(),
                _ => element_type(ty).is_some_and(|element| self.is_meaningful(&element)),
            },
            Type::Array(array) => self.is_meaningful(&array.elem),
            Type::Slice(slice) => self.is_meaningful(&slice.elem),
            Type::Reference(reference) => self.is_meaningful(&reference.elem),
            _ => false,
        }
    }
}

/// The element type of `[T; n]`, `[T]` and `Vec<T>`.
fn element_type(ty: &Type) -> Option<Type> {
    match ty {
        Type::Array(array) => Some((*array.elem).clone()),
        Type::Slice(slice) => Some((*slice.elem).clone()),
        Type::Path(path) => {
            let segment = path.path.segments.last()?;
            let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                return None;
            };
            match arguments.args.first()? {
                syn::GenericArgument::Type(element) if segment.ident == "Vec" => {
                    Some(element.clone())
                }
                _ => None,
            }
        }
        _ => None,
    }
}

pub(crate) fn is_arithmetic(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Add(_)
            | BinOp::Sub(_)
            | BinOp::Mul(_)
            | BinOp::Div(_)
            | BinOp::Rem(_)
            | BinOp::BitAnd(_)
            | BinOp::BitOr(_)
            | BinOp::BitXor(_)
            | BinOp::Shl(_)
            | BinOp::Shr(_)
    )
}

pub(crate) fn is_comparison(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}
