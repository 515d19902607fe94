//! Expressions, by precedence climbing.

use super::parser::Parser;
use super::token::{SourceSpan, Token};
use super::tree::*;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Expr {
        self.binary(1)
    }

    fn binary(&mut self, least: u8) -> Expr {
        let bad = Expr {
            kind: ExprKind::Bad,
            span: self.span(),
        };
        self.nested(bad, |p| p.binary_inner(least))
    }

    fn binary_inner(&mut self, least: u8) -> Expr {
        let mut left = self.unary();
        while let Some((op, tokens)) = self.binary_operator() {
            if op.level() < least {
                break;
            }
            for _ in 0..tokens {
                self.advance();
            }
            // `=>` leans to the right, all others to the left.
            let next = if op == BinaryOp::Implies {
                op.level()
            } else {
                op.level() + 1
            };
            let right = self.binary(next);
            let span = left.span.to(right.span);
            left = Expr {
                kind: ExprKind::Binary {
                    op,
                    left: Box::new(left),
                    right: Box::new(right),
                },
                span,
            };
        }
        left
    }

    /// The operator here and how many tokens it takes.
    fn binary_operator(&self) -> Option<(BinaryOp, usize)> {
        let op = match self.peek() {
            Token::Symbol("=>") => BinaryOp::Implies,
            Token::Keyword("or") => BinaryOp::Or,
            Token::Keyword("and") => BinaryOp::And,
            Token::Symbol("=") => BinaryOp::Eq,
            Token::Symbol("<>") => BinaryOp::Ne,
            Token::Symbol("<") => BinaryOp::Lt,
            Token::Symbol("<=") => BinaryOp::Le,
            Token::Symbol(">") => BinaryOp::Gt,
            Token::Symbol(">=") => BinaryOp::Ge,
            Token::Keyword("in") => BinaryOp::In,
            Token::Keyword("not") if matches!(self.peek_at(1), Token::Keyword("in")) => {
                return Some((BinaryOp::NotIn, 2));
            }
            Token::Symbol("+") => BinaryOp::Add,
            Token::Symbol("-") => BinaryOp::Sub,
            Token::Symbol("*") => BinaryOp::Mul,
            Token::Keyword("div") => BinaryOp::Div,
            Token::Keyword("mod") => BinaryOp::Mod,
            _ => return None,
        };
        Some((op, 1))
    }

    fn unary(&mut self) -> Expr {
        let op = match self.peek() {
            Token::Symbol("-") => UnaryOp::Minus,
            Token::Symbol("+") => UnaryOp::Plus,
            Token::Keyword("not") => UnaryOp::Not,
            Token::Keyword("abs") => UnaryOp::Abs,
            Token::Keyword("len") => UnaryOp::Len,
            Token::Keyword("hd") => UnaryOp::Head,
            Token::Keyword("tl") => UnaryOp::Tail,
            Token::Keyword("dom") => UnaryOp::Domain,
            Token::Keyword("ran") => UnaryOp::Range,
            _ => return self.postfix(),
        };
        let start = self.span();
        self.advance();
        let bad = Expr {
            kind: ExprKind::Bad,
            span: start,
        };
        let operand = Box::new(self.nested(bad, |p| p.unary()));
        let span = start.to(operand.span);
        Expr {
            kind: ExprKind::Unary { op, operand },
            span,
        }
    }

    /// What can stand left of `:=` or be called.
    pub(super) fn reference(&mut self) -> Expr {
        self.postfix()
    }

    fn postfix(&mut self) -> Expr {
        let mut expr = self.primary();
        loop {
            let start = expr.span;
            let kind = if self.eat_symbol(".") {
                match self.expect_name("a name after `.`") {
                    Some(name) => ExprKind::Field(Box::new(expr), name),
                    None => ExprKind::Bad,
                }
            } else if self.is_symbol("(") && callable(&expr) {
                self.call(expr)
            } else if self.is_symbol("[") && !self.at_choice() {
                self.advance();
                let index = Box::new(self.expression());
                self.expect_symbol("]");
                ExprKind::Index(Box::new(expr), index)
            } else if self.eat_keyword("as") {
                ExprKind::As(Box::new(expr), self.type_expression())
            } else {
                return expr;
            };
            expr = Expr {
                kind,
                span: start.to(self.previous_span()),
            };
        }
    }

    fn call(&mut self, callee: Expr) -> ExprKind {
        self.expect_symbol("(");
        let args = self.expressions_until(")");
        self.expect_symbol(")");
        let from = if self.eat_symbol(":>:") {
            Some(FoldFrom::Right)
        } else if self.eat_symbol(":<:") {
            Some(FoldFrom::Left)
        } else {
            None
        };
        let fold = from.map(|from| {
            self.expect_symbol("(");
            let list = self.expression();
            self.expect_symbol(")");
            (from, Box::new(list))
        });
        ExprKind::Call {
            callee: Box::new(callee),
            args,
            fold,
        }
    }

    fn expressions_until(&mut self, close: &str) -> Vec<Expr> {
        let mut list = Vec::new();
        if self.is_symbol(close) {
            return list;
        }
        list.push(self.expression());
        while self.eat_symbol(",") {
            list.push(self.expression());
        }
        list
    }

    fn primary(&mut self) -> Expr {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Int(value) => self.single(ExprKind::Int(value)),
            Token::Fixed(value) => self.single(ExprKind::Fixed(value)),
            Token::Keyword("true") => self.single(ExprKind::Bool(true)),
            Token::Keyword("false") => self.single(ExprKind::Bool(false)),
            Token::Keyword("nil") => self.single(ExprKind::Nil),
            Token::Keyword("self") => self.single(ExprKind::SelfRef),
            Token::Keyword("result") => self.single(ExprKind::Result),
            Token::Name(name) => self.single(ExprKind::Name(name)),
            Token::Keyword("new") => self.new_object(),
            Token::Keyword(word @ ("forall" | "exists")) => self.quantifier(word == "forall"),
            Token::Keyword("if") => self.conditional(),
            Token::Symbol("(") => self.parenthesised(),
            Token::Symbol("[") => self.list_or_comprehension(),
            Token::Symbol("{") => self.map_literal(),
            _ => {
                self.expected(
                    "an expression",
                    "for example `1`, `true`, `name`, `name(…)`, `list[0]` or `(a + b)`",
                );
                ExprKind::Bad
            }
        };
        Expr {
            kind,
            span: start.to(self.after(start)),
        }
    }

    /// The end of what was just read, or `start` if nothing was.
    fn after(&self, start: SourceSpan) -> SourceSpan {
        if self.span() == start {
            start
        } else {
            self.previous_span()
        }
    }

    fn single(&mut self, kind: ExprKind) -> ExprKind {
        self.advance();
        kind
    }

    fn new_object(&mut self) -> ExprKind {
        self.expect_keyword("new");
        self.expect_symbol("(");
        let Some(class) = self.expect_name("a class") else {
            return ExprKind::Bad;
        };
        let mut name = None;
        if self.eat_symbol(",") {
            match self.peek().clone() {
                Token::Text(text) => {
                    self.advance();
                    name = Some(text);
                }
                _ => self.expected(
                    "the object's name in double quotes",
                    "for example `new(Lamp, \"left\")`, or `new(Lamp)`",
                ),
            }
        }
        self.expect_symbol(")");
        ExprKind::New { class, name }
    }

    fn quantifier(&mut self, all: bool) -> ExprKind {
        self.advance();
        let vars = self.bound_variables(",");
        self.expect_symbol(":");
        self.expect_symbol("(");
        let body = Box::new(self.expression());
        self.expect_symbol(")");
        ExprKind::Quantifier { all, vars, body }
    }

    fn conditional(&mut self) -> ExprKind {
        self.expect_keyword("if");
        let cond = Box::new(self.expression());
        self.expect_keyword("then");
        let then = Box::new(self.expression());
        self.expect_keyword("else");
        let other = Box::new(self.expression());
        self.expect_keyword("end");
        ExprKind::If { cond, then, other }
    }

    fn parenthesised(&mut self) -> ExprKind {
        self.expect_symbol("(");
        let mut items = vec![self.expression()];
        while self.eat_symbol(",") {
            items.push(self.expression());
        }
        self.expect_symbol(")");
        if items.len() == 1 {
            ExprKind::Paren(Box::new(items.remove(0)))
        } else {
            ExprKind::Tuple(items)
        }
    }

    fn list_or_comprehension(&mut self) -> ExprKind {
        self.expect_symbol("[");
        let mut items = self.expressions_until("]");
        if items.len() == 1 && self.eat_symbol("|") {
            self.expect_keyword("var");
            let vars = self.bound_variables(";");
            let filter = self.eat_symbol("&").then(|| Box::new(self.expression()));
            self.expect_symbol("]");
            return ExprKind::Comprehension {
                item: Box::new(items.remove(0)),
                vars,
                filter,
            };
        }
        self.expect_symbol("]");
        ExprKind::List(items)
    }

    fn map_literal(&mut self) -> ExprKind {
        self.expect_symbol("{");
        let mut pairs = Vec::new();
        while !self.is_symbol("}") {
            let key = self.expression();
            self.expect_symbol("->");
            let value = self.expression();
            pairs.push((key, value));
            if !self.eat_symbol(",") {
                break;
            }
        }
        self.expect_symbol("}");
        ExprKind::Map(pairs)
    }
}

fn callable(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Name(_) | ExprKind::Field(..))
}
