//! Blocks and their statements: SDL deletes a statement, ERR removes an early return.
//!
//! Not deleted: `let`, items, a block's value, jumps (BCR and ERR have them), output and checks,
//! hints, and what is the same as another mutant: an `if` whose condition has the variant `false`,
//! a loop or `if` around one statement that is deleted itself, the only statement of a function
//! whose body is replaced by `()`.

use syn::{Block, Expr, Local, LocalInit, Stmt, StmtMacro, Type};

use crate::binaries::makes_false;
use crate::expressions::ExpressionRole;
use crate::mutant::{Shape, Span};
use crate::operator::Operator;
use crate::skip_rules;
use crate::source::{one_line, shortened};
use crate::walk::{Draft, Walker};

impl Walker<'_> {
    pub fn block(&mut self, block: &Block, role: ExpressionRole, expected: Option<&Type>) {
        self.frame.scopes.enter();
        self.concurrent_block(block);
        let last = block.stmts.len().wrapping_sub(1);
        for (index, statement) in block.stmts.iter().enumerate() {
            let is_last = index == last;
            match statement {
                Stmt::Local(local) => self.marked(&local.attrs, |walker| walker.local(local)),
                Stmt::Item(item) => self.item(item),
                Stmt::Expr(value, None) if is_last => self.tail(value, role, expected),
                Stmt::Expr(expression, semicolon) => {
                    let span = self.source.span(statement);
                    let place = StatementPosition {
                        is_last,
                        role,
                        is_block_like: semicolon.is_none(),
                    };
                    self.expression_statement(expression, span, place);
                }
                Stmt::Macro(mac) => {
                    let is_value = is_last && mac.semi_token.is_none();
                    let is_braced = matches!(mac.mac.delimiter, syn::MacroDelimiter::Brace(_));
                    let is_deletable = !is_value || role.is_unit() && is_braced;
                    self.marked(&mac.attrs, |walker| {
                        walker.macro_statement(mac, is_deletable, is_last);
                    });
                }
            }
        }
        self.concurrent_block_end(block);
        self.frame.scopes.leave();
    }

    fn local(&mut self, local: &Local) {
        let annotated = match &local.pat {
            syn::Pat::Type(typed) => Some(&*typed.ty),
            _ => None,
        };
        let mut found = None;
        if let Some(LocalInit { expr, diverge, .. }) = &local.init {
            found = self.type_of(expr);
            self.expression(expr, Self::scrutinee_role(&local.pat), annotated);
            if let Some((_, otherwise)) = diverge {
                self.expression(otherwise, ExpressionRole::Never, None);
            }
        }
        self.frame
            .scopes
            .bind(&local.pat, annotated.or(found.as_ref()));
    }

    /// A block's last expression: its value, unless it can only be `()`.
    fn tail(&mut self, value: &Expr, role: ExpressionRole, expected: Option<&Type>) {
        let is_unit = match value {
            Expr::ForLoop(_) | Expr::While(_) => true,
            Expr::If(branch) => branch.else_branch.is_none(),
            _ => role.is_unit() && is_block_like(value),
        };
        if is_unit && role != ExpressionRole::Never {
            let span = self.source.span(value);
            let place = StatementPosition {
                is_last: true,
                role,
                is_block_like: true,
            };
            return self.expression_statement(value, span, place);
        }
        self.early_return_value(value, role);
        self.expression(value, role, expected);
    }

    fn expression_statement(&mut self, expression: &Expr, span: Span, place: StatementPosition) {
        self.marked(leading_attributes(expression), |walker| {
            if let Expr::Return(jump) = expression {
                // A return at the end is not early, one of a value can't be left out there.
                let is_early = match place.role {
                    ExpressionRole::Unit => true,
                    ExpressionRole::End => jump.expr.is_some(),
                    _ => false,
                };
                if is_early || !place.is_last {
                    walker.deletion(Operator::Err, span);
                }
            } else if walker.is_deletable(expression)
                && !(place.is_last && place.role == ExpressionRole::Never)
            {
                walker.deletion(Operator::Sdl, span);
            }
            let role = match place {
                StatementPosition {
                    is_block_like: false,
                    ..
                } => ExpressionRole::Place,
                StatementPosition {
                    is_last: true,
                    role: ExpressionRole::End,
                    ..
                } => ExpressionRole::End,
                _ => ExpressionRole::Unit,
            };
            walker.expression(expression, role, None);
        });
    }

    /// `return x` as the last thing of a block or arm that has no value.
    pub fn early_return_value(&mut self, value: &Expr, role: ExpressionRole) {
        let Expr::Return(jump) = value else {
            return;
        };
        let is_early =
            role == ExpressionRole::Unit || role == ExpressionRole::End && jump.expr.is_some();
        if !is_early || !self.may_remove_return() {
            return;
        }
        let span = self.source.span(value);
        let summary = format!("delete {}", shortened(&self.source.flat(value), 60));
        let draft = Draft::new(Operator::Err, span, "()".to_string(), summary);
        self.point(span, Shape::Expression, vec![draft]);
    }

    fn may_remove_return(&self) -> bool {
        self.frame.deletes && !self.frame.false_condition_around
    }

    fn deletion(&mut self, operator: Operator, span: Span) {
        if let Some(draft) = self.deletion_draft(operator, span) {
            self.point(span, Shape::Statement, vec![draft]);
        }
    }

    fn deletion_draft(&self, operator: Operator, span: Span) -> Option<Draft> {
        if !self.frame.deletes || operator == Operator::Err && !self.may_remove_return() {
            return None;
        }
        if operator == Operator::Sdl && self.frame.sole_statement == Some(span) {
            return None;
        }
        let text = one_line(self.source.slice(span));
        let shown = without_attributes(&text);
        let summary = format!("delete {}", shortened(shown, 60));
        let at = span.start + self.source.slice(span).find(shown).unwrap_or(0);
        Some(Draft::new(operator, span, String::new(), summary).seen_at(at))
    }

    /// Whether SDL deletes a statement made of this expression.
    fn is_deletable(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Yield(_) => false,
            Expr::Macro(mac) => !skip_rules::is_skipped_macro(&mac.mac.path),
            Expr::Call(call) => !skip_rules::called_name(&call.func)
                .is_some_and(|name| skip_rules::is_undeletable_call(&name)),
            Expr::MethodCall(call) => !skip_rules::is_undeletable_call(&call.method.to_string()),
            Expr::If(branch) if skip_rules::is_skipped_branch(branch) => false,
            Expr::If(branch) => {
                let is_false_made = makes_false(&branch.cond) && self.is_selected(Operator::Ror);
                !skip_rules::is_build_condition(&branch.cond)
                    && !(branch.else_branch.is_none()
                        && (is_false_made || self.deletes_all_of(&branch.then_branch)))
            }
            Expr::While(looped) => {
                let is_false_made = makes_false(&looped.cond) && self.is_selected(Operator::Ror);
                !is_false_made && !self.deletes_all_of(&looped.body)
            }
            Expr::ForLoop(looped) => !self.deletes_all_of(&looped.body),
            Expr::Loop(_) => true,
            Expr::Match(_) => true,
            Expr::Unsafe(inner) => {
                !self.deletes_all_of(&inner.block) && !skip_rules::is_skipped_block(&inner.block)
            }
            Expr::Block(inner) => {
                !self.deletes_all_of(&inner.block) && !skip_rules::is_skipped_block(&inner.block)
            }
            Expr::Const(_) | Expr::Lit(_) | Expr::Path(_) | Expr::Tuple(_) => false,
            Expr::Paren(inner) => self.is_deletable(&inner.expr),
            Expr::Try(attempt) => self.is_deletable_base(&attempt.expr),
            Expr::Await(wait) => self.is_deletable_base(&wait.base),
            Expr::Let(_) | Expr::Verbatim(_) => false,
            _ => true,
        }
    }

    /// `x.await?;` and so on are deleted unless what they are called on is a hint.
    fn is_deletable_base(&self, base: &Expr) -> bool {
        match base {
            Expr::Path(_) | Expr::Tuple(_) => true,
            _ => self.is_deletable(base),
        }
    }

    /// Whether a block is empty, or one statement that is deleted or jumps: then deleting what is
    /// around it adds nothing.
    fn deletes_all_of(&self, block: &Block) -> bool {
        match block.stmts.as_slice() {
            [] => true,
            [Stmt::Expr(Expr::Return(_), _)] => self.is_selected(Operator::Err),
            [Stmt::Expr(only, Some(_))] => self.is_deletable(only),
            [Stmt::Expr(only, None)] => is_always_unit(only) && self.is_deletable(only),
            [Stmt::Macro(only)] => only.semi_token.is_some(),
            _ => false,
        }
    }

    fn macro_statement(&mut self, statement: &StmtMacro, is_deletable: bool, is_last: bool) {
        if is_deletable && !skip_rules::is_skipped_macro(&statement.mac.path) {
            let span = self.source.span(statement);
            // What it leaves in the block must stay there until the block ends.
            match self.facts.bindings.may_come_from(&statement.mac) && !is_last {
                true => {
                    let draft = self.deletion_draft(Operator::Sdl, span);
                    draft.into_iter().for_each(|draft| self.block_draft(draft));
                }
                false => self.deletion(Operator::Sdl, span),
            }
        }
        let as_expression = Expr::Macro(syn::ExprMacro {
            attrs: Vec::new(),
            mac: statement.mac.clone(),
        });
        self.expression_macro(&statement.mac, &as_expression);
    }
}

