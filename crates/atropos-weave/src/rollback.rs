//! From rustc's errors to plainer forms and dropped mutants.
//!
//! All errors of a round are dealt with at once. A round with errors changes something (or says
//! that nothing was left to change), and changes only go one way, so the rounds come to an end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use atropos_mutants::mutant::{MutantId, Span};
use atropos_values::interface::RUNTIME;

use crate::blame::{Blame, BlameFinder};
use crate::diagnostics::RustcDiagnostic;
use crate::flow;
use crate::forms::{Form, PackageForms};
use crate::source_map::{WeaveMap, WovenPoint};
use crate::weave::FileWeave;

/// What a round of errors led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// Points that got a plainer form.
    pub plainer: usize,
    /// Mutants that are out for what their own code does.
    pub dropped_mutants: usize,
    /// Points that are out with all their mutants.
    pub dropped_points: usize,
    pub dropped_steps: usize,
    /// `const fn`s that a constant needs.
    pub const_functions: usize,
    /// Files that lost everything because of errors that nothing in particular explains.
    pub files_given_up: Vec<String>,
    /// Errors that no woven text explains.
    pub unmapped: Vec<String>,
}

impl RolledBack {
    /// Whether weaving again makes sense.
    pub fn made_progress(&self) -> bool {
        self.plainer
            + self.dropped_mutants
            + self.dropped_points
            + self.dropped_steps
            + self.const_functions
            > 0
    }
}

impl fmt::Display for RolledBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} points made plainer, {} mutants and {} points dropped",
            self.plainer, self.dropped_mutants, self.dropped_points
        )?;
        if self.dropped_steps > 0 {
            write!(f, ", {} step counters dropped", self.dropped_steps)?;
        }
        if self.const_functions > 0 {
            write!(f, ", {} functions const again", self.const_functions)?;
        }
        for file in &self.files_given_up {
            write!(f, ", {file} given up")?;
        }
        if !self.unmapped.is_empty() {
            write!(f, ", {} errors unexplained", self.unmapped.len())?;
        }
        Ok(())
    }
}

/// Errors that are there in every form: what is not `const`, what a macro's grammar refuses.
fn is_final(error: &RustcDiagnostic) -> bool {
    error.code() == "E0015"
        || error.code().is_empty() && error.message.starts_with("no rules expected")
        || error.code().is_empty() && error.message.starts_with("expected ")
}

/// What rustc calls the function that a constant calls and that is not `const`: the last part of its path.
pub fn needed_const_function(message: &str) -> Option<&str> {
    let (_, path) = message
        .strip_prefix("cannot call non-const ")?
        .split_once('`')?;
    let (path, _) = path.split_once('`')?;
    // Woven code calls the runtime.
    if path.starts_with(RUNTIME) {
        return None;
    }
    let path = path.split_once("::<").map_or(path, |(name, generics)| {
        generics.rsplit_once(">::").map_or(name, |(_, last)| last)
    });
    path.rsplit("::").next()
}

/// Codes of errors that showing values to the runtime can cause: problems with inference and with
/// method lookup.
const ERRORS_FROM_VALUES: [&str; 8] = [
    "E0034", "E0277", "E0282", "E0283", "E0284", "E0599", "E0689", "E0790",
];

/// Codes that say that a place would have to be moved out of a reference.
const MUST_MOVE: [&str; 4] = ["E0382", "E0507", "E0508", "E0509"];

/// Codes that say that what is borrowed does not live for long enough.
pub(crate) const DROPPED_TOO_EARLY: [&str; 2] = ["E0515", "E0716"];

/// The form to try after an error.
fn next_form(point: &WovenPoint, code: &str) -> Option<Form> {
    let left = |form: Form| point.plainer.contains(&form).then_some(form);
    match point.form {
        Form::Values if ERRORS_FROM_VALUES.contains(&code) => point.plainer.first().copied(),
        Form::ByCopy => left(Form::ByRef),
        Form::ByRef | Form::ByMut if MUST_MOVE.contains(&code) => left(Form::Plain),
        Form::ByRef => left(Form::ByMut),
        // A copy of a place that is written to would compile and be wrong.
        Form::ByMut => None,
        Form::Plain if DROPPED_TOO_EARLY.contains(&code) => left(Form::Constant),
        Form::Plain => None,
        _ => left(Form::Plain),
    }
}

