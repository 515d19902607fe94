//! Assignments.

use super::{Frame, Interpreter, Run, Stop};
use crate::execution::BYTES_PER_STEP;
use crate::language::SourceSpan;
use crate::model::{
    ErrorKind, ExecError, Expr, ObjectId, State, Target, TargetBase, Ty, TyId, Value,
};

impl Interpreter<'_> {
    /// First all values, then all indices, then the stores from left to right.
    pub(super) fn assign(
        &self,
        targets: &[Target],
        values: &[Expr],
        run: &mut Run,
    ) -> Result<(), Stop> {
        let mut computed = Vec::with_capacity(values.len());
        for value in values {
            computed.push((
                self.evaluate(value, &mut run.frame, &run.state)?,
                value.span,
            ));
        }
        let mut paths = Vec::with_capacity(targets.len());
        for target in targets {
            let mut path = Vec::with_capacity(target.path.len());
            for index in &target.path {
                path.push((
                    self.evaluate(index, &mut run.frame, &run.state)?,
                    index.span,
                ));
            }
            paths.push(path);
        }
        for ((target, path), (value, span)) in targets.iter().zip(paths).zip(computed) {
            self.model
                .types
                .fits(&value, target.item)
                .map_err(|kind| stop(kind, span))?;
            let mut whole = self.read(target, &run.frame, &run.state);
            self.replace(&mut whole, target.ty, &path, value)?;
            self.write(target, whole, run);
        }
        Ok(())
    }

    fn read(&self, target: &Target, frame: &Frame, state: &State) -> Value {
        match target.base {
            TargetBase::Local(slot) => frame.locals[slot as usize].clone(),
            TargetBase::Attr(at) => self.attribute(frame.object, at, state),
        }
    }

    fn write(&self, target: &Target, value: Value, run: &mut Run) {
        match target.base {
            TargetBase::Local(slot) => run.frame.locals[slot as usize] = value,
            TargetBase::Attr(at) => {
                let attribute = &self.model.class_of(run.frame.object).attributes[at as usize];
                let mut bytes = run.state.object(run.frame.object).to_vec();
                let start = attribute.offset as usize;
                let end = start + self.model.types.size(attribute.ty) as usize;
                self.model
                    .types
                    .encode(&value, attribute.ty, &mut bytes[start..end]);
                run.state.set_object(run.frame.object, &bytes);
                self.charge(bytes.len() / BYTES_PER_STEP);
            }
        }
    }

    pub(super) fn attribute(&self, object: ObjectId, at: u32, state: &State) -> Value {
        let attribute = &self.model.class_of(object).attributes[at as usize];
        let value = self.model.types.decode(
            &state.object(object)[attribute.offset as usize..],
            attribute.ty,
        );
        self.charge(value.entries());
        value
    }

    fn replace(
        &self,
        whole: &mut Value,
        ty: TyId,
        path: &[(Value, SourceSpan)],
        value: Value,
    ) -> Result<(), Stop> {
        let Some(((index, span), rest)) = path.split_first() else {
            *whole = value;
            return Ok(());
        };
        match (self.model.types.get(ty), whole) {
            (Ty::List { item, .. }, Value::List(items)) => {
                let at = usize::try_from(index.scalar())
                    .ok()
                    .filter(|at| *at < items.len());
                let at = at.ok_or(stop(ErrorKind::IndexOutside, *span))?;
                self.replace(&mut items[at], *item, rest, value)
            }
            (
                Ty::Map {
                    max,
                    key,
                    value: to,
                },
                Value::Map(pairs),
            ) => {
                self.model
                    .types
                    .fits(index, *key)
                    .map_err(|kind| stop(kind, *span))?;
                let at = match pairs.binary_search_by(|(known, _)| known.cmp(index)) {
                    Ok(at) => at,
                    Err(_) if !rest.is_empty() => return Err(stop(ErrorKind::MissingKey, *span)),
                    Err(_) if pairs.len() >= *max as usize => {
                        return Err(stop(ErrorKind::TooLong, *span));
                    }
                    Err(at) => {
                        pairs.insert(at, (index.clone(), self.model.types.default_value(*to)));
                        at
                    }
                };
                self.replace(&mut pairs[at].1, *to, rest, value)
            }
            (Ty::Tuple(items), Value::Tuple(values)) => {
                let at = index.scalar() as usize;
                self.replace(&mut values[at], items[at], rest, value)
            }
            _ => Ok(()),
        }
    }
}

fn stop(kind: ErrorKind, span: SourceSpan) -> Stop {
    Stop::Error(ExecError::new(kind, span))
}
