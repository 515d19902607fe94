//! Sequences of calls on values of a type, for a search that runs original and mutants side by side on them.
//!
//! What one call changed often shows only in a later one: after `shrink_to_fit` the next `insert` gives another key. So a type
//! with constructors and methods gets many sequences of calls, the short ones first. What each call gives is written down, and
//! after the last one what can be read of the value. Type parameters become numbers or texts.

use std::collections::BTreeSet;

use atropos_mutants::mutant::Span;
use atropos_values::interface::CAPTURE_ADD;
use quote::ToTokens as _;
use syn::{FnArg, ImplItem, ImplItemFn, Item, ItemImpl, ReturnType, Type};

use super::call_sequence::CallSequence;
use super::calls::SeenInTests;
use super::generics::Generics;
use super::values::{Constants, Generator, KnownTypes, combined};
use super::{SearchedCall, USE_CAPTURE, is_callable, known_types, name_of, snake_case};
use crate::additions::{AddedPiece, Addition, PieceOrder};
use crate::observe::{span_of, with_file};

const MOST_CONSTRUCTORS: usize = 60;
/// Calls of one method, with different arguments.
const MOST_ARGUMENTS: usize = 8;
const MOST_READINGS: usize = 12;
const LONGEST_SEQUENCE: usize = 12;
/// Of each length.
const SEQUENCES: usize = 120;

/// A type whose values can be made, and what can be called on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedType {
    pub name: String,
    /// Its `impl` blocks.
    spans: Vec<Span>,
    /// The names of the functions that are called.
    functions: BTreeSet<String>,
    constructors: Vec<MadeCode>,
    operations: Vec<Operation>,
    /// What can be looked at, behind the value's name.
    readings: Vec<MadeCode>,
    sequences: Vec<Sequence>,
    /// The number of each sequence's first value.
    starts: Vec<u32>,
}

/// A piece of code that may not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MadeCode {
    text: String,
    is_rejected: bool,
}

impl MadeCode {
    fn new(text: String) -> MadeCode {
        MadeCode {
            text,
            is_rejected: false,
        }
    }
}

/// A method's call with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Operation {
    /// Behind the value's name.
    call: MadeCode,
    gives: bool,
    changes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sequence {
    constructor: usize,
    operations: Vec<usize>,
}

/// A text of the search, and what it is for.
struct SearchPart {
    text: String,
    /// Its place among all pieces of code that may not compile; none for what is around them.
    made: Option<usize>,
}

/// The types of a file that can be searched. What tests call their methods with is among the arguments.
pub fn find_types(text: &str, seen: &SeenInTests) -> Vec<SearchedType> {
    let found = with_file(text, |file, base| {
        let types = known_types(file);
        let names = file.items.iter().filter_map(|item| match item {
            Item::Struct(found) => Some(found.ident.to_string()),
            Item::Enum(found) => Some(found.ident.to_string()),
            _ => None,
        });
        names
            .filter_map(|name| searched_type(file, base, &types, seen, name))
            .collect()
    });
    found.unwrap_or_default()
}

fn blocks_of<'f>(file: &'f syn::File, name: &'f str) -> impl Iterator<Item = &'f ItemImpl> {
    file.items.iter().filter_map(move |item| match item {
        Item::Impl(block) if name_of(&block.self_ty).as_deref() == Some(name) => Some(block),
        _ => None,
    })
}

