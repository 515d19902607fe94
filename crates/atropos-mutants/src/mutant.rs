//! Mutants and the points where they act: the data that every other crate passes along.
//!
//! A [`Mutant`] is one edit of one file: its `span` is replaced by its `replacement`. That edit alone
//! is the *definition* of the mutant; the weave must behave exactly as a program in which only that
//! edit was made. A [`Point`] gathers the mutants that share a place and says what kind of place
//! it is, so that the weave can hold them all without evaluating anything twice.

pub use atropos_values::MutantId;
use serde::{Deserialize, Serialize};

use crate::const_functions::{ConstCalls, ConstFunction};
use crate::operator::Operator;

/// A half-open range of bytes in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The smallest span that contains both.
    pub fn around(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    pub fn text(self, source: &str) -> &str {
        &source[self.start..self.end]
    }
}

/// One small change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    /// 0 until the mutants of a run are numbered; then consecutive within a point.
    pub id: MutantId,
    pub operator: Operator,
    /// What the edit replaces.
    pub span: Span,
    /// What stands there instead.
    pub replacement: String,
    /// How people read it: "replace + with -", "delete statement", "negate condition" …
    pub summary: String,
    /// The variant's letter for the runtime's value tables (see `Shape`), or `.` if it has none.
    pub letter: char,
    /// 1-based line and column (in characters) where people look for the change: of the operator
    /// token if one is replaced, else of `span.start`.
    pub line: u32,
    pub column: u32,
    /// Only exploration can make it act: Rust's types forbid the mistake, and the runtime makes it
    /// where it has the threads under control.
    #[serde(default)]
    pub needs_exploration: bool,
}

/// A place where one or more mutants act. All mutants of a point belong to one [`Shape`].
///
/// Every mutant's span lies within the point's span. Where the shape has letters, the edit may be
/// as small as the operator's token; it adds the parentheses that precedence asks for, so it always
/// means "the same operands, another operator". Replacements hold no newline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// The text that the weave wraps. Points nest or are disjoint; equal spans nest in list order
    /// (the earlier one is the outer).
    pub span: Span,
    pub shape: Shape,
    /// The function around it as people name it: `Account::deposit`, `<Account as Drop>::drop`,
    /// `outer::{closure}` is just `outer`.
    pub function: String,
    /// 1-based line and column (in characters) of `span.start`.
    pub line: u32,
    pub column: u32,
    /// The `cfg(...)` predicates (their inner text) around it within this file, outermost first.
    pub cfg: Vec<String>,
    pub mutants: Vec<Mutant>,
}

/// What kind of place a point is; tells the weave which forms it may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// `left op right` on values: `+ - * / % & | ^ << >>`. Letters: `+ - * / % & | ^ l r` (`l` is
    /// `<<`, `r` is `>>`), `L` for the left operand alone and `R` for the right one alone.
    Arithmetic { left: Span, right: Span, op: char },
    /// `left op right`, comparison. Letters: `<`, `>`, `=` (==), `!` (!=), `l` (<=), `g` (>=),
    /// `T` (true), `F` (false).
    Relation { left: Span, right: Span, op: char },
    /// `left && right`, `left || right`. `op` is `&` or `|`; letters: `&`, `|`, `L` (left alone),
    /// `R` (right alone).
    Logic { left: Span, right: Span, op: char },
    /// `place op= right`. Letters as for `Arithmetic`, and `=` for plain assignment.
    /// `simple_place`: the place is a path, a chain of fields or derefs of one: evaluating it has no effect.
    Assignment {
        place: Span,
        right: Span,
        op: char,
        simple_place: bool,
    },
    /// An expression of type bool that decides something: condition of `if`/`while`, match guard,
    /// operand of `!`. Contains no `let`. Letters: `!` (negated), `T`, `F`.
    Condition,
    /// Any expression; each mutant's replacement is an expression for the whole span, of the same
    /// type.
    Expression,
    /// A function without arguments that something is initialised by, also in a constant: it is called by a closure, which
    /// may stand there. Each mutant's replacement is another such function.
    Initialiser,
    /// An expression that is only iterated: the head of a `for`, or what an iterator's method is
    /// called on. Its one mutant's replacement, for the whole span, is an iterator over the same
    /// items but may be of another type (`a..=b` for `a..b`).
    Iterator,
    /// A statement with its semicolon (or block-like without one) whose only mutant is its deletion.
    Statement,
    /// A function body: the span lies just inside its braces (`{` and `}` and inner attributes
    /// excluded); replacements are expressions of the return type.
    Body,
    /// The statements of a block: the span lies just inside its braces. Each mutant edits some of
    /// them in a way that types or scopes may notice, so the block is copied.
    Block,
    /// The body of a function that returns `impl Iterator` and has no `return`: the only mutant
    /// yields nothing. `tail` is the body's last expression. The span is as for `Body`.
    IteratorBody { tail: Span },
    /// A match arm (span: the arm with its comma, if any) whose only mutant is its deletion; a
    /// later arm catches everything. `pattern` ends where a guard would start; `guard` is the
    /// expression of the guard it has.
    Arm { pattern: Span, guard: Option<Span> },
}

/// A place that needs a step counter, so that endless runs are noticed by counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepPlace {
    /// Byte offset just behind the `{` (and inner attributes) of a loop, function or closure body.
    pub offset: usize,
    /// Of a function: then the counter also tells that the function was entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<FunctionBody>,
}

/// The body of a function at whose beginning a counter can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionBody {
    /// Counts the functions of a file, in the order of the text.
    pub number: u32,
    /// Just inside the braces.
    pub span: Span,
}

/// A module that lives in another file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildModule {
    /// `["a", "b"]` for `mod a { mod b; }`: the inline modules around it in this file, and itself.
    pub path: Vec<String>,
    /// The `#[path = "…"]` of itself, if any. A module with a path under `cfg_attr` is listed once
    /// for each place where it may live.
    pub path_attribute: Option<String>,
    /// The `#[path = "…"]` of each inline module around it: as long as `path` without its last.
    pub outer_path_attributes: Vec<Option<String>>,
    /// The cfg predicates around and on it.
    pub cfg: Vec<String>,
    /// Whether it is test-only (`#[cfg(test)]`, on it or around it): its files get steps, not mutants.
    pub test_only: bool,
}

/// All that one file gave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMutants {
    pub points: Vec<Point>,
    pub steps: Vec<StepPlace>,
    pub modules: Vec<ChildModule>,
    /// Where an item may be inserted at the file's top: behind a shebang, inner attributes and
    /// inner doc comments.
    pub first_item: usize,
    /// The `const fn`s with mutants, which are written as plain functions.
    #[serde(default)]
    pub const_functions: Vec<ConstFunction>,
    /// What is called where only a `const fn` may be.
    #[serde(skip)]
    pub const_calls: ConstCalls,
    /// What `exclude_re` attributes leave out.
    #[serde(default)]
    pub exclusions: Vec<Exclusion>,
}

/// An item with `#[mutants::exclude_re("…")]`: mutants in it whose name matches are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// From the item's first point to its last.
    pub span: Span,
    /// A regular expression, as the user wrote it.
    pub pattern: String,
}
