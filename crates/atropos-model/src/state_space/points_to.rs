//! Which objects a variable may refer to: an analysis over single objects, not classes, because the objects of a
//! class are linked to different partners. The code of an object is looked at once for all its callers.

use crate::model::code::Call;
use crate::model::visit;
use crate::model::{
    CodeId, Domain, Expr, ExprKind, Model, ObjectId, Stmt, StmtKind, TargetBase, Ty, TyId,
};
use std::collections::{BTreeSet, HashMap, HashSet};

type Objects = BTreeSet<ObjectId>;

/// What each attribute and local variable of each object may refer to, over the whole life of the model.
pub struct PointsTo<'m> {
    model: &'m Model,
    attributes: HashMap<(ObjectId, u32), Objects>,
    locals: HashMap<(ObjectId, CodeId, u32), Objects>,
    /// Code that runs for an object.
    reached: Vec<(ObjectId, CodeId)>,
    known: HashSet<(ObjectId, CodeId)>,
    has_refs: HashMap<TyId, bool>,
    changed: bool,
}

impl<'m> PointsTo<'m> {
    pub fn new(model: &'m Model) -> PointsTo<'m> {
        let mut points = PointsTo {
            model,
            attributes: HashMap::new(),
            locals: HashMap::new(),
            reached: Vec::new(),
            known: HashSet::new(),
            has_refs: HashMap::new(),
            changed: true,
        };
        points.initial_values();
        for object in model.ranks.iter().flatten() {
            if let Some(block) = model.class_of(*object).block {
                points.reach(*object, block);
            }
        }
        while std::mem::take(&mut points.changed) {
            let mut at = 0;
            while at < points.reached.len() {
                let (object, code) = points.reached[at];
                points.statement(object, code, &model.code(code).body);
                at += 1;
            }
        }
        points
    }

    fn initial_values(&mut self) {
        for at in 0..self.model.objects.len() {
            let object = ObjectId(at as u32);
            let bytes = self.model.initial.object(object);
            for (number, attribute) in self.model.class_of(object).attributes.iter().enumerate() {
                if self.holds_refs(attribute.ty) {
                    let value = self
                        .model
                        .types
                        .decode(&bytes[attribute.offset as usize..], attribute.ty);
                    let mut found = Objects::new();
                    self.refs_in(&value, attribute.ty, &mut found);
                    self.attributes.insert((object, number as u32), found);
                }
            }
        }
    }

    fn refs_in(&self, value: &crate::model::Value, ty: TyId, found: &mut Objects) {
        match self.model.types.get(ty) {
            Ty::Ref(_) => found.extend(ObjectId::from_reference(value.scalar())),
            Ty::List { item, .. } => value
                .items()
                .iter()
                .for_each(|value| self.refs_in(value, *item, found)),
            Ty::Map { key, value: to, .. } => value.pairs().iter().for_each(|(from, value)| {
                self.refs_in(from, *key, found);
                self.refs_in(value, *to, found);
            }),
            Ty::Tuple(items) => {
                value
                    .items()
                    .iter()
                    .zip(items)
                    .for_each(|(value, item)| self.refs_in(value, *item, found));
            }
            _ => {}
        }
    }

    fn holds_refs(&mut self, ty: TyId) -> bool {
        if let Some(known) = self.has_refs.get(&ty) {
            return *known;
        }
        let holds = match self.model.types.get(ty).clone() {
            Ty::Ref(_) => true,
            Ty::List { item, .. } => self.holds_refs(item),
            Ty::Map { key, value, .. } => self.holds_refs(key) || self.holds_refs(value),
            Ty::Tuple(items) => items.into_iter().any(|item| self.holds_refs(item)),
            _ => false,
        };
        self.has_refs.insert(ty, holds);
        holds
    }

    fn reach(&mut self, object: ObjectId, code: CodeId) {
        if self.known.insert((object, code)) {
            self.reached.push((object, code));
            self.changed = true;
        }
    }

    fn grow_local(&mut self, object: ObjectId, code: CodeId, slot: u32, more: Objects) {
        let set = self.locals.entry((object, code, slot)).or_default();
        let before = set.len();
        set.extend(more);
        self.changed |= set.len() != before;
    }

    fn statement(&mut self, object: ObjectId, code: CodeId, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign {
                targets, values, ..
            } => {
                for (target, value) in targets.iter().zip(values) {
                    let mut more = self.refs(object, code, value);
                    // A map's key that is an object is stored too.
                    for index in &target.path {
                        more.extend(self.refs(object, code, index));
                    }
                    if more.is_empty() {
                        continue;
                    }
                    match target.base {
                        TargetBase::Local(slot) => self.grow_local(object, code, slot, more),
                        TargetBase::Attr(at) => {
                            let set = self.attributes.entry((object, at)).or_default();
                            let before = set.len();
                            set.extend(more);
                            self.changed |= set.len() != before;
                        }
                    }
                }
            }
            StmtKind::Project { vars, .. } => {
                for var in vars {
                    self.bound(object, code, var.slot, var.domain);
                }
            }
            StmtKind::Call(call) => {
                let result = self.call(object, code, call);
                if let (Some(slot), false) = (call.store, result.is_empty()) {
                    self.grow_local(object, code, slot, result);
                }
            }
            _ => {}
        }
        let mut inner = Vec::new();
        visit::own_expressions(stmt, &mut |expr| inner.push(expr));
        for expr in inner {
            self.visit(object, code, expr);
        }
        let mut parts = Vec::new();
        visit::substatements(stmt, &mut |part| parts.push(part));
        for part in parts {
            self.statement(object, code, part);
        }
    }

