//! The walk over a file's items: where mutants may be made, what the code around is called, and
//! which files and step counters a file needs. What happens within functions is told in
//! `expressions.rs` and its siblings; they are all methods of the one [`Walker`].

use std::collections::{HashMap, HashSet};

use syn::spanned::Spanned;
use syn::{
    AttrStyle, Attribute, Block, FnArg, Generics, ImplItem, Item, ItemImpl, ItemMod, ItemTrait,
    Pat, ReturnType, Signature, TraitItem, Type,
};

use crate::attributes::AttributeFacts;
use crate::concurrency::construct::KnownName;
use crate::concurrency::locals;
use crate::const_functions::{ConstCalls, ConstFunction};
use crate::find::FindOptions;
use crate::mutant::{
    ChildModule, Exclusion, FileMutants, FunctionBody, Mutant, MutantId, Point, Shape, Span,
    StepPlace,
};
use crate::operator::Operator;
use crate::skip_rules;
use crate::source::Source;
use crate::type_facts::TypeFacts;
use crate::types::Scopes;

pub(crate) struct Walker<'a> {
    pub source: &'a Source<'a>,
    pub options: &'a FindOptions,
    pub facts: &'a TypeFacts,
    pub found: FileMutants,
    pub mode: WalkMode,
    /// The impl or trait around.
    pub owner: MethodOwner,
    /// The function around.
    pub frame: FunctionAround,
    /// The predicates around, each with the offset of its attribute: a statement's attributes are
    /// met twice, at the statement and at the expression that the parser gave them to.
    cfg: Vec<(usize, String)>,
    /// Inline modules around, with their `#[path]`.
    modules: Vec<(String, Option<String>)>,
    in_test_module: bool,
    /// Modules, types and functions around, as they are named.
    names: Vec<String>,
    /// Where the `..` and `..=` lie that RBR exchanges.
    pub moved_ranges: HashSet<usize>,
    /// Edits made so far, each reduced to what really changes, so that none is made twice.
    edits: HashSet<(usize, usize, String)>,
}

/// What may be done to the code that is walked through.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct WalkMode {
    pub mutates: bool,
    /// Whether step counters are placed.
    pub steps: bool,
}

impl WalkMode {
    pub const FULL: WalkMode = WalkMode {
        mutates: true,
        steps: true,
    };
    pub const STEPS: WalkMode = WalkMode {
        mutates: false,
        steps: true,
    };
    /// Const contexts: nothing that is not const may be called.
    pub const NOTHING: WalkMode = WalkMode {
        mutates: false,
        steps: false,
    };
}

/// The impl or trait that a method belongs to.
#[derive(Default)]
pub(crate) struct MethodOwner {
    pub self_type: Option<Type>,
    /// The last name of the trait that is implemented.
    pub of_trait: Option<String>,
    pub associated: HashMap<String, Type>,
    pub type_parameters: Vec<TypeParameter>,
}

#[derive(Clone)]
pub(crate) struct TypeParameter {
    pub name: String,
    pub has_default_bound: bool,
}

/// What is known within one function.
#[derive(Default)]
pub(crate) struct FunctionAround {
    pub scopes: Scopes,
    pub returns: Option<Type>,
    pub type_parameters: Vec<TypeParameter>,
    /// Loops and labelled blocks around, innermost last.
    pub breakables: Vec<BreakTarget>,
    /// Statements may be deleted (not in a `Drop::drop` that gives something back: it would leak).
    pub deletes: bool,
    /// The only statement of a body that FBR replaces by `()`: deleting it is the same.
    pub sole_statement: Option<Span>,
    /// The block consists of a return under a condition that has the variant `false`.
    pub false_condition_around: bool,
    /// What locals are, as far as threads are concerned.
    pub constructs: HashMap<String, KnownName>,
    /// For each block around, the mutants that need a copy of it.
    pub block_drafts: Vec<Vec<Draft>>,
    /// What the `.await` that was met last waits for.
    pub awaited: Option<Span>,
    /// `.await` may stand here.
    pub is_async: bool,
}

impl FunctionAround {
    pub fn is_awaited(&self, span: Span) -> bool {
        self.awaited == Some(span)
    }
}

pub(crate) struct BreakTarget {
    pub label: Option<String>,
    pub is_loop: bool,
    /// It is a loop that has to be left with a value, or not at all.
    pub has_value: bool,
}

