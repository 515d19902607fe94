//! The system line, and the finished model.

use super::{Checker, Global};
use crate::language::Diagnostic;
use crate::language::tree::ActionKind;
use crate::model::{Class, ClassId, Code, CodeKind, Model, ObjectId};
use crate::mutation::Mutants;
use std::collections::{BTreeSet, HashMap};

impl Checker<'_> {
    pub(super) fn finish(&mut self, text: &str) -> Option<Model> {
        let rank_of = self.class_ranks();
        self.check_initialisers();
        if self.diagnostics.has_errors() {
            return None;
        }
        let (objects, initial) = self.objects()?;
        let instances: Vec<Vec<ObjectId>> = (0..self.classes.len())
            .map(|class| {
                let of = ClassId(class as u32);
                let all = objects.iter().enumerate();
                all.filter(|(_, object)| self.is_subclass(object.class, of))
                    .map(|(at, _)| ObjectId(at as u32))
                    .collect()
            })
            .collect();
        let mut ranks: Vec<Vec<ObjectId>> = vec![Vec::new(); self.tree.ranks.len()];
        for (at, object) in objects.iter().enumerate() {
            if self.block_of(object.class).is_none() {
                continue;
            }
            match rank_of[object.class.0 as usize] {
                Some(rank) => ranks[rank].push(ObjectId(at as u32)),
                None => {
                    let name = self.classes[object.class.0 as usize].name.clone();
                    self.diagnostics.push(
                        Diagnostic::error(
                            name.span,
                            format!(
                                "`{}` has a do-od block but no place in the system line",
                                name.text
                            ),
                        )
                        .advice(format!(
                            "add `[] {}` or `// {}` to the last line",
                            name.text, name.text
                        )),
                    );
                }
            }
        }
        ranks.retain(|rank| !rank.is_empty());
        let classes = (0..self.classes.len())
            .map(|at| self.finished_class(ClassId(at as u32)))
            .collect();
        let mut codes = self.codes.clone();
        find_shared_names(&mut codes, &instances);
        Some(Model {
            types: self.types.clone(),
            enums: self.enums.clone(),
            classes,
            codes,
            objects,
            instances,
            ranks,
            initial,
            mutants: Mutants::default(),
            statements: self.statements,
            text: text.to_string(),
        })
    }

    fn finished_class(&self, id: ClassId) -> Class {
        let info = &self.classes[id.0 as usize];
        Class {
            name: info.name.text.clone(),
            parent: info.parent,
            attributes: info.attributes.clone(),
            size: info.size,
            block: self.block_of(id),
        }
    }

    fn block_of(&self, class: ClassId) -> Option<crate::model::CodeId> {
        let mut at = Some(class);
        while let Some(id) = at {
            let info = &self.classes[id.0 as usize];
            if info.block.is_some() {
                return info.block;
            }
            at = info.parent;
        }
        None
    }

    /// Per class its rank: its own, or its nearest listed superclass's.
    fn class_ranks(&mut self) -> Vec<Option<usize>> {
        let mut own: Vec<Option<usize>> = vec![None; self.classes.len()];
        for (rank, names) in self.tree.ranks.iter().enumerate() {
            for name in names {
                match self.globals.get(&name.text) {
                    Some(Global::Class(class)) => {
                        if own[class.0 as usize].replace(rank).is_some() {
                            self.diagnostics.error(
                                name.span,
                                format!("`{}` is listed twice", name.text),
                                "a class has one place in the order; take one out",
                            );
                        }
                    }
                    _ => self.diagnostics.error(
                        name.span,
                        format!("there is no class `{}`", name.text),
                        self.advice_on_class(&name.text),
                    ),
                }
            }
        }
        (0..self.classes.len())
            .map(|at| {
                let mut class = Some(ClassId(at as u32));
                while let Some(id) = class {
                    if own[id.0 as usize].is_some() {
                        return own[id.0 as usize];
                    }
                    class = self.classes[id.0 as usize].parent;
                }
                None
            })
            .collect()
    }
}

/// Marks the actions that not exactly one object has, or whose name another action of their kind has in another object:
/// their labels would be the same without the object.
fn find_shared_names(codes: &mut [Code], instances: &[Vec<ObjectId>]) {
    let mut owners: HashMap<(ActionKind, String), BTreeSet<ObjectId>> = HashMap::new();
    for code in codes.iter() {
        if let CodeKind::Action(kind) = code.kind {
            let owners = owners.entry((kind, code.name.clone())).or_default();
            owners.extend(&instances[code.class.0 as usize]);
        }
    }
    for code in codes {
        if let CodeKind::Action(kind) = code.kind {
            code.names_object = owners[&(kind, code.name.clone())].len() != 1;
        }
    }
}
