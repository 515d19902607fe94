//! What one pass over a file's items tells about its types: fields, variants, aliases, signatures,
//! which types have a default. All of it is by name and within the file, so it is a hint: a name
//! that stands for two things is forgotten.

use std::collections::{HashMap, HashSet};

use syn::visit::{self, Visit};
use syn::{Attribute, Fields, FnArg, ImplItem, Item, ItemImpl, Pat, ReturnType, Signature, Type};

use crate::bindings::Bindings;
use crate::sharing::Sharing;

#[derive(Default)]
pub(crate) struct TypeFacts {
    /// Struct name → field name (or tuple index) → type.
    fields: HashMap<String, HashMap<String, Type>>,
    /// Enum name → its variants without data.
    unit_variants: HashMap<String, Vec<String>>,
    /// Alias name → its type parameters and what it stands for.
    aliases: HashMap<String, (Vec<String>, Type)>,
    /// Types with a derived or written `Default`, or a `Default`-like constructor.
    defaults: HashSet<String>,
    /// All structs, enums and unions of the file.
    defined: HashSet<String>,
    /// Types that implement `ExactSizeIterator`, whose `size_hint` is a promise.
    exact_size: HashSet<String>,
    /// Names of functions called by the file's `Default` impls.
    called_by_default: HashSet<String>,
    functions: HashMap<String, Option<KnownFunction>>,
    methods: HashMap<String, Option<KnownFunction>>,
    values: HashMap<String, Option<Type>>,
    pub(crate) sharing: Sharing,
    pub(crate) bindings: Bindings,
}

/// A signature's types, `self` left out.
#[derive(Clone)]
pub(crate) struct KnownFunction {
    pub inputs: Vec<Type>,
    pub output: Option<Type>,
    /// Whether its types mean something outside it (no generics, no `Self`).
    is_plain: bool,
}

impl TypeFacts {
    pub fn of(file: &syn::File) -> TypeFacts {
        let mut facts = TypeFacts {
            sharing: Sharing::of(file),
            ..TypeFacts::default()
        };
        facts.visit_file(file);
        facts
    }

    pub fn field(&self, of: &str, name: &str) -> Option<&Type> {
        self.fields.get(of)?.get(name)
    }

    /// Names of the fields of a struct of this file.
    pub fn fields_of(&self, of: &str) -> Vec<(&str, &Type)> {
        let mut fields: Vec<(&str, &Type)> = self
            .fields
            .get(of)
            .into_iter()
            .flatten()
            .map(|(name, ty)| (name.as_str(), ty))
            .collect();
        fields.sort_by_key(|(name, _)| *name);
        fields
    }

    pub fn unit_variants(&self, of: &str) -> &[String] {
        self.unit_variants.get(of).map_or(&[], Vec::as_slice)
    }

    pub fn alias(&self, name: &str) -> Option<&(Vec<String>, Type)> {
        self.aliases.get(name)
    }

    pub fn is_defined(&self, name: &str) -> bool {
        self.defined.contains(name)
    }

    pub fn has_default(&self, name: &str) -> bool {
        self.defaults.contains(name)
    }

    pub fn has_exact_size(&self, name: &str) -> bool {
        self.exact_size.contains(name)
    }

    pub fn is_called_by_default(&self, function: &str) -> bool {
        self.called_by_default.contains(function)
    }

    /// The free function of that name, if its types can be used anywhere.
    pub fn function(&self, name: &str) -> Option<&KnownFunction> {
        let function = self.functions.get(name)?.as_ref()?;
        function.is_plain.then_some(function)
    }

    /// The method of that name, if the file has just one and its types can be used anywhere.
    pub fn method(&self, name: &str) -> Option<&KnownFunction> {
        let function = self.methods.get(name)?.as_ref()?;
        function.is_plain.then_some(function)
    }

    /// What the method of that name returns, as it is written, if the file has just one.
    pub fn returned_by(&self, method: &str) -> Option<&Type> {
        self.methods.get(method)?.as_ref()?.output.as_ref()
    }

    /// The type of a constant or static.
    pub fn value(&self, name: &str) -> Option<&Type> {
        self.values.get(name)?.as_ref()
    }

    fn define(&mut self, name: &syn::Ident, attributes: &[Attribute]) {
        self.defined.insert(name.to_string());
        if derives_default(attributes) {
            self.defaults.insert(name.to_string());
        }
    }

    fn add_impl(&mut self, item: &ItemImpl) {
        let Some(name) = last_name(&item.self_ty) else {
            return;
        };
        let of_trait = item
            .trait_
            .as_ref()
            .and_then(|(_, path, _)| path.segments.last())
            .map(|segment| segment.ident.to_string());
        match of_trait.as_deref() {
            Some("Default") => {
                self.defaults.insert(name);
                let mut calls = CalledNames::default();
                calls.visit_item_impl(item);
                self.called_by_default.extend(calls.names);
            }
            Some("ExactSizeIterator") => {
                self.exact_size.insert(name);
            }
            Some(_) => {}
            None => {
                for member in &item.items {
                    if let ImplItem::Fn(function) = member {
                        let known =
                            KnownFunction::of(&function.sig, !item.generics.params.is_empty());
                        remember(&mut self.methods, function.sig.ident.to_string(), known);
                    }
                }
            }
        }
    }
}

