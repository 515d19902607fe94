//! Code after checking: names are numbers, types are known, and each place where a mutant can act may carry a
//! mutation point.

use super::lowered::ClassId;
use super::types::TyId;
use super::value::Value;
use crate::language::SourceSpan;
use crate::language::tree::{ActionKind, BinaryOp, FoldFrom, UnaryOp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeId(pub u32);

/// A place where mutants act; numbered from 0 over the whole model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelPointId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeKind {
    Method,
    Action(ActionKind),
    /// The do-od block.
    Block,
}

/// A method, an action or a do-od block.
#[derive(Clone, Debug)]
pub struct Code {
    pub name: String,
    pub class: ClassId,
    pub kind: CodeKind,
    /// Of an action: its labels name the object, because several objects have an action of this name and kind.
    pub names_object: bool,
    /// The first locals.
    pub params: usize,
    pub locals: Vec<Local>,
    /// The local that holds the method's value.
    pub result: Option<u32>,
    pub body: Stmt,
    pub span: SourceSpan,
    pub effects: CodeEffects,
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: TyId,
}

/// What a piece of code may do, calls included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeEffects {
    pub writes: bool,
    pub emits: bool,
    pub chooses: bool,
}

impl CodeEffects {
    pub fn join(self, other: CodeEffects) -> CodeEffects {
        CodeEffects {
            writes: self.writes || other.writes,
            emits: self.emits || other.emits,
            chooses: self.chooses || other.chooses,
        }
    }

    /// Callable inside expressions.
    pub fn is_function(self) -> bool {
        !self.writes && !self.emits && !self.chooses
    }
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TyId,
    pub span: SourceSpan,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A scalar.
    Lit {
        value: i64,
        point: Option<ModelPointId>,
    },
    /// A constant list, map or tuple.
    Const(Value),
    Local(u32),
    /// An attribute of `self`.
    Attr(u32),
    SelfRef,
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
        point: Option<ModelPointId>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        point: Option<ModelPointId>,
    },
    /// A list's item (from 0) or a map's value.
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    TupleItem {
        base: Box<Expr>,
        item: usize,
    },
    /// A call of a function; without receiver on `self`.
    Call(Box<Call>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Tuple(Vec<Expr>),
    Comprehension {
        vars: Vec<BoundVar>,
        filter: Option<Box<Expr>>,
        item: Box<Expr>,
    },
    Quantifier {
        all: bool,
        vars: Vec<BoundVar>,
        body: Box<Expr>,
        point: Option<ModelPointId>,
    },
    If {
        cond: Box<Expr>,
        then: Box<Expr>,
        other: Box<Expr>,
    },
    /// `as`: to the type of this expression.
    Convert(Box<Expr>),
    /// Only in attribute initialisers.
    New {
        class: ClassId,
        name: Option<String>,
    },
}

/// A call, perhaps folded over a list: then the element comes first, and for a method with a result the last given
/// argument is where the accumulator starts.
#[derive(Clone, Debug)]
pub struct Call {
    pub code: CodeId,
    pub receiver: Option<Expr>,
    pub args: Vec<Expr>,
    pub fold: Option<(FoldFrom, Expr)>,
    /// As a statement: the local that takes the value.
    pub store: Option<u32>,
    pub span: SourceSpan,
}

/// A variable that takes every value of a type.
#[derive(Clone, Debug)]
pub struct BoundVar {
    pub slot: u32,
    pub domain: Domain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    Range {
        first: i64,
        count: u64,
    },
    /// The objects of a class and its subclasses, in the order of their numbers.
    Objects(ClassId),
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: SourceSpan,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Skip,
    Abort,
    Seq(Vec<Stmt>),
    Choice(Vec<Stmt>),
    Prio(Vec<Stmt>),
    Project {
        vars: Vec<BoundVar>,
        filter: Option<Expr>,
        body: Box<Stmt>,
    },
    Guard {
        cond: Expr,
        body: Box<Stmt>,
        point: Option<ModelPointId>,
    },
    /// All values and indices are computed before anything is stored.
    Assign {
        targets: Vec<Target>,
        values: Vec<Expr>,
        with: Option<Expr>,
    },
    Call(Box<Call>),
    /// The label of this action with its parameters as they are now.
    Emit,
}

#[derive(Clone, Debug)]
pub struct Target {
    pub base: TargetBase,
    /// The type of the base.
    pub ty: TyId,
    /// Indices from the base inwards.
    pub path: Vec<Expr>,
    /// The type that is stored.
    pub item: TyId,
    pub span: SourceSpan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetBase {
    Local(u32),
    Attr(u32),
}
