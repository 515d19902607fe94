//! What of a source file can be observed: its functions and closures with their variables, and
//! its blocks. Test code and `const fn` are left out.

use atropos_mutants::mutant::Span;
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprClosure, FnArg, ImplItemFn, ItemConst, ItemFn, ItemImpl, ItemMod,
    ItemStatic, ItemTrait, Member, Pat, PatType, ReturnType, Signature, TraitItemFn, Type,
    Visibility,
};

use super::structs::{Structs, pointee, type_name};
use super::{span_of, with_file};

/// So many variables are looked at, at entry and at exit. The runtime has room for no more.
const VARIABLES: usize = 8;
/// So many fields of a returned struct.
const RETURNED_FIELDS: usize = 4;

/// A variable of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedVariable {
    /// As people write it: `amount`, `self.balance`; of a returned struct `.balance`.
    pub name: String,
    /// A reference to what is looked at, as an expression.
    pub(super) reference: String,
    /// At exit: which variable at entry it was.
    pub then: Option<u8>,
}

/// What a function gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Returned {
    Unit,
    /// Of a type that can be written.
    Typed(String),
    /// Of a type that can't: `impl Trait`, or a closure's.
    Untyped,
    Never,
}

/// A function, method or closure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// `Account::deposit`, `<Account as Drop>::drop`, `Account::deposit::{closure:12:9}`.
    pub name: String,
    /// By what it is found again in woven text: where its body's brace stands, or a closure begins.
    /// (What a closure's body begins with may be written by a mutant.)
    pub(super) key: usize,
    /// From its signature to the end of its body.
    pub span: Span,
    pub line: u32,
    pub returned: Returned,
    /// At entry: parameters, then the fields of `self` that it touches.
    pub entry: Vec<ObservedVariable>,
    /// At exit, from number 1 on (0 is what it returns): fields of that, then what `&mut` may
    /// have changed.
    pub exit: Vec<ObservedVariable>,
    /// Visible outside its module: `pub`, or of a trait.
    pub is_public: bool,
    pub is_closure: bool,
    /// It takes `self` in some way.
    pub is_method: bool,
}

/// A block that may or may not be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedBlock {
    /// Of its brace.
    pub(super) offset: usize,
    /// The function it is in, by its place in the file's list.
    pub function: u32,
}

/// What of one file can be observed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedFile {
    pub functions: Vec<Function>,
    pub blocks: Vec<ObservedBlock>,
}

impl ObservedFile {
    /// Looks through a source.
    pub fn of(source: &str, structs: &Structs) -> ObservedFile {
        let structs = structs.seen_from(source);
        let found = with_file(source, |file, base| {
            let mut finder = Finder {
                base,
                structs: &structs,
                found: ObservedFile::default(),
                names: Vec::new(),
                self_type: None,
                function: None,
                is_trait: false,
            };
            finder.visit_file(file);
            finder.found
        });
        found.unwrap_or_default()
    }

    /// The innermost function around a place.
    pub fn function_at(&self, offset: usize) -> Option<usize> {
        let around = self.functions.iter().enumerate();
        around
            .filter(|(_, function)| function.span.start <= offset && offset < function.span.end)
            .min_by_key(|(_, function)| function.span.end - function.span.start)
            .map(|(index, _)| index)
    }
}

struct Finder<'s> {
    base: usize,
    structs: &'s Structs,
    found: ObservedFile,
    /// The names of the types and functions around.
    names: Vec<String>,
    self_type: Option<String>,
    /// The function around, by number.
    function: Option<u32>,
    is_trait: bool,
}

