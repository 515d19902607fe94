//! Small values of a type, as Rust expressions, the simplest first.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{
    Expr, Fields, GenericArgument, GenericParam, Lit, PathArguments, ReturnType, Type, TypeArray,
    TypeParamBound, TypeTuple,
};

use super::generics::{GenericKind, Generics, kind_of};

/// Values within others are fewer, the deeper they are.
const DEEPEST: usize = 3;
const MOST_VALUES: [usize; DEEPEST + 1] = [24, 8, 4, 2];
/// Texts say more than numbers.
const MOST_TEXTS: [usize; DEEPEST + 1] = [300, 60, 4, 2];
const LONGEST_TEXT: usize = 8;

/// What is known of the types of a file, for values of them.
#[derive(Default)]
pub(super) struct KnownTypes<'f> {
    pub structs: BTreeMap<String, &'f Fields>,
    pub enums: BTreeMap<String, Vec<(String, &'f Fields)>>,
    /// Functions without `self` that give one, by type.
    pub constructors: BTreeMap<String, Vec<Constructor<'f>>>,
    /// The arguments that values of a type are made with: `::<i32>`, or nothing. None if nothing can be chosen.
    pub arguments: BTreeMap<String, Option<String>>,
    /// The characters that the file names: what its code may treat in a special way.
    pub alphabet: Vec<char>,
    /// What was chosen for the type parameters of a type.
    pub kinds: BTreeMap<String, Vec<GenericKind>>,
}

/// A function that makes a value.
pub(super) struct Constructor<'f> {
    pub name: String,
    pub is_public: bool,
    pub parameters: Vec<&'f Type>,
    /// The type parameters of the function and of its block.
    pub generics: Generics,
}

impl KnownTypes<'_> {
    /// Notes what the parameters of a type are to be.
    pub fn choose(&mut self, name: String, generics: &syn::Generics, kinds: Vec<GenericKind>) {
        let mut of_types = kinds.iter();
        let arguments: Option<Vec<&str>> = generics
            .params
            .iter()
            .filter_map(|parameter| match parameter {
                GenericParam::Lifetime(_) => None,
                GenericParam::Const(found) => match &found.ty {
                    Type::Path(path) if path.path.is_ident("usize") => Some(Some("4")),
                    _ => Some(None),
                },
                GenericParam::Type(_) => Some(match of_types.next()? {
                    GenericKind::Plain => Some("i32"),
                    GenericKind::Text => Some("&'static str"),
                    GenericKind::Unknown => None,
                }),
            })
            .collect();
        let arguments = arguments.map(|arguments| match arguments.is_empty() {
            true => String::new(),
            false => format!("::<{}>", arguments.join(", ")),
        });
        self.arguments.insert(name.clone(), arguments);
        self.kinds.insert(name, kinds);
    }

    /// The type parameters of a block, with what was chosen for those of its type.
    pub fn generics_of(&self, block: &syn::ItemImpl) -> Generics {
        let mut generics = Generics::of(&block.generics);
        let kinds = match &*block.self_ty {
            Type::Path(path) => path
                .path
                .segments
                .last()
                .and_then(|last| self.kinds.get(&last.ident.to_string())),
            _ => None,
        };
        let names = parameters_of(&block.self_ty);
        for (name, kind) in names.into_iter().zip(kinds.into_iter().flatten()) {
            if let Some(name) = name.filter(|name| generics.kind(name).is_some()) {
                generics.choose(name, *kind);
            }
        }
        generics
    }
}

/// The names of a type's arguments that are types; none for one that is not just a name.
pub(super) fn parameters_of(ty: &Type) -> Vec<Option<String>> {
    let Type::Path(path) = ty else {
        return Vec::new();
    };
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|last| &last.arguments)
    else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types
        .map(|ty| match ty {
            Type::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        })
        .collect()
}

