//! Expressions.

use super::{Frame, Interpreter, Stop};
use crate::language::SourceSpan;
use crate::language::lexer::FIXED_ONE;
use crate::language::tree::{BinaryOp, UnaryOp};
use crate::model::arithmetic::{self, Scale};
use crate::model::{
    BoundVar, ErrorKind, ExecError, Expr, ExprKind, ModelPointId, ObjectId, State, Ty, Value,
};
use crate::mutation::RECORD;

type Evaluated = Result<Value, Stop>;

fn failed<T>(kind: ErrorKind, span: SourceSpan) -> Result<T, Stop> {
    Err(Stop::Error(ExecError::new(kind, span)))
}

impl Interpreter<'_> {
    pub(super) fn evaluate(&self, expr: &Expr, frame: &mut Frame, state: &State) -> Evaluated {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Lit { value, point: None } => Ok(Value::Scalar(*value)),
            ExprKind::Lit {
                point: Some(point), ..
            } => {
                let value = self.model.mutants.literal(
                    *point,
                    self.mode_at(*point),
                    &mut self.infected.borrow_mut(),
                );
                Ok(Value::Scalar(value))
            }
            ExprKind::Const(value) => Ok(value.clone()),
            ExprKind::Local(slot) => Ok(frame.locals[*slot as usize].clone()),
            ExprKind::Attr(at) => Ok(self.attribute(frame.object, *at, state)),
            ExprKind::SelfRef => Ok(Value::Scalar(frame.object.reference())),
            ExprKind::Unary { op, operand, point } => {
                let operand = self.evaluate(operand, frame, state)?;
                self.unary(*op, &operand, *point, span)
            }
            ExprKind::Binary {
                op,
                left,
                right,
                point,
            } => match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
                    self.logic(*op, left, right, *point, frame, state)
                }
                _ => {
                    let l = self.evaluate(left, frame, state)?;
                    let r = self.evaluate(right, frame, state)?;
                    self.binary(*op, left, &l, &r, *point, expr)
                }
            },
            ExprKind::Index { base, index } => {
                let base = self.evaluate(base, frame, state)?;
                let key = self.evaluate(index, frame, state)?;
                match base {
                    Value::Map(pairs) => match pairs.binary_search_by(|(known, _)| known.cmp(&key))
                    {
                        Ok(at) => Ok(pairs[at].1.clone()),
                        Err(_) => failed(ErrorKind::MissingKey, index.span),
                    },
                    list => match usize::try_from(key.scalar())
                        .ok()
                        .and_then(|at| list.items().get(at))
                    {
                        Some(item) => Ok(item.clone()),
                        None => failed(ErrorKind::IndexOutside, index.span),
                    },
                }
            }
            ExprKind::TupleItem { base, item } => {
                let base = self.evaluate(base, frame, state)?;
                Ok(base.items()[*item].clone())
            }
            ExprKind::Call(call) => self.call_function(call, frame, state),
            ExprKind::List(items) => {
                let Ty::List { item, .. } = *self.model.types.get(expr.ty) else {
                    return failed(ErrorKind::Abort, span);
                };
                let mut values = Vec::with_capacity(items.len());
                for value in items {
                    values.push(self.item(value, item, frame, state)?);
                }
                Ok(Value::List(values))
            }
            ExprKind::Tuple(items) => {
                let Ty::Tuple(types) = self.model.types.get(expr.ty) else {
                    return failed(ErrorKind::Abort, span);
                };
                let mut values = Vec::with_capacity(items.len());
                for (value, ty) in items.iter().zip(types) {
                    values.push(self.item(value, *ty, frame, state)?);
                }
                Ok(Value::Tuple(values))
            }
            ExprKind::Map(pairs) => {
                let Ty::Map { key, value, .. } = *self.model.types.get(expr.ty) else {
                    return failed(ErrorKind::Abort, span);
                };
                let mut map = std::collections::BTreeMap::new();
                for (from, to) in pairs {
                    let from = self.item(from, key, frame, state)?;
                    map.insert(from, self.item(to, value, frame, state)?);
                }
                Ok(Value::Map(map.into_iter().collect()))
            }
            ExprKind::Comprehension { vars, filter, item } => {
                let Ty::List { max, item: ty } = *self.model.types.get(expr.ty) else {
                    return failed(ErrorKind::Abort, span);
                };
                let mut values = Vec::new();
                self.each(vars, span, frame, &mut |frame| {
                    if let Some(filter) = filter
                        && self.evaluate(filter, frame, state)?.scalar() == 0
                    {
                        return Ok(true);
                    }
                    let value = self.item(item, ty, frame, state)?;
                    if values.len() >= max as usize {
                        return failed(ErrorKind::TooLong, span);
                    }
                    values.push(value);
                    Ok(true)
                })?;
                Ok(Value::List(values))
            }
            ExprKind::Quantifier {
                all,
                vars,
                body,
                point,
            } => {
                let all = match point {
                    None => *all,
                    Some(point) => self.model.mutants.quantifier(
                        *point,
                        self.mode_at(*point),
                        *all,
                        &mut self.infected.borrow_mut(),
                    ),
                };
                // Goes on while the answer is still open.
                let open = self.each(vars, body.span, frame, &mut |frame| {
                    Ok((self.evaluate(body, frame, state)?.scalar() != 0) == all)
                })?;
                Ok(Value::truth(open == all))
            }
            ExprKind::If { cond, then, other } => {
                let cond = self.evaluate(cond, frame, state)?.scalar() != 0;
                self.evaluate(if cond { then } else { other }, frame, state)
            }
            ExprKind::Convert(inner) => {
                let value = self.evaluate(inner, frame, state)?;
                self.convert(value, inner, expr)
            }
            ExprKind::New { .. } => failed(ErrorKind::Abort, span),
        }
    }

    /// A part of a list, map or tuple must fit where it goes.
    fn item(
        &self,
        expr: &Expr,
        ty: crate::model::TyId,
        frame: &mut Frame,
        state: &State,
    ) -> Evaluated {
        let value = self.evaluate(expr, frame, state)?;
        match self.model.types.fits(&value, ty) {
            Ok(()) => Ok(value),
            Err(kind) => failed(kind, expr.span),
        }
    }

    /// Calls `visit` for every combination of values until it answers false; tells whether it never did.
    fn each(
        &self,
        vars: &[BoundVar],
        span: SourceSpan,
        frame: &mut Frame,
        visit: &mut dyn FnMut(&mut Frame) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        let Some((var, rest)) = vars.split_first() else {
            return visit(frame);
        };
        for value in self.domain(var.domain) {
            self.spend(span)?;
            frame.locals[var.slot as usize] = Value::Scalar(value);
            if !self.each(rest, span, frame, visit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn unary(
        &self,
        op: UnaryOp,
        operand: &Value,
        point: Option<ModelPointId>,
        span: SourceSpan,
    ) -> Evaluated {
        match op {
            UnaryOp::Len => Ok(Value::Scalar(
                (operand.items().len() + operand.pairs().len()) as i64,
            )),
            UnaryOp::Head => match operand.items().first() {
                Some(first) => Ok(first.clone()),
                None => failed(ErrorKind::EmptyList, span),
            },
            UnaryOp::Tail => match operand.items().split_first() {
                Some((_, rest)) => Ok(Value::List(rest.to_vec())),
                None => failed(ErrorKind::EmptyList, span),
            },
            UnaryOp::Domain => Ok(Value::List(
                operand.pairs().iter().map(|(key, _)| key.clone()).collect(),
            )),
            UnaryOp::Range => Ok(Value::List(
                operand
                    .pairs()
                    .iter()
                    .map(|(_, value)| value.clone())
                    .collect(),
            )),
            UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Not | UnaryOp::Abs => {
                let value = match point {
                    None => arithmetic::unary(op, operand.scalar()),
                    Some(point) => {
                        let mode = self.mode_at(point);
                        let infected = &mut self.infected.borrow_mut();
                        self.model
                            .mutants
                            .unary(point, mode, operand.scalar(), infected)
                    }
                };
                value.map(Value::Scalar).or_else(|kind| failed(kind, span))
            }
        }
    }

    fn logic(
        &self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        point: Option<ModelPointId>,
        frame: &mut Frame,
        state: &State,
    ) -> Evaluated {
        let mode = point.map_or(0, |point| self.mode_at(point));
        let op = point.map_or(op, |point| self.model.mutants.logic_operator(point, mode));
        let recorded = point.filter(|_| mode == RECORD);
        let left = self.evaluate(left, frame, state)?.scalar();
        if let Some(point) = recorded {
            self.model
                .mutants
                .record_left(point, left, &mut self.infected.borrow_mut());
        }
        if let Some(value) = arithmetic::decided_by_left(op, left) {
            return Ok(Value::Scalar(value));
        }
        let right = self.evaluate(right, frame, state)?.scalar();
        if let Some(point) = recorded {
            self.model
                .mutants
                .record_right(point, left, right, &mut self.infected.borrow_mut());
        }
        // Where the left side does not decide, the right side is the value.
        Ok(Value::Scalar(right))
    }

    fn binary(
        &self,
        op: BinaryOp,
        left: &Expr,
        l: &Value,
        r: &Value,
        point: Option<ModelPointId>,
        expr: &Expr,
    ) -> Evaluated {
        let span = expr.span;
        let found = |yes: bool| (i64::from(yes), 1);
        let (a, b) = match (op, l, r) {
            (BinaryOp::In | BinaryOp::NotIn, _, Value::Map(pairs)) => {
                found(pairs.iter().any(|(key, _)| key == l))
            }
            (BinaryOp::In | BinaryOp::NotIn, ..) => found(r.items().contains(l)),
            (BinaryOp::Add, Value::List(first), Value::List(second)) => {
                return self.concatenated(first, second, expr);
            }
            (BinaryOp::Add, Value::Map(first), Value::Map(second)) => {
                let mut map: std::collections::BTreeMap<Value, Value> =
                    first.iter().cloned().collect();
                map.extend(second.iter().cloned());
                return Ok(Value::Map(map.into_iter().collect()));
            }
            (_, Value::Scalar(a), Value::Scalar(b)) => (*a, *b),
            _ => found(l == r),
        };
        let value = match point {
            None => {
                let fixed = matches!(self.model.types.get(left.ty), Ty::Fixed { .. });
                arithmetic::binary(op, a, b, if fixed { Scale::Fixed } else { Scale::Whole })
            }
            Some(point) => {
                let mode = self.mode_at(point);
                self.model
                    .mutants
                    .binary(point, mode, a, b, &mut self.infected.borrow_mut())
            }
        };
        value.map(Value::Scalar).or_else(|kind| failed(kind, span))
    }

    fn concatenated(&self, first: &[Value], second: &[Value], expr: &Expr) -> Evaluated {
        let list = Value::List(first.iter().chain(second).cloned().collect());
        match self.model.types.fits(&list, expr.ty) {
            Ok(()) => Ok(list),
            Err(kind) => failed(kind, expr.span),
        }
    }

    fn convert(&self, value: Value, from: &Expr, to: &Expr) -> Evaluated {
        let types = &self.model.types;
        let number = value.scalar();
        let converted = match (types.get(from.ty), types.get(to.ty)) {
            (Ty::Enum(id), Ty::Int { .. }) => {
                self.model.enums[*id as usize].values[number as usize].1
            }
            (Ty::Int { .. }, Ty::Enum(id)) => {
                let values = &self.model.enums[*id as usize].values;
                match values.iter().position(|(_, known)| *known == number) {
                    Some(at) => at as i64,
                    None => return failed(ErrorKind::BadConversion, to.span),
                }
            }
            (Ty::Int { .. }, Ty::Fixed { .. }) => match number.checked_mul(FIXED_ONE) {
                Some(value) => value,
                None => return failed(ErrorKind::Overflow, to.span),
            },
            (Ty::Fixed { .. }, Ty::Int { .. }) => number / FIXED_ONE,
            (_, Ty::Ref(class)) => match ObjectId::from_reference(number) {
                Some(object)
                    if !self
                        .model
                        .is_subclass(self.model.objects[object.index()].class, *class) =>
                {
                    return failed(ErrorKind::BadConversion, to.span);
                }
                _ => number,
            },
            _ if types.is_scalar(to.ty) => number,
            _ => {
                return match types.fits(&value, to.ty) {
                    Ok(()) => Ok(value),
                    Err(kind) => failed(kind, to.span),
                };
            }
        };
        match types.fits(&Value::Scalar(converted), to.ty) {
            Ok(()) => Ok(Value::Scalar(converted)),
            Err(kind) => failed(kind, to.span),
        }
    }
}