impl Finder<'_> {
    fn within(&mut self, name: String, work: impl FnOnce(&mut Self)) {
        self.names.push(name);
        work(self);
        self.names.pop();
    }

    fn function(
        &mut self,
        attributes: &[Attribute],
        is_public: bool,
        signature: &Signature,
        body: &syn::Block,
        visit: impl FnOnce(&mut Self),
    ) {
        if is_left_out(attributes) {
            return;
        }
        let name = signature.ident.to_string();
        let before = self.function.take();
        if signature.constness.is_none() {
            let span = Span::new(
                span_of(self.base, signature.span()).start,
                span_of(self.base, body.span()).end,
            );
            let entry = self.parameters(signature, body);
            let returned = returned(&signature.output);
            let exit = self.at_exit(signature, &entry);
            self.add(Function {
                name: self.full_name(&name),
                key: span_of(self.base, body.brace_token.span.open()).start,
                span,
                line: line_of(signature.ident.span()),
                returned,
                entry,
                exit,
                is_public,
                is_closure: false,
                is_method: signature.receiver().is_some(),
            });
            self.within(name, visit);
        }
        self.function = before;
    }

    fn add(&mut self, function: Function) {
        self.function = Some(self.found.functions.len() as u32);
        self.found.functions.push(function);
    }

    fn full_name(&self, name: &str) -> String {
        let mut full = self.names.join("::");
        if !full.is_empty() {
            full.push_str("::");
        }
        full + name
    }

    /// The parameters, and the fields of `self` that the body touches.
    fn parameters(&self, signature: &Signature, body: &syn::Block) -> Vec<ObservedVariable> {
        let mut variables = Vec::new();
        for input in &signature.inputs {
            if let FnArg::Typed(PatType { pat, ty, .. }) = input {
                add_names(pat, Some(ty), &mut variables);
            }
        }
        if signature.receiver().is_some() {
            let known = self.self_type.as_deref();
            let fields = known.map_or(&[][..], |name| self.structs.fields(name));
            let touched = touched_fields(body);
            for field in fields.iter().filter(|field| touched.contains(&field.name)) {
                variables.push(ObservedVariable {
                    name: format!("self.{}", field.name),
                    reference: format!("&{}self.{}", "*".repeat(field.pointers), field.name),
                    then: None,
                });
            }
        }
        variables.truncate(VARIABLES);
        variables
    }

    /// Fields of what is returned, and what may have been changed behind `&mut`.
    fn at_exit(&self, signature: &Signature, entry: &[ObservedVariable]) -> Vec<ObservedVariable> {
        let mut variables = Vec::new();
        if let ReturnType::Type(_, ty) = &signature.output {
            let name = type_name(ty).map(|name| match name.as_str() {
                "Self" => self.self_type.clone().unwrap_or(name),
                _ => name,
            });
            let fields = name.map_or(&[][..], |name| self.structs.fields(&name));
            for field in fields.iter().take(RETURNED_FIELDS) {
                let stars = "*".repeat(field.pointers);
                variables.push(ObservedVariable {
                    name: format!(".{}", field.name),
                    reference: format!("&{stars}{}.{}", super::weave::VALUE, field.name),
                    then: None,
                });
            }
            if borrows(ty) {
                return variables;
            }
        }
        for (then, variable) in entry.iter().enumerate() {
            if is_changed_behind(signature, &variable.name) {
                variables.push(ObservedVariable {
                    then: Some(then as u8),
                    ..variable.clone()
                });
            }
        }
        variables.truncate(VARIABLES - 1);
        variables
    }

    fn block(&mut self, block: &syn::Block) {
        if let Some(function) = self.function {
            let offset = span_of(self.base, block.brace_token.span.open()).start;
            self.found.blocks.push(ObservedBlock { offset, function });
        }
    }
}

/// Whether a variable is a field behind `&mut self` or a parameter of type `&mut T`.
fn is_changed_behind(signature: &Signature, name: &str) -> bool {
    if name.starts_with("self.") {
        return signature
            .receiver()
            .is_some_and(|receiver| receiver.reference.is_some() && receiver.mutability.is_some());
    }
    signature.inputs.iter().any(|input| match input {
        FnArg::Typed(PatType { pat, ty, .. }) => {
            let is_mutable =
                matches!(&**ty, Type::Reference(reference) if reference.mutability.is_some());
            is_mutable && matches!(&**pat, Pat::Ident(ident) if ident.ident == name)
        }
        FnArg::Receiver(_) => false,
    })
}

