//! Second checks for points that were dropped on suspicion.
//!
//! An error that names no mutant is blamed on the points around it, so several points may be dropped for what one did. Once
//! rustc accepts the rest, such points are woven again, in halves. Each check tries one set of points in every function at
//! once: the place of an error tells which function it is about. What rustc accepts stays. A check compiles the whole crate,
//! so only functions that have lost many points are tried. Files that were given up for an error without a place are
//! tried together.

use std::collections::BTreeMap;

use atropos_mutants::mutant::{MutantId, Span};

use crate::diagnostics::{DiagnosticSpan, RustcDiagnostic};
use crate::forms::PackageForms;
use crate::weave::FileWeave;

/// A function is tried again if it has lost this many points.
const MANY: usize = 4;
/// A function is given up after this many checks in which everything was rejected.
const MOST_REJECTED: usize = 3;

/// A point that was dropped, with what was said of its mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DroppedPoint {
    file: String,
    point: usize,
    mutants: Vec<(MutantId, String)>,
}

/// Where an error lies: a file, and the function there, if it is in one.
type ErrorLocation = (String, Option<Span>);

/// The dropped points of one function, or of all files that were given up.
#[derive(Debug)]
struct FunctionRetry {
    /// None: any error may be due to these points.
    place: Option<ErrorLocation>,
    waiting: Vec<Vec<DroppedPoint>>,
    /// What is in the text at the moment.
    woven_again: Vec<DroppedPoint>,
    /// Checks so far, and whether rustc accepted anything in one of them.
    checks: usize,
    was_accepted: bool,
}

impl FunctionRetry {
    fn is_rejected(&self, errors: &[Option<ErrorLocation>]) -> bool {
        match &self.place {
            None => !errors.is_empty(),
            Some(place) => errors.iter().any(|error| error.as_ref() == Some(place)),
        }
    }
}

/// All dropped points of a package.
#[derive(Debug, Default)]
pub struct Retry {
    functions: Vec<FunctionRetry>,
}

impl Retry {
    /// For functions in which many points were dropped on suspicion. `woven` holds the files as rustc has accepted them; `span`
    /// tells where a point of a file stands. If whole files were given up, only their points are tried, because their
    /// errors have no place.
    pub fn new(
        forms: &PackageForms,
        woven: &BTreeMap<String, FileWeave>,
        span: impl Fn(&str, usize) -> Option<Span>,
    ) -> Retry {
        let is_given_up = |file: &String| forms.file(file).is_given_up();
        let any_is_given_up = woven.keys().any(is_given_up);
        let mut points: BTreeMap<Option<ErrorLocation>, Vec<DroppedPoint>> = BTreeMap::new();
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
                points.entry(place).or_default().push(DroppedPoint {
                    file: file.clone(),
                    point,
                    mutants,
                });
            }
        }
        let has_lost_many = |(place, points): &(Option<ErrorLocation>, Vec<DroppedPoint>)| {
            place.is_none() || points.len() >= MANY
        };
        let functions = points.into_iter().filter(has_lost_many);
        Retry {
            functions: functions
                .map(|(place, points)| FunctionRetry {
                    place,
                    waiting: vec![points],
                    woven_again: Vec::new(),
                    checks: 0,
                    was_accepted: false,
                })
                .collect(),
        }
    }

    /// How many checks are worth their time, at least. Few of the points of files that were given up are at fault.
    pub fn least_checks(&self) -> u32 {
        let given_up = self
            .functions
            .iter()
            .filter(|function| function.place.is_none());
        let points: usize = given_up
            .flat_map(|function| &function.waiting)
            .map(Vec::len)
            .sum();
        4 * (usize::BITS - points.leading_zeros())
    }

    /// Whether these errors are about mutants of their own, which an error without a place has hidden so far.
    pub fn was_hidden(&self, errors: &[RustcDiagnostic]) -> bool {
        let has_all = self
            .functions
            .iter()
            .any(|function| function.place.is_none());
        has_all && !errors.is_empty() && errors.iter().all(|error| !error.spans.is_empty())
    }

    /// Puts a set of each function in again. Tells whether there was any.
    pub fn call(&mut self, forms: &mut PackageForms) -> bool {
        for function in &mut self.functions {
            function.woven_again = function.waiting.pop().unwrap_or_default();
            for point in &function.woven_again {
                forms.file_mut(&point.file).readmit(point.point);
            }
        }
        self.functions
            .iter()
            .any(|function| !function.woven_again.is_empty())
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
        let mut woven_again = self
            .functions
            .iter()
            .filter(|function| !function.woven_again.is_empty());
        // An error outside all of these functions may be due to any of them.
        let is_unclear =
            !errors.is_empty() && !woven_again.any(|function| function.is_rejected(&places));
        for function in &mut self.functions {
            function.checks += 1;
            if !is_unclear && !function.is_rejected(&places) {
                function.was_accepted |= !function.woven_again.is_empty();
                function.woven_again.clear();
                continue;
            }
            let mut woven_again = std::mem::take(&mut function.woven_again);
            for point in &woven_again {
                let forms = forms.file_mut(&point.file);
                for (mutant, reason) in &point.mutants {
                    forms.suspect(point.point, *mutant, reason);
                }
            }
            if woven_again.len() > 1 {
                let rest = woven_again.split_off(woven_again.len() / 2);
                function.waiting.extend([rest, woven_again]);
            }
            if function.place.is_some()
                && function.checks >= MOST_REJECTED
                && !function.was_accepted
            {
                function.waiting.clear();
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
    fn errors(weave: &FileWeave, rejected: &str) -> Vec<RustcDiagnostic> {
        if !weave.text.contains(&format!("{{ {rejected}();")) {
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
    fn only_points_that_rustc_rejects_stay_dropped() {
        let mutants = mutants();
        let mut forms = PackageForms::default();
        for point in 0..5 {
            let file = forms.file_mut("a.rs");
            file.suspect(point, MutantId(point as u32 + 1), "why");
        }
        let span = |_: &str, point: usize| Some(mutants.points[point].span);
        let mut retry = Retry::new(&forms, &weave(&mutants, &forms), span);
        let mut rounds = 0;
        while retry.call(&mut forms) {
            rounds += 1;
            let woven = weave(&mutants, &forms);
            let errors = errors(&woven["a.rs"], "c");
            let name = |name: &str| Some(name.to_owned());
            retry.decide(&mut forms, &woven, &errors, name);
        }
        let dropped: Vec<_> = forms.dropped_mutants().collect();
        assert_eq!(dropped, [(MutantId(3), "why"), (MutantId(5), "why")]);
        assert_eq!(rounds, 5, "all, two, two, one, one");
    }

    #[test]
    fn points_of_a_file_that_was_given_up_are_tried_together() {
        let mutants = mutants();
        let mut forms = PackageForms::default();
        let file = forms.file_mut("a.rs");
        for point in 0..5 {
            file.suspect(point, MutantId(point as u32 + 1), "why");
        }
        file.give_up();
        let span = |_: &str, point: usize| Some(mutants.points[point].span);
        let mut retry = Retry::new(&forms, &weave(&mutants, &forms), span);
        assert_eq!(retry.least_checks(), 12);
        while retry.call(&mut forms) {
            let woven = weave(&mutants, &forms);
            let mut errors = errors(&woven["a.rs"], "b");
            errors.iter_mut().for_each(|error| error.spans.clear());
            let name = |name: &str| Some(name.to_owned());
            retry.decide(&mut forms, &woven, &errors, name);
        }
        let dropped: Vec<_> = forms.dropped_mutants().collect();
        assert_eq!(dropped, [(MutantId(2), "why")]);
    }
}
