//! Operators on scalars: one definition for the checker, the interpreter, mutants and compiled code's slow paths.

use super::error::ErrorKind;
use crate::language::lexer::FIXED_ONE;
use crate::language::tree::{BinaryOp, UnaryOp};

/// Whether numbers are plain or thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Whole,
    Fixed,
}

/// Both operands known. `In` and `NotIn` are not scalar operators.
///
/// # Errors
/// Overflow and division by zero.
pub fn binary(op: BinaryOp, left: i64, right: i64, scale: Scale) -> Result<i64, ErrorKind> {
    let truth = |value: bool| Ok(i64::from(value));
    match op {
        BinaryOp::Implies => truth(left == 0 || right != 0),
        BinaryOp::Or => truth(left != 0 || right != 0),
        BinaryOp::And => truth(left != 0 && right != 0),
        BinaryOp::Eq => truth(left == right),
        BinaryOp::Ne => truth(left != right),
        BinaryOp::Lt => truth(left < right),
        BinaryOp::Le => truth(left <= right),
        BinaryOp::Gt => truth(left > right),
        BinaryOp::Ge => truth(left >= right),
        BinaryOp::In => truth(left == right),
        BinaryOp::NotIn => truth(left != right),
        BinaryOp::Add => left.checked_add(right).ok_or(ErrorKind::Overflow),
        BinaryOp::Sub => left.checked_sub(right).ok_or(ErrorKind::Overflow),
        BinaryOp::Mul => match scale {
            Scale::Whole => left.checked_mul(right).ok_or(ErrorKind::Overflow),
            Scale::Fixed => narrow(i128::from(left) * i128::from(right) / i128::from(FIXED_ONE)),
        },
        BinaryOp::Div if right == 0 => Err(ErrorKind::DivisionByZero),
        BinaryOp::Mod if right == 0 => Err(ErrorKind::DivisionByZero),
        BinaryOp::Div => match scale {
            Scale::Whole => left.checked_div(right).ok_or(ErrorKind::Overflow),
            Scale::Fixed => narrow(i128::from(left) * i128::from(FIXED_ONE) / i128::from(right)),
        },
        BinaryOp::Mod => left.checked_rem(right).ok_or(ErrorKind::Overflow),
    }
}

fn narrow(value: i128) -> Result<i64, ErrorKind> {
    i64::try_from(value).map_err(|_| ErrorKind::Overflow)
}

/// `-`, `+`, `not` and `abs`.
///
/// # Errors
/// Overflow.
pub fn unary(op: UnaryOp, operand: i64) -> Result<i64, ErrorKind> {
    match op {
        UnaryOp::Minus => operand.checked_neg().ok_or(ErrorKind::Overflow),
        UnaryOp::Abs => operand.checked_abs().ok_or(ErrorKind::Overflow),
        UnaryOp::Not => Ok(i64::from(operand == 0)),
        _ => Ok(operand),
    }
}

/// Whether the left operand alone decides.
pub fn decided_by_left(op: BinaryOp, left: i64) -> Option<i64> {
    match op {
        BinaryOp::And if left == 0 => Some(0),
        BinaryOp::Or if left != 0 => Some(1),
        BinaryOp::Implies if left == 0 => Some(1),
        _ => None,
    }
}

/// The least and greatest result for operands in the given ranges; wide where a sharp answer is not needed.
pub fn range(op: BinaryOp, left: (i64, i64), right: (i64, i64), scale: Scale) -> (i64, i64) {
    let wide = |value: i64| i128::from(value);
    let clamp = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    match op {
        BinaryOp::Add => (
            clamp(wide(left.0) + wide(right.0)),
            clamp(wide(left.1) + wide(right.1)),
        ),
        BinaryOp::Sub => (
            clamp(wide(left.0) - wide(right.1)),
            clamp(wide(left.1) - wide(right.0)),
        ),
        BinaryOp::Mul => {
            let unit = if scale == Scale::Fixed {
                i128::from(FIXED_ONE)
            } else {
                1
            };
            let corners = [
                wide(left.0) * wide(right.0) / unit,
                wide(left.0) * wide(right.1) / unit,
                wide(left.1) * wide(right.0) / unit,
                wide(left.1) * wide(right.1) / unit,
            ];
            let least = corners.iter().copied().min().unwrap_or(0);
            let most = corners.iter().copied().max().unwrap_or(0);
            (clamp(least), clamp(most))
        }
        BinaryOp::Div if scale == Scale::Whole => {
            let most = wide(left.0).abs().max(wide(left.1).abs());
            let negative = left.0 < 0 || right.0 < 0;
            (if negative { clamp(-most) } else { 0 }, clamp(most))
        }
        BinaryOp::Mod => {
            let most = wide(right.0).abs().max(wide(right.1).abs()) - 1;
            let low = if left.0 < 0 { -most } else { 0 };
            (clamp(low.min(0)), clamp(most.max(0)))
        }
        _ => (i64::MIN, i64::MAX),
    }
}
