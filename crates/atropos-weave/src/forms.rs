//! What the weave knows about a package so far: the form of each point, and what was dropped.
//!
//! Nothing is recorded for a point until rustc rejects it, so the default is "everything in its
//! richest form". A [`PackageForms`] only ever moves towards plainer forms and fewer mutants; it is
//! kept between the compile units of a package.

use std::collections::{BTreeMap, BTreeSet};

use atropos_mutants::mutant::MutantId;
use serde::{Deserialize, Serialize};

/// Raised whenever a reader of the old form would misread the new one.
const VERSION: u32 = 3;

/// How a point is written into the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Operands once, and the runtime is shown their values.
    Values,
    /// Operands once, but the runtime sees no values.
    Operands,
    /// The original is copied, which only compiles if it can be: for places that are compared.
    ByCopy,
    /// The point is chosen through a shared reference: for places that must not be copied.
    ByRef,
    /// The point is chosen through an exclusive reference: for places that are written to.
    ByMut,
    /// One arm per mutant with the edited text, and the original in an arm of its own.
    Plain,
    /// The same around a whole constant that is borrowed for as long as the program runs, of which the point is a part.
    Constant,
}

/// The forms of all files of a package, by the name that the caller gave each file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageForms {
    version: u32,
    files: BTreeMap<String, FileForms>,
}

impl Default for PackageForms {
    fn default() -> PackageForms {
        PackageForms {
            version: VERSION,
            files: BTreeMap::new(),
        }
    }
}

impl PackageForms {
    /// The forms of a file; all richest if nothing is known of it.
    pub fn file(&self, name: &str) -> &FileForms {
        static NOTHING_KNOWN: FileForms = FileForms::new();
        self.files.get(name).unwrap_or(&NOTHING_KNOWN)
    }

    pub fn file_mut(&mut self, name: &str) -> &mut FileForms {
        self.files.entry(name.to_owned()).or_default()
    }

    /// Whether this was written by a version that this one understands.
    pub fn is_readable(&self) -> bool {
        self.version == VERSION
    }

    /// All mutants that were dropped, with the reason.
    pub fn dropped_mutants(&self) -> impl Iterator<Item = (MutantId, &str)> {
        self.files.values().flat_map(FileForms::dropped_mutants)
    }
}

/// The forms of one file's points, by their place in `FileMutants::points`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileForms {
    /// Points that have left their richest form.
    forms: BTreeMap<usize, Form>,
    /// Mutants that are out, with the reason.
    dropped: BTreeMap<MutantId, String>,
    /// Those of them that are out on suspicion, by their points.
    suspected: BTreeMap<usize, BTreeSet<MutantId>>,
    /// All that it had was dropped, for an error that nothing in particular explains.
    #[serde(default)]
    is_given_up: bool,
    /// `const fn`s that a constant needs, by their place in `FileMutants::const_functions`.
    const_functions: BTreeSet<usize>,
    /// Step counters that are out, by their place in `FileMutants::steps`.
    dropped_steps: BTreeSet<usize>,
}

impl FileForms {
    pub const fn new() -> FileForms {
        FileForms {
            forms: BTreeMap::new(),
            dropped: BTreeMap::new(),
            suspected: BTreeMap::new(),
            is_given_up: false,
            const_functions: BTreeSet::new(),
            dropped_steps: BTreeSet::new(),
        }
    }

    /// The form that a point was given, if it had to leave its richest one.
    pub fn form(&self, point: usize) -> Option<Form> {
        self.forms.get(&point).copied()
    }

    pub fn is_dropped(&self, mutant: MutantId) -> bool {
        self.dropped.contains_key(&mutant)
    }

    /// Why a mutant was dropped.
    pub fn reason(&self, mutant: MutantId) -> Option<&str> {
        self.dropped.get(&mutant).map(String::as_str)
    }

    pub fn is_step_dropped(&self, step: usize) -> bool {
        self.dropped_steps.contains(&step)
    }

    pub fn set_form(&mut self, point: usize, form: Form) {
        self.forms.insert(point, form);
    }

    /// Drops a mutant; the first reason stays. Tells whether it was still there.
    pub fn drop_mutant(&mut self, mutant: MutantId, reason: &str) -> bool {
        let is_new = !self.is_dropped(mutant);
        self.dropped
            .entry(mutant)
            .or_insert_with(|| reason.to_owned());
        is_new
    }

    /// Drops a mutant of a point that an error may be due to. Tells whether it was still there.
    pub fn suspect(&mut self, point: usize, mutant: MutantId, reason: &str) -> bool {
        let is_new = self.drop_mutant(mutant, reason);
        if is_new {
            self.suspected.entry(point).or_default().insert(mutant);
        }
        is_new
    }

    /// The points with mutants that were dropped on suspicion, with what was said of them.
    pub fn suspected(&self) -> impl Iterator<Item = (usize, Vec<(MutantId, String)>)> {
        self.suspected.iter().map(|(point, mutants)| {
            let reason = |mutant| self.reason(mutant).unwrap_or_default().to_owned();
            let mutants = mutants.iter().map(|&mutant| (mutant, reason(mutant)));
            (*point, mutants.collect())
        })
    }

    /// Remembers that all points were dropped for an error that may be due to any, here or elsewhere.
    pub fn give_up(&mut self) {
        self.is_given_up = true;
    }

    pub fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// Weaves the suspected mutants of a point again.
    pub fn readmit(&mut self, point: usize) {
        for mutant in self.suspected.remove(&point).unwrap_or_default() {
            self.dropped.remove(&mutant);
        }
    }

    /// Leaves a `const fn` as it is, without the mutants that would act in it. Tells whether it was woven.
    pub fn keep_const(&mut self, function: usize) -> bool {
        self.const_functions.insert(function)
    }

    /// Whether a `const fn` is left as it is.
    pub fn is_const_kept(&self, function: usize) -> bool {
        self.const_functions.contains(&function)
    }

    /// Drops a step counter. Tells whether it was still there.
    pub fn drop_step(&mut self, step: usize) -> bool {
        self.dropped_steps.insert(step)
    }

    /// The mutants that were dropped, with the reason.
    pub fn dropped_mutants(&self) -> impl Iterator<Item = (MutantId, &str)> {
        self.dropped
            .iter()
            .map(|(&mutant, reason)| (mutant, reason.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_file_has_lost_nothing() {
        let forms = PackageForms::default();
        assert_eq!(forms.file("src/lib.rs"), &FileForms::default());
        assert_eq!(forms.dropped_mutants().count(), 0);
    }

    #[test]
    fn the_first_reason_for_dropping_a_mutant_stays() {
        let mut forms = PackageForms::default();
        let file = forms.file_mut("a.rs");
        assert!(file.drop_mutant(MutantId(3), "first"));
        assert!(!file.drop_mutant(MutantId(3), "second"));
        let dropped: Vec<_> = forms.dropped_mutants().collect();
        assert_eq!(dropped, [(MutantId(3), "first")]);
    }

    #[test]
    fn forms_survive_being_written_and_read() {
        let mut forms = PackageForms::default();
        let file = forms.file_mut("a.rs");
        file.set_form(2, Form::Plain);
        file.drop_mutant(MutantId(3), "why");
        file.drop_step(1);
        let text = serde_json::to_string(&forms).unwrap();
        let read: PackageForms = serde_json::from_str(&text).unwrap();
        assert!(read.is_readable());
        assert_eq!(read, forms);
    }
}
