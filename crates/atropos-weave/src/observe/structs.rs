//! The structs of a package: which fields can be looked at.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{Fields, GenericArgument, ItemStruct, PathArguments, Type};

use super::with_file;

/// A field and how many pointers stand before what it points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub name: String,
    pub pointers: usize,
}

/// The structs of a package, by their names alone. A file means its own by a name. Elsewhere, where two modules have structs
/// of one name, the fields of both are known; those that a struct does not have are found out by rustc.
#[derive(Clone, Debug, Default)]
pub struct Structs(BTreeMap<String, Vec<Field>>);

impl Structs {
    /// The structs in some files.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Structs {
        let mut structs = Structs::default();
        for text in texts {
            let found = with_file(text, |file, _| {
                let mut finder = Finder(Structs::default());
                finder.visit_file(file);
                finder.0
            });
            for (name, fields) in found.unwrap_or_default().0 {
                let known = structs.0.entry(name).or_default();
                for field in fields {
                    if known.iter().all(|other| other.name != field.name) {
                        known.push(field);
                    }
                }
            }
        }
        structs
    }

    /// The same, as names are meant in a file that has these structs itself.
    pub(super) fn seen_from(&self, text: &str) -> Structs {
        let mut structs = self.clone();
        structs.0.extend(Structs::of([text]).0);
        structs
    }

    pub(super) fn fields(&self, name: &str) -> &[Field] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}

struct Finder(Structs);

impl<'a> Visit<'a> for Finder {
    fn visit_item_struct(&mut self, item: &'a ItemStruct) {
        let fields = match &item.fields {
            Fields::Named(fields) => &fields.named,
            Fields::Unnamed(fields) => &fields.unnamed,
            Fields::Unit => return,
        };
        let fields = fields.iter().enumerate();
        let shown = fields.filter(|(_, field)| {
            !is_unseen(&field.ty)
                && field
                    .attrs
                    .iter()
                    .all(|attribute| !attribute.path().is_ident("cfg"))
        });
        let fields = shown.map(|(number, field)| Field {
            name: match &field.ident {
                Some(name) => name.to_string(),
                None => number.to_string(),
            },
            pointers: pointers(&field.ty),
        });
        self.0.0.insert(item.ident.to_string(), fields.collect());
        visit::visit_item_struct(self, item);
    }
}

/// Types that never show anything.
fn is_unseen(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "PhantomData" || last.ident == "PhantomPinned"),
        Type::BareFn(_) | Type::Ptr(_) => true,
        _ => false,
    }
}

/// What is behind all references and std's pointers, and how many there were.
pub(super) fn pointee(ty: &Type) -> (&Type, usize) {
    let (mut ty, mut count) = (ty, 0);
    loop {
        let next = match ty {
            Type::Reference(reference) => Some(&*reference.elem),
            Type::Paren(paren) => {
                ty = &paren.elem;
                continue;
            }
            Type::Path(path) => path.path.segments.last().and_then(|last| {
                let is_pointer = ["Box", "Rc", "Arc"].iter().any(|name| last.ident == name);
                match &last.arguments {
                    PathArguments::AngleBracketed(arguments) if is_pointer => {
                        match arguments.args.first() {
                            Some(GenericArgument::Type(inner)) => Some(inner),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }),
            _ => None,
        };
        match next {
            Some(inner) => {
                ty = inner;
                count += 1;
            }
            None => return (ty, count),
        }
    }
}

fn pointers(ty: &Type) -> usize {
    pointee(ty).1
}

/// The name of a type without its path and arguments.
pub(super) fn type_name(ty: &Type) -> Option<String> {
    match pointee(ty).0 {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_of_all_files_are_known() {
        let structs = Structs::of([
            "struct Point { x: u8, link: Box<&'static u8>, mark: PhantomData<u8> }",
            "mod m { pub struct Pair(u8, Vec<u8>); struct Unit; }",
            "this is not Rust",
        ]);
        let names = |name: &str| -> Vec<(String, usize)> {
            let fields = structs.fields(name).iter();
            fields
                .map(|field| (field.name.clone(), field.pointers))
                .collect()
        };
        assert_eq!(
            names("Point"),
            [("x".to_owned(), 0), ("link".to_owned(), 2)]
        );
        assert_eq!(names("Pair"), [("0".to_owned(), 0), ("1".to_owned(), 0)]);
        assert_eq!(names("Unit"), []);
    }

    #[test]
    fn a_file_means_its_own_struct_where_another_has_one_of_that_name() {
        let (own, other) = ("struct Edges { index: u8 }", "struct Edges { iter: u8 }");
        let structs = Structs::of([own, other]);
        assert_eq!(structs.fields("Edges").len(), 2);
        let fields = structs.seen_from(own).fields("Edges").to_vec();
        assert_eq!(fields, Structs::of([own]).fields("Edges"));
    }
}