/// One mutant that an operator would like to make.
pub(crate) struct Draft {
    pub operator: Operator,
    pub span: Span,
    pub replacement: String,
    pub summary: String,
    pub letter: char,
    /// Where people look for it.
    pub at: usize,
    pub needs_exploration: bool,
}

impl Draft {
    pub fn new(operator: Operator, span: Span, replacement: String, summary: String) -> Draft {
        Draft {
            operator,
            span,
            replacement,
            summary,
            letter: '.',
            at: span.start,
            needs_exploration: false,
        }
    }

    pub fn under_exploration(mut self) -> Draft {
        self.needs_exploration = true;
        self
    }

    pub fn with_letter(mut self, letter: char) -> Draft {
        self.letter = letter;
        self
    }

    pub fn seen_at(mut self, offset: usize) -> Draft {
        self.at = offset;
        self
    }
}

impl<'a> Walker<'a> {
    pub fn new(
        source: &'a Source<'a>,
        options: &'a FindOptions,
        facts: &'a TypeFacts,
    ) -> Walker<'a> {
        Walker {
            source,
            options,
            facts,
            found: FileMutants::default(),
            mode: if options.test_only {
                WalkMode::STEPS
            } else {
                WalkMode::FULL
            },
            owner: MethodOwner::default(),
            frame: FunctionAround::default(),
            cfg: Vec::new(),
            modules: Vec::new(),
            in_test_module: options.test_only,
            names: Vec::new(),
            moved_ranges: HashSet::new(),
            edits: HashSet::new(),
        }
    }

    pub fn file(mut self, file: &syn::File) -> FileMutants {
        self.found.first_item = self.behind_inner(self.source.code_start(), &file.attrs);
        self.marked(&file.attrs, |walker| walker.items(&file.items));
        // Outer before inner; a stable sort keeps the order in which equal spans were made.
        self.found
            .points
            .sort_by_key(|point| (point.span.start, std::cmp::Reverse(point.span.end)));
        self.found.steps.sort_by_key(|step| step.offset);
        self.found.number_functions();
        self.found.const_calls = ConstCalls::of(file);
        // Without a mutant there is nothing to weave.
        let points = self.found.points.clone();
        self.found
            .keep_const(|function| !points.iter().any(|point| function.evaluates(point.span)));
        self.found
    }

    pub fn is_selected(&self, operator: Operator) -> bool {
        self.options.selection.contains(operator)
    }

    /// Walks on under what a list of attributes says. A function or statement that is built where debug assertions are
    /// on checks the program, and is left alone.
    pub fn marked(&mut self, attributes: &[Attribute], walk: impl FnOnce(&mut Self)) {
        if attributes.is_empty() {
            return walk(self);
        }
        let mut marks = AttributeFacts::of(attributes, self.source);
        marks.skip |= marks.debug;
        self.under(marks, walk);
    }

    /// The same for an `impl`, trait or module, which is no check but the program, in one of two versions.
    fn marked_whole(&mut self, attributes: &[Attribute], walk: impl FnOnce(&mut Self)) {
        self.under(AttributeFacts::of(attributes, self.source), walk);
    }

    fn under(&mut self, marks: AttributeFacts, walk: impl FnOnce(&mut Self)) {
        let mode = self.mode;
        let outer_cfg = self.cfg.len();
        for cfg in marks.cfg {
            if !self.cfg.contains(&cfg) {
                self.cfg.push(cfg);
            }
        }
        if marks.test || marks.skip {
            self.mode.mutates = false;
        }
        if marks.untouchable {
            self.mode = WalkMode::NOTHING;
        }
        let first = self.found.points.len();
        walk(self);
        for pattern in marks.exclusions {
            let spans = self.found.points[first..].iter().map(|point| point.span);
            if let Some(span) = spans.reduce(Span::around) {
                self.found.exclusions.push(Exclusion { span, pattern });
            }
        }
        self.mode = mode;
        self.cfg.truncate(outer_cfg);
    }

    pub fn under_cfg(
        &mut self,
        cfg: Vec<(usize, String)>,
        is_test: bool,
        walk: impl FnOnce(&mut Self),
    ) {
        let mode = self.mode;
        let in_test_module = self.in_test_module;
        let outer_cfg = self.cfg.len();
        self.cfg.extend(cfg);
        self.mode.mutates &= !is_test;
        self.in_test_module |= is_test;
        walk(self);
        self.mode = mode;
        self.in_test_module = in_test_module;
        self.cfg.truncate(outer_cfg);
    }

    pub fn in_mode(&mut self, mode: WalkMode, walk: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.mode, mode);
        walk(self);
        self.mode = outer;
    }

    pub fn items(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    pub fn item(&mut self, item: &Item) {
        match item {
            Item::Fn(item) => self.marked(&item.attrs, |walker| {
                walker.function(&item.attrs, &item.sig, &item.block);
            }),
            Item::Impl(item) => self.marked_whole(&item.attrs, |walker| walker.item_impl(item)),
            Item::Trait(item) => self.marked_whole(&item.attrs, |walker| walker.item_trait(item)),
            Item::Mod(item) => self.item_mod(item),
            Item::Const(item) => self.marked(&item.attrs, |walker| {
                walker.constant(&item.ident.to_string(), &item.expr);
            }),
            Item::Static(item) => self.marked(&item.attrs, |walker| {
                walker.constant(&item.ident.to_string(), &item.expr);
            }),
            Item::Macro(item) => self.marked(&item.attrs, |walker| walker.item_macro(&item.mac)),
            _ => {}
        }
    }

    fn item_mod(&mut self, item: &ItemMod) {
        let name = item.ident.to_string().trim_start_matches("r#").to_string();
        let marks = AttributeFacts::of(&item.attrs, self.source);
        let is_test = self.in_test_module || marks.test;
        match &item.content {
            Some((_, items)) => {
                let path = marks.paths.into_iter().map(|(_, path)| path).next();
                let in_test_module = std::mem::replace(&mut self.in_test_module, is_test);
                self.modules.push((name.clone(), path));
                self.names.push(name);
                self.marked_whole(&item.attrs, |walker| walker.items(items));
                self.names.pop();
                self.modules.pop();
                self.in_test_module = in_test_module;
            }
            None => self.child_module(name, marks, is_test),
        }
    }

    fn child_module(&mut self, name: String, marks: AttributeFacts, is_test: bool) {
        // `#[mutants::skip] mod a;` means the whole file; it is walked as test code is.
        let test_only = is_test || marks.skip || !self.mode.mutates;
        let mut path: Vec<String> = self.modules.iter().map(|(name, _)| name.clone()).collect();
        path.push(name);
        let cfg: Vec<String> = self
            .cfg
            .iter()
            .chain(&marks.cfg)
            .map(|(_, predicate)| predicate.clone())
            .collect();
        let module = |path_attribute, cfg| ChildModule {
            path: path.clone(),
            path_attribute,
            outer_path_attributes: self.modules.iter().map(|(_, path)| path.clone()).collect(),
            cfg,
            test_only,
        };
        let conditions: Vec<&String> = marks.paths.iter().filter_map(|(c, _)| c.as_ref()).collect();
        let mut modules: Vec<ChildModule> = Vec::new();
        for (condition, file) in &marks.paths {
            let cfg = cfg.iter().chain(condition).cloned().collect();
            modules.push(module(Some(file.clone()), cfg));
        }
        if conditions.len() == marks.paths.len() {
            let otherwise = conditions
                .iter()
                .map(|condition| format!("not({condition})"));
            modules.push(module(None, cfg.iter().cloned().chain(otherwise).collect()));
        }
        self.found.modules.extend(modules);
    }

    fn item_impl(&mut self, item: &ItemImpl) {
        let of_trait = item.trait_.as_ref().map(|(_, path, _)| path);
        let trait_name = of_trait
            .and_then(|path| path.segments.last())
            .map(|segment| segment.ident.to_string());
        let self_name = self.source.flat(&item.self_ty);
        let name = match of_trait {
            Some(path) => format!("<{self_name} as {}>", self.source.flat(path)),
            None => self_name,
        };
        let associated = item
            .items
            .iter()
            .filter_map(|member| match member {
                ImplItem::Type(member) => Some((member.ident.to_string(), member.ty.clone())),
                _ => None,
            })
            .collect();
        let mut mode = self.mode;
        if let Some(trait_name) = &trait_name {
            mode.mutates &= !skip_rules::is_skipped_trait(trait_name);
            if trait_name == "GlobalAlloc" {
                // The runtime itself allocates.
                mode = WalkMode::NOTHING;
            }
        }
        let owner = MethodOwner {
            self_type: Some((*item.self_ty).clone()),
            of_trait: trait_name,
            associated,
            type_parameters: type_parameters(&item.generics),
        };
        self.owned(name, owner, mode, |walker| {
            for member in &item.items {
                match member {
                    ImplItem::Fn(member) => walker.marked(&member.attrs, |walker| {
                        walker.function(&member.attrs, &member.sig, &member.block);
                    }),
                    ImplItem::Const(member) => walker.marked(&member.attrs, |walker| {
                        walker.constant(&member.ident.to_string(), &member.expr);
                    }),
                    _ => {}
                }
            }
        });
    }

    fn item_trait(&mut self, item: &ItemTrait) {
        let owner = MethodOwner {
            type_parameters: type_parameters(&item.generics),
            ..MethodOwner::default()
        };
        let mode = self.mode;
        self.owned(item.ident.to_string(), owner, mode, |walker| {
            for member in &item.items {
                match member {
                    TraitItem::Fn(member) => walker.marked(&member.attrs, |walker| {
                        if let Some(block) = &member.default {
                            walker.function(&member.attrs, &member.sig, block);
                        }
                    }),
                    TraitItem::Const(member) => walker.marked(&member.attrs, |walker| {
                        if let Some((_, value)) = &member.default {
                            walker.constant(&member.ident.to_string(), value);
                        }
                    }),
                    _ => {}
                }
            }
        });
    }

    fn owned(
        &mut self,
        name: String,
        owner: MethodOwner,
        mode: WalkMode,
        walk: impl FnOnce(&mut Self),
    ) {
        let outer = std::mem::replace(&mut self.owner, owner);
        self.names.push(name);
        self.in_mode(mode, walk);
        self.names.pop();
        self.owner = outer;
    }

    /// The value of a constant or static: only closures and items within it may be touched.
    fn constant(&mut self, name: &str, value: &syn::Expr) {
        self.names.push(name.to_string());
        let frame = std::mem::replace(&mut self.frame, FunctionAround::for_code());
        self.constant_expression(value);
        self.frame = frame;
        self.names.pop();
    }

    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        let mut frame = FunctionAround::for_code();
        let is_drop = self.owner.of_trait.as_deref() == Some("Drop");
        frame.deletes = !(is_drop && skip_rules::gives_back(&self.owner, block));
        frame.is_async = signature.asyncness.is_some();
        frame.type_parameters = type_parameters(&signature.generics);
        frame.returns = match &signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some((**ty).clone()),
        };
        for input in &signature.inputs {
            if let FnArg::Typed(typed) = input {
                frame.scopes.bind(&typed.pat, Some(&typed.ty));
            }
        }
        let mut mode = self.mode;
        if skip_rules::is_skipped_function(signature, &self.owner, self.facts) {
            mode.mutates = false;
        }
        let outer_frame = std::mem::replace(&mut self.frame, frame);
        self.names.push(signature.ident.to_string());
        if self.looks_at_concurrency() {
            self.frame.constructs = locals::of(self, block);
        }
        let const_function = ConstFunction::of(signature, block, self.source);
        if const_function.is_some() && !mode.mutates {
            self.constant_block(block);
        } else {
            self.found.const_functions.extend(const_function);
            self.in_mode(mode, |walker| {
                let start = walker.body_start(block, attributes);
                walker.function_step(start, block);
                walker.concurrent_function(signature, block);
                walker.function_body(signature, block, start);
            });
        }
        self.names.pop();
        self.frame = outer_frame;
    }

    /// Just behind a block's `{` and its inner attributes.
    pub fn body_start(&self, block: &Block, attributes: &[Attribute]) -> usize {
        let brace = self.source.token(block.brace_token.span.open());
        self.behind_inner(brace.end, attributes)
    }

    fn behind_inner(&self, start: usize, attributes: &[Attribute]) -> usize {
        attributes
            .iter()
            .filter(|attribute| matches!(attribute.style, AttrStyle::Inner(_)))
            .map(|attribute| {
                let span = self.source.token(attribute.span());
                self.source.behind_comment(span.start, span.end)
            })
            .fold(start, usize::max)
    }

    pub fn step(&mut self, offset: usize) {
        if self.mode.steps {
            self.found.steps.push(StepPlace {
                offset,
                function: None,
            });
        }
    }

    /// The counter at the beginning of a function; functions are numbered when all are known.
    fn function_step(&mut self, offset: usize, block: &Block) {
        if self.mode.steps {
            let braces = &block.brace_token.span;
            let start = self.source.token(braces.open()).end;
            let end = self.source.token(braces.close()).start;
            let span = Span::new(start, end);
            self.found.steps.push(StepPlace {
                offset,
                function: Some(FunctionBody { number: 0, span }),
            });
        }
    }

    /// The function around, as people name it.
    pub fn function_name(&self) -> String {
        self.names.join("::")
    }

    /// Makes a point of the drafts that are wanted and new, if any is.
    pub fn point(&mut self, span: Span, shape: Shape, drafts: Vec<Draft>) {
        if !self.mode.mutates || drafts.is_empty() {
            return;
        }
        // An attribute would get between the parenthesis and the expression it belongs to.
        let takes_attributes = matches!(shape, Shape::Statement | Shape::Arm { .. });
        if self.source.slice(span).starts_with('#') && !takes_attributes {
            return;
        }
        let mutants: Vec<Mutant> = drafts
            .into_iter()
            .filter_map(|draft| self.mutant(draft))
            .collect();
        if mutants.is_empty() {
            return;
        }
        let (line, column) = self.source.position(span.start);
        self.found.points.push(Point {
            span,
            shape,
            function: self.function_name(),
            line,
            column,
            cfg: self
                .cfg
                .iter()
                .map(|(_, predicate)| predicate.clone())
                .collect(),
            mutants,
        });
    }

    /// Another mutant makes this very change in other words, or it changes nothing: it is not made.
    pub fn leave_out(&mut self, draft: &Draft) {
        let edit = reduced_edit(self.source.text, draft.span, &draft.replacement);
        self.edits.insert(edit);
    }

    fn mutant(&mut self, draft: Draft) -> Option<Mutant> {
        if !self.is_selected(draft.operator) {
            return None;
        }
        let mut draft = draft;
        let before = &self.source.text[..draft.span.start];
        if before.ends_with(is_word) && draft.replacement.starts_with(is_word) {
            // `return-a` without its minus.
            draft.replacement.insert(0, ' ');
        }
        let edit = reduced_edit(self.source.text, draft.span, &draft.replacement);
        if edit.0 == edit.1 && edit.2.is_empty() || !self.edits.insert(edit) {
            return None;
        }
        let (line, column) = self.source.position(draft.at);
        Some(Mutant {
            id: MutantId(0),
            operator: draft.operator,
            span: draft.span,
            replacement: draft.replacement,
            summary: draft.summary,
            letter: draft.letter,
            line,
            column,
            needs_exploration: draft.needs_exploration,
        })
    }
}