/// Whether a returned value may keep a borrow alive.
fn borrows(ty: &Type) -> bool {
    let text = ty.to_token_stream().to_string();
    ["&", "'", "impl ", "dyn "]
        .iter()
        .any(|sign| text.contains(sign))
        || type_name(ty).is_some_and(|name| {
            name.contains("Iter")
                || name.contains("Guard")
                || name.contains("Ref")
                || name.contains("Mut")
        })
}

fn returned(output: &ReturnType) -> Returned {
    match output {
        ReturnType::Default => Returned::Unit,
        ReturnType::Type(_, ty) => match &**ty {
            Type::Never(_) => Returned::Never,
            Type::Tuple(tuple) if tuple.elems.is_empty() => Returned::Unit,
            ty => {
                let text = ty.to_token_stream().to_string();
                match text.contains("impl ") || text.contains('\n') {
                    true => Returned::Untyped,
                    false => Returned::Typed(text),
                }
            }
        },
    }
}

/// The names that a pattern binds by value.
fn add_names(pat: &Pat, ty: Option<&Type>, variables: &mut Vec<ObservedVariable>) {
    match pat {
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
            let name = ident.ident.to_string();
            if name == "_" || name.starts_with("__atropos") {
                return;
            }
            let pointers = ty.map_or(0, |ty| pointee(ty).1);
            variables.push(ObservedVariable {
                reference: format!("&{}{name}", "*".repeat(pointers)),
                name,
                then: None,
            });
        }
        Pat::Type(typed) => add_names(&typed.pat, Some(&typed.ty), variables),
        Pat::Tuple(tuple) => tuple
            .elems
            .iter()
            .for_each(|pat| add_names(pat, None, variables)),
        Pat::Reference(reference) => add_names(&reference.pat, None, variables),
        Pat::Paren(paren) => add_names(&paren.pat, ty, variables),
        _ => {}
    }
}

/// The fields of `self` that a body names.
fn touched_fields(body: &syn::Block) -> Vec<String> {
    struct Fields(Vec<String>);
    impl<'a> Visit<'a> for Fields {
        fn visit_expr_field(&mut self, field: &'a syn::ExprField) {
            if matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self")) {
                self.0.push(match &field.member {
                    Member::Named(name) => name.to_string(),
                    Member::Unnamed(index) => index.index.to_string(),
                });
            }
            visit::visit_expr_field(self, field);
        }

        fn visit_macro(&mut self, call: &'a syn::Macro) {
            // Arguments of macros are tokens: look for `self . name`.
            let text = call.tokens.to_string();
            for (start, _) in text.match_indices("self . ") {
                let rest = &text[start + "self . ".len()..];
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                self.0.push(rest[..end.unwrap_or(rest.len())].to_owned());
            }
        }
    }
    let mut fields = Fields(Vec::new());
    fields.visit_block(body);
    fields.0
}

/// Test code.
fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let last = path.segments.last().map(|last| last.ident.to_string());
        let last = last.unwrap_or_default();
        let text = || attribute.meta.to_token_stream().to_string();
        last.contains("test")
            || last == "bench"
            || last == "naked"
            || path.is_ident("cfg") && text().replace(' ', "").contains("(test")
    })
}

