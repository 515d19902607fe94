//! Types to values: for a return type, expressions of that type that a test should tell from what
//! the function really returns.
//!
//! Values name the types as the function's own signature does, so that they mean the same here, in
//! any edition and without std. Nested values are few: a list of numbers is empty, or holds one.
//! The types of std have a file of their own, `std_values.rs`.

use syn::punctuated::Punctuated;
use syn::{
    GenericArgument, PathArguments, ReturnType, Signature, Token, Type, TypeParamBound, TypePath,
};

use crate::constants::MARKER;
use crate::find::Edition;
use crate::paths::names_of;
use crate::std_values::has_no_default;
use crate::type_facts::last_name;
use crate::types::TypeClass;
use crate::walk::Walker;

/// More values than this for one function tell nothing new.
const MOST: usize = 8;
/// Types within types are followed this far; aliases may be circular.
const DEPTH: usize = 6;

type Bounds = Punctuated<TypeParamBound, Token![+]>;

impl Walker<'_> {
    pub fn return_values(&self, signature: &Signature) -> Vec<String> {
        let ReturnType::Type(_, ty) = &signature.output else {
            return vec!["()".to_string()];
        };
        if is_self_returned(signature, ty) {
            return vec!["self".to_string()];
        }
        let mut values = self.values_of(ty, DEPTH);
        if self.is_default_itself(signature) {
            values.retain(|value| !value.ends_with("default()"));
        }
        // `to_string` panics if a `Display` fails: not a value that the caller ever sees.
        if signature.ident == "fmt" {
            values.retain(|value| !value.starts_with("Err"));
        }
        values.truncate(MOST);
        values
    }

    /// `Default::default` can't be made of itself, nor can what it calls.
    fn is_default_itself(&self, signature: &Signature) -> bool {
        self.owner.of_trait.as_deref() == Some("Default")
            || self
                .facts
                .is_called_by_default(&signature.ident.to_string())
    }

    /// A path into core, as this crate can name it.
    pub fn path_in_core(&self, path: &str) -> String {
        match (self.options.edition, self.options.no_std) {
            (Edition::Rust2015, false) => format!("::std::{path}"),
            (Edition::Rust2015, true) => format!("core::{path}"),
            _ => format!("::core::{path}"),
        }
    }

    fn default_value(&self) -> String {
        "Default::default()".to_string()
    }

    pub fn values_of(&self, ty: &Type, depth: usize) -> Vec<String> {
        if depth == 0 {
            return Vec::new();
        }
        match ty {
            Type::Path(path) => self.values_of_path(path, ty, depth),
            Type::Reference(reference) => {
                self.values_of_reference(&reference.elem, reference.mutability.is_some(), depth)
            }
            Type::Tuple(tuple) => self.values_of_tuple(&tuple.elems, depth),
            Type::Array(array) => {
                let length = self.source.flat(&array.len);
                self.inner_values(&array.elem, depth)
                    .into_iter()
                    .map(|value| {
                        if is_copied_literal(&value) {
                            format!("[{value}; {length}]")
                        } else {
                            let from_fn = self.path_in_core("array::from_fn");
                            format!("{from_fn}(|_| {value})")
                        }
                    })
                    .collect()
            }
            Type::Paren(inner) => self.values_of(&inner.elem, depth),
            Type::Group(inner) => self.values_of(&inner.elem, depth),
            _ => Vec::new(),
        }
    }

    /// Values within others: without −1, which tells little more there.
    pub fn inner_values(&self, ty: &Type, depth: usize) -> Vec<String> {
        let mut values = self.values_of(ty, depth - 1);
        values.retain(|value| !value.starts_with("-1"));
        values
    }

    pub fn first_inner(&self, ty: &Type, depth: usize) -> Option<String> {
        self.inner_values(ty, depth).into_iter().next()
    }

    /// Like rows under each other: each component takes each of its values once.
    fn values_of_tuple(&self, types: &Punctuated<Type, Token![,]>, depth: usize) -> Vec<String> {
        if types.is_empty() {
            return vec!["()".to_string()];
        }
        let columns: Vec<Vec<String>> = types
            .iter()
            .map(|ty| self.inner_values(ty, depth))
            .collect();
        if columns.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let comma = if types.len() == 1 { "," } else { "" };
        (0..rows)
            .map(|row| {
                let cells: Vec<&str> = columns
                    .iter()
                    .map(|column| column[row % column.len()].as_str())
                    .collect();
                format!("({}{comma})", cells.join(", "))
            })
            .collect()
    }

    fn values_of_reference(&self, ty: &Type, is_mutable: bool, depth: usize) -> Vec<String> {
        let reference = if is_mutable { "&mut " } else { "&" };
        match ty {
            Type::Slice(slice) => {
                let mut values = vec![format!("{reference}[]")];
                if let Some(element) = self.first_inner(&slice.elem, depth) {
                    values.extend(self.leaked(&format!("[{element}]"), is_mutable));
                }
                values
            }
            _ => match last_name(ty).as_deref() {
                Some("str") if !is_mutable => vec!["\"\"".into(), format!("\"{MARKER}\"")],
                Some("Path" | "OsStr") if !is_mutable => {
                    let path = self.type_path(ty);
                    vec![
                        format!("{path}::new(\"\")"),
                        format!("{path}::new(\"{MARKER}\")"),
                    ]
                }
                Some("str" | "Path" | "OsStr" | "CStr") => Vec::new(),
                _ => self
                    .inner_values(ty, depth)
                    .into_iter()
                    .filter_map(|value| self.leaked(&value, is_mutable))
                    .collect(),
            },
        }
    }

    /// A reference to a value that lives for ever.
    fn leaked(&self, value: &str, is_mutable: bool) -> Option<String> {
        if !is_mutable && is_promoted(value) {
            return Some(format!("&{value}"));
        }
        // Without std there may be no `Box`.
        (!self.options.no_std).then(|| format!("Box::leak(Box::new({value}))"))
    }

    fn values_of_path(&self, path: &TypePath, ty: &Type, depth: usize) -> Vec<String> {
        if path.qself.is_some() {
            return Vec::new();
        }
        let Some(last) = path.path.segments.last() else {
            return Vec::new();
        };
        let name = last.ident.to_string();
        if path.path.get_ident().is_some() {
            if let Some(kind) = TypeClass::of_name(&name)
                && name != "String"
                && name != "str"
            {
                return values_of_kind(kind);
            }
            if name == "Self" {
                return self.values_of_self(depth);
            }
            if let Some(bound) = self.type_parameter(&name) {
                return if bound {
                    vec![self.default_value()]
                } else {
                    Vec::new()
                };
            }
        }
        if path.path.segments.len() == 2 && path.path.segments[0].ident == "Self" {
            return match self.owner.associated.get(&name) {
                Some(ty) => self.values_of(ty, depth - 1),
                None => Vec::new(),
            };
        }
        if path.path.segments.len() >= 2
            && self
                .type_parameter(&path.path.segments[0].ident.to_string())
                .is_some()
        {
            return Vec::new();
        }
        let arguments = type_arguments(&last.arguments);
        if let Some((parameters, target)) = self.facts.alias(&name)
            && path.path.segments.len() == 1
        {
            let target = substituted(target, parameters, &arguments);
            return self.values_of(&target, depth - 1);
        }
        self.values_of_named(&name, ty, &arguments, depth)
    }

    fn values_of_self(&self, depth: usize) -> Vec<String> {
        match &self.owner.self_type {
            Some(Type::Path(path)) if path.path.is_ident("Self") => Vec::new(),
            Some(ty) => self.values_of(ty, depth - 1),
            None => Vec::new(),
        }
    }

    /// Whether a name is a type parameter here, and if so, whether it has a default.
    fn type_parameter(&self, name: &str) -> Option<bool> {
        self.frame
            .type_parameters
            .iter()
            .chain(&self.owner.type_parameters)
            .find(|parameter| parameter.name == name)
            .map(|parameter| parameter.has_default_bound)
    }

    /// The type's path as it is written, without its last arguments: `collections::HashMap`.
    pub fn type_path(&self, ty: &Type) -> String {
        let Type::Path(path) = ty else {
            return self.source.flat(ty);
        };
        let names = names_of(&path.path);
        let root = if path.path.leading_colon.is_some() {
            "::"
        } else {
            ""
        };
        format!("{root}{}", names.join("::"))
    }

    /// A type that only its name is known of. One of this file has a default or it hasn't; of
    /// others a default is tried, unless std is known to have none.
    pub fn values_of_unknown(&self, name: &str, path: &str, ty: &Type) -> Vec<String> {
        if self.facts.has_default(name) {
            return vec![self.default_value()];
        }
        let units = self.facts.unit_variants(name);
        if let Some(first) = units.first() {
            let owner = if is_written_self(ty) {
                "Self".to_string()
            } else {
                path.to_string()
            };
            let last = &units[units.len() - 1];
            let mut values = vec![format!("{owner}::{first}")];
            if last != first {
                values.push(format!("{owner}::{last}"));
            }
            return values;
        }
        if self.facts.is_defined(name) || has_no_default(name) {
            return Vec::new();
        }
        vec![self.default_value()]
    }
}

