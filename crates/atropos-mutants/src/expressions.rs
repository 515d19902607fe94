//! The walk over expressions: which role each part of an expression plays, and which operators
//! look at it. Outer points are made before inner ones.

use syn::punctuated::Punctuated;
use syn::{
    Attribute, Block, Expr, ExprCall, ExprClosure, ExprMethodCall, ExprStruct, ExprUnary, Pat,
    ReturnType, Token, Type, UnOp,
};

use crate::binaries::{OperandOf, OperandSide};
use crate::mutant::Shape;
use crate::operator::Operator;
use crate::skip_rules;
use crate::source::shortened;
use crate::walk::{BreakTarget, Draft, WalkMode, Walker, only_reads};

/// What an expression's surroundings do with it; decides where a `match` may stand instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionRole {
    /// Its value is read.
    Value,
    /// It is an operand, and its value is read.
    Operand(OperandOf, OperandSide),
    /// It may be borrowed or written to: a path or field here is a place, not a value.
    Place,
    /// As `Place`, with a postfix operator behind it.
    Receiver,
    /// A bool that decides something.
    Condition,
    /// It is iterated, whatever its type.
    Iterated,
    /// Its value is thrown away; if it is a block without a semicolon, it is `()`.
    Unit,
    /// As `Unit`, and nothing follows in the function.
    End,
    /// It must not end: the block of a `let … else`.
    Never,
}

impl ExpressionRole {
    /// Whether a place expression in this role is copied or moved from.
    pub fn is_read(self) -> bool {
        matches!(
            self,
            ExpressionRole::Value | ExpressionRole::Operand(..) | ExpressionRole::Condition
        )
    }

    /// Whether a minus or another low operator needs parentheses here.
    pub fn is_postfixed(self) -> bool {
        matches!(self, ExpressionRole::Receiver)
    }

    /// The role of what lies in parentheses.
    fn in_parentheses(self) -> ExpressionRole {
        match self {
            ExpressionRole::Receiver => ExpressionRole::Place,
            other => other,
        }
    }

    /// Whether nothing but `()` can come of it.
    pub fn is_unit(self) -> bool {
        matches!(self, ExpressionRole::Unit | ExpressionRole::End)
    }

    /// The role of a block's last expression.
    fn of_tail(self) -> ExpressionRole {
        match self {
            ExpressionRole::Unit | ExpressionRole::End | ExpressionRole::Never => self,
            _ => ExpressionRole::Value,
        }
    }
}

