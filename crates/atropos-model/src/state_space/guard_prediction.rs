//! What can be said about a guard while only some variables are known to stay as they are: false for sure, or open.
//! Used to show that an alternative can't be taken before a certain object moves.

use super::footprint::FootprintCells;
use crate::language::tree::{BinaryOp, UnaryOp};
use crate::model::arithmetic::{self, Scale};
use crate::model::code::Call;
use crate::model::{
    CodeId, Domain, Expr, ExprKind, Model, ModelPointId, ObjectId, State, Stmt, StmtKind,
    TargetBase, Ty, Value,
};
use crate::mutation::{MutationMode, ORIGINAL, RECORD};

/// What an expression will be.
#[derive(Clone, Debug, PartialEq)]
enum Prediction {
    Known(Value),
    /// Some value; computing it does not fail.
    Open,
    /// Perhaps an error or disabled.
    MayFail,
}

use Prediction::{Known, MayFail, Open};

pub struct GuardPrediction<'f> {
    pub model: &'f Model,
    pub cells: &'f FootprintCells,
    pub state: &'f State,
    pub mode: &'f MutationMode,
    /// Cells that keep their value.
    pub stable: &'f dyn Fn(u32) -> bool,
    /// Points that the answer depends on.
    pub relied: Vec<ModelPointId>,
}

struct Frame {
    object: ObjectId,
    code: CodeId,
    locals: Vec<Prediction>,
}

