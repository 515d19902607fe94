//! What a package's types let a test look at: methods that only read, and fields. Found by their text; rustc decides.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{
    Expr, FnArg, GenericArgument, ImplItem, Item, PathArguments, ReturnType, Type, Visibility,
};

/// Methods that look as if they read, and do more or tell nothing that can be asserted.
const NO_QUERIES: &[&str] = &[
    "clone",
    "iter",
    "into_iter",
    "lock",
    "read",
    "write",
    "try_lock",
    "borrow",
    "borrow_mut",
    "run",
    "start",
    "stop",
    "clear",
    "wait",
    "join",
    "spawn",
    "close",
    "shutdown",
    "flush",
    "notify",
    "notify_one",
    "notify_all",
    "unlock",
    "reset",
    "send",
    "recv",
    "park",
    "unpark",
    "drain",
    "pop",
    "push",
    "take",
    "next",
    "keys",
    "values",
    "as_ptr",
];

/// What tests can look at of one type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TypeQueries {
    /// Behind a variable's name: `.len()`, `.size`. With whether other crates may.
    pub queries: Vec<(String, bool)>,
    /// Functions of the type that give one, perhaps in an `Option` or a `Result`.
    pub makers: Vec<String>,
}

/// The types of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageTypes {
    types: BTreeMap<String, TypeQueries>,
    /// Functions that give a value of one of these types.
    makers: BTreeMap<String, String>,
}

impl PackageTypes {
    /// Of all texts of a package's code. A text that is not Rust says nothing.
    pub fn of<'t>(texts: impl Iterator<Item = &'t str>) -> PackageTypes {
        let mut found = PackageTypes::default();
        for text in texts {
            if let Ok(file) = syn::parse_file(text) {
                found.visit_file(&file);
            }
        }
        for queries in found.types.values_mut() {
            queries.queries.sort();
            queries.queries.dedup();
        }
        found
    }

    /// Also of functions in a text of tests.
    pub(super) fn with_makers_of(&self, file: &syn::File) -> PackageTypes {
        let mut found = self.clone();
        let mut more = PackageTypes::default();
        more.visit_file(file);
        found.makers.extend(more.makers);
        found
    }

    /// What can be looked at of a type; inside its crate also what is private.
    pub(super) fn queries(&self, name: &str, is_inside: bool) -> impl Iterator<Item = &str> {
        let queries = self.types.get(name).into_iter();
        queries
            .flat_map(|found| &found.queries)
            .filter(move |(_, is_public)| *is_public || is_inside)
            .map(|(query, _)| query.as_str())
    }

    /// The package's type of an expression, if its text tells.
    pub(super) fn type_of(&self, value: &Expr) -> Option<String> {
        match value {
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else {
                    return None;
                };
                let names: Vec<String> = path
                    .path
                    .segments
                    .iter()
                    .map(|part| part.ident.to_string())
                    .collect();
                match names.as_slice() {
                    [.., owner, function] if self.types.contains_key(owner) => {
                        let makers = &self.types[owner].makers;
                        (makers.contains(function) || function == "default").then(|| owner.clone())
                    }
                    [.., function] => self.makers.get(function).cloned(),
                    [] => None,
                }
            }
            Expr::Struct(made) => {
                let name = made.path.segments.last()?.ident.to_string();
                self.types.contains_key(&name).then_some(name)
            }
            Expr::MethodCall(call) => {
                let passes = ["unwrap", "expect", "clone", "unwrap_or_default"];
                let method = call.method.to_string();
                passes
                    .contains(&method.as_str())
                    .then(|| self.type_of(&call.receiver))?
            }
            Expr::Try(tried) => self.type_of(&tried.expr),
            Expr::Await(awaited) => self.type_of(&awaited.base),
            Expr::Paren(inner) => self.type_of(&inner.expr),
            Expr::Reference(inner) => self.type_of(&inner.expr),
            _ => None,
        }
    }

    /// The package's type that a type is, behind references and within `Option`, `Result`, `Arc`, `Rc` and `Box`.
    pub(super) fn named(&self, ty: &Type) -> Option<String> {
        let name = inner_name(ty)?;
        self.types.contains_key(&name).then_some(name)
    }

    fn add_query(&mut self, owner: &str, query: String, is_public: bool) {
        let found = self.types.entry(owner.to_owned()).or_default();
        found.queries.push((query, is_public));
    }
}

/// The name of a type, behind references and wrappers.
fn inner_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Reference(reference) => inner_name(&reference.elem),
        Type::Paren(inner) => inner_name(&inner.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let name = last.ident.to_string();
            if ["Option", "Result", "Arc", "Rc", "Box"].contains(&name.as_str())
                && let PathArguments::AngleBracketed(arguments) = &last.arguments
            {
                return arguments.args.iter().find_map(|argument| match argument {
                    GenericArgument::Type(ty) => inner_name(ty),
                    _ => None,
                });
            }
            Some(name)
        }
        _ => None,
    }
}

impl<'ast> Visit<'ast> for PackageTypes {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Struct(found) => {
                let name = found.ident.to_string();
                self.types.entry(name.clone()).or_default();
                for field in &found.fields {
                    if let Some(ident) = &field.ident {
                        let is_public = matches!(field.vis, Visibility::Public(_));
                        self.add_query(&name, format!(".{ident}"), is_public);
                    }
                }
            }
            Item::Enum(found) => {
                self.types.entry(found.ident.to_string()).or_default();
            }
            Item::Fn(found) => {
                if let ReturnType::Type(_, ty) = &found.sig.output
                    && let Some(name) = inner_name(ty)
                {
                    self.makers.insert(found.sig.ident.to_string(), name);
                }
            }
            Item::Impl(found) if found.trait_.is_none() => self.of_impl(found),
            _ => {}
        }
        visit::visit_item(self, item);
    }
}

impl PackageTypes {
    fn of_impl(&mut self, found: &syn::ItemImpl) {
        let Some(owner) = inner_name(&found.self_ty) else {
            return;
        };
        for item in &found.items {
            let ImplItem::Fn(method) = item else { continue };
            let name = method.sig.ident.to_string();
            let ReturnType::Type(_, returned) = &method.sig.output else {
                continue;
            };
            match method.sig.inputs.first() {
                Some(FnArg::Receiver(receiver)) => {
                    let only_reads = receiver.reference.is_some() && receiver.mutability.is_none();
                    if only_reads
                        && method.sig.inputs.len() == 1
                        && method.sig.asyncness.is_none()
                        && !NO_QUERIES.contains(&name.as_str())
                        && !name.starts_with("iter")
                    {
                        let is_public = matches!(method.vis, Visibility::Public(_));
                        self.add_query(&owner, format!(".{name}()"), is_public);
                    }
                }
                _ => {
                    if inner_name(returned).is_some_and(|name| name == "Self" || name == owner) {
                        self.types
                            .entry(owner.clone())
                            .or_default()
                            .makers
                            .push(name);
                    }
                }
            }
        }
    }
}
