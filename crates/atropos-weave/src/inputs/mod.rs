//! Inputs of functions, for a search that runs original and mutants side by side on them.
//!
//! [`find`] names the functions of a file that can be called with values made up from their parameters' types: numbers, texts,
//! lists, `Option`s, tuples, the file's own structs and enums ([`values`]), with the constants of the function's body among them.
//! What tests call a function with is among them ([`calls`]). [`SearchedFunction::search`] is a test that makes all the calls and
//! writes down what each gives; what the call with a number is in Rust, [`SearchedFunction::call`] tells. [`find_types`] does
//! the same for sequences of calls on values of a type ([`sequences`]).

mod call_sequence;
mod calls;
mod generics;
mod searched_code;
mod sequences;
mod values;

use atropos_mutants::mutant::Span;
use atropos_values::interface::CAPTURE_ADD;
use syn::visit::Visit as _;
use syn::{FnArg, ImplItem, Item, ReturnType, Signature, Type};

pub use self::call_sequence::CallSequence;
pub use self::calls::{CallNames, SeenInTests};
use self::generics::{GenericKind, Generics};
pub use self::searched_code::{SearchedCode, find_all};
use self::sequences::variable_name;
pub use self::sequences::{SearchedType, find_types};
use self::values::{Alphabet, Constants, Constructor, Generator, KnownTypes};
use crate::additions::{AddedPiece, Addition, PieceOrder};
use crate::observe::{span_of, with_file};

/// Most calls of one function.
const MOST_CALLS: usize = 3000;
/// Most ways to look at a value after a call.
const MOST_QUERIES: usize = 6;
/// What a search needs to write values down.
const USE_CAPTURE: &str =
    "#[allow(unused_imports)] use ::atropos_runtime::capture::{Capture, Hidden as _, Shown as _};";

/// A function that can be called with made-up values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedFunction {
    /// As mutants name it: `clamp`, `Wallet::interest`.
    pub name: String,
    /// All of it.
    pub span: Span,
    /// How to come to a value that it is a method of; none for functions without `self`.
    receivers: Vec<ReceiverSetup>,
    /// The values of each parameter.
    parameters: Vec<Vec<String>>,
    /// What can be looked at after the call, behind the receiver's name.
    queries: Vec<String>,
    returns: bool,
}

/// A value that methods are called on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ReceiverSetup {
    value: String,
    /// A method called before, with its arguments.
    before: Option<String>,
}

/// One call, to be written into a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedCall {
    /// Statements before, each with its semicolon.
    pub setup: Vec<String>,
    /// Whose value is asserted.
    pub expression: String,
}

