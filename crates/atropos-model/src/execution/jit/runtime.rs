//! The functions that compiled code calls. All take the context first and pass 64-bit words; a list, map or tuple is
//! the address of its bytes. None of them panics: they run below frames that can't unwind.

use super::context::{DISABLED, JitContext, RUNNING};
use crate::language::lexer::FIXED_ONE;
use crate::language::tree::BinaryOp;
use crate::model::arithmetic::{self, Scale};
use crate::model::types::{LENGTH, Ty, TyId};
use crate::model::{ClassId, CodeId, ErrorKind, ModelPointId, ObjectId, Value};
use crate::mutation::RECORD;

/// A runtime function: its name in compiled code, its address, and how many words it takes after the context.
pub struct RuntimeFunction {
    pub name: &'static str,
    pub address: *const u8,
    pub words: usize,
}

macro_rules! functions {
    ($($name:ident/$words:literal),* $(,)?) => {
        /// All runtime functions.
        pub fn functions() -> Vec<RuntimeFunction> {
            vec![$(RuntimeFunction { name: stringify!($name), address: $name as *const u8, words: $words }),*]
        }
    };
}

functions! {
    choose/1, another/1, prioritise/1, position/0, came_through/1, disable/0, fail/2, note/2, copy/3, allocate/1, default_of/1,
    emit/3, point_guard/2, point_binary/4, point_unary/3, point_literal/1, point_quantifier/2, logic_left/2,
    logic_right/3, arith/5, unary_arith/3, equal/3, contains/3, map_find/4, map_entry/5, tail/3, keys/2, values/2,
    concat/6, override_map/6, convert/4, convert_scalar/4, push/5, map_put/5,
}

fn kind_of(code: i64) -> ErrorKind {
    ErrorKind::ALL
        .get((code as usize).wrapping_sub(1))
        .copied()
        .unwrap_or(ErrorKind::Abort)
}

/// # Safety
/// Compiled code passes the context that it was called with, which lives as long as the call, and no reference to it
/// is kept between calls.
unsafe fn context<'c>(pointer: *mut JitContext) -> &'c mut JitContext {
    // SAFETY: see above.
    unsafe { &mut *pointer }
}

/// # Safety
/// `address` is that of a value of `size` bytes in the state or in temporary memory.
unsafe fn bytes<'c>(address: i64, size: usize) -> &'c [u8] {
    // SAFETY: see above.
    unsafe { std::slice::from_raw_parts(address as *const u8, size) }
}

/// # Safety
/// As [`bytes`], and nothing else refers to these bytes.
unsafe fn bytes_mut<'c>(address: i64, size: usize) -> &'c mut [u8] {
    // SAFETY: see above.
    unsafe { std::slice::from_raw_parts_mut(address as *mut u8, size) }
}

fn ty(id: i64) -> TyId {
    TyId(id as u32)
}

impl JitContext {
    /// The value that compiled code passes as a word.
    fn value(&mut self, word: i64, of: TyId) -> Value {
        if self.model.types.is_scalar(of) {
            return Value::Scalar(word);
        }
        let size = self.model.types.size(of) as usize;
        // SAFETY: compiled code passes the address of a value of this type.
        let value = self.model.types.decode(unsafe { bytes(word, size) }, of);
        self.work -= value.entries() as i64;
        value
    }

    /// Temporary memory that holds `value`.
    fn put(&mut self, value: &Value, of: TyId) -> i64 {
        let size = self.model.types.size(of) as usize;
        let address = self.allocate(size) as i64;
        let model = self.model.clone();
        // SAFETY: just allocated.
        model
            .types
            .encode(value, of, unsafe { bytes_mut(address, size) });
        address
    }

    fn put_checked(&mut self, value: &Value, of: TyId, place: i64) -> i64 {
        match self.model.types.fits(value, of) {
            Ok(()) => self.put(value, of),
            Err(kind) => {
                self.fail(kind, place);
                0
            }
        }
    }
}

macro_rules! runtime {
    ($(fn $name:ident($c:ident $(, $arg:ident)*) $body:block)*) => {
        $(extern "C" fn $name($c: *mut JitContext $(, $arg: i64)*) -> i64 {
            // SAFETY: called by compiled code with its own context.
            let $c = unsafe { context($c) };
            $body
        })*
    };
}

