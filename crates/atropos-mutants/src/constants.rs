//! Literals: CRP moves numbers by one and to zero, BLR exchanges true and false, SLR empties and
//! fills strings; AOD leaves out a minus.
//!
//! A number is not changed to what another operator makes of the same place (`x + 0` is x), nor
//! to what its type can't hold. Negative numbers are made only of what is known to be signed.

use syn::{Expr, ExprLit, ExprUnary, Lit, LitFloat, LitInt, Type};

use crate::binaries::{OperandOf, OperandSide};
use crate::expressions::ExpressionRole;
use crate::mutant::{Shape, Span};
use crate::operator::Operator;
use crate::source::shortened;
use crate::type_facts::last_name;
use crate::types::{TypeClass, kind_of_type};
use crate::walk::{Draft, Walker};

/// What a string becomes that was empty: a word that nobody expects.
pub(crate) const MARKER: &str = "xyzzy";

impl Walker<'_> {
    pub fn literal(&mut self, literal: &ExprLit, role: ExpressionRole, expected: Option<&Type>) {
        let span = self.source.span(literal);
        match &literal.lit {
            Lit::Int(int) => self.number(span, int_values(int, false), int, role, expected),
            Lit::Float(float) => self.float(span, float, false, role),
            Lit::Bool(value) => {
                let flipped = if value.value { "false" } else { "true" };
                let old = self.source.flat(literal);
                self.replaced(Operator::Blr, span, &old, vec![flipped.to_string()]);
            }
            Lit::Str(string) => {
                let new = if string.value().is_empty() {
                    MARKER
                } else {
                    ""
                };
                let old = self.source.flat(literal);
                self.replaced(Operator::Slr, span, &old, vec![format!("\"{new}\"")]);
            }
            _ => {}
        }
    }

    /// `-x`: AOD leaves the minus out; a literal behind it is one constant with it.
    pub fn minus(&mut self, unary: &ExprUnary, role: ExpressionRole, expected: Option<&Type>) {
        let span = self.source.span(unary);
        if !is_lowest(&unary.expr) {
            let text = self.source.flat(&unary.expr);
            let summary = format!("delete - before {}", shortened(&text, 60));
            let draft = Draft::new(Operator::Aod, span, text, summary);
            self.point(span, Shape::Expression, vec![draft]);
        }
        match &*unary.expr {
            Expr::Lit(ExprLit {
                lit: Lit::Int(int), ..
            }) => {
                self.number(span, int_values(int, true), int, role, expected);
            }
            Expr::Lit(ExprLit {
                lit: Lit::Float(float),
                ..
            }) => {
                self.float(span, float, true, role);
            }
            inner => self.expression(
                inner,
                ExpressionRole::Operand(OperandOf::Minus, OperandSide::Right),
                expected,
            ),
        }
    }

    fn number(
        &mut self,
        span: Span,
        values: Option<(i128, [i128; 3])>,
        literal: &LitInt,
        role: ExpressionRole,
        expected: Option<&Type>,
    ) {
        let Some((old, new)) = values else {
            return;
        };
        let type_name = match literal.suffix() {
            "" => expected.and_then(last_name),
            suffix => Some(suffix.to_string()),
        };
        let kind = type_name
            .as_deref()
            .and_then(TypeClass::of_name)
            .or_else(|| {
                let expected = expected.filter(|_| literal.suffix().is_empty())?;
                kind_of_type(expected, self.facts)
            });
        let is_signed = old < 0 || kind == Some(TypeClass::Signed);
        let made = new
            .into_iter()
            .filter(|value| *value != old)
            .filter(|value| *value >= 0 || is_signed)
            .filter(|value| fits(*value, type_name.as_deref(), kind))
            .filter(|value| !self.is_made_otherwise(old, *value, role))
            .map(|value| int_text(value, literal, role))
            .collect();
        self.replaced(Operator::Crp, span, self.source.slice(span), made);
    }

    /// Whether an operator of the surroundings makes the same of it, or it only divides by zero.
    fn is_made_otherwise(&self, old: i128, new: i128, role: ExpressionRole) -> bool {
        let ExpressionRole::Operand(op, side) = role else {
            return false;
        };
        let by = |operator| self.is_selected(operator);
        match (op, side, new) {
            (
                OperandOf::Arithmetic('/' | '%') | OperandOf::Assignment('/' | '%'),
                OperandSide::Right,
                0,
            ) => true,
            (OperandOf::Arithmetic('+'), _, 0)
            | (OperandOf::Arithmetic('-'), OperandSide::Right, 0) => by(Operator::Aod),
            (OperandOf::Arithmetic('*'), _, 1)
            | (OperandOf::Arithmetic('/'), OperandSide::Right, 1) => by(Operator::Aod),
            (OperandOf::Assignment('+' | '-' | '|' | '^' | 'l' | 'r'), _, 0) => by(Operator::Sdl),
            (OperandOf::Assignment('*' | '/'), _, 1) => by(Operator::Sdl),
            (OperandOf::Relation(letter), side, _) => {
                let moved = match (letter, side) {
                    ('<', OperandSide::Right) | ('g', OperandSide::Right) => 1,
                    ('>', OperandSide::Right) | ('l', OperandSide::Right) => -1,
                    ('<', OperandSide::Left) | ('g', OperandSide::Left) => -1,
                    ('>', OperandSide::Left) | ('l', OperandSide::Left) => 1,
                    _ => return false,
                };
                new == old + moved && by(Operator::Ror)
            }
            (OperandOf::MovedRange { inclusive }, OperandSide::Right, _) => {
                new == old + if inclusive { -1 } else { 1 } && by(Operator::Rbr)
            }
            _ => false,
        }
    }

    fn float(&mut self, span: Span, literal: &LitFloat, is_negative: bool, role: ExpressionRole) {
        let Ok(digits) = literal.base10_digits().parse::<f64>() else {
            return;
        };
        let old = if is_negative { -digits } else { digits };
        let is_divisor = matches!(
            role,
            ExpressionRole::Operand(
                OperandOf::Arithmetic('/' | '%') | OperandOf::Assignment('/' | '%'),
                OperandSide::Right
            )
        );
        let mut made: Vec<String> = Vec::new();
        for new in [old + 1.0, old - 1.0, 0.0] {
            let Some(text) = float_text(new) else {
                continue;
            };
            // Far from one, a step of one is no change.
            let is_change = text.parse::<f64>().is_ok_and(|value| value != old);
            if !is_change || is_divisor && new == 0.0 {
                continue;
            }
            let text = format!("{text}{}", literal.suffix());
            let text = if new < 0.0 && role.is_postfixed() {
                format!("({text})")
            } else {
                text
            };
            if !made.contains(&text) {
                made.push(text);
            }
        }
        self.replaced(Operator::Crp, span, self.source.slice(span), made);
    }

    fn replaced(&mut self, operator: Operator, span: Span, old: &str, new: Vec<String>) {
        let drafts = new
            .into_iter()
            .map(|text| {
                let summary = format!("replace {} with {text}", shortened(old, 60));
                Draft::new(operator, span, text, summary)
            })
            .collect();
        self.point(span, Shape::Expression, drafts);
    }
}

