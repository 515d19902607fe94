//! The printer's statements, expressions and types.

use super::printer::{Printer, WIDTH, variables};
use super::tree::*;

impl Printer {
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        self.comments_before(stmt.span.start);
        if let Some(text) = inline(stmt)
            && text.len() + 2 * self.indent <= WIDTH
        {
            self.line(&text);
            return;
        }
        match &stmt.kind {
            StmtKind::Prio(parts) => self.parts(parts, " //"),
            StmtKind::Choice(parts) => self.parts(parts, " []"),
            StmtKind::Seq(parts) => self.parts(parts, ";"),
            StmtKind::Project { vars, filter, body } => {
                self.line(&projection_head(vars, filter.as_ref()));
                self.indented(|p| p.statement(body));
            }
            StmtKind::Guard { cond, body } => {
                self.line(&format!("requires {}:", expression(cond)));
                self.indented(|p| {
                    if let Some(body) = body {
                        p.statement(body);
                    }
                    p.comments_before(stmt.span.end);
                });
                self.line("end");
            }
            StmtKind::Paren(body) => {
                self.line("(");
                self.indented(|p| {
                    p.statement(body);
                    p.comments_before(stmt.span.end);
                });
                self.line(")");
            }
            _ => {
                let text = plain(stmt);
                self.line(&text);
            }
        }
    }

    fn parts(&mut self, parts: &[Stmt], separator: &str) {
        for (at, part) in parts.iter().enumerate() {
            self.statement(part);
            if at + 1 < parts.len() {
                self.append(separator);
            }
        }
    }
}

fn projection_head(vars: &[Param], filter: Option<&Expr>) -> String {
    let filter = filter.map_or(String::new(), |filter| format!(" & {}", expression(filter)));
    format!("var {}{filter}:", variables(vars, "; "))
}

/// The text of a statement that reads well in one line.
fn inline(stmt: &Stmt) -> Option<String> {
    match &stmt.kind {
        StmtKind::Prio(_) | StmtKind::Choice(_) | StmtKind::Seq(_) | StmtKind::Paren(_) => None,
        StmtKind::Project { vars, filter, body } => Some(format!(
            "{} {}",
            projection_head(vars, filter.as_ref()),
            inline(body)?
        )),
        StmtKind::Guard { cond, body } => {
            let body = match body {
                None => String::new(),
                Some(body) if matches!(body.kind, StmtKind::Guard { .. }) => return None,
                Some(body) => format!("{} ", inline(body)?),
            };
            Some(format!("requires {}: {body}end", expression(cond)))
        }
        _ => Some(plain(stmt)),
    }
}

fn plain(stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Assign {
            targets,
            values,
            with,
        } => {
            let with = with
                .as_ref()
                .map_or(String::new(), |with| format!(" with {}", expression(with)));
            format!("{} := {}{with}", list(targets), list(values))
        }
        StmtKind::Call(call) => expression(call),
        StmtKind::Abort => "abort".into(),
        _ => "skip".into(),
    }
}

fn list(items: &[Expr]) -> String {
    items.iter().map(expression).collect::<Vec<_>>().join(", ")
}

/// An expression in one line.
pub fn expression(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Fixed(value) => fixed_text(*value),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Nil => "nil".into(),
        ExprKind::SelfRef => "self".into(),
        ExprKind::Result => "result".into(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Field(base, name) => format!("{}.{}", expression(base), name.text),
        ExprKind::Call { callee, args, fold } => {
            let fold = match fold {
                None => String::new(),
                Some((FoldFrom::Right, over)) => format!(" :>: ({})", expression(over)),
                Some((FoldFrom::Left, over)) => format!(" :<: ({})", expression(over)),
            };
            format!("{}({}){fold}", expression(callee), list(args))
        }
        ExprKind::Index(base, index) => format!("{}[{}]", expression(base), expression(index)),
        ExprKind::New { class, name: None } => format!("new({})", class.text),
        ExprKind::New {
            class,
            name: Some(name),
        } => format!("new({}, \"{name}\")", class.text),
        ExprKind::As(base, ty) => format!("{} as {}", expression(base), type_text(ty)),
        ExprKind::List(items) => format!("[{}]", list(items)),
        ExprKind::Map(pairs) => {
            let pairs: Vec<String> = pairs
                .iter()
                .map(|(key, value)| format!("{} -> {}", expression(key), expression(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        ExprKind::Tuple(items) => format!("({})", list(items)),
        ExprKind::Comprehension { item, vars, filter } => {
            let filter = filter
                .as_ref()
                .map_or(String::new(), |filter| format!(" & {}", expression(filter)));
            format!(
                "[{} | var {}{filter}]",
                expression(item),
                variables(vars, "; ")
            )
        }
        ExprKind::Quantifier { all, vars, body } => {
            let word = if *all { "forall" } else { "exists" };
            format!("{word} {}: ({})", variables(vars, ", "), expression(body))
        }
        ExprKind::If { cond, then, other } => {
            format!(
                "if {} then {} else {} end",
                expression(cond),
                expression(then),
                expression(other)
            )
        }
        ExprKind::Unary { op, operand } => match op {
            UnaryOp::Minus | UnaryOp::Plus => format!("{}{}", op.text(), expression(operand)),
            _ => format!("{} {}", op.text(), expression(operand)),
        },
        ExprKind::Binary { op, left, right } => {
            format!("{} {} {}", expression(left), op.text(), expression(right))
        }
        ExprKind::Paren(inner) => format!("({})", expression(inner)),
        ExprKind::Bad => "?".into(),
    }
}

/// A fixed-point value as it is written.
pub fn fixed_text(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!(
        "{sign}{}.{:03}",
        value.unsigned_abs() / 1000,
        value.unsigned_abs() % 1000
    )
}

/// A type in one line.
pub fn type_text(ty: &TypeExpr) -> String {
    match &ty.kind {
        TypeKind::Bool => "bool".into(),
        TypeKind::Int(low, high) => format!("int[{}..{}]", bound(low), bound(high)),
        TypeKind::Float(low, high) => format!("float[{}..{}]", bound(low), bound(high)),
        TypeKind::Enum(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|(name, value)| match value {
                    Some(value) => format!("{} = {value}", name.text),
                    None => name.text.clone(),
                })
                .collect();
            format!("{{{}}}", items.join(", "))
        }
        TypeKind::List(length, item) => format!("list[{}] of {}", bound(length), type_text(item)),
        TypeKind::Map(length, key, value) => {
            format!(
                "map[{}] {} to {}",
                bound(length),
                type_text(key),
                type_text(value)
            )
        }
        TypeKind::Tuple(items) => format!(
            "({})",
            items.iter().map(type_text).collect::<Vec<_>>().join(", ")
        ),
        TypeKind::Named(name) => name.clone(),
        TypeKind::Bad => "?".into(),
    }
}

fn bound(bound: &Bound) -> String {
    match &bound.kind {
        BoundKind::Number(value) => value.to_string(),
        BoundKind::Const { name, negated } => format!("{}{name}", if *negated { "-" } else { "" }),
    }
}
