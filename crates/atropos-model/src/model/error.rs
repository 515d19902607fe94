//! What can go wrong while a model runs: results with a place, never a panic.

use crate::language::SourceSpan;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum ErrorKind {
    /// A value outside its type's range.
    OutOfRange = 1,
    /// A list or map with more entries than its bound.
    TooLong = 2,
    /// An index below 0 or beyond the list's end.
    IndexOutside = 3,
    /// `hd` or `tl` of an empty list.
    EmptyList = 4,
    /// A key that the map does not hold.
    MissingKey = 5,
    /// A method called on `nil`.
    NilCalled = 6,
    /// `div` or `mod` by zero.
    DivisionByZero = 7,
    /// A number beyond 64 bits.
    Overflow = 8,
    /// `as` to a class that the object is not of, or to an enumeration without that number.
    BadConversion = 9,
    /// The statement `abort`.
    Abort = 10,
    /// More outcomes of one iteration than can be kept.
    TooManyOutcomes = 11,
    /// One iteration computes more than anybody waits for.
    TooMuchWork = 12,
}

impl ErrorKind {
    pub const ALL: [ErrorKind; 12] = [
        ErrorKind::OutOfRange,
        ErrorKind::TooLong,
        ErrorKind::IndexOutside,
        ErrorKind::EmptyList,
        ErrorKind::MissingKey,
        ErrorKind::NilCalled,
        ErrorKind::DivisionByZero,
        ErrorKind::Overflow,
        ErrorKind::BadConversion,
        ErrorKind::Abort,
        ErrorKind::TooManyOutcomes,
        ErrorKind::TooMuchWork,
    ];

    /// Whether it says that the model is too large here, not that it is wrong.
    pub fn is_limit(self) -> bool {
        matches!(self, ErrorKind::TooManyOutcomes | ErrorKind::TooMuchWork)
    }

    /// What can be done about a model that is too large, to be said behind what is wrong.
    pub fn advice(self) -> &'static str {
        match self {
            ErrorKind::TooManyOutcomes => {
                "; types of parameters and of `var` with fewer values make it less"
            }
            ErrorKind::TooMuchWork => "; types with fewer values and fewer calls make it less",
            _ => "",
        }
    }

    pub fn sentence(self) -> &'static str {
        match self {
            ErrorKind::OutOfRange => "a value is outside its type's range",
            ErrorKind::TooLong => "a list or map has more entries than its bound",
            ErrorKind::IndexOutside => "an index is outside the list",
            ErrorKind::EmptyList => "`hd` or `tl` of an empty list",
            ErrorKind::MissingKey => "the map has no such key",
            ErrorKind::NilCalled => "a method is called on `nil`",
            ErrorKind::DivisionByZero => "division by zero",
            ErrorKind::Overflow => "a number is beyond 64 bits",
            ErrorKind::BadConversion => "the value can't be converted",
            ErrorKind::Abort => "`abort` was reached",
            ErrorKind::TooManyOutcomes => "one iteration has more outcomes than can be explored",
            ErrorKind::TooMuchWork => "one iteration takes more than 10 million steps",
        }
    }
}

/// An execution error and the source text that caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExecError {
    pub kind: ErrorKind,
    pub span: SourceSpan,
}

impl ExecError {
    pub fn new(kind: ErrorKind, span: SourceSpan) -> ExecError {
        ExecError { kind, span }
    }
}