fn searched_type(
    file: &syn::File,
    base: usize,
    types: &KnownTypes<'_>,
    seen: &SeenInTests,
    name: String,
) -> Option<SearchedType> {
    let mut found = SearchedType {
        spans: Vec::new(),
        functions: BTreeSet::new(),
        constructors: constructors(file, types, &name),
        operations: Vec::new(),
        readings: Vec::new(),
        sequences: Vec::new(),
        starts: Vec::new(),
        name,
    };
    if found.constructors.is_empty() {
        return None;
    }
    let name = found.name.clone();
    // Values as only private functions leave them may be none that a caller can have.
    let has_public = blocks_of(file, &name)
        .flat_map(|block| &block.items)
        .any(|item| matches!(item, ImplItem::Fn(method) if is_public(&method.vis)));
    let mut operations_of_methods: Vec<Vec<usize>> = Vec::new();
    for block in blocks_of(file, &name) {
        let span = syn::spanned::Spanned::span(block);
        found.spans.push(span_of(base, span));
        let generics = types.generics_of(block);
        for item in &block.items {
            let ImplItem::Fn(method) = item else { continue };
            if has_public && block.trait_.is_none() && !is_public(&method.vis) {
                continue;
            }
            found.functions.insert(method.sig.ident.to_string());
            let first = found.operations.len();
            found.add_method(method, &generics, types, seen);
            if found.operations.len() > first {
                operations_of_methods.push((first..found.operations.len()).collect());
            }
        }
    }
    if is_shown(file, &name) {
        found.readings.push(MadeCode::new(String::new()));
    }
    found.readings.truncate(MOST_READINGS);
    found.make_sequences(&operations_of_methods);
    (!found.sequences.is_empty()).then_some(found)
}

pub(super) fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

/// Whether values of the type have `Debug`.
fn is_shown(file: &syn::File, name: &str) -> bool {
    let by_hand = blocks_of(file, name).any(|block| trait_of(block).as_deref() == Some("Debug"));
    by_hand || is_derived(file, name, "Debug")
}

fn trait_of(block: &ItemImpl) -> Option<String> {
    let (_, path, _) = block.trait_.as_ref()?;
    Some(path.segments.last()?.ident.to_string())
}

fn is_derived(file: &syn::File, name: &str, derived: &str) -> bool {
    let attributes = file.items.iter().find_map(|item| match item {
        Item::Struct(found) if found.ident == name => Some(&found.attrs),
        Item::Enum(found) if found.ident == name => Some(&found.attrs),
        _ => None,
    });
    attributes.into_iter().flatten().any(|attribute| {
        let tokens = attribute.meta.to_token_stream().to_string();
        let mut words = tokens.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        attribute.path().is_ident("derive") && words.any(|word| word == derived)
    })
}

/// Expressions that make a value.
fn constructors(file: &syn::File, types: &KnownTypes<'_>, name: &str) -> Vec<MadeCode> {
    let Some(Some(arguments)) = types.arguments.get(name) else {
        return Vec::new();
    };
    let constants = Constants::default();
    let generator = Generator {
        types,
        constants: &constants,
        generics: &Generics::default(),
        owner: Some(name),
    };
    let mut made = generator.own(name, 0).unwrap_or_default();
    let has_default = is_derived(file, name, "Default")
        || blocks_of(file, name).any(|block| trait_of(block).as_deref() == Some("Default"));
    let default = format!("{name}{arguments}::default()");
    if has_default && !made.contains(&default) {
        made.push(default);
    }
    for block in blocks_of(file, name) {
        let Some((_, path, _)) = &block.trait_ else {
            continue;
        };
        let Some(last) = path
            .segments
            .last()
            .filter(|last| last.ident == "FromIterator")
        else {
            continue;
        };
        let syn::PathArguments::AngleBracketed(of) = &last.arguments else {
            continue;
        };
        let Some(syn::GenericArgument::Type(element)) = of.args.first() else {
            continue;
        };
        let generics = types.generics_of(block);
        let generator = Generator {
            generics: &generics,
            ..generator
        };
        let lists = generator.lists(element, 0).unwrap_or_default();
        let plain = arguments.trim_start_matches("::");
        made.extend(
            lists
                .iter()
                .rev()
                .take(4)
                .map(|list| format!("vec![{list}].into_iter().collect::<{name}{plain}>()")),
        );
    }
    made.truncate(MOST_CONSTRUCTORS);
    made.into_iter().map(MadeCode::new).collect()
}

