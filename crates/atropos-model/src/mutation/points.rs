//! What happens at a mutation point that is not [`ORIGINAL`]: the slow path shared by the interpreter
//! and compiled code. While recording, a mutant is noted only if it computes something else here (it is infected), or
//! if that can't be told.

use super::mode::{MutantSet, ORIGINAL, RECORD};
use super::mutant::{Mutants, PointKind};
use crate::language::tree::BinaryOp;
use crate::model::arithmetic;
use crate::model::{ErrorKind, ModelPointId};

impl Mutants {
    /// A guard whose condition is `cond`.
    pub fn guard(
        &self,
        point: ModelPointId,
        mode: u8,
        cond: bool,
        infected: &mut MutantSet,
    ) -> bool {
        match mode {
            ORIGINAL => cond,
            RECORD => {
                if cond {
                    infected.insert(self.point(point).first);
                }
                cond
            }
            _ => false,
        }
    }

    /// A binary operator with both operands; for lists, maps and tuples these are "equal" or "found" and 1.
    ///
    /// # Errors
    /// Those of the operator that acts.
    pub fn binary(
        &self,
        id: ModelPointId,
        mode: u8,
        left: i64,
        right: i64,
        infected: &mut MutantSet,
    ) -> Result<i64, ErrorKind> {
        let point = self.point(id);
        let PointKind::Binary {
            op,
            scale,
            alternatives,
        } = &point.kind
        else {
            return Ok(0);
        };
        let original = || arithmetic::binary(*op, left, right, *scale);
        match mode {
            ORIGINAL => original(),
            RECORD => {
                let value = original();
                for (at, other) in alternatives.iter().enumerate() {
                    if arithmetic::binary(*other, left, right, *scale) != value {
                        infected.insert(point.mutant(at as u8 + 1));
                    }
                }
                value
            }
            variant => arithmetic::binary(alternatives[variant as usize - 1], left, right, *scale),
        }
    }

    /// The operator of a logic point that acts.
    pub fn logic_operator(&self, id: ModelPointId, mode: u8) -> BinaryOp {
        match &self.point(id).kind {
            PointKind::Logic {
                op, alternatives, ..
            } => match mode {
                ORIGINAL | RECORD => *op,
                variant => alternatives[variant as usize - 1],
            },
            _ => BinaryOp::And,
        }
    }

    /// While recording, when the left side is known: those that part here whatever the right side is.
    pub fn record_left(&self, id: ModelPointId, left: i64, infected: &mut MutantSet) {
        let point = self.point(id);
        let PointKind::Logic {
            op,
            alternatives,
            right_may_fail,
        } = &point.kind
        else {
            return;
        };
        let value = arithmetic::decided_by_left(*op, left);
        for (at, other) in alternatives.iter().enumerate() {
            let parts = match (value, arithmetic::decided_by_left(*other, left)) {
                // The original does not look at the right side.
                (Some(value), other) => other != Some(value),
                // The mutant does not; if the right side fails, they part.
                (None, Some(_)) => *right_may_fail,
                (None, None) => false,
            };
            if parts {
                infected.insert(point.mutant(at as u8 + 1));
            }
        }
    }

    /// While recording, when the right side is known too.
    pub fn record_right(&self, id: ModelPointId, left: i64, right: i64, infected: &mut MutantSet) {
        let point = self.point(id);
        let PointKind::Logic {
            op, alternatives, ..
        } = &point.kind
        else {
            return;
        };
        let scale = arithmetic::Scale::Whole;
        let value = arithmetic::binary(*op, left, right, scale);
        for (at, other) in alternatives.iter().enumerate() {
            if arithmetic::binary(*other, left, right, scale) != value {
                infected.insert(point.mutant(at as u8 + 1));
            }
        }
    }

    /// `-`, `+`, `abs` or `not`.
    ///
    /// # Errors
    /// Those of the operator that acts.
    pub fn unary(
        &self,
        id: ModelPointId,
        mode: u8,
        operand: i64,
        infected: &mut MutantSet,
    ) -> Result<i64, ErrorKind> {
        let point = self.point(id);
        let PointKind::Unary { op, alternatives } = &point.kind else {
            return Ok(0);
        };
        let value = arithmetic::unary(*op, operand);
        match mode {
            ORIGINAL => value,
            RECORD => {
                for (at, other) in alternatives.iter().enumerate() {
                    if arithmetic::unary(*other, operand) != value {
                        infected.insert(point.mutant(at as u8 + 1));
                    }
                }
                value
            }
            variant => arithmetic::unary(alternatives[variant as usize - 1], operand),
        }
    }

    /// Whether a quantifier acts as `forall`.
    pub fn quantifier(
        &self,
        id: ModelPointId,
        mode: u8,
        all: bool,
        infected: &mut MutantSet,
    ) -> bool {
        match mode {
            ORIGINAL => all,
            RECORD => {
                infected.insert(self.point(id).first);
                all
            }
            _ => !all,
        }
    }

    pub fn literal(&self, id: ModelPointId, mode: u8, infected: &mut MutantSet) -> i64 {
        let point = self.point(id);
        let PointKind::Literal {
            value,
            alternatives,
        } = &point.kind
        else {
            return 0;
        };
        match mode {
            ORIGINAL => *value,
            RECORD => {
                for variant in 1..=point.variants {
                    infected.insert(point.mutant(variant));
                }
                *value
            }
            variant => alternatives[variant as usize - 1],
        }
    }
}