impl KnownFunction {
    fn of(signature: &Signature, within_generics: bool) -> KnownFunction {
        let inputs: Vec<Type> = signature
            .inputs
            .iter()
            .filter_map(|input| match input {
                FnArg::Typed(typed) => Some((*typed.ty).clone()),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let output = match &signature.output {
            ReturnType::Type(_, ty) if signature.asyncness.is_none() => Some((**ty).clone()),
            _ => None,
        };
        let names_self = inputs.iter().chain(&output).any(mentions_self);
        KnownFunction {
            is_plain: signature.generics.type_params().next().is_none()
                && !within_generics
                && !names_self,
            inputs,
            output,
        }
    }
}

/// Keeps the first value of a name and forgets it at a second one.
fn remember<T>(table: &mut HashMap<String, Option<T>>, name: String, value: T) {
    table
        .entry(name)
        .and_modify(|known| *known = None)
        .or_insert(Some(value));
}

impl<'ast> Visit<'ast> for TypeFacts {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Struct(item) => {
                self.define(&item.ident, &item.attrs);
                let fields = named_fields(&item.fields);
                self.fields.insert(item.ident.to_string(), fields);
            }
            Item::Enum(item) => {
                self.define(&item.ident, &item.attrs);
                let units = item
                    .variants
                    .iter()
                    .filter(|variant| {
                        matches!(variant.fields, Fields::Unit) && variant.attrs.is_empty()
                    })
                    .map(|variant| variant.ident.to_string())
                    .collect();
                self.unit_variants.insert(item.ident.to_string(), units);
            }
            Item::Union(item) => self.define(&item.ident, &item.attrs),
            Item::Macro(item) => {
                if let Some(name) = &item.ident {
                    let rules = item.mac.tokens.clone();
                    self.bindings.define(name.to_string(), rules);
                }
            }
            Item::Type(item) => {
                let parameters = item
                    .generics
                    .type_params()
                    .map(|parameter| parameter.ident.to_string())
                    .collect();
                self.aliases
                    .insert(item.ident.to_string(), (parameters, (*item.ty).clone()));
            }
            Item::Impl(item) => self.add_impl(item),
            Item::Fn(item) => {
                let known = KnownFunction::of(&item.sig, false);
                remember(&mut self.functions, item.sig.ident.to_string(), known);
            }
            Item::Const(item) => {
                remember(&mut self.values, item.ident.to_string(), (*item.ty).clone());
            }
            Item::Static(item) => {
                remember(&mut self.values, item.ident.to_string(), (*item.ty).clone());
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }
}

#[derive(Default)]
struct CalledNames {
    names: HashSet<String>,
}

impl<'ast> Visit<'ast> for CalledNames {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func
            && let Some(last) = path.path.segments.last()
        {
            self.names.insert(last.ident.to_string());
        }
        visit::visit_expr_call(self, call);
    }
}

fn named_fields(fields: &Fields) -> HashMap<String, Type> {
    fields
        .iter()
        .enumerate()
        .map(|(index, field)| {
            let name = field
                .ident
                .as_ref()
                .map_or_else(|| index.to_string(), ToString::to_string);
            (name, field.ty.clone())
        })
        .collect()
}

fn derives_default(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut found = false;
        if attribute.path().is_ident("derive") {
            // A derive list that does not parse derives nothing that we know.
            let _ = attribute.parse_nested_meta(|meta| {
                found |= meta
                    .path
                    .segments
                    .last()
                    .is_some_and(|segment| segment.ident == "Default");
                Ok(())
            });
        }
        found
    })
}

/// The last name of a path type: `Account` for `bank::Account<T>`.
pub(crate) fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
        Type::Paren(inner) => last_name(&inner.elem),
        Type::Group(inner) => last_name(&inner.elem),
        _ => None,
    }
}

fn mentions_self(ty: &Type) -> bool {
    struct FindSelf(bool);
    impl<'ast> Visit<'ast> for FindSelf {
        fn visit_ident(&mut self, ident: &'ast proc_macro2::Ident) {
            self.0 |= ident == "Self";
        }
    }
    let mut finder = FindSelf(false);
    finder.visit_type(ty);
    finder.0
}

/// All names that a pattern may bind.
pub(crate) fn bound_names(pattern: &Pat) -> Vec<String> {
    #[derive(Default)]
    struct Names(Vec<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.push(pattern.ident.to_string());
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut names = Names::default();
    names.visit_pat(pattern);
    names.0
}