/// Where in its block a statement stands.
struct StatementPosition {
    is_last: bool,
    role: ExpressionRole,
    /// It needs no semicolon and has none.
    is_block_like: bool,
}

/// A statement's text behind its attributes.
fn without_attributes(text: &str) -> &str {
    let mut rest = text;
    while rest.starts_with("#[") {
        let mut depth = 0;
        let end = rest.find(|c| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            c == ']' && depth == 0
        });
        match end {
            Some(end) => rest = rest[end + 1..].trim_start(),
            None => return text,
        }
    }
    rest
}

/// The parser gives a statement's attributes to the leftmost part of its expression.
fn leading_attributes(expression: &Expr) -> &[syn::Attribute] {
    let own = crate::expressions::attributes_of(expression);
    let left = match expression {
        _ if !own.is_empty() => return own,
        Expr::Assign(assign) => &assign.left,
        Expr::Await(wait) => &wait.base,
        Expr::Binary(binary) => &binary.left,
        Expr::Call(call) => &call.func,
        Expr::Cast(cast) => &cast.expr,
        Expr::Field(field) => &field.base,
        Expr::Index(index) => &index.expr,
        Expr::MethodCall(call) => &call.receiver,
        Expr::Try(attempt) => &attempt.expr,
        _ => return &[],
    };
    leading_attributes(left)
}

fn is_block_like(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::If(_)
            | Expr::Match(_)
            | Expr::Block(_)
            | Expr::Unsafe(_)
            | Expr::Loop(_)
            | Expr::While(_)
            | Expr::ForLoop(_)
    )
}

fn is_always_unit(expression: &Expr) -> bool {
    match expression {
        Expr::ForLoop(_) | Expr::While(_) => true,
        Expr::If(branch) => branch.else_branch.is_none(),
        _ => false,
    }
}
