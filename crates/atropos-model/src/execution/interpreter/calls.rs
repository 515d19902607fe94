//! Calls of methods and actions, plain and folded.

use super::execute::stopped;
use super::{Frame, Interpreter, Outcomes, Run, Stop};
use crate::execution::MOST_OUTCOMES;
use crate::language::tree::FoldFrom;
use crate::model::code::Call;
use crate::model::{ErrorKind, ExecError, Expr, ObjectId, State, Value};

impl Interpreter<'_> {
    /// A call as statement.
    pub(super) fn call(&self, call: &Call, mut run: Run) -> Outcomes {
        let prepared = self.prepare(call, &mut run.frame, &run.state);
        let (object, args, list) = match prepared {
            Ok(prepared) => prepared,
            Err(stop) => return stopped(stop, run),
        };
        let Some(list) = list else {
            return self.enter(call, object, args, run, call.store);
        };
        let accumulates = self.model.code(call.code).result.is_some();
        let mut outcomes: Vec<Result<(Run, Vec<Value>), _>> = vec![Ok((run, args))];
        for element in list {
            outcomes = outcomes
                .into_iter()
                .flat_map(|outcome| match outcome {
                    Err(error) => vec![Err(error)],
                    Ok((run, args)) => {
                        self.fold_step(call, object, element.clone(), args, run, accumulates)
                    }
                })
                .collect();
            if outcomes.len() > MOST_OUTCOMES {
                break;
            }
        }
        let finished = outcomes.into_iter().map(|outcome| {
            outcome.map(|(mut run, args)| {
                if let (Some(slot), Some(last)) = (call.store, args.last()) {
                    run.frame.locals[slot as usize] = last.clone();
                }
                run
            })
        });
        finished.collect()
    }

    #[allow(clippy::type_complexity, reason = "used once")]
    fn fold_step(
        &self,
        call: &Call,
        object: ObjectId,
        element: Value,
        args: Vec<Value>,
        run: Run,
        accumulates: bool,
    ) -> Vec<Result<(Run, Vec<Value>), (Vec<crate::model::Label>, ExecError)>> {
        let mut given = vec![element];
        given.extend(args.iter().cloned());
        let outer = run.frame.clone();
        let outcomes = self.enter_keeping(call, object, given, run);
        let next = outcomes.into_iter().map(|outcome| {
            outcome.map(|mut run| {
                let mut args = args.clone();
                if let (true, Some(slot), Some(last)) = (
                    accumulates,
                    self.model.code(call.code).result,
                    args.last_mut(),
                ) {
                    *last = run.frame.locals[slot as usize].clone();
                }
                run.frame = outer.clone();
                (run, args)
            })
        });
        next.collect()
    }

    /// Runs the callee; afterwards the caller's frame is back, with the value in `store`.
    fn enter(
        &self,
        call: &Call,
        object: ObjectId,
        args: Vec<Value>,
        run: Run,
        store: Option<u32>,
    ) -> Outcomes {
        let outer = run.frame.clone();
        let outcomes = self.enter_keeping(call, object, args, run);
        let back = outcomes.into_iter().map(|outcome| {
            outcome.map(|mut run| {
                let inner = std::mem::replace(&mut run.frame, outer.clone());
                if let (Some(slot), Some(result)) = (store, self.model.code(call.code).result) {
                    run.frame.locals[slot as usize] = inner.locals[result as usize].clone();
                }
                run
            })
        });
        back.collect()
    }

    /// Runs the callee and leaves its frame in the outcomes.
    fn enter_keeping(
        &self,
        call: &Call,
        object: ObjectId,
        args: Vec<Value>,
        mut run: Run,
    ) -> Outcomes {
        if let Err(stop) = self.spend(self.model.code(call.code).span) {
            return stopped(stop, run);
        }
        let mut frame = self.frame(call.code, object);
        for (at, arg) in args.into_iter().enumerate() {
            let ty = self.model.code(call.code).locals[at].ty;
            if let Err(kind) = self.model.types.fits(&arg, ty) {
                return vec![Err((run.labels, ExecError::new(kind, call.span)))];
            }
            frame.locals[at] = arg;
        }
        run.frame = frame;
        self.execute(&self.model.code(call.code).body, run)
    }

    /// A call of a function inside an expression: at most one outcome, nothing changed.
    pub(super) fn call_function(
        &self,
        call: &Call,
        frame: &mut Frame,
        state: &State,
    ) -> Result<Value, Stop> {
        let (object, mut args, list) = self.prepare(call, frame, state)?;
        let Some(list) = list else {
            return self.function_value(call, object, args, state);
        };
        for element in list {
            let mut given = vec![element];
            given.extend(args.iter().cloned());
            let value = self.function_value(call, object, given, state)?;
            if let Some(last) = args.last_mut() {
                *last = value;
            }
        }
        Ok(args.pop().unwrap_or(Value::Scalar(0)))
    }

    fn function_value(
        &self,
        call: &Call,
        object: ObjectId,
        args: Vec<Value>,
        state: &State,
    ) -> Result<Value, Stop> {
        let run = Run {
            state: state.clone(),
            labels: Vec::new(),
            frame: self.frame(call.code, object),
            priorities: 0,
        };
        let mut outcomes = self.enter_keeping(call, object, args, run);
        debug_assert!(outcomes.len() <= 1, "functions don't choose");
        match outcomes.pop() {
            None => Err(Stop::Disabled),
            Some(Err((_, error))) => Err(Stop::Error(error)),
            Some(Ok(run)) => {
                let slot = self.model.code(call.code).result.unwrap_or(0);
                Ok(run.frame.locals[slot as usize].clone())
            }
        }
    }

    /// Receiver, arguments and the folded list in the order in which they are visited.
    #[allow(clippy::type_complexity)]
    fn prepare(
        &self,
        call: &Call,
        frame: &mut Frame,
        state: &State,
    ) -> Result<(ObjectId, Vec<Value>, Option<Vec<Value>>), Stop> {
        let object = match &call.receiver {
            None => frame.object,
            Some(receiver) => self.object(receiver, frame, state)?,
        };
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(self.evaluate(arg, frame, state)?);
        }
        let list = match &call.fold {
            None => None,
            Some((from, list)) => {
                let mut items = self.evaluate(list, frame, state)?.items().to_vec();
                if *from == FoldFrom::Right {
                    items.reverse();
                }
                Some(items)
            }
        };
        Ok((object, args, list))
    }

    fn object(&self, receiver: &Expr, frame: &mut Frame, state: &State) -> Result<ObjectId, Stop> {
        let reference = self.evaluate(receiver, frame, state)?.scalar();
        ObjectId::from_reference(reference).ok_or(Stop::Error(ExecError::new(
            ErrorKind::NilCalled,
            receiver.span,
        )))
    }
}