/// Deals with the errors of a round.
///
/// `woven` holds the files that rustc was given, under the names that `forms` has for them; `name`
/// turns the name of a file as rustc writes it into such a name.
pub fn roll_back(
    forms: &mut PackageForms,
    woven: &BTreeMap<String, FileWeave>,
    errors: &[RustcDiagnostic],
    name: impl Fn(&str) -> Option<String>,
) -> RolledBack {
    let finder = BlameFinder { woven, name: &name };
    let mut round = Round {
        forms,
        woven,
        rolled_back: RolledBack::default(),
        changed: BTreeSet::new(),
        mistyped: Vec::new(),
    };
    let mut points = Vec::new();
    let mut places = Vec::new();
    let mut homeless = Vec::new();
    for error in errors {
        if round.keep_const(error) {
            continue;
        }
        match finder.blame(error) {
            Blame::Variants(variants) => {
                for (file, mutant) in variants {
                    round.change_mutant(&file, mutant, error);
                }
            }
            Blame::Points(blamed) => {
                points.extend(blamed.into_iter().map(|(file, point)| (file, point, error)));
            }
            Blame::Step(file, step) => round.drop_step(&file, step),
            Blame::Place(file, place) => places.push((file, place, error)),
            Blame::Unknown => homeless.push(error),
        }
    }
    // From the sure to the unsure: much of what comes later is the consequence of what was found
    // before, and will be gone in the next round.
    for (file, point, error) in points {
        if !round.may_be_consequence(&file, point, error) {
            round.change_point(&file, point, error);
        }
    }
    let mut unexplained = Vec::new();
    for (file, place, error) in places {
        if round.change_around(&file, place, error) == ErrorContext::Nothing {
            unexplained.push((file, error));
        }
    }
    // Whole files are only given up when nothing else can be tried.
    if !round.rolled_back.made_progress() {
        for (file, error) in &unexplained {
            round.give_up(file, error);
        }
        for error in &homeless {
            round.give_up_all(error);
        }
    }
    if !round.rolled_back.made_progress() {
        homeless.extend(unexplained.into_iter().map(|(_, error)| error));
        let headlines = homeless.into_iter().map(RustcDiagnostic::headline);
        round.rolled_back.unmapped.extend(headlines);
    }
    round.rolled_back
}

struct Round<'a> {
    forms: &'a mut PackageForms,
    woven: &'a BTreeMap<String, FileWeave>,
    rolled_back: RolledBack,
    /// Points that this round has changed already.
    changed: BTreeSet<(String, usize)>,
    /// Where mutants were dropped for what their own code does.
    mistyped: Vec<(String, Span)>,
}

