//! What each alternative of each object may read and write: (object, attribute) cells, calls included, original and
//! mutants together (mutants change values, never which attributes stand in the code; a guard that is switched off
//! only takes effects away).

use super::points_to::PointsTo;
use crate::model::visit;
use crate::model::{CodeId, Expr, ExprKind, Model, ObjectId, Stmt, StmtKind, TargetBase};
use std::collections::HashMap;
use std::rc::Rc;

/// Sorted cell numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
}

impl Footprint {
    fn add(&mut self, other: &Footprint) {
        self.reads.extend_from_slice(&other.reads);
        self.writes.extend_from_slice(&other.writes);
    }

    fn normalise(&mut self) {
        for cells in [&mut self.reads, &mut self.writes] {
            cells.sort_unstable();
            cells.dedup();
        }
    }
}

/// Numbers of cells.
pub struct FootprintCells {
    first: Vec<u32>,
    pub count: usize,
}

impl FootprintCells {
    pub fn new(model: &Model) -> FootprintCells {
        let mut first = Vec::with_capacity(model.objects.len());
        let mut count = 0;
        for at in 0..model.objects.len() {
            first.push(count as u32);
            count += model.class_of(ObjectId(at as u32)).attributes.len();
        }
        FootprintCells { first, count }
    }

    pub fn cell(&self, object: ObjectId, attribute: u32) -> u32 {
        self.first[object.index()] + attribute
    }

    /// Whose cell it is.
    pub fn object(&self, cell: u32) -> ObjectId {
        // Objects without attributes share their first number with the next.
        ObjectId(self.first.partition_point(|first| *first <= cell) as u32 - 1)
    }
}

pub struct Footprints<'m> {
    model: &'m Model,
    pub cells: FootprintCells,
    points: PointsTo<'m>,
    codes: HashMap<(ObjectId, CodeId), Rc<Footprint>>,
}

impl<'m> Footprints<'m> {
    pub fn new(model: &'m Model) -> Footprints<'m> {
        Footprints {
            model,
            cells: FootprintCells::new(model),
            points: PointsTo::new(model),
            codes: HashMap::new(),
        }
    }

    /// Of one statement in an object's block.
    pub fn statement(&mut self, object: ObjectId, block: CodeId, stmt: &Stmt) -> Footprint {
        let mut footprint = Footprint::default();
        self.collect(object, block, stmt, &mut footprint);
        footprint.normalise();
        footprint
    }

    fn code(&mut self, object: ObjectId, code: CodeId) -> Rc<Footprint> {
        if let Some(known) = self.codes.get(&(object, code)) {
            return known.clone();
        }
        let model = self.model;
        let footprint = Rc::new(self.statement(object, code, &model.code(code).body));
        self.codes.insert((object, code), footprint.clone());
        footprint
    }

    fn collect(&mut self, object: ObjectId, code: CodeId, stmt: &Stmt, out: &mut Footprint) {
        match &stmt.kind {
            StmtKind::Assign { targets, .. } => {
                for target in targets {
                    if let TargetBase::Attr(at) = target.base {
                        let cell = self.cells.cell(object, at);
                        out.writes.push(cell);
                        // An item's store keeps the rest of the list.
                        if !target.path.is_empty() {
                            out.reads.push(cell);
                        }
                    }
                }
            }
            StmtKind::Call(call) => self.collect_call(object, code, call, out),
            _ => {}
        }
        let mut expressions = Vec::new();
        visit::own_expressions(stmt, &mut |expr| expressions.push(expr));
        for expr in expressions {
            self.collect_expression(object, code, expr, out);
        }
        let mut parts = Vec::new();
        visit::substatements(stmt, &mut |part| parts.push(part));
        for part in parts {
            self.collect(object, code, part, out);
        }
    }

    fn collect_call(
        &mut self,
        object: ObjectId,
        code: CodeId,
        call: &crate::model::code::Call,
        out: &mut Footprint,
    ) {
        for receiver in self.points.receivers(object, code, call) {
            let callee = self.code(receiver, call.code);
            out.add(&callee);
        }
    }

    fn collect_expression(
        &mut self,
        object: ObjectId,
        code: CodeId,
        expr: &Expr,
        out: &mut Footprint,
    ) {
        match &expr.kind {
            ExprKind::Attr(at) => out.reads.push(self.cells.cell(object, *at)),
            ExprKind::Call(call) => self.collect_call(object, code, call, out),
            _ => {}
        }
        let mut inner = Vec::new();
        visit::subexpressions(expr, &mut |expr| inner.push(expr));
        for expr in inner {
            self.collect_expression(object, code, expr, out);
        }
    }
}
