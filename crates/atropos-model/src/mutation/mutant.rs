//! Mutation points and mutants.

use crate::language::Span;
use crate::language::tree::{BinaryOp, UnaryOp};
use crate::model::arithmetic::Scale;
use crate::model::{CodeId, PointId};
use serde::{Deserialize, Serialize};

/// From 1; 0 is the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModelMutantId(pub u32);

/// The rules of the MoMuT paper's Table 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ModelOperator {
    /// A guarded command is never enabled.
    DisableGuard,
    ReplaceBinary,
    /// Also `forall` and `exists`.
    ReplaceUnary,
    InvertBoolean,
    ReplaceInteger,
}

impl ModelOperator {
    pub fn code(self) -> &'static str {
        match self {
            ModelOperator::DisableGuard => "DGC",
            ModelOperator::ReplaceBinary => "RBO",
            ModelOperator::ReplaceUnary => "RUO",
            ModelOperator::InvertBoolean => "IBL",
            ModelOperator::ReplaceInteger => "RIL",
        }
    }
}

/// What is known about a mutant before anything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// To be killed.
    Open,
    /// Computes the same as another mutant.
    Duplicate(ModelMutantId),
    /// Computes the same as the original.
    Equivalent,
    /// In code that no object executes.
    Dead,
}

#[derive(Clone, Debug)]
pub struct ModelMutant {
    pub id: ModelMutantId,
    pub operator: ModelOperator,
    pub point: PointId,
    /// From 1 within its point.
    pub variant: u8,
    pub code: CodeId,
    pub span: Span,
    pub replacement: String,
    pub fate: Fate,
    /// Not empty: a set of mutants that act at once; the place and the text are the first one's.
    pub parts: Vec<ModelMutantId>,
}

/// What a point does; variant k takes alternative k-1.
#[derive(Clone, Debug)]
pub enum PointKind {
    Guard,
    /// Operators whose operands are always both computed.
    Binary {
        op: BinaryOp,
        scale: Scale,
        alternatives: Vec<BinaryOp>,
    },
    /// `and`, `or`, `=>`: the right side is computed only where the left does not decide.
    Logic {
        op: BinaryOp,
        alternatives: Vec<BinaryOp>,
        right_may_fail: bool,
    },
    Unary {
        op: UnaryOp,
        alternatives: Vec<UnaryOp>,
    },
    /// `forall` and `exists` change places.
    Quantifier,
    Literal {
        value: i64,
        alternatives: Vec<i64>,
    },
}

#[derive(Clone, Debug)]
pub struct Point {
    pub kind: PointKind,
    /// The id of variant 1; the others follow.
    pub first: ModelMutantId,
    pub variants: u8,
}

impl Point {
    pub fn mutant(&self, variant: u8) -> ModelMutantId {
        ModelMutantId(self.first.0 + u32::from(variant) - 1)
    }
}

/// All mutants of a model.
#[derive(Clone, Debug, Default)]
pub struct Mutants {
    pub points: Vec<Point>,
    /// `list[i]` has the id i + 1; sets come last.
    pub list: Vec<ModelMutant>,
    /// Per id of a single mutant the sets that hold it.
    pub(super) sets_with: Vec<Vec<ModelMutantId>>,
}

impl Mutants {
    pub fn get(&self, id: ModelMutantId) -> &ModelMutant {
        &self.list[id.0 as usize - 1]
    }

    pub fn point(&self, id: PointId) -> &Point {
        &self.points[id.0 as usize]
    }

    pub fn open(&self) -> impl Iterator<Item = &ModelMutant> {
        self.list.iter().filter(|mutant| mutant.fate == Fate::Open)
    }
}