/// The constants of a function, and those that tests call it with: what is special to it.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    integers: Vec<i128>,
    floats: Vec<String>,
    texts: Vec<String>,
    chars: Vec<String>,
}

impl Constants {
    /// Of a function's body, and of those calls of it in tests that are known.
    pub(super) fn of(body: &syn::Block, seen: Option<&Constants>) -> Constants {
        let mut found = Constants::default();
        found.visit_block(body);
        if let Some(seen) = seen {
            seen.integers
                .iter()
                .for_each(|value| push(&mut found.integers, *value));
            seen.floats
                .iter()
                .for_each(|value| push(&mut found.floats, value.clone()));
            seen.texts
                .iter()
                .for_each(|value| push(&mut found.texts, value.clone()));
            seen.chars
                .iter()
                .for_each(|value| push(&mut found.chars, value.clone()));
        }
        found
    }

    pub(super) fn add(&mut self, expression: &Expr) {
        self.visit_expr(expression);
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, value: T) {
    const MOST: usize = 12;
    if list.len() < MOST && !list.contains(&value) {
        list.push(value);
    }
}

impl<'ast> Visit<'ast> for Constants {
    fn visit_lit(&mut self, literal: &'ast Lit) {
        match literal {
            Lit::Int(number) => {
                if let Ok(number) = number.base10_parse() {
                    push(&mut self.integers, number);
                }
            }
            Lit::Byte(byte) => push(&mut self.integers, i128::from(byte.value())),
            Lit::Float(number) => push(&mut self.floats, number.base10_digits().to_owned()),
            Lit::Str(text) => push(&mut self.texts, format!("{:?}", text.value())),
            Lit::Char(char) => push(&mut self.chars, format!("{:?}", char.value())),
            _ => {}
        }
        visit::visit_lit(self, literal);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        // What formats or panics is no condition on inputs.
        if !matches!(expression, Expr::Macro(_)) {
            visit::visit_expr(self, expression);
        }
    }
}

/// The characters of all literals.
#[derive(Default)]
pub(super) struct Alphabet(pub Vec<char>);

impl Alphabet {
    fn add(&mut self, letter: char) {
        const MOST: usize = 64;
        if self.0.len() < MOST && !self.0.contains(&letter) {
            self.0.push(letter);
        }
    }
}

impl<'ast> Visit<'ast> for Alphabet {
    fn visit_lit(&mut self, literal: &'ast Lit) {
        match literal {
            Lit::Char(char) => self.add(char.value()),
            Lit::Byte(byte) => self.add(char::from(byte.value())),
            Lit::Str(text) if text.value().len() <= 8 => {
                text.value().chars().for_each(|letter| self.add(letter));
            }
            _ => {}
        }
    }

