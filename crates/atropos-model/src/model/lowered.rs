//! The whole lowered model.

use super::code::{Code, CodeId};
use super::state::State;
use super::types::{TyId, TypeTable};
use crate::language::SourceSpan;
use crate::mutation::Mutants;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

impl ObjectId {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The number that a reference to this object is stored as.
    pub fn reference(self) -> i64 {
        i64::from(self.0) + 1
    }

    /// The object of a stored reference that is not `nil`.
    pub fn from_reference(reference: i64) -> Option<ObjectId> {
        u32::try_from(reference - 1).ok().map(ObjectId)
    }
}

#[derive(Clone, Debug)]
pub struct Model {
    pub types: TypeTable,
    pub enums: Vec<Enumeration>,
    pub classes: Vec<Class>,
    pub codes: Vec<Code>,
    pub objects: Vec<Object>,
    /// Per class its objects and those of its subclasses.
    pub instances: Vec<Vec<ObjectId>>,
    /// Objects with a do-od block, by rank; the first rank goes first.
    pub ranks: Vec<Vec<ObjectId>>,
    pub initial: State,
    pub mutants: Mutants,
    pub statements: usize,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Enumeration {
    pub name: String,
    /// Names and numbers.
    pub values: Vec<(String, i64)>,
}

#[derive(Clone, Debug)]
pub struct Class {
    pub name: String,
    pub parent: Option<ClassId>,
    /// The superclass's first, at the same places.
    pub attributes: Vec<Attr>,
    /// Bytes of one object.
    pub size: u32,
    /// The do-od block, perhaps inherited.
    pub block: Option<CodeId>,
}

#[derive(Clone, Debug)]
pub struct Attr {
    pub name: String,
    pub ty: TyId,
    /// From the start of the object.
    pub offset: u32,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub name: String,
    pub class: ClassId,
}

impl Model {
    pub fn code(&self, id: CodeId) -> &Code {
        &self.codes[id.0 as usize]
    }

    pub fn class_of(&self, object: ObjectId) -> &Class {
        &self.classes[self.objects[object.index()].class.0 as usize]
    }

    pub fn is_subclass(&self, class: ClassId, of: ClassId) -> bool {
        let mut at = Some(class);
        while let Some(id) = at {
            if id == of {
                return true;
            }
            at = self.classes[id.0 as usize].parent;
        }
        false
    }

    /// Bytes of a whole state.
    pub fn state_size(&self) -> usize {
        self.objects
            .iter()
            .map(|object| self.classes[object.class.0 as usize].size as usize)
            .sum()
    }

    pub fn attribute_count(&self) -> usize {
        self.objects
            .iter()
            .map(|object| self.classes[object.class.0 as usize].attributes.len())
            .sum()
    }

    /// Line and column (from 1) of a place.
    pub fn line_column(&self, span: SourceSpan) -> (usize, usize) {
        line_column(&self.text, span)
    }

    /// Line and column (from 1) of a mutant, in the text that mutants are shown in.
    pub fn mutant_place(&self, span: SourceSpan) -> (usize, usize) {
        line_column(self.mutants.shown.as_ref().unwrap_or(&self.text), span)
    }

    /// The source text of a place.
    pub fn source(&self, span: SourceSpan) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// An object's attributes as a person reads them.
    pub fn object_text(&self, state: &State, object: ObjectId) -> Vec<(String, String)> {
        let bytes = state.object(object);
        self.class_of(object)
            .attributes
            .iter()
            .map(|attr| {
                let value = self.types.decode(&bytes[attr.offset as usize..], attr.ty);
                (attr.name.clone(), self.value_text(&value, attr.ty))
            })
            .collect()
    }
}

fn line_column(text: &str, span: SourceSpan) -> (usize, usize) {
    let before = &text[..(span.start as usize).min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    (line, column)
}
