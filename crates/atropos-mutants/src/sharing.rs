//! What one pass over a file tells about what its threads share: where names are imported from,
//! which words occur at all, what is waited for, which fields are locked, what others can see.

use std::collections::{HashMap, HashSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, Item, Member, Type, UseTree, Visibility};

use crate::source::Source;
use crate::type_facts::TypeFacts;

#[derive(Default)]
pub(crate) struct Sharing {
    /// Name → the path that it was imported by.
    imports: HashMap<String, String>,
    /// All identifiers of the file.
    words: HashSet<String>,
    /// The last names of what `wait` and its like are called on.
    waited: HashSet<String>,
    /// Fields on which a lock is taken.
    locked: HashSet<String>,
    /// Fields and statics that other files can name.
    visible: HashSet<String>,
    /// Modules in other files see what is private here.
    has_child_files: bool,
    statics: Vec<(String, Type)>,
}

impl Sharing {
    pub fn of(file: &syn::File) -> Sharing {
        let mut sharing = Sharing::default();
        sharing.collect_words(file.to_token_stream());
        sharing.visit_file(file);
        sharing
    }

    fn collect_words(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    self.words.insert(ident.to_string());
                }
                TokenTree::Group(group) => self.collect_words(group.stream()),
                _ => {}
            }
        }
    }

    fn import(&mut self, tree: &UseTree, path: &str) {
        let joined = |name: &syn::Ident| match path {
            "" => name.to_string(),
            _ => format!("{path}::{name}"),
        };
        match tree {
            UseTree::Path(inner) => self.import(&inner.tree, &joined(&inner.ident)),
            UseTree::Name(name) if name.ident == "self" => {
                let last = path.rsplit("::").next().unwrap_or(path).to_string();
                self.imports.insert(last, path.to_string());
            }
            UseTree::Name(name) => {
                self.imports
                    .insert(name.ident.to_string(), joined(&name.ident));
            }
            UseTree::Rename(rename) => {
                self.imports
                    .insert(rename.rename.to_string(), joined(&rename.ident));
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path);
                }
            }
            UseTree::Glob(_) => {}
        }
    }
}

impl TypeFacts {
    /// The path that a name was imported by.
    pub fn import(&self, name: &str) -> Option<&str> {
        self.sharing.imports.get(name).map(String::as_str)
    }

    /// Whether anything is imported from a crate.
    pub fn imports_from(&self, root: &str) -> bool {
        let mut paths = self.sharing.imports.values();
        paths.any(|path| path.split("::").next() == Some(root))
    }

    pub fn has_word(&self, word: &str) -> bool {
        self.sharing.words.contains(word)
    }

    /// Whether somebody may wait on the condition of that name: here, or where we can't see.
    pub fn may_be_waited_for(&self, name: &str) -> bool {
        let sharing = &self.sharing;
        sharing.waited.contains(name) || sharing.visible.contains(name) || sharing.has_child_files
    }

    /// Whether the file locks a field of that name.
    pub fn is_locked(&self, field: &str) -> bool {
        self.sharing.locked.contains(field)
    }

    pub fn is_static(&self, name: &str) -> bool {
        self.sharing.statics.iter().any(|(other, _)| other == name)
    }

    /// Other statics of the same type as it is written.
    pub fn statics_like(&self, name: &str, source: &Source<'_>) -> Vec<&str> {
        let statics = &self.sharing.statics;
        let Some((_, ty)) = statics.iter().find(|(other, _)| other == name) else {
            return Vec::new();
        };
        let written = source.compact(ty);
        statics
            .iter()
            .filter(|(other, ty)| other != name && source.compact(ty) == written)
            .map(|(other, _)| other.as_str())
            .collect()
    }
}

fn last_name_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Field(field) => match &field.member {
            Member::Named(name) => Some(name.to_string()),
            Member::Unnamed(_) => None,
        },
        Expr::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
        Expr::Paren(inner) => last_name_of(&inner.expr),
        Expr::Reference(reference) => last_name_of(&reference.expr),
        Expr::Unary(unary) => last_name_of(&unary.expr),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Sharing {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Use(item) => self.import(&item.tree, ""),
            Item::Static(item) => {
                self.statics
                    .push((item.ident.to_string(), (*item.ty).clone()));
                if !matches!(item.vis, Visibility::Inherited) {
                    self.visible.insert(item.ident.to_string());
                }
            }
            Item::Struct(item) => {
                for field in &item.fields {
                    if let Some(name) = &field.ident
                        && !matches!(field.vis, Visibility::Inherited)
                    {
                        self.visible.insert(name.to_string());
                    }
                }
            }
            Item::Mod(item) => self.has_child_files |= item.content.is_none(),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let method = call.method.to_string();
        if let Some(name) = last_name_of(&call.receiver) {
            match method.as_str() {
                "lock" | "read" | "write" | "try_lock" | "try_read" | "try_write" => {
                    self.locked.insert(name);
                }
                _ if method.starts_with("wait") || method == "notified" => {
                    self.waited.insert(name);
                }
                _ => {}
            }
        }
        visit::visit_expr_method_call(self, call);
    }
}
