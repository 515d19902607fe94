//! Which values a place takes. Ranges that overlap are checked when the model runs; those that can't meet are errors
//! now.

use super::Checker;
use crate::language::{Diagnostic, SourceSpan};
use crate::model::{ClassId, Ty, TyId};

enum Fit {
    Yes,
    /// Right kind, but no value can fit.
    Never,
    No,
}

impl Checker<'_> {
    /// Reports if a value of type `from` can't be stored as `to`.
    pub(super) fn require_fit(&mut self, from: TyId, to: TyId, span: SourceSpan) {
        match self.fit(from, to) {
            Fit::Yes => {}
            Fit::Never => {
                let message = format!(
                    "{} never fits into {}",
                    self.type_name(from),
                    self.type_name(to)
                );
                self.diagnostics.push(
                    Diagnostic::error(span, message).advice("widen the type's range or length"),
                );
            }
            Fit::No => {
                let message = format!(
                    "expected {}, found {}",
                    self.type_name(to),
                    self.type_name(from)
                );
                let advice = self.advice_on_misfit(from, to);
                self.diagnostics.error(span, message, advice);
            }
        }
    }

    fn advice_on_misfit(&self, from: TyId, to: TyId) -> String {
        match (self.types.get(from), self.types.get(to)) {
            (Ty::Int { .. }, Ty::Bool) => "compare the number: `x > 0`".into(),
            (
                Ty::Int { .. } | Ty::Fixed { .. } | Ty::Enum(_),
                Ty::Int { .. } | Ty::Fixed { .. } | Ty::Enum(_),
            ) => {
                format!("`value as {}` converts it", self.type_name(to))
            }
            _ => format!(
                "write a value of type {}, or change the type",
                self.type_name(to)
            ),
        }
    }

    fn fit(&self, from: TyId, to: TyId) -> Fit {
        if from == to {
            return Fit::Yes;
        }
        match (self.types.get(from), self.types.get(to)) {
            (Ty::Bad, _) | (_, Ty::Bad) => Fit::Yes,
            (
                Ty::Int { low, high },
                Ty::Int {
                    low: least,
                    high: most,
                },
            )
            | (
                Ty::Fixed { low, high },
                Ty::Fixed {
                    low: least,
                    high: most,
                },
            ) => {
                if high < least || low > most {
                    Fit::Never
                } else {
                    Fit::Yes
                }
            }
            (Ty::Nil, Ty::Ref(_)) => Fit::Yes,
            (Ty::Ref(class), Ty::Ref(of)) => {
                if self.is_subclass(*class, *of) {
                    Fit::Yes
                } else {
                    Fit::No
                }
            }
            (Ty::List { max: 0, .. }, Ty::List { .. })
            | (Ty::Map { max: 0, .. }, Ty::Map { .. }) => Fit::Yes,
            (Ty::List { item, .. }, Ty::List { item: to, .. }) => self.fit(*item, *to),
            (
                Ty::Map { key, value, .. },
                Ty::Map {
                    key: to_key,
                    value: to_value,
                    ..
                },
            ) => worse(self.fit(*key, *to_key), self.fit(*value, *to_value)),
            (Ty::Tuple(items), Ty::Tuple(to)) if items.len() == to.len() => items
                .iter()
                .zip(to)
                .fold(Fit::Yes, |fit, (item, to)| worse(fit, self.fit(*item, *to))),
            _ => Fit::No,
        }
    }

    /// A type that holds the values of both, for literals and conditionals.
    pub(super) fn common(&mut self, left: TyId, right: TyId) -> Option<TyId> {
        if left == right {
            return Some(left);
        }
        let joined = match (self.types.get(left).clone(), self.types.get(right).clone()) {
            (Ty::Bad, _) => return Some(right),
            (_, Ty::Bad) => return Some(left),
            (Ty::Int { low, high }, Ty::Int { low: l, high: h }) => Ty::Int {
                low: low.min(l),
                high: high.max(h),
            },
            (Ty::Fixed { low, high }, Ty::Fixed { low: l, high: h }) => Ty::Fixed {
                low: low.min(l),
                high: high.max(h),
            },
            (Ty::Nil, Ty::Ref(_)) => return Some(right),
            (Ty::Ref(_), Ty::Nil) => return Some(left),
            (Ty::Ref(a), Ty::Ref(b)) => Ty::Ref(self.common_class(a, b)?),
            (Ty::List { max: 0, .. }, Ty::List { .. })
            | (Ty::Map { max: 0, .. }, Ty::Map { .. }) => {
                return Some(right);
            }
            (Ty::List { .. }, Ty::List { max: 0, .. })
            | (Ty::Map { .. }, Ty::Map { max: 0, .. }) => {
                return Some(left);
            }
            (Ty::List { max, item }, Ty::List { max: m, item: i }) => Ty::List {
                max: max.max(m),
                item: self.common(item, i)?,
            },
            (
                Ty::Map { max, key, value },
                Ty::Map {
                    max: m,
                    key: k,
                    value: v,
                },
            ) => Ty::Map {
                max: max.max(m),
                key: self.common(key, k)?,
                value: self.common(value, v)?,
            },
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
                let mut items = Vec::new();
                for (a, b) in a.into_iter().zip(b) {
                    items.push(self.common(a, b)?);
                }
                Ty::Tuple(items)
            }
            _ => return None,
        };
        Some(self.types.intern(joined))
    }

    pub(super) fn is_subclass(&self, class: ClassId, of: ClassId) -> bool {
        let mut at = Some(class);
        // A cycle of superclasses is reported elsewhere; don't hang on it.
        for _ in 0..=self.classes.len() {
            match at {
                Some(id) if id == of => return true,
                Some(id) => at = self.classes[id.0 as usize].parent,
                None => return false,
            }
        }
        false
    }

    fn common_class(&self, left: ClassId, right: ClassId) -> Option<ClassId> {
        let mut at = Some(left);
        for _ in 0..=self.classes.len() {
            let id = at?;
            if self.is_subclass(right, id) {
                return Some(id);
            }
            at = self.classes[id.0 as usize].parent;
        }
        None
    }
}

fn worse(left: Fit, right: Fit) -> Fit {
    match (left, right) {
        (Fit::No, _) | (_, Fit::No) => Fit::No,
        (Fit::Never, _) | (_, Fit::Never) => Fit::Never,
        _ => Fit::Yes,
    }
}