runtime! {
    fn choose(c, count) {
        if count <= 0 {
            c.status = DISABLED;
            return 0;
        }
        c.mark();
        i64::from(c.scheduler.choose(count as u32))
    }

    fn another(c, position) {
        i64::from(c.try_another(position as usize))
    }

    fn prioritise(c, count) {
        let taken = c.scheduler.prioritise(count as u32);
        c.priorities += u32::from(taken + 1 < count as u32);
        i64::from(taken)
    }

    fn position(c) {
        c.scheduler.position() as i64
    }

    fn came_through(c, position) {
        c.scheduler.came_through(position as usize);
        c.priorities -= 1;
        0
    }

    fn disable(c) {
        c.status = DISABLED;
        0
    }

    fn fail(c, kind, place) {
        c.fail(kind_of(kind), place);
        0
    }

    fn note(c, address, length) {
        c.note(address as usize, length as usize);
        0
    }

    fn copy(c, to, from, length) {
        c.note(to as usize, length as usize);
        // SAFETY: both are values of this length; they may be the same.
        unsafe { std::ptr::copy(from as *const u8, to as *mut u8, length as usize) };
        0
    }

    fn allocate(c, size) {
        c.allocate(size as usize) as i64
    }

    fn default_of(c, of) {
        let value = c.model.types.default_value(ty(of));
        c.put(&value, ty(of))
    }

    fn emit(c, code, reference, args) {
        let id = CodeId(code as u32);
        let of = c.model.code(id);
        let size: u32 = of.locals[..of.params].iter().map(|local| c.model.types.size(local.ty)).sum();
        // SAFETY: compiled code wrote the arguments there, one after the other.
        let args = if size == 0 { &[] } else { unsafe { bytes(args, size as usize) } };
        c.emit(id, reference, args);
        0
    }

    fn point_guard(c, point, cond) {
        let mode = mode_at(c, point);
        let model = c.model.clone();
        i64::from(model.mutants.guard(ModelPointId(point as u32), mode, cond != 0, &mut c.infected))
    }

    fn point_binary(c, point, left, right, place) {
        let mode = mode_at(c, point);
        let model = c.model.clone();
        let value = model.mutants.binary(ModelPointId(point as u32), mode, left, right, &mut c.infected);
        or_fail(c, value, place)
    }

    fn point_unary(c, point, operand, place) {
        let mode = mode_at(c, point);
        let model = c.model.clone();
        let value = model.mutants.unary(ModelPointId(point as u32), mode, operand, &mut c.infected);
        or_fail(c, value, place)
    }

    fn point_literal(c, point) {
        let mode = mode_at(c, point);
        let model = c.model.clone();
        model.mutants.literal(ModelPointId(point as u32), mode, &mut c.infected)
    }

    fn point_quantifier(c, point, all) {
        let mode = mode_at(c, point);
        let model = c.model.clone();
        i64::from(model.mutants.quantifier(ModelPointId(point as u32), mode, all != 0, &mut c.infected))
    }

    // The value if the left side decides, else 2.
    fn logic_left(c, point, left) {
        let mode = mode_at(c, point);
        let id = ModelPointId(point as u32);
        let model = c.model.clone();
        if mode == RECORD {
            model.mutants.record_left(id, left, &mut c.infected);
        }
        arithmetic::decided_by_left(model.mutants.logic_operator(id, mode), left).unwrap_or(2)
    }

    fn logic_right(c, point, left, right) {
        if mode_at(c, point) == RECORD {
            let model = c.model.clone();
            model.mutants.record_right(ModelPointId(point as u32), left, right, &mut c.infected);
        }
        0
    }

    fn arith(c, op, left, right, fixed, place) {
        let scale = if fixed != 0 { Scale::Fixed } else { Scale::Whole };
        let value = arithmetic::binary(operator(op), left, right, scale);
        or_fail(c, value, place)
    }

    fn unary_arith(c, op, operand, place) {
        use crate::language::tree::UnaryOp;
        let op = if op == 0 { UnaryOp::Minus } else { UnaryOp::Abs };
        let value = arithmetic::unary(op, operand);
        or_fail(c, value, place)
    }

    fn equal(_c, left, right, size) {
        // SAFETY: two values of this size.
        i64::from(unsafe { bytes(left, size as usize) == bytes(right, size as usize) })
    }

    fn contains(c, word, of, base) {
        let of = ty(of);
        match *c.model.types.get(of) {
            Ty::List { item, .. } => {
                let value = c.value(word, item);
                i64::from(c.value(base, of).items().contains(&value))
            }
            Ty::Map { key, .. } => {
                let value = c.value(word, key);
                i64::from(c.value(base, of).pairs().iter().any(|(known, _)| *known == value))
            }
            _ => 0,
        }
    }

    // The address of the value that a map holds for a key.
    fn map_find(c, base, of, word, place) {
        match entry(c, base, ty(of), word) {
            Some((Ok(at), first, pair, key_size)) => first + (at * pair + key_size) as i64,
            _ => {
                c.fail(ErrorKind::MissingKey, place);
                0
            }
        }
    }

    // As `map_find`, but makes room for a new key unless more of the path follows.
    fn map_entry(c, base, of, word, inner, place) {
        let Ty::Map { max, key, value } = *c.model.types.get(ty(of)) else { return 0 };
        let given = c.value(word, key);
        if let Err(kind) = c.model.types.fits(&given, key) {
            c.fail(kind, place);
            return 0;
        }
        match entry(c, base, ty(of), word) {
            Some((Ok(at), first, pair, key_size)) => first + (at * pair + key_size) as i64,
            Some((Err(at), first, pair, key_size)) => {
                if inner != 0 {
                    c.fail(ErrorKind::MissingKey, place);
                    return 0;
                }
                let size = c.model.types.size(ty(of)) as usize;
                let mut map = c.value(base, ty(of));
                if map.pairs().len() >= max as usize {
                    c.fail(ErrorKind::TooLong, place);
                    return 0;
                }
                if let Value::Map(pairs) = &mut map {
                    pairs.insert(at, (given, c.model.types.default_value(value)));
                }
                c.note(base as usize, size);
                let model = c.model.clone();
                // SAFETY: the map's own bytes.
                model.types.encode(&map, ty(of), unsafe { bytes_mut(base, size) });
                first + (at * pair + key_size) as i64
            }
            None => 0,
        }
    }

    fn tail(c, base, of, place) {
        let list = c.value(base, ty(of));
        match list.items().split_first() {
            Some((_, rest)) => c.put(&Value::List(rest.to_vec()), ty(of)),
            None => {
                c.fail(ErrorKind::EmptyList, place);
                0
            }
        }
    }

    fn keys(c, base, of) {
        let Ty::Map { max, key, .. } = *c.model.types.get(ty(of)) else { return 0 };
        let list = Value::List(c.value(base, ty(of)).pairs().iter().map(|(key, _)| key.clone()).collect());
        put_list(c, &list, max, key)
    }

    fn values(c, base, of) {
        let Ty::Map { max, value, .. } = *c.model.types.get(ty(of)) else { return 0 };
        let list = Value::List(c.value(base, ty(of)).pairs().iter().map(|(_, value)| value.clone()).collect());
        put_list(c, &list, max, value)
    }

    fn concat(c, left, left_ty, right, right_ty, of, place) {
        let mut items = c.value(left, ty(left_ty)).items().to_vec();
        items.extend(c.value(right, ty(right_ty)).items().iter().cloned());
        c.put_checked(&Value::List(items), ty(of), place)
    }

    fn override_map(c, left, left_ty, right, right_ty, of, place) {
        let mut map: std::collections::BTreeMap<Value, Value> = c.value(left, ty(left_ty)).pairs().iter().cloned().collect();
        map.extend(c.value(right, ty(right_ty)).pairs().iter().cloned());
        c.put_checked(&Value::Map(map.into_iter().collect()), ty(of), place)
    }

    fn convert(c, word, from, to, place) {
        let value = c.value(word, ty(from));
        c.put_checked(&value, ty(to), place)
    }

    fn convert_scalar(c, word, from, to, place) {
        let model = c.model.clone();
        let types = &model.types;
        let converted = match (types.get(ty(from)), types.get(ty(to))) {
            (Ty::Enum(id), Ty::Int { .. }) => {
                Ok(model.enums[*id as usize].values.get(word as usize).map_or(0, |value| value.1))
            }
            (Ty::Int { .. }, Ty::Enum(id)) => {
                let at = model.enums[*id as usize].values.iter().position(|(_, number)| *number == word);
                at.map(|at| at as i64).ok_or(ErrorKind::BadConversion)
            }
            (Ty::Int { .. }, Ty::Fixed { .. }) => word.checked_mul(FIXED_ONE).ok_or(ErrorKind::Overflow),
            (Ty::Fixed { .. }, Ty::Int { .. }) => Ok(word / FIXED_ONE),
            (_, Ty::Ref(class)) => reference_of(&model, word, *class),
            _ => Ok(word),
        };
        let checked = converted.and_then(|value| types.fits(&Value::Scalar(value), ty(to)).map(|()| value));
        or_fail(c, checked, place)
    }

    // Appends to a list under construction; the item's place and the whole list's.
    fn push(c, base, of, word, item_place, place) {
        let Ty::List { max, item } = *c.model.types.get(ty(of)) else { return 0 };
        let value = c.value(word, item);
        if let Err(kind) = c.model.types.fits(&value, item) {
            c.fail(kind, item_place);
            return 0;
        }
        let size = c.model.types.size(ty(of)) as usize;
        let model = c.model.clone();
        // SAFETY: a list that compiled code builds in temporary memory.
        let list = unsafe { bytes_mut(base, size) };
        let length = LENGTH.read(list) as usize;
        if length >= max as usize {
            c.fail(ErrorKind::TooLong, place);
            return 0;
        }
        LENGTH.write(length as i64 + 1, list);
        let step = model.types.size(item) as usize;
        let start = LENGTH.bytes() as usize + length * step;
        model.types.encode(&value, item, &mut list[start..start + step]);
        0
    }

    // Puts an entry into a map literal; key and value are in their places' types already.
    fn map_put(c, base, of, key, value, _place) {
        let Ty::Map { key: key_ty, value: value_ty, .. } = *c.model.types.get(ty(of)) else { return 0 };
        let (key, value) = (c.value(key, key_ty), c.value(value, value_ty));
        let mut map: std::collections::BTreeMap<Value, Value> = c.value(base, ty(of)).pairs().iter().cloned().collect();
        map.insert(key, value);
        let size = c.model.types.size(ty(of)) as usize;
        let model = c.model.clone();
        // SAFETY: a map that compiled code builds in temporary memory.
        model.types.encode(&Value::Map(map.into_iter().collect()), ty(of), unsafe { bytes_mut(base, size) });
        0
    }
}

