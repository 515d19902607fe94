//! Statements as relations.

use super::{Interpreter, Outcomes, Run, Stop};
use crate::execution::MOST_OUTCOMES;
use crate::language::SourceSpan;
use crate::model::{BoundVar, Domain, ErrorKind, ExecError, Stmt, StmtKind, Value};

impl Interpreter<'_> {
    /// All outcomes of `stmt` from `run`; none if it is disabled.
    pub(super) fn execute(&self, stmt: &Stmt, mut run: Run) -> Outcomes {
        match &stmt.kind {
            StmtKind::Skip => vec![Ok(run)],
            StmtKind::Abort => vec![Err((
                run.labels,
                ExecError::new(ErrorKind::Abort, stmt.span),
            ))],
            StmtKind::Seq(parts) => {
                let mut outcomes = vec![Ok(run)];
                for part in parts {
                    outcomes = self.then(outcomes, |run| self.execute(part, run));
                }
                outcomes
            }
            StmtKind::Choice(parts) => parts
                .iter()
                .flat_map(|part| self.execute(part, run.clone()))
                .collect(),
            StmtKind::Prio(parts) => {
                let outcomes = parts.iter().enumerate().map(|(at, part)| {
                    let mut inside = run.clone();
                    inside.priorities += u32::from(at + 1 < parts.len());
                    let mut outcomes = self.execute(part, inside);
                    for outside in outcomes.iter_mut().flatten() {
                        outside.priorities = run.priorities;
                    }
                    outcomes
                });
                outcomes
                    .into_iter()
                    .find(|outcomes| !outcomes.is_empty())
                    .unwrap_or_default()
            }
            StmtKind::Project { vars, filter, body } => {
                let mut outcomes = Vec::new();
                self.every_value(vars, body.span, run, &mut |mut run| {
                    let passes = match filter {
                        None => Ok(Value::truth(true)),
                        Some(filter) => self.evaluate(filter, &mut run.frame, &run.state),
                    };
                    match passes {
                        Ok(value) if value.scalar() != 0 => {
                            outcomes.extend(self.execute(body, run))
                        }
                        Ok(_) => {}
                        Err(stop) => outcomes.extend(stopped(stop, run)),
                    }
                    outcomes.len() <= MOST_OUTCOMES
                });
                outcomes
            }
            StmtKind::Guard { cond, body, point } => {
                let value = match self.evaluate(cond, &mut run.frame, &run.state) {
                    Ok(value) => value.scalar() != 0,
                    Err(stop) => return stopped(stop, run),
                };
                let enabled = match point {
                    None => value,
                    Some(point) => {
                        let mode = self.mode_at(*point);
                        self.model.mutants.guard(
                            *point,
                            mode,
                            value,
                            &mut self.infected.borrow_mut(),
                        )
                    }
                };
                if enabled {
                    self.execute(body, run)
                } else {
                    Vec::new()
                }
            }
            StmtKind::Assign {
                targets,
                values,
                with,
            } => match self.assign(targets, values, &mut run) {
                Err(stop) => stopped(stop, run),
                Ok(()) => match with {
                    None => vec![Ok(run)],
                    Some(with) => match self.evaluate(with, &mut run.frame, &run.state) {
                        Ok(value) if value.scalar() != 0 => vec![Ok(run)],
                        Ok(_) => Vec::new(),
                        Err(stop) => stopped(stop, run),
                    },
                },
            },
            StmtKind::Call(call) => self.call(call, run),
            StmtKind::Emit => {
                let params = self.model.code(run.frame.code).params;
                let label = self.model.label(
                    run.frame.code,
                    run.frame.object,
                    &run.frame.locals[..params],
                );
                if run.labels.is_empty() && run.priorities == 0 && self.inputs.exclude(&label) {
                    self.cut.set(true);
                    return Vec::new();
                }
                run.labels.push(label);
                vec![Ok(run)]
            }
        }
    }

    /// Goes on from every outcome that is not an error.
    pub(super) fn then(&self, outcomes: Outcomes, next: impl Fn(Run) -> Outcomes) -> Outcomes {
        let mut all = Vec::new();
        for outcome in outcomes {
            match outcome {
                Ok(run) => all.extend(next(run)),
                Err(error) => all.push(Err(error)),
            }
            if all.len() > MOST_OUTCOMES {
                break;
            }
        }
        all
    }

    /// Calls `visit` for every combination of values until it answers false; tells whether it never did.
    fn every_value(
        &self,
        vars: &[BoundVar],
        span: SourceSpan,
        run: Run,
        visit: &mut dyn FnMut(Run) -> bool,
    ) -> bool {
        let Some((var, rest)) = vars.split_first() else {
            return visit(run);
        };
        self.domain(var.domain).all(|value| {
            let mut run = run.clone();
            run.frame.locals[var.slot as usize] = Value::Scalar(value);
            self.spend(span).is_ok() && self.every_value(rest, span, run, visit)
        })
    }

    /// The values of a type, in order.
    pub(super) fn domain(&self, domain: Domain) -> Box<dyn Iterator<Item = i64> + '_> {
        match domain {
            Domain::Range { first, count } => {
                Box::new((0..count).map(move |at| first.wrapping_add(at as i64)))
            }
            Domain::Objects(class) => Box::new(
                self.model.instances[class.0 as usize]
                    .iter()
                    .map(|object| object.reference()),
            ),
        }
    }
}

pub(super) fn stopped(stop: Stop, run: Run) -> Outcomes {
    match stop {
        Stop::Disabled => Vec::new(),
        Stop::Error(error) => vec![Err((run.labels, error))],
    }
}
