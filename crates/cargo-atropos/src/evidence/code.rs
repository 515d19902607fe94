//! The code of a build as evidence: a hash for each function that says when it is entered, and one for all else in the source
//! tree.
//!
//! A function's hash is of the text of its body, and of where it stands; that of all else is of the files of the tree that a
//! build or a test reads ([`super::source_files`]), less the bodies of functions. So it holds signatures, types, constants,
//! macros, manifests, data and the bodies of functions that don't say when they are entered, or whose text matters to others
//! as well (`atropos_mutants::dependence`).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use atropos_mutants::dependence::{FileDependence, Macros};
use atropos_mutants::mutant::Span;
use atropos_report::mutant::MutantInfo;
use atropos_weave::PackageForms;

use super::build_uses::BuildUses;
use super::content_hash::ContentHash;
use super::outside_code::LearnedByCode;
use super::source_files::{SourceFiles, add_words};
use crate::build::Build;
use crate::build::instructions::BuildInstructions;
use crate::log;
use crate::plan::{Plan, PlannedFile, PlannedPackage};
use crate::source::SourceTexts;

/// The code of a build.
#[derive(Default)]
pub struct CodeEvidence {
    /// By the functions' numbers.
    pub functions: Vec<ContentHash>,
    /// All that is not in the bodies of functions.
    pub source_files: SourceFiles,
    /// A program may go through all variables of its environment.
    pub asks_for_all_variables: bool,
    files: HashMap<String, FileCode>,
    uses: BuildUses,
}

/// What is known of a file of the plan.
struct FileCode {
    first_function: usize,
    /// The bodies of functions that say when they are entered, in the order of the text.
    entered: Vec<Span>,
    /// The bodies that are left out of what stands outside, in the order of the text.
    cut: Vec<Span>,
}

impl CodeEvidence {
    /// Reads the tree as it is now; planned files are taken as they were when their mutants were found.
    pub fn of(
        plan: &Plan,
        texts: &SourceTexts,
        build: &Build,
        output: &Path,
        (learned_by_dependencies, mut uses): (LearnedByCode, BuildUses),
    ) -> CodeEvidence {
        let dependences = dependences(plan, texts);
        let macros = Macros::of(dependences.values());
        let asks_for_places =
            learned_by_dependencies.places || dependences.values().any(|file| file.asks_for_places);
        let mut functions = Vec::new();
        let mut files = HashMap::new();
        for (index, package) in plan.packages.iter().enumerate() {
            let forms = forms(build, package, index);
            for file in &package.files {
                let name = file.path.as_str();
                let text = &texts[name];
                let Some(dependence) = dependences.get(name) else {
                    let unknown = file.functions().map(|_| ContentHash::default());
                    functions.extend(unknown);
                    continue;
                };
                let entered = entered(file, forms.as_ref());
                // A program that reads its own code is noticed by the name of the file.
                let cut = match file.path.extension() {
                    Some("rs") => cut(dependence, &macros, &entered),
                    _ => Vec::new(),
                };
                log_uncut(name, text, dependence, &cut);
                let all: Vec<Span> = file.functions().map(|function| function.span).collect();
                let sees_lines = |span: Span| {
                    asks_for_places
                        || dependence
                            .bodies
                            .iter()
                            .find(|body| body.span == span)
                            .is_none_or(|body| !macros.know_all(&body.macros))
                };
                functions.extend(hashes(name, text, &all, sees_lines));
                let first_function = file.first_function as usize;
                files.insert(
                    name.to_owned(),
                    FileCode {
                        first_function,
                        entered: all,
                        cut,
                    },
                );
            }
        }
        add_words(plan, texts, output, &mut uses);
        let mut code = CodeEvidence {
            functions,
            source_files: SourceFiles::default(),
            asks_for_all_variables: learned_by_dependencies.all_variables
                || dependences.values().any(|file| file.asks_for_all_variables),
            files,
            uses,
        };
        code.source_files = code.source_files_now(plan, texts, output);
        code
    }

    /// All that is not in the bodies of functions, as the tree is now.
    pub fn source_files_now(&self, plan: &Plan, texts: &SourceTexts, output: &Path) -> SourceFiles {
        SourceFiles::read(plan, texts, (output, &self.uses), |name, text| {
            let file = self.files.get(name);
            let (mut hash, mut position) = (ContentHash::default(), 0);
            for span in file.iter().flat_map(|file| &file.cut) {
                hash = hash.add(&text[position..span.start]);
                position = span.end;
            }
            hash.add(&text[position..])
        })
    }

