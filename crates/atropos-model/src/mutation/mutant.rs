//! Mutation points and mutants.

use crate::language::SourceSpan;
use crate::language::tree::{BinaryOp, UnaryOp};
use crate::model::ModelPointId;
use crate::model::arithmetic::Scale;
use serde::{Deserialize, Serialize};

/// From 1; 0 is the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModelMutantId(pub u32);

/// The rules for the shape of charts, then those of the MoMuT paper's Table 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ModelOperator {
    /// An arrow of a chart is never taken.
    DisableTransition,
    ReplaceTarget,
    ReplaceTrigger,
    RemoveGuard,
    /// Of an arrow that waits for time, or of an event that is delayed.
    ReplaceTime,
    RemoveAction,
    ReplaceObservation,
    RemoveEntry,
    RemoveExit,
    ReplaceStart,
    /// Deep for shallow, shallow for deep.
    ReplaceHistory,
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
            ModelOperator::DisableTransition => "DTR",
            ModelOperator::ReplaceTarget => "RTT",
            ModelOperator::ReplaceTrigger => "RTE",
            ModelOperator::RemoveGuard => "RMG",
            ModelOperator::ReplaceTime => "RTD",
            ModelOperator::RemoveAction => "RMA",
            ModelOperator::ReplaceObservation => "ROB",
            ModelOperator::RemoveEntry => "REN",
            ModelOperator::RemoveExit => "REX",
            ModelOperator::ReplaceStart => "RST",
            ModelOperator::ReplaceHistory => "RHI",
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
pub enum InitialStatus {
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
    pub point: ModelPointId,
    /// From 1 within its point.
    pub variant: u8,
    /// In the text that mutants are shown in.
    pub span: SourceSpan,
    /// What stands there.
    pub original: String,
    pub replacement: String,
    pub status: InitialStatus,
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
pub struct ModelPoint {
    pub kind: PointKind,
    /// The id of variant 1; the others follow.
    pub first: ModelMutantId,
    pub variants: u8,
}

impl ModelPoint {
    pub fn mutant(&self, variant: u8) -> ModelMutantId {
        ModelMutantId(self.first.0 + u32::from(variant) - 1)
    }
}

/// All mutants of a model.
#[derive(Clone, Debug, Default)]
pub struct Mutants {
    pub points: Vec<ModelPoint>,
    /// `list[i]` has the id i + 1; sets come last.
    pub list: Vec<ModelMutant>,
    /// The text that mutants are shown in, if it is not the model's own: the chart that the model was translated from.
    pub shown: Option<String>,
    /// Per id of a single mutant the sets that hold it.
    pub(super) sets_with: Vec<Vec<ModelMutantId>>,
}

impl Mutants {
    pub fn get(&self, id: ModelMutantId) -> &ModelMutant {
        &self.list[id.0 as usize - 1]
    }

    pub fn point(&self, id: ModelPointId) -> &ModelPoint {
        &self.points[id.0 as usize]
    }

    pub fn open(&self) -> impl Iterator<Item = &ModelMutant> {
        self.list
            .iter()
            .filter(|mutant| mutant.status == InitialStatus::Open)
    }
}
