//! A second hearing for points that were dropped on suspicion.
//!
//! An error that does not name a mutant is laid to points around it, and several may go for what one of them did. Once
//! rustc accepts the rest, such points are put in again, in halves: one set in each function at a time, because what
//! rustc then says tells by its place which function it is about. What it accepts stays in. A hearing costs a check of the
//! whole crate, so it is for functions that have lost many points: one or two are mostly lost for what they did. Files that
//! were given up for an error without a place are heard together.

use std::collections::BTreeMap;

use atropos_mutants::mutant::{MutantId, Span};

use crate::diagnostics::{DiagnosticSpan, RustcDiagnostic};
use crate::forms::PackageForms;
use crate::weave::FileWeave;

/// Points that a function must have lost to be heard.
const MANY: usize = 4;
/// Hearings in which a function was right about nothing, after which it is not heard again.
const IN_VAIN: usize = 3;

/// A point that was dropped, with what was said of its mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Case {
    file: String,
    point: usize,
    mutants: Vec<(MutantId, String)>,
}

/// Where an error lies: a file, and the function there, if it is in one.
type ErrorLocation = (String, Option<Span>);

/// The cases of one function, or of all files that were given up.
#[derive(Debug)]
struct RetryCases {
    /// None: any error may be due to these cases.
    place: Option<ErrorLocation>,
    waiting: Vec<Vec<Case>>,
    /// What is in the text at the moment.
    heard: Vec<Case>,
    /// Hearings so far, and whether any was a success.
    hearings: usize,
    is_right: bool,
}

impl RetryCases {
    fn is_guilty(&self, errors: &[Option<ErrorLocation>]) -> bool {
        match &self.place {
            None => !errors.is_empty(),
            Some(place) => errors.iter().any(|error| error.as_ref() == Some(place)),
        }
    }
}

/// All cases of a package.
#[derive(Debug, Default)]
pub struct Retry {
    dockets: Vec<RetryCases>,
}

impl Retry {
    /// For the points that were dropped on suspicion, many in one function. `woven` holds the files as rustc has accepted them; `span` knows
    /// where a point of a file stands. Where whole files were given up, only their points are heard: their errors tell
    /// no place.
    pub fn new(
        forms: &PackageForms,
        woven: &BTreeMap<String, FileWeave>,
        span: impl Fn(&str, usize) -> Option<Span>,
    ) -> Retry {
        let is_given_up = |file: &String| forms.file(file).is_given_up();
        let any_is_given_up = woven.keys().any(is_given_up);
        let mut cases: BTreeMap<Option<ErrorLocation>, Vec<Case>> = BTreeMap::new();
        for (file, weave) in woven {
            if any_is_given_up && !is_given_up(file) {
                continue;
            }
            for (point, mutants) in forms.file(file).suspected() {
                let Some(span) = span(file, point) else {
                    continue;
                };
                let in_function = || (file.clone(), weave.map.function_around(span));
                let place = (!any_is_given_up).then(in_function);
                cases.entry(place).or_default().push(Case {
                    file: file.clone(),
                    point,
                    mutants,
                });
            }
        }
        let has_lost_many = |(place, cases): &(Option<ErrorLocation>, Vec<Case>)| {
            place.is_none() || cases.len() >= MANY
        };
        let dockets = cases.into_iter().filter(has_lost_many);
        Retry {
            dockets: dockets
                .map(|(place, cases)| RetryCases {
                    place,
                    waiting: vec![cases],
                    heard: Vec::new(),
                    hearings: 0,
                    is_right: false,
                })
                .collect(),
        }
    }

    /// How many hearings are worth their time, at least: few guilty ones are to be found among all that was given up.
    pub fn hearings(&self) -> u32 {
        let given_up = self.dockets.iter().filter(|docket| docket.place.is_none());
        let cases: usize = given_up
            .flat_map(|docket| &docket.waiting)
            .map(Vec::len)
            .sum();
        4 * (usize::BITS - cases.leading_zeros())
    }

    /// Whether these errors are about mutants of their own, which an error without a place has hidden so far.
    pub fn was_hidden(&self, errors: &[RustcDiagnostic]) -> bool {
        let hears_all = self.dockets.iter().any(|docket| docket.place.is_none());
        hears_all && !errors.is_empty() && errors.iter().all(|error| !error.spans.is_empty())
    }

    /// Puts a set of each function in again. Tells whether there was any.
    pub fn call(&mut self, forms: &mut PackageForms) -> bool {
        for docket in &mut self.dockets {
            docket.heard = docket.waiting.pop().unwrap_or_default();
            for case in &docket.heard {
                forms.file_mut(&case.file).acquit(case.point);
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
        errors: &[RustcDiagnostic],
        name: impl Fn(&str) -> Option<String>,
    ) {
        let places_of = |error: &RustcDiagnostic| -> Vec<Option<ErrorLocation>> {
            let primary = error.spans.iter().filter(|span| span.is_primary);
            let places = primary.filter_map(|span| place(span, woven, &name));
            let places: Vec<_> = places.map(Some).collect();
            if places.is_empty() {
                vec![None]
            } else {
                places
            }
        };
        let places: Vec<Option<ErrorLocation>> = errors.iter().flat_map(places_of).collect();
        let mut heard = self
            .dockets
            .iter()
            .filter(|docket| !docket.heard.is_empty());
        // What concerns none of those that are heard may be due to any.
        let is_unclear = !errors.is_empty() && !heard.any(|docket| docket.is_guilty(&places));
        for docket in &mut self.dockets {
            docket.hearings += 1;
            if !is_unclear && !docket.is_guilty(&places) {
                docket.is_right |= !docket.heard.is_empty();
                docket.heard.clear();
                continue;
            }
            let mut heard = std::mem::take(&mut docket.heard);
            for case in &heard {
                let forms = forms.file_mut(&case.file);
                for (mutant, reason) in &case.mutants {
                    forms.suspect(case.point, *mutant, reason);
                }
            }
            if heard.len() > 1 {
                let rest = heard.split_off(heard.len() / 2);
                docket.waiting.extend([rest, heard]);
            }
            if docket.place.is_some() && docket.hearings >= IN_VAIN && !docket.is_right {
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
) -> Option<ErrorLocation> {
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
    fn errors(weave: &FileWeave, guilty: &str) -> Vec<RustcDiagnostic> {
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
        vec![RustcDiagnostic {
            spans,
            ..RustcDiagnostic::default()
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
        let mut appeal = Retry::new(&forms, &weave(&mutants, &forms), span);
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

    #[test]
    fn what_was_given_up_is_heard_together() {
        let mutants = mutants();
        let mut forms = PackageForms::default();
        let file = forms.file_mut("a.rs");
        for point in 0..5 {
            file.suspect(point, MutantId(point as u32 + 1), "why");
        }
        file.give_up();
        let span = |_: &str, point: usize| Some(mutants.points[point].span);
        let mut appeal = Retry::new(&forms, &weave(&mutants, &forms), span);
        assert_eq!(appeal.hearings(), 12);
        while appeal.call(&mut forms) {
            let woven = weave(&mutants, &forms);
            let mut errors = errors(&woven["a.rs"], "b");
            errors.iter_mut().for_each(|error| error.spans.clear());
            let name = |name: &str| Some(name.to_owned());
            appeal.decide(&mut forms, &woven, &errors, name);
        }
        let dropped: Vec<_> = forms.dropped_mutants().collect();
        assert_eq!(dropped, [(MutantId(2), "why")]);
    }
}
