//! New tests, for what no existing test tells apart: functions are called on many made-up inputs, in the original and as each
//! survivor, in processes of their own. An input for which they differ becomes an assertion of a new test, and is proven as
//! others are. A survivor that acts like the original on all inputs is noted with their number.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use atropos_mutants::Category;
use atropos_mutants::mutant::{MutantId, Span};
use atropos_protocol::{CapturedValue, FailureKind, TestResult};
use atropos_report::outcomes::MutantRecord;
use atropos_weave::inputs::{self, CallNames, SearchedCall, SearchedCode, SeenInTests};

use super::assertion_forms::{AssertionForm, NamesInTest, forms};
use super::capturing::{TextsOfFiles, crate_of};
use super::choosing::{AssertionChoice, ChoiceKey, cover};
use super::new_tests::{NewTests, place_in, test_name};
use super::patch::PatchHunk;
use super::running::{AddedTest, OriginalEnd, OriginalRuns, RunSetting, TestRunner, in_parallel};
use super::shortening::ShorterCalls;
use crate::build::additions::{AdditionPlan, BuildWithAdditions, build_with_additions};
use crate::build::{Build, BuildFailure, headline};
use crate::interrupt::Interrupt;
use crate::log;
use crate::plan::PlannedFile;
use crate::prepare::Prepared;
use crate::sandbox;
use crate::scratch::Scratch;

/// Through so many functions a mutant is searched.
const MOST_WAYS: usize = 3;
/// More functions are not searched in one go.
const MOST_FUNCTIONS: usize = 200;
/// So many of the shortest inputs of a survivor are taken into account.
const WITNESSES: usize = 30;
const MOST_ROUNDS: u32 = 6;
/// What an original's value is called where the call panicked.
pub(super) const PANIC: &str = "panic";

/// What a search needs.
pub struct SearchInputs<'a> {
    pub prepared: &'a Prepared,
    pub build: &'a Build,
    pub interrupt: &'a Interrupt,
    pub texts: &'a TextsOfFiles,
    /// For which new tests are wanted.
    pub records: BTreeMap<MutantId, &'a MutantRecord>,
}

/// A function or type that is searched.
pub(super) struct FileSearch {
    pub file: String,
    crate_name: Option<String>,
    pub code: SearchedCode,
    /// The number of its first addition.
    first_id: u32,
    /// The number of its first value.
    pub first: u32,
    mutants: Vec<MutantId>,
}

/// What came of it.
#[derive(Default)]
pub struct SearchOutcome {
    pub hunks: Vec<PatchHunk>,
    /// On how many inputs a survivor acted like the original.
    pub same_on: BTreeMap<MutantId, usize>,
}

/// New tests in which everything holds.
#[derive(Default)]
struct NewTestProof {
    hunks: Vec<PatchHunk>,
    /// Their assertions.
    held: Vec<AssertionChoice>,
}

/// A test of the search and what it gave.
struct SearchedOriginal {
    test: AddedTest,
    runs: OriginalRuns,
}