fn mode_at(c: &JitContext, point: i64) -> u8 {
    // SAFETY: the table has an entry per mutation point and lives as long as the call.
    unsafe { *c.mode.add(point as usize) }
}

fn or_fail(c: &mut JitContext, value: Result<i64, ErrorKind>, place: i64) -> i64 {
    match value {
        Ok(value) => value,
        Err(kind) => {
            debug_assert_eq!(c.status, RUNNING);
            c.fail(kind, place);
            0
        }
    }
}

fn put_list(c: &mut JitContext, list: &Value, max: u32, item: TyId) -> i64 {
    let size = c.model.types.size(item) as usize * max as usize + LENGTH.bytes() as usize;
    let address = c.allocate(size) as i64;
    let model = c.model.clone();
    // SAFETY: just allocated.
    let out = unsafe { bytes_mut(address, size) };
    LENGTH.write(list.items().len() as i64, out);
    let step = model.types.size(item) as usize;
    for (at, value) in list.items().iter().enumerate() {
        let start = LENGTH.bytes() as usize + at * step;
        model
            .types
            .encode(value, item, &mut out[start..start + step]);
    }
    address
}

/// Where a key is or belongs, where the pairs start, and the sizes of pair and key.
type Entry = (Result<usize, usize>, i64, usize, usize);