    // Documentation.
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

#[derive(Clone, Copy)]
pub(super) struct Generator<'g> {
    pub types: &'g KnownTypes<'g>,
    pub constants: &'g Constants,
    /// The function's own type parameters.
    pub generics: &'g Generics,
    /// What `Self` means.
    pub owner: Option<&'g str>,
}

impl Generator<'_> {
    /// Values of a type; none if none is known.
    pub fn values(&self, ty: &Type, depth: usize) -> Option<Vec<String>> {
        if depth > DEEPEST {
            return None;
        }
        let mut most = MOST_VALUES[depth];
        let mut values = match ty {
            Type::Path(path) if path.qself.is_none() => {
                let last = path.path.segments.last()?;
                let name = last.ident.to_string();
                let argument = |index: usize| match &last.arguments {
                    PathArguments::AngleBracketed(arguments) => {
                        let types = arguments.args.iter().filter_map(|argument| match argument {
                            GenericArgument::Type(ty) => Some(ty),
                            _ => None,
                        });
                        types.into_iter().nth(index)
                    }
                    _ => None,
                };
                let is_text = self.generics.kind(&name) == Some(GenericKind::Text);
                if is_text || name == "String" || name == "char" {
                    most = MOST_TEXTS[depth];
                }
                self.named(&name, &argument, depth)?
            }
            Type::Reference(reference) if reference.mutability.is_none() => {
                match &*reference.elem {
                    Type::Path(path) if path.path.is_ident("str") => {
                        most = MOST_TEXTS[depth];
                        self.texts()
                    }
                    Type::Slice(slice) if is_byte(&slice.elem) => {
                        most = MOST_TEXTS[depth];
                        let lists = self.lists(&slice.elem, depth)?.into_iter();
                        let lists = lists.map(|list| format!("&[{list}]"));
                        lists.chain(self.byte_texts()).collect()
                    }
                    Type::Slice(slice) => {
                        let lists = self.lists(&slice.elem, depth)?;
                        lists.into_iter().map(|list| format!("&[{list}]")).collect()
                    }
                    inner => {
                        let values = self.values(inner, depth)?;
                        values
                            .into_iter()
                            .map(|value| format!("&{value}"))
                            .collect()
                    }
                }
            }
            Type::Paren(inner) => self.values(&inner.elem, depth)?,
            Type::ImplTrait(found) => {
                let bounds: Vec<TypeParamBound> = found.bounds.iter().cloned().collect();
                self.chosen(kind_of(bounds.iter()), &bounds, depth)?
            }
            Type::Tuple(tuple) => self.tuples(tuple, most, depth)?,
            Type::Array(array) => self.arrays(array, depth)?,
            _ => return None,
        };
        values.truncate(most);
        Some(values)
    }

    fn tuples(&self, tuple: &TypeTuple, most: usize, depth: usize) -> Option<Vec<String>> {
        let parts = tuple.elems.iter().map(|part| self.values(part, depth + 1));
        let parts: Option<Vec<Vec<String>>> = parts.collect();
        let tuples = combined(&parts?, most).into_iter();
        let tuples = tuples.map(|parts| match parts.as_slice() {
            [one] => format!("({one},)"),
            _ => format!("({})", parts.join(", ")),
        });
        Some(tuples.collect())
    }

    fn arrays(&self, array: &TypeArray, depth: usize) -> Option<Vec<String>> {
        let Expr::Lit(length) = &array.len else {
            return None;
        };
        let Lit::Int(length) = &length.lit else {
            return None;
        };
        let length: usize = length.base10_parse().ok().filter(|length| *length <= 8)?;
        let values = self.values(&array.elem, depth + 1)?;
        let of = |start: usize| {
            let parts = (0..length).map(|index| values[(start + index) % values.len()].clone());
            format!("[{}]", parts.collect::<Vec<_>>().join(", "))
        };
        Some((0..values.len()).map(of).collect())
    }