impl SearchInputs<'_> {
    pub fn search(&self) -> Result<SearchOutcome> {
        if !sandbox::is_on() {
            let terminal = self.prepared.terminal;
            terminal.note("no inputs are searched: without the sandbox a call with made-up values could do harm");
            return Ok(SearchOutcome::default());
        }
        let mut searches = self.searches();
        if searches.is_empty() {
            log::line("search: no function or type can be called with made-up values");
            return Ok(SearchOutcome::default());
        }
        let mut plan = self.empty_plan();
        for (number, search) in (1..).zip(&searches) {
            let end = self.texts.get(&search.file).map_or(0, String::len);
            let code = &search.code;
            plan.files
                .entry(search.file.clone())
                .or_default()
                .extend(code.search(number, search.first_id, search.first, end));
        }
        let built = self.built(plan)?;
        for search in &mut searches {
            let is_rejected = |id: u32| built.rejected.contains_key(&id);
            search.code.leave_out(search.first_id, is_rejected);
        }
        let (mut choices, same_on) = self.with_setting(&built, "searching", |setting| {
            self.compare(setting, &searches)
        })?;
        log::line(&format!(
            "search: {} functions and types, {} rejected by rustc, {} inputs, {} witnesses, {} survivors without any",
            searches.len(),
            built.rejected.len(),
            searches
                .iter()
                .map(|search| search.code.calls())
                .sum::<usize>(),
            choices.len(),
            same_on.len()
        ));
        choices.sort_by_key(|choice| choice.place);
        let proof = self.prove(&searches, &choices, &ShorterCalls::new())?;
        let (choices, shorter) = self.shorten(&searches, &proof.held)?;
        let proof = match shorter.is_empty() {
            true => proof,
            false => self.prove(&searches, &choices, &shorter)?,
        };
        Ok(SearchOutcome {
            hunks: proof.hunks,
            same_on,
        })
    }

    pub(super) fn empty_plan(&self) -> AdditionPlan {
        AdditionPlan {
            files: BTreeMap::new(),
            wanted: self.records.keys().copied().collect(),
        }
    }

    pub(super) fn built(&self, plan: AdditionPlan) -> Result<BuildWithAdditions> {
        match build_with_additions(self.prepared, self.interrupt, self.build, plan) {
            Ok(built) => Ok(built),
            Err(BuildFailure::Interrupted) => bail!("interrupted"),
            Err(BuildFailure::Internal(error)) => Err(error),
            Err(BuildFailure::DoesNotCompile(said)) => {
                bail!(
                    "the tests do not build with a search in them: {}",
                    headline(&said)
                )
            }
        }
    }

    pub(super) fn with_setting<T>(
        &self,
        built: &BuildWithAdditions,
        purpose: &str,
        work: impl FnOnce(&RunSetting<'_>) -> Result<T>,
    ) -> Result<T> {
        let scratch = Scratch::make(&self.prepared.output_directory, purpose)?;
        // Filters of the user's know nothing of new tests.
        let setting = RunSetting::of(
            self.prepared,
            &built.binaries,
            &[],
            scratch.path(),
            self.interrupt,
        );
        work(&setting)
    }

    /// The functions that can be called on made-up values and lead to wanted mutants. Each mutant is searched through the few
    /// that are nearest to it.
    fn searches(&self) -> Vec<FileSearch> {
        let mut searches = Vec::new();
        for package in self
            .prepared
            .plan
            .packages
            .iter()
            .filter(|package| package.is_tested)
        {
            let text_of = |file: &PlannedFile| self.texts.get(file.path.as_str());
            let mut seen = SeenInTests::default();
            let mut names = CallNames::default();
            for file in &package.files {
                let Some(text) = text_of(file) else { continue };
                seen.add(text);
                if !file.steps_only {
                    names.add(text);
                }
            }
            let mut open = self.open_mutants(&package.name);
            let mut found: Vec<FileSearch> = Vec::new();
            for file in package.files.iter().filter(|file| !file.steps_only) {
                let Some(text) = text_of(file) else { continue };
                let code = inputs::find_all(text, &seen).into_iter();
                found.extend(code.map(|code| FileSearch {
                    file: file.path.to_string(),
                    crate_name: crate_of(package, &file.targets),
                    code,
                    first_id: 0,
                    first: 0,
                    mutants: Vec::new(),
                }));
            }
            let mut distances: BTreeMap<(usize, &str), Option<usize>> = BTreeMap::new();
            for (mutant, file, span, name) in open.drain(..) {
                let mut ways: Vec<(usize, usize)> = Vec::new();
                for (index, search) in found.iter().enumerate() {
                    let code = &search.code;
                    if search.file == file && code.contains(span) {
                        ways.push((0, index));
                        continue;
                    }
                    let distance = distances.entry((index, name));
                    let distance = distance.or_insert_with(|| code.distance(&names, name));
                    ways.extend(distance.map(|distance| (distance + 1, index)));
                }
                ways.sort_unstable();
                for (_, index) in ways.into_iter().take(MOST_WAYS) {
                    found[index].mutants.push(mutant);
                }
            }
            searches.extend(
                found
                    .into_iter()
                    .filter(|search| !search.mutants.is_empty()),
            );
        }
        searches.truncate(MOST_FUNCTIONS);
        let (mut first, mut first_id) = (1, 1);
        for search in &mut searches {
            (search.first, search.first_id) = (first, first_id);
            first += search.code.places();
            first_id += search.code.ids();
        }
        searches
    }

    /// The mutants of a package that a search can tell something of: file, place, and the name of the function.
    fn open_mutants(&self, package: &str) -> Vec<(MutantId, &str, Span, &str)> {
        let records = self.records.iter();
        let of_package = records.filter(|(_, record)| record.info.package == package);
        // Calls one after another say nothing of threads.
        let plain = of_package
            .filter(|(_, record)| record.info.operator.category() != Category::Concurrency);
        plain
            .map(|(id, record)| {
                let info = &record.info;
                (
                    *id,
                    info.file.as_str(),
                    info.span,
                    last_name(&info.function),
                )
            })
            .collect()
    }

    /// Runs all searches, as the original and as each mutant.
    fn compare(
        &self,
        setting: &RunSetting<'_>,
        searches: &[FileSearch],
    ) -> Result<(Vec<AssertionChoice>, BTreeMap<MutantId, usize>)> {
        let tests = tests_by_name(setting)?;
        let numbers: Vec<usize> = (0..searches.len()).collect();
        let results = in_parallel(setting, &numbers, |runner: &mut TestRunner<'_>, number| {
            let test = test_named(&tests, &format!("__atropos_search_{}::search", number + 1))?;
            let runs = runner.sandboxed_original(test)?;
            let original = SearchedOriginal {
                test: test.clone(),
                runs,
            };
            Some(self.of_function(runner, &searches[*number], &original))
        })?;
        let mut choices = Vec::new();
        let mut same_on: BTreeMap<MutantId, usize> = BTreeMap::new();
        for (of_function, same) in results.into_iter().filter_map(|(_, result)| result) {
            choices.extend(of_function);
            for (mutant, calls) in same {
                *same_on.entry(mutant).or_default() += calls;
            }
        }
        for choice in &choices {
            same_on.retain(|mutant, _| !choice.kills.contains_key(mutant));
        }
        Ok((choices, same_on))
    }

    fn of_function(
        &self,
        runner: &mut TestRunner<'_>,
        search: &FileSearch,
        original: &SearchedOriginal,
    ) -> (Vec<AssertionChoice>, Vec<(MutantId, usize)>) {
        let mut same = Vec::new();
        let mut differing: BTreeMap<u32, Vec<(MutantId, String)>> = BTreeMap::new();
        for mutant in &search.mutants {
            let run = runner.mutant(&original.test, *mutant, &original.runs.limits);
            let values = run
                .filter(|run| is_believed(run.result))
                .map(|run| run.values);
            let Some(values) = values else { continue };
            let mut found: Vec<((bool, usize), u32, String)> = values
                .into_iter()
                .filter(|value| differs(value, &original.runs))
                .filter_map(|value| {
                    let call = search.code.call(value.place - search.first)?;
                    Some(((is_extreme(&call), length(&call)), value.place, value.text))
                })
                .collect();
            if found.is_empty() {
                same.push((*mutant, search.code.calls()));
            }
            found.sort();
            found.truncate(WITNESSES);
            for (_, place, text) in found {
                differing.entry(place).or_default().push((*mutant, text));
            }
        }
        let mut choices = Vec::new();
        for (place, mutants) in differing {
            let value = original.runs.values.get(&place);
            let call = search.code.call(place - search.first);
            if let (Some(value), Some(call)) = (value, call) {
                choices.extend(self.choices_at(search, place, value, &call, &mutants));
            }
        }
        (choices, same)
    }

    /// The ways to assert what a call gives, and which of the mutants, of which is known what they give, each kills.
    pub(super) fn choices_at(
        &self,
        search: &FileSearch,
        place: u32,
        value: &CapturedValue,
        call: &SearchedCall,
        mutants: &[(MutantId, String)],
    ) -> Vec<AssertionChoice> {
        let names = NamesInTest {
            text: self.texts.get(&search.file).map_or("", String::as_str),
            crate_name: search.crate_name.as_deref(),
        };
        let choice = |form: AssertionForm| {
            let killed = mutants
                .iter()
                .filter(|(_, text)| form.aspect(text) != form.aspect(&value.text));
            let kills: BTreeMap<MutantId, BTreeSet<AddedTest>> = killed
                .map(|(mutant, _)| (*mutant, BTreeSet::new()))
                .collect();
            (!kills.is_empty()).then(|| AssertionChoice {
                place,
                kills,
                is_last_resort: is_extreme(call) || matches!(form, AssertionForm::DebugText(_)),
                cost: 2 * form.cost() + length(call) / 10,
                form,
            })
        };
        let forms = forms(&value.type_name, &value.text, &names).into_iter();
        forms.filter_map(choice).collect()
    }

    /// Writes the tests and runs them, until all that is in them holds.
    fn prove(
        &self,
        searches: &[FileSearch],
        choices: &[AssertionChoice],
        shorter: &ShorterCalls,
    ) -> Result<NewTestProof> {
        let mut choices = choices.to_vec();
        let mut rejected = BTreeSet::new();
        let mut held: Vec<AssertionChoice> = Vec::new();
        for round in 1..=MOST_ROUNDS {
            // The last round has only what held before.
            let chosen = match round {
                MOST_ROUNDS => held,
                _ => cover(&choices, &rejected, &BTreeSet::new()),
            };
            if chosen.is_empty() || self.interrupt.is_requested() {
                return Ok(NewTestProof::default());
            }
            let tests = self.new_tests(searches, &chosen, shorter);
            let mut plan = self.empty_plan();
            for (file, test) in (0..).zip(&tests) {
                let around = chosen.len() as u32 + 1 + file;
                plan.files
                    .insert(test.file.clone(), test.additions(around, &chosen));
            }
            let built = self.built(plan)?;
            let before = rejected.len();
            let kills = self.with_setting(&built, "proving", |setting| {
                self.run_new_tests(setting, &tests, &chosen)
            })?;
            held = Vec::new();
            for (number, choice) in chosen.iter().enumerate() {
                let Some(killed) = kills.get(&number) else {
                    rejected.insert(choice.key());
                    if let Some(error) = built.rejected.get(&(number as u32 + 1)) {
                        rejected.extend(alike(error, choice, &choices));
                    }
                    continue;
                };
                held.push(choice.clone());
                // Nothing else is needed for what it was seen to kill besides.
                let known = choices.iter_mut().find(|known| known.key() == choice.key());
                if let Some(known) = known {
                    let more = killed.iter().map(|mutant| (*mutant, BTreeSet::new()));
                    known.kills.extend(more);
                }
            }
            log::line(&format!(
                "new tests, round {round}: {} assertions, {} hold; rustc: {:?}",
                chosen.len(),
                held.len(),
                built.rejected.values().collect::<Vec<_>>()
            ));
            if rejected.len() == before {
                let hunks = tests.iter().map(|test| self.hunk(test, &chosen, &kills));
                return Ok(NewTestProof {
                    hunks: hunks.collect(),
                    held,
                });
            }
        }
        Ok(NewTestProof::default())
    }

    fn new_tests<'s>(
        &self,
        searches: &'s [FileSearch],
        chosen: &[AssertionChoice],
        shorter: &ShorterCalls,
    ) -> Vec<NewTests<'s>> {
        let mut by_file: BTreeMap<&str, NewTests<'s>> = BTreeMap::new();
        for (number, choice) in chosen.iter().enumerate() {
            let Some(search) = search_of(searches, choice.place) else {
                continue;
            };
            let found = search.code.call(choice.place - search.first);
            let Some(call) = shorter.get(&choice.place).cloned().or(found) else {
                continue;
            };
            let text = self.texts.get(&search.file).map_or("", String::as_str);
            let tests = by_file.entry(&search.file).or_insert_with(|| NewTests {
                file: search.file.clone(),
                place: place_in(text),
                length: text.len(),
                functions: BTreeMap::new(),
            });
            let name = test_name(search.code.name(), text);
            let (_, assertions) = tests.functions.entry(name).or_insert((search, Vec::new()));
            assertions.push((number, call));
        }
        by_file.into_values().collect()
    }

    /// Which mutants each chosen assertion kills; none for one that does not hold or does not compile.
    fn run_new_tests(
        &self,
        setting: &RunSetting<'_>,
        tests: &[NewTests<'_>],
        chosen: &[AssertionChoice],
    ) -> Result<BTreeMap<usize, BTreeSet<MutantId>>> {
        let known = tests_by_name(setting)?;
        let functions = tests.iter().flat_map(|test| &test.functions);
        let items: Vec<_> = functions.collect();
        let results = in_parallel(
            setting,
            &items,
            |runner: &mut TestRunner<'_>, (name, (_, assertions))| {
                let test = test_named(&known, &format!("::{name}"))?;
                let OriginalEnd::Passed(original) = runner.original(test, 3) else {
                    return None;
                };
                let wanted = assertions
                    .iter()
                    .flat_map(|(number, _)| chosen[*number].kills.keys());
                let wanted: BTreeSet<MutantId> = wanted.copied().collect();
                let mut kills = Vec::new();
                for mutant in wanted {
                    let Some(run) = runner.mutant(test, mutant, &original.limits) else {
                        continue;
                    };
                    let is_killed = matches!(
                        run.result,
                        TestResult::Failed {
                            kind: FailureKind::Panicked,
                            ..
                        }
                    );
                    if let (true, Some(last)) = (is_killed, run.values.last()) {
                        kills.push((last.place as usize - 1, mutant));
                    }
                }
                Some(kills)
            },
        )?;
        let mut all: BTreeMap<usize, BTreeSet<MutantId>> = BTreeMap::new();
        for (number, mutant) in results.into_iter().filter_map(|(_, kills)| kills).flatten() {
            all.entry(number).or_default().insert(mutant);
        }
        Ok(all)
    }

    fn hunk(
        &self,
        tests: &NewTests<'_>,
        chosen: &[AssertionChoice],
        kills: &BTreeMap<usize, BTreeSet<MutantId>>,
    ) -> PatchHunk {
        let numbers = tests
            .functions
            .values()
            .flat_map(|(_, assertions)| assertions);
        let killed: BTreeSet<MutantId> = numbers
            .filter_map(|(number, _)| kills.get(number))
            .flatten()
            .copied()
            .collect();
        let place = tests.position();
        let names: Vec<&str> = tests.functions.keys().map(String::as_str).collect();
        PatchHunk {
            file: tests.file.clone(),
            place: Span::new(place, place),
            text: tests.text(chosen),
            assertion: format!("new: {}", names.join(", ")),
            function: names.join(", "),
            kills: killed
                .iter()
                .filter_map(|mutant| self.records.get(mutant))
                .map(|record| (record.info.id.0, record.info.name()))
                .collect(),
            tests: tests.functions.len(),
            remarks: vec![
                "it records what the code does today; read whether that is right".to_owned(),
            ],
        }
    }
}