fn entry(c: &mut JitContext, base: i64, of: TyId, word: i64) -> Option<Entry> {
    let Ty::Map { key, value, .. } = *c.model.types.get(of) else {
        return None;
    };
    let given = c.value(word, key);
    let map = c.value(base, of);
    let at = map.pairs().binary_search_by(|(known, _)| known.cmp(&given));
    let key_size = c.model.types.size(key) as usize;
    let pair = key_size + c.model.types.size(value) as usize;
    Some((at, base + i64::from(LENGTH.bytes()), pair, key_size))
}

fn reference_of(model: &crate::model::Model, word: i64, class: ClassId) -> Result<i64, ErrorKind> {
    match ObjectId::from_reference(word) {
        Some(object) if !model.is_subclass(model.objects[object.index()].class, class) => {
            Err(ErrorKind::BadConversion)
        }
        _ => Ok(word),
    }
}

const OPERATORS: [BinaryOp; 5] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
];

fn operator(code: i64) -> BinaryOp {
    OPERATORS
        .get(code as usize)
        .copied()
        .unwrap_or(BinaryOp::Add)
}

/// The number of an arithmetic operator in compiled code.
pub fn operator_code(op: BinaryOp) -> i64 {
    OPERATORS.iter().position(|known| *known == op).unwrap_or(0) as i64
}
