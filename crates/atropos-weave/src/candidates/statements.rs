//! Goes through the statements of test code and collects candidates.

use std::collections::BTreeSet;

use atropos_mutants::mutant::Span;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Expr, ExprMacro, FnArg, ItemFn, ItemMod, Local, Macro, Pat, Stmt, Token,
};

use super::types::PackageTypes;
use super::{AssertionCandidate, CandidatePlace, TestCode};
use crate::observe::span_of;

/// More candidates of one function cost more than they find.
const MOST_OF_A_FUNCTION: usize = 250;

/// Calls whose values tell nothing by themselves, or tell no more than what they are called on.
const PASSED_THROUGH: &[&str] = &[
    "unwrap",
    "expect",
    "clone",
    "into",
    "iter",
    "into_iter",
    "as_str",
    "as_ref",
    "as_bytes",
    "as_slice",
    "to_string",
    "to_owned",
    "to_vec",
    "unwrap_err",
    "expect_err",
    "iter_mut",
    "as_mut",
    "by_ref",
    "borrow",
    "borrow_mut",
    "lock",
    "spawn",
    "join",
    "map",
    "map_err",
    "filter",
    "collect",
    "rev",
    "enumerate",
    "zip",
    "chars",
    "bytes",
    "lines",
    "ok",
    "windows",
    "chunks",
    "all",
    "any",
];

/// Macros whose arguments are expressions, and how many of them are values that the test already looks at.
const MACROS: &[(&str, usize)] = &[
    ("assert", 1),
    ("assert_eq", 2),
    ("assert_ne", 2),
    ("debug_assert", 1),
    ("debug_assert_eq", 2),
    ("debug_assert_ne", 2),
    ("assert_matches", 1),
    ("matches", 1),
    ("println", 0),
    ("print", 0),
    ("format", 0),
    ("vec", 0),
];

pub(super) fn find(
    text: &str,
    base: usize,
    file: &syn::File,
    code: TestCode,
    types: &PackageTypes,
) -> Vec<AssertionCandidate> {
    let mut finder = Finder {
        text,
        base,
        types,
        is_inside: code == TestCode::TestModules,
        is_test: code == TestCode::Whole,
        function: String::new(),
        variables: Vec::new(),
        statement: None,
        found: Vec::new(),
        of_function: 0,
    };
    finder.visit_file(file);
    finder.found
}

/// A variable in scope.
struct ScopeVariable {
    name: String,
    /// If it is one of the package's.
    ty: Option<String>,
}

/// The statement that is gone through.
#[derive(Clone, Copy)]
struct CurrentStatement {
    span: Span,
    is_last: bool,
}

struct Finder<'s> {
    text: &'s str,
    base: usize,
    types: &'s PackageTypes,
    /// The text is part of the crate that it tests.
    is_inside: bool,
    is_test: bool,
    function: String,
    variables: Vec<ScopeVariable>,
    /// None where no statement can be added beside what is evaluated.
    statement: Option<CurrentStatement>,
    found: Vec<AssertionCandidate>,
    of_function: usize,
}

/// Whether a module is compiled for tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

fn name_of_call(expression: &Expr) -> Option<String> {
    match expression {
        Expr::MethodCall(call) => Some(call.method.to_string()),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
            _ => None,
        },
        Expr::Await(awaited) => name_of_call(&awaited.base),
        _ => None,
    }
}

/// Whether an expression is a call whose value may tell something: no constructor of a variant.
fn may_tell(expression: &Expr) -> bool {
    name_of_call(expression).is_some_and(|name| {
        !PASSED_THROUGH.contains(&name.as_str()) && !name.starts_with(char::is_uppercase)
    })
}

/// What an expression's value comes from, behind `?`, `unwrap` and the like.
fn root(expression: &Expr) -> &Expr {
    match expression {
        Expr::Try(tried) => root(&tried.expr),
        Expr::Paren(inner) => root(&inner.expr),
        Expr::MethodCall(call)
            if ["unwrap", "expect"].contains(&call.method.to_string().as_str()) =>
        {
            root(&call.receiver)
        }
        _ => expression,
    }
}

