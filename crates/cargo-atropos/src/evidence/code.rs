//! The code of a build as evidence: a hash for each function that says when it is entered, and one for all else in the source
//! tree.
//!
//! A function's hash is of the text of its body, and of where it stands; that of all else is of every file of the tree, less
//! the bodies of functions. So it holds signatures, types, constants, macros, manifests, data and the bodies of functions
//! that don't say when they are entered, or whose text matters to others as well (`atropos_mutants::dependence`).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use atropos_mutants::dependence::{FileDependence, Macros};
use atropos_mutants::mutant::Span;
use atropos_report::mutant::MutantInfo;
use atropos_weave::PackageForms;

use super::content_hash::ContentHash;
use super::outside_code::LearnedByCode;
use crate::accepted;
use crate::build::Build;
use crate::build::instructions::BuildInstructions;
use crate::plan::{Plan, PlannedFile, PlannedPackage};
use crate::source::SourceTexts;

/// Of a larger file the time of its last change stands for what it holds.
const MOST_READ: u64 = 64 << 20;

/// The code of a build.
#[derive(Default)]
pub struct CodeEvidence {
    /// By the functions' numbers.
    pub functions: Vec<ContentHash>,
    /// All that is not in the bodies of functions.
    pub outside: ContentHash,
    /// A program may go through all variables of its environment.
    pub asks_for_all_variables: bool,
    files: HashMap<String, FileCode>,
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
        learned_by_dependencies: LearnedByCode,
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
        let outside = outside(plan, texts, &files, output);
        CodeEvidence {
            functions,
            outside,
            asks_for_all_variables: learned_by_dependencies.all_variables
                || dependences.values().any(|file| file.asks_for_all_variables),
            files,
        }
    }

    /// The hash of all that is not in the bodies of functions, as the tree is now.
    pub fn outside_now(&self, plan: &Plan, texts: &SourceTexts, output: &Path) -> ContentHash {
        outside(plan, texts, &self.files, output)
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

/// The hash of all files of the tree, those of the plan without what is cut out of them.
fn outside(
    plan: &Plan,
    texts: &SourceTexts,
    files: &HashMap<String, FileCode>,
    output: &Path,
) -> ContentHash {
    let root = plan.workspace_root.as_std_path();
    let mut tree = Tree {
        built: vec![plan.target_directory.clone().into(), output.to_owned()],
        seen: BTreeSet::new(),
        files: BTreeMap::new(),
    };
    tree.walk(root);
    for package in &plan.packages {
        tree.walk(package.manifest_dir.as_std_path());
    }
    for file in plan.packages.iter().flat_map(|package| &package.files) {
        let text = &texts[file.path.as_str()];
        let mut hash = ContentHash::default();
        let mut position = 0;
        for span in files
            .get(file.path.as_str())
            .iter()
            .flat_map(|file| &file.cut)
        {
            hash = hash.add(&text[position..span.start]);
            position = span.end;
        }
        let path = root.join(&file.path);
        tree.files.insert(path, hash.add(&text[position..]));
    }
    let all = tree.files.iter();
    all.fold(ContentHash::default(), |hash, (path, content)| {
        let name = path.strip_prefix(root).unwrap_or(path);
        hash.add(name.as_os_str().as_encoded_bytes())
            .add(content.to_string())
    })
}

/// The files of a source tree, each with a hash of what it holds.
#[derive(Default)]
pub struct Tree {
    /// Directories whose files are made, not written.
    pub built: Vec<PathBuf>,
    /// Directories that were walked through.
    seen: BTreeSet<PathBuf>,
    pub files: BTreeMap<PathBuf, ContentHash>,
}

impl Tree {
    /// Adds the files below a directory, but for what is built or hidden, as the runtime counts them to the tree.
    pub fn walk(&mut self, directory: &Path) {
        let real = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        if !self.seen.insert(real) {
            return;
        }
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            if is_hidden || name == "target" || self.built.contains(&path) {
                continue;
            }
            match fs::metadata(&path) {
                Ok(data) if data.is_dir() => self.walk(&path),
                // What is accepted changes no run.
                Ok(_) if name == accepted::FILE_NAME => {}
                _ => self.add(path),
            }
        }
    }

    /// Adds a file, also one that is not there. Only what has a content of its own is read: opening a FIFO would wait for
    /// somebody who writes into it, and a device may have no end.
    pub fn add(&mut self, path: PathBuf) {
        let hash = ContentHash::default();
        let hash = match fs::metadata(&path) {
            Ok(data) if !data.is_file() => hash.number(u64::from(data.mode())),
            Ok(data) if data.len() > MOST_READ => {
                hash.add(format!("{} {:?}", data.len(), data.modified().ok()))
            }
            _ => fs::read(&path).map_or(hash, |bytes| hash.add(bytes)),
        };
        self.files.insert(path, hash);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    #[test]
    fn what_is_no_file_is_noted_without_being_read() {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = scratch.path();
        let fifo = Command::new("mkfifo").arg(root.join("fifo")).status();
        assert!(fifo.expect("mkfifo").success());
        symlink("/dev/zero", root.join("endless")).expect("a link");
        symlink("nowhere", root.join("dangling")).expect("a link");
        fs::write(root.join("file"), "text").expect("a file");
        let mut tree = Tree::default();
        tree.walk(root);
        let of = |name: &str| tree.files[&root.join(name)];
        assert_eq!(of("file"), ContentHash::default().add("text"));
        assert_eq!(of("dangling"), ContentHash::default());
        assert_ne!(of("fifo"), of("endless"));
        assert_ne!(of("fifo"), of("dangling"));
    }
}