/// The functions of a file that can be searched. What tests call them with is among their inputs.
pub fn find(text: &str, seen: &SeenInTests) -> Vec<SearchedFunction> {
    let found = with_file(text, |file, base| {
        let types = known_types(file);
        let mut found = Vec::new();
        for item in &file.items {
            match item {
                Item::Fn(function) => {
                    let span = span_of(base, syn::spanned::Spanned::span(function));
                    if is_callable(&function.sig) {
                        let searched =
                            searched((&types, seen), None, &function.sig, &function.block, span);
                        found.extend(searched);
                    }
                }
                Item::Impl(block) if block.trait_.is_none() && block.generics.params.is_empty() => {
                    let Some(owner) = name_of(&block.self_ty) else {
                        continue;
                    };
                    for method in &block.items {
                        let ImplItem::Fn(method) = method else {
                            continue;
                        };
                        let span = span_of(base, syn::spanned::Spanned::span(method));
                        if is_callable(&method.sig) {
                            let owner = Some((owner.as_str(), file));
                            found.extend(searched(
                                (&types, seen),
                                owner,
                                &method.sig,
                                &method.block,
                                span,
                            ));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    });
    found.unwrap_or_default()
}

fn is_callable(signature: &Signature) -> bool {
    signature.asyncness.is_none()
        && signature.unsafety.is_none()
        && signature.variadic.is_none()
        && signature.generics.const_params().next().is_none()
        && signature.ident != "main"
}

fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

fn known_types(file: &syn::File) -> KnownTypes<'_> {
    let mut alphabet = Alphabet::default();
    alphabet.visit_file(file);
    let mut types = KnownTypes {
        alphabet: alphabet.0,
        ..KnownTypes::default()
    };
    for item in &file.items {
        match item {
            Item::Struct(found) => {
                let name = found.ident.to_string();
                if found.generics.params.is_empty() {
                    types.structs.insert(name.clone(), &found.fields);
                }
                add_parameters(&mut types, name, &found.generics, file);
            }
            Item::Enum(found) => {
                let name = found.ident.to_string();
                if found.generics.params.is_empty() {
                    let variants = found.variants.iter();
                    let variants =
                        variants.map(|variant| (variant.ident.to_string(), &variant.fields));
                    types.enums.insert(name.clone(), variants.collect());
                }
                add_parameters(&mut types, name, &found.generics, file);
            }
            _ => {}
        }
    }
    for item in &file.items {
        let Item::Impl(block) = item else { continue };
        let Some(owner) = name_of(&block.self_ty).filter(|_| block.trait_.is_none()) else {
            continue;
        };
        let generics = types.generics_of(block);
        let found = types.constructors.entry(owner.clone()).or_default();
        found.extend(constructors_in(block, &owner, &generics));
    }
    types
}

/// The functions of a block that make a value without having one.
fn constructors_in<'f>(
    block: &'f syn::ItemImpl,
    owner: &str,
    generics: &Generics,
) -> Vec<Constructor<'f>> {
    let methods = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    });
    let constructor = |method: &'f syn::ImplItemFn| {
        let gives_itself = match &method.sig.output {
            ReturnType::Type(_, ty) => {
                name_of(ty).is_some_and(|name| name == "Self" || name == owner)
            }
            ReturnType::Default => false,
        };
        let inputs = method.sig.inputs.iter();
        let parameters: Option<Vec<&Type>> = inputs
            .map(|input| match input {
                FnArg::Typed(typed) => Some(&*typed.ty),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let parameters = parameters.filter(|_| gives_itself && is_callable(&method.sig))?;
        Some(Constructor {
            name: method.sig.ident.to_string(),
            is_public: sequences::is_public(&method.vis),
            parameters,
            generics: generics.with(&method.sig.generics),
        })
    };
    let mut found: Vec<Constructor<'_>> = methods.filter_map(constructor).collect();
    // A value as only a private function makes it may be none that a caller can have.
    if found.iter().any(|found| found.is_public) {
        found.retain(|found| found.is_public);
    }
    found
}

/// Chooses what the parameters of a type are, if something can be chosen for all of them.
fn add_parameters(
    types: &mut KnownTypes<'_>,
    name: String,
    generics: &syn::Generics,
    file: &syn::File,
) {
    let of_type = Generics::of(generics);
    // The blocks that make values; they may ask for more than the type itself does.
    let making: Vec<&syn::ItemImpl> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Impl(block) if block.trait_.is_none() => Some(block),
            _ => None,
        })
        .filter(|block| name_of(&block.self_ty).as_deref() == Some(name.as_str()))
        .filter(|block| !constructors_in(block, &name, &Generics::default()).is_empty())
        .collect();
    let mut kinds = Vec::new();
    for (index, parameter) in generics.type_params().enumerate() {
        let own = of_type.kind(&parameter.ident.to_string());
        let asked = making.iter().map(|block| {
            let names = values::parameters_of(&block.self_ty);
            let name = names.get(index).cloned().flatten();
            name.and_then(|name| Generics::of(&block.generics).kind(&name))
        });
        let mut asked: Vec<Option<GenericKind>> = asked.collect();
        asked.push(own.filter(|_| making.is_empty()));
        let has = |kind: GenericKind| asked.contains(&Some(kind));
        kinds.push(match own {
            Some(GenericKind::Plain) if has(GenericKind::Plain) => GenericKind::Plain,
            Some(GenericKind::Plain | GenericKind::Text) if has(GenericKind::Text) => {
                GenericKind::Text
            }
            _ => GenericKind::Unknown,
        });
    }
    types.choose(name, generics, kinds);
}