impl SearchedType {
    fn add_method(
        &mut self,
        method: &ImplItemFn,
        of_block: &Generics,
        types: &KnownTypes<'_>,
        seen: &SeenInTests,
    ) {
        let signature = &method.sig;
        let name = signature.ident.to_string();
        let Some(receiver) = signature.receiver() else {
            return;
        };
        // What `Debug` and `Display` do is read after the last call.
        if !is_callable(signature) || ["fmt", "drop", "hash"].contains(&name.as_str()) {
            if signature.inputs.len() == 2 && name == "fmt" {
                self.readings.push(MadeCode::new(".to_string()".to_owned()));
            }
            return;
        }
        let constants = Constants::of(&method.block, seen.of(&name));
        let generics = of_block.with(&signature.generics);
        let generator = Generator {
            types,
            constants: &constants,
            generics: &generics,
            owner: Some(&self.name),
        };
        let parameters = signature.inputs.iter().skip(1);
        let values: Option<Vec<Vec<String>>> = parameters
            .map(|input| match input {
                FnArg::Typed(typed) => generator.values(&typed.ty, 0),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let Some(values) = values else { return };
        let gives = matches!(signature.output, ReturnType::Type(..));
        let is_by_value = receiver.reference.is_none();
        let changes = receiver.mutability.is_some() && !is_by_value;
        // The value is still needed.
        let before = if is_by_value { ".clone()" } else { "" };
        if !changes && !gives {
            return;
        }
        if !changes && values.is_empty() && !is_by_value {
            self.readings.push(MadeCode::new(format!(".{name}()")));
            if gives_iterator(&signature.output) {
                let collected = format!(".{name}().collect::<Vec<_>>()");
                self.readings.push(MadeCode::new(collected));
            }
            return;
        }
        for arguments in combined(&values, MOST_ARGUMENTS) {
            let call = format!("{before}.{name}({})", arguments.join(", "));
            self.operations.push(Operation {
                call: MadeCode::new(call),
                gives,
                changes,
            });
        }
    }

    /// Short sequences first: every operation alone, then more and more.
    fn make_sequences(&mut self, methods: &[Vec<usize>]) {
        let mut random = fastrand::Rng::with_seed(1);
        let changing: Vec<&Vec<usize>> = methods
            .iter()
            .filter(|operations| self.operations[operations[0]].changes)
            .collect();
        let mut all: Vec<Sequence> = Vec::new();
        for constructor in 0..self.constructors.len() {
            all.push(Sequence {
                constructor,
                operations: Vec::new(),
            });
        }
        for constructor in 0..self.constructors.len().min(4) {
            all.extend((0..self.operations.len()).map(|operation| Sequence {
                constructor,
                operations: vec![operation],
            }));
        }
        let longest = if changing.is_empty() {
            1
        } else {
            LONGEST_SEQUENCE
        };
        for length in 2..=longest {
            for _ in 0..SEQUENCES {
                let constructor = random.usize(..self.constructors.len());
                let operations = (0..length).map(|step| {
                    // What only reads says most at the end.
                    let reads = step + 1 == length && random.bool();
                    let of_method = match reads {
                        true => &methods[random.usize(..methods.len())],
                        false => changing[random.usize(..changing.len())],
                    };
                    of_method[random.usize(..of_method.len())]
                });
                all.push(Sequence {
                    operations: operations.collect(),
                    constructor,
                });
            }
        }
        let mut next = 0;
        for sequence in &all {
            self.starts.push(next);
            next += (sequence.operations.len() + self.readings.len()) as u32;
        }
        self.sequences = match next {
            0 => Vec::new(),
            _ => all,
        };
    }

    pub fn contains(&self, span: Span) -> bool {
        self.spans.iter().any(|block| block.contains(span))
    }

    /// The names of the functions that calls of it begin in.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(String::as_str)
    }

    /// How many sequences the search tries.
    pub fn calls(&self) -> usize {
        self.sequences.len()
    }

    /// How many numbers the search uses.
    pub fn places(&self) -> u32 {
        let last = self.sequences.last();
        let of_last = last.map_or(0, |last| last.operations.len() + self.readings.len());
        self.starts.last().copied().unwrap_or(0) + of_last as u32
    }

    /// The pieces of code that may not compile, in the order of the search.
    fn made(&mut self) -> impl Iterator<Item = &mut MadeCode> {
        let operations = self.operations.iter_mut();
        self.constructors
            .iter_mut()
            .chain(operations.map(|operation| &mut operation.call))
            .chain(self.readings.iter_mut())
    }

    /// Forgets what rustc rejected: the same numbers as those of [`SearchedType::search`].
    pub fn leave_out(&mut self, first_id: u32, is_rejected: impl Fn(u32) -> bool) {
        for (id, made) in (first_id + 1..).zip(self.made()) {
            made.is_rejected = is_rejected(id);
        }
    }

    /// How many numbers of additions the search uses.
    pub fn ids(&self) -> u32 {
        self.parts("").len() as u32
    }

    /// A test that makes all sequences of calls and writes down their values, numbered from `first` on. What can't be
    /// compiled of it is left out by itself.
    pub fn search(&self, number: u32, first_id: u32, first: u32, place: usize) -> Vec<Addition> {
        let start = format!(
            "\n#[cfg(test)] #[allow(warnings)] mod __atropos_search_{number} {{ use super::*; #[test] fn search() {{ \
             {USE_CAPTURE} let mut __next: u32 = {first}; "
        );
        let at = Span::new(place, place);
        let piece = |order: u32, text: String| AddedPiece {
            place: at,
            order: PieceOrder::AfterStatement(order),
            text,
        };
        let mut around = Addition {
            id: first_id,
            span: at,
            part_of: None,
            pieces: Vec::new(),
        };
        let mut additions = Vec::new();
        for (order, part) in (first_id..).zip(self.parts(&start)) {
            match part.made {
                None => around.pieces.push(piece(order, part.text)),
                Some(made) => additions.push(Addition {
                    id: first_id + 1 + made as u32,
                    span: at,
                    part_of: Some(first_id),
                    pieces: vec![piece(order, part.text)],
                }),
            }
        }
        additions.push(around);
        additions
    }

    fn parts(&self, start: &str) -> Vec<SearchPart> {
        let mut parts = Vec::new();
        let mut number = 0;
        let around = |text: String| SearchPart { text, made: None };
        let mut made = |text: String| {
            number += 1;
            SearchPart {
                text,
                made: Some(number - 1),
            }
        };
        let sequences = self.sequences.iter().map(|sequence| {
            let steps: Vec<String> = sequence.operations.iter().map(usize::to_string).collect();
            format!("({}, &[{}]),", sequence.constructor, steps.join(","))
        });
        parts.push(around(format!(
            "{start} const SEQUENCES: &[(usize, &[usize])] = &[{}]; for (__c, __steps) in SEQUENCES {{ \
             let mut __now = __next; __next += __steps.len() as u32 + {}; \
             let __done = ::std::panic::catch_unwind(::std::panic::AssertUnwindSafe(|| {{ \
             let mut __s = match *__c {{ ",
            sequences.collect::<String>(),
            self.readings.len()
        )));
        for (index, constructor) in self.constructors.iter().enumerate() {
            parts.push(made(format!("{index}usize => {}, ", constructor.text)));
        }
        parts.push(around(
            "_ => return, }; for __step in __steps.iter() { match *__step { ".to_owned(),
        ));
        for (index, operation) in self.operations.iter().enumerate() {
            parts.push(made(format!(
                "{index}usize => {{ let __value = __s{}; (&Capture(__now, &__value)).capture(); }} ",
                operation.call.text
            )));
        }
        parts.push(around("_ => {} } __now += 1; } ".to_owned()));
        for (index, reading) in self.readings.iter().enumerate() {
            parts.push(made(format!(
                "{{ let __value = &__s{}; (&Capture(__now + {index}, __value)).capture(); }} ",
                reading.text
            )));
        }
        parts.push(around(format!(
            "}})); if __done.is_err() {{ {CAPTURE_ADD}(__now, \"panic\", &()); }} }} }} }}"
        )));
        parts
    }

    /// The calls that give the value with this number, counted from the search's first.
    pub fn call(&self, number: u32) -> Option<SearchedCall> {
        Some(self.witness(number)?.call())
    }

    /// The same, to be made shorter.
    pub fn witness(&self, number: u32) -> Option<CallSequence> {
        let index = self.starts.partition_point(|start| *start <= number);
        let index = index.checked_sub(1)?;
        let sequence = &self.sequences[index];
        let offset = (number - self.starts[index]) as usize;
        let steps = &sequence.operations;
        let constructor = &self.constructors[sequence.constructor];
        let (before, last, last_changes) = match steps.get(offset) {
            Some(step) => {
                let operation = &self.operations[*step];
                (&steps[..offset], &operation.call, operation.changes)
            }
            None => (&steps[..], self.readings.get(offset - steps.len())?, false),
        };
        if constructor.is_rejected || last.is_rejected {
            return None;
        }
        // What only reads changes nothing for what follows.
        let before = before
            .iter()
            .map(|step| &self.operations[*step])
            .filter(|operation| operation.changes && !operation.call.is_rejected);
        Some(CallSequence {
            variable: variable_name(&self.name),
            constructor: constructor.text.clone(),
            before: before
                .map(|operation| (operation.call.text.clone(), operation.gives))
                .collect(),
            last: last.text.clone(),
            last_changes,
        })
    }
}

/// A variable for a value of a type, which is not a keyword.
pub(super) fn variable_name(type_name: &str) -> String {
    let name = snake_case(type_name);
    match syn::parse_str::<syn::Ident>(&name) {
        Ok(_) => name,
        Err(_) => format!("a_{name}"),
    }
}

/// Whether what a method gives is likely to be an iterator.
fn gives_iterator(output: &ReturnType) -> bool {
    let ReturnType::Type(_, ty) = output else {
        return false;
    };
    match &**ty {
        Type::ImplTrait(found) => found
            .bounds
            .to_token_stream()
            .to_string()
            .contains("Iterator"),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            let is_named = ["Iter", "Keys", "Values", "Ones", "Chars", "Bytes"]
                .iter()
                .any(|word| name.contains(word));
            is_named && !name.ends_with("Mut")
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "
#[derive(Clone, Debug)]
pub struct Depot<T> { entries: Vec<T>, next: usize }
impl<T> Depot<T> {
    pub fn new() -> Depot<T> { Depot { entries: Vec::new(), next: 0 } }
    pub fn len(&self) -> usize { self.entries.len() }
    pub fn insert(&mut self, value: T) -> usize { self.entries.push(value); self.next += 1; self.next }
    pub fn retain<F>(&mut self, mut keep: F) where F: FnMut(usize, &mut T) -> bool {}
    pub fn iter(&self) -> Iter<'_, T> { Iter }
    pub fn clear(&mut self) { self.entries.clear() }
}
impl<T> FromIterator<T> for Depot<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self { Depot::new() }
}
impl<T> Extend<T> for Depot<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {}
}
pub struct Odd<T: Strange>(T);
impl<T: Strange> Odd<T> { pub fn new() -> Self { Odd(T::strange()) } pub fn take(&mut self) -> u8 { 0 } }
";