/// The search that a value is of.
pub(super) fn search_of(searches: &[FileSearch], place: u32) -> Option<&FileSearch> {
    searches.iter().rfind(|search| search.first <= place)
}

/// What rustc would reject for the same reason: a struct that can't be compared, or whose `Debug` text does not name its fields,
/// whatever the path it is written with, or code that has no `format!`.
fn alike(error: &str, choice: &AssertionChoice, choices: &[AssertionChoice]) -> Vec<ChoiceKey> {
    let kind = |choice: &AssertionChoice| match &choice.form {
        AssertionForm::Equals(_, literal)
            if error.contains("field") || error.contains("binary operation") =>
        {
            let (path, _) = literal.split_once(" {")?;
            Some(last_name(path).to_owned())
        }
        AssertionForm::DebugText(_) if error.contains("macro `format`") => Some(String::new()),
        _ => None,
    };
    let own = kind(choice);
    let same = choices
        .iter()
        .filter(|other| own.is_some() && kind(other) == own);
    same.map(AssertionChoice::key).collect()
}

/// Whether what a run captured counts: it came to its end, or to one that is the mutant's own.
pub(super) fn is_believed(result: TestResult) -> bool {
    match result {
        TestResult::Passed | TestResult::NotInfected => true,
        TestResult::Failed { kind, .. } => {
            matches!(kind, FailureKind::StepLimit | FailureKind::Panicked)
        }
        _ => false,
    }
}

