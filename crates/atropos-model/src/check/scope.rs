//! Names inside a method, an action or a block.

use crate::model::code::Local;
use crate::model::{ClassId, TyId};

/// What a piece of code can see besides the model's names.
pub(super) struct Scope {
    /// None for constants.
    pub class: Option<ClassId>,
    pub locals: Vec<Local>,
    visible: Vec<(String, u32)>,
    pub result: Option<u32>,
    /// In an attribute's initialiser: `new` is allowed, calls are not.
    pub initialiser: bool,
}

impl Scope {
    pub fn constant() -> Scope {
        Scope {
            class: None,
            locals: Vec::new(),
            visible: Vec::new(),
            result: None,
            initialiser: false,
        }
    }

    pub fn initialiser(class: ClassId) -> Scope {
        Scope {
            class: Some(class),
            initialiser: true,
            ..Scope::constant()
        }
    }

    pub fn code(class: ClassId) -> Scope {
        Scope {
            class: Some(class),
            ..Scope::constant()
        }
    }

    pub fn add(&mut self, name: &str, ty: TyId) -> u32 {
        let slot = self.locals.len() as u32;
        self.locals.push(Local {
            name: name.to_string(),
            ty,
        });
        self.visible.push((name.to_string(), slot));
        slot
    }

    /// A slot without a name.
    pub fn add_hidden(&mut self, name: &str, ty: TyId) -> u32 {
        let slot = self.locals.len() as u32;
        self.locals.push(Local {
            name: name.to_string(),
            ty,
        });
        slot
    }

    pub fn find(&self, name: &str) -> Option<u32> {
        self.visible
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, slot)| *slot)
    }

    pub fn mark(&self) -> usize {
        self.visible.len()
    }

    /// Forgets the names added since `mark`; their slots stay.
    pub fn close(&mut self, mark: usize) {
        self.visible.truncate(mark);
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().map(|(name, _)| name.as_str())
    }
}

/// The known name most like a misspelt one.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    known
        .map(|candidate| {
            (
                distance(&name.to_lowercase(), &candidate.to_lowercase()),
                candidate,
            )
        })
        // Something must be left of the name: every letter is like every other.
        .filter(|(distance, _)| *distance <= 1 + name.len() / 4 && *distance < name.len())
        .min()
        .map(|(_, candidate)| candidate.to_string())
}

/// Advice on an unknown name: the known one most like it, or what to do if there is none.
pub(super) fn suggestion<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    match nearest(name, known) {
        Some(near) => format!("perhaps `{near}` is meant"),
        None => otherwise.to_owned(),
    }
}

/// How many letters must be changed, added or removed.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