    /// Names a mutant by the text of the function that it is in, or by its place outside all functions.
    pub fn identity(&self, info: &MutantInfo) -> Option<ContentHash> {
        let file = self.files.get(&info.file)?;
        let holds = |span: &Span| span.contains(info.span);
        let within = file.entered.iter().rposition(holds);
        let (name, start) = match within {
            Some(index) => (
                self.functions[file.first_function + index],
                file.entered[index].start,
            ),
            None => {
                let before = file.cut.iter().filter(|span| span.end <= info.span.start);
                let cut: usize = before.map(|span| span.end - span.start).sum();
                (ContentHash::default().add(&info.file), cut)
            }
        };
        let hash = ContentHash::default()
            .add(name.to_string())
            .number((info.span.start - start) as u64)
            .add(info.operator.code())
            .add(&info.original);
        Some(hash.add(&info.replacement))
    }
}

/// What the tokens of the planned files say; a file that can't be parsed is not among them.
fn dependences(plan: &Plan, texts: &SourceTexts) -> BTreeMap<String, FileDependence> {
    let mut found = BTreeMap::new();
    for package in &plan.packages {
        let edition = package.targets.first().map(|target| target.edition);
        for file in &package.files {
            let name = file.path.as_str();
            if let Some(text) = texts.get(name)
                && let Some(file) = FileDependence::of(text, edition.unwrap_or_default())
            {
                found.insert(name.to_owned(), file);
            }
        }
    }
    found
}

/// The forms that a package was woven in; none if not all of it was woven.
fn forms(build: &Build, package: &PlannedPackage, index: usize) -> Option<PackageForms> {
    let mut alone = build.left_alone.iter();
    if alone.any(|alone| alone.package == package.name) {
        return None;
    }
    let instructions = BuildInstructions::read(&build.directory).ok()?;
    let bytes = fs::read(instructions.forms_file(index)).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The bodies of a file's functions that say when they are entered.
fn entered(file: &PlannedFile, forms: Option<&PackageForms>) -> BTreeSet<(usize, usize)> {
    let Some(forms) = forms else {
        return BTreeSet::new();
    };
    let forms = forms.file(file.path.as_str());
    let steps = file.mutants.steps.iter().enumerate();
    steps
        .filter(|(index, _)| !forms.is_step_dropped(*index))
        .filter_map(|(_, step)| step.function)
        .map(|function| (function.span.start, function.span.end))
        .collect()
}

/// The outermost bodies whose text matters to nobody but those who enter them, and who say so.
fn cut(
    dependence: &FileDependence,
    macros: &Macros,
    entered: &BTreeSet<(usize, usize)>,
) -> Vec<Span> {
    let mut cut = Vec::new();
    let mut end = 0;
    for body in &dependence.bodies {
        if body.span.start < end {
            continue;
        }
        end = body.span.end;
        let says_so = entered.contains(&(body.span.start, body.span.end));
        if says_so && !body.is_open && macros.know_all(&body.macros) {
            cut.push(body.span);
        }
    }
    cut
}

/// Writes to the log which functions count as code outside functions.
fn log_uncut(name: &str, text: &str, dependence: &FileDependence, cut: &[Span]) {
    let is_within = |body: &Span| cut.iter().any(|span| span.contains(*body));
    let bodies = dependence.bodies.iter().map(|body| body.span);
    let lines: Vec<String> = bodies
        .filter(|body| !is_within(body))
        .map(|body| (text[..body.start].matches('\n').count() + 1).to_string())
        .collect();
    if !lines.is_empty() {
        log::line(&format!(
            "{name}: functions that count for all tests, in lines {}",
            lines.join(", ")
        ));
    }
}

/// The hashes of a file's functions: a function within another is named by its place in that one, so that it keeps its name
/// when others before it change.
fn hashes<'t>(
    name: &'t str,
    text: &'t str,
    bodies: &'t [Span],
    sees_lines: impl Fn(Span) -> bool + 't,
) -> impl Iterator<Item = ContentHash> + 't {
    let (mut outermost, mut inner, mut end) = (0_u64, 0_u64, 0);
    bodies.iter().map(move |&span| {
        if span.start >= end {
            (outermost, inner, end) = (outermost + 1, 0, span.end);
        } else {
            inner += 1;
        }
        let hash = ContentHash::default()
            .add(name)
            .number(outermost)
            .number(inner)
            .add(span.text(text));
        match sees_lines(span) {
            true => {
                let before = &text[..span.start];
                let line = before.matches('\n').count();
                let column = before.len() - before.rfind('\n').map_or(0, |start| start + 1);
                hash.number(line as u64).number(column as u64)
            }
            false => hash,
        }
    })
}