impl Round<'_> {
    /// Makes functions `const` again that a constant calls. Tells whether the error is due to one.
    fn keep_const(&mut self, error: &RustcDiagnostic) -> bool {
        let Some(name) = needed_const_function(&error.message) else {
            return false;
        };
        let mut is_due = false;
        for (file, woven) in self.woven {
            for (function, woven_as) in &woven.map.no_longer_const {
                if woven_as == name {
                    is_due = true;
                    let is_new = self.forms.file_mut(file).keep_const(*function);
                    self.rolled_back.const_functions += usize::from(is_new);
                }
            }
        }
        is_due
    }

    /// A mutant whose code is at fault goes, unless it is its form that can't do what it should.
    fn change_mutant(&mut self, file: &str, mutant: MutantId, error: &RustcDiagnostic) {
        let points = self.woven[file].map.points();
        let Some(point) = points.iter().find(|point| point.mutants.contains(&mutant)) else {
            return;
        };
        let asks_for_copy = point.form <= Form::Operands && error.code() == "E0507";
        if asks_for_copy && next_form(point, error.code()).is_some() {
            return self.change_point(file, point.point, error);
        }
        self.changed.insert((file.to_owned(), point.point));
        let span = point.span;
        self.mistyped.push((file.to_owned(), span));
        let forms = self.forms.file_mut(file);
        if forms.drop_mutant(mutant, &error.headline()) {
            self.rolled_back.dropped_mutants += 1;
        }
    }

    /// Whether a point's error may come from a mutant within it or around it that is being
    /// dropped: a mutant of the wrong type misleads inference all around.
    fn may_be_consequence(&self, file: &str, point: usize, error: &RustcDiagnostic) -> bool {
        let Some(woven) = self.woven[file].map.point(point) else {
            return false;
        };
        let is_related = |(changed, span): &(String, Span)| {
            changed == file && (span.contains(woven.span) || woven.span.contains(*span))
        };
        !flow::is_about_flow(error)
            && !error.mentions("PeekPrim")
            && self.mistyped.iter().any(is_related)
    }

    fn drop_step(&mut self, file: &str, step: usize) {
        if self.forms.file_mut(file).drop_step(step) {
            self.rolled_back.dropped_steps += 1;
        }
    }

    /// A plainer form, or out.
    fn change_point(&mut self, file: &str, point: usize, error: &RustcDiagnostic) {
        let Some(woven) = self.woven[file].map.point(point) else {
            return;
        };
        match next_form(woven, error.code()).filter(|_| !is_final(error)) {
            Some(form) => {
                if self.changed.insert((file.to_owned(), point)) {
                    self.forms.file_mut(file).set_form(point, form);
                    self.rolled_back.plainer += 1;
                }
            }
            None => self.drop_point(file, woven, error),
        }
    }

    fn drop_point(&mut self, file: &str, point: &WovenPoint, error: &RustcDiagnostic) {
        self.changed.insert((file.to_owned(), point.point));
        let forms = self.forms.file_mut(file);
        let reason = error.headline();
        let dropped = point
            .mutants
            .iter()
            .filter(|&&mutant| forms.suspect(point.point, mutant, &reason))
            .count();
        if dropped > 0 {
            self.rolled_back.dropped_points += 1;
        }
    }

    /// For an error that points at no woven text: the points around it get plainer, as long as any
    /// of them can; then they go, and then the step counters.
    fn change_around(&mut self, file: &str, place: Span, error: &RustcDiagnostic) -> ErrorContext {
        let map = &self.woven[file].map;
        let Some(suspects) = suspects(map, place) else {
            return self.drop_steps_around(file, map, place);
        };
        let is_changed =
            |point: &&WovenPoint| self.changed.contains(&(file.to_owned(), point.point));
        if suspects.iter().any(is_changed) {
            return ErrorContext::Something;
        }
        let can_be_plainer = |point: &&&WovenPoint| next_form(point, error.code()).is_some();
        let plainer: Vec<usize> = suspects
            .iter()
            .filter(can_be_plainer)
            .map(|point| point.point)
            .collect();
        if plainer.is_empty() {
            for point in suspects {
                self.drop_point(file, point, error);
            }
        }
        for point in plainer {
            self.change_point(file, point, error);
        }
        ErrorContext::Something
    }

    fn drop_steps_around(&mut self, file: &str, map: &WeaveMap, place: Span) -> ErrorContext {
        let steps = map.innermost_scope(place, |scope| {
            let inside = map
                .steps
                .iter()
                .filter(|(_, offset)| scope.start <= *offset && *offset <= scope.end);
            let steps: Vec<usize> = inside.map(|(step, _)| *step).collect();
            (!steps.is_empty()).then_some(steps)
        });
        let Some(steps) = steps else {
            return ErrorContext::Nothing;
        };
        for step in steps {
            self.drop_step(file, step);
        }
        ErrorContext::Something
    }

    /// Takes out what may be to blame for an error in a file: its points; when that is not enough, all points; then
    /// its step counters; then all of them.
    fn give_up(&mut self, file: &str, error: &RustcDiagnostic) {
        let has_points = |file: &FileWeave| !file.map.points().is_empty();
        if has_points(&self.woven[file]) {
            self.give_up_points(file, error);
        } else if self.woven.values().any(has_points) || self.woven[file].map.steps.is_empty() {
            self.give_up_all(error);
        } else {
            self.give_up_steps(file);
        }
    }

    /// Takes out all points, or, if there are none, all step counters.
    fn give_up_all(&mut self, error: &RustcDiagnostic) {
        let woven = self.woven;
        let has_points = woven.values().any(|file| !file.map.points().is_empty());
        for file in woven.keys() {
            match has_points {
                true => self.give_up_points(file, error),
                false => self.give_up_steps(file),
            }
        }
    }

    fn give_up_points(&mut self, file: &str, error: &RustcDiagnostic) {
        let given_up = &mut self.rolled_back.files_given_up;
        if given_up.iter().any(|other| other == file) {
            return;
        }
        given_up.push(file.to_owned());
        self.forms.file_mut(file).give_up();
        for point in self.woven[file].map.points() {
            self.drop_point(file, point, error);
        }
    }

    fn give_up_steps(&mut self, file: &str) {
        for (step, _) in &self.woven[file].map.steps {
            self.drop_step(file, *step);
        }
    }
}