    /// Calls and bound variables anywhere inside an expression.
    fn visit(&mut self, object: ObjectId, code: CodeId, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call(call) => {
                self.call(object, code, call);
            }
            ExprKind::Comprehension { vars, .. } | ExprKind::Quantifier { vars, .. } => {
                for var in vars {
                    self.bound(object, code, var.slot, var.domain);
                }
            }
            _ => {}
        }
        let mut inner = Vec::new();
        visit::subexpressions(expr, &mut |expr| inner.push(expr));
        for expr in inner {
            self.visit(object, code, expr);
        }
    }

    fn bound(&mut self, object: ObjectId, code: CodeId, slot: u32, domain: Domain) {
        if let Domain::Objects(class) = domain {
            let all = self.model.instances[class.0 as usize]
                .iter()
                .copied()
                .collect();
            self.grow_local(object, code, slot, all);
        }
    }

    fn call(&mut self, object: ObjectId, code: CodeId, call: &Call) -> Objects {
        let receivers = self.receivers(object, code, call);
        let first = u32::from(call.fold.is_some());
        let mut given: Vec<(u32, Objects)> = Vec::new();
        if let Some((_, list)) = &call.fold {
            given.push((0, self.refs(object, code, list)));
        }
        for (at, arg) in call.args.iter().enumerate() {
            given.push((first + at as u32, self.refs(object, code, arg)));
        }
        let result = self.model.code(call.code).result;
        let mut value = Objects::new();
        for receiver in receivers {
            self.reach(receiver, call.code);
            for (slot, more) in &given {
                if !more.is_empty() {
                    self.grow_local(receiver, call.code, *slot, more.clone());
                }
            }
            if let Some(known) =
                result.and_then(|slot| self.locals.get(&(receiver, call.code, slot)))
            {
                value.extend(known);
            }
        }
        // A fold hands its value back in as the last argument.
        if call.fold.is_some() && !value.is_empty() {
            let last = first + call.args.len() as u32 - u32::from(!call.args.is_empty());
            for receiver in self.receivers(object, code, call) {
                self.grow_local(receiver, call.code, last, value.clone());
            }
        }
        if let (Some(_), Some((_, start))) = (&call.fold, given.last()) {
            value.extend(start);
        }
        value
    }

    /// The objects that a call may run on.
    pub fn receivers(&mut self, object: ObjectId, code: CodeId, call: &Call) -> Vec<ObjectId> {
        match &call.receiver {
            None => vec![object],
            Some(receiver) => self.refs(object, code, receiver).into_iter().collect(),
        }
    }

    /// What a value may refer to, also deep inside.
    fn refs(&mut self, object: ObjectId, code: CodeId, expr: &Expr) -> Objects {
        if !self.holds_refs(expr.ty) {
            return Objects::new();
        }
        match &expr.kind {
            ExprKind::Local(slot) => self
                .locals
                .get(&(object, code, *slot))
                .cloned()
                .unwrap_or_default(),
            ExprKind::Attr(at) => self
                .attributes
                .get(&(object, *at))
                .cloned()
                .unwrap_or_default(),
            ExprKind::SelfRef => Objects::from([object]),
            ExprKind::Call(call) => self.call(object, code, call),
            ExprKind::Const(value) => {
                let mut found = Objects::new();
                self.refs_in(value, expr.ty, &mut found);
                found
            }
            _ => {
                let mut inner = Vec::new();
                visit::subexpressions(expr, &mut |expr| inner.push(expr));
                let mut all = Objects::new();
                for expr in inner {
                    all.extend(self.refs(object, code, expr));
                }
                all
            }
        }
    }
}
