//! A second hearing for points that were dropped on suspicion.
//!
//! An error that does not name a mutant is laid to points around it, and several may go for what one of them did. Once
//! rustc accepts the rest, such points are put in again, in halves: one set in each function at a time, because what
//! rustc then says tells by its place which function it is about. What it accepts stays in. A hearing costs a check of the
//! whole crate, so it is for functions that have lost many points: one or two are mostly lost for what they did.

use std::collections::BTreeMap;

use atropos_mutants::mutant::{MutantId, Span};

use crate::diagnostics::{Diagnostic, DiagnosticSpan};
use crate::forms::PackageForms;
use crate::weave::FileWeave;

/// Points that a function must have lost to be heard.
const MANY: usize = 4;
/// Hearings in which a function was right about nothing, after which it is not heard again.
const IN_VAIN: usize = 3;

/// A point that was dropped, with what was said of its mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Case {
    point: usize,
    mutants: Vec<(MutantId, String)>,
}

/// The cases of one function.
#[derive(Debug)]
struct Docket {
    file: String,
    /// None: outside all functions.
    function: Option<Span>,
    waiting: Vec<Vec<Case>>,
    /// What is in the text at the moment.
    heard: Vec<Case>,
    /// Hearings so far, and whether any was a success.
    hearings: usize,
    is_right: bool,
}

/// All cases of a package.
#[derive(Debug, Default)]
pub struct Appeal {
    dockets: Vec<Docket>,
}

impl Appeal {
    /// For the points that were dropped on suspicion, many in one function. `woven` holds the files as rustc has accepted them; `span` knows
    /// where a point of a file stands.
    pub fn new(
        forms: &PackageForms,
        woven: &BTreeMap<String, FileWeave>,
        span: impl Fn(&str, usize) -> Option<Span>,
    ) -> Appeal {
        let mut appeal = Appeal::default();
        for (file, weave) in woven {
            for (point, mutants) in forms.file(file).suspected() {
                let Some(span) = span(file, point) else {
                    continue;
                };
                let function = weave.map.function_around(span);
                let case = Case { point, mutants };
                let dockets = &mut appeal.dockets;
                match dockets
                    .iter_mut()
                    .find(|docket| docket.file == *file && docket.function == function)
                {
                    Some(docket) => docket.waiting[0].push(case),
                    None => dockets.push(Docket {
                        file: file.clone(),
                        function,
                        waiting: vec![vec![case]],
                        heard: Vec::new(),
                        hearings: 0,
                        is_right: false,
                    }),
                }
            }
        }
        let has_lost_many = |docket: &Docket| docket.waiting[0].len() >= MANY;
        appeal.dockets.retain(has_lost_many);
        appeal
    }

    /// Puts a set of each function in again. Tells whether there was any.
    pub fn call(&mut self, forms: &mut PackageForms) -> bool {
        for docket in &mut self.dockets {
            docket.heard = docket.waiting.pop().unwrap_or_default();
            for case in &docket.heard {
                forms.file_mut(&docket.file).acquit(case.point);
            }
        }
        self.dockets.iter().any(|docket| !docket.heard.is_empty())
    }

    /// Takes out again what rustc rejects, or the half of it. `woven` holds the files that it was given, `name` turns the
    /// name of a file as it writes it into such a name.
    pub fn decide(
        &mut self,
        forms: &mut PackageForms,
        woven: &BTreeMap<String, FileWeave>,
        errors: &[Diagnostic],
        name: impl Fn(&str) -> Option<String>,
    ) {
        let places: Vec<(String, Option<Span>)> = errors
            .iter()
            .flat_map(|error| error.spans.iter().filter(|span| span.is_primary))
            .filter_map(|span| place(span, woven, &name))
            .collect();
        let is_guilty = |docket: &Docket| {
            let mut places = places.iter();
            places.any(|(file, function)| (file, function) == (&docket.file, &docket.function))
        };
        let heard = |docket: &&Docket| !docket.heard.is_empty();
        // What concerns none of those that are heard may be due to any.
        let is_unclear = !errors.is_empty() && !self.dockets.iter().filter(heard).any(is_guilty);
        for docket in &mut self.dockets {
            docket.hearings += 1;
            if !is_unclear && !is_guilty(docket) {
                docket.is_right |= !docket.heard.is_empty();
                docket.heard.clear();
                continue;
            }
            let mut heard = std::mem::take(&mut docket.heard);
            for case in &heard {
                let forms = forms.file_mut(&docket.file);
                for (mutant, reason) in &case.mutants {
                    forms.suspect(case.point, *mutant, reason);
                }
            }
            if heard.len() > 1 {
                let rest = heard.split_off(heard.len() / 2);
                docket.waiting.extend([rest, heard]);
            }
            if docket.hearings >= IN_VAIN && !docket.is_right {
                docket.waiting.clear();
            }
        }
    }
}