    fn named<'t>(
        &self,
        name: &str,
        argument: &dyn Fn(usize) -> Option<&'t Type>,
        depth: usize,
    ) -> Option<Vec<String>> {
        let within = |before: &str, values: Vec<String>, after: &str| {
            let values = values.into_iter();
            values
                .map(|value| format!("{before}{value}{after}"))
                .collect::<Vec<String>>()
        };
        Some(match name {
            _ if self.generics.kind(name).is_some() => {
                let kind = self.generics.kind(name)?;
                self.chosen(kind, self.generics.bounds(name), depth)?
            }
            "bool" => vec!["false".into(), "true".into()],
            "char" => {
                let plain = ["'a'", "'Z'", "'0'", "' '", "'é'", "'\\n'"].map(str::to_owned);
                let mut values: Vec<String> = self.constants.chars.clone();
                let known = self.types.alphabet.iter();
                let known = known.map(|letter| format!("{letter:?}"));
                for value in plain.into_iter().chain(known) {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                values
            }
            "f32" | "f64" => {
                let plain = ["0.0", "1.0", "-1.0", "0.5", "100.0"].map(str::to_owned);
                let mut values: Vec<String> = self.constants.floats.clone();
                plain.into_iter().for_each(|value| push(&mut values, value));
                values.push(format!("{name}::INFINITY"));
                values.push(format!("{name}::NAN"));
                values
                    .into_iter()
                    .map(|value| {
                        if value.contains(['.', ':', 'e']) {
                            value
                        } else {
                            format!("{value}.0")
                        }
                    })
                    .collect()
            }
            "String" => within("", self.texts(), ".to_string()"),
            "Option" => {
                let mut values = vec!["None".to_owned()];
                values.extend(within("Some(", self.values(argument(0)?, depth + 1)?, ")"));
                values
            }
            "Vec" => within("vec![", self.lists(argument(0)?, depth)?, "]"),
            "Box" => within("Box::new(", self.values(argument(0)?, depth)?, ")"),
            "Duration" => within(
                "std::time::Duration::from_millis(",
                self.integers("u32")?,
                ")",
            ),
            _ if is_integer(name) => self.integers(name)?,
            "Self" => self.own(self.owner?, depth)?,
            _ => self.own(name, depth)?,
        })
    }

    /// Values of a type that the caller chooses.
    fn chosen(
        &self,
        kind: GenericKind,
        bounds: &[TypeParamBound],
        depth: usize,
    ) -> Option<Vec<String>> {
        match kind {
            GenericKind::Plain => self.integers("i32"),
            GenericKind::Text => Some(self.texts()),
            GenericKind::Unknown => bounds.iter().find_map(|bound| self.special(bound, depth)),
        }
    }

    /// Values with a trait that numbers and texts don't have: closures, ranges, what can be iterated over.
    fn special(&self, bound: &TypeParamBound, depth: usize) -> Option<Vec<String>> {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let last = bound.path.segments.last()?;
        let name = last.ident.to_string();
        match (name.as_str(), &last.arguments) {
            ("Fn" | "FnMut" | "FnOnce", PathArguments::Parenthesized(of)) => {
                let inputs: Vec<&Type> = of.inputs.iter().collect();
                self.closures(&inputs, &of.output, depth)
            }
            ("RangeBounds", _) => Some(["..", "1..", "..1", "1..2"].map(str::to_owned).to_vec()),
            ("IntoIterator" | "Iterator", PathArguments::AngleBracketed(of)) => {
                let element = of.args.iter().find_map(|argument| match argument {
                    GenericArgument::AssocType(found) if found.ident == "Item" => Some(&found.ty),
                    _ => None,
                });
                let lists = self.lists(element?, depth)?.into_iter();
                let end = if name == "Iterator" {
                    ".into_iter()"
                } else {
                    ""
                };
                Some(lists.map(|list| format!("vec![{list}]{end}")).collect())
            }
            _ => None,
        }
    }

    fn closures(&self, inputs: &[&Type], output: &ReturnType, depth: usize) -> Option<Vec<String>> {
        let ignored = vec!["_"; inputs.len()].join(", ");
        let ReturnType::Type(_, output) = output else {
            return Some(vec![format!("|{ignored}| ()")]);
        };
        let is_truth = matches!(&**output, Type::Path(path) if path.path.is_ident("bool"));
        if !is_truth {
            let values = self.values(output, depth + 1)?.into_iter().take(4);
            return Some(values.map(|value| format!("|{ignored}| {value}")).collect());
        }
        let mut closures = vec![format!("|{ignored}| true"), format!("|{ignored}| false")];
        for (index, input) in inputs.iter().enumerate() {
            let (star, inner) = match input {
                Type::Reference(reference) => ("*", &*reference.elem),
                other => ("", *other),
            };
            let is_number = matches!(inner, Type::Path(path) if path.path.get_ident().is_some_and(|name| {
                let name = name.to_string();
                is_integer(&name) || self.generics.kind(&name) == Some(GenericKind::Plain)
            }));
            if is_number {
                let mut names = vec!["_"; inputs.len()];
                names[index] = "value";
                closures.push(format!("|{}| {star}value % 2 == 0", names.join(", ")));
            }
        }
        Some(closures)
    }

    /// Values of a type of the file.
    pub fn own(&self, name: &str, depth: usize) -> Option<Vec<String>> {
        let generator = Generator {
            owner: Some(name),
            ..*self
        };
        // Of a type that is declared elsewhere nothing is known, mostly not even that it has parameters.
        let arguments = match self.types.arguments.get(name) {
            Some(arguments) => arguments.as_deref()?,
            None => "",
        };
        let mut values = Vec::new();
        for constructor in self.types.constructors.get(name).into_iter().flatten() {
            let generator = Generator {
                generics: &constructor.generics,
                ..generator
            };
            let parts: Option<Vec<Vec<String>>> = constructor
                .parameters
                .iter()
                .map(|ty| generator.values(ty, depth + 1))
                .collect();
            let most = MOST_TEXTS[depth.min(DEEPEST)].min(60);
            let calls = combined(&parts.unwrap_or_default(), most);
            if constructor.parameters.is_empty() || !calls.iter().all(Vec::is_empty) {
                let function = &constructor.name;
                values.extend(
                    calls.into_iter().map(|parts| {
                        format!("{name}{arguments}::{function}({})", parts.join(", "))
                    }),
                );
            }
        }
        for (variant, fields) in self.types.enums.get(name).into_iter().flatten() {
            values.extend(
                generator
                    .fields(&format!("{name}::{variant}"), fields, depth, 4)
                    .unwrap_or_default(),
            );
        }
        if let (true, Some(fields)) = (values.is_empty(), self.types.structs.get(name)) {
            values = generator.fields(name, fields, depth, 12)?;
        }
        (!values.is_empty()).then_some(values)
    }

    fn fields(
        &self,
        path: &str,
        fields: &Fields,
        depth: usize,
        most: usize,
    ) -> Option<Vec<String>> {
        let parts: Option<Vec<Vec<String>>> = fields
            .iter()
            .map(|field| self.values(&field.ty, depth + 1))
            .collect();
        let values = combined(&parts?, most);
        Some(match fields {
            Fields::Unit => vec![path.to_owned()],
            Fields::Unnamed(_) => {
                let values = values.into_iter();
                values
                    .map(|parts| format!("{path}({})", parts.join(", ")))
                    .collect()
            }
            Fields::Named(named) => {
                let names: Vec<String> = named
                    .named
                    .iter()
                    .filter_map(|field| Some(field.ident.as_ref()?.to_string()))
                    .collect();
                let made = |parts: Vec<String>| {
                    let parts = names
                        .iter()
                        .zip(parts)
                        .map(|(name, value)| format!("{name}: {value}"));
                    format!("{path} {{ {} }}", parts.collect::<Vec<_>>().join(", "))
                };
                values.into_iter().map(made).collect()
            }
        })
    }

    fn texts(&self) -> Vec<String> {
        let plain = [
            "\"\"",
            "\"a\"",
            "\"ab\"",
            "\"1\"",
            "\" a \"",
            "\"A b\"",
            "\"-1.5\"",
            "\"é\"",
            "\"a,b\\n\"",
            "\"aaa\"",
        ];
        let mut values = vec!["\"\"".to_owned(), "\"a\"".to_owned()];
        values.extend(self.constants.texts.iter().cloned());
        for value in plain {
            if !values.iter().any(|known| known == value) {
                values.push(value.to_owned());
            }
        }
        for text in self.made_up_texts() {
            let text = format!("{text:?}");
            if !values.contains(&text) {
                values.push(text);
            }
        }
        values
    }

    /// Texts of the characters that the file names, and a few others: each alone, then longer and longer ones.
    fn made_up_texts(&self) -> Vec<String> {
        let alphabet = &self.types.alphabet;
        let mut texts: Vec<String> = alphabet.iter().map(char::to_string).collect();
        let letters: Vec<char> = alphabet.iter().copied().chain("ab1 ".chars()).collect();
        let mut random = fastrand::Rng::with_seed(1);
        while texts.len() < MOST_TEXTS[0] {
            let length = 2 + texts.len() * (LONGEST_TEXT - 1) / MOST_TEXTS[0];
            let text = (0..length).map(|_| letters[random.usize(..letters.len())]);
            texts.push(text.collect());
        }
        texts
    }

    fn byte_texts(&self) -> impl Iterator<Item = String> {
        let texts = self.made_up_texts().into_iter();
        texts.filter(|text| text.is_ascii()).map(|text| {
            let escaped = text.bytes().flat_map(std::ascii::escape_default);
            format!("b\"{}\"", escaped.map(char::from).collect::<String>())
        })
    }

    fn integers(&self, name: &str) -> Option<Vec<String>> {
        let bits: u32 = name[1..].parse().unwrap_or(64);
        let is_signed = name.starts_with('i');
        let (least, greatest) = match (is_signed, bits) {
            (true, 128) => (i128::MIN, i128::MAX),
            (true, bits) => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            (false, 128) => (0, i128::MAX),
            (false, bits) => (0, (1_i128 << bits) - 1),
        };
        let mut values: Vec<i128> = vec![0, 1];
        for constant in &self.constants.integers {
            values.extend([*constant, constant - 1, constant + 1, -constant]);
        }
        values.extend([2, 3, 7, 10, 100, -1, -2, -7, 1000]);
        let mut texts = Vec::new();
        for value in values {
            if (least..=greatest).contains(&value) && !texts.contains(&value.to_string()) {
                texts.push(value.to_string());
            }
        }
        // A size may be asked of the allocator.
        if !name.ends_with("size") {
            texts.push(format!("{name}::MAX"));
            if is_signed {
                texts.push(format!("{name}::MIN"));
            }
        }
        Some(texts)
    }

    /// The insides of lists of a type.
    pub fn lists(&self, element: &Type, depth: usize) -> Option<Vec<String>> {
        let values = self.values(element, depth + 1)?;
        let value = |index: usize| values[index % values.len()].clone();
        let list = |indices: &[usize]| {
            let parts: Vec<String> = indices.iter().map(|&index| value(index)).collect();
            parts.join(", ")
        };
        let all = [
            &[][..],
            &[0],
            &[1],
            &[0, 1],
            &[1, 0],
            &[1, 1],
            &[2, 0, 1],
            &[0, 1, 2, 3],
            &[3, 3, 1, 2, 0],
        ];
        Some(all.into_iter().map(list).collect())
    }
}

fn is_byte(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("u8"))
}

pub(super) fn is_integer(name: &str) -> bool {
    const BITS: &[&str] = &["8", "16", "32", "64", "128", "size"];
    let bits = name.strip_prefix('i').or_else(|| name.strip_prefix('u'));
    bits.is_some_and(|bits| BITS.contains(&bits))
}

/// Some ways to take one of each: first all that differ from the first in one part, then others.
pub(super) fn combined(parts: &[Vec<String>], most: usize) -> Vec<Vec<String>> {
    if parts.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let first: Vec<String> = parts.iter().map(|part| part[0].clone()).collect();
    let mut all = vec![first.clone()];
    let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
    for index in 1..longest {
        // All parts move on together, then each alone.
        let moved: Vec<String> = parts
            .iter()
            .map(|part| part[index % part.len()].clone())
            .collect();
        push_new(&mut all, moved);
        for (place, part) in parts.iter().enumerate() {
            if let Some(value) = part.get(index) {
                let mut one = first.clone();
                one[place] = value.clone();
                push_new(&mut all, one);
            }
        }
    }
    all.truncate(most);
    all
}

fn push_new(all: &mut Vec<Vec<String>>, one: Vec<String>) {
    if !all.contains(&one) {
        all.push(one);
    }
}