impl FunctionAround {
    pub fn for_code() -> FunctionAround {
        let mut frame = FunctionAround {
            deletes: true,
            ..FunctionAround::default()
        };
        frame.scopes.enter();
        frame
    }
}

/// What an edit really changes: the part of it that is not the same before and after.
fn reduced_edit(text: &str, span: Span, replacement: &str) -> (usize, usize, String) {
    let original = &text[span.start..span.end];
    let prefix: usize = original
        .chars()
        .zip(replacement.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    let suffix: usize = original[prefix..]
        .chars()
        .rev()
        .zip(replacement[prefix..].chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    (
        span.start + prefix,
        span.end - suffix,
        replacement[prefix..replacement.len() - suffix].to_string(),
    )
}

fn type_parameters(generics: &Generics) -> Vec<TypeParameter> {
    let is_default = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|segment| segment.ident == "Default"),
        _ => false,
    };
    let in_where = |name: &syn::Ident| {
        generics.where_clause.iter().any(|clause| {
            clause.predicates.iter().any(|predicate| match predicate {
                syn::WherePredicate::Type(predicate) => {
                    matches!(&predicate.bounded_ty, Type::Path(path) if path.path.is_ident(name))
                        && predicate.bounds.iter().any(is_default)
                }
                _ => false,
            })
        })
    };
    generics
        .type_params()
        .map(|parameter| TypeParameter {
            name: parameter.ident.to_string(),
            has_default_bound: parameter.bounds.iter().any(is_default)
                || in_where(&parameter.ident),
        })
        .collect()
}

/// Whether a pattern binds by moving or copying a whole value, so that what it is matched against
/// is only read.
pub(crate) fn only_reads(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(ident) => ident.by_ref.is_none() && ident.subpat.is_none(),
        Pat::Type(typed) => only_reads(&typed.pat),
        Pat::Paren(inner) => only_reads(&inner.pat),
        _ => false,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
