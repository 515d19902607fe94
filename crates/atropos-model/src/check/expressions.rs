//! Expressions: names, types and the lowered form.

use super::scope::{Scope, suggestion};
use super::{Checker, Global};
use crate::language::tree::{self, ExprKind as Tree, FoldFrom};
use crate::language::{Diagnostic, SourceSpan};
use crate::model::code::Call;
use crate::model::{BoundVar, ClassId, CodeKind, Domain, Expr, ExprKind, Ty, TyId, Value};

/// What to do about a name that nobody knows; charts declare their variables in other ways.
pub(crate) const UNDECLARED: &str = "declare it under `var`, or as a parameter or constant";

impl Checker<'_> {
    /// Lowers an expression; `expect` guides literals and the values of enumerations, it is not enforced.
    pub(super) fn expression(
        &mut self,
        expr: &tree::Expr,
        scope: &mut Scope,
        expect: Option<TyId>,
    ) -> Expr {
        let span = expr.span;
        match &expr.kind {
            Tree::Int(value) => self.number(*value, span, expect),
            Tree::Fixed(value) => {
                let ty = self.types.intern(Ty::Fixed {
                    low: *value,
                    high: *value,
                });
                self.literal(*value, ty, span)
            }
            Tree::Bool(value) => self.literal(i64::from(*value), self.bool_ty, span),
            Tree::Nil => self.literal(0, self.nil_ty, span),
            Tree::SelfRef => match scope.class {
                Some(class) => {
                    let ty = self.types.intern(Ty::Ref(class));
                    Expr {
                        kind: ExprKind::SelfRef,
                        ty,
                        span,
                    }
                }
                None => self.bad_because(
                    span,
                    "`self` has no meaning in a constant",
                    "a constant is made of literals and other constants",
                ),
            },
            Tree::Result => match scope.result {
                Some(slot) => Expr {
                    kind: ExprKind::Local(slot),
                    ty: scope.locals[slot as usize].ty,
                    span,
                },
                None => self.bad_because(
                    span,
                    "`result` exists only in a method with a type",
                    "declare what the method gives back: `name(…) : type = … end`",
                ),
            },
            Tree::Name(name) => self.name(name, span, scope, expect),
            Tree::Field(base, field) => self.field(base, field, span, scope),
            Tree::Call { callee, args, fold } => {
                self.call_expression(callee, args, fold.as_ref(), span, scope, expect)
            }
            Tree::Index(base, index) => self.index(base, index, span, scope),
            Tree::New { class, name } => self.new_object(class, name.as_deref(), span, scope),
            Tree::As(base, ty) => self.conversion(base, ty, span, scope),
            Tree::List(items) => self.list(items, span, scope, expect),
            Tree::Map(pairs) => self.map(pairs, span, scope, expect),
            Tree::Tuple(items) => self.tuple(items, span, scope, expect),
            Tree::Comprehension { item, vars, filter } => {
                self.comprehension(item, vars, filter.as_deref(), span, scope, expect)
            }
            Tree::Quantifier { all, vars, body } => {
                let mark = scope.mark();
                let vars = self.bound_vars(vars, scope);
                let body = Box::new(self.truth(body, scope));
                scope.close(mark);
                let kind = ExprKind::Quantifier {
                    all: *all,
                    vars,
                    body,
                    point: None,
                };
                Expr {
                    kind,
                    ty: self.bool_ty,
                    span,
                }
            }
            Tree::If { cond, then, other } => {
                let cond = Box::new(self.truth(cond, scope));
                let then = self.expression(then, scope, expect);
                let other = self.expression(other, scope, expect);
                let Some(ty) = self.common(then.ty, other.ty) else {
                    return self.mismatch(&then, &other, span, "the two values of `if`");
                };
                let (then, other) = (self.coerce(then, ty), self.coerce(other, ty));
                Expr {
                    kind: ExprKind::If {
                        cond,
                        then: Box::new(then),
                        other: Box::new(other),
                    },
                    ty,
                    span,
                }
            }
            Tree::Unary { op, operand } => self.unary(*op, operand, span, scope, expect),
            Tree::Binary { op, left, right } => self.binary(*op, left, right, span, scope, expect),
            Tree::Paren(inner) => self.expression(inner, scope, expect),
            Tree::Bad => self.bad(span),
        }
    }

    pub(super) fn bad(&self, span: SourceSpan) -> Expr {
        Expr {
            kind: ExprKind::Lit {
                value: 0,
                point: None,
            },
            ty: self.bad_ty,
            span,
        }
    }

    pub(super) fn bad_because(
        &mut self,
        span: SourceSpan,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Expr {
        self.diagnostics.error(span, message, advice);
        self.bad(span)
    }

    pub(super) fn mismatch(
        &mut self,
        left: &Expr,
        right: &Expr,
        span: SourceSpan,
        what: &str,
    ) -> Expr {
        let (left, right) = (self.type_name(left.ty), self.type_name(right.ty));
        self.bad_because(
            span,
            format!("{what} don't go together: {left} and {right}"),
            "both must be of one type; `as` converts numbers, enumerations and classes",
        )
    }

    fn literal(&self, value: i64, ty: TyId, span: SourceSpan) -> Expr {
        Expr {
            kind: ExprKind::Lit { value, point: None },
            ty,
            span,
        }
    }

    fn number(&mut self, value: i64, span: SourceSpan, expect: Option<TyId>) -> Expr {
        // A whole number is also a fixed-point number where one is wanted.
        if let Some(Ty::Fixed { .. }) = expect.map(|ty| self.types.get(ty).clone()) {
            let value = value.saturating_mul(crate::language::lexer::FIXED_ONE);
            let ty = self.types.intern(Ty::Fixed {
                low: value,
                high: value,
            });
            return self.literal(value, ty, span);
        }
        let ty = self.types.intern(Ty::Int {
            low: value,
            high: value,
        });
        self.literal(value, ty, span)
    }

    /// An expression that must be true or false.
    pub(super) fn truth(&mut self, expr: &tree::Expr, scope: &mut Scope) -> Expr {
        let lowered = self.expression(expr, scope, Some(self.bool_ty));
        self.require_fit(lowered.ty, self.bool_ty, expr.span);
        lowered
    }

    /// An expression that will be stored as `ty`.
    pub(super) fn stored(&mut self, expr: &tree::Expr, scope: &mut Scope, ty: TyId) -> Expr {
        let lowered = self.expression(expr, scope, Some(ty));
        self.require_fit(lowered.ty, ty, expr.span);
        self.coerce(lowered, ty)
    }

    /// Gives a list, map or tuple exactly the form `ty`; scalars have one form.
    pub(super) fn coerce(&mut self, expr: Expr, ty: TyId) -> Expr {
        if expr.ty == ty || self.types.is_scalar(ty) || expr.ty == self.bad_ty || ty == self.bad_ty
        {
            return expr;
        }
        let span = expr.span;
        Expr {
            kind: ExprKind::Convert(Box::new(expr)),
            ty,
            span,
        }
    }

    /// Numbers in a list that nobody gave a type for: a mutant may make them any number.
    pub(super) fn widened(&mut self, ty: TyId) -> TyId {
        let wide = match self.types.get(ty).clone() {
            Ty::Int { .. } => Ty::Int {
                low: i64::MIN,
                high: i64::MAX,
            },
            Ty::Fixed { .. } => Ty::Fixed {
                low: i64::MIN,
                high: i64::MAX,
            },
            Ty::List { max, item } => Ty::List {
                max,
                item: self.widened(item),
            },
            Ty::Map { max, key, value } => Ty::Map {
                max,
                key: self.widened(key),
                value: self.widened(value),
            },
            Ty::Tuple(items) => {
                Ty::Tuple(items.into_iter().map(|item| self.widened(item)).collect())
            }
            _ => return ty,
        };
        self.types.intern(wide)
    }

    fn name(&mut self, name: &str, span: SourceSpan, scope: &Scope, expect: Option<TyId>) -> Expr {
        if let Some(slot) = scope.find(name) {
            return Expr {
                kind: ExprKind::Local(slot),
                ty: scope.locals[slot as usize].ty,
                span,
            };
        }
        if let Some((at, ty)) = scope
            .class
            .and_then(|class| self.find_attribute(class, name))
        {
            return Expr {
                kind: ExprKind::Attr(at),
                ty,
                span,
            };
        }
        match self.globals.get(name).cloned() {
            Some(Global::Const(Value::Scalar(value), ty)) => return self.literal(value, ty, span),
            Some(Global::Const(value, ty)) => {
                return Expr {
                    kind: ExprKind::Const(value),
                    ty,
                    span,
                };
            }
            Some(Global::Open) => return self.bad(span),
            Some(_) => {
                return self.bad_because(
                    span,
                    format!("`{name}` is a type, not a value"),
                    format!("a value of an enumeration is `{name}.Value`; an object is made by `new({name})`"),
                );
            }
            None => {}
        }
        match self
            .literals
            .get(name)
            .cloned()
            .unwrap_or_default()
            .as_slice()
        {
            [] => self.unknown_name(name, span, scope),
            [(id, at)] => self.enum_literal(*id, *at, span),
            several => {
                let wanted = expect.map(|ty| self.types.get(ty).clone());
                match several.iter().find(|(id, _)| wanted == Some(Ty::Enum(*id))) {
                    Some((id, at)) => self.enum_literal(*id, *at, span),
                    None => {
                        let first = self.enums[several[0].0 as usize].name.clone();
                        self.diagnostics.push(
                            Diagnostic::error(
                                span,
                                format!("several enumerations have a value `{name}`"),
                            )
                            .advice(format!("say which: `{first}.{name}`")),
                        );
                        self.bad(span)
                    }
                }
            }
        }
    }

    fn enum_literal(&mut self, id: u32, at: i64, span: SourceSpan) -> Expr {
        let ty = self.types.intern(Ty::Enum(id));
        self.literal(at, ty, span)
    }

    fn unknown_name(&mut self, name: &str, span: SourceSpan, scope: &Scope) -> Expr {
        let attributes = scope
            .class
            .map(|class| self.attribute_names(class))
            .unwrap_or_default();
        let known = scope
            .names()
            .chain(attributes.iter().map(String::as_str))
            .chain(self.globals.keys().map(String::as_str))
            .chain(self.literals.keys().map(String::as_str));
        let is_code = |class| self.find_code(class, name).is_some();
        let advice = match scope.class.is_some_and(is_code) {
            true => format!("to call it write `{name}()`"),
            false => suggestion(name, known, UNDECLARED),
        };
        let message = format!("there is no `{name}` here");
        self.diagnostics.error(span, message, advice);
        self.bad(span)
    }

    fn field(
        &mut self,
        base: &tree::Expr,
        field: &tree::Name,
        span: SourceSpan,
        scope: &mut Scope,
    ) -> Expr {
        if let Tree::Name(name) = &base.kind
            && scope.find(name).is_none()
            && let Some(Global::Type(ty)) = self.globals.get(name).cloned()
        {
            return self.qualified(ty, field, span);
        }
        let base = self.expression(base, scope, None);
        if base.ty != self.bad_ty {
            self.diagnostics.push(
                Diagnostic::error(
                    field.span,
                    format!("`{}` can't be reached from here", field.text),
                )
                .advice("attributes of other objects are read by methods: `object.method()`"),
            );
        }
        self.bad(span)
    }

    fn qualified(&mut self, ty: TyId, field: &tree::Name, span: SourceSpan) -> Expr {
        let Ty::Enum(id) = *self.types.get(ty) else {
            return self.bad_because(
                span,
                "only an enumeration's values are named this way",
                "`Type.Value` needs `Type = {Value, …}`",
            );
        };
        let values = &self.enums[id as usize].values;
        match values.iter().position(|(value, _)| *value == field.text) {
            Some(at) => self.enum_literal(id, at as i64, span),
            None => {
                let names: Vec<&str> = values.iter().map(|(value, _)| value.as_str()).collect();
                let all = format!("it has {}", names.join(", "));
                let advice = suggestion(&field.text, names.into_iter(), &all);
                let enumeration = &self.enums[id as usize].name;
                let message = format!("`{enumeration}` has no value `{}`", field.text);
                self.diagnostics.error(field.span, message, advice);
                self.bad(span)
            }
        }
    }

    fn call_expression(
        &mut self,
        callee: &tree::Expr,
        args: &[tree::Expr],
        fold: Option<&(FoldFrom, Box<tree::Expr>)>,
        span: SourceSpan,
        scope: &mut Scope,
        expect: Option<TyId>,
    ) -> Expr {
        // `T(a, b)` makes a tuple of a named tuple type.
        if let (Tree::Name(name), None) = (&callee.kind, fold)
            && let Some(Global::Type(ty)) = self.globals.get(name).cloned()
            && matches!(self.types.get(ty), Ty::Tuple(_))
        {
            let tuple = self.tuple(args, span, scope, Some(ty));
            self.require_fit(tuple.ty, ty, span);
            return self.coerce(tuple, ty);
        }
        let _ = expect;
        let Some(call) = self.call(callee, args, fold, span, scope) else {
            return self.bad(span);
        };
        let code = &self.codes[call.code.0 as usize];
        match code.result {
            Some(slot) => {
                let ty = code.locals[slot as usize].ty;
                Expr {
                    kind: ExprKind::Call(Box::new(call)),
                    ty,
                    span,
                }
            }
            None => {
                let message = format!("`{}` has no value", code.name);
                let advice = "give it a type and assign `result` in it, or call it as a statement";
                self.bad_because(span, message, advice)
            }
        }
    }

    /// A call as statement or expression.
    pub(super) fn call(
        &mut self,
        callee: &tree::Expr,
        args: &[tree::Expr],
        fold: Option<&(FoldFrom, Box<tree::Expr>)>,
        span: SourceSpan,
        scope: &mut Scope,
    ) -> Option<Call> {
        let Some(own) = scope.class.filter(|_| !scope.initialiser) else {
            self.diagnostics.error(
                span,
                "nothing can be called here: objects don't exist yet",
                "initial values are literals, constants and `new(…)`; do the rest in an action",
            );
            return None;
        };
        let (receiver, class, name) = self.callee(callee, own, scope)?;
        let Some(code) = self.find_code(class, &name.text) else {
            self.unknown_method(class, &name);
            return None;
        };
        if receiver.is_some() && !matches!(self.codes[code.0 as usize].kind, CodeKind::Method) {
            self.diagnostics.push(
                Diagnostic::error(
                    name.span,
                    format!("`{}` is an action of another object", name.text),
                )
                .advice("actions are called by their own object; methods by any"),
            );
            return None;
        }
        let params: Vec<TyId> = self.codes[code.0 as usize].locals
            [..self.codes[code.0 as usize].params]
            .iter()
            .map(|l| l.ty)
            .collect();
        let given = args.len() + usize::from(fold.is_some());
        if given != params.len() {
            self.wrong_argument_count(&name, &params, given, fold.is_some(), span);
            return None;
        }
        let fold = match fold {
            None => None,
            Some((from, list)) => Some((*from, self.folded_list(list, params[0], scope)?)),
        };
        let rest = if fold.is_some() {
            &params[1..]
        } else {
            &params[..]
        };
        let args = args
            .iter()
            .zip(rest)
            .map(|(arg, ty)| self.stored(arg, scope, *ty))
            .collect();
        Some(Call {
            code,
            receiver,
            args,
            fold,
            store: None,
            span,
        })
    }

    /// Whose code a call means: the receiver if it is another object, the class, and the name.
    fn callee(
        &mut self,
        callee: &tree::Expr,
        own: ClassId,
        scope: &mut Scope,
    ) -> Option<(Option<Expr>, ClassId, tree::Name)> {
        match &callee.kind {
            Tree::Name(name) => Some((
                None,
                own,
                tree::Name {
                    text: name.clone(),
                    span: callee.span,
                },
            )),
            Tree::Field(base, name) => {
                let base_span = base.span;
                let base = self.expression(base, scope, None);
                let class = match *self.types.get(base.ty) {
                    Ty::Ref(class) => class,
                    Ty::Bad => return None,
                    _ => {
                        let message = format!(
                            "only objects have methods, this is {}",
                            self.type_name(base.ty)
                        );
                        let advice = "call a method as `object.method(…)`, one of this object as `method(…)`";
                        self.diagnostics.error(base_span, message, advice);
                        return None;
                    }
                };
                let receiver = if matches!(base.kind, ExprKind::SelfRef) {
                    None
                } else {
                    Some(base)
                };
                Some((receiver, class, name.clone()))
            }
            _ => {
                let advice =
                    "methods and actions are called, by name: `name(…)` or `object.name(…)`";
                self.diagnostics
                    .error(callee.span, "this can't be called", advice);
                None
            }
        }
    }

    fn wrong_argument_count(
        &mut self,
        name: &tree::Name,
        params: &[TyId],
        given: usize,
        fold: bool,
        span: SourceSpan,
    ) {
        let (wanted, plural) = (params.len(), if params.len() == 1 { "" } else { "s" });
        let also = if fold {
            ", the list's element first"
        } else {
            ""
        };
        let message = format!(
            "`{}` takes {wanted} argument{plural}{also}, {given} given",
            name.text
        );
        let types: Vec<String> = params.iter().map(|ty| self.type_name(*ty)).collect();
        let advice = match params.is_empty() {
            true => "call it without arguments".to_owned(),
            false => format!("they are of type {}", types.join(", ")),
        };
        self.diagnostics.error(span, message, advice);
    }

    fn folded_list(&mut self, list: &tree::Expr, element: TyId, scope: &mut Scope) -> Option<Expr> {
        let lowered = self.expression(list, scope, None);
        match *self.types.get(lowered.ty) {
            Ty::List { item, max } => {
                self.require_fit(item, element, list.span);
                // The elements are handed over one by one: scalars as they are, all else in the parameter's form.
                if self.types.is_scalar(element) {
                    return Some(lowered);
                }
                let ty = self.types.intern(Ty::List { max, item: element });
                Some(self.coerce(lowered, ty))
            }
            Ty::Bad => None,
            _ => {
                let message = format!(
                    "a fold goes over a list, this is {}",
                    self.type_name(lowered.ty)
                );
                let advice = "`method(…) :>: (list)` calls the method for every item of a list";
                self.diagnostics.error(list.span, message, advice);
                None
            }
        }
    }

    fn unknown_method(&mut self, class: ClassId, name: &tree::Name) {
        let class_name = self.classes[class.0 as usize].name.text.clone();
        let known = self.code_names(class);
        let known = known.iter().map(String::as_str);
        let advice = suggestion(&name.text, known, "define it under `methods` or `actions`");
        let message = format!("`{class_name}` has no method or action `{}`", name.text);
        self.diagnostics.error(name.span, message, advice);
    }

    fn new_object(
        &mut self,
        class: &tree::Name,
        name: Option<&str>,
        span: SourceSpan,
        scope: &Scope,
    ) -> Expr {
        if !scope.initialiser {
            self.diagnostics.push(
                Diagnostic::error(
                    span,
                    "objects are created only where attributes are initialised",
                )
                .advice("give an attribute the value `new(…)`: the set of objects is fixed"),
            );
            return self.bad(span);
        }
        if name.is_some_and(|name| name.is_empty() || !name.chars().all(|c| c.is_ascii_graphic())) {
            return self.bad_because(
                span,
                "an object's name is printable ASCII without blanks",
                "names stand in the labels of tests; use letters, digits, `_` and `.`",
            );
        }
        match self.globals.get(&class.text) {
            Some(Global::Class(id)) => {
                let id = *id;
                let ty = self.types.intern(Ty::Ref(id));
                Expr {
                    kind: ExprKind::New {
                        class: id,
                        name: name.map(str::to_string),
                    },
                    ty,
                    span,
                }
            }
            _ => {
                let advice = self.advice_on_class(&class.text);
                self.bad_because(
                    class.span,
                    format!("there is no class `{}`", class.text),
                    advice,
                )
            }
        }
    }

    pub(super) fn bound_vars(&mut self, vars: &[tree::Param], scope: &mut Scope) -> Vec<BoundVar> {
        let mut lowered = Vec::new();
        for var in vars {
            let ty = self.resolve_type(&var.ty);
            let slot = scope.add(&var.name.text, ty);
            let domain = match *self.types.get(ty) {
                Ty::Ref(class) => Domain::Objects(class),
                Ty::Bad => Domain::Range { first: 0, count: 1 },
                _ => match self.types.range(ty) {
                    Some((low, high)) => Domain::Range {
                        first: low,
                        count: (i128::from(high) - i128::from(low) + 1) as u64,
                    },
                    None => {
                        self.diagnostics.push(
                            Diagnostic::error(var.ty.span, format!("{} can't be tried value by value", self.type_name(ty)))
                                .advice("use bool, a range, an enumeration or a class, or an index into the list"),
                        );
                        Domain::Range { first: 0, count: 1 }
                    }
                },
            };
            if matches!(domain, Domain::Range { count, .. } if count > 1_000_000) {
                self.diagnostics.push(
                    Diagnostic::error(
                        var.ty.span,
                        "this type has more than a million values to try",
                    )
                    .advice("use equivalence classes: an enumeration or a short range"),
                );
            }
            lowered.push(BoundVar { slot, domain });
        }
        lowered
    }
}
