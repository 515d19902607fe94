//! The syntax tree of an OOAS model, as written: parentheses are kept, nothing is resolved.

use super::token::{Comment, SourceSpan};

#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    pub text: String,
    pub span: SourceSpan,
}

/// A whole model text.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub consts: Vec<Const>,
    pub types: Vec<TypeDef>,
    /// The classes of the system line; an inner list shares one rank, left ranks before right.
    pub ranks: Vec<Vec<Name>>,
    /// Where the words `consts`, `types` and `system` stand.
    pub consts_span: SourceSpan,
    pub types_span: SourceSpan,
    pub system_span: SourceSpan,
    pub comments: Vec<Comment>,
}

#[derive(Clone, Debug)]
pub struct Const {
    pub name: Name,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub struct TypeDef {
    pub name: Name,
    pub body: TypeBody,
}

#[derive(Clone, Debug)]
pub enum TypeBody {
    Type(TypeExpr),
    Class(Box<Class>),
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub kind: TypeKind,
    pub span: SourceSpan,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Bool,
    Int(Bound, Bound),
    Float(Bound, Bound),
    Enum(Vec<(Name, Option<i64>)>),
    List(Bound, Box<TypeExpr>),
    Map(Bound, Box<TypeExpr>, Box<TypeExpr>),
    Tuple(Vec<TypeExpr>),
    Named(String),
    /// Something that did not parse; already reported.
    Bad,
}

/// A number in a type: literal or constant.
#[derive(Clone, Debug)]
pub struct Bound {
    pub kind: BoundKind,
    pub span: SourceSpan,
}

#[derive(Clone, Debug)]
pub enum BoundKind {
    Number(i64),
    Const { name: String, negated: bool },
}

#[derive(Clone, Debug)]
pub struct Class {
    pub autocons: bool,
    pub parent: Option<Name>,
    pub attributes: Vec<Attribute>,
    pub methods: Vec<Method>,
    pub actions: Vec<Action>,
    /// `Some(None)` is `do od`.
    pub block: Option<Option<Stmt>>,
    /// Where the words `var`, `methods`, `actions`, `do` and `od` stand.
    pub words: SectionWords,
    pub span: SourceSpan,
}

/// Positions of a class's section words, for comments beside them; 0 where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct SectionWords {
    pub var: u32,
    pub methods: u32,
    pub actions: u32,
    pub block: u32,
    pub block_end: u32,
}

/// `a, b : T = e`, as attribute or local variable.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub names: Vec<Name>,
    pub ty: TypeExpr,
    pub init: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    pub ty: TypeExpr,
}

#[derive(Clone, Debug)]
pub struct Method {
    pub name: Name,
    pub params: Vec<Param>,
    pub result: Option<TypeExpr>,
    pub locals: Vec<Attribute>,
    pub body: Stmt,
    pub span: SourceSpan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActionKind {
    /// Output of the system.
    Observable,
    /// Input from the tester.
    Controllable,
    Internal,
}

#[derive(Clone, Debug)]
pub struct Action {
    pub kind: ActionKind,
    pub name: Name,
    pub params: Vec<Param>,
    pub locals: Vec<Attribute>,
    pub body: Stmt,
    pub span: SourceSpan,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: SourceSpan,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Prio(Vec<Stmt>),
    Choice(Vec<Stmt>),
    Seq(Vec<Stmt>),
    Project {
        vars: Vec<Param>,
        filter: Option<Expr>,
        body: Box<Stmt>,
    },
    /// An empty body is `skip`.
    Guard {
        cond: Expr,
        body: Option<Box<Stmt>>,
    },
    Assign {
        targets: Vec<Expr>,
        values: Vec<Expr>,
        with: Option<Expr>,
    },
    Call(Expr),
    Skip,
    Abort,
    Paren(Box<Stmt>),
    /// Something that did not parse; already reported.
    Bad,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: SourceSpan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldFrom {
    /// `:>:` starts at the last element.
    Right,
    /// `:<:` starts at the first.
    Left,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    Fixed(i64),
    Bool(bool),
    Nil,
    SelfRef,
    Result,
    Name(String),
    Field(Box<Expr>, Name),
    Call {
        callee: Box<Expr>,
        args: Vec<Expr>,
        fold: Option<(FoldFrom, Box<Expr>)>,
    },
    Index(Box<Expr>, Box<Expr>),
    New {
        class: Name,
        name: Option<String>,
    },
    As(Box<Expr>, TypeExpr),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Tuple(Vec<Expr>),
    Comprehension {
        item: Box<Expr>,
        vars: Vec<Param>,
        filter: Option<Box<Expr>>,
    },
    Quantifier {
        all: bool,
        vars: Vec<Param>,
        body: Box<Expr>,
    },
    If {
        cond: Box<Expr>,
        then: Box<Expr>,
        other: Box<Expr>,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Paren(Box<Expr>),
    /// Something that did not parse; already reported.
    Bad,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnaryOp {
    Minus,
    Plus,
    Not,
    Abs,
    Len,
    Head,
    Tail,
    Domain,
    Range,
}

impl UnaryOp {
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::Minus => "-",
            UnaryOp::Plus => "+",
            UnaryOp::Not => "not",
            UnaryOp::Abs => "abs",
            UnaryOp::Len => "len",
            UnaryOp::Head => "hd",
            UnaryOp::Tail => "tl",
            UnaryOp::Domain => "dom",
            UnaryOp::Range => "ran",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BinaryOp {
    Implies,
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

impl BinaryOp {
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Implies => "=>",
            BinaryOp::Or => "or",
            BinaryOp::And => "and",
            BinaryOp::Eq => "=",
            BinaryOp::Ne => "<>",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::In => "in",
            BinaryOp::NotIn => "not in",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "div",
            BinaryOp::Mod => "mod",
        }
    }

    /// Higher binds tighter.
    pub fn level(self) -> u8 {
        match self {
            BinaryOp::Implies => 1,
            BinaryOp::Or => 2,
            BinaryOp::And => 3,
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => 4,
            BinaryOp::In | BinaryOp::NotIn => 4,
            BinaryOp::Add | BinaryOp::Sub => 5,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => 6,
        }
    }
}
