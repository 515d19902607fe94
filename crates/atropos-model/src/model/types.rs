//! Types and how their values lie in bytes. A scalar takes 1, 2, 4 or 8 bytes by its range; a list is its length and
//! room for its bound; a map the same with pairs, sorted by key; unused room is zero, so equal values are equal bytes.

use super::lowered::ClassId;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TyId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    Bool,
    Int {
        low: i64,
        high: i64,
    },
    /// Thousandths.
    Fixed {
        low: i64,
        high: i64,
    },
    Enum(u32),
    List {
        max: u32,
        item: TyId,
    },
    Map {
        max: u32,
        key: TyId,
        value: TyId,
    },
    Tuple(Vec<TyId>),
    Ref(ClassId),
    /// The type of `nil` alone.
    Nil,
    /// Already reported.
    Bad,
}

/// How a scalar lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    I64,
}

impl Width {
    pub fn bytes(self) -> u32 {
        match self {
            Width::U8 | Width::I8 => 1,
            Width::U16 | Width::I16 => 2,
            Width::U32 | Width::I32 => 4,
            Width::I64 => 8,
        }
    }

    /// The narrowest form for a range.
    pub fn of(low: i64, high: i64) -> Width {
        let within = |least: i64, most: i64| least <= low && high <= most;
        if within(0, u8::MAX.into()) {
            Width::U8
        } else if within(i8::MIN.into(), i8::MAX.into()) {
            Width::I8
        } else if within(0, u16::MAX.into()) {
            Width::U16
        } else if within(i16::MIN.into(), i16::MAX.into()) {
            Width::I16
        } else if within(0, u32::MAX.into()) {
            Width::U32
        } else if within(i32::MIN.into(), i32::MAX.into()) {
            Width::I32
        } else {
            Width::I64
        }
    }

    pub fn read(self, bytes: &[u8]) -> i64 {
        match self {
            Width::U8 => bytes[0].into(),
            Width::I8 => (bytes[0] as i8).into(),
            Width::U16 => u16::from_le_bytes([bytes[0], bytes[1]]).into(),
            Width::I16 => i16::from_le_bytes([bytes[0], bytes[1]]).into(),
            Width::U32 => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
            Width::I32 => i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
            Width::I64 => {
                let mut whole = [0; 8];
                whole.copy_from_slice(&bytes[..8]);
                i64::from_le_bytes(whole)
            }
        }
    }

    pub fn write(self, value: i64, bytes: &mut [u8]) {
        let width = self.bytes() as usize;
        bytes[..width].copy_from_slice(&value.to_le_bytes()[..width]);
    }
}

/// The length of a list or map lies before its items in this width.
pub const LENGTH: Width = Width::U16;
/// A reference is 0 for `nil`, or the object's number plus one.
pub const REFERENCE: Width = Width::U16;
/// The longest list or map.
pub const MAX_LENGTH: i64 = 60_000;

/// All types of a model, each once.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    types: Vec<Ty>,
    sizes: Vec<u32>,
    ids: HashMap<Ty, TyId>,
    /// How many values each enumeration has, to size it.
    enum_sizes: Vec<u32>,
}

impl TypeTable {
    pub fn add_enum(&mut self, values: u32) -> u32 {
        self.enum_sizes.push(values);
        self.enum_sizes.len() as u32 - 1
    }

    pub fn intern(&mut self, ty: Ty) -> TyId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = TyId(self.types.len() as u32);
        let size = self.size_of(&ty);
        self.types.push(ty.clone());
        self.sizes.push(size);
        self.ids.insert(ty, id);
        id
    }

    pub fn get(&self, id: TyId) -> &Ty {
        &self.types[id.0 as usize]
    }

    /// Bytes that a value takes; saturates for types too large to use (the checker refuses them).
    pub fn size(&self, id: TyId) -> u32 {
        self.sizes[id.0 as usize]
    }

    fn size_of(&self, ty: &Ty) -> u32 {
        match ty {
            Ty::List { max, item } => self
                .size(*item)
                .saturating_mul(*max)
                .saturating_add(LENGTH.bytes()),
            Ty::Map { max, key, value } => {
                let pair = self.size(*key).saturating_add(self.size(*value));
                pair.saturating_mul(*max).saturating_add(LENGTH.bytes())
            }
            Ty::Tuple(items) => items
                .iter()
                .fold(0, |sum: u32, item| sum.saturating_add(self.size(*item))),
            Ty::Bad => 0,
            _ => self.width_of(ty).map_or(0, Width::bytes),
        }
    }

    /// The memory form of a scalar type; `None` for lists, maps and tuples.
    pub fn width(&self, id: TyId) -> Option<Width> {
        self.width_of(self.get(id))
    }

    fn width_of(&self, ty: &Ty) -> Option<Width> {
        match ty {
            Ty::Bool => Some(Width::U8),
            Ty::Int { low, high } | Ty::Fixed { low, high } => Some(Width::of(*low, *high)),
            Ty::Enum(id) => Some(Width::of(0, self.enum_sizes[*id as usize] as i64 - 1)),
            Ty::Ref(_) | Ty::Nil => Some(REFERENCE),
            _ => None,
        }
    }

    pub fn is_scalar(&self, id: TyId) -> bool {
        self.width(id).is_some()
    }

    /// The least and greatest number that a scalar of this type can be; references are checked elsewhere.
    pub fn range(&self, id: TyId) -> Option<(i64, i64)> {
        match self.get(id) {
            Ty::Bool => Some((0, 1)),
            Ty::Int { low, high } | Ty::Fixed { low, high } => Some((*low, *high)),
            Ty::Enum(e) => Some((0, self.enum_sizes[*e as usize] as i64 - 1)),
            _ => None,
        }
    }

    /// Where item `at` of a tuple starts.
    pub fn tuple_offset(&self, items: &[TyId], at: usize) -> u32 {
        items[..at].iter().map(|item| self.size(*item)).sum()
    }
}
