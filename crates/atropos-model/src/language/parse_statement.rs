//! Statements: blocks of `//`, `[]` and `;`, projections, guarded commands, assignments and calls.

use super::diagnostic::Diagnostic;
use super::parser::Parser;
use super::token::Token;
use super::tree::*;

impl Parser<'_> {
    /// `par { "//" par }`: the loosest level.
    pub(super) fn block(&mut self) -> Stmt {
        let bad = Stmt {
            kind: StmtKind::Bad,
            span: self.span(),
        };
        self.nested(bad, |p| {
            let start = p.span();
            let mut parts = vec![p.choice()];
            while p.eat_symbol("//") {
                parts.push(p.choice());
            }
            let is_choice = |part: &Stmt| matches!(part.kind, StmtKind::Choice(_));
            p.warn_of_mixture(&parts, is_choice, "`[]` binds tighter than `//`");
            let is_sequence = |part: &Stmt| matches!(part.kind, StmtKind::Seq(_));
            p.warn_of_mixture(&parts, is_sequence, "`;` binds tighter than `//`");
            p.joined(parts, start, StmtKind::Prio)
        })
    }

    /// Readers don't know by heart which of `;`, `[]` and `//` binds tighter.
    fn warn_of_mixture(&mut self, parts: &[Stmt], is_inner: fn(&Stmt) -> bool, rule: &str) {
        let inner = parts.iter().find(|part| is_inner(part));
        if let Some(inner) = inner.filter(|_| parts.len() > 1) {
            self.diagnostics.push(
                Diagnostic::warning(
                    inner.span,
                    format!("{rule}, so that this part belongs together"),
                )
                .advice("put it into parentheses: `( … )`"),
            );
        }
    }

    fn joined(
        &self,
        mut parts: Vec<Stmt>,
        start: super::SourceSpan,
        join: impl FnOnce(Vec<Stmt>) -> StmtKind,
    ) -> Stmt {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        Stmt {
            kind: join(parts),
            span: start.to(self.previous_span()),
        }
    }

    fn choice(&mut self) -> Stmt {
        let start = self.span();
        let mut parts = vec![self.sequence()];
        while self.at_choice() {
            self.advance();
            self.advance();
            parts.push(self.sequence());
        }
        let is_sequence = |part: &Stmt| matches!(part.kind, StmtKind::Seq(_));
        self.warn_of_mixture(&parts, is_sequence, "`;` binds tighter than `[]`");
        self.joined(parts, start, StmtKind::Choice)
    }

    fn sequence(&mut self) -> Stmt {
        let start = self.span();
        if self.eat_keyword("var") {
            let vars = self.bound_variables(";");
            let filter = self.eat_symbol("&").then(|| self.expression());
            self.expect_symbol(":");
            let body = Box::new(self.plain_sequence());
            let span = start.to(self.previous_span());
            return Stmt {
                kind: StmtKind::Project { vars, filter, body },
                span,
            };
        }
        self.plain_sequence()
    }

    fn plain_sequence(&mut self) -> Stmt {
        let start = self.span();
        let mut parts = vec![self.statement()];
        while self.eat_symbol(";") {
            if self.at_sequence_end() {
                break;
            }
            parts.push(self.statement());
        }
        self.joined(parts, start, StmtKind::Seq)
    }

    fn at_sequence_end(&self) -> bool {
        match self.peek() {
            Token::End
            | Token::Symbol("//" | ")")
            | Token::Keyword("end" | "od" | "obs" | "ctr") => true,
            _ => self.at_choice() || self.at_section() || self.at_item_header(),
        }
    }

    /// `x: T; y: U`, with the given separator; the other one is accepted too where nothing else can follow.
    pub(super) fn bound_variables(&mut self, separator: &str) -> Vec<Param> {
        let mut vars = Vec::new();
        while let Some(name) = self.expect_name("a variable's name") {
            self.expect_symbol(":");
            let ty = self.type_expression();
            vars.push(Param { name, ty });
            let more = self.is_symbol(separator) || (self.is_symbol(",") && separator == ";");
            if !more {
                break;
            }
            self.advance();
        }
        vars
    }

    fn statement(&mut self) -> Stmt {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Keyword("requires") => return self.guarded_command(),
            Token::Keyword("skip") => {
                self.advance();
                StmtKind::Skip
            }
            Token::Keyword("abort") => {
                self.advance();
                StmtKind::Abort
            }
            Token::Symbol("(") => {
                self.advance();
                let body = self.block();
                self.expect_symbol(")");
                StmtKind::Paren(Box::new(body))
            }
            Token::Name(_) | Token::Keyword("self" | "result") => self.assignment_or_call(),
            token => {
                let advice = match token {
                    Token::Keyword("if") => {
                        "`if` makes a value: `x := if p then 1 else 2 end`; statements are chosen by guards: `requires p: … end [] requires not p: … end`"
                    }
                    _ => "write `skip` where nothing is to be done",
                };
                self.expected("a statement", advice);
                self.skip_statement();
                StmtKind::Bad
            }
        };
        Stmt {
            kind,
            span: start.to(self.previous_span()),
        }
    }

    fn skip_statement(&mut self) {
        self.skip_until(|p| p.is_symbol(";") || p.is_symbol("//") || p.at_sequence_end());
    }

    fn assignment_or_call(&mut self) -> StmtKind {
        let first = self.reference();
        if self.is_symbol(":=") || self.is_symbol(",") {
            let mut targets = vec![first];
            while self.eat_symbol(",") {
                targets.push(self.reference());
            }
            if !self.expect_symbol(":=") {
                self.skip_statement();
                return StmtKind::Bad;
            }
            let mut values = vec![self.expression()];
            while self.eat_symbol(",") {
                values.push(self.expression());
            }
            let with = self.eat_keyword("with").then(|| self.expression());
            return StmtKind::Assign {
                targets,
                values,
                with,
            };
        }
        if matches!(first.kind, ExprKind::Call { .. }) {
            return StmtKind::Call(first);
        }
        let found = self.peek().describe();
        let message = format!("expected `:=` or `(`, found {found}");
        let advice = match self.is_symbol("=") {
            true => "`=` compares; an assignment is written `:=`",
            false => {
                "a statement is `variable := value`, a call `name(…)`, `requires … end`, `skip` or `abort`"
            }
        };
        self.diagnostics.error(self.span(), message, advice);
        self.skip_statement();
        StmtKind::Bad
    }

    pub(super) fn guarded_command(&mut self) -> Stmt {
        let start = self.span();
        self.expect_keyword("requires");
        let cond = self.expression();
        self.expect_symbol(":");
        let body = if self.is_keyword("end") {
            None
        } else {
            Some(Box::new(self.block()))
        };
        let head = start.to(cond.span);
        if !self.eat_keyword("end") {
            // The MoMuT paper's Figure 2 leaves such an `end` out: where the next item starts it can only be missing.
            if self.at_item_header() || self.at_section() {
                self.diagnostics.push(
                    Diagnostic::warning(head, "this guarded command has no `end`")
                        .advice("it is taken to end before the next item; write `end` there"),
                );
                self.back_to_separator();
            } else {
                self.expected("`end`", "every `requires … :` is closed by its own `end`");
                self.skip_until(|p| p.is_keyword("end") || p.at_item_header() || p.at_section());
                self.eat_keyword("end");
            }
        }
        let span = start.to(self.previous_span());
        Stmt {
            kind: StmtKind::Guard { cond, body },
            span,
        }
    }
}