/// Whether a method hands on what it was called on, as builders do.
fn is_self_returned(signature: &Signature, ty: &Type) -> bool {
    let Some(receiver) = signature.receiver() else {
        return false;
    };
    match (ty, &receiver.reference) {
        (Type::Reference(returned), Some(_)) => {
            is_written_self(&returned.elem)
                && (returned.mutability.is_none() || receiver.mutability.is_some())
        }
        (_, None) => is_written_self(ty) && receiver.colon_token.is_none(),
        _ => false,
    }
}

fn is_written_self(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("Self"))
}

fn values_of_kind(kind: TypeClass) -> Vec<String> {
    let texts: &[&str] = match kind {
        TypeClass::Bool => &["true", "false"],
        TypeClass::Unsigned => &["0", "1"],
        TypeClass::Signed => &["0", "1", "-1"],
        TypeClass::Float => &["0.0", "1.0", "-1.0"],
        TypeClass::Text | TypeClass::Other => &[],
    };
    texts.iter().map(ToString::to_string).collect()
}

/// Whether a value may be repeated in an array because it is copied.
fn is_copied_literal(value: &str) -> bool {
    value.parse::<f64>().is_ok()
        || matches!(value, "true" | "false" | "()")
        || value.starts_with(['"', '\'']) && !value.ends_with(')')
}