    fn depot() -> SearchedType {
        let mut found = find_types(CODE, &SeenInTests::default());
        assert_eq!(found.len(), 1, "values of Odd can't be made up");
        found.remove(0)
    }

    #[test]
    fn type_parameters_become_numbers() {
        let depot = depot();
        let constructors: Vec<&str> = depot
            .constructors
            .iter()
            .map(|one| one.text.as_str())
            .collect();
        assert_eq!(constructors[0], "Depot::<i32>::new()");
        assert!(
            constructors
                .iter()
                .any(|one| one.ends_with(".into_iter().collect::<Depot<i32>>()"))
        );
        let calls: Vec<&str> = depot
            .operations
            .iter()
            .map(|one| one.call.text.as_str())
            .collect();
        for call in [
            ".insert(1)",
            ".clear()",
            ".retain(|_, _| true)",
            ".extend(vec![0, 1])",
        ] {
            assert!(calls.contains(&call), "{call}: {calls:?}");
        }
        let readings: Vec<&str> = depot.readings.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(
            readings,
            [".len()", ".iter()", ".iter().collect::<Vec<_>>()", ""]
        );
    }

    #[test]
    fn every_number_of_a_search_has_its_calls() {
        let depot = depot();
        let mut lengths = Vec::new();
        for number in 0..depot.places() {
            let call = depot.call(number).unwrap();
            lengths.push(call.setup.len());
            if number % 50 != 0 {
                continue;
            }
            let body = format!("fn f() {{ {} {}; }}", call.setup.concat(), call.expression);
            assert!(syn::parse_str::<syn::ItemFn>(&body).is_ok(), "{body}");
        }
        assert!(depot.call(depot.places()).is_none());
        assert_eq!(lengths.iter().max(), Some(&(LONGEST_SEQUENCE + 1)));
        let two = (0..depot.places()).find_map(|number| {
            let call = depot.call(number)?;
            (call.setup.len() == 2 && call.expression == "depot.len()").then_some(call)
        });
        assert_eq!(
            two.unwrap().setup[0],
            "let mut depot = Depot::<i32>::new();"
        );
    }

