//! Type parameters: what a caller could choose for them.

use std::collections::BTreeMap;

use syn::{TypeParamBound, WherePredicate};

/// What a type parameter's bounds ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GenericKind {
    /// What every number has: to be compared, copied, hashed, shown.
    Plain,
    /// A text will do.
    Text,
    /// Something else.
    Unknown,
}

/// Traits that numbers have.
const OF_NUMBERS: &[&str] = &[
    "Eq",
    "PartialEq",
    "Ord",
    "PartialOrd",
    "Hash",
    "Clone",
    "Copy",
    "Debug",
    "Display",
    "Default",
    "Send",
    "Sync",
    "Sized",
    "Unpin",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "AddAssign",
    "SubAssign",
    "Sum",
    "Product",
    "ToString",
];

/// Of some bounds together.
pub(super) fn kind_of<'b>(bounds: impl Iterator<Item = &'b TypeParamBound>) -> GenericKind {
    let mut kind = GenericKind::Plain;
    for bound in bounds {
        let TypeParamBound::Trait(bound) = bound else {
            continue;
        };
        let Some(last) = bound.path.segments.last() else {
            continue;
        };
        let name = last.ident.to_string();
        let is_plain = OF_NUMBERS.contains(&name.as_str());
        // `AsRef<[u8]>` as well as `AsRef<str>` and `AsRef<Path>`.
        let is_text = ["AsRef", "Into", "ToOwned"].contains(&name.as_str());
        kind = match (kind, is_plain, is_text) {
            (GenericKind::Unknown, ..) | (_, false, false) => GenericKind::Unknown,
            (kind, true, _) => kind,
            (_, false, true) => GenericKind::Text,
        };
    }
    kind
}

/// The type parameters that code can name, with their bounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Generics {
    bounds: BTreeMap<String, Vec<TypeParamBound>>,
    /// What was chosen for a parameter of a type, whatever its bounds are here.
    chosen: BTreeMap<String, GenericKind>,
}

impl Generics {
    pub fn of(generics: &syn::Generics) -> Generics {
        Generics::default().with(generics)
    }

    /// With those of something inside: a method's in an `impl` block.
    pub fn with(&self, generics: &syn::Generics) -> Generics {
        let mut all = self.clone();
        for parameter in generics.type_params() {
            let name = parameter.ident.to_string();
            let predicates = generics
                .where_clause
                .iter()
                .flat_map(|found| &found.predicates);
            let more = predicates.filter_map(|predicate| match predicate {
                WherePredicate::Type(found) => match &found.bounded_ty {
                    syn::Type::Path(path) if path.path.is_ident(&name) => Some(&found.bounds),
                    _ => None,
                },
                _ => None,
            });
            let bounds = parameter.bounds.iter().chain(more.flatten());
            all.bounds.insert(name.clone(), bounds.cloned().collect());
        }
        all
    }

    /// Chooses for a parameter of a type.
    pub fn choose(&mut self, name: String, kind: GenericKind) {
        self.chosen.insert(name, kind);
    }

    pub fn kind(&self, name: &str) -> Option<GenericKind> {
        let chosen = self.chosen.get(name).copied();
        chosen.or_else(|| Some(kind_of(self.bounds.get(name)?.iter())))
    }

    /// The bounds of a parameter.
    pub fn bounds(&self, name: &str) -> &[TypeParamBound] {
        self.bounds.get(name).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_tell_what_a_caller_could_choose() {
        let text = "fn f<A, B: Clone + Ord, C: AsRef<str>, D: Fn(u8)>() where A: std::hash::Hash, B: Iterator {}";
        let function: syn::ItemFn = syn::parse_str(text).unwrap();
        let mut generics = Generics::of(&function.sig.generics);
        assert_eq!(generics.kind("A"), Some(GenericKind::Plain));
        assert_eq!(generics.kind("B"), Some(GenericKind::Unknown));
        assert_eq!(generics.kind("C"), Some(GenericKind::Text));
        assert_eq!(generics.kind("D"), Some(GenericKind::Unknown));
        assert_eq!(generics.kind("X"), None);
        generics.choose("A".to_owned(), GenericKind::Text);
        assert_eq!(generics.kind("A"), Some(GenericKind::Text));
    }
}