fn searched(
    (types, seen): (&KnownTypes<'_>, &SeenInTests),
    owner: Option<(&str, &syn::File)>,
    signature: &Signature,
    body: &syn::Block,
    span: Span,
) -> Option<SearchedFunction> {
    let constants = Constants::of(body, seen.of(&signature.ident.to_string()));
    let generator = Generator {
        types,
        constants: &constants,
        generics: &Generics::of(&signature.generics),
        owner: owner.map(|(name, _)| name),
    };
    let mut parameters = Vec::new();
    let mut receiver = None;
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(found) => receiver = Some(found),
            FnArg::Typed(typed) => parameters.push(generator.values(&typed.ty, 0)?),
        }
    }
    let name = signature.ident.to_string();
    let returns = matches!(signature.output, ReturnType::Type(..));
    let mut receivers = Vec::new();
    let mut queries = Vec::new();
    if let (Some(_), Some((owner, file))) = (receiver, owner) {
        receivers = receiver_setups(&generator, owner, file);
        if receivers.is_empty() {
            return None;
        }
        if receiver
            .is_some_and(|receiver| receiver.mutability.is_some() && receiver.reference.is_some())
        {
            queries = queries_of(owner, file);
        }
    }
    let mut found = SearchedFunction {
        name: match owner {
            Some((owner, _)) => format!("{owner}::{name}"),
            None => name,
        },
        span,
        receivers,
        parameters,
        queries,
        returns,
    };
    found.thin_out();
    let tells = found.returns || !found.queries.is_empty();
    let varies = !found.parameters.is_empty() || !found.receivers.is_empty();
    (tells && varies).then_some(found)
}