    #[test]
    fn what_rustc_rejects_is_in_no_call() {
        let mut depot = depot();
        let rejected = 2 + depot.constructors.len() as u32 + 1;
        let call = depot.operations[1].call.text.clone();
        let is_in = |depot: &SearchedType| {
            let calls = (0..depot.places()).filter_map(|number| depot.call(number));
            calls.into_iter().any(|found| {
                let texts = found.setup.iter().chain([&found.expression]);
                texts.into_iter().any(|text| text.contains(&call))
            })
        };
        assert!(is_in(&depot));
        depot.leave_out(1, |id| id == rejected);
        assert!(!is_in(&depot));
    }

    #[test]
    fn a_search_of_a_type_compiles_as_text_with_and_without_its_parts() {
        let depot = depot();
        let text = |leaves_out: &dyn Fn(u32) -> bool| {
            let mut pieces: Vec<(PieceOrder, String)> = Vec::new();
            for addition in depot.search(1, 10, 100, 0) {
                if !leaves_out(addition.id) {
                    pieces.extend(
                        addition
                            .pieces
                            .into_iter()
                            .map(|piece| (piece.order, piece.text)),
                    );
                }
            }
            pieces.sort();
            pieces.into_iter().map(|(_, text)| text).collect::<String>()
        };
        for text in [text(&|_| false), text(&|id| id > 10 && id % 2 == 0)] {
            assert!(syn::parse_file(&text).is_ok(), "{text}");
        }
        let ids: BTreeSet<u32> = depot
            .search(1, 10, 100, 0)
            .iter()
            .map(|found| found.id)
            .collect();
        assert!(ids.iter().all(|id| (10..10 + depot.ids()).contains(id)));
    }

    #[test]
    fn variables_are_no_keywords() {
        assert_eq!(variable_name("LineBuffer"), "line_buffer");
        assert_eq!(variable_name("Match"), "a_match");
    }
}