/// The function that a span lies in: the innermost call on the way there that is in a woven file.
fn place(
    span: &DiagnosticSpan,
    woven: &BTreeMap<String, FileWeave>,
    name: &impl Fn(&str) -> Option<String>,
) -> Option<(String, Option<Span>)> {
    let mut next = Some(span);
    while let Some(span) = next {
        if let Some(file) = name(&span.file_name)
            && let Some(weave) = woven.get(&file)
        {
            let source = weave
                .map
                .source_span(Span::new(span.byte_start, span.byte_end));
            return Some((file, weave.map.function_around(source)));
        }
        next = span.expansion.as_ref().map(|expansion| &expansion.span);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weave::{WeaveOptions, weave_file};
    use atropos_mutants::mutant::FileMutants;
    use atropos_mutants::{FindOptions, OperatorSelection, find_mutants};

    const SOURCE: &str = "fn f() { a(); b(); c(); d(); }\nfn g() { e(); }\n";

    fn mutants() -> FileMutants {
        let options = FindOptions {
            selection: OperatorSelection::parse(&["SDL"]).unwrap(),
            ..FindOptions::default()
        };
        let mut mutants = find_mutants(SOURCE, &options).unwrap();
        for (point, id) in mutants.points.iter_mut().zip(1..) {
            point.mutants[0].id = MutantId(id);
        }
        mutants
    }

    fn weave(mutants: &FileMutants, forms: &PackageForms) -> BTreeMap<String, FileWeave> {
        let options = WeaveOptions::default();
        let weave = weave_file(SOURCE, mutants, forms.file("a.rs"), &options);
        BTreeMap::from([("a.rs".to_owned(), weave)])
    }

    /// What rustc would say if it rejected the deletion of one statement: nothing that names it.
    fn errors(weave: &FileWeave, guilty: &str) -> Vec<Diagnostic> {
        if !weave.text.contains(&format!("{{ {guilty}();")) {
            return Vec::new();
        }
        let start = weave.text.find("fn f").unwrap();
        let span = DiagnosticSpan {
            file_name: "a.rs".to_owned(),
            byte_start: start,
            byte_end: start + 4,
            is_primary: true,
            ..DiagnosticSpan::default()
        };
        let spans = vec![span];
        vec![Diagnostic {
            spans,
            ..Diagnostic::default()
        }]
    }

    #[test]
    fn only_what_is_rejected_stays_out() {
        let mutants = mutants();
        let mut forms = PackageForms::default();
        for point in 0..5 {
            let file = forms.file_mut("a.rs");
            file.suspect(point, MutantId(point as u32 + 1), "why");
        }
        let span = |_: &str, point: usize| Some(mutants.points[point].span);
        let mut appeal = Appeal::new(&forms, &weave(&mutants, &forms), span);
        let mut rounds = 0;
        while appeal.call(&mut forms) {
            rounds += 1;
            let woven = weave(&mutants, &forms);
            let errors = errors(&woven["a.rs"], "c");
            let name = |name: &str| Some(name.to_owned());
            appeal.decide(&mut forms, &woven, &errors, name);
        }
        let dropped: Vec<_> = forms.dropped_mutants().collect();
        assert_eq!(dropped, [(MutantId(3), "why"), (MutantId(5), "why")]);
        assert_eq!(rounds, 5, "all, two, two, one, one");
    }
}