/// The variables that a pattern binds.
fn bound(pattern: &Pat, names: &mut Vec<String>) {
    match pattern {
        Pat::Ident(ident) => names.push(ident.ident.to_string()),
        Pat::Type(typed) => bound(&typed.pat, names),
        Pat::Tuple(tuple) => tuple.elems.iter().for_each(|part| bound(part, names)),
        Pat::Reference(inner) => bound(&inner.pat, names),
        _ => {}
    }
}

impl Finder<'_> {
    fn span(&self, node: &impl syn::spanned::Spanned) -> Span {
        span_of(self.base, node.span())
    }

    fn add(&mut self, place: CandidatePlace, expression: String) {
        let Some(CurrentStatement { span, is_last }) = self.statement else {
            return;
        };
        if self.of_function >= MOST_OF_A_FUNCTION || !self.is_test {
            return;
        }
        // Before the last statement nothing has changed yet that the statement before it did not.
        let is_beside = matches!(place, CandidatePlace::Variable | CandidatePlace::State);
        if is_last && is_beside {
            return;
        }
        self.of_function += 1;
        self.found.push(AssertionCandidate {
            place,
            expression,
            statement: span,
            is_last,
            function: self.function.clone(),
        });
    }

    fn add_call(&mut self, expression: &Expr) {
        let span = self.span(expression);
        if may_tell(expression)
            && let Some(text) = self.text.get(span.start..span.end)
        {
            self.add(CandidatePlace::Within(span), text.to_owned());
        }
    }

    /// What can be read of the variables that a statement names.
    fn add_states(&mut self, statement: Span, is_new: &BTreeSet<String>) {
        let text = &self.text[statement.start..statement.end];
        let words: BTreeSet<&str> = text
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .collect();
        let mut states = Vec::new();
        let mut seen = BTreeSet::new();
        for variable in self.variables.iter().rev() {
            if !words.contains(variable.name.as_str()) || !seen.insert(&variable.name) {
                continue;
            }
            let Some(ty) = &variable.ty else { continue };
            if !is_new.contains(&variable.name) {
                states.push((CandidatePlace::Variable, variable.name.clone()));
            }
            let queries = self.types.queries(ty, self.is_inside);
            states.extend(
                queries.map(|query| (CandidatePlace::State, format!("{}{query}", variable.name))),
            );
        }
        for (place, expression) in states {
            self.add(place, expression);
        }
    }

    fn local(&mut self, local: &Local) {
        let mut names = Vec::new();
        bound(&local.pat, &mut names);
        let Some(init) = &local.init else {
            for name in names {
                self.variables.push(ScopeVariable { name, ty: None });
            }
            return;
        };
        let typed = match &local.pat {
            Pat::Type(typed) => self.types.named(&typed.ty),
            _ => None,
        };
        let is_named = names.len() == 1 && matches!(&local.pat, Pat::Ident(_) | Pat::Type(_));
        let value = root(&init.expr);
        match is_named {
            // The variable stands for the call.
            true => visit::visit_expr(self, value),
            false => self.visit_expr(&init.expr),
        }
        if let Some((_, diverges)) = &init.diverge {
            self.visit_expr(diverges);
        }
        let ty = typed.or_else(|| self.types.type_of(&init.expr).filter(|_| is_named));
        let has_call = !matches!(
            value,
            Expr::Lit(_) | Expr::Path(_) | Expr::Closure(_) | Expr::Struct(_)
        );
        for name in &names {
            self.variables.push(ScopeVariable {
                name: name.clone(),
                ty: ty.clone(),
            });
            if has_call && !name.starts_with('_') {
                self.add(CandidatePlace::Variable, name.clone());
            }
        }
    }

    fn dropped(&mut self, expression: &Expr) {
        let span = self.span(expression);
        if may_tell(expression)
            && let Some(text) = self.text.get(span.start..span.end)
        {
            self.add(CandidatePlace::Dropped(span), text.to_owned());
            visit::visit_expr(self, expression);
        } else {
            self.visit_expr(expression);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(expression, Some(_)) => self.dropped(expression),
            Stmt::Expr(expression, None) => self.visit_expr(expression),
            Stmt::Macro(called) => self.arguments(&called.mac),
            Stmt::Item(item) => {
                let outer = self.statement.take();
                self.visit_item(item);
                self.statement = outer;
            }
        }
    }

    /// The arguments of a macro that are expressions.
    fn arguments(&mut self, called: &Macro) {
        let Some(name) = called
            .path
            .segments
            .last()
            .map(|last| last.ident.to_string())
        else {
            return;
        };
        let Some((_, looked_at)) = MACROS.iter().find(|(known, _)| *known == name) else {
            return;
        };
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(arguments) = parser.parse2(called.tokens.clone()) else {
            return;
        };
        for (index, argument) in arguments.iter().enumerate() {
            match index < *looked_at {
                true => visit::visit_expr(self, argument),
                false => self.visit_expr(argument),
            }
        }
    }

    fn function<'f>(
        &mut self,
        name: String,
        inputs: impl Iterator<Item = &'f FnArg>,
        body: &Block,
    ) {
        let outer = (
            std::mem::replace(&mut self.function, name),
            std::mem::take(&mut self.variables),
            self.statement.take(),
            std::mem::take(&mut self.of_function),
        );
        for input in inputs {
            if let FnArg::Typed(typed) = input {
                let mut names = Vec::new();
                bound(&typed.pat, &mut names);
                let ty = self.types.named(&typed.ty);
                self.variables
                    .extend(names.into_iter().map(|name| ScopeVariable {
                        name,
                        ty: ty.clone(),
                    }));
            }
        }
        self.visit_block(body);
        (
            self.function,
            self.variables,
            self.statement,
            self.of_function,
        ) = outer;
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let outer = self.is_test;
        self.is_test |= is_for_tests(&module.attrs);
        visit::visit_item_mod(self, module);
        self.is_test = outer;
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if function.sig.constness.is_none() && self.is_test {
            let name = function.sig.ident.to_string();
            self.function(name, function.sig.inputs.iter(), &function.block);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if function.sig.constness.is_none() && self.is_test {
            let name = function.sig.ident.to_string();
            self.function(name, function.sig.inputs.iter(), &function.block);
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let (outer, depth) = (self.statement, self.variables.len());
        for (index, statement) in block.stmts.iter().enumerate() {
            let is_end = index + 1 == block.stmts.len();
            let is_last = is_end
                && match statement {
                    Stmt::Expr(Expr::ForLoop(_) | Expr::While(_), _) => false,
                    Stmt::Expr(_, semicolon) => semicolon.is_none(),
                    Stmt::Macro(called) => called.semi_token.is_none(),
                    _ => false,
                };
            let span = self.span(statement);
            self.statement = Some(CurrentStatement { span, is_last });
            let known = self.variables.len();
            self.statement(statement);
            self.statement = Some(CurrentStatement { span, is_last });
            let new = self.variables.iter().skip(known);
            let new = new.map(|variable| variable.name.clone()).collect();
            self.add_states(span, &new);
        }
        self.statement = outer;
        self.variables.truncate(depth);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Call(_) | Expr::MethodCall(_) | Expr::Await(_) => self.add_call(expression),
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_expr_await(&mut self, awaited: &'ast syn::ExprAwait) {
        // A future tells nothing; what it is called with may.
        visit::visit_expr(self, &awaited.base);
    }

    fn visit_expr_macro(&mut self, called: &'ast ExprMacro) {
        self.arguments(&called.mac);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let outer = self.statement.take();
        // Within its block there are statements again.
        visit::visit_expr_closure(self, closure);
        self.statement = outer;
    }

    fn visit_expr_match(&mut self, matched: &'ast syn::ExprMatch) {
        self.visit_expr(&matched.expr);
        let outer = self.statement.take();
        for arm in &matched.arms {
            self.visit_arm(arm);
        }
        self.statement = outer;
    }

    fn visit_expr_while(&mut self, looped: &'ast syn::ExprWhile) {
        // The condition is evaluated more often than what would follow the loop.
        let outer = self.statement.take();
        self.visit_expr(&looped.cond);
        self.statement = outer;
        self.visit_block(&looped.body);
    }
}