impl Walker<'_> {
    pub fn expression(&mut self, expression: &Expr, role: ExpressionRole, expected: Option<&Type>) {
        let attributes = attributes_of(expression);
        self.marked(attributes, |walker| {
            walker.bare_expression(expression, role, expected);
        });
    }

    /// An expression whose attributes have been considered.
    fn bare_expression(
        &mut self,
        expression: &Expr,
        role: ExpressionRole,
        expected: Option<&Type>,
    ) {
        if role == ExpressionRole::Condition {
            self.negation(expression);
        }
        self.leaf(expression, role);
        match expression {
            Expr::Array(array) => {
                let element = expected.and_then(element_of);
                self.elements(&array.elems, element);
            }
            Expr::Assign(assign) => {
                self.expression(&assign.left, ExpressionRole::Place, None);
                let ty = self.type_of(&assign.left);
                self.expression(&assign.right, ExpressionRole::Value, ty.as_ref());
            }
            Expr::Async(block) => self.detached(None, true, |walker| {
                walker.block(&block.block, ExpressionRole::Value, None);
            }),
            Expr::Await(wait) => {
                self.concurrent_await(wait);
                self.expression(&wait.base, ExpressionRole::Receiver, None);
            }
            Expr::Binary(binary) => self.binary(binary, expected),
            Expr::Block(block) => {
                let label = block
                    .label
                    .as_ref()
                    .map(|label| label.name.ident.to_string());
                let is_labelled = label.is_some();
                if is_labelled {
                    let breakable = BreakTarget {
                        label,
                        is_loop: false,
                        has_value: false,
                    };
                    self.frame.breakables.push(breakable);
                }
                self.block(&block.block, role.of_tail(), expected);
                if is_labelled {
                    self.frame.breakables.pop();
                }
            }
            Expr::Break(jump) => {
                self.break_to_continue(jump);
                if let Some(value) = &jump.expr {
                    self.expression(value, ExpressionRole::Value, None);
                }
            }
            Expr::Call(call) => self.call(call, expected),
            Expr::Cast(cast) => self.expression(&cast.expr, ExpressionRole::Value, Some(&cast.ty)),
            Expr::Closure(closure) => self.closure(closure, false),
            Expr::Const(block) => self.constant_block(&block.block),
            Expr::Continue(jump) => self.continue_to_break(jump),
            Expr::Field(field) => self.expression(&field.base, ExpressionRole::Receiver, None),
            Expr::ForLoop(looped) => {
                self.expression(&looped.expr, ExpressionRole::Iterated, None);
                let item = self.type_of_items(&looped.expr);
                self.frame.scopes.enter();
                self.frame.scopes.bind(&looped.pat, item.as_ref());
                self.loop_body(&looped.attrs, looped.label.as_ref(), &looped.body, false);
                self.frame.scopes.leave();
            }
            Expr::Group(group) => self.expression(&group.expr, role, expected),
            Expr::If(branch) => self.branch(branch, role.of_tail(), expected),
            Expr::Index(index) => self.index(index),
            Expr::Let(binding) => {
                self.expression(&binding.expr, ExpressionRole::Place, None);
                self.frame.scopes.bind(&binding.pat, None);
            }
            Expr::Lit(literal) => self.literal(literal, role, expected),
            Expr::Loop(looped) => {
                let has_value = expected.is_some_and(is_surely_a_value);
                self.loop_body(
                    &looped.attrs,
                    looped.label.as_ref(),
                    &looped.body,
                    has_value,
                );
            }
            Expr::Macro(mac) => self.expression_macro(&mac.mac, expression),
            Expr::Match(matched) => self.matching(matched, role.of_tail(), expected),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Paren(inner) => self.expression(&inner.expr, role.in_parentheses(), expected),
            Expr::Range(range) => self.range(range, role, expected),
            Expr::RawAddr(address) => self.expression(&address.expr, ExpressionRole::Place, None),
            Expr::Reference(reference) => {
                let referred = match expected {
                    Some(Type::Reference(reference)) => Some(&*reference.elem),
                    _ => None,
                };
                self.borrowed_slice(expression, &reference.expr);
                self.expression(&reference.expr, ExpressionRole::Place, referred);
            }
            Expr::Repeat(repeat) => {
                let element = expected.and_then(element_of);
                self.expression(&repeat.expr, ExpressionRole::Value, element);
                self.constant_expression(&repeat.len);
            }
            Expr::Return(jump) => {
                if let Some(value) = &jump.expr {
                    let returns = self.frame.returns.clone();
                    self.expression(value, ExpressionRole::Value, returns.as_ref());
                }
            }
            Expr::Struct(literal) => self.struct_literal(literal),
            Expr::Try(attempt) => {
                self.question_mark(attempt);
                self.expression(&attempt.expr, ExpressionRole::Receiver, None);
            }
            Expr::TryBlock(attempt) => self.block(&attempt.block, ExpressionRole::Value, None),
            Expr::Tuple(tuple) => {
                self.concurrent_tuple(tuple);
                let types = match expected {
                    Some(Type::Tuple(types)) if types.elems.len() == tuple.elems.len() => {
                        Some(&types.elems)
                    }
                    _ => None,
                };
                for (index, element) in tuple.elems.iter().enumerate() {
                    let ty = types.map(|types| &types[index]);
                    self.expression(element, ExpressionRole::Value, ty);
                }
            }
            Expr::Unary(unary) => self.unary(unary, role, expected),
            Expr::Unsafe(block) => self.block(&block.block, role.of_tail(), expected),
            Expr::While(looped) => {
                self.frame.scopes.enter();
                self.condition(&looped.cond);
                self.loop_body(&looped.attrs, looped.label.as_ref(), &looped.body, false);
                self.frame.scopes.leave();
            }
            Expr::Yield(jump) => {
                if let Some(value) = &jump.expr {
                    self.expression(value, ExpressionRole::Value, None);
                }
            }
            // Paths, `_`, and what the parser does not know.
            _ => {}
        }
    }

    fn loop_body(
        &mut self,
        attributes: &[Attribute],
        label: Option<&syn::Label>,
        body: &Block,
        has_value: bool,
    ) {
        let start = self.body_start(body, attributes);
        self.step(start);
        self.frame.breakables.push(BreakTarget {
            label: label.map(|label| label.name.ident.to_string()),
            is_loop: true,
            has_value,
        });
        self.block(body, ExpressionRole::Unit, None);
        self.frame.breakables.pop();
    }

    /// Code that `break` and `return` can't leave: closures and async blocks.
    fn detached(&mut self, returns: Option<Type>, is_async: bool, walk: impl FnOnce(&mut Self)) {
        let outer_async = std::mem::replace(&mut self.frame.is_async, is_async);
        let outer_breakables = std::mem::take(&mut self.frame.breakables);
        let outer_returns = std::mem::replace(&mut self.frame.returns, returns);
        self.frame.scopes.enter();
        walk(self);
        self.frame.scopes.leave();
        self.frame.returns = outer_returns;
        self.frame.breakables = outer_breakables;
        self.frame.is_async = outer_async;
    }

    /// A closure; a predicate's value decides something.
    pub fn closure(&mut self, closure: &ExprClosure, is_predicate: bool) {
        let returns = match &closure.output {
            ReturnType::Type(_, ty) => Some((**ty).clone()),
            ReturnType::Default => None,
        };
        let mut mode = self.mode;
        if closure.constness.is_some() {
            mode = WalkMode::NOTHING;
        }
        self.in_mode(mode, |walker| {
            walker.detached(returns.clone(), closure.asyncness.is_some(), |walker| {
                for input in &closure.inputs {
                    walker.frame.scopes.bind(input, None);
                }
                if let Expr::Block(block) = &*closure.body
                    && block.label.is_none()
                {
                    let start = walker.body_start(&block.block, &block.attrs);
                    walker.step(start);
                    walker.block(&block.block, ExpressionRole::Value, returns.as_ref());
                } else if is_predicate {
                    walker.expression(&closure.body, ExpressionRole::Condition, None);
                } else {
                    walker.expression(&closure.body, ExpressionRole::Value, returns.as_ref());
                }
            });
        });
    }

    fn elements(&mut self, elements: &Punctuated<Expr, Token![,]>, ty: Option<&Type>) {
        // A long table of literals is data: its first entry stands for all.
        let is_table = elements.len() > skip_rules::TABLE && elements.iter().all(is_literal);
        let considered = if is_table { 1 } else { elements.len() };
        for element in elements.iter().take(considered) {
            self.expression(element, ExpressionRole::Value, ty);
        }
    }

    fn call(&mut self, call: &ExprCall, expected: Option<&Type>) {
        self.concurrent_call(call);
        if skip_rules::is_hint_call(&call.func) {
            return;
        }
        self.ranges_in_arguments(call, &call.args);
        let mut types: Vec<Option<Type>> = Vec::new();
        if let Expr::Path(path) = &*call.func {
            if let Some(name) = path.path.get_ident() {
                types = self.argument_types(self.facts.function(&name.to_string()));
            }
            if let Some(inner) = wrapped_type(&path.path, expected) {
                types = vec![Some(inner)];
            }
        } else {
            self.expression(&call.func, ExpressionRole::Receiver, None);
        }
        self.arguments(&call.args, &types, false);
    }

    fn method_call(&mut self, call: &ExprMethodCall) {
        let name = call.method.to_string();
        self.concurrent_method(call);
        self.ranges_in_arguments(call, &call.args);
        self.range_method(call);
        self.sliced_receiver(call);
        let receiver_role = match &*call.receiver {
            Expr::Paren(inner) if matches!(*inner.expr, Expr::Range(_)) => {
                if skip_rules::is_range_method(&name) {
                    ExpressionRole::Receiver
                } else {
                    ExpressionRole::Iterated
                }
            }
            _ => ExpressionRole::Receiver,
        };
        self.expression(&call.receiver, receiver_role, None);
        if skip_rules::is_hint_method(&name) || skip_rules::is_message_method(&name) {
            return;
        }
        let is_self = matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self"));
        let known = is_self.then(|| self.facts.method(&name)).flatten();
        let types = self.argument_types(known);
        self.arguments(&call.args, &types, skip_rules::takes_predicate(&name));
    }

    fn argument_types(
        &self,
        function: Option<&crate::type_facts::KnownFunction>,
    ) -> Vec<Option<Type>> {
        function
            .map(|function| function.inputs.iter().cloned().map(Some).collect())
            .unwrap_or_default()
    }

    fn arguments(
        &mut self,
        arguments: &Punctuated<Expr, Token![,]>,
        types: &[Option<Type>],
        has_predicate: bool,
    ) {
        for (index, argument) in arguments.iter().enumerate() {
            match argument {
                Expr::Closure(closure) if has_predicate => {
                    self.marked(&closure.attrs, |walker| walker.closure(closure, true));
                }
                _ => {
                    let ty = types.get(index).and_then(Option::as_ref);
                    self.expression(argument, ExpressionRole::Value, ty);
                }
            }
        }
    }

    fn struct_literal(&mut self, literal: &ExprStruct) {
        self.fields_left_to_base(literal);
        let owner = literal
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string());
        let owner = match owner.as_deref() {
            Some("Self") => self
                .owner
                .self_type
                .as_ref()
                .and_then(crate::type_facts::last_name),
            _ => owner,
        };
        for field in &literal.fields {
            let name = match &field.member {
                syn::Member::Named(name) => name.to_string(),
                syn::Member::Unnamed(index) => index.index.to_string(),
            };
            let ty = owner
                .as_deref()
                .and_then(|owner| self.facts.field(owner, &name))
                .cloned();
            // `S { x }` has no room for anything but the name.
            if field.colon_token.is_some() {
                self.marked(&field.attrs, |walker| {
                    walker.expression(&field.expr, ExpressionRole::Value, ty.as_ref());
                });
            }
        }
        if let Some(base) = &literal.rest {
            self.expression(base, ExpressionRole::Place, None);
        }
    }

    /// SFD: each field in turn is left to the base.
    fn fields_left_to_base(&mut self, literal: &ExprStruct) {
        let Some(base) = &literal.rest else {
            return;
        };
        let span = self.source.span(literal);
        let path = self.source.flat(&literal.path);
        let base = self.source.flat(base);
        let drafts = (0..literal.fields.len())
            .map(|left_out| {
                let kept: Vec<String> = literal
                    .fields
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| *index != left_out)
                    .map(|(_, field)| self.source.flat(field))
                    .chain([format!("..{base}")])
                    .collect();
                let field = self.source.flat(&literal.fields[left_out]);
                Draft::new(
                    Operator::Sfd,
                    span,
                    format!("{path} {{ {} }}", kept.join(", ")),
                    format!(
                        "leave field {} to ..{}",
                        shortened(&field, 40),
                        shortened(&base, 40)
                    ),
                )
                .seen_at(self.source.span(&literal.fields[left_out]).start)
            })
            .collect();
        self.point(span, Shape::Expression, drafts);
    }

    fn unary(&mut self, unary: &ExprUnary, role: ExpressionRole, expected: Option<&Type>) {
        match unary.op {
            UnOp::Neg(_) => {
                self.minus(unary, role, expected);
            }
            UnOp::Not(_) => self.not(unary, role),
            _ => self.expression(&unary.expr, ExpressionRole::Receiver, None),
        }
    }

    /// Walks through an expression that is evaluated at compile time: only the closures and items
    /// within it run.
    pub fn constant_expression(&mut self, expression: &Expr) {
        let mode = self.mode;
        self.in_mode(WalkMode::NOTHING, |walker| {
            let mut inside = crate::walk_constants::ConstantItem::new(walker, mode);
            inside.expression(expression);
        });
    }

    pub fn constant_block(&mut self, block: &Block) {
        let mode = self.mode;
        self.in_mode(WalkMode::NOTHING, |walker| {
            let mut inside = crate::walk_constants::ConstantItem::new(walker, mode);
            inside.block(block);
        });
    }

    /// The role of what a `let` or `match` takes apart.
    pub fn scrutinee_role(pattern: &Pat) -> ExpressionRole {
        if only_reads(pattern) {
            ExpressionRole::Value
        } else {
            ExpressionRole::Place
        }
    }
}

fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) => true,
        Expr::Unary(unary) => is_literal(&unary.expr),
        _ => false,
    }
}

/// The type within `Some(…)`, `Ok(…)`, `Err(…)` and `Box::new(…)` when the whole is expected.
fn wrapped_type(path: &syn::Path, expected: Option<&Type>) -> Option<Type> {
    let Type::Path(expected) = expected? else {
        return None;
    };
    let segment = expected.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    let constructor = path.get_ident()?.to_string();
    let index = match (segment.ident.to_string().as_str(), constructor.as_str()) {
        ("Option", "Some") | ("Result", "Ok") => 0,
        ("Result", "Err") => 1,
        _ => return None,
    };
    match arguments.args.get(index)? {
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    }
}

fn element_of(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Array(array) => Some(&array.elem),
        Type::Slice(slice) => Some(&slice.elem),
        _ => None,
    }
}

/// The attributes of any expression.
pub(crate) fn attributes_of(expression: &Expr) -> &[Attribute] {
    macro_rules! attributes {
        ($($variant:ident)*) => {
            match expression {
                $(Expr::$variant(inner) => &inner.attrs,)*
                _ => &[],
            }
        };
    }
    attributes!(
        Array Assign Async Await Binary Block Break Call Cast Closure Const Continue Field ForLoop
        Group If Index Infer Let Lit Loop Macro Match MethodCall Paren Path Range RawAddr Reference
        Repeat Return Struct Try TryBlock Tuple Unary Unsafe While Yield
    )
}

/// Whether a type has values other than `()`, so far as its text tells.
fn is_surely_a_value(ty: &Type) -> bool {
    match ty {
        Type::Never(_) | Type::Infer(_) | Type::Macro(_) => false,
        Type::Tuple(tuple) => !tuple.elems.is_empty(),
        _ => true,
    }
}