/// Whether an error lies among woven code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ErrorContext {
    /// Something that is being changed.
    Something,
    /// Nothing that was woven.
    Nothing,
}

/// The points that an error without an owner may come from: those inside its place, else those of
/// the smallest statement or function around it that has any.
fn suspects(map: &WeaveMap, place: Span) -> Option<Vec<&WovenPoint>> {
    let inside = |scope: Span| {
        let points = map.points().iter();
        let points: Vec<&WovenPoint> = points.filter(|point| scope.contains(point.span)).collect();
        (!points.is_empty()).then_some(points)
    };
    inside(place).or_else(|| map.innermost_scope(place, inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{DiagnosticSpan, ErrorCode};
    use crate::weave::{WeaveOptions, weave_file};
    use atropos_mutants::mutant::FileMutants;
    use atropos_mutants::{FindOptions, OperatorSelection, find_mutants};

    const FILE: &str = "a.rs";

    /// A file that is woven again and again.
    struct Bench {
        source: String,
        mutants: FileMutants,
        forms: PackageForms,
        woven: BTreeMap<String, FileWeave>,
    }

    impl Bench {
        fn new(operators: &str, source: &str) -> Bench {
            let options = FindOptions {
                selection: OperatorSelection::parse(&[operators]).unwrap(),
                ..FindOptions::default()
            };
            let mut mutants = find_mutants(source, &options).unwrap();
            let all = mutants.points.iter_mut();
            for (mutant, id) in all.flat_map(|point| &mut point.mutants).zip(1..) {
                mutant.id = MutantId(id);
            }
            let mut bench = Bench {
                source: source.to_owned(),
                mutants,
                forms: PackageForms::default(),
                woven: BTreeMap::new(),
            };
            bench.weave();
            bench
        }

        fn weave(&mut self) {
            let options = WeaveOptions {
                edition_2015_root: false,
                steps: true,
                first_function: 0,
            };
            let forms = self.forms.file(FILE);
            let weave = weave_file(&self.source, &self.mutants, forms, &options);
            self.woven.insert(FILE.to_owned(), weave);
        }

        /// The span of the first place where `text` stands in the woven text.
        fn span(&self, text: &str, is_primary: bool, label: &str) -> DiagnosticSpan {
            let woven = &self.woven[FILE].text;
            let start = woven
                .find(text)
                .unwrap_or_else(|| panic!("no {text} in {woven}"));
            DiagnosticSpan {
                file_name: format!("src/{FILE}"),
                byte_start: start,
                byte_end: start + text.len(),
                is_primary,
                label: Some(label.to_owned()),
                ..DiagnosticSpan::default()
            }
        }

        fn error(&self, code: &str, places: &[(&str, bool)]) -> RustcDiagnostic {
            RustcDiagnostic {
                message: "something".to_owned(),
                code: Some(ErrorCode {
                    code: code.to_owned(),
                }),
                level: "error".to_owned(),
                spans: places
                    .iter()
                    .map(|(text, is_primary)| self.span(text, *is_primary, ""))
                    .collect(),
                children: Vec::new(),
            }
        }

        fn roll_back(&mut self, errors: &[RustcDiagnostic]) -> RolledBack {
            let name = |name: &str| name.strip_prefix("src/").map(str::to_owned);
            let rolled_back = roll_back(&mut self.forms, &self.woven, errors, name);
            self.weave();
            rolled_back
        }

        fn form(&self, point: usize) -> Option<Form> {
            self.woven[FILE].map.point(point).map(|point| point.form)
        }

        fn dropped(&self) -> Vec<u32> {
            self.forms.dropped_mutants().map(|(id, _)| id.0).collect()
        }
    }

    const SUM: &str = "fn f(a: T, b: T) -> T { a + b }";

    #[test]
    fn a_const_fn_that_a_constant_calls_is_const_again() {
        let source = "const fn f(a: u8) -> u8 { a + 1 }\nconst fn g() -> u8 { 2 }\nm!(f(2));";
        let mut bench = Bench::new("AOR", source);
        assert!(bench.woven[FILE].text.starts_with("      fn f"));
        let mut error = bench.error("E0015", &[]);
        error.message =
            "cannot call non-const associated function `S::<'_>::f` in constants".into();
        let rolled_back = bench.roll_back(&[error]);
        assert_eq!(rolled_back.const_functions, 1);
        assert!(rolled_back.made_progress());
        assert_eq!(bench.woven[FILE].text, source);
        assert!(
            bench.woven[FILE]
                .absent
                .iter()
                .all(|(_, why)| why.contains("compile time"))
        );
    }

    #[test]
    fn names_of_functions_that_should_be_const_are_read() {
        let check = |path: &str, expected| {
            let message = format!("cannot call non-const function `{path}` in constants");
            assert_eq!(needed_const_function(&message), expected, "{path}");
        };
        check("f", Some("f"));
        check("S::new", Some("new"));
        check("Set::<T>::new", Some("new"));
        check("new::<u8>", Some("new"));
        check("<S as T>::f", Some("f"));
        check("atropos_runtime::on", None);
        assert_eq!(needed_const_function("mismatched types"), None);
    }

    #[test]
    fn a_mutant_whose_code_is_wrong_goes_alone() {
        let mut bench = Bench::new("AOR", SUM);
        let error = bench.error("E0369", &[("__atropos_l - __atropos_r", true)]);
        let rolled_back = bench.roll_back(&[error]);
        assert_eq!((rolled_back.dropped_mutants, rolled_back.plainer), (1, 0));
        assert_eq!(bench.dropped(), [1]);
        assert_eq!(bench.form(0), Some(Form::Values));
    }

    #[test]
    fn a_point_gets_plainer_until_no_form_is_left() {
        let mut bench = Bench::new("AOR", SUM);
        for (code, expected) in [
            ("E0277", Some(Form::Operands)),
            ("E0277", Some(Form::Plain)),
            ("E0277", None),
        ] {
            let error = bench.error(code, &[("match", true)]);
            assert!(bench.roll_back(&[error]).made_progress());
            assert_eq!(bench.form(0), expected);
        }
        assert_eq!(bench.dropped(), [1, 2]);
        assert_eq!(
            bench.forms.file(FILE).reason(MutantId(1)),
            Some("E0277: something")
        );
    }

    #[test]
    fn trouble_that_values_did_not_make_leads_straight_to_the_plain_form() {
        let mut bench = Bench::new("AOR", SUM);
        let error = bench.error("E0502", &[("match", true)]);
        bench.roll_back(&[error]);
        assert_eq!(bench.form(0), Some(Form::Plain));
    }

    #[test]
    fn many_errors_at_one_point_are_one_step() {
        let mut bench = Bench::new("AOR", SUM);
        let error = bench.error("E0277", &[("match", true)]);
        let rolled_back = bench.roll_back(&[error.clone(), error]);
        assert_eq!(rolled_back.plainer, 1);
        assert_eq!(bench.form(0), Some(Form::Operands));
    }

    #[test]
    fn what_no_form_can_do_is_dropped_at_once() {
        let mut bench = Bench::new("AOR", SUM);
        let error = bench.error("E0015", &[("match", true)]);
        let rolled_back = bench.roll_back(&[error]);
        assert_eq!((rolled_back.dropped_points, rolled_back.plainer), (1, 0));
    }

    #[test]
    fn a_step_counter_that_is_wrong_goes_alone() {
        let mut bench = Bench::new("AOR", SUM);
        let error = bench.error("E0015", &[("::atropos_runtime::enter(0)", true)]);
        let rolled_back = bench.roll_back(&[error]);
        assert_eq!(
            (rolled_back.dropped_steps, rolled_back.dropped_points),
            (1, 0)
        );
        assert!(!bench.woven[FILE].text.contains("enter("));
        assert_eq!(bench.form(0), Some(Form::Values));
    }

    #[test]
    fn an_error_beside_the_points_makes_those_of_its_statement_plainer() {
        let source = "fn f(a: T, b: T) { let x = None; g(a + b, h()); k(a - b); }";
        let mut bench = Bench::new("AOR", source);
        let error = bench.error("E0282", &[("h()", true)]);
        bench.roll_back(&[error]);
        assert_eq!(bench.form(0), Some(Form::Operands));
        assert_eq!(bench.form(1), Some(Form::Values));
        let error = bench.error("E0282", &[("None", true)]);
        bench.roll_back(&[error]);
        assert_eq!(bench.form(0), Some(Form::Plain), "all of the function");
        assert_eq!(bench.form(1), Some(Form::Operands));
    }

    #[test]
    fn an_error_that_stays_costs_the_function_its_points_then_its_steps_then_the_file() {
        let source = "fn f(a: T, b: T) { let x = None; g(a + b); } fn k(a: T) { m(a + 1); }";
        let mut bench = Bench::new("AOR", source);
        let mut rounds = 0;
        loop {
            let error = bench.error("E0282", &[("None", true)]);
            let rolled_back = bench.roll_back(&[error]);
            rounds += 1;
            if !rolled_back.made_progress() {
                assert_eq!(rolled_back.unmapped, ["E0282: something"]);
                break;
            }
            if rounds == 4 {
                assert!(!rolled_back.files_given_up.is_empty() || bench.form(1).is_some());
            }
            assert!(rounds < 10);
        }
        assert_eq!(rounds, 7);
        assert_eq!(bench.woven[FILE].text, source, "nothing is left");
    }

    #[test]
    fn an_error_in_no_woven_file_costs_all_points_then_all_steps() {
        let mut bench = Bench::new("AOR", SUM);
        let mut error = bench.error("E0308", &[("match", true)]);
        error.spans[0].file_name = "elsewhere.rs".to_owned();
        let mut round = || {
            let rolled_back = bench.roll_back(std::slice::from_ref(&error));
            (
                rolled_back.dropped_points,
                rolled_back.dropped_steps,
                rolled_back.unmapped.len(),
            )
        };
        assert_eq!(
            [round(), round(), round()],
            [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
        );
        assert!(bench.forms.file(FILE).is_given_up());
    }

    #[test]
    fn an_error_without_a_place_is_laid_to_the_impl_that_its_note_names() {
        let source =
            "impl A for B { fn f(a: T) -> T { a + 1 } } impl A for C { fn f(a: T) -> T { a + 1 } }";
        let mut bench = Bench::new("AOR", source);
        let mut error = bench.error("E0275", &[]);
        error.children.push(bench.error("", &[("A for C", true)]));
        for _ in 0..3 {
            bench.roll_back(std::slice::from_ref(&error));
        }
        assert_eq!(bench.form(0), Some(Form::Values));
        assert_eq!(bench.form(1), None);
    }

    #[test]
    fn a_deletion_without_a_value_goes_alone() {
        let source = "fn f(a: bool) -> T { if a { bail!(b); } else { bail!(c); } }\n\
                      fn g() -> T { loop { if a { continue; } return h(); } }";
        let mut bench = Bench::new("SDL,ERR,BCR", source);
        let text = "if !::atropos_runtime::on(2) { bail!(c); }";
        let mut error = bench.error("E0308", &[]);
        error.spans = vec![bench.span(text, true, "expected `T`, found `()`")];
        bench.roll_back(&[error]);
        assert_eq!(bench.dropped(), [2]);
    }

    #[test]
    fn a_loop_that_is_left_no_longer_comes_back_to_a_borrow_in_its_head() {
        let source = "fn f(a: &mut A) -> T { for b in &mut a { match b { C => { a.clear(); return d; } \
                      D => return e, } } g() }";
        let mut bench = Bench::new("SDL,ERR", source);
        let mut error = bench.error("E0499", &[]);
        error.spans = vec![
            bench.span("&mut a {", false, "first mutable borrow occurs here"),
            bench.span("a.clear", true, "second mutable borrow occurs here"),
        ];
        bench.roll_back(&[error]);
        let dropped = bench.dropped();
        let points = bench.mutants.points.iter();
        let names: Vec<&str> = points
            .filter(|point| dropped.contains(&point.mutants[0].id.0))
            .map(|point| point.span.text(source))
            .collect();
        assert_eq!(names, ["return d;"]);
    }

    #[test]
    fn a_macro_leads_back_to_where_it_was_called() {
        let source = "fn f(a: T, b: T) { g(a + b); }";
        let mut bench = Bench::new("AOR", source);
        let mut error = bench.error("E0308", &[("__atropos_l * __atropos_r", true)]);
        let call = error.spans.pop().unwrap();
        error.spans.push(DiagnosticSpan {
            file_name: "elsewhere.rs".to_owned(),
            is_primary: true,
            expansion: Some(Box::new(crate::diagnostics::MacroExpansion { span: call })),
            ..DiagnosticSpan::default()
        });
        bench.roll_back(&[error]);
        assert_eq!(bench.dropped(), [2]);
    }

    #[test]
    fn a_deleted_return_explains_a_use_after_a_move() {
        let source = "fn f(a: T, b: bool) -> T { if b { g(a); return h(); } m(a) }";
        let mut bench = Bench::new("SDL,ERR", source);
        let mut error = bench.error("E0382", &[]);
        error.spans = vec![
            bench.span("a)", false, "value moved here"),
            bench.span("m(a)", true, "value used here after move"),
            bench.span("a: T", false, "move occurs because `a` has type `T`"),
        ];
        bench.roll_back(&[error]);
        let dropped = bench.dropped();
        let names: Vec<&str> = bench
            .mutants
            .points
            .iter()
            .filter(|point| dropped.contains(&point.mutants[0].id.0))
            .map(|point| point.span.text(source))
            .collect();
        assert_eq!(names, ["return h();"]);
    }

    #[test]
    fn a_wrong_type_around_a_wrong_mutant_waits_for_the_next_round() {
        let source = "fn f(a: T, b: T) -> bool { (a & b) == b }";
        let mut bench = Bench::new("LOR,ROR", source);
        let errors = [
            bench.error("E0308", &[("(match (&(", true)]),
            bench.error("E0308", &[("__atropos_l | __atropos_r", true)]),
        ];
        let rolled_back = bench.roll_back(&errors);
        assert_eq!((rolled_back.dropped_mutants, rolled_back.plainer), (1, 0));
        let error = bench.error("E0308", &[("(match (&(", true)]);
        assert_eq!(bench.roll_back(&[error]).plainer, 1);
    }

    #[test]
    fn a_mutant_that_would_have_to_copy_changes_its_form() {
        let source = "fn f(a: T, b: T) -> T { a + b }";
        let mut bench = Bench::new("AOD", source);
        let error = bench.error("E0507", &[("*&__atropos_r", true)]);
        let rolled_back = bench.roll_back(&[error]);
        assert_eq!((rolled_back.dropped_mutants, rolled_back.plainer), (0, 1));
        assert_eq!(bench.form(0), Some(Form::Plain));
    }

    #[test]
    fn an_outcome_says_what_happened() {
        let rolled_back = RolledBack {
            plainer: 2,
            dropped_mutants: 1,
            files_given_up: vec!["a.rs".to_owned()],
            unmapped: vec!["E0308: x".to_owned()],
            ..RolledBack::default()
        };
        assert_eq!(
            rolled_back.to_string(),
            "2 points made plainer, 1 mutants and 0 points dropped, a.rs given up, 1 errors unexplained"
        );
    }
}