/// Whether a mutant gave something else than the original's one value there.
pub(super) fn differs(value: &CapturedValue, original: &OriginalRuns) -> bool {
    original.values.get(&value.place).is_some_and(|known| {
        known.type_name != PANIC && (known.text != value.text || known.type_name != value.type_name)
    })
}

fn length(call: &SearchedCall) -> usize {
    call.expression.len() + call.setup.iter().map(String::len).sum::<usize>()
}

/// Whether a call is made with a value that nobody would write first.
fn is_extreme(call: &SearchedCall) -> bool {
    const EXTREMES: [&str; 4] = ["::MIN", "::MAX", "::INFINITY", "::NAN"];
    let mut texts = call.setup.iter().chain([&call.expression]);
    texts.any(|text| EXTREMES.iter().any(|extreme| text.contains(extreme)))
}

/// The tests of all binaries by their names.
pub(super) fn tests_by_name(setting: &RunSetting<'_>) -> Result<Vec<(String, AddedTest)>> {
    let mut runner = TestRunner::new(setting, 0)?;
    let mut tests = Vec::new();
    for (number, binary) in setting.binaries.iter().enumerate() {
        if binary.harness {
            tests.extend(
                runner
                    .tests(number)
                    .into_iter()
                    .map(|(test, name)| (name, test)),
            );
        }
    }
    Ok(tests)
}