/// Whether a reference to the value lives for ever by itself.
fn is_promoted(value: &str) -> bool {
    is_copied_literal(value)
        || value == "[]"
        || value
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .is_some_and(is_copied_literal)
}

/// The `Item` of an `Iterator` among the bounds.
pub(crate) fn iterated_type(bounds: &Bounds) -> Option<&Type> {
    bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let segment = bound.path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
            return None;
        };
        let is_iterator = ["Iterator", "DoubleEndedIterator", "ExactSizeIterator"]
            .iter()
            .any(|name| segment.ident == name);
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(item) if is_iterator && item.ident == "Item" => {
                Some(&item.ty)
            }
            _ => None,
        })
    })
}

fn type_arguments(arguments: &PathArguments) -> Vec<Type> {
    match arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty.clone()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// An alias' target with its parameters replaced.
fn substituted(target: &Type, parameters: &[String], arguments: &[Type]) -> Type {
    struct Substitute<'a>(&'a [String], &'a [Type]);
    impl Substitute<'_> {
        fn replace(&self, ty: &Type) -> Type {
            let Type::Path(path) = ty else {
                return ty.clone();
            };
            if let Some(ident) = path.path.get_ident() {
                let index = self.0.iter().position(|name| ident == name);
                if let Some(argument) = index.and_then(|index| self.1.get(index)) {
                    return argument.clone();
                }
            }
            let mut path = path.clone();
            for segment in &mut path.path.segments {
                if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
                    for argument in &mut arguments.args {
                        if let GenericArgument::Type(ty) = argument {
                            *ty = self.replace(ty);
                        }
                    }
                }
            }
            Type::Path(path)
        }
    }
    Substitute(parameters, arguments).replace(target)
}