impl GuardPrediction<'_> {
    /// Whether `stmt`, in the block of `object`, is disabled and stays so.
    pub fn disabled(&mut self, object: ObjectId, block: CodeId, stmt: &Stmt) -> bool {
        let mut frame = self.frame(object, block);
        self.stays_disabled(stmt, &mut frame)
    }

    fn frame(&self, object: ObjectId, code: CodeId) -> Frame {
        let locals = self.model.code(code).locals.iter();
        let locals = locals
            .map(|local| Known(self.model.types.default_value(local.ty)))
            .collect();
        Frame {
            object,
            code,
            locals,
        }
    }

    fn stays_disabled(&mut self, stmt: &Stmt, frame: &mut Frame) -> bool {
        match &stmt.kind {
            StmtKind::Guard { cond, body, .. } => match self.expression(cond, frame) {
                Known(value) if value.scalar() == 0 => true,
                Known(_) | Open => self.stays_disabled(body, frame),
                MayFail => false,
            },
            StmtKind::Seq(parts) => {
                let first = parts
                    .iter()
                    .find(|part| !matches!(part.kind, StmtKind::Emit));
                first.is_some_and(|first| self.stays_disabled(first, frame))
            }
            StmtKind::Choice(parts) | StmtKind::Prio(parts) => {
                parts.iter().all(|part| self.stays_disabled(part, frame))
            }
            StmtKind::Project { vars, filter, body } => {
                for var in vars {
                    frame.locals[var.slot as usize] = Open;
                }
                match filter.as_ref().map(|filter| self.expression(filter, frame)) {
                    Some(Known(value)) if value.scalar() == 0 => true,
                    Some(MayFail) => false,
                    _ => self.stays_disabled(body, frame),
                }
            }
            StmtKind::Call(call) if call.fold.is_none() => match self.enter(call, frame) {
                Some(mut inner) => {
                    let model = self.model;
                    self.stays_disabled(&model.code(call.code).body, &mut inner)
                }
                None => false,
            },
            _ => false,
        }
    }

    /// The callee's frame, if it is known whose it is and nothing fails on the way.
    fn enter(&mut self, call: &Call, frame: &mut Frame) -> Option<Frame> {
        let object = match &call.receiver {
            None => frame.object,
            Some(receiver) => match self.expression(receiver, frame) {
                Known(value) => ObjectId::from_reference(value.scalar())?,
                _ => return None,
            },
        };
        let mut inner = self.frame(object, call.code);
        for (at, arg) in call.args.iter().enumerate() {
            let ty = self.model.code(call.code).locals[at].ty;
            inner.locals[at] = match self.expression(arg, frame) {
                Known(value) if self.model.types.fits(&value, ty).is_ok() => Known(value),
                // An open value may be out of range.
                Open if !matches!(self.model.types.get(ty), Ty::Int { .. } | Ty::Fixed { .. }) => {
                    Open
                }
                _ => return None,
            };
        }
        Some(inner)
    }

    fn expression(&mut self, expr: &Expr, frame: &mut Frame) -> Prediction {
        match &expr.kind {
            ExprKind::Lit { value, point } => self.at(*point, Known(Value::Scalar(*value))),
            ExprKind::Const(value) => Known(value.clone()),
            ExprKind::Local(slot) => frame.locals[*slot as usize].clone(),
            ExprKind::Attr(at) => {
                if (self.stable)(self.cells.cell(frame.object, *at)) {
                    let attribute = &self.model.class_of(frame.object).attributes[*at as usize];
                    let bytes = &self.state.object(frame.object)[attribute.offset as usize..];
                    Known(self.model.types.decode(bytes, attribute.ty))
                } else {
                    Open
                }
            }
            ExprKind::SelfRef => Known(Value::Scalar(frame.object.reference())),
            ExprKind::Unary { op, operand, point } => {
                let operand = self.expression(operand, frame);
                let value = self.unary(*op, operand);
                self.at(*point, value)
            }
            ExprKind::Binary {
                op,
                left,
                right,
                point,
            } => {
                let value = match op {
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
                        self.logic(*op, left, right, frame)
                    }
                    _ => self.binary(*op, left, right, frame),
                };
                self.at(*point, value)
            }
            ExprKind::Index { base, index } => {
                match (self.expression(base, frame), self.expression(index, frame)) {
                    (Known(Value::List(items)), Known(index)) => {
                        let item = usize::try_from(index.scalar())
                            .ok()
                            .and_then(|at| items.get(at));
                        item.map_or(MayFail, |item| Known(item.clone()))
                    }
                    _ => MayFail,
                }
            }
            ExprKind::TupleItem { base, item } => match self.expression(base, frame) {
                Known(Value::Tuple(items)) => Known(items[*item].clone()),
                other => other,
            },
            ExprKind::Call(call) if call.fold.is_none() => self.call(call, frame),
            ExprKind::Quantifier {
                all,
                vars,
                body,
                point,
            } => {
                let [var] = vars.as_slice() else {
                    return MayFail;
                };
                let value = self.quantifier(*all, var.slot, var.domain, body, frame);
                self.at(*point, value)
            }
            ExprKind::If { cond, then, other } => match self.expression(cond, frame) {
                Known(value) if value.scalar() != 0 => self.expression(then, frame),
                Known(_) => self.expression(other, frame),
                _ => MayFail,
            },
            _ => MayFail,
        }
    }

    /// A mutant that acts here may compute anything; one that could act is noted.
    fn at(&mut self, point: Option<ModelPointId>, value: Prediction) -> Prediction {
        let Some(point) = point else { return value };
        self.relied.push(point);
        match self.mode.table[point.0 as usize] {
            ORIGINAL | RECORD => value,
            _ => MayFail,
        }
    }

    fn unary(&self, op: UnaryOp, operand: Prediction) -> Prediction {
        match (op, operand) {
            (UnaryOp::Not, Known(value)) => Known(Value::truth(value.scalar() == 0)),
            (UnaryOp::Not | UnaryOp::Plus, Open) => Open,
            (UnaryOp::Len, Known(value)) => Known(Value::Scalar(
                (value.items().len() + value.pairs().len()) as i64,
            )),
            (UnaryOp::Len, Open) => Open,
            _ => MayFail,
        }
    }

    fn logic(&mut self, op: BinaryOp, left: &Expr, right: &Expr, frame: &mut Frame) -> Prediction {
        let left = self.expression(left, frame);
        if let Known(value) = &left {
            if let Some(decided) = arithmetic::decided_by_left(op, value.scalar()) {
                return Known(Value::Scalar(decided));
            }
            return self.expression(right, frame);
        }
        if left == MayFail {
            return MayFail;
        }
        // The left side is open: the right side decides if it is what the left side would decide to.
        match (op, self.expression(right, frame)) {
            (BinaryOp::And, Known(value)) if value.scalar() == 0 => Known(Value::truth(false)),
            (BinaryOp::Or | BinaryOp::Implies, Known(value)) if value.scalar() != 0 => {
                Known(Value::truth(true))
            }
            (_, MayFail) => MayFail,
            _ => Open,
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, frame: &mut Frame) -> Prediction {
        let fixed = matches!(self.model.types.get(left.ty), Ty::Fixed { .. });
        match (self.expression(left, frame), self.expression(right, frame)) {
            (MayFail, _) | (_, MayFail) => MayFail,
            (Known(l), Known(r)) => {
                let found = match (op, &l, &r) {
                    (BinaryOp::In | BinaryOp::NotIn, _, Value::Map(pairs)) => {
                        Some(pairs.iter().any(|(key, _)| *key == l))
                    }
                    (BinaryOp::In | BinaryOp::NotIn, ..) => Some(r.items().contains(&l)),
                    (_, Value::Scalar(_), Value::Scalar(_)) => None,
                    (BinaryOp::Eq | BinaryOp::Ne, ..) => Some(l == r),
                    _ => return MayFail,
                };
                let (a, b) = found.map_or((l.scalar(), r.scalar()), |found| (i64::from(found), 1));
                let scale = if fixed { Scale::Fixed } else { Scale::Whole };
                arithmetic::binary(op, a, b, scale)
                    .map_or(MayFail, |value| Known(Value::Scalar(value)))
            }
            _ => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                    MayFail
                }
                _ => Open,
            },
        }
    }

    fn call(&mut self, call: &Call, frame: &mut Frame) -> Prediction {
        let Some(mut inner) = self.enter(call, frame) else {
            return MayFail;
        };
        let model = self.model;
        let code = model.code(call.code);
        if !self.assigns_only(&code.body, &mut inner) {
            return MayFail;
        }
        code.result
            .map_or(MayFail, |slot| inner.locals[slot as usize].clone())
    }

    /// Runs a function's body if it is nothing but assignments to its variables.
    fn assigns_only(&mut self, stmt: &Stmt, frame: &mut Frame) -> bool {
        match &stmt.kind {
            StmtKind::Skip => true,
            StmtKind::Seq(parts) => parts.iter().all(|part| self.assigns_only(part, frame)),
            StmtKind::Assign {
                targets,
                values,
                with: None,
            } => {
                let ([target], [value]) = (targets.as_slice(), values.as_slice()) else {
                    return false;
                };
                let (TargetBase::Local(slot), []) = (target.base, target.path.as_slice()) else {
                    return false;
                };
                let outlook = self.expression(value, frame);
                let number = matches!(
                    self.model.types.get(target.item),
                    Ty::Int { .. } | Ty::Fixed { .. }
                );
                let fits = match &outlook {
                    Known(value) => self.model.types.fits(value, target.item).is_ok(),
                    Open => !number,
                    MayFail => false,
                };
                frame.locals[slot as usize] = outlook;
                fits
            }
            _ => false,
        }
    }

    fn quantifier(
        &mut self,
        all: bool,
        slot: u32,
        domain: Domain,
        body: &Expr,
        frame: &mut Frame,
    ) -> Prediction {
        let values: Vec<i64> = match domain {
            Domain::Range { first, count } if count <= 256 => {
                (0..count as i64).map(|at| first.wrapping_add(at)).collect()
            }
            Domain::Range { .. } => return MayFail,
            Domain::Objects(class) => self.model.instances[class.0 as usize]
                .iter()
                .map(|object| object.reference())
                .collect(),
        };
        let mut answer = Known(Value::truth(all));
        for value in values {
            frame.locals[slot as usize] = Known(Value::Scalar(value));
            match self.expression(body, frame) {
                // One value decides, whatever the open ones before it are.
                Known(value) if (value.scalar() != 0) != all => return Known(Value::truth(!all)),
                Known(_) => {}
                Open => answer = Open,
                MayFail => return MayFail,
            }
        }
        let _ = frame.code;
        answer
    }
}
