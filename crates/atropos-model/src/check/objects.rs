//! The fixed set of objects: `autocons` classes and everything their initialisers create, and the values of constants.

use super::Checker;
use super::scope::Scope;
use crate::language::tree::UnaryOp;
use crate::language::{Diagnostic, SourceSpan};
use crate::model::arithmetic::{self, Scale};
use crate::model::{ClassId, Expr, ExprKind, Object, State, Ty, Value};

/// References are 16 bits wide.
const MAX_OBJECTS: usize = 60_000;
/// A class that creates itself would go on for ever.
const MAX_NESTING: usize = 100;

const INITIAL_VALUES: &str =
    "constants and initial values are computed before the model runs; they must fit their types";

/// What can't be computed before the model runs: where, what, and what to do.
type Fault = (SourceSpan, String, &'static str);

/// Objects under construction.
#[derive(Default)]
struct Builder {
    objects: Vec<Object>,
    values: Vec<Vec<Value>>,
}

/// Where an initialiser is evaluated.
struct Initialiser<'b> {
    builder: &'b mut Builder,
    object: usize,
    /// The attribute, for the names of created objects.
    path: String,
    depth: usize,
}

impl Checker<'_> {
    /// The value of a constant's expression.
    pub(super) fn constant_value(&mut self, expr: &Expr) -> Result<Value, Fault> {
        self.evaluate(expr, &mut None)
    }

    pub(super) fn objects(&mut self) -> Option<(Vec<Object>, State)> {
        let mut builder = Builder::default();
        for at in 0..self.classes.len() {
            if self.classes[at].tree.autocons {
                let name = self.classes[at].name.text.clone();
                if let Err((span, message, advice)) =
                    self.create(ClassId(at as u32), name, &mut builder, 0)
                {
                    self.diagnostics.error(span, message, advice);
                }
            }
        }
        if builder.objects.is_empty() {
            self.diagnostics.push(
                Diagnostic::error(self.tree.system_span, "the model has no objects")
                    .advice("mark the class to start with as `autocons system`"),
            );
        }
        self.reject_same_names(&builder.objects);
        if self.diagnostics.has_errors() {
            return None;
        }
        let bytes = builder
            .objects
            .iter()
            .zip(&builder.values)
            .map(|(object, values)| {
                let class = &self.classes[object.class.0 as usize];
                let mut bytes = vec![0; class.size as usize];
                for (attribute, value) in class.attributes.iter().zip(values) {
                    let start = attribute.offset as usize;
                    let end = start + self.types.size(attribute.ty) as usize;
                    self.types
                        .encode(value, attribute.ty, &mut bytes[start..end]);
                }
                bytes
            });
        let initial = State::new(bytes.collect());
        Some((builder.objects, initial))
    }

    fn reject_same_names(&mut self, objects: &[Object]) {
        let mut names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
        names.sort_unstable();
        for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
            let message = format!("two objects have the name `{}`", pair[0]);
            let advice = "give one of them another: `new(Class, \"name\")`";
            self.diagnostics
                .error(self.tree.system_span, message, advice);
        }
    }

    fn create(
        &mut self,
        class: ClassId,
        name: String,
        builder: &mut Builder,
        depth: usize,
    ) -> Result<usize, Fault> {
        let span = self.classes[class.0 as usize].name.span;
        if depth > MAX_NESTING || builder.objects.len() >= MAX_OBJECTS {
            let class_name = &self.classes[class.0 as usize].name.text;
            return Err((
                span,
                format!(
                    "creating `{class_name}` objects does not end (or makes more than {MAX_OBJECTS})"
                ),
                "an object that makes one of its own class makes them for ever; begin with `nil`",
            ));
        }
        let object = builder.objects.len();
        builder.objects.push(Object {
            name: name.clone(),
            class,
        });
        let attributes = self.classes[class.0 as usize].attributes.clone();
        let defaults = attributes
            .iter()
            .map(|attribute| self.types.default_value(attribute.ty))
            .collect();
        builder.values.push(defaults);
        let mut lineage = vec![class];
        while let Some(parent) = self.classes[lineage[lineage.len() - 1].0 as usize].parent {
            lineage.push(parent);
        }
        for of in lineage.into_iter().rev() {
            for (number, init) in self.classes[of.0 as usize].inits.clone() {
                let Some(init) = init else { continue };
                let attribute = &attributes[number as usize];
                let expr = self.stored(init, &mut Scope::initialiser(of), attribute.ty);
                if expr.ty == self.bad_ty {
                    continue;
                }
                let path = format!("{name}.{}", attribute.name);
                let mut place = Some(Initialiser {
                    builder: &mut *builder,
                    object,
                    path,
                    depth,
                });
                let value = self.evaluate(&expr, &mut place)?;
                if let Err(kind) = self.types.fits(&value, attribute.ty) {
                    return Err((init.span, kind.sentence().to_string(), INITIAL_VALUES));
                }
                builder.values[object][number as usize] = value;
            }
        }
        Ok(object)
    }

    /// Of all classes, also where no object can be made because something else is wrong.
    pub(super) fn check_initialisers(&mut self) {
        for class in 0..self.classes.len() {
            let attributes = self.classes[class].attributes.clone();
            for (number, init) in self.classes[class].inits.clone() {
                let Some(init) = init else { continue };
                let scope = &mut Scope::initialiser(ClassId(class as u32));
                self.stored(init, scope, attributes[number as usize].ty);
            }
        }
    }

    fn evaluate(&mut self, expr: &Expr, place: &mut Option<Initialiser>) -> Result<Value, Fault> {
        let span = expr.span;
        let fault =
            |kind: crate::model::ErrorKind| (span, kind.sentence().to_string(), INITIAL_VALUES);
        match &expr.kind {
            ExprKind::Lit { value, .. } => Ok(Value::Scalar(*value)),
            ExprKind::Const(value) => Ok(value.clone()),
            ExprKind::Attr(at) => match place {
                Some(place) => Ok(place.builder.values[place.object][*at as usize].clone()),
                None => Err((
                    span,
                    "a constant can't depend on this".into(),
                    "a constant is made of literals and other constants",
                )),
            },
            ExprKind::SelfRef => match place {
                Some(place) => Ok(Value::Scalar(place.object as i64 + 1)),
                None => Err((
                    span,
                    "a constant can't depend on this".into(),
                    "a constant is made of literals and other constants",
                )),
            },
            ExprKind::New { class, name } => {
                let Some(place) = place else {
                    return Err((
                        span,
                        "a constant can't be an object".into(),
                        "make it an attribute: `name: Class = new(Class)`",
                    ));
                };
                let name = name.clone().unwrap_or_else(|| place.path.clone());
                let object = self.create(*class, name, place.builder, place.depth + 1)?;
                Ok(Value::Scalar(object as i64 + 1))
            }
            ExprKind::List(items) => Ok(Value::List(self.evaluate_all(items, place)?)),
            ExprKind::Tuple(items) => Ok(Value::Tuple(self.evaluate_all(items, place)?)),
            ExprKind::Map(pairs) => {
                let mut map = std::collections::BTreeMap::new();
                for (key, value) in pairs {
                    let key = self.evaluate(key, place)?;
                    map.insert(key, self.evaluate(value, place)?);
                }
                Ok(Value::Map(map.into_iter().collect()))
            }
            ExprKind::Convert(inner) if !self.types.is_scalar(expr.ty) => {
                self.evaluate(inner, place)
            }
            ExprKind::Unary {
                op: UnaryOp::Len,
                operand,
                ..
            } => {
                let value = self.evaluate(operand, place)?;
                Ok(Value::Scalar(
                    (value.items().len() + value.pairs().len()) as i64,
                ))
            }
            ExprKind::Unary { op, operand, .. } if self.types.is_scalar(operand.ty) => {
                let operand = self.evaluate(operand, place)?.scalar();
                arithmetic::unary(*op, operand)
                    .map(Value::Scalar)
                    .map_err(fault)
            }
            ExprKind::Binary {
                op, left, right, ..
            } if self.types.is_scalar(left.ty) && self.types.is_scalar(right.ty) => {
                let fixed = matches!(self.types.get(left.ty), Ty::Fixed { .. });
                let left = self.evaluate(left, place)?.scalar();
                let right = self.evaluate(right, place)?.scalar();
                let scale = if fixed { Scale::Fixed } else { Scale::Whole };
                arithmetic::binary(*op, left, right, scale)
                    .map(Value::Scalar)
                    .map_err(fault)
            }
            ExprKind::If { cond, then, other } => {
                let cond = self.evaluate(cond, place)?.scalar();
                self.evaluate(if cond != 0 { then } else { other }, place)
            }
            _ => Err((
                span,
                "this can't be computed before the model runs".into(),
                "use literals, constants, `new` and operators; compute the rest in an action",
            )),
        }
    }

    /// Numbers the created objects of a list by their position.
    fn evaluate_all(
        &mut self,
        items: &[Expr],
        place: &mut Option<Initialiser>,
    ) -> Result<Vec<Value>, Fault> {
        let outer = place.as_ref().map(|place| place.path.clone());
        let mut values = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            if let (Some(place), Some(outer)) = (place.as_mut(), &outer) {
                place.path = format!("{outer}[{at}]");
            }
            values.push(self.evaluate(item, place)?);
        }
        if let (Some(place), Some(outer)) = (place.as_mut(), outer) {
            place.path = outer;
        }
        Ok(values)
    }
}