/// Whether a minus stands before the lowest number of a type, which has no positive counterpart.
fn is_lowest(behind_minus: &Expr) -> bool {
    let Expr::Lit(ExprLit {
        lit: Lit::Int(int), ..
    }) = behind_minus
    else {
        return false;
    };
    let lowest = [7, 15, 31, 63, 127].map(|bits| 1u128 << bits);
    int.base10_parse()
        .is_ok_and(|value: u128| lowest.contains(&value))
}

/// A literal's value and what it may become: one more, one less, zero. Numbers beyond `i128` are
/// left alone.
fn int_values(literal: &LitInt, is_negative: bool) -> Option<(i128, [i128; 3])> {
    // `1f64` is an integer literal with a float's suffix.
    if matches!(literal.suffix(), "f32" | "f64") {
        return None;
    }
    let digits: i128 = literal.base10_parse::<u128>().ok()?.try_into().ok()?;
    let old = if is_negative { -digits } else { digits };
    Some((old, [old.checked_add(1)?, old.checked_sub(1)?, 0]))
}

/// In the notation of the literal it replaces.
fn int_text(value: i128, literal: &LitInt, role: ExpressionRole) -> String {
    let repr = literal.to_string();
    let digits = value.unsigned_abs();
    let digits = match repr.get(..2) {
        Some("0x") => format!("{digits:#x}"),
        Some("0o") => format!("{digits:#o}"),
        Some("0b") => format!("{digits:#b}"),
        _ => digits.to_string(),
    };
    let suffix = literal.suffix();
    match value < 0 {
        true if role.is_postfixed() => format!("(-{digits}{suffix})"),
        true => format!("-{digits}{suffix}"),
        false => format!("{digits}{suffix}"),
    }
}

/// Whether a type can hold a value; of an unknown type, whether none has its limit just there.
fn fits(value: i128, type_name: Option<&str>, kind: Option<TypeClass>) -> bool {
    let bits = match type_name {
        Some("i8" | "u8") => 8,
        Some("i16" | "u16") => 16,
        Some("i32" | "u32") => 32,
        Some("i64" | "u64") => 64,
        Some("isize" | "usize") => 64,
        Some("i128" | "u128") => return true,
        _ => {
            let limits = [7, 8, 15, 16, 31, 32, 63, 64].map(|bits| 1i128 << bits);
            return !limits.contains(&value) && !limits.iter().any(|limit| value == -limit - 1);
        }
    };
    let limit = 1i128 << bits;
    match kind {
        Some(TypeClass::Signed) => -limit / 2 <= value && value < limit / 2,
        _ => (0..limit).contains(&value),
    }
}

/// A float as people write it, or none if it is out of range.
fn float_text(value: f64) -> Option<String> {
    if !value.is_finite() || value.abs() >= 1e15 {
        return None;
    }
    let text = format!("{value:.12}");
    let text = text.trim_end_matches('0');
    let text = if text.ends_with('.') {
        format!("{text}0")
    } else {
        text.to_string()
    };
    Some(if text == "-0.0" {
        "0.0".to_string()
    } else {
        text
    })
}