pub(super) fn test_named<'t>(tests: &'t [(String, AddedTest)], end: &str) -> Option<&'t AddedTest> {
    let mut found = tests.iter().filter(|(name, _)| name.ends_with(end));
    found.next().map(|(_, test)| test)
}

pub(super) fn last_name(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rustc_rejects_for_a_reason_that_others_share_is_tried_once() {
        let choice = |place, form| AssertionChoice {
            place,
            form,
            kills: BTreeMap::new(),
            is_last_resort: false,
            cost: 0,
        };
        let equals = |literal: &str| AssertionForm::Equals(0, literal.to_owned());
        let choices = [
            choice(1, equals("Slab { cap: 1 }")),
            choice(2, equals("crate::Slab { cap: 2 }")),
            choice(3, equals("Iter { cap: 2 }")),
            choice(4, equals("3")),
        ];
        let alike = |error: &str, index: usize| {
            let keys = alike(error, &choices[index], &choices).into_iter();
            keys.map(|(place, _)| place).collect::<Vec<u32>>()
        };
        assert_eq!(alike("struct `Slab` has no field named `cap`", 0), [1, 2]);
        assert!(alike("failed to resolve: use of undeclared type `Slab`", 0).is_empty());
        assert!(alike("no field `cap`", 3).is_empty());
    }
}