/// Values of a type, as they are made and after one call that changes them.
fn receiver_setups(generator: &Generator<'_>, owner: &str, file: &syn::File) -> Vec<ReceiverSetup> {
    let made = generator.own(owner, 0).unwrap_or_default();
    let mut changes = Vec::new();
    for method in methods(owner, file) {
        let changes_self = method
            .sig
            .receiver()
            .is_some_and(|receiver| receiver.mutability.is_some() && receiver.reference.is_some());
        if !changes_self || !is_callable(&method.sig) {
            continue;
        }
        let inputs = method.sig.inputs.iter().skip(1);
        let values: Option<Vec<Vec<String>>> = inputs
            .map(|input| match input {
                FnArg::Typed(typed) => generator.values(&typed.ty, 0),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let Some(values) = values else { continue };
        let most = values.iter().map(Vec::len).max().unwrap_or(1).min(8);
        for index in 0..most {
            let arguments: Vec<String> = values
                .iter()
                .map(|part| part[index % part.len()].clone())
                .collect();
            changes.push(format!("{}({})", method.sig.ident, arguments.join(", ")));
        }
    }
    let mut setups: Vec<ReceiverSetup> = Vec::new();
    for value in made.iter().take(8) {
        setups.push(ReceiverSetup {
            value: value.clone(),
            before: None,
        });
    }
    for value in made.iter().take(3) {
        setups.extend(changes.iter().take(24).map(|change| ReceiverSetup {
            value: value.clone(),
            before: Some(change.clone()),
        }));
    }
    setups
}

fn methods<'f>(owner: &'f str, file: &'f syn::File) -> impl Iterator<Item = &'f syn::ImplItemFn> {
    let blocks = file.items.iter().filter_map(move |item| match item {
        Item::Impl(block)
            if block.trait_.is_none() && name_of(&block.self_ty).as_deref() == Some(owner) =>
        {
            Some(block)
        }
        _ => None,
    });
    blocks
        .flat_map(|block| &block.items)
        .filter_map(|item| match item {
            ImplItem::Fn(method) => Some(method),
            _ => None,
        })
}

/// Methods that only read, and fields where there are none.
fn queries_of(owner: &str, file: &syn::File) -> Vec<String> {
    let reading = methods(owner, file).filter(|method| {
        let reads = method
            .sig
            .receiver()
            .is_some_and(|receiver| receiver.mutability.is_none() && receiver.reference.is_some());
        let returns = matches!(method.sig.output, ReturnType::Type(..));
        reads && returns && method.sig.inputs.len() == 1 && is_callable(&method.sig)
    });
    let mut queries: Vec<String> = reading
        .map(|method| format!(".{}()", method.sig.ident))
        .collect();
    if queries.is_empty() {
        let fields = file.items.iter().find_map(|item| match item {
            Item::Struct(found) if found.ident == owner => Some(&found.fields),
            _ => None,
        });
        let names = fields
            .into_iter()
            .flatten()
            .filter_map(|field| field.ident.as_ref());
        queries.extend(names.map(|name| format!(".{name}")));
    }
    queries.truncate(MOST_QUERIES);
    queries
}

impl SearchedFunction {
    /// Leaves out values until there are few enough calls.
    fn thin_out(&mut self) {
        let calls = |found: &SearchedFunction| {
            let parameters = found.parameters.iter().map(Vec::len);
            parameters
                .product::<usize>()
                .saturating_mul(found.receivers.len().max(1))
        };
        while calls(self) > MOST_CALLS {
            let longest = self.parameters.iter_mut().max_by_key(|part| part.len());
            match longest {
                Some(longest)
                    if longest.len() > self.receivers.len().min(8) && longest.len() > 1 =>
                {
                    longest.pop();
                }
                _ if self.receivers.len() > 1 => {
                    self.receivers.pop();
                }
                _ => return,
            }
        }
    }

    /// How many calls the search makes.
    pub fn calls(&self) -> usize {
        let parameters = self.parameters.iter().map(Vec::len);
        parameters.product::<usize>() * self.receivers.len().max(1)
    }

    /// How many values each call may give.
    fn stride(&self) -> usize {
        1 + self.queries.len()
    }

    /// How many numbers the search uses.
    pub fn places(&self) -> u32 {
        (self.calls() * self.stride()) as u32
    }

    /// A test that makes all calls and writes down their values, numbered from `first` on.
    pub fn search(&self, number: u32, id: u32, first: u32, place: usize) -> Addition {
        let mut loops = String::new();
        let mut ends = String::new();
        let mut over = |name: &str, count: usize| {
            loops.push_str(&format!("for {name} in 0..{count}usize {{ "));
            ends.push('}');
        };
        if !self.receivers.is_empty() {
            over("__r", self.receivers.len());
        }
        for (index, values) in self.parameters.iter().enumerate() {
            over(&format!("__p{index}"), values.len());
        }
        let chosen = |index: &str, values: &mut dyn Iterator<Item = String>| {
            let values: Vec<String> = values.collect();
            let last = values.len() - 1;
            let arms = values
                .iter()
                .enumerate()
                .map(|(number, value)| match number == last {
                    true => format!("_ => {value}"),
                    false => format!("{number} => {value}, "),
                });
            format!("match {index} {{ {} }}", arms.collect::<String>())
        };
        let arguments: Vec<String> = self
            .parameters
            .iter()
            .enumerate()
            .map(|(index, values)| chosen(&format!("__p{index}"), &mut values.iter().cloned()))
            .collect();
        let arguments = arguments.join(", ");
        let (setup, call) = match self.receivers.is_empty() {
            true => (String::new(), format!("{}({arguments})", self.name)),
            false => {
                let mut values = self
                    .receivers
                    .iter()
                    .map(|receiver| match &receiver.before {
                        None => receiver.value.clone(),
                        Some(before) => format!(
                            "{{ let mut __s = {}; let _ = __s.{before}; __s }}",
                            receiver.value
                        ),
                    });
                let setup = format!("let mut __s = {};", chosen("__r", &mut values));
                let method = self.name.rsplit("::").next().unwrap_or(&self.name);
                (setup, format!("__s.{method}({arguments})"))
            }
        };
        let queries = self.queries.iter().enumerate().map(|(index, query)| {
            format!("(&Capture(__at + {}, &__s{query})).capture();", index + 1)
        });
        let queries: String = queries.collect();
        let stride = self.stride();
        let text = format!(
            "\n#[cfg(test)] #[allow(warnings)] mod __atropos_search_{number} {{ use super::*; #[test] fn search() {{ {USE_CAPTURE} \
             let mut __next: u32 = {first}; {loops} let __at = __next; __next += {stride}; \
             let __done = ::std::panic::catch_unwind(::std::panic::AssertUnwindSafe(|| {{ {setup} \
             {{ let __value = {call}; (&Capture(__at, &__value)).capture(); }} {queries} }})); \
             if __done.is_err() {{ {CAPTURE_ADD}(__at, \"panic\", &()); }} {ends} }} }}"
        );
        Addition {
            id,
            span: self.span,
            part_of: None,
            pieces: vec![AddedPiece {
                place: Span::new(place, place),
                order: PieceOrder::AfterStatement(id),
                text,
            }],
        }
    }

    /// The call that gives the value with this number, counted from the search's first.
    pub fn call(&self, number: u32) -> Option<SearchedCall> {
        let (mut index, query) = (
            number as usize / self.stride(),
            number as usize % self.stride(),
        );
        let mut arguments = Vec::new();
        for values in self.parameters.iter().rev() {
            arguments.push(values.get(index % values.len())?.as_str());
            index /= values.len();
        }
        arguments.reverse();
        let arguments = arguments.join(", ");
        let Some(receiver) = self.receivers.get(index) else {
            return self.receivers.is_empty().then(|| SearchedCall {
                setup: Vec::new(),
                expression: format!("{}({arguments})", self.name),
            });
        };
        let (owner, method) = self.name.rsplit_once("::")?;
        let query = query
            .checked_sub(1)
            .and_then(|query| self.queries.get(query));
        if receiver.before.is_none() && query.is_none() {
            let value = &receiver.value;
            let value = match value.ends_with('}') {
                true => format!("({value})"),
                false => value.clone(),
            };
            return Some(SearchedCall {
                setup: Vec::new(),
                expression: format!("{value}.{method}({arguments})"),
            });
        }
        let name = variable_name(owner);
        let mut setup = vec![format!("let mut {name} = {};", receiver.value)];
        setup.extend(
            receiver
                .before
                .iter()
                .map(|before| format!("let _ = {name}.{before};")),
        );
        let call = format!("{name}.{method}({arguments})");
        Some(match query {
            None => SearchedCall {
                setup,
                expression: call,
            },
            Some(query) => {
                match self.returns {
                    true => setup.push(format!("let _ = {call};")),
                    false => setup.push(format!("{call};")),
                }
                SearchedCall {
                    setup,
                    expression: format!("{name}{query}"),
                }
            }
        })
    }
}

/// `LineBuffer` as a variable's name: `line_buffer`.
pub fn snake_case(name: &str) -> String {
    let mut result = String::new();
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index > 0 {
            result.push('_');
        }
        result.extend(letter.to_lowercase());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "
pub struct Wallet { balance: i64, limit: u64 }
impl Wallet {
    pub fn new(limit: u64) -> Wallet { Wallet { balance: 0, limit } }
    pub fn balance(&self) -> i64 { self.balance }
    pub fn deposit(&mut self, amount: u64) { if amount < 40 { self.balance += 1 } }
    pub fn interest(&self, percent: i64) -> i64 { percent }
}
pub fn clamp(value: i64) -> i64 { if value > 100 { 100 } else { value } }
pub fn generic<T: Clone>(value: T) -> T { value }
pub fn with<F: Strange>(call: F) -> u8 { 0 }
pub fn by<F: Fn(u8) -> bool>(call: F) -> u8 { 0 }
pub fn join(parts: &[Option<&str>], by: char) -> String { String::new() }
";

    fn found(name: &str) -> Option<SearchedFunction> {
        find(CODE, &SeenInTests::default())
            .into_iter()
            .find(|found| found.name == name)
    }

    #[test]
    fn constants_and_their_neighbours_are_among_the_inputs() {
        let clamp = found("clamp").unwrap();
        let calls: Vec<String> = (0..clamp.places())
            .map(|number| clamp.call(number).unwrap().expression)
            .collect();
        for call in [
            "clamp(0)",
            "clamp(100)",
            "clamp(99)",
            "clamp(101)",
            "clamp(i64::MIN)",
        ] {
            assert!(calls.contains(&call.to_owned()), "{calls:?}");
        }
        assert!(found("generic").is_some());
        assert!(found("with").is_none());
        let by = found("by").unwrap();
        assert_eq!(by.call(0).unwrap().expression, "by(|_| true)");
        assert!(found("join").unwrap().calls() > 20);
    }

    #[test]
    fn texts_are_made_of_the_characters_that_the_file_names() {
        let code = "fn quote(text: &str) -> u8 { 0 } fn raw(bytes: &[u8]) -> u8 { 0 }
            fn special(a: char) -> bool { a == '\\'' || a == b'$' as char }";
        let of = |name: &str| {
            let found = find(code, &SeenInTests::default()).into_iter();
            let found = found.filter(|found| found.name == name);
            let calls = found.flat_map(|found| {
                let calls = (0..found.places()).map(move |number| found.call(number).unwrap());
                calls.map(|call| call.expression).collect::<Vec<_>>()
            });
            calls.collect::<Vec<_>>()
        };
        assert!(of("quote").contains(&"quote(\"$\")".to_owned()));
        assert!(of("raw").contains(&"raw(b\"\\'\")".to_owned()));
        assert!(of("special").contains(&"special('$')".to_owned()));
        assert!(of("quote").len() > 200);
    }

    #[test]
    fn methods_are_called_on_values_that_were_made_and_changed() {
        let interest = found("Wallet::interest").unwrap();
        let calls: Vec<SearchedCall> = (0..interest.places())
            .map(|number| interest.call(number).unwrap())
            .collect();
        assert!(
            calls
                .iter()
                .any(|call| call.expression == "Wallet::new(0).interest(1)")
        );
        let after = calls.iter().find(|call| call.setup.len() == 2).unwrap();
        assert!(
            after.setup[0].starts_with("let mut wallet = Wallet::new("),
            "{after:?}"
        );
        assert!(
            after.setup[1].starts_with("let _ = wallet.deposit("),
            "{after:?}"
        );

        let deposit = found("Wallet::deposit").unwrap();
        let after = deposit.call(1).unwrap();
        assert_eq!(after.expression, "wallet.balance()");
        assert!(
            after.setup.last().unwrap().starts_with("wallet.deposit("),
            "{after:?}"
        );
    }

    #[test]
    fn a_search_is_a_test_that_compiles_as_text() {
        for found in find(CODE, &SeenInTests::default()) {
            let text = found.search(1, 1, 1, 0).pieces[0].text.clone();
            assert!(syn::parse_file(&text).is_ok(), "{text}");
            assert!(found.calls() <= MOST_CALLS, "{}", found.name);
        }
    }
}
