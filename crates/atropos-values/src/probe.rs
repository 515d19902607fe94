//! Looks at an operand's value if its type is primitive, without asking for a trait bound.
//!
//! `(&Peek(&operand)).peek()` finds `PeekPrim` for primitives and references to them; for every
//! other type, also for type parameters, method lookup goes one reference further and finds
//! `PeekAny`, which knows nothing.

pub use crate::prim::{Prim, ToPrim};

/// Wraps a reference to an operand.
pub struct Peek<'a, T: ?Sized>(pub &'a T);

/// For operands of primitive type.
pub trait PeekPrim {
    fn peek(&self) -> Option<Prim>;
}

/// For all operands.
pub trait PeekAny {
    fn peek(&self) -> Option<Prim>;
}

impl<T: ToPrim + ?Sized> PeekPrim for Peek<'_, T> {
    #[cfg_attr(feature = "inline", inline)]
    fn peek(&self) -> Option<Prim> {
        Some(self.0.to_prim())
    }
}

impl<T: ?Sized> PeekAny for &Peek<'_, T> {
    #[cfg_attr(feature = "inline", inline)]
    fn peek(&self) -> Option<Prim> {
        None
    }
}

#[cfg(test)]
#[allow(clippy::needless_borrow)] // The borrow is what makes the lookup work.
mod tests {
    use super::{Peek, PeekAny as _, PeekPrim as _, Prim};

    fn generic<T>(value: T) -> Option<Prim> {
        (&Peek(&value)).peek()
    }

    fn generic_with_bounds<T: std::ops::Add + Copy + Into<i64>>(value: T) -> Option<Prim> {
        (&Peek(&value)).peek()
    }

    #[test]
    fn primitives_are_seen_and_all_else_is_not() {
        assert_eq!((&Peek(&7u8)).peek(), Some(Prim::U8(7)));
        assert_eq!((&Peek(&7)).peek(), Some(Prim::I32(7)));
        assert_eq!((&Peek(&&7i64)).peek(), Some(Prim::I64(7)));
        assert_eq!((&Peek(&&&1.5)).peek(), Some(Prim::F64(1.5)));
        assert_eq!((&Peek(&'x')).peek(), Some(Prim::Char('x')));
        assert_eq!((&Peek(&String::new())).peek(), None);
        assert_eq!((&Peek("text")).peek(), None);
        assert_eq!((&Peek(&std::num::Wrapping(1))).peek(), None);
        assert_eq!(generic(7u8), None);
        assert_eq!(generic_with_bounds(7i32), None);
    }

    #[test]
    fn a_literal_takes_its_type_from_later_use() {
        let literal = 7;
        let seen = (&Peek(&literal)).peek();
        let _: u16 = literal;
        assert_eq!(seen, Some(Prim::U16(7)));
    }
}