fn line_of(span: proc_macro2::Span) -> u32 {
    span.start().line as u32
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !is_left_out(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_const(&mut self, _: &'a ItemConst) {}

    fn visit_item_static(&mut self, _: &'a ItemStatic) {}

    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}

    fn visit_trait_item_const(&mut self, _: &'a syn::TraitItemConst) {}

    fn visit_item_enum(&mut self, _: &'a syn::ItemEnum) {}

    fn visit_type(&mut self, _: &'a Type) {}

    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        if is_left_out(&item.attrs) {
            return;
        }
        let name = type_name(&item.self_ty);
        let shown = name
            .clone()
            .unwrap_or_else(|| item.self_ty.to_token_stream().to_string());
        let shown = match &item.trait_ {
            Some((_, path, _)) => {
                let last = path.segments.last().map(|last| last.ident.to_string());
                format!("<{shown} as {}>", last.unwrap_or_default())
            }
            None => shown,
        };
        let before = (self.self_type.take(), self.is_trait, self.function.take());
        (self.self_type, self.is_trait) = (name, item.trait_.is_some());
        let names = std::mem::take(&mut self.names);
        self.within(shown, |finder| visit::visit_item_impl(finder, item));
        self.names = names;
        (self.self_type, self.is_trait, self.function) = before;
    }

    fn visit_item_trait(&mut self, item: &'a ItemTrait) {
        if is_left_out(&item.attrs) {
            return;
        }
        let before = (self.self_type.take(), self.is_trait);
        self.is_trait = true;
        let names = std::mem::take(&mut self.names);
        self.within(item.ident.to_string(), |finder| {
            visit::visit_item_trait(finder, item)
        });
        self.names = names;
        (self.self_type, self.is_trait) = before;
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        let is_public = !matches!(item.vis, Visibility::Inherited);
        self.function(&item.attrs, is_public, &item.sig, &item.block, |finder| {
            finder.visit_block(&item.block);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        let is_public = self.is_trait || !matches!(item.vis, Visibility::Inherited);
        self.function(&item.attrs, is_public, &item.sig, &item.block, |finder| {
            finder.visit_block(&item.block);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, true, &item.sig, block, |finder| {
                finder.visit_block(block);
            });
        }
    }

    fn visit_expr_closure(&mut self, closure: &'a ExprClosure) {
        let before = self.function;
        if before.is_none() || closure.constness.is_some() || closure.asyncness.is_some() {
            visit::visit_expr_closure(self, closure);
            return;
        }
        let start = closure.span().start();
        let name = format!("{{closure:{}:{}}}", start.line, start.column + 1);
        let mut entry = Vec::new();
        for input in &closure.inputs {
            add_names(input, None, &mut entry);
        }
        entry.truncate(VARIABLES);
        self.add(Function {
            name: self.full_name(&name),
            key: span_of(self.base, closure.span()).start,
            span: span_of(self.base, closure.span()),
            line: start.line as u32,
            returned: match &closure.output {
                ReturnType::Default => Returned::Untyped,
                output => returned(output),
            },
            entry,
            exit: Vec::new(),
            is_public: false,
            is_closure: true,
            is_method: false,
        });
        self.visit_expr(&closure.body);
        self.function = before;
    }

    fn visit_expr_if(&mut self, expr: &'a syn::ExprIf) {
        self.block(&expr.then_branch);
        if let Some((_, otherwise)) = &expr.else_branch
            && let Expr::Block(block) = &**otherwise
        {
            self.block(&block.block);
        }
        visit::visit_expr_if(self, expr);
    }

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        if let Expr::Block(block) = &*arm.body
            && block.label.is_none()
        {
            self.block(&block.block);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_for_loop(&mut self, expr: &'a syn::ExprForLoop) {
        self.block(&expr.body);
        visit::visit_expr_for_loop(self, expr);
    }

    fn visit_expr_while(&mut self, expr: &'a syn::ExprWhile) {
        self.block(&expr.body);
        visit::visit_expr_while(self, expr);
    }

    fn visit_expr_loop(&mut self, expr: &'a syn::ExprLoop) {
        self.block(&expr.body);
        visit::visit_expr_loop(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "
        struct Account { balance: i64, owner: Box<str>, log: Vec<u8> }
        impl Account {
            pub fn new(owner: &str, (low, high): (i64, i64)) -> Self { todo(owner, low, high) }
            fn deposit(&mut self, amount: i64, log: &mut Vec<u8>) {
                if amount > 0 { self.balance += amount; } else { log.clear() }
                let f = |x: i64| x + self.balance;
            }
            const fn zero() -> u8 { 0 }
            fn owner(&self) -> &str { &self.owner }
        }
        impl Drop for Account { fn drop(&mut self) { println!(\"{}\", self.log) } }
        #[cfg(test)] mod tests { fn helper() {} }
        #[test] fn checks() {}
        pub async fn run() -> Result<u8, ()> { for x in y { match x { 1 => {} _ => 2 } } Ok(1) }
        fn stop() -> ! { loop {} }
    ";

    fn found() -> ObservedFile {
        ObservedFile::of(SOURCE, &Structs::of([SOURCE]))
    }

    fn names(variables: &[ObservedVariable]) -> Vec<&str> {
        variables
            .iter()
            .map(|variable| variable.name.as_str())
            .collect()
    }

    #[test]
    fn functions_methods_and_closures_are_found_but_no_tests() {
        let found = found();
        let names: Vec<&str> = found
            .functions
            .iter()
            .map(|function| function.name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "Account::new",
                "Account::deposit",
                "Account::deposit::{closure:7:25}",
                "Account::owner",
                "<Account as Drop>::drop",
                "run",
                "stop"
            ]
        );
        let is_public: Vec<bool> = found
            .functions
            .iter()
            .map(|function| function.is_public)
            .collect();
        assert_eq!(is_public, [true, false, false, false, true, true, false]);
    }

    #[test]
    fn parameters_and_touched_fields_are_looked_at() {
        let found = found();
        assert_eq!(names(&found.functions[0].entry), ["owner", "low", "high"]);
        assert_eq!(found.functions[0].entry[0].reference, "&*owner");
        assert_eq!(
            names(&found.functions[1].entry),
            ["amount", "log", "self.balance"]
        );
        assert_eq!(names(&found.functions[2].entry), ["x"]);
        assert_eq!(names(&found.functions[3].entry), ["self.owner"]);
        assert_eq!(found.functions[3].entry[0].reference, "&*self.owner");
        assert_eq!(names(&found.functions[4].entry), ["self.log"]);
    }

    #[test]
    fn returned_fields_and_what_may_have_changed_are_looked_at_on_leaving() {
        let found = found();
        assert_eq!(
            names(&found.functions[0].exit),
            [".balance", ".owner", ".log"]
        );
        assert_eq!(names(&found.functions[1].exit), ["log", "self.balance"]);
        let thens: Vec<Option<u8>> = found.functions[1]
            .exit
            .iter()
            .map(|variable| variable.then)
            .collect();
        assert_eq!(thens, [Some(1), Some(2)]);
        assert_eq!(names(&found.functions[3].exit), [] as [&str; 0]);
    }

    #[test]
    fn what_a_function_returns_is_known_by_its_signature() {
        let found = found();
        let returned: Vec<&Returned> = found
            .functions
            .iter()
            .map(|function| &function.returned)
            .collect();
        let typed = |text: &str| Returned::Typed(text.to_owned());
        assert_eq!(
            returned,
            [
                &typed("Self"),
                &Returned::Unit,
                &Returned::Untyped,
                &typed("& str"),
                &Returned::Unit,
                &typed("Result < u8 , () >"),
                &Returned::Never
            ]
        );
    }

    #[test]
    fn blocks_belong_to_functions() {
        let found = found();
        let functions: Vec<u32> = found.blocks.iter().map(|block| block.function).collect();
        assert_eq!(functions, [1, 1, 5, 5, 6]);
    }

    #[test]
    fn a_place_lies_in_its_innermost_function() {
        let found = found();
        let at = |text: &str| found.function_at(SOURCE.find(text).unwrap());
        assert_eq!(at("amount > 0"), Some(1));
        assert_eq!(at("x + self.balance"), Some(2));
        assert_eq!(at("helper"), None);
    }
}
