//! Values as the interpreter sees them, and their way into and out of flat bytes.

use super::error::ErrorKind;
use super::types::{LENGTH, Ty, TyId, TypeTable};

/// All scalars are numbers: `false` 0 and `true` 1, an enumeration's value its position, a fixed-point number its
/// thousandths, a reference 0 for `nil` or the object's number plus one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Scalar(i64),
    List(Vec<Value>),
    /// Sorted by key, each key once.
    Map(Vec<(Value, Value)>),
    Tuple(Vec<Value>),
}

impl Value {
    pub fn truth(value: bool) -> Value {
        Value::Scalar(value.into())
    }

    /// The number of a scalar; 0 for anything else, which a checked model never asks for.
    pub fn scalar(&self) -> i64 {
        match self {
            Value::Scalar(value) => *value,
            _ => 0,
        }
    }

    pub fn items(&self) -> &[Value] {
        match self {
            Value::List(items) | Value::Tuple(items) => items,
            _ => &[],
        }
    }

    /// How many values it is made of.
    pub fn entries(&self) -> usize {
        match self {
            Value::Scalar(_) => 1,
            Value::List(items) | Value::Tuple(items) => items.iter().map(Value::entries).sum(),
            Value::Map(pairs) => pairs.iter().map(|(_, value)| 1 + value.entries()).sum(),
        }
    }

    pub fn pairs(&self) -> &[(Value, Value)] {
        match self {
            Value::Map(pairs) => pairs,
            _ => &[],
        }
    }
}

impl TypeTable {
    /// What a variable holds before anything is assigned: the type's first value, `nil`, or nothing in it.
    pub fn default_value(&self, ty: TyId) -> Value {
        match self.get(ty) {
            Ty::Int { low, .. } | Ty::Fixed { low, .. } => Value::Scalar(*low),
            Ty::List { .. } => Value::List(Vec::new()),
            Ty::Map { .. } => Value::Map(Vec::new()),
            Ty::Tuple(items) => {
                Value::Tuple(items.iter().map(|item| self.default_value(*item)).collect())
            }
            _ => Value::Scalar(0),
        }
    }

    /// Whether a value can be stored as `ty`: ranges and lengths.
    ///
    /// # Errors
    /// What does not fit.
    pub fn fits(&self, value: &Value, ty: TyId) -> Result<(), ErrorKind> {
        match self.get(ty) {
            Ty::List { max, item } => {
                if value.items().len() > *max as usize {
                    return Err(ErrorKind::TooLong);
                }
                value
                    .items()
                    .iter()
                    .try_for_each(|value| self.fits(value, *item))
            }
            Ty::Map {
                max,
                key,
                value: to,
            } => {
                if value.pairs().len() > *max as usize {
                    return Err(ErrorKind::TooLong);
                }
                value.pairs().iter().try_for_each(|(from, value)| {
                    self.fits(from, *key)?;
                    self.fits(value, *to)
                })
            }
            Ty::Tuple(items) => value
                .items()
                .iter()
                .zip(items)
                .try_for_each(|(value, item)| self.fits(value, *item)),
            _ => match self.range(ty) {
                Some((low, high)) if value.scalar() < low || value.scalar() > high => {
                    Err(ErrorKind::OutOfRange)
                }
                _ => Ok(()),
            },
        }
    }

    /// Writes a value that fits; the bytes of `out` must be the type's size.
    pub fn encode(&self, value: &Value, ty: TyId, out: &mut [u8]) {
        match self.get(ty) {
            Ty::List { item, .. } => {
                out.fill(0);
                LENGTH.write(value.items().len() as i64, out);
                let size = self.size(*item) as usize;
                let mut at = LENGTH.bytes() as usize;
                for value in value.items() {
                    self.encode(value, *item, &mut out[at..at + size]);
                    at += size;
                }
            }
            Ty::Map { key, value: to, .. } => {
                out.fill(0);
                LENGTH.write(value.pairs().len() as i64, out);
                let (key_size, value_size) = (self.size(*key) as usize, self.size(*to) as usize);
                let mut at = LENGTH.bytes() as usize;
                for (from, value) in value.pairs() {
                    self.encode(from, *key, &mut out[at..at + key_size]);
                    at += key_size;
                    self.encode(value, *to, &mut out[at..at + value_size]);
                    at += value_size;
                }
            }
            Ty::Tuple(items) => {
                let mut at = 0;
                for (value, item) in value.items().iter().zip(items) {
                    let size = self.size(*item) as usize;
                    self.encode(value, *item, &mut out[at..at + size]);
                    at += size;
                }
            }
            _ => {
                if let Some(width) = self.width(ty) {
                    width.write(value.scalar(), out);
                }
            }
        }
    }

    pub fn decode(&self, bytes: &[u8], ty: TyId) -> Value {
        match self.get(ty) {
            Ty::List { item, .. } => {
                let size = self.size(*item) as usize;
                let first = LENGTH.bytes() as usize;
                let length = LENGTH.read(bytes) as usize;
                Value::List(
                    (0..length)
                        .map(|at| self.decode(&bytes[first + at * size..], *item))
                        .collect(),
                )
            }
            Ty::Map { key, value, .. } => {
                let (key_size, value_size) = (self.size(*key) as usize, self.size(*value) as usize);
                let first = LENGTH.bytes() as usize;
                let length = LENGTH.read(bytes) as usize;
                let pair = |at: usize| {
                    let start = first + at * (key_size + value_size);
                    (
                        self.decode(&bytes[start..], *key),
                        self.decode(&bytes[start + key_size..], *value),
                    )
                };
                Value::Map((0..length).map(pair).collect())
            }
            Ty::Tuple(items) => {
                let mut at = 0;
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(self.decode(&bytes[at..], *item));
                    at += self.size(*item) as usize;
                }
                Value::Tuple(values)
            }
            _ => Value::Scalar(self.width(ty).map_or(0, |width| width.read(bytes))),
        }
    }
}
