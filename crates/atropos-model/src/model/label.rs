//! Labels: what the tester gives and sees. A label is an action, its object and its arguments as flat bytes.

use super::code::{CodeId, CodeKind};
use super::lowered::{Model, ObjectId};
use super::types::{Ty, TyId};
use super::value::Value;
use crate::language::tree::ActionKind;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    pub controllable: bool,
    pub code: CodeId,
    pub object: ObjectId,
    pub args: Arc<[u8]>,
}

/// What the tester can see: an output, or that nothing comes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Observation {
    Output(Label),
    /// Quiescence.
    Delta,
}

impl Model {
    /// How many input actions there are.
    pub fn controllables(&self) -> usize {
        let input = CodeKind::Action(ActionKind::Controllable);
        self.codes.iter().filter(|code| code.kind == input).count()
    }

    pub fn label(&self, code: CodeId, object: ObjectId, args: &[Value]) -> Label {
        let of = &self.codes[code.0 as usize];
        let mut bytes = Vec::new();
        for (value, local) in args.iter().zip(&of.locals[..of.params]) {
            let start = bytes.len();
            bytes.resize(start + self.types.size(local.ty) as usize, 0);
            self.types.encode(value, local.ty, &mut bytes[start..]);
        }
        let controllable = of.kind == CodeKind::Action(ActionKind::Controllable);
        Label {
            controllable,
            code,
            object,
            args: bytes.into(),
        }
    }

    /// `ctr X(…)` or `obs Y(…)`; the object is named where several have such an action.
    pub fn label_text(&self, label: &Label) -> String {
        let kind = if label.controllable { "ctr" } else { "obs" };
        format!("{kind} {}", self.label_name(label))
    }

    /// The label without its kind.
    pub fn label_name(&self, label: &Label) -> String {
        let code = &self.codes[label.code.0 as usize];
        let object = match code.names_object {
            true => format!("{}.", self.objects[label.object.index()].name),
            false => String::new(),
        };
        let args = self.label_args(label);
        let args = if args.is_empty() {
            String::new()
        } else {
            format!("({})", args.join(", "))
        };
        format!("{object}{}{args}", code.name)
    }

    /// The arguments as they are written.
    pub fn label_args(&self, label: &Label) -> Vec<String> {
        let code = &self.codes[label.code.0 as usize];
        let mut at = 0;
        let mut texts = Vec::new();
        for local in &code.locals[..code.params] {
            let value = self.types.decode(&label.args[at..], local.ty);
            at += self.types.size(local.ty) as usize;
            texts.push(self.value_text(&value, local.ty));
        }
        texts
    }

    pub fn observation_text(&self, observation: &Observation) -> String {
        match observation {
            Observation::Output(label) => self.label_text(label),
            Observation::Delta => "obs delta".into(),
        }
    }

    pub fn value_text(&self, value: &Value, ty: TyId) -> String {
        match self.types.get(ty) {
            Ty::Bool => (value.scalar() != 0).to_string(),
            Ty::Fixed { .. } => crate::language::printer::fixed_text(value.scalar()),
            Ty::Enum(id) => self.enums[*id as usize].values[value.scalar() as usize]
                .0
                .clone(),
            Ty::Ref(_) | Ty::Nil => match value.scalar() {
                0 => "nil".into(),
                number => self.objects[number as usize - 1].name.clone(),
            },
            Ty::List { item, .. } => {
                let items: Vec<String> = value
                    .items()
                    .iter()
                    .map(|value| self.value_text(value, *item))
                    .collect();
                format!("[{}]", items.join(", "))
            }
            Ty::Map { key, value: to, .. } => {
                let pairs: Vec<String> = value
                    .pairs()
                    .iter()
                    .map(|(from, value)| {
                        format!(
                            "{} -> {}",
                            self.value_text(from, *key),
                            self.value_text(value, *to)
                        )
                    })
                    .collect();
                format!("{{{}}}", pairs.join(", "))
            }
            Ty::Tuple(items) => {
                let items: Vec<String> = value
                    .items()
                    .iter()
                    .zip(items)
                    .map(|(value, item)| self.value_text(value, *item))
                    .collect();
                format!("({})", items.join(", "))
            }
            _ => value.scalar().to_string(),
        }
    }
}
